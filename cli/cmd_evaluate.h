/* statepath evaluate from the inside: what is judged, and by which labels. */
#ifndef STATEPATH_CLI_CMD_EVALUATE_H
#define STATEPATH_CLI_CMD_EVALUATE_H

#include "judging.h"
#include "pipeline.h"
#include "progress.h"

enum { LABELS_DATASET, PATHS_DATASET }; /* options.extra */

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

typedef struct judge {
    const options *opt;
    sp_paths_reader *reader; /* or NULL: */
    sp_csv_paths *csv;
    const sp_paths_info *info;
    const char *const *ids; /* of the paths' file; NULL: it names no recordings */
    reference labels;       /* without file: the labels are in the file of paths, or nowhere */
    bool has_labels;
    sp_codes *path_codes, *label_codes;        /* or NULL */
    int64_t *offsets;                          /* [N+1] of the steps that are judged */
    int64_t *cut_path_steps, *cut_label_steps; /* [N] left out at the end; NULL: all are judged */
    sp_model *model;
    int32_t *class_of_column; /* [K] */
    sp_chain *chain, *rules;
    sp_workers *workers;
    scorers scorers;
    sp_subjects *subjects; /* of the recordings of the paths, or NULL */
    int32_t n_strategies;
    int32_t strategy[MAX_STRATEGIES]; /* index in the file */
    const char *names[MAX_STRATEGIES];
    int64_t undecoded;
    bool has_nll; /* the labels' file holds scores too */
    sp_nll nll;
    bool has_wake_trim; /* then the stages of the labels' classes, and how much wake is kept */
    int32_t stage_of_label[SP_N_STAGES];
    int64_t wake_margin;
} judge;

/* Opens everything that the options name; on failure the judge can (and must) still be closed. */
sp_status judge_open(judge *j, const char *file, sp_error *err);
void judge_close(judge *j);

/* Labels, and those of scorers, of recordings first .. first+count-1, in the paths' order of recordings and classes, cut to the
 * steps that are judged. `block` is scratch. */
sp_status judge_read_labels(judge *j, int64_t first, int64_t count, sp_block *block, int32_t *labels, sp_error *err);

/* Steps in a block's buffers, before anything is cut off. */
int64_t judge_room(const judge *j, int64_t first, int64_t count);

/* The file's own steps of a block to those that are judged, in place. `size` is that of a step. */
void judge_cut(const judge *j, int64_t first, int64_t count, const int64_t *stored, size_t size, void *steps);

/* Labels as their file numbers the classes to columns of the paths; in and out may be one. */
sp_status judge_to_columns(const judge *j, int64_t n, const int32_t *in, int32_t *out, sp_error *err);

/* Likelihood of the block's labels under the scores that stand beside them, once these are prepared.
 *   sleep   of the recording that the block is a part of, or NULL: the block holds whole recordings */
sp_status judge_prepare(const judge *j, sp_block *block, sp_error *err);
sp_status judge_add_nll(judge *j, const sp_block *block, const sp_wake_bounds *sleep, sp_error *err);

/* Has the recording more steps than should be held in memory, and can it be judged piece by piece (cmd_evaluate_long.c)? Not with
 * labels or paths from a text, which is held in memory anyway, nor where recordings are cut. */
bool judge_is_long(const judge *j, int64_t recording);
sp_status judge_long(judge *j, int64_t recording, sp_evaluation *evaluation, progress *line, sp_error *err);

#endif
