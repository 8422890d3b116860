/* List Viterbi over classes.
 *
 * Every state j of a step has a list of at most n entries (t, j, r), best first: the r-th best class path into j with the score
 * of the best state path that emits it. Lists of step t follow from those of t-1:
 *
 *     list[t,j] = the n best distinct of  { (score(i,r) + w[i,j]) + e[t,j] :  i before j,  r in list[t-1,i] }
 *
 * by a merge of sorted lists. Nothing is lost by cutting at n: were a class path among the n best into j without its beginning
 * being among the n best into the state before, n others could take the place of that beginning, each giving a better path into
 * j.
 *
 * Scores tie by history, see history.h: an entry's rank orders the class paths of all entries of its step, equal ranks are equal
 * class paths, and that is also how duplicates (which only models with several states per class have) are seen. In a plain chain
 * entries of different states always differ in class, and those of one state are in order already: the rank is the state.
 *
 * Back-pointers of all steps may be too many; then only lists at every B-th step are kept and the steps between are done again.
 */
#include "nbest_lists.h"

#include <math.h>
#include <string.h>

#include "decode/recording.h"

enum { WHOLE_LIMIT = 16 << 20 }; /* back-pointers kept when the recording is kept whole: 64 MB */

/* All lists of one step. Entry r of state j is number j * n + r. */
typedef struct lists {
    double *score;  /* [M,n] */
    int32_t *rank;  /* [M,n]; not used by plain chains */
    int32_t *count; /* [M] */
} lists;

/* A sorted list on its way into a merge. */
typedef struct source {
    double value;   /* of its next entry: score + weight */
    double weight;  /* nats */
    int32_t rank;   /* of that entry */
    int32_t entry;  /* its number */
    int32_t n_left; /* entries from it on */
} source;

typedef struct search {
    const sp_chain *chain;
    const sp_scores *scores;
    int32_t n;
    size_t n_entries; /* M n */
    size_t n_ranks;   /* ranks are below it: M n, or K where there are more classes than that */
    double *row;
    lists now, next;
    source *heap; /* [M] */
    int32_t n_sources;
    uint8_t *is_seen; /* [n_ranks] by rank, all 0 between merges */
    int32_t *merged;  /* [n] entry numbers out of a merge, with their values */
    double *merged_value;
    int32_t *key, *by_key, *sorted, *count; /* [M n], [M n], [M n], [n_ranks + 1]: sorting histories */
    int32_t *cursor;                        /* [K] */
    int64_t block;
    int32_t *
        from; /* [block,M n] entry before each entry, of the steps after the first of a block up to the first of the next */
} search;

/* ---- merging sorted lists ---- */

static bool comes_first(const source *a, const source *b)
{
    return a->value > b->value || (a->value == b->value && a->rank < b->rank);
}

