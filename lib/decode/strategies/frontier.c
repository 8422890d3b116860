#include "decode/strategies/frontier.h"

#include <math.h>
#include <stdlib.h>

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
    room->head = ints + n;
    room->next = ints + 2 * n;
    room->next_kin = ints + 3 * n;
    room->class_head = ints + 4 * n;
    room->class_tail = room->class_head + chain->n_classes;
}

void sp_frontier_clear(sp_frontier *f)
{
    for (int32_t n = 0; n < f->n_live; n++)
        f->value[f->live[n]] = -INFINITY;
    f->n_live = 0;
}

static int compare_states(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* One state per class, or all histories equal: the state decides. */
static void order_by_state(const sp_chain *chain, sp_frontier *f)
{
    if (f->n_live < chain->n_states / 16) {
        qsort(f->live, (size_t)f->n_live, sizeof *f->live, compare_states);
        return;
    }
    f->n_live = 0;
    for (int32_t j = 0; j < chain->n_states; j++)
        if (f->value[j] > -INFINITY)
            f->live[f->n_live++] = j;
}

/* By class, then by the place of the predecessor: lists of the successors of each place, gone through in order and appended to
 * lists of each class. O(M + K). */
static void order_by_history(const sp_chain *chain, const sp_frontier *from, sp_frontier *to,
                             const int32_t *back, sp_frontier_room *room)
{
    for (int32_t n = 0; n < from->n_live; n++)
        room->head[n] = -1;
    for (int32_t j = chain->n_states - 1; j >= 0; j--) {
        if (to->value[j] == -INFINITY)
            continue;
        int32_t place = room->place[back[j]];
        room->next[j] = room->head[place];
        room->head[place] = j;
    }
    for (int32_t k = 0; k < chain->n_classes; k++)
        room->class_head[k] = -1;
    for (int32_t n = 0; n < from->n_live; n++)
        for (int32_t j = room->head[n]; j >= 0; j = room->next[j]) {
            int32_t k = chain->state_class[j];
            room->next_kin[j] = -1;
            if (room->class_head[k] < 0)
                room->class_head[k] = j;
            else
                room->next_kin[room->class_tail[k]] = j;
            room->class_tail[k] = j;
        }
    to->n_live = 0;
    for (int32_t k = 0; k < chain->n_classes; k++)
        for (int32_t j = room->class_head[k]; j >= 0; j = room->next_kin[j])
            to->live[to->n_live++] = j;
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
    if (is_gap && into == chain) { /* every entry state follows the best there is; all histories are one */
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
    if (chain->is_plain)
        order_by_state(chain, to);
    else
        order_by_history(chain, from, to, back, room);
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
