/* Results as the contract of results words them. The tree is jansson's, which refuses NaN and bad UTF-8; the layout is ours,
 * because jansson puts every number of a matrix on a line of its own and writes 0.87760000000000005 for 0.8776.
 *
 * Scalars come from the table of figures (evaluate/figures.c; `statepath help figures` prints it) and stand first in their
 * object; names, matrices, lists of pairs, lengths of runs and nested objects follow and are written here. Time is left out: the
 * same input gives the same bytes. */
#include "evaluate/work.h"
#include "report/tables/tables.h"
#include "report/write/json_tree.h"
#include "statepath/report.h"

#include <math.h>
#include <stdlib.h>

/* ---- input, model, reference ---- */

static void add_files(sp_json input, const char *key, int64_t n, const sp_source_file *files)
{
    const sp_json list = sp_json_array(input, key);
    for (int64_t i = 0; i < n; i++) {
        const sp_json file = sp_json_object(list, NULL);
        sp_json_text(file, "name", files[i].name);
        sp_json_count(file, "recordings", files[i].n_recordings);
        sp_json_count(file, "steps", files[i].n_steps);
        if (files[i].fault)
            sp_json_text(file, "fault", files[i].fault);
    }
}

static void add_input(sp_json input, const sp_comparison *c)
{
    if (c->is_simulated)
        sp_json_flag(input, "simulated", true);
    sp_json_names(input, "classes", c->n_classes, c->input_classes);
    if (c->n_files)
        add_files(input, "files", c->n_files, c->files);
    if (c->n_label_files)
        add_files(input, "unread_label_files", c->n_label_files, c->label_files);
    if (c->n_unread)
        sp_json_names(input, "unread", (int32_t)c->n_unread, c->unread);
}

/* The classes that may start or end; left out where all may. */
static void add_allowed(sp_json model, const char *key, const sp_comparison *c, const uint8_t *is_allowed)
{
    bool has_other = false;
    for (int32_t k = 0; is_allowed && k < c->n_classes; k++)
        has_other |= !is_allowed[k];
    if (has_other)
        sp_json_classes(model, key, c, is_allowed);
}

/* What the model says of how long each class lasts, in steps. */
static void add_durations(sp_json model, const sp_comparison *c)
{
    const sp_json all = sp_json_object(model, "durations"), ends = sp_json_object(model, "durations_at_ends");
    for (int32_t k = 0; k < c->n_classes; k++) {
        const sp_class_duration *d = &c->durations[k];
        if (!d->is_there)
            continue;
        const sp_json one = sp_json_named(all, c->classes[k]);
        sp_json_text(one, "as", d->text);
        sp_json_count(one, "min", d->lengths.min);
        if (d->lengths.max)
            sp_json_count(one, "max", d->lengths.max);
        if (!d->lengths.has_distribution)
            continue;
        sp_json_real(one, "mean", d->lengths.mean);
        sp_json_count(one, "q05", d->lengths.low);
        sp_json_count(one, "median", d->lengths.median);
        sp_json_count(one, "q95", d->lengths.high);
    }
    sp_json_text(ends, "start", c->whole_at_start ? "whole" : "cut");
    sp_json_text(ends, "end", c->whole_at_end ? "whole" : "cut");
}

static void add_model(sp_json model, const sp_comparison *c)
{
    sp_json dwell = {NULL, model.failed}, rules = dwell;
    sp_json_names(model, "classes", c->n_classes, c->classes);
    sp_json_pairs(model, "forbidden", c, c->forbidden, c->n_forbidden, false);
    add_allowed(model, "start", c, c->start_allowed);
    add_allowed(model, "end", c, c->end_allowed);
    for (int32_t k = 0; c->min_dwell && k < c->n_classes; k++) {
        if (c->min_dwell[k] <= 1)
            continue;
        dwell = dwell.at ? dwell : sp_json_object(model, "min_dwell");
        sp_json_set_named(dwell, c->classes[k], json_integer(c->min_dwell[k]));
    }
    if (c->durations)
        add_durations(model, c);
    for (int32_t r = 0; r < c->n_rules; r++) {
        const sp_json rule = sp_json_object(r == 0 ? (rules = sp_json_array(model, "rules")) : rules, NULL);
        sp_json_text(rule, "name", c->rules[r].name);
        sp_json_text(rule, "rule", c->rules[r].text);
        if (isfinite(c->rules[r].cost))
            sp_json_real(rule, "cost", c->rules[r].cost);
        sp_json_text(rule, "at_gap", c->rules[r].may_at_gap ? "may" : "must");
    }
}

