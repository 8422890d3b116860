/* The model: looking up, checks, warnings, alignment with the columns of a file. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "statepath/metrics.h"
#include "statepath/model_json.h"

static const char *const sleep_classes[] = {"Wake", "N1", "N2"};

/* Wake: Wake, N1; N1: Wake, N1, N2; N2: N1, N2. */
static sp_model *new_sleep(void)
{
    static const uint8_t allow[] = {1, 1, 0, 1, 1, 1, 0, 1, 1};
    sp_model *model = sp_model_new("nap", 3, sleep_classes);
    assert_non_null(model);
    assert_int_equal(sp_model_set_matrix(model, allow, NULL, NULL), SP_OK);
    return model;
}

static void add_alias(sp_model *model, int32_t k, const char *name)
{
    model->aliases = realloc(model->aliases, (size_t)(model->n_aliases + 1) * sizeof *model->aliases);
    model->aliases[model->n_aliases].class_index = k;
    model->aliases[model->n_aliases++].name = strdup(name);
}

static double *doubles(int n, const double *values)
{
    double *copy = malloc((size_t)n * sizeof *copy);
    return memcpy(copy, values, (size_t)n * sizeof *copy);
}

static void test_lookup(void **state)
{
    (void)state;
    sp_model *model = new_sleep();
    add_alias(model, 0, "W");
    assert_int_equal(sp_model_edge(model, 0, 0), 0);
    assert_int_equal(sp_model_edge(model, 0, 2), -1);
    assert_int_equal(sp_model_edge(model, 2, 1), 5);
    assert_string_equal(sp_model_state_name(model, 1), "N1");
    sp_error err;
    assert_ok(sp_model_check(model, &err), &err);
    sp_model_free(model);
    sp_model_free(NULL);
}

static void expect_error(sp_model *model, const char *message)
{
    sp_error err;
    assert_int_equal(sp_model_check(model, &err), SP_EMODEL);
    assert_string_equal(err.message, message);
    sp_model_free(model);
}

static void test_errors(void **state)
{
    (void)state;
    sp_model *model = new_sleep();
    strcpy(model->classes[1], "N2");
    expect_error(model, "model nap: the class \"N2\" is listed twice; names must differ");

    model = new_sleep();
    model->classes[1][0] = 0;
    expect_error(model, "model nap: class 1 has no name");

    model = new_sleep();
    add_alias(model, 1, "N2");
    expect_error(model, "model nap: \"N2\" is an alias of class \"N1\" but also means class \"N2\"");

    model = new_sleep();
    model->weight = doubles(7, (double[]){0, 0, 0, -INFINITY, 0, 0, 0});
    expect_error(model, "model nap: the log weight of N1 -> N1 is -inf; a forbidden transition is left out, "
                        "others need a finite number");

    model = new_sleep();
    model->start = doubles(3, (double[]){-INFINITY, -INFINITY, -INFINITY});
    expect_error(model, "model nap: no class may start a recording; name at least one");

    model = new_sleep();
    model->end = doubles(3, (double[]){0, NAN, 0});
    expect_error(model, "model nap: the end weight of \"N1\" is nan; it needs a number");

    static const uint8_t no_stay[] = {0, 1, 0, 1, 1, 1, 0, 1, 1};
    model = new_sleep();
    assert_int_equal(sp_model_set_matrix(model, no_stay, NULL, NULL), SP_OK);
    model->min_dwell = calloc(3, sizeof *model->min_dwell);
    model->min_dwell[0] = 2;
    model->min_dwell[1] = model->min_dwell[2] = 1;
    expect_error(model, "model nap: \"Wake\" must stay for 2 steps (min_dwell) but Wake -> Wake is "
                        "forbidden; allow it or drop the min_dwell");

    model = new_sleep();
    model->min_dwell = calloc(3, sizeof *model->min_dwell);
    expect_error(model, "model nap: min_dwell of \"Wake\" is 0; it is a number of steps, at least 1");

    model = new_sleep();
    model->prior = doubles(3, (double[]){0.5, 0.5, 0.5});
    expect_error(model, "model nap: the prior sums to 1.5, not 1");

    model = new_sleep();
    model->prior = doubles(3, (double[]){0.5, 0.25, 0.24999});
    expect_error(model, "model nap: the prior sums to 0.99999, not 1");

    model = new_sleep(); /* N1 -> N1 twice, in place of N1 -> Wake */
    model->to[2] = model->to[3];
    expect_error(model, "model nap: the transitions of \"N1\" are not in ascending order");

    model = new_sleep();
    model->prior = doubles(3, (double[]){-0.5, 1, 0.5});
    expect_error(model, "model nap: the prior of \"Wake\" is -0.5; it is a frequency, at least 0");

    model = new_sleep();
    model->temperature = 0;
    expect_error(model, "model nap: decoding temperature 0; it divides scores and must be above 0");
}

