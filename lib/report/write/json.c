/* Results as the contract of results words them. The tree is jansson's, which refuses NaN and bad UTF-8; the layout is ours,
 * because jansson puts every number of a matrix on a line of its own and writes 0.87760000000000005 for 0.8776.
 *
 * Scalars come from the table of figures (evaluate/figures.c; `statepath help figures` prints it) and stand first in their
 * object; names, matrices, lists of pairs, lengths of runs and nested objects follow and are written here. Time is left out: the
 * same input gives the same bytes. */
#include "evaluate/compared.h"
#include "evaluate/evaluate.h"
#include "evaluate/work.h"
#include "report/tables/tables.h"
#include "report/write/json_tree.h"
#include "statepath/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char descriptive[] = "descriptive: takes steps as independent, which they are not";

/* ---- lists ---- */

static json_t *file_list(const sp_comparison *c, bool *failed)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < c->n_files; i++) {
        json_t *file = json_object();
        sp_json_set(file, "name", sp_json_text(c->files[i].name, failed), failed);
        sp_json_set(file, "recordings", json_integer(c->files[i].n_recordings), failed);
        sp_json_set(file, "steps", json_integer(c->files[i].n_steps), failed);
        if (c->files[i].fault)
            sp_json_set(file, "fault", sp_json_text(c->files[i].fault, failed), failed);
        sp_json_append(list, file, failed);
    }
    return list;
}

/* All transitions, [K][K] rows from, or a list of pairs where there are too many classes for a matrix. */
static void set_transitions(json_t *object, const sp_comparison *c, const int64_t *counts, const sp_pair_count *pairs,
                            int64_t n_pairs, bool *failed)
{
    if (counts)
        sp_json_set(object, "transition_counts", sp_json_matrix((size_t)c->n_classes, counts, failed), failed);
    else if (pairs)
        sp_json_set(object, "transition_pairs", sp_json_pairs(c, pairs, n_pairs, true, failed), failed);
}

static void set_worst(json_t *object, const sp_comparison *c, const sp_frequencies *f, bool *failed)
{
    if (f->worst_recording < 0)
        return;
    json_t *worst = json_object();
    sp_json_set_text(worst, "id", c->ids[f->worst_recording], failed);
    sp_json_set_count(worst, "illegal", f->worst_illegal, failed);
    sp_json_set(object, "worst_recording", worst, failed);
}

/* Runs of each class. `s` NULL: of the reference. */
static void set_runs(json_t *object, const sp_comparison *c, const sp_strategy_result *s, bool *failed)
{
    const sp_class_runs *runs = s ? s->class_runs : c->reference_runs;
    json_t *classes = runs ? json_object() : NULL;
    for (int32_t k = 0; runs && k < c->n_classes; k++) {
        json_t *one = sp_json_figures(SP_OF_RUNS, &runs[k], s, c, failed);
        sp_json_set(one, "lengths", sp_json_lengths(&runs[k], failed), failed);
        sp_json_set_named(classes, c->classes[k], one, failed);
    }
    if (classes)
        sp_json_set(object, "bouts", classes, failed);
}

/* ---- model, reference ---- */

/* The classes that may start or end; left out where all may. */
static void set_allowed(json_t *model, const char *key, const sp_comparison *c, const uint8_t *is_allowed, bool *failed)
{
    json_t *list = json_array();
    for (int32_t k = 0; is_allowed && k < c->n_classes; k++)
        if (is_allowed[k])
            sp_json_append(list, sp_json_text(c->classes[k], failed), failed);
    if (is_allowed && json_array_size(list) < (size_t)c->n_classes)
        sp_json_set(model, key, list, failed);
    else
        json_decref(list);
}

