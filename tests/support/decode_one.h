/* One recording in memory by each strategy, and by the relaxed forms. */
#ifndef TEST_DECODE_ONE_H
#define TEST_DECODE_ONE_H

#include "decode/sequence.h" /* relaxed where the strict form has a path, too, and the broken rules of one recording */
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

/* Whether the strategy finds a path or not. */
static inline sp_status decode_one_relaxed(sp_strategy strategy, const sp_chain *chain,
                                           const sp_scores *scores, sp_scratch *scratch,
                                           sp_whole_output output, sp_error *err)
{
    return sp_decode_whole(chain, scores, &strategy, true, scratch, &output, err);
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

#define DECODE_RELAXED(name, kind)                                                                           \
    static inline sp_status decode_##name##_relaxed(const sp_chain *chain, const sp_scores *scores,          \
                                                    sp_scratch *scratch, int32_t *path, int64_t *n_broken,   \
                                                    uint8_t *broken, sp_error *err)                          \
    {                                                                                                        \
        const sp_whole_output output = {.path = path, .n_broken = n_broken, .broken = broken};               \
        return decode_one_relaxed((sp_strategy){kind, 0}, chain, scores, scratch, output, err);              \
    }
DECODE_RELAXED(argmax, SP_ARGMAX)
DECODE_RELAXED(greedy, SP_GREEDY)
DECODE_RELAXED(viterbi, SP_VITERBI)

#endif
