#include "workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers: splitmix64 and the polar method ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
    return ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    for (;;) {
        double x = 2 * uniform(state) - 1, y = 2 * uniform(state) - 1, r = x * x + y * y;
        if (r > 0 && r < 1)
            return x * sqrt(-2 * log(r) / r);
    }
}

/* row[n]: a log-softmax of normal numbers. */
static void random_row(uint64_t *state, int32_t n, double *row)
{
    double sum = 0;
    for (int32_t k = 0; k < n; k++) {
        row[k] = normal(state);
        sum += exp(row[k]);
    }
    for (int32_t k = 0; k < n; k++)
        row[k] -= log(sum);
}

/* ---- models ---- */

/* Wake, N1, N2, N3, REM. */
static const uint8_t sleep_strict[5 * 5] = {1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1,
                                            1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1};
static const uint8_t sleep_start[5] = {1, 1, 1, 0, 0};

/* O, then B-x and I-x of four types: I-x only after B-x or I-x. */
static void bio(uint8_t *allow, uint8_t *start)
{
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            allow[i * 9 + j] = j == 0 || j % 2 == 1 || i == j || i == j - 1;
    for (int j = 0; j < 9; j++)
        start[j] = j == 0 || j % 2 == 1;
}

enum { BIOES_TYPES = 8, BIOES = 1 + 4 * BIOES_TYPES };

/* O, then B-x, I-x, E-x, S-x of eight types: B-x and I-x go on to I-x or E-x of their type, the others to O, any B-x or S-x. The
 * weight of a transition is that of its kind, in the order of sp_tag_bias. */
static void bioes(const double *kinds, uint8_t *allow, uint8_t *start, double *weight)
{
    memset(allow, 0, BIOES * BIOES);
    for (int i = 0; i < BIOES; i++)
        for (int j = 0; j < BIOES; j++) {
            const bool is_open = i > 0 && (i - 1) % 4 < 2,
                       goes_on = j > 0 && ((j - 1) % 4 == 1 || (j - 1) % 4 == 2);
            start[j] = !goes_on;
            weight[i * BIOES + j] = 0;
            if (is_open != goes_on || (is_open && (i - 1) / 4 != (j - 1) / 4))
                continue;
            allow[i * BIOES + j] = 1;
            weight[i * BIOES + j] = kinds[is_open ? 3 + (j - 1) % 4 : 2 * (i > 0) + (j > 0)];
        }
}

/* Stays, and moves to `successors` - 1 others. */
static void sparse(uint64_t *state, int32_t n, int32_t successors, uint8_t *allow)
{
    for (int32_t i = 0; i < n; i++) {
        allow[(size_t)i * (size_t)n + (size_t)i] = 1;
        for (int32_t s = 1; s < successors; s++)
            allow[(size_t)i * (size_t)n + next_random(state) % (uint64_t)n] = 1;
    }
}

/* The model, compiled for the library and dense for the textbook kernel. allow, start, weight may be NULL: all, all, none. */
static bool take_model(workload *w, const uint8_t *allow, const uint8_t *start, const double *weight)
{
    size_t n = (size_t)w->n_classes;
    char(*text)[16] = malloc(n * sizeof *text);
    const char **names = malloc(n * sizeof *names);
    uint8_t *all = malloc(n * n);
    w->dense = malloc((n * n + 2 * n) * sizeof *w->dense);
    sp_model *model = NULL;
    bool done = false;
    if (text && names && all && w->dense) {
        for (size_t k = 0; k < n; k++) {
            snprintf(text[k], sizeof text[k], "class%d", (int)k);
            names[k] = text[k];
        }
        memset(all, 1, n * n);
        model = sp_model_new(w->name, w->n_classes, names);
    }
    if (model && sp_model_set_matrix(model, allow ? allow : all, weight, NULL) == SP_OK) {
        double *trans = w->dense, *first = trans + n * n, *last = first + n;
        for (size_t e = 0; e < n * n; e++)
            trans[e] = allow && !allow[e] ? -INFINITY : weight ? weight[e] : 0;
        for (size_t k = 0; k < n; k++) {
            first[k] = start && !start[k] ? -INFINITY : 0;
            last[k] = 0;
        }
        w->textbook = (textbook_model){w->n_classes, first, trans, last};
        model->start = malloc(n * sizeof *model->start);
        if (model->start) {
            memcpy(model->start, first, n * sizeof *first);
            done = sp_chain_new(model, NULL, &w->chain, NULL) == SP_OK;
        }
    }
    sp_model_free(model);
    free(text);
    free(names);
    free(all);
    return done;
}

/* ---- workloads ---- */

static bool make_model(workload *w, int number, uint64_t *state)
{
    size_t n = (size_t)w->n_classes;
    if (number < 2)
        return take_model(w, sleep_strict, sleep_start, NULL);
    if (number == 5) {
        uint8_t allow[81], start[9];
        bio(allow, start);
        return take_model(w, allow, start, NULL);
    }
    if (number >= 9) {
        static const double none[6], tied[6] = {0.25, -1.5, 0.375, -0.75, -0.125, 0.5};
        uint8_t allow[BIOES * BIOES], start[BIOES];
        double weight[BIOES * BIOES];
        bioes(number == 11 ? tied : none, allow, start, weight);
        return take_model(w, allow, start, weight);
    }
    bool done = false;
    if (number == 4 || number == 8) {
        uint8_t *allow = calloc(n * n, 1);
        if (allow) {
            sparse(state, w->n_classes, 30, allow);
            done = take_model(w, allow, NULL, NULL);
        }
        free(allow);
    } else {
        double *weight = malloc(n * n * sizeof *weight);
        if (weight) {
            for (size_t i = 0; i < n; i++)
                random_row(state, w->n_classes, weight + i * n);
            done = take_model(w, NULL, NULL, weight);
        }
        free(weight);
    }
    return done;
}

