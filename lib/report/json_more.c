/* The parts of the JSON that go beyond one figure a strategy; see tables_more.c. */
#include "report/json_tree.h"
#include "report/tables.h"

#include <string.h>

static const char descriptive[] = "descriptive: takes steps as independent, which they are not";

static json_t *chi2_object(const sp_chi2 *test, bool is_descriptive, bool *failed)
{
    json_t *object = json_object();
    sp_json_set_value(object, "chi2", &test->chi2, failed);
    sp_json_set(object, "df", json_integer(test->df), failed);
    sp_json_set_value(object, "p", &test->p, failed);
    if (is_descriptive)
        sp_json_set(object, "note", json_string(descriptive), failed);
    return object;
}

static json_t *error_runs_object(const sp_comparison *c, const sp_error_runs *e, bool *failed)
{
    json_t *object = json_object(), *lengths = json_array();
    sp_json_set(object, "broken", json_integer(e->broken), failed);
    sp_json_set(object, "consequences", json_integer(e->consequences), failed);
    sp_json_set_value(object, "consequence_share", &e->consequence_share, failed);
    sp_json_set(object, "count", json_integer(e->runs->count), failed);
    sp_json_set(object, "forbidden", json_integer(e->forbidden), failed);
    sp_json_set_value(object, "mean", &e->runs->mean, failed);
    sp_json_set_value(object, "median", &e->runs->median, failed);
    sp_json_set(object, "longest", json_integer(e->longest), failed);
    if (e->runs->count) {
        sp_json_set(object, "longest_recording", sp_json_text(c->ids[e->longest_recording], failed), failed);
        sp_json_set(object, "longest_step", json_integer(e->longest_step), failed);
    }
    sp_json_set(object, "dead_ends", json_integer(e->dead_ends), failed);
    for (int64_t i = 0; i < e->runs->n_lengths; i++) {
        json_t *pair = json_array();
        sp_json_append(pair, json_integer(e->runs->lengths[i].length), failed);
        sp_json_append(pair, json_integer(e->runs->lengths[i].count), failed);
        sp_json_append(lengths, pair, failed);
    }
    sp_json_set(object, "lengths", lengths, failed);
    return object;
}

/* [K][K], rows from, or a list of pairs where there are too many classes for a matrix. */
static void set_moves(json_t *object, const sp_comparison *c, const int64_t *moves, const sp_pair_count *pairs, int64_t n_pairs,
                      bool *failed)
{
    size_t K = (size_t)c->n_classes;
    json_t *list = json_array();
    for (size_t i = 0; moves && i < K; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < K; j++)
            sp_json_append(row, json_integer(moves[i * K + j]), failed);
        sp_json_append(list, row, failed);
    }
    if (moves) {
        sp_json_set(object, "transition_counts", list, failed);
        return;
    }
    for (int64_t i = 0; pairs && i < n_pairs; i++) {
        json_t *pair = json_object();
        sp_json_set(pair, "from", sp_json_text(c->classes[pairs[i].from], failed), failed);
        sp_json_set(pair, "to", sp_json_text(c->classes[pairs[i].to], failed), failed);
        sp_json_set(pair, "count", json_integer(pairs[i].count), failed);
        sp_json_append(list, pair, failed);
    }
    if (pairs)
        sp_json_set(object, "transition_pairs", list, failed);
    else
        json_decref(list);
}

/* How often, every rate with the name of its denominator; illegal_rate stands with its interval elsewhere. */
static void set_frequencies(json_t *object, const sp_comparison *c, const sp_frequencies *f, bool *failed)
{
    sp_json_set_value(object, "illegal_per_change", &f->illegal_per_change, failed);
    sp_json_set_value(object, "illegal_per_hour", &f->illegal_per_hour, failed);
    sp_json_set_value(object, "changes_per_hour", &f->changes_per_hour, failed);
    sp_json_set(object, "runs", json_integer(f->runs), failed);
    sp_json_set(object, "isolated_runs", json_integer(f->isolated), failed);
    sp_json_set_value(object, "isolated_runs_share", &f->isolated_share, failed);
    if (f->worst_recording >= 0) {
        json_t *one = json_object();
        sp_json_set(one, "id", sp_json_text(c->ids[f->worst_recording], failed), failed);
        sp_json_set(one, "illegal", json_integer(f->worst_illegal), failed);
        sp_json_set(object, "worst_recording", one, failed);
    }
}

