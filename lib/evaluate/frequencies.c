/* How often things happen along a path: every rate with the name of its denominator. */
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

static sp_value per_hour(int64_t n, int64_t transitions, double epoch_seconds)
{
    if (!(epoch_seconds > 0))
        return value_undefined("the length of a step is not known");
    return value_ratio((double)n, (double)transitions * epoch_seconds / 3600, "no transitions");
}

static void count_runs(int32_t K, const sp_class_runs *class_runs, sp_frequencies *f)
{
    f->runs = f->isolated = 0;
    for (int32_t k = 0; class_runs && k < K; k++) {
        f->runs += class_runs[k].count;
        f->isolated += class_runs[k].isolated;
    }
    f->isolated_share = value_ratio((double)f->isolated, (double)f->runs, "no bouts");
}

static void fill(const sp_comparison *c, const sp_transition_counts *counts, const sp_class_runs *class_runs, sp_frequencies *f)
{
    f->illegal_per_transition = value_ratio((double)counts->illegal, (double)counts->transitions, "no transitions");
    f->illegal_per_change = value_ratio((double)counts->illegal, (double)counts->changes, "no changes");
    f->illegal_per_hour = per_hour(counts->illegal, counts->transitions, c->epoch_seconds);
    f->changes_per_hour = per_hour(counts->changes, counts->transitions, c->epoch_seconds);
    count_runs(c->n_classes, class_runs, f);
}

void sp_frequencies_fill(sp_comparison *c)
{
    sp_frequencies *reference = &c->reference_frequencies;
    if (c->has_labels) {
        fill(c, &c->reference, c->reference_runs, reference);
        reference->runs_ratio = value_undefined("the reference itself");
    }
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_strategy_result *one = &c->strategies[s];
        sp_frequencies *f = &one->frequencies;
        fill(c, &one->counts, one->class_runs, f);
        f->runs_ratio = c->has_labels ? value_ratio((double)f->runs, (double)reference->runs, "no bouts in the reference")
                                      : value_undefined("no reference");
        f->worst_recording = -1;
        f->worst_illegal = 0;
        for (int64_t r = 0; r < c->n_recordings; r++)
            if (one->recordings[r].counts.illegal > f->worst_illegal) {
                f->worst_recording = r;
                f->worst_illegal = one->recordings[r].counts.illegal;
            }
    }
}
