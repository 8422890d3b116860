/* Learning a model: from labels by counts, from scores and labels as a conditional random field, from scores alone by EM; and
 * tuning how it decodes by cross-validation over recordings.
 *
 * What the rules forbid stays forbidden, exactly; every model made here passes sp_model_check().
 */
#ifndef STATEPATH_FIT_H
#define STATEPATH_FIT_H

#include "statepath/decode.h"
#include "statepath/training.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- counts ---- */

/* Lengths of the runs of each class, in whole runs (begin and end seen). */
typedef struct sp_run_lengths {
    int64_t n;                                       /* whole runs */
    int64_t least, q05, q25, median, q75, q95, most; /* 0 without runs */
    double mean;
    int32_t proposed_min_dwell; /* the longest that at most 5 % of the runs fall short of; 1 without runs */
} sp_run_lengths;

/* One for each class: out [K]. quantile: of proposed_min_dwell, 0.05. SP_OK, SP_ENOMEM. */
sp_status sp_run_lengths_collect(const sp_training *training, double quantile, sp_run_lengths *out, sp_error *err);

/* Transition probabilities P(j|i) = (n_ij + a) / sum over allowed j of (n_ij + a), starts likewise, from the parts of the labels
 * that obey the rules; the share of each class as prior.
 *   smoothing   a >= 0; with 0 a transition never seen that the rules allow is left out (staying excepted)
 *   violations  out, cleared by the caller; may be NULL
 * Returns SP_OK; SP_EINVAL (no labelled step, smoothing below 0); SP_EMODEL (names); SP_ENOMEM.
 * Source  Dirichlet prior, posterior mean. */
sp_status sp_model_from_labels(const sp_training *training, const sp_rules *rules, double smoothing, const char *name,
                               sp_model **out, sp_violations *violations, sp_error *err);

/* ---- EM ---- */

/* Baum-Welch on transitions and starts, the scores being log likelihoods as they are: labels are not looked at. Zeros stay zero.
 *   log_likelihood  out [most_iterations + 1], one before each iteration and one at the end; may be NULL. It never falls
 *   n_iterations    out
 * Stops when an iteration gains less than precision * |log likelihood|. Starts from equal probabilities of what the rules allow,
 * with 0.9 for staying. Returns SP_OK; SP_EINVAL (no scores; no recording has an allowed path); SP_ENOMEM. Source  Baum, Petrie,
 * Soules, Weiss 1970. */
sp_status sp_model_from_em(const sp_training *training, const sp_rules *rules, int most_iterations, double precision,
                           sp_workers *workers, const char *name, sp_model **out, double *log_likelihood, int *n_iterations,
                           sp_error *err);

/* ---- everything in one call ---- */

typedef enum sp_fit_method { SP_FIT_COUNTS, SP_FIT_CRF, SP_FIT_EM, SP_N_FIT_METHODS } sp_fit_method;
const char *sp_fit_method_name(sp_fit_method method); /* "counts" ... */
sp_status sp_fit_method_parse(const char *text, sp_fit_method *out, sp_error *err);

/* What the choice of options is judged by, on recordings the model did not see. */
typedef enum sp_tune {
    SP_TUNE_NONE,
    SP_TUNE_ACCURACY,
    SP_TUNE_KAPPA,
    SP_TUNE_MACRO_F1,
    SP_TUNE_ENTITY_F1, /* of BIO and BIOES tags; sp_fit() refuses other classes */
    SP_TUNE_EDIT,      /* edit score of the runs (sequences.h) */
    SP_TUNE_NLL,
    SP_N_TUNES
} sp_tune;
const char *sp_tune_name(sp_tune tune); /* "none", "accuracy", ... */
sp_status sp_tune_parse(const char *text, sp_tune *out, sp_error *err);

typedef struct sp_fit_options {
    sp_fit_method method;  /* SP_FIT_COUNTS, which needs no scores; SP_FIT_CRF is as good or better and slower */
    sp_tune tune;          /* SP_TUNE_ACCURACY */
    sp_strategy strategy;  /* viterbi: what is tuned for */
    const sp_model *rules; /* NULL: everything allowed. Borrowed */
    int64_t seen;          /* 0; n > 0: rules from the labels, what is seen n times. Not together with rules */
    double smoothing;      /* 0.5 */
    double penalty;        /* crf: 0 = by cross-validation */
    int32_t memory;        /* crf: 1 */
    int32_t n_folds;       /* 5: folds inside the training set, for tuning */
    const int32_t *group;  /* [N] recordings of equal number are never parted between folds; NULL: each its own. Borrowed */
    const char *name;      /* of the model; "fitted" */
    void (*progress)(void *arg, const char *what, int64_t done, int64_t total); /* or NULL */
    void *progress_arg;
} sp_fit_options;
sp_fit_options sp_fit_options_default(void);
sp_status sp_fit_options_check(const sp_fit_options *options, sp_error *err);

/* What was found on the way. Cleared by sp_fit_report_clear(). */
typedef struct sp_fit_report {
    sp_violations violations;
    int64_t n_recordings, n_steps; /* learnt from */
    int32_t n_candidates;          /* judged by cross-validation */
    sp_tune tune;
    double before, after;  /* of the metric, cross-validated: plain (weights 1, temperature 1) and chosen; NaN without tuning */
    double penalty, scale; /* crf */
    int iterations;
    double log_likelihood; /* crf: conditional; em: of the scores */
} sp_fit_report;
void sp_fit_report_clear(sp_fit_report *report);

/* Learns. Tuned settings stand in the model as decoding defaults; `description` says how it was made.
 *   report  out; may be NULL
 * Returns SP_OK; SP_EINVAL, SP_EMODEL (rules), SP_ENOMEM. The same bytes for every number of threads. */
sp_status sp_fit(const sp_training *training, const sp_fit_options *options, sp_workers *workers, sp_model **out,
                 sp_fit_report *report, sp_error *err);

/* ---- cross-validation ---- */

/* Shares recordings out into folds: groups are not parted; the largest group goes first to the fold of fewest steps so far, equal
 * ones in order.
 *   group  [N] or NULL;   fold  out [N] 0..n_folds-1
 * SP_OK; SP_EINVAL (fewer groups than folds, n_folds < 2); SP_ENOMEM. */
sp_status sp_folds_assign(const sp_batch *batch, const int32_t *group, int32_t n_folds, int32_t *fold, sp_error *err);

/* Fits one model for each fold, on the recordings of the other folds (that take part in the training set).
 *   fold    [N];   models  out [n_folds], freed by the caller one by one */
sp_status sp_cross_fit(const sp_training *training, const sp_fit_options *options, int32_t n_folds, const int32_t *fold,
                       sp_workers *workers, sp_model **models, sp_error *err);

/* Decodes each recording with the model of its fold, its decoding defaults applied.
 *   fold    [N]; recordings of fold -1 are left alone
 *   relax   as in sp_decode_options
 *   output  as for sp_decode_batch(), scores under the fold's model; results and broken may be NULL
 * SP_OK and what sp_decode_batch() and sp_chain_new() return. */
sp_status sp_cross_decode(const sp_training *training, const sp_model *const *models, const int32_t *fold, int32_t n_folds,
                          const sp_decode_options *options, sp_workers *workers, const sp_decode_output *output, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
