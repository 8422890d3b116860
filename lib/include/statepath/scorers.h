/* Agreement where several people scored the same recordings: of each strategy and of the reference with each scorer, of the
 * scorers with each other, and of all of them. Pooled over steps.
 */
#ifndef STATEPATH_SCORERS_H
#define STATEPATH_SCORERS_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/agreement.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SP_MAX_SCORERS = 32, SP_SCORERS_MAX_CLASSES = 128 };

/* Two that decided the same steps. kappa is Cohen's, on the steps that the scorer (of two scorers: both) has scored; a step
 * without decision by the strategy is wrong. */
typedef struct sp_scorer_pair {
    int64_t steps, agreed;
    sp_value accuracy, kappa; /* undefined "no scored steps", "one class only"; of a scorer with itself "itself" */
} sp_scorer_pair;

/* One row: the reference, a strategy, or a scorer. */
typedef struct sp_scorer_row {
    const char *name;                   /* borrowed: of the strategy or scorer; "reference" */
    sp_scorer_pair *with;               /* [n_scorers] */
    sp_value mean_accuracy, mean_kappa; /* over the scorers, itself left out; where defined */
    /* Soft agreement (Guillot et al. 2020, doi:10.1109/TNSRE.2020.3011181): mean over steps of n(k) / max n, where n(k) scorers
     * say the class k that stands here, and max n the most say one class. A scorer is held against the others. */
    sp_value soft;
    int64_t soft_steps;
} sp_scorer_row;

typedef struct sp_scorers {
    int32_t n_scorers, n_strategies;
    char **names; /* [n_scorers] */
    bool has_reference;
    sp_scorer_row reference;            /* when has_reference */
    sp_scorer_row *strategies;          /* [n_strategies] */
    sp_scorer_row *scorers;             /* [n_scorers] */
    sp_value mean_accuracy, mean_kappa; /* of the pairs of scorers: what people reach among themselves */
    sp_value fleiss;                    /* sp_fleiss_kappa over the steps that all scored; undefined "fewer than three scorers" */
    int64_t fleiss_steps;
} sp_scorers;

void sp_scorers_free(sp_scorers *scorers); /* NULL is fine */

/* Fleiss' kappa of R raters: with n_ij of them putting subject i into category j,
 *     P_i = (sum_j n_ij^2 - R) / (R (R - 1)),  p_j = sum_i n_ij / (N R),  kappa = (mean P_i - sum p_j^2) / (1 - sum p_j^2)
 * from sums over subjects: squares = sum_ij n_ij^2 and totals[j] = sum_i n_ij. Undefined "no scored steps" for N = 0, "one rater"
 * for R < 2, "one class only" where all say one category. Source  Fleiss 1971, doi:10.1037/h0031619. */
sp_value sp_fleiss_kappa(int64_t n_subjects, int32_t n_raters, int32_t n_categories, int64_t squares, const int64_t *totals);

#ifdef __cplusplus
}
#endif
#endif
