/* From files to figures: the calls of pipeline.h on HDF5 files, which they read and write, and what only files have: folds,
 * fitting, the leak of a mask.
 *
 *     sp_run_options o = sp_run_options_default();
 *     o.model = "sleep-aasm";
 *     sp_compare_file("night.h5", &o, &comparison, NULL, &err);
 */
#ifndef STATEPATH_PIPELINE_FILE_H
#define STATEPATH_PIPELINE_FILE_H

#include "statepath/files.h"
#include "statepath/learn.h"
#include "statepath/pipeline.h"
#include "statepath/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The file of `labels` FILE:/DATASET, a copy to be freed, or NULL on lack of memory; *dataset points into
 * `labels`, behind the colon. What has no such dataset, or is itself the name of a file, is all file, and
 * *dataset NULL. */
char *sp_labels_file(const char *labels, const char **dataset);

/* Private to the library. */
struct sp_subjects;
struct sp_fitting_file;

/* One of o->against: "NAME=FILE", "NAME=FILE:/DATASET", or "NAME=:/DATASET" of the file that is compared. What names a file that
 * is there is a file. Texts are owned; NULL: not given. SP_OK; SP_EINVAL (no "="; a name that cannot be one), SP_ENOMEM. */
typedef struct sp_against_words {
    char *name, *file, *dataset;
} sp_against_words;
sp_status sp_against_read(const char *text, sp_against_words *out, sp_error *err);
void sp_against_clear(sp_against_words *words);

/* Decodes by each strategy (o->strategies, or argmax,greedy,viterbi), writes the paths where o->output says so, evaluates.
 *   out     the caller frees it; untouched on failure
 *   result  out, may be NULL
 * SP_OK, also where recordings could not be decoded; SP_EINVAL (options), SP_EFILE (also: stopped), SP_EDATA, SP_EMODEL,
 * SP_ENOPATH and SP_EDEADEND (on_infeasible "error"), SP_ENOMEM. */
sp_status sp_compare_file(const char *file, const sp_run_options *o, sp_comparison **out,
                          sp_run_result *result, sp_error *err);

/* Writes the paths of o->strategies (viterbi) to o->output. As sp_compare_file(). */
sp_status sp_decode_file(const char *file, const sp_run_options *o, sp_run_result *result, sp_error *err);

/* The same for each of several files, or of one, to a file of its own. o->output has {id}, for which stands what names the file's
 * recordings: what stood for {id} in the pattern of the inputs, else the file's name without folder and ending. A file that
 * cannot be read, or whose output cannot be written, is named in a notice and counted in result->n_left_out, and the others go
 * on. skip_existing  outputs that are there are kept: they are whole. One that is older than its input is such a failure, and
 * with o->force is decoded again SP_OK; as sp_decode_file(); SP_EINVAL (no {id}; two outputs of one name; an output that is an
 * input), SP_EFILE (an output is there, and neither force nor skip_existing; all files failed). */
typedef struct sp_decoded_files {
    int64_t n_written, n_skipped;
} sp_decoded_files;
sp_status sp_decode_files(const char *file, const sp_run_options *o, bool skip_existing,
                          sp_decoded_files *done, sp_run_result *result, sp_error *err);

/* Evaluates paths that are there already: a file of paths, any HDF5 of predictions, or a text (files.h), against the labels
 * in it or in o->place.labels. As sp_compare_file(). */
sp_status sp_evaluate_file(const char *file, const sp_run_options *o, sp_comparison **out,
                           sp_run_result *result, sp_error *err);

/* ---- recordings of files, as they are ---- */

/* Recordings of any files that can be read, for who does with them what no other call does, or gives them to the calls of
 * pipeline.h. */
typedef struct sp_file_recordings {
    sp_recordings
        recordings; /* labels are columns of the scores; without scores, classes of the file or of o->model */
    int32_t n_classes;                  /* K; 0 for labels alone whose classes nobody says */
    const char *const *classes;         /* [K] names: the file's, else those of o->model; NULL: nobody says */
    double epoch_seconds;               /* o->epoch_seconds, else what the files say; 0: not known */
    struct sp_file_recordings_own *own; /* private */
} sp_file_recordings;

/* Opens them; where o->place.labels names files, with their labels in place of those beside the scores.
 * o->model (or model_text) is needed only where labels are words, codes or of another file, and the file names no classes.
 * needs_scores false: files of labels alone will do. On failure it can (and must) still be closed. SP_OK; SP_EINVAL, SP_EFILE,
 * SP_EDATA, SP_EMODEL, SP_ENOMEM. */
sp_status sp_file_recordings_open(sp_file_recordings *r, const char *file, const sp_run_options *o,
                                  bool needs_scores, sp_error *err);
void sp_file_recordings_close(sp_file_recordings *r);

/* Reads recordings from `first` on, at least one, of about `bytes` of scores; tells o->hooks of progress and asks them whether to
 * stop. `parts` is SP_BLOCK_* or-ed. SP_OK; SP_EFILE (also: stopped), SP_EDATA, SP_ENOMEM. */
sp_status sp_file_recordings_read(const sp_file_recordings *r, int64_t first, int64_t bytes, unsigned parts,
                                  sp_block *block, sp_error *err);