static void fill_model(json_t *model, const sp_comparison *c, bool *failed)
{
    json_t *dwell = json_object();
    sp_json_set(model, "classes", sp_json_names(c->n_classes, c->classes, failed), failed);
    sp_json_set(model, "forbidden", sp_json_pairs(c, c->forbidden, c->n_forbidden, false, failed), failed);
    set_allowed(model, "start", c, c->start_allowed, failed);
    set_allowed(model, "end", c, c->end_allowed, failed);
    for (int32_t k = 0; c->min_dwell && k < c->n_classes; k++)
        if (c->min_dwell[k] > 1)
            sp_json_set_named(dwell, c->classes[k], json_integer(c->min_dwell[k]), failed);
    if (json_object_size(dwell))
        sp_json_set(model, "min_dwell", dwell, failed);
    else
        json_decref(dwell);
}

static json_t *reference_object(const sp_comparison *c, bool *failed)
{
    json_t *object = sp_json_figures(SP_OF_REFERENCE, c, NULL, c, failed);
    sp_json_set(object, "illegal_pairs", sp_json_pairs(c, c->reference_illegal_pairs, c->n_reference_illegal_pairs, true, failed),
                failed);
    set_worst(object, c, &c->reference_frequencies, failed);
    set_transitions(object, c, c->reference_transition_counts, c->reference_transition_pairs, c->n_reference_transition_pairs,
                    failed);
    set_runs(object, c, NULL, failed);
    return object;
}

/* ---- strategies ---- */

static void set_agreement(json_t *object, const sp_comparison *c, const sp_strategy_result *s, bool *failed)
{
    json_t *classes = json_object(), *undecoded = json_object();
    sp_json_set_text(object, "kappa_se_note", "assumes independent steps, which they are not: too small", failed);
    sp_json_set(object, "confusion", sp_json_matrix((size_t)c->n_classes, s->confusion, failed), failed);
    for (int32_t k = 0; k < c->n_classes; k++) {
        sp_json_set_named(classes, c->classes[k], sp_json_figures(SP_OF_CLASS, &s->classes[k], s, c, failed), failed);
        if (s->undecoded_steps && s->undecoded_steps[k])
            sp_json_set_named(undecoded, c->classes[k], json_integer(s->undecoded_steps[k]), failed);
    }
    sp_json_set(object, "undecoded_steps", undecoded, failed);
    sp_json_set(object, "classes", classes, failed);
}

/* What was changed from argmax by class, and by place in the reference's runs. */
static void set_changes(json_t *object, const sp_comparison *c, const sp_strategy_result *s, bool *failed)
{
    json_t *classes = json_object(), *places = json_object();
    for (int32_t k = 0; s->has_changes && s->class_changes && k < c->n_classes; k++)
        sp_json_set_named(classes, c->classes[k], sp_json_figures(SP_OF_CHANGES, &s->class_changes[k], s, c, failed), failed);
    for (int i = 0; s->has_agreement && i < SP_N_CONTEXTS; i++) {
        json_t *place = json_object();
        sp_json_set_count(place, "steps", s->context_steps[i], failed);
        sp_json_set_count(place, "correct", s->context_correct[i], failed);
        if (s->has_changes)
            sp_json_set(place, "changed_from_argmax", sp_json_figures(SP_OF_CHANGES, &s->context_changes[i], s, c, failed),
                        failed);
        sp_json_set(places, sp_context_name((sp_context)i), place, failed);
    }
    if (s->has_changes && s->class_changes)
        sp_json_set(object, "changed_from_argmax_by_class", classes, failed);
    else
        json_decref(classes);
    if (s->has_agreement)
        sp_json_set(object, "contexts", places, failed);
    else
        json_decref(places);
}

