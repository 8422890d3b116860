#include "pipeline/consumer.h"

#include <assert.h>

#include "pipeline/pipeline.h"

void sp_pipeline_add_consumer(sp_pipeline *p, const sp_consumer *consumer)
{
    assert(p->n_consumers < SP_MOST_CONSUMERS);
    p->consumers[p->n_consumers++] = *consumer;
}

void sp_pipeline_remove_consumer(sp_pipeline *p, const void *arg)
{
    int kept = 0;
    for (int i = 0; i < p->n_consumers; i++)
        if (p->consumers[i].arg != arg)
            p->consumers[kept++] = p->consumers[i];
    p->n_consumers = kept;
}

static sp_status call_hook(void *arg, int32_t s, int64_t first, int64_t n_recordings, int64_t first_step,
                           int64_t n_steps, const sp_decode_output *output, sp_error *err)
{
    const sp_run_hooks *h = arg;
    return h->paths(h->arg, s, first, n_recordings, first_step, n_steps, output, err);
}

void sp_pipeline_add_hook(sp_pipeline *p)
{
    const sp_consumer hook = {.arg = (void *)&p->opt->hooks, .paths = call_hook}; /* only looked at */
    if (p->opt->hooks.paths)
        sp_pipeline_add_consumer(p, &hook);
}

sp_wants sp_consumers_want(const sp_pipeline *p)
{
    sp_wants all = {.n_best = 0};
    for (const sp_consumer *c = p->consumers; c < p->consumers + p->n_consumers; c++) {
        all.confidence |= c->with_confidence;
        all.n_best = c->n_best > all.n_best ? c->n_best : all.n_best;
        all.n_draws = c->n_draws > all.n_draws ? c->n_draws : all.n_draws;
    }
    return all;
}

/* Asks all that have the callback, until one fails. */
#define ASK_EACH(callback, ...)                                                                              \
    for (const sp_consumer *c = p->consumers; status == SP_OK && c < p->consumers + p->n_consumers; c++)     \
    status = c->callback ? c->callback(c->arg, __VA_ARGS__) : SP_OK

sp_status sp_consumers_open(const sp_pipeline *p, sp_error *err)
{
    sp_status status = SP_OK;
    ASK_EACH(open, err);
    return status;
}

sp_status sp_consumers_prepared(const sp_pipeline *p, const sp_block *block, sp_error *err)
{
    sp_status status = SP_OK;
    ASK_EACH(prepared, block, err);
    return status;
}

sp_status sp_consumers_reserve(const sp_pipeline *p, int s, const sp_block *block, sp_decode_output *output,
                               sp_error *err)
{
    sp_status status = SP_OK;
    ASK_EACH(reserve, s, block, output, err);
    return status;
}

sp_status sp_consumers_paths(const sp_pipeline *p, int32_t s, int64_t first, int64_t n_recordings,
                             int64_t first_step, int64_t n_steps, const sp_decode_output *output,
                             sp_error *err)
{
    sp_status status = SP_OK;
    ASK_EACH(paths, s, first, n_recordings, first_step, n_steps, output, err);
    return status;
}

sp_status sp_consumers_unread(const sp_pipeline *p, int64_t recording, sp_error *err)
{
    sp_status status = SP_OK;
    ASK_EACH(unread, recording, err);
    return status;
}

sp_status sp_consumers_steps(const sp_pipeline *p, int32_t s, int64_t first_step, int64_t n_steps,
                             const int32_t *path, sp_error *err)
{
    sp_status status = SP_OK;
    ASK_EACH(steps, s, first_step, n_steps, path, err);
    return status;
}

sp_status sp_consumers_ended(const sp_pipeline *p, int32_t s, int64_t recording, const sp_decoded *result,
                             sp_error *err)
{
    sp_status status = SP_OK;
    ASK_EACH(ended, s, recording, result, err);
    return status;
}

sp_status sp_consumers_labels(const sp_pipeline *p, int64_t first_step, int64_t n_steps,
                              const int32_t *labels, const int64_t *segments, sp_error *err)
{
    sp_status status = SP_OK;
    ASK_EACH(labels, first_step, n_steps, labels, segments, err);
    return status;
}

sp_status sp_consumers_block(const sp_pipeline *p, const sp_evaluation_block *block, sp_error *err)
{
    sp_status status = SP_OK;
    ASK_EACH(block, block, err);
    return status;
}
