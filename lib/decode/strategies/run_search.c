#include "decode/strategies/run_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa.h"
#include "core/logmath.h"
#include "decode/strategies/search.h"

/* ---- a row, by vectors ---- */

enum { WIDTH = 8, BLOCK = 32 };
typedef double numbers __attribute__((vector_size(WIDTH * sizeof(double)), aligned(8), may_alias));

/* The greatest now[d] + leave[d] of n; and of each block, into blocks [n / BLOCK + 1]. */
SP_ALWAYS_INLINE double best_of_any(const double *restrict now, const double *restrict leave, int32_t n,
                                    double *restrict blocks)
{
    double best = -INFINITY;
    int32_t d = 0;
    for (; d + BLOCK <= n; d += BLOCK) {
        numbers most = *(const numbers *)(now + d) + *(const numbers *)(leave + d);
        for (int32_t i = d + WIDTH; i < d + BLOCK; i += WIDTH) {
            const numbers sum = *(const numbers *)(now + i) + *(const numbers *)(leave + i);
            for (int l = 0; l < WIDTH; l++) /* one instruction */
                most[l] = sum[l] > most[l] ? sum[l] : most[l];
        }
        double greatest = most[0];
        for (int l = 1; l < WIDTH; l++)
            greatest = most[l] > greatest ? most[l] : greatest;
        blocks[d / BLOCK] = greatest;
        best = greatest > best ? greatest : best;
    }
    double rest = -INFINITY;
    for (int32_t i = d; i < n; i++)
        rest = now[i] + leave[i] > rest ? now[i] + leave[i] : rest;
    blocks[d / BLOCK] = rest;
    return rest > best ? rest : best;
}

/* next[d+1] = (now[d] + go_on[d]) + e of n states. */
SP_ALWAYS_INLINE void go_on_any(const double *restrict now, const double *restrict go_on, double e, int32_t n,
                                double *restrict next)
{
    for (int32_t d = 0; d < n; d++)
        next[d + 1] = (now[d] + go_on[d]) + e;
}

SP_FOR_EACH_ISA(double, best_of,
                (const double *restrict now, const double *restrict leave, int32_t n,
                 double *restrict blocks),
                return best_of_any(now, leave, n, blocks);)
SP_FOR_EACH_ISA(void, go_on,
                (const double *restrict now, const double *restrict weight, double e, int32_t n,
                 double *restrict next),
                go_on_any(now, weight, e, n, next);)

/* ---- the search ---- */

typedef struct run_search {
    const sp_chain *chain;
    const sp_run_graph *runs;
    sp_isa isa;
    bool is_bare;       /* every weight is 0 */
    double *leave;      /* [M] of whole rows, and */
    double *go;         /* [M] of rows: those of the graph, or bare */
    double *now, *next; /* [M] delta */
    double *blocks;     /* [M / BLOCK + 1] of leave_row() */
    double *out;        /* [M] of a row, at its first whole state, and of other states: value of leaving it */
    int32_t *out_state; /* [M] the state that it leaves from */
    int32_t *node;      /* [M] number of a state that is entered from outside a row, or -1 */
    int32_t *row_of;    /* [M] 2 r of a state of whole row r, 2 r + 1 of a cut one, -1 of others */
    int32_t *states;    /* [n_nodes] */
    int32_t n_nodes;
    int32_t *from;       /* [T,n_nodes] the state before */
    uint8_t *has_stayed; /* [T,2 n_rows] did the last state of a row (whole, cut) come from itself? */
    int64_t since;       /* steps since the stretch began */
    double *row;         /* [K] */
} run_search;

/* ---- going back ---- */

typedef struct row_place {
    const sp_run_row *row; /* NULL: no state of a row */
    int32_t place, n;
    bool is_cut;
} row_place;