/* Adds what objects made of figures hold beside them: error_runs, labels_may_be_permuted, entities. */
static void fill_nested(json_t *object, const sp_comparison *c, const sp_strategy_result *s, bool *failed)
{
    const sp_error_runs *e = &s->error_runs;
    if (e->runs) {
        json_t *errors = json_object_get(object, "error_runs");
        if (e->runs->count) {
            sp_json_set_text(errors, "longest_recording", c->ids[e->longest_recording], failed);
            sp_json_set_count(errors, "longest_step", e->longest_step, failed);
        }
        sp_json_set(errors, "lengths", sp_json_lengths(e->runs, failed), failed);
    }
    if (s->label_permutation.is_suspect) {
        json_t *names = json_object();
        for (int32_t k = 0; k < c->n_classes; k++)
            sp_json_set_named(names, c->classes[k], sp_json_text(c->classes[s->label_permutation.name_of[k]], failed), failed);
        sp_json_set(json_object_get(object, "labels_may_be_permuted"), "names", names, failed);
    }
    if (s->has_agreement && c->has_entities) {
        json_t *types = json_object();
        for (int32_t i = 0; i < c->n_entity_types; i++)
            sp_json_set_named(types, c->entity_types[i], sp_json_figures(SP_OF_ENTITIES, &s->entities.types[i], s, c, failed),
                              failed);
        sp_json_set(json_object_get(object, "entities"), "types", types, failed);
        sp_json_set_text(json_object_get(object, "entities"), "scheme", c->entity_scheme, failed);
    }
}

/* An item of per_recording. */
static json_t *recording_object(const void *whole, const void *part, int64_t r, bool *failed)
{
    const sp_comparison *c = whole;
    const sp_strategy_result *s = part;
    const sp_recording_result *recording = &s->recordings[r];
    json_t *object = json_object();
    sp_json_set_text(object, "id", c->ids[r], failed);
    if (c->subject_of)
        sp_json_set_text(object, "subject", c->subjects[c->subject_of[r]], failed);
    sp_json_set_count(object, "steps", c->steps[r], failed);
    if (c->trimmed_steps)
        sp_json_set_count(object, "trimmed", c->trimmed_steps[r], failed);
    if (c->cut_path_steps && c->cut_path_steps[r])
        sp_json_set_count(object, "cut_path_steps", c->cut_path_steps[r], failed);
    if (c->cut_label_steps && c->cut_label_steps[r])
        sp_json_set_count(object, "cut_label_steps", c->cut_label_steps[r], failed);
    sp_json_set_figures(object, SP_OF_RECORDING, &(sp_figure_owner){recording, s, c}, failed);
    sp_json_set_text(object, "status", sp_status_name(recording->decoded.status), failed);
    if (recording->decoded.status != SP_OK)
        sp_json_set_count(object, "step", recording->decoded.step, failed);
    if (s->has_path_score)
        sp_json_set_score(object, "path_score", recording->decoded.score, failed);
    return object;
}

/* per_recording is left to `list`. */
static json_t *strategy_object(const sp_comparison *c, const sp_strategy_result *s, sp_json_list *list, bool *failed)
{
    json_t *object = sp_json_figures(SP_OF_STRATEGY, s, s, c, failed), *undecoded = json_array(), *recordings = json_array();
    sp_json_set_interval(object, "illegal_rate_ci", s->illegal_rate.low, s->illegal_rate.high, failed);
    fill_nested(object, c, s, failed);
    if (s->has_agreement)
        set_agreement(object, c, s, failed);
    sp_json_set(object, "illegal_pairs", sp_json_pairs(c, s->illegal_pairs, s->n_illegal_pairs, true, failed), failed);
    set_worst(object, c, &s->frequencies, failed);
    set_transitions(object, c, s->transition_counts, s->transition_pairs, s->n_transition_pairs, failed);
    set_changes(object, c, s, failed);
    set_runs(object, c, s, failed);
    for (int64_t r = 0; r < c->n_recordings; r++)
        if (s->recordings[r].decoded.status != SP_OK)
            sp_json_append(undecoded, sp_json_text(c->ids[r], failed), failed);
    sp_json_set(object, "undecoded", undecoded, failed);
    *list = (sp_json_list){.place = recordings, .n = c->n_recordings, .item = recording_object, .whole = c, .part = s};
    sp_json_set(object, "per_recording", recordings, failed);
    return object;
}

/* ---- pairs of strategies ---- */

