/* The durations of a model as a comparison holds them: in figures, and as a curve of few points. */
#include "core/model/durations.h"
#include "evaluate/evaluation.h"

#include <math.h>

/* Share of whole runs longer than d. */
static double longer_than(const sp_run_weights *w, int64_t d)
{
    return exp(sp_run_weight(w, d + 1, true) - w->cut[0]);
}

/* Lengths are a table's: each of the first, then each greater than the one before by so small a part that nobody sees it on a
 * logarithmic axis. Where less than a thousandth is left, nobody does either. */
static void list_points(const sp_run_weights *w, sp_class_duration *out)
{
    const double growth = 1.06, least = .001;
    int64_t d = out->lengths.min;
    while (out->n_points < SP_DURATION_POINTS) {
        const double share = longer_than(w, d);
        out->points[out->n_points++] = (sp_longer_share){d, share};
        if (share < least)
            return;
        const int64_t next = (int64_t)((double)d * growth);
        d = next > d ? next : d + 1;
    }
}

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
        if (one->lengths.has_distribution)
            list_points(w, one);
    }
    return SP_OK;
}
