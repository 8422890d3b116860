/* The rows of the bootstrap and their sums. */
#include "evaluate/resample.h"

#include <stdlib.h>
#include <string.h>

#include "core/isa.h"

enum { COLUMNS = 8, MOST_VECTORS = 6 }; /* of one vector; of one pass over the drawn rows */

uint32_t sp_cluster_group(uint64_t seed, int64_t cluster)
{
    return (uint32_t)(random_mix(random_mix(~seed) + (uint64_t)cluster) & (SP_CLUSTER_GROUPS - 1));
}

static int64_t row_of(uint64_t seed, int64_t n_clusters, int64_t cluster)
{
    return n_clusters > SP_MOST_CLUSTERS ? sp_cluster_group(seed, cluster) : cluster;
}

void sp_count_tables_free(sp_count_tables *t)
{
    for (int32_t p = 0; t->parts && p < t->n_parts; p++)
        if (t->parts[p].is_owned) {
            free((void *)t->parts[p].lists.offsets);
            free((void *)t->parts[p].lists.slots);
            free((void *)t->parts[p].lists.counts);
        }
    free(t->parts);
    free(t->rows);
    *t = (sp_count_tables){0};
}

/* Adds the part's counts to its columns; false when a sum of n rows could leave 32 bits. */
static bool fill_columns(const sp_clusters *c, uint64_t seed, sp_count_tables *t, size_t column)
{
    uint64_t most = 0;
    for (int64_t i = 0; i < c->n; i++) {
        uint32_t *row = t->rows + (size_t)row_of(seed, c->n, i) * t->stride + column;
        for (int64_t j = c->offsets[i]; j < c->offsets[i + 1]; j++) {
            uint64_t sum = (uint64_t)row[c->slots[j]] + c->counts[j];
            most = sum > most ? sum : most;
            row[c->slots[j]] = (uint32_t)sum;
        }
    }
    return most * (uint64_t)t->n <= UINT32_MAX && most <= UINT32_MAX;
}

/* Lists by group. The slots of a group stand in it as often as in its clusters. */
static bool group_lists(const sp_clusters *c, uint64_t seed, sp_count_table *part)
{
    size_t n_counts = (size_t)c->offsets[c->n];
    int64_t *offsets = calloc(SP_CLUSTER_GROUPS + 2, sizeof *offsets);
    uint32_t *slots = malloc((n_counts + 1) * sizeof *slots), *counts = malloc((n_counts + 1) * sizeof *counts);
    part->is_owned = true;
    part->lists = (sp_clusters){.n = SP_CLUSTER_GROUPS, .width = c->width, .offsets = offsets, .slots = slots, .counts = counts};
    if (!offsets || !slots || !counts)
        return false;
    for (int64_t i = 0; i < c->n; i++)
        offsets[sp_cluster_group(seed, i) + 2] += c->offsets[i + 1] - c->offsets[i];
    for (int64_t g = 0; g < SP_CLUSTER_GROUPS; g++)
        offsets[g + 2] += offsets[g + 1];
    for (int64_t i = 0; i < c->n; i++) {
        int64_t *end = &offsets[sp_cluster_group(seed, i) + 1]; /* becomes the offset of the next group */
        for (int64_t j = c->offsets[i]; j < c->offsets[i + 1]; j++, ++*end) {
            slots[*end] = c->slots[j];
            counts[*end] = c->counts[j];
        }
    }
    return true;
}

