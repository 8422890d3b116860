/* The worked examples of cases/eval_cases.json that speak of agreement, transitions and paired tests. */
#include "check.h"
#include "evaluated.h"
#include "statepath/metrics.h"
#include "statepath/statistics.h"

#include <jansson.h>

static json_t *load_cases(void)
{
    const char *file = shared_file("cases/eval_cases.json");
    json_error_t error;
    json_t *root = file ? json_load_file(file, 0, &error) : NULL;
    if (file && !root)
        fail_msg("%s: line %d: %s", file, error.line, error.text);
    return root;
}

static json_t *find(json_t *list, const char *id)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i,
                       item) if (strcmp(json_string_value(json_object_get(item, "id")), id) == 0) return item;
    fail_msg("there is no case %s", id);
    return NULL;
}

static json_t *get(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!value)
        fail_msg("there is no %s", key);
    return value;
}

static double number(json_t *object, const char *key)
{
    return json_number_value(get(object, key));
}

/* A matrix of counts, row-major. */
static int32_t read_matrix(json_t *rows, int64_t *out)
{
    int32_t K = (int32_t)json_array_size(rows);
    for (int32_t i = 0; i < K; i++)
        for (int32_t j = 0; j < K; j++)
            out[i * K + j] = json_integer_value(json_array_get(json_array_get(rows, (size_t)i), (size_t)j));
    return K;
}

/* An evaluation of one recording: n_paths of n steps [n_paths][n] of K classes. */
static sp_comparison *evaluate(int32_t K, int64_t n, const int32_t *labels, int32_t n_paths,
                               const int32_t *steps)
{
    static const char *const classes[] = {"a", "b", "c", "d", "e", "f", "g", "h"}, *const names[] = {
                                                                                       "0", "1", "2",
                                                                                       "3", "4", "5"};
    const int32_t *paths[6];
    const int64_t offsets[] = {0, n};
    assert_true(K <= 8 && n_paths <= 6);
    for (int32_t s = 0; s < n_paths; s++)
        paths[s] = steps + s * n;
    sp_model *model = model_of_all(K, classes);
    sp_comparison *c =
        evaluated(model, &(sp_arrays){.info = {.n_recordings = 1, .offsets = offsets}, .labels = labels},
                  &(sp_array_paths){n_paths, names, paths, NULL}, NULL);
    sp_model_free(model);
    return c;
}

enum { MOST_STEPS = 200000 };

/* Steps of which table [K,K] counts how often they are i by one and j by the other. Returns how many. */
static int64_t lay_out(int32_t K, const int64_t *table, int32_t *one, int32_t *other)
{
    int64_t n = 0;
    for (int32_t i = 0; i < K * K; i++)
        for (int64_t left = table[i]; left > 0; left--) {
            assert_true(n < MOST_STEPS);
            one[n] = i / K;
            other[n++] = i % K;
        }
    return n;
}

static void test_pycm(void **state)
{
    json_t *one = find(get(*state, "cases"), "pycm_3x3");
    json_t *expected = get(one, "expected"), *computed = get(one, "computed");
    int64_t confusion[9];
    sp_agreement a;
    sp_class_agreement c[3];
    assert_int_equal(read_matrix(get(one, "cm"), confusion), 3);
    sp_agreement_from_confusion(3, confusion, NULL, &a, c);
    assert_close(a.accuracy.value, number(expected, "accuracy"), 1e-12, 0);
    assert_close(a.kappa.value, number(expected, "kappa"), 1e-12, 0);
    assert_close(a.mcc.value, number(computed, "mcc"), 1e-12, 0);
    assert_close(a.macro_f1.value, number(computed, "macro_f1"), 1e-12, 0);
    for (size_t k = 0; k < 3; k++)
        assert_close(c[k].f1.value, json_number_value(json_array_get(get(computed, "f1"), k)), 1e-12, 0);
    int32_t labels[64], path[64];
    sp_comparison *compared = evaluate(3, lay_out(3, confusion, labels, path), labels, 1, path);
    assert_close(compared->strategies[0].kappa_se.value, number(computed, "kappa_ase_fleiss_cohen_everitt"),
                 1e-12, 0);
    sp_comparison_free(compared);
}

