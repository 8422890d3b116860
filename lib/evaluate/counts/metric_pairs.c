/* Margins of each recording's confusion matrices and its kappa; comparisons by kappa and macro F1 that are made of them, and by
 * the rate of illegal transitions. */
#include "evaluate/counts/pairs.h"

#include "core/owned.h"
#include "evaluate/counts/margins.h"
#include "evaluate/evaluate.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

void sp_margins_free(sp_margins *margins)
{
    sp_count_rows_free(&margins->rows);
    free(margins->row);
    free(margins->touched);
}

void sp_margins_leave_out(sp_margins *margins)
{
    sp_count_rows_free(&margins->rows);
    margins->left_out = "too many recordings and classes for intervals of kappa and macro F1";
}

/* ---- counting ---- */

static int32_t width_of(const sp_evaluation *e)
{
    return e->K * (1 + 2 * e->result->n_strategies);
}

/* Counts a step of the recording at hand. */
static void count(sp_margins *margins, int32_t slot)
{
    if (margins->row[slot]++ == 0)
        margins->touched[margins->n_touched++] = (uint32_t)slot;
}

/* Kappa of the recording at hand. Only classes that its reference has are visited. */
static sp_value recording_kappa(const sp_margins *m, int32_t K, int32_t s, const sp_recording_result *result)
{
    const int64_t *reference = m->row, *decoded = m->row + (size_t)K * (size_t)(2 + 2 * s);
    double chance = 0;
    bool is_single = false;
    for (int64_t i = 0; i < m->n_touched; i++) {
        uint32_t k = m->touched[i];
        if (k >= (uint32_t)K)
            continue;
        is_single |= reference[k] == result->scored && decoded[k] == result->scored;
        chance += (double)reference[k] * (double)decoded[k];
    }
    if (result->scored == 0 || is_single)
        return value_undefined(is_single ? "one class only" : "no scored steps");
    double n = (double)result->scored, po = (double)result->correct / n, pe = chance / n / n;
    return value_of((po - pe) / (1 - pe));
}

static sp_status open_row(sp_evaluation *e, sp_error *err)
{
    sp_margins *m = &e->margins;
    if (!m->row) {
        m->row = calloc((size_t)width_of(e), sizeof *m->row);
        m->touched = calloc((size_t)width_of(e), sizeof *m->touched);
    }
    return m->row && m->touched ? SP_OK : sp_no_memory(err);
}

sp_status sp_add_margins(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths, sp_error *err)
{
    sp_margins *m = &e->margins;
    int32_t K = e->K;
    sp_status status = r->labels ? open_row(e, err) : SP_OK;
    if (!r->labels || status != SP_OK)
        return status;
    for (int64_t t = 0; t < r->n_steps; t++) {
        int32_t label = r->labels[t];
        if (label < 0)
            continue;
        count(m, label);
        for (int32_t s = 0; s < e->result->n_strategies; s++) {
            int32_t chosen = paths[s][t], first = K + 2 * s * K;
            if (chosen == label)
                count(m, first + label);
            if (chosen >= 0)
                count(m, first + K + chosen);
        }
    }
    if (r->rest > 0)
        return SP_OK;
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        sp_recording_result *result = &e->result->strategies[s].recordings[r->index];
        result->kappa = recording_kappa(m, K, s, result);
    }
    if (m->rows.n_counts + m->n_touched > SP_MAX_MARGIN_COUNTS)
        sp_margins_leave_out(m);
    bool is_kept = e->n_pairs > 0 && !m->left_out && m->n_touched > 0, is_whole = true;
    for (int64_t i = 0; i < m->n_touched; i++) {
        is_whole = is_whole && (!is_kept || sp_count_rows_add(&m->rows, m->touched[i], m->row[m->touched[i]]));
        m->row[m->touched[i]] = 0;
    }
    m->n_touched = 0;
    return is_whole && (!is_kept || sp_count_rows_end(&m->rows)) ? SP_OK : sp_no_memory(err);
}

/* ---- statistics of summed margins ---- */

