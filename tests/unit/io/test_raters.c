/* Agreement with several raters: published kappas, and a made night counted by hand. */
#include "check.h"
#include "evaluated.h"
#include "failing_alloc.h"
#include "statepath/model_json.h"

#include <jansson.h>

/* Fleiss' kappa of the first n steps of said [n_raters][stride]. */
static sp_value fleiss(int32_t n_raters, int32_t K, const char *const *classes, int64_t n, int64_t stride,
                       const int32_t *said)
{
    static const char *const names[] = {"1", "2", "3",  "4",  "5",  "6",  "7",
                                        "8", "9", "10", "11", "12", "13", "14"};
    const int32_t *labels[14];
    const int64_t offsets[] = {0, n};
    for (int32_t i = 0; i < n_raters; i++)
        labels[i] = said + i * stride;
    sp_model *model = model_of_all(K, classes);
    const sp_arrays arrays = {.info = {.n_recordings = 1, .offsets = offsets},
                              .n_raters = n_raters,
                              .raters = names,
                              .rater_labels = labels};
    sp_comparison *c = evaluated(model, &arrays, &(sp_array_paths){1, names, labels, NULL}, NULL);
    const sp_value kappa = c->raters->fleiss;
    sp_comparison_free(c);
    sp_model_free(model);
    return kappa;
}

static void test_fleiss_published(void **state)
{
    (void)state;
    const char *file = shared_file("cases/eval_cases.json");
    json_t *root = file ? json_load_file(file, 0, NULL) : NULL, *one, *found = NULL;
    size_t i, k;
    if (!file)
        skip();
    json_array_foreach(json_object_get(root, "cases"), i,
                       one) if (!strcmp(json_string_value(json_object_get(one, "id")), "fleiss_kappa"))
        found = one;
    assert_non_null(found);
    /* Raters in the order of their categories: which of them said what does not count. */
    enum { RATERS = 14, CATEGORIES = 5, MOST = 20 };
    json_t *counts = json_object_get(found, "counts"), *row;
    int32_t said[RATERS][MOST];
    json_array_foreach(counts, i, row)
    {
        int32_t rater = 0;
        for (k = 0; k < CATEGORIES; k++)
            for (json_int_t n = json_integer_value(json_array_get(row, k)); n > 0 && i < MOST; n--)
                said[rater++][i] = (int32_t)k;
        assert_int_equal(rater, RATERS);
    }
    const char *const classes[] = {"a", "b", "c", "d", "e"};
    sp_value kappa = fleiss(RATERS, CATEGORIES, classes, (int64_t)json_array_size(counts), MOST, said[0]);
    assert_null(kappa.undefined);
    assert_close(kappa.value,
                 json_number_value(json_object_get(json_object_get(found, "expected"), "computed")), 1e-14,
                 0);
    json_decref(root);
}

static void test_fleiss_undefined(void **state)
{
    (void)state;
    static const char *const classes[] = {"a", "b"};
    static const int32_t all_one[3][4] = {{0}}, nothing[3][1] = {{-1}, {-1}, {-1}};
    assert_string_equal(fleiss(3, 2, classes, 4, 4, all_one[0]).undefined, "one class only");
    assert_string_equal(fleiss(3, 2, classes, 1, 1, nothing[0]).undefined, "no scored steps");
}

/* ---- through an evaluation ---- */

enum { S = 8 };
static const int32_t labels[S] = {0, 0, 1, 1, 0, -1, 1, 0};
static const int32_t path[S] = {0, 1, 1, 1, 0, 0, 0, -1};
static const int32_t rater[3][S] = {
    {0, 0, 1, 1, 0, 1, -1, 0}, {0, 1, 1, 1, 0, -1, -1, 0}, {0, 0, 0, 1, 1, -1, 1, 0}};

/* The model as JSON text, to be freed. */
static char *rules_new(void)
{
    static const char *const names[] = {"a", "b"};
    sp_error err;
    char *text;
    sp_model *model = model_of_all(2, names);
    assert_ok(sp_model_to_json(model, &text, &err), &err);
    sp_model_free(model);
    return text;
}

static sp_status run(const char *rules, int32_t n_raters, bool has_labels, sp_comparison **out, sp_error *err)
{
    static const char *const strategies[] = {"mine"}, *const ids[] = {"n1", "n2"};
    static const int64_t offsets[] = {0, 4, 8};
    const int32_t *paths[] = {path}, *raters[33];
    const char *people[33] = {"ann", "bob", "cy"};
    for (int i = 0; i < 33; i++) {
        raters[i] = rater[i % 3];
        people[i] = i < 3 ? people[i] : "one more";
    }
    sp_arrays arrays = {.info = {.file = "memory",
                                 .kind = SP_KIND_SCORES,
                                 .dtype = SP_F64,
                                 .n_recordings = 2,
                                 .n_classes = 2,
                                 .ids = ids,
                                 .offsets = offsets},
                        .labels = has_labels ? labels : NULL,
                        .n_raters = n_raters,
                        .raters = people,
                        .rater_labels = raters};
    sp_run_options o = sp_run_options_default();
    o.model_text = rules;
    o.decode.threads = 1;
    sp_recordings recordings = sp_recordings_of_arrays(&arrays);
    return sp_evaluate(&recordings, &(sp_array_paths){1, strategies, paths, NULL}, &o, out, NULL, err);
}

