/* A recording that is evaluated in pieces against the same at once: every report must be the same, byte for byte. */
#include "check.h"
#include "random_model.h"

#include "statepath/report.h"

/* Runs cut only what is too long for memory; pieces of a few steps show what falls on their borders. */
#include "evaluate/evaluate.h"
#include "statepath/comparison.h"

enum { K = 5, MOST = 400, STRATEGIES = 3, RATERS = 2, N = 3 };

static const char *const strategies[STRATEGIES] = {"argmax", "greedy", "viterbi"};
static const char *const names[][K] = {
    {"O", "B-x", "I-x", "B-y", "I-y"}, {"O", "B-x", "I-x", "E-x", "S-x"}, {"Wake", "N1", "N2", "N3", "REM"}};
static const int32_t stages[K] = {SP_STAGE_WAKE, SP_STAGE_N1, SP_STAGE_N2, SP_STAGE_N3, SP_STAGE_REM};

typedef struct problem {
    int kind; /* of names */
    bool has_labels, has_segments, has_raters, has_trim;
    sp_work work;
    uint8_t background[K];
    int64_t cut[N];
    sp_model *model;
    sp_chain *chain;
    int64_t offsets[N + 1];
    int32_t labels[MOST * N], paths[STRATEGIES][MOST * N], raters[RATERS][MOST * N];
    int64_t segments[MOST * N];
    double scores[MOST * N * K];
    sp_decoded results[STRATEGIES][N];
} problem;

/* Of half of the classes. */
static void draw_durations(sp_model *model, random_source *random)
{
    model->durations = calloc(K, sizeof *model->durations);
    assert_non_null(model->durations);
    for (int k = 0; k < K; k++) {
        if (random_chance(random, 0.5))
            continue;
        const double min = 1 + random_below(random, 4);
        model->min_dwell[k] = 1;
        model->durations[k] = (sp_duration){
            .form = SP_DURATION_RANGE, .min = {min, false}, .max = {min + random_below(random, 4), false}};
    }
    model->whole_at_start = random_chance(random, 0.5);
    model->whole_at_end = random_chance(random, 0.5);
}

static void draw_model(problem *p, random_source *random)
{
    uint8_t allow[K * K];
    sp_error err;
    for (int i = 0; i < K * K; i++)
        allow[i] = i % (K + 1) == 0 || random_chance(random, 0.7);
    for (int k = 0; k < K; k++) /* a ring, so that every class can be reached */
        allow[k * K + (k + 1) % K] = 1;
    p->model = sp_model_new("random", K, names[p->kind]);
    assert_non_null(p->model);
    assert_ok(sp_model_set_matrix(p->model, allow, NULL, &err), &err);
    p->model->min_dwell = malloc(K * sizeof *p->model->min_dwell);
    assert_non_null(p->model->min_dwell);
    for (int k = 0; k < K; k++)
        p->model->min_dwell[k] = 1 + random_below(random, 4);
    p->model->min_dwell_at_end = random_chance(random, 0.5);
    if (random_chance(random, 0.5))
        draw_durations(p->model, random);
    sp_chain_options options = sp_chain_options_default();
    options.is_boolean = true;
    assert_ok(sp_chain_new(p->model, &options, &p->chain, &err), &err);
}

/* Runs of classes; -1 now and then. */
static void draw_steps(random_source *random, int64_t n, int32_t *steps, double stay, double none)
{
    for (int64_t t = 0; t < n; t++) {
        bool stays = t > 0 && steps[t - 1] >= 0 && random_chance(random, stay);
        steps[t] = random_chance(random, none) ? -1 : stays ? steps[t - 1] : random_below(random, K);
    }
}

