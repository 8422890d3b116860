/* From what a file holds to nats: kinds, checks, missing steps, floor, temperature, prior, step masks, clamping.
 *
 * In this order, per row t:
 *   1. NaN: an error, or with missing_uniform the whole row becomes 0 (it says nothing; 3 to 6 leave it alone); +inf: an error
 *   2. the row is checked against its kind (below)
 *   3. e = log p (probs), log-softmax (logits), as it is (log_probs, scores)
 *   4. floor: where exp(e) < floor, e = log(floor); counted. Not for scores
 *   5. temperature: e = e / temperature, not renormalised
 *   6. prior: e[k] = e[k] - prior_weight * log_prior[k]
 *   7. mask: e[k] = -inf where mask[t,k] = 0 (missing rows too)
 *   8. clamp: where labels[t] >= 0, e[k] = -inf for every other class (missing rows too)
 * -inf stays -inf through 5 and 6.
 *
 * probs and logits become f64 (a log rounded to f32 can merge two classes); log_probs and scores keep their type unless 4, 5
 * or 6 ask for arithmetic, which is done in f64.
 */
#ifndef STATEPATH_PREPARE_H
#define STATEPATH_PREPARE_H

#include "statepath/block.h"
#include "statepath/workers.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_kind { SP_KIND_LOG_PROBS, SP_KIND_PROBS, SP_KIND_LOGITS, SP_KIND_SCORES, SP_N_KINDS } sp_kind;

/* "log_probs", "probs", "logits", "scores": also the names of the datasets. */
const char *sp_kind_name(sp_kind kind);
sp_status sp_kind_parse(const char *text, sp_kind *out, sp_error *err);

typedef struct sp_prepare_options {
    sp_kind kind;            /* SP_KIND_LOG_PROBS */
    bool missing_uniform;    /* false: NaN is an error */
    bool clamp;              /* false */
    double floor;            /* 0: none; else in (0,1) */
    double temperature;      /* 1; > 0 */
    double prior_weight;     /* 0 */
    const double *log_prior; /* [K] nats in the order of the score columns, borrowed; needed when prior_weight != 0 */
} sp_prepare_options;

sp_prepare_options sp_prepare_options_default(void);

/* Can these options be used? SP_OK or SP_EINVAL (message names the option and the mend). */
sp_status sp_prepare_options_check(const sp_prepare_options *options, sp_error *err);

/* What was done; added to by each call, so one struct serves a whole file. */
typedef struct sp_prepare_counts {
    int64_t floored; /* scores raised to the floor */
    int64_t missing; /* steps that said nothing */
    int64_t masked;  /* finite scores that the mask took away */
} sp_prepare_counts;

enum { SP_ROW_TOLERANCE_PERCENT = 3 }; /* rows may miss their sum by 0.03 */

/* Turns block->scores from what the file holds into nats, in place (block->dtype may become SP_F64).
 *
 * Row checks, with a tolerance of 0.03: probs are not negative and sum to 1; log_probs have logsumexp 0; logits and scores are
 * anything finite or -inf. A row of zeros (probs) or of -inf (the others) passes: it is an impossible step, for the decoder
 * to report, unless a floor lifts it. +inf is an error in every kind, in rows with a NaN too; so are logits and scores above
 * 1e300.
 *
 *   block    scores as read; labels where clamping is asked for; mask or NULL
 *   counts   added to; may be NULL; untouched on failure
 *
 * Returns SP_OK; SP_EDATA with err->step, the message naming file, dataset, recording, step (from 0, in its recording), class,
 * what was found, and the option that helps (a finite score that temperature and prior would make infinite is one more
 * such error); SP_EINVAL (options, a zero prior, clamping without labels); SP_ENOMEM. On failure the scores are undefined.
 * Cost: O(S K); no more memory than the float64 scores. */
sp_status sp_prepare(sp_block *block, const sp_prepare_options *options, sp_prepare_counts *counts, sp_error *err);

/* The same on the threads of the workers: the same scores, counts and error whatever their number. workers NULL: sp_prepare(). */
sp_status sp_prepare_threads(sp_block *block, const sp_prepare_options *options, sp_workers *workers, sp_prepare_counts *counts,
                             sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
