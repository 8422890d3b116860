#include "decode/strategies/search.h"

#include <stdlib.h>
#include <string.h>

#include "core/try.h"

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
static sp_status go(const way *w, int64_t i, const sp_scores *scores, bool is_traced, int64_t *stuck,
                    sp_error *err)
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
    return w->search->who ? sp_sequence_stuck(w->s, w->search->who, step, err)
                          : sp_sequence_no_path(w->s, err);
}

/* Over all pieces. *place: where the best path ends. */
static sp_status go_forward(const way *w, sp_scores *scores, int32_t *place, sp_error *err)
{
    sp_sequence *s = w->s;
    sp_status status = SP_OK;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t stuck;
        sp_scratch_release(s->scratch, w->mark);
        TRY(sp_sequence_read(s, i, scores, err));
        TRY(go(w, i, scores, s->n == 1, &stuck, err));
        if (stuck < 0 && i < s->n - 1 && !w->search->save(w->search->self, saved_after(w, i)))
            stuck = scores->n_steps - 1;
        if (stuck >= 0)
            return no_path(w, i * s->steps + stuck, err);
    }
    *place = w->search->last(w->search->self, s);
    TRY(*place < 0 ? no_path(w, s->recording.n_steps - 1, err) : SP_OK);
done:
    return status;
}

static sp_status go_back(const way *w, sp_scores *scores, int32_t place, bool is_relaxed, sp_error *err)
{
    sp_sequence *s = w->s;
    sp_status status = SP_OK;
    for (int64_t i = s->n - 1; i >= 0; i--) {
        int64_t stuck;
        if (s->n > 1) {
            sp_scratch_release(s->scratch, w->mark);
            TRY(sp_sequence_read(s, i, scores, err));
            TRY(go(w, i, scores, true, &stuck, err));
        }
        place = w->search->trace(w->search->self, s, i, scores, place);
        TRY(sp_sequence_write(s, i * s->steps, scores, s->path, is_relaxed ? s->broken : NULL, err));
    }
done:
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
    sp_status status = SP_OK;
    TRY(w.row && (w.saved || s->n == 1) ? go_forward(&w, &scores, &place, err) : sp_no_memory(err));
    TRY(go_back(&w, &scores, place, is_relaxed, err));
done:
    free(w.saved);
    return status;
}

/* ---- a value for each state ---- */

size_t sp_state_search_bytes(const sp_state_search *f)
{
    return (size_t)f->chain->n_states * f->value_size;
}

sp_status sp_state_search_start(void *self, sp_sequence *s, const sp_scores *scores, sp_error *err)
{
    sp_state_search *f = self;
    size_t n_states = (size_t)f->chain->n_states;
    f->now = sp_scratch_get(s->scratch, n_states, f->value_size);
    f->next = sp_scratch_get(s->scratch, n_states, f->value_size);
    f->from = sp_scratch_get(s->scratch, n_states, sizeof *f->from);
    bool has_room =
        f->now && f->next && f->from && sp_backpointers_init(&f->back, f->chain, scores->n_steps, s->scratch);
    return has_room ? SP_OK : sp_no_memory(err);
}

bool sp_state_search_save(const void *self, void *saved)
{
    const sp_state_search *f = self;
    memcpy(saved, f->now, sp_state_search_bytes(f));
    return true;
}

void sp_state_search_restore(void *self, const void *saved)
{
    sp_state_search *f = self;
    memcpy(f->now, saved, sp_state_search_bytes(f));
}

void sp_state_search_advance(sp_state_search *f, int64_t t)
{
    sp_backpointers_put(&f->back, t, f->from);
    void *before = f->now;
    f->now = f->next;
    f->next = before;
}

int32_t sp_state_search_trace(const sp_state_search *f, const sp_sequence *s, int64_t i, int32_t state)
{
    sp_backpointers_trace(&f->back, state, s->path);
    return i > 0 ? sp_backpointers_get(&f->back, 0, s->path[0]) : 0;
}
