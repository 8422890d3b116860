/* Agreement with several scorers: published kappas, and a made night counted by hand. */
#include "check.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "failing_alloc.h"

#include <jansson.h>

static void test_fleiss_published(void **state)
{
    (void)state;
    const char *file = shared_file("cases/eval_cases.json");
    json_t *root = file ? json_load_file(file, 0, NULL) : NULL, *one, *found = NULL;
    size_t i, k;
    if (!file)
        skip();
    json_array_foreach(json_object_get(root, "cases"), i,
                       one) if (!strcmp(json_string_value(json_object_get(one, "id")), "fleiss_kappa")) found = one;
    assert_non_null(found);
    json_t *counts = json_object_get(found, "counts"), *row;
    int64_t squares = 0, totals[5] = {0}, raters = 0;
    json_array_foreach(counts, i, row)
    {
        for (k = 0, raters = 0; k < 5; k++) {
            int64_t n = json_integer_value(json_array_get(row, k));
            squares += n * n;
            totals[k] += n;
            raters += n;
        }
    }
    sp_value kappa = sp_fleiss_kappa((int64_t)json_array_size(counts), (int32_t)raters, 5, squares, totals);
    assert_null(kappa.undefined);
    assert_close(kappa.value, json_number_value(json_object_get(json_object_get(found, "expected"), "computed")), 1e-14, 0);
    json_decref(root);
}

static void test_fleiss_undefined(void **state)
{
    (void)state;
    static const int64_t all_one[] = {12, 0};
    assert_string_equal(sp_fleiss_kappa(4, 3, 2, 36, all_one).undefined, "one class only");
    assert_string_equal(sp_fleiss_kappa(0, 3, 2, 0, all_one).undefined, "no scored steps");
    assert_string_equal(sp_fleiss_kappa(12, 1, 2, 12, all_one).undefined, "one rater");
}

/* ---- through an evaluation ---- */

enum { S = 8 };
static const int32_t labels[S] = {0, 0, 1, 1, 0, -1, 1, 0};
static const int32_t path[S] = {0, 1, 1, 1, 0, 0, 0, -1};
static const int32_t scorer[3][S] = {{0, 0, 1, 1, 0, 1, -1, 0}, {0, 1, 1, 1, 0, -1, -1, 0}, {0, 0, 0, 1, 1, -1, 1, 0}};

typedef struct rules {
    sp_model *model;
    sp_chain *chain, *boolean;
} rules;

static rules rules_new(void)
{
    static const char *const names[] = {"a", "b"};
    static const uint8_t allow[4] = {1, 1, 1, 1};
    rules r = {.model = sp_model_new("any", 2, names)};
    sp_error err = {0};
    assert_non_null(r.model);
    assert_ok(sp_model_set_matrix(r.model, allow, NULL, &err), &err);
    sp_chain_options o = sp_chain_options_default();
    assert_ok(sp_chain_new(r.model, &o, &r.chain, &err), &err);
    o.is_boolean = true;
    assert_ok(sp_chain_new(r.model, &o, &r.boolean, &err), &err);
    return r;
}

static void rules_free(rules *r)
{
    sp_chain_free(r->chain);
    sp_chain_free(r->boolean);
    sp_model_free(r->model);
}

static sp_status run(const rules *r, int32_t n_scorers, bool has_labels, sp_comparison **out, sp_error *err)
{
    static const char *const strategies[] = {"mine"}, *const classes[] = {"a", "b"}, *const people[] = {"ann", "bob", "cy"};
    static const int64_t offsets[] = {0, 4, 8};
    static const sp_decoded results[2] = {{.status = SP_OK, .step = -1}, {.status = SP_OK, .step = -1}};
    sp_evaluation_options how = sp_evaluation_options_default();
    how.has_labels = has_labels;
    how.n_strategies = 1;
    how.names = strategies;
    how.classes = classes;
    how.has_path_scores = false;
    how.n_scorers = n_scorers;
    how.scorers = people;
    how.bootstrap.n_resamples = 10;
    sp_evaluation *e = NULL;
    sp_status status = sp_evaluation_new(r->chain, r->boolean, &how, &e, err);
    if (status == SP_OK) {
        const int32_t *paths[] = {path}, *scorers[] = {scorer[0], scorer[1], scorer[2]};
        const sp_decoded *all[] = {results};
        sp_evaluation_block block = {.n_recordings = 2,
                                     .offsets = offsets,
                                     .labels = has_labels ? labels : NULL,
                                     .paths = paths,
                                     .results = all,
                                     .scorers = scorers};
        status = sp_evaluation_add(e, &block, NULL, err);
    }
    if (status == SP_OK)
        status = sp_evaluation_finish(e, out, err);
    sp_evaluation_free(e);
    return status;
}

