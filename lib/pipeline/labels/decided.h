/* Decided classes as scores: recordings whose labels are what a labeller decided are read as log likelihoods of each class
 * (core/labeller.h). Their labels are then none: what they are judged by comes from another place. */
#ifndef PIPELINE_DECIDED_H
#define PIPELINE_DECIDED_H

#include "pipeline/pipeline.h"

typedef struct sp_decided {
    sp_recordings from; /* whose labels are the decided classes */
    sp_source_info info;
    int32_t n_tables;    /* 0: the labeller is not known yet */
    double *tables;      /* [n_tables,K,K] */
    const int32_t *fold; /* [N] which of them; NULL: the first. Borrowed */
    bool is_there;
} sp_decided;

/* p->from becomes the recordings with scores. To be closed in any case. SP_OK. */
void sp_decided_open(sp_decided *d, sp_pipeline *p);
void sp_decided_close(sp_decided *d);

/* Are the labels of a block classes, or unscored? SP_OK; SP_EDATA with the place of the first that is not. */
sp_status sp_decided_check(const sp_block *block, int32_t n_classes, sp_error *err);

/* How the labeller errs: as `label_confidence` says, else as the model does; with folds as the model of each. The pipeline's
 * model is matched to its columns. SP_OK; SP_EDATA (neither says it), SP_EINVAL (a confidence that is no probability), SP_ENOMEM.
 */
sp_status sp_decided_know(sp_decided *d, const sp_pipeline *p, sp_error *err);
sp_status sp_decided_know_folds(sp_decided *d, const sp_folds *folds, sp_error *err);

#endif
