/* Forward-backward and what follows from it, against sums over all state paths of small random models. */
#include "check.h"
#include "decode_one.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/advanced.h"

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {4, 6, 1, 1, NO, WEIGHTS, GAPS, 0.3},   {4, 6, 1, 1, TIES, NO, NO, 0.2},
    {2, 7, 1, 4, NO, WEIGHTS, GAPS, 0.2},   {3, 6, 3, 3, NO, WEIGHTS, GAPS, 0.1},
    {3, 6, 3, 1, TIES, WEIGHTS, GAPS, 0.2},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 800, MOST_CLASSES = 4 };

/* ---- the oracle: every class path, and for each the sum over the state paths that emit it ---- */

typedef struct all_paths {
    const dense_model *m;
    const sp_scores *scores;
    double z; /* sum of exp(score) */
    double marginal[ORACLE_STEPS][MOST_CLASSES];
    /* The best legal path by another objective, once marginals are known. */
    bool is_second_pass, is_product;
    double best;
    int32_t best_path[ORACLE_STEPS];
} all_paths;

static bool is_lower(const int32_t *a, const int32_t *b, int64_t n_steps)
{
    for (int64_t t = n_steps - 1; t >= 0; t--)
        if (a[t] != b[t])
            return a[t] < b[t];
    return false;
}

static void visit(void *arg, const int32_t *path, double score, int64_t n_broken, double relaxed_score)
{
    (void)n_broken;
    (void)relaxed_score;
    all_paths *a = arg;
    int64_t n_steps = a->scores->n_steps;
    if (score == -INFINITY)
        return;
    if (!a->is_second_pass) {
        const double weight = oracle_path_weight(a->m, a->scores, path);
        a->z += weight;
        for (int64_t t = 0; t < n_steps; t++)
            a->marginal[t][path[t]] += weight;
        return;
    }
    double objective = 0;
    for (int64_t t = 0; t < n_steps; t++) {
        double marginal = a->marginal[t][path[t]];
        objective += a->is_product ? log(marginal) : marginal;
    }
    /* Sums of doubles: the tolerance is far above their rounding and far below any real difference. */
    if (objective > a->best + 1e-9 || (objective > a->best - 1e-9 && is_lower(path, a->best_path, n_steps))) {
        a->best = objective > a->best ? objective : a->best;
        memcpy(a->best_path, path, (size_t)n_steps * sizeof *path);
    }
}

static all_paths sum_all_paths(const dense_model *m, const sp_scores *scores)
{
    all_paths a = {.m = m, .scores = scores};
    oracle_enumerate(m, scores, visit, &a);
    for (int64_t t = 0; t < scores->n_steps; t++)
        for (int32_t k = 0; k < m->n_classes; k++)
            a.marginal[t][k] /= a.z > 0 ? a.z : 1;
    return a;
}

/* ---- checks of one case ---- */

static void check_marginals(const random_case *c, const all_paths *a, sp_scratch *scratch)
{
    int32_t n_classes = c->scores.n_classes;
    double marginals[ORACLE_STEPS * MOST_CLASSES], log_z;
    sp_error err;
    assert_ok(sp_forward_backward(c->chain, &c->scores, scratch, marginals, &log_z, &err), &err);
    assert_close(log_z, log(a->z), 1e-9, 1e-9);
    for (int64_t t = 0; t < c->scores.n_steps; t++)
        for (int32_t k = 0; k < n_classes; k++) {
            assert_close(marginals[t * n_classes + k], a->marginal[t][k], 1e-9, 0);
            assert_int_equal(marginals[t * n_classes + k] == 0, a->marginal[t][k] == 0);
        }
    double alone;
    assert_ok(sp_forward_backward(c->chain, &c->scores, scratch, NULL, &alone, &err), &err);
    assert_true(alone == log_z);

    int32_t path[ORACLE_STEPS];
    float confidence[ORACLE_STEPS];
    assert_ok(sp_viterbi(c->chain, &c->scores, scratch, path, NULL, &err), &err);
    assert_ok(sp_confidence(c->chain, &c->scores, scratch, path, confidence, &log_z, &err), &err);
    for (int64_t t = 0; t < c->scores.n_steps; t++)
        assert_true(confidence[t] == (float)marginals[t * n_classes + path[t]]);
    assert_true(log_z == alone);
}

