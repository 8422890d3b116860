#include "core/rules/product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/rules/intern.h"
#include "core/rules/refine.h"
#include "core/rules/rules.h"
#include "core/try.h"

enum { GAP = -1 };

/* States and what may follow them, with nodes for gaps: state -> gap node -> states that may stand first after the gap. Of each label
 * a node has one successor at most, unless is_ambiguous. */
typedef struct graph {
    int32_t n, room;
    int64_t n_edges, edge_room;
    int32_t *label;      /* [n] the model's state, dwells unfolded; GAP */
    double *start, *end; /* [n] nats */
    int64_t *row;        /* [n+1] */
    int32_t *to;
    double *weight;
    bool is_whole; /* memory did not lack */
} graph;

static void graph_clear(graph *g)
{
    free(g->label);
    free(g->start);
    free(g->end);
    free(g->row);
    free(g->to);
    free(g->weight);
    *g = (graph){0};
}

static void add_node(graph *g, int32_t label, double start, double end)
{
    if (g->n == g->room) {
        g->room = g->room ? 2 * g->room : 64;
        g->label = sp_grown(g->label, g->room, sizeof *g->label, &g->is_whole);
        g->start = sp_grown(g->start, g->room, sizeof *g->start, &g->is_whole);
        g->end = sp_grown(g->end, g->room, sizeof *g->end, &g->is_whole);
        g->row = sp_grown(g->row, g->room + 1, sizeof *g->row, &g->is_whole);
    }
    if (!g->is_whole)
        return;
    g->label[g->n] = label;
    g->start[g->n] = start;
    g->end[g->n] = end;
    g->row[g->n] = g->row[g->n + 1] = g->n_edges;
    g->n++;
}

/* From the node that was added last. */
static void add_edge(graph *g, int32_t to, double weight)
{
    if (g->n_edges == g->edge_room) {
        g->edge_room = g->edge_room ? 2 * g->edge_room : 256;
        g->to = sp_grown(g->to, g->edge_room, sizeof *g->to, &g->is_whole);
        g->weight = sp_grown(g->weight, g->edge_room, sizeof *g->weight, &g->is_whole);
    }
    if (!g->is_whole)
        return;
    g->to[g->n_edges] = to;
    g->weight[g->n_edges++] = weight + 0.; /* no -0. */
    g->row[g->n] = g->n_edges;
}

/* ---- the model ---- */

typedef struct base {
    const sp_model *model;
    int32_t *first; /* [n_states+1] of the labels of a state's dwell */
    int32_t *class; /* [labels] */
    int32_t *state; /* [labels] */
    double weight;  /* of transitions: log weights are multiplied by it; NaN: they weigh 0 */
} base;

static bool has_duration(const sp_model *model, int32_t s)
{
    return model->durations && model->durations[sp_model_state_class(model, s)].form != SP_DURATION_FREE;
}

/* How the only state of a class with a duration stays is the duration's. */
static bool stays_by_duration(const sp_model *model, int32_t s)
{
    int32_t n = 0;
    for (int32_t u = 0; has_duration(model, s) && u < model->n_states; u++)
        n += sp_model_state_class(model, u) == sp_model_state_class(model, s);
    return n == 1;
}

static double base_weight(const base *b, int64_t edge)
{
    return isnan(b->weight) || !b->model->weight ? 0 : b->weight * b->model->weight[edge];
}

static void add_base_edges(graph *g, const base *b, int32_t s, int32_t place, bool stays_free)
{
    const sp_model *model = b->model;
    const int32_t last = b->first[s + 1] - b->first[s] - 1;
    const int64_t stay = sp_model_edge(model, s, s);
    if (place < last)
        add_edge(g, b->first[s] + place + 1, base_weight(b, stay));
    for (int64_t e = model->row[s]; place == last && e < model->row[s + 1]; e++)
        if (model->to[e] != s || !stays_free)
            add_edge(g, model->to[e] == s ? b->first[s] + last : b->first[model->to[e]], base_weight(b, e));
    if (stays_free)
        add_edge(g, b->first[s], 0);
    add_edge(g, b->first[model->n_states], 0); /* the gap */
}

