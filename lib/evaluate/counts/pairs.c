/* Which strategies are compared with which, and the comparisons. */
#include "evaluate/counts/pairs.h"
#include "core/owned.h"
#include "core/try.h"
#include "evaluate/compared.h"
#include "evaluate/statistics/hypothesis_tests.h"
#include "evaluate/value.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- which are compared ---- */

static void choose(sp_evaluation *e, int32_t a, int32_t b)
{
    if (e->n_pairs == SP_MAX_COMPARISONS)
        return;
    e->pairs[e->n_pairs][0] = a;
    e->pairs[e->n_pairs++][1] = b;
}

/* Within a classifier: each other strategy against argmax, in order; then, of the rest, each later one against each earlier one.
 */
static void choose_within(sp_evaluation *e, int32_t classifier)
{
    const sp_strategy_result *all = e->result->strategies;
    const int32_t n = e->result->n_strategies;
    for (int32_t a = 0; a < n; a++)
        if (all[a].classifier == classifier && all[a].argmax >= 0 && a != all[a].argmax)
            choose(e, a, all[a].argmax);
    for (int32_t a = 1; a < n; a++)
        for (int32_t b = 0; b < a; b++)
            if (all[a].classifier == classifier && all[b].classifier == classifier && a != all[a].argmax &&
                b != all[b].argmax)
                choose(e, a, b);
}

static const char *own_name(const sp_comparison *c, int32_t s)
{
    const int32_t classifier = c->strategies[s].classifier;
    return sp_own_name(c->strategies[s].name, classifier ? c->against[classifier - 1].name : NULL);
}

/* Across classifiers, an earlier one's strategies against a later one's: those of one name, or of two. */
static void choose_across(sp_evaluation *e, bool of_one_name)
{
    const sp_comparison *c = e->result;
    for (int32_t a = 0; a < c->n_strategies; a++)
        for (int32_t b = a + 1; b < c->n_strategies; b++)
            if (c->strategies[a].classifier != c->strategies[b].classifier &&
                (strcmp(own_name(c, a), own_name(c, b)) == 0) == of_one_name)
                choose(e, a, b);
}

sp_status sp_pairs_choose(sp_evaluation *e, sp_error *err)
{
    if (!e->options.has_labels || e->result->n_strategies < 2)
        return SP_OK;
    e->pairs = sp_zeros(&e->own, SP_MAX_COMPARISONS, sizeof *e->pairs);
    e->mcnemar_counts = sp_zeros(&e->own, SP_MAX_COMPARISONS, sizeof *e->mcnemar_counts);
    if (!e->mcnemar_counts)
        return sp_no_memory(err);
    choose_across(e, true);
    for (int32_t i = 0; i <= e->result->n_against; i++)
        choose_within(e, i);
    choose_across(e, false);
    size_t cells = (size_t)e->K * (size_t)e->K;
    if (e->K <= SP_SYMMETRY_CLASSES)
        e->contingency = sp_zeros(&e->own, (size_t)e->n_pairs * cells, sizeof *e->contingency);
    return sp_owned_status(&e->own, err);
}

/* Of n steps from t on: how many strategies have them right, and of each pair who does. */
static void add_right(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths, int64_t t,
                      int64_t n)
{
    const int32_t S = e->result->n_strategies, label = r->labels[t];
    int64_t count = 0;
    for (int32_t s = 0; label >= 0 && s < S; s++)
        count += paths[s][t] == label;
    e->right_sum += (double)(n * count);
    e->right_squares += (double)(n * count * count);
    for (int32_t p = 0; count > 0 && count < S && p < e->n_pairs; p++) {
        const bool a = paths[e->pairs[p][0]][t] == label, b = paths[e->pairs[p][1]][t] == label;
        e->mcnemar_counts[p][0] += a && !b ? n : 0;
        e->mcnemar_counts[p][1] += b && !a ? n : 0;
    }
}

