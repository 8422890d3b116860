/* Calibration, step by step: probabilities of a row, and the sums that they go into. */
#include "evaluate/metrics/reliability.h"

#include "core/try.h"
#include "mask/nll_step.h"

#include <math.h>
#include <stdlib.h>

void sp_reliability_sums_free(sp_reliability_sums *sums)
{
    if (sums)
        sp_owned_free(&sums->own);
    free(sums);
}

sp_status sp_reliability_new(int32_t n_classes, sp_reliability_sums **out, sp_error *err)
{
    if (n_classes < 1)
        return sp_fail(err, SP_EINVAL, "calibration of %d classes: at least 1 is needed", n_classes);
    sp_reliability_sums *sums = calloc(1, sizeof *sums);
    if (!sums)
        return sp_no_memory(err);
    size_t K = (size_t)n_classes;
    sums->n_classes = n_classes;
    sums->n_slots = sp_cell_slot(sums) + SP_N_CONFIDENCE_CELLS;
    sums->slots = sp_zeros(&sums->own, sums->n_slots, sizeof *sums->slots);
    sums->p = sp_zeros(&sums->own, K, sizeof *sums->p);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&sums->own, err));
    *out = sums;
    sums = NULL;
done:
    sp_reliability_sums_free(sums);
    return status;
}

#define EDGE(b) ((b) / (double)SP_RELIABILITY_BINS)
static const double edges[SP_RELIABILITY_BINS] = {EDGE(0),  EDGE(1),  EDGE(2),  EDGE(3),  EDGE(4),
                                                  EDGE(5),  EDGE(6),  EDGE(7),  EDGE(8),  EDGE(9),
                                                  EDGE(10), EDGE(11), EDGE(12), EDGE(13), EDGE(14)};

/* b with b / 15 <= p < (b + 1) / 15, by comparison with the edges themselves: p * 15 may round across one. */
static int bin_of(double p)
{
    int b = (int)(p * SP_RELIABILITY_BINS);
    b = b < SP_RELIABILITY_BINS ? b : SP_RELIABILITY_BINS - 1;
    if (p < edges[b])
        return b - 1;
    return b + 1 < SP_RELIABILITY_BINS && p >= edges[b + 1] ? b + 1 : b;
}

/* Cell of a step by its doubt, 1 - confidence in [0,1). */
static int cell_of(double doubt)
{
    if (!(doubt > 0))
        return SP_N_CONFIDENCE_CELLS - 1;
    int exponent;
    double mantissa = frexp(doubt, &exponent); /* doubt = mantissa 2^exponent, mantissa in [0.5,1) */
    if (mantissa == 0.5) {                     /* a power of two is the greatest of its octave */
        mantissa = 1;
        exponent--;
    }
    if (-exponent >= SP_CONFIDENCE_OCTAVES)
        return SP_N_CONFIDENCE_CELLS - 1;
    int within = (int)((1 - mantissa) * 2 * SP_CONFIDENCE_CELLS);
    return -exponent * SP_CONFIDENCE_CELLS + within;
}

static void add_to_slot(const sp_reliability_sums *sums, size_t slot, double w, double number, bool is_right)
{
    sp_confidence_slot *to = &sums->slots[slot];
    to->n++;
    to->n_right += is_right;
    sp_exact_add(&to->numbers, w * number);
    if (w == 1)
        return;
    sp_weight_slot *weights = &sums->weights[slot];
    weights->n++;
    weights->n_right += is_right;
    sp_exact_add(&weights->weight, w);
    sp_exact_add(&weights->squares, w * w);
    if (is_right)
        sp_exact_add(&weights->right, w);
}

/* A row's exponentials, from which everything is made: x_k = exp(e_k - e_top), top the first class of the greatest score. */
typedef struct row {
    int32_t top; /* -1: every class is impossible */
    double max;  /* e_top */
    double *x;   /* [K], what the row's probabilities then overwrite */
} row;

static row row_exponentials(const sp_scores *scores, int64_t t, double *x)
{
    int32_t K = scores->n_classes, top = 0;
    for (int32_t k = 0; k < K; k++) {
        x[k] = sp_scores_at(scores, t, k);
        top = x[k] > x[top] ? k : top;
    }
    double max = x[top];
    for (int32_t k = 0; max > -INFINITY && k < K; k++)
        x[k] = exp(x[k] - max);
    return (row){max > -INFINITY ? top : -1, max, x};
}

/* The reference's loss as in sp_nll_add(), to the bit: its score is taken out first, so that a label that has nearly everything
 * keeps its small loss. own: e[t,label] */
static double row_nll(const row *r, int32_t n_classes, int32_t label, double own)
{
    double others = 0;
    if (own == -INFINITY)
        return INFINITY;
    for (int32_t k = 0; k < n_classes; k++)
        others += k == label ? 0 : r->x[k];
    return own >= r->max ? log1p(others) : (r->max - own) + log(others + r->x[label]);
}