static void sift_down(source *heap, int32_t n, int32_t i)
{
    source moved = heap[i];
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

static int32_t rank_of(const search *s, int32_t entry)
{
    return s->chain->is_plain ? entry / s->n : s->now.rank[entry];
}

/* Adds the list of state i to the merge, each entry `weight` more. */
static void merge_add(search *s, int32_t i, double weight)
{
    int32_t first = i * s->n, count = s->now.count[i];
    if (count > 0)
        s->heap[s->n_sources++] =
            (source){s->now.score[first] + weight, weight, rank_of(s, first), first, count};
}

/* Merges what was added: the n best of different classes. Returns how many; they are in s->merged and s->merged_value. */
static int32_t merge_run(search *s)
{
    source *heap = s->heap;
    for (int32_t i = s->n_sources / 2 - 1; i >= 0; i--)
        sift_down(heap, s->n_sources, i);
    int32_t n_merged = 0;
    while (s->n_sources > 0 && n_merged < s->n) {
        source *best = &heap[0];
        if (s->chain->is_plain || !s->is_seen[best->rank]) {
            s->merged[n_merged] = best->entry;
            s->merged_value[n_merged++] = best->value;
            if (!s->chain->is_plain)
                s->is_seen[best->rank] = 1;
        }
        if (--best->n_left > 0) {
            best->entry++;
            best->value = s->now.score[best->entry] + best->weight;
            best->rank = rank_of(s, best->entry);
        } else {
            heap[0] = heap[--s->n_sources];
        }
        sift_down(heap, s->n_sources, 0);
    }
    s->n_sources = 0;
    for (int32_t r = 0; r < n_merged && !s->chain->is_plain; r++)
        s->is_seen[s->now.rank[s->merged[r]]] = 0;
    return n_merged;
}

/* ---- one step ---- */

static void swap_lists(search *s)
{
    lists before = s->now;
    s->now = s->next;
    s->next = before;
}

/* The merged entries, each `e` more, become the list of state j at the next step; from [M n] gets where they came from. */
static void put_list(search *s, int32_t j, int32_t n_merged, double e, int32_t *from)
{
    size_t first = (size_t)j * (size_t)s->n;
    int32_t count = 0;
    for (int32_t r = 0; r < n_merged; r++) {
        double score = s->merged_value[r] + e;
        if (score == -INFINITY)
            break;
        s->next.score[first + (size_t)count] = score;
        from[first + (size_t)count++] = s->merged[r];
    }
    s->next.count[j] = count;
}

/* Ranks of the next step's entries: by class, then by the rank of the entry before; equal when both are. */
static void rank_entries(search *s, const int32_t *from)
{
    const sp_chain *c = s->chain;
    int32_t n_total = 0;
    memset(s->count, 0, (s->n_ranks + 1) * sizeof *s->count);
    for (int32_t j = 0; j < c->n_states; j++)
        for (int32_t x = j * s->n; x < j * s->n + s->next.count[j]; x++) {
            s->key[x] = s->now.rank[from[x]];
            s->count[s->key[x] + 1]++;
        }
    for (size_t r = 0; r < s->n_ranks; r++)
        s->count[r + 1] += s->count[r];
    for (int32_t j = 0; j < c->n_states; j++)
        for (int32_t x = j * s->n; x < j * s->n + s->next.count[j]; x++, n_total++)
            s->by_key[s->count[s->key[x]]++] = x;

    for (int32_t k = 0, at = 0; k < c->n_classes; k++) { /* the entries of a class stand together already */
        s->cursor[k] = at;
        for (int32_t j = c->class_first[k]; j < c->class_first[k + 1]; j++)
            at += s->next.count[j];
    }
    for (int32_t r = 0; r < n_total; r++)
        s->sorted[s->cursor[c->state_class[s->by_key[r] / s->n]]++] = s->by_key[r];

    int32_t rank = 0;
    for (int32_t r = 0; r < n_total; r++) {
        int32_t x = s->sorted[r], before = s->sorted[r > 0 ? r - 1 : 0];
        if (c->state_class[x / s->n] != c->state_class[before / s->n] || s->key[x] != s->key[before])
            rank++;
        s->next.rank[x] = rank;
    }
}

/* Lists of step t from those of t-1. Returns whether any state has an entry. */
static bool search_step(search *s, int64_t t, int32_t *from)
{
    const sp_chain *c = s->chain;
    const double *e = sp_row(s->scores, t, s->row);
    bool is_gap = sp_scores_is_gap(s->scores, t), any = false;
    int32_t n_merged = 0;
    for (int32_t i = 0; is_gap && i < c->n_states; i++)
        merge_add(s, i, 0);
    if (is_gap)
        n_merged = merge_run(s);
    for (int32_t j = 0; j < c->n_states; j++) {
        if (is_gap) {
            put_list(s, j, c->entry[j] ? n_merged : 0, e[c->state_class[j]], from);
        } else if (e[c->state_class[j]] == -INFINITY) {
            s->next.count[j] = 0;
        } else {
            for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++)
                merge_add(s, c->pred[p], c->pred_weight[p]);
            put_list(s, j, merge_run(s), e[c->state_class[j]], from);
        }
        any = any || s->next.count[j] > 0;
    }
    if (!c->is_plain)
        rank_entries(s, from);
    swap_lists(s);
    return any;
}

static bool search_start(search *s)
{
    const sp_chain *c = s->chain;
    const double *e = sp_row(s->scores, 0, s->row);
    bool any = false;
    for (int32_t j = 0; j < c->n_states; j++) {
        double score = c->start[j] + e[c->state_class[j]];
        s->now.count[j] = score > -INFINITY;
        s->now.score[(size_t)j * (size_t)s->n] = score;
        s->now.rank[(size_t)j * (size_t)s->n] = c->state_class[j];
        any = any || score > -INFINITY;
    }
    return any;
}

/* ---- blocks ---- */

/* Lists at the first step of each block. */
typedef struct kept_lists {
    double *score;  /* [blocks,M n] */
    int32_t *rank;  /* [blocks,M n] */
    int32_t *count; /* [blocks,M] */
} kept_lists;

static void keep(const search *s, const kept_lists *kept, int64_t b)
{
    size_t entries = (size_t)b * s->n_entries, states = (size_t)b * (size_t)s->chain->n_states;
    memcpy(kept->score + entries, s->now.score, s->n_entries * sizeof *kept->score);
    memcpy(kept->rank + entries, s->now.rank, s->n_entries * sizeof *kept->rank);
    memcpy(kept->count + states, s->now.count, (size_t)s->chain->n_states * sizeof *kept->count);
}

static void recall(search *s, const kept_lists *kept, int64_t b)
{
    size_t entries = (size_t)b * s->n_entries, states = (size_t)b * (size_t)s->chain->n_states;
    memcpy(s->now.score, kept->score + entries, s->n_entries * sizeof *kept->score);
    memcpy(s->now.rank, kept->rank + entries, s->n_entries * sizeof *kept->rank);
    memcpy(s->now.count, kept->count + states, (size_t)s->chain->n_states * sizeof *kept->count);
}

static int32_t *from_row(const search *s, int64_t t)
{
    return s->from + (size_t)((t - 1) % s->block) * s->n_entries;
}