void sp_add_pairs(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths)
{
    const size_t K = (size_t)e->K;
    for (sp_stretch at = sp_walk(r, r->labels, NULL); sp_stretch_next(&at);)
        add_right(e, r, paths, at.first, at.end - at.first);
    for (int32_t p = 0; e->contingency && p < e->n_pairs; p++) {
        const int32_t *a = paths[e->pairs[p][0]], *b = paths[e->pairs[p][1]];
        int64_t *table = e->contingency + (size_t)p * K * K;
        for (sp_stretch at = sp_walk(r, a, b); sp_stretch_next(&at);)
            if (a[at.first] >= 0 && b[at.first] >= 0)
                table[(size_t)a[at.first] * K + (size_t)b[at.first]] += at.end - at.first;
    }
}

/* Recordings with scored steps, and units made of them, as the tests want them. */
typedef struct paired {
    sp_owned own;
    sp_units units;
    int64_t *scored;          /* [units] */
    int64_t **correct;        /* [n_strategies][units] */
    double *of_recording, *d; /* [N], [units] differences of one pair */
} paired;

static sp_status paired_fill(const sp_comparison *c, paired *p, sp_error *err)
{
    sp_status status = SP_OK;
    TRY(sp_units_open(c, true, &p->units, err));
    const size_t n = (size_t)p->units.n;
    p->scored = sp_zeros(&p->own, n, sizeof *p->scored);
    p->d = sp_zeros(&p->own, n, sizeof *p->d);
    p->of_recording = sp_zeros(&p->own, (size_t)c->n_recordings, sizeof *p->of_recording);
    p->correct = sp_zeros(&p->own, (size_t)c->n_strategies, sizeof(int64_t *));
    for (int32_t s = 0; p->correct && s < c->n_strategies; s++)
        p->correct[s] = sp_zeros(&p->own, n, sizeof **p->correct);
    TRY(sp_owned_status(&p->own, err));
    for (int64_t i = 0; i < c->n_recordings; i++) {
        int64_t u = p->units.of_recording[i];
        if (u < 0)
            continue;
        p->scored[u] += c->scored_steps[i];
        for (int32_t s = 0; s < c->n_strategies; s++)
            p->correct[s][u] += c->strategies[s].recordings[i].correct;
    }
done:
    return status;
}

/* A difference of accuracies is one division of integers, so that equal differences are equal as doubles and tie. */
static sp_status compare(const sp_evaluation *e, int32_t pair, const sp_figure *tested, paired *p,
                         sp_pair_comparison *out, sp_error *err)
{
    int32_t a = e->pairs[pair][0], b = e->pairs[pair][1];
    out->a = a;
    out->b = b;
    out->metric = tested->key;
    const sp_comparison *c = e->result;
    const sp_recording_result *x = c->strategies[a].recordings, *y = c->strategies[b].recordings;
    for (int64_t i = 0; i < c->n_recordings; i++)
        p->of_recording[i] =
            c->scored_steps[i] ? (double)(x[i].correct - y[i].correct) / (double)c->scored_steps[i] : NAN;
    int64_t n = p->units.n;
    sp_status status = SP_OK;
    TRY(sp_units_mean(&p->units, p->of_recording, p->d, err));
    TRY(sp_wilcoxon_signed_rank(n, p->d, SP_ZEROS_WILCOX, &out->test, err));
    TRY(sp_sign_flip_test(n, p->d, &e->options.bootstrap, &out->permutation, err));
    sp_units_describe(&p->units, p->d, "no scored steps", out);
    sp_mcnemar_test(e->mcnemar_counts[pair][0], e->mcnemar_counts[pair][1], &out->mcnemar);
    sp_mcnemar_cluster_test(n, p->correct[a], p->correct[b], &out->mcnemar_cluster);
    if (!e->contingency) {
        out->bowker = out->stuart_maxwell =
            (sp_chi2){value_undefined("too many classes"), value_undefined("too many classes"), 0};
        return SP_OK;
    }
    const int64_t *table = e->contingency + (size_t)pair * (size_t)e->K * (size_t)e->K;
    sp_bowker_test(e->K, table, &out->bowker);
    TRY(sp_stuart_maxwell_test(e->K, table, &out->stuart_maxwell, err));
done:
    return status;
}

