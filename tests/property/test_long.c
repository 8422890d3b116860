/* Long recordings in pieces against the same in memory. */
#include "check.h"
#include "random_batch.h"
#include "random_model.h"
#include "statepath/advanced.h"
#include "statepath/stream.h"

/* Confidence and score of a path in pieces are given by runs on files alone. */
#include "decode/long.h"

/* A recording that is handed out in copies of its pieces, so that reading beside one is found out. */
typedef struct tape {
    const sp_scores *whole;
    void *rows;
    int64_t *segments;
    int32_t *path;    /* [T] */
    uint8_t *count;   /* [T] how often each step was written */
    uint8_t *broken;  /* [T] as written */
    float *sure;      /* [T] confidence as written */
    int64_t n_reads;  /* so far */
    int64_t fails_at; /* this reading fails; -1: none does */
    bool is_read_only;
} tape;

static sp_status tape_read(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err)
{
    tape *t = arg;
    size_t row = (size_t)t->whole->n_classes * (size_t)t->whole->dtype;
    assert_true(first >= 0 && n > 0 && first + n <= t->whole->n_steps);
    if (t->n_reads++ == t->fails_at)
        return sp_fail_at(err, SP_EDATA, first, "the tape is torn");
    free(t->rows);
    free(t->segments);
    t->rows = malloc((size_t)n * row);
    t->segments = NULL;
    assert_non_null(t->rows);
    memcpy(t->rows, (const char *)t->whole->data + (size_t)first * row, (size_t)n * row);
    if (t->whole->segments) {
        t->segments = malloc((size_t)n * sizeof *t->segments);
        assert_non_null(t->segments);
        memcpy(t->segments, t->whole->segments + first, (size_t)n * sizeof *t->segments);
    }
    *scores = (sp_scores){t->rows, t->whole->dtype, t->whole->n_classes, n, t->segments, NULL, NULL};
    return SP_OK;
}

static sp_status tape_write(void *arg, int64_t first, int64_t n, const int32_t *path, const uint8_t *broken,
                            sp_error *err)
{
    tape *t = arg;
    if (t->is_read_only)
        return sp_fail(err, SP_EFILE, "the tape is write-protected");
    for (int64_t i = first; i < first + n; i++) {
        t->path[i] = path ? path[i - first] : -1;
        t->count[i] = path ? t->count[i] + 1 : 0;
        t->broken[i] = broken ? broken[i - first] : 0;
    }
    return SP_OK;
}

static sp_status tape_path(void *arg, int64_t first, int64_t n, int32_t *path, sp_error *err)
{
    tape *t = arg;
    (void)err;
    memcpy(path, t->path + first, (size_t)n * sizeof *path);
    return SP_OK;
}

static sp_status tape_sure(void *arg, int64_t first, int64_t n, const float *confidence, sp_error *err)
{
    tape *t = arg;
    (void)err;
    memcpy(t->sure + first, confidence, (size_t)n * sizeof *confidence);
    return SP_OK;
}

static tape tape_new(const sp_scores *whole)
{
    size_t T = (size_t)whole->n_steps;
    tape t = {
        .whole = whole, .path = malloc((T + 1) * sizeof *t.path), .count = calloc(T + 1, 1), .fails_at = -1};
    t.broken = calloc(T + 1, 1);
    t.sure = malloc((T + 1) * sizeof *t.sure);
    assert_non_null(t.path);
    assert_non_null(t.count);
    assert_non_null(t.broken);
    assert_non_null(t.sure);
    return t;
}

static void tape_free(tape *t)
{
    free(t->rows);
    free(t->segments);
    free(t->path);
    free(t->count);
    free(t->broken);
    free(t->sure);
}

static sp_long_recording tape_recording(tape *t, int64_t piece_steps)
{
    bool has_gap = false;
    for (int64_t i = 1; t->whole->segments && i < t->whole->n_steps; i++)
        has_gap |= sp_scores_is_gap(t->whole, i);
    return (sp_long_recording){t->whole->n_steps, piece_steps, has_gap, tape_read, tape_write, t};
}

static sp_workers *workers[3]; /* [n_threads] */

static int new_workers(void **state)
{
    (void)state;
    return (workers[1] = sp_workers_new(1)) && (workers[2] = sp_workers_new(2)) ? 0 : 1;
}

static int free_workers(void **state)
{
    (void)state;
    sp_workers_free(workers[1]);
    sp_workers_free(workers[2]);
    return 0;
}

