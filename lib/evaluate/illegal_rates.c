/* Rates of illegal transitions: their intervals, and their differences with intervals and sign-flip tests. */
#include "evaluate/metric_pairs.h"
#include "evaluate/value.h"

#include <math.h>
#include <stdlib.h>

static const char too_long[] = "a recording of more than 4,294,967,295 steps", no_transitions[] = "no transitions";

static double rate(const int64_t *sums, int32_t s)
{
    const int64_t *of = sums + (size_t)2 * (size_t)s;
    return of[1] ? (double)of[0] / (double)of[1] : NAN;
}

/* Illegal rates of all strategies, then the differences of all pairs. Sums: illegal, transitions by strategy. */
static void illegal_rates(const void *arg, const int64_t *sums, double *values)
{
    const sp_evaluation *e = arg;
    int32_t S = e->result->n_strategies;
    for (int32_t s = 0; s < S; s++)
        values[s] = rate(sums, s);
    for (int32_t p = 0; p < e->n_pairs; p++)
        values[S + p] = values[e->pairs[p][0]] - values[e->pairs[p][1]];
}

/* Illegal transitions and transitions of every recording as clusters; false: no memory. Arrays are the caller's to free. */
static bool fill_illegal(const sp_comparison *c, sp_clusters *out, int64_t **offsets, uint32_t **slots, uint32_t **counts)
{
    size_t N = (size_t)c->n_recordings, width = 2 * (size_t)c->n_strategies;
    *offsets = malloc((N + 1) * sizeof **offsets);
    *slots = malloc((N * width + 1) * sizeof **slots);
    *counts = malloc((N * width + 1) * sizeof **counts);
    if (!*offsets || !*slots || !*counts)
        return false;
    int64_t n = 0;
    (*offsets)[0] = 0;
    for (size_t r = 0; r < N; r++) {
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_transition_counts *t = &c->strategies[s].recordings[r].counts;
            const int64_t pair[2] = {t->illegal, t->transitions};
            for (int i = 0; i < 2; i++)
                if (pair[i]) {
                    (*slots)[n] = (uint32_t)(2 * s + i);
                    (*counts)[n++] = (uint32_t)pair[i];
                }
        }
        (*offsets)[r + 1] = n;
    }
    *out = (sp_clusters){.n = c->n_recordings, .width = (int32_t)width, .offsets = *offsets, .slots = *slots, .counts = *counts};
    return true;
}

static double recording_rate(const sp_strategy_result *s, int64_t r)
{
    const sp_transition_counts *t = &s->recordings[r].counts;
    return t->transitions ? (double)t->illegal / (double)t->transitions : NAN;
}

static sp_status compare_illegal(sp_evaluation *e, const sp_units *units, const sp_difference *differences, sp_error *err)
{
    sp_comparison *c = e->result;
    sp_status status = SP_OK;
    double *rates = malloc((size_t)(c->n_recordings + 1) * sizeof *rates), *d = malloc((size_t)(units->n + 1) * sizeof *d);
    if (!rates || !d)
        status = sp_fail(err, SP_ENOMEM, "no memory to compare the illegal rates of recordings");
    for (int32_t p = 0; status == SP_OK && p < e->n_pairs; p++) {
        const sp_strategy_result *a = &c->strategies[e->pairs[p][0]], *b = &c->strategies[e->pairs[p][1]];
        if (a->is_legal_by_construction || b->is_legal_by_construction || a->counts.illegal + b->counts.illegal == 0)
            continue;
        for (int64_t r = 0; r < c->n_recordings; r++)
            rates[r] = recording_rate(a, r) - recording_rate(b, r);
        status = sp_units_mean(units, rates, d, err);
        if (status != SP_OK)
            break;
        sp_pair_comparison *out = sp_metric_append(e, p, sp_metric_illegal, &differences[p]);
        sp_metric_describe(out, units->n, d, units->is_subjects);
        status = sp_sign_flip_test(out->test.better + out->test.worse + out->test.ties, d, &e->options.bootstrap,
                                   &out->permutation, err);
    }
    free(rates);
    free(d);
    return status;
}

static void rates_without_interval(sp_comparison *c)
{
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_transition_counts *t = &c->strategies[s].counts;
        c->strategies[s].illegal_rate = (sp_difference){
            .difference = value_ratio((double)t->illegal, (double)t->transitions, no_transitions), .n = c->n_recordings};
        sp_intervals_none(too_long, &c->strategies[s].illegal_rate);
    }
}

/* A rate that is 0 by construction, or that nobody saw above 0, has no interval: the bootstrap would give 0 to 0. */
static void finish_rates(sp_comparison *c, const sp_difference *rates)
{
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_strategy_result *strategy = &c->strategies[s];
        strategy->illegal_rate = rates[s];
        const char *reason = strategy->is_legal_by_construction && !strategy->counts.illegal ? "0 by construction"
                             : !strategy->counts.illegal                                     ? "no illegal transition"
                                                                                             : NULL;
        if (reason && !rates[s].difference.undefined)
            sp_intervals_none(reason, &strategy->illegal_rate);
    }
}

sp_status sp_illegal_compare(sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    for (int64_t r = 0; r < c->n_recordings; r++)
        if (c->steps[r] > UINT32_MAX) { /* more than a count of a cluster holds */
            rates_without_interval(c);
            return SP_OK;
        }
    sp_difference out[SP_EVALUATION_MAX_STRATEGIES + SP_MAX_COMPARISONS];
    sp_clusters clusters = {0};
    sp_statistics statistics = {
        .n = c->n_strategies + e->n_pairs, .compute = illegal_rates, .arg = e, .undefined = no_transitions};
    int64_t *offsets = NULL;
    uint32_t *slots = NULL, *counts = NULL;
    sp_units units = {0};
    sp_status status = sp_units_open(c, false, &units, err);
    if (status == SP_OK && !fill_illegal(c, &clusters, &offsets, &slots, &counts))
        status = sp_fail(err, SP_ENOMEM, "no memory for the illegal rates of %lld recordings", (long long)c->n_recordings);
    if (status == SP_OK)
        status = sp_metric_bootstrap(e, &units, &clusters, &statistics, out, err);
    free(offsets);
    free(slots);
    free(counts);
    if (status == SP_OK)
        finish_rates(c, out);
    if (status == SP_OK && e->n_pairs)
        status = compare_illegal(e, &units, out + c->n_strategies, err);
    sp_units_free(&units);
    return status;
}
