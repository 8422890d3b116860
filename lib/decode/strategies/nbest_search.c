/* Recursive enumeration of the N best paths.
 *
 * list[t,j] holds the first few paths into state j at step t, best first, distinct in their classes: a
 * path is a predecessor, and which of the predecessor's paths it goes on from. The next one is the best of
 * one candidate from each predecessor i,
 *
 *     (score of list[t-1,i][next_i] + w[i,j]) + e[t,j]
 *
 * where next_i is the first path into i that list[t,j] has not used. Taking a candidate asks i for its
 * next path, which asks one of its own predecessors, and so on, until a list is long enough already, or
 * the recording's first step, which has one path a state. The recursion is a loop over a stack of one
 * state a step. Nothing is lost by cutting lists at n: were a class path among the n best into j without
 * its beginning being among the n best into the state before, n others could take the place of that
 * beginning, each giving a better path into j.
 *
 * Equal candidates are taken in the order of predecessors. Where classes do not tell the states, two
 * candidates may have the same classes: the later one, which is not better, is passed over. Hashes of
 * classes find it, and following both back proves it.
 */
#include "decode/strategies/nbest_search.h"

#include <string.h>

#include "core/isa.h"

/* A path into a state, or a candidate for one. */
typedef struct cell {
    double score; /* of a candidate before e[t,j] */
    int32_t from; /* which of the state's predecessors, counted from 0 */
    int32_t rank; /* which of that one's paths */
} cell;

/* What is known of a state at a step beyond its best score. */
typedef struct record {
    cell *
        list; /* [capacity]; behind it, where classes do not tell the states, the hash of each path's classes */
    cell *heap;
    int32_t n, capacity; /* paths known, and room for them */
    int32_t n_heap;
    bool is_taken; /* the first of the heap has been taken, and is to be replaced before the next one is */
    bool is_done;  /* there are no more paths */
} record;

enum { PIECE = 1 << 16, RECORDS = 1 << 10 }; /* bytes, records taken from the scratch at a time */

typedef struct search {
    const sp_nbest_graph *g;
    int32_t n;
    int32_t *record_of; /* [T M + 1] -1: none yet; the last node is the end of the recording */
    record **records;   /* RECORDS each */
    int32_t n_records;
    sp_scratch *scratch;
    char *room; /* what is left of the piece */
    size_t n_room;
    int32_t *stack; /* [T + 1] */
} search;

/* What is taken together stands together; NULL on lack of memory. */
static void *reserve(search *s, size_t count, size_t size)
{
    const size_t bytes = count * size;
    if (!s->room || bytes > s->n_room) {
        s->n_room = bytes > PIECE ? bytes : PIECE;
        s->room = sp_scratch_get(s->scratch, s->n_room, 1);
        if (!s->room)
            return NULL;
    }
    void *taken = s->room;
    s->room += bytes;
    s->n_room -= bytes;
    return taken;
}

static record *record_at(const search *s, int64_t t, int32_t j)
{
    const int32_t i = s->record_of[(size_t)t * (size_t)s->g->M + (size_t)j];
    return i < 0 ? NULL : &s->records[(uint32_t)i / RECORDS][(uint32_t)i % RECORDS];
}

/* ---- paths ---- */

/* A path into a state, the `rank`th. */
typedef struct place {
    int32_t state, rank;
} place;

/* The same path one step before, t > 0. */
SP_ALWAYS_INLINE place place_before(const search *s, int64_t t, place p)
{
    const record *r = record_at(s, t, p.state);
    double score;
    if (!r)
        return (place){sp_nbest_best_source(s->g, t, p.state, &score), 0};
    return (place){sp_nbest_source(s->g, t, p.state, r->list[p.rank].from), r->list[p.rank].rank};
}

/* Have both the same classes, up to step t? */
static bool are_same_classes(const search *s, int64_t t, place a, place b)
{
    const int32_t *class = s->g->chain->state_class;
    for (; class[a.state] == class[b.state]; t--) {
        if (t == 0 || (a.state == b.state && a.rank == b.rank))
            return true;
        a = place_before(s, t, a);
        b = place_before(s, t, b);
    }
    return false;
}

