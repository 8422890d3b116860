/* Paths that come in no order and are wanted in one: kept in a file beside the target that has no name, so that nothing is left
 * of it whatever ends the program. Private to io/. */
#ifndef STATEPATH_IO_PATHS_KEPT_H
#define STATEPATH_IO_PATHS_KEPT_H

#include "io/paths_writer.h"
#include "io/text/texts.h"

typedef struct sp_kept_paths {
    int fd; /* int32 [n_strategies + 1][S], the labels last; then 8 bytes [n_values][S]; -1: not open */
    sp_paths_info info; /* what there is; borrowed but for the strategies */
    sp_texts strategies;
    sp_decoded *results; /* [n_strategies][N] */
    int64_t n_written;   /* steps and recordings of paths so far */
    /* Where steps have holes between them, which are -1: how many take part, and their places; borrowed. */
    const sp_holes *holes;
    const char *gaps; /* as the header has it; borrowed */
    int64_t n_kept;
    int32_t
        n_values; /* rows of 8 bytes behind those of int32: segments, then what stands beside the steps; 0: not kept */
} sp_kept_paths;

/* with_values: segments and the header's extras are kept too, which are f64 [S] then. On failure it can (and must) still be closed,
 * if fd was -1. SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_kept_paths_open(sp_kept_paths *k, const char *file, const sp_paths_header *header,
                             bool with_values, sp_error *err);
void sp_kept_paths_close(sp_kept_paths *k);

/* As sp_paths_writer_add() and sp_paths_writer_add_labels(). */
sp_status sp_kept_paths_add(sp_kept_paths *k, int32_t strategy, int64_t first, int64_t n_recordings,
                            int64_t first_step, int64_t n_steps, const sp_decode_output *output,
                            sp_error *err);
sp_status sp_kept_paths_add_labels(sp_kept_paths *k, int64_t first_step, int64_t n_steps,
                                   const int32_t *labels, const int64_t *segments, sp_error *err);
/* As sp_paths_writer_put(). */
sp_status sp_kept_paths_put(sp_kept_paths *k, int32_t extra, int64_t first_step, int64_t n_steps,
                            const double *values, sp_error *err);

/* Is all of it there? SP_OK, SP_EINVAL. */
sp_status sp_kept_paths_check(const sp_kept_paths *k, sp_error *err);

/* Recordings from `first` on that have together no more than a block of steps; at least 1. */
int64_t sp_kept_paths_fit(const sp_paths_info *info, int64_t first);

/* Steps of recordings first .. first+count-1, of a strategy's path or, with n_strategies, the labels. SP_OK, SP_EFILE. */
sp_status sp_kept_paths_read(const sp_kept_paths *k, int32_t row, int64_t first, int64_t count, int32_t *out,
                             sp_error *err);
/* The same of their segments, and of an extra; what is in holes means nothing. */
sp_status sp_kept_paths_segments(const sp_kept_paths *k, int64_t first, int64_t count, int64_t *out,
                                 sp_error *err);
sp_status sp_kept_paths_values(const sp_kept_paths *k, int32_t extra, int64_t first, int64_t count,
                               double *out, sp_error *err);

#endif
