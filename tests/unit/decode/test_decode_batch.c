/* Batches: what need not be asked for, workers, lack of memory. What is decoded is in the law of strategies.
 * */
#include "check.h"
#include "decode_one.h"
#include "failing_alloc.h"
#include "random_batch.h"
#include "statepath/decode.h"

static const sp_decode_options all_options[] = {
    {{SP_ARGMAX, 0}, false}, {{SP_GREEDY, 0}, false}, {{SP_VITERBI, 0}, false},
    {{SP_ARGMAX, 0}, true},  {{SP_GREEDY, 0}, true},  {{SP_VITERBI, 0}, true},
};
enum { N_OPTIONS = sizeof all_options / sizeof *all_options };

static void test_output_without_flags(void **state)
{
    (void)state;
    random_batch f = random_batch_new(300, 50, 30, 1);
    for (int i = 0; i < N_OPTIONS; i++) {
        answer with = answer_decode(1, f.c.chain, &f.batch, &all_options[i]), without = answer_new(&f.batch);
        sp_decode_output output = answer_output(&without);
        output.broken = NULL;
        sp_workers *workers = sp_workers_new(2);
        sp_error err;
        assert_ok(sp_decode_batch(f.c.chain, &f.batch, &all_options[i], workers, &output, &err), &err);
        sp_workers_free(workers);
        assert_memory_equal(with.paths, without.paths, (size_t)f.batch.scores.n_steps * sizeof(int32_t));
        answer_free(&with);
        answer_free(&without);
    }
    random_batch_free(&f);
}

static void test_workers_by_default(void **state)
{
    (void)state;
    sp_workers *workers = sp_workers_new(0);
    assert_true(sp_workers_count(workers) >= 1);
    sp_workers_free(workers);
}

static void mark(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    (void)scratch;
    for (int64_t i = first; i < last; i++)
        ((uint8_t *)arg)[i]++;
}

static void test_every_item_once(void **state)
{
    (void)state;
    const int64_t sizes[] = {0, 1, 2, 7, 100, 4097, 100000};
    for (int n_threads = 1; n_threads <= 5; n_threads++) {
        sp_workers *workers = sp_workers_new(n_threads);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint8_t *marks = calloc((size_t)sizes[s] + 1, 1);
            sp_workers_share(workers, sizes[s], mark, marks);
            for (int64_t i = 0; i < sizes[s]; i++)
                assert_int_equal(marks[i], 1);
            assert_int_equal(marks[sizes[s]], 0);
            free(marks);
        }
        sp_workers_free(workers);
    }
}

/* ---- lack of memory ---- */

typedef struct attempt {
    const random_batch *f;
    const sp_decode_options *options;
    answer answer, expected;
} attempt;

static sp_status decode_once(void *arg)
{
    attempt *a = arg;
    sp_error err;
    sp_workers *workers = sp_workers_new(2);
    if (!workers)
        return SP_ENOMEM;
    sp_decode_output output = answer_output(&a->answer);
    sp_status status = sp_decode_batch(a->f->c.chain, &a->f->batch, a->options, workers, &output, &err);
    if (status != SP_OK)
        assert_true(err.status == status && strstr(err.message, "memory"));
    sp_workers_free(workers);
    if (status ==
        SP_OK) /* a fast kernel without room leaves the work to the plain one: the answers are there all the same */
        assert_same_answer(&a->f->batch, &a->answer, &a->expected);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    for (int i = 0; i < N_OPTIONS * 2; i++) {
        random_batch f = random_batch_new(500 + (uint64_t)i, 20, 20, 1 + i / N_OPTIONS);
        attempt a = {&f, &all_options[i % N_OPTIONS], answer_new(&f.batch),
                     answer_decode(1, f.c.chain, &f.batch, &all_options[i % N_OPTIONS])};
        assert_true(assert_each_alloc_may_fail_or_not_matter(decode_once, &a) > 5);
        answer_free(&a.expected);
        answer_free(&a.answer);
        random_batch_free(&f);
    }
}

/* A single decoder leaves its outputs alone whichever allocation fails. */
typedef struct single_attempt {
    const random_case *c;
    sp_strategy_kind kind;
} single_attempt;

static sp_status decode_alone_once(void *arg)
{
    const single_attempt *a = arg;
    int32_t path[64];
    double score = 77;
    sp_error err;
    memset(path, 0x55, sizeof path);
    sp_scratch *scratch = sp_scratch_new();
    if (!scratch)
        return SP_ENOMEM;
    const sp_chain *chain = a->c->chain;
    const sp_scores *scores = &a->c->scores;
    sp_status status = decode_one((sp_strategy){a->kind, 0}, chain, scores, scratch, path, &score, &err);
    sp_scratch_free(scratch);
    if (status != SP_OK)
        assert_true(score == 77 && path[0] == 0x55555555);
    return status == SP_ENOPATH || status == SP_EDEADEND ? SP_OK : status;
}

static void test_single_decoders_leave_outputs_alone(void **state)
{
    (void)state;
    const random_shape shape = {
        .max_classes = 5, .max_steps = 60, .max_states_per_class = 3, .max_dwell = 2, .impossible = 0.1};
    for (uint64_t seed = 0; seed < 60; seed++) {
        const sp_strategy_kind kinds[] = {SP_ARGMAX, SP_GREEDY, SP_VITERBI};
        random_case c = random_case_new(seed, &shape);
        single_attempt a = {&c, kinds[seed % 3]};
        assert_each_alloc_may_fail(decode_alone_once, &a);
        random_case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_without_flags),
        cmocka_unit_test(test_workers_by_default),
        cmocka_unit_test(test_every_item_once),
        cmocka_unit_test(test_each_allocation_may_fail),
        cmocka_unit_test(test_single_decoders_leave_outputs_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
