/* Decoding that looks at the scores by itself: the answers and errors of sp_prepare() and sp_decode_batch(), one after the other.
 */
#include "check.h"
#include "random_batch.h"
#include "statepath/decode.h"

enum { SHARED_BY_THREADS = 100000 }; /* recordings of more steps, one after the other */

/* A batch as a block, of floats where asked; owns its scores. */
typedef struct raw_batch {
    random_batch f;
    sp_block block;
} raw_batch;

static raw_batch raw_new(uint64_t seed, int64_t n_recordings, int32_t longest, int32_t states, sp_dtype dtype)
{
    raw_batch r = {.f = random_batch_new(seed, n_recordings, longest, states)};
    const sp_scores *scores = &r.f.batch.scores;
    const size_t n = (size_t)scores->n_steps * (size_t)scores->n_classes;
    r.block = (sp_block){.n_recordings = n_recordings,
                         .n_steps = scores->n_steps,
                         .n_classes = scores->n_classes,
                         .offsets = r.f.offsets,
                         .dtype = dtype,
                         .segments = r.f.c.segments};
    r.block.scores = malloc((n + 1) * (size_t)dtype);
    for (size_t i = 0; i < n; i++)
        if (dtype == SP_F32)
            ((float *)r.block.scores)[i] = (float)r.f.c.data[i];
        else
            ((double *)r.block.scores)[i] = r.f.c.data[i];
    return r;
}

static void raw_free(raw_batch *r)
{
    free(r->block.scores);
    random_batch_free(&r->f);
}

static void put(raw_batch *r, int64_t at, double value)
{
    if (r->block.dtype == SP_F32)
        ((float *)r->block.scores)[at] = (float)value;
    else
        ((double *)r->block.scores)[at] = value;
}

/* False where a row is bad. */
static bool check_one(raw_batch *r, const sp_decode_options *options, int n_threads)
{
    const sp_prepare_options how = {.kind = SP_KIND_SCORES, .temperature = 1};
    const sp_batch batch = sp_block_batch(&r->block);
    answer expected = answer_new(&batch), found = answer_new(&batch);
    const sp_decode_output apart = answer_output(&expected), along = answer_output(&found);
    sp_workers *workers = sp_workers_new(n_threads);
    sp_error err = {.message = ""}, said = {.message = ""};
    sp_status status = sp_prepare(&r->block, &how, workers, NULL, &err);
    const bool is_fine = status == SP_OK;
    if (is_fine)
        assert_ok(sp_decode_batch(r->f.c.chain, &batch, options, workers, &apart, &err), &err);
    assert_int_equal(
        sp_decode_checked(r->f.c.chain, &r->block, SP_KIND_SCORES, options, workers, &along, &said), status);
    if (is_fine) {
        assert_same_answer(&batch, &expected, &found);
    } else {
        assert_string_equal(said.message, err.message);
        assert_int_equal(said.step, err.step);
    }
    sp_workers_free(workers);
    answer_free(&expected);
    answer_free(&found);
    return is_fine;
}

static const sp_strategy strategies[] = {{SP_VITERBI, 0}, {SP_GREEDY, 0},    {SP_ARGMAX, 0},
                                         {SP_BEAM, 3},    {SP_POSTERIOR, 0}, {SP_MEA, 0}};
static const double bad_numbers[] = {NAN, -NAN, INFINITY, 1e301};

static void test_same_as_prepare_and_decode(void **state)
{
    (void)state;
    const sp_isa best = sp_isa_current();
    int n_fine = 0, n_bad = 0;
    for (int i = 0; i < 240; i++) {
        const sp_decode_options options = {strategies[i % 6], i % 7 == 0};
        random_source random = {(uint64_t)i};
        raw_batch r =
            raw_new(700 + (uint64_t)i, i % 5 ? 100 : 3, 20, 1 + (i / 6) % 2, i % 4 < 2 ? SP_F32 : SP_F64);
        const int64_t n = r.block.n_steps * r.block.n_classes;
        for (int bad = random_below(&random, 3); bad > 0 && n > 0; bad--)
            put(&r, (int64_t)(random_next(&random) % (uint64_t)n), bad_numbers[random_below(&random, 4)]);
        assert_int_equal(sp_isa_set(SP_ISA_BASE + (sp_isa)(i % (best - SP_ISA_BASE + 1)), NULL), SP_OK);
        if (check_one(&r, &options, 1 + i % 3))
            n_fine++;
        else
            n_bad++;
        raw_free(&r);
    }
    sp_isa_set(best, NULL);
    assert_true(n_fine > 60 && n_bad > 60);
}

/* Recordings that all threads share are looked at before. */
static void test_long_recordings(void **state)
{
    (void)state;
    const sp_decode_options viterbi = sp_decode_options_default();
    for (int is_bad = 0; is_bad < 2; is_bad++) {
        raw_batch r = raw_new(901, 3, 2 * SHARED_BY_THREADS, 1, SP_F32);
        int64_t longest = 0;
        for (int64_t n = 0; n < 3; n++)
            longest =
                r.f.offsets[n + 1] - r.f.offsets[n] > longest ? r.f.offsets[n + 1] - r.f.offsets[n] : longest;
        assert_true(longest > SHARED_BY_THREADS);
        if (is_bad)
            put(&r, r.block.n_steps * r.block.n_classes - 1, NAN);
        assert_int_equal(check_one(&r, &viterbi, 2), !is_bad);
        raw_free(&r);
    }
}

static void test_rows_of_log_probs(void **state)
{
    (void)state;
    raw_batch r = raw_new(902, 100, 20, 1, SP_F64);
    const sp_decode_options viterbi = sp_decode_options_default();
    const sp_batch batch = sp_block_batch(&r.block);
    const sp_prepare_options how = sp_prepare_options_default();
    answer a = answer_new(&batch);
    const sp_decode_output output = answer_output(&a);
    sp_workers *workers = sp_workers_new(2);
    sp_error err, said;
    const int32_t K = r.block.n_classes;
    assert_int_equal(sp_prepare(&r.block, &how, workers, NULL, &err), SP_EDATA); /* small whole numbers */
    assert_int_equal(
        sp_decode_checked(r.f.c.chain, &r.block, SP_KIND_LOG_PROBS, &viterbi, workers, &output, &said),
        SP_EDATA);
    assert_string_equal(said.message, err.message);
    for (int64_t t = 0; t < r.block.n_steps; t++)
        for (int32_t k = 0; k < K; k++)
            put(&r, t * K + k,
                t % 3 ? -log(K) : -INFINITY); /* rows without any probability are scores, too */
    assert_ok(sp_decode_checked(r.f.c.chain, &r.block, SP_KIND_LOG_PROBS, &viterbi, workers, &output, &err),
              &err);
    sp_workers_free(workers);
    answer_free(&a);
    raw_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_prepare_and_decode),
        cmocka_unit_test(test_long_recordings),
        cmocka_unit_test(test_rows_of_log_probs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
