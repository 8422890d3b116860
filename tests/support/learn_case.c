#include "learn_case.h"

#include "check.h"
#include "random_model.h"
#include "statepath/advanced.h"

double learn_uniform(uint64_t *state)
{
    random_source random = {*state};
    const double u = random_unit(&random);
    *state = random.state;
    return u;
}

learn_case learn_case_new(uint64_t seed, int64_t n_recordings, int64_t longest, int32_t n_seen,
                          double unscored)
{
    static const char *const names[CASE_K] = {"a", "b", "c", "d"};
    uint64_t state = seed;
    learn_case c = {.offsets = calloc((size_t)n_recordings + 1, sizeof *c.offsets)};
    for (int64_t n = 0; n < n_recordings; n++)
        c.offsets[n + 1] = c.offsets[n] + 1 + (int64_t)(learn_uniform(&state) * (double)longest);
    int64_t S = c.offsets[n_recordings];
    c.segments = calloc((size_t)S, sizeof *c.segments);
    c.scores = calloc((size_t)S * CASE_K, sizeof *c.scores);
    c.labels = calloc((size_t)S, sizeof *c.labels);
    int32_t y = 0;
    for (int64_t t = 0; t < S; t++) {
        if (learn_uniform(&state) < 0.3)
            y = (int32_t)(learn_uniform(&state) * n_seen);
        c.labels[t] = learn_uniform(&state) < unscored ? -1 : y;
        for (int32_t k = 0; k < CASE_K; k++)
            c.scores[t * CASE_K + k] = -3 * learn_uniform(&state) + (k == y ? 0.8 : 0);
    }
    c.training =
        (sp_training){.batch = {{c.scores, SP_F64, CASE_K, S, NULL, NULL, NULL}, n_recordings, c.offsets},
                      .labels = c.labels,
                      .classes = names};
    return c;
}

void learn_case_free(learn_case *c)
{
    free(c->offsets);
    free(c->segments);
    free(c->scores);
    free(c->labels);
    free(c->label_set);
}

sp_training learn_training(int32_t n_classes, int64_t n_recordings, const int64_t *offsets,
                           const double *scores, const int32_t *labels, const char *const *classes)
{
    const sp_scores all = {
        .data = scores, .dtype = SP_F64, .n_classes = n_classes, .n_steps = offsets[n_recordings]};
    return (sp_training){.batch = {all, n_recordings, offsets}, .labels = labels, .classes = classes};
}

sp_model *learn_fitted(const sp_training *training, const sp_fit_options *options, sp_fit_report *report)
{
    sp_error err;
    sp_workers *workers = sp_workers_new(2);
    sp_model *model = NULL;
    assert_ok(sp_fit(training, options, workers, &model, report, &err), &err);
    sp_workers_free(workers);
    return model;
}

void learn_make_sets(learn_case *c, uint64_t seed, double share)
{
    static const uint8_t sets[CASE_SETS][CASE_K] = {{0, 1, 1, 0}, {1, 1, 1, 0}, {0, 0, 1, 1}};
    const int64_t S = c->training.batch.scores.n_steps;
    c->label_set = malloc((size_t)S * sizeof *c->label_set);
    for (int64_t t = 0; t < S; t++) {
        const int32_t set = (int32_t)(learn_uniform(&seed) * CASE_SETS);
        const bool is_set = learn_uniform(&seed) < share && c->labels[t] >= 0 && sets[set][c->labels[t]];
        c->label_set[t] = is_set ? set : -1;
        c->labels[t] = is_set ? -1 : c->labels[t];
    }
    c->training.label_set = c->label_set;
    c->training.label_sets = sets[0];
    c->training.n_label_sets = CASE_SETS;
}

void learn_make_gaps(learn_case *c)
{
    for (int64_t t = 0; t < c->training.batch.scores.n_steps; t++) {
        c->segments[t] = t / 23;
        if (t % 4 == 3)
            c->scores[t * CASE_K + t % CASE_K] = -INFINITY;
    }
    c->training.batch.scores.segments = c->segments;
}

void learn_make_drift(learn_case *c, uint64_t seed)
{
    double drift[CASE_K] = {0};
    for (int64_t i = 0; i < c->training.batch.scores.n_steps * CASE_K; i++) {
        const int64_t k = i % CASE_K;
        if (i < CASE_K || learn_uniform(&seed) < 0.02)
            drift[k] = 60 * (learn_uniform(&seed) - 0.5);
        c->scores[i] = drift[k] + learn_uniform(&seed);
    }
}

const learn_rules learn_rules_all[LEARN_RULES] = {
    {"one state a class", .memory = 1},
    {"memory of 4 steps", .memory = 4, .has_ends = true},
    {"dwells", .has_dwell = true, .has_ends = true, .memory = 1},
    {"dwells, memory of 7 steps", .has_dwell = true, .memory = 7},
    {"one hidden state a class", .memory = 0},
    {"states", .has_states = true},
    {"states with dwells, starts and ends", .has_states = true, .has_dwell = true, .has_ends = true},
    {"durations", .longest = 9},
    {"durations of whole runs of states", .has_states = true, .longest = 9, .is_whole = true},
    {"long durations", .longest = 400},
    {"rules over more steps", .has_rules = true},
};

