/* What the fast kernels do inside: blocks, teams, long recordings and single steps, against the plain
 * ones; which chains each takes. Their paths are in the law of strategies. */
#include "check.h"
#include "random_batch.h"
#include "random_model.h"
#include "statepath/decode.h"

/* sp_isa_set() does not take the plain kernel, and which kernel decodes is chosen inside. */
#include "decode/kernels/dense_team.h"
#include "decode/kernels/isa_kernels.h"
#include "decode/kernels/kernels.h"
#include "decode/kernels/sparse.h"

/* ---- random chains and batches ---- */

typedef struct kind {
    int32_t least_classes, most_classes;
    double allowed;  /* share of transitions */
    int64_t longest; /* steps of a recording */
    int32_t most_recordings;
    bool is_discrete;  /* scores and weights are multiples of 1/4: sums are exact and ties are many */
    double impossible; /* share of -INFINITY scores */
    double grid;       /* scores and weights are multiples of it; 0: of nothing */
    double shift;      /* is added to them */
    int32_t
        n_columns; /* classes share what leads to them, so that there are so many different columns; 0: as it comes */
    int32_t per_class; /* states that emit one class, of so many "classes" as states; 0: one */
} kind;

typedef struct sample {
    sp_chain *chain;
    sp_batch batch;
    void *data;
    int64_t *offsets, *segments;
} sample;

static double draw_value(random_source *random, const kind *k)
{
    double value = k->is_discrete ? -0.25 * random_below(random, 9) : -4 * random_unit(random);
    return (k->grid > 0 ? k->grid * floor(value / k->grid) : value) + k->shift;
}

static void declare_states(sp_model *model, int32_t n, int32_t per_class)
{
    model->states = malloc((size_t)n * sizeof *model->states);
    model->state_class = malloc((size_t)n * sizeof *model->state_class);
    assert_true(model->states && model->state_class);
    for (int32_t s = 0; s < n; s++) {
        model->states[s] = malloc(16);
        assert_non_null(model->states[s]);
        snprintf(model->states[s], 16, "s%d", (int)s);
        model->state_class[s] = s / per_class;
    }
    model->n_states = n;
}

static sp_chain *draw_chain(random_source *random, const kind *k, int32_t n)
{
    char text[2000][16];
    const char *names[2000];
    size_t pairs = (size_t)n * (size_t)n;
    uint8_t *allow = malloc(pairs);
    double *weight = malloc(pairs * sizeof *weight);
    bool has_weights = random_chance(random, 0.5);
    sp_error err;
    sp_chain *chain = NULL;
    assert_true(n <= 2000 && allow && weight);
    for (int32_t c = 0; c < n; c++) {
        snprintf(text[c], sizeof text[c], "c%d", (int)c);
        names[c] = text[c];
    }
    for (size_t p = 0; p < pairs; p++) {
        allow[p] = random_chance(random, k->allowed) || p % ((size_t)n + 1) == 0;
        weight[p] = draw_value(random, k);
    }
    for (int32_t j = k->n_columns; k->n_columns > 0 && j < n; j++) {
        const int32_t column = random_below(random, k->n_columns);
        for (int32_t i = 0; i < n; i++) {
            allow[i * n + j] = allow[i * n + column];
            weight[i * n + j] = weight[i * n + column];
        }
    }
    const int32_t per_class = k->per_class > 0 ? k->per_class : 1;
    sp_model *model = sp_model_new("random", (n + per_class - 1) / per_class, names);
    assert_non_null(model);
    if (per_class > 1)
        declare_states(model, n, per_class);
    assert_ok(sp_model_set_matrix(model, allow, has_weights ? weight : NULL, &err), &err);
    double **ends[] = {&model->start, &model->end};
    for (int e = 0; e < 2; e++) {
        if (random_chance(random, 0.4))
            continue;
        *ends[e] = malloc((size_t)n * sizeof **ends[e]);
        assert_non_null(*ends[e]);
        for (int32_t c = 0; c < n; c++)
            (*ends[e])[c] = random_chance(random, 0.3) ? -INFINITY : has_weights ? draw_value(random, k) : 0;
        (*ends[e])[random_below(random, n)] = 0;
    }
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    free(allow);
    free(weight);
    return chain;
}