static row_place place_of(const run_search *f, int32_t state)
{
    const int32_t number = f->row_of[state];
    if (number < 0)
        return (row_place){NULL, 0, 0, false};
    const sp_run_row *row = &f->runs->rows[number / 2];
    return number % 2 ? (row_place){row, state - row->cut, row->n_cut, true}
                      : (row_place){row, state - row->whole, row->n_whole, false};
}

static bool may_stay(const row_place *p)
{
    return p->row && p->place == p->n - 1 && p->row->longer > -INFINITY;
}

/* The state before `state` of row t. */
static int32_t state_before(const run_search *f, int64_t t, int32_t state)
{
    const row_place p = place_of(f, state);
    if (may_stay(&p)) {
        const size_t at = (size_t)t * 2 * (size_t)f->runs->n_rows + (size_t)f->row_of[state];
        if (f->has_stayed[at])
            return state;
    }
    if (p.row && p.place > 0)
        return state - 1;
    return f->from[(size_t)t * (size_t)f->n_nodes + (size_t)f->node[state]];
}

/* ---- one step ---- */

/* How many states of a whole row may be alive. */
static int32_t alive_in(const run_search *f, const sp_run_row *row)
{
    return f->since + 1 < row->n_whole ? (int32_t)f->since + 1 : row->n_whole;
}

/* The state of the cut row that is alive, or -1. */
static int32_t alive_cut(const run_search *f, const sp_run_row *row)
{
    if (row->n_cut == 0 || (f->since >= row->n_cut && row->longer == -INFINITY))
        return -1;
    return row->cut + (f->since < row->n_cut ? (int32_t)f->since : row->n_cut - 1);
}

/* The best way out of a row. */
static void leave_row(run_search *f, const sp_run_row *row)
{
    const int32_t n = alive_in(f, row), cut = alive_cut(f, row);
    const double *now = f->now + row->whole, *leave = f->leave + row->whole;
    double best = SP_BY_ISA(best_of, f->isa)(now, leave, n, f->blocks);
    int32_t state = row->whole;
    if (best > -INFINITY) {
        int32_t d = 0;
        while (f->blocks[d / BLOCK] != best)
            d += BLOCK;
        while (now[d] + leave[d] != best)
            d++;
        state = row->whole + d;
    }
    if (cut >= 0) {
        const double value = f->now[cut] + (f->is_bare ? 0 : row->leave_cut);
        if (value > best) {
            best = value;
            state = cut;
        }
    }
    f->out[row->whole] = best;
    f->out_state[row->whole] = state;
}

/* What leads to state j from outside its row, and its value before e. */
static double enter(const run_search *f, int32_t j, int32_t *from)
{
    const sp_run_graph *g = f->runs;
    double best = -INFINITY;
    *from = j;
    for (int64_t p = g->pred_row[j]; p < g->pred_row[j + 1]; p++) {
        const int32_t i = g->pred[p];
        const double value = f->out[i] + (f->is_bare ? 0 : g->pred_weight[p]);
        if (value > best) {
            best = value;
            *from = f->out_state[i];
        }
    }
    return best;
}

/* The last state of a row, where longer runs are possible: from the one before it or from itself. */
static void stay(run_search *f, int64_t t, int32_t r, bool is_cut, double e)
{
    const sp_run_row *row = &f->runs->rows[r];
    const int32_t last = is_cut ? row->cut + row->n_cut - 1 : row->whole + row->n_whole - 1;
    const int32_t n = is_cut ? row->n_cut : row->n_whole;
    uint8_t *has_stayed = &f->has_stayed[(size_t)t * 2 * (size_t)f->runs->n_rows + 2 * (size_t)r + is_cut];
    *has_stayed = 0;
    if (row->longer == -INFINITY || n == 0)
        return;
    const double staying = f->now[last] + (f->is_bare ? 0 : row->longer);
    const double coming = n > 1 ? f->now[last - 1] + f->go[last - 1] : -INFINITY;
    if (n == 1) { /* also entered from outside: next[] has that, before e */
        const int32_t from = f->from[(size_t)t * (size_t)f->n_nodes + (size_t)f->node[last]];
        *has_stayed = staying > f->next[last] || (last < from && staying == f->next[last]);
        f->next[last] = *has_stayed ? staying : f->next[last];
        return;
    }
    *has_stayed = staying > coming;
    f->next[last] = (*has_stayed ? staying : coming) + e;
}