/* How p was found, how small it could be, and which tests are descriptive only. */
static void set_test_notes(json_t *object, const sp_comparison *c, const sp_pair_comparison *pair, bool *failed)
{
    static const char *const takes_steps[] = {"mcnemar", "bowker", "stuart_maxwell"};
    sp_buffer note = {0};
    if (!pair->test.p.undefined)
        sp_json_set_text(object, "p_method", pair->test.is_exact ? "exact" : "normal approximation", failed);
    sp_add_least_p(c, pair, &note);
    if (note.length)
        sp_json_set_text(object, "p_least_note", note.data, failed);
    *failed |= note.failed;
    sp_buffer_free(&note);
    for (size_t i = 0; i < sizeof takes_steps / sizeof *takes_steps; i++)
        sp_json_set_text(json_object_get(object, takes_steps[i]), "note", descriptive, failed);
}

static json_t *comparison_object(const sp_comparison *c, const sp_pair_comparison *pair, bool *failed)
{
    const sp_difference *d = &pair->difference;
    json_t *object = json_object();
    sp_json_set_text(object, "a", c->strategies[pair->a].name, failed);
    sp_json_set_text(object, "b", c->strategies[pair->b].name, failed);
    sp_json_set_text(object, "metric", pair->metric, failed);
    sp_json_set_figures(object, SP_OF_PAIR, &(sp_figure_owner){.own = pair, .comparison = c}, failed);
    sp_json_set_interval(object, "ci", d->low, d->high, failed);
    sp_json_set_interval(object, "ci_studentised", d->studentised[0], d->studentised[1], failed);
    sp_json_set_interval(object, "ci_bca", d->bca[0], d->bca[1], failed);
    sp_json_set_interval(object, "ci_percentile", d->percentile[0], d->percentile[1], failed);
    if (sp_compared_by(pair->metric)->tests == SP_ALL_TESTS)
        set_test_notes(object, c, pair, failed);
    if (json_object_get(object, "p_sign_flip") && !pair->permutation.p.undefined)
        sp_json_set_text(object, "p_sign_flip_method", pair->permutation.is_exact ? "exact" : "sampled", failed);
    if (c->has_margin && sp_is_judged(pair)) {
        const char *answer = sp_margin_answer(c, pair);
        if (answer)
            sp_json_set(object, "non_inferior", json_boolean(strcmp(answer, "yes") == 0), failed);
        else
            sp_json_set_value(object, "non_inferior", &(sp_value){.undefined = "no interval"}, failed);
    }
    sp_json_set_text(object, "unit", sp_unit_name(c, NULL, 1), failed);
    return object;
}

static json_t *chi2_object(const sp_chi2 *test, bool *failed)
{
    json_t *object = json_object();
    sp_json_set_value(object, "chi2", &test->chi2, failed);
    sp_json_set_count(object, "df", test->df, failed);
    sp_json_set_value(object, "p", &test->p, failed);
    return object;
}

/* Tests over all strategies. */
static void set_several(json_t *root, const sp_comparison *c, bool *failed)
{
    if (!c->mean_ranks)
        return;
    json_t *friedman = chi2_object(&c->friedman, failed), *cochran = chi2_object(&c->cochran, failed), *ranks = json_object();
    for (int32_t s = 0; s < c->n_strategies; s++)
        sp_json_set_named(ranks, c->strategies[s].name, json_real(c->mean_ranks[s]), failed);
    sp_json_set_text(friedman, "unit", sp_unit_name(c, NULL, 1), failed);
    sp_json_set(friedman, "mean_ranks", ranks, failed);
    sp_json_set(root, "friedman", friedman, failed);
    sp_json_set_text(cochran, "note", descriptive, failed);
    sp_json_set(root, "cochran", cochran, failed);
}

/* ---- coarser classes ---- */

static json_t *collapsed_object(const sp_comparison *c, const sp_collapsed *one, bool *failed)
{
    json_t *object = json_object(), *groups = json_object(), *strategies = json_object();
    const size_t G = (size_t)one->how.n_groups;
    sp_json_set_text(object, "name", one->how.name, failed);
    for (size_t g = 0; g < G; g++) {
        json_t *members = json_array();
        for (int32_t k = 0; k < c->n_classes; k++)
            if ((size_t)one->how.group_of_class[k] == g)
                sp_json_append(members, sp_json_text(c->classes[k], failed), failed);
        sp_json_set_named(groups, one->how.groups[g], members, failed);
    }
    sp_json_set(object, "groups", groups, failed);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        json_t *row = sp_json_figures(SP_OF_COLLAPSED, &one->strategies[s], &c->strategies[s], c, failed);
        sp_json_set(row, "confusion", sp_json_matrix(G, one->confusion + (size_t)s * G * G, failed), failed);
        sp_json_set_named(strategies, c->strategies[s].name, row, failed);
    }
    sp_json_set(object, "strategies", strategies, failed);
    return object;
}