/* Counts what came out, so that a test can see that it met everything. */
static int64_t n_met[SP_EDEADEND + 1], n_broken_met;

/* The score along the path is that of the whole path, bit for bit, however the recording is cut. */
static void check_score(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double whole,
                        int64_t piece)
{
    sp_long_score *sum = sp_long_score_new(chain);
    assert_non_null(sum);
    tape t = tape_new(scores);
    sp_error err;
    for (int64_t first = 0; first < scores->n_steps; first += piece) {
        int64_t n = scores->n_steps - first < piece ? scores->n_steps - first : piece;
        sp_scores part;
        assert_ok(tape_read(&t, first, n, &part, &err), &err);
        assert_ok(sp_long_score_add(sum, &part, path + first, &err), &err);
    }
    assert_true(sp_long_score_end(sum) == whole);
    sp_long_score_free(sum);
    tape_free(&t);
}

/* Confidence, log Z and margin of the path on the tape. */
static void check_sureness(const sp_chain *chain, tape *t, const sp_long_recording *recording, bool has_path,
                           int n_threads)
{
    int64_t T = t->whole->n_steps, offsets[2] = {0, T};
    sp_batch batch = {*t->whole, 1, offsets};
    int32_t *path = malloc(((size_t)T + 1) * sizeof *path);
    float *confidence = malloc(((size_t)T + 1) * sizeof *confidence);
    assert_non_null(path);
    assert_non_null(confidence);
    sp_error err;
    sp_long_given given = {has_path ? tape_path : NULL, tape_sure, t};
    sp_long_sureness sure;
    assert_ok(sp_confidence_long(chain, recording, &given, workers[n_threads], &sure, &err), &err);
    double log_z = -INFINITY, margin = NAN;
    sp_scratch *scratch = sp_scratch_new();
    assert_non_null(scratch);
    sp_scores scores = sp_batch_recording(&batch, 0);
    sp_status status = has_path ? sp_confidence(chain, &scores, scratch, t->path, confidence, &log_z, &err)
                                : sp_forward_backward(chain, &scores, scratch, NULL, &log_z, &err);
    bool is_possible = status == SP_OK;
    if (has_path && sp_margin(chain, &scores, scratch, t->path, &margin, &err) != SP_OK)
        margin = -INFINITY;
    assert_true(isnan(margin) ? isnan(sure.margin) : sure.margin == margin);
    if (is_possible)
        assert_close(sure.log_partition, log_z, 1e-9, 1e-9);
    else
        assert_true(sure.log_partition == -INFINITY);
    for (int64_t i = 0; i < T; i++)
        if (has_path && is_possible)
            assert_close(t->sure[i], confidence[i], 1e-6, 1e-6);
        else
            assert_true(isnan(t->sure[i]));
    sp_scratch_free(scratch);
    free(path);
    free(confidence);
}

static void check_against_memory(const sp_chain *chain, const sp_scores *scores,
                                 const sp_decode_options *options, int64_t piece_steps, int n_threads)
{
    int64_t offsets[2] = {0, scores->n_steps};
    sp_batch batch = {*scores, 1, offsets};
    answer whole = answer_decode(1, chain, &batch, options);
    const sp_decoded *expected = &whole.results[0];
    tape t = tape_new(scores);
    sp_long_recording recording = tape_recording(&t, piece_steps);
    sp_decoded result;
    sp_error err;
    assert_ok(sp_decode_long(chain, &recording, options, workers[n_threads], &result, &err), &err);
    assert_int_equal(result.status, expected->status);
    assert_int_equal(result.step, expected->step);
    assert_int_equal(result.n_broken, expected->n_broken);
    for (int64_t i = 0; i < scores->n_steps; i++)
        if (t.count[i] != (result.status == SP_OK) || t.path[i] != whole.paths[i] ||
            t.broken[i] != whole.broken[i])
            fail_msg("%s, pieces of %lld, step %lld of %lld: written %d times, class %d broken %d, in memory "
                     "%d %d",
                     sp_strategy_about(options->strategy.kind)->name, (long long)piece_steps, (long long)i,
                     (long long)scores->n_steps, t.count[i], (int)t.path[i], t.broken[i], (int)whole.paths[i],
                     whole.broken[i]);
    if (isinf(expected->score))
        assert_true(result.score == expected->score);
    else
        assert_close(result.score, expected->score, 1e-12, 1e-12);
    if (result.status == SP_OK)
        check_score(chain, scores, whole.paths, expected->score, piece_steps ? piece_steps : 1000);
    if (scores->n_steps < 1000)
        check_sureness(chain, &t, &recording, result.status == SP_OK, n_threads);
    n_met[result.status]++;
    n_broken_met += result.n_broken > 0;
    tape_free(&t);
    answer_free(&whole);
}