/* Steps 1 and on of a stretch. */
static void step_next(run_search *f, int64_t t, const double *e)
{
    const sp_chain *c = f->chain;
    const sp_run_graph *g = f->runs;
    int32_t *from = f->from + (size_t)t * (size_t)f->n_nodes;
    for (int32_t n = 0; n < f->n_nodes; n++) {
        const int32_t j = f->states[n];
        f->out[j] = f->now[j];
        f->out_state[j] = j;
    }
    for (int32_t r = 0; r < g->n_rows; r++)
        leave_row(f, &g->rows[r]);
    for (int32_t n = 0; n < f->n_nodes; n++)
        f->next[f->states[n]] = enter(f, f->states[n], &from[n]);
    for (int32_t r = 0; r < g->n_rows; r++) {
        const sp_run_row *row = &g->rows[r];
        const double own = e[c->state_class[row->whole]];
        const int32_t n = alive_in(f, row), cut = alive_cut(f, row);
        SP_BY_ISA(go_on, f->isa)
        (f->now + row->whole, f->go + row->whole, own, n < row->n_whole ? n : row->n_whole - 1,
         f->next + row->whole);
        stay(f, t, r, false, own);
        for (int64_t q = f->since > 0 ? f->since - 1 : 0; q <= f->since && q < row->n_cut;
             q++) /* what was alive before */
            f->next[row->cut + q] = -INFINITY;
        if (cut >= 0) {
            if (cut + 1 < row->cut + row->n_cut)
                f->next[cut + 1] = (f->now[cut] + f->go[cut]) + own;
            stay(f, t, r, true, own);
        }
    }
    for (int32_t n = 0; n < f->n_nodes; n++)
        f->next[f->states[n]] += e[c->state_class[f->states[n]]];
}

static void begin(run_search *f, double *now, const double *weight, double common, const double *e)
{
    const sp_chain *c = f->chain;
    for (int32_t j = 0; j < c->n_states; j++)
        now[j] = (c->entry[j] ? (weight ? weight[j] : common) : -INFINITY) + e[c->state_class[j]];
}

static bool step(void *self, sp_reach how, int64_t t, const double *e)
{
    run_search *f = self;
    if (how == SP_REACH_START) {
        begin(f, f->now, f->chain->start, 0, e);
        f->since = 0;
        memset(f->has_stayed, 0, 2 * (size_t)f->runs->n_rows);
        return true;
    }
    if (how == SP_REACH_ENTRY) {
        int32_t state;
        const double best = sp_greatest_sum(f->now, f->chain->leave, f->chain->n_states, &state);
        for (int32_t n = 0; n < f->n_nodes; n++)
            f->from[(size_t)t * (size_t)f->n_nodes + (size_t)n] = state;
        memset(f->has_stayed + (size_t)t * 2 * (size_t)f->runs->n_rows, 0, 2 * (size_t)f->runs->n_rows);
        begin(f, f->next, NULL, best, e);
        for (int32_t j = 0; j < f->chain->n_states; j++)
            f->now[j] = -INFINITY;
        f->since = -1;
    } else {
        step_next(f, t, e);
    }
    f->since++;
    double *before = f->now;
    f->now = f->next;
    f->next = before;
    return true;
}

/* ---- the recording ---- */

