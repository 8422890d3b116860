/* Sleep statistics: published examples, every way in which a night can lack something, and agreement over nights. */
#include "check.h"
#include "evaluated.h"
#include "statepath/sleep.h"

#include <jansson.h>

static const int32_t stages[5] = {SP_STAGE_WAKE, SP_STAGE_N1, SP_STAGE_N2, SP_STAGE_N3, SP_STAGE_REM};

static json_t *load_case(const char *list, const char *id)
{
    const char *file = shared_file("cases/eval_cases.json");
    json_t *root = file ? json_load_file(file, 0, NULL) : NULL;
    size_t i;
    json_t *item, *found = NULL;
    json_array_foreach(json_object_get(root, list), i,
                       item) if (!strcmp(json_string_value(json_object_get(item, "id")), id)) found =
        json_incref(item);
    if (file && !found)
        fail_msg("there is no case %s", id);
    json_decref(root);
    return found;
}

static double number(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("there is no number %s", key);
    return json_number_value(value);
}

static void test_published_night(void **state)
{
    (void)state;
    json_t *one = load_case("cases", "yasa_sleep_statistics_and_transitions");
    if (!one)
        skip();
    json_t *expected = json_object_get(one, "expected"), *hypno = json_object_get(one, "hypno");
    int32_t path[64];
    int64_t n = (int64_t)json_array_size(hypno);
    for (int64_t t = 0; t < n; t++)
        path[t] = (int32_t)json_integer_value(json_array_get(hypno, (size_t)t));
    sp_sleep_statistics s;
    sp_sleep_statistics_of(n, path, NULL, NULL, stages, number(one, "epoch_sec"), &s);
    static const struct {
        sp_sleep_measure measure;
        const char *key;
    } measures[] = {{SP_SLEEP_TIB, "TIB"},
                    {SP_SLEEP_TST, "TST"},
                    {SP_SLEEP_SE, "SE"},
                    {SP_SLEEP_SOL, "SOL"},
                    {SP_SLEEP_WAKE_WITHIN, "WASO"},
                    {SP_SLEEP_N1, "N1"},
                    {SP_SLEEP_N2, "N2"},
                    {SP_SLEEP_N3, "N3"},
                    {SP_SLEEP_REM, "REM"},
                    {SP_SLEEP_REM_LATENCY, "REM_latency_AASM_from_sleep_onset"}};
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        assert_null(s.values[measures[i].measure].undefined);
        assert_close(s.values[measures[i].measure].value, number(expected, measures[i].key), 1e-12, 0);
    }
    json_t *derived = json_object_get(one, "derived_same_hypnogram");
    assert_close(s.values[SP_SLEEP_WASO].value, number(derived, "WASO_alt_TIB-SOL-TST"), 1e-12, 0);
    json_decref(one);
}

static void test_fragmentation_is_per_hour(void **state)
{
    (void)state;
    json_t *one = load_case("edge_cases", "E4_yasa_sfi_scaling_bug");
    if (!one)
        skip();
    json_t *runs = json_object_get(one, "hypno_runs"), *run, *doc = json_object_get(one, "peer_doc");
    int32_t path[256];
    int64_t n = 0;
    size_t i;
    json_array_foreach(runs, i, run) for (json_int_t k = json_integer_value(json_array_get(run, 1)); k > 0;
                                          k--) path[n++] =
        json_string_value(json_array_get(run, 0))[0] == 'W' ? 0 : 2;
    sp_sleep_statistics s;
    sp_sleep_statistics_of(n, path, NULL, NULL, stages, number(one, "epoch_sec"), &s);
    assert_close(s.values[SP_SLEEP_SFI].value,
                 number(json_object_get(one, "recommended"), "SFI_per_hour_TST"), 1e-12, 0);
    assert_close(s.values[SP_SLEEP_TIB].value, number(doc, "TIB"), 1e-12, 0);
    assert_close(s.values[SP_SLEEP_TST].value, number(doc, "TST"), 1e-12, 0);
    assert_close(s.values[SP_SLEEP_WAKE_WITHIN].value, number(doc, "WASO"), 1e-12, 0);
    assert_close(s.values[SP_SLEEP_SE].value, number(doc, "SE"), 5e-5, 0);
    assert_close(s.values[SP_SLEEP_SOL].value, number(doc, "SOL"), 1e-12, 0);
    assert_string_equal(s.values[SP_SLEEP_REM_LATENCY].undefined, "no REM");
    json_decref(one);
}

