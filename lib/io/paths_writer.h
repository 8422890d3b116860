/* Writing files of paths; files.h describes HDF5, paths_export.h what else there is by the ending of the name: .csv, .tsv, .npz,
 * files of events. For the pipeline; not installed. */
#ifndef STATEPATH_IO_PATHS_WRITER_H
#define STATEPATH_IO_PATHS_WRITER_H

#include "core/subjects.h"
#include "statepath/files.h"

typedef struct sp_paths_writer sp_paths_writer;

/* One more dataset, for what a strategy says beside its paths: the N best, margins ... */
typedef enum sp_paths_type {
    SP_PATHS_U8,
    SP_PATHS_I16,
    SP_PATHS_I32,
    SP_PATHS_I64,
    SP_PATHS_F32,
    SP_PATHS_F64,
    SP_PATHS_BOOL /* uint8_t 0 or 1, stored as h5py and numpy store a bool */
} sp_paths_type;
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
    const sp_holes *
        holes; /* between the steps (scores.h), or NULL: the file has them too, with -1 or NaN there. Borrowed */
    const char *gaps; /* what became of them, which such a file says: "join" or "break"; NULL: join */
    int32_t n_classes;
    const char *const *ids;      /* [N] or NULL */
    const sp_subjects *subjects; /* whose the recordings are (core/subjects.h); or NULL */
    const char *const *classes;  /* [K] or NULL */
    bool other_order;            /* they are in another order than the model's */
    bool with_labels, with_segments, with_confidence, with_broken;
    const char *command, *model_json; /* or NULL */
    const char *input;
    int64_t input_size;
    double epoch_seconds; /* root attribute, where above 0 */
    bool force;           /* replace an existing file */
    sp_outputs *together; /* it gets its name with these; NULL: when it is committed */
    const char *const *
        tokens; /* [S] of the steps, for CoNLL (paths_export.h); or NULL. Borrowed until the writer is committed */
    const struct sp_step_texts *texts; /* likewise, for spans (text/step_texts.h) */
    int32_t n_extras;
    const sp_paths_extra *extras;
} sp_paths_header;

/* Of a file of that name: can it hold more than paths? A file without strategies is HDF5 whatever its name. */
bool sp_paths_writer_is_h5(const char *file);
/* Does it tell what the steps are (`tokens` of the header)? */
bool sp_paths_writer_takes_tokens(const char *file);
/* Has it the labels beside the paths; the length of a step? */
bool sp_paths_writer_takes_labels(const char *file);
bool sp_paths_writer_takes_seconds(const char *file);

/* Does it hold spans? Then extras are, for each strategy in turn, these values f64 [S], which count at the first step of each span;
 * without extras spans have no such values. */
bool sp_paths_writer_takes_spans(const char *file);
typedef enum sp_span_value {
    SP_SPAN_SCORE,     /* sum over its steps of the log scores of the path's classes */
    SP_SPAN_POSTERIOR, /* NaN: not known */
    SP_SPAN_VALUES
} sp_span_value;

/* The header is only looked at here, but its offsets, ids and classes must stay until the end; `input` is also the file that must
 * not be overwritten. SP_OK; SP_EINVAL (the file is the input; two strategies of one name); SP_EFILE (exists and not `force`: the
 * message says `force`; folder missing; not writable; no room), SP_ENOMEM. */
sp_status sp_paths_writer_open(const char *file, const sp_paths_header *header, sp_paths_writer **out,
                               sp_error *err);

/* Writes one strategy's answers for a block: recordings first.., steps first_step... Every recording of every strategy must be
 * written once before the file can be committed; in any order. Of the output paths and results are looked at, and what the header
 * announced: confidence, broken (NULL: nothing was broken). SP_OK, SP_EFILE. */
sp_status sp_paths_writer_add(sp_paths_writer *writer, int32_t strategy, int64_t first, int64_t n_recordings,
                              int64_t first_step, int64_t n_steps, const sp_decode_output *output,
                              sp_error *err);
/* The path of one recording as it is known, into HDF5: steps first_step .., which may be written more than
 * once; then what became of it, when all of its n_steps are written. SP_OK, SP_EFILE. */
sp_status sp_paths_writer_add_steps(sp_paths_writer *writer, int32_t strategy, int64_t first_step,
                                    int64_t n_steps, const int32_t *path, sp_error *err);
sp_status sp_paths_writer_end_steps(sp_paths_writer *writer, int32_t strategy, int64_t recording,
                                    int64_t n_steps, const sp_decoded *result, sp_error *err);
/* Copies labels and segments of a block (what the header announced). */
sp_status sp_paths_writer_add_labels(sp_paths_writer *writer, int64_t first_step, int64_t n_steps,
                                     const int32_t *labels, const int64_t *segments, sp_error *err);
/* Writes values[count] of extra dataset `extra` of the header: steps or recordings first.. of row `row` (0 without rows). The
 * values are of the dataset's type. SP_OK, SP_EFILE. */
sp_status sp_paths_writer_put(sp_paths_writer *writer, int32_t extra, int64_t row, int64_t first,
                              int64_t count, const void *values, sp_error *err);
/* Flushes, renames. The writer is gone afterwards, whatever it returns. SP_OK; SP_EFILE; SP_EINVAL (something announced was never
 * written). */
sp_status sp_paths_writer_commit(sp_paths_writer *writer, sp_error *err);
void sp_paths_writer_abort(sp_paths_writer *writer); /* NULL is fine */

#endif
