/* The JSON: every key of the contract of results, values that read back exactly, reasons for what is undefined. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "golden.h"
#include "sample_comparison.h"
#include "statepath/report.h"

static char *text_of(const sample *s)
{
    sp_error err = {0};
    char *out = NULL;
    assert_ok(sp_report_json(&s->comparison, &out, &err), &err);
    return out;
}

static json_t *parsed(const sample *s)
{
    char *text = text_of(s);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    free(text);
    return root;
}

static void assert_keys(const json_t *object, const char *const *keys)
{
    for (; *keys; keys++)
        if (!json_object_get(object, *keys))
            fail_msg("key \"%s\" is missing", *keys);
}

static void test_small_is_exactly_this(void **state)
{
    (void)state;
    sample *s = sample_small();
    char *text = text_of(s), *again = text_of(s);
    assert_string_equal(text, again);
    assert_golden("small.json", text);
    free(text);
    free(again);
    sample_free(s);
}

static void test_has_every_key_of_the_contract(void **state)
{
    (void)state;
    sample *s = sample_nights(3, 100);
    json_t *root = parsed(s);
    assert_keys(root, (const char *const[]){"statepath", "input", "model", "reference", "mask_ceiling",
                                            "strategies", "comparisons", NULL});
    assert_keys(json_object_get(root, "input"),
                (const char *const[]){"file", "recordings", "steps", "scored_steps", NULL});
    assert_keys(json_object_get(root, "model"),
                (const char *const[]){"name", "classes", "forbidden", "forbidden_count", NULL});
    assert_keys(json_object_get(root, "reference"),
                (const char *const[]){"transitions", "illegal", "illegal_pairs", NULL});
    json_t *strategies = json_object_get(root, "strategies");
    assert_int_equal(json_object_size(strategies), 3);
    const char *name;
    json_t *strategy;
    json_object_foreach(strategies, name, strategy)
    {
        assert_keys(strategy,
                    (const char *const[]){
                        "accuracy",    "balanced_accuracy", "kappa",         "mcc",
                        "macro_f1",    "weighted_f1",       "confusion",     "classes",
                        "transitions", "changes",           "illegal",       "illegal_start",
                        "illegal_end", "short_runs",        "illegal_pairs", "recordings_with_illegal",
                        "path_score",  "undecoded",         "per_recording", "changed_from_argmax",
                        NULL});
        assert_keys(
            json_object_get(json_object_get(strategy, "classes"), "N2"),
            (const char *const[]){"precision", "recall", "f1", "specificity", "kappa", "support", NULL});
        assert_keys(json_array_get(json_object_get(strategy, "per_recording"), 2),
                    (const char *const[]){"id", "steps", "scored", "accuracy", "kappa", "illegal", NULL});
        assert_keys(json_object_get(strategy, "changed_from_argmax"),
                    (const char *const[]){"fixed", "broken", "wrong_to_wrong", NULL});
        assert_int_equal(json_array_size(json_object_get(strategy, "confusion")), 5);
        assert_int_equal(json_array_size(json_array_get(json_object_get(strategy, "confusion"), 0)), 5);
        /* The double itself, not a rounded one. */
        for (int i = 0; i < 3; i++)
            if (!strcmp(s->comparison.strategies[i].name, name))
                assert_true(json_real_value(json_object_get(strategy, "accuracy")) ==
                            s->comparison.strategies[i].agreement.accuracy.value);
    }
    json_t *pair = json_array_get(json_object_get(root, "comparisons"), 0);
    assert_keys(pair, (const char *const[]){"a", "b", "metric", "difference", "ci", "p", NULL});
    assert_string_equal(json_string_value(json_object_get(pair, "a")), "greedy");
    assert_int_equal(json_array_size(json_object_get(pair, "ci")), 2);
    json_decref(root);
    sample_free(s);
}

static void test_undefined_is_null_with_a_reason(void **state)
{
    (void)state;
    sample *s = sample_small();
    s->comparison.strategies[2].agreement.kappa = (sp_value){.value = NAN, .undefined = "one class only"};
    s->comparison.comparisons[0].difference.low = (sp_value){.undefined = "one recording"};
    char *text = text_of(s);
    assert_null(strstr(text, "NaN"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf\""));
    free(text);
    json_t *root = parsed(s), *strategies = json_object_get(root, "strategies");
    json_t *viterbi = json_object_get(strategies, "viterbi"), *argmax = json_object_get(strategies, "argmax");
    assert_true(json_is_null(json_object_get(viterbi, "kappa")));
    assert_string_equal(json_string_value(json_object_get(viterbi, "kappa_undefined")), "one class only");
    assert_true(json_is_null(json_object_get(argmax, "path_score")));
    assert_non_null(json_object_get(argmax, "path_score_undefined"));
    json_t *pair = json_array_get(json_object_get(root, "comparisons"), 0);
    assert_true(json_is_null(json_object_get(pair, "ci")));
    assert_string_equal(json_string_value(json_object_get(pair, "ci_undefined")), "one recording");
    json_t *undecoded = json_object_get(json_object_get(strategies, "greedy"), "undecoded");
    assert_string_equal(json_string_value(json_array_get(undecoded, 0)), "night_2");
    json_decref(root);
    sample_free(s);
}

