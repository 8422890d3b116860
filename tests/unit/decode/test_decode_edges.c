/* Edges of decoding: short and very long recordings, wrong arguments, many states. */
#include "check.h"
#include "decode_one.h"
#include "oracle.h"
#include "random_batch.h"
#include "statepath/decode.h"

static const sp_decode_options all_options[] = {
    {{SP_ARGMAX, 0}, false}, {{SP_GREEDY, 0}, false}, {{SP_VITERBI, 0}, false},
    {{SP_ARGMAX, 0}, true},  {{SP_GREEDY, 0}, true},  {{SP_VITERBI, 0}, true},
};
enum { N_OPTIONS = sizeof all_options / sizeof *all_options };

/* K classes, everything allowed. */
static sp_chain *free_chain(int32_t n_classes)
{
    const char *names[] = {"a", "b", "c", "d", "e"};
    uint8_t allow[25];
    memset(allow, 1, sizeof allow);
    sp_error err;
    sp_chain *chain = NULL;
    sp_model *model = sp_model_new("free", n_classes, names);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

static void test_short_recordings(void **state)
{
    (void)state;
    sp_chain *one = free_chain(1), *two = free_chain(2);
    const double e[6] = {-3, -INFINITY, -1, -2, -2, -1};
    const int64_t none[1] = {0}, empty[4] = {0, 0, 1, 1}, single[4] = {0, 1, 2, 3};
    for (int i = 0; i < N_OPTIONS; i++) {
        sp_batch nothing = {{e, SP_F64, 2, 0, NULL, NULL, NULL}, 0, none};
        answer a = answer_decode(2, two, &nothing, &all_options[i]);
        answer_free(&a);

        sp_batch with_empty = {{e, SP_F64, 2, 1, NULL, NULL, NULL}, 3, empty}; /* T = 0, 1, 0 */
        a = answer_decode(2, two, &with_empty, &all_options[i]);
        assert_int_equal(a.paths[0], 0);
        const double scores[3] = {0, -3, 0};
        for (int n = 0; n < 3; n++)
            assert_same_result(&a.results[n], &(sp_decoded){.step = -1, .score = scores[n]});
        answer_free(&a);

        sp_batch ones = {{e, SP_F64, 2, 3, NULL, NULL, NULL}, 3, single}; /* T = 1 */
        a = answer_decode(2, two, &ones, &all_options[i]);
        assert_memory_equal(a.paths, ((int32_t[]){0, 0, 1}), 3 * sizeof(int32_t));
        answer_free(&a);

        const int64_t whole[2] = {0, 6};
        sp_batch lonely = {{e, SP_F64, 1, 6, NULL, NULL, NULL}, 1, whole}; /* K = 1, one step impossible */
        a = answer_decode(2, one, &lonely, &all_options[i]);
        int32_t expected = all_options[i].relax ? 0 : -1;
        for (int t = 0; t < 6; t++)
            assert_int_equal(a.paths[t], expected);
        assert_same_result(&a.results[0],
                           all_options[i].relax
                               ? &(sp_decoded){.step = -1, .n_broken = 1, .score = -INFINITY}
                               : &(sp_decoded){.status = SP_ENOPATH, .step = 1, .score = -INFINITY});
        answer_free(&a);
    }
    sp_chain_free(one);
    sp_chain_free(two);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    sp_chain *chain = free_chain(2);
    const double e[8] = {0};
    const int64_t good[3] = {0, 1, 4}, late[3] = {1, 1, 4}, early[3] = {0, 1, 3}, down[4] = {0, 3, 1, 4};
    const struct {
        sp_batch batch;
        const char *says;
    } wrong[] = {
        {{{e, SP_F64, 1, 4, NULL, NULL, NULL}, 2, good}, "the scores have 1 classes and the model has 2"},
        {{{e, SP_F64, 2, 4, NULL, NULL, NULL}, 2, late},
         "offsets go from 1 to 4: they must go from 0 to the 4 steps"},
        {{{e, SP_F64, 2, 4, NULL, NULL, NULL}, 2, early}, "offsets go from 0 to 3"},
        {{{e, SP_F64, 2, 4, NULL, NULL, NULL}, 3, down}, "offsets go down from 3 to 1 at recording 1"},
    };
    sp_workers *workers = sp_workers_new(2);
    sp_decode_options options = sp_decode_options_default();
    assert_int_equal(options.strategy.kind, SP_VITERBI);
    assert_false(options.relax);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        answer a = answer_new(&wrong[i].batch), untouched = answer_new(&wrong[i].batch);
        sp_decode_output output = answer_output(&a);
        sp_error err;
        assert_int_equal(sp_decode_batch(chain, &wrong[i].batch, &options, workers, &output, &err),
                         SP_EINVAL);
        if (!strstr(err.message, wrong[i].says))
            fail_msg("%s", err.message);
        assert_same_answer(&wrong[i].batch, &a, &untouched);
        answer_free(&a);
        answer_free(&untouched);
    }
    /* The single functions have the same door. */
    const sp_scores scores = wrong[0].batch.scores;
    int32_t path[4];
    sp_scratch *scratch = sp_scratch_new();
    assert_int_equal(decode_argmax(chain, &scores, scratch, path, NULL, NULL), SP_EINVAL);
    assert_int_equal(decode_greedy(chain, &scores, scratch, path, NULL, NULL), SP_EINVAL);
    assert_int_equal(sp_viterbi(chain, &scores, scratch, path, NULL, NULL), SP_EINVAL);
    assert_int_equal(decode_one_relaxed((sp_strategy){SP_ARGMAX, 0}, chain, &scores, path, NULL, NULL, NULL),
                     SP_EINVAL);
    assert_int_equal(decode_one_relaxed((sp_strategy){SP_GREEDY, 0}, chain, &scores, path, NULL, NULL, NULL),
                     SP_EINVAL);
    assert_int_equal(decode_one_relaxed((sp_strategy){SP_VITERBI, 0}, chain, &scores, path, NULL, NULL, NULL),
                     SP_EINVAL);
    sp_scratch_free(scratch);
    sp_workers_free(workers);
    sp_workers_free(NULL);
    sp_chain_free(chain);
}