typedef struct heard {
    int n;
    char text[8][256];
} heard;

static void hear(void *arg, const char *sentence)
{
    heard *h = arg;
    const char *said = strstr(sentence, "\": "); /* behind the place in the file */
    assert_non_null(said);
    snprintf(h->text[h->n++], sizeof h->text[0], "%s", said + 3);
}

/* Of the model as a file. */
static heard warnings_of(const sp_model *model)
{
    heard h = {0};
    sp_error err;
    made_folder();
    assert_ok(sp_model_save(model, made_path("m.json"), false, &err), &err);
    assert_ok(sp_model_load_warnings(made_path("m.json"), hear, &h, &err), &err);
    made_folder_remove();
    return h;
}

static void test_warnings(void **state)
{
    (void)state;
    sp_error err;
    sp_model *model = new_sleep();
    heard h = warnings_of(model);
    assert_int_equal(h.n, 0);

    static const uint8_t odd[] = {1, 0, 0, 1, 1, 0, 0, 0, 1}; /* Wake and N2 stay for ever; N1 -> Wake */
    assert_ok(sp_model_set_matrix(model, odd, NULL, &err), &err);
    model->start = doubles(3, (double[]){0, 0, -INFINITY});
    model->end = doubles(3, (double[]){-INFINITY, -INFINITY, 0});
    h = warnings_of(model);
    assert_int_equal(h.n, 4);
    assert_string_equal(h.text[0], "class \"Wake\" can never be left: only itself may follow it");
    assert_string_equal(h.text[1], "class \"N1\" leads to nothing that may end a recording");
    assert_string_equal(h.text[2], "class \"N2\" can never be reached: nothing that may start leads to it");
    assert_string_equal(h.text[3], "class \"N2\" can never be left: only itself may follow it");
    sp_model_free(model);
}

static void test_align(void **state)
{
    (void)state;
    sp_error err;
    int32_t got[3] = {7, 7, 7};
    sp_model *model = new_sleep();
    add_alias(model, 0, "W");
    const char *aliased[] = {"N2", "W", "N1"}, *stranger[] = {"N2", "W", "REM"},
               *twice[] = {"Wake", "W", "N1"}, *few[] = {"Wake", "N2"};

    assert_ok(sp_model_align(model, 3, NULL, got, &err), &err);
    assert_true(got[0] == 0 && got[1] == 1 && got[2] == 2);
    assert_ok(sp_model_align(model, 3, aliased, got, &err), &err);
    assert_true(got[0] == 2 && got[1] == 0 && got[2] == 1);

    assert_int_equal(sp_model_align(model, 3, stranger, got, &err), SP_EMODEL);
    assert_string_equal(
        err.message,
        "model nap has no class \"REM\": the scores have 3 classes (N2, W, REM), the model 3 (Wake, N1, N2); "
        "use another model, or name it under \"aliases\" in the model");
    assert_true(got[0] == 2); /* untouched */
    assert_int_equal(sp_model_align(model, 3, twice, got, &err), SP_EMODEL);
    assert_string_equal(err.message,
                        "the columns \"Wake\" and \"W\" of the scores are both class \"Wake\" of model nap");
    assert_int_equal(sp_model_align(model, 2, few, got, &err), SP_EMODEL);
    assert_string_equal(err.message, "the scores have 2 classes (Wake, N2), model nap has 3 (Wake, N1, N2); "
                                     "use a model of the same classes");
    assert_int_equal(sp_model_align(model, 4, NULL, got, &err), SP_EMODEL);
    assert_string_equal(err.message, "the scores have 4 columns without class names, model nap has 3 "
                                     "classes; use a model of 4 classes, or "
                                     "write the names as attribute \"classes\"");
    sp_model_free(model);
}

/* ---- the compiled form ---- */

/* The least number of steps that a run of class k may have. */
static int32_t min_dwell(const sp_chain *chain, int32_t k)
{
    int32_t path[16], n = 0;
    for (sp_transition_counts counts = {.short_runs = 1}; counts.short_runs > 0;) {
        assert_true(n < 15);
        path[n++] = k;
        path[n] = (k + 1) % sp_chain_n_classes(chain); /* a last run counts as long enough */
        counts = (sp_transition_counts){0};
        sp_transitions_count(chain, n + 1, path, NULL, &counts, NULL, NULL);
    }
    return n;
}