static void base_graph(graph *g, const base *b)
{
    const sp_model *model = b->model;
    for (int32_t s = 0; s < model->n_states; s++) {
        const bool stays_free = stays_by_duration(model, s);
        for (int32_t label = b->first[s]; label < b->first[s + 1]; label++) {
            const bool is_first = label == b->first[s],
                       is_cut = model->min_dwell_at_end && label + 1 < b->first[s + 1];
            add_node(g, label,
                     !is_first      ? -INFINITY
                     : model->start ? model->start[s]
                                    : 0,
                     is_cut       ? -INFINITY
                     : model->end ? model->end[s]
                                  : 0);
            add_base_edges(g, b, s, label - b->first[s], stays_free);
        }
    }
    add_node(g, GAP, -INFINITY, -INFINITY);
    for (int32_t s = 0; s < model->n_states; s++)
        add_edge(g, b->first[s], 0);
}

/* ---- times a rule ---- */

typedef struct factor {
    const sp_rule_automaton *automaton;
    double cost; /* INFINITY: what breaks the rule is left out */
    bool is_backward;
} factor;

typedef struct move {
    int32_t to;
    double weight;
} move;

static size_t cell(const factor *f, int32_t state, int32_t letter)
{
    return (size_t)state * (size_t)SP_RULE_LETTERS(f->automaton->n_classes) + (size_t)letter;
}

static double price(const factor *f, int64_t n_violations)
{
    return n_violations == 0 ? 0 : -f->cost * (double)n_violations;
}

/* Where a letter leads from a state of the rule; out has room for one, of a backward automaton, whose two states say what is still
 * to come, for two. Returns how many. */
static int moves(const factor *f, int32_t state, int32_t letter, move out[2])
{
    const sp_rule_automaton *a = f->automaton;
    int n = 0;
    if (!f->is_backward) {
        const size_t at = cell(f, state, letter);
        out[0] = (move){a->next[at], price(f, a->broken[at])};
        return out[0].weight > -INFINITY;
    }
    for (int32_t q = 0; q < a->n_states; q++)
        if (a->next[cell(f, q, letter)] == state)
            out[n++] = (move){q, price(f, a->broken[cell(f, q, letter)])};
    return n;
}

typedef struct multiplication {
    const graph *from;
    const factor *rule;
    const base *base;
    sp_intern pairs; /* (node, state of the rule) */
    graph *out;
} multiplication;

static int32_t pair_of(multiplication *m, int32_t node, int32_t state)
{
    const int32_t key[2] = {node, state};
    return sp_intern_add(&m->pairs, key, sizeof key);
}

static void add_moves(multiplication *m, int32_t node, int32_t state, double weight)
{
    move to[2];
    const int n = moves(m->rule, state, m->base->class[m->from->label[node]], to);
    for (int i = 0; i < n; i++)
        add_edge(m->out, pair_of(m, node, to[i].to), weight + to[i].weight);
}

static void multiply_edges(multiplication *m, int32_t node, int32_t state)
{
    const graph *g = m->from;
    move across[2] = {{state, 0}};
    const int n =
        g->label[node] == GAP ? moves(m->rule, state, SP_RULE_GAP(m->rule->automaton->n_classes), across) : 1;
    for (int64_t e = g->row[node]; e < g->row[node + 1]; e++)
        if (g->label[g->to[e]] == GAP)
            add_edge(m->out, pair_of(m, g->to[e], state), g->weight[e]);
        else
            for (int i = 0; i < n; i++)
                add_moves(m, g->to[e], across[i].to, g->weight[e]);
}

/* The pairs that the starts reach. False where there are more than `most`. */
static bool multiply(multiplication *m, int64_t most)
{
    const graph *g = m->from;
    const sp_rule_automaton *a = m->rule->automaton;
    double *start = NULL;
    int32_t n_starts = 0;
    for (int32_t node = 0; node < g->n; node++)
        for (int32_t first = 0;
             g->start[node] > -INFINITY && first < (m->rule->is_backward ? a->n_states : 1); first++) {
            move to[2];
            const int n = moves(m->rule, first, m->base->class[g->label[node]], to);
            for (int i = 0; i < n; i++) {
                start = sp_grown(start, n_starts + 1, sizeof *start, &m->out->is_whole);
                if (pair_of(m, node, to[i].to) == n_starts && m->out->is_whole) /* always a new one */
                    start[n_starts++] = g->start[node] + to[i].weight;
            }
        }
    for (int32_t i = 0; i < m->pairs.n && m->out->is_whole && !m->pairs.is_short && m->pairs.n <= most; i++) {
        size_t size;
        int32_t key[2];
        memcpy(key, sp_intern_key(&m->pairs, i, &size), sizeof key);
        const double end = !m->rule->is_backward ? price(m->rule, a->missing[key[1]])
                           : key[1] == 0         ? 0
                                                 : -INFINITY;
        add_node(m->out, g->label[key[0]], i < n_starts ? start[i] : -INFINITY, g->end[key[0]] + end);
        multiply_edges(m, key[0], key[1]);
    }
    free(start);
    m->out->is_whole &= !m->pairs.is_short;
    return m->pairs.n <= most;
}

