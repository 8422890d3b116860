/* Agreement of a decoded path with a reference: confusion matrix and what is computed from it.
 *
 * An undefined value is a value with a reason, never a NaN that walks on: sp_value.undefined is NULL when the value is defined.
 */
#ifndef STATEPATH_AGREEMENT_H
#define STATEPATH_AGREEMENT_H

#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_value {
    double value;          /* meaningful only when undefined is NULL */
    const char *undefined; /* NULL, or a static reason: "one class only", "never predicted", "no scored steps" */
} sp_value;

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
    int64_t scored;    /* steps with a reference */
    int64_t correct;   /* of them right */
    int64_t undecoded; /* of them in recordings that could not be decoded: wrong, in no column of the matrix */
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
void sp_agreement_from_confusion(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded, sp_agreement *out,
                                 sp_class_agreement *classes);

/* Kappa with weights of disagreement w_ij = |i - j| / (K - 1), or its square: 1 - sum w_ij C_ij / sum w_ij r_i c_j / N. Classes
 * are taken to be in order, which most are not: off unless asked for. An undecoded step is as far from its class as can be (w =
 * 1). Arguments as above. Undefined "one class only" where the sum below is 0, "no scored steps", "not asked for". Source Cohen
 * 1968. */
typedef enum sp_kappa_weights { SP_KAPPA_UNWEIGHTED, SP_KAPPA_LINEAR, SP_KAPPA_QUADRATIC } sp_kappa_weights;
sp_status sp_weighted_kappa(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded, sp_kappa_weights weights,
                            sp_value *out, sp_error *err);

/* Standard error of (unweighted) kappa by Fleiss, Cohen and Everitt 1969, doi:10.1037/h0028106, eq. 14, with p_ij = C_ij / N:
 *     sqrt((A + B - C) / N) / (1 - pe),  A = sum p_ii (1 - (p_i. + p_.i)(1 - kappa))^2,
 *     B = (1 - kappa)^2 sum_{i != j} p_ij (p_.i + p_j.)^2,  C = (kappa - pe (1 - kappa))^2
 * It assumes independent steps, which neighbouring steps are not: it is too small. Undecoded steps are one more column. Undefined
 * where kappa is. SP_OK, SP_ENOMEM. O(K^2). */
sp_status sp_kappa_standard_error(int32_t n_classes, const int64_t *confusion, const int64_t *undecoded,
                                  const sp_agreement *agreement, sp_value *out, sp_error *err);

/* How classes without a precision, recall or F1 enter the macro means: not at all, or as 0 or as 1 over all K classes (the
 * defaults of other tools). Changes macro_precision, macro_recall, macro_f1; balanced accuracy, and how many classes were
 * defined, stay. */
typedef enum sp_absent_class { SP_ABSENT_EXCLUDE, SP_ABSENT_ZERO, SP_ABSENT_ONE } sp_absent_class;
void sp_agreement_count_absent(sp_agreement *agreement, int32_t n_classes, sp_absent_class absent);

#ifdef __cplusplus
}
#endif
#endif