static void test_mcnemar(void **state)
{
    json_t *one = find(get(*state, "cases"), "mcnemar"), *row;
    double tolerance = number(one, "tolerance");
    size_t i;
    json_array_foreach(get(one, "tables"), i, row)
    {
        /* The label is always 0, which at b steps only the one path says and at c steps only the other. */
        int64_t table[4] = {0, (int64_t)number(row, "b"), (int64_t)number(row, "c"), 0},
                n = table[1] + table[2];
        int32_t *labels = calloc((size_t)n, sizeof *labels), *paths = malloc(2 * (size_t)n * sizeof *paths);
        assert_true(labels && paths);
        lay_out(2, table, paths, paths + n);
        sp_comparison *c = evaluate(2, n, labels, 2, paths);
        const sp_mcnemar m = c->comparisons[0].mcnemar;
        assert_int_equal(m.only_a + m.only_b, n);
        assert_close(m.exact.value, number(row, "exact_p"), 0, tolerance);
        assert_close(m.chi2.value, number(row, "chi2"), 1e-12, tolerance);
        assert_close(m.chi2_p.value, number(row, "p"), 0, tolerance);
        assert_close(m.chi2_corrected.value, number(row, "chi2_cc"), 0, tolerance);
        assert_close(m.chi2_corrected_p.value, number(row, "p_cc"), 0, tolerance);
        sp_comparison_free(c);
        free(labels);
        free(paths);
    }
    assert_true(i >= 8);
}

static void test_several(void **state)
{
    json_t *one = find(get(*state, "cases"), "cochran_q_and_bowker"), *row, *step;
    size_t i, t;
    json_array_foreach(get(one, "cochran"), i, row)
    {
        size_t k = json_array_size(json_array_get(get(row, "x"), 0)), n = json_array_size(get(row, "x"));
        int32_t *labels = calloc(n, sizeof *labels), *paths = malloc(k * n * sizeof *paths);
        assert_true(labels && paths);
        json_array_foreach(get(row, "x"), t, step) for (size_t s = 0; s < k; s++) paths[s * n + t] =
            !json_integer_value(json_array_get(step, s));
        sp_comparison *c = evaluate(2, (int64_t)n, labels, (int32_t)k, paths);
        const sp_chi2 q = c->cochran;
        assert_close(q.chi2.value, number(row, "q"), 0, 1e-7);
        assert_int_equal(q.df, (int)number(row, "df"));
        assert_close(q.p.value, number(row, "p"), 0, 1e-5);
        sp_comparison_free(c);
        free(labels);
        free(paths);
    }
    assert_true(i >= 2);
    json_array_foreach(get(one, "bowker"), i, row)
    {
        int64_t table[64];
        size_t K = json_array_size(get(row, "table"));
        for (size_t c = 0; c < K * K; c++)
            table[c] = json_integer_value(json_array_get(json_array_get(get(row, "table"), c / K), c % K));
        int32_t *labels = calloc(MOST_STEPS, sizeof *labels), *paths = malloc(2 * MOST_STEPS * sizeof *paths);
        assert_true(labels && paths);
        const int64_t n = lay_out((int32_t)K, table, paths, paths + MOST_STEPS);
        memmove(paths + n, paths + MOST_STEPS, (size_t)n * sizeof *paths);
        sp_comparison *compared = evaluate((int32_t)K, n, labels, 2, paths);
        const sp_chi2 bowker = compared->comparisons[0].bowker;
        assert_close(bowker.chi2.value, number(row, "chi2"), 0, 1e-6);
        assert_int_equal(bowker.df, (int)number(row, "df"));
        assert_close(bowker.p.value, number(row, "p"), 0, 1e-6);
        sp_comparison_free(compared);
        free(labels);
        free(paths);
    }
    assert_true(i >= 1);
}

/* Confusion of two lists of classes below K. */
static void confuse(json_t *truth, json_t *predicted, int32_t K, int64_t *confusion)
{
    memset(confusion, 0, (size_t)(K * K) * sizeof *confusion);
    for (size_t t = 0; t < json_array_size(truth); t++)
        confusion[json_integer_value(json_array_get(truth, t)) * K +
                  json_integer_value(json_array_get(predicted, t))]++;
}

