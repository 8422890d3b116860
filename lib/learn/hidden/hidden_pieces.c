/* Recordings cut where the labels cannot be followed: sets of states that paths along the labels may be in, step by step. */
#include "core/try.h"
#include "learn/hidden/hidden_private.h"

#include <math.h>
#include <string.h>

typedef struct cutter {
    sp_hidden *h;
    uint8_t *now, *next; /* [M] states in play */
    sp_stretch open;     /* n_steps 0: none */
    bool is_whole;       /* memory has sufficed so far */
} cutter;

static bool any(const uint8_t *set, int32_t n)
{
    return memchr(set, 1, (size_t)n) != NULL;
}

/* next = the states that may stand at step t, of those in `from` (by its weights; NULL: all). */
static bool enter(cutter *c, int64_t t, const double *from)
{
    const sp_chain *chain = c->h->chain;
    for (int32_t j = 0; j < chain->n_states; j++)
        c->next[j] = from[j] > -INFINITY && sp_hidden_may(c->h, true, t, chain->state_class[j]);
    return any(c->next, chain->n_states);
}

/* next = those that follow, across a gap or not. */
static bool go_on(cutter *c, int64_t t, bool is_gap)
{
    const sp_chain *chain = c->h->chain, *by = is_gap && chain->across ? chain->across : chain;
    if (is_gap && !chain->across)
        return sp_chain_may_leave(chain, c->now) && enter(c, t, c->h->any_start);
    memset(c->next, 0, (size_t)chain->n_states);
    for (int32_t i = 0; i < chain->n_states; i++)
        for (int64_t n = by->succ_row[i]; c->now[i] && n < by->succ_row[i + 1]; n++)
            c->next[by->succ[n]] |= sp_hidden_may(c->h, true, t, chain->state_class[by->succ[n]]);
    return any(c->next, chain->n_states);
}

static void close_piece(cutter *c)
{
    sp_stretches *pieces = &c->h->pieces;
    if (c->open.n_steps)
        pieces->list = sp_room_for_one(pieces->list, pieces->n, sizeof *pieces->list, &c->is_whole);
    if (c->open.n_steps && c->is_whole)
        pieces->list[pieces->n++] = c->open;
    c->open.n_steps = 0;
}

/* Step t and the one before: are they counted as a pair that breaks the rules? */
static void count_pair(cutter *c, int64_t t, bool is_followed)
{
    const sp_training *training = c->h->training;
    sp_violations *v = &c->h->violations;
    if (!sp_training_says(training, t - 1) || !sp_training_says(training, t))
        return;
    const int32_t before = training->labels[t - 1], k = training->labels[t];
    v->transitions++;
    v->illegal += !is_followed;
    if (before >= 0 && k >= 0)
        v->illegal_pairs[(size_t)before * (size_t)c->h->K + (size_t)k] += !is_followed;
}

/* Has one of the step's classes a score that is possible? */
static bool is_possible(const sp_hidden *h, int64_t t)
{
    for (int32_t k = 0; k < h->K; k++)
        if (sp_hidden_may(h, true, t, k))
            return true;
    return false;
}

static void cut_recording(cutter *c, int64_t r)
{
    const sp_training *training = c->h->training;
    const sp_scores scores = sp_batch_recording(&training->batch, r);
    const int64_t first = training->batch.offsets[r], T = scores.n_steps;
    sp_violations *v = &c->h->violations;
    int64_t n_scored = 0;
    for (int64_t t = 0; t < T && c->is_whole; t++) {
        const bool is_said = sp_training_says(training, first + t),
                   may_be = !is_said || is_possible(c->h, first + t);
        const bool is_gap = sp_scores_is_gap(&scores, t), is_open = c->open.n_steps > 0;
        const bool is_start = t == 0 && enter(c, first, c->h->start_base);
        n_scored += is_said;
        v->impossible += !may_be;
        v->illegal_start += t == 0 && is_said && may_be && !is_start;
        const bool goes_on = is_open && go_on(c, first + t, is_gap);
        if (is_open && !is_gap && may_be)
            count_pair(c, first + t, goes_on);
        if (goes_on) {
            c->open.n_steps++;
        } else {
            close_piece(c);
            if (is_start || enter(c, first + t, c->h->any_start))
                c->open = (sp_stretch){first + t, 1, r, is_start, false, true};
        }
        uint8_t *played = c->now;
        c->now = c->next;
        c->next = played;
    }
    for (int32_t j = 0; c->open.n_steps && j < c->h->chain->n_states; j++)
        c->open.is_end |= c->now[j] && c->h->end_base[j] > -INFINITY;
    v->illegal_end += c->open.n_steps && sp_training_says(training, first + T - 1) && !c->open.is_end;
    close_piece(c);
    v->recordings++;
    v->scored += n_scored;
    v->labelled += n_scored > 0;
}

sp_status sp_hidden_cut(sp_hidden *h, sp_error *err)
{
    const size_t M = (size_t)h->chain->n_states, K = (size_t)h->K;
    cutter c = {.h = h, .is_whole = true};
    c.now = sp_zeros(&h->own, M, 1);
    c.next = sp_zeros(&h->own, M, 1);
    h->violations.illegal_pairs = calloc(K * K, sizeof *h->violations.illegal_pairs);
    sp_status status = SP_OK;
    TRY(h->violations.illegal_pairs ? sp_owned_status(&h->own, err) : sp_no_memory(err));
    for (int64_t r = 0; r < h->training->batch.n_recordings && c.is_whole; r++)
        if (sp_training_uses(h->training, r))
            cut_recording(&c, r);
    TRY(c.is_whole ? SP_OK : sp_no_memory(err));
done:
    return status;
}

int64_t sp_hidden_n_steps(const sp_hidden *h, const uint8_t *use)
{
    int64_t n = 0;
    for (int64_t p = 0; h->training->labels && p < h->pieces.n; p++) {
        const sp_stretch *piece = &h->pieces.list[p];
        for (int64_t t = piece->first; (!use || use[piece->recording]) && t < piece->first + piece->n_steps;
             t++)
            n += sp_training_says(h->training, t);
    }
    return n;
}
