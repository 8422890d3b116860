/* The rows of the bootstrap and their sums. */
#include "evaluate/statistics/resample.h"

#include "evaluate/statistics/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "core/isa.h"

enum { COLUMNS = 8, MOST_VECTORS = 6 };
static bool group_clusters(const sp_clusters *c, uint64_t seed, sp_count_table *t)
{
    int64_t *group = malloc((size_t)c->n * sizeof *group);
    for (int64_t i = 0; group && i < c->n; i++)
        group[i] = sp_cluster_group(seed, i);
    bool is_done = group && sp_clusters_group(c, SP_CLUSTER_GROUPS, group, &t->groups);
    free(group);
    t->lists = sp_count_rows_view(&t->groups, c->width);
    return is_done;
}

/* False when a sum of n rows could leave 32 bits. */
static bool fill_matrix(sp_count_table *t)
{
    const sp_clusters *c = &t->lists;
    uint64_t most = 0;
    for (int64_t i = 0; i < c->n; i++) {
        uint32_t *row = t->rows + (size_t)i * t->stride;
        for (int64_t j = c->offsets[i]; j < c->offsets[i + 1]; j++) {
            uint64_t sum = (uint64_t)row[c->slots[j]] + c->counts[j];
            most = sum > most ? sum : most;
            row[c->slots[j]] = (uint32_t)sum;
        }
    }
    return most * (uint64_t)c->n <= UINT32_MAX && most <= UINT32_MAX;
}

static size_t rounded(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

bool sp_count_table_open(const sp_clusters *clusters, uint64_t seed, sp_count_table *t)
{
    *t = (sp_count_table){.lists = *clusters};
    if (clusters->n > SP_MOST_CLUSTERS && !group_clusters(clusters, seed, t))
        return false;
    const sp_clusters *c = &t->lists;
    if (c->n < 2 || (uint64_t)c->n * (uint64_t)c->width > 4 * (uint64_t)c->offsets[c->n])
        return true;
    t->stride = rounded((size_t)c->width, COLUMNS);
    size_t bytes = rounded((size_t)c->n * t->stride * sizeof *t->rows, 64);
    t->rows = aligned_alloc(64, bytes); /* rows begin where a vector does */
    if (!t->rows)
        return false;
    memset(t->rows, 0, bytes);
    t->is_dense = fill_matrix(t);
    return true;
}

void sp_count_table_free(sp_count_table *t)
{
    sp_count_rows_free(&t->groups);
    free(t->rows);
    *t = (sp_count_table){.rows = NULL};
}

double sp_count_table_cost(const sp_count_table *t)
{
    const sp_clusters *c = &t->lists;
    return t->is_dense ? (double)c->n * (double)c->width / COLUMNS : (double)c->offsets[c->n];
}

/* ---- sums ---- */

static void add_list(const sp_clusters *c, int64_t row, int64_t sign, int64_t *sums)
{
    for (int64_t i = c->offsets[row]; i < c->offsets[row + 1]; i++)
        sums[c->slots[i]] += sign * (int64_t)c->counts[i];
}

void sp_count_table_add(const sp_count_table *t, int64_t row, int64_t sign, int64_t *sums)
{
    if (!t->is_dense) {
        add_list(&t->lists, row, sign, sums);
        return;
    }
    const uint32_t *counts = t->rows + (size_t)row * t->stride;
    for (int32_t w = 0; w < t->lists.width; w++)
        sums[w] += sign * (int64_t)counts[w];
}

typedef uint32_t vector __attribute__((vector_size(4 * COLUMNS), aligned(4), may_alias));

/* Adds n drawn rows to `m` vectors of sums, which stay in registers: m is a constant where this is inlined. */
SP_ALWAYS_INLINE void add_vectors(const uint32_t *rows, size_t stride, const uint32_t *index, int n,
                                  uint32_t *sums, const int m)
{
    vector sum[MOST_VECTORS];
    for (int v = 0; v < m; v++)
        sum[v] = ((const vector *)(const void *)sums)[v];
    for (int i = 0; i < n; i++) {
        const vector *row = (const vector *)(const void *)(rows + index[i] * stride);
        for (int v = 0; v < m; v++)
            sum[v] += row[v];
    }
    for (int v = 0; v < m; v++)
        ((vector *)(void *)sums)[v] = sum[v];
}

SP_ALWAYS_INLINE void add_drawn_any(const uint32_t *rows, size_t stride, const uint32_t *index, int n,
                                    uint32_t *sums)
{
    for (size_t left = stride / COLUMNS; left > 0;) {
        size_t passes = (left + MOST_VECTORS - 1) / MOST_VECTORS, m = (left + passes - 1) / passes;
        switch (m) {
        case 1:
            add_vectors(rows, stride, index, n, sums, 1);
            break;
        case 2:
            add_vectors(rows, stride, index, n, sums, 2);
            break;
        case 3:
            add_vectors(rows, stride, index, n, sums, 3);
            break;
        case 4:
            add_vectors(rows, stride, index, n, sums, 4);
            break;
        case 5:
            add_vectors(rows, stride, index, n, sums, 5);
            break;
        default:
            add_vectors(rows, stride, index, n, sums, 6);
            break;
        }
        rows += m * COLUMNS;
        sums += m * COLUMNS;
        left -= m;
    }
}

/* The loops over drawn rows are compiled for each instruction set; sums of integers are the same in all. */
SP_FOR_EACH_ISA(void, add_drawn,
                (const uint32_t *rows, size_t stride, const uint32_t *index, int n, uint32_t *sums),
                add_drawn_any(rows, stride, index, n, sums);)
SP_FOR_EACH_ISA(void, draw_rows, (random_stream * random, uint32_t n, int count, uint32_t *index),
                random_below(random, n, count, index);)

void sp_count_table_draw(const sp_count_table *t, random_stream *random, uint32_t *matrix_sums, int64_t *sums,
                         uint32_t *times)
{
    const sp_isa isa = sp_isa_current();
    const sp_clusters *c = &t->lists;
    uint32_t index[RANDOM_PIECE];
    memset(sums, 0, (size_t)c->width * sizeof *sums);
    memset(matrix_sums, 0, t->stride * sizeof *matrix_sums);
    if (times)
        memset(times, 0, (size_t)c->n * sizeof *times);
    for (int64_t drawn = 0; drawn < c->n; drawn += RANDOM_PIECE) {
        int count = c->n - drawn < RANDOM_PIECE ? (int)(c->n - drawn) : RANDOM_PIECE;
        SP_BY_ISA(draw_rows, isa)(random, (uint32_t)c->n, count, index);
        if (t->is_dense)
            SP_BY_ISA(add_drawn, isa)(t->rows, t->stride, index, count, matrix_sums);
        for (int i = 0; !t->is_dense && i < count; i++)
            add_list(c, index[i], 1, sums);
        for (int i = 0; times && i < count; i++)
            times[index[i]]++;
    }
    for (int32_t w = 0; t->is_dense && w < c->width; w++)
        sums[w] = matrix_sums[w];
}
