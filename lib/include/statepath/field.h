/* A linear-chain random field whose weights are new in each call, as while a network is trained: log Z of many
 * recordings, and the gradient of what is made of it.
 *
 *     score of a path = start[y_0] + sum_t e[t,y_t] + sum_(t>0) move[y_(t-1),y_t] + end[y_(T-1)]
 *     value           = log Z, or with targets  log Z - score of the targets;  0 for T = 0
 *
 * Gradient: of  sum_n weight[n] value[n],  that is marginals and expected counts less what the targets have; or,
 * with `along`, of  sum_t,k along[t,k] p(y_t = k | e).
 *
 * Forward and backward rows are kept in logs with their greatest number taken out, and the sums over classes are
 * products of their exponentials with exp(move - greatest). A sum that is 0 or might have lost digits is done again
 * in logs (class by class; moves of a step as a whole), so a class may be any distance behind the best. With
 * `is_plain` all are: the tests' other kernel. The same bits for every number of threads and every instruction set.
 */
#ifndef STATEPATH_FIELD_H
#define STATEPATH_FIELD_H

#include <stdbool.h>

#include "statepath/context.h"
#include "statepath/scores.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_field_fault_kind {
    SP_FIELD_FINE,
    SP_FIELD_NOT_A_NUMBER, /* NaN or +INFINITY: step, class */
    SP_FIELD_NO_PATH,      /* step: the first that no class reaches, T where no class may end */
    SP_FIELD_NO_CLASS,     /* a target that is none: step, what it says */
    SP_FIELD_NO_TARGET     /* the targets have no finite score: step, class; step T: they may not end so */
} sp_field_fault_kind;

typedef struct sp_field_fault {
    int64_t kind, step, class_;
} sp_field_fault;

typedef struct sp_field {
    int32_t n_classes;
    bool is_plain;
    const double *move, *start, *end; /* [K,K] from, to; [K]; [K]: nats, -INFINITY = forbidden */
    /* Step t of recording n is row first[n] + t stride of e [rows,K]. */
    const void *e;
    sp_dtype dtype;
    int64_t n_recordings, stride;
    const int64_t *first, *length;
    const int64_t *targets; /* [rows] or NULL */
    double *value;          /* [N], NAN where there is a fault */
    sp_field_fault *fault;  /* [N] */
    /* The gradient; wanted where weight or along is there. Recordings with a fault add nothing. */
    const double *weight; /* [N] */
    const void *along;    /* as e */
    void *by_e;           /* as e, or NULL; only the rows of recordings are written */
    double *by_move;      /* [K,K], or NULL: then none of these three is there */
    double *by_start, *by_end;
} sp_field;

/* SP_OK; SP_ENOMEM. workers NULL: one thread. */
sp_status sp_field_run(const sp_field *field, sp_workers *workers, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