static void test_chain_rules(void **state)
{
    (void)state;
    sp_error err;
    sp_model *model = new_sleep();
    const int32_t columns[] = {2, 0, 1}; /* N2, Wake, N1 */
    sp_chain_options options = sp_chain_options_default();
    options.class_of_column = columns;
    model->start = doubles(3, (double[]){0, 0, -INFINITY});
    model->min_dwell = malloc(3 * sizeof *model->min_dwell);
    model->min_dwell[0] = 1;
    model->min_dwell[1] = 3;
    model->min_dwell[2] = 2;
    sp_chain *chain;
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    assert_int_equal(sp_chain_n_classes(chain), 3);
    const uint8_t legal[3][3] = {{1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    for (int32_t i = 0; i < 3; i++)
        for (int32_t j = 0; j < 3; j++)
            assert_int_equal(sp_chain_is_legal(chain, i, j), legal[i][j]);
    assert_false(sp_chain_is_legal_start(chain, 0));
    assert_true(sp_chain_is_legal_start(chain, 1));
    assert_true(sp_chain_is_legal_end(chain, 0));
    assert_int_equal(min_dwell(chain, 0), 2);
    assert_int_equal(min_dwell(chain, 1), 1);
    assert_int_equal(min_dwell(chain, 2), 3);
    sp_chain_free(chain);
    model->min_dwell_at_end = true; /* a dwell may end, though its first places may not */
    model->end = doubles(3, (double[]){-INFINITY, 0, 0});
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    assert_true(sp_chain_is_legal_end(chain, 0) && sp_chain_is_legal_end(chain, 2));
    assert_false(sp_chain_is_legal_end(chain, 1));
    sp_chain_free(chain);
    sp_chain_free(NULL);
    options.transition_weight = NAN;
    assert_int_equal(sp_chain_new(model, &options, &chain, &err), SP_EINVAL);
    sp_model_free(model);
}

/* Of several states of a class the one that dwells least says how short its runs may be. */
static void test_min_dwell_of_a_class(void **state)
{
    (void)state;
    const int32_t dwells[][2] = {{3, 2}, {2, 3}, {1, 4}};
    for (int i = 0; i < 3; i++) {
        sp_model *model = new_sleep();
        model->n_classes = 2; /* states Wake and N1 are both of class 0, N2 is of class 1 */
        model->states = model->classes;
        model->classes = malloc(2 * sizeof *model->classes);
        model->classes[0] = strdup("light");
        model->classes[1] = strdup("deep");
        model->state_class = calloc(3, sizeof *model->state_class);
        model->state_class[2] = 1;
        model->min_dwell = malloc(3 * sizeof *model->min_dwell);
        memcpy(model->min_dwell, (int32_t[]){dwells[i][0], dwells[i][1], 5}, 3 * sizeof *model->min_dwell);
        sp_chain *chain;
        sp_error err;
        assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
        assert_int_equal(min_dwell(chain, 0), i == 2 ? 1 : 2);
        assert_int_equal(min_dwell(chain, 1), 5);
        sp_chain_free(chain);
        sp_model_free(model);
    }
}

static void test_path_score(void **state)
{
    (void)state;
    sp_error err;
    static const uint8_t allow[] = {1, 1, 0, 1};
    static const double weight[] = {-0.5, -1.5, 99, -0.25};
    const char *classes[] = {"a", "b"};
    sp_model *model = sp_model_new("ab", 2, classes);
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    model->start = doubles(2, (double[]){-0.125, -2});
    model->end = doubles(2, (double[]){-INFINITY, -0.0625});
    sp_chain_options options = sp_chain_options_default();
    options.transition_weight = 2;
    sp_chain *chain;
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    const float e[] = {-1, -2, -3, -4, -5, -6};
    const int64_t segments[] = {0, 0, 1};
    sp_scores scores = {e, SP_F32, 2, 3, NULL, NULL, NULL};
    double score = 7;
    assert_ok(sp_path_score(chain, &scores, (int32_t[]){0, 1, 1}, &score, &err), &err);
    assert_true(score == -0.125 - 1 - 3 - 4 - 0.5 - 6 - 0.0625);
    assert_ok(sp_path_score(chain, &scores, (int32_t[]){1, 0, 1}, &score, &err), &err);
    assert_true(score == -INFINITY);
    assert_ok(sp_path_score(chain, &scores, (int32_t[]){0, 0, 0}, &score, &err), &err);
    assert_true(score == -INFINITY); /* may not end in a */
    scores.segments = segments;
    assert_ok(sp_path_score(chain, &scores, (int32_t[]){1, 1, 1}, &score, &err), &err);
    assert_true(score == -2 - 2 - 0.5 - 4 - 6 - 0.0625); /* nothing weighed across the gap */
    scores.n_steps = 0;
    assert_ok(sp_path_score(chain, &scores, NULL, &score, &err), &err);
    assert_true(score == 0);
    scores.n_steps = 1;
    assert_int_equal(sp_path_score(chain, &scores, (int32_t[]){2}, &score, &err), SP_EINVAL);
    scores.n_classes = 3;
    assert_int_equal(sp_path_score(chain, &scores, (int32_t[]){0}, &score, &err), SP_EINVAL);
    sp_chain_free(chain);
    options.is_boolean = true;
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    scores = (sp_scores){e, SP_F32, 2, 3, NULL, NULL, NULL};
    assert_ok(sp_path_score(chain, &scores, (int32_t[]){0, 1, 1}, &score, &err), &err);
    assert_true(score == -1 - 4 - 6); /* nothing but the scores */
    sp_chain_free(chain);
    sp_model_free(model);
}

/* ---- memory ---- */

static sp_status build_everything(void *arg)
{
    (void)arg;
    sp_error err;
    static const uint8_t allow[] = {1, 1, 0, 1, 1, 1, 0, 1, 1};
    sp_model *model = sp_model_new("nap", 3, sleep_classes);
    if (!model)
        return SP_ENOMEM;
    int32_t columns[3];
    sp_chain *chain = NULL;
    sp_status status = sp_model_set_matrix(model, allow, NULL, &err);
    if (status == SP_OK)
        status = sp_model_check(model, &err);
    if (status == SP_OK)
        status = sp_model_align(model, 3, sleep_classes, columns, &err);
    if (status == SP_OK)
        status = sp_chain_new(model, NULL, &chain, &err);
    if (status != SP_OK)
        assert_null(chain);
    sp_chain_free(chain);
    sp_model_free(model);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    assert_true(assert_each_alloc_may_fail(build_everything, NULL) > 20);
}

/* A class may end where one of its states may, whichever it is. */
static void test_end_of_a_class(void **state)
{
    (void)state;
    enum { M = 4 };
    static const char *const classes[] = {"a", "b"}, *const states[M] = {"a1", "a2", "b1", "b2"};
    static const double end[M] = {0, -INFINITY, -INFINITY, -INFINITY};
    uint8_t allow[M * M];
    sp_model *model = sp_model_new("states", 2, classes);
    sp_chain *chain;
    sp_error err;
    memset(allow, 1, sizeof allow);
    model->states = malloc(M * sizeof *model->states);
    model->state_class = malloc(M * sizeof *model->state_class);
    model->end = malloc(sizeof end);
    assert_true(model->states && model->state_class && model->end);
    for (int32_t s = 0; s < M; s++) {
        model->states[s] = strdup(states[s]);
        model->state_class[s] = s / 2;
    }
    model->n_states = M;
    memcpy(model->end, end, sizeof end);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    assert_true(sp_chain_is_legal_end(chain, 0));
    assert_false(sp_chain_is_legal_end(chain, 1));
    sp_chain_free(chain);
    sp_model_free(model);
}

/* To the nearest step, at least one. */
static void test_times_in_steps(void **state)
{
    (void)state;
    static const struct {
        double step, min, max;
    } cases[] = {{30, 2, 3}, {20, 3, 5}, {49, 1, 2}, {1000, 1, 1}};
    sp_model *model = new_sleep();
    sp_duration_lengths found;
    sp_error err;
    model->durations = calloc((size_t)model->n_classes, sizeof *model->durations);
    assert_non_null(model->durations);
    model->durations[1] = (sp_duration){.form = SP_DURATION_RANGE, .min = {50, true}, .max = {100, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(sp_duration_lengths_find(model, 1, cases[i].step, &found, &err), &err);
        assert_int_equal(found.min, cases[i].min);
        assert_int_equal(found.max, cases[i].max);
    }
    assert_int_equal(sp_duration_lengths_find(model, 1, 0, &found, &err), SP_EMODEL);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookup),         cmocka_unit_test(test_errors),
        cmocka_unit_test(test_warnings),       cmocka_unit_test(test_align),
        cmocka_unit_test(test_chain_rules),    cmocka_unit_test(test_min_dwell_of_a_class),
        cmocka_unit_test(test_path_score),     cmocka_unit_test(test_times_in_steps),
        cmocka_unit_test(test_end_of_a_class), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