static void check_strategies(const random_case *c, all_paths *a, sp_scratch *scratch)
{
    int32_t path[ORACLE_STEPS], expected[ORACLE_STEPS] = {0};
    int64_t n_steps = c->scores.n_steps;
    double score, own;
    sp_error err;
    for (int64_t t = 0; t < n_steps; t++)
        for (int32_t k = c->scores.n_classes - 1; k >= 0; k--)
            if (a->marginal[t][k] >= a->marginal[t][expected[t]] - 1e-10)
                expected[t] = a->marginal[t][k] > a->marginal[t][expected[t]] + 1e-10 || k < expected[t]
                                  ? k
                                  : expected[t];
    assert_ok(decode_posterior(c->chain, &c->scores, scratch, path, &score, &err), &err);
    assert_same_path(c->seed, "posterior", 0, path, expected, n_steps);
    assert_ok(sp_path_score(c->chain, &c->scores, path, &own, &err), &err);
    assert_true(own == score);

    a->is_second_pass = true;
    for (int product = 0; product < 2; product++) {
        a->is_product = product;
        a->best = -INFINITY;
        oracle_enumerate(a->m, &c->scores, visit, a);
        assert_ok((product ? decode_posterior_viterbi : decode_mea)(c->chain, &c->scores, scratch, path,
                                                                    &score, &err),
                  &err);
        assert_same_path(c->seed, product ? "posterior-viterbi" : "mea", 0, path, a->best_path, n_steps);
        assert_ok(sp_path_score(c->chain, &c->scores, path, &own, &err), &err);
        assert_true(own == score && score > -INFINITY);
    }
}

static void check_no_path(const random_case *c, const dense_model *m, sp_scratch *scratch)
{
    int32_t path[ORACLE_STEPS], before[ORACLE_STEPS];
    memset(path, 0x55, sizeof path);
    memcpy(before, path, sizeof path);
    double score = 77, marginals[ORACLE_STEPS * MOST_CLASSES] = {77};
    int64_t step = oracle_first_unreachable(m, &c->scores);
    sp_error err;
    assert_int_equal(sp_forward_backward(c->chain, &c->scores, scratch, marginals, &score, &err), SP_ENOPATH);
    assert_int_equal(err.step, step);
    assert_int_equal(decode_posterior(c->chain, &c->scores, scratch, path, &score, &err), SP_ENOPATH);
    assert_int_equal(err.step, step);
    assert_int_equal(decode_mea(c->chain, &c->scores, scratch, path, &score, &err), SP_ENOPATH);
    assert_int_equal(err.step, step);
    assert_int_equal(decode_posterior_viterbi(c->chain, &c->scores, scratch, path, &score, &err), SP_ENOPATH);
    assert_int_equal(err.step, step);
    assert_true(score == 77 && marginals[0] == 77);
    assert_memory_equal(path, before, sizeof path);
}

static void test_every_small_model(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0, n_none = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        if (c.scores.n_steps > 0) {
            dense_model *m = dense_model_new(c.model, c.class_of_column);
            all_paths a = sum_all_paths(m, &c.scores);
            if (a.z > 0) {
                check_marginals(&c, &a, scratch);
                check_strategies(&c, &a, scratch);
                n_paths++;
            } else {
                check_no_path(&c, m, scratch);
                n_none++;
            }
            dense_model_free(m);
        }
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n_paths > CASES && n_none > CASES / 4);
}

/* ---- laws ---- */

static const random_shape law_shape = {.max_classes = 6,
                                       .max_steps = 40,
                                       .max_states_per_class = 1,
                                       .max_dwell = 3,
                                       .has_weights = true,
                                       .has_gaps = true,
                                       .impossible = 0.05};

/* A constant added to a row says nothing. */
static void test_row_constants(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        random_case c = random_case_new(seed, &law_shape);
        double before[40 * 6], after[40 * 6], log_z, log_z_after, sum = 0;
        int32_t path[3][40], again[3][40];
        int64_t n_classes = c.scores.n_classes, n_steps = c.scores.n_steps;
        random_source random = {seed};
        if (sp_forward_backward(c.chain, &c.scores, scratch, before, &log_z, NULL) == SP_OK) {
            decode_posterior(c.chain, &c.scores, scratch, path[0], NULL, NULL);
            decode_mea(c.chain, &c.scores, scratch, path[1], NULL, NULL);
            decode_posterior_viterbi(c.chain, &c.scores, scratch, path[2], NULL, NULL);
            for (int64_t t = 0; t < n_steps; t++) {
                double constant = 2000 * random_unit(&random) - 1000;
                sum += constant;
                for (int64_t k = 0; k < n_classes; k++)
                    c.data[t * n_classes + k] += constant;
            }
            sp_error err;
            assert_ok(sp_forward_backward(c.chain, &c.scores, scratch, after, &log_z_after, &err), &err);
            assert_close(log_z_after, log_z + sum, 1e-8, 0);
            for (int64_t i = 0; i < n_steps * n_classes; i++)
                assert_close(after[i], before[i], 1e-9, 0);
            assert_ok(decode_posterior(c.chain, &c.scores, scratch, again[0], NULL, &err), &err);
            assert_ok(decode_mea(c.chain, &c.scores, scratch, again[1], NULL, &err), &err);
            assert_ok(decode_posterior_viterbi(c.chain, &c.scores, scratch, again[2], NULL, &err), &err);
            for (int i = 0; i < 3; i++)
                assert_same_path(seed, "constants", 0, again[i], path[i], n_steps);
            n_paths++;
        }
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n_paths > 60);
}