/* ---- the document ---- */

static json_t *background_list(const sp_comparison *c, bool *failed)
{
    json_t *list = json_array();
    for (int32_t k = 0; k < c->n_classes; k++)
        if (c->background[k])
            sp_json_append(list, sp_json_text(c->classes[k], failed), failed);
    return list;
}

/* How things were computed, where that is not a number. */
static void set_choices(json_t *root, const sp_comparison *c, bool *failed)
{
    static const char *const weights[] = {"none", "linear", "quadratic"}, *const absent[] = {"exclude", "zero", "one"};
    if (c->kappa_weights != SP_KAPPA_UNWEIGHTED)
        sp_json_set_text(root, "kappa_weights", weights[c->kappa_weights], failed);
    if (c->absent_class != SP_ABSENT_EXCLUDE)
        sp_json_set_text(root, "absent_class", absent[c->absent_class], failed);
    if (c->work != SP_WORK_STEPS)
        sp_json_set_text(root, "preset", sp_work_about(c->work)->name, failed);
    if (c->background)
        sp_json_set(root, "background", background_list(c, failed), failed);
    sp_json_set_text(root, "interval", sp_interval_key(c), failed);
    sp_json_set_text(root, "zeros", sp_zeros_key(c->zeros), failed);
}

/* ---- places ---- */

/* [class before, class], null for none. */
static json_t *said_list(const sp_comparison *c, const sp_illegal_said *said, bool *failed)
{
    json_t *pair = json_array();
    sp_json_append(pair, said->from < 0 ? json_null() : sp_json_text(c->classes[said->from], failed), failed);
    sp_json_append(pair, said->to < 0 ? json_null() : sp_json_text(c->classes[said->to], failed), failed);
    return pair;
}

/* An item of illegal_places. */
static json_t *place_object(const void *whole, const void *part, int64_t i, bool *failed)
{
    const sp_comparison *c = whole;
    const sp_illegal_place *place = &((const sp_illegal_place *)part)[i];
    json_t *object = json_object(), *by = json_array(), *said = json_object();
    const sp_illegal_said *first = NULL;
    sp_buffer link = {0};
    for (int32_t s = 0; s <= c->n_strategies; s++) {
        const sp_illegal_said *one = &place->said[s];
        const char *name = s < c->n_strategies ? c->strategies[s].name : "reference";
        first = !first && one->is_illegal ? one : first;
        if (one->is_illegal)
            sp_json_append(by, sp_json_text(name, failed), failed);
        if (s < c->n_strategies || c->has_labels)
            sp_json_set_named(said, name, said_list(c, one, failed), failed);
    }
    sp_json_set_text(object, "recording", c->ids[place->recording], failed);
    sp_json_set_count(object, "step", place->step, failed);
    const double seconds = (double)place->step * c->epoch_seconds;
    if (c->epoch_seconds > 0)
        sp_json_set(object, "seconds",
                    seconds == floor(seconds) && seconds < 1e15 ? json_integer((json_int_t)seconds) : json_real(seconds), failed);
    sp_json_set(object, "transition", said_list(c, first, failed), failed);
    sp_json_set(object, "by", by, failed);
    sp_json_set(object, "said", said, failed);
    sp_buffer_place(&link, c->ids[place->recording], place->step);
    sp_json_set_text(object, "link", link.failed ? "" : link.data, failed);
    *failed |= link.failed;
    sp_buffer_free(&link);
    return object;
}