static void test_without_labels_metrics_are_absent(void **state)
{
    (void)state;
    sample *s = sample_small();
    sample_drop_labels(s);
    json_t *root = parsed(s), *argmax = json_object_get(json_object_get(root, "strategies"), "argmax");
    static const char *const absent[] = {"accuracy", "kappa",    "confusion",
                                         "classes",  "macro_f1", "changed_from_argmax"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_null(json_object_get(argmax, absent[i]));
    assert_null(json_object_get(root, "reference"));
    assert_null(json_object_get(root, "mask_ceiling"));
    assert_null(json_object_get(json_array_get(json_object_get(argmax, "per_recording"), 0), "accuracy"));
    assert_int_equal(json_integer_value(json_object_get(argmax, "illegal")), 2);
    json_decref(root);
    sample_free(s);
}

static void test_hard_names_survive(void **state)
{
    (void)state;
    sample *s = sample_small();
    s->comparison.ids[0] = sample_text(s, "<script>\"\\\n\t\001 \xC3\xA9 \xF0\x9F\x98\xB4");
    s->comparison.ids[1] = sample_text(s, "bad \xC3\x28");
    s->comparison.classes[1] = s->comparison.classes[0];
    json_t *root = parsed(s);
    json_t *argmax = json_object_get(json_object_get(root, "strategies"), "argmax");
    json_t *recordings = json_object_get(argmax, "per_recording");
    assert_string_equal(json_string_value(json_object_get(json_array_get(recordings, 0), "id")),
                        s->comparison.ids[0]);
    assert_string_equal(json_string_value(json_object_get(json_array_get(recordings, 1), "id")),
                        "bad \xEF\xBF\xBD(");
    assert_int_equal(json_object_size(json_object_get(argmax, "classes")),
                     3); /* none swallows another of the same name */
    json_decref(root);
    sample_free(s);
}

static void test_sizes(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{1, 1, 1}, {1, 0, 0}, {3, 2, 0}, {100, 2, 50}, {4, 1000, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        sample *s = sample_band((int32_t)shapes[i][0], shapes[i][1], shapes[i][2]);
        json_t *root = parsed(s), *argmax = json_object_get(json_object_get(root, "strategies"), "argmax");
        assert_int_equal(json_array_size(json_object_get(argmax, "per_recording")), shapes[i][1]);
        json_t *model = json_object_get(root, "model");
        assert_int_equal(json_integer_value(json_object_get(model, "forbidden_count")),
                         s->comparison.forbidden_count);
        assert_true(json_array_size(json_object_get(model, "forbidden")) <= 1000);
        json_decref(root);
        sample_free(s);
    }
}

/* ---- piece by piece ---- */

typedef struct pieces {
    char *text;
    size_t n;
    int count, last; /* pieces so far, and which one is refused */
} pieces;

static sp_status take_piece(void *arg, const char *text, size_t n, sp_error *err)
{
    pieces *p = arg;
    if (++p->count == p->last)
        return sp_fail(err, SP_EFILE, "the disk is full");
    p->text = realloc(p->text, p->n + n + 1);
    memcpy(p->text + p->n, text, n);
    p->n += n;
    p->text[p->n] = '\0';
    return SP_OK;
}

/* JSON and CSV in pieces are what they are at once, also of more recordings than one piece holds. */
static void test_pieces(void **state)
{
    (void)state;
    static const struct {
        sp_status (*whole)(const sp_comparison *, char **, sp_error *);
        sp_status (*pieces)(const sp_comparison *, sp_report_sink *, void *, sp_error *);
    } reports[] = {{sp_report_json, sp_report_json_to}, {sp_report_csv, sp_report_csv_to}};
    for (int64_t n_recordings = 0; n_recordings <= 5000; n_recordings += 5000) {
        sample *s = sample_band(3, n_recordings, 2);
        for (int i = 0; i < 2; i++) {
            sp_error err = {.status = SP_OK};
            char *whole = NULL;
            pieces p = {.last = -1}, refused = {.last = 2};
            assert_ok(reports[i].whole(&s->comparison, &whole, &err), &err);
            assert_ok(reports[i].pieces(&s->comparison, take_piece, &p, &err), &err);
            assert_int_equal(p.n, strlen(whole));
            assert_memory_equal(p.text, whole, p.n);
            if (n_recordings > 0) {
                assert_in_range(p.count, 2, p.n / (1 << 20) + 2); /* about a MiB each */
                assert_int_equal(reports[i].pieces(&s->comparison, take_piece, &refused, &err), SP_EFILE);
                assert_string_equal(err.message, "the disk is full");
                assert_int_equal(refused.count, 2);
            }
            free(whole);
            free(p.text);
            free(refused.text);
        }
        sample_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_is_exactly_this),
        cmocka_unit_test(test_has_every_key_of_the_contract),
        cmocka_unit_test(test_undefined_is_null_with_a_reason),
        cmocka_unit_test(test_without_labels_metrics_are_absent),
        cmocka_unit_test(test_hard_names_survive),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