static void add_reference(sp_json root, const sp_comparison *c)
{
    const sp_json object = sp_json_object(root, "reference");
    sp_json_figures(object, SP_OF_REFERENCE, c, NULL, c);
    sp_json_transitions(object, c, NULL);
    sp_json_runs(object, c, NULL);
    if (c->has_labels)
        sp_json_rules(object, c, c->n_strategies);
}

/* How things were computed, where that is not a number. */
static void add_choices(sp_json root, const sp_comparison *c)
{
    static const char *const weights[] = {"none", "linear", "quadratic"};
    if (c->kappa_weights != SP_KAPPA_UNWEIGHTED)
        sp_json_text(root, "kappa_weights", weights[c->kappa_weights]);
    if (c->work != SP_WORK_STEPS)
        sp_json_text(root, "preset", sp_work_about(c->work)->name);
    if (c->background)
        sp_json_classes(root, "background", c, c->background);
    sp_json_text(root, "interval", sp_interval_key(c));
    sp_json_text(root, "zeros", "wilcox");
}

/* ---- coarser classes ---- */

static void add_collapsed(sp_json list, const sp_comparison *c, const sp_collapsed *one)
{
    const sp_json object = sp_json_object(list, NULL);
    const size_t G = (size_t)one->how.n_groups;
    sp_json_text(object, "name", one->how.name);
    const sp_json groups = sp_json_object(object, "groups");
    for (size_t g = 0; g < G; g++) {
        json_t *members = json_array();
        const sp_json list_of = {members, object.failed};
        for (int32_t k = 0; k < c->n_classes; k++)
            if ((size_t)one->how.group_of_class[k] == g)
                sp_json_text(list_of, NULL, c->classes[k]);
        sp_json_set_named(groups, one->how.groups[g], members);
    }
    const sp_json strategies = sp_json_object(object, "strategies");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_json row = sp_json_named(strategies, c->strategies[s].name);
        sp_json_figures(row, SP_OF_COLLAPSED, &one->strategies[s], &c->strategies[s], c);
        sp_json_matrix(row, "confusion", G, one->confusion + (size_t)s * G * G);
    }
}

/* ---- places ---- */

/* [class before, class], null for none. */
static json_t *said_list(const sp_comparison *c, const sp_illegal_said *said, bool *failed)
{
    const sp_json pair = {json_array(), failed};
    const int32_t both[] = {said->from, said->to};
    for (int i = 0; i < 2; i++)
        sp_json_set(pair, NULL, both[i] < 0 ? json_null() : sp_json_clean(c->classes[both[i]]));
    return pair.at;
}

/* Where a place is. */
static void add_step(sp_json object, const sp_comparison *c, int64_t recording, int64_t step)
{
    sp_json_text(object, "recording", c->ids[recording]);
    sp_json_count(object, "step", step);
    const double seconds = (double)step * c->epoch_seconds;
    if (c->epoch_seconds > 0 && seconds == floor(seconds) && seconds < 1e15)
        sp_json_count(object, "seconds", (int64_t)seconds);
    else if (c->epoch_seconds > 0)
        sp_json_real(object, "seconds", seconds);
}

static void add_link(sp_json object, const sp_comparison *c, int64_t recording, int64_t step)
{
    sp_buffer link = {0};
    sp_buffer_place(&link, c->ids[recording], step);
    sp_json_text(object, "link", sp_buffer_string(&link));
    *object.failed |= link.failed;
    sp_buffer_free(&link);
}

/* An item of run_places. */
static json_t *run_object(const void *whole, const void *part, int64_t i, bool *failed)
{
    const sp_comparison *c = whole;
    const sp_run_place *place = &((const sp_run_place *)part)[i];
    const sp_json object = sp_json_root(failed);
    add_step(object, c, place->recording, place->step);
    sp_json_count(object, "length", place->length);
    sp_json_set(object, "class", sp_json_clean(c->classes[place->k]));
    sp_json_text(object, "too", place->is_long ? "long" : "short");
    sp_json_text(object, "by", place->who < c->n_strategies ? c->strategies[place->who].name : "reference");
    add_link(object, c, place->recording, place->step);
    return object.at;
}

/* An item of rule_places. */
static json_t *rule_object(const void *whole, const void *part, int64_t i, bool *failed)
{
    const sp_comparison *c = whole;
    const sp_rule_place *place = &((const sp_rule_place *)part)[i];
    const sp_json object = sp_json_root(failed);
    add_step(object, c, place->recording, place->step);
    sp_json_text(object, "rule", c->rules[place->rule].name);
    sp_json_text(object, "by", place->who < c->n_strategies ? c->strategies[place->who].name : "reference");
    add_link(object, c, place->recording, place->step);
    return object.at;
}

