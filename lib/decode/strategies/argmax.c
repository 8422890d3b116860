/* Argmax: each step alone, whatever the rules, of the scores as the classifier gave them. Relaxed, class 0 is taken, at the price
 * of one broken rule, where every class of a step is -INFINITY. */
#include "core/best_class.h"
#include "decode/strategy.h"

static sp_status go(sp_sequence *s, bool is_relaxed, sp_error *err)
{
    double *row = sp_scratch_get(s->scratch, (size_t)s->chain->n_classes, sizeof *row);
    if (!row)
        return sp_no_memory(err);
    for (int64_t t = 0; t < s->scores->n_steps; t++) {
        const int32_t k = sp_best_class(s->scores, t, sp_row(s->scores, t, row), NULL);
        if (k < 0 && !is_relaxed)
            return sp_fail_at(
                err, SP_ENOPATH, t,
                "every class of step %lld is impossible: look at its scores and masks, or decode with "
                "`on_infeasible` relax",
                (long long)t);
        s->path[t] = k < 0 ? 0 : k;
        s->n_broken += k < 0;
        if (s->broken)
            s->broken[t] = k < 0;
    }
    return SP_OK;
}

static sp_status decode(sp_sequence *s, int32_t parameter, sp_error *err)
{
    (void)parameter;
    return go(s, false, err);
}

static sp_status relax(sp_sequence *s, int32_t parameter, sp_error *err)
{
    (void)parameter;
    return go(s, true, err);
}

const sp_strategy_row sp_argmax_row = {{.name = "argmax",
                                        .summary = "each step alone; may be illegal",
                                        .when = "the baseline that everybody reports"},
                                       .decode = decode,
                                       .relax = relax};
