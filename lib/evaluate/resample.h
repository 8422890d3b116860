/* Tables of counts from which clusters are drawn; not installed. */
#ifndef EVALUATE_RESAMPLE_H
#define EVALUATE_RESAMPLE_H

#include "evaluate/clusters.h"
#include "evaluate/random.h"

/* One part's counts. Where the lists are dense enough and no sum can leave 32 bits, they are columns of a matrix that all such
 * parts share, whose rows processors add many numbers at a time; else they stay lists. */
typedef struct sp_count_table {
    sp_clusters lists; /* by row; read only where the part is not in the matrix */
    bool is_dense, is_owned;
    int32_t width;
    size_t column; /* its first in the matrix */
    size_t at;     /* its first among the sums */
} sp_count_table;

typedef struct sp_count_tables {
    int64_t n; /* rows: clusters, or groups of them */
    int32_t n_parts;
    sp_count_table *parts;
    uint32_t *rows; /* [n,stride] */
    size_t stride;  /* a multiple of 8; 0 without dense parts */
    size_t width;   /* sums of all parts */
} sp_count_tables;

/* Clusters become rows, or are put into groups (clusters.h). False: no memory; to be freed in any case. */
bool sp_count_tables_open(int32_t n_parts, const sp_bootstrap_part *parts, uint64_t seed, sp_count_tables *out);
void sp_count_tables_free(sp_count_tables *tables);

/* sums [width] of n rows drawn with replacement; matrix_sums [stride] scratch. Parts with skip[part] are left alone. */
void sp_count_tables_draw(const sp_count_tables *tables, random_stream *random, const bool *skip, uint32_t *matrix_sums,
                          int64_t *sums);

/* Adds `sign` times a row to the sums [width]. */
void sp_count_tables_add(const sp_count_tables *tables, int64_t row, int64_t sign, int64_t *sums);

/* Additions that a draw of all rows takes for a part, in units of one out of a list. */
double sp_count_tables_cost(const sp_count_tables *tables, int32_t part);

#endif
