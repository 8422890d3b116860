/* Viterbi as textbooks print it: a dense matrix in double, an int a back-pointer. What the benchmarks compare with. */
#ifndef BENCH_TEXTBOOK_H
#define BENCH_TEXTBOOK_H

#include <stdint.h>

typedef struct textbook_model {
    int n;
    const double *start; /* [n] nats */
    const double *trans; /* [n,n] rows = from */
    const double *end;   /* [n] */
} textbook_model;

/* One recording: scores[steps,n] to path[steps], steps > 0; returns the score.
 *   delta  [2,n] room
 *   back   [steps,n] room */
double textbook_viterbi(const textbook_model *model, const float *scores, int64_t steps, double *delta,
                        int *back, int32_t *path);

#endif
