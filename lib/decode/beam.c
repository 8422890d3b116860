/* Beam search: a frontier of at most W states.
 *
 * Partial paths are kept by end state. Of two that end in one state only the better can win, since both go on alike; the other
 * would take up a place in the beam for nothing. With W of at least the number of states nothing is ever dropped, and the answer
 * is Viterbi's.
 */
#include "decode/beam.h"

#include <math.h>

enum { SLOT_KEPT = SP_SLOT_FREE, SLOT_PARENT, SLOT_VALUES, SLOT_LISTS };

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

/* Keeps the `width` best of the live states, the lowest histories among equals, in their order. values [M] is room. */
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

sp_status sp_beam_init(sp_beam_search *b, const sp_chain *chain, int32_t width, int64_t n_steps, sp_scratch *scratch,
                       sp_error *err)
{
    size_t n_states = (size_t)chain->n_states;
    *b = (sp_beam_search){.chain = chain, .width = width < chain->n_states ? (size_t)width : n_states};
    if ((size_t)n_steps > SIZE_MAX / b->width)
        return sp_decode_no_memory(err);
    b->kept = sp_scratch_get(scratch, SLOT_KEPT, (size_t)n_steps * b->width, sizeof *b->kept);
    b->parent = sp_scratch_get(scratch, SLOT_PARENT, (size_t)n_steps * b->width, sizeof *b->parent);
    double *doubles = sp_scratch_get(scratch, SLOT_VALUES, sp_frontier_doubles(chain, 2) + n_states, sizeof *doubles);
    int32_t *ints = sp_scratch_get(scratch, SLOT_LISTS, sp_frontier_ints(chain, 2) + n_states, sizeof *ints);
    if (!b->kept || !b->parent || !doubles || !ints)
        return sp_decode_no_memory(err);
    sp_frontier_layout(chain, 2, b->frontiers, &b->room, doubles, ints);
    b->now = &b->frontiers[0];
    b->next = &b->frontiers[1];
    b->values = doubles + sp_frontier_doubles(chain, 2);
    b->back = ints + sp_frontier_ints(chain, 2);
    return SP_OK;
}

bool sp_beam_step(sp_beam_search *b, sp_reach how, int64_t t, const double *e)
{
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

int32_t sp_beam_last(const sp_beam_search *b)
{
    int32_t last = sp_frontier_best(b->now, b->chain->end), place = 0;
    if (last < 0)
        return -1;
    while (b->now->live[place] != last)
        place++;
    return place;
}

double sp_beam_value(const sp_beam_search *b, int32_t place)
{
    int32_t last = b->now->live[place];
    return b->now->value[last] + b->chain->end[last];
}

int32_t sp_beam_trace(const sp_beam_search *b, int64_t n_steps, int32_t place, int32_t *path)
{
    for (int64_t t = n_steps - 1; t >= 0; t--) {
        size_t at = (size_t)t * b->width + (size_t)place;
        path[t] = b->chain->state_class[b->kept[at]];
        place = b->parent[at];
    }
    return place;
}

sp_status sp_beam(const sp_chain *chain, const sp_scores *scores, int32_t width, sp_scratch *scratch, int32_t *path,
                  double *score, sp_error *err)
{
    if (width < 1)
        return sp_fail(err, SP_EINVAL, "beam width %d: at least one partial path must be kept", (int)width);
    sp_status status = sp_decode_check(chain, scores, err);
    if (status != SP_OK)
        return status;
    sp_beam_search b;
    status = sp_beam_init(&b, chain, width, scores->n_steps, scratch, err);
    if (status != SP_OK)
        return status;
    int32_t *found = sp_scratch_get(scratch, SP_SLOT_PATH, (size_t)scores->n_steps, sizeof *found);
    double *row = sp_row_buffer(scores, scratch);
    if (!found || !row)
        return sp_decode_no_memory(err);
    for (int64_t t = 0; t < scores->n_steps; t++) {
        sp_reach how = t == 0 ? SP_REACH_START : sp_scores_is_gap(scores, t) ? SP_REACH_ENTRY : SP_REACH_NEXT;
        if (!sp_beam_step(&b, how, t, sp_row(scores, t, row)))
            return sp_decode_stuck(chain, scores, scratch, "beam search", t, err);
    }
    if (scores->n_steps > 0) {
        int32_t place = sp_beam_last(&b);
        if (place < 0)
            return sp_decode_stuck(chain, scores, scratch, "beam search", scores->n_steps - 1, err);
        sp_beam_trace(&b, scores->n_steps, place, found);
        status = sp_verify_state_path(chain, scores, found, sp_beam_value(&b, place), err);
        if (status != SP_OK)
            return status;
    }
    return sp_decode_finish(chain, scores, found, true, path, score, err);
}
