/* What a rules model says beside its matrix stands in every model that is learnt by it, of whichever method,
 * of all recordings and of some: rules over more steps, prices, other names of the classes, the source. It is the same when it has been
 * written and read. */
#include "check.h"
#include "learn_case.h"
#include "statepath/learn.h"
#include "statepath/model_json.h"

enum { N_RECORDINGS = 12, N_FOLDS = 3 };
static const char *const columns[CASE_K] = {"a", "b", "c", "d"};

static void alias(sp_model *model, int32_t k, const char *name)
{
    model->aliases = realloc(model->aliases, ((size_t)model->n_aliases + 1) * sizeof *model->aliases);
    assert_non_null(model->aliases);
    model->aliases[model->n_aliases++] = (sp_alias){k, strdup(name)};
}

typedef enum shape { PLAIN, STATES, DURATIONS, BARE } shape; /* bare: without rules over more steps */

/* Its classes in another order than the columns; "bee" is called otherwise there. */
static sp_model *rules_of(shape with)
{
    static const char *const classes[CASE_K] = {"d", "c", "bee", "a"};
    static const int32_t of_state[] = {0, 1, 2, 3, 1};
    uint8_t allow[5 * 5];
    sp_error err;
    sp_model *m = sp_model_new("kept", CASE_K, classes);
    assert_non_null(m);
    if (with == STATES)
        learn_give_states(m, 5, of_state);
    memset(allow, 1, sizeof allow);
    allow[1] = 0; /* d to c */
    assert_ok(sp_model_set_matrix(m, allow, NULL, &err), &err);
    if (with == DURATIONS) {
        assert_non_null(m->durations = calloc(CASE_K, sizeof *m->durations));
        m->durations[1] = (sp_duration){.form = SP_DURATION_RANGE, .max = {30, false}};
    }
    alias(m, 3, "first");
    alias(m, 2, "b");
    alias(m, 0, "last");
    assert_non_null(m->source = strdup("a handbook"));
    if (with == BARE)
        return m;
    assert_ok(sp_model_add_rule(m, "back", "never a bee a", INFINITY, true, &err), &err);
    assert_ok(sp_model_add_rule(m, NULL, "at_most 2 runs of d", INFINITY, false, &err), &err);
    assert_ok(sp_model_add_rule(m, "dear", "at_most 3 runs of first", 1.25, false, &err), &err);
    assert_ok(sp_model_check(m, &err), &err);
    return m;
}

static void has_all(const char *how, const sp_model *model, const sp_model *rules)
{
    if (model->n_rules != rules->n_rules)
        fail_msg("%s: %d rules, not %d", how, (int)model->n_rules, (int)rules->n_rules);
    for (int32_t r = 0; r < rules->n_rules; r++) {
        const sp_rule *found = &model->rules[r], *wanted = &rules->rules[r];
        assert_string_equal(found->name, wanted->name);
        assert_string_equal(found->text, wanted->text);
        assert_int_equal(found->is_named, wanted->is_named);
        assert_int_equal(found->may_at_gap, wanted->may_at_gap);
        assert_true(found->cost == wanted->cost);
    }
    static const char *const of_column[CASE_K][3] = {{"a", "first"}, {"b", "bee"}, {"c"}, {"d", "last"}};
    for (int k = 0; k < CASE_K; k++)
        for (int i = 0; i < 3 && of_column[k][i]; i++) {
            const char *names[CASE_K];
            int32_t class_of[CASE_K];
            sp_error err;
            memcpy(names, columns, sizeof names);
            names[k] = of_column[k][i];
            if (sp_model_align(model, CASE_K, names, class_of, &err) != SP_OK)
                fail_msg("%s: class %s is not known as %s", how, columns[k], names[k]);
        }
    if (!model->source || strcmp(model->source, rules->source) != 0)
        fail_msg("%s: the source is %s", how, model->source ? model->source : "gone");
}

static void is_the_same_when_read(const char *how, const sp_model *model)
{
    sp_error err;
    char *text, *again;
    sp_model *back;
    assert_ok(sp_model_check(model, &err), &err);
    assert_ok(sp_model_to_json(model, &text, &err), &err);
    assert_ok(sp_model_from_json(text, "m.json", &back, &err), &err);
    assert_ok(sp_model_to_json(back, &again, &err), &err);
    if (strcmp(text, again) != 0)
        fail_msg("%s: %s\nis not\n%s", how, again, text);
    sp_model_free(back);
    free(text);
    free(again);
}

/* A way to learn. */
typedef struct way {
    const char *how;
    sp_fit_method method;
    shape shape;
    int memory;
    sp_features_rule features;
    bool is_untuned, by_likelihood;
    double penalty;
    bool has_sets, is_sparse, is_decided;
} way;

