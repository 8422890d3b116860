#include "decode/strategies/frontier.h"

#include <math.h>
#include <stdlib.h>

#include "core/numbers.h"

void sp_frontier_layout(const sp_chain *chain, int count, sp_frontier *frontiers, sp_frontier_room *room,
                        double *doubles, int32_t *ints)
{
    size_t n = (size_t)chain->n_states;
    for (int f = 0; f < count; f++) {
        frontiers[f] = (sp_frontier){doubles, ints, 0};
        for (size_t j = 0; j < n; j++)
            doubles[j] = -INFINITY;
        doubles += n;
        ints += n;
    }
    room->place = ints;
}

void sp_frontier_clear(sp_frontier *f)
{
    for (int32_t n = 0; n < f->n_live; n++)
        f->value[f->live[n]] = -INFINITY;
    f->n_live = 0;
}

static void order_by_state(const sp_chain *chain, sp_frontier *f)
{
    if (f->n_live < chain->n_states / 16) {
        qsort(f->live, (size_t)f->n_live, sizeof *f->live, number_compare_int32);
        return;
    }
    f->n_live = 0;
    for (int32_t j = 0; j < chain->n_states; j++)
        if (f->value[j] > -INFINITY)
            f->live[f->n_live++] = j;
}

/* Adds the scores; states that become impossible leave the list. */
static void add_scores(const sp_chain *chain, const double *e, sp_frontier *f)
{
    int32_t n_left = 0;
    for (int32_t n = 0; n < f->n_live; n++) {
        int32_t j = f->live[n];
        f->value[j] += e[chain->state_class[j]];
        if (f->value[j] > -INFINITY)
            f->live[n_left++] = j;
    }
    f->n_live = n_left;
}

static void offer(sp_frontier *to, int32_t j, double value)
{
    if (to->value[j] == -INFINITY)
        to->live[to->n_live++] = j;
    to->value[j] = value;
}

void sp_frontier_start(const sp_chain *chain, const double *e, sp_frontier *to)
{
    sp_frontier_clear(to);
    for (int32_t j = 0; j < chain->n_states; j++)
        if (chain->start[j] > -INFINITY)
            offer(to, j, chain->start[j]);
    add_scores(chain, e, to);
}

void sp_frontier_step(const sp_chain *chain, const double *e, bool is_gap, const sp_frontier *from,
                      sp_frontier *to, int32_t *back, sp_frontier_room *room)
{
    sp_frontier_clear(to);
    for (int32_t n = 0; n < from->n_live; n++)
        room->place[from->live[n]] = n;
    const sp_chain *into = is_gap && chain->across ? chain->across : chain;
    if (is_gap && into == chain) { /* every entry state follows the best there is */
        int32_t best = sp_frontier_best(from, chain->leave);
        for (int32_t j = 0; best >= 0 && j < chain->n_states; j++)
            if (chain->entry[j]) {
                offer(to, j, from->value[best] + sp_chain_leave(chain, best));
                back[j] = best;
            }
        add_scores(chain, e, to);
        return;
    }
    for (int32_t n = 0; n < from->n_live; n++) {
        int32_t i = from->live[n];
        double value = from->value[i];
        for (int64_t s = into->succ_row[i]; s < into->succ_row[i + 1]; s++) {
            int32_t j = into->succ[s];
            double candidate = value + into->succ_weight[s];
            if (candidate > to->value[j]) {
                offer(to, j, candidate);
                back[j] = i;
            }
        }
    }
    add_scores(chain, e, to);
    order_by_state(chain, to);
}

int32_t sp_frontier_best(const sp_frontier *f, const double *end)
{
    double best = -INFINITY;
    int32_t best_state = -1;
    for (int32_t n = 0; n < f->n_live; n++) {
        int32_t i = f->live[n];
        double value = end ? f->value[i] + end[i] : f->value[i];
        if (value > best) {
            best = value;
            best_state = i;
        }
    }
    return best_state;
}
