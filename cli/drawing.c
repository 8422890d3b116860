#include "drawing.h"

#include <stdlib.h>

sp_status drawing_fetch(const sp_chain *chain, const sp_evaluation_options *how, judge_again *judge, void *arg,
                        sp_comparison *comparison, sp_error *err)
{
    int64_t *recordings = NULL, n = 0;
    sp_status status = how->trace_steps ? sp_report_drawn(comparison, how->trace_steps, &recordings, &n, err) : SP_OK;
    if (status != SP_OK || n == 0) {
        free(recordings);
        return status;
    }
    sp_evaluation_options steps = sp_evaluation_options_default();
    steps.has_labels = how->has_labels;
    steps.n_strategies = how->n_strategies;
    steps.names = how->names;
    steps.trace_steps = how->trace_steps;
    steps.with_ceiling = false;
    sp_evaluation *evaluation = NULL;
    status = sp_evaluation_new(chain, NULL, &steps, &evaluation, err);
    if (status == SP_OK)
        status = judge(arg, n, recordings, evaluation, err);
    if (status == SP_OK)
        sp_evaluation_move_traces(evaluation, recordings, comparison);
    sp_evaluation_free(evaluation);
    free(recordings);
    return status;
}
