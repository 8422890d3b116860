/* Files of paths (HDF5), written by decode and compare, read by evaluate.
 *
 *   /paths/<strategy>       int16 [S] (int32 where K > 32767), -1 = undecoded
 *   /path_scores/<strategy> f64 [N] nats
 *   /status/<strategy>      uint8 [N], 0 ok, 1 no_path, 2 dead_end, 3 bug; attribute `names` says so
 *   /confidence/<strategy>  f32 [S] marginal of the chosen class, NaN where undecoded: only with_confidence
 *   /broken/<strategy>      int64 [N] rules broken by relaxed paths, and /broken_steps/<strategy> uint8 [S]: only with relax
 *   /offsets int64 [N+1], /ids [N], /classes [K], /labels (type of the paths) and /segments int64 [S] where the input had them
 *   root attributes statepath_version, command, model (JSON), input, input_size, strategies (their names in order), epoch_seconds
 *   where the input had it
 *
 * A writer writes a temporary file beside the target; only _commit moves it there, flushed to disk. A reader sees the old file or
 * the whole new one; a writer closed without _commit leaves nothing. The same answers give the same bytes.
 *
 * All datasets are contiguous and have their final size from the start. HDF5 lays the file out; the numbers are then written
 * straight to their places, so that a full disk is an ordinary error on the way and not one inside HDF5.
 */
#ifndef STATEPATH_PATHS_FILE_H
#define STATEPATH_PATHS_FILE_H

#include "statepath/decode.h"
#include "statepath/source.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_paths_writer sp_paths_writer;

/* One more dataset, for what a strategy says beside its paths: the N best, margins ... */
typedef enum sp_paths_type { SP_PATHS_U8, SP_PATHS_I16, SP_PATHS_I32, SP_PATHS_I64, SP_PATHS_F32, SP_PATHS_F64 } sp_paths_type;
typedef struct sp_paths_extra {
    const char *path; /* "/margins/viterbi"; its groups are made */
    sp_paths_type type;
    bool is_per_step;  /* [S], else one value a recording, [N] */
    int64_t n_rows;    /* 0: none; n: one axis more before the steps or recordings, [n,S] or [n,N] */
    int64_t n_columns; /* 0: none; n: one axis more after them, [S,n] or [N,n] */
} sp_paths_extra;

typedef struct sp_paths_header {
    int32_t n_strategies;
    const char *const *strategies; /* names without parameter, distinct */
    int64_t n_recordings, n_steps;
    const int64_t *offsets; /* [N+1] */
    int32_t n_classes;
    const char *const *ids;      /* [N] or NULL */
    const sp_subjects *subjects; /* whose the recordings are (subjects.h); or NULL */
    const char *const *classes;  /* [K] or NULL */
    bool with_labels, with_segments, with_confidence, with_broken;
    const char *command, *model_json; /* or NULL */
    const char *input;
    int64_t input_size;
    double epoch_seconds; /* root attribute, where above 0 */
    bool force;           /* replace an existing file */
    int32_t n_extras;
    const sp_paths_extra *extras;
} sp_paths_header;

/* The header is only looked at here; `input` is also the file that must not be overwritten.
 * SP_OK; SP_EINVAL (the file is the input; two strategies of one name); SP_EFILE (exists and not `force`: the message says
 * `force`; folder missing; not writable; no room), SP_ENOMEM. */
sp_status sp_paths_writer_open(const char *file, const sp_paths_header *header, sp_paths_writer **out, sp_error *err);

/* Writes one strategy's answers for a block: recordings first.., steps first_step... Every recording of every strategy must be
 * written once before the file can be committed; in any order. Of the output paths and results are looked at, and what the header
 * announced: confidence, broken (NULL: nothing was broken). SP_OK, SP_EFILE. */
sp_status sp_paths_writer_add(sp_paths_writer *writer, int32_t strategy, int64_t first, int64_t n_recordings, int64_t first_step,
                              int64_t n_steps, const sp_decode_output *output, sp_error *err);
/* A long recording may be written in parts: steps with n_recordings 0, in any order, and once its result with n_steps 0. Of a
 * path that was given up, n_steps that were written are forgotten by this, to be written once more. */
void sp_paths_writer_forget(sp_paths_writer *writer, int32_t strategy, int64_t n_steps);
/* Copies labels and segments of a block (what the header announced). */
sp_status sp_paths_writer_add_labels(sp_paths_writer *writer, int64_t first_step, int64_t n_steps, const int32_t *labels,
                                     const int64_t *segments, sp_error *err);