static void test_counts(void **state)
{
    (void)state;
    rules r = rules_new();
    sp_error err = {0};
    sp_comparison *c = NULL;
    assert_ok(run(&r, 3, true, &c, &err), &err);
    const sp_scorers *s = c->scorers;
    assert_non_null(s);
    assert_string_equal(s->scorers[1].name, "bob");
    assert_string_equal(s->strategies[0].name, "mine");
    /* mine with ann: 7 steps, right 0 2 3 4; -1 at the last step is wrong */
    assert_int_equal(s->strategies[0].with[0].steps, 7);
    assert_int_equal(s->strategies[0].with[0].agreed, 4);
    /* with cy: steps 0 1 2 3 4 6 7, right 0 3 */
    assert_int_equal(s->strategies[0].with[2].steps, 7);
    assert_int_equal(s->strategies[0].with[2].agreed, 2);
    assert_close(s->strategies[0].with[2].accuracy.value, 2 / 7.0, 1e-15, 0);
    /* with bob: 0 1 2 3 4 7, right 0..4 */
    assert_int_equal(s->strategies[0].with[1].steps, 6);
    assert_int_equal(s->strategies[0].with[1].agreed, 5);
    assert_close(s->strategies[0].mean_accuracy.value, (4 / 7.0 + 2 / 7.0 + 5 / 6.0) / 3, 1e-15, 0);
    /* reference with ann: both scored 0 1 2 3 4 7, all the same */
    assert_int_equal(s->reference.with[0].steps, 6);
    assert_int_equal(s->reference.with[0].agreed, 6);
    assert_close(s->reference.with[0].kappa.value, 1, 1e-15, 0);
    /* ann and bob: 0 1 2 3 4 7, but for 1; r = (4, 2), c = (3, 3): pe = 1/2 */
    assert_int_equal(s->scorers[0].with[1].steps, 6);
    assert_int_equal(s->scorers[0].with[1].agreed, 5);
    assert_close(s->scorers[0].with[1].kappa.value, (5 / 6.0 - 0.5) / 0.5, 1e-15, 0);
    assert_close(s->scorers[1].with[0].kappa.value, s->scorers[0].with[1].kappa.value, 0, 0);
    assert_string_equal(s->scorers[0].with[0].kappa.undefined, "itself");
    /* ann and cy: 0 1 3 7 of 6; bob and cy: 0 3 7 of 6 */
    assert_close(s->mean_accuracy.value, (5 / 6.0 + 4 / 6.0 + 3 / 6.0) / 3, 1e-15, 0);
    /* soft, mine: step 0 1; 1 (votes 2:1, says b) 1/2; 2 (1:2, b) 1; 3 1; 4 (2:1, a) 1; 5 (ann alone says b, mine a) 0;
     * 6 (cy says b, mine a) 0; 7 (undecoded) 0 */
    assert_int_equal(s->strategies[0].soft_steps, 8);
    assert_close(s->strategies[0].soft.value, 4.5 / 8, 1e-15, 0);
    /* soft, cy against ann and bob: 0 1; 1 (1:1) 1; 2 (both b, says a) 0; 3 1; 4 (both a, says b) 0; 6 nobody else; 7 1 */
    assert_int_equal(s->scorers[2].soft_steps, 6);
    assert_close(s->scorers[2].soft.value, 4 / 6.0, 1e-15, 0);
    /* Fleiss over 0 1 2 3 4 7: a:b 3:0 2:1 1:2 0:3 2:1 3:0; squares 9 5 5 9 5 9; totals 11, 7 of 18 */
    assert_int_equal(s->fleiss_steps, 6);
    double chance = (11 / 18.0) * (11 / 18.0) + (7 / 18.0) * (7 / 18.0), observed = (42 - 18) / 36.0;
    assert_close(s->fleiss.value, (observed - chance) / (1 - chance), 1e-14, 0);
    sp_comparison_free(c);
    rules_free(&r);
}

static void test_fewer(void **state)
{
    (void)state;
    rules r = rules_new();
    sp_error err = {0};
    sp_comparison *c = NULL;
    assert_ok(run(&r, 2, false, &c, &err), &err);
    assert_false(c->scorers->has_reference);
    assert_string_equal(c->scorers->fleiss.undefined, "fewer than three scorers");
    assert_int_equal(c->scorers->strategies[0].with[0].agreed, 4);
    sp_comparison_free(c);
    assert_ok(run(&r, 1, true, &c, &err), &err);
    assert_string_equal(c->scorers->mean_kappa.undefined, "one scorer");
    assert_string_equal(c->scorers->scorers[0].mean_kappa.undefined, "defined with no scorer");
    sp_comparison_free(c);
    assert_ok(run(&r, 0, true, &c, &err), &err);
    assert_null(c->scorers);
    sp_comparison_free(c);
    assert_int_equal(run(&r, 33, true, &c, &err), SP_EINVAL);
    rules_free(&r);
}

static sp_status attempt(void *arg)
{
    sp_comparison *c = NULL;
    sp_error err = {0};
    sp_status status = run(arg, 3, true, &c, &err);
    sp_comparison_free(c);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    rules r = rules_new();
    assert_true(assert_each_alloc_may_fail(attempt, &r) > 15);
    rules_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fleiss_published), cmocka_unit_test(test_fleiss_undefined),
                                       cmocka_unit_test(test_counts), cmocka_unit_test(test_fewer),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
