#include "decode/recording.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

sp_status sp_decode_check(const sp_chain *chain, const sp_scores *scores, sp_error *err)
{
    if (scores->n_classes == chain->n_classes)
        return SP_OK;
    return sp_fail(err, SP_EINVAL,
                   "the scores have %d classes and the model has %d: take a model of the same classes",
                   (int)scores->n_classes, (int)chain->n_classes);
}

sp_status sp_decode_check_path(const sp_chain *chain, int64_t first, int64_t n, const int32_t *path,
                               sp_error *err)
{
    for (int64_t t = 0; t < n; t++)
        if (path[t] < 0 || path[t] >= chain->n_classes)
            return sp_fail_at(err, SP_EINVAL, first + t,
                              "step %" PRId64
                              " of the path has class %d, and there are %d: give a decoded path",
                              first + t, (int)path[t], (int)chain->n_classes);
    return SP_OK;
}

sp_status sp_decode_finish(const sp_chain *chain, const sp_scores *scores, const int32_t *found,
                           bool must_be_legal, int32_t *path, double *score, sp_error *err)
{
    double sum = 0;
    sp_status status = score || must_be_legal ? sp_path_score(chain, scores, found, &sum, err) : SP_OK;
    if (status == SP_EINVAL) /* a class that does not exist */
        status = sp_decode_bug(NAN, -INFINITY, err);
    if (status == SP_OK && must_be_legal)
        status = sp_verify_legal(chain, scores, found, sum, err);
    if (status != SP_OK)
        return status;
    if (score)
        *score = sum;
    if (path != found && scores->n_steps > 0)
        memcpy(path, found, (size_t)scores->n_steps * sizeof *path);
    return SP_OK;
}
