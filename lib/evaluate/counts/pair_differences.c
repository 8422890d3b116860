/* Comparisons by figures that have an interval and at most one test: kappa, macro F1, what the kind of work adds, illegal rate.
 * Figures of one kind are counted in the same rows, so that one bootstrap serves all of them and all pairs. */
#include "evaluate/counts/pairs.h"

#include "core/owned.h"
#include "core/try.h"
#include "evaluate/compared.h"
#include "evaluate/statistics/hypothesis_tests.h"
#include "evaluate/statistics/intervals.h"
#include "evaluate/value.h"

#include <math.h>

enum { MOST_METRICS = 8 }; /* of one kind */

/* Metrics that are counted from the same rows: slot 2 (i S + s) has the numerator of metric i of strategy s, the next one the
 * denominator; margins as in margins.h. */
typedef struct kind {
    const sp_evaluation *e;
    sp_compared_from from;
    int32_t n;
    const sp_figure *metrics[MOST_METRICS];
} kind;

static kind kind_of(const sp_evaluation *e, sp_compared_from from)
{
    const sp_figures all = sp_figures_of(SP_OF_STRATEGY);
    kind k = {.e = e, .from = from};
    for (size_t i = 0; i < all.n; i++) {
        const sp_compared *how = all.list[i].compared;
        const bool is_wanted = how && how->from == from && (!how->works || how->works >> e->options.work & 1);
        if (is_wanted && !(e->options.work == SP_WORK_TAGS && how->works && !e->result->has_entities))
            k.metrics[k.n++] = &all.list[i];
    }
    return k;
}

/* ---- what whole sequences add ---- */

sp_status sp_add_sequences(sp_evaluation *e, sp_error *err)
{
    const int32_t S = e->result->n_strategies;
    const kind k = kind_of(e, SP_FROM_SHARES);
    bool is_whole = true;
    if (k.n == 0 || e->n_pairs == 0 || e->scored == 0)
        return SP_OK;
    for (int32_t i = 0; is_whole && i < k.n; i++)
        for (int32_t s = 0; is_whole && s < S; s++) {
            const sp_share x = k.metrics[i]->compared->share(e, s);
            const uint32_t slot = (uint32_t)(2 * (i * S + s));
            is_whole = sp_count_rows_add(&e->sequence_rows, slot, x.of) &&
                       sp_count_rows_add(&e->sequence_rows, slot + 1, x.all);
        }
    return is_whole && sp_count_rows_end(&e->sequence_rows) ? SP_OK : sp_no_memory(err);
}

/* Illegal transitions and transitions of every recording; false: no memory. */
static bool fill_transitions(const sp_comparison *c, sp_count_rows *rows)
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

/* ---- from sums to differences ---- */

/* Metrics of strategy s. */
static void values_of(const kind *k, const int64_t *sums, int32_t s, double values[MOST_METRICS])
{
    double of_margins[SP_N_MARGIN_FIGURES];
    if (k->from == SP_FROM_MARGINS)
        sp_margin_figures(k->e, sums, s, of_margins);
    for (int32_t i = 0; i < k->n; i++) {
        const int64_t *x = sums + (size_t)2 * (size_t)(i * k->e->result->n_strategies + s);
        values[i] = k->from == SP_FROM_MARGINS ? of_margins[k->metrics[i]->compared->which]
                    : x[1]                     ? (double)x[0] / (double)x[1]
                                               : NAN;
    }
}

/* Of transitions the strategies' own rates stand before the differences. */
static int32_t n_rates(const kind *k)
{
    return k->from == SP_FROM_TRANSITIONS ? k->e->result->n_strategies : 0;
}

/* Differences of every pair, metric after metric. */
static void differences_of(const void *arg, const int64_t *sums, double *values)
{
    const kind *k = arg;
    const sp_evaluation *e = k->e;
    double each[SP_EVALUATION_MAX_STRATEGIES][MOST_METRICS];
    for (int32_t s = 0; s < e->result->n_strategies; s++)
        values_of(k, sums, s, each[s]);
    for (int32_t s = 0; s < n_rates(k); s++)
        *values++ = each[s][0];
    for (int32_t i = 0; i < k->n; i++)
        for (int32_t p = 0; p < e->n_pairs; p++)
            *values++ = each[e->pairs[p][0]][i] - each[e->pairs[p][1]][i];
}

/* The same of one recording each, [n][N]; NaN where undefined, or the recording takes no part. sums [width], all 0. */
static void recording_differences(const kind *k, const sp_units *units, const sp_clusters *rows,
                                  int64_t *sums, double *differences)
{
    double values[SP_EVALUATION_MAX_STRATEGIES + MOST_METRICS * SP_MAX_COMPARISONS];
    const int32_t n = n_rates(k) + k->n * k->e->n_pairs;
    for (int64_t r = 0, row = 0; r < units->n_recordings; r++) {
        const bool takes_part = units->of_recording[r] >= 0;
        if (takes_part) {
            for (int64_t j = rows->offsets[row]; j < rows->offsets[row + 1]; j++)
                sums[rows->slots[j]] += rows->counts[j];
            differences_of(k, sums, values);
            for (int64_t j = rows->offsets[row]; j < rows->offsets[row + 1]; j++)
                sums[rows->slots[j]] = 0;
            row++;
        }
        for (int32_t v = 0; v < n; v++)
            differences[v * units->n_recordings + r] = takes_part ? values[v] : NAN;
    }
}

/* ---- comparisons ---- */