static void problem_draw(problem *p, uint64_t seed)
{
    random_source random = {seed};
    *p = (problem){.kind = (int)(seed % 3), .has_labels = random_chance(&random, 0.85)};
    p->has_segments = random_chance(&random, 0.4);
    p->has_raters = random_chance(&random, 0.4);
    p->has_trim = p->kind == 2 && p->has_labels && random_chance(&random, 0.5);
    p->work = random_chance(&random, 0.5) ? SP_WORK_ACTIONS : p->kind < 2 ? SP_WORK_TAGS : SP_WORK_SLEEP;
    for (int k = 0; k < K; k++)
        p->background[k] = random_chance(&random, 0.2);
    draw_model(p, &random);
    int64_t segment = 0;
    double stay = random_unit(&random), none = random_chance(&random, 0.5) ? 0.1 : 0;
    for (int64_t n = 0; n < N; n++) {
        p->cut[n] = random_below(&random, 3);
        int64_t first = p->offsets[n],
                T = n == 1 ? 1 + random_below(&random, MOST) : random_below(&random, 20);
        p->offsets[n + 1] = first + T;
        draw_steps(&random, T, p->labels + first, stay, none);
        for (int64_t t = first; t < first + T && p->kind == 2 && random_chance(&random, 0.98); t++)
            p->labels[t] = 0; /* a night begins awake */
        for (int i = 0; i < RATERS; i++)
            draw_steps(&random, T, p->raters[i] + first, stay, none);
        for (int64_t t = first; t < first + T; t++)
            p->segments[t] = segment += random_chance(&random, 0.03);
        for (int s = 0; s < STRATEGIES; s++) {
            bool is_decoded = random_chance(&random, 0.9);
            p->results[s][n] = (sp_decoded){.status = is_decoded ? SP_OK : SP_EDEADEND,
                                            .step = is_decoded ? -1 : 0,
                                            .score = -1.5 - random_unit(&random)};
            int32_t *path = p->paths[s] + first, late = random_below(&random, 3);
            for (int64_t t = 0; t < T; t++) {
                int32_t label = p->labels[first + (t >= late ? t - late : 0)];
                path[t] = !is_decoded                                 ? -1
                          : label >= 0 && random_chance(&random, 0.8) ? label
                                                                      : random_below(&random, K);
            }
        }
    }
    for (int64_t i = 0; i < p->offsets[N] * K; i++)
        p->scores[i] = -4 * random_unit(&random);
}

static void problem_free(problem *p)
{
    sp_model_free(p->model);
    sp_chain_free(p->chain);
}

/* ---- the two ways ---- */

static sp_evaluation *open(const problem *p)
{
    static const char *const rater_names[RATERS] = {"a", "b"};
    sp_error err;
    sp_evaluation_options o = sp_evaluation_options_default();
    o.has_labels = p->has_labels;
    o.n_strategies = STRATEGIES;
    o.names = strategies;
    o.classes = names[p->kind];
    o.work = p->work;
    o.background = p->work == SP_WORK_ACTIONS ? p->background : NULL;
    o.bootstrap.n_resamples = 10;
    o.trace_steps = MOST;
    if (p->kind == 2) {
        o.stage_of_class = stages;
        o.epoch_seconds = 30;
    }
    o.has_wake_trim = p->has_trim;
    o.has_length_trim = true;
    o.wake_trim_minutes = 1;
    if (p->has_raters) {
        o.n_raters = RATERS;
        o.raters = rater_names;
    }
    sp_evaluation *e = NULL;
    assert_ok(sp_evaluation_new(p->chain, p->chain, &o, &e, &err), &err);
    return e;
}

static void add_whole(const problem *p, sp_evaluation *e, int64_t n)
{
    int64_t first = p->offsets[n], offsets[2] = {0, p->offsets[n + 1] - first};
    sp_scores scores = {p->scores + first * K, SP_F64, K, offsets[1], NULL, NULL, NULL};
    const int32_t *paths[STRATEGIES], *raters[RATERS];
    const sp_decoded *results[STRATEGIES];
    for (int s = 0; s < STRATEGIES; s++) {
        paths[s] = p->paths[s] + first;
        results[s] = &p->results[s][n];
    }
    for (int i = 0; i < RATERS; i++)
        raters[i] = p->raters[i] + first;
    sp_evaluation_block block = {.n_recordings = 1,
                                 .offsets = offsets,
                                 .labels = p->has_labels ? p->labels + first : NULL,
                                 .segments = p->has_segments ? p->segments + first : NULL,
                                 .scores = &scores,
                                 .paths = paths,
                                 .results = results,
                                 .raters = p->has_raters ? raters : NULL,
                                 .cut_path_steps = &p->cut[n]};
    sp_error err;
    assert_ok(sp_evaluation_add(e, &block, NULL, &err), &err);
}

typedef struct tape {
    const problem *p;
    int64_t first;
    int32_t *labels; /* copies, so that reading beside a piece is found out */
    int64_t *segments;
} tape;

static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes + 1);
    assert_non_null(copy);
    return memcpy(copy, from, bytes);
}

static sp_status read_labels(void *arg, int64_t first, int64_t n, const int32_t **labels,
                             const int64_t **segments, sp_error *err)
{
    (void)err;
    tape *t = arg;
    free(t->labels);
    free(t->segments);
    *labels = t->labels = copy_of(t->p->labels + t->first + first, (size_t)n * sizeof **labels);
    t->segments = copy_of(t->p->segments + t->first + first, (size_t)n * sizeof **segments);
    *segments = t->p->has_segments ? t->segments : NULL;
    return SP_OK;
}