/* Where one path has all the weight, every strategy finds it: clamp to Viterbi's path, as --clamp does, and decode again. */
static void test_one_hot(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        random_case c = random_case_new(seed, &law_shape);
        int32_t path[40], again[40];
        double score, score_again;
        sp_error err;
        if (sp_viterbi(c.chain, &c.scores, scratch, path, &score, &err) == SP_OK && c.scores.n_steps > 0) {
            for (int64_t t = 0; t < c.scores.n_steps; t++)
                for (int32_t k = 0; k < c.scores.n_classes; k++)
                    if (k != path[t])
                        c.data[t * c.scores.n_classes + k] = -INFINITY;
            sp_status (*strategies[])(const sp_chain *, const sp_scores *, sp_scratch *, int32_t *, double *,
                                      sp_error *) = {decode_posterior, decode_mea, decode_posterior_viterbi};
            for (int s = 0; s < 3; s++) {
                assert_ok(strategies[s](c.chain, &c.scores, scratch, again, &score_again, &err), &err);
                assert_same_path(seed, "one-hot", 0, again, path, c.scores.n_steps);
                assert_true(score_again == score);
            }
            double log_z;
            float confidence[40];
            assert_ok(sp_confidence(c.chain, &c.scores, scratch, path, confidence, &log_z, &err), &err);
            for (int64_t t = 0; t < c.scores.n_steps; t++)
                assert_true(confidence[t] == 1);
            assert_close(log_z, score, 1e-9, 0);
            n_paths++;
        }
        random_case_free(&c);
    }
    sp_scratch_free(scratch);
    assert_true(n_paths > 60);
}

/* ---- numbers ---- */

static sp_chain *two_classes(double stay, double change, bool is_left_right)
{
    const char *names[] = {"a", "b"};
    sp_model *model = sp_model_new("two", 2, names);
    uint8_t allow[] = {1, 1, !is_left_right, 1};
    double weight[] = {stay, change, change, stay};
    sp_error err;
    sp_chain *chain;
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

/* Two classes that only differ in when the one change comes: the marginals of 300,000 steps are known in closed form. */
static void test_long_recording(void **state)
{
    (void)state;
    enum { STEPS = 300000 };
    sp_chain *chain = two_classes(0, 0, true);
    sp_scratch *scratch = sp_scratch_new();
    float *data = calloc(2 * STEPS, sizeof *data);
    double *marginals = calloc(2 * STEPS, sizeof *marginals), log_z;
    for (int64_t t = 0; t < STEPS; t++)
        data[2 * t] = data[2 * t + 1] = -1000;
    sp_scores scores = {data, SP_F32, 2, STEPS, NULL, NULL, NULL};
    sp_error err;
    assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, &log_z, &err), &err);
    /* STEPS + 1 paths of equal weight: the first b at step 0, ..., STEPS (never) */
    assert_close(log_z, -1000.0 * STEPS + log(STEPS + 1.0), 0, 1e-15);
    for (int64_t t = 0; t < STEPS; t++)
        assert_close(marginals[2 * t + 1], (double)(t + 1) / (STEPS + 1), 0, 1e-9);
    free(data);
    free(marginals);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
}

/* A tenth cannot be written in binary: a million of them, simply added up, are off by 1e-6. */
static void test_log_z_does_not_drift(void **state)
{
    (void)state;
    enum { STEPS = 1000000 };
    sp_chain *chain = two_classes(0, 0, true);
    sp_scratch *scratch = sp_scratch_new();
    double *data = malloc(2 * STEPS * sizeof *data), log_z;
    for (int64_t t = 0; t < STEPS; t++) {
        data[2 * t] = -0.1;
        data[2 * t + 1] = -INFINITY;
    }
    sp_scores scores = {data, SP_F64, 2, STEPS, NULL, NULL, NULL};
    sp_error err;
    assert_ok(sp_forward_backward(chain, &scores, scratch, NULL, &log_z, &err), &err);
    assert_close(log_z, -0.1 * STEPS, 0, 1e-15);
    free(data);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
}