static void draw_scores(random_source *random, const kind *k, sample *s, int32_t n_classes, int64_t n_steps,
                        sp_dtype dtype)
{
    size_t n = (size_t)n_steps * (size_t)n_classes;
    s->data = malloc(n * (size_t)dtype + 1); /* no room behind the last row: reading past it is found out */
    assert_non_null(s->data);
    for (size_t i = 0; i < n; i++) {
        double value = random_chance(random, k->impossible) ? -INFINITY : draw_value(random, k);
        if (dtype == SP_F32)
            ((float *)s->data)[i] = (float)value;
        else
            ((double *)s->data)[i] = value;
    }
    s->segments = NULL;
    if (random_chance(random, 0.2)) {
        s->segments = malloc((size_t)(n_steps + 1) * sizeof *s->segments);
        assert_non_null(s->segments);
        int64_t id = 0;
        for (int64_t t = 0; t < n_steps; t++)
            s->segments[t] = id += random_chance(random, 0.01);
    }
    s->batch.scores = (sp_scores){
        .data = s->data, .dtype = dtype, .n_classes = n_classes, .n_steps = n_steps, .segments = s->segments};
}

static sample draw_sample(uint64_t seed, const kind *k)
{
    random_source random = {seed};
    sample s = {0};
    int32_t n_classes = k->least_classes + random_below(&random, k->most_classes - k->least_classes + 1);
    int64_t n = random_below(&random, k->most_recordings + 1);
    bool is_ragged = random_chance(&random, 0.7);
    int64_t usual = random_below(&random, (int32_t)k->longest + 1);
    s.offsets = calloc((size_t)n + 1, sizeof *s.offsets);
    assert_non_null(s.offsets);
    for (int64_t r = 0; r < n; r++)
        s.offsets[r + 1] =
            s.offsets[r] + (is_ragged ? random_below(&random, (int32_t)k->longest + 1) : usual);
    s.chain = draw_chain(&random, k, n_classes);
    draw_scores(&random, k, &s, s.chain->n_classes, s.offsets[n],
                random_chance(&random, 0.5) ? SP_F32 : SP_F64);
    s.batch.n_recordings = n;
    s.batch.offsets = s.offsets;
    return s;
}

static void free_sample(sample *s)
{
    sp_chain_free(s->chain);
    free(s->data);
    free(s->offsets);
    free(s->segments);
}

/* ---- comparing ---- */

static sp_workers *workers[4]; /* [n_threads] */

static int new_workers(void **state)
{
    (void)state;
    for (int n = 1; n < 4; n++)
        if (!(workers[n] = sp_workers_new(n)))
            return 1;
    return 0;
}

static int free_workers(void **state)
{
    (void)state;
    for (int n = 1; n < 4; n++)
        sp_workers_free(workers[n]);
    return 0;
}

static answer decode_with(sp_isa isa, int n_threads, const sample *s, const sp_decode_options *options)
{
    sp_error err;
    answer a = answer_new(&s->batch);
    sp_decode_output output = answer_output(&a);
    assert_ok(sp_decode_batch_with(isa, s->chain, &s->batch, options, workers[n_threads], &output, &err),
              &err);
    return a;
}

/* Which chains are wide? */
static void wide_chains(void **state)
{
    (void)state;
    static const struct {
        kind k;
        bool is_wide;
    } cases[] = {{{33, 33, 0.3, 0, 0, true, 0, 0, 0, 9, 0}, true},
                 {{64, 64, 0.05, 0, 0, true, 0, 0, 0, 4, 0}, true},
                 {{65, 65, 0.05, 0, 0, true, 0, 0, 0, 4, 0}, false},
                 {{16, 16, 0.3, 0, 0, true, 0, 0, 0, 4, 0}, false},
                 {{17, 17, 1, 0, 0, false, 0, 0, 0, 12, 0}, true},
                 {{60, 60, 1, 0, 0, false, 0, 0, 0, 1, 0}, true},
                 {{40, 40, 0.7, 0, 0, false, 0, 0, 0, 12, 0}, false},
                 {{17, 17, 0.8, 0, 0, false, 0, 0, 0, 0, 0}, false}};
    for (uint64_t seed = 0; seed < 80; seed++) {
        random_source random = {130000 + seed};
        const size_t i = seed % (sizeof cases / sizeof *cases);
        sp_chain *chain = draw_chain(&random, &cases[i].k, cases[i].k.most_classes);
        sp_lane_rules rules;
        assert_int_equal(sp_lane_wide_init(&rules, chain), cases[i].is_wide);
        sp_chain_free(chain);
    }
}

