/* Recordings of several classifiers, or channels, as one: their scores are fused as a model says (sp_fusion); all that stands beside scores is
 * the first's. */
#ifndef PIPELINE_FUSED_H
#define PIPELINE_FUSED_H

#include "pipeline/folds.h"
#include "pipeline/matched.h"

/* Weights, and the floor of each classifier's probabilities; 0: none. */
typedef struct sp_fused_mix {
    double weight[SP_MOST_CLASSIFIERS], floor;
} sp_fused_mix;

typedef struct sp_fused_member {
    sp_recordings from; /* in the order of the first's, with its labels */
    sp_matched matched; /* of all but the first; its columns are those of the first's labels */
    const char *file;
} sp_fused_member;

typedef struct sp_fused {
    int32_t n; /* 0: none */
    sp_fused_member members[SP_MOST_CLASSIFIERS];
    char *names[SP_MOST_CLASSIFIERS]; /* owned; by which a model knows them */
    sp_fused_mix *mixes;              /* [folds] or one; owned */
    const int32_t *mix_of;            /* [N] of each recording; borrowed; NULL: one is that of all */
    bool missing_uniform;
    sp_prepare_counts counts; /* of scores that were read for the first time */
    int64_t n_counted;        /* steps, from the first of all on */
    sp_source_info info;
    sp_block *read; /* scratch */
} sp_fused;

/* Adds a classifier, the first one first: recordings by id, columns by the names of their classes.
 *   name   the model's word for it, copied
 *   model  whose names and aliases the classes are; NULL: those of the first
 *   seconds  length of a step, 0: not known
 * On failure it can (and must) still be closed. SP_OK; SP_EDATA (other recordings, other steps), SP_EMODEL (other classes), SP_EINVAL (too many;
 * no scores), SP_ENOMEM. */
sp_status sp_fused_add(sp_fused *f, const sp_recordings *from, const char *name, double first_seconds,
                       double seconds, const sp_model *model, sp_error *err);
/* All are there: their recordings, as one, fused by equal weights until another mix is taken. SP_OK, SP_ENOMEM. */
sp_status sp_fused_open(sp_fused *f, sp_recordings *out, sp_error *err);
void sp_fused_close(sp_fused *f);

/* From now on they are fused as the model says, whose number and order of classifiers they must have. What of `how` each classifier is prepared
 * by is taken out of it: floor and what a step with a NaN says. SP_OK, SP_EMODEL. */
sp_status sp_fused_take_model(sp_fused *f, const sp_model *model, sp_prepare_options *how, sp_error *err);
/* The same of the models of folds, each for the recordings of its own; a floor in `how` goes before theirs. Borrows the folds. SP_OK, SP_EMODEL, SP_ENOMEM. */
sp_status sp_fused_take_folds(sp_fused *f, const sp_folds *folds, sp_prepare_options *how, sp_error *err);
/* Only this classifier, as it is. */
void sp_fused_take_one(sp_fused *f, int32_t classifier, sp_prepare_options *how);

/* Have all of them probabilities, none of which a mask makes impossible? Then a floor may be learnt. */
bool sp_fused_may_have_floor(const sp_fused *f);

#endif
