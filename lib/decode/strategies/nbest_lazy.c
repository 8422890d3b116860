/* Recursive enumeration of the N best paths.
 *
 * best[t,j] is the score of the best path into class j at step t, as Viterbi's recursion has it. list[t,j] holds the first few
 * paths into it, best first: a path is a predecessor, and which of the predecessor's paths it goes on from. The next one is the
 * best of one candidate from each predecessor i,
 *
 *     (score of list[t-1,i][next_i] + w[i,j]) + e[t,j]
 *
 * where next_i is the first path into i that list[t,j] has not used. Taking a candidate asks i for its next path, which asks one
 * of its own predecessors, and so on, until a list is long enough already, or the recording's first step, which has one path a
 * class. The recursion is a loop over a stack of one class a step.
 *
 * Ties: a predecessor's paths come in order, and equal candidates are taken from the lowest predecessor, which is the order of
 * history (history.h) where each state has a class of its own. Two candidates never have the same classes.
 */
#include "decode/strategies/nbest_lazy.h"

#include <math.h>
#include <string.h>

#include "core/isa.h"

enum { MOST_NODES = 4 << 20 }; /* 48 MB of best scores */

/* A path into a class, or a candidate for one. */
typedef struct cell {
    double score;
    int32_t from; /* which of the class's predecessors, counted from 0 */
    int32_t rank; /* which of that one's paths */
} cell;

/* What is known of a class at a step beyond its best score. */
typedef struct record {
    uint32_t list, heap; /* first cell of each */
    int32_t n, capacity; /* paths known, and room for them */
    int32_t n_heap;
    bool is_taken; /* the first of the heap is the last path of the list, and to be replaced before the next one is taken */
    bool is_done;  /* there are no more paths */
} record;

typedef struct search {
    const sp_chain *chain;
    const sp_scores *scores;
    int32_t K, n;
    int64_t T;
    double *best;       /* [T,K] */
    int32_t *record_of; /* [T K + 1] -1: none yet; the last node is the end of the recording */
    record *records;    /* [T K + 1] */
    int32_t n_records;
    cell *cells;
    size_t n_cells, most_cells;
    int32_t *stack; /* [T + 1] */
} search;

/* ---- the best path into each class ---- */

enum { WIDTH = 8 };

/* next[j] = max_i (now[i] + weight[i,j]) + e[j]; weight [K,stride], -INFINITY where forbidden; next has room for stride. */
SP_ALWAYS_INLINE void step_dense_any(int32_t K, int32_t stride, const double *restrict weight, const double *restrict now,
                                     const double *restrict e, double *restrict next)
{
    for (int32_t first = 0; first < K; first += WIDTH) {
        double most[WIDTH];
        for (int l = 0; l < WIDTH; l++)
            most[l] = -INFINITY;
        for (int32_t i = 0; i < K; i++) {
            const double *row = weight + (size_t)i * (size_t)stride + first;
            for (int l = 0; l < WIDTH; l++) {
                double value = now[i] + row[l];
                most[l] = value > most[l] ? value : most[l];
            }
        }
        for (int32_t l = 0; l < WIDTH && first + l < K; l++)
            next[first + l] = most[l] + e[first + l];
    }
}

SP_FOR_EACH_ISA(void, step_dense,
                (int32_t K, int32_t stride, const double *restrict weight, const double *restrict now, const double *restrict e,
                 double *restrict next),
                step_dense_any(K, stride, weight, now, e, next);)

static void step_sparse(const sp_chain *c, const double *now, const double *e, double *next)
{
    for (int32_t j = 0; j < c->n_states; j++) {
        double most = -INFINITY;
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++) {
            double value = now[c->pred[p]] + c->pred_weight[p];
            most = value > most ? value : most;
        }
        next[j] = most + e[j];
    }
}

