/* Learning for the other rooms: cross-validation, options as words, scores as calibrated, the check of a recipe. Not installed.
 */
#ifndef STATEPATH_LEARN_LEARN_H
#define STATEPATH_LEARN_LEARN_H

#include "statepath/learn.h"
#include "statepath/simulate.h"

/* ---- cross-validation ---- */

/* Numbers the groups of n recordings in the order in which they come: number [n], -1 of a recording that is not in use.
 *   group  [n] equal numbers are one group; NULL: each recording its own
 *   use    [n] or NULL: all
 * SP_OK, SP_ENOMEM. O(n log n). */
sp_status sp_groups_number(int64_t n, const int32_t *group, const uint8_t *use, int32_t *number,
                           int64_t *n_groups, sp_error *err);

/* Shares recordings out into folds: groups are not parted; the largest group goes first to the fold of fewest steps so far, equal
 * ones in order.
 *   group  [N] or NULL;   fold  out [N] 0..n_folds-1
 * SP_OK; SP_EINVAL (fewer groups than folds, n_folds < 2); SP_ENOMEM. */
sp_status sp_folds_assign(const sp_batch *batch, const int32_t *group, int32_t n_folds, int32_t *fold,
                          sp_error *err);

/* Fits the model of fold f, on the recordings of the other folds (that take part in the training set).
 *   fold    [N];   out  freed by the caller */
sp_status sp_cross_fit(const sp_training *training, const sp_fit_options *options, const int32_t *fold,
                       int32_t f, sp_workers *workers, sp_model **out, sp_error *err);

/* Decodes each recording with the model of its fold, its decoding defaults applied.
 *   models  [n_folds]; NULL for a fold without recordings here
 *   fold    [N]; recordings of fold -1 are left alone
 *   relax   as in sp_decode_options
 *   output  as for sp_decode_batch(), scores under the fold's model; results and broken may be NULL
 * SP_OK and what sp_decode_batch() and sp_chain_new() return. */
sp_status sp_cross_decode(const sp_training *training, const sp_model *const *models, const int32_t *fold,
                          int32_t n_folds, const sp_decode_options *options, sp_workers *workers,
                          const sp_decode_output *output, sp_error *err);

/* ---- options ---- */

const char *sp_fit_method_name(sp_fit_method method); /* "counts" ... */
/* What is learnt by where nobody says: by scores and labels the random field, by counts where labels may say several classes (has_sets), or the
 * rules have durations or several states for a class, with which the field takes long and has more than one minimum. */
sp_fit_method sp_fit_method_for(bool has_labels, bool has_sets, bool has_scores, const sp_model *rules);
sp_status sp_fit_options_check(const sp_fit_options *options, sp_error *err);

/* ---- scores as calibrated ---- */

/* The rows of prepared scores as calibration makes them, not normalised: out [T,K]. by_vector: a scale and a bias for each class,
 * e_k being taken less the row's maximum as in the fit; else one temperature. -INFINITY stays. O(T K). */
void sp_calibrate_rows(const sp_calibrated *calibration, bool by_vector, const sp_scores *scores,
                       double *out);

/* Temperature and prior taken in or out: e / temperature - prior_weight log_prior, or with `undo` what gives `scores` that way.
 * Rows of zeros say nothing and stay. log_prior [K], NULL: 0. */
typedef struct sp_scores_scaling {
    double temperature, prior_weight;
    const double *log_prior;
    bool undo;
} sp_scores_scaling;
void sp_scale_rows(const sp_scores *scores, const sp_scores_scaling *scaling, double *out);

/* The rows as this model decodes them, whose classes are in the order of the columns: floor, windows, temperature, prior. out [T,K]; false
 * on lack of memory. */
bool sp_rows_by_model(const sp_model *model, const sp_scores *scores, double *out);

/* ---- recipes ---- */

/* What a fault of a recipe is about, for readers that know where it stands. */
typedef struct sp_recipe_place {
    const char *key; /* "transitions": name in the recipe's JSON, static */
    int64_t row;     /* of a matrix, or index in a list; -1: none */
} sp_recipe_place;

/* Is it a recipe? Ranges as above; sums within 1e-6. place may be NULL. SP_OK, SP_EINVAL (names the key and the mend), SP_ENOMEM.
 */
sp_status sp_recipe_check(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err);

#endif
