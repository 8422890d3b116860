#include "decode/dense_ties.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "decode/dense_piece.h"

enum { MOST_NODES = 1024, STEPS_PER_TIE = 16, NODES_PER_TIE = 16 }; /* of one tie; of all */

static int32_t most_ties_of(int64_t n_steps)
{
    int64_t most = 16 + n_steps / STEPS_PER_TIE;
    return most < 1 << 20 ? (int32_t)most : 1 << 20;
}

size_t sp_ties_bytes(int64_t n_steps)
{
    size_t most = (size_t)most_ties_of(n_steps);
    return most * sizeof(sp_tie) + (MOST_NODES + NODES_PER_TIE * most) * (sizeof(sp_tie_node) + 2 * sizeof(sp_tie_edge));
}

sp_ties sp_ties_in(void *room, int64_t n_steps)
{
    sp_ties t = {.most_ties = most_ties_of(n_steps)};
    t.most_nodes = MOST_NODES + NODES_PER_TIE * t.most_ties;
    t.most_edges = 2 * t.most_nodes;
    t.nodes = room;
    t.edges = (sp_tie_edge *)(t.nodes + t.most_nodes);
    t.ties = (sp_tie *)(t.edges + t.most_edges);
    return t;
}

/* The node (step, state), made unless it is among those from `level` on; -1: no room. */
static int32_t node_of(sp_ties *t, int32_t level, int64_t step, int32_t state)
{
    for (int32_t n = level; n < t->n_nodes; n++)
        if (t->nodes[n].state == state)
            return n;
    if (t->n_nodes == t->most_nodes)
        return -1;
    t->nodes[t->n_nodes] = (sp_tie_node){.step = step, .state = state};
    return t->n_nodes++;
}

/* All predecessors of a node that are within the tolerance, to the level that begins at `level`. */
static bool follow(sp_ties *t, const sp_dense_piece *p, int32_t node, int32_t level)
{
    const sp_chain *c = p->dense->chain;
    int64_t step = t->nodes[node].step;
    int32_t state = t->nodes[node].state;
    const double *now = sp_dense_piece_delta(p, step - 1);
    bool is_near;
    int32_t from = sp_dense_before(p->dense, now, state, 0, &is_near);
    double floor = now[from] + sp_dense_weight(p->dense, from, state) - p->tolerance;
    t->nodes[node].first_edge = t->n_edges;
    for (int64_t e = c->pred_row[state]; e < c->pred_row[state + 1]; e++) {
        if (!(now[c->pred[e]] + c->pred_weight[e] >= floor))
            continue;
        int32_t before = node_of(t, level, step - 1, c->pred[e]);
        if (before < 0 || t->n_edges == t->most_edges)
            return false;
        t->edges[t->n_edges++] = (sp_tie_edge){before, c->pred_weight[e]};
        t->nodes[node].n_edges++;
    }
    return t->nodes[node].n_edges > 0;
}

sp_dense_place sp_ties_open(sp_ties *t, const sp_dense_piece *p, int64_t step, int32_t state, int64_t low)
{
    static const sp_dense_place nowhere = {-1, 0};
    int32_t first = t->n_nodes, level = first;
    if (t->n_ties == t->most_ties || node_of(t, first, step, state) < 0)
        return nowhere;
    for (int64_t u = step; u > low; u--) {
        int32_t end = t->n_nodes;
        for (int32_t n = level; n < end; n++)
            if (!follow(t, p, n, end))
                return nowhere;
        level = end;
        if (t->n_nodes - first > MOST_NODES)
            return nowhere;
        if (t->n_nodes - level == 1) {
            t->ties[t->n_ties++] = (sp_tie){step, u - 1, first, t->n_nodes - first};
            return (sp_dense_place){u - 1, t->nodes[level].state};
        }
    }
    return nowhere;
}

/* Of one base the last opened comes first. */
static int by_base(const void *a, const void *b)
{
    const sp_tie *x = a, *y = b;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return (x->first_node < y->first_node) - (x->first_node > y->first_node);
}

void sp_ties_sort(sp_ties *t)
{
    int32_t n = 0;
    if (t->n_ties > 1)
        qsort(t->ties, (size_t)t->n_ties, sizeof *t->ties, by_base);
    for (int32_t i = 0; i < t->n_ties; i++)
        if (n == 0 || t->ties[i].base != t->ties[n - 1].base)
            t->ties[n++] = t->ties[i]; /* what the last trace left undecided is the last that was opened there */
    t->n_ties = n;
}

static int to_base(const void *base, const void *tie)
{
    int64_t x = *(const int64_t *)base, y = ((const sp_tie *)tie)->base;
    return (x > y) - (x < y);
}

void sp_ties_decide(sp_ties *t, const sp_scores *scores, int64_t base, double value, int32_t *path, double *taken)
{
    const sp_tie *tie = bsearch(&base, t->ties, (size_t)t->n_ties, sizeof *t->ties, to_base);
    assert(tie);
    sp_tie_node *nodes = t->nodes;
    nodes[tie->first_node + tie->n_nodes - 1].value = value;
    for (int32_t n = tie->first_node + tie->n_nodes - 2; n >= tie->first_node; n--) {
        double best = -INFINITY;
        for (int32_t i = 0; i < nodes[n].n_edges; i++) {
            const sp_tie_edge *e = &t->edges[nodes[n].first_edge + i];
            if (nodes[e->node].value + e->weight > best) {
                best = nodes[e->node].value + e->weight;
                nodes[n].from = e->node;
            }
        }
        nodes[n].value = best + sp_dense_score(scores, nodes[n].step, nodes[n].state);
    }
    for (int32_t n = nodes[tie->first_node].from; nodes[n].step > base; n = nodes[n].from) {
        path[nodes[n].step] = nodes[n].state;
        taken[nodes[n].step] = sp_dense_score(scores, nodes[n].step, nodes[n].state);
    }
}