static const way ways[] = {
    {.how = "counts", .method = SP_FIT_COUNTS},
    {.how = "counts, nothing tuned", .method = SP_FIT_COUNTS, .is_untuned = true},
    {.how = "counts, tuned by likelihood", .method = SP_FIT_COUNTS, .by_likelihood = true},
    {.how = "random field", .method = SP_FIT_CRF},
    {.how = "random field of this penalty", .method = SP_FIT_CRF, .penalty = 1},
    {.how = "random field, nothing tuned", .method = SP_FIT_CRF, .is_untuned = true},
    {.how = "random field with memory", .method = SP_FIT_CRF, .memory = 3},
    {.how = "random field with windows", .method = SP_FIT_CRF, .features = SP_FEATURES_WINDOWS},
    {.how = "counts with windows", .method = SP_FIT_COUNTS, .features = SP_FEATURES_WINDOWS},
    {.how = "em", .method = SP_FIT_EM},
    {.how = "counts of states", .method = SP_FIT_COUNTS, .shape = STATES},
    {.how = "random field of states", .method = SP_FIT_CRF, .shape = STATES},
    {.how = "em of states", .method = SP_FIT_EM, .shape = STATES},
    {.how = "counts with declared durations", .method = SP_FIT_COUNTS, .shape = DURATIONS},
    {.how = "random field with declared durations", .method = SP_FIT_CRF, .shape = DURATIONS},
    {.how = "em with declared durations", .method = SP_FIT_EM, .shape = DURATIONS},
    {.how = "counts under a matrix alone", .method = SP_FIT_COUNTS, .shape = BARE},
    {.how = "random field under a matrix alone", .method = SP_FIT_CRF, .shape = BARE},
    {.how = "em under a matrix alone", .method = SP_FIT_EM, .shape = BARE},
    {.how = "counts of sets", .method = SP_FIT_COUNTS, .has_sets = true},
    {.how = "random field of sets", .method = SP_FIT_CRF, .has_sets = true},
    {.how = "em of sets", .method = SP_FIT_EM, .has_sets = true},
    {.how = "sparse labels, counts", .method = SP_FIT_COUNTS, .is_sparse = true},
    {.how = "sparse labels, random field", .method = SP_FIT_CRF, .is_sparse = true},
    {.how = "decided classes, counts", .method = SP_FIT_COUNTS, .is_decided = true},
    {.how = "decided classes, random field", .method = SP_FIT_CRF, .is_decided = true},
};

static void prepare(const way *w, learn_case *c, int32_t *decided, int32_t *set)
{
    static const uint8_t sets[] = {1, 1, 0, 0};
    sp_training *training = &c->training;
    const int64_t S = training->batch.scores.n_steps;
    for (int64_t t = 0; t < S; t++) {
        set[t] = -1;
        decided[t] = t % 9 ? c->labels[t] : 2;
        if (w->is_sparse && t % 3)
            c->labels[t] = -1;
        if (w->has_sets && c->labels[t] < 2 && t % 4 == 0) {
            set[t] = 0;
            c->labels[t] = -1;
        }
    }
    if (w->has_sets) {
        training->label_set = set;
        training->n_label_sets = 1;
        training->label_sets = sets;
    }
    if (w->is_decided) {
        training->batch.scores.data = NULL;
        training->decided = decided;
    }
}

static void every_way_keeps_the_rest(void **state)
{
    (void)state;
    static const uint8_t use[N_RECORDINGS] = {0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1};
    sp_workers *workers = sp_workers_new(2);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const way *w = &ways[i];
        const uint64_t seed = 300 + (uint64_t)i;
        learn_case c = learn_case_new(seed, N_RECORDINGS, 60, CASE_K, 0);
        const size_t S = (size_t)c.training.batch.scores.n_steps;
        int32_t *decided = calloc(S, sizeof *decided), *set = calloc(S, sizeof *set);
        sp_model *rules = rules_of(w->shape), *model;
        sp_fit_options options = sp_fit_options_default();
        sp_error err;
        assert_true(decided && set);
        prepare(w, &c, decided, set);
        options.method = w->method;
        options.rules = rules;
        options.memory = w->memory ? w->memory : 1;
        options.features = w->features == SP_FEATURES_WINDOWS ? SP_FEATURES_WINDOWS : SP_FEATURES_NONE;
        options.tune = w->is_untuned ? SP_TUNE_NONE : w->by_likelihood ? SP_TUNE_NLL : SP_TUNE_ACCURACY;
        options.penalty = w->penalty;
        options.n_folds = N_FOLDS;
        for (int part = 0; part < 2; part++) { /* that of all but a fold, too */
            c.training.use = part ? use : NULL;
            if (sp_fit(&c.training, &options, workers, &model, NULL, &err) != SP_OK)
                fail_msg("%s: %s", w->how, err.message);
            has_all(w->how, model, rules);
            assert_int_equal(model->n_rules, rules->n_rules);
            is_the_same_when_read(w->how, model);
            sp_model_free(model);
        }
        sp_model_free(rules);
        learn_case_free(&c);
        free(decided);
        free(set);
    }
    sp_workers_free(workers);
}

/* Rules that are a model with windows of its own lend no windows. */
static void windows_are_no_rules(void **state)
{
    (void)state;
    learn_case c = learn_case_new(7, N_RECORDINGS, 60, CASE_K, 0);
    sp_model *rules = rules_of(STATES), *learnt, *model;
    sp_fit_options options = sp_fit_options_default();
    options.features = SP_FEATURES_WINDOWS;
    options.rules = rules;
    learnt = learn_fitted(&c.training, &options, NULL);
    assert_non_null(learnt->windows);
    options.rules = learnt;
    options.features = SP_FEATURES_NONE;
    model = learn_fitted(&c.training, &options, NULL);
    assert_null(model->windows);
    sp_model_free(model);
    options.features = SP_FEATURES_WINDOWS;
    model = learn_fitted(&c.training, &options, NULL);
    assert_non_null(model->windows);
    sp_model_free(model);
    sp_model_free(learnt);
    sp_model_free(rules);
    learn_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_keeps_the_rest),
        cmocka_unit_test(windows_are_no_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