/* Blocks of few steps: traces that leave the ring, borders that are closed in the end. */
static void dense_in_blocks_equals_plain(void **state)
{
    (void)state;
    static const kind kinds[] = {
        {20, 70, 1, 200, 3, true, 0, 0, 0, 0, 0},      {20, 90, 0.1, 200, 3, true, 0, 0, 0, 0, 0},
        {20, 40, 0.02, 200, 3, false, 0, 0, 0, 0, 0},  {20, 70, 1, 200, 3, false, 0.3, 0, 0, 0, 0},
        {20, 90, 0.5, 200, 3, true, 0.05, 0, 0, 3, 0}, {20, 90, 0.7, 200, 3, false, 0.1, 0, 0, 4, 0},
        {20, 90, 0.5, 200, 3, true, 0.02, 0, 0, 3, 3}};
    int n_shared = 0;
    for (uint64_t seed = 0; seed < 210; seed++) {
        sample s = draw_sample(200000 + seed, &kinds[seed % 7]);
        sp_scratch *scratch = sp_scratch_new(), *plain_scratch = sp_scratch_new();
        int32_t path[200], expected[200];
        for (int64_t n = 0; n < s.batch.n_recordings; n++) {
            sp_scores scores = sp_batch_recording(&s.batch, n);
            double score = 0, expected_score = -INFINITY;
            sp_dense dense;
            scores.segments = NULL;
            if (scores.n_steps == 0)
                continue;
            sp_status status = sp_viterbi(s.chain, &scores, plain_scratch, expected, &expected_score, NULL);
            assert_true(
                sp_dense_init(&dense, (sp_isa)(seed / 7 % (1 + (uint64_t)sp_isa_best())), s.chain, scratch));
            n_shared += dense.shared.n > 0;
            assert_int_equal(sp_dense_viterbi_in_blocks(&dense, &scores, 1 + (int64_t)(seed % 17), NULL,
                                                        scratch, path, &score),
                             status);
            assert_true(score == expected_score);
            if (status == SP_OK)
                assert_memory_equal(path, expected, (size_t)scores.n_steps * sizeof *path);
        }
        sp_scratch_free(scratch);
        sp_scratch_free(plain_scratch);
        free_sample(&s);
    }
    assert_true(n_shared > 60);
}

/* The same where several states emit one class: sets of states are traced. */
static void sets_in_blocks_equal_plain(void **state)
{
    (void)state;
    static const random_shape shapes[] = {{4, 200, 4, 1, true, false, false, .impossible = 0},
                                          {5, 200, 3, 1, true, true, false, .impossible = 0.02},
                                          {3, 200, 6, 2, true, false, false, .impossible = 0.05},
                                          {6, 200, 3, 1, false, true, false, .impossible = 0}};
    int n_decoded = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        random_case c = random_case_new(210000 + seed, &shapes[seed % 4]);
        sp_scratch *scratch = sp_scratch_new(), *plain_scratch = sp_scratch_new();
        int32_t path[200], expected[200];
        double score = 0, expected_score = -INFINITY;
        sp_dense dense;
        if (c.scores.n_steps > 0) {
            sp_status status = sp_viterbi(c.chain, &c.scores, plain_scratch, expected, &expected_score, NULL);
            assert_true(sp_dense_init(&dense, sp_isa_best(), c.chain, scratch));
            assert_int_equal(sp_dense_viterbi_in_blocks(&dense, &c.scores, 1 + (int64_t)(seed % 17), NULL,
                                                        scratch, path, &score),
                             status);
            assert_true(score == expected_score);
            if (status == SP_OK)
                assert_same_path(seed, "sets in blocks", path, expected, c.scores.n_steps);
            n_decoded += status == SP_OK;
        }
        sp_scratch_free(scratch);
        sp_scratch_free(plain_scratch);
        random_case_free(&c);
    }
    assert_true(n_decoded > 200);
}