static size_t rounded(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

bool sp_count_tables_open(int32_t n_parts, const sp_bootstrap_part *parts, uint64_t seed, sp_count_tables *out)
{
    int64_t n_clusters = parts[0].clusters.n;
    *out = (sp_count_tables){.n = sp_cluster_units(n_clusters), .n_parts = n_parts};
    out->parts = calloc((size_t)n_parts, sizeof *out->parts);
    if (!out->parts)
        return false;
    size_t columns = 0;
    for (int32_t p = 0; p < n_parts; p++) {
        const sp_clusters *c = &parts[p].clusters;
        uint64_t cells = (uint64_t)out->n * (uint64_t)c->width;
        out->parts[p] = (sp_count_table){.lists = *c, .width = c->width, .column = columns, .at = out->width};
        out->parts[p].is_dense = out->n >= 2 && cells <= 4 * (uint64_t)c->offsets[c->n];
        columns += out->parts[p].is_dense ? (size_t)c->width : 0;
        out->width += (size_t)c->width;
    }
    out->stride = rounded(columns, COLUMNS);
    if (out->stride) { /* rows begin where a vector does */
        size_t bytes = rounded((size_t)out->n * out->stride * sizeof *out->rows, 64);
        out->rows = aligned_alloc(64, bytes);
        if (!out->rows)
            return false;
        memset(out->rows, 0, bytes);
    }
    for (int32_t p = 0; p < n_parts; p++) {
        sp_count_table *part = &out->parts[p];
        part->is_dense = part->is_dense && fill_columns(&parts[p].clusters, seed, out, part->column);
        if (!part->is_dense && n_clusters > SP_MOST_CLUSTERS && !group_lists(&parts[p].clusters, seed, part))
            return false;
    }
    return true;
}

double sp_count_tables_cost(const sp_count_tables *t, int32_t part)
{
    const sp_count_table *one = &t->parts[part];
    return one->is_dense ? (double)t->n * (double)one->width / COLUMNS : (double)one->lists.offsets[one->lists.n];
}

/* ---- sums ---- */

static void add_list(const sp_clusters *c, int64_t row, int64_t sign, int64_t *sums)
{
    for (int64_t i = c->offsets[row]; i < c->offsets[row + 1]; i++)
        sums[c->slots[i]] += sign * (int64_t)c->counts[i];
}

void sp_count_tables_add(const sp_count_tables *t, int64_t row, int64_t sign, int64_t *sums)
{
    for (int32_t p = 0; p < t->n_parts; p++) {
        const sp_count_table *part = &t->parts[p];
        int64_t *own = sums + part->at;
        if (!part->is_dense) {
            add_list(&part->lists, row, sign, own);
            continue;
        }
        const uint32_t *counts = t->rows + (size_t)row * t->stride + part->column;
        for (int32_t w = 0; w < part->width; w++)
            own[w] += sign * (int64_t)counts[w];
    }
}

typedef uint32_t vector __attribute__((vector_size(4 * COLUMNS), aligned(4), may_alias));

/* Adds n drawn rows to `m` vectors of sums, which stay in registers: m is a constant where this is inlined. */
SP_ALWAYS_INLINE void add_vectors(const uint32_t *rows, size_t stride, const uint32_t *index, int n, uint32_t *sums, const int m)
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

SP_ALWAYS_INLINE void add_drawn_any(const uint32_t *rows, size_t stride, const uint32_t *index, int n, uint32_t *sums)
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
SP_FOR_EACH_ISA(void, add_drawn, (const uint32_t *rows, size_t stride, const uint32_t *index, int n, uint32_t *sums),
                add_drawn_any(rows, stride, index, n, sums);)
SP_FOR_EACH_ISA(void, draw_rows, (random_stream * random, uint32_t n, int count, uint32_t *index),
                random_below(random, n, count, index);)

void sp_count_tables_draw(const sp_count_tables *t, random_stream *random, const bool *skip, uint32_t *matrix_sums, int64_t *sums)
{
    const sp_isa isa = sp_isa_current();
    uint32_t index[RANDOM_PIECE];
    memset(sums, 0, t->width * sizeof *sums);
    memset(matrix_sums, 0, t->stride * sizeof *matrix_sums);
    for (int64_t drawn = 0; drawn < t->n; drawn += RANDOM_PIECE) {
        int count = t->n - drawn < RANDOM_PIECE ? (int)(t->n - drawn) : RANDOM_PIECE;
        SP_BY_ISA(draw_rows, isa)(random, (uint32_t)t->n, count, index);
        if (t->stride)
            SP_BY_ISA(add_drawn, isa)(t->rows, t->stride, index, count, matrix_sums);
        for (int32_t p = 0; p < t->n_parts; p++)
            for (int i = 0; !t->parts[p].is_dense && !skip[p] && i < count; i++)
                add_list(&t->parts[p].lists, index[i], 1, sums + t->parts[p].at);
    }
    for (int32_t p = 0; p < t->n_parts; p++)
        for (int32_t w = 0; t->parts[p].is_dense && w < t->parts[p].width; w++)
            sums[t->parts[p].at + (size_t)w] = matrix_sums[t->parts[p].column + (size_t)w];
}