sp_model *learn_rules_model(const learn_rules *rules, uint64_t seed, bool has_weights)
{
    static const char *const classes[CASE_K] = {"d", "c", "b", "a"};
    static const int32_t of_state[] = {3, 1, 2, 3, 1, 0, 1};
    enum { MOST = sizeof of_state / sizeof *of_state };
    const int32_t M = rules->has_states ? MOST : CASE_K;
    uint8_t allow[MOST * MOST];
    double weight[MOST * MOST];
    sp_error err;
    sp_model *m = sp_model_new("some", CASE_K, classes);
    if (rules->has_states)
        learn_give_states(m, M, of_state);
    for (int i = 0; i < M * M; i++) {
        allow[i] = i / M == i % M || learn_uniform(&seed) < 0.8;
        weight[i] = 2 * learn_uniform(&seed) - 1;
    }
    assert_ok(sp_model_set_matrix(m, allow, has_weights ? weight : NULL, &err), &err);
    if (rules->has_dwell) {
        m->min_dwell = calloc((size_t)M, sizeof *m->min_dwell);
        for (int32_t s = 0; s < M; s++)
            m->min_dwell[s] = 1 + s % 3;
        m->min_dwell_at_end = !rules->has_states;
    }
    if (rules->has_ends) {
        m->start = calloc((size_t)M, sizeof *m->start);
        m->end = calloc((size_t)M, sizeof *m->end);
        m->start[0] = m->end[2] = -INFINITY;
    }
    if (rules->longest) {
        m->durations = calloc(CASE_K, sizeof *m->durations);
        m->durations[1] = (sp_duration){.form = SP_DURATION_RANGE,
                                        .min = {rules->is_whole ? 2 : 1, false},
                                        .max = {rules->longest, false}};
        m->durations[3] = (sp_duration){.form = SP_DURATION_POISSON, .centre = {4, false}};
        m->whole_at_start = m->whole_at_end = rules->is_whole;
    }
    if (rules->has_rules) {
        assert_ok(sp_model_add_rule(m, NULL, "at_most 4 runs of a", 0.8, false, &err), &err);
        assert_ok(sp_model_add_rule(m, NULL, "never b c b", INFINITY, false, &err), &err);
    }
    assert_ok(sp_model_check(m, &err), &err);
    return m;
}

void learn_give_states(sp_model *model, int32_t n_states, const int32_t *class_of_state)
{
    char name[32];
    model->n_states = n_states;
    model->states = calloc((size_t)n_states, sizeof *model->states);
    model->state_class = calloc((size_t)n_states, sizeof *model->state_class);
    for (int32_t s = 0; s < n_states; s++) {
        snprintf(name, sizeof name, "%.16s%d", model->classes[class_of_state[s]], (int)s);
        model->states[s] = strdup(name);
        model->state_class[s] = class_of_state[s];
    }
    free(model->row);
    model->row = calloc((size_t)n_states + 1, sizeof *model->row);
}

/* May step t of the batch have class k, by its label? */
static bool may_be(const sp_training *training, int64_t t, int32_t k)
{
    const int32_t label = training->labels[t], set = training->label_set ? training->label_set[t] : -1;
    if (label >= 0)
        return label == k;
    return set < 0 || training->label_sets[set * training->batch.scores.n_classes + k];
}

double learn_log_z(const sp_model *model, const sp_training *training, bool has_labels, bool has_scores,
                   double *steps)
{
    sp_error err;
    sp_chain *chain;
    sp_scratch *scratch = sp_scratch_new();
    const int32_t K = model->n_classes;
    int32_t class_of_column[CASE_K];
    sp_chain_options options = sp_chain_options_default();
    double sum = 0, prior[CASE_K] = {0};
    const double temperature = isnan(model->temperature) ? 1 : model->temperature;
    options.class_of_column = class_of_column;
    assert_ok(sp_model_align(model, K, training->classes, class_of_column, &err), &err);
    assert_ok(sp_chain_new(model, &options, &chain, &err), &err);
    for (int32_t k = 0; k < K && model->prior_weight == 1; k++)
        prior[k] = log(model->prior[class_of_column[k]]);
    for (int64_t r = 0; r < training->batch.n_recordings; r++) {
        sp_scores s = sp_batch_recording(&training->batch, r);
        double *x = malloc((size_t)(s.n_steps * K) * sizeof *x), log_z;
        for (int64_t i = 0; i < s.n_steps * K; i++) {
            const int32_t k = (int32_t)(i % K);
            const double e = s.data ? sp_scores_at(&s, i / K, k) : 0;
            const bool may = !has_labels || may_be(training, training->batch.offsets[r] + i / K, k);
            x[i] = !may || e == -INFINITY ? -INFINITY : has_scores ? e / temperature - prior[k] : 0;
        }
        s.data = x;
        s.dtype = SP_F64;
        double *marginals = steps ? malloc((size_t)(s.n_steps * K) * sizeof *marginals) : NULL;
        assert_ok(sp_forward_backward(chain, &s, scratch, marginals, &log_z, &err), &err);
        for (int64_t i = 0; steps && i < s.n_steps * K; i++)
            steps[i % K] += marginals[i];
        sum += log_z;
        free(marginals);
        free(x);
    }
    sp_chain_free(chain);
    sp_scratch_free(scratch);
    return sum;
}

double *learn_theta(int64_t n, uint64_t seed)
{
    double *theta = malloc((size_t)n * sizeof *theta);
    for (int64_t i = 0; i < n; i++)
        theta[i] = 2 * learn_uniform(&seed) - 1;
    theta[0] = 0.5 + learn_uniform(&seed);
    return theta;
}