/* ---- one recording on several threads ---- */

static void compare_shared(const sp_chain *chain, const sp_scores *scores, uint64_t seed)
{
    const size_t T = (size_t)scores->n_steps;
    sp_scratch *scratch = sp_scratch_new();
    int32_t *expected = malloc(T * sizeof *expected), *path = malloc(T * sizeof *path);
    double expected_score = -INFINITY;
    assert_true(scratch && expected && path);
    const sp_status status = sp_viterbi(chain, scores, scratch, expected, &expected_score, NULL);
    for (int n_threads = 2; n_threads < 4; n_threads++) {
        double score = 0;
        sp_dense dense;
        assert_true(sp_dense_init(&dense, (sp_isa)(seed % (1 + (uint64_t)sp_isa_best())), chain, scratch));
        assert_int_equal(sp_dense_team_viterbi(&dense, scores, workers[n_threads], path, &score), status);
        assert_true(score == expected_score);
        if (status == SP_OK)
            assert_same_path(seed, "shared", path, expected, scores->n_steps);
    }
    sp_scratch_free(scratch);
    free(expected);
    free(path);
}

/* Enough transitions for three threads to share each step, and no two columns the same. */
static void teams_equal_plain(void **state)
{
    (void)state;
    static const kind kinds[] = {{640, 700, 0.98, 0, 0, false, 0, 0, 0, 0, 0},
                                 {640, 700, 0.98, 0, 0, true, 0.02, 0, 0, 0, 0},
                                 {900, 1000, 0.5, 0, 0, false, 0.3, 0, 3, 0, 0}};
    for (uint64_t seed = 0; seed < 9; seed++) {
        const kind *k = &kinds[seed % 3];
        random_source random = {240000 + seed};
        sample s = {0};
        const int32_t n = k->least_classes + random_below(&random, k->most_classes - k->least_classes + 1);
        s.chain = draw_chain(&random, k, n);
        draw_scores(&random, k, &s, n, 64 + random_below(&random, 100), seed % 2 ? SP_F32 : SP_F64);
        s.batch.scores.segments = NULL;
        compare_shared(s.chain, &s.batch.scores, seed);
        free_sample(&s);
    }
}

/* ---- long recordings ---- */

/* Greedy and argmax of every instruction set and number of threads: the plain kernel's bytes. */
static void compare_long_choices(const sample *s, uint64_t seed)
{
    static const sp_strategy_kind strategies[] = {SP_GREEDY, SP_ARGMAX};
    for (int i = 0; i < 2; i++) {
        sp_decode_options options = sp_decode_options_default();
        options.strategy.kind = strategies[i];
        answer plain = decode_with(SP_ISA_PLAIN, 1, s, &options);
        for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
            answer found = decode_with(isa, 1 + (int)(isa + seed) % 3, s, &options);
            assert_same_answer(&s->batch, &plain, &found);
            answer_free(&found);
        }
        answer_free(&plain);
    }
}

/* Viterbi likewise. */
static void compare_long(const kind *k, uint64_t seed, int64_t n_steps, bool is_decodable)
{
    random_source random = {seed};
    int64_t offsets[] = {0, n_steps / 5, n_steps, n_steps + 10};
    sample s = {0};
    s.chain = draw_chain(&random, k, k->most_classes);
    draw_scores(&random, k, &s, k->most_classes, offsets[3], seed % 2 ? SP_F32 : SP_F64);
    s.batch.n_recordings = 3;
    s.batch.offsets = offsets;
    sp_decode_options options = sp_decode_options_default();
    answer plain = decode_with(SP_ISA_PLAIN, 1, &s, &options);
    assert_true((plain.results[1].status == SP_OK) == is_decodable);
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
        answer found = decode_with(isa, 1 + (int)(isa + seed) % 3, &s, &options);
        assert_same_answer(&s.batch, &plain, &found);
        answer_free(&found);
    }
    answer_free(&plain);
    compare_long_choices(&s, seed);
    s.offsets = NULL; /* on the stack */
    free_sample(&s);
}

