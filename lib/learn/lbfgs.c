/* Limited-memory BFGS. */
#include "learn/lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 12, MOST_TRIES = 40, LOOK_BACK = 10 };

typedef struct search {
    int64_t n;
    sp_lbfgs_function *function;
    void *arg;
    double *x, *gradient, *trial, *trial_gradient, *direction; /* [n] */
    double *s, *y; /* [MEMORY,n] steps and changes of the gradient, as a ring */
    double rho[MEMORY];
    int n_kept, newest;
    int evaluations;
} search;

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* direction = - (inverse Hessian's guess) gradient, by the two loops. */
static void choose_direction(search *w)
{
    double alpha[MEMORY];
    for (int64_t i = 0; i < w->n; i++)
        w->direction[i] = -w->gradient[i];
    for (int m = 0; m < w->n_kept; m++) {
        int slot = (w->newest - m + MEMORY) % MEMORY;
        const double *s = w->s + slot * w->n, *y = w->y + slot * w->n;
        alpha[m] = w->rho[slot] * dot(w->n, s, w->direction);
        for (int64_t i = 0; i < w->n; i++)
            w->direction[i] -= alpha[m] * y[i];
    }
    if (w->n_kept) {
        const double *y = w->y + w->newest * w->n;
        double scale = 1 / (w->rho[w->newest] * dot(w->n, y, y));
        for (int64_t i = 0; i < w->n; i++)
            w->direction[i] *= scale;
    }
    for (int m = w->n_kept - 1; m >= 0; m--) {
        int slot = (w->newest - m + MEMORY) % MEMORY;
        const double *s = w->s + slot * w->n, *y = w->y + slot * w->n;
        double beta = w->rho[slot] * dot(w->n, y, w->direction);
        for (int64_t i = 0; i < w->n; i++)
            w->direction[i] += (alpha[m] - beta) * s[i];
    }
}

/* Finds a step that meets the weak Wolfe conditions; trial and trial_gradient hold the point. *is_found false: no step helps. */
static sp_status line_search(search *w, double value, double step, double *trial_value, bool *is_found,
                             sp_error *err)
{
    double slope = dot(w->n, w->gradient, w->direction), low = 0, high = INFINITY;
    *is_found = false;
    for (int i = 0; slope < 0 && i < MOST_TRIES; i++) {
        for (int64_t j = 0; j < w->n; j++)
            w->trial[j] = w->x[j] + step * w->direction[j];
        sp_status status = w->function(w->arg, w->trial, trial_value, w->trial_gradient, err);
        w->evaluations++;
        if (status != SP_OK)
            return status;
        if (!isfinite(*trial_value) || *trial_value > value + 1e-4 * step * slope)
            high = step;
        else if (dot(w->n, w->trial_gradient, w->direction) < 0.9 * slope)
            low = step;
        else {
            *is_found = true;
            return SP_OK;
        }
        step = isinf(high) ? 2 * step : (low + high) / 2;
    }
    *is_found = false;
    return SP_OK;
}

/* Moves to the trial point and remembers the step. */
static void accept(search *w)
{
    int slot = (w->newest + 1) % MEMORY;
    double *s = w->s + slot * w->n, *y = w->y + slot * w->n;
    for (int64_t i = 0; i < w->n; i++) {
        s[i] = w->trial[i] - w->x[i];
        y[i] = w->trial_gradient[i] - w->gradient[i];
    }
    double curvature = dot(w->n, s, y);
    if (curvature > 0) {
        w->rho[slot] = 1 / curvature;
        w->newest = slot;
        w->n_kept += w->n_kept < MEMORY;
    }
    memcpy(w->x, w->trial, (size_t)w->n * sizeof *w->x);
    memcpy(w->gradient, w->trial_gradient, (size_t)w->n * sizeof *w->x);
}

static double largest(int64_t n, const double *x)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

sp_status sp_lbfgs(int64_t n, double *x, sp_lbfgs_function *function, void *arg, double tolerance,
                   int most_iterations, sp_lbfgs_result *result, sp_error *err)
{
    search w = {.n = n, .function = function, .arg = arg, .x = x, .newest = MEMORY - 1};
    size_t rows = 4 + 2 * MEMORY;
    double *all = (size_t)n > SIZE_MAX / sizeof *all / rows ? NULL : malloc((size_t)n * rows * sizeof *all);
    if (!all)
        return sp_no_memory(err);
    w.gradient = all;
    w.trial = w.gradient + n;
    w.trial_gradient = w.trial + n;
    w.direction = w.trial_gradient + n;
    w.s = w.direction + n;
    w.y = w.s + MEMORY * n;
    sp_lbfgs_result done = {0};
    sp_status status = function(arg, x, &done.value, w.gradient, err);
    w.evaluations = 1;
    double earlier = done.value;
    while (status == SP_OK && done.iterations < most_iterations) {
        if (largest(n, w.gradient) <= tolerance * fmax(1, fabs(done.value))) {
            done.is_converged = true;
            break;
        }
        double value;
        bool is_found;
        choose_direction(&w);
        double first = w.n_kept ? 1 : 1 / fmax(1, sqrt(dot(n, w.gradient, w.gradient)));
        status = line_search(&w, done.value, first, &value, &is_found, err);
        if (status != SP_OK)
            break;
        if (!is_found) {
            if (w.n_kept == 0) { /* not even straight down: rounding is all that is left */
                done.is_converged = true;
                break;
            }
            w.n_kept = 0; /* forget what was learnt of the curvature and go down once more */
            continue;
        }
        done.value = value;
        done.iterations++;
        accept(&w);
        if (done.iterations % LOOK_BACK == 0) {
            done.is_converged = earlier - value <= tolerance * fmax(1, fabs(value));
            earlier = value;
            if (done.is_converged)
                break;
        }
    }
    done.evaluations = w.evaluations;
    free(all);
    if (status == SP_OK)
        *result = done;
    return status;
}