/* ---- smaller ---- */

/* The graph of classes of nodes: block[i] < 0 is dropped; the others stand for their first node. */
static void merge(graph *g, int32_t n_blocks, const int32_t *block)
{
    graph out = {.is_whole = g->is_whole};
    for (int32_t i = 0, made = 0; i < g->n && made < n_blocks; i++) {
        if (block[i] != made) /* blocks are numbered by their first nodes */
            continue;
        add_node(&out, g->label[i], -INFINITY, g->end[i]);
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++)
            if (block[g->to[e]] >= 0)
                add_edge(&out, block[g->to[e]], g->weight[e]);
        made++;
    }
    for (int32_t i = 0; i < g->n && out.is_whole; i++)
        if (block[i] >= 0 && g->start[i] > out.start[block[i]])
            out.start[block[i]] = g->start[i];
    graph_clear(g);
    *g = out;
}

/* Drops nodes from which no end is reached. */
static void trim(graph *g)
{
    sp_owned own = {0};
    sp_refine_edges edges;
    int32_t *queue = sp_zeros(&own, (size_t)g->n, sizeof *queue),
            *block = sp_zeros(&own, (size_t)g->n, sizeof *block), n = 0;
    if ((g->is_whole = sp_refine_reverse(&own, g->n, 1, g->row, g->to, &edges) && g->is_whole)) {
        for (int32_t i = 0; i < g->n; i++)
            if ((block[i] = g->end[i] > -INFINITY ? 0 : -1) == 0)
                queue[n++] = i;
        for (int32_t at = 0; at < n; at++)
            for (int64_t e = edges.row[queue[at]]; e < edges.row[queue[at] + 1]; e++)
                if (block[edges.from[e]] < 0) {
                    block[edges.from[e]] = 0;
                    queue[n++] = edges.from[e];
                }
        for (int32_t i = 0, next = 0; i < g->n; i++)
            block[i] = block[i] < 0 ? -1 : next++;
        merge(g, n, block);
    }
    sp_owned_free(&own);
}

typedef struct signed_edge { /* two of a kind: no padding, so that keys compare by bytes */
    double label, weight;
} signed_edge;

static int compare_edges(const void *a, const void *b)
{
    const double x = ((const signed_edge *)a)->label, y = ((const signed_edge *)b)->label;
    return (x > y) - (x < y);
}

/* Nodes that weigh alike whatever follows become one. */
static void minimise(graph *g)
{
    sp_owned own = {0};
    sp_intern kinds = {0};
    sp_refine_edges edges;
    int64_t most = 0;
    for (int32_t i = 0; i < g->n; i++)
        most = g->row[i + 1] - g->row[i] > most ? g->row[i + 1] - g->row[i] : most;
    signed_edge *key = sp_zeros(&own, (size_t)most + 1, sizeof *key);
    int32_t *block = sp_zeros(&own, (size_t)g->n, sizeof *block);
    g->is_whole &= sp_refine_reverse(&own, g->n, 1, g->row, g->to, &edges);
    for (int32_t i = 0; g->is_whole && i < g->n; i++) {
        const int64_t n = g->row[i + 1] - g->row[i];
        key[0].label = g->label[i];
        key[0].weight = g->end[i];
        for (int64_t e = 0; e < n; e++) {
            key[e + 1].label = g->label[g->to[g->row[i] + e]];
            key[e + 1].weight = g->weight[g->row[i] + e];
        }
        qsort(key + 1, (size_t)n, sizeof *key, compare_edges);
        block[i] = sp_intern_add(&kinds, key, ((size_t)n + 1) * sizeof *key);
        g->is_whole &= !kinds.is_short;
    }
    const int32_t n = g->is_whole ? sp_refine(&edges, kinds.n, block) : -1;
    g->is_whole &= n >= 0;
    if (g->is_whole)
        merge(g, n, block);
    sp_intern_clear(&kinds);
    sp_owned_free(&own);
}

/* ---- one rule after the other ---- */