/* Kappa and macro F1 of strategy s, as in sp_agreement_from_confusion(); NaN where undefined. */
static void kappa_and_f1(const int64_t *sums, int32_t K, int32_t s, sp_absent_class absent, double *kappa, double *f1)
{
    const int64_t *reference = sums, *right = sums + (size_t)K * (size_t)(1 + 2 * s), *decoded = right + K;
    double n = 0, correct = 0, chance = 0, total = 0;
    int32_t defined = 0;
    bool is_single = false;
    for (int32_t k = 0; k < K; k++) {
        n += (double)reference[k];
        correct += (double)right[k];
    }
    for (int32_t k = 0; k < K; k++) {
        double r = (double)reference[k], c = (double)decoded[k];
        chance += r * c;
        is_single |= r == n && c == n;
        if (r + c > 0) {
            total += 2 * (double)right[k] / (r + c);
            defined++;
        }
    }
    double expected = chance / n / n;
    *kappa = n == 0 || is_single ? NAN : (correct / n - expected) / (1 - expected);
    *f1 = defined == 0                  ? NAN
          : absent == SP_ABSENT_EXCLUDE ? total / defined
                                        : (total + (absent == SP_ABSENT_ONE ? K - defined : 0)) / K;
}

/* Differences of every pair: kappa first, then macro F1. */
static void agreement_differences(const void *arg, const int64_t *sums, double *values)
{
    const sp_evaluation *e = arg;
    double kappa[SP_EVALUATION_MAX_STRATEGIES], f1[SP_EVALUATION_MAX_STRATEGIES];
    for (int32_t s = 0; s < e->result->n_strategies; s++)
        kappa_and_f1(sums, e->K, s, e->options.absent_class, &kappa[s], &f1[s]);
    for (int32_t p = 0; p < e->n_pairs; p++) {
        values[p] = kappa[e->pairs[p][0]] - kappa[e->pairs[p][1]];
        values[e->n_pairs + p] = f1[e->pairs[p][0]] - f1[e->pairs[p][1]];
    }
}

/* ---- comparisons ---- */

/* Differences of one recording each, [2 n_pairs, N], from the margins; NaN where undefined or nothing is scored. */
static void recording_differences(sp_evaluation *e, double *differences)
{
    sp_margins *m = &e->margins;
    const sp_count_rows *rows = &m->rows;
    const sp_comparison *c = e->result;
    double values[2 * SP_MAX_COMPARISONS];
    for (int64_t r = 0, i = 0; r < c->n_recordings; r++) {
        bool is_scored = c->scored_steps[r] > 0;
        if (is_scored) {
            for (int64_t j = rows->offsets[i]; j < rows->offsets[i + 1]; j++)
                m->row[rows->slots[j]] += rows->counts[j];
            agreement_differences(e, m->row, values);
            for (int64_t j = rows->offsets[i]; j < rows->offsets[i + 1]; j++)
                m->row[rows->slots[j]] = 0;
            i++;
        }
        for (int32_t v = 0; v < 2 * e->n_pairs; v++)
            differences[v * c->n_recordings + r] = is_scored ? values[v] : NAN;
    }
}

sp_status sp_margins_compare(sp_evaluation *e, sp_error *err)
{
    sp_margins *m = &e->margins;
    size_t N = (size_t)e->result->n_recordings;
    e->result->other_metrics_left_out = m->left_out;
    if (m->left_out || m->rows.n == 0)
        return SP_OK;
    sp_clusters rows = sp_count_rows_view(&m->rows, width_of(e));
    sp_statistics statistics = {.n = 2 * e->n_pairs,
                                .most = 2,
                                .compute = agreement_differences,
                                .arg = e,
                                .undefined = "undefined for one of the strategies"};
    sp_difference out[2 * SP_MAX_COMPARISONS];
    sp_units units = {0};
    sp_owned own = {0};
    double *differences = sp_zeros(&own, (size_t)statistics.n * N, sizeof *differences);
    double *d = sp_zeros(&own, N, sizeof *d);
    sp_status status = sp_owned_status(&own, err);
    if (status == SP_OK)
        status = open_row(e, err); /* of parts none was counted */
    if (status == SP_OK)
        status = sp_units_open(e->result, true, &units, err);
    if (status == SP_OK)
        status = sp_units_bootstrap(&units, &rows, &statistics, &e->options.bootstrap, e->workers, out, err);
    if (status == SP_OK)
        recording_differences(e, differences);
    for (int32_t v = 0; status == SP_OK && v < statistics.n; v++)
        if (!sp_pair_append(e, v % e->n_pairs, v < e->n_pairs ? sp_metric_kappa : sp_metric_f1, &out[v], &units,
                            differences + (size_t)v * N, d, err))
            status = SP_ENOMEM;
    sp_units_free(&units);
    sp_owned_free(&own);
    return status;
}

/* ---- rates of illegal transitions: their intervals, their differences ---- */

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
    sp_statistics statistics = {.n = c->n_strategies + e->n_pairs,
                                .n_shares = c->n_strategies,
                                .most = 1,
                                .compute = illegal_rates,
                                .arg = e,
                                .undefined = "no transitions"};
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
