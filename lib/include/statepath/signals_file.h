/* Files of signals, and of named arrays (the weights of networks).
 *
 *     sp_signals *signals = NULL;
 *     sp_signals_open("night.h5", NULL, NULL, &signals, &err);
 *     const sp_signals_info *info = sp_signals_info_of(signals);
 *     sp_signals_read(signals, 0, 1, samples, &err);     [1, info->n_channels, info->n_samples]
 *     sp_signals_close(signals);
 */
#ifndef STATEPATH_SIGNALS_FILE_H
#define STATEPATH_SIGNALS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/files.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- signals ----
 *
 * Files of signals (HDF5): what a sensor measured at each step, beside labels where there are some.
 *
 *   /signals [S, C, samples] floats or integers ([S, samples]: one channel); written as f32, not compressed
 *   /labels [S] -1 or 0..K-1, /offsets [N+1], /ids [N], /classes [K]          all optional when read, as for scores (files.h)
 *   /split uint8 [N] optional: 0 = for training, 1 = for testing
 *   /weights [S] optional: how much a step counts in training, finite and >= 0 (0: padding, a label not to be trusted)
 *   /mask [S,K] optional: 1 = the class can occur at that step, 0 = it cannot
 *   attribute rate of the root, samples per second, optional; recipe and seed where they were made
 */

/* ---- reading ---- */

typedef struct sp_signals sp_signals;

typedef struct sp_signals_info {
    const char *file, *path;       /* as given; of the signals, "/signals" */
    int64_t n_recordings, n_steps; /* N, S */
    int32_t n_channels;            /* C */
    int64_t n_samples;             /* of a step */
    int32_t n_classes;             /* K; 0 where the file has neither class names nor labels */
    const int64_t *offsets;        /* [N+1] from 0 */
    const char *const *ids;        /* [N] */
    const char *const *classes;    /* [K] names, or NULL */
    const int32_t *labels;         /* [S], or NULL */
    const uint8_t *split;          /* [N] 0 or 1, or NULL */
    const double *weights;         /* [S] finite, >= 0, or NULL */
    const uint8_t *mask;           /* [S,K] 0 or 1, or NULL */
    double rate;                   /* samples per second; 0: not known */
} sp_signals_info;

/* Opens for reading; reads everything but the signals. `path`: their dataset; NULL: /signals. how: may be NULL. SP_OK; SP_EFILE,
 * SP_EDATA (message: file, dataset, what was found, what to do); SP_ENOMEM. */
sp_status sp_signals_open(const char *file, const char *path, const sp_file_access *how, sp_signals **out,
                          sp_error *err);
void sp_signals_close(sp_signals *signals);
const sp_signals_info *sp_signals_info_of(const sp_signals *signals);

/* Reads steps first .. first+count-1 into out [count, C, samples]. Float64 and integers are rounded to float32.
 * SP_OK; SP_EFILE; SP_EDATA with err->step for a value that is NaN or infinite (names recording, step, channel, sample);
 * SP_ENOMEM. */
sp_status sp_signals_read(sp_signals *signals, int64_t first, int64_t count, float *out, sp_error *err);

/* ---- writing ---- */

typedef struct sp_signals_writer sp_signals_writer;

typedef struct sp_signals_header {
    int64_t n_recordings, n_steps;
    int32_t n_channels, n_classes;
    int64_t n_samples;
    const int64_t *offsets;     /* [N+1] */
    const char *const *ids;     /* [N], or NULL: r1, r2, ... */
    const char *const *classes; /* [K] */
    const int32_t *labels;      /* [S] */
    const uint8_t *split;       /* [N], or NULL */
    double rate;
    const char *recipe; /* JSON text, or NULL */
    int64_t seed;       /* beside a recipe */
    bool force;         /* replace an existing file */
} sp_signals_header;

/* The header is borrowed for the call. SP_OK; SP_EFILE (exists and not `force`, cannot be written), SP_ENOMEM. */
sp_status sp_signals_writer_open(const char *file, const sp_signals_header *header, sp_signals_writer **out,
                                 sp_error *err);
