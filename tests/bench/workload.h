/* The workloads of the benchmarks: a model, and random log-softmax scores. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "statepath.h"
#include "textbook.h"

typedef struct workload {
    const char *name;
    const char *what;
    sp_chain *chain;
    float *scores;    /* [S,K] */
    int64_t *offsets; /* [N+1] */
    int64_t n_recordings, n_steps, longest;
    int32_t n_classes;
    int64_t
        textbook_steps; /* the textbook kernel runs only so many steps of the first recording; 0: all of them */
    textbook_model textbook;
    double *dense; /* what textbook points to */
} workload;

enum { N_WORKLOADS = 12 };

/* Makes workload `number`, 0 .. N_WORKLOADS-1. False on lack of memory. */
bool workload_make(workload *w, int number);
void workload_free(workload *w);
/* As the decoders see it: recordings and steps may be fewer than there are. */
sp_batch workload_batch(const workload *w);

#endif
