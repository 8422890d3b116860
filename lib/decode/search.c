#include "decode/search.h"

#include <stdlib.h>

typedef struct way {
    const sp_search *search;
    sp_sequence *s;
    char *saved;          /* [n-1] after each piece but the last */
    double *row;          /* [K] */
    sp_scratch_mark mark; /* what a piece takes is above it */
} way;

static void *saved_after(const way *w, int64_t i)
{
    return w->saved + (size_t)i * w->search->bytes;
}

/* Forward over piece i. *stuck: the row where nothing is left, or -1. */
static sp_status go(const way *w, int64_t i, const sp_scores *scores, bool is_traced, int64_t *stuck, sp_error *err)
{
    const sp_search *f = w->search;
    *stuck = -1;
    if (f->piece)
        return f->piece(f->self, w->s, scores, i > 0 ? saved_after(w, i - 1) : NULL, is_traced, err);
    sp_status status = f->start(f->self, w->s, scores, err);
    if (status != SP_OK)
        return status;
    if (i > 0)
        f->restore(f->self, saved_after(w, i - 1));
    for (int64_t t = 0; t < scores->n_steps; t++)
        if (!f->step(f->self, sp_sequence_reach(w->s, i, scores, t), t, sp_row(scores, t, w->row))) {
            *stuck = t;
            break;
        }
    return SP_OK;
}

static sp_status no_path(const way *w, int64_t step, sp_error *err)
{
    return w->search->who ? sp_sequence_stuck(w->s, w->search->who, step, err) : sp_sequence_no_path(w->s, err);
}

/* Over all pieces. *place: where the best path ends. */
static sp_status go_forward(const way *w, sp_scores *scores, int32_t *place, sp_error *err)
{
    sp_sequence *s = w->s;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t stuck;
        sp_scratch_release(s->scratch, w->mark);
        sp_status status = sp_sequence_read(s, i, scores, err);
        if (status == SP_OK)
            status = go(w, i, scores, s->n == 1, &stuck, err);
        if (status != SP_OK)
            return status;
        if (stuck < 0 && i < s->n - 1 && !w->search->save(w->search->self, saved_after(w, i)))
            stuck = scores->n_steps - 1;
        if (stuck >= 0)
            return no_path(w, i * s->steps + stuck, err);
    }
    *place = w->search->last(w->search->self, s);
    return *place < 0 ? no_path(w, s->recording.n_steps - 1, err) : SP_OK;
}

static sp_status go_back(const way *w, sp_scores *scores, int32_t place, bool is_relaxed, sp_error *err)
{
    sp_sequence *s = w->s;
    sp_status status = SP_OK;
    for (int64_t i = s->n - 1; status == SP_OK && i >= 0; i--) {
        int64_t stuck;
        if (s->n > 1) {
            sp_scratch_release(s->scratch, w->mark);
            status = sp_sequence_read(s, i, scores, err);
            if (status == SP_OK)
                status = go(w, i, scores, true, &stuck, err);
        }
        if (status != SP_OK)
            break;
        place = w->search->trace(w->search->self, s, i, scores, place);
        status = sp_sequence_write(s, i * s->steps, scores, s->path, is_relaxed ? s->broken : NULL, err);
    }
    return status;
}

sp_status sp_search_run(const sp_search *search, sp_sequence *s, bool is_relaxed, sp_error *err)
{
    way w = {.search = search, .s = s};
    w.saved = s->n > 1 ? calloc((size_t)s->n - 1, search->bytes) : NULL;
    w.row = sp_scratch_get(s->scratch, (size_t)s->chain->n_classes, sizeof *w.row);
    w.mark = sp_scratch_here(s->scratch);
    sp_scores scores;
    int32_t place = -1;
    sp_status status = w.row && (w.saved || s->n == 1) ? go_forward(&w, &scores, &place, err) : sp_no_memory(err);
    if (status == SP_OK)
        status = go_back(&w, &scores, place, is_relaxed, err);
    free(w.saved);
    return status;
}
