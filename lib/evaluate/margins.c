/* Margins of each recording's confusion matrices, and the comparisons that are made of them: kappa and macro F1. */
#include "evaluate/margins.h"
#include "evaluate/metric_pairs.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

static const char too_long[] = "a recording of more than 4,294,967,295 steps";

void sp_margins_free(sp_margins *margins)
{
    free(margins->offsets);
    free(margins->slots);
    free(margins->counts);
    free(margins->row);
    free(margins->touched);
    *margins = (sp_margins){.left_out = margins->left_out};
}

/* ---- counting ---- */

static int32_t width_of(const sp_evaluation *e)
{
    return e->K * (1 + 2 * e->result->n_strategies);
}

/* Gives `array` room for n elements; on lack of memory it stays, and is_grown becomes false. */
#define GROW(array, n)                                                                                                           \
    do {                                                                                                                         \
        void *bigger = realloc(array, (size_t)(n) * sizeof *(array));                                                            \
        is_grown = is_grown && bigger;                                                                                           \
        (array) = bigger ? bigger : (array);                                                                                     \
    } while (0)

static bool reserve(sp_margins *m, int32_t width, int64_t more)
{
    bool is_grown = true;
    if (!m->row) {
        m->row = calloc((size_t)width, sizeof *m->row);
        m->touched = malloc((size_t)width * sizeof *m->touched);
        if (!m->row || !m->touched)
            return false;
    }
    if (m->n + 2 > m->row_capacity) {
        int64_t room = 2 * m->row_capacity + 16;
        GROW(m->offsets, room);
        if (!is_grown)
            return false;
        m->row_capacity = room;
    }
    if (m->n_counts + more > m->capacity) {
        int64_t room = 2 * m->capacity + more;
        GROW(m->slots, room);
        GROW(m->counts, room);
        if (!is_grown)
            return false;
        m->capacity = room;
    }
    m->offsets[0] = 0;
    return true;
}

static void leave_out(sp_margins *m, const char *reason)
{
    sp_margins_free(m);
    m->left_out = reason;
}

sp_status sp_add_margins(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths, sp_error *err)
{
    sp_margins *m = &e->margins;
    int32_t K = e->K;
    if (e->n_pairs == 0 || m->left_out || !r->labels)
        return SP_OK;
    if (r->first + r->n_steps + r->rest > UINT32_MAX) {
        leave_out(m, too_long);
        return SP_OK;
    }
    if (!reserve(m, width_of(e), 0))
        return sp_fail(err, SP_ENOMEM, "no memory to compare the kappas of recordings");
    for (int64_t t = 0; t < r->n_steps; t++) {
        int32_t label = r->labels[t];
        if (label < 0)
            continue;
        sp_margins_count(m, (uint32_t)label);
        for (int32_t s = 0; s < e->result->n_strategies; s++) {
            int32_t chosen = paths[s][t], first = K + 2 * s * K;
            if (chosen == label)
                sp_margins_count(m, (uint32_t)(first + label));
            if (chosen >= 0)
                sp_margins_count(m, (uint32_t)(first + K + chosen));
        }
    }
    if (r->rest > 0)
        return SP_OK;
    if (m->n_counts + m->n_touched > SP_MAX_MARGIN_COUNTS) {
        leave_out(m, "too many recordings and classes for intervals of kappa and macro F1");
        return SP_OK;
    }
    if (m->n_touched == 0)
        return SP_OK;
    if (!reserve(m, width_of(e), m->n_touched))
        return sp_fail(err, SP_ENOMEM, "no memory to compare the kappas of recordings");
    for (int64_t i = 0; i < m->n_touched; i++) {
        m->slots[m->n_counts] = m->touched[i];
        m->counts[m->n_counts++] = (uint32_t)m->row[m->touched[i]];
        m->row[m->touched[i]] = 0;
    }
    m->n_touched = 0;
    m->offsets[++m->n] = m->n_counts;
    return SP_OK;
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
static void recording_differences(sp_evaluation *e, double *values, double *differences)
{
    sp_margins *m = &e->margins;
    const sp_comparison *c = e->result;
    for (int64_t r = 0, i = 0; r < c->n_recordings; r++) {
        bool is_scored = c->scored_steps[r] > 0;
        if (is_scored) {
            for (int64_t j = m->offsets[i]; j < m->offsets[i + 1]; j++)
                m->row[m->slots[j]] = m->counts[j];
            agreement_differences(e, m->row, values);
            for (int64_t j = m->offsets[i]; j < m->offsets[i + 1]; j++)
                m->row[m->slots[j]] = 0;
            i++;
        }
        for (int32_t v = 0; v < 2 * e->n_pairs; v++)
            differences[v * c->n_recordings + r] = is_scored ? values[v] : NAN;
    }
}

static sp_status compare_agreement(sp_evaluation *e, sp_error *err)
{
    sp_margins *m = &e->margins;
    int64_t N = e->result->n_recordings;
    if (m->left_out || m->n == 0)
        return SP_OK;
    sp_clusters rows = {.n = m->n, .width = width_of(e), .offsets = m->offsets, .slots = m->slots, .counts = m->counts};
    sp_statistics statistics = {
        .n = 2 * e->n_pairs, .compute = agreement_differences, .arg = e, .undefined = "undefined for one of the strategies"};
    sp_difference out[2 * SP_MAX_COMPARISONS];
    sp_units units = {0};
    double values[2 * SP_MAX_COMPARISONS], *differences = malloc((size_t)statistics.n * (size_t)N * sizeof *differences);
    double *d = malloc((size_t)N * sizeof *d);
    sp_status status = sp_units_open(e->result, true, &units, err);
    if (status == SP_OK && (!differences || !d))
        status = sp_fail(err, SP_ENOMEM, "no memory to compare the kappas of recordings");
    if (status == SP_OK)
        status = sp_metric_bootstrap(e, &units, &rows, &statistics, out, err);
    if (status == SP_OK)
        recording_differences(e, values, differences);
    for (int32_t v = 0; status == SP_OK && v < statistics.n; v++) {
        status = sp_units_mean(&units, differences + v * N, d, err);
        if (status == SP_OK)
            sp_metric_describe(sp_metric_append(e, v % e->n_pairs, v < e->n_pairs ? sp_metric_kappa : sp_metric_f1, &out[v]),
                               units.n, d, units.is_subjects);
    }
    sp_units_free(&units);
    free(differences);
    free(d);
    return status;
}

sp_status sp_margins_compare(sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    c->other_metrics_left_out = e->margins.left_out;
    if (e->n_pairs > 0) { /* room for the other three metrics of each pair */
        void *bigger = realloc(c->comparisons, 4 * (size_t)e->n_pairs * sizeof *c->comparisons);
        if (!bigger)
            return sp_fail(err, SP_ENOMEM, "no memory to compare %d pairs of strategies", e->n_pairs);
        c->comparisons = bigger;
    }
    sp_status status = e->n_pairs ? compare_agreement(e, err) : SP_OK;
    return status == SP_OK && c->n_strategies ? sp_illegal_compare(e, err) : status;
}
