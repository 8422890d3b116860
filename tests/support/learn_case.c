#include "learn_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double learn_uniform(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) / 9007199254740992.0;
}

learn_case learn_case_new(uint64_t seed, int64_t n_recordings, int64_t longest, int32_t n_seen,
                          double unscored)
{
    static const char *const names[CASE_K] = {"a", "b", "c", "d"};
    uint64_t state = seed;
    learn_case c = {.offsets = calloc((size_t)n_recordings + 1, sizeof *c.offsets)};
    for (int64_t n = 0; n < n_recordings; n++)
        c.offsets[n + 1] = c.offsets[n] + 1 + (int64_t)(learn_uniform(&state) * (double)longest);
    int64_t S = c.offsets[n_recordings];
    c.segments = calloc((size_t)S, sizeof *c.segments);
    c.scores = calloc((size_t)S * CASE_K, sizeof *c.scores);
    c.labels = calloc((size_t)S, sizeof *c.labels);
    int32_t y = 0;
    for (int64_t t = 0; t < S; t++) {
        if (learn_uniform(&state) < 0.3)
            y = (int32_t)(learn_uniform(&state) * n_seen);
        c.labels[t] = learn_uniform(&state) < unscored ? -1 : y;
        for (int32_t k = 0; k < CASE_K; k++)
            c.scores[t * CASE_K + k] = -3 * learn_uniform(&state) + (k == y ? 0.8 : 0);
    }
    c.training =
        (sp_training){.batch = {{c.scores, SP_F64, CASE_K, S, NULL, NULL, NULL}, n_recordings, c.offsets},
                      .labels = c.labels,
                      .classes = names};
    return c;
}

void learn_case_free(learn_case *c)
{
    free(c->offsets);
    free(c->segments);
    free(c->scores);
    free(c->labels);
}

void learn_give_states(sp_model *model, int32_t n_states, const int32_t *class_of_state)
{
    char name[32];
    model->n_states = n_states;
    model->states = calloc((size_t)n_states, sizeof *model->states);
    model->state_class = calloc((size_t)n_states, sizeof *model->state_class);
    for (int32_t s = 0; s < n_states; s++) {
        snprintf(name, sizeof name, "%.16s%d", model->classes[class_of_state[s]], (int)s);
        model->states[s] = strdup(name);
        model->state_class[s] = class_of_state[s];
    }
    free(model->row);
    model->row = calloc((size_t)n_states + 1, sizeof *model->row);
}

double *learn_theta(int64_t n, uint64_t seed)
{
    double *theta = malloc((size_t)n * sizeof *theta);
    for (int64_t i = 0; i < n; i++)
        theta[i] = 2 * learn_uniform(&seed) - 1;
    theta[0] = 0.5 + learn_uniform(&seed);
    return theta;
}
