/* All transitions of a path by pair of classes, the allowed ones too. */
#include "evaluate/evaluation.h"

sp_status sp_add_moves(const sp_evaluation *e, const sp_recording *r, const int32_t *path, int64_t **moves, sp_error *err)
{
    size_t K = (size_t)e->K;
    if (K > SP_MOVES_CLASSES)
        return SP_OK;
    if (!*moves && !(*moves = calloc(K * K, sizeof **moves)))
        return sp_fail(err, SP_ENOMEM, "no memory to count transitions between %zu classes", K);
    for (int64_t t = r->before ? 0 : 1; t < r->n_steps; t++) {
        bool is_gap = r->segments && r->segments[t] != r->segments[t - 1];
        if (!is_gap && path[t - 1] >= 0 && path[t] >= 0)
            (*moves)[(size_t)path[t - 1] * K + (size_t)path[t]]++;
    }
    return SP_OK;
}
