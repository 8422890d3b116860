/* Confidence, row by row (posterior.c); not installed. */
#ifndef STATEPATH_DECODE_CONFIDENCE_H
#define STATEPATH_DECODE_CONFIDENCE_H

#include <stdint.h>

/* A sink of marginals: those of the classes of a path. */
typedef struct sp_confidence_of {
    const int32_t *path;
    float *confidence;
} sp_confidence_of;
void sp_confidence_row(void *arg, int64_t t, const double *marginal, const double *log_marginal);

#endif
