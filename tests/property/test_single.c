/* One recording by the kernels of single.h against the plain kernel: every instruction set that the machine has, byte for byte.
 */
#include "check.h"
#include "decode/kernels/kernels.h"
#include "decode/recording.h"
#include "random_model.h"

/* The scores of a case as either type, with no room behind the last row: reading past it is found out. */
static void *copy_scores(const sp_scores *from, sp_dtype dtype)
{
    size_t n = (size_t)from->n_steps * (size_t)from->n_classes;
    const double *value = from->data;
    void *data = malloc(n * (size_t)dtype + (n == 0));
    assert_non_null(data);
    for (size_t i = 0; i < n; i++)
        if (dtype == SP_F32)
            ((float *)data)[i] = (float)value[i];
        else
            ((double *)data)[i] = value[i];
    return data;
}

/* Returns whether there was a path to compare. */
static bool compare(const random_case *c, sp_dtype dtype)
{
    sp_scores scores = c->scores;
    void *data = copy_scores(&c->scores, dtype);
    size_t n = (size_t)scores.n_steps;
    int32_t *expected = malloc(n * sizeof *expected), *path = malloc(n * sizeof *path);
    sp_scratch *scratch = sp_scratch_new();
    sp_single_rules rules;
    double expected_score = 0;
    assert_true(expected && path && scratch);
    scores.data = data;
    scores.dtype = dtype;
    sp_status status = sp_viterbi(c->chain, &scores, scratch, expected, &expected_score, NULL);
    assert_true(status == SP_OK || status == SP_ENOPATH);
    assert_true(sp_single_rules_init(&rules, c->chain));
    for (sp_isa isa = SP_ISA_BASE; isa <= sp_isa_best(); isa++) {
        double score = -1;
        memset(path, 0x55, n * sizeof *path);
        assert_int_equal(sp_single_viterbi(isa, &rules, &scores, scratch, path, &score), status);
        if (status != SP_OK)
            continue;
        assert_memory_equal(path, expected, n * sizeof *path);
        assert_memory_equal(&score, &expected_score, sizeof score);
    }
    free(data);
    free(expected);
    free(path);
    sp_scratch_free(scratch);
    return status == SP_OK;
}

static void compare_shape(const random_shape *shape, uint64_t first_seed, int n_cases)
{
    int n_decoded = 0;
    for (int i = 0; i < n_cases; i++) {
        random_case c = random_case_new(first_seed + (uint64_t)i, shape);
        if (c.scores.n_steps > 0)
            n_decoded += compare(&c, i % 2 ? SP_F32 : SP_F64);
        random_case_free(&c);
    }
    assert_true(n_decoded > n_cases / 3);
}

/* max_classes, max_steps, max_states_per_class, max_dwell, has_ties, has_weights, has_gaps, impossible */
static void equals_plain(void **state)
{
    (void)state;
    compare_shape(&(random_shape){16, 300, 1, 1, false, true, false, 0}, 910000, 600);
}

static void equals_plain_where_ties_are(void **state)
{
    (void)state;
    compare_shape(&(random_shape){16, 200, 1, 1, true, true, false, 0}, 920000, 600);
}

static void equals_plain_without_weights(void **state)
{
    (void)state;
    compare_shape(&(random_shape){8, 200, 1, 1, false, false, false, 0}, 930000, 400);
    compare_shape(&(random_shape){16, 200, 1, 1, true, false, false, 0}, 940000, 400);
}

static void equals_plain_with_gaps(void **state)
{
    (void)state;
    compare_shape(&(random_shape){16, 60, 1, 1, true, true, true, 0.1}, 950000, 600);
}

static void equals_plain_where_much_is_impossible(void **state)
{
    (void)state;
    compare_shape(&(random_shape){16, 12, 1, 1, true, true, false, 0.3}, 960000, 900);
}

/* Every number of classes and of predecessors, dense: each has code of its own. */
static void equals_plain_for_every_size(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= SP_SINGLE_MOST_CLASSES; n++)
        for (uint64_t seed = 0; seed < 40; seed++) {
            random_shape shape = {n, 40, 1, 1, seed % 3 == 0, seed % 2 == 0, false, 0};
            uint64_t s = 970000 + seed;
            random_case c;
            for (;; s += 1000) { /* the first with so many classes */
                c = random_case_new(s, &shape);
                if (c.model->n_classes == n && c.scores.n_steps > 0)
                    break;
                random_case_free(&c);
            }
            compare(&c, SP_F32);
            compare(&c, SP_F64);
            random_case_free(&c);
        }
}

/* More classes or states than the kernels are for. */
static void other_chains_are_left(void **state)
{
    (void)state;
    int n_left = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_case c = random_case_new(980000 + seed, &(random_shape){40, 3, 1 + (int32_t)(seed % 2), 1, false, true, false, 0});
        sp_single_rules rules;
        bool is_for_it = c.chain->is_plain && c.chain->n_classes <= SP_SINGLE_MOST_CLASSES;
        assert_int_equal(sp_single_rules_init(&rules, c.chain), is_for_it);
        n_left += !is_for_it;
        random_case_free(&c);
    }
    assert_true(n_left > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_plain),
        cmocka_unit_test(equals_plain_where_ties_are),
        cmocka_unit_test(equals_plain_without_weights),
        cmocka_unit_test(equals_plain_with_gaps),
        cmocka_unit_test(equals_plain_where_much_is_impossible),
        cmocka_unit_test(equals_plain_for_every_size),
        cmocka_unit_test(other_chains_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