/* A recording that is most of its batch goes to all threads, the others each to one. */
static void large_shares_equal_plain(void **state)
{
    (void)state;
    static const kind k = {640, 640, 1, 0, 0, false, 0, 0, 0, 0, 0};
    for (uint64_t seed = 0; seed < 4; seed++)
        compare_long(&k, 250000 + seed, 110 + 50 * (int64_t)seed, true);
}

static void long_recordings_equal_plain(void **state)
{
    (void)state;
    static const kind kinds[] = {{5, 5, 0.6, 0, 0, true, 0, 0, 0, 0, 0},
                                 {5, 5, 0.6, 0, 0, false, 0, 0, 0, 0, 0},
                                 {8, 8, 0.4, 0, 0, true, 0, 0, 0, 0, 0},
                                 {3, 3, 1, 0, 0, false, 0.1, 0, 0, 0, 0}};
    for (uint64_t i = 0; i < 8; i++)
        compare_long(&kinds[i % 4], 300000 + i, 150000 + 977 * (int64_t)i, i % 4 != 3);
    compare_long(&(kind){11, 11, 0.4, 0, 0, true, 0, 0, 0, 0, 0}, 300100, 130000, true);
}

/* What argmax takes goes up through the classes, as a model allows that never comes back, or down. */
static void long_argmax_paths_are_scored(void **state)
{
    (void)state;
    enum { CLASSES = 4, STEPS = SP_LANES_MOST_STEPS + 40000 };
    static const uint8_t allow[CLASSES * CLASSES] = {1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1};
    const char *names[] = {"a", "b", "c", "d"};
    int64_t offsets[] = {0, STEPS};
    float *data = malloc((size_t)STEPS * CLASSES * sizeof *data);
    sp_model *model = sp_model_new("never back", CLASSES, names);
    sample s = {.data = data};
    sp_error err;
    assert_true(data && model);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &s.chain, &err), &err);
    s.batch = (sp_batch){
        .scores = {data, SP_F32, CLASSES, STEPS, NULL, NULL, NULL}, .n_recordings = 1, .offsets = offsets};
    sp_decode_options options = sp_decode_options_default();
    options.strategy.kind = SP_ARGMAX;
    for (int down = 0; down < 2; down++) {
        for (int64_t i = 0; i < (int64_t)STEPS * CLASSES; i++) {
            int64_t k = i / CLASSES * CLASSES / STEPS, best = down ? CLASSES - 1 - k : k;
            data[i] = i % CLASSES == best ? -0.5F : -5;
        }
        for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
            answer a = decode_with(isa, 2, &s, &options);
            assert_true(a.results[0].score == (down ? -INFINITY : -0.5 * STEPS));
            answer_free(&a);
        }
        compare_long_choices(&s, (uint64_t)down);
    }
    sp_model_free(model);
    free_sample(&s);
}

/* ---- single steps of large models ---- */

enum { MANY = 160, MANY_WIDE = 256 };

/* Prices of leaving a class are all alike, or far apart, so that states far below the best win. */
static sp_chain *draw_prices(random_source *random, double share, double unit)
{
    static uint8_t allow[MANY * MANY];
    static double weight[MANY * MANY];
    char text[MANY][16];
    const char *names[MANY];
    sp_chain *chain;
    sp_error err;
    for (int i = 0; i < MANY; i++) {
        double price = unit * random_below(random, random_chance(random, 0.5) ? 160 : 2);
        snprintf(text[i], sizeof text[i], "c%d", i);
        names[i] = text[i];
        for (int j = 0; j < MANY; j++) {
            allow[i * MANY + j] = random_chance(random, share);
            weight[i * MANY + j] = price - 0.25 * random_below(random, 4);
        }
    }
    sp_model *model = sp_model_new("prices", MANY, names);
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

static void assert_greatest(const sp_chain *c, const double *now, const double *next)
{
    for (int j = 0; j < MANY; j++) {
        double best = -INFINITY;
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++)
            best = fmax(best, now[c->pred[p]] + c->pred_weight[p]);
        assert_true(next[j] == best);
    }
}

