/* Which strategies are compared with which, and the comparisons. */
#include "evaluate/evaluation.h"
#include "evaluate/units.h"
#include "evaluate/value.h"

#include <math.h>

/* Each other strategy against argmax, in order; then, of the rest, each later one against each earlier one. */
sp_status sp_pairs_choose(sp_evaluation *e, sp_error *err)
{
    int32_t n = e->result->n_strategies, count = 0;
    if (!e->options.has_labels || n < 2)
        return SP_OK;
    e->pairs = calloc(SP_MAX_COMPARISONS, sizeof *e->pairs);
    e->only = calloc(SP_MAX_COMPARISONS, sizeof *e->only);
    if (!e->pairs || !e->only)
        return sp_fail(err, SP_ENOMEM, "no memory to compare %d strategies", n);
    for (int32_t a = 0; e->argmax >= 0 && a < n && count < SP_MAX_COMPARISONS; a++)
        if (a != e->argmax) {
            e->pairs[count][0] = a;
            e->pairs[count++][1] = e->argmax;
        }
    for (int32_t a = 1; a < n; a++)
        for (int32_t b = 0; b < a && count < SP_MAX_COMPARISONS; b++)
            if (a != e->argmax && b != e->argmax) {
                e->pairs[count][0] = a;
                e->pairs[count++][1] = b;
            }
    e->n_pairs = count;
    size_t cells = (size_t)e->K * (size_t)e->K;
    e->crossed = e->K <= SP_SYMMETRY_CLASSES ? calloc((size_t)count * cells + 1, sizeof *e->crossed) : NULL;
    if (e->K <= SP_SYMMETRY_CLASSES && !e->crossed)
        return sp_fail(err, SP_ENOMEM, "no memory to compare %d strategies", n);
    return SP_OK;
}

void sp_add_crossed(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths)
{
    size_t K = (size_t)e->K;
    for (int32_t p = 0; e->crossed && p < e->n_pairs; p++) {
        const int32_t *a = paths[e->pairs[p][0]], *b = paths[e->pairs[p][1]];
        int64_t *table = e->crossed + (size_t)p * K * K;
        for (int64_t t = 0; t < r->n_steps; t++)
            if (a[t] >= 0 && b[t] >= 0)
                table[(size_t)a[t] * K + (size_t)b[t]]++;
    }
}

/* Recordings with scored steps, and units made of them, as the tests want them. */
typedef struct paired {
    sp_units units;
    int64_t *scored;          /* [units] */
    int64_t **correct;        /* [n_strategies][units] */
    double *of_recording, *d; /* [N], [units] differences of one pair */
} paired;

static void paired_free(paired *p, int32_t n_strategies)
{
    sp_units_free(&p->units);
    free(p->scored);
    for (int32_t s = 0; p->correct && s < n_strategies; s++)
        free(p->correct[s]);
    free(p->correct);
    free(p->of_recording);
    free(p->d);
}

static sp_status paired_fill(const sp_comparison *c, paired *p, sp_error *err)
{
    sp_status status = sp_units_open(c, true, &p->units, err);
    if (status != SP_OK)
        return status;
    size_t n = (size_t)p->units.n + 1;
    p->scored = calloc(n, sizeof *p->scored);
    p->d = malloc(n * sizeof *p->d);
    p->of_recording = malloc(((size_t)c->n_recordings + 1) * sizeof *p->of_recording);
    p->correct = calloc((size_t)c->n_strategies, sizeof *p->correct);
    bool is_whole = p->scored && p->d && p->of_recording && p->correct;
    for (int32_t s = 0; is_whole && s < c->n_strategies; s++) {
        p->correct[s] = calloc(n, sizeof **p->correct);
        is_whole = p->correct[s] != NULL;
    }
    if (!is_whole)
        return sp_fail(err, SP_ENOMEM, "no memory to compare %lld recordings", (long long)c->n_recordings);
    for (int64_t i = 0; i < c->n_recordings; i++) {
        int64_t u = p->units.of_recording[i];
        if (u < 0)
            continue;
        p->scored[u] += c->scored_steps[i];
        for (int32_t s = 0; s < c->n_strategies; s++)
            p->correct[s][u] += c->strategies[s].recordings[i].correct;
    }
    return SP_OK;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean, median and standard deviation of the differences, which are sorted. */
static void describe(int64_t n, double *d, bool is_subjects, sp_pair_comparison *out)
{
    if (n == 0) {
        out->mean = out->median = out->sd = value_undefined("no scored steps");
        return;
    }
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++)
        sum += d[i];
    double mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += (d[i] - mean) * (d[i] - mean);
    qsort(d, (size_t)n, sizeof *d, ascending);
    out->mean = value_of(mean);
    out->median = value_of((d[(n - 1) / 2] + d[n / 2]) / 2);
    out->sd = n > 1 ? value_of(sqrt(squares / (double)(n - 1))) : value_undefined(is_subjects ? "one subject" : "one recording");
}

