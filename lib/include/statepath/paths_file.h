/* Files of paths (HDF5), written by decode and compare, read by evaluate.
 *
 *   /paths/<strategy>       int16 [S] (int32 where K > 32767), -1 = undecoded
 *   /path_scores/<strategy> f64 [N] nats
 *   /status/<strategy>      uint8 [N], 0 ok, 1 no_path, 2 dead_end; attribute `names` says so
 *   /broken/<strategy>      int64 [N] rules broken by relaxed paths, and /broken_steps/<strategy> uint8 [S]: only with relax
 *   /offsets int64 [N+1], /ids [N], /classes [K], /labels [S] and /segments [S] where the input had them
 *   root attributes statepath_version, command, model (JSON), input, input_size
 *
 * A writer writes a temporary file beside the target; only _commit moves it there, flushed to disk. A reader sees the old file or
 * the whole new one; a writer closed without _commit leaves nothing.
 */
#ifndef STATEPATH_PATHS_FILE_H
#define STATEPATH_PATHS_FILE_H

#include "statepath/decode.h"
#include "statepath/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_paths_writer sp_paths_writer;

typedef struct sp_paths_header {
    int32_t n_strategies;
    const char *const *strategies; /* names without parameter, distinct */
    int64_t n_recordings, n_steps;
    const int64_t *offsets; /* [N+1] */
    int32_t n_classes;
    const char *const *ids;     /* [N] or NULL */
    const char *const *classes; /* [K] or NULL */
    bool with_labels, with_segments, with_broken;
    const char *command, *model_json; /* or NULL */
    const char *input;
    int64_t input_size;
    bool force; /* replace an existing file */
} sp_paths_header;

/* SP_OK; SP_EFILE (exists and not `force`: the message says --force; directory missing; not writable), SP_ENOMEM. */
sp_status sp_paths_writer_open(const char *file, const sp_paths_header *header, sp_paths_writer **out, sp_error *err);

/* Writes one strategy's answers for a block: recordings first.., steps first_step... */
sp_status sp_paths_writer_add(sp_paths_writer *writer, int32_t strategy, int64_t first, int64_t n_recordings, int64_t first_step,
                              int64_t n_steps, const sp_decode_output *output, sp_error *err);
/* Copies labels and segments of a block (what the header announced). */
sp_status sp_paths_writer_add_labels(sp_paths_writer *writer, int64_t first_step, int64_t n_steps, const int32_t *labels,
                                     const int64_t *segments, sp_error *err);
/* Closes, flushes, renames. The writer is gone afterwards, whatever it returns. */
sp_status sp_paths_writer_commit(sp_paths_writer *writer, sp_error *err);
void sp_paths_writer_abort(sp_paths_writer *writer); /* NULL is fine */

typedef struct sp_paths_reader sp_paths_reader;

/* Opens a file of paths: statepath's own, or any HDF5 with integer predictions (`paths`: their place, {id} for the recording;
 * offsets and ids as in sp_source_options). SP_OK, SP_EFILE, SP_EDATA, SP_ENOMEM. */
sp_status sp_paths_reader_open(const char *file, const char *paths, const sp_source_options *places, sp_paths_reader **out,
                               sp_error *err);
void sp_paths_reader_close(sp_paths_reader *reader);

typedef struct sp_paths_info {
    const char *file;
    int64_t file_size;
    int32_t n_strategies;
    const char *const *strategies;
    int64_t n_recordings, n_steps;
    const int64_t *offsets;     /* [N+1] */
    const char *const *ids;     /* [N] or NULL */
    int32_t n_classes;          /* 0 where the file does not say */
    const char *const *classes; /* [K] or NULL */
    bool has_labels, has_segments;
    const char *model_json; /* the model they were decoded with, or NULL */
    const char *input;      /* or NULL */
} sp_paths_info;
const sp_paths_info *sp_paths_reader_info(const sp_paths_reader *reader);

/* Paths [S'] and results [count] of one strategy for recordings first .. first+count-1 (offsets from info). Results of files
 * without status: SP_OK, or SP_ENOPATH where every step is -1; score NaN-free: 0 with has_scores false in foreign files. Values
 * below -1: SP_EDATA. */
sp_status sp_paths_reader_read(sp_paths_reader *reader, int32_t strategy, int64_t first, int64_t count, int32_t *paths,
                               sp_decoded *results, sp_error *err);
/* labels [S'] and segments [S'] of the same recordings; either may be NULL. */
sp_status sp_paths_reader_labels(sp_paths_reader *reader, int64_t first, int64_t count, int32_t *labels, int64_t *segments,
                                 sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