/* A copy of a piece and the steps around it; points to the piece. */
static int32_t *around(const int32_t *steps, int64_t at, int64_t n, int64_t before, int64_t after)
{
    return (int32_t *)copy_of(steps + at - before, (size_t)(before + n + after) * sizeof *steps) + before;
}

static void add_piece(const problem *p, sp_evaluation *e, int64_t first, int64_t at, int64_t n,
                      int64_t before, int64_t after)
{
    int32_t *labels = around(p->labels + first, at, n, before, after), *paths[STRATEGIES], *raters[RATERS];
    int64_t *segments =
        (int64_t *)copy_of(p->segments + first + at - before, (size_t)(before + n + after) * 8) + before;
    for (int s = 0; s < STRATEGIES; s++)
        paths[s] = around(p->paths[s] + first, at, n, before, after);
    for (int i = 0; i < RATERS; i++)
        raters[i] = around(p->raters[i] + first, at, n, before, after);
    sp_scores scores = {copy_of(p->scores + (first + at) * K, (size_t)n * K * sizeof(double)),
                        SP_F64,
                        K,
                        n,
                        NULL,
                        NULL,
                        NULL};
    sp_evaluation_piece piece = {.n_steps = n,
                                 .before = before,
                                 .after = after,
                                 .labels = p->has_labels ? labels : NULL,
                                 .segments = p->has_segments ? segments : NULL,
                                 .scores = &scores,
                                 .paths = (const int32_t *const *)paths,
                                 .raters = p->has_raters ? (const int32_t *const *)raters : NULL};
    sp_error err;
    assert_ok(sp_evaluation_add_piece(e, &piece, &err), &err);
    free(labels - before);
    free(segments - before);
    for (int s = 0; s < STRATEGIES; s++)
        free(paths[s] - before);
    for (int i = 0; i < RATERS; i++)
        free(raters[i] - before);
    free((void *)scores.data);
}

static void add_in_pieces(const problem *p, sp_evaluation *e, int64_t n, random_source *random)
{
    int64_t first = p->offsets[n], T = p->offsets[n + 1] - first;
    sp_decoded results[STRATEGIES];
    for (int s = 0; s < STRATEGIES; s++)
        results[s] = p->results[s][n];
    sp_evaluation_recording recording = {
        .n_steps = T, .results = results, .sleep = {-1, -1}, .cut_path_steps = p->cut[n]};
    if (p->has_trim)
        for (int64_t t = 0; t < T; t += 7)
            sp_wake_look(&recording.sleep, t, T - t < 7 ? T - t : 7, stages, p->labels + first + t);
    sp_error err;
    assert_ok(sp_evaluation_begin(e, &recording, &err), &err);
    bool has_gap = false;
    for (int64_t t = 1; t < T; t++)
        has_gap |= p->segments[first + t] != p->segments[first + t - 1];
    tape labels = {.p = p, .first = first};
    assert_ok(sp_evaluation_ceiling(e, p->has_segments && has_gap, read_labels, &labels, NULL, &err), &err);
    free(labels.labels);
    free(labels.segments);
    for (int64_t at = 0, n_piece; at < T; at += n_piece) {
        n_piece = 4 + random_below(random, random_chance(random, 0.5) ? 4 : 60);
        n_piece = at + n_piece < T ? n_piece : T - at;
        int64_t rest = T - at - n_piece;
        add_piece(p, e, first, at, n_piece, at < 4 ? at : 4, rest < 4 ? rest : 4);
    }
    assert_ok(sp_evaluation_end(e, &err), &err);
}

static sp_comparison *finish(const problem *p, sp_evaluation *e)
{
    sp_error err;
    sp_comparison *c = NULL;
    assert_ok(sp_evaluation_finish(e, &c, &err), &err);
    sp_evaluation_free(e);
    sp_comparison_texts texts = {.file = "random.h5", .model = p->model};
    assert_ok(sp_comparison_describe(c, &texts, &err), &err);
    return c;
}

static void assert_same_text(uint64_t seed, const char *what, char *a, char *b)
{
    size_t at = 0;
    while (a[at] && a[at] == b[at])
        at++;
    if (a[at] != b[at])
        fail_msg("seed %llu, %s at %zu: whole ...%.200s..., in pieces ...%.200s...", (unsigned long long)seed,
                 what, at, a + (at > 100 ? at - 100 : 0), b + (at > 100 ? at - 100 : 0));
    free(a);
    free(b);
}

