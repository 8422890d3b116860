/* Argmax: each step alone. */
#include <math.h>

#include "decode/recording.h"

/* The first of the greatest of e[K]; -1 when none is above -INFINITY. */
static int32_t best_class(const double *e, int32_t n_classes)
{
    double best = -INFINITY;
    int32_t best_k = -1;
    for (int32_t k = 0; k < n_classes; k++)
        if (e[k] > best) {
            best = e[k];
            best_k = k;
        }
    return best_k;
}

sp_status sp_argmax(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score,
                    sp_error *err)
{
    sp_status status = sp_decode_check(chain, scores, err);
    if (status != SP_OK)
        return status;
    double *row = sp_row_buffer(scores, scratch);
    int32_t *found = sp_scratch_get(scratch, SP_SLOT_PATH, (size_t)scores->n_steps, sizeof *found);
    if (!row || !found)
        return sp_decode_no_memory(err);
    for (int64_t t = 0; t < scores->n_steps; t++) {
        found[t] = best_class(sp_row(scores, t, row), scores->n_classes);
        if (found[t] < 0)
            return sp_fail_at(err, SP_ENOPATH, t,
                              "every class of step %lld is impossible: look at its scores and masks, or decode with "
                              "--on-infeasible relax",
                              (long long)t);
    }
    return sp_decode_finish(chain, scores, found, false, path, score, err);
}

sp_status sp_argmax_relaxed(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path, int64_t *n_broken,
                            uint8_t *broken, sp_error *err)
{
    sp_status status = sp_decode_check(chain, scores, err);
    if (status != SP_OK)
        return status;
    double *row = sp_row_buffer(scores, scratch);
    if (!row)
        return sp_decode_no_memory(err);
    int64_t n_impossible = 0;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        int32_t k = best_class(sp_row(scores, t, row), scores->n_classes);
        path[t] = k < 0 ? 0 : k;
        n_impossible += k < 0;
        if (broken)
            broken[t] = k < 0;
    }
    if (n_broken)
        *n_broken = n_impossible;
    return SP_OK;
}
