/* The durations of a model as a comparison holds them. */
#include "core/model/durations.h"
#include "evaluate/evaluation.h"

sp_status sp_durations_list(sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    if (!c->has_durations)
        return SP_OK;
    if (!(c->durations = sp_calloc(e->K, sizeof *c->durations)))
        return sp_no_memory(err);
    sp_chain_durations_ends(e->chain, &c->whole_at_start, &c->whole_at_end);
    for (int32_t k = 0; k < e->K; k++) {
        const sp_run_weights *w = sp_chain_duration(e->chain, k);
        sp_class_duration *one = &c->durations[k];
        if (!w)
            continue;
        one->is_there = true;
        one->lengths = sp_run_weights_lengths(w);
    }
    return SP_OK;
}
