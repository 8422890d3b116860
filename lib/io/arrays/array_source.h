/* Recordings from a file of arrays (stored.h): which array is what, the layouts, reading. What the formats of arrays (.npy,
 * .npz, MATLAB, CSV, HDF5) share. Private to io/.
 *
 * Layouts, as of HDF5 (files.h): packed, padded, single, groups. A file of one array is that array, whatever it is called: floats
 * [T,K] are scores, [N,T,K] of N recordings of T steps; whole numbers [T] or [N,T] are labels or a path. With names the arrays
 * are called as HDF5's datasets; without known names, several arrays of floats [T,K] are one recording each.
 */
#ifndef STATEPATH_IO_ARRAY_SOURCE_H
#define STATEPATH_IO_ARRAY_SOURCE_H

#include "io/arrays/array_base.h"
#include "io/arrays/array_class_names.h"
#include "io/arrays/array_map.h"
#include "io/format.h"
#include "io/raters.h"

/* What a file of paths says of a strategy's recordings; NULL where it does not. */
typedef struct sp_verdicts {
    int64_t *status, *broken; /* [N] */
    double *scores;           /* [N] */
} sp_verdicts;

/* A file that is open for reading: `opened` of its source. */
typedef struct sp_array_opened {
    sp_array_map map;
    sp_texts classes, tokens;
    char classes_place[SP_ARRAY_PLACE];
    char stored_type[SP_STORED_TYPE + 16];
    char remark[SP_ARRAY_BASE];
    sp_texts strategies;        /* [n_paths] */
    bool *has_path_scores;      /* [n_paths] */
    sp_rater_names rater_names; /* once asked for */
    sp_array_part raters[SP_SOURCE_MAX_RATERS];
    sp_verdicts *verdicts; /* [n_verdicts] of a file of paths in a store, or NULL */
    int32_t n_verdicts;
    char *model_json, *input; /* or NULL */
} sp_array_opened;

/* Of a source that was opened for its paths: what statepath's own files say of them, the model, the input. (array_verdicts.c) */
sp_status sp_array_verdicts_open(sp_source *source, const sp_request *request, sp_error *err);
void sp_array_verdicts_close(sp_array_opened *a);

/* A format's open() makes the source's own, fills in the file's arrays, and has the rest done. `storage` is for people: "numpy
 * array". What is opened is closed by sp_array_source_close(). */
sp_status sp_array_source_new(sp_source *source, const char *storage, sp_stored_file **f, sp_error *err);
sp_status sp_array_source_fill(sp_source *source, const sp_request *request, sp_error *err);

/* What was found of an open source. */
sp_array_map *sp_array_source_map(const sp_source *source);

/* Functions of the row. */
void sp_array_source_close(void *opened);
sp_status sp_array_source_read(sp_source *source, const sp_wanted *wanted, sp_block *block, sp_error *err);
sp_status sp_array_source_read_path(sp_source *source, int32_t strategy, const sp_wanted *wanted,
                                    int32_t *out, sp_error *err);
sp_decoded sp_array_source_result(const sp_source *source, int32_t strategy, int64_t recording,
                                  bool is_undecoded);
sp_status sp_array_source_find_raters(sp_source *source, sp_error *err);
sp_status sp_array_source_read_rater(sp_source *source, int32_t rater, const sp_wanted *wanted, int32_t *out,
                                     sp_error *err);
sp_status sp_array_source_epoch_seconds(sp_source *source, double *seconds, sp_error *err);
sp_status sp_array_source_list_unused(sp_source *source, sp_unused_sink *sink, void *arg, sp_error *err);
sp_status sp_array_source_subjects(sp_source *source, const sp_groups *groups, sp_subjects **out,
                                   sp_error *err);
sp_status sp_array_source_windows(sp_source *source, const char *place, int64_t **start, int64_t **text,
                                  sp_error *err);

/* What the rows of all formats of arrays have in common: everything but how one is recognised and opened. */
#define SP_ARRAY_SOURCE_ROW                                                                                  \
    .close = sp_array_source_close, .read = sp_array_source_read, .read_path = sp_array_source_read_path,    \
    .result = sp_array_source_result, .find_raters = sp_array_source_find_raters,                            \
    .read_rater = sp_array_source_read_rater, .epoch_seconds = sp_array_source_epoch_seconds,                \
    .subjects = sp_array_source_subjects, .windows = sp_array_source_windows,                                \
    .list_unused = sp_array_source_list_unused

#endif