/* Makes probabilities of a row's exponentials. Returns the doubt, the sum of the probabilities of all but the top class, which
 * keeps its digits where 1 - confidence would round to 0. */
static double row_softmax(const row *r, int32_t n_classes)
{
    double others = 0;
    for (int32_t k = 0; k < n_classes; k++)
        others += k == r->top ? 0 : r->x[k];
    for (int32_t k = 0; k < n_classes; k++)
        r->x[k] /= 1 + others;
    return others / (1 + others);
}

static void add_step(sp_reliability_sums *sums, int32_t top, double doubt, int32_t label, double w)
{
    const double *p = sums->p;
    bool is_right = top == label;
    double squares = 0;
    for (int32_t k = 0; k < sums->n_classes; k++) {
        /* 1 - p of a top class that has nearly everything is the doubt, with all its digits. */
        double miss = k != label ? p[k] : k == top ? doubt : 1 - p[k];
        squares += miss * miss;
        add_to_slot(sums, sp_class_slot(k) + (size_t)bin_of(p[k]), w, p[k], k == label);
    }
    sp_exact_add(&sums->brier, w * squares);
    add_to_slot(sums, (size_t)bin_of(p[top]), w, p[top], is_right);
    add_to_slot(sums, sp_cell_slot(sums) + (size_t)cell_of(doubt), w, p[top], is_right);
}

static sp_status check_step(int32_t n_classes, int64_t t, int32_t label, double w, sp_error *err)
{
    if (!(w >= 0 && isfinite(w)))
        return sp_fail_at(
            err, SP_EDATA, t,
            "weight %.6g at step %lld: weights must be finite and not negative; 0 leaves a step out", w,
            (long long)t);
    if (label < -1 || label >= n_classes)
        return sp_fail_at(err, SP_EDATA, t,
                          "label %d at step %lld is none of the %d classes; -1 leaves a step out", (int)label,
                          (long long)t, (int)n_classes);
    return SP_OK;
}

static void count_loss(sp_nll_sums *nll, double w, double loss)
{
    nll->n_steps++;
    if (loss == INFINITY) {
        nll->n_impossible++;
        sp_exact_add(&nll->impossible_weight, w);
    } else {
        sp_exact_add(&nll->sum, w * loss);
        sp_exact_add(&nll->weight, w);
    }
}

/* Room for weights other than 1. */
static sp_status use_weights(sp_reliability_sums *sums, sp_error *err)
{
    sums->is_weighted = true;
    if (!sums->weights)
        sums->weights = sp_zeros(&sums->own, sums->n_slots, sizeof *sums->weights);
    return sums->weights ? SP_OK : sp_no_memory(err);
}

sp_status sp_probabilities_add(sp_nll_sums *nll, sp_reliability_sums *sums, const sp_scores *scores,
                               const int32_t *labels, const double *weights, sp_error *err)
{
    if (scores->n_classes != sums->n_classes)
        return sp_fail(err, SP_EINVAL, "calibration of %d classes was given scores of %d", sums->n_classes,
                       scores->n_classes);
    sp_nll_sums next = nll ? *nll : (sp_nll_sums){.n_steps = 0};
    for (int64_t t = 0; t < scores->n_steps; t++) {
        double w = weights ? weights[t] : 1;
        sp_status status = check_step(sums->n_classes, t, labels[t], w, err);
        if (status != SP_OK)
            return status;
        if (labels[t] < 0 || w == 0)
            continue;
        row r = row_exponentials(scores, t, sums->p);
        if (nll)
            count_loss(&next, w, row_nll(&r, sums->n_classes, labels[t], sp_scores_at(scores, t, labels[t])));
        if (r.top < 0) {
            sums->n_impossible++;
            continue;
        }
        if (w != 1 && (status = use_weights(sums, err)) != SP_OK)
            return status;
        add_step(sums, r.top, row_softmax(&r, sums->n_classes), labels[t], w);
    }
    if (nll)
        *nll = next;
    return SP_OK;
}

sp_status sp_nll_sums_add(sp_nll_sums *nll, const sp_scores *scores, const int32_t *labels,
                          const double *weights, sp_error *err)
{
    sp_nll_sums next = *nll;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        const double w = weights ? weights[t] : 1;
        sp_status status = check_step(scores->n_classes, t, labels[t], w, err);
        if (status != SP_OK)
            return status;
        if (labels[t] >= 0 && w > 0)
            count_loss(&next, w, sp_nll_step(scores, t, labels[t]));
    }
    *nll = next;
    return SP_OK;
}

sp_nll sp_nll_sums_value(const sp_nll_sums *nll)
{
    return (sp_nll){.sum = sp_exact_value(&nll->sum),
                    .weight = sp_exact_value(&nll->weight),
                    .impossible_weight = sp_exact_value(&nll->impossible_weight),
                    .n_steps = nll->n_steps,
                    .n_impossible = nll->n_impossible};
}
