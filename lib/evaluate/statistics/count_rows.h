/* Counts of clusters, collected one after the other; not installed. */
#ifndef EVALUATE_COUNT_ROWS_H
#define EVALUATE_COUNT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* Counts of each cluster (a recording), those above 0: cluster i has counts[j] in slot slots[j], j from offsets[i] to
 * offsets[i+1]-1. A slot may stand in a cluster twice: counts are only ever added up. Borrowed. */
typedef struct sp_clusters {
    int64_t n; /* below 2^32 */
    int32_t width;
    const int64_t *offsets; /* [n+1] */
    const uint32_t *slots;  /* 0..width-1 */
    const uint32_t *counts;
} sp_clusters;

/* Clusters that are being collected; {0} is empty. */
typedef struct sp_count_rows {
    int64_t n, n_counts, capacity, row_capacity;
    int64_t *offsets; /* [n+1] */
    uint32_t *slots, *counts;
} sp_count_rows;

/* Adds a count >= 0 to the cluster at hand; one above 2^32 - 1 becomes several entries. False: no memory. */
bool sp_count_rows_add(sp_count_rows *rows, uint32_t slot, int64_t count);
/* Ends the cluster at hand. False: no memory. */
bool sp_count_rows_end(sp_count_rows *rows);
void sp_count_rows_free(sp_count_rows *rows);
/* The clusters that have ended; the lists stay the rows'. */
sp_clusters sp_count_rows_view(const sp_count_rows *rows, int32_t width);
/* Puts cluster i into group[i], 0..n_groups-1. out: fresh rows, to be freed in any case. False: no memory. */
bool sp_clusters_group(const sp_clusters *clusters, int64_t n_groups, const int64_t *group,
                       sp_count_rows *out);

#endif