static void test_kappa_of_one_class(void **state)
{
    json_t *one = find(get(*state, "edge_cases"), "E1_kappa_single_class"), *input = get(one, "input");
    int64_t confusion[4];
    sp_agreement a;
    confuse(get(input, "y_true"), get(input, "y_pred"), 2, confusion);
    sp_agreement_from_confusion(2, confusion, NULL, &a, NULL);
    assert_true(json_is_null(get(get(one, "recommended"), "value")));
    assert_non_null(a.kappa.undefined);
    assert_close(a.accuracy.value, number(get(one, "recommended"), "accuracy"), 0, 0);
}

static void test_mcc_degenerate(void **state)
{
    json_t *one = find(get(*state, "edge_cases"), "E2_mcc_degenerate"), *row;
    size_t i;
    json_array_foreach(get(one, "cases"), i, row)
    {
        int64_t confusion[4];
        sp_agreement a;
        assert_int_equal(read_matrix(get(row, "cm"), confusion), 2);
        sp_agreement_from_confusion(2, confusion, NULL, &a, NULL);
        json_t *recommended = get(row, "recommended");
        if (json_is_null(recommended)) {
            assert_non_null(a.mcc.undefined);
        } else {
            assert_null(a.mcc.undefined);
            assert_close(a.mcc.value, number(recommended, "value"), 0, 0);
        }
    }
    assert_int_equal(i, 2);
}

/* The mean does not fall as classes are declared that nobody uses. */
static void test_macro_f1_absent_class(void **state)
{
    json_t *one = find(get(*state, "edge_cases"), "E3_macro_f1_absent_class"),
           *recommended = get(one, "recommended");
    for (int32_t K = 3; K <= 8; K++) {
        int64_t confusion[64];
        sp_agreement a;
        confuse(get(one, "target"), get(one, "preds"), K, confusion);
        sp_agreement_from_confusion(K, confusion, NULL, &a, NULL);
        assert_close(a.macro_f1.value, number(recommended, "macro_f1_over_defined_classes"), 1e-12, 0);
        assert_int_equal(a.macro_f1_classes, json_integer_value(get(recommended, "n_defined_classes")));
    }
}

static int32_t class_of(json_t *labels, const char *name)
{
    for (size_t k = 0; k < json_array_size(labels); k++)
        if (strcmp(json_string_value(json_array_get(labels, k)), name) == 0)
            return (int32_t)k;
    return -1; /* unscored */
}

/* Five classes, everything allowed but the pairs given. */
static sp_chain *make_chain(const uint8_t *allow)
{
    const char *const names[] = {"W", "N1", "N2", "N3", "R"};
    sp_error err;
    sp_model *model = sp_model_new("sleep", 5, names);
    assert_non_null(model);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    sp_chain *chain = NULL;
    sp_chain_options options = sp_chain_options_default();
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    sp_model_free(model);
    return chain;
}

static void test_transitions_and_boundaries(void **state)
{
    json_t *one = find(get(*state, "edge_cases"), "E5_invalid_transitions_boundaries_and_gaps"), *row;
    json_t *labels = get(one, "labels"), *recommended = get(one, "recommended");
    uint8_t allow[25];
    memset(allow, 1, sizeof allow);
    size_t i;
    json_array_foreach(get(one, "forbidden"), i, row)
        allow[class_of(labels, json_string_value(json_array_get(row, 0))) * 5 +
              class_of(labels, json_string_value(json_array_get(row, 1)))] = 0;
    sp_chain *chain = make_chain(allow);
    sp_transition_counts counts = {0};
    json_array_foreach(get(one, "recordings"), i, row)
    {
        int32_t path[16];
        int64_t T = (int64_t)json_array_size(row);
        for (int64_t t = 0; t < T; t++)
            path[t] = class_of(labels, json_string_value(json_array_get(row, (size_t)t)));
        sp_transitions_count(chain, T, path, NULL, &counts, NULL, NULL);
    }
    assert_int_equal(counts.transitions, json_integer_value(get(recommended, "eligible_transitions")));
    assert_int_equal(counts.changes, json_integer_value(get(recommended, "stage_changes")));
    assert_int_equal(counts.illegal, json_integer_value(get(recommended, "invalid")));
    sp_chain_free(chain);
}

