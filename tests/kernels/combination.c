#include "combination.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers that look drawn: splitmix64 (Steele, Lea, Flood 2014) ---- */

typedef struct source {
    uint64_t state;
} source;

static uint64_t next_number(source *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int64_t below(source *r, int64_t n)
{
    return (int64_t)(next_number(r) % (uint64_t)n);
}

static double unit(source *r)
{
    return (double)(next_number(r) >> 11) * 0x1p-53;
}

static bool chance(source *r, double p)
{
    return unit(r) < p;
}

/* ---- the axes ---- */

/* Around each limit of a kernel: vectors of 2, 4 and 8 doubles, words of back-pointers, lanes (16), tables (64), rows in blocks.
 */
static const int32_t limits[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  12,  13,
                                 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, 1000};
static const int threads[] = {1, 2, 7};

enum {
    MOST_RECORDINGS = 70, /* at K = 5 each number of recordings up to this one */
    N_LIMITS = sizeof limits / sizeof *limits,
    N_SHAPES = MOST_RECORDINGS + 2 * N_LIMITS,
    N_FLAGS = 1 << 6,
    N_THREADS = 3,
    N_STRATEGIES = SP_ONLINE + 1 /* those that plain_decoder.h has a definition of */
};

int64_t combination_count(void)
{
    return (int64_t)N_SHAPES * N_STRATEGIES * N_THREADS * N_FLAGS;
}

static int32_t take(int64_t *rest, int32_t n)
{
    int32_t digit = (int32_t)(*rest % n);
    *rest /= n;
    return digit;
}

combination combination_of(int64_t number)
{
    static const int64_t pieces[] = {0, 16, 32, 64, 1000};
    const int64_t stride =
        7368787; /* a prime that divides no count of combinations: neighbours differ in everything */
    int64_t rest = (int64_t)((uint64_t)number * (uint64_t)stride % (uint64_t)combination_count());
    combination c = {.number = (uint64_t)number, .n_classes = 5};
    source r = {(uint64_t)number * 2654435761u + 1};
    int32_t shape = take(&rest, N_SHAPES), flags;
    c.strategy.kind = (sp_strategy_kind)take(&rest, N_STRATEGIES);
    c.n_threads = threads[take(&rest, N_THREADS)];
    flags = take(&rest, N_FLAGS);
    c.in_pieces = flags & 1;
    c.is_narrow = flags & 2;
    c.has_weights = flags & 4;
    c.is_coarse = flags & 8;
    c.is_sparse = flags & 16;
    c.has_dwell = flags & 32;
    c.n_recordings = shape + 1;
    if (shape >= MOST_RECORDINGS) {
        c.n_classes = limits[(shape - MOST_RECORDINGS) % N_LIMITS];
        c.n_recordings = 1 + below(&r, c.n_classes > 16 ? 3 : shape % 2 ? 3 : 40);
    }
    c.has_dwell = c.has_dwell && c.n_classes <= 13;
    c.is_sparse = c.is_sparse || (c.n_classes > 200 &&
                                  (number % 16 != 0 || c.strategy.kind == SP_POSTERIOR ||
                                   c.strategy.kind == SP_MEA || c.strategy.kind == SP_POSTERIOR_VITERBI));
    if (c.strategy.kind == SP_BEAM)
        c.strategy.parameter = 1 + (int32_t)below(&r, chance(&r, 0.5)        ? 3
                                                      : c.n_classes + 2 < 40 ? c.n_classes + 2
                                                                             : 40);
    if (c.strategy.kind == SP_ONLINE)
        c.strategy.parameter = (int32_t)below(&r, 7);
    c.piece_steps = pieces[below(&r, 5)];
    c.wants_confidence = (c.n_classes <= 200 || c.is_sparse) && chance(&r, 0.25);
    c.n_best = c.n_classes <= 33 && !c.in_pieces && chance(&r, 0.15) ? 1 + (int32_t)below(&r, 4) : 0;
    return c;
}

/* ---- rules ---- */

static double draw_value(source *r, bool is_coarse)
{
    return is_coarse ? -0.25 * (double)below(r, 9) : -4 * unit(r);
}

static double *draw_ends(source *r, const combination *c)
{
    if (chance(r, 0.5))
        return NULL;
    double *ends = plain_alloc(c->n_classes, sizeof *ends);
    for (int32_t k = 0; k < c->n_classes; k++)
        ends[k] = chance(r, 0.3) ? -INFINITY : c->has_weights ? draw_value(r, c->is_coarse) : 0;
    ends[below(r, c->n_classes)] = 0;
    return ends;
}

static void draw_transitions(source *r, const combination *c, plain_rules *rules)
{
    int64_t K = c->n_classes;
    bool is_full = chance(r, 0.3), stays = chance(r, 0.8);
    rules->allow = plain_alloc(K * K, 1);
    rules->weight = c->has_weights ? plain_alloc(K * K, sizeof *rules->weight) : NULL;
    for (int64_t i = 0; i < K; i++) {
        for (int64_t n = 0; c->is_sparse && n < 4; n++)
            rules->allow[i * K + below(r, K)] = 1;
        for (int64_t j = 0; !c->is_sparse && j < K; j++)
            rules->allow[i * K + j] = is_full || chance(r, 0.6);
        if (stays || K == 1)
            rules->allow[i * K + i] = 1;
        for (int64_t j = 0; c->has_weights && j < K; j++)
            if (rules->allow[i * K + j])
                rules->weight[i * K + j] = draw_value(r, c->is_coarse);
    }
}

static void draw_dwell(source *r, const combination *c, plain_rules *rules)
{
    rules->dwell = plain_alloc(c->n_classes, sizeof *rules->dwell);
    rules->dwell_at_end = chance(r, 0.3);
    for (int32_t k = 0; k < c->n_classes; k++) {
        uint8_t *stay = &rules->allow[(int64_t)k * (c->n_classes + 1)];
        rules->dwell[k] = 1 + (int32_t)below(r, 5);
        if (rules->dwell[k] > 1 && !*stay) {
            *stay = 1;
            if (rules->weight)
                rules->weight[(int64_t)k * (c->n_classes + 1)] = draw_value(r, c->is_coarse);
        }
    }
}

static void expect_ok(sp_status status, const sp_error *err)
{
    if (status == SP_OK)
        return;
    fprintf(stderr, "the library refuses what was drawn: %s\n", err->message);
    exit(1);
}

static void *copy_of(const void *data, int64_t n, size_t size)
{
    return data ? memcpy(plain_alloc(n, size), data, (size_t)n * size) : NULL;
}

static sp_chain *compile(const plain_rules *rules)
{
    int32_t K = rules->n_classes;
    char(*text)[16] = plain_alloc(K, sizeof *text);
    const char **names = plain_alloc(K, sizeof *names);
    sp_chain *chain = NULL;
    sp_error err;
    for (int32_t k = 0; k < K; k++) {
        snprintf(text[k], sizeof text[k], "c%" PRId32, k);
        names[k] = text[k];
    }
    sp_model *model = sp_model_new("drawn", K, names);
    if (!model)
        exit(1);
    expect_ok(sp_model_set_matrix(model, rules->allow, rules->weight, &err), &err);
    model->start = copy_of(rules->start, K, sizeof *model->start);
    model->end = copy_of(rules->end, K, sizeof *model->end);
    model->min_dwell = copy_of(rules->dwell, K, sizeof *model->min_dwell);
    model->min_dwell_at_end = rules->dwell_at_end;
    expect_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    free(names);
    free(text);
    return chain;
}

/* ---- recordings ---- */

static int64_t transitions_of(const plain_rules *rules)
{
    int64_t n = 0, K = rules->n_classes;
    for (int64_t p = 0; p < K * K; p++)
        n += rules->allow[p] != 0;
    return n > 0 ? n : 1; /* what divides a budget */
}

static bool is_by_sums(const combination *c)
{
    return c->wants_confidence || c->strategy.kind == SP_POSTERIOR || c->strategy.kind == SP_MEA ||
           c->strategy.kind == SP_POSTERIOR_VITERBI;
}

/* Now and then one that is long enough to be cut into chunks (few classes) or pieces on all threads (many). 0: not this time. */
static int64_t draw_long(source *r, const combination *c, int64_t transitions)
{
    sp_strategy_kind kind = c->strategy.kind;
    bool is_simple = kind == SP_VITERBI || kind == SP_GREEDY || kind == SP_ARGMAX;
    if (is_by_sums(c) || !is_simple || c->n_recordings > 3 || c->n_best)
        return 0;
    if (c->n_classes > 16)
        return kind == SP_VITERBI && transitions <= 20000 && chance(r, 0.25) ? 512 + below(r, 200) : 0;
    if (chance(r, 0.02))
        return 100001 + below(r, 100);
    return kind == SP_VITERBI && chance(r, 0.1) ? 20000 + below(r, 3000) : 0;
}

static void draw_lengths(source *r, const combination *c, material *m)
{
    static const int64_t longest[] = {1, 3, 20, 40, 80, 160};
    int64_t transitions = transitions_of(&m->rules) * (c->has_dwell ? 2 : 1),
            long_one = draw_long(r, c, transitions);
    int64_t budget = (is_by_sums(c) ? 120000 : 400000) / transitions / c->n_recordings,
            most = longest[below(r, 6)];
    int64_t floor = c->n_classes > 200 ? 20 : 40;
    bool is_ragged = chance(r, 0.7);
    most = most < budget ? most : budget > floor ? budget : floor < most ? floor : most;
    m->offsets = plain_alloc(c->n_recordings + 1, sizeof *m->offsets);
    for (int64_t n = 0; n < c->n_recordings; n++)
        m->offsets[n + 1] = m->offsets[n] + (is_ragged ? below(r, most + 1) : most) + (n == 0 ? long_one : 0);
}

static void draw_scores(source *r, const combination *c, material *m)
{
    static const double spreads[] = {1, 1, 1, 8, 40};
    int64_t S = m->offsets[c->n_recordings], n = S * c->n_classes;
    double impossible = chance(r, 0.5) ? 0 : chance(r, 0.5) ? 0.03 : 0.2, spread = spreads[below(r, 5)];
    m->values = plain_alloc(n, sizeof *m->values);
    m->data = plain_alloc(n, c->is_narrow ? sizeof(float) : sizeof(double));
    for (int64_t i = 0; i < n; i++) {
        double value =
            impossible > 0 && chance(r, impossible) ? -INFINITY : spread * draw_value(r, c->is_coarse);
        float narrow = (float)value;
        m->values[i] = c->is_narrow ? (double)narrow : value;
        if (c->is_narrow)
            ((float *)m->data)[i] = narrow;
        else
            ((double *)m->data)[i] = value;
    }
    if (chance(r, 0.8))
        return;
    m->segments = plain_alloc(S, sizeof *m->segments);
    m->is_gap = plain_alloc(S, 1);
    for (int64_t t = 1; t < S; t++) {
        m->is_gap[t] = chance(r, 0.05);
        m->segments[t] = m->segments[t - 1] + m->is_gap[t];
    }
}

material *material_new(const combination *c)
{
    source r = {c->number * UINT64_C(0x2545f4914f6cdd1d) + 99};
    material *m = plain_alloc(1, sizeof *m);
    m->rules.n_classes = c->n_classes;
    draw_transitions(&r, c, &m->rules);
    m->rules.start = draw_ends(&r, c);
    m->rules.end = draw_ends(&r, c);
    if (c->has_dwell)
        draw_dwell(&r, c, &m->rules);
    m->chain = compile(&m->rules);
    draw_lengths(&r, c, m);
    draw_scores(&r, c, m);
    m->batch = (sp_batch){{m->data, c->is_narrow ? SP_F32 : SP_F64, c->n_classes, m->offsets[c->n_recordings],
                           m->segments, NULL, NULL},
                          c->n_recordings,
                          m->offsets};
    return m;
}

void material_free(material *m)
{
    free(m->rules.allow);
    free(m->rules.weight);
    free(m->rules.start);
    free(m->rules.end);
    free(m->rules.dwell);
    free(m->offsets);
    free(m->values);
    free(m->data);
    free(m->segments);
    free(m->is_gap);
    sp_chain_free(m->chain);
    free(m);
}

void combination_print(const combination *c, const material *m)
{
    char text[SP_STRATEGY_TEXT];
    printf("combination %" PRIu64 ": K=%" PRId32 ", %" PRId64 " recordings of %" PRId64
           " steps in all, %s, %s, %d threads, %s scores%s%s%s%s%s",
           c->number, c->n_classes, c->n_recordings, m->batch.scores.n_steps,
           sp_strategy_format(&c->strategy, text), c->in_pieces ? "in pieces" : "whole", c->n_threads,
           c->is_narrow ? "f32" : "f64", c->has_weights ? ", weights" : "", c->is_coarse ? ", ties" : "",
           c->is_sparse ? ", sparse" : "", c->has_dwell ? ", minimum dwells" : "",
           m->segments ? ", gaps" : "");
    printf("%s, N best %" PRId32 "\n", c->wants_confidence ? ", confidence" : "", c->n_best);
}