/* Packs recordings from any files that can be read into one HDF5 file of scores, o->output: what stands beside the scores with
 * them, subjects and the length of a step too. With o->model, which is needed only where labels are words, these are its classes.
 *   sink  is given what was read, before it is written; may be NULL
 * SP_OK; SP_EINVAL, SP_EFILE (also: stopped), SP_EDATA, SP_ENOMEM. */
typedef void sp_convert_sink(void *arg, const sp_source_info *info);
sp_status sp_convert_file(const char *file, const sp_run_options *o, sp_convert_sink *sink, void *arg,
                          sp_error *err);

/* ---- scores with their masks ---- */

/* The rows of a file of scores with the mask of each, block by block. The mask of a row is, by the options given,
 *   masks.previous  a dataset of the class before each row (-1: none, everything is possible): what may follow it, by the model or
 *                   by masks.matrix
 *   paths_dataset   a dataset of a path: what may follow the step before; at the first step of a recording what may start, by a
 *                   model (a matrix allows everything there); everything after a gap and after -1
 *   model alone     the same for the path that o->strategies (viterbi) gives
 *   none of them    the dataset place.mask, or the mask beside the scores */
typedef struct sp_masked sp_masked;
sp_status sp_masked_open(const char *file, const sp_run_options *o, sp_masked **out, sp_error *err);
void sp_masked_close(sp_masked *masked, sp_run_result *result); /* NULL is fine; result may be NULL */

const sp_source_info *sp_masked_info(const sp_masked *masked);
/* Whose mask it is, for reports: "its own mask", "matrix /allow, given the class before in /previous". */
const char *sp_masked_what(const sp_masked *masked);
/* Name of a column: the file's, else the model's, else "class0" in text. */
enum { SP_MASKED_CLASS = 24 };
const char *sp_masked_class(const sp_masked *masked, int32_t column, char text[SP_MASKED_CLASS]);

enum { SP_MASKED_START = -2 };
typedef struct sp_masked_rows {
    sp_block *
        block; /* scores in nats as they are in the file (logs of probabilities), not masked and not normalised, and the
                      * mask; until the next call */
    const int32_t
        *previous; /* [S] the class before, -1: none, SP_MASKED_START; NULL where the mask is a dataset */
} sp_masked_rows;
/* The next block; block NULL: there is none. SP_OK; what reading, preparing and decoding say. */
sp_status sp_masked_next(sp_masked *masked, sp_masked_rows *rows, sp_error *err);

/* How much probability the scores put on what is masked (as above; a row without class before is left out).
 *   sink  is given the report, which is valid during the call */
typedef sp_status sp_leak_sink(void *arg, const sp_leak_report *report, sp_error *err);
sp_status sp_leak_file(const char *file, const sp_run_options *o, sp_leak_sink *sink, void *arg,
                       sp_run_result *result, sp_error *err);

/* ---- fitting from a file ---- */

/* A training set that was read from a file, and how to learn from it. */
typedef struct sp_fitting {
    const sp_source_info *info;
    sp_training training;
    sp_fit_options options;
    sp_workers *workers;
    /* Private. */
    const sp_run_options *run;
    struct sp_fitting_file *file;
    sp_block *block; /* the whole file */
    sp_block *
        decided; /* where labels are of another file: the classes that this one holds in place of scores; or NULL */
    sp_model *rules;              /* or NULL */
    const char *const *classes;   /* [K] */
    double *costs;                /* [K,K] of the options; or NULL */
    struct sp_subjects *subjects; /* or NULL: each recording on its own */
    int64_t n_left_out, n_unread; /* files and recordings that nothing is learnt from, as in sp_run_result */
} sp_fitting;

/* Reads the whole file; where o->place.labels names files, with their labels in place of those beside the
 * scores; and turns o->fit into options; o->groups keeps recordings together, o->model names the rules: a
 * model, "seen", or NULL: everything is allowed but what o->rule forbids. The training set asks o->hooks
 * whether to stop. On failure the fitting can (and must) still be closed. */
sp_status sp_fitting_open(sp_fitting *f, const char *file, const sp_run_options *o, sp_error *err);
void sp_fitting_close(sp_fitting *f);

/* Where `review` lists steps: PATHS.review.csv of PATHS.h5. The caller frees it; NULL: no memory. */
char *sp_review_file_name(const char *output);

/* ---- where things are in a file, as the options say ---- */

/* These read options that have been checked, sp_options_check(). */

/* Takes `gaps` and `unscored` into places. */
void sp_run_gaps(const sp_run_options *o, sp_source_options *places);
/* Takes `comments` and `header` into places. file: what is opened first; where neither it nor the file of
 * labels is of the format that they speak of, they are refused. NULL: that was asked. SP_OK, SP_EINVAL. */
sp_status sp_run_texts(const sp_run_options *o, const char *file, sp_source_options *places, sp_error *err);

sp_file_access sp_run_access(const sp_run_options *o);
/* A notice of what was assumed or passed over when a file was read. */
void sp_run_tell_remark(const sp_run_options *o, const sp_source_info *info);
/* All of it. SP_OK; SP_EINVAL (as sp_run_texts()). */
sp_status sp_run_places(const sp_run_options *o, const char *file, sp_source_options *out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