static void step_gap(const sp_chain *c, const double *now, const double *e, double *next)
{
    double most = -INFINITY;
    for (int32_t i = 0; i < c->n_states; i++)
        most = now[i] + 0 > most ? now[i] + 0 : most;
    for (int32_t j = 0; j < c->n_states; j++)
        next[j] = c->entry[j] ? most + e[j] : -INFINITY;
}

/* weight: of step_dense(), or NULL. */
static void find_best(search *s, const double *weight, double *row)
{
    const sp_chain *c = s->chain;
    const double *e = sp_row(s->scores, 0, row);
    int32_t stride = (s->K + WIDTH - 1) / WIDTH * WIDTH;
    const sp_isa isa = sp_isa_current();
    for (int32_t j = 0; j < s->K; j++)
        s->best[j] = c->start[j] + e[j];
    for (int64_t t = 1; t < s->T; t++) {
        double *now = s->best + (size_t)(t - 1) * (size_t)s->K, *next = now + s->K;
        e = sp_row(s->scores, t, row);
        if (sp_scores_is_gap(s->scores, t))
            step_gap(c, now, e, next);
        else if (weight)
            SP_BY_ISA(step_dense, isa)(s->K, stride, weight, now, e, next);
        else
            step_sparse(c, now, e, next);
    }
}

static void fill_weights(const sp_chain *c, double *weight)
{
    int32_t K = c->n_states;
    size_t stride = ((size_t)K + WIDTH - 1) / WIDTH * WIDTH;
    for (size_t i = 0; i < stride * (size_t)K; i++)
        weight[i] = -INFINITY;
    for (int32_t j = 0; j < K; j++)
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++)
            weight[(size_t)c->pred[p] * stride + (size_t)j] = c->pred_weight[p];
}

/* ---- predecessors of class j at step t > 0; t = T is the end of the recording ---- */

static bool takes_all(const search *s, int64_t t)
{
    return t == s->T || sp_scores_is_gap(s->scores, t);
}

static int32_t n_sources(const search *s, int64_t t, int32_t j)
{
    if (t == s->T)
        return s->K;
    if (takes_all(s, t))
        return s->chain->entry[j] ? s->K : 0;
    return (int32_t)(s->chain->pred_row[j + 1] - s->chain->pred_row[j]);
}

static int32_t source_of(const search *s, int64_t t, int32_t j, int32_t from)
{
    return takes_all(s, t) ? from : s->chain->pred[s->chain->pred_row[j] + from];
}

/* The score of a path that goes on from source `from`, which it reaches with `score`; before e[t,j]. */
static double go_on(const search *s, int64_t t, int32_t j, int32_t from, double score)
{
    return score + (t == s->T ? s->chain->end[from] : takes_all(s, t) ? 0 : s->chain->pred_weight[s->chain->pred_row[j] + from]);
}

/* ---- lists ---- */

static bool comes_first(const cell *a, const cell *b)
{
    return a->score > b->score || (a->score == b->score && a->from < b->from);
}