/* Some of all strategies, with parameters that cut them short. */
static void check_some(const sp_chain *chain, const sp_scores *scores, int64_t piece_steps, double share,
                       random_source *random)
{
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        if (!random_chance(random, share))
            continue;
        sp_decode_options options = sp_decode_options_default();
        const sp_strategy_info *about = sp_strategy_about(kind);
        int32_t most = random_chance(random, 0.5) ? 4 : 40;
        options.strategy =
            (sp_strategy){kind, about->parameter ? about->least + random_below(random, most) : 0};
        options.relax = random_chance(random, 0.5);
        check_against_memory(chain, scores, &options, piece_steps, 1 + random_below(random, 2));
    }
}

static void run_random(uint64_t seed, const random_shape *shape, int n_cases)
{
    for (int i = 0; i < n_cases; i++) {
        random_case c = random_case_new(seed + (uint64_t)i, shape);
        random_source random = {seed + 1000003 * (uint64_t)i};
        check_some(c.chain, &c.scores, 16 * (1 + random_below(&random, 5)), 0.4, &random);
        random_case_free(&c);
    }
}

static void test_small_recordings_in_tiny_pieces(void **state)
{
    (void)state;
    memset(n_met, 0, sizeof n_met);
    random_shape shape = {
        .max_classes = 12, .max_steps = 200, .max_states_per_class = 1, .max_dwell = 1, .has_weights = true};
    run_random(100, &shape, 100);
    shape.has_ties = true;
    run_random(300, &shape, 150);
    shape.has_gaps = true;
    run_random(500, &shape, 150);
    shape.impossible = 0.5;
    run_random(700, &shape, 200);
    shape = (random_shape){
        .max_classes = 40, .max_steps = 150, .max_states_per_class = 1, .max_dwell = 1, .impossible = 0.3};
    run_random(900, &shape, 100);
    assert_true(n_met[SP_OK] > 200 && n_met[SP_ENOPATH] > 50 && n_met[SP_EDEADEND] > 5 && n_broken_met > 50);
}

static void test_several_states_a_class(void **state)
{
    (void)state;
    memset(n_met, 0, sizeof n_met);
    random_shape shape = {
        .max_classes = 5, .max_steps = 200, .max_states_per_class = 3, .max_dwell = 4, .has_weights = true};
    run_random(2000, &shape, 100);
    shape.has_ties = true;
    run_random(2200, &shape, 200);
    shape.has_gaps = true;
    shape.impossible = 0.2;
    run_random(2500, &shape, 200);
    assert_true(n_met[SP_OK] > 100 && n_met[SP_ENOPATH] > 20);
}

static void test_durations(void **state)
{
    (void)state;
    memset(n_met, 0, sizeof n_met);
    random_shape shape = {
        .max_classes = 5, .max_steps = 120, .max_states_per_class = 1, .max_dwell = 2, .has_weights = true};
    shape.longest = 12;
    run_random(3000, &shape, 60);
    shape.has_gaps = true;
    shape.longest = 6;
    run_random(3100, &shape, 100);
    shape.has_ties = true;
    shape.max_states_per_class = 2;
    shape.impossible = 0.1;
    shape.longest = 6;
    run_random(3200, &shape, 60);
    assert_true(n_met[SP_OK] > 100 && n_met[SP_ENOPATH] > 20);
}

/* More than 100,000 steps: in memory they go in chunks, see lib/decode/kernels/chunks/chunks.h. */
static void check_long(uint64_t seed, const random_shape *shape, int64_t n_steps, int64_t piece_steps)
{
    random_case c = random_case_new(seed, shape);
    random_source random = {seed + 77};
    random_case_draw_scores(&c, &random, n_steps, shape);
    check_some(c.chain, &c.scores, piece_steps, 0.3, &random);
    random_case_free(&c);
}