/* Published counts, laid out as paths of two steps: what is counted of them is what was published. */
static void test_published_counts(void **state)
{
    json_t *one = find(get(*state, "edge_cases"), "E6_published_transition_counts"), *value;
    json_t *labels = get(one, "labels");
    int64_t published[25];
    assert_int_equal(read_matrix(get(one, "counts"), published), 5);
    uint8_t allow[25];
    memset(allow, 1, sizeof allow);
    const char *key;
    json_object_foreach(get(one, "rare_set"), key, value)
    {
        char from[8] = {0};
        const char *arrow = strstr(key, "->");
        assert_non_null(arrow);
        memcpy(from, key, (size_t)(arrow - key));
        allow[class_of(labels, from) * 5 + class_of(labels, arrow + 2)] = 0;
    }
    sp_chain *chain = make_chain(allow);
    sp_transition_counts counts = {0};
    int64_t illegal[25] = {0};
    for (int32_t i = 0; i < 5; i++)
        for (int32_t j = 0; j < 5; j++)
            for (int64_t n = 0; n < published[i * 5 + j]; n++)
                sp_transitions_count(chain, 2, (const int32_t[]){i, j}, NULL, &counts, illegal, NULL);
    assert_int_equal(counts.transitions, json_integer_value(get(one, "n_transitions")));
    assert_int_equal(counts.changes, json_integer_value(get(one, "n_stage_changes")));
    assert_int_equal(counts.illegal, json_integer_value(get(one, "rare_total")));
    assert_int_equal(illegal[class_of(labels, "N3") * 5 + class_of(labels, "R")],
                     json_integer_value(get(get(one, "rare_set"), "N3->R")));
    assert_close((double)counts.illegal / (double)counts.changes, number(one, "rare_share_of_changes"), 1e-15,
                 0);
    assert_close((double)counts.illegal / (double)counts.transitions, number(one, "rare_share_of_all"), 1e-15,
                 0);
    sp_chain_free(chain);
}

/* The hypnogram of YASA's documentation: its transitions and, by stage, its minutes. */
static void test_hypnogram(void **state)
{
    json_t *one = find(get(*state, "cases"), "yasa_sleep_statistics_and_transitions");
    json_t *input = get(one, "transition_input");
    int32_t path[64];
    int64_t T = (int64_t)json_array_size(input), expected[16];
    for (int64_t t = 0; t < T; t++)
        path[t] = (int32_t)json_integer_value(json_array_get(input, (size_t)t));
    assert_int_equal(read_matrix(get(one, "transition_counts"), expected), 4);
    /* Forbidding everything counts everything as forbidden, pair by pair. */
    uint8_t allow[25] = {0};
    sp_chain *chain = make_chain(allow);
    sp_transition_counts counts = {0};
    int64_t illegal[25] = {0};
    sp_transitions_count(chain, T, path, NULL, &counts, illegal, NULL);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            assert_int_equal(illegal[i * 5 + j], expected[i * 4 + j]);
    assert_int_equal(counts.illegal, T - 1);
    sp_chain_free(chain);
}

static void no_cases(void **state)
{
    (void)state;
    print_message("skipped: cases/eval_cases.json is not there\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"pycm", test_pycm, NULL, NULL, NULL},
        {"mcnemar", test_mcnemar, NULL, NULL, NULL},
        {"several", test_several, NULL, NULL, NULL},
        {"kappa of one class", test_kappa_of_one_class, NULL, NULL, NULL},
        {"mcc degenerate", test_mcc_degenerate, NULL, NULL, NULL},
        {"macro F1 with absent classes", test_macro_f1_absent_class, NULL, NULL, NULL},
        {"transitions and boundaries", test_transitions_and_boundaries, NULL, NULL, NULL},
        {"published counts", test_published_counts, NULL, NULL, NULL},
        {"hypnogram", test_hypnogram, NULL, NULL, NULL},
    };
    json_t *cases = load_cases();
    if (!cases) {
        const struct CMUnitTest none[] = {cmocka_unit_test(no_cases)};
        return cmocka_run_group_tests(none, NULL, NULL);
    }
    struct CMUnitTest with_cases[sizeof tests / sizeof *tests];
    memcpy(with_cases, tests, sizeof tests);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        with_cases[i].initial_state = cases;
    int failed = cmocka_run_group_tests(with_cases, NULL, NULL);
    json_decref(cases);
    return failed;
}