/* `every a followed_by c` read forward: is a c still to come? Two states. */
static bool make_forward(const sp_rule_automaton *back, sp_owned *own, sp_rule_automaton *out)
{
    const int32_t K = back->n_classes;
    const size_t L = (size_t)SP_RULE_LETTERS(K);
    *out = (sp_rule_automaton){.n_states = 2,
                               .n_classes = K,
                               .next = sp_zeros(own, 2 * L, sizeof *out->next),
                               .broken = sp_zeros(own, 2 * L, 1),
                               .missing = sp_zeros(own, 2, sizeof *out->missing)};
    if (own->is_short)
        return false;
    out->missing[1] = 1;
    for (size_t l = 0; l < L; l++) {
        out->next[l] = back->broken[l];
        out->next[L + l] = back->broken[l] || back->next[l] == 0;
    }
    return true;
}

static sp_status fail_large(const sp_model *model, int32_t r, int64_t most, sp_error *err)
{
    return sp_fail(err, SP_EMODEL,
                   "model %s: with rule %s it has more than %lld states; make the rule's numbers smaller, or "
                   "allow more states "
                   "(`max_states`)",
                   model->name, model->rules[r].name, (long long)most);
}

static sp_status take_rule(graph *g, const base *b, int32_t r, const sp_rule_automaton *automaton,
                           const sp_chain_options *options, bool *is_ambiguous, sp_error *err)
{
    const sp_rule *rule = &b->model->rules[r];
    sp_owned own = {0};
    sp_rule_automaton forward;
    graph out = {.is_whole = true};
    sp_status status = SP_OK;
    if (rule->cost == 0 || (options->is_boolean && isfinite(rule->cost)))
        return SP_OK;
    factor f = {automaton, rule->cost, automaton->is_backward};
    if (automaton->is_backward && isinf(rule->cost)) {
        TRY(make_forward(automaton, &own, &forward) ? SP_OK : sp_no_memory(err));
        f = (factor){&forward, rule->cost, false};
    }
    *is_ambiguous |= f.is_backward;
    multiplication m = {.from = g, .rule = &f, .base = b, .out = &out};
    const bool is_small = multiply(&m, 4 * options->max_states + 1000);
    sp_intern_clear(&m.pairs);
    TRY(is_small ? SP_OK : fail_large(b->model, r, options->max_states, err));
    if (out.is_whole)
        trim(&out);
    if (out.is_whole && !*is_ambiguous)
        minimise(&out);
    TRY(out.is_whole ? SP_OK : sp_no_memory(err));
    TRY(out.n <= options->max_states ? SP_OK : fail_large(b->model, r, options->max_states, err));
    graph swapped = *g;
    *g = out;
    out = swapped;
done:
    graph_clear(&out);
    sp_owned_free(&own);
    return status;
}

/* ---- out ---- */

/* Is there one gap node, which is like the one of a model without rules? */
static bool forgets_at_gaps(const graph *g)
{
    int32_t gap = -1;
    for (int32_t i = 0; i < g->n; i++)
        if (g->label[i] == GAP && gap >= 0)
            return false;
        else if (g->label[i] == GAP)
            gap = i;
    for (int32_t i = 0; i < g->n; i++) {
        bool leads_there = i == gap;
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++) {
            leads_there |= g->to[e] == gap;
            if ((g->to[e] == gap || i == gap) && g->weight[e] != 0)
                return false;
        }
        if (!leads_there)
            return false;
    }
    return true;
}

/* A node that is no gap, as states are ordered: by place in a dwell, then state of the model, then number
 * of the node. */
typedef struct ordered_node {
    int32_t place, declared, node;
} ordered_node;

static int compare_nodes(const void *a, const void *b)
{
    const ordered_node *x = a, *y = b;
    return x->place != y->place         ? (x->place > y->place) - (x->place < y->place)
           : x->declared != y->declared ? (x->declared > y->declared) - (x->declared < y->declared)
                                        : (x->node > y->node) - (x->node < y->node);
}

/* Fills order, which has room for all nodes, and number [n]: place of each node in it, -1 of a gap.
 * Returns how many there are. */
static int32_t order_nodes(const graph *g, const base *b, ordered_node *order, int32_t *number)
{
    int32_t n = 0;
    for (int32_t i = 0; i < g->n; i++) {
        number[i] = -1;
        if (g->label[i] != GAP) {
            const int32_t s = b->state[g->label[i]];
            order[n++] = (ordered_node){g->label[i] - b->first[s], s, i};
        }
    }
    qsort(order, (size_t)n, sizeof *order, compare_nodes);
    for (int32_t s = 0; s < n; s++)
        number[order[s].node] = s;
    return n;
}