static void test_more_than_a_hundred_thousand_steps(void **state)
{
    (void)state;
    memset(n_met, 0, sizeof n_met);
    const int64_t pieces[] = {0, 528, 1040, 12352, 33333, 50000};
    random_shape shape = {
        .max_classes = 12, .max_steps = 4, .max_states_per_class = 1, .max_dwell = 1, .has_weights = true};
    for (uint64_t i = 0; i < 12; i++) {
        shape.has_ties = i % 2;
        shape.impossible = i % 3 == 2 ? 0.05 : 0;
        check_long(4000 + i, &shape, 100001 + 1237 * (int64_t)i, pieces[i % 6]);
    }
    shape.has_gaps = true;
    check_long(5000, &shape, 101000, 7777);
    assert_true(n_met[SP_OK] > 12);
}

/* Viterbi by the kernels for many states, on one thread or shared (from 8,192 steps of a piece on): ties go on across pieces. */
static void test_many_states_in_pieces(void **state)
{
    (void)state;
    memset(n_met, 0, sizeof n_met);
    static const int64_t pieces[] = {16, 208, 1008, 8192, 9008, 0};
    static const random_shape shapes[] = {{50, 4, 1, 1, NO, WEIGHTS, NO, .impossible = 0},
                                          {40, 4, 1, 1, TIES, WEIGHTS, NO, .impossible = 0.02},
                                          {12, 4, 4, 1, TIES, NO, NO, .impossible = 0},
                                          {8, 4, 4, 2, NO, WEIGHTS, NO, .impossible = 0},
                                          {12, 4, 4, 1, TIES, WEIGHTS, NO, .impossible = 0.05}};
    for (uint64_t i = 0; i < 60; i++) {
        const random_shape *shape = &shapes[i % 5];
        random_case c = random_case_new(6000 + i, shape);
        random_source random = {i};
        sp_decode_options options = sp_decode_options_default();
        options.relax = i % 2;
        random_case_draw_scores(&c, &random, (i % 6 < 3 ? 500 : 18000) + 100 * (int64_t)i, shape);
        check_against_memory(c.chain, &c.scores, &options, pieces[i % 6], 1 + (int)(i / 5 % 2));
        random_case_free(&c);
    }
    assert_true(n_met[SP_OK] > 30);
}

static void test_failing_reads_and_writes(void **state)
{
    (void)state;
    random_shape shape = {.max_classes = 4, .max_steps = 100, .max_states_per_class = 1, .max_dwell = 1};
    random_case c = random_case_new(1, &shape);
    random_source random = {5};
    random_case_draw_scores(&c, &random, 100, &shape);
    for (int kind = 0; kind < sp_strategy_count(); kind++)
        for (int64_t fails_at = 0; fails_at < 7 * sp_strategy_about(kind)->readings; fails_at++) {
            sp_decode_options options = sp_decode_options_default();
            options.strategy = (sp_strategy){kind, sp_strategy_about(kind)->sample};
            tape t = tape_new(&c.scores);
            t.fails_at = fails_at;
            sp_long_recording recording = tape_recording(&t, 16);
            sp_decoded result = {.status = SP_EINVAL};
            sp_error err;
            assert_int_equal(sp_decode_long(c.chain, &recording, &options, workers[1], &result, &err),
                             SP_EDATA);
            assert_string_equal(err.message, "the tape is torn");
            assert_int_equal(result.status, SP_EINVAL); /* untouched */
            t.fails_at = -1;
            t.is_read_only = true;
            assert_int_equal(sp_decode_long(c.chain, &recording, &options, workers[1], &result, &err),
                             SP_EFILE);
            tape_free(&t);
        }
    tape t = tape_new(&c.scores);
    sp_long_recording recording = tape_recording(&t, 16);
    sp_decoded result;
    sp_error err;
    sp_decode_options options = {.strategy = {SP_BEAM, 0}};
    assert_int_equal(sp_decode_long(c.chain, &recording, &options, workers[1], &result, &err), SP_EINVAL);
    options.strategy = (sp_strategy){SP_ONLINE, -1};
    assert_int_equal(sp_decode_long(c.chain, &recording, &options, workers[1], &result, &err), SP_EINVAL);
    options = sp_decode_options_default();
    recording.n_steps = 0;
    assert_ok(sp_decode_long(c.chain, &recording, &options, workers[1], &result, &err), &err);
    assert_true(result.status == SP_OK && result.score == 0 && t.n_reads == 0);
    tape_free(&t);
    random_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_recordings_in_tiny_pieces),
        cmocka_unit_test(test_several_states_a_class),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_more_than_a_hundred_thousand_steps),
        cmocka_unit_test(test_many_states_in_pieces),
        cmocka_unit_test(test_failing_reads_and_writes),
    };
    return cmocka_run_group_tests(tests, new_workers, free_workers);
}
