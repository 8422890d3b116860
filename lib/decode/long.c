#include "statepath/long.h"

#include <math.h>

#include "decode/long_pieces.h"

static sp_status decode_strictly(sp_pieces *p, const sp_strategy *strategy, sp_decoded *result, sp_error *err)
{
    switch (strategy->kind) {
    case SP_ARGMAX:
        return sp_long_argmax(p, false, result, err);
    case SP_GREEDY:
        return sp_long_greedy(p, result, err);
    case SP_BEAM:
        return sp_long_beam(p, strategy->parameter, result, err);
    case SP_POSTERIOR:
        return sp_long_posterior(p, result, err);
    case SP_MEA:
        return sp_long_mea(p, false, result, err);
    case SP_POSTERIOR_VITERBI:
        return sp_long_mea(p, true, result, err);
    case SP_ONLINE:
        return sp_long_online(p, strategy->parameter, result, err);
    default:
        return sp_long_viterbi(p, result, err);
    }
}

static sp_status decode_relaxed(sp_pieces *p, sp_strategy_kind kind, sp_decoded *result, sp_error *err)
{
    *result = (sp_decoded){.status = SP_OK, .step = -1};
    return kind == SP_ARGMAX ? sp_long_argmax(p, true, result, err) : sp_long_relaxed(p, kind == SP_GREEDY, result, err);
}

static sp_status check_strategy(const sp_strategy *strategy, sp_error *err)
{
    if ((int)strategy->kind < 0 || strategy->kind >= SP_N_STRATEGIES)
        return sp_fail(err, SP_EINVAL, "strategy %d is not one that decodes a recording", (int)strategy->kind);
    if (strategy->kind == SP_BEAM && strategy->parameter < 1)
        return sp_fail(err, SP_EINVAL, "beam width %d: at least one partial path must be kept", (int)strategy->parameter);
    if (strategy->kind == SP_ONLINE && strategy->parameter < 0)
        return sp_fail(err, SP_EINVAL, "online lag %d: a step cannot be decided before it is seen; use 0 or more",
                       (int)strategy->parameter);
    return SP_OK;
}

sp_status sp_decode_long(const sp_chain *chain, const sp_long_recording *recording, const sp_decode_options *options,
                         sp_workers *workers, sp_decoded *result, sp_error *err)
{
    sp_status status = check_strategy(&options->strategy, err);
    sp_decoded found = {.status = SP_OK, .step = -1};
    if (status == SP_OK && recording->n_steps > 0) {
        sp_pieces *p = sp_pieces_new(chain, recording, workers);
        status = p ? decode_strictly(p, &options->strategy, &found, err) : sp_decode_no_memory(err);
        if (status == SP_OK && sp_strategy_is_legal(options->strategy.kind))
            sp_pieces_verify(p, &found);
        if (status == SP_OK && found.status != SP_OK)
            status = sp_pieces_give_up(p, err);
        if (status == SP_OK && found.status != SP_OK && found.status != SP_EBUG && options->relax) {
            status = decode_relaxed(p, options->strategy.kind, &found, err);
            if (status == SP_OK && found.status != SP_OK)
                status = sp_pieces_give_up(p, err);
        }
        if (status == SP_OK)
            found.score = found.status == SP_OK ? sp_pieces_score(p) : -INFINITY;
        sp_pieces_free(p);
    }
    if (status == SP_OK)
        *result = found;
    return status;
}

int sp_long_readings(sp_strategy_kind strategy)
{
    switch (strategy) {
    case SP_ARGMAX:
    case SP_GREEDY:
    case SP_ONLINE:
        return 1;
    case SP_POSTERIOR:
        return 3;
    case SP_MEA:
    case SP_POSTERIOR_VITERBI:
        return 4;
    default:
        return 2;
    }
}
