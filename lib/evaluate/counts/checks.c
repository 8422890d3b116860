/* Is what comes to an evaluation what was announced? */
#include "evaluate/evaluation.h"

#include "core/try.h"

#include <inttypes.h>
#include <stdio.h>

sp_status sp_evaluation_check(const sp_evaluation *e, const char *id, int64_t first, int64_t n,
                              const int32_t *steps, const char *what, sp_error *err)
{
    for (int64_t t = 0; t < n; t++)
        if (steps[t] < -1 || steps[t] >= e->K)
            return sp_fail_at(err, SP_EDATA, first + t,
                              "recording %s, step %" PRId64
                              ": %s is %d, but the %d classes are 0 to %d, and -1 stands for none",
                              id, first + t, what, steps[t], e->K, e->K - 1);
    return SP_OK;
}

sp_status sp_check_subject(const sp_evaluation *e, int32_t subject, sp_error *err)
{
    int32_t n = e->result->n_subjects;
    return n == 0 || (subject >= 0 && subject < n)
               ? SP_OK
               : sp_fail(err, SP_EINVAL, "subject %d, but %d subjects were announced", subject, n);
}

sp_status sp_check_piece(const sp_evaluation *e, const sp_at_hand *h, const sp_evaluation_piece *piece,
                         sp_error *err)
{
    int64_t rest = h->recording.n_steps - h->at - piece->n_steps;
    int64_t before = h->at < SP_AROUND ? h->at : SP_AROUND, after = rest < SP_AROUND ? rest : SP_AROUND;
    if (rest < 0 || (rest > 0 && piece->n_steps < SP_AROUND) || piece->before < before ||
        piece->after < after || piece->before > h->at || piece->after > rest)
        return sp_fail(err, SP_EINVAL,
                       "a piece of %" PRId64 " steps with %" PRId64 " before and %" PRId64
                       " after, at step %" PRId64 " of %" PRId64
                       ": at least %d are needed of each where there are so many",
                       piece->n_steps, piece->before, piece->after, h->at, h->recording.n_steps, SP_AROUND);
    if (e->options.has_labels && !piece->labels)
        return sp_fail(err, SP_EINVAL, "labels were announced, but there are none");
    const int32_t n_raters = e->options.n_raters;
    if (n_raters > 0 && !piece->raters)
        return sp_fail(err, SP_EINVAL, "scorers were announced, but there are none");
    char what[96];
    sp_status status = SP_OK;
    if (e->options.has_labels)
        TRY(sp_evaluation_check(e, h->id, h->at, piece->n_steps, piece->labels, "the label", err));
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        snprintf(what, sizeof what, "the class chosen by %.64s", e->result->strategies[s].name);
        if (h->recording.results[s].status == SP_OK)
            TRY(sp_evaluation_check(e, h->id, h->at, piece->n_steps, piece->paths[s], what, err));
    }
    for (int32_t i = 0; i < n_raters; i++) {
        snprintf(what, sizeof what, "the label of %.64s", e->result->raters->names[i]);
        TRY(sp_evaluation_check(e, h->id, h->at, piece->n_steps, piece->raters[i], what, err));
    }
done:
    return status;
}
