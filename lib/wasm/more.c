/* What decoding tells beside one path, and streams: of the module that is installed, not of the one in a page. */
#include <math.h>
#include <stdlib.h>

#include "core/model/model.h"
#include "core/try.h"
#include "statepath/advanced.h"
#include "statepath/stream.h"
#include "wasm/inside.h"

EXPORT(statepath_confidence)
sp_status statepath_confidence(const wasm_rules *rules, wasm_recording *r, double *confidence)
{
    const size_t K = (size_t)rules->model->n_classes, T = (size_t)r->n_steps;
    double log_z = 0, *marginals = calloc(T + 1, K * sizeof *marginals);
    wasm_prepared p = {0};
    sp_status status = SP_OK;
    TRY(marginals ? wasm_prepare(&p, rules, r, 0) : sp_no_memory(&wasm_failure));
    TRY(sp_confidence(rules->chain, &p.scores, p.scratch, r->path, NULL, NULL,
                      &wasm_failure)); /* is it a path? */
    TRY(sp_forward_backward(rules->chain, &p.scores, p.scratch, marginals, &log_z, &wasm_failure));
    for (size_t t = 0; t < T; t++)
        confidence[t] = marginals[t * K + (size_t)r->path[t]];
done:
    free(marginals);
    wasm_prepared_clear(&p);
    return wasm_tell(r, status, log_z);
}

EXPORT(statepath_nbest)
sp_status statepath_nbest(const wasm_rules *rules, wasm_recording *r, int32_t n, double *scores,
                          int32_t *n_found)
{
    sp_nbest_paths paths = {.paths = r->path, .stride = r->n_steps, .scores = scores};
    wasm_prepared p = {0};
    sp_status status = SP_OK;
    TRY(wasm_prepare(&p, rules, r, 0));
    TRY(sp_nbest(rules->chain, &p.scores, n, p.scratch, &paths, &wasm_failure));
done:
    *n_found = status == SP_OK ? paths.n_found : 0;
    wasm_prepared_clear(&p);
    return wasm_tell(r, status, status == SP_OK ? scores[0] : 0);
}

/* ---- streams ---- */

struct wasm_stream {
    const wasm_rules *rules;
    sp_online *online;
    int64_t n_steps; /* pushed, of the recording at hand */
};

EXPORT(statepath_stream_free) void statepath_stream_free(wasm_stream *s)
{
    if (s)
        sp_online_free(s->online);
    free(s);
}

EXPORT(statepath_stream_new) wasm_stream *statepath_stream_new(const wasm_rules *rules, int32_t most_lag)
{
    wasm_stream *s = NULL;
    sp_status status = SP_OK;
    TRY(sp_model_check_stream(rules->model, &wasm_failure));
    TRY((s = calloc(1, sizeof *s)) ? SP_OK : sp_no_memory(&wasm_failure));
    TRY(sp_online_new_exact(rules->chain, most_lag, &s->online, &wasm_failure));
    s->rules = rules;
    return s;
done:
    statepath_stream_free(s);
    return NULL;
}

EXPORT(statepath_stream_pending) int32_t statepath_stream_pending(const wasm_stream *s)
{
    return sp_online_pending(s->online);
}

EXPORT(statepath_stream_push)
sp_status statepath_stream_push(wasm_stream *s, wasm_recording *r, int32_t *n_decided)
{
    const size_t K = (size_t)s->rules->model->n_classes;
    wasm_prepared p = {0};
    sp_status status = SP_OK;
    int32_t n = 0;
    *n_decided = 0;
    TRY(wasm_prepare(&p, s->rules, r, s->n_steps));
    for (int32_t t = 0; t < r->n_steps; t++) {
        const double *row = (const double *)p.scores.data + (size_t)t * K;
        TRY(sp_online_push_exact(s->online, row, r->gaps && r->gaps[t], r->path + *n_decided, &n,
                                 &wasm_failure));
        *n_decided += n;
        s->n_steps++;
    }
done:
    wasm_prepared_clear(&p);
    return wasm_tell(r, status, 0);
}

EXPORT(statepath_stream_finish)
sp_status statepath_stream_finish(wasm_stream *s, wasm_recording *r, int32_t *n_decided)
{
    *n_decided = 0;
    const sp_status status = sp_online_finish(s->online, r->path, n_decided, &wasm_failure);
    if (status == SP_OK)
        s->n_steps = 0;
    return wasm_tell(r, status, 0);
}

EXPORT(statepath_stream_restart) void statepath_stream_restart(wasm_stream *s)
{
    sp_online_restart(s->online);
    s->n_steps = 0;
}