/* Neither strategy can break a rule, or neither did: there is nothing to compare. */
static bool is_zero(const sp_comparison *c, const int32_t pair[2])
{
    const sp_strategy_result *a = &c->strategies[pair[0]], *b = &c->strategies[pair[1]];
    return a->is_legal_by_construction || b->is_legal_by_construction ||
           a->counts.illegal + b->counts.illegal == 0;
}

/* One more comparison, for which the result has room. of_recording [N]; d [units] room. */
static sp_status append(sp_evaluation *e, const sp_figure *metric, int32_t pair,
                        const sp_difference *difference, const sp_units *units, const double *of_recording,
                        double *d, sp_error *err)
{
    sp_comparison *c = e->result;
    const sp_value none = value_undefined("only accuracy is tested");
    sp_status status = SP_OK;
    TRY(sp_units_mean(units, of_recording, d, err));
    sp_pair_comparison *out = &c->comparisons[c->n_comparisons++];
    *out = (sp_pair_comparison){
        .a = e->pairs[pair][0], .b = e->pairs[pair][1], .metric = metric->key, .difference = *difference};
    sp_mcnemar_test(0, 0, &out->mcnemar);
    out->test.p = out->test.p_least = out->test.rank_biserial = out->p_holm = out->permutation.p = none;
    out->mcnemar_cluster = out->bowker = out->stuart_maxwell = (sp_chi2){none, none, 0};
    const double sign = metric->tone == SP_MORE_IS_BETTER ? 1 : -1;
    const int64_t n = sp_units_describe(units, d, "defined in no recording", out);
    for (int64_t i = 0; i < n; i++) {
        out->test.better += sign * d[i] > 0;
        out->test.worse += sign * d[i] < 0;
        out->test.ties += d[i] == 0;
    }
    if (metric->compared->tests == SP_SIGN_FLIPS)
        TRY(sp_sign_flip_test(n, d, &e->options.bootstrap, &out->permutation, err));
done:
    return status;
}

/* A rate that is 0 by construction, or that nobody saw above 0, has no interval: the bootstrap would give 0 to 0. */
static void finish_rates(sp_comparison *c, const sp_difference *rates)
{
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_strategy_result *strategy = &c->strategies[s];
        strategy->illegal_rate = rates[s];
        if (!strategy->counts.illegal && !rates[s].difference.undefined)
            sp_intervals_none(strategy->is_legal_by_construction ? "0 by construction"
                                                                 : "no illegal transition",
                              &strategy->illegal_rate);
    }
}

static sp_status compare_by(sp_evaluation *e, const kind *k, const sp_count_rows *counts, int32_t width,
                            sp_error *err)
{
    const int32_t rates = n_rates(k), n = rates + k->n * e->n_pairs;
    const bool has_rates = rates > 0;
    const sp_statistics statistics = {.n = n,
                                      .n_shares = rates,
                                      .most = k->from == SP_FROM_MARGINS ? 2 : 1,
                                      .compute = differences_of,
                                      .arg = k,
                                      .undefined = has_rates ? "no transitions"
                                                             : "undefined for one of the strategies"};
    const sp_clusters rows = sp_count_rows_view(counts, width);
    const size_t N = (size_t)e->result->n_recordings;
    sp_difference out[SP_EVALUATION_MAX_STRATEGIES + MOST_METRICS * SP_MAX_COMPARISONS];
    sp_status status = SP_OK;
    sp_units units = {0};
    sp_owned own = {0};
    double *differences = sp_zeros(&own, (size_t)n * N, sizeof *differences),
           *d = sp_zeros(&own, N, sizeof *d);
    int64_t *sums = sp_zeros(&own, (size_t)width, sizeof *sums);
    TRY(sp_owned_status(&own, err));
    TRY(sp_units_open(e->result, !has_rates, &units, err));
    TRY(sp_units_bootstrap(&units, &rows, &statistics, &e->options.bootstrap, e->workers, out, err));
    if (has_rates)
        finish_rates(e->result, out);
    recording_differences(k, &units, &rows, sums, differences);
    for (int32_t v = rates; v < n; v++) {
        const int32_t pair = (v - rates) % e->n_pairs;
        if (!has_rates || !is_zero(e->result, e->pairs[pair]))
            TRY(append(e, k->metrics[(v - rates) / e->n_pairs], pair, &out[v], &units,
                       differences + (size_t)v * N, d, err));
    }
done:
    sp_units_free(&units);
    sp_owned_free(&own);
    return status;
}

sp_status sp_differences_compare(sp_evaluation *e, sp_error *err)
{
    const int32_t S = e->result->n_strategies;
    const kind margins = kind_of(e, SP_FROM_MARGINS), shares = kind_of(e, SP_FROM_SHARES);
    const kind transitions = kind_of(e, SP_FROM_TRANSITIONS);
    sp_count_rows rows = {0};
    sp_status status = SP_OK;
    if (e->n_pairs)
        e->result->other_metrics_left_out = e->margins.left_out;
    if (e->n_pairs && !e->margins.left_out && e->margins.rows.n)
        TRY(compare_by(e, &margins, &e->margins.rows, sp_margins_width(e), err));
    if (e->n_pairs && shares.n && e->sequence_rows.n)
        TRY(compare_by(e, &shares, &e->sequence_rows, 2 * shares.n * S, err));
    if (S && !fill_transitions(e->result, &rows))
        TRY(sp_no_memory(err));
    if (S)
        TRY(compare_by(e, &transitions, &rows, 2 * S, err));
done:
    sp_count_rows_free(&rows);
    return status;
}
