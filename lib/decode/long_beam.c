/* Beam search over a long recording: there and back like long_viterbi.c, by the steps of beam.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/beam.h"
#include "decode/long_pieces.h"

/* The frontier after the last step of each piece. */
typedef struct way {
    sp_pieces *p;
    int32_t width;
    sp_beam_search beam;
    int32_t *n_live; /* [n] */
    int32_t *live;   /* [n,width] */
    double *value;   /* [n,width] of these */
} way;

static bool way_init(way *w)
{
    if (w->width > w->p->chain->n_states)
        w->width = w->p->chain->n_states;
    size_t n = (size_t)w->p->n, width = (size_t)w->width;
    w->n_live = malloc(n * sizeof *w->n_live);
    w->live = malloc(n * width * sizeof *w->live);
    w->value = malloc(n * width * sizeof *w->value);
    return w->n_live && w->live && w->value;
}

static void keep(way *w, int64_t i)
{
    const sp_frontier *f = w->beam.now;
    size_t at = (size_t)i * (size_t)w->width;
    w->n_live[i] = f->n_live;
    for (int32_t n = 0; n < f->n_live; n++) {
        w->live[at + (size_t)n] = f->live[n];
        w->value[at + (size_t)n] = f->value[f->live[n]];
    }
}

static void restore(way *w, int64_t i)
{
    sp_frontier *f = w->beam.now;
    size_t at = (size_t)i * (size_t)w->width;
    sp_frontier_clear(f);
    f->n_live = w->n_live[i];
    for (int32_t n = 0; n < f->n_live; n++) {
        f->live[n] = w->live[at + (size_t)n];
        f->value[f->live[n]] = w->value[at + (size_t)n];
    }
}

/* Forward over piece i, from what the piece before has left. *stuck: the row where nothing is left, or -1. */
static sp_status go(way *w, int64_t i, const sp_scores *scores, int64_t *stuck, sp_error *err)
{
    sp_scratch *scratch = sp_workers_scratch(w->p->workers);
    sp_status status = sp_beam_init(&w->beam, w->p->chain, w->width, scores->n_steps, scratch, err);
    double *row = sp_row_buffer(scores, scratch);
    if (status != SP_OK || !row)
        return status == SP_OK ? sp_decode_no_memory(err) : status;
    if (i > 0)
        restore(w, i - 1);
    *stuck = -1;
    for (int64_t t = 0; t < scores->n_steps; t++)
        if (!sp_beam_step(&w->beam, sp_pieces_reach(w->p, i, scores, t), t, sp_row(scores, t, row))) {
            *stuck = t;
            break;
        }
    return SP_OK;
}

/* *place: of the best last state; -1: there is none, and result says so. */
static sp_status go_forward(way *w, int32_t *place, sp_decoded *result, sp_error *err)
{
    sp_pieces *p = w->p;
    for (int64_t i = 0; i < p->n; i++) {
        sp_scores scores;
        int64_t stuck = -1;
        sp_status status = sp_pieces_read(p, i, &scores, err);
        if (status == SP_OK)
            status = go(w, i, &scores, &stuck, err);
        if (status != SP_OK)
            return status;
        if (stuck >= 0)
            return sp_pieces_stuck(p, i * p->steps + stuck, result, err);
        keep(w, i);
    }
    *place = sp_beam_last(&w->beam);
    p->is_least = !p->chain->is_plain;
    p->recurrence = *place < 0 ? NAN : sp_beam_value(&w->beam, *place);
    return *place < 0 ? sp_pieces_stuck(p, p->recording->n_steps - 1, result, err) : SP_OK;
}

static sp_status go_back(way *w, int32_t place, sp_error *err)
{
    sp_pieces *p = w->p;
    sp_status status = SP_OK;
    for (int64_t i = p->n - 1; status == SP_OK && i >= 0; i--) {
        sp_scores scores;
        int64_t stuck;
        status = sp_pieces_read(p, i, &scores, err);
        if (status == SP_OK)
            status = go(w, i, &scores, &stuck, err);
        if (status != SP_OK)
            break;
        place = sp_beam_trace(&w->beam, scores.n_steps, place, p->path);
        status = sp_pieces_write_down(p, i * p->steps, &scores, p->path, NULL, err);
    }
    return status;
}

sp_status sp_long_beam(sp_pieces *p, int32_t width, sp_decoded *result, sp_error *err)
{
    way w = {.p = p, .width = width};
    int32_t place = -1;
    sp_status status = way_init(&w) ? go_forward(&w, &place, result, err) : sp_decode_no_memory(err);
    if (status == SP_OK && place >= 0)
        status = go_back(&w, place, err);
    free(w.n_live);
    free(w.live);
    free(w.value);
    return status;
}