/* Sentences of 1 to 39 or so tokens, `total` together. */
static void ragged(uint64_t *state, int64_t n, int64_t total, int64_t *offsets)
{
    offsets[0] = 0;
    for (int64_t r = 0; r < n; r++) {
        int64_t left = total - offsets[r], rest = n - 1 - r, length = 1 + (int64_t)(uniform(state) * 39.1);
        if (length > left - rest)
            length = left - rest;
        if (rest == 0)
            length = left;
        offsets[r + 1] = offsets[r] + length;
    }
}

static bool make_scores(workload *w, bool is_ragged, uint64_t *state)
{
    size_t n = (size_t)w->n_classes;
    w->scores = malloc((size_t)w->n_steps * n * sizeof *w->scores);
    w->offsets = malloc((size_t)(w->n_recordings + 1) * sizeof *w->offsets);
    double *row = malloc(n * sizeof *row);
    if (!w->scores || !w->offsets || !row) {
        free(row);
        return false;
    }
    if (is_ragged)
        ragged(state, w->n_recordings, w->n_steps, w->offsets);
    else
        for (int64_t r = 0; r <= w->n_recordings; r++)
            w->offsets[r] = r * (w->n_steps / w->n_recordings);
    for (int64_t r = 0; r < w->n_recordings; r++)
        if (w->offsets[r + 1] - w->offsets[r] > w->longest)
            w->longest = w->offsets[r + 1] - w->offsets[r];
    for (int64_t t = 0; t < w->n_steps; t++) {
        random_row(state, w->n_classes, row);
        for (size_t k = 0; k < n; k++)
            w->scores[(size_t)t * n + k] = (float)row[k];
    }
    free(row);
    return true;
}

bool workload_make(workload *w, int number)
{
    static const workload kinds[N_WORKLOADS] = {
        {.name = "W1",
         .what = "K=5, sleep-strict, 2000 recordings x 1000 steps",
         .n_classes = 5,
         .n_recordings = 2000,
         .n_steps = 2000000},
        {.name = "W2",
         .what = "K=5, sleep-strict, one recording of 5000000 steps",
         .n_classes = 5,
         .n_recordings = 1,
         .n_steps = 5000000},
        {.name = "W3",
         .what = "K=64, dense log weights, 100000 steps",
         .n_classes = 64,
         .n_recordings = 1,
         .n_steps = 100000},
        {.name = "W4",
         .what = "K=1024, dense log weights, 2000 steps",
         .n_classes = 1024,
         .n_recordings = 1,
         .n_steps = 2000,
         .textbook_steps = 100},
        {.name = "W5",
         .what = "K=1900, boolean, 30 successors, 2000 steps",
         .n_classes = 1900,
         .n_recordings = 1,
         .n_steps = 2000,
         .textbook_steps = 60},
        {.name = "W6",
         .what = "K=9, BIO, 20000 ragged sentences, 401100 steps",
         .n_classes = 9,
         .n_recordings = 20000,
         .n_steps = 401100},
        {.name = "W7",
         .what = "K=64, dense log weights, 16 x 6000 steps",
         .n_classes = 64,
         .n_recordings = 16,
         .n_steps = 96000},
        {.name = "W8",
         .what = "K=1024, dense log weights, 16 x 125 steps",
         .n_classes = 1024,
         .n_recordings = 16,
         .n_steps = 2000,
         .textbook_steps = 100},
        {.name = "W9",
         .what = "K=1900, boolean, 30 successors, 16 x 125 steps",
         .n_classes = 1900,
         .n_recordings = 16,
         .n_steps = 2000,
         .textbook_steps = 60},
        {.name = "W10",
         .what = "K=33, BIOES of 8 types, 4000 x 256 steps",
         .n_classes = BIOES,
         .n_recordings = 4000,
         .n_steps = 1024000},
        {.name = "W11",
         .what = "K=33, BIOES of 8 types, one recording of 1000000 steps",
         .n_classes = BIOES,
         .n_recordings = 1,
         .n_steps = 1000000},
        {.name = "W12",
         .what = "K=33, BIOES of 8 types, a weight for each of six kinds of transition, 4000 x 256 steps",
         .n_classes = BIOES,
         .n_recordings = 4000,
         .n_steps = 1024000},
    };
    uint64_t state = 12345 + (uint64_t)number;
    *w = kinds[number];
    if (make_model(w, number, &state) && make_scores(w, number == 5, &state))
        return true;
    workload_free(w);
    return false;
}

void workload_free(workload *w)
{
    sp_chain_free(w->chain);
    free(w->scores);
    free(w->offsets);
    free(w->dense);
}

sp_batch workload_batch(const workload *w)
{
    return (sp_batch){
        .scores = {.data = w->scores, .dtype = SP_F32, .n_classes = w->n_classes, .n_steps = w->n_steps},
        .n_recordings = w->n_recordings,
        .offsets = w->offsets};
}
