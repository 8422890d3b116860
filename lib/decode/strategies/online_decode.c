/* Fixed lag as a strategy: a recording is a stream. */
#include "core/try.h"
#include "decode/strategies/online.h"
#include "decode/strategy.h"

static sp_status go_online(sp_online *online, sp_sequence *s, double *row, sp_error *err)
{
    sp_status status = SP_OK;
    int64_t t = 0, n = 0;
    int32_t k, n_rest;
    for (; t < s->scores->n_steps; t++) {
        TRY(sp_online_push(online, sp_row(s->scores, t, row), sp_scores_is_gap(s->scores, t), &k, err));
        if (k >= 0)
            s->path[n++] = k;
    }
    t--;
    TRY(sp_online_finish(online, s->path + n, &n_rest, err));
done:
    return status == SP_ENOPATH || status == SP_EDEADEND ? sp_sequence_stuck(s, "online decoding", t, err)
                                                         : status;
}

static sp_status decode(sp_sequence *s, int32_t lag, sp_error *err)
{
    sp_online *online = NULL;
    double *row = sp_scratch_get(s->scratch, (size_t)s->chain->n_classes, sizeof *row);
    sp_status status = SP_OK;
    TRY(row ? sp_online_new(s->chain, lag, &online, err) : sp_no_memory(err));
    sp_online_forget_reach(online);
    TRY(go_online(online, s, row, err));
done:
    sp_online_free(online);
    return status;
}

const sp_strategy_row sp_online_row = {
    {.name = "online",
     .parameter = "LAG",
     .sample = 5,
     .is_legal = true,
     .knows_rules = true,
     .summary = "decides each step once LAG more steps have been seen",
     .when = "live correction while a recording goes on (`statepath stream`)"},
    .decode = decode};
