/* A training from a file on its way; not installed. */
#ifndef STATEPATH_NETWORK_TRAIN_RUN_H
#define STATEPATH_NETWORK_TRAIN_RUN_H

#include "train_file.h"
#include "weights.h"

typedef struct sp_train_run {
    const sp_train_plan *plan;
    sp_signals *file;
    const sp_signals_info *info;
    /* Steps in memory, those of training recordings first. */
    int64_t n_train, n_test;
    int64_t *step_of_row; /* [n] in the file */
    float *signals;       /* [n, C, samples] */
    int32_t *labels, *previous;
    double *weights; /* or NULL: the file has none */
    uint8_t *mask;   /* [n, K] or NULL */
    sp_weights_origin origin;
    uint8_t *allow;   /* [K,K] or NULL */
    char *model_name; /* or NULL */
    sp_network *network;
    sp_training_state *state;
    sp_trainer *trainer;
} sp_train_run;

/* Numbers of a step; of steps before the testing ones in an array of so many each. */
static inline size_t sp_train_width(const sp_train_run *t)
{
    return (size_t)t->info->n_channels * (size_t)t->info->n_samples;
}

/* train_page.c: writes plan->report. */
sp_status sp_train_page(const sp_train_run *t, sp_error *err);

#endif
