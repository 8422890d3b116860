/* Argmax: each step alone, whatever the rules, of the scores as the classifier gave them. Relaxed, class 0 is taken, at the price
 * of one broken rule, where every class of a step is -INFINITY. */
#include "core/best_class.h"
#include "core/try.h"
#include "decode/strategy.h"

/* Returns the row of which every class is impossible, or -1; relaxed, class 0 is taken there. */
static int64_t choose(sp_sequence *s, const sp_scores *scores, bool is_relaxed, double *row)
{
    for (int64_t t = 0; t < scores->n_steps; t++) {
        const double *e = sp_row(scores, t, row);
        int32_t k = sp_best_class(scores, t, e, NULL);
        if (k < 0 && !is_relaxed)
            return t;
        s->path[t] = k < 0 ? 0 : k;
        s->n_broken += k < 0;
        if (s->broken)
            s->broken[t] = k < 0;
    }
    return -1;
}

static sp_status go(sp_sequence *s, bool is_relaxed, sp_error *err)
{
    double *row = sp_scratch_get(s->scratch, (size_t)s->chain->n_classes, sizeof *row);
    sp_status status = SP_OK;
    TRY(row ? SP_OK : sp_no_memory(err));
    for (int64_t i = 0; i < s->n; i++) {
        sp_scores scores;
        TRY(sp_sequence_read(s, i, &scores, err));
        int64_t stuck = choose(s, &scores, is_relaxed, row);
        if (stuck >= 0)
            return sp_fail_at(
                err, SP_ENOPATH, i * s->steps + stuck,
                "every class of step %lld is impossible: look at its scores and masks, or decode with "
                "`on_infeasible` relax",
                (long long)i * s->steps + stuck);
        TRY(sp_sequence_write(s, i * s->steps, &scores, s->path, is_relaxed ? s->broken : NULL, err));
    }
done:
    return status;
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
                                        .readings = 1,
                                        .summary = "each step alone; may be illegal",
                                        .when = "the baseline that everybody reports"},
                                       .decode = decode,
                                       .relax = relax};
