/* Parts put together and finished as one run, in memory. files/merge_file.c reads them from files and writes paths. */
#ifndef PIPELINE_MERGE_H
#define PIPELINE_MERGE_H

#include "core/owned.h"
#include "evaluate/counts/kept_steps.h"
#include "parts/merged_parts.h"
#include "pipeline/calibration.h"
#include "pipeline/folds.h"

/* Models of the folds of all parts, and the fold of each recording. On failure they must be cleared too: sp_folds_clear(). The
 * folds point into the struct, which stays where it is. SP_OK; SP_EDATA, SP_ENOMEM. */
typedef struct sp_merged_folds {
    sp_folds folds;
    sp_training training; /* names of classes alone */
} sp_merged_folds;
sp_status sp_merged_folds_open(sp_merged_folds *f, const sp_merged_parts *m, int32_t n_folds,
                               const sp_model *model, sp_error *err);

typedef struct sp_merge_run {
    sp_merged_parts parts;
    sp_owned own;
    sp_run_options options; /* the parts' own, and where results go */
    sp_joining joining;     /* once they are joined */
    sp_pipeline p;
    sp_merged_folds folds; /* with folds */
    calibration scaled;
    sp_pipeline again;    /* where the page draws: of the inputs, or of the parts */
    bool draws;           /* there is one */
    sp_given_paths given; /* paths of the parts */
} sp_merge_run;

/* With r->parts arranged, all else {0}: options and pipeline as the runs had them that made the parts. Outputs, hooks and threads
 * are those `given`. It stays where it is. On failure, and where arranging failed, it can (and must) still be closed. SP_OK;
 * SP_EDATA, SP_EMODEL (a header is damaged), SP_ENOMEM. */
sp_status sp_merge_open(sp_merge_run *r, const sp_run_options *given, sp_error *err);
void sp_merge_close(sp_merge_run *r);

/* With folds, another pipeline decodes as sp_folds_fit() leaves one. */
sp_status sp_merge_use_folds(const sp_merge_run *r, sp_pipeline *p, sp_error *err);

/* The page draws the paths of the parts, without probabilities; nothing where they hold none. */
void sp_merge_draw_parts(sp_merge_run *r);

/* Adds the parts and finishes. The caller frees *out. */
sp_status sp_merge_join(sp_merge_run *r, sp_comparison **out, sp_error *err);

/* A notice, where parts are missing. */
void sp_merge_tell_missing(const sp_merge_run *r);

/* A member of the header of the first part: those that must agree are equal in all. */
json_t *sp_merge_member(const sp_merge_run *r, const char *key);

#endif
