/* Models and recordings whose features are drawn together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "strategy_law.h"

/* ---- what is drawn ---- */

/* A kind of case. Around each limit of a kernel there are numbers of classes, of states and of recordings. */
typedef enum kind_of { ALL_PATHS, TEXTBOOK, LIMITS, DWELLS, STATES, RUNS, LONG } kind_of;
typedef struct kind {
    kind_of sort;
    int32_t most_classes, most_steps, most_recordings;
    int share; /* of 100 cases */
} kind;

static const kind kinds[] = {
    {ALL_PATHS, 4, 6, 5, 50}, {TEXTBOOK, 6, 50, 20, 14}, {TEXTBOOK, 6, 12, 70, 10}, {LIMITS, 0, 20, 40, 9},
    {DWELLS, 12, 60, 34, 5},  {STATES, 12, 40, 12, 4},   {RUNS, 4, 90, 8, 6},       {LONG, 5, 2500, 2, 2},
};
static const int32_t limits[] = {1, 2, 7, 8, 9, 12, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, 300, 1000};
enum { N_LIMITS = sizeof limits / sizeof *limits };

static int32_t one_of(random_source *r, const int32_t *values, int n)
{
    return values[random_below(r, n)];
}
#define ONE_OF(r, ...)                                                                                       \
    one_of(r, (const int32_t[]){__VA_ARGS__}, (int)(sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)))

static void narrow_shape(random_source *r, const kind *k, random_shape *s)
{
    if (k->sort == LIMITS) {
        s->n_classes = one_of(r, limits, N_LIMITS);
        s->max_dwell = s->n_classes <= 13 ? s->max_dwell : 1;
        s->max_states_per_class = s->n_classes <= 33 ? s->max_states_per_class : 1;
        s->longest = s->n_classes <= 9 ? s->longest : 0;
        s->most_rules = 0;
        s->successors = s->n_classes > 129 || random_chance(r, 0.3) ? 4 : 0;
        s->columns = s->successors == 0 ? ONE_OF(r, 0, 2, 5, 12) : 0;
        s->columns = s->columns < s->n_classes ? s->columns : 0;
    } else if (k->sort == DWELLS) {
        s->max_states_per_class = 1;
        s->max_dwell = ONE_OF(r, 3, 5, 9, 10, 16, 64);
        s->max_classes = s->max_dwell > 20 ? 2 : s->max_dwell > 10 ? 5 : k->most_classes;
        s->longest = s->most_rules = 0;
    } else if (k->sort == STATES) {
        s->max_states_per_class = ONE_OF(r, 4, 6);
        s->longest = s->most_rules = 0;
    } else if (k->sort == RUNS) {
        s->max_dwell = s->max_states_per_class = 1;
        s->longest = 24;
        s->has_ranges_only = s->has_ties = true;
        s->has_votes = false;
        s->has_weights &= s->has_gaps; /* without them runs of other lengths tie more often */
        s->most_rules = 0;
        s->impossible = random_chance(r, 0.5) ? 0 : 0.02;
    } else if (k->sort == ALL_PATHS && s->most_rules > 0 && s->max_dwell > 1) {
        s->has_ties = true; /* of ages and of what rules remember */
        s->has_votes = false;
    } else if (k->sort == LONG) {
        s->max_dwell = s->max_states_per_class = 1;
        s->longest = s->most_rules = 0;
        s->has_ties = s->has_votes = false;
    }
}

/* Each feature is there or not, whatever the others are. */
static random_shape draw_shape(random_source *r, const kind *k)
{
    const bool is_small = k->sort == ALL_PATHS;
    random_shape s = {.max_classes = k->most_classes,
                      .max_steps = 1,
                      .max_states_per_class = ONE_OF(r, 1, 1, 2, 3),
                      .max_dwell = ONE_OF(r, 1, 1, 2, 3, is_small ? 4 : 12),
                      .has_ties = random_chance(r, 0.5),
                      .has_weights = random_chance(r, 0.6),
                      .has_gaps = random_chance(r, 0.4),
                      .impossible = (double[]){0, 0.02, 0.1, 0.3}[random_below(r, 4)],
                      .longest = ONE_OF(r, 0, 0, 4, 24),
                      .most_rules = is_small ? ONE_OF(r, 0, 1, 2) : ONE_OF(r, 0, 0, 0, 0, 2),
                      .has_votes = random_chance(r, 0.1),
                      .spread = random_chance(r, 0.2) ? ONE_OF(r, 8, 40, 300, 3000) : 1,
                      .shift = random_chance(r, 0.1) ? ONE_OF(r, 1, 4, 40) : 0,
                      .is_left_right = random_chance(r, 0.1),
                      .scales_weights = random_chance(r, 0.3)};
    narrow_shape(r, k, &s);
    return s;
}

/* Scores as a block has them, with a mask and labels that are held fast: what sp_prepare() makes of them is
 * what is decoded. */