/* A state far behind the best may be the only one to survive; nothing may underflow on the way. */
static void test_extreme_scores(void **state)
{
    (void)state;
    sp_chain *chain = two_classes(0, -2000, true); /* a to b costs exp(-2000), no way back */
    sp_scratch *scratch = sp_scratch_new();
    double data[] = {0, -5000, 0, -5000, 0, -5000, -INFINITY, 0}, marginals[8], log_z, score = NAN;
    sp_scores scores = {data, SP_F64, 2, 4, NULL, NULL, NULL};
    int32_t path[4];
    sp_error err;
    assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, &log_z, &err), &err);
    assert_true(log_z == -2000);
    assert_true(marginals[0] == 1 && marginals[6] == 0 && marginals[7] == 1);
    assert_ok(decode_mea(chain, &scores, scratch, path, &score, &err), &err);
    assert_true(score == -2000 && path[2] == 0 && path[3] == 1);
    data[4] = -INFINITY; /* now b, 5000 behind, must be taken a step earlier */
    assert_ok(decode_posterior_viterbi(chain, &scores, scratch, path, &score, &err), &err);
    assert_true(score == -7000 && path[1] == 0 && path[2] == 1);
    sp_chain_free(chain);
    sp_scratch_free(scratch);
}

/* Two states that never meet, b so far behind that its exponential has a few bits left, fewer than a double, or none: a step
 * later b is all that there is. */
static void test_underflow_costs_no_digits(void **state)
{
    (void)state;
    const uint8_t allow[] = {1, 0, 0, 1};
    const double zero[4] = {0};
    const char *names[] = {"a", "b"};
    sp_scratch *scratch = sp_scratch_new();
    sp_model *model = sp_model_new("apart", 2, names);
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, allow, zero, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    for (double behind = 600.25; behind < 760; behind += 0.25) {
        const double data[] = {0, -behind, -INFINITY, 0}, last_first[] = {-INFINITY, 0, 0, -behind};
        double marginals[4], log_z;
        for (int way = 0; way < 2; way++) {
            sp_scores scores = {way ? last_first : data, SP_F64, 2, 2, NULL, NULL, NULL};
            assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, &log_z, &err), &err);
            assert_close(log_z, -behind, 0, 1e-13);
            assert_true(marginals[1] == 1 && marginals[3] == 1);
            assert_ok(sp_forward_backward(chain, &scores, scratch, NULL, &log_z, &err), &err);
            assert_close(log_z, -behind, 0, 1e-13);
        }
    }
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

/* Four paths of equal weight. 0 stands first in two of them and 1 last in two others; together they would have the greatest sum
 * of marginals by far, but the only way from 0 to 1 is a class that is impossible where it would be needed. */
static void test_impossible_steps_are_never_taken(void **state)
{
    (void)state;
    enum { K = 7, T = 5 };
    const char *names[K] = {"first", "last", "bridge", "a", "b", "c", "d"};
    const uint8_t pairs[][2] = {{0, 0}, {0, 2}, {2, 1}, {1, 1}, {0, 3}, {0, 4},
                                {3, 3}, {4, 4}, {5, 5}, {6, 6}, {5, 1}, {6, 1}};
    const uint8_t possible[T][K] = {{1, 0, 0, 0, 0, 1, 1},
                                    {1, 0, 0, 0, 0, 1, 1},
                                    {0, 0, 0, 1, 1, 1, 1},
                                    {0, 1, 0, 1, 1, 0, 0},
                                    {0, 1, 0, 1, 1, 0, 0}};
    const int32_t expected[T] = {5, 5, 5, 1, 1}; /* 1.75, as all four; the lowest class at the last step */
    uint8_t allow[K * K] = {0};
    double data[T * K], marginals[T * K], score;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        allow[pairs[p][0] * K + pairs[p][1]] = 1;
    for (int i = 0; i < T * K; i++)
        data[i] = possible[i / K][i % K] ? 0 : -INFINITY;
    sp_model *model = sp_model_new("bridge", K, names);
    sp_scores scores = {data, SP_F64, K, T, NULL, NULL, NULL};
    sp_scratch *scratch = sp_scratch_new();
    sp_chain *chain;
    int32_t path[T];
    sp_error err;
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, NULL, &err), &err);
    assert_true(marginals[0] == 0.5 && marginals[4 * K + 1] == 0.5 && marginals[2 * K + 2] == 0);
    assert_ok(decode_mea(chain, &scores, scratch, path, &score, &err), &err);
    assert_memory_equal(path, expected, sizeof path);
    assert_true(score == 0);
    assert_ok(decode_posterior_viterbi(chain, &scores, scratch, path, &score, &err), &err);
    assert_memory_equal(path, expected, sizeof path);
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

