/* What may be asked for beside paths: what is refused, and lack of memory. What is answered is in the law of
 * strategies. */
#include "check.h"
#include "decode_one.h"
#include "failing_alloc.h"
#include "random_batch.h"
#include "statepath/advanced.h"
#include "statepath/stream.h"

/* Every strategy, those with a parameter by two values, and every one relaxed. */
enum { N_BEST = 3, N_DRAWS = 2, MOST_OPTIONS = 128, MOST_STEPS = 40 };
static const sp_draw_options draw = {.n = N_DRAWS, .seed = 8, .recording = 30};
static sp_decode_options all_options[MOST_OPTIONS];
static int n_options;

static int list_options(void **state)
{
    (void)state;
    for (int kind = 0; kind < sp_strategy_count() && n_options + 3 <= MOST_OPTIONS; kind++) {
        const sp_strategy_info *about = sp_strategy_about(kind);
        all_options[n_options++] = (sp_decode_options){{kind, about->sample}, false};
        if (about->parameter)
            all_options[n_options++] = (sp_decode_options){{kind, about->least}, false};
        all_options[n_options++] = (sp_decode_options){{kind, about->sample}, true};
    }
    return n_options > 2 * sp_strategy_count() ? 0 : 1;
}

/* ---- everything that can be asked for ---- */

typedef struct full_answer {
    answer a;
    float *confidence;
    double *log_partition, *margins, *best_scores;
    int32_t *best_paths, *n_best_found, *draws;
} full_answer;

static void *filled(size_t n, size_t size)
{
    void *array = malloc((n + 1) * size);
    assert_non_null(array);
    memset(array, 0x55, (n + 1) * size);
    return array;
}

static full_answer full_answer_new(const sp_batch *batch)
{
    size_t n_steps = (size_t)batch->scores.n_steps, n = (size_t)batch->n_recordings;
    return (full_answer){answer_new(batch),
                         filled(n_steps, sizeof(float)),
                         filled(n, sizeof(double)),
                         filled(n, sizeof(double)),
                         filled(n * N_BEST, sizeof(double)),
                         filled(n_steps * N_BEST, sizeof(int32_t)),
                         filled(n, sizeof(int32_t)),
                         filled(n_steps * N_DRAWS, sizeof(int32_t))};
}

static void full_answer_free(full_answer *f)
{
    answer_free(&f->a);
    free(f->confidence);
    free(f->log_partition);
    free(f->margins);
    free(f->best_scores);
    free(f->best_paths);
    free(f->n_best_found);
    free(f->draws);
}

static sp_decode_output full_output(const full_answer *f)
{
    sp_decode_output output = answer_output(&f->a);
    output.confidence = f->confidence;
    output.log_partition = f->log_partition;
    output.margins = f->margins;
    output.n_best = N_BEST;
    output.best_paths = f->best_paths;
    output.best_scores = f->best_scores;
    output.n_best_found = f->n_best_found;
    output.draw = draw;
    output.draws = f->draws;
    return output;
}

static full_answer decode_fully(int n_threads, const random_batch *f, const sp_decode_options *options)
{
    full_answer a = full_answer_new(&f->batch);
    sp_decode_output output = full_output(&a);
    sp_workers *workers = sp_workers_new(n_threads);
    sp_error err;
    assert_ok(sp_decode_batch(f->c.chain, &f->batch, options, workers, &output, &err), &err);
    sp_workers_free(workers);
    return a;
}

static void assert_same_full_answer(const sp_batch *batch, const full_answer *a, const full_answer *b)
{
    size_t n_steps = (size_t)batch->scores.n_steps, n = (size_t)batch->n_recordings;
    assert_same_answer(batch, &a->a, &b->a);
    assert_memory_equal(a->confidence, b->confidence, n_steps * sizeof(float));
    assert_memory_equal(a->log_partition, b->log_partition, n * sizeof(double));
    assert_memory_equal(a->margins, b->margins, n * sizeof(double));
    assert_memory_equal(a->best_scores, b->best_scores, n * N_BEST * sizeof(double));
    assert_memory_equal(a->best_paths, b->best_paths, n_steps * N_BEST * sizeof(int32_t));
    assert_memory_equal(a->n_best_found, b->n_best_found, n * sizeof(int32_t));
    assert_memory_equal(a->draws, b->draws, n_steps * N_DRAWS * sizeof(int32_t));
}

