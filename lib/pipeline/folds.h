/* Models of the folds of a cross-validation: each recording is decoded with a model fitted on the others. */
#ifndef PIPELINE_FOLDS_H
#define PIPELINE_FOLDS_H

#include "statepath/learn.h"

typedef struct sp_folds {
    int32_t n_folds;
    int32_t *fold;               /* [N] */
    sp_model **models;           /* [n_folds] */
    const sp_training *training; /* all recordings; borrowed */
} sp_folds;

#endif
