/* Whose matrix products the network uses. Private to the module.
 *
 * OpenBLAS is looked for when the first network runs, and not linked: a program that never runs one starts sooner without it (it
 * costs 2 ms and starts threads of its own). Where it is not installed, GSL's CBLAS does the same, many times slower.
 */
#ifndef STATEPATH_NETWORK_BLAS_H
#define STATEPATH_NETWORK_BLAS_H

#include <gsl/gsl_cblas.h>
#include <stdbool.h>

/* cblas_sgemm() */
typedef void sp_blas_sgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans_a, enum CBLAS_TRANSPOSE trans_b,
                           int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb,
                           float beta, float *c, int ldc);

/* Valid until the program ends. */
typedef struct sp_blas {
    sp_blas_sgemm *sgemm;
    const char *name;
    /* OpenBLAS's own threads; NULL: it has none. */
    void (*set_threads)(int n);
    int (*get_threads)(void);
} sp_blas;

/* False: no memory to load OpenBLAS with, whose sums are rounded otherwise than GSL's. From any thread. */
bool sp_blas_find(sp_blas *out);

/* One BLAS thread for a call, so that sums are taken in one order; both nest. Returns what was set before, to be given back. */
int sp_blas_begin(const sp_blas *blas);
void sp_blas_end(const sp_blas *blas, int before);

#endif
