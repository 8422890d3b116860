/* Metrics: how a decoded path agrees with a reference, and what else one counts along paths. What sp_compare() and sp_evaluate()
 * (pipeline.h) report of each strategy, by itself.
 *
 *     sp_agreement agreement;
 *     sp_agreement_from_confusion(K, confusion, NULL, &agreement, NULL);
 *     if (!agreement.kappa.undefined)
 *         printf("kappa %.3f\n", agreement.kappa.value);
 */
#ifndef STATEPATH_METRICS_H
#define STATEPATH_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/mask.h"
#include "statepath/model.h"
#include "statepath/scores.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is read first: of sleep minutes and stages, of tags entities, of actions segments. */
typedef enum sp_work { SP_WORK_STEPS, SP_WORK_SLEEP, SP_WORK_TAGS, SP_WORK_ACTIONS, SP_N_WORKS } sp_work;

/* What people read in place of recording, recordings, step and steps: "night", "nights", "epoch",
 * "epochs". NULL: as they are called here. JSON, CSV and files keep their names. And how options are
 * written: --margin, or margin= as Python has them. */
typedef enum sp_word { SP_RECORDING, SP_RECORDINGS, SP_STEP, SP_STEPS, SP_N_WORDS } sp_word;
typedef struct sp_words {
    const char *text[SP_N_WORDS];
    bool in_python;
} sp_words;

/* ---- agreement: the confusion matrix and what is computed from it ---- */

typedef struct sp_class_agreement {
    int64_t support;   /* reference steps of the class, undecoded ones included */
    int64_t predicted; /* decoded scored steps of the class */
    sp_value precision, recall, f1, specificity, kappa;
    sp_value npv;        /* TN / (TN + FN); null where the class is predicted at every step */
    sp_value prevalence; /* support / scored */
    /* With N scored steps (Byrt et al. 1993): prevalence- and bias-adjusted kappa 2 po - 1, po = (TP + TN) / N; (FP - FN) / N;
     * (TP - TN) / N. Undefined "no scored steps". */
    sp_value pabak, bias, prevalence_index;
} sp_class_agreement;

typedef struct sp_agreement {
    int64_t scored;  /* steps with a reference */
    int64_t correct; /* of them right */
    int64_t
        undecoded; /* of them in recordings that could not be decoded: wrong, in no column of the matrix */
    sp_value accuracy, balanced_accuracy, kappa, mcc, macro_precision, macro_recall, macro_f1, weighted_f1;
    int32_t macro_precision_classes, macro_recall_classes, macro_f1_classes; /* classes the means are over */
} sp_agreement;

/* From counts.
 *
 *   confusion  [K,K] row-major: confusion[i,j] steps of reference class i decoded as class j
 *   undecoded  [K] steps of reference class i without a decision: wrong, in no column; NULL: none
 *   classes    out [K]; may be NULL
 *
 * With C the confusion, r_i = row sum + undecoded[i], c_j = column sum, N = sum of r, D = sum C_ii:
 *   accuracy     D / N
 *   precision_i  C_ii / c_i; null when c_i = 0 ("never predicted")
 *   recall_i     C_ii / r_i; null when r_i = 0 ("absent from the reference")
 *   F1_i         2 C_ii / (r_i + c_i); null only when both are 0
 *   macro        mean over the classes where defined, how many stands beside; balanced accuracy = macro recall
 *   weighted F1  sum r_i F1_i / sum r_i
 *   kappa        (po - pe) / (1 - pe), po = D / N, pe = sum r_i c_i / N^2; null when pe = 1 ("one class only")
 *   MCC          (N D - sum r_i c_i) / sqrt((N^2 - sum r^2)(N^2 - sum c^2)), undecoded steps being one more column in sum c^2;
 *                0 when one factor is 0, null when both are
 * One class against the rest (TP = C_ii, FP = c_i - TP, FN = r_i - TP, TN = N - TP - FP - FN; an undecoded step is not
 * predicted as the class):
 *   specificity  TN / (TN + FP);   npv  TN / (TN + FN);   kappa  of the 2 x 2 table
 * N = 0: everything that divides by N is null ("no scored steps").
 * Cost    O(K^2). Source  Cohen 1960; Gorodkin 2004, doi:10.1016/j.compbiolchem.2004.09.006. */
void sp_agreement_from_confusion(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded,
                                 sp_agreement *out, sp_class_agreement *classes);

/* Kappa with weights of disagreement w_ij = |i - j| / (K - 1), or its square: 1 - sum w_ij C_ij / sum w_ij r_i c_j / N. Classes
 * are taken to be in order, which most are not: off unless asked for. An undecoded step is as far from its class as can be (w =
 * 1). Arguments as above. Undefined "one class only" where the sum below is 0, "no scored steps", "not asked for". Source Cohen
 * 1968. */
typedef enum sp_kappa_weights { SP_KAPPA_UNWEIGHTED, SP_KAPPA_LINEAR, SP_KAPPA_QUADRATIC } sp_kappa_weights;

/* ---- transitions ----
 *
 * Counting transitions, and those that the model forbids.
 *
 * A transition is a pair of neighbouring steps of one recording, inside one segment, both with a class. Staying counts.
 */

typedef struct sp_pair_count {
    int32_t from, to;
    int64_t count;
} sp_pair_count;