static void test_what_is_refused(void **state)
{
    (void)state;
    random_batch f = random_batch_new(300, 5, 10, 1);
    full_answer a = full_answer_new(&f.batch), untouched = full_answer_new(&f.batch);
    const sp_decode_options wrong[] = {
        {{SP_BEAM, 0}, false}, {{SP_ONLINE, -1}, false}, {{sp_strategy_count(), 0}, false}};
    sp_decode_output output = full_output(&a);
    sp_workers *workers = sp_workers_new(1);
    sp_error err;
    for (int i = 0; i < 3; i++)
        assert_int_equal(sp_decode_batch(f.c.chain, &f.batch, &wrong[i], workers, &output, &err), SP_EINVAL);
    sp_decode_options options = sp_decode_options_default();
    output.n_best = -1;
    assert_int_equal(sp_decode_batch(f.c.chain, &f.batch, &options, workers, &output, &err), SP_EINVAL);
    output.n_best = INT32_MAX;
    assert_int_equal(sp_decode_batch(f.c.chain, &f.batch, &options, workers, &output, &err), SP_EINVAL);
    output.n_best = N_BEST;
    output.draw.n = -1;
    assert_int_equal(sp_decode_batch(f.c.chain, &f.batch, &options, workers, &output, &err), SP_EINVAL);
    assert_same_full_answer(&f.batch, &a, &untouched);
    sp_workers_free(workers);
    full_answer_free(&a);
    full_answer_free(&untouched);
    random_batch_free(&f);
}

/* ---- lack of memory ---- */

typedef struct attempt {
    const random_batch *f;
    const sp_decode_options *options;
    full_answer answer;
} attempt;

static sp_status decode_once(void *arg)
{
    attempt *a = arg;
    sp_error err;
    sp_workers *workers = sp_workers_new(2);
    if (!workers)
        return SP_ENOMEM;
    sp_decode_output output = full_output(&a->answer);
    sp_status status = sp_decode_batch(a->f->c.chain, &a->f->batch, a->options, workers, &output, &err);
    if (status != SP_OK)
        assert_true(err.status == status && strstr(err.message, "memory"));
    sp_workers_free(workers);
    return status;
}

static void test_each_allocation_of_a_batch_may_fail(void **state)
{
    (void)state;
    for (int i = 0; i < n_options; i++) {
        random_batch f = random_batch_new(500 + (uint64_t)i, 12, 20, 1 + i % 2);
        attempt a = {&f, &all_options[i], full_answer_new(&f.batch)};
        assert_true(assert_each_alloc_may_fail(decode_once, &a) > 5);
        full_answer expected = decode_fully(1, &f, &all_options[i]);
        assert_same_full_answer(&f.batch, &a.answer, &expected);
        full_answer_free(&expected);
        full_answer_free(&a.answer);
        random_batch_free(&f);
    }
}

/* One function after the other with an allocation that fails: what it would write stays as it was. */
typedef struct single_attempt {
    const random_case *c;
    const sp_strategy *strategy; /* NULL: the functions that are no strategies */
} single_attempt;

static sp_status strategy_once(void *arg)
{
    const single_attempt *a = arg;
    int32_t path[MOST_STEPS];
    double score = 77;
    sp_error err;
    memset(path, 0x55, sizeof path);
    sp_scratch *scratch = sp_scratch_new();
    if (!scratch)
        return SP_ENOMEM;
    sp_status status = decode_one(*a->strategy, a->c->chain, &a->c->scores, scratch, path, &score, &err);
    sp_scratch_free(scratch);
    if (status != SP_OK)
        assert_true(score == 77 && path[0] == 0x55555555);
    return status == SP_ENOPATH || status == SP_EDEADEND ? SP_OK : status;
}

static sp_status marginals_once(void *arg)
{
    const random_case *c = ((single_attempt *)arg)->c;
    double marginals[MOST_STEPS * 6] = {77}, log_z = 77;
    sp_scratch *scratch = sp_scratch_new();
    if (!scratch)
        return SP_ENOMEM;
    sp_status status = sp_forward_backward(c->chain, &c->scores, scratch, marginals, &log_z, NULL);
    sp_scratch_free(scratch);
    if (status != SP_OK)
        assert_true(marginals[0] == 77 && log_z == 77);
    return status == SP_ENOPATH ? SP_OK : status;
}

static sp_status best_once(void *arg)
{
    const random_case *c = ((single_attempt *)arg)->c;
    int32_t paths[N_BEST * MOST_STEPS] = {77};
    double scores[N_BEST] = {77}, margin = 77;
    sp_scratch *scratch = sp_scratch_new();
    if (!scratch)
        return SP_ENOMEM;
    sp_nbest_paths out = {.paths = paths, .stride = MOST_STEPS, .scores = scores, .n_found = 77};
    sp_status status = sp_nbest(c->chain, &c->scores, N_BEST, scratch, &out, NULL);
    if (status != SP_OK)
        assert_true(paths[0] == 77 && scores[0] == 77 && out.n_found == 77);
    if (status == SP_OK) {
        status = sp_margin(c->chain, &c->scores, scratch, paths, &margin, NULL);
        if (status != SP_OK)
            assert_true(margin == 77);
    }
    sp_scratch_free(scratch);
    return status == SP_ENOPATH ? SP_OK : status;
}

