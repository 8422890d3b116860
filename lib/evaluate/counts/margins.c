/* Margins of each recording's confusion matrices, and its kappa. */
#include "evaluate/counts/margins.h"

#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <math.h>

void sp_margins_free(sp_margins *margins)
{
    sp_count_rows_free(&margins->rows);
    free(margins->row);
    free(margins->touched);
}

/* There are too many: none are kept from then on. */
static void leave_out(sp_margins *margins)
{
    sp_count_rows_free(&margins->rows);
    margins->left_out = "too many recordings and classes for intervals of kappa and macro F1";
}

/* ---- counting ---- */

int32_t sp_margins_width(const sp_evaluation *e)
{
    return e->K * (1 + 2 * e->result->n_strategies);
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

sp_status sp_margins_open(sp_evaluation *e, sp_error *err)
{
    sp_margins *m = &e->margins;
    if (!m->row) {
        m->row = calloc((size_t)sp_margins_width(e), sizeof *m->row);
        m->touched = calloc((size_t)sp_margins_width(e), sizeof *m->touched);
    }
    return m->row && m->touched ? SP_OK : sp_no_memory(err);
}

sp_status sp_add_margins(sp_evaluation *e, const sp_recording *r, sp_error *err)
{
    sp_margins *m = &e->margins;
    int32_t K = e->K;
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        sp_recording_result *result = &e->result->strategies[s].recordings[r->index];
        result->kappa = recording_kappa(m, K, s, result);
    }
    if (m->rows.n_counts + m->n_touched > SP_MAX_MARGIN_COUNTS)
        leave_out(m);
    bool is_kept = e->n_pairs > 0 && !m->left_out && m->n_touched > 0, is_whole = true;
    for (int64_t i = 0; i < m->n_touched; i++) {
        is_whole =
            is_whole && (!is_kept || sp_count_rows_add(&m->rows, m->touched[i], m->row[m->touched[i]]));
        m->row[m->touched[i]] = 0;
    }
    m->n_touched = 0;
    return is_whole && (!is_kept || sp_count_rows_end(&m->rows)) ? SP_OK : sp_no_memory(err);
}

/* ---- kappa and macro F1 of summed margins ---- */

void sp_margin_figures(const sp_evaluation *e, const int64_t *sums, int32_t s,
                       double figures[SP_N_MARGIN_FIGURES])
{
    const int32_t K = e->K;
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
    figures[SP_MARGIN_KAPPA] = n == 0 || is_single ? NAN : (correct / n - expected) / (1 - expected);
    figures[SP_MARGIN_F1] = defined == 0 ? NAN : total / defined;
}
