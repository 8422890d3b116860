#include "core/best_class.h"

#include <float.h>
#include <math.h>

static int32_t best_as_it_is(const double *e, int32_t n_classes, int32_t *n_best)
{
    double best = -INFINITY;
    int32_t best_k = -1, n = 0;
    for (int32_t k = 0; k < n_classes; k++) {
        n += best_k >= 0 && e[k] == best;
        if (e[k] > best) {
            best = e[k];
            best_k = k;
            n = 1;
        }
    }
    *n_best = n;
    return best_k;
}

int32_t sp_best_class(const sp_scores *scores, int64_t t, const double *e, int32_t *n_best)
{
    const double rounding = 8 * DBL_EPSILON, *taken_off = scores->taken_off;
    double best = -INFINITY, size = 0;
    bool says_nothing = true;
    int32_t best_k = -1, n = 0, *counted = n_best ? n_best : &n;
    for (int32_t k = 0; taken_off && k < scores->n_classes; k++) {
        if (e[k] == -INFINITY)
            continue;
        says_nothing &= e[k] == 0;
        size = fmax(size, fabs(e[k]) + fabs(taken_off[k]));
        best = fmax(best, e[k] + taken_off[k]);
    }
    if (scores->given)
        e = scores->given + t * scores->n_classes;
    if (says_nothing || scores->given)
        return best_as_it_is(e, scores->n_classes, counted);
    for (int32_t k = scores->n_classes; k-- > 0;)
        if (e[k] + taken_off[k] >= best - rounding * size) {
            best_k = k;
            n++;
        }
    *counted = n;
    return best_k;
}
