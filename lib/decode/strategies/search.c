#include "decode/strategies/search.h"

#include "core/try.h"

static sp_status no_path(const sp_search *search, const sp_sequence *s, int64_t step, sp_error *err)
{
    return search->who ? sp_sequence_stuck(s, search->who, step, err) : sp_sequence_no_path(s, err);
}

sp_status sp_search_run(const sp_search *search, sp_sequence *s, sp_error *err)
{
    const int64_t T = s->scores->n_steps;
    double *row = sp_scratch_get(s->scratch, (size_t)s->chain->n_classes, sizeof *row);
    sp_status status = SP_OK;
    TRY(row ? search->start(search->self, s, err) : sp_no_memory(err));
    for (int64_t t = 0; t < T; t++)
        if (!search->step(search->self, sp_scores_reach(s->scores, t), t, sp_row(s->scores, t, row)))
            return no_path(search, s, t, err);
    const int32_t place = search->last(search->self, s);
    TRY(place < 0 ? no_path(search, s, T - 1, err) : SP_OK);
    search->trace(search->self, s, place);
done:
    return status;
}

/* ---- a value for each state ---- */

sp_status sp_state_search_start(void *self, const sp_sequence *s, sp_error *err)
{
    sp_state_search *f = self;
    size_t n_states = (size_t)f->chain->n_states;
    f->now = sp_scratch_get(s->scratch, n_states, f->value_size);
    f->next = sp_scratch_get(s->scratch, n_states, f->value_size);
    f->from = sp_scratch_get(s->scratch, n_states, sizeof *f->from);
    bool has_room = f->now && f->next && f->from &&
                    sp_backpointers_init(&f->back, f->chain, s->scores->n_steps, s->scratch);
    return has_room ? SP_OK : sp_no_memory(err);
}

void sp_state_search_advance(sp_state_search *f, int64_t t)
{
    sp_backpointers_put(&f->back, t, f->from);
    void *before = f->now;
    f->now = f->next;
    f->next = before;
}

void sp_state_search_trace(const sp_state_search *f, const sp_sequence *s, int32_t state)
{
    sp_backpointers_trace(&f->back, state, s->path);
}
