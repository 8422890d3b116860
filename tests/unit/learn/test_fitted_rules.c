/* What a rules model says beside its matrix stands in every model that is learnt by it, of whichever method,
 * of all recordings and of folds: rules over more steps, prices, other names of the classes, the source. */
#include "check.h"
#include "learn_case.h"
#include "statepath/learn.h"
#include "statepath/model_json.h"

/* The models of folds, and the automata that count. */
#include "core/rules/rules.h"
#include "evaluate/comparison.h"
#include "learn/learn.h"

enum { N_RECORDINGS = 12, N_FOLDS = 3 };
static const char *const columns[CASE_K] = {"a", "b", "c", "d"};

static void alias(sp_model *model, int32_t k, const char *name)
{
    model->aliases = realloc(model->aliases, ((size_t)model->n_aliases + 1) * sizeof *model->aliases);
    assert_non_null(model->aliases);
    model->aliases[model->n_aliases++] = (sp_alias){k, strdup(name)};
}

typedef enum shape { PLAIN, STATES, DURATIONS } shape;

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

/* Violations of hard rules by a path. */
static int64_t hard(const sp_model *rules, const sp_scores *scores, const int32_t *path)
{
    int32_t class_of[CASE_K];
    sp_chain_options options = sp_chain_options_default();
    sp_chain *chain;
    sp_error err;
    int64_t n = 0, step;
    assert_ok(sp_model_align(rules, CASE_K, columns, class_of, &err), &err);
    options.class_of_column = class_of;
    assert_ok(sp_chain_new(rules, &options, &chain, &err), &err);
    for (int32_t r = 0; r < sp_chain_n_rules(chain); r++) {
        const sp_chain_rule *rule = sp_chain_rule_at(chain, r);
        sp_rule_walk walk = {0};
        for (int64_t t = 0; isinf(rule->cost) && t < scores->n_steps; t++)
            n += sp_rule_walk_step(&walk, rule, path[t], sp_scores_is_gap(scores, t));
        if (isinf(rule->cost))
            n += sp_rule_walk_end(&walk, rule, &step);
    }
    sp_chain_free(chain);
    return n;
}

/* Models of folds have all, too, and Viterbi breaks no hard rule in the recordings that they did not see.
 * Returns how often their labels do. */
static int64_t check_folds(const char *how, const sp_training *training, const sp_fit_options *options,
                           const sp_model *rules, sp_workers *workers)
{
    const sp_batch *batch = &training->batch;
    int32_t fold[N_RECORDINGS];
    sp_model *models[N_FOLDS] = {NULL};
    int32_t *paths = calloc((size_t)batch->scores.n_steps + 1, sizeof *paths);
    sp_decoded *results = calloc((size_t)batch->n_recordings, sizeof *results);
    const sp_decode_options decode = sp_decode_options_default();
    const sp_decode_output out = {.paths = paths, .results = results};
    sp_error err;
    int64_t n_broken = 0;
    assert_true(paths && results);
    for (int32_t r = 0; r < N_RECORDINGS; r++)
        fold[r] = r % N_FOLDS;
    for (int32_t f = 0; f < N_FOLDS; f++) {
        assert_ok(sp_cross_fit(training, options, fold, f, workers, &models[f], &err), &err);
        has_all(how, models[f], rules);
    }
    if (batch->scores.data && training->n_beside == 0 && !training->decided) {
        assert_ok(sp_cross_decode(training, (const sp_model *const *)models, fold, N_FOLDS, &decode, workers,
                                  &out, &err),
                  &err);
        for (int64_t r = 0; r < batch->n_recordings; r++) {
            const sp_scores scores = sp_batch_recording(batch, r);
            if (results[r].status == SP_OK && hard(rules, &scores, paths + batch->offsets[r]))
                fail_msg("%s: recording %d breaks a hard rule", how, (int)r);
            assert_true(results[r].status == SP_OK || results[r].status == SP_ENOPATH);
            for (int64_t t = 0; t < scores.n_steps; t++)
                paths[batch->offsets[r] + t] = training->labels[batch->offsets[r] + t];
            n_broken += hard(rules, &scores, paths + batch->offsets[r]);
        }
    }
    for (int32_t f = 0; f < N_FOLDS; f++)
        sp_model_free(models[f]);
    free(paths);
    free(results);
    return n_broken;
}

