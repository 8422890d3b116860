/* How far the probabilities of the scores can be trusted: calibration of the prepared scores against a reference, before any
 * decoding, so the same for every strategy.
 *
 * The probabilities are the softmax of the prepared scores, p[t,k] = exp(e[t,k]) / sum_j exp(e[t,j]): for log probabilities they
 * are those of the file, with a step mask those of the masked softmax. Each step has the weight w[t] (1 without weights); steps
 * without a label or with the weight 0 do not count. The top class of a step is its most probable one, the lowest among equals;
 * its probability is the step's confidence, and the step is right when the top class is the label.
 */
#ifndef STATEPATH_RELIABILITY_H
#define STATEPATH_RELIABILITY_H

#include "statepath/agreement.h"
#include "statepath/loss.h"
#include "statepath/scores.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SP_RELIABILITY_BINS = 15, SP_COVERAGE_POINTS = 20 };

/* Steps of similar confidence. The Wilson interval of their accuracy takes steps as independent, which neighbouring steps are
 * not: it is too narrow. With weights its n is the effective one, (sum w)^2 / sum w^2. */
typedef struct sp_reliability_bin {
    double low, high;                     /* edges: confidence in [low, high), the last bin [low, 1] */
    int64_t n;                            /* steps */
    double weight;                        /* sum of their w */
    sp_value confidence;                  /* their mean; undefined "no steps" */
    sp_value accuracy;                    /* share of them right */
    sp_value accuracy_low, accuracy_high; /* Wilson interval */
} sp_reliability_bin;

/* What is right among the steps of greatest confidence. */
typedef struct sp_coverage_point {
    double share;      /* of the weight that is kept, in (0,1] */
    double confidence; /* steps of at least this confidence are kept */
    double accuracy;
    int64_t n; /* steps kept */
} sp_coverage_point;

/* Sums with 0 steps give undefined values, "no scored steps". */
typedef struct sp_reliability {
    int32_t n_classes;
    int64_t n_steps;      /* that count */
    int64_t n_impossible; /* beside them: steps with a label and a weight where every class is impossible; left out */
    bool is_weighted;     /* some weight was not 1 */
    double level;         /* of the Wilson intervals */
    sp_value accuracy;    /* share of the top classes that are right */
    sp_value confidence;  /* mean */
    sp_value brier;       /* mean of sum_k (p_k - [k = label])^2, in 0..2 */
    /* Over 15 bins of equal width, acc_b and conf_b the mean accuracy and confidence of bin b, W_b its weight:
     *     ece    sum_b W_b / W |acc_b - conf_b|          expected calibration error (top label)
     *     mce    max_b |acc_b - conf_b|                  maximum calibration error
     *     rmsce  sqrt(sum_b W_b / W (acc_b - conf_b)^2)  root mean square calibration error
     * as in torchmetrics (norms l1, max, l2), but for a confidence of exactly 1, which it gives a bin of its own. */
    sp_value ece, mce, rmsce;
    /* Classwise: for each class the same sum as ece over bins of p_k, with the share of label k in the place of the accuracy; and
     * its mean over the classes. */
    sp_value *class_ece; /* [K] */
    sp_value classwise_ece;
    sp_value adaptive_ece;                        /* as ece, over the adaptive bins */
    sp_reliability_bin bins[SP_RELIABILITY_BINS]; /* equal width */
    /* Equal mass: about W / 15 each; fewer where confidences are equal. Ascending, without empty ones. */
    int32_t n_adaptive;
    sp_reliability_bin adaptive[SP_RELIABILITY_BINS];
    /* The most confident 5, 10, ... 100 % of the weight, as near as the histogram allows and never less; equal points once. */
    int32_t n_coverage;
    sp_coverage_point coverage[SP_COVERAGE_POINTS];
} sp_reliability;

void sp_reliability_free(sp_reliability *reliability);

/* Sums that grow block by block. Adaptive bins and coverage come from a histogram of 1 - confidence, 256 cells an octave: a cell
 * is at most 0.002 wide in confidence, near 1 at most 1/256 of the distance to 1, and is never split. Memory: 0.4 MB + 360 K
 * bytes, whatever the number of steps. */
typedef struct sp_reliability_sums sp_reliability_sums;

/* SP_OK, SP_EINVAL (K below 1), SP_ENOMEM. */
sp_status sp_reliability_new(int32_t n_classes, sp_reliability_sums **out, sp_error *err);
void sp_reliability_sums_free(sp_reliability_sums *sums);

/* Adds a view (a recording, a block). The sums are taken step by step, so they do not depend on how a file was cut into views.
 *   scores   [T,K] prepared, nats
 *   labels   [T] 0..K-1, -1 = does not count
 *   weights  [T] finite, >= 0; NULL: all 1
 *   nll      what sp_nll_add() (loss.h) would add, from the same exponentials and the same to the bit; untouched on failure.
 * NULL: only the calibration Returns SP_OK; SP_EDATA (err->step) for a weight that cannot be used or a label that is no class,
 * SP_EINVAL for another K: the sums are then as before, or hold the steps before that one and are to be thrown away. O(T K). */
sp_status sp_probabilities_add(sp_nll *nll, sp_reliability_sums *sums, const sp_scores *scores, const int32_t *labels,
                               const double *weights, sp_error *err);

/* From sums to values; the sums stay. level: of the Wilson intervals, such as 0.95.
 * SP_OK, SP_EINVAL (level), SP_ENOMEM.
 * Source  Brier 1950; Naeini et al. 2015 and Guo et al. 2017 (ECE, MCE); Nixon et al. 2019 (classwise, adaptive); Wilson 1927. */
sp_status sp_reliability_finish(const sp_reliability_sums *sums, double level, sp_reliability **out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
