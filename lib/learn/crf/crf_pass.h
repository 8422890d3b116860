/* Forward-backward for learning: log Z of a stretch and the expected number of times each factor is used; not installed.
 *
 * A class may remember how long it has lasted: position i = 0 .. D-1 of a run, the last position standing for every later step.
 *
 *     score of a path = sum_t scale e[t,y_t] + bias[y_t]
 *                     + start[y_0]                      when the stretch begins its recording
 *                     + stay[y_t, i] (staying in a class whose run is at position i) or exit[y_(t-1), y_t]   for t > 0
 *                     + end[y_(T-1)]                    when the stretch ends its recording
 *
 * A run shorter than dwell[k] may not be left. D = 1 is the ordinary linear-chain model. Given the classes the positions follow,
 * so the conditional likelihood is convex in all of these numbers.
 */
#ifndef STATEPATH_LEARN_CRF_PASS_H
#define STATEPATH_LEARN_CRF_PASS_H

#include "core/scratch.h"
#include "learn/stretches.h"

typedef struct sp_factors {
    int32_t n_classes;    /* K */
    int32_t n_positions;  /* D >= the greatest dwell */
    double scale;         /* above 0 */
    double *bias;         /* [K] */
    double *stay;         /* [K,D] nats, -INFINITY = may not stay */
    double *exit;         /* [K,K] nats, -INFINITY = forbidden; the diagonal is not looked at */
    double *start;        /* [K] nats, -INFINITY = may not start */
    double *end;          /* [K] */
    const int32_t *dwell; /* [K], borrowed */
    bool dwell_at_end;
    bool
        is_even; /* staying weighs the same at every position: then positions of class k end with its dwell */
    /* Made by sp_factors_prepare(): exp(move - greatest), its transpose, and the greatest; for D = 1 staying stands on the
     * diagonal */
    double *move;   /* [K,K] nats */
    double *linear; /* [K,K] from, to */
    double *turned; /* [K,K] to, from */
    double greatest;
} sp_factors;

/* SP_OK or SP_ENOMEM; all 0, but for a scale of 1. */
sp_status sp_factors_init(sp_factors *factors, int32_t n_classes, int32_t n_positions, sp_error *err);
void sp_factors_clear(sp_factors *factors);
/* To be called after the numbers change, before a pass. */
void sp_factors_prepare(sp_factors *factors);

/* How often each factor is used in expectation, added up; the shapes of sp_factors. One block of memory so that sums of several
 * are one loop. */
typedef struct sp_expected {
    int64_t n;     /* numbers in all */
    double *all;   /* [n]: what follows, in this order */
    double *log_z; /* [1] */
    double *scale; /* [1] */
    double *bias;  /* [K] */
    double *stay;  /* [K,D] */
    double *exit;  /* [K,K] for D = 1 the diagonal is 0 and staying in `stay` */
    double *start; /* [K] */
    double *end;   /* [K] */
} sp_expected;

/* Numbers that an sp_expected of that shape holds. */
int64_t sp_expected_size(int32_t n_classes, int32_t n_positions);
/* Lays the struct over `all`. */
sp_expected sp_expected_over(double *all, int32_t n_classes, int32_t n_positions);

/* Runs over one stretch and adds to `sum`; expected counts only with `wants_counts`, else log Z only. False on lack of memory.
 * log Z is -INFINITY when nothing legal has a finite score (nothing else is added then).
 *   e  [S,K] nats, the batch's rows */
bool sp_crf_pass(const sp_factors *factors, const double *e, const sp_stretch *stretch, bool wants_counts,
                 sp_scratch *scratch, sp_expected *sum);

/* Passes over stretches, shared out among threads in chunks whose borders do not depend on the number of threads; each chunk has its
 * own sums, which are added in order. */
typedef struct sp_sweep {
    const sp_factors *factors;
    const sp_stretches *stretches;
    const double *e;       /* [S,K] */
    const uint8_t *use;    /* [recordings] or NULL: all */
    const int32_t *labels; /* what is observed, [S]; NULL: nothing is */
    uint8_t *
        has_path; /* [stretches] 0: left out, from now on also where nothing legal has a finite score; NULL: all count */
    bool wants_counts;
} sp_sweep;

/* sums: expected, then observed counts, to be freed by the caller. SP_OK, SP_ENOMEM. */
sp_status sp_sweep_run(const sp_sweep *sweep, sp_workers *workers, double **sums, sp_error *err);

/* Counts along the labels of a stretch: the same shape, log_z = 0. */
void sp_crf_observe(const sp_factors *factors, const double *e, const int32_t *labels,
                    const sp_stretch *stretch, sp_expected *sum);

#endif
