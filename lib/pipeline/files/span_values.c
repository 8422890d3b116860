#include "pipeline/files/span_values.h"

#include <math.h>
#include <stdlib.h>

#include "core/block.h"
#include "core/try.h"
#include "core/workers.h"

static bool reads(const void *tags, int32_t type, sp_span_pair pair, int32_t before, int32_t now)
{
    return (pair == SP_SPAN_BEGINS ? sp_tagged_begins
            : pair == SP_SPAN_ENDS ? sp_tagged_ends
                                   : sp_tagged_goes_on)(tags, type, before, now);
}

void sp_span_values_clear(sp_span_values *v)
{
    for (int i = 0; i < SP_SPAN_VALUES; i++)
        free(v->values[i]);
    free(v->tags);
    free(v->found);
    free(v->places);
    free(v->posteriors);
    *v = (sp_span_values){.tags = NULL};
}

static sp_status make_room(sp_span_values *v, const sp_pipeline *p, int64_t steps, sp_error *err)
{
    bool are_tags;
    if (v->tags && steps <= v->room)
        return SP_OK;
    sp_span_values_clear(v);
    const size_t S = (size_t)steps + 1;
    for (int i = 0; i < SP_SPAN_VALUES; i++)
        v->values[i] = malloc(S * sizeof *v->values[i]);
    v->tags = malloc(((size_t)p->info->n_classes + 1) * sizeof *v->tags);
    v->found = malloc(S * sizeof *v->found);
    v->places = malloc(S * sizeof *v->places);
    v->posteriors = malloc(S * sizeof *v->posteriors);
    v->room = steps;
    return v->values[0] && v->values[1] && v->tags && v->found && v->places && v->posteriors
               ? sp_tags_or_runs(p->info->n_classes, sp_pipeline_columns(p), v->tags, &are_tags, err)
               : sp_no_memory(err);
}

static double score_of(const sp_scores *scores, const int32_t *path, const sp_tagged_span *span)
{
    double sum = 0;
    for (int64_t t = span->first; t <= span->last; t++)
        sum += sp_scores_at(scores, t, path[t]);
    return sum;
}

/* Of one recording, whose values begin at step `at` of the block. */
static sp_status find_in(sp_span_values *v, const sp_pipeline *p, const sp_scores *scores,
                         const int32_t *path, int64_t at, sp_error *err)
{
    const int64_t n = sp_tagged_spans(v->tags, scores->n_steps, path, scores->segments, v->found);
    for (int64_t i = 0; i < n; i++) {
        v->places[i] = (sp_span_place){v->found[i].first, v->found[i].last, v->found[i].type};
        v->posteriors[i] = NAN;
    }
    sp_status status = SP_OK;
    if (!p->folds && n > 0)
        status = sp_span_posteriors(p->chain, scores, sp_workers_scratch(p->workers), reads, v->tags, n,
                                    v->places, v->posteriors, err);
    for (int64_t i = 0; i < n; i++) {
        v->values[SP_SPAN_SCORE][at + v->found[i].first] = score_of(scores, path, &v->found[i]);
        v->values[SP_SPAN_POSTERIOR][at + v->found[i].first] = v->posteriors[i];
    }
    return status == SP_ENOPATH ? SP_OK : status;
}

sp_status sp_span_values_find(sp_span_values *v, const sp_pipeline *p, const sp_block *block,
                              const sp_decode_output *output, sp_error *err)
{
    const sp_batch batch = sp_block_batch(block);
    sp_status status = make_room(v, p, block->n_steps, err);
    for (int64_t t = 0; status == SP_OK && t < block->n_steps; t++)
        v->values[SP_SPAN_SCORE][t] = v->values[SP_SPAN_POSTERIOR][t] = NAN;
    for (int64_t n = 0; status == SP_OK && n < block->n_recordings; n++) {
        const int64_t first = block->offsets[n];
        const sp_scores scores = sp_batch_recording(&batch, n);
        if (output->results[n].status == SP_OK)
            status = find_in(v, p, &scores, output->paths + first, first, err);
    }
    return status;
}