/* A difference of accuracies is one division of integers, so that equal differences are equal as doubles and tie. */
static sp_status compare(const sp_evaluation *e, int32_t pair, paired *p, sp_pair_comparison *out, sp_error *err)
{
    int32_t a = e->pairs[pair][0], b = e->pairs[pair][1];
    out->a = a;
    out->b = b;
    out->metric = "accuracy";
    const sp_comparison *c = e->result;
    const sp_recording_result *x = c->strategies[a].recordings, *y = c->strategies[b].recordings;
    for (int64_t i = 0; i < c->n_recordings; i++)
        p->of_recording[i] = c->scored_steps[i] ? (double)(x[i].correct - y[i].correct) / (double)c->scored_steps[i] : NAN;
    int64_t n = p->units.n;
    sp_status status = sp_units_mean(&p->units, p->of_recording, p->d, err);
    if (status == SP_OK)
        status = sp_wilcoxon_signed_rank(n, p->d, e->options.zeros, &out->test, err);
    if (status == SP_OK)
        status = sp_sign_flip_test(n, p->d, &e->options.bootstrap, &out->permutation, err);
    if (status != SP_OK)
        return status;
    describe(n, p->d, p->units.is_subjects, out);
    sp_mcnemar_test(e->only[pair][0], e->only[pair][1], &out->mcnemar);
    sp_mcnemar_cluster_test(n, p->correct[a], p->correct[b], &out->mcnemar_cluster);
    if (!e->crossed) {
        out->bowker = out->stuart_maxwell =
            (sp_chi2){value_undefined("too many classes"), value_undefined("too many classes"), 0};
        return SP_OK;
    }
    const int64_t *table = e->crossed + (size_t)pair * (size_t)e->K * (size_t)e->K;
    sp_bowker_test(e->K, table, &out->bowker);
    return sp_stuart_maxwell_test(e->K, table, &out->stuart_maxwell, err);
}

/* All strategies at once. */
static sp_status compare_several(sp_evaluation *e, paired *p, sp_error *err)
{
    sp_comparison *c = e->result;
    int32_t k = c->n_strategies;
    int64_t n = p->units.n, right[SP_EVALUATION_MAX_STRATEGIES];
    double *values = malloc(((size_t)n * (size_t)k + 1) * sizeof *values);
    c->mean_ranks = n > 0 && k > 2 ? calloc((size_t)k, sizeof *c->mean_ranks) : NULL;
    if (!values || (n > 0 && k > 2 && !c->mean_ranks)) {
        free(values);
        return sp_fail(err, SP_ENOMEM, "no memory to compare %d strategies", k);
    }
    sp_status status = SP_OK;
    for (int32_t s = 0; status == SP_OK && s < k; s++) {
        for (int64_t i = 0; i < c->n_recordings; i++)
            p->of_recording[i] =
                c->scored_steps[i] ? (double)c->strategies[s].recordings[i].correct / (double)c->scored_steps[i] : NAN;
        status = sp_units_mean(&p->units, p->of_recording, p->d, err);
        for (int64_t u = 0; status == SP_OK && u < n; u++)
            values[u * k + s] = p->d[u];
        right[s] = c->strategies[s].agreement.correct;
    }
    if (status == SP_OK)
        status = sp_friedman_test(n, k, values, c->mean_ranks, &c->friedman, err);
    if (status == SP_OK)
        sp_cochran_test(k, right, e->right_sum, e->right_squares, &c->cochran);
    free(values);
    return status;
}

/* Intervals from one set of draws, and p-values adjusted for their number. */
static sp_status compare_together(const sp_evaluation *e, const paired *p, sp_pair_comparison *out, sp_error *err)
{
    sp_difference differences[SP_MAX_COMPARISONS];
    sp_value values[SP_MAX_COMPARISONS];
    sp_status status = sp_bootstrap_accuracies_threads(p->units.n, e->result->n_strategies, (const int64_t *const *)p->correct,
                                                       p->scored, e->n_pairs, (const int32_t(*)[2])e->pairs,
                                                       &e->options.bootstrap, e->workers, differences, err);
    if (status == SP_OK)
        sp_units_reason(&p->units, e->n_pairs, differences);
    for (int32_t i = 0; i < e->n_pairs; i++)
        values[i] = out[i].test.p;
    if (status == SP_OK)
        status = sp_holm_adjust(e->n_pairs, values, values, err);
    for (int32_t i = 0; status == SP_OK && i < e->n_pairs; i++) {
        out[i].difference = differences[i];
        out[i].p_holm = values[i];
    }
    return status;
}

sp_status sp_pairs_compare(sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    sp_value few = value_undefined("fewer than three strategies");
    c->friedman = c->cochran = (sp_chi2){few, few, 0};
    if (e->n_pairs == 0)
        return SP_OK;
    c->comparisons = calloc((size_t)e->n_pairs, sizeof *c->comparisons);
    if (!c->comparisons)
        return sp_fail(err, SP_ENOMEM, "no memory to compare %d pairs of strategies", e->n_pairs);
    c->n_comparisons = e->n_pairs;
    paired p = {0};
    sp_status status = paired_fill(c, &p, err);
    for (int32_t i = 0; status == SP_OK && i < e->n_pairs; i++)
        status = compare(e, i, &p, &c->comparisons[i], err);
    if (status == SP_OK)
        status = compare_together(e, &p, c->comparisons, err);
    if (status == SP_OK)
        status = compare_several(e, &p, err);
    paired_free(&p, c->n_strategies);
    return status;
}