void sp_json_set_reference(json_t *object, const sp_comparison *c, bool *failed)
{
    sp_json_set_value(object, "illegal_rate", &c->reference_frequencies.illegal_per_transition, failed);
    set_frequencies(object, c, &c->reference_frequencies, failed);
    set_moves(object, c, c->reference_moves, c->reference_move_pairs, c->n_reference_move_pairs, failed);
    if (c->bridge_unscored)
        sp_json_set(object, "bridged_transitions", json_integer(c->bridged_transitions), failed);
}

static json_t *permuted_object(const sp_comparison *c, const sp_permuted *p, bool *failed)
{
    json_t *object = json_object(), *names = json_object();
    for (int32_t k = 0; k < c->n_classes; k++)
        sp_json_set_named(names, c->classes[k], sp_json_text(c->classes[p->name_of[k]], failed), failed);
    sp_json_set(object, "names", names, failed);
    sp_json_set_value(object, "accuracy", &p->accuracy, failed);
    sp_json_set_value(object, "kappa", &p->kappa, failed);
    return object;
}

void sp_json_set_more(json_t *object, const sp_comparison *comparison, const sp_strategy_result *strategy, bool *failed)
{
    const sp_strategy_result *s = strategy;
    set_frequencies(object, comparison, &s->frequencies, failed);
    sp_json_set_value(object, "runs_ratio", &s->frequencies.runs_ratio, failed);
    set_moves(object, comparison, s->moves, s->move_pairs, s->n_move_pairs, failed);
    if (s->permuted.is_suspect)
        sp_json_set(object, "labels_may_be_permuted", permuted_object(comparison, &s->permuted, failed), failed);
    if (s->has_agreement) {
        sp_json_set_value(object, "kappa_se", &s->kappa_se, failed);
        sp_json_set(object, "kappa_se_note", json_string("assumes independent steps, which they are not: too small"), failed);
    }
    if (s->has_agreement && comparison->kappa_weights != SP_KAPPA_UNWEIGHTED)
        sp_json_set_value(object, "weighted_kappa", &s->weighted_kappa, failed);
    if (s->has_regret) {
        sp_json_set_value(object, "regret", &s->regret, failed);
        sp_json_set(object, "regret_steps", json_integer(s->regret_steps), failed);
        sp_json_set(object, "zero_probability_steps", json_integer(s->zero_steps), failed);
    }
    if (s->error_runs.runs)
        sp_json_set(object, "error_runs", error_runs_object(comparison, &s->error_runs, failed), failed);
}

static void set_sign_flip(json_t *object, const sp_pair_comparison *pair, bool *failed)
{
    sp_json_set_value(object, "p_sign_flip", &pair->permutation.p, failed);
    if (!pair->permutation.p.undefined)
        sp_json_set(object, "p_sign_flip_method", json_string(pair->permutation.is_exact ? "exact" : "sampled"), failed);
}

/* How p was found, and how small it could be. */
static void set_exactness(json_t *object, const sp_comparison *comparison, const sp_pair_comparison *pair, bool *failed)
{
    sp_buffer note = {0};
    if (!pair->test.p.undefined)
        sp_json_set(object, "p_method", json_string(pair->test.is_exact ? "exact" : "normal approximation"), failed);
    sp_json_set_value(object, "p_least", &pair->test.p_least, failed);
    sp_add_least_p(comparison, pair, &note);
    if (note.length)
        sp_json_set(object, "p_least_note", sp_json_text(note.data, failed), failed);
    *failed |= note.failed;
    sp_buffer_free(&note);
}

void sp_json_set_pair_tests(json_t *object, const sp_comparison *comparison, const sp_pair_comparison *pair, bool *failed)
{
    if (!strcmp(pair->metric, "illegal_rate"))
        set_sign_flip(object, pair, failed);
    if (!strcmp(pair->metric, "accuracy")) {
        set_sign_flip(object, pair, failed);
        set_exactness(object, comparison, pair, failed);
        sp_json_set(object, "mcnemar_cluster", chi2_object(&pair->mcnemar_cluster, false, failed), failed);
        sp_json_set(object, "bowker", chi2_object(&pair->bowker, true, failed), failed);
        sp_json_set(object, "stuart_maxwell", chi2_object(&pair->stuart_maxwell, true, failed), failed);
    }
    if (comparison->has_margin && strcmp(pair->metric, "illegal_rate") != 0) {
        const char *answer = sp_margin_answer(comparison, pair);
        if (answer) {
            sp_json_set(object, "non_inferior", json_boolean(strcmp(answer, "yes") == 0), failed);
        } else {
            sp_value none = {.undefined = "no interval"};
            sp_json_set_value(object, "non_inferior", &none, failed);
        }
    }
}

