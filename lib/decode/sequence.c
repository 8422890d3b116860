#include "decode/sequence.h"

#include <math.h>

#include "decode/lengths.h"
#include "decode/walk/reach.h"

sp_status sp_sequence_verify(const sp_sequence *s, sp_error *err)
{
    if (isnan(s->recurrence)) /* sp_decode_finish() looks whether the path is legal */
        return SP_OK;
    return s->is_least ? sp_verify_state_path(s->chain, s->scores, s->path, s->recurrence, err)
                       : sp_verify_path(s->chain, s->scores, s->path, s->recurrence, err);
}

/* ---- where there is no path ---- */

/* Is there any allowed path over finite scores? SP_OK; SP_ENOPATH with err->step the first step that no state
 * reaches, or T-1 when states reach it but none may end. */
static sp_status look_for_path(const sp_sequence *s, sp_error *err)
{
    const sp_chain *c = s->chain;
    size_t M = (size_t)c->n_states;
    uint8_t *now = sp_scratch_get(s->scratch, 2 * M, 1), *next = now ? now + M : NULL;
    double *row = sp_scratch_get(s->scratch, (size_t)c->n_classes, sizeof *row);
    if (!now || !row)
        return sp_no_memory(err);
    for (int64_t t = 0; t < s->scores->n_steps; t++) {
        if (!sp_reach_step(c, sp_scores_reach(s->scores, t), sp_row(s->scores, t, row), now, next))
            return sp_fail_at(err, SP_ENOPATH, t,
                              "no allowed path has a finite score: no class that may stand at step %lld "
                              "is possible there: look at its scores and masks, or decode with "
                              "`on_infeasible` relax",
                              (long long)t);
        uint8_t *before = now;
        now = next;
        next = before;
    }
    for (size_t j = 0; j < M; j++)
        if (now[j] && c->end[j] > -INFINITY)
            return SP_OK;
    return sp_fail_at(err, SP_ENOPATH, s->scores->n_steps - 1,
                      "no allowed path has a finite score: none of the classes that can stand at the last "
                      "step, %lld, may end: look "
                      "at \"end\" in the model, or decode with `on_infeasible` relax",
                      (long long)(s->scores->n_steps - 1));
}

/* Where durations leave no path of so many steps, the sentence says so. */
static sp_status path_exists(const sp_sequence *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(s->scratch);
    sp_status status = look_for_path(s, err);
    sp_scratch_release(s->scratch, mark);
    char why[400];
    if (status == SP_ENOPATH && err && !s->scores->segments &&
        sp_say_lengths(s->chain, s->scores->n_steps, NULL, why, sizeof why))
        return sp_fail_at(err, SP_ENOPATH, err->step, "%s", why);
    return status;
}

sp_status sp_sequence_no_path(const sp_sequence *s, sp_error *err)
{
    sp_status status = path_exists(s, err);
    if (status != SP_OK)
        return status;
    return sp_fail_at(err, SP_ENOPATH, s->scores->n_steps - 1,
                      "no allowed path has a finite score, because the sum of the scores leaves the range of "
                      "a double: scale them down");
}

sp_status sp_sequence_stuck(const sp_sequence *s, const char *who, int64_t step, sp_error *err)
{
    sp_status status = path_exists(s, err);
    if (status != SP_OK)
        return status;
    return sp_fail_at(err, SP_EDEADEND, step,
                      "%s met a dead end: nothing that it kept can go on at step %lld, or end there, though "
                      "an allowed path "
                      "exists: decode with viterbi, which looks ahead to the end",
                      who, (long long)step);
}
