#include "pipeline/likelihood.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/calibration.h"

/* Leaves the wake out that does not count. */
static void trim(const sp_pipeline *p, const sp_block *block, const sp_wake_bounds *sleep, int32_t *labels)
{
    if (sleep)
        sp_wake_trim_piece(sleep, p->wake_margin, block->first_step, block->n_steps, labels);
    for (int64_t r = 0; !sleep && r < block->n_recordings; r++) {
        int64_t first = block->offsets[r];
        sp_wake_trim(block->offsets[r + 1] - first, p->wake_stages, p->wake_margin, labels + first);
    }
}

sp_status sp_likelihood_add(sp_pipeline *p, const sp_block *block, const sp_wake_bounds *sleep, sp_error *err)
{
    const sp_scores scores = sp_block_batch(block).scores;
    const int32_t *labels = block->labels;
    int32_t *kept = NULL;
    if (p->wake_stages) {
        size_t n = (size_t)block->n_steps;
        if (!(kept = malloc((n + 1) * sizeof *kept)))
            return sp_fail(err, SP_ENOMEM, "no memory for the labels of %lld steps", (long long)block->n_steps);
        memcpy(kept, labels, n * sizeof *kept);
        trim(p, block, sleep, kept);
        labels = kept;
    }
    sp_status status = p->reliability ? sp_probabilities_add(&p->nll, p->reliability, &scores, labels, block->weights, err)
                                      : sp_nll_add(&p->nll, &scores, labels, block->weights, err);
    if (status == SP_OK && p->calibration)
        status = sp_calibration_add(p->calibration, block, labels, err);
    free(kept);
    return status;
}
