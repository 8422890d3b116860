/* The writer of paths (io/paths_writer.h) for HDF5. Private to io/. */
#ifndef STATEPATH_IO_H5_PATHS_WRITER_H
#define STATEPATH_IO_H5_PATHS_WRITER_H

#include "io/paths_writer.h"

typedef struct sp_h5_paths sp_h5_paths;

/* Each as its namesake of paths_writer.h. */
sp_status sp_h5_paths_open(const char *file, const sp_paths_header *header, sp_h5_paths **out, sp_error *err);
sp_status sp_h5_paths_add(sp_h5_paths *writer, int32_t strategy, int64_t first, int64_t n_recordings,
                          int64_t first_step, int64_t n_steps, const sp_decode_output *output, sp_error *err);
sp_status sp_h5_paths_add_steps(sp_h5_paths *writer, int32_t strategy, int64_t first_step, int64_t n_steps,
                                const int32_t *path, sp_error *err);
sp_status sp_h5_paths_end_steps(sp_h5_paths *writer, int32_t strategy, int64_t recording, int64_t n_steps,
                                const sp_decoded *result, sp_error *err);
sp_status sp_h5_paths_add_labels(sp_h5_paths *writer, int64_t first_step, int64_t n_steps,
                                 const int32_t *labels, const int64_t *segments, sp_error *err);
sp_status sp_h5_paths_put(sp_h5_paths *writer, int32_t extra, int64_t row, int64_t first, int64_t count,
                          const void *values, sp_error *err);
sp_status sp_h5_paths_commit(sp_h5_paths *writer, sp_error *err);
void sp_h5_paths_abort(sp_h5_paths *writer);

#endif