/* All strategies at once. */
static sp_status compare_several(sp_evaluation *e, paired *p, sp_error *err)
{
    sp_comparison *c = e->result;
    int32_t k = c->n_strategies;
    int64_t n = p->units.n, right[SP_EVALUATION_MAX_STRATEGIES];
    double *values = sp_zeros(&p->own, (size_t)n * (size_t)k, sizeof *values);
    bool is_ranked = n > 0 && k > 2;
    c->mean_ranks = is_ranked ? calloc((size_t)k, sizeof *c->mean_ranks) : NULL;
    if (!values || (is_ranked && !c->mean_ranks))
        return sp_no_memory(err);
    sp_status status = SP_OK;
    for (int32_t s = 0; s < k; s++) {
        for (int64_t i = 0; i < c->n_recordings; i++)
            p->of_recording[i] = c->scored_steps[i] ? (double)c->strategies[s].recordings[i].correct /
                                                          (double)c->scored_steps[i]
                                                    : NAN;
        TRY(sp_units_mean(&p->units, p->of_recording, p->d, err));
        for (int64_t u = 0; u < n; u++)
            values[u * k + s] = p->d[u];
        right[s] = c->strategies[s].agreement.correct;
    }
    TRY(sp_friedman_test(n, k, values, c->mean_ranks, &c->friedman, err));
    sp_cochran_test(k, right, e->right_sum, e->right_squares, &c->cochran);
done:
    return status;
}

/* Intervals from one set of draws, and p-values adjusted for their number. */
static sp_status compare_together(const sp_evaluation *e, const paired *p, sp_pair_comparison *out,
                                  sp_error *err)
{
    sp_difference differences[SP_MAX_COMPARISONS];
    sp_value values[SP_MAX_COMPARISONS];
    sp_status status = SP_OK;
    TRY(sp_bootstrap_accuracies(p->units.n, e->result->n_strategies, (const int64_t *const *)p->correct,
                                p->scored, e->n_pairs, (const int32_t(*)[2])e->pairs, &e->options.bootstrap,
                                e->workers, differences, err));
    sp_units_reason(&p->units, e->n_pairs, differences);
    for (int32_t i = 0; i < e->n_pairs; i++)
        values[i] = out[i].test.p;
    TRY(sp_holm_adjust(e->n_pairs, values, values, err));
    for (int32_t i = 0; i < e->n_pairs; i++) {
        out[i].difference = differences[i];
        out[i].p_holm = values[i];
    }
done:
    return status;
}

sp_status sp_pairs_compare(sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    sp_value few = value_undefined("fewer than three strategies");
    c->friedman = c->cochran = (sp_chi2){few, few, 0};
    paired p = {.scored = NULL};
    sp_status status = SP_OK;
    if (e->n_pairs > 0) {
        const sp_figures all = sp_figures_of(SP_OF_STRATEGY);
        const sp_figure *tested = NULL;
        size_t n_metrics = 0;
        for (size_t i = 0; i < all.n; i++) {
            n_metrics += all.list[i].compared != NULL;
            if (all.list[i].compared && all.list[i].compared->from == SP_FROM_RIGHT_STEPS)
                tested = &all.list[i];
        }
        assert(tested); /* accuracy */
        c->comparisons = calloc(n_metrics * (size_t)e->n_pairs, sizeof *c->comparisons);
        if (!c->comparisons)
            TRY(sp_no_memory(err));
        c->n_comparisons = e->n_pairs;
        TRY(paired_fill(c, &p, err));
        for (int32_t i = 0; i < e->n_pairs; i++)
            TRY(compare(e, i, tested, &p, &c->comparisons[i], err));
        TRY(compare_together(e, &p, c->comparisons, err));
        TRY(compare_several(e, &p, err));
    }
    TRY(sp_differences_compare(e, err));
done:
    sp_units_free(&p.units);
    sp_owned_free(&p.own);
    return status;
}
