/* All transitions of a path by pair of classes, the allowed ones too. */
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"

bool sp_count_transitions(const sp_evaluation *e, const sp_recording *r, const int32_t *path, sp_tally *pairs)
{
    int64_t stays = 0; /* of path[t - 1], not yet counted */
    bool is_whole = true;
    for (int64_t t = 1; is_whole && t <= r->n_steps; t++) {
        bool is_pair = t < r->n_steps && sp_is_joined(r, t) && path[t - 1] >= 0 && path[t] >= 0;
        if (is_pair && path[t - 1] == path[t]) {
            stays++;
            continue;
        }
        if (stays)
            is_whole = sp_tally_add(pairs, (int64_t)path[t - 1] * e->K + path[t - 1], stays);
        stays = 0;
        if (is_whole && is_pair)
            is_whole = sp_tally_add(pairs, (int64_t)path[t - 1] * e->K + path[t], 1);
    }
    return is_whole;
}
