#include "pipeline/parts/part_run.h"

#include <stdlib.h>

#include "core/try.h"
#include "pipeline/calibration.h"
#include "pipeline/judging.h"
#include "pipeline/run.h"

void sp_part_run_open(sp_part_run *run, sp_pipeline *p)
{
    run->with_steps = p->plan.part_has_steps;
    run->shard = p->plan.shard;
    sp_shard_range(&run->shard, p->info, &p->range.first, &p->range.end);
    p->range.shard = &run->shard;
    run->p = p;
}

void sp_part_run_clear(sp_part_run *run)
{
    sp_part_content_clear(&run->content);
    free(run->file);
    free(run->takes);
}

sp_status sp_part_run_take_folds(sp_part_run *run, sp_error *err)
{
    sp_pipeline *p = run->p;
    const int64_t N = p ? p->info->n_recordings : 0;
    if (!p || !p->folds)
        return SP_OK;
    run->takes = malloc((size_t)N + 1);
    if (!run->takes)
        return sp_no_memory(err);
    for (int64_t r = 0; r < N; r++)
        run->takes[r] = sp_shard_has_fold(&run->shard, p->folds->fold[r]);
    p->range.first = 0;
    p->range.end = N;
    p->range.takes = run->takes;
    return SP_OK;
}

sp_status sp_part_run_count(sp_part_run *run, sp_error *err)
{
    sp_pipeline *p = run->p;
    sp_judging j;
    sp_counting more = {.to = &run->content.run};
    sp_status status = SP_OK;
    TRY(sp_judging_open(&j, p, &(sp_judging_form){.is_part = true, .keeps_steps = run->with_steps}, err));
    TRY(run->begin(run, &j.how, err));
    if (run->is_there)
        goto done;
    TRY(sp_pipeline_run(p, err));
    TRY(sp_evaluation_counted(j.evaluation, &run->content.counted, err));
    sp_part_count_run(&more, p);
    TRY(sp_counting_end(&more, "the part", err));
done:
    sp_run_progress(p->opt, NULL, 0, 0);
    sp_judging_close(&j);
    return status;
}

/* ---- what is counted beside the evaluation ---- */

void sp_part_count_run(sp_counting *c, sp_pipeline *p)
{
    sp_count(c, p->done.undecoded, p->n_strategies);
    sp_count(c, p->done.relaxed, p->n_strategies);
    sp_count(c, &p->done.n_bugs, 1);
    sp_count(c, &p->done.scores.floored, 1);
    sp_count(c, &p->done.scores.missing, 1);
    sp_count(c, &p->done.scores.masked, 1);
    sp_nll_count_sums(c, &p->likelihood.nll);
    if (p->likelihood.reliability)
        sp_reliability_count_sums(c, p->likelihood.reliability);
    for (int i = 0;
         p->likelihood.reliability && p->likelihood.calibration && i < p->likelihood.calibration->n; i++) {
        sp_nll_count_sums(c, &p->likelihood.calibration->sums[i].nll);
        sp_reliability_count_sums(c, p->likelihood.calibration->sums[i].reliability);
    }
}