/* Lists over the strategies, the pairs and the coarser classes. */
static void set_results(json_t *root, const sp_comparison *c, sp_json_list *lists, bool *failed)
{
    json_t *strategies = json_object(), *comparisons = json_array(), *collapsed = json_array();
    for (int32_t s = 0; s < c->n_strategies; s++)
        sp_json_set_named(strategies, c->strategies[s].name, strategy_object(c, &c->strategies[s], &lists[s], failed), failed);
    sp_json_set(root, "strategies", strategies, failed);
    for (int32_t i = 0; i < c->n_comparisons; i++)
        sp_json_append(comparisons, comparison_object(c, &c->comparisons[i], failed), failed);
    sp_json_set(root, "comparisons", comparisons, failed);
    set_several(root, c, failed);
    for (int32_t i = 0; i < c->n_collapsed; i++)
        sp_json_append(collapsed, collapsed_object(c, &c->collapsed[i], failed), failed);
    if (c->n_collapsed)
        sp_json_set(root, "collapsed", collapsed, failed);
    else
        json_decref(collapsed);
}

static void write_all(const sp_comparison *c, sp_buffer *text)
{
    bool failed = false;
    /* Recordings of each strategy; illegal places; nights of each strategy and of the reference. */
    const int32_t n_lists = 2 * c->n_strategies + 2;
    sp_json_list *lists = calloc((size_t)n_lists, sizeof *lists);
    if (!lists) {
        text->failed = true;
        return;
    }
    json_t *root = json_object();
    sp_json_set_text(root, "statepath", sp_version(), &failed);
    sp_json_set_figures(root, SP_OF_COMPARISON, &(sp_figure_owner){.own = c, .comparison = c}, &failed);
    set_choices(root, c, &failed);
    if (c->is_simulated)
        sp_json_set(json_object_get(root, "input"), "simulated", json_true(), &failed);
    sp_json_set(json_object_get(root, "input"), "classes", sp_json_names(c->n_classes, c->input_classes, &failed), &failed);
    if (c->n_files)
        sp_json_set(json_object_get(root, "input"), "files", file_list(c, &failed), &failed);
    if (c->missing_parts)
        sp_json_set_text(json_object_get(root, "input"), "missing_parts", c->missing_parts, &failed);
    fill_model(json_object_get(root, "model"), c, &failed);
    if (c->has_labels)
        sp_json_set(root, "reference", reference_object(c, &failed), &failed);
    if (c->reliability)
        sp_json_set(root, "calibration", sp_json_calibration(c, c->reliability, &failed), &failed);
    if (c->n_calibrations)
        sp_json_set(root, "calibrations", sp_json_calibrations(c, &failed), &failed);
    if (c->n_against)
        sp_json_set(root, "against", sp_json_against(c, &failed), &failed);
    set_results(root, c, lists, &failed);
    json_t *places = json_array();
    lists[c->n_strategies] =
        (sp_json_list){.place = places, .n = c->n_illegal_places, .item = place_object, .whole = c, .part = c->illegal_places};
    sp_json_set(root, "illegal_places", places, &failed);
    if (c->illegal_places_cut)
        sp_json_set(root, "illegal_places_cut", json_true(), &failed);
    if (c->rule_costs)
        sp_json_set(root, "rule_costs", sp_json_rule_costs(c, &failed), &failed);
    if (c->sleep)
        sp_json_set(root, "sleep", sp_json_sleep(c, lists + c->n_strategies + 1, &failed), &failed);
    if (c->raters)
        sp_json_set(root, "scorers", sp_json_raters(c, &failed), &failed);
    sp_json_write_lists(root, lists, n_lists, text, &failed);
    json_decref(root);
    free(lists);
    text->failed |= failed;
}

sp_status sp_report_json(const sp_comparison *comparison, char **out, sp_error *err)
{
    sp_buffer text = {0};
    write_all(comparison, &text);
    return sp_buffer_finish(&text, out, err);
}

sp_status sp_report_json_to(const sp_comparison *comparison, sp_report_sink *sink, void *arg, sp_error *err)
{
    sp_buffer_sink to = {.call = sink, .arg = arg, .status = SP_OK};
    sp_buffer text = {.sink = &to};
    write_all(comparison, &text);
    return sp_buffer_end(&text, err);
}