/* Transitions across gaps, of states 0 .. n_states-1, counted where to is NULL. */
static int64_t list_across(const graph *g, int32_t n_states, const ordered_node *order, const int32_t *number,
                           int64_t *row, int32_t *to, double *weight)
{
    int64_t n = 0;
    for (int32_t s = 0; s < n_states; s++) {
        const int32_t i = order[s].node;
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++)
            for (int64_t e2 = g->row[g->to[e]]; g->label[g->to[e]] == GAP && e2 < g->row[g->to[e] + 1];
                 e2++) {
                if (to) {
                    to[n] = number[g->to[e2]];
                    weight[n] = g->weight[e] + g->weight[e2];
                }
                n++;
            }
        if (to)
            row[s + 1] = n;
    }
    return n;
}

static sp_status hand_out(const graph *g, const base *b, sp_product *product, sp_error *err)
{
    sp_owned *own = &product->own;
    sp_model *m = &product->model;
    int32_t *number = sp_zeros(own, (size_t)g->n, sizeof *number);
    ordered_node *order = sp_zeros(own, (size_t)g->n, sizeof *order);
    const int32_t n = number && order ? order_nodes(g, b, order, number) : 0;
    const int64_t n_across =
        n > 0 && !forgets_at_gaps(g) ? list_across(g, n, order, number, NULL, NULL, NULL) : -1;
    const size_t M = (size_t)n;
    int32_t *state_class = sp_zeros(own, M, sizeof *state_class),
            *declared = sp_zeros(own, M, sizeof *declared),
            *to = sp_zeros(own, (size_t)g->n_edges, sizeof *to),
            *gap_to = sp_zeros(own, (size_t)(n_across + 1), sizeof *gap_to);
    int64_t *row = sp_zeros(own, M + 1, sizeof *row), *gap_row = sp_zeros(own, M + 1, sizeof *gap_row),
            n_edges = 0;
    double *weight = sp_zeros(own, (size_t)g->n_edges, sizeof *weight),
           *start = sp_zeros(own, M, sizeof *start), *end = sp_zeros(own, M, sizeof *end),
           *gap_weight = sp_zeros(own, (size_t)(n_across + 1), sizeof *gap_weight);
    uint8_t *entry = sp_zeros(own, M, 1), *fresh = sp_zeros(own, M, 1);
    if (own->is_short)
        return sp_no_memory(err);
    for (int32_t s = 0; s < n; s++) {
        const int32_t i = order[s].node;
        state_class[s] = b->class[g->label[i]];
        declared[s] = order[s].declared;
        fresh[s] = order[s].place == 0;
        start[s] = g->start[i];
        end[s] = g->end[i];
        for (int64_t e = g->row[i]; e < g->row[i + 1]; e++)
            if (number[g->to[e]] >= 0) {
                to[n_edges] = number[g->to[e]];
                weight[n_edges++] = g->weight[e];
            }
        row[s + 1] = n_edges;
    }
    for (int32_t i = 0; i < g->n; i++)
        for (int64_t e = g->row[i]; g->label[i] == GAP && e < g->row[i + 1]; e++)
            entry[number[g->to[e]]] = 1;
    if (n_across >= 0)
        list_across(g, n, order, number, gap_row, gap_to, gap_weight);
    m->n_states = n;
    m->states = NULL;
    m->state_class = state_class;
    m->row = row;
    m->to = to;
    m->weight = weight;
    m->start = start;
    m->end = end;
    m->min_dwell = NULL;
    m->n_rules = 0;
    product->declared = declared;
    product->gaps = (sp_declared_gaps){entry, fresh, n_across >= 0 ? gap_row : NULL, gap_to, gap_weight};
    return SP_OK;
}