typedef struct sp_transition_counts {
    int64_t transitions;   /* neighbouring pairs */
    int64_t changes;       /* of them between two classes */
    int64_t illegal;       /* of them forbidden (staying too, where it is forbidden) */
    int64_t illegal_start; /* recordings whose first step may not start */
    int64_t illegal_end;   /* recordings whose last step may not end */
    int64_t
        short_runs; /* runs shorter than the minimum dwell of their class. A run that ends at a gap counts as long enough,
                              at the end of the recording too unless the model says otherwise; a run that an unscored step cuts
                              on either side likewise. The first run of a recording or segment counts from its first step.
                              Of a class with a duration: runs whose length it rules out though it allows a longer one */
    int64_t
        long_runs; /* of classes with a duration: runs that are longer than any length it allows. Runs at the sides of
                              recordings and gaps are judged as the model weighs them, cut or whole; a run that an unscored step
                              cuts is a piece of a longer one */
} sp_transition_counts;

/* Counts along one path.
 *   path      [T], -1 = no class: breaks the chain
 *   segments  [T] or NULL
 *   counts    added to
 *   illegal   [K,K] counts of forbidden pairs, added to; may be NULL
 *   flags     out [T], 1 where the transition into the step is forbidden (t > 0), or the start (t = 0), else 0; may be NULL
 * The start is judged where path[0] has a class, the end where path[T-1] has one. O(T), a look-up in the rules per change. */
void sp_transitions_count(const sp_chain *chain, int64_t n_steps, const int32_t *path,
                          const int64_t *segments, sp_transition_counts *counts, int64_t *illegal,
                          uint8_t *flags);

/* ---- reliability ----
 *
 * How far the probabilities of the scores can be trusted: calibration of the prepared scores against a reference, before any
 * decoding, so the same for every strategy.
 *
 * The probabilities are the softmax of the prepared scores, p[t,k] = exp(e[t,k]) / sum_j exp(e[t,j]): for log probabilities they
 * are those of the file, with a step mask those of the masked softmax. Each step has the weight w[t] (1 without weights); steps
 * without a label or with the weight 0 do not count. The top class of a step is its most probable one, the lowest among equals;
 * its probability is the step's confidence, and the step is right when the top class is the label.
 */

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
    int64_t n_steps; /* that count */
    int64_t
        n_impossible; /* beside them: steps with a label and a weight where every class is impossible; left out */
    bool is_weighted;    /* some weight was not 1 */
    double level;        /* of the Wilson intervals */
    sp_value accuracy;   /* share of the top classes that are right */
    sp_value confidence; /* mean */
    sp_value brier;      /* mean of sum_k (p_k - [k = label])^2, in 0..2 */
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

/* The same scores taken for probabilities in another way than by `reliability` of the comparison: calibration before and after.
 */
typedef enum sp_scaling {
    SP_SCALING_GIVEN,       /* as the file has them, masks included */
    SP_SCALING_DECODED,     /* as they are decoded: divided by the temperature, less the prior */
    SP_SCALING_TEMPERATURE, /* one temperature by maximum likelihood (learn.h) */
    SP_SCALING_VECTOR       /* a scale and a bias for each class by maximum likelihood */
} sp_scaling;
typedef struct sp_calibration {
    sp_scaling scaling;
    sp_value nll;                /* as that of the comparison */
    sp_reliability *reliability; /* owned */
} sp_calibration;
enum { SP_MOST_CALIBRATIONS = 3 };

/* ---- several raters ----
 *
 * Agreement where several raters scored the same recordings: of each strategy and of the reference with each rater, of the
 * raters with each other, and of all of them. Pooled over steps.
 */

enum { SP_MAX_RATERS = 32, SP_RATERS_MAX_CLASSES = 128 };

/* Two that decided the same steps. kappa is Cohen's, on the steps that the rater (of two raters: both) has scored; a step
 * without decision by the strategy is wrong. */
typedef struct sp_rater_pair {
    int64_t steps, agreed;
    sp_value accuracy,
        kappa; /* undefined "no scored steps", "one class only"; of a rater with itself "itself" */
} sp_rater_pair;

/* One row: the reference, a strategy, or a rater. */
typedef struct sp_rater_row {
    const char *name;                   /* borrowed: of the strategy or rater; "reference" */
    sp_rater_pair *with;                /* [n_raters] */
    sp_value mean_accuracy, mean_kappa; /* over the raters, itself left out; where defined */
    /* Soft agreement (Guillot et al. 2020, doi:10.1109/TNSRE.2020.3011181): mean over steps of n(k) / max n, where n(k) raters
     * say the class k that stands here, and max n the most say one class. A rater is held against the others. */
    sp_value soft;
    int64_t soft_steps;
} sp_rater_row;

typedef struct sp_raters {
    int32_t n_raters, n_strategies;
    char **names; /* [n_raters] */
    bool has_reference;
    sp_rater_row reference;             /* when has_reference */
    sp_rater_row *strategies;           /* [n_strategies] */
    sp_rater_row *raters;               /* [n_raters] */
    sp_value mean_accuracy, mean_kappa; /* of the pairs of raters: what raters reach among themselves */
    sp_value
        fleiss; /* Fleiss 1971, doi:10.1037/h0031619, over steps that all scored; undefined "fewer than three scorers" */
    int64_t fleiss_steps;
} sp_raters;

/* ---- coarser classes ----
 *
 * Fewer, coarser classes: paths are scored again after classes have been put together (always after decoding).
 */

typedef struct sp_collapse {
    int32_t n_classes, n_groups;
    char *name;              /* the groups, "Wake / Light / N3 / REM" */
    char **groups;           /* [n_groups] names, in the order of their first class */
    int32_t *group_of_class; /* [n_classes] */
} sp_collapse;

#ifdef __cplusplus
}
#endif
#endif