static void test_single_functions_leave_outputs_alone(void **state)
{
    (void)state;
    const random_shape shape = {.max_classes = 5,
                                .max_steps = MOST_STEPS,
                                .max_states_per_class = 3,
                                .max_dwell = 2,
                                .has_weights = true,
                                .impossible = 0.05};
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_case c = random_case_new(seed, &shape);
        single_attempt a = {&c, &all_options[seed % n_options].strategy};
        assert_each_alloc_may_fail(strategy_once, &a);
        assert_each_alloc_may_fail(marginals_once, &a);
        assert_each_alloc_may_fail(best_once, &a);
        random_case_free(&c);
    }
}

/* Argmax asks nobody: where no path is allowed its path has a margin all the same, which no other path can win. */
static void test_margin_where_no_path_is_allowed(void **state)
{
    (void)state;
    enum { K = 2, T = 3 };
    const char *names[K] = {"a", "b"};
    const uint8_t allow[K * K] = {0, 1, 0, 0}; /* b is followed by nothing */
    const double e[T * K] = {-.1, -2, -.1, -2, -.1, -2};
    const int64_t offsets[] = {0, T};
    const sp_batch batch = {{e, SP_F64, K, T, NULL, NULL, NULL}, 1, offsets};
    const sp_decode_options argmax = {.strategy = {SP_ARGMAX, 0}};
    int32_t path[T];
    sp_decoded result;
    double margin = 77;
    const sp_decode_output output = {.paths = path, .results = &result, .margins = &margin};
    sp_error err;
    sp_chain *chain;
    sp_workers *workers = sp_workers_new(1);
    sp_model *model = sp_model_new("short", K, names);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    assert_ok(sp_decode_batch(chain, &batch, &argmax, workers, &output, &err), &err);
    assert_int_equal(result.status, SP_OK);
    assert_true(margin == -INFINITY);
    sp_workers_free(workers);
    sp_chain_free(chain);
    sp_model_free(model);
}

/* A push that runs out of memory took nothing: pushing again goes on where it was. */
static void test_stream_survives_lack_of_memory(void **state)
{
    (void)state;
    const random_shape shape = {
        .max_classes = 5, .max_steps = 1, .max_states_per_class = 2, .max_dwell = 2, .has_weights = true};
    int n_failed = 0, n_paths = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        random_case c = random_case_new(seed, &shape);
        random_source random = {seed};
        random_case_draw_scores(&c, &random, MOST_STEPS, &shape);
        int32_t path[MOST_STEPS], expected[MOST_STEPS], n = 0, n_rest = 0;
        sp_scratch *scratch = sp_scratch_new();
        sp_online *online;
        sp_error err;
        if (decode_online(c.chain, &c.scores, 25, scratch, expected, NULL, &err) == SP_OK) {
            assert_ok(sp_online_new(c.chain, 25, &online, &err), &err);
            for (int64_t t = 0; t < MOST_STEPS; t++) {
                const double *row = c.data + t * c.scores.n_classes;
                int32_t k = -1;
                failing_alloc_arm(t % 4); /* pushes that need memory need four pieces */
                sp_status status = sp_online_push(online, row, false, &k, &err);
                if (failing_alloc_disarm()) {
                    assert_int_equal(status, SP_ENOMEM);
                    n_failed++;
                    status = sp_online_push(online, row, false, &k, &err);
                }
                assert_ok(status, &err);
                if (k >= 0)
                    path[n++] = k;
            }
            assert_ok(sp_online_finish(online, path + n, &n_rest, &err), &err);
            assert_int_equal(n + n_rest, MOST_STEPS);
            assert_memory_equal(path, expected, sizeof path);
            sp_online_free(online);
            n_paths++;
        }
        sp_scratch_free(scratch);
        random_case_free(&c);
    }
    assert_true(n_paths > 5 && n_failed >= 2 * n_paths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_each_allocation_of_a_batch_may_fail),
        cmocka_unit_test(test_single_functions_leave_outputs_alone),
        cmocka_unit_test(test_margin_where_no_path_is_allowed),
        cmocka_unit_test(test_stream_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, list_options, NULL);
}
