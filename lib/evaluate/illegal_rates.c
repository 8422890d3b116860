/* Rates of illegal transitions: their intervals, and their differences with intervals and sign-flip tests. */
#include "core/owned.h"
#include "evaluate/pairs.h"
#include "evaluate/value.h"

#include <math.h>

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

/* Illegal transitions and transitions of every recording; false: no memory. */
static bool fill_rows(const sp_comparison *c, sp_count_rows *rows)
{
    bool is_whole = true;
    for (int64_t r = 0; is_whole && r < c->n_recordings; r++) {
        for (int32_t s = 0; is_whole && s < c->n_strategies; s++) {
            const sp_transition_counts *t = &c->strategies[s].recordings[r].counts;
            is_whole = sp_count_rows_add(rows, (uint32_t)(2 * s), t->illegal) &&
                       sp_count_rows_add(rows, (uint32_t)(2 * s + 1), t->transitions);
        }
        is_whole = is_whole && sp_count_rows_end(rows);
    }
    return is_whole;
}

static double recording_rate(const sp_strategy_result *s, int64_t r)
{
    const sp_transition_counts *t = &s->recordings[r].counts;
    return t->transitions ? (double)t->illegal / (double)t->transitions : NAN;
}

static sp_status compare_illegal(sp_evaluation *e, const sp_units *units, const sp_difference *differences, sp_error *err)
{
    sp_comparison *c = e->result;
    sp_owned own = {0};
    double *rates = sp_zeros(&own, (size_t)c->n_recordings, sizeof *rates), *d = sp_zeros(&own, (size_t)units->n, sizeof *d);
    sp_status status = sp_owned_status(&own, err);
    for (int32_t p = 0; status == SP_OK && p < e->n_pairs; p++) {
        const sp_strategy_result *a = &c->strategies[e->pairs[p][0]], *b = &c->strategies[e->pairs[p][1]];
        if (a->is_legal_by_construction || b->is_legal_by_construction || a->counts.illegal + b->counts.illegal == 0)
            continue;
        for (int64_t r = 0; r < c->n_recordings; r++)
            rates[r] = recording_rate(a, r) - recording_rate(b, r);
        sp_pair_comparison *out = sp_pair_append(e, p, sp_metric_illegal, &differences[p], units, rates, d, err);
        status = !out ? SP_ENOMEM
                      : sp_sign_flip_test(out->test.better + out->test.worse + out->test.ties, d, &e->options.bootstrap,
                                          &out->permutation, err);
    }
    sp_owned_free(&own);
    return status;
}

/* A rate that is 0 by construction, or that nobody saw above 0, has no interval: the bootstrap would give 0 to 0. */
static void finish_rates(sp_comparison *c, const sp_difference *rates)
{
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_strategy_result *strategy = &c->strategies[s];
        strategy->illegal_rate = rates[s];
        if (!strategy->counts.illegal && !rates[s].difference.undefined)
            sp_intervals_none(strategy->is_legal_by_construction ? "0 by construction" : "no illegal transition",
                              &strategy->illegal_rate);
    }
}

sp_status sp_illegal_compare(sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    sp_difference out[SP_EVALUATION_MAX_STRATEGIES + SP_MAX_COMPARISONS];
    sp_statistics statistics = {
        .n = c->n_strategies + e->n_pairs, .compute = illegal_rates, .arg = e, .undefined = "no transitions"};
    sp_count_rows rows = {0};
    sp_units units = {0};
    sp_status status = sp_units_open(c, false, &units, err);
    if (status == SP_OK && !fill_rows(c, &rows))
        status = sp_no_memory(err);
    sp_clusters clusters = sp_count_rows_view(&rows, 2 * c->n_strategies);
    if (status == SP_OK)
        status = sp_units_bootstrap(&units, &clusters, &statistics, &e->options.bootstrap, e->workers, out, err);
    if (status == SP_OK)
        finish_rates(c, out);
    if (status == SP_OK && e->n_pairs)
        status = compare_illegal(e, &units, out + c->n_strategies, err);
    sp_count_rows_free(&rows);
    sp_units_free(&units);
    return status;
}
