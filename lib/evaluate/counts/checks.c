/* Is what comes to an evaluation what was announced? */
#include "evaluate/evaluation.h"

#include "core/try.h"

#include <inttypes.h>
#include <stdio.h>

static sp_status check_steps(const sp_evaluation *e, const char *id, int64_t n, const int32_t *steps,
                             const char *what, sp_error *err)
{
    const int32_t K = e->K;
    int is_wrong = 0;
    for (int64_t t = 0; t < n; t++)
        is_wrong |= (steps[t] < -1) | (steps[t] >= K);
    for (int64_t t = 0; is_wrong && t < n; t++)
        if (steps[t] < -1 || steps[t] >= K)
            return sp_fail_at(err, SP_EDATA, t,
                              "recording %s, step %" PRId64
                              ": %s is %d, but the %d classes are 0 to %d, and -1 stands for none",
                              id, t, what, steps[t], e->K, e->K - 1);
    return SP_OK;
}

sp_status sp_check_subject(const sp_evaluation *e, int32_t subject, sp_error *err)
{
    int32_t n = e->result->n_subjects;
    return n == 0 || (subject >= 0 && subject < n)
               ? SP_OK
               : sp_fail(err, SP_EINVAL, "subject %d, but %d subjects were announced", subject, n);
}

sp_status sp_check_recording(const sp_evaluation *e, const char *id, int64_t n_steps, const int32_t *labels,
                             const sp_views *views, sp_error *err)
{
    if (e->options.has_labels && !labels)
        return sp_fail(err, SP_EINVAL, "labels were announced, but there are none");
    const int32_t n_raters = e->options.n_raters;
    if (n_raters > 0 && !views->raters)
        return sp_fail(err, SP_EINVAL, "scorers were announced, but there are none");
    char what[96];
    sp_status status = SP_OK;
    if (labels)
        TRY(check_steps(e, id, n_steps, labels, "the label", err));
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        snprintf(what, sizeof what, "the class chosen by %.64s", e->result->strategies[s].name);
        if (views->results[s].status == SP_OK)
            TRY(check_steps(e, id, n_steps, views->paths[s], what, err));
    }
    for (int32_t i = 0; i < n_raters; i++) {
        snprintf(what, sizeof what, "the label of %.64s", e->result->raters->names[i]);
        TRY(check_steps(e, id, n_steps, views->raters[i], what, err));
    }
done:
    return status;
}