static void test_counts(void **state)
{
    (void)state;
    char *r = rules_new();
    sp_error err = {0};
    sp_comparison *c = NULL;
    assert_ok(run(r, 3, true, &c, &err), &err);
    const sp_raters *s = c->raters;
    assert_non_null(s);
    assert_string_equal(s->raters[1].name, "bob");
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
    assert_int_equal(s->raters[0].with[1].steps, 6);
    assert_int_equal(s->raters[0].with[1].agreed, 5);
    assert_close(s->raters[0].with[1].kappa.value, (5 / 6.0 - 0.5) / 0.5, 1e-15, 0);
    assert_close(s->raters[1].with[0].kappa.value, s->raters[0].with[1].kappa.value, 0, 0);
    assert_string_equal(s->raters[0].with[0].kappa.undefined, "itself");
    /* ann and cy: 0 1 3 7 of 6; bob and cy: 0 3 7 of 6 */
    assert_close(s->mean_accuracy.value, (5 / 6.0 + 4 / 6.0 + 3 / 6.0) / 3, 1e-15, 0);
    /* soft, mine: step 0 1; 1 (votes 2:1, says b) 1/2; 2 (1:2, b) 1; 3 1; 4 (2:1, a) 1; 5 (ann alone says b, mine a) 0;
     * 6 (cy says b, mine a) 0; 7 (undecoded) 0 */
    assert_int_equal(s->strategies[0].soft_steps, 8);
    assert_close(s->strategies[0].soft.value, 4.5 / 8, 1e-15, 0);
    /* soft, cy against ann and bob: 0 1; 1 (1:1) 1; 2 (both b, says a) 0; 3 1; 4 (both a, says b) 0; 6 nobody else; 7 1 */
    assert_int_equal(s->raters[2].soft_steps, 6);
    assert_close(s->raters[2].soft.value, 4 / 6.0, 1e-15, 0);
    /* Fleiss over 0 1 2 3 4 7: a:b 3:0 2:1 1:2 0:3 2:1 3:0; squares 9 5 5 9 5 9; totals 11, 7 of 18 */
    assert_int_equal(s->fleiss_steps, 6);
    double chance = (11 / 18.0) * (11 / 18.0) + (7 / 18.0) * (7 / 18.0), observed = (42 - 18) / 36.0;
    assert_close(s->fleiss.value, (observed - chance) / (1 - chance), 1e-14, 0);
    sp_comparison_free(c);
    free(r);
}

static void test_fewer(void **state)
{
    (void)state;
    char *r = rules_new();
    sp_error err = {0};
    sp_comparison *c = NULL;
    assert_ok(run(r, 2, false, &c, &err), &err);
    assert_false(c->raters->has_reference);
    assert_string_equal(c->raters->fleiss.undefined, "fewer than three scorers");
    assert_int_equal(c->raters->strategies[0].with[0].agreed, 4);
    sp_comparison_free(c);
    assert_ok(run(r, 1, true, &c, &err), &err);
    assert_string_equal(c->raters->mean_kappa.undefined, "one scorer");
    assert_string_equal(c->raters->raters[0].mean_kappa.undefined, "defined with no scorer");
    sp_comparison_free(c);
    assert_ok(run(r, 0, true, &c, &err), &err);
    assert_null(c->raters);
    sp_comparison_free(c);
    assert_int_equal(run(r, 33, true, &c, &err), SP_EINVAL);
    free(r);
}

static sp_status attempt(void *arg)
{
    sp_comparison *c = NULL;
    sp_error err = {0};
    sp_status status = run(arg, 3, true, &c, &err);
    if (status == SP_OK) {
        assert_int_equal(c->raters->strategies[0].with[1].agreed, 5);
        assert_int_equal(c->raters->fleiss_steps, 6);
        assert_close(c->raters->strategies[0].soft.value, 4.5 / 8, 1e-15, 0);
    } else {
        assert_null(c);
    }
    sp_comparison_free(c);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    char *r = rules_new();
    assert_true(assert_each_alloc_may_fail_or_not_matter(attempt, r) > 15);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fleiss_published),
                                       cmocka_unit_test(test_fleiss_undefined), cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_fewer),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