/* All steps forward. False when one is not reached. */
static bool search_forward(search *s, const kept_lists *kept)
{
    if (!search_start(s))
        return false;
    keep(s, kept, 0);
    for (int64_t t = 1; t < s->scores->n_steps; t++) {
        if (!search_step(s, t, from_row(s, t)))
            return false;
        if (t % s->block == 0)
            keep(s, kept, t / s->block);
    }
    return true;
}

/* Follows the entries at[n_found] of the last step back through all blocks. at[] is used up. */
static void search_trace(search *s, const kept_lists *kept, int32_t *at, sp_nbest_paths *out, int32_t n_found)
{
    int64_t n_steps = s->scores->n_steps,
            end = n_steps - 1; /* last step of the block, the first of the next */
    for (int64_t b = (n_steps - 1) / s->block; b >= 0; b--) {
        int64_t first = b * s->block;
        if (s->block < n_steps && first < end) {
            recall(s, kept, b);
            for (int64_t t = first + 1; t <= end; t++)
                search_step(s, t, from_row(s, t));
        }
        for (int32_t r = 0; r < n_found; r++) {
            int32_t *path = out->paths + r * out->stride;
            for (int64_t t = end; t > first; t--) {
                path[t] = s->chain->state_class[at[r] / s->n];
                at[r] = from_row(s, t)[at[r]];
            }
            if (first == 0)
                path[0] = s->chain->state_class[at[r] / s->n];
        }
        end = first;
    }
}

/* ---- door ---- */

static bool search_init(search *s, const sp_chain *chain, const sp_scores *scores, int32_t n,
                        sp_scratch *scratch, kept_lists *kept)
{
    size_t n_states = (size_t)chain->n_states, n_steps = (size_t)scores->n_steps,
           entries = n_states * (size_t)n;
    *s = (search){.chain = chain,
                  .scores = scores,
                  .n = n,
                  .n_entries = entries,
                  .row = sp_row_buffer(scores, scratch)};
    s->n_ranks = entries > (size_t)chain->n_classes ? entries : (size_t)chain->n_classes;
    s->block = n_steps <= WHOLE_LIMIT / entries ? (int64_t)n_steps : (int64_t)ceil(sqrt((double)n_steps));
    size_t block = (size_t)s->block, blocks = (n_steps - 1) / block + 1;
    if (block > SIZE_MAX / entries || blocks > SIZE_MAX / 2 / entries)
        return false;
    s->now.score = sp_scratch_get(scratch, 2 * entries, sizeof *s->now.score);
    s->now.count = sp_scratch_get(scratch, 2 * (n_states + entries), sizeof *s->now.count);
    s->from = sp_scratch_get(scratch, block * entries, sizeof *s->from);
    kept->score = sp_scratch_get(scratch, blocks * entries, sizeof *kept->score);
    kept->count = sp_scratch_get(scratch, blocks * (n_states + entries), sizeof *kept->count);
    s->heap = sp_scratch_get(scratch, n_states, sizeof *s->heap);
    s->key = sp_scratch_get(scratch, 3 * entries + s->n_ranks + 1 + (size_t)chain->n_classes, sizeof *s->key);
    s->is_seen = sp_scratch_get(scratch, s->n_ranks, 1);
    s->merged_value = sp_scratch_get(scratch, 2 * (size_t)n, sizeof *s->merged_value);
    if (!s->row || !s->now.score || !s->now.count || !s->from || !kept->score || !kept->count || !s->heap ||
        !s->key || !s->is_seen || !s->merged_value)
        return false;
    s->next.score = s->now.score + entries;
    s->next.count = s->now.count + n_states;
    s->now.rank = s->next.count + n_states;
    s->next.rank = s->now.rank + entries;
    kept->rank = kept->count + blocks * n_states;
    s->by_key = s->key + entries;
    s->sorted = s->by_key + entries;
    s->count = s->sorted + entries;
    s->cursor = s->count + s->n_ranks + 1;
    s->merged = (int32_t *)(s->merged_value + n);
    memset(s->is_seen, 0, s->n_ranks);
    return true;
}

sp_status nbest_lists(const sp_chain *chain, const sp_scores *scores, int32_t n, sp_scratch *scratch,
                      sp_nbest_paths *out)
{
    search s;
    kept_lists kept;
    if (!search_init(&s, chain, scores, n, scratch, &kept))
        return SP_ENOMEM;
    if (!search_forward(&s, &kept))
        return SP_ENOPATH;
    for (int32_t i = 0; i < chain->n_states; i++)
        if (chain->end[i] > -INFINITY)
            merge_add(&s, i, chain->end[i]);
    int32_t n_found = merge_run(&s);
    if (n_found == 0)
        return SP_ENOPATH;
    for (int32_t r = 0; r < n_found && out->scores; r++)
        out->scores[r] = s.merged_value[r];
    int32_t *at = s.merged + n; /* the trace may merge again */
    memcpy(at, s.merged, (size_t)n_found * sizeof *at);
    search_trace(&s, &kept, at, out, n_found);
    out->n_found = n_found;
    return SP_OK;
}