static json_t *collapsed_object(const sp_comparison *c, const sp_collapsed *one, bool *failed)
{
    json_t *object = json_object(), *groups = json_object(), *strategies = json_object();
    size_t G = (size_t)one->how.n_groups;
    sp_json_set(object, "name", sp_json_text(one->how.name, failed), failed);
    for (size_t g = 0; g < G; g++) {
        json_t *members = json_array();
        for (int32_t k = 0; k < c->n_classes; k++)
            if ((size_t)one->how.group_of_class[k] == g)
                sp_json_append(members, sp_json_text(c->classes[k], failed), failed);
        sp_json_set_named(groups, one->how.groups[g], members, failed);
    }
    sp_json_set(object, "groups", groups, failed);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_agreement *a = &one->strategies[s];
        json_t *row = json_object(), *matrix = json_array();
        sp_json_set_value(row, "accuracy", &a->accuracy, failed);
        sp_json_set_value(row, "balanced_accuracy", &a->balanced_accuracy, failed);
        sp_json_set_value(row, "kappa", &a->kappa, failed);
        sp_json_set_value(row, "mcc", &a->mcc, failed);
        sp_json_set_value(row, "macro_f1", &a->macro_f1, failed);
        sp_json_set(row, "macro_f1_classes", json_integer(a->macro_f1_classes), failed);
        for (size_t i = 0; i < G; i++) {
            json_t *line = json_array();
            for (size_t j = 0; j < G; j++)
                sp_json_append(line, json_integer(one->confusion[((size_t)s * G + i) * G + j]), failed);
            sp_json_append(matrix, line, failed);
        }
        sp_json_set(row, "confusion", matrix, failed);
        sp_json_set_named(strategies, c->strategies[s].name, row, failed);
    }
    sp_json_set(object, "strategies", strategies, failed);
    return object;
}

void sp_json_set_tests(json_t *root, const sp_comparison *comparison, bool *failed)
{
    static const char *const weights[] = {"none", "linear", "quadratic"}, *const absent[] = {"exclude", "zero", "one"};
    const sp_comparison *c = comparison;
    if (c->mean_ranks) {
        json_t *friedman = chi2_object(&c->friedman, false, failed), *ranks = json_object();
        for (int32_t s = 0; s < c->n_strategies; s++)
            sp_json_set_named(ranks, c->strategies[s].name, json_real(c->mean_ranks[s]), failed);
        sp_json_set(friedman, "unit", json_string(sp_unit_name(c, 1)), failed);
        sp_json_set(friedman, "mean_ranks", ranks, failed);
        sp_json_set(root, "friedman", friedman, failed);
        sp_json_set(root, "cochran", chi2_object(&c->cochran, true, failed), failed);
    }
    if (c->n_collapsed) {
        json_t *list = json_array();
        for (int32_t i = 0; i < c->n_collapsed; i++)
            sp_json_append(list, collapsed_object(c, &c->collapsed[i], failed), failed);
        sp_json_set(root, "collapsed", list, failed);
    }
    if (c->kappa_weights != SP_KAPPA_UNWEIGHTED)
        sp_json_set(root, "kappa_weights", json_string(weights[c->kappa_weights]), failed);
    if (c->absent_class != SP_ABSENT_EXCLUDE)
        sp_json_set(root, "absent_class", json_string(absent[c->absent_class]), failed);
    if (c->has_margin)
        sp_json_set(root, "margin", json_real(c->margin), failed);
    if (c->bridge_unscored)
        sp_json_set(root, "bridge_unscored", json_true(), failed);
    if (c->has_length_trim) {
        json_t *cut = json_object();
        sp_json_set(cut, "recordings", json_integer(c->n_cut_recordings), failed);
        sp_json_set(cut, "path_steps", json_integer(c->n_cut_path_steps), failed);
        sp_json_set(cut, "label_steps", json_integer(c->n_cut_label_steps), failed);
        sp_json_set(root, "trim_to_shortest", cut, failed);
    }
    if (c->has_ties) {
        json_t *ties = json_object();
        sp_json_set(ties, "steps", json_integer(c->tie_steps), failed);
        if (c->has_labels)
            sp_json_set(ties, "scored", json_integer(c->tie_scored_steps), failed);
        sp_json_set(root, "argmax_ties", ties, failed);
    }
    if (c->has_wake_trim) {
        sp_json_set(root, "wake_trim_minutes", json_real(c->wake_trim_minutes), failed);
        sp_json_set(root, "trimmed_steps", json_integer(c->n_trimmed_steps), failed);
    }
}