/* Where a candidate for state j of step t comes from. */
static place source_of(const search *s, int64_t t, int32_t j, const cell *c)
{
    return (place){sp_nbest_source(s->g, t, j, c->from), c->rank};
}

SP_ALWAYS_INLINE bool comes_first(const cell *a, const cell *b)
{
    return a->score > b->score || (a->score == b->score && a->from < b->from);
}

/* ---- lists ---- */

static void sift_down(const record *r, int32_t i)
{
    cell *heap = r->heap;
    if (r->n_heap == 0)
        return;
    cell moved = heap[i];
    for (int32_t child = 2 * i + 1; child < r->n_heap; child = 2 * i + 1) {
        if (child + 1 < r->n_heap && comes_first(&heap[child + 1], &heap[child]))
            child++;
        if (!comes_first(&heap[child], &moved))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static uint64_t *hashes_of(const record *r)
{
    return (uint64_t *)(r->list + r->capacity);
}

/* The hash of a candidate's classes; at the end of the recording those of its source. */
static uint64_t hash_of(const search *s, int64_t t, int32_t j, place source)
{
    const sp_nbest_graph *g = s->g;
    const record *of = source.rank > 0 ? record_at(s, t - 1, source.state) : NULL; /* the best has none */
    const uint64_t before =
        of ? hashes_of(of)[source.rank] : g->hash[(size_t)(t - 1) * (size_t)g->M + (size_t)source.state];
    return t < g->T ? sp_nbest_hash(before, g->chain->state_class[j]) : before;
}

/* Is there a path of the same classes in the list? */
static bool is_known(const search *s, const record *r, int64_t t, int32_t j, place source, uint64_t hash)
{
    for (int32_t i = 0; i < r->n; i++)
        if (hashes_of(r)[i] == hash && are_same_classes(s, t - 1, source, source_of(s, t, j, &r->list[i])))
            return true;
    return false;
}

/* Room for one path more. False: no memory. */
static bool grow(search *s, record *r)
{
    const record before = *r;
    const size_t n = (size_t)r->n, hash_size = s->g->hash ? sizeof(uint64_t) : 0;
    if (r->n < r->capacity)
        return true;
    r->capacity = !r->n ? 2 : 2 * r->n < s->n ? 2 * r->n : s->n;
    r->list = reserve(s, (size_t)r->capacity, sizeof *r->list + hash_size);
    if (!r->list)
        return false;
    if (n)
        memcpy(r->list, before.list, n * sizeof *r->list);
    if (n && hash_size)
        memcpy(hashes_of(r), hashes_of(&before), n * hash_size);
    return true;
}

/* Takes the best candidate as the next path of the list, or passes over it. False: no memory. */
static bool take(search *s, record *r, int64_t t, int32_t j)
{
    cell found = {.score = -INFINITY};
    uint64_t hash = 0;
    if (r->n_heap > 0)
        found = r->heap[0];
    if (r->n_heap > 0 && t < s->g->T)
        found.score += sp_scores_at(s->g->scores, t, s->g->chain->state_class[j]);
    r->is_done = found.score == -INFINITY;
    if (r->is_done)
        return true;
    r->is_taken = true;
    if (s->g->hash) {
        const place source = source_of(s, t, j, &found);
        hash = hash_of(s, t, j, source);
        if (is_known(s, r, t, j, source, hash))
            return true;
    }
    if (!grow(s, r))
        return false;
    if (s->g->hash)
        hashes_of(r)[r->n] = hash;
    r->list[r->n++] = found;
    r->is_done = r->n == s->n; /* nobody asks for more */
    return true;
}

/* A record of state j at step t > 0 with its best path. NULL: no memory. */
static record *expand(search *s, int64_t t, int32_t j)
{
    const sp_nbest_graph *g = s->g;
    const int32_t n = sp_nbest_n_sources(g, t, j), i = s->n_records;
    const double *before = g->best + (size_t)(t - 1) * (size_t)g->M;
    if (i == INT32_MAX)
        return NULL;
    if (i % RECORDS == 0 && !(s->records[i / RECORDS] = sp_scratch_get(s->scratch, RECORDS, sizeof(record))))
        return NULL;
    record *r = &s->records[i / RECORDS][i % RECORDS];
    *r = (record){.heap = reserve(s, (size_t)n, sizeof(cell))};
    if (!r->heap)
        return NULL;
    for (int32_t from = 0; from < n; from++) {
        double score = sp_nbest_go_on(g, t, j, from, before[sp_nbest_source(g, t, j, from)]);
        if (score > -INFINITY)
            r->heap[r->n_heap++] = (cell){score, from, 0};
    }
    for (int32_t k = r->n_heap / 2 - 1; k >= 0; k--)
        sift_down(r, k);
    s->record_of[(size_t)t * (size_t)g->M + (size_t)j] = s->n_records++;
    return take(s, r, t, j) ? r : NULL;
}

/* Replaces the candidate that was taken last by the next path of its source. Returns whether that is known; else the source has
 * to be asked first. */
static bool replace(const search *s, record *r, int64_t t, int32_t j)
{
    cell *first = r->heap;
    const int32_t source = sp_nbest_source(s->g, t, j, first->from), next = first->rank + 1;
    const record *u = t > 1 ? record_at(s, t - 1, source) : NULL;
    if (u && next < u->n) {
        first->score = sp_nbest_go_on(s->g, t, j, first->from, u->list[next].score);
        first->rank = next;
    } else if (t == 1 || (u && u->is_done)) {
        *first = r->heap[--r->n_heap];
    } else {
        return false;
    }
    sift_down(r, 0);
    r->is_taken = false;
    return true;
}

/* One more path to the end of the recording, if there is one. False: no memory. */
static bool ask(search *s)
{
    int64_t depth = 0; /* stack[d] is a state of step T - d */
    s->stack[0] = 0;
    while (depth >= 0) {
        const int64_t t = s->g->T - depth;
        const int32_t j = s->stack[depth];
        record *r = record_at(s, t, j);
        if (!r && !(r = expand(s, t, j)))
            return false;
        const int32_t n_before = r->n;
        while (!r->is_done && r->n == n_before && (!r->is_taken || replace(s, r, t, j)))
            if (!take(s, r, t, j))
                return false;
        if (r->is_done || r->n > n_before) {
            depth--;
        } else {
            s->stack[depth + 1] = sp_nbest_source(s->g, t, j, r->heap->from);
            depth++;
        }
    }
    return true;
}

/* ---- door ---- */

static void trace(const search *s, int32_t rank, int32_t *path)
{
    place p = {0, rank};
    for (int64_t t = s->g->T; t > 0; t--) {
        p = place_before(s, t, p);
        path[t - 1] = s->g->chain->state_class[p.state];
    }
}

sp_status sp_nbest_search(const sp_nbest_graph *graph, int32_t n, sp_scratch *scratch, sp_nbest_paths *out)
{
    const size_t n_nodes = (size_t)graph->T * (size_t)graph->M + 1;
    search s = {.g = graph, .n = n, .scratch = scratch};
    s.record_of = sp_scratch_get(scratch, n_nodes, sizeof *s.record_of);
    s.records = sp_scratch_get(scratch, n_nodes / RECORDS + 1, sizeof(record *));
    s.stack = sp_scratch_get(scratch, (size_t)graph->T + 1, sizeof *s.stack);
    if (!s.record_of || !s.records || !s.stack)
        return SP_ENOMEM;
    memset(s.record_of, 0xff, n_nodes * sizeof *s.record_of);
    const record *end = NULL;
    int32_t n_before = -1;
    while (!end || (end->n < n && end->n > n_before)) { /* until a path more was asked for in vain */
        n_before = end ? end->n : -1;
        if (!ask(&s))
            return SP_ENOMEM;
        end = record_at(&s, graph->T, 0);
    }
    if (end->n == 0)
        return SP_ENOPATH;
    for (int32_t r = 0; r < end->n; r++) {
        trace(&s, r, out->paths + r * out->stride);
        if (out->scores)
            out->scores[r] = end->list[r].score;
    }
    out->n_found = end->n;
    return SP_OK;
}