/* Finite scores whose sum is not: no path of a finite score, said as what it is; relaxed decoding still finds one. */
static void test_sums_out_of_range(void **state)
{
    (void)state;
    sp_chain *chain = free_chain(2);
    sp_scratch *scratch = sp_scratch_new();
    const double e[4] = {-1.7e308, -1.7e308, -1.7e308, -1.7e308};
    sp_scores scores = {e, SP_F64, 2, 2, NULL, NULL, NULL};
    int32_t path[2] = {7, 7};
    int64_t n_broken;
    sp_error err;
    assert_int_equal(sp_viterbi(chain, &scores, scratch, path, NULL, &err), SP_ENOPATH);
    assert_int_equal(err.step, 1);
    assert_non_null(strstr(err.message, "leaves the range of a double"));
    assert_int_equal(path[0], 7);
    assert_ok(decode_one_relaxed((sp_strategy){SP_VITERBI, 0}, chain, &scores, path, &n_broken, NULL, &err),
              &err);
    assert_int_equal(n_broken, 0);
    assert_memory_equal(path, ((int32_t[]){0, 0}), sizeof path);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
}

/* The sentences say where and what to do. */
static void test_sentences(void **state)
{
    (void)state;
    const char *names[2] = {"a", "b"};
    const uint8_t allow[4] = {1, 1, 0, 0}; /* b is the end of everything */
    const double inf = INFINITY, blocked[6] = {0, 0, -inf, -inf, 0, 0}, last_is_b[4] = {0, 0, -inf, 0},
                 into_b[6] = {-1, 0, 0, 0, 0, 0};
    const struct {
        const double *e;
        int64_t n_steps, step;
        sp_status status;
        const char *says;
    } cases[] = {
        {blocked, 3, 1, SP_ENOPATH, "no class that may stand at step 1 is possible there"},
        {last_is_b, 2, 1, SP_ENOPATH,
         "none of the classes that can stand at the last step, 1, may end: look at \"end\""},
        {into_b, 3, 1, SP_EDEADEND,
         "no class allowed after its choices has a finite score at step 1: decode with viterbi"},
    };
    sp_error err;
    sp_chain *chain = NULL;
    sp_model *model = sp_model_new("sink", 2, names);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->end = calloc(2, sizeof *model->end);
    model->end[1] = -inf;
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_scratch *scratch = sp_scratch_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t path[3];
        sp_scores scores = {cases[i].e, SP_F64, 2, cases[i].n_steps, NULL, NULL, NULL};
        assert_int_equal(decode_greedy(chain, &scores, scratch, path, NULL, &err), cases[i].status);
        assert_int_equal(err.step, cases[i].step);
        if (!strstr(err.message, cases[i].says) || !strstr(err.message, "`on_infeasible` relax"))
            fail_msg("%s", err.message);
    }
    sp_scratch_free(scratch);
    sp_chain_free(chain);
    sp_model_free(model);
}

