#include <stdlib.h>

#include "core/path_score.h"
#include "decode/long.h"

struct sp_long_score {
    sp_path_walk walk;
    double table[SP_PATH_TABLE * SP_PATH_TABLE];
};

sp_long_score *sp_long_score_new(const sp_chain *chain)
{
    sp_long_score *sum = malloc(sizeof *sum);
    if (sum && !sp_path_walk_init(&sum->walk, chain, INT64_MAX, sum->table)) {
        free(sum);
        return NULL;
    }
    return sum;
}

void sp_long_score_free(sp_long_score *sum)
{
    if (sum)
        sp_path_walk_clear(&sum->walk);
    free(sum);
}

sp_status sp_long_score_add(sp_long_score *sum, const sp_scores *scores, const int32_t *path, sp_error *err)
{
    int32_t K = sum->walk.chain->n_classes;
    if (scores->n_classes != K)
        return sp_fail(err, SP_EINVAL, "scores of %d classes for a model of %d", scores->n_classes, K);
    for (int64_t t = 0; t < scores->n_steps; t++)
        if (path[t] < 0 || path[t] >= K)
            return sp_fail_at(err, SP_EINVAL, t, "step %lld: class %d of %d", (long long)t, path[t], K);
    sp_path_walk_add(&sum->walk, scores, path);
    return SP_OK;
}

double sp_long_score_end(const sp_long_score *sum)
{
    return sp_path_walk_end(&sum->walk);
}