static void prepare(law_case *x, random_source *r)
{
    const int64_t S = x->c.scores.n_steps, K = x->c.scores.n_classes;
    sp_block block = {.n_recordings = x->batch.n_recordings,
                      .n_steps = S,
                      .n_classes = (int32_t)K,
                      .offsets = x->offsets,
                      .dtype = SP_F64,
                      .scores = oracle_array((size_t)(S * K), sizeof(double)),
                      .mask = random_chance(r, 0.6) ? oracle_array((size_t)(S * K), 1) : NULL,
                      .labels = oracle_array((size_t)S, sizeof(int32_t))};
    const sp_prepare_options options = {
        .kind = SP_KIND_SCORES, .clamp = random_chance(r, 0.6), .temperature = 1};
    sp_error err;
    memcpy(block.scores, x->c.data, (size_t)(S * K) * sizeof(double));
    for (int64_t t = 0; t < S; t++)
        block.labels[t] = random_chance(r, 0.1) ? random_below(r, (int32_t)K) : -1;
    for (int64_t i = 0; i < S * K; i++) {
        if (block.mask)
            block.mask[i] = random_chance(r, 0.9);
        const int32_t held = options.clamp ? block.labels[i / K] : -1;
        if ((block.mask && !block.mask[i]) || (held >= 0 && held != i % K))
            x->c.data[i] = -INFINITY;
    }
    random_require(sp_prepare(&block, &options, NULL, NULL, &err), &err, x->c.seed);
    if (memcmp(block.scores, x->c.data, (size_t)(S * K) * sizeof(double)) != 0)
        law_fail(x, NULL, false, "prepare", -1, "masks and clamps are not -INFINITY, or something else is");
    free(block.scores);
    free(block.mask);
    free(block.labels);
}

static void draw_recordings(law_case *x, const kind *k, random_source *r)
{
    const int32_t K = x->c.model->n_classes, most = K > 129 ? 2 : K > 33 ? 5 : k->most_recordings;
    const int64_t N = x->batch.n_recordings = random_below(r, most + 1);
    int32_t longest = k->most_steps;
    while (k->sort == ALL_PATHS && pow(x->c.model->n_classes, longest) > 800)
        longest--;
    if (x->shape.n_classes > 33)
        longest = x->shape.n_classes > 300 ? 6 : 12;
    if (x->shape.max_dwell > 10)
        longest = 3 * longest;
    const bool is_ragged = random_chance(r, 0.7);
    x->offsets = oracle_array((size_t)N + 1, sizeof *x->offsets);
    for (int64_t n = 0; n < N; n++)
        x->offsets[n + 1] = x->offsets[n] + (is_ragged ? random_below(r, longest + 1) : longest);
    random_case_draw_scores(&x->c, r, x->offsets[N], &x->shape);
    const int64_t n_values = x->c.scores.n_steps * x->c.scores.n_classes;
    const bool is_narrow = random_chance(r, 0.5);
    x->batch.offsets = x->offsets;
    if (random_chance(r, 0.3))
        prepare(x, r);
    for (int64_t i = 0; i < n_values && is_narrow; i++)
        x->c.data[i] = (float)x->c.data[i];
    x->narrow = is_narrow ? oracle_array((size_t)n_values, sizeof *x->narrow) : NULL;
    for (int64_t i = 0; i < n_values && is_narrow; i++)
        x->narrow[i] = (float)x->c.data[i];
    x->batch.scores = x->c.scores;
}

void law_case_finish(law_case *x, bool is_enumerated)
{
    const int64_t N = x->batch.n_recordings;
    const sp_model *model = x->c.model;
    const oracle_declared declared = {model, &x->c.options, x->c.n_rules, x->c.rules};
    int64_t longest = 1;
    x->is_exact = x->shape.has_ties && !x->shape.has_votes;
    for (int32_t i = 0; model->durations && i < model->n_classes; i++) {
        const sp_duration_form form = model->durations[i].form;
        x->has_durations |= form != SP_DURATION_FREE;
        x->has_run_weights |= form != SP_DURATION_FREE && form != SP_DURATION_RANGE;
    }
    x->is_exact &= !x->has_run_weights;
    x->has_near_ties = !x->is_exact && (x->shape.has_ties || x->shape.has_votes);
    for (int64_t n = 0; n < N; n++)
        longest = x->offsets[n + 1] - x->offsets[n] > longest ? x->offsets[n + 1] - x->offsets[n] : longest;
    x->graph = x->c.n_rules == 0 ? oracle_model_new(model, &x->c.options, longest) : NULL;
    x->lists = is_enumerated ? oracle_array((size_t)N, sizeof *x->lists) : NULL;
    x->marginals = oracle_array((size_t)N, sizeof *x->marginals);
    x->log_z = oracle_array((size_t)N, sizeof *x->log_z);
    for (int64_t n = 0; n < N && x->lists; n++) {
        const sp_scores scores = sp_batch_recording(&x->batch, n);
        if (scores.n_steps > 0)
            x->lists[n] = oracle_list_new(&declared, &scores);
    }
}

law_case law_case_new(uint64_t seed)
{
    int place = seed < LAW_OF_KERNELS ? (int)(seed * 37 % 100)
                                      : kinds[0].share + (int)(seed * 37 % (100 - (uint64_t)kinds[0].share)),
        k = 0;
    while (place >= kinds[k].share)
        place -= kinds[k++].share;
    random_source r = {seed * 7919 + 13};
    law_case x = {.shape = draw_shape(&r, &kinds[k])};
    x.c = random_case_new(seed, &x.shape);
    draw_recordings(&x, &kinds[k], &r);
    x.is_of_kernels = kinds[k].sort == LIMITS || kinds[k].sort == DWELLS || kinds[k].sort == STATES ||
                      kinds[k].sort == RUNS;
    law_case_finish(&x, kinds[k].sort == ALL_PATHS);
    return x;
}

void law_case_free(law_case *x)
{
    for (int64_t n = 0; n < x->batch.n_recordings; n++) {
        if (x->lists)
            oracle_list_free(&x->lists[n]);
        free(x->marginals[n]);
    }
    free(x->lists);
    free(x->marginals);
    free(x->log_z);
    free(x->offsets);
    free(x->narrow);
    oracle_model_free(x->graph);
    random_case_free(&x->c);
}
