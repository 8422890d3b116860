/* One recording in memory by each strategy, and by the relaxed forms. */
#ifndef TEST_DECODE_ONE_H
#define TEST_DECODE_ONE_H

#include "statepath/decode.h"

static inline sp_status decode_one(sp_strategy strategy, const sp_chain *chain, const sp_scores *scores,
                                   sp_scratch *scratch, int32_t *path, double *score, sp_error *err)
{
    sp_decoded result;
    sp_status status =
        sp_decode(chain, scores, &(sp_decode_options){.strategy = strategy}, scratch, path, &result, err);
    if (status == SP_OK && score)
        *score = result.score;
    return status;
}

/* n_broken, and broken [T]: may be NULL. */
static inline sp_status decode_one_relaxed(sp_strategy strategy, const sp_chain *chain,
                                           const sp_scores *scores, int32_t *path, int64_t *n_broken,
                                           uint8_t *broken, sp_error *err)
{
    const int64_t offsets[2] = {0, scores->n_steps};
    const sp_batch batch = {*scores, 1, offsets};
    const sp_decode_options options = {.strategy = strategy, .relax = true};
    sp_decoded result;
    const sp_decode_output output = {.paths = path, .results = &result, .broken = broken};
    sp_workers *workers = sp_workers_new(1);
    const sp_status status =
        workers ? sp_decode_batch(chain, &batch, &options, workers, &output, err) : SP_ENOMEM;
    sp_workers_free(workers);
    if (status == SP_OK && n_broken)
        *n_broken = result.n_broken;
    return status == SP_OK ? result.status : status;
}

#define DECODE_PLAIN(name, kind)                                                                             \
    static inline sp_status decode_##name(const sp_chain *chain, const sp_scores *scores,                    \
                                          sp_scratch *scratch, int32_t *path, double *score, sp_error *err)  \
    {                                                                                                        \
        return decode_one((sp_strategy){kind, 0}, chain, scores, scratch, path, score, err);                 \
    }
DECODE_PLAIN(argmax, SP_ARGMAX)
DECODE_PLAIN(greedy, SP_GREEDY)
DECODE_PLAIN(posterior, SP_POSTERIOR)
DECODE_PLAIN(mea, SP_MEA)
DECODE_PLAIN(posterior_viterbi, SP_POSTERIOR_VITERBI)

#define DECODE_WITH_PARAMETER(name, kind)                                                                    \
    static inline sp_status decode_##name(const sp_chain *chain, const sp_scores *scores, int32_t parameter, \
                                          sp_scratch *scratch, int32_t *path, double *score, sp_error *err)  \
    {                                                                                                        \
        return decode_one((sp_strategy){kind, parameter}, chain, scores, scratch, path, score, err);         \
    }
DECODE_WITH_PARAMETER(beam, SP_BEAM)
DECODE_WITH_PARAMETER(online, SP_ONLINE)

#endif