/* Numbers the states that something leads to from outside their row, and those that a recording or a stretch begins with. */
static void number_nodes(run_search *f)
{
    const sp_chain *c = f->chain;
    const sp_run_graph *g = f->runs;
    for (int32_t j = 0; j < c->n_states; j++) {
        f->node[j] = 0;
        f->row_of[j] = -1;
    }
    for (int32_t r = 0; r < g->n_rows; r++) {
        const sp_run_row *row = &g->rows[r];
        for (int32_t p = 0; p < row->n_whole; p++) {
            f->node[row->whole + p] = p == 0 ? 0 : -1;
            f->row_of[row->whole + p] = 2 * r;
        }
        for (int32_t p = 0; p < row->n_cut; p++) {
            f->node[row->cut + p] = p == 0 ? 0 : -1;
            f->row_of[row->cut + p] = 2 * r + 1;
        }
    }
    f->n_nodes = 0;
    for (int32_t j = 0; j < c->n_states; j++)
        if (f->node[j] == 0) {
            f->states[f->n_nodes] = j;
            f->node[j] = f->n_nodes++;
        }
}

static void take_weights(run_search *f)
{
    const sp_run_graph *g = f->runs;
    f->leave = g->leave;
    f->go = g->go_on;
    if (!f->is_bare)
        return;
    f->leave = f->row + f->chain->n_classes;
    f->go = f->leave + f->chain->n_states;
    for (int32_t j = 0; j < f->chain->n_states; j++) {
        f->leave[j] = g->leave[j] > -INFINITY ? 0 : -INFINITY;
        f->go[j] = g->go_on[j] > -INFINITY ? 0 : -INFINITY;
    }
}

static sp_status start(void *self, const sp_sequence *s, sp_error *err)
{
    run_search *f = self;
    const size_t M = (size_t)f->chain->n_states, K = (size_t)f->chain->n_classes,
                 T = (size_t)s->scores->n_steps;
    double *room = sp_scratch_get(s->scratch, 6 * M + K + 1, sizeof *room);
    int32_t *ints = sp_scratch_get(s->scratch, 4 * M, sizeof *ints);
    if (!room || !ints)
        return sp_no_memory(err);
    f->now = room;
    f->next = room + M;
    f->out = room + 2 * M;
    f->blocks = room + 3 * M;
    f->row = room + 4 * M + 1;
    f->out_state = ints;
    f->node = ints + M;
    f->states = ints + 2 * M;
    f->row_of = ints + 3 * M;
    f->since = 0;
    take_weights(f);
    number_nodes(f);
    for (size_t j = 0; j < M; j++)
        f->now[j] = f->next[j] = f->out[j] = -INFINITY;
    if (T > SIZE_MAX / sizeof(double) / M)
        return sp_no_memory(err);
    f->from = sp_scratch_get(s->scratch, T * (size_t)f->n_nodes, sizeof *f->from);
    f->has_stayed = sp_scratch_get(s->scratch, T * 2 * (size_t)f->runs->n_rows, 1);
    return f->from && f->has_stayed ? SP_OK : sp_no_memory(err);
}

static int32_t last(void *self, sp_sequence *s)
{
    const run_search *f = self;
    int32_t state;
    s->recurrence = sp_greatest_sum(f->now, s->chain->end, s->chain->n_states, &state);
    return s->recurrence > -INFINITY ? state : -1;
}

static void trace(void *self, sp_sequence *s, int32_t state)
{
    const run_search *f = self;
    for (int64_t t = s->scores->n_steps - 1; t >= 0; t--) {
        s->path[t] = f->chain->state_class[state];
        if (t > 0)
            state = state_before(f, t, state);
    }
}

sp_status sp_run_search_decode(sp_sequence *s, sp_error *err)
{
    run_search f = {
        .chain = s->chain, .runs = s->chain->runs, .isa = sp_isa_current(), .is_bare = s->chain->is_boolean};
    const sp_search search = {.self = &f, .start = start, .step = step, .last = last, .trace = trace};
    return sp_search_run(&search, s, err);
}
