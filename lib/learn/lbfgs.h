/* Limited-memory BFGS for smooth convex functions; not installed.
 *
 * GSL's vector_bfgs2 remembers one step only: on the conditional random fields here it needs 50 to 100 times the evaluations.
 * Source  Nocedal and Wright 2006, algorithms 7.4, 7.5 and 3.5 (line search by bracketing and bisection, weak Wolfe conditions,
 *         which are enough for convex functions).
 */
#ifndef STATEPATH_LEARN_LBFGS_H
#define STATEPATH_LEARN_LBFGS_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/status.h"

/* The function: value and gradient [n] at x [n]. A value that is not finite means "too far". Any status but SP_OK ends the
 * search. */
typedef sp_status sp_lbfgs_function(void *arg, const double *x, double *value, double *gradient,
                                    sp_error *err);

typedef struct sp_lbfgs_result {
    double value;
    int iterations, evaluations;
    bool is_converged;
} sp_lbfgs_result;

/* Minimises from x (out: the best point found). Stops when the gradient's largest element is below tolerance * max(1, |value|),
 * when ten iterations together gain less than that, when no step makes the value smaller (rounding), or after most_iterations.
 * SP_OK, SP_ENOMEM, or the function's status. */
sp_status sp_lbfgs(int64_t n, double *x, sp_lbfgs_function *function, void *arg, double tolerance,
                   int most_iterations, sp_lbfgs_result *result, sp_error *err);

#endif