/* Values and weights are multiples of 1/4, so that states stand exactly at the span. */
static void steps_of_far_prices_equal_plain(void **state)
{
    (void)state;
    static const double zero[MANY];
    const sp_scores scores = {zero, SP_F64, MANY, 1, NULL, NULL, NULL};
    sp_scratch *scratch = sp_scratch_new();
    random_source random = {77};
    for (int trial = 0; trial < 60; trial++) {
        bool is_dense = trial % 2;
        sp_chain *chain = draw_prices(&random, is_dense ? 0.7 : 0.12, trial % 4 < 2 ? -0.25 : 0.25);
        sp_sparse sparse;
        sp_dense dense;
        if (is_dense)
            assert_true(
                sp_dense_init(&dense, (sp_isa)(trial / 2 % (1 + (int)sp_isa_best())), chain, scratch) &&
                dense.most && dense.width <= MANY_WIDE);
        else
            assert_true(sp_sparse_init(&sparse, chain, scratch) && sparse.most);
        for (int step = 0; step < 100; step++) {
            double now[MANY_WIDE], next[MANY_WIDE];
            const double span = 0.25 * (1 + random_below(&random, 40));
            for (int i = 0; i < MANY_WIDE; i++)
                now[i] = i >= MANY || random_chance(&random, 0.05) ? -INFINITY
                                                                   : -0.25 * random_below(&random, 200);
            if (is_dense) {
                sp_dense_part part = sp_dense_part_all(&dense);
                part.span = span;
                sp_dense_forward(&dense, &scores, 0, now, next, &part);
            } else {
                double now_span = span;
                sp_sparse_step(&sparse, now, next, &now_span);
            }
            assert_greatest(chain, now, next);
        }
        sp_chain_free(chain);
    }
    sp_scratch_free(scratch);
}

/* ---- one recording, by the kernels of single.h ---- */

/* More classes or states than the kernels are for. */
static void single_leaves_other_chains(void **state)
{
    (void)state;
    int n_left = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_case c = random_case_new(980000 + seed, &(random_shape){40, 3, 1 + (int32_t)(seed % 2), 1,
                                                                       false, true, false, .impossible = 0});
        sp_single_rules rules;
        bool is_for_it = c.chain->is_plain && c.chain->n_classes <= SP_SINGLE_MOST_CLASSES;
        assert_int_equal(sp_single_rules_init(&rules, c.chain), is_for_it);
        n_left += !is_for_it;
        random_case_free(&c);
    }
    assert_true(n_left > 20);
}

/* ---- minimum dwells ---- */

/* What the kernel of dwells must refuse: more classes, longer dwells, more states than it has room for. */
static void dwells_only_where_they_fit(void **state)
{
    (void)state;
    static const struct {
        int32_t n_classes, dwell;
        bool fits;
    } cases[] = {{12, 2, true},  {13, 2, false}, {2, 64, true}, {1, 64, true},
                 {1, 65, false}, {3, 43, false}, {4, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"};
        int32_t n = cases[i].n_classes;
        uint8_t allow[13 * 13];
        sp_chain *chain = NULL;
        sp_error err;
        memset(allow, 1, sizeof allow);
        sp_model *model = sp_model_new("dwell", n, names);
        assert_non_null(model);
        assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
        model->min_dwell = malloc((size_t)n * sizeof *model->min_dwell);
        assert_non_null(model->min_dwell);
        for (int32_t s = 0; s < n; s++)
            model->min_dwell[s] = cases[i].dwell;
        assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
        sp_dwell_rules rules;
        assert_int_equal(sp_dwell_rules_init(&rules, chain), cases[i].fits);
        sp_chain_free(chain);
        sp_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_chains),
        cmocka_unit_test(dense_in_blocks_equals_plain),
        cmocka_unit_test(sets_in_blocks_equal_plain),
        cmocka_unit_test(teams_equal_plain),
        cmocka_unit_test(large_shares_equal_plain),
        cmocka_unit_test(long_recordings_equal_plain),
        cmocka_unit_test(long_argmax_paths_are_scored),
        cmocka_unit_test(steps_of_far_prices_equal_plain),
        cmocka_unit_test(single_leaves_other_chains),
        cmocka_unit_test(dwells_only_where_they_fit),
    };
    return cmocka_run_group_tests(tests, new_workers, free_workers);
}
