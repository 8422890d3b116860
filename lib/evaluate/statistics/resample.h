/* A table of counts from which clusters are drawn; not installed. */
#ifndef EVALUATE_RESAMPLE_H
#define EVALUATE_RESAMPLE_H

#include "evaluate/statistics/count_rows.h"
#include "evaluate/statistics/random.h"

/* Counts by row: a cluster, or a group of them. Where the lists are dense enough and no sum can leave 32 bits, they are a matrix,
 * whose rows processors add many numbers at a time; else they stay lists. */
typedef struct sp_count_table {
    sp_clusters lists;
    sp_count_rows groups; /* what `lists` shows where clusters are put into groups (clusters.h) */
    bool is_dense;
    uint32_t *rows; /* [n,stride] */
    size_t stride;  /* a multiple of 8; 0 without a matrix */
} sp_count_table;

/* The lists are borrowed. False: no memory; to be freed in any case. */
bool sp_count_table_open(const sp_clusters *clusters, uint64_t seed, sp_count_table *out);
void sp_count_table_free(sp_count_table *table);

/* sums [width] of n rows drawn with replacement; matrix_sums [stride] scratch; times [n], or NULL: how often each was drawn. */
void sp_count_table_draw(const sp_count_table *table, random_stream *random, uint32_t *matrix_sums,
                         int64_t *sums, uint32_t *times);

/* Adds `sign` times a row to the sums [width]. */
void sp_count_table_add(const sp_count_table *table, int64_t row, int64_t sign, int64_t *sums);

/* Additions that a draw of all rows takes, in units of one out of a list. */
double sp_count_table_cost(const sp_count_table *table);

#endif
