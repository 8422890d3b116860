/* Steps of recordings, kept for pictures: of all, or, where these are too many, of none. */
#include "core/numbers.h"
#include "evaluate/comparison.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"

#include <math.h>
#include <string.h>

/* Room for the steps of a recording; *is_whole false on lack of memory. */
static void open_trace(sp_evaluation *e, const sp_recording *r, bool has_scores, bool *is_whole)
{
    sp_comparison *c = e->result;
    const int64_t T = r->n_steps;
    c->traces = sp_grown(c->traces, c->n_traces + 1, sizeof *c->traces, is_whole);
    if (!*is_whole)
        return;
    sp_trace *trace = &c->traces[c->n_traces++];
    *trace = (sp_trace){.recording = r->index, .n_steps = T};
    trace->paths = sp_calloc(c->n_strategies, sizeof *trace->paths);
    trace->labels = r->labels ? sp_calloc(T, sizeof *trace->labels) : NULL;
    trace->segments = r->segments ? sp_calloc(T, sizeof *trace->segments) : NULL;
    *is_whole = trace->paths && (trace->labels || !r->labels) && (trace->segments || !r->segments);
    for (int32_t s = 0; *is_whole && s < c->n_strategies; s++) {
        trace->paths[s] = sp_calloc(T, sizeof **trace->paths);
        *is_whole = trace->paths[s] != NULL;
    }
    if (*is_whole && has_scores && e->K <= SP_DENSITY_CLASSES) {
        trace->density = sp_calloc(T * e->K, sizeof *trace->density);
        *is_whole = trace->density != NULL;
    }
}

void sp_density_fill(const sp_scores *scores, uint8_t *density)
{
    size_t T = (size_t)scores->n_steps, K = (size_t)scores->n_classes;
    for (size_t t = 0; t < T; t++) {
        uint8_t *row = density + t * K;
        double e[SP_DENSITY_CLASSES], max = sp_score_row(scores, (int64_t)t, e), sum = 0;
        for (size_t k = 0; max > -INFINITY && k < K; k++)
            sum += exp(e[k] - max);
        for (size_t k = 0; k < K; k++)
            row[k] = max > -INFINITY ? (uint8_t)lround(255 * exp(e[k] - max) / sum) : 0;
    }
}

sp_status sp_add_trace(sp_evaluation *e, const sp_recording *r, const sp_views *views, sp_error *err)
{
    sp_comparison *c = e->result;
    if (e->is_untraced || e->options.trace_steps <= 0)
        return SP_OK;
    if (c->n_steps + r->n_steps > e->options.trace_steps) {
        sp_traces_free(c);
        e->is_untraced = true;
        return SP_OK;
    }
    bool is_whole = true;
    open_trace(e, r, views->scores != NULL, &is_whole);
    if (!is_whole)
        return sp_no_memory(err);
    sp_trace *trace = &c->traces[r->index];
    const size_t n = (size_t)r->n_steps;
    if (n == 0)
        return SP_OK;
    if (trace->labels)
        memcpy(trace->labels, r->whole, n * sizeof *r->whole);
    if (trace->segments)
        memcpy(trace->segments, r->segments, n * sizeof *r->segments);
    for (int32_t s = 0; s < c->n_strategies; s++)
        memcpy(trace->paths[s], views->paths[s], n * sizeof **trace->paths);
    if (trace->density)
        sp_density_fill(views->scores, trace->density);
    return SP_OK;
}

void sp_evaluation_move_traces(sp_evaluation *e, const int64_t *recordings, sp_comparison *to)
{
    sp_comparison *from = e->result;
    sp_traces_free(to);
    to->traces = from->traces;
    to->n_traces = from->n_traces;
    for (int64_t i = 0; i < to->n_traces; i++)
        to->traces[i].recording = recordings[i];
    from->traces = NULL;
    from->n_traces = 0;
    e->is_untraced = true;
}
