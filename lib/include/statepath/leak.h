/* Leak: the probability that a classifier without a mask puts on what cannot occur.
 *
 *     leak[t] = sum over forbidden k of softmax(e[t,:])[k]
 *
 * It says what a mask is worth: 0 means that the classifier has learned the rules, a large maximum that it breaks them where it
 * matters. The scores are used before any mask is applied to them (a masked row leaks nothing by construction): a program that
 * prepares a block sets block->mask aside for sp_prepare() and hands it over here.
 */
#ifndef STATEPATH_LEAK_H
#define STATEPATH_LEAK_H

#include "statepath/chain.h"
#include "statepath/scores.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Value of a row that has no leak to speak of; sp_leak_summarise() leaves it out. */
#define SP_LEAK_NONE (-1.0)

/* Leak of a step mask.
 *   scores  [T,K] nats up to a constant per row, not masked
 *   mask    [T,K], 0 = forbidden
 *   leak    out [T], 0..1; SP_LEAK_NONE where every class is -INFINITY; untouched on failure
 * A row whose mask allows nothing leaks all: 1.
 * Returns SP_OK; SP_EDATA (err->step) for NaN or +INFINITY. O(T K). */
sp_status sp_mask_leak(const sp_scores *scores, const uint8_t *mask, double *leak, sp_error *err);

/* Leak of a model along a path: at step t > 0 the mass on classes that may not follow path[t-1] (sp_chain_is_legal: staying too,
 * where it is forbidden; minimum dwell is not looked at), at step 0 the mass on classes that may not start.
 *   path    [T] 0..K-1, or -1 where there is none (all of a recording that could not be decoded)
 *   leak    out [T], 0..1; SP_LEAK_NONE across a gap, after a step without class, and where every class is -INFINITY;
 *           untouched on failure
 * Returns SP_OK; SP_EINVAL (K differs, a class out of range); SP_EDATA (err->step) for NaN or +INFINITY. O(T K). */
sp_status sp_chain_leak(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double *leak, sp_error *err);

typedef struct sp_leak_summary {
    int64_t n_rows;      /* rows with a leak */
    int64_t n_left_out;  /* rows that are SP_LEAK_NONE */
    int64_t n_leaking;   /* rows with a leak above 0 */
    double mean;         /* 0 when n_rows is 0, like those below: it means nothing then */
    double maximum;      /* the greatest leak of one row */
    int64_t maximum_row; /* the first row that has it; -1 when n_rows is 0 */
} sp_leak_summary;

/* Mean, quantiles, maximum and its row.
 *   leak           [n]
 *   probabilities  [n_quantiles] each 0..1, e.g. 0.5, 0.95, 0.99
 *   quantiles      out [n_quantiles], linear between order statistics: with h = (n - 1) p, x[floor h] + (h - floor h)
 *                  (x[floor h + 1] - x[floor h]); untouched on failure. May be NULL with n_quantiles 0
 *   out            may be NULL
 * Returns SP_OK, SP_EINVAL (a probability out of range), SP_ENOMEM. O(n log n), a copy of the leaks; O(n) without quantiles.
 * Source  Hyndman & Fan 1996, definition 7, doi:10.2307/2684934. */
sp_status sp_leak_summarise(const double *leak, int64_t n, const double *probabilities, int32_t n_quantiles, double *quantiles,
                            sp_leak_summary *out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
