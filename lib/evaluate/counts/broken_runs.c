/* Runs that are shorter or longer than the model allows: by class, and where they are. Only of models with durations. */
#include "evaluate/evaluation.h"

#include <string.h>

void sp_broken_runs_add(sp_broken_runs *broken, int64_t first, int64_t length, int32_t k, bool is_long)
{
    bool is_whole = true;
    (is_long ? broken->too_long : broken->too_short)[k]++;
    if (broken->n > SP_MOST_ILLEGAL_PLACES) /* more are never listed; the last one says that there are more */
        return;
    if (broken->n == broken->capacity) {
        const int64_t capacity = broken->capacity ? 2 * broken->capacity : 16;
        broken->places = sp_grown(broken->places, capacity, sizeof *broken->places, &is_whole);
        broken->capacity = is_whole ? capacity : broken->capacity;
    }
    broken->is_short |= !is_whole;
    if (is_whole)
        broken->places[broken->n++] =
            (sp_run_place){.step = first, .length = length, .k = k, .is_long = is_long};
}

/* One more place at the end of the comparison's list. SP_OK, SP_ENOMEM. */
static sp_status put_place(sp_evaluation *e, const sp_run_place *place, sp_error *err)
{
    sp_comparison *c = e->result;
    const int64_t n = c->n_run_places;
    bool is_whole = true;
    c->run_places = sp_room_for_one(c->run_places, n, sizeof *c->run_places, &is_whole);
    if (!is_whole)
        return sp_no_memory(err);
    c->run_places[c->n_run_places++] = *place;
    return SP_OK;
}

static sp_broken_runs *broken_of(sp_evaluation *e, int32_t who)
{
    return who < e->result->n_strategies ? &e->sums[who].broken : &e->reference_broken;
}

sp_status sp_add_run_places(sp_evaluation *e, int64_t recording, sp_error *err)
{
    sp_comparison *c = e->result;
    const int32_t S = c->n_strategies;
    int64_t next[SP_EVALUATION_MAX_STRATEGIES + 1] = {0};
    for (int32_t who = 0; who <= S; who++)
        if (broken_of(e, who)->is_short)
            return sp_no_memory(err);
    while (c->has_durations) { /* the first step of all that are left, of equals the first strategy's */
        int32_t first = -1;
        for (int32_t who = 0; who <= S; who++) {
            const sp_broken_runs *b = broken_of(e, who);
            if (next[who] < b->n &&
                (first < 0 || b->places[next[who]].step < broken_of(e, first)->places[next[first]].step))
                first = who;
        }
        c->run_places_cut |= first >= 0 && c->n_run_places == SP_MOST_ILLEGAL_PLACES;
        if (first < 0 || c->run_places_cut)
            break;
        sp_run_place place = broken_of(e, first)->places[next[first]++];
        place.recording = recording;
        place.who = first;
        const sp_status status = put_place(e, &place, err);
        if (status != SP_OK)
            return status;
    }
    for (int32_t who = 0; who <= S; who++)
        broken_of(e, who)->n = 0;
    return SP_OK;
}

sp_status sp_broken_runs_open(sp_evaluation *e, sp_error *err)
{
    const size_t K = (size_t)e->K;
    e->result->has_durations = sp_chain_has_durations(e->chain);
    for (int32_t who = 0; e->result->has_durations && who <= e->result->n_strategies; who++) {
        sp_broken_runs *b = broken_of(e, who);
        b->too_short = sp_zeros(&e->own, K, sizeof *b->too_short);
        b->too_long = sp_zeros(&e->own, K, sizeof *b->too_long);
    }
    return sp_owned_status(&e->own, err);
}

void sp_broken_runs_free(sp_evaluation *e)
{
    for (int32_t s = 0; e->sums && s < e->options.n_strategies; s++)
        free(e->sums[s].broken.places);
    free(e->reference_broken.places);
}

void sp_broken_runs_tell(const sp_broken_runs *broken, int32_t K, sp_class_runs *runs)
{
    for (int32_t k = 0; broken->too_short && k < K; k++) {
        runs[k].too_short = broken->too_short[k];
        runs[k].too_long = broken->too_long[k];
    }
}
