/* The page of a training: signals, stages, rules, how networks learned, what they say of recordings they have not seen. */
#ifndef STATEPATH_REPORT_SIGNALS_H
#define STATEPATH_REPORT_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How one network learned and what it says; borrows. */
typedef struct sp_trained {
    const char *name;                        /* "masking none" */
    const char *how;                         /* it was trained: "without masks" */
    bool is_meant_to_fail;                   /* said wherever its result is */
    int32_t n_epochs;                        /* E */
    const double *loss, *accuracy;           /* [E] over the training steps */
    const double *test_loss, *test_accuracy; /* [E], NaN without test steps */
    const int32_t *path;                     /* [steps of test recordings, in order] its best class of each step */
} sp_trained;

/* Everything the page shows; borrows. */
typedef struct sp_signals_report {
    const char *file, *model_name; /* model_name NULL: no rules */
    int32_t n_classes, n_channels;
    const char *const *classes; /* [K] */
    const uint8_t *allow;       /* [K,K] rows = from, or NULL */
    int64_t n_recordings, n_steps;
    const int64_t *offsets;       /* [N+1] */
    const char *const *ids;       /* [N] */
    const uint8_t *is_test;       /* [N] */
    const int32_t *labels;        /* [S] -1 = none */
    const double *weights;        /* [S] a step of weight 0 is not judged; or NULL */
    double rate;                  /* samples per second; 0: not known */
    int64_t n_samples;            /* of each example */
    const float *const *examples; /* [K] first samples of a step of each class, [C, n_samples], or NULL where there is none */
    int32_t n_networks;
    const sp_trained *networks;
} sp_signals_report;

/* A whole HTML page that requests nothing, which the caller frees. The same report gives the same bytes. SP_OK, SP_ENOMEM. */
sp_status sp_report_signals_html(const sp_signals_report *report, char **out, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