static void test_order_of_classes(void **state)
{
    (void)state;
    static const int32_t columns[5] = {SP_STAGE_REM, SP_STAGE_N3, SP_STAGE_N2, SP_STAGE_N1, SP_STAGE_WAKE};
    static const int32_t path[] = {4, 3, 2, 4, 0, 4};
    sp_sleep_statistics s;
    sp_sleep_statistics_of(6, path, NULL, NULL, columns, 60, &s);
    static const double expected[SP_N_SLEEP_MEASURES] = {
        [SP_SLEEP_TIB] = 6,         [SP_SLEEP_TST] = 3,         [SP_SLEEP_SE] = 50, [SP_SLEEP_SOL] = 1,
        [SP_SLEEP_WASO] = 2,        [SP_SLEEP_WAKE] = 3,        [SP_SLEEP_N1] = 1,  [SP_SLEEP_N2] = 1,
        [SP_SLEEP_WAKE_WITHIN] = 1, [SP_SLEEP_REM_LATENCY] = 3, [SP_SLEEP_REM] = 1, [SP_SLEEP_SFI] = 40};
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        assert_null(s.values[m].undefined);
        assert_close(s.values[m].value, expected[m], 1e-12, 0);
    }
}

static void test_unscored_steps_and_gaps(void **state)
{
    (void)state;
    /* reference:                 -   -   W   N2  -   W   N2  -  */
    static const int32_t labels[] = {-1, -1, 0, 2, -1, 0, 2, -1};
    static const int32_t path[] = {2, 4, 2, 2,
                                   4, 0, 0, 2}; /* what stands where nobody scored is not looked at */
    sp_sleep_statistics s;
    sp_sleep_statistics_of(8, labels, labels, NULL, stages, 60, &s);
    assert_close(s.values[SP_SLEEP_TIB].value, 5, 0, 0);
    assert_close(s.values[SP_SLEEP_TST].value, 2, 0, 0);
    assert_close(s.values[SP_SLEEP_SOL].value, 1, 0, 0);
    assert_close(s.values[SP_SLEEP_WASO].value, 1, 0, 0);
    assert_close(s.values[SP_SLEEP_SFI].value, 0, 0, 0); /* N2 - W: not neighbours */
    sp_sleep_statistics_of(8, path, labels, NULL, stages, 60, &s);
    assert_close(s.values[SP_SLEEP_TIB].value, 5, 0, 0);
    assert_close(s.values[SP_SLEEP_TST].value, 2, 0, 0);
    assert_close(s.values[SP_SLEEP_SOL].value, 0, 0, 0);
    assert_close(s.values[SP_SLEEP_WASO].value, 2, 0, 0);
    assert_close(s.values[SP_SLEEP_WAKE_WITHIN].value, 0, 0, 0);
    assert_string_equal(s.values[SP_SLEEP_REM_LATENCY].undefined, "no REM");
    static const int32_t night[] = {2, 0, 2, 0};
    static const int64_t together[] = {5, 5, 5, 5}, apart[] = {5, 5, 5, 6};
    sp_sleep_statistics_of(4, night, NULL, together, stages, 60, &s);
    assert_close(s.values[SP_SLEEP_SFI].value, 60, 1e-12, 0);
    sp_sleep_statistics_of(4, night, NULL, apart, stages, 60, &s);
    assert_close(s.values[SP_SLEEP_SFI].value, 30, 1e-12, 0);
}

static void test_what_a_night_lacks(void **state)
{
    (void)state;
    static const int32_t awake[] = {0, 0, 0}, nothing[] = {-1, -1, -1};
    sp_sleep_statistics s;
    sp_sleep_statistics_of(3, awake, NULL, NULL, stages, 30, &s);
    assert_close(s.values[SP_SLEEP_TIB].value, 1.5, 0, 0);
    assert_close(s.values[SP_SLEEP_TST].value, 0, 0, 0);
    assert_close(s.values[SP_SLEEP_SE].value, 0, 0, 0);
    assert_null(s.values[SP_SLEEP_WAKE].undefined);
    static const sp_sleep_measure lacking[] = {SP_SLEEP_SOL, SP_SLEEP_WASO, SP_SLEEP_WAKE_WITHIN,
                                               SP_SLEEP_REM_LATENCY, SP_SLEEP_SFI};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
        assert_string_equal(s.values[lacking[i]].undefined, "no sleep");
    for (int pass = 0; pass < 3; pass++) {
        sp_sleep_statistics_of(pass == 1 ? 0 : 3, pass == 2 ? NULL : nothing, NULL, NULL, stages, 30, &s);
        for (int m = 0; m < SP_N_SLEEP_MEASURES; m++)
            assert_string_equal(s.values[m].undefined, pass == 2 ? "not decoded" : "no scored steps");
    }
}