/* More states than one byte, and than two, can number. */
static void test_wide_back_pointers(void **state)
{
    (void)state;
    const int32_t sizes[] = {256, 257, 65536, 65537};
    for (int i = 0; i < 4; i++) {
        int32_t K = sizes[i], *path = malloc(4 * sizeof *path);
        char(*text)[16] = malloc((size_t)K * sizeof *text);
        const char **names = malloc((size_t)K * sizeof *names);
        for (int32_t k = 0; k < K; k++) {
            snprintf(text[k], sizeof text[k], "c%d", (int)k);
            names[k] = text[k];
        }
        sp_model *model = sp_model_new("cycle", K, names);
        free(model->to);
        model->to = malloc((size_t)K * sizeof *model->to);
        for (int32_t k = 0; k < K; k++) { /* each class is followed by the one below */
            model->row[k + 1] = k + 1;
            model->to[k] = k > 0 ? k - 1 : K - 1;
        }
        sp_error err;
        sp_chain *chain = NULL;
        assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
        double *e = calloc(4 * (size_t)K, sizeof *e);
        e[3 * (size_t)K + (size_t)K - 3] = 1; /* the last step's best is K-3 */
        sp_scores scores = {e, SP_F64, K, 4, NULL, NULL, NULL};
        sp_scratch *scratch = sp_scratch_new();
        assert_ok(sp_viterbi(chain, &scores, scratch, path, NULL, &err), &err);
        assert_memory_equal(path, ((int32_t[]){0, K - 1, K - 2, K - 3}), 4 * sizeof *path);
        sp_scratch_free(scratch);
        sp_chain_free(chain);
        sp_model_free(model);
        free(e);
        free(names);
        free(text);
        free(path);
    }
}

/* Five million steps: the score is the textbook's, and the path's own, but for the order in which the kernel for long recordings
 * sums (it takes maxima out on the way). */
static void test_long_recording(void **state)
{
    (void)state;
    enum { K = 5 };
    const int64_t T = 5000000, offsets[2] = {0, T};
    const char *names[K] = {"W", "N1", "N2", "N3", "R"};
    const uint8_t allow[K * K] = {1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1};
    sp_error err;
    sp_chain *chain = NULL;
    sp_model *model = sp_model_new("sleep", K, names);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    const sp_chain_options as_usual = sp_chain_options_default();
    oracle_model *m = oracle_model_new(model, &as_usual, T);
    float *e = malloc((size_t)T * K * sizeof *e);
    random_source random = {9};
    for (int64_t i = 0; i < T * K; i++)
        e[i] = (float)(-8 * random_unit(&random));
    sp_batch batch = {{e, SP_F32, K, T, NULL, NULL, NULL}, 1, offsets};
    sp_decode_options options = sp_decode_options_default();
    answer a = answer_decode(1, chain, &batch, &options);
    assert_int_equal(a.results[0].status, SP_OK);
    assert_close(a.results[0].score, oracle_viterbi_score(m, &batch.scores), 0, 1e-12);
    double score;
    assert_ok(sp_path_score(chain, &batch.scores, a.paths, &score, &err), &err);
    assert_close(score, a.results[0].score, 0, 1e-12);
    assert_true(score < -1e6);
    answer_free(&a);
    free(e);
    oracle_model_free(m);
    sp_chain_free(chain);
    sp_model_free(model);
}

/* y stays two steps at least, and there is at most one z. "y y" and "z y" weigh the same: the second ends
 * in the younger y, whatever the rule remembers, which knows of no z in the first. */
static void test_age_comes_before_rules(void **state)
{
    (void)state;
    const char *names[] = {"y", "x", "z"};
    const uint8_t allow[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const double e[6] = {0, -1, 0, 0, -1, -1};
    const sp_scores scores = {e, SP_F64, 3, 2, NULL, NULL, NULL};
    int32_t path[2];
    sp_error err;
    sp_chain *chain = NULL;
    sp_scratch *scratch = sp_scratch_new();
    sp_model *model = sp_model_new("tie", 3, names);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->min_dwell = malloc(3 * sizeof *model->min_dwell);
    memcpy(model->min_dwell, ((int32_t[]){2, 1, 1}), 3 * sizeof *model->min_dwell);
    assert_ok(sp_model_add_rule(model, NULL, "at_most 1 z", INFINITY, false, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    assert_ok(sp_viterbi(chain, &scores, scratch, path, NULL, &err), &err);
    assert_memory_equal(path, ((int32_t[]){2, 0}), sizeof path);
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_recordings),       cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_sums_out_of_range),      cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_wide_back_pointers),     cmocka_unit_test(test_long_recording),
        cmocka_unit_test(test_age_comes_before_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