static void assert_same_traces(const sp_comparison *a, const sp_comparison *b, bool has_labels)
{
    assert_int_equal(a->n_traces, b->n_traces);
    for (int64_t i = 0; i < a->n_traces; i++) {
        const sp_trace *x = &a->traces[i], *y = &b->traces[i];
        size_t T = (size_t)x->n_steps;
        assert_int_equal(x->n_steps, y->n_steps);
        assert_int_equal(x->recording, y->recording);
        if (T == 0)
            continue;
        if (has_labels)
            assert_memory_equal(x->labels, y->labels, T * sizeof *x->labels);
        assert_true(!x->segments == !y->segments);
        if (x->segments)
            assert_memory_equal(x->segments, y->segments, T * sizeof *x->segments);
        for (int s = 0; s < STRATEGIES; s++)
            assert_memory_equal(x->paths[s], y->paths[s], T * sizeof *x->paths[s]);
        assert_memory_equal(x->density, y->density, T * K);
    }
}

static void test_same_reports(void **state)
{
    (void)state;
    problem *p = malloc(sizeof *p);
    assert_non_null(p);
    for (uint64_t seed = 1; seed <= 160; seed++) {
        sp_error err;
        problem_draw(p, seed);
        random_source random = {seed + 5000};
        sp_evaluation *whole = open(p), *pieces = open(p);
        for (int64_t n = 0; n < N; n++) {
            add_whole(p, whole, n);
            if (n == 1)
                add_in_pieces(p, pieces, n, &random);
            else
                add_whole(p, pieces, n);
        }
        sp_comparison *a = finish(p, whole), *b = finish(p, pieces);
        char *one, *other;
        assert_ok(sp_report_json(a, &one, &err), &err);
        assert_ok(sp_report_json(b, &other, &err), &err);
        assert_same_text(seed, "JSON", one, other);
        assert_ok(sp_report_csv(a, &one, &err), &err);
        assert_ok(sp_report_csv(b, &other, &err), &err);
        assert_same_text(seed, "CSV", one, other);
        if (seed % 10 == 0) {
            assert_ok(sp_report_html(a, &one, &err), &err);
            assert_ok(sp_report_html(b, &other, &err), &err);
            assert_same_text(seed, "page", one, other);
        }
        assert_same_traces(a, b, p->has_labels);
        sp_comparison_free(a);
        sp_comparison_free(b);
        problem_free(p);
    }
    free(p);
}

static void test_pieces_out_of_order(void **state)
{
    (void)state;
    problem *p = malloc(sizeof *p);
    assert_non_null(p);
    uint64_t seed = 1;
    for (problem_draw(p, seed); !p->has_labels || p->offsets[2] - p->offsets[1] < 50; problem_draw(p, ++seed))
        problem_free(p);
    sp_error err;
    sp_evaluation *e = open(p);
    sp_decoded results[STRATEGIES] = {{.step = -1}, {.step = -1}, {.step = -1}};
    sp_evaluation_recording recording = {.n_steps = 50, .results = results, .sleep = {-1, -1}};
    sp_evaluation_piece piece = {.n_steps = 20, .after = 4};
    assert_int_equal(sp_evaluation_add_piece(e, &piece, &err), SP_EINVAL);
    assert_int_equal(sp_evaluation_end(e, &err), SP_EINVAL);
    assert_ok(sp_evaluation_begin(e, &recording, &err), &err);
    assert_int_equal(sp_evaluation_begin(e, &recording, &err), SP_EINVAL);
    assert_int_equal(sp_evaluation_end(e, &err), SP_EINVAL);
    assert_int_equal(sp_evaluation_add_piece(e, &piece, &err), SP_EINVAL); /* no labels */
    const int64_t bad[][3] = {{20, 0, 3}, {51, 0, 0}, {3, 0, 4}, {20, 1, 4}};
    for (int i = 0; i < 4; i++) {
        piece = (sp_evaluation_piece){
            .n_steps = bad[i][0], .before = bad[i][1], .after = bad[i][2], .labels = p->labels};
        assert_int_equal(sp_evaluation_add_piece(e, &piece, &err), SP_EINVAL);
    }
    p->labels[p->offsets[1] + 7] = 9;
    const int32_t *paths[STRATEGIES] = {p->paths[0], p->paths[1], p->paths[2]},
                  *raters[RATERS] = {p->raters[0], p->raters[1]};
    piece = (sp_evaluation_piece){
        .n_steps = 20, .after = 4, .labels = p->labels + p->offsets[1], .paths = paths, .raters = raters};
    assert_int_equal(sp_evaluation_add_piece(e, &piece, &err), SP_EDATA);
    assert_int_equal(err.step, 7);
    sp_evaluation_free(e);
    problem_free(p);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_reports),
                                       cmocka_unit_test(test_pieces_out_of_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