/* An evaluation of n nights of STEPS minutes, of which so many are slept by the reference and as decoded; -1: not decoded. */
static sp_comparison *evaluate_nights(int n, const int32_t *reference, const int32_t *decoded)
{
    enum { STEPS = 1000, MOST = 4 };
    static const char *const classes[] = {"Wake", "N1", "N2", "N3", "REM"}, *const names[] = {"path"};
    static int32_t labels[MOST * STEPS], path[MOST * STEPS];
    const int64_t offsets[] = {0, STEPS, 2 * STEPS, 3 * STEPS, 4 * STEPS};
    const int32_t *const paths[] = {path};
    for (int32_t t = 0; t < n * STEPS; t++) {
        labels[t] = t % STEPS < reference[t / STEPS] ? 2 : 0;
        path[t] = decoded[t / STEPS] < 0 ? -1 : t % STEPS < decoded[t / STEPS] ? 2 : 0;
    }
    sp_run_options o = sp_run_options_default();
    o.epoch_seconds = 60;
    sp_model *model = model_of_all(5, classes);
    sp_comparison *c =
        evaluated(model, &(sp_arrays){.info = {.n_recordings = n, .offsets = offsets}, .labels = labels},
                  &(sp_array_paths){1, names, paths, NULL}, &o);
    sp_model_free(model);
    assert_non_null(c->sleep);
    return c;
}

static void test_agreement(void **state)
{
    (void)state;
    static const int32_t reference[] = {400, 410, 420, 1000}, decoded[] = {410, 409, 435, -1};
    sp_comparison *c =
        evaluate_nights(4, reference, decoded); /* differences 10, -1, 15: mean 8, SD sqrt(67) */
    sp_sleep_agreement out = c->sleep->strategies[0].agreement[SP_SLEEP_TST];
    assert_int_equal(out.n, 3);
    assert_close(out.bias.value, 8, 1e-12, 0);
    assert_close(out.sd.value, sqrt(67), 1e-12, 0);
    assert_close(out.low.value, 8 - 1.96 * sqrt(67), 1e-12, 0);
    assert_close(out.high.value, 8 + 1.96 * sqrt(67), 1e-12, 0);
    const double t = 0.95 * sqrt(2 / (4 * 0.975 * 0.025)); /* of 2 degrees of freedom, in closed form */
    assert_close(out.bias_low.value, 8 - t * sqrt(67. / 3), 1e-9, 0);
    assert_close(out.bias_high.value, 8 + t * sqrt(67. / 3), 1e-9, 0);
    const double half = t * sqrt(67 * (1. / 3 + 0.9604));
    assert_close(out.low_low.value, out.low.value - half, 1e-9, 0);
    assert_close(out.low_high.value, out.low.value + half, 1e-9, 0);
    assert_close(out.high_low.value, out.high.value - half, 1e-9, 0);
    assert_close(out.high_high.value, out.high.value + half, 1e-9, 0);
    const sp_sleep_mean mean = c->sleep->strategies[0].means[SP_SLEEP_TST];
    assert_int_equal(mean.n, 3);
    assert_close(mean.mean.value, 418, 1e-12, 0);
    assert_close(mean.sd.value, sqrt((64 + 81 + 289) / 2.0), 1e-12, 0);
    sp_comparison_free(c);
    c = evaluate_nights(1, reference, decoded);
    out = c->sleep->strategies[0].agreement[SP_SLEEP_TST];
    assert_close(out.bias.value, 10, 1e-12, 0);
    assert_string_equal(out.sd.undefined, "one night");
    assert_string_equal(out.low.undefined, "one night");
    assert_string_equal(out.high_high.undefined, "one night");
    sp_comparison_free(c);
    c = evaluate_nights(1, reference, (const int32_t[]){-1});
    out = c->sleep->strategies[0].agreement[SP_SLEEP_TST];
    assert_string_equal(out.bias.undefined, "no night where both are defined");
    sp_comparison_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_night),    cmocka_unit_test(test_fragmentation_is_per_hour),
        cmocka_unit_test(test_order_of_classes),   cmocka_unit_test(test_unscored_steps_and_gaps),
        cmocka_unit_test(test_what_a_night_lacks), cmocka_unit_test(test_agreement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