static void sift_down(cell *heap, int32_t n, int32_t i)
{
    if (n == 0)
        return;
    cell moved = heap[i];
    for (int32_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && comes_first(&heap[child + 1], &heap[child]))
            child++;
        if (!comes_first(&heap[child], &moved))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

/* Room for n cells; false: there is none. */
static bool reserve(search *s, int32_t n, uint32_t *first)
{
    if ((size_t)n > s->most_cells - s->n_cells)
        return false;
    *first = (uint32_t)s->n_cells;
    s->n_cells += (size_t)n;
    return true;
}

/* Takes the best candidate as the next path of the list. False: no room. */
static bool take(search *s, record *r, int64_t t, int32_t j)
{
    if (r->n_heap == 0) {
        r->is_done = true;
        return true;
    }
    if (r->n == r->capacity) {
        uint32_t list;
        int32_t capacity = r->capacity ? 2 * r->capacity : 2;
        capacity = capacity < s->n ? capacity : s->n;
        if (!reserve(s, capacity, &list))
            return false;
        if (r->n)
            memcpy(s->cells + list, s->cells + r->list, (size_t)r->n * sizeof *s->cells);
        r->list = list;
        r->capacity = capacity;
    }
    cell taken = s->cells[r->heap];
    if (t < s->T)
        taken.score += sp_scores_at(s->scores, t, j);
    if (taken.score == -INFINITY) {
        r->is_done = true;
        return true;
    }
    s->cells[r->list + (uint32_t)r->n++] = taken;
    r->is_taken = true;
    r->is_done = r->n == s->n; /* nobody asks for more */
    return true;
}

/* A record of class j at step t > 0 with its best path. NULL: no room. */
static record *expand(search *s, int64_t t, int32_t j)
{
    size_t node = (size_t)t * (size_t)s->K + (size_t)j;
    record *r = &s->records[s->n_records];
    int32_t n = n_sources(s, t, j);
    const double *before = s->best + (size_t)(t - 1) * (size_t)s->K;
    *r = (record){0};
    if (!reserve(s, n, &r->heap))
        return NULL;
    cell *heap = s->cells + r->heap;
    for (int32_t from = 0; from < n; from++) {
        double score = go_on(s, t, j, from, before[source_of(s, t, j, from)]);
        if (score > -INFINITY)
            heap[r->n_heap++] = (cell){score, from, 0};
    }
    for (int32_t i = r->n_heap / 2 - 1; i >= 0; i--)
        sift_down(heap, r->n_heap, i);
    s->record_of[node] = s->n_records++;
    return take(s, r, t, j) ? r : NULL;
}

static record *record_at(const search *s, int64_t t, int32_t j)
{
    int32_t i = s->record_of[(size_t)t * (size_t)s->K + (size_t)j];
    return i < 0 ? NULL : &s->records[i];
}

/* Replaces the candidate that was taken last by the next path of its source. Returns whether that is known; else the source has
 * to be asked first. */
static bool replace(search *s, record *r, int64_t t, int32_t j)
{
    cell *heap = s->cells + r->heap;
    int32_t source = source_of(s, t, j, heap->from), next = heap->rank + 1;
    const record *u = t > 1 ? record_at(s, t - 1, source) : NULL;
    if (u && next < u->n) {
        heap->score = go_on(s, t, j, heap->from, s->cells[u->list + (uint32_t)next].score);
        heap->rank = next;
    } else if (t == 1 || (u && u->is_done)) {
        heap[0] = heap[--r->n_heap];
    } else {
        return false;
    }
    sift_down(heap, r->n_heap, 0);
    r->is_taken = false;
    return true;
}

/* One more path to the end of the recording, if there is one. False: no room. */
static bool ask(search *s)
{
    int64_t depth = 0; /* stack[d] is a class of step T - d */
    s->stack[0] = 0;
    while (depth >= 0) {
        int64_t t = s->T - depth;
        int32_t j = s->stack[depth];
        record *r = record_at(s, t, j);
        if (!r && !(r = expand(s, t, j)))
            return false;
        if (r->is_taken && !r->is_done && !replace(s, r, t, j)) {
            s->stack[depth + 1] = source_of(s, t, j, s->cells[r->heap].from);
            depth++;
            continue;
        }
        if (!r->is_done && !take(s, r, t, j))
            return false;
        depth--;
    }
    return true;
}

/* ---- door ---- */

/* Where the best path into class j of step t > 0 comes from: the lowest of the best. */
static int32_t best_source(const search *s, int64_t t, int32_t j)
{
    const double *before = s->best + (size_t)(t - 1) * (size_t)s->K;
    double most = -INFINITY;
    int32_t best = 0, n = n_sources(s, t, j);
    for (int32_t from = 0; from < n; from++) {
        double score = go_on(s, t, j, from, before[source_of(s, t, j, from)]);
        if (score > most) {
            most = score;
            best = from;
        }
    }
    return source_of(s, t, j, best);
}

static void trace(const search *s, int32_t rank, int32_t *path)
{
    int32_t j = 0;
    for (int64_t t = s->T; t > 0; t--) {
        const record *r = record_at(s, t, j);
        if (r) {
            const cell *step = &s->cells[r->list + (uint32_t)rank];
            rank = step->rank;
            j = source_of(s, t, j, step->from);
        } else {
            j = best_source(s, t, j);
        }
        path[t - 1] = j;
    }
}

/* 1: ready, 0: not for this search, -1: no memory. */
static int search_init(search *s, const sp_chain *chain, const sp_scores *scores, int32_t n, size_t most_cells,
                       sp_scratch *scratch)
{
    size_t K = (size_t)chain->n_states, T = (size_t)scores->n_steps;
    if (!chain->is_plain || T > MOST_NODES / K)
        return 0;
    /* Every class of every step with all its predecessors and all its paths, after doubling; what is not asked is not touched. */
    size_t sources = sp_scores_have_gap(scores) ? K * K : (size_t)chain->pred_row[K];
    double most = (double)T * ((double)sources + 4 * (double)n * (double)K) + (double)K + 4 * (double)n;
    *s = (search){.chain = chain, .scores = scores, .K = chain->n_states, .n = n, .T = scores->n_steps};
    s->most_cells = most < (double)most_cells ? (size_t)most : most_cells;
    if ((double)T * ((double)sources / (double)K + 4) > (double)most_cells) /* what the best path alone asks for */
        return 0;
    s->best = sp_scratch_get(scratch, T * K, sizeof *s->best);
    s->record_of = sp_scratch_get(scratch, T * K + 1, sizeof *s->record_of);
    s->records = sp_scratch_get(scratch, T * K + 1, sizeof *s->records);
    s->cells = sp_scratch_get(scratch, s->most_cells, sizeof *s->cells);
    s->stack = sp_scratch_get(scratch, T + 1, sizeof *s->stack);
    if (!s->best || !s->record_of || !s->records || !s->cells || !s->stack)
        return -1;
    memset(s->record_of, 0xff, (T * K + 1) * sizeof *s->record_of);
    return 1;
}

static bool search_all(const sp_chain *chain, const sp_scores *scores, int32_t n, size_t most_cells, sp_scratch *scratch,
                       sp_nbest_paths *out, sp_status *status)
{
    search s;
    int ready = search_init(&s, chain, scores, n, most_cells, scratch);
    if (ready == 0)
        return false;
    bool is_dense = chain->pred_row[s.K] * 4 >= (int64_t)s.K * s.K && s.K <= 512;
    size_t stride = (size_t)(s.K + WIDTH - 1) / WIDTH * WIDTH;
    double *row = sp_row_buffer(scores, scratch),
           *weight = is_dense ? sp_scratch_get(scratch, (size_t)s.K * stride, sizeof *weight) : NULL;
    *status = SP_ENOMEM;
    if (ready < 0 || !row || (is_dense && !weight))
        return true;
    if (is_dense)
        fill_weights(chain, weight);
    find_best(&s, weight, row);
    const record *end = NULL;
    int32_t n_before = -1;
    while (!end || (end->n < n && end->n > n_before)) { /* until a path more was asked for in vain */
        n_before = end ? end->n : -1;
        if (!ask(&s))
            return false;
        end = record_at(&s, s.T, 0);
    }
    *status = end->n ? SP_OK : SP_ENOPATH;
    for (int32_t r = 0; r < end->n; r++) {
        trace(&s, r, out->paths + r * out->stride);
        if (out->scores)
            out->scores[r] = s.cells[end->list + (uint32_t)r].score;
    }
    out->n_found = end->n ? end->n : out->n_found;
    return true;
}

bool sp_nbest_lazy(const sp_chain *chain, const sp_scores *scores, int32_t n, size_t most_cells, sp_scratch *scratch,
                   sp_nbest_paths *out, sp_status *status)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    bool is_for_this = search_all(chain, scores, n, most_cells, scratch, out, status);
    sp_scratch_release(scratch, mark);
    return is_for_this;
}
