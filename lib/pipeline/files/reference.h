/* Labels in a file of their own, HDF5 or text: opened, their classes and recordings matched to those that they are labels of. */
#ifndef PIPELINE_FILES_REFERENCE_H
#define PIPELINE_FILES_REFERENCE_H

#include "pipeline/matched.h"
#include "pipeline/pipeline.h"
#include "statepath/files.h"

typedef struct sp_reference {
    sp_source *source;
    const sp_source_info *info;
    const char *file; /* NULL: there is none */
    sp_codes *codes;  /* of the labels, or NULL: they are as the model's */
    int64_t n_recordings;
    const int64_t *offsets;   /* [N+1] */
    const char *const *ids;   /* [N] or NULL: the file names no recordings */
    sp_gaps gaps;             /* as the run's options say */
    int64_t *recording;       /* [N of the others] recording of this file */
    int32_t *column_of_label; /* [K] or NULL: the same */
} sp_reference;

/* What `codes` and `map` say. Of labels, a code that stands for several classes is told where p->learns,
 * else such steps are unscored, and a notice says so.
 *   one  why each step has one class, for the sentence that refuses such a code; NULL: they are labels
 * SP_OK; SP_EINVAL; as sp_codes_new(). */
sp_status sp_reference_codes_new(const sp_pipeline *p, const sp_model *model, const char *one, sp_codes **out,
                                 sp_error *err);

/* Opens the file; its labels are told in the columns that p's model and class_of_column say. `dataset` of
 * the labels, NULL: the usual one. step_seconds: of the others' steps, in which labels that are events are
 * told; 0: not known. are_shared: `codes` and `map` read what the labels are for, too; then they read
 * labels only where these have no names, and a notice says so. On failure it can (and must) still be
 * closed. SP_OK; SP_EINVAL, SP_EDATA (no labels; other classes), SP_EFILE, SP_ENOMEM. */
sp_status sp_reference_open(sp_reference *l, const sp_pipeline *p, const char *file, const char *dataset,
                            double step_seconds, bool are_shared, sp_error *err);
void sp_reference_close(sp_reference *l);

/* The coding of labels alone, where there is no file: they are told in the columns of these classes. is_named: the file names its
 * classes. SP_OK; as sp_codes_new(). */
sp_status sp_reference_read_codes(sp_reference *l, const sp_pipeline *p, bool are_shared, bool is_named,
                                  const int32_t *class_of_column, sp_error *err);

/* Fills in l->recording for the recordings of `source`; ids NULL: it names none. Steps that one of both leaves out (`gaps`) are
 * left out of the other. is_trimmed: numbers of steps may differ. As sp_match_recordings(); SP_EDATA also where both files have
 * tokens, and these differ. */
sp_status sp_reference_match(sp_reference *l, sp_source *source, const char *const *ids, double step_seconds,
                             bool is_trimmed, sp_error *err);

#endif
