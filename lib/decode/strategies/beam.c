/* Beam search: a frontier of at most W states.
 *
 * Partial paths are kept by end state. Of two that end in one state only the better can win, since both go on alike; the other
 * would take up a place in the beam for nothing. With W of at least the number of states nothing is ever dropped, and the answer
 * is Viterbi's.
 */
#include <math.h>

#include "decode/strategies/frontier.h"
#include "decode/strategies/search.h"
#include "decode/strategy.h"

typedef struct beam_search {
    const sp_chain *chain;
    size_t width;
    /* What is kept of each step: states, and the place of each one's predecessor among those kept of the step before. */
    int32_t *kept;   /* [T,width] */
    int32_t *parent; /* [T,width] */
    sp_frontier frontiers[2], *now, *next;
    sp_frontier_room room;
    double *values; /* [M] room */
    int32_t *back;  /* [M] */
} beam_search;

/* The n-th greatest (1 = the greatest) of x[count], which is put in disorder. Hoare's selection, median of three. O(count). */
static double nth_greatest(double *x, int32_t count, int32_t n)
{
    int32_t low = 0, high = count - 1, target = n - 1;
    while (low < high) {
        double a = x[low], b = x[low + (high - low) / 2], c = x[high];
        double pivot = a > b ? (b > c ? b : a > c ? c : a) : (a > c ? a : b > c ? c : b);
        int32_t i = low, j = high;
        while (i <= j) {
            while (x[i] > pivot)
                i++;
            while (x[j] < pivot)
                j--;
            if (i <= j) {
                double swap = x[i];
                x[i++] = x[j];
                x[j--] = swap;
            }
        }
        if (target <= j)
            high = j;
        else if (target >= i)
            low = i;
        else
            break;
    }
    return x[target];
}

/* Keeps the `width` best of the live states, the lowest among equals, in their order. values [M] is room. */
static void prune(sp_frontier *f, int32_t width, double *values)
{
    if (f->n_live <= width)
        return;
    for (int32_t n = 0; n < f->n_live; n++)
        values[n] = f->value[f->live[n]];
    double least = nth_greatest(values, f->n_live, width);
    int32_t n_equal = width, n_left = 0; /* how many of value `least` still fit */
    for (int32_t n = 0; n < f->n_live; n++)
        n_equal -= f->value[f->live[n]] > least;
    for (int32_t n = 0; n < f->n_live; n++) {
        int32_t i = f->live[n];
        if (f->value[i] > least || (f->value[i] == least && n_equal-- > 0))
            f->live[n_left++] = i;
        else
            f->value[i] = -INFINITY;
    }
    f->n_live = n_left;
}

static sp_status start(void *self, const sp_sequence *s, sp_error *err)
{
    beam_search *b = self;
    const sp_chain *chain = b->chain;
    size_t n_states = (size_t)chain->n_states, n_steps = (size_t)s->scores->n_steps;
    if (n_steps > SIZE_MAX / b->width)
        return sp_no_memory(err);
    b->kept = sp_scratch_get(s->scratch, n_steps * b->width, sizeof *b->kept);
    b->parent = sp_scratch_get(s->scratch, n_steps * b->width, sizeof *b->parent);
    double *doubles = sp_scratch_get(s->scratch, sp_frontier_doubles(chain, 2) + n_states, sizeof *doubles);
    int32_t *ints = sp_scratch_get(s->scratch, sp_frontier_ints(chain, 2) + n_states, sizeof *ints);
    if (!b->kept || !b->parent || !doubles || !ints)
        return sp_no_memory(err);
    sp_frontier_layout(chain, 2, b->frontiers, &b->room, doubles, ints);
    b->now = &b->frontiers[0];
    b->next = &b->frontiers[1];
    b->values = doubles + sp_frontier_doubles(chain, 2);
    b->back = ints + sp_frontier_ints(chain, 2);
    return SP_OK;
}

static bool step(void *self, sp_reach how, int64_t t, const double *e)
{
    beam_search *b = self;
    if (how == SP_REACH_START)
        sp_frontier_start(b->chain, e, b->next);
    else
        sp_frontier_step(b->chain, e, how == SP_REACH_ENTRY, b->now, b->next, b->back, &b->room);
    prune(b->next, (int32_t)b->width, b->values);
    for (int32_t n = 0; n < b->next->n_live; n++) {
        size_t at = (size_t)t * b->width + (size_t)n;
        b->kept[at] = b->next->live[n];
        b->parent[at] = how == SP_REACH_START ? 0 : b->room.place[b->back[b->next->live[n]]];
    }
    sp_frontier *before = b->now;
    b->now = b->next;
    b->next = before;
    return b->now->n_live > 0;
}

static int32_t last(void *self, sp_sequence *s)
{
    const beam_search *b = self;
    int32_t state = sp_frontier_best(b->now, b->chain->end), at = 0;
    if (state < 0)
        return -1;
    s->recurrence = b->now->value[state] + b->chain->end[state];
    s->is_least = !b->chain->is_plain;
    while (b->now->live[at] != state)
        at++;
    return at;
}

static void trace(void *self, sp_sequence *s, int32_t at)
{
    const beam_search *b = self;
    for (int64_t t = s->scores->n_steps - 1; t >= 0; t--) {
        size_t n = (size_t)t * b->width + (size_t)at;
        s->path[t] = b->chain->state_class[b->kept[n]];
        at = b->parent[n];
    }
}

static sp_status decode(sp_sequence *s, int32_t width, sp_error *err)
{
    beam_search b = {.chain = s->chain,
                     .width = (size_t)(width < s->chain->n_states ? width : s->chain->n_states)};
    const sp_search search = {
        .who = "beam search", .self = &b, .start = start, .step = step, .last = last, .trace = trace};
    return sp_search_run(&search, s, err);
}

const sp_strategy_row sp_beam_row = {
    {.name = "beam",
     .parameter = "WIDTH",
     .least = 1,
     .sample = 3,
     .is_legal = true,
     .knows_rules = true,
     .summary = "the WIDTH best partial paths; between greedy and viterbi",
     .when = "comparing with a decoder that does this; with W at least the number of states it is "
             "Viterbi"},
    .decode = decode};