/* A way to learn. */
typedef struct way {
    const char *how;
    sp_fit_method method;
    shape shape;
    int memory;
    sp_fit_durations_rule durations;
    sp_features_rule features;
    bool is_untuned, by_likelihood;
    double penalty;
    bool has_sets, is_sparse, is_decided, is_fused, has_prices;
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
    {.how = "random field beside durations", .method = SP_FIT_CRF, .durations = SP_DURATIONS_AUTO},
    {.how = "random field with prices", .method = SP_FIT_CRF, .has_prices = true},
    {.how = "counts with windows", .method = SP_FIT_COUNTS, .features = SP_FEATURES_WINDOWS},
    {.how = "counts with durations", .method = SP_FIT_COUNTS, .durations = SP_DURATIONS_LEARN},
    {.how = "em", .method = SP_FIT_EM},
    {.how = "counts of states", .method = SP_FIT_COUNTS, .shape = STATES},
    {.how = "random field of states", .method = SP_FIT_CRF, .shape = STATES},
    {.how = "em of states", .method = SP_FIT_EM, .shape = STATES},
    {.how = "counts with declared durations", .method = SP_FIT_COUNTS, .shape = DURATIONS},
    {.how = "random field with declared durations", .method = SP_FIT_CRF, .shape = DURATIONS},
    {.how = "em with declared durations", .method = SP_FIT_EM, .shape = DURATIONS},
    {.how = "counts of sets", .method = SP_FIT_COUNTS, .has_sets = true},
    {.how = "random field of sets", .method = SP_FIT_CRF, .has_sets = true},
    {.how = "em of sets", .method = SP_FIT_EM, .has_sets = true},
    {.how = "sparse labels, counts", .method = SP_FIT_COUNTS, .is_sparse = true},
    {.how = "sparse labels, random field", .method = SP_FIT_CRF, .is_sparse = true},
    {.how = "decided classes, counts", .method = SP_FIT_COUNTS, .is_decided = true},
    {.how = "decided classes, random field", .method = SP_FIT_CRF, .is_decided = true},
    {.how = "fused, counts", .method = SP_FIT_COUNTS, .is_fused = true},
    {.how = "fused, random field", .method = SP_FIT_CRF, .is_fused = true},
};

static void prepare(const way *w, learn_case *c, const double **beside, int32_t *decided, int32_t *set)
{
    static const uint8_t sets[] = {1, 1, 0, 0};
    static const char *const classifiers[] = {"one", "other"};
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
    if (w->is_fused) {
        training->n_beside = 1;
        training->beside = beside;
        training->classifiers = classifiers;
    }
}

static void every_way_keeps_the_rest(void **state)
{
    (void)state;
    sp_workers *workers = sp_workers_new(2);
    int64_t n_broken = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const way *w = &ways[i];
        const uint64_t seed = 300 + (uint64_t)i;
        learn_case c = learn_case_new(seed, N_RECORDINGS, 60, CASE_K, 0),
                   other = learn_case_new(seed, N_RECORDINGS, 60, CASE_K, 0);
        const size_t S = (size_t)c.training.batch.scores.n_steps;
        int32_t *decided = calloc(S, sizeof *decided), *set = calloc(S, sizeof *set);
        const double *beside = other.scores;
        sp_model *rules = rules_of(w->shape), *model;
        sp_fit_options options = sp_fit_options_default();
        sp_error err;
        assert_true(decided && set);
        for (size_t x = 0; x < S * CASE_K; x += 3)
            other.scores[x] -= 0.5;
        prepare(w, &c, &beside, decided, set);
        options.method = w->method;
        options.rules = rules;
        options.memory = w->memory ? w->memory : 1;
        options.durations = w->durations;
        options.features = w->features == SP_FEATURES_WINDOWS ? SP_FEATURES_WINDOWS : SP_FEATURES_NONE;
        options.tune = w->is_untuned ? SP_TUNE_NONE : w->by_likelihood ? SP_TUNE_NLL : SP_TUNE_ACCURACY;
        options.penalty = w->penalty;
        options.prices = w->has_prices ? SP_PRICES_LEARN : SP_PRICES_NONE;
        options.n_folds = N_FOLDS;
        if (sp_fit(&c.training, &options, workers, &model, NULL, &err) != SP_OK)
            fail_msg("%s: %s", w->how, err.message);
        if (!w->has_prices)
            has_all(w->how, model, rules);
        assert_int_equal(model->n_rules, 3);
        if (!w->has_prices)
            n_broken += check_folds(w->how, &c.training, &options, rules, workers);
        sp_model_free(model);
        sp_model_free(rules);
        learn_case_free(&c);
        learn_case_free(&other);
        free(decided);
        free(set);
    }
    assert_true(n_broken > 100);
    sp_workers_free(workers);
}

