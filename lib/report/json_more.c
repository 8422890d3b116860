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

static void set_rates(json_t *object, const sp_comparison *c, const sp_strategy_result *s, bool *failed)
{
    const sp_transition_counts *t = &s->counts;
    int64_t worst = 0;
    sp_value per_change = {.value = t->changes ? (double)t->illegal / (double)t->changes : 0,
                           .undefined = t->changes ? NULL : "no changes"};
    sp_json_set_value(object, "illegal_per_change", &per_change, failed);
    if (c->sleep) {
        double hours = (double)t->transitions * c->sleep->epoch_seconds / 3600;
        sp_value per_hour = {.value = hours > 0 ? (double)t->illegal / hours : 0,
                             .undefined = hours > 0 ? NULL : "no transitions"};
        sp_json_set_value(object, "illegal_per_hour", &per_hour, failed);
    }
    for (int64_t r = 1; r < c->n_recordings; r++)
        worst = s->recordings[r].counts.illegal > s->recordings[worst].counts.illegal ? r : worst;
    if (t->illegal) {
        json_t *one = json_object();
        sp_json_set(one, "id", sp_json_text(c->ids[worst], failed), failed);
        sp_json_set(one, "illegal", json_integer(s->recordings[worst].counts.illegal), failed);
        sp_json_set(object, "worst_recording", one, failed);
    }
}

void sp_json_set_more(json_t *object, const sp_comparison *comparison, const sp_strategy_result *strategy, bool *failed)
{
    const sp_strategy_result *s = strategy;
    set_rates(object, comparison, s, failed);
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
    if (c->has_wake_trim) {
        sp_json_set(root, "wake_trim_minutes", json_real(c->wake_trim_minutes), failed);
        sp_json_set(root, "trimmed_steps", json_integer(c->n_trimmed_steps), failed);
    }
}
