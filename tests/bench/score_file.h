/* Files of scores in each layout, for the benchmark of files; a plain program that reads them; and whether paths are right.
 * The scores are those of a small base, again and again, so that any file's paths are known from the base's. */
#ifndef BENCH_SCORE_FILE_H
#define BENCH_SCORE_FILE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct score_layout {
    const char *name, *what;
    enum { ONE_DATASET, ONE_RECORDING, PADDED, GROUPS } shape;
    int64_t chunk[2]; /* steps, classes; 0: contiguous */
    bool is_gzip;     /* level 4, shuffled */
    bool is_f16;
    bool is_large; /* with --long only */
} score_layout;

/* Ends with a name of NULL. */
extern const score_layout score_layouts[];

/* K = 5, recordings of 1,000 steps; steps are rounded to whole bases of 250 recordings; fewer
 * steps to whole recordings, in layouts that are not padded. False, said on stderr, where it cannot. */
bool score_file_make(const score_layout *layout, const char *file, int64_t steps);

/* All scores by H5Dread, as simply as can be: a dataset at once, in the type that it has, so that HDF5 converts nothing. */
bool score_file_read(const char *file);

/* Are the paths in a file those that sp_decode_batch() finds for the base (or the plain kernel, for one recording)? */
bool score_file_check(const score_layout *layout, const char *paths, int64_t steps);

#endif
