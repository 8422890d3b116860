/* Inside of sp_crf; not installed. */
#ifndef STATEPATH_LEARN_CRF_PRIVATE_H
#define STATEPATH_LEARN_CRF_PRIVATE_H

#include "core/owned.h"
#include "learn/crf/crf.h"
#include "learn/crf/crf_pass.h"
#include "learn/hidden/hidden_field.h"
#include "learn/training.h"

struct sp_crf {
    sp_owned own;
    sp_hidden_field *hidden; /* what labels do not say the states of; the rest up to n is not used then */
    const sp_training *training;
    int32_t K, D, n_bins;
    bool has_bins; /* memory > 1: staying depends on the position; else D > 1 only serves minimum dwells */
    sp_rules rules;
    sp_violations violations;
    sp_stretches stretches;
    const uint8_t *use; /* [N] */
    double *e;          /* [S,K], row maxima taken out */
    int32_t *bin;       /* [D] of a position */
    /* Places of the parameters in theta, -1 where forbidden. */
    int64_t n;
    int64_t *stay;  /* [K] weight of staying; its bins follow: stay[k] + 1 + bin (only with has_bins) */
    int64_t *exit;  /* [K,K] */
    int64_t *start; /* [K] */
    int64_t *end;   /* [K] */
};

static inline bool sp_crf_uses(const sp_crf *crf, int64_t recording)
{
    return !crf->use || crf->use[recording];
}

/* Counts in the shape of factors to the places of the parameters [n]. */
void sp_crf_gather(const sp_crf *crf, const sp_expected *counts, double *out);

/* How often the labels use each factor: out [n]; for the scale the number of steps. SP_OK, SP_ENOMEM. */
sp_status sp_crf_usage(const sp_crf *crf, double *usage, sp_error *err);

#endif
