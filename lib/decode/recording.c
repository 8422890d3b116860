#include "decode/recording.h"

#include <math.h>
#include <string.h>

sp_status sp_decode_check(const sp_chain *chain, const sp_scores *scores, sp_error *err)
{
    if (scores->n_classes == chain->n_classes)
        return SP_OK;
    return sp_fail(err, SP_EINVAL, "the scores have %d classes and the model has %d: take a model of the same classes",
                   (int)scores->n_classes, (int)chain->n_classes);
}

sp_status sp_decode_finish(const sp_chain *chain, const sp_scores *scores, const int32_t *found, bool must_be_legal,
                           int32_t *path, double *score, sp_error *err)
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

bool sp_reach_step(const sp_chain *chain, sp_reach how, const double *e, const uint8_t *now, uint8_t *next)
{
    int32_t n_states = chain->n_states;
    if (how == SP_REACH_START) {
        for (int32_t j = 0; j < n_states; j++)
            next[j] = chain->start[j] > -INFINITY;
    } else if (how == SP_REACH_ENTRY) {
        memcpy(next, chain->entry, (size_t)n_states);
    } else {
        memset(next, 0, (size_t)n_states);
        for (int32_t i = 0; i < n_states; i++)
            if (now[i])
                for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1]; s++)
                    next[chain->succ[s]] = 1;
    }
    bool any = false;
    for (int32_t j = 0; j < n_states; j++) {
        next[j] = next[j] && e[chain->state_class[j]] > -INFINITY;
        any = any || next[j];
    }
    return any;
}

sp_status sp_path_exists(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, sp_error *err)
{
    size_t n_states = (size_t)chain->n_states;
    double *row = sp_row_buffer(scores, scratch);
    uint8_t *now = sp_scratch_get(scratch, SP_SLOT_REACH, 2 * n_states, 1);
    if (!row || !now)
        return sp_decode_no_memory(err);
    if (scores->n_steps == 0)
        return SP_OK;
    uint8_t *next = now + n_states;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        sp_reach how = t == 0 ? SP_REACH_START : sp_scores_is_gap(scores, t) ? SP_REACH_ENTRY : SP_REACH_NEXT;
        if (!sp_reach_step(chain, how, sp_row(scores, t, row), now, next))
            return sp_fail_at(
                err, SP_ENOPATH, t,
                "no allowed path has a finite score: no class that may stand at step %lld is possible there: look at "
                "its scores and masks, or decode with --on-infeasible relax",
                (long long)t);
        uint8_t *before = now;
        now = next;
        next = before;
    }
    for (size_t j = 0; j < n_states; j++)
        if (now[j] && chain->end[j] > -INFINITY)
            return SP_OK;
    return sp_fail_at(
        err, SP_ENOPATH, scores->n_steps - 1,
        "no allowed path has a finite score: none of the classes that can stand at the last step, %lld, may end: look "
        "at \"end\" in the model, or decode with --on-infeasible relax",
        (long long)(scores->n_steps - 1));
}

sp_status sp_decode_no_path(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, sp_error *err)
{
    sp_status status = sp_path_exists(chain, scores, scratch, err);
    if (status != SP_OK)
        return status;
    return sp_fail_at(
        err, SP_ENOPATH, scores->n_steps - 1,
        "no allowed path has a finite score, because the sum of the scores leaves the range of a double: scale them down");
}

sp_status sp_decode_stuck(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, const char *who, int64_t step,
                          sp_error *err)
{
    sp_status status = sp_path_exists(chain, scores, scratch, err);
    if (status != SP_OK)
        return status;
    return sp_fail_at(err, SP_EDEADEND, step,
                      "%s met a dead end: nothing that it kept can go on at step %lld, or end there, though an allowed path "
                      "exists: decode with viterbi, which looks ahead to the end",
                      who, (long long)step);
}