sp_status sp_product_make(sp_product *product, const sp_model *model, const sp_chain_options *options,
                          sp_error *err)
{
    *product = (sp_product){.model = *model};
    graph g = {.is_whole = true};
    base b = {.model = model, .weight = options->is_boolean ? NAN : options->transition_weight};
    bool is_ambiguous = false, has_start = false;
    sp_status status = SP_OK;
    b.first = sp_zeros(&product->own, (size_t)model->n_states + 1, sizeof *b.first);
    product->automata = sp_zeros(&product->own, (size_t)model->n_rules, sizeof *product->automata);
    product->n_automata = product->automata ? model->n_rules : 0;
    TRY(sp_owned_status(&product->own, err));
    for (int32_t s = 0; s < model->n_states; s++)
        b.first[s + 1] = b.first[s] + (model->min_dwell && !has_duration(model, s) ? model->min_dwell[s] : 1);
    b.class = sp_zeros(&product->own, (size_t)b.first[model->n_states], sizeof *b.class);
    b.state = sp_zeros(&product->own, (size_t)b.first[model->n_states], sizeof *b.state);
    TRY(b.class && b.state ? SP_OK : sp_no_memory(err));
    for (int32_t s = 0; s < model->n_states; s++)
        for (int32_t label = b.first[s]; label < b.first[s + 1]; label++) {
            b.class[label] = sp_model_state_class(model, s);
            b.state[label] = s;
        }
    base_graph(&g, &b);
    TRY(g.is_whole ? SP_OK : sp_no_memory(err));
    for (int32_t r = 0; r < model->n_rules; r++) {
        TRY(sp_rule_compile(model, r, options->step_seconds, &product->automata[r], err));
        TRY(take_rule(&g, &b, r, &product->automata[r], options, &is_ambiguous, err));
    }
    for (int32_t i = 0; i < g.n; i++)
        has_start |= g.start[i] > -INFINITY;
    product->is_empty = !has_start;
    if (has_start)
        TRY(hand_out(&g, &b, product, err));
done:
    graph_clear(&g);
    return status;
}

void sp_product_clear(sp_product *product)
{
    for (int32_t r = 0; r < product->n_automata; r++)
        sp_rule_automaton_clear(&product->automata[r]);
    sp_owned_free(&product->own);
}

/* ---- rules that contradict each other ---- */

/* "n3", "n3 and order", "n3, order and rule4" */
static void say_names(char *out, size_t size, const sp_model *model)
{
    size_t n = 0;
    *out = 0;
    for (int32_t r = 0; r < model->n_rules && n < size; r++)
        n += (size_t)snprintf(out + n, size - n, "%s%s",
                              r == 0                   ? ""
                              : r + 1 < model->n_rules ? ", "
                                                       : " and ",
                              model->rules[r].name);
}

sp_status sp_product_blame(const sp_model *model,
                           sp_status (*is_empty)(void *arg, const sp_model *model, bool *out, sp_error *err),
                           void *arg, sp_error *err)
{
    /* Sets of one, two and three rules, then what cannot be taken away from all. */
    const int32_t n = model->n_rules;
    sp_rule *chosen = malloc((size_t)n * sizeof *chosen);
    sp_model some = *model;
    char names[400];
    bool empty = false;
    sp_status status = SP_OK;
    some.rules = chosen;
    TRY(chosen ? SP_OK : sp_no_memory(err));
    some.n_rules = 0;
    TRY(is_empty(arg, &some, &empty, err));
    if (empty)
        TRY(sp_fail(err, SP_EMODEL, "model %s: no path leads from a start to an end, whatever its rules are",
                    model->name));
    const int32_t deepest = n <= 12 ? 3 : n <= 60 ? 2 : 1;
    for (int32_t size = 1; size <= deepest && size <= n && !empty; size++)
        for (int32_t at[3] = {0, 1, 2}; at[size - 1] < n && !empty;) {
            some.n_rules = size;
            for (int32_t i = 0; i < size; i++)
                chosen[i] = model->rules[at[i]];
            TRY(is_empty(arg, &some, &empty, err));
            int32_t i = size - 1;
            while (i > 0 && at[i] == n - size + i)
                i--;
            at[i]++;
            for (; i + 1 < size; i++)
                at[i + 1] = at[i] + 1;
        }
    if (!empty) {
        memcpy(chosen, model->rules, (size_t)n * sizeof *chosen);
        some.n_rules = n;
        for (int32_t r = 0; r < some.n_rules;) {
            const sp_rule out = chosen[r];
            memmove(chosen + r, chosen + r + 1, (size_t)(--some.n_rules - r) * sizeof *chosen);
            TRY(is_empty(arg, &some, &empty, err));
            if (!empty) { /* it is needed */
                memmove(chosen + r + 1, chosen + r, (size_t)(some.n_rules++ - r) * sizeof *chosen);
                chosen[r++] = out;
            }
        }
    }
    say_names(names, sizeof names, &some);
    status = sp_fail(err, SP_EMODEL,
                     "model %s: no path can keep %s %s%s, whatever the scores; change %s, or give it a cost",
                     model->name, some.n_rules == 1 ? "rule" : "the rules", names,
                     some.n_rules == 1 ? "" : " at once", some.n_rules == 1 ? "it" : "one of them");
done:
    free(chosen);
    return status;
}