/* b must stay for two steps, the last one too. a a a, a a c and a b b weigh 1, 1/2 and 4/3: a is the likeliest class of step 1
 * and b that of step 2, but a b alone may not end. */
static void test_mea_keeps_the_end_of_a_dwell(void **state)
{
    (void)state;
    const uint8_t allow[] = {1, 1, 1, 0, 1, 0, 0, 0, 0};
    const double weight[] = {0, log(4.0 / 3), log(0.5), 0, 0, 0, 0, 0, 0}, data[9] = {0};
    const char *names[] = {"a", "b", "c"};
    const int32_t expected[] = {0, 1, 1};
    sp_model *model = sp_model_new("dwell", 3, names);
    sp_scratch *scratch = sp_scratch_new();
    sp_scores scores = {data, SP_F64, 3, 3, NULL, NULL, NULL};
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    model->start = malloc(3 * sizeof *model->start);
    model->start[0] = 0;
    model->start[1] = model->start[2] = -INFINITY;
    model->min_dwell = malloc(3 * sizeof *model->min_dwell);
    memcpy(model->min_dwell, (int32_t[]){1, 2, 1}, 3 * sizeof *model->min_dwell);
    model->min_dwell_at_end = true;
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    double marginals[9], score = NAN;
    int32_t path[3];
    assert_ok(sp_forward_backward(chain, &scores, scratch, marginals, NULL, &err), &err);
    assert_true(marginals[3] > marginals[4] && marginals[7] > marginals[6] && marginals[7] > marginals[8]);
    assert_ok(decode_mea(chain, &scores, scratch, path, &score, &err), &err);
    assert_memory_equal(path, expected, sizeof path);
    assert_close(score, log(4.0 / 3), 0, 1e-15);
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

static void test_edges(void **state)
{
    (void)state;
    sp_chain *chain = two_classes(0, 0, false);
    sp_scratch *scratch = sp_scratch_new();
    sp_scores empty = {NULL, SP_F64, 2, 0, NULL, NULL, NULL};
    double log_z = 77, score = 77;
    sp_error err;
    assert_ok(sp_forward_backward(chain, &empty, scratch, NULL, &log_z, &err), &err);
    assert_true(log_z == 0);
    assert_ok(decode_posterior(chain, &empty, scratch, NULL, &score, &err), &err);
    assert_true(score == 0);
    score = 77;
    assert_ok(decode_mea(chain, &empty, scratch, NULL, &score, &err), &err);
    assert_true(score == 0);
    double one[] = {-1, -1};
    sp_scores other = {one, SP_F64, 1, 2, NULL, NULL, NULL}, single = {one, SP_F64, 2, 1, NULL, NULL, NULL};
    assert_int_equal(sp_forward_backward(chain, &other, scratch, NULL, &log_z, &err), SP_EINVAL);
    assert_int_equal(decode_mea(chain, &other, scratch, NULL, NULL, &err), SP_EINVAL);
    int32_t none = -1;
    float confidence = 7;
    assert_int_equal(sp_confidence(chain, &single, scratch, &none, &confidence, NULL, &err), SP_EINVAL);
    assert_true(confidence == 7);
    int32_t path = 7; /* a tie goes to the lowest class */
    assert_ok(decode_posterior(chain, &single, scratch, &path, &score, &err), &err);
    assert_int_equal(path, 0);
    sp_chain_free(chain);
    sp_scratch_free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_small_model),
        cmocka_unit_test(test_row_constants),
        cmocka_unit_test(test_one_hot),
        cmocka_unit_test(test_long_recording),
        cmocka_unit_test(test_log_z_does_not_drift),
        cmocka_unit_test(test_extreme_scores),
        cmocka_unit_test(test_underflow_costs_no_digits),
        cmocka_unit_test(test_impossible_steps_are_never_taken),
        cmocka_unit_test(test_mea_keeps_the_end_of_a_dwell),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
