/* sp_evaluate(): paths in memory, ours or others', evaluated against recordings from anywhere. */
#include <string.h>

#include "pipeline/calibration.h"
#include "pipeline/judging.h"
#include "pipeline/path_source.h"

typedef struct array_evaluation {
    sp_pipeline p;
    const sp_array_paths *paths;
    sp_given_paths given;
} array_evaluation;

static sp_decoded result_of(void *arg, int32_t s, int64_t recording, bool is_undecoded)
{
    const array_evaluation *e = arg;
    return e->paths->results ? e->paths->results[s][recording]
                             : (sp_decoded){.status = is_undecoded ? SP_ENOPATH : SP_OK, .step = -1};
}

static sp_status read_paths(void *arg, int32_t s, const sp_part *part, int32_t *paths, sp_decoded *results,
                            sp_error *err)
{
    const array_evaluation *e = arg;
    const int64_t *offsets = e->p.info->offsets + part->recording, begin = offsets[0];
    const int64_t n = offsets[part->count] - begin;
    const int32_t *from = e->paths->paths[s] + begin;
    for (int64_t t = 0; t < n; t++)
        if (from[t] < -1 || from[t] >= e->p.model->n_classes)
            return sp_fail(err, SP_EDATA,
                           "%s: class %d at step %lld of all: it is from 0 to %d, or -1 where undecoded",
                           e->p.names[s], from[t], (long long)begin + t, e->p.model->n_classes - 1);
    memcpy(paths, from, (size_t)n * sizeof *paths);
    for (int64_t r = 0; r < part->count; r++) {
        bool is_undecoded = true;
        for (int64_t t = offsets[r]; is_undecoded && t < offsets[r + 1]; t++)
            is_undecoded = e->paths->paths[s][t] == -1;
        results[r] = result_of(arg, s, part->recording + r, is_undecoded);
    }
    return SP_OK;
}

static sp_status open_arrays(array_evaluation *e, const sp_recordings *recordings, const sp_run_options *o,
                             sp_error *err)
{
    sp_pipeline *p = &e->p;
    if (e->paths->n_strategies < 1 || e->paths->n_strategies > SP_RUN_STRATEGIES)
        return sp_fail(err, SP_EINVAL, "%d strategies to evaluate: 1 to %d", e->paths->n_strategies,
                       SP_RUN_STRATEGIES);
    sp_run_plan plan;
    sp_status status = sp_run_plan_make(o, SP_CALL_EVALUATE, &plan, err);
    if (status == SP_OK)
        status = sp_pipeline_open(p, recordings, o, &plan, err);
    if (status != SP_OK)
        return status;
    p->n_strategies = e->paths->n_strategies;
    for (int s = 0; s < p->n_strategies; s++)
        p->names[s] = e->paths->names[s];
    if (p->info->has_labels && p->info->has_scores)
        sp_pipeline_want_likelihood(p);
    p->prepare = sp_prepare_options_default();
    p->prepare.kind = p->info->kind;
    p->prepare.missing_uniform = true;
    e->given = (sp_given_paths){.read = read_paths, .arg = e};
    p->source = &sp_given_source;
    p->given = &e->given;
    p->about.has_path_scores = e->paths->results != NULL;
    return sp_pipeline_use_given(p, err);
}

sp_status sp_evaluate(const sp_recordings *recordings, const sp_array_paths *paths, const sp_run_options *o,
                      sp_comparison **out, sp_run_result *result, sp_error *err)
{
    if (o->n_folds)
        return sp_fail(err, SP_EINVAL, "`cv` is of comparing: what is evaluated has been decoded");
    array_evaluation e = {.p = {.opt = o}, .paths = paths};
    sp_status status = open_arrays(&e, recordings, o, err);
    if (status == SP_OK)
        status = sp_pipeline_evaluate(&e.p, out, err);
    sp_pipeline_result(&e.p, result);
    sp_pipeline_close(&e.p);
    return status;
}
