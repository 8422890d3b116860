/* A file of scores for the pipeline, with the labels beside them or in a file of their own. */
#ifndef PIPELINE_FILES_OPEN_H
#define PIPELINE_FILES_OPEN_H

#include "pipeline/files/reference.h"
#include "pipeline/files/windowed.h"
#include "pipeline/labels/decided.h"
#include "pipeline/matched.h"
#include "pipeline/pipeline.h"
#include "statepath/pipeline_file.h"

/* A file of scores. */
typedef struct sp_file_input {
    bool takes_decided; /* set before it is opened: a file of labels alone will do, as decided classes */
    sp_source *source;
    sp_windowed windowed;        /* its recordings joined to texts */
    struct sp_step_texts *texts; /* or NULL */
    bool is_decided;             /* it is one */
    sp_decided decided;          /* the recordings with these as scores */
    sp_codes *codes;             /* of the labels beside the scores or in their place, or NULL */
    sp_reference reference;      /* labels of a file of their own */
    sp_common_steps common;      /* with trim_to_shortest: the steps that both files have */
    sp_matched labelled;         /* the recordings with these */
} sp_file_input;

/* Opens the file and everything that the options name. Of several files those that cannot be read are left
 * out, with notices (p->unread), where `leaves_out`; else they are errors. On failure pipeline and input can
 * (and must) still be closed. */
sp_status sp_pipeline_open_file(sp_pipeline *p, sp_file_input *in, const char *file,
                                const sp_run_options *opt, const sp_run_plan *plan, bool leaves_out,
                                sp_error *err);
void sp_file_input_close(sp_file_input *in);

/* The first two steps of it, between which whoever wants to may act: source and recordings; the model, labels and their codes.
 * p has begun; a text of decided classes needs p->model. With decided classes the labeller is to be known
 * (sp_decided_know()) before anything is read. */
sp_status sp_file_input_open(sp_pipeline *p, sp_file_input *in, const sp_source_options *places,
                             sp_error *err);
sp_status sp_file_input_label(sp_pipeline *p, sp_file_input *in, sp_error *err);
/* codes, map: labels beside the scores become their columns; without scores, classes of the file or of
 * the model. mend: what to do where there is no model. SP_OK, SP_EINVAL, SP_EMODEL, SP_ENOMEM; as sp_codes_new(). */
sp_status sp_file_input_read_codes(sp_pipeline *p, sp_file_input *in, const sp_model *model, const char *mend,
                                   sp_error *err);
/* The second where nothing is decoded: labels of another file are told in the classes of p->model, or without one in those that
 * the scores name. mend: what to do where these name none. */
sp_status sp_file_input_label_alone(sp_pipeline *p, sp_file_input *in, const char *mend, sp_error *err);

/* sp_run_check_gaps() of all that is open. */
sp_status sp_file_input_check_gaps(const sp_pipeline *p, const sp_file_input *in, sp_error *err);

/* Paths of a prepared block by the first strategy, [S of the block]; those without are counted and named, those that failed their
 * check are reported. SP_OK; SP_ENOPATH, SP_EDEADEND (on_infeasible "error"), SP_ENOMEM. */
sp_status sp_pipeline_decode_block(sp_pipeline *p, const sp_block *block, int32_t *paths, sp_error *err);

/* Looks for several raters. Too many classes for matrices of pairs: none, with a notice. SP_OK; as sp_source_find_raters. */
sp_status sp_pipeline_find_raters(sp_pipeline *p, sp_source *source, int32_t n_classes, sp_error *err);

#endif
