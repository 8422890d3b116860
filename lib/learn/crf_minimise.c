/* Minimising a conditional random field's objective.
 *
 * The scale must stay above 0, so the minimiser works on its logarithm: F is convex in the scale, hence has one stationary point
 * in the logarithm too. Parameters are measured in units of a guess at the curvature (penalty + uses / 4 of each factor), which
 * spares the method most of its steps.
 */
#include <math.h>
#include <stdlib.h>

#include "learn/crf_private.h"
#include "learn/lbfgs.h"

enum { MOST_ITERATIONS = 500 };

typedef struct work {
    const sp_crf *crf;
    const sp_crf_penalty *penalty;
    sp_workers *workers;
    double *theta; /* [n] */
    double *unit;  /* [n] theta = unit * x; log theta[0] = unit * x */
} work;

static void to_theta(const work *w, const double *x, double *theta)
{
    for (int64_t i = 0; i < w->crf->n; i++)
        theta[i] = x[i] * w->unit[i];
    theta[0] = exp(theta[0]);
}

static sp_status evaluate(void *arg, const double *x, double *value, double *gradient, sp_error *err)
{
    work *w = arg;
    to_theta(w, x, w->theta);
    *value = INFINITY;
    if (!(w->theta[0] > 0) || !isfinite(w->theta[0]))
        return SP_OK;
    sp_status status = sp_crf_objective(w->crf, w->theta, w->penalty, w->workers, value, gradient, err);
    gradient[0] *= w->penalty->fixes_scale ? 0 : w->theta[0];
    for (int64_t i = 0; i < w->crf->n; i++)
        gradient[i] *= w->unit[i];
    return status;
}

sp_status sp_crf_minimise(const sp_crf *crf, double *theta, const sp_crf_penalty *penalty, double precision, sp_workers *workers,
                          sp_minimised *result, sp_error *err)
{
    if (!(penalty->weight > 0) || isinf(penalty->weight))
        return sp_fail(err, SP_EINVAL, "penalty %g: must be a number above 0, else weights never seen have no best value",
                       penalty->weight);
    if (!(theta[0] > 0) || isinf(theta[0]))
        return sp_fail(err, SP_EINVAL, "the scale of the scores is %g; it must be above 0", theta[0]);
    size_t n = (size_t)crf->n;
    double *all = malloc(3 * n * sizeof *all);
    if (!all)
        return sp_fail(err, SP_ENOMEM, "no memory to minimise over %lld parameters", (long long)crf->n);
    work w = {.crf = crf, .penalty = penalty, .workers = workers, .theta = all, .unit = all + n};
    double *x = all + 2 * n;
    sp_status status = sp_crf_usage(crf, w.unit, err);
    if (status == SP_OK) {
        for (size_t i = 0; i < n; i++) {
            w.unit[i] = 1 / sqrt(penalty->weight + w.unit[i] / 4);
            x[i] = (i ? theta[i] : log(theta[0])) / w.unit[i];
        }
        sp_lbfgs_result found;
        status = sp_lbfgs(crf->n, x, evaluate, &w, precision, MOST_ITERATIONS, &found, err);
        if (status == SP_OK) {
            to_theta(&w, x, theta);
            *result = (sp_minimised){found.value, found.iterations, found.evaluations, found.is_converged};
        }
    }
    free(all);
    return status;
}
