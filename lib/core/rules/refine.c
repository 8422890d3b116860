#include "core/rules/refine.h"

#include <stdlib.h>
#include <string.h>

bool sp_refine_reverse(sp_owned *own, int32_t n, int32_t n_letters, const int64_t *row, const int32_t *to,
                       sp_refine_edges *out)
{
    const int64_t n_edges = row ? row[n] : (int64_t)n * n_letters;
    int64_t *into = sp_zeros(own, (size_t)n + 1, sizeof *into),
            *next = sp_zeros(own, (size_t)n, sizeof *next);
    int32_t *from = sp_zeros(own, (size_t)n_edges, sizeof *from),
            *letter = row ? NULL : sp_zeros(own, (size_t)n_edges, sizeof *letter);
    if (own->is_short)
        return false;
    for (int64_t e = 0; e < n_edges; e++)
        into[to[e] + 1]++;
    for (int32_t j = 0; j < n; j++) {
        into[j + 1] += into[j];
        next[j] = into[j];
    }
    for (int32_t i = 0; i < n; i++)
        for (int64_t e = row ? row[i] : (int64_t)i * n_letters;
             e < (row ? row[i + 1] : (int64_t)(i + 1) * n_letters); e++) {
            const int64_t at = next[to[e]]++;
            from[at] = i;
            if (letter)
                letter[at] = (int32_t)(e % n_letters);
        }
    *out = (sp_refine_edges){n, n_letters, into, from, letter};
    return true;
}

typedef struct partition {
    int32_t *item, *place; /* [n] states by block; where each stands */
    int32_t *first, *end,
        *n_hit; /* [n] of a block: its states are item[first] .. item[end-1]; the first n_hit of them are hit */
    int32_t *block; /* [n] of a state */
    int32_t n_blocks;
    int32_t *waiting, n_waiting; /* blocks that others are still to be split by */
    bool *waits;                 /* [n] */
} partition;

static void wait_for(partition *p, int32_t b)
{
    p->waits[b] = true;
    p->waiting[p->n_waiting++] = b;
}

/* Moves state i to the front of its block. True for the first of the block. */
static bool hit(partition *p, int32_t i)
{
    const int32_t b = p->block[i], to = p->first[b] + p->n_hit[b], other = p->item[to], from = p->place[i];
    if (from < to) /* already */
        return false;
    p->item[to] = i;
    p->item[from] = other;
    p->place[i] = to;
    p->place[other] = from;
    return p->n_hit[b]++ == 0;
}

/* What was hit of block b becomes a block of its own, unless that is all. */
static void split(partition *p, int32_t b)
{
    const int32_t n = p->n_hit[b], size = p->end[b] - p->first[b], new = p->n_blocks;
    p->n_hit[b] = 0;
    if (n == size)
        return;
    p->first[new] = p->first[b];
    p->end[new] = p->first[b] = p->first[b] + n;
    p->n_blocks++;
    for (int32_t at = p->first[new]; at < p->end[new]; at++)
        p->block[p->item[at]] = new;
    wait_for(p, p->waits[b] || n <= size - n ? new : b);
}

static void sort_into_blocks(partition *p, int32_t n, int32_t n_blocks, const int32_t *block)
{
    p->n_blocks = n_blocks;
    memcpy(p->block, block, (size_t)n * sizeof *block);
    for (int32_t i = 0; i < n; i++)
        p->end[block[i]]++;
    for (int32_t b = 1; b < n_blocks; b++)
        p->end[b] += p->end[b - 1];
    for (int32_t b = 0; b < n_blocks; b++)
        p->first[b] = p->end[b];
    for (int32_t i = n - 1; i >= 0; i--) {
        p->place[i] = --p->first[block[i]];
        p->item[p->place[i]] = i;
    }
    for (int32_t b = 0; b < n_blocks; b++)
        wait_for(p, b);
}

/* Room of one splitter: the transitions into it, by letter. */
typedef struct arrivals {
    int32_t *from, *next; /* [transitions] lists of one letter each */
    int32_t *head;        /* [letters] -1: none */
    int32_t *letters;     /* [letters] those with any */
    int32_t *touched;     /* [n] blocks with a state that was hit */
} arrivals;

static void refine_by(partition *p, const sp_refine_edges *e, arrivals *a, int32_t splitter)
{
    int32_t n_arrivals = 0, n_letters = 0;
    for (int32_t at = p->first[splitter]; at < p->end[splitter]; at++) {
        const int32_t j = p->item[at];
        for (int64_t t = e->row[j]; t < e->row[j + 1]; t++) {
            const int32_t letter = e->letter ? e->letter[t] : 0;
            if (a->head[letter] < 0)
                a->letters[n_letters++] = letter;
            a->from[n_arrivals] = e->from[t];
            a->next[n_arrivals] = a->head[letter];
            a->head[letter] = n_arrivals++;
        }
    }
    for (int32_t l = 0; l < n_letters; l++) {
        int32_t n_touched = 0;
        for (int32_t at = a->head[a->letters[l]]; at >= 0; at = a->next[at])
            if (hit(p, a->from[at]))
                a->touched[n_touched++] = p->block[a->from[at]];
        a->head[a->letters[l]] = -1;
        for (int32_t b = 0; b < n_touched; b++)
            split(p, a->touched[b]);
    }
}

static void number_by_first(const partition *p, int32_t n, int32_t *block)
{
    int32_t *number = p->n_hit, n_numbers = 0; /* not needed any more */
    for (int32_t b = 0; b < p->n_blocks; b++)
        number[b] = -1;
    for (int32_t i = 0; i < n; i++) {
        if (number[p->block[i]] < 0)
            number[p->block[i]] = n_numbers++;
        block[i] = number[p->block[i]];
    }
}

int32_t sp_refine(const sp_refine_edges *edges, int32_t n_blocks, int32_t *block)
{
    const size_t n = (size_t)edges->n, n_edges = (size_t)edges->row[n];
    sp_owned own = {0};
    partition p = {.item = sp_zeros(&own, n, sizeof *p.item),
                   .place = sp_zeros(&own, n, sizeof *p.place),
                   .first = sp_zeros(&own, n, sizeof *p.first),
                   .end = sp_zeros(&own, n, sizeof *p.end),
                   .n_hit = sp_zeros(&own, n, sizeof *p.n_hit),
                   .block = sp_zeros(&own, n, sizeof *p.block),
                   .waiting = sp_zeros(&own, n, sizeof *p.waiting),
                   .waits = sp_zeros(&own, n, sizeof *p.waits)};
    arrivals a = {.from = sp_zeros(&own, n_edges, sizeof *a.from),
                  .next = sp_zeros(&own, n_edges, sizeof *a.next),
                  .head = sp_zeros(&own, (size_t)edges->n_letters, sizeof *a.head),
                  .letters = sp_zeros(&own, (size_t)edges->n_letters, sizeof *a.letters),
                  .touched = sp_zeros(&own, n, sizeof *a.touched)};
    if (own.is_short) {
        sp_owned_free(&own);
        return -1;
    }
    for (int32_t l = 0; l < edges->n_letters; l++)
        a.head[l] = -1;
    sort_into_blocks(&p, edges->n, n_blocks, block);
    while (p.n_waiting > 0) {
        const int32_t b = p.waiting[--p.n_waiting];
        p.waits[b] = false;
        refine_by(&p, edges, &a, b);
    }
    number_by_first(&p, edges->n, block);
    const int32_t n_found = p.n_blocks;
    sp_owned_free(&own);
    return n_found;
}