/* An item of illegal_places. */
static json_t *place_object(const void *whole, const void *part, int64_t i, bool *failed)
{
    const sp_comparison *c = whole;
    const sp_illegal_place *place = &((const sp_illegal_place *)part)[i];
    const sp_json object = sp_json_root(failed);
    const sp_illegal_said *first = NULL;
    for (int32_t s = 0; s <= c->n_strategies && !first; s++)
        first = place->said[s].is_illegal ? &place->said[s] : NULL;
    add_step(object, c, place->recording, place->step);
    sp_json_set(object, "transition", said_list(c, first, failed));
    const sp_json by = sp_json_array(object, "by"), said = sp_json_object(object, "said");
    for (int32_t s = 0; s <= c->n_strategies; s++) {
        const char *name = s < c->n_strategies ? c->strategies[s].name : "reference";
        if (place->said[s].is_illegal)
            sp_json_text(by, NULL, name);
        if (s < c->n_strategies || c->has_labels)
            sp_json_set_named(said, name, said_list(c, &place->said[s], failed));
    }
    add_link(object, c, place->recording, place->step);
    return object.at;
}

static void add_places(sp_json root, const sp_comparison *c, sp_json_list *list, sp_json_list *runs,
                       sp_json_list *rules)
{
    *list = (sp_json_list){sp_json_array(root, "illegal_places").at, c->n_illegal_places, place_object, c,
                           c->illegal_places};
    if (c->illegal_places_cut)
        sp_json_flag(root, "illegal_places_cut", true);
    if (c->has_durations)
        *runs = (sp_json_list){sp_json_array(root, "run_places").at, c->n_run_places, run_object, c,
                               c->run_places};
    if (c->run_places_cut)
        sp_json_flag(root, "run_places_cut", true);
    if (c->n_rules > 0)
        *rules = (sp_json_list){sp_json_array(root, "rule_places").at, c->n_rule_places, rule_object, c,
                                c->rule_places};
    if (c->rule_places_cut)
        sp_json_flag(root, "rule_places_cut", true);
}

/* ---- the document ---- */

/* Lists over the strategies, the pairs and the coarser classes. */
static void add_results(sp_json root, const sp_comparison *c, sp_json_list *lists)
{
    const sp_json strategies = sp_json_object(root, "strategies");
    for (int32_t s = 0; s < c->n_strategies; s++)
        sp_json_strategy(sp_json_named(strategies, c->strategies[s].name), c, &c->strategies[s], &lists[s]);
    const sp_json comparisons = sp_json_array(root, "comparisons");
    for (int32_t i = 0; i < c->n_comparisons; i++)
        sp_json_comparison(comparisons, c, &c->comparisons[i]);
    sp_json_several(root, c);
    if (!c->n_collapsed)
        return;
    const sp_json collapsed = sp_json_array(root, "collapsed");
    for (int32_t i = 0; i < c->n_collapsed; i++)
        add_collapsed(collapsed, c, &c->collapsed[i]);
}

static void write_all(const sp_comparison *c, sp_buffer *text)
{
    bool failed = false;
    /* Recordings of each strategy; illegal places; nights of each strategy and of the reference; runs too short or too long;
     * violations of rules over more steps. Those that there are. */
    const int32_t n_lists = 2 * c->n_strategies + 4;
    sp_json_list *lists = calloc((size_t)n_lists, sizeof *lists);
    if (!lists) {
        text->failed = true;
        return;
    }
    const sp_json root = sp_json_root(&failed);
    sp_json_text(root, "statepath", sp_version());
    sp_json_figures(root, SP_OF_COMPARISON, c, NULL, c);
    add_choices(root, c);
    add_input(sp_json_get(root, "input"), c);
    add_model(sp_json_get(root, "model"), c);
    if (c->has_labels)
        add_reference(root, c);
    if (c->reliability)
        sp_json_calibration(root, "calibration", c, c->reliability);
    if (c->n_calibrations)
        sp_json_calibrations(root, c);
    if (c->n_against)
        sp_json_against(root, c);
    add_results(root, c, lists);
    add_places(root, c, &lists[c->n_strategies], &lists[n_lists - 2], &lists[n_lists - 1]);
    if (c->rule_costs)
        sp_json_rule_costs(root, c);
    if (c->review)
        sp_json_review(root, c);
    if (c->sleep)
        sp_json_sleep(root, c, lists + c->n_strategies + 1);
    if (c->raters)
        sp_json_raters(root, c);
    sp_json_finish(root, lists, n_lists, text);
    free(lists);
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