/* Rules that are a model with windows of its own lend no windows. */
static void windows_are_no_rules(void **state)
{
    (void)state;
    learn_case c = learn_case_new(7, N_RECORDINGS, 60, CASE_K, 0);
    sp_workers *workers = sp_workers_new(1);
    sp_model *rules = rules_of(STATES), *learnt, *model;
    sp_fit_options options = sp_fit_options_default();
    sp_error err;
    options.features = SP_FEATURES_WINDOWS;
    options.rules = rules;
    assert_ok(sp_fit(&c.training, &options, workers, &learnt, NULL, &err), &err);
    assert_non_null(learnt->windows);
    options.rules = learnt;
    options.features = SP_FEATURES_NONE;
    assert_ok(sp_fit(&c.training, &options, workers, &model, NULL, &err), &err);
    assert_null(model->windows);
    sp_model_free(model);
    options.features = SP_FEATURES_WINDOWS;
    assert_ok(sp_fit(&c.training, &options, workers, &model, NULL, &err), &err);
    assert_non_null(model->windows);
    sp_model_free(model);
    sp_model_free(learnt);
    sp_model_free(rules);
    sp_workers_free(workers);
    learn_case_free(&c);
}

/* Weights of tags are learnt under the scheme's rules; a rules model has other names for them. */
static void tied_weights_keep_names(void **state)
{
    (void)state;
    enum { T = 12, K = 5 };
    static const char *const tags[] = {"O", "B-A", "I-A", "E-A", "S-A"}, *const named[] = {"none", "B-A",
                                                                                           "I-A", "E-A",
                                                                                           "S-A"};
    static const int32_t labels[] = {0, 1, 3, 0, 4, 0, 0, 1, 2, 3, 0, 0};
    static const int64_t offsets[] = {0, 6, 12};
    double scores[T * K];
    int32_t fold[2], class_of[K];
    for (int i = 0; i < T * K; i++)
        scores[i] = i % K == labels[i / K] ? -1 : i % K ? -2.5 : -1.25;
    const sp_training training = {
        .batch = {{scores, SP_F64, K, T, NULL, NULL, NULL}, 2, offsets}, .labels = labels, .classes = tags};
    const sp_bootstrap_options bootstrap = sp_bootstrap_options_default();
    sp_fit_options options = sp_fit_options_default();
    sp_workers *workers = sp_workers_new(1);
    sp_model *rules, *model, *models[2] = {NULL};
    sp_operating_points points;
    sp_tied_report report;
    sp_tied_aim aim;
    sp_error err;
    assert_ok(sp_model_new_tags("bioes", K, tags, &rules, &err), &err);
    alias(rules, 0, "none");
    options.rules = rules;
    options.n_folds = 2;
    assert_ok(sp_tied_aim_read("f1", &aim, &err), &err);
    aim.scheme = "bioes";
    assert_ok(sp_fit_tied(&training, &options, &aim, workers, &model, &report, &err), &err);
    assert_ok(sp_model_align(model, K, named, class_of, &err), &err);
    assert_ok(sp_cross_fit_tied(&training, &options, &aim, &bootstrap, workers, fold, models, &points, &err),
              &err);
    for (int f = 0; f < 2; f++) {
        assert_ok(sp_model_align(models[f], K, named, class_of, &err), &err);
        sp_model_free(models[f]);
    }
    sp_operating_points_clear(&points);
    sp_tied_report_clear(&report);
    sp_model_free(model);
    sp_model_free(rules);
    sp_workers_free(workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_keeps_the_rest),
        cmocka_unit_test(windows_are_no_rules),
        cmocka_unit_test(tied_weights_keep_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