/* Writes values[count] of extra dataset `extra` of the header: steps or recordings first.. of row `row` (0 without rows). The
 * values are of the dataset's type. SP_OK, SP_EFILE. */
sp_status sp_paths_writer_put(sp_paths_writer *writer, int32_t extra, int64_t row, int64_t first, int64_t count,
                              const void *values, sp_error *err);
/* Flushes, renames. The writer is gone afterwards, whatever it returns. SP_OK; SP_EFILE; SP_EINVAL (something announced was never
 * written). */
sp_status sp_paths_writer_commit(sp_paths_writer *writer, sp_error *err);
void sp_paths_writer_abort(sp_paths_writer *writer); /* NULL is fine */

/* A file of paths: a source that was opened for them. sp_source_close() closes it, and sp_source_epoch_seconds() and
 * sp_source_subjects() ask it, too. */
typedef sp_source sp_paths_reader;

/* Opens a file of paths: statepath's own, any HDF5 with integer predictions, or a text (source.h), whose only strategy is named
 * as the file without folder and ending. paths   their place: a dataset, a group of them (each is a strategy), or a pattern with
 * {id}; NULL: /paths places  labels, offsets, lengths and ids as in sp_source_options, and the model and codes of a text; may be
 * NULL. Otherwise they are looked for beside the paths and in the groups above SP_OK, SP_EFILE, SP_EDATA, SP_EINVAL, SP_ENOMEM.
 */
sp_status sp_paths_reader_open(const char *file, const char *paths, const sp_source_options *places, sp_paths_reader **out,
                               sp_error *err);

typedef struct sp_paths_info {
    const char *file;
    int64_t file_size;
    int32_t n_strategies;
    const char *const *strategies;
    int64_t n_recordings, n_steps;
    const int64_t *offsets;      /* [N+1] */
    const char *const *ids;      /* [N]; "0", "1", ... where the file has none */
    bool has_ids;                /* the ids are the file's own */
    int32_t n_classes;           /* 0 where the file does not say */
    const char *const *classes;  /* [K] or NULL */
    const bool *has_path_scores; /* [n_strategies] */
    bool has_labels, has_segments;
    const char *model_json; /* the model they were decoded with, or NULL */
    const char *input;      /* or NULL */
} sp_paths_info;
const sp_paths_info *sp_paths_reader_info(const sp_paths_reader *reader);

/* Paths [S'] and results [count] of one strategy for recordings first .. first+count-1 (offsets from info); either may be NULL.
 * Results of files without status: SP_OK, or SP_ENOPATH where every step is -1. Their `step` is -1: it is not in the file. Scores
 * are 0 where the strategy has none (has_path_scores). Values below -1, or of K and more where the file names its classes:
 * SP_EDATA with recording and step. On failure the outputs are undefined. */
sp_status sp_paths_reader_read(sp_paths_reader *reader, int32_t strategy, int64_t first, int64_t count, int32_t *paths,
                               sp_decoded *results, sp_error *err);
/* The same for steps first .. first+n-1 of one recording, and what became of it; is_undecoded: every step of its path is -1,
 * which counts where the file says nothing of status. */
sp_status sp_paths_reader_read_steps(sp_paths_reader *reader, int32_t strategy, int64_t recording, int64_t first, int64_t n,
                                     int32_t *path, sp_error *err);
sp_decoded sp_paths_reader_result(const sp_paths_reader *reader, int32_t strategy, int64_t recording, bool is_undecoded);

/* From here on paths and labels are what these codes say: classes of their model, or columns. NULL: as they are. The codes must
 * stay until the reader is closed. */
void sp_paths_reader_use_codes(sp_paths_reader *reader, const sp_codes *paths, const sp_codes *labels);

/* labels [S'] and segments [S'] of the same recordings; either may be NULL, and must be where the file has none. */
sp_status sp_paths_reader_labels(sp_paths_reader *reader, int64_t first, int64_t count, int32_t *labels, int64_t *segments,
                                 sp_error *err);

/* The same for steps of one recording, as sp_paths_reader_read_steps(). */
sp_status sp_paths_reader_label_steps(sp_paths_reader *reader, int64_t recording, int64_t first, int64_t n, int32_t *labels,
                                      int64_t *segments, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