/* Writes the next `count` steps, data [count, C, samples]. SP_OK, SP_EFILE. */
sp_status sp_signals_writer_add(sp_signals_writer *writer, int64_t count, const float *data, sp_error *err);
/* Closes, flushes, renames. The writer is gone afterwards, whatever it returns. Every step must have been written. */
sp_status sp_signals_writer_commit(sp_signals_writer *writer, sp_error *err);
void sp_signals_writer_abort(sp_signals_writer *writer); /* NULL is fine */

/* ---- named arrays ----
 *
 * Files of named arrays (HDF5): the numbers of a trained network and what goes with them. One dataset an array, by name
 * ("/layer1/weight"); texts are attributes of the root; lists of names are datasets of strings. Numbers come back bit for bit.
 */

typedef enum sp_tensor_type { SP_TENSOR_F32, SP_TENSOR_F64, SP_TENSOR_I64, SP_TENSOR_BOOL } sp_tensor_type;

/* SP_TENSOR_BOOL: uint8_t 0 or 1, stored as h5py and numpy store a bool; written only. */
enum { SP_TENSOR_RANK = 4 };

/* An array; borrows. */
typedef struct sp_tensor {
    const char *path; /* "/layer1/weight"; groups are made */
    sp_tensor_type type;
    int rank; /* 1 .. SP_TENSOR_RANK */
    int64_t dims[SP_TENSOR_RANK];
    const void *data; /* row-major */
} sp_tensor;

typedef struct sp_tensor_text {
    const char *key, *text;
} sp_tensor_text;

/* What goes into a file; borrows. */
typedef struct sp_tensors {
    int32_t n_tensors;
    const sp_tensor *tensors;
    int32_t n_texts;
    const sp_tensor_text *texts; /* attributes of the root */
    int32_t n_classes;
    const char *const *classes; /* /classes, or NULL */
} sp_tensors;

/* Writes a file, atomically: a reader, or a crash, sees the old file or the whole new one. `force` to replace.
 * SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_tensors_save(const sp_tensors *tensors, const char *file, bool force, sp_error *err);

typedef struct sp_tensor_file sp_tensor_file;

/* Opens for reading. The file must have been written by sp_tensors_save() with text `key` = `value`, which says what it is;
 * `mend` completes the sentence for one that was not ("make one with `statepath train`"). how: may be NULL. SP_OK, SP_EFILE,
 * SP_ENOMEM. */
sp_status sp_tensor_file_open(const char *file, const char *key, const char *value, const char *mend,
                              const sp_file_access *how, sp_tensor_file **out, sp_error *err);
void sp_tensor_file_close(sp_tensor_file *tensors);

/* Reads an array of exactly this type, rank and shape into out (t->data is not looked at). SP_OK; SP_EFILE (missing, unreadable,
 * of another shape or type: names both). */
sp_status sp_tensor_file_read(const sp_tensor_file *tensors, const sp_tensor *t, void *out, sp_error *err);
/* The class names, [n], in one allocation: free(*classes). NULL and 0 where there are none. SP_OK, SP_EFILE, SP_EDATA, SP_ENOMEM.
 */
sp_status sp_tensor_file_classes(const sp_tensor_file *tensors, char ***classes, int64_t *n, sp_error *err);

/* ---- one array ----
 *
 * An array of any HDF5 file that says yes or no, whole, in memory. Recordings of scores are read by files.h.
 */

enum { SP_ARRAY_RANK = 4 };

typedef struct sp_array {
    int rank; /* 0..SP_ARRAY_RANK */
    int64_t dims[SP_ARRAY_RANK];
    int64_t count; /* product of dims */
    uint8_t *data; /* row-major, owned; each 0 or 1 */
} sp_array;
void sp_array_clear(sp_array *array); /* fine on one that is {0} */

/* Reads a dataset.
 *   path  "matrix" and "/matrix" are the same
 *   how   may be NULL
 *   mend  completes the sentence where there is no such dataset: "name it with `matrix`"
 *   out   cleared by the caller; untouched on failure
 * SP_OK; SP_EFILE (no such file or dataset, unreadable), SP_EDATA (not numbers, a value that is neither 0 nor 1 with its place,
 * more than SP_ARRAY_RANK dimensions, more than 2^31 values), SP_ENOMEM. */
sp_status sp_array_read(const char *file, const char *path, const sp_file_access *how, const char *mend,
                        sp_array *out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
