/* Evaluating paths that are there already: which paths, by which labels. */
#ifndef PIPELINE_FILES_GIVEN_H
#define PIPELINE_FILES_GIVEN_H

#include "core/owned.h"
#include "pipeline/files/reference.h"
#include "pipeline/pipeline.h"
#include "statepath/files.h"
#include "statepath/pipeline_file.h"

typedef struct sp_given {
    sp_pipeline run;        /* without scores to decode */
    sp_run_options options; /* as given, with the file of labels in its place */
    sp_owned own;
    sp_paths_reader *reader;
    bool
        are_labels; /* the file holds labels alone: they are the paths that are judged, and none of them is undecoded */
    bool has_labels; /* beside the paths */
    const sp_paths_info *info;
    const char *const *ids; /* of the paths' file; NULL: it names no recordings */
    sp_reference labels;    /* without file: the labels are in the file of paths, or nowhere */
    sp_codes *path_codes;   /* or NULL */
    sp_common_steps kept;   /* the steps that are evaluated; what each side has more, or NULL: all are */
    sp_given_paths given;
    sp_source_info shape;                /* of what is evaluated */
    sp_block *read;                      /* scratch */
    int32_t strategy[SP_RUN_STRATEGIES]; /* index in the file */
} sp_given;

/* Opens everything that the options name; on failure it can (and must) still be closed. */
sp_status sp_given_open(sp_given *j, const char *file, sp_error *err);
void sp_given_close(sp_given *j);

/* Callbacks of the recordings and of their paths (pipeline.h); arg is the sp_given. Steps that are not evaluated are left out.
 * Labels are in the order of their own file's classes, their scores too. */
sp_status sp_given_read(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err);
sp_status sp_given_read_rater(void *arg, int32_t rater, const sp_part *part, int32_t *labels, sp_error *err);
sp_status sp_given_read_paths(void *arg, int32_t s, const sp_part *part, int32_t *paths, sp_decoded *results,
                              sp_error *err);

#endif
