/* statepath evaluate from the inside: what is judged, and by which labels. */
#ifndef PIPELINE_CMD_EVALUATE_H
#define PIPELINE_CMD_EVALUATE_H

#include "pipeline/evaluation_options.h"
#include "pipeline/options.h"
#include "pipeline/pipeline.h"

/* Labels from a file of their own: HDF5 or text. */
typedef struct reference {
    sp_source *source; /* or NULL: */
    const sp_source_info *info;
    sp_csv_paths *csv;
    const char *file;
    int64_t n_recordings;
    const int64_t *offsets;   /* [N+1] */
    const char *const *ids;   /* [N] or NULL: the file names no recordings */
    int64_t *recording;       /* [N of the paths] recording of this file */
    int32_t *column_of_label; /* [K] or NULL: the same */
    int32_t *raw;             /* of one recording, for text */
} reference;

typedef struct sp_judge {
    sp_pipeline run;         /* without scores to decode; its codes are those of the labels */
    sp_paths_reader *reader; /* or NULL: */
    sp_csv_paths *csv;
    const sp_paths_info *info;
    const char *const *ids; /* of the paths' file; NULL: it names no recordings */
    reference labels;       /* without file: the labels are in the file of paths, or nowhere */
    bool has_labels;
    sp_codes *path_codes;                      /* or NULL */
    int64_t *offsets;                          /* [N+1] of the steps that are judged */
    int64_t *cut_path_steps, *cut_label_steps; /* [N] left out at the end; NULL: all are judged */
    int32_t strategy[SP_RUN_STRATEGIES];       /* index in the file */
} sp_judge;

/* Opens everything that the options name; on failure the judge can (and must) still be closed. */
sp_status sp_judge_open(sp_judge *j, const char *file, sp_error *err);
void sp_judge_close(sp_judge *j);

/* Labels, and those of scorers, of recordings first .. first+count-1, in the paths' order of recordings and classes, cut to the
 * steps that are judged. `block` is scratch. */
sp_status sp_judge_read_labels(sp_judge *j, int64_t first, int64_t count, sp_block *block, int32_t *labels, sp_error *err);

/* Steps in a block's buffers, before anything is cut off. */
int64_t sp_judge_room(const sp_judge *j, int64_t first, int64_t count);

/* The file's own steps of a block to those that are judged, in place. `size` is that of a step. */
void sp_judge_cut(const sp_judge *j, int64_t first, int64_t count, const int64_t *stored, size_t size, void *steps);

/* Labels as their file numbers the classes to columns of the paths; in and out may be one. */
sp_status sp_judge_to_columns(const sp_judge *j, int64_t n, const int32_t *in, int32_t *out, sp_error *err);

/* Scores beside the labels, for the likelihood of these. */
sp_status sp_judge_prepare(const sp_judge *j, sp_block *block, sp_error *err);

/* Has the recording more steps than should be held in memory, and can it be judged piece by piece (cmd_evaluate_long.c)? Not with
 * labels or paths from a text, which is held in memory anyway, nor where recordings are cut. */
bool sp_judge_is_long(const sp_judge *j, int64_t recording);
sp_status sp_judge_long(sp_judge *j, int64_t recording, sp_evaluation *evaluation, sp_error *err);

#endif
