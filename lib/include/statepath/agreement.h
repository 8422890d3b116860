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

#ifdef __cplusplus
}
#endif
#endif
