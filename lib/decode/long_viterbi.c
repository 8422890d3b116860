/* Viterbi of a long recording: forward over all pieces, then the pieces from the last to the first.
 *
 * By the same recurrence as in memory (kernels.h): plain chains of few classes over more than SP_CHUNKS_LEAST steps without gaps
 * by that of chunks.h, everything else by that of viterbi.c. Both go on from the delta (and, with several states per class, the
 * history ranks) of the step before a piece, which is all that is kept of the way forward.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/chunks.h"
#include "decode/long_pieces.h"
#include "decode/viterbi.h"

typedef struct way {
    sp_pieces *p;
    size_t n_states;
    bool in_chunks;
    sp_lane_rules rules;
    sp_chunked chunked;
    sp_forward forward;
    double *deltas; /* [n,M] of the last step of each piece */
    int32_t *ranks; /* [n,M] the same; NULL for plain chains */
} way;

static bool way_init(way *w, sp_pieces *p)
{
    const sp_long_recording *r = p->recording;
    w->p = p;
    w->n_states = (size_t)p->chain->n_states;
    w->in_chunks = r->n_steps > SP_CHUNKS_LEAST && !r->has_gap && sp_lane_rules_init(&w->rules, p->chain);
    w->deltas = malloc((size_t)p->n * w->n_states * sizeof *w->deltas);
    w->ranks = p->chain->is_plain ? NULL : malloc((size_t)p->n * w->n_states * sizeof *w->ranks);
    return w->deltas && (w->ranks || p->chain->is_plain);
}

/* ---- one piece ---- */

static sp_status go_in_chunks(way *w, int64_t i, const sp_scores *scores, bool is_traced, double *after, sp_error *err)
{
    w->chunked = (sp_chunked){.isa = sp_isa_current(),
                              .rules = &w->rules,
                              .scores = scores,
                              .before = i ? w->deltas + (size_t)(i - 1) * w->n_states : NULL,
                              .path = is_traced ? w->p->path : NULL};
    return sp_chunks_forward(&w->chunked, w->p->workers, after) == SP_OK ? SP_OK : sp_decode_no_memory(err);
}

static sp_status go_plainly(way *w, int64_t i, const sp_scores *scores, double *after, int32_t *ranks_after, sp_error *err)
{
    sp_forward *f = &w->forward;
    sp_status status = sp_forward_init(f, w->p->chain, scores, sp_workers_scratch(w->p->workers), err);
    if (status != SP_OK)
        return status;
    if (i == 0)
        sp_forward_start(f, scores);
    else
        memcpy(f->now, w->deltas + (size_t)(i - 1) * w->n_states, w->n_states * sizeof *f->now);
    if (i > 0 && w->ranks) {
        memcpy(f->ranks.values, w->ranks + (size_t)(i - 1) * w->n_states, w->n_states * sizeof *w->ranks);
        f->ranks.rank = f->ranks.values;
    }
    for (int64_t t = i == 0; t < scores->n_steps; t++)
        sp_forward_step(f, scores, t, sp_pieces_is_gap(w->p, i, scores, t));
    memcpy(after, f->now, w->n_states * sizeof *after);
    if (ranks_after)
        memcpy(ranks_after, f->ranks.rank, w->n_states * sizeof *ranks_after);
    return SP_OK;
}

/* The states of the piece into path; returns the one before it. */
static int32_t trace(const way *w, int64_t i, int32_t state)
{
    if (w->in_chunks)
        return sp_chunks_trace(&w->chunked, state);
    sp_back_trace(&w->forward.back, state, w->p->path);
    return i ? sp_back_get(&w->forward.back, 0, w->p->path[0]) : 0;
}

/* ---- there and back ---- */

static bool is_any_alive(const double *delta, size_t n)
{
    for (size_t j = 0; j < n; j++)
        if (delta[j] > -INFINITY)
            return true;
    return false;
}

/* Forward over all pieces; *state: the likeliest last one, -1: there is none. */
static sp_status go_forward(way *w, int32_t *state, sp_error *err)
{
    sp_pieces *p = w->p;
    *state = -1;
    for (int64_t i = 0; i < p->n; i++) {
        sp_scores scores;
        double *after = w->deltas + (size_t)i * w->n_states;
        int32_t *ranks_after = w->ranks ? w->ranks + (size_t)i * w->n_states : NULL;
        sp_status status = sp_pieces_read(p, i, &scores, err);
        if (status == SP_OK)
            status = w->in_chunks ? go_in_chunks(w, i, &scores, false, after, err)
                                  : go_plainly(w, i, &scores, after, ranks_after, err);
        if (status != SP_OK)
            return status;
        if (!is_any_alive(after, w->n_states))
            return SP_OK;
    }
    if (w->in_chunks) {
        const double *last = w->deltas + (size_t)(p->n - 1) * w->n_states;
        *state = sp_chunks_last(&w->rules, last);
        p->recurrence = *state < 0 ? NAN : last[*state] + p->chain->end[*state];
    } else {
        double best;
        int32_t last = sp_forward_best(&w->forward, p->chain->end, &best);
        *state = best > -INFINITY ? last : -1;
        p->recurrence = best;
    }
    return SP_OK;
}

static sp_status go_back(way *w, int32_t state, double *after, int32_t *ranks_after, sp_error *err)
{
    sp_pieces *p = w->p;
    for (int64_t i = p->n - 1; i >= 0; i--) {
        sp_scores scores;
        sp_status status = sp_pieces_read(p, i, &scores, err);
        if (status == SP_OK)
            status =
                w->in_chunks ? go_in_chunks(w, i, &scores, true, after, err) : go_plainly(w, i, &scores, after, ranks_after, err);
        if (status != SP_OK)
            return status;
        state = trace(w, i, state);
        if (!p->chain->is_plain)
            sp_states_to_classes(p->chain, scores.n_steps, p->path, p->path);
        status = sp_pieces_write_down(p, i * p->steps, &scores, p->path, NULL, err);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

sp_status sp_long_viterbi(sp_pieces *p, sp_decoded *result, sp_error *err)
{
    way *w = calloc(1, sizeof *w);
    int32_t state = 0;
    sp_status status = w && way_init(w, p) ? go_forward(w, &state, err) : sp_decode_no_memory(err);
    if (status == SP_OK && state < 0)
        status = sp_pieces_no_path(p, result, err);
    else if (status == SP_OK) /* what the second way forward ends in is known: over the last, which nothing starts from */
        status = go_back(w, state, w->deltas + (size_t)(p->n - 1) * w->n_states,
                         w->ranks ? w->ranks + (size_t)(p->n - 1) * w->n_states : NULL, err);
    if (w) {
        free(w->deltas);
        free(w->ranks);
    }
    free(w);
    return status;
}
