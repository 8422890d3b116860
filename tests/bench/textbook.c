/* Compiled with -O2 whatever the rest is compiled with. */
#include "textbook.h"

#include <math.h>

double textbook_viterbi(const textbook_model *model, const float *scores, int64_t steps, double *delta,
                        int *back, int32_t *path)
{
    int n = model->n;
    double *now = delta, *next = delta + n;
    for (int j = 0; j < n; j++)
        now[j] = model->start[j] + scores[j];
    for (int64_t t = 1; t < steps; t++) {
        for (int j = 0; j < n; j++) {
            double best = -INFINITY;
            int best_i = 0;
            for (int i = 0; i < n; i++) {
                double candidate = now[i] + model->trans[i * n + j];
                if (candidate > best) {
                    best = candidate;
                    best_i = i;
                }
            }
            next[j] = best + scores[t * n + j];
            back[t * n + j] = best_i;
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    double best = -INFINITY;
    int state = 0;
    for (int i = 0; i < n; i++)
        if (now[i] + model->end[i] > best) {
            best = now[i] + model->end[i];
            state = i;
        }
    for (int64_t t = steps - 1; t > 0; t--) {
        path[t] = state;
        state = back[t * n + state];
    }
    path[0] = state;
    return best;
}
