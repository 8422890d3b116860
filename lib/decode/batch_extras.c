#include "decode/batch_extras.h"

#include <math.h>

#include "core/chain_states.h"
#include "decode/recording.h"
#include "decode/strategies/marginals.h"
#include "statepath/advanced.h"

sp_status sp_batch_extras_check(const sp_chain *chain, const sp_decode_output *output, sp_error *err)
{
    if (output->n_best < 0)
        return sp_fail(err, SP_EINVAL, "%d best paths: ask for at least one, or 0 for none",
                       (int)output->n_best);
    if (output->n_best >= INT32_MAX / chain->n_states)
        return sp_fail(err, SP_EINVAL, "%d best paths of a model of %d states: ask for at most %d",
                       (int)output->n_best, (int)chain->n_states, (int)(INT32_MAX / chain->n_states - 1));
    if (output->draw.n < 0)
        return sp_fail(err, SP_EINVAL, "%d draws: ask for at least one, or 0 for none", (int)output->draw.n);
    return SP_OK;
}

static const int32_t *path_of(const sp_decode_output *output, const sp_batch *batch, int64_t n)
{
    return output->results[n].status == SP_OK ? output->paths + batch->offsets[n] : NULL;
}

sp_status sp_batch_confidence(const sp_chain *chain, const sp_batch *batch, int64_t n, sp_scratch *scratch,
                              const sp_decode_output *output)
{
    const sp_scores scores = sp_batch_recording(batch, n);
    const int32_t *path = path_of(output, batch, n);
    float *confidence = output->confidence ? output->confidence + batch->offsets[n] : NULL;
    double log_z = -INFINITY;
    if (!confidence && !output->log_partition)
        return SP_OK;
    sp_status status =
        sp_confidence_rows(chain, &scores, scratch, path, 0, path ? confidence : NULL, &log_z, NULL);
    if (status != SP_OK && status != SP_ENOPATH)
        return status;
    for (int64_t t = 0; t < scores.n_steps && confidence && (!path || status == SP_ENOPATH); t++)
        confidence[t] = NAN;
    if (output->log_partition)
        output->log_partition[n] = log_z;
    return SP_OK;
}

static sp_status fill_margin(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                             const int32_t *path, double *margin)
{
    *margin = NAN;
    sp_status status = path ? sp_margin(chain, scores, scratch, path, margin, NULL) : SP_OK;
    if (status != SP_ENOPATH)
        return status;
    *margin = -INFINITY; /* a path where none is allowed */
    return SP_OK;
}

static sp_status fill_best(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                           int32_t n_best, int32_t *paths, int64_t stride, double *best_scores,
                           int32_t *n_found, sp_error *err)
{
    sp_nbest_paths best = {.paths = paths, .stride = stride, .scores = best_scores};
    sp_status status = sp_nbest(chain, scores, n_best, scratch, &best, err);
    if (status != SP_OK && status != SP_ENOPATH && status != SP_EBUG)
        return status;
    if (status == SP_EBUG)
        best.n_found = 0;
    for (int32_t r = best.n_found; r < n_best; r++) {
        best_scores[r] = -INFINITY;
        for (int64_t t = 0; t < scores->n_steps; t++)
            paths[r * stride + t] = -1;
    }
    if (n_found)
        *n_found = best.n_found;
    return status == SP_EBUG ? status : SP_OK;
}

/* The N best paths. Where they do not stand their check the recording gets no path at all. */
static sp_status add_best(const sp_chain *chain, const sp_batch *batch, int64_t n, sp_scratch *scratch,
                          const sp_decode_output *output)
{
    sp_scores scores = sp_batch_recording(batch, n);
    int64_t first = batch->offsets[n];
    sp_error err;
    sp_status status = fill_best(chain, &scores, scratch, output->n_best, output->best_paths + first,
                                 batch->scores.n_steps, output->best_scores + n * output->n_best,
                                 output->n_best_found ? output->n_best_found + n : NULL, &err);
    if (status == SP_EBUG)
        sp_decode_withhold(&err, &output->results[n], output->paths + first, scores.n_steps);
    return status == SP_EBUG ? SP_OK : status;
}

/* Draws of recording n, for which a path is not needed: a relaxed one has none. */
static sp_status fill_draws(const sp_chain *chain, const sp_batch *batch, int64_t n, sp_scratch *scratch,
                            const sp_decode_output *output)
{
    const sp_scores scores = sp_batch_recording(batch, n);
    const int64_t stride = batch->scores.n_steps;
    int32_t *draws = output->draws + batch->offsets[n];
    sp_draw_options options = output->draw;
    options.recording += n;
    const sp_status status = sp_draws(chain, &scores, &options, scratch, draws, stride, NULL);
    if (status != SP_ENOPATH)
        return status;
    for (int32_t r = 0; r < options.n; r++)
        for (int64_t t = 0; t < scores.n_steps; t++)
            draws[r * stride + t] = -1;
    return SP_OK;
}

sp_status sp_batch_extras(const sp_chain *chain, const sp_batch *batch, int64_t n, sp_scratch *scratch,
                          const sp_decode_output *output)
{
    sp_scores scores = sp_batch_recording(batch, n);
    sp_status status = output->n_best > 0 ? add_best(chain, batch, n, scratch, output) : SP_OK;
    if (status == SP_OK && output->margins)
        status = fill_margin(chain, &scores, scratch, path_of(output, batch, n), output->margins + n);
    if (status == SP_OK && output->draw.n > 0)
        status = fill_draws(chain, batch, n, scratch, output);
    return status == SP_OK ? sp_batch_confidence(chain, batch, n, scratch, output) : status;
}
