/* The N best paths of large models and long recordings, and what is refused. */
#include "check.h"
#include "random_model.h"
#include "statepath/advanced.h"

/* The search in blocks of sqrt(T) steps finds what the search in one piece finds. 70 classes, each with ten
 * states of its own,
 * and 600 paths make 420,000 entries a step, so that 41 steps are more than are kept whole; a sub-problem
 * small enough to be kept
 * whole has the same first paths. */
static void test_blocks(void **state)
{
    (void)state;
    enum { CLASSES = 70, DWELL = 10, STEPS = 41, MANY = 600, FEW = 40 };
    char *names[CLASSES];
    int32_t dwell[CLASSES];
    for (int k = 0; k < CLASSES; k++) {
        names[k] = calloc(16, 1);
        snprintf(names[k], 16, "c%d", k);
        dwell[k] = DWELL;
    }
    sp_model *model = NULL;
    sp_chain *chain = NULL;
    sp_error err;
    sp_scratch *scratch = sp_scratch_new();
    model = sp_model_new("dwell", CLASSES, (const char *const *)names);
    uint8_t *allow = calloc(CLASSES * CLASSES, 1);
    for (int i = 0; i < CLASSES; i++)
        allow[i * CLASSES + i] = allow[i * CLASSES + (i + 1) % CLASSES] = 1;
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    model->min_dwell = calloc(CLASSES, sizeof *model->min_dwell);
    memcpy(model->min_dwell, dwell, sizeof dwell);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    random_source random = {5};
    double *data = calloc(STEPS * CLASSES, sizeof *data);
    for (int i = 0; i < STEPS * CLASSES; i++)
        data[i] = random_below(&random, 3) - 1;
    sp_scores scores = {data, SP_F64, CLASSES, STEPS, NULL, NULL, NULL};
    int32_t *many = calloc(MANY * STEPS, sizeof *many), *few = calloc(FEW * STEPS, sizeof *few);
    double many_scores[MANY], few_scores[FEW];
    sp_nbest_paths out = {.paths = many, .stride = STEPS, .scores = many_scores};
    assert_ok(sp_nbest(chain, &scores, MANY, scratch, &out, &err), &err);
    assert_int_equal(out.n_found, MANY);
    sp_nbest_paths out_few = {.paths = few, .stride = STEPS, .scores = few_scores};
    assert_ok(sp_nbest(chain, &scores, FEW, scratch, &out_few, &err), &err);
    assert_memory_equal(few, many, FEW * STEPS * sizeof *few);
    assert_memory_equal(few_scores, many_scores, sizeof few_scores);
    for (int r = 0; r < MANY; r++) {
        double own;
        assert_ok(sp_path_score(chain, &scores, many + r * STEPS, &own, &err), &err);
        assert_true(own == many_scores[r]);
    }
    for (int k = 0; k < CLASSES; k++)
        free(names[k]);
    free(allow);
    free(data);
    free(many);
    free(few);
    sp_model_free(model);
    sp_chain_free(chain);
    sp_scratch_free(scratch);
}

/* A chain of one state a class, each followed by itself and `degree` - 1 others. */
static sp_chain *wide_chain(int32_t K, int32_t degree, random_source *random)
{
    const char **names = calloc((size_t)K, sizeof *names);
    char *text = calloc((size_t)K, 16);
    uint8_t *allow = calloc((size_t)K * (size_t)K, 1);
    for (int32_t k = 0; k < K; k++) {
        names[k] = text + 16 * k;
        snprintf(text + 16 * k, 16, "c%d", (int)k);
        for (int32_t d = 0; d < degree; d++)
            allow[k * K + (d ? random_below(random, K) : k)] = 1;
        allow[k * K + (k + 1) % K] = 1;
    }
    sp_error err;
    sp_model *model = sp_model_new("wide", K, names);
    sp_chain *chain = NULL;
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_model_free(model);
    free(names);
    free(text);
    free(allow);
    return chain;
}

/* Many steps of many classes. */
static void test_many_steps(void **state)
{
    (void)state;
    enum { K = 500, STEPS = (4 << 20) / K + 1 };
    random_source random = {12};
    sp_chain *chain = wide_chain(K, 1, &random);
    sp_scratch *scratch = sp_scratch_new();
    double *data = calloc((size_t)STEPS * K, sizeof *data), score;
    int32_t *path = calloc(2 * STEPS, sizeof *path), *best = path + STEPS;
    for (size_t i = 0; i < (size_t)STEPS * K; i++)
        data[i] = random_below(&random, 3);
    sp_scores scores = {data, SP_F64, K, STEPS, NULL, NULL, NULL};
    sp_nbest_paths out = {.paths = path, .stride = STEPS, .scores = &score};
    sp_error err;
    assert_ok(sp_nbest(chain, &scores, 1, scratch, &out, &err), &err);
    assert_ok(sp_viterbi(chain, &scores, scratch, best, NULL, &err), &err);
    assert_memory_equal(path, best, STEPS * sizeof *path);
    free(data);
    free(path);
    sp_chain_free(chain);
    sp_scratch_free(scratch);
}

static void test_edges(void **state)
{
    (void)state;
    random_shape shape = {.max_classes = 1, .max_steps = 0, .max_states_per_class = 1, .max_dwell = 1};
    random_case c = random_case_new(1, &shape);
    sp_scratch *scratch = sp_scratch_new();
    double score = 77, margin = 77;
    sp_nbest_paths out = {.scores = &score};
    sp_error err;
    assert_ok(sp_nbest(c.chain, &c.scores, 5, scratch, &out, &err), &err); /* one empty path */
    assert_true(out.n_found == 1 && score == 0);
    assert_ok(sp_margin(c.chain, &c.scores, scratch, NULL, &margin, &err), &err);
    assert_true(margin == INFINITY);
    assert_int_equal(sp_nbest(c.chain, &c.scores, 0, scratch, &out, &err), SP_EINVAL);
    assert_int_equal(sp_nbest(c.chain, &c.scores, INT32_MAX, scratch, &out, &err), SP_EINVAL);
    c.scores.n_classes = 2;
    assert_int_equal(sp_nbest(c.chain, &c.scores, 2, scratch, &out, &err), SP_EINVAL);
    c.scores.n_classes = 1;
    sp_scratch_free(scratch);
    random_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_many_steps),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
