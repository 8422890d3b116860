/* Relaxed decoding of a long recording: there and back like long_viterbi.c, by the steps of relaxed.c. */
#include <stdlib.h>
#include <string.h>

#include "decode/long_pieces.h"
#include "decode/relaxed.h"

typedef struct way {
    sp_pieces *p;
    bool is_greedy;
    size_t n_states;
    sp_prices prices;
    sp_price *kept; /* [n,M] of the last step of each piece */
    int32_t *ranks; /* [n,M] the same; NULL for plain chains */
} way;

static bool way_init(way *w)
{
    const sp_chain *c = w->p->chain;
    w->n_states = (size_t)c->n_states;
    w->kept = malloc((size_t)w->p->n * w->n_states * sizeof *w->kept);
    w->ranks = c->is_plain ? NULL : malloc((size_t)w->p->n * w->n_states * sizeof *w->ranks);
    return w->kept && (w->ranks || c->is_plain);
}

/* Forward over piece i, from what the piece before has left. */
static sp_status go(way *w, int64_t i, const sp_scores *scores, sp_error *err)
{
    sp_prices *f = &w->prices;
    sp_status status = sp_prices_init(f, w->p->chain, scores, sp_workers_scratch(w->p->workers), err);
    if (status != SP_OK)
        return status;
    size_t before = (size_t)(i - 1) * w->n_states;
    if (i == 0)
        sp_prices_start(f, sp_row(scores, 0, f->row));
    else
        memcpy(f->now, w->kept + before, w->n_states * sizeof *f->now);
    if (i > 0 && w->ranks) {
        memcpy(f->ranks.values, w->ranks + before, w->n_states * sizeof *w->ranks);
        f->ranks.rank = f->ranks.values;
    }
    for (int64_t t = i == 0; t < scores->n_steps; t++)
        sp_prices_step(f, scores, t, sp_pieces_is_gap(w->p, i, scores, t), w->is_greedy);
    return SP_OK;
}

static sp_status go_forward(way *w, int32_t *state, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t i = 0; status == SP_OK && i < w->p->n; i++) {
        sp_scores scores;
        status = sp_pieces_read(w->p, i, &scores, err);
        if (status == SP_OK)
            status = go(w, i, &scores, err);
        if (status != SP_OK)
            break;
        memcpy(w->kept + (size_t)i * w->n_states, w->prices.now, w->n_states * sizeof *w->kept);
        if (w->ranks)
            memcpy(w->ranks + (size_t)i * w->n_states, w->prices.ranks.rank, w->n_states * sizeof *w->ranks);
    }
    if (status == SP_OK)
        *state = sp_prices_end(&w->prices);
    return status;
}

/* Marks the broken rules along the states of piece i; returns how many there are. */
static int64_t mark_broken(const way *w, int64_t i, const sp_scores *scores, int32_t before)
{
    const sp_pieces *p = w->p;
    int64_t total = 0, last = i == p->n - 1 ? scores->n_steps - 1 : -1;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        int32_t state = p->path[t];
        int32_t here = sp_rules_broken(p->chain, sp_pieces_reach(p, i, scores, t), before, state,
                                       sp_scores_at(scores, t, p->chain->state_class[state]), t == last);
        p->broken[t] = here > 0;
        total += here;
        before = state;
    }
    return total;
}

static sp_status go_back(way *w, int32_t state, int64_t *n_broken, sp_error *err)
{
    sp_pieces *p = w->p;
    sp_status status = SP_OK;
    for (int64_t i = p->n - 1; status == SP_OK && i >= 0; i--) {
        sp_scores scores;
        status = sp_pieces_read(p, i, &scores, err);
        if (status == SP_OK)
            status = go(w, i, &scores, err);
        if (status != SP_OK)
            break;
        sp_back_trace(&w->prices.back, state, p->path);
        state = i ? sp_back_get(&w->prices.back, 0, p->path[0]) : 0;
        *n_broken += mark_broken(w, i, &scores, state);
        sp_states_to_classes(p->chain, scores.n_steps, p->path, p->path);
        status = sp_pieces_write_down(p, i * p->steps, &scores, p->path, p->broken, err);
    }
    return status;
}

sp_status sp_long_relaxed(sp_pieces *p, bool is_greedy, sp_decoded *result, sp_error *err)
{
    way w = {.p = p, .is_greedy = is_greedy};
    int32_t state = 0;
    int64_t expected = 0;
    sp_status status = way_init(&w) ? go_forward(&w, &state, err) : sp_decode_no_memory(err);
    if (status == SP_OK) {
        expected = w.prices.n_taken + w.prices.now[state].n_broken;
        status = go_back(&w, state, &result->n_broken, err);
    }
    if (status == SP_OK && result->n_broken != expected) {
        sp_error bug;
        sp_decode_bug((double)expected, (double)result->n_broken, &bug);
        sp_decode_withhold(&bug, result, NULL, 0);
    }
    free(w.kept);
    free(w.ranks);
    return status;
}
