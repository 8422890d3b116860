#include "pipeline/parts/part_run.h"

#include <stdlib.h>

#include "core/try.h"
#include "options/options.h"
#include "pipeline/calibration.h"

sp_status sp_part_run_open(sp_part_run *run, sp_pipeline *p, sp_error *err)
{
    const sp_run_options *o = p->opt;
    sp_status status = SP_OK;
    TRY(sp_options_check_part(o, err));
    TRY(sp_part_steps_read(o->part.steps, &run->with_steps, err));
    TRY(sp_shard_read(o->part.shard, &run->shard, err));
    sp_shard_range(&run->shard, p->info, &p->first, &p->end);
    p->part = run;
done:
    return status;
}

void sp_part_run_clear(sp_part_run *run)
{
    sp_part_content_clear(&run->content);
    free(run->file);
    free(run->takes);
}

/* ---- which recordings ---- */

int64_t sp_part_next(const sp_pipeline *p, int64_t *first)
{
    const int64_t end = p->part ? p->end : p->info->n_recordings;
    const uint8_t *takes = p->part ? p->part->takes : NULL;
    while (takes && *first < end && !takes[*first])
        ++*first;
    int64_t last = takes ? *first : end;
    while (last < end && takes[last])
        last++;
    return last;
}

sp_status sp_part_take_folds(sp_pipeline *p, sp_error *err)
{
    sp_part_run *part = p->part;
    const int64_t N = p->info->n_recordings;
    if (!part || !p->folds)
        return SP_OK;
    part->takes = malloc((size_t)N + 1);
    for (int64_t r = 0; part->takes && r < N; r++)
        part->takes[r] = sp_shard_has_fold(&part->shard, p->folds->fold[r]);
    p->first = 0;
    p->end = N;
    return part->takes ? SP_OK : sp_no_memory(err);
}

/* ---- what is counted beside the evaluation ---- */

void sp_part_count_run(sp_counting *c, sp_pipeline *p)
{
    sp_count(c, p->undecoded, p->n_strategies);
    sp_count(c, p->relaxed, p->n_strategies);
    sp_count(c, &p->n_bugs, 1);
    sp_count(c, &p->counts.floored, 1);
    sp_count(c, &p->counts.missing, 1);
    sp_count(c, &p->counts.masked, 1);
    sp_nll_count_sums(c, &p->nll);
    if (p->reliability)
        sp_reliability_count_sums(c, p->reliability);
    for (int i = 0; p->reliability && p->calibration && i < p->calibration->n; i++) {
        sp_nll_count_sums(c, &p->calibration->sums[i].nll);
        sp_reliability_count_sums(c, p->calibration->sums[i].reliability);
    }
}
