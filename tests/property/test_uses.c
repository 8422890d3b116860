/* Expected uses of weights: counted over all paths of states of small random models as declared; and, where durations count steps and
 * rules remember, as derivatives of log Z. */
#include "check.h"
#include "failing_alloc.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/advanced.h"

/* Learners ask it with weights of their own. */
#include "core/model/model.h"
#include "decode/strategies/marginals.h"
#include "decode/strategies/uses.h"

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {4, 6, 1, 1, NO, WEIGHTS, GAPS, 0.3},
    {2, 6, 1, 4, NO, WEIGHTS, GAPS, 0.2},
    {3, 5, 2, 3, NO, WEIGHTS, GAPS, 0.1},
    {3, 5, 3, 1, NO, NO, GAPS, 0.2},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 60, MOST = 64 };

/* What is counted, by transitions and states of the model. */
typedef struct tally {
    double next[MOST * MOST], start[MOST], end[MOST], steps[MOST], along, log_z;
} tally;

/* Of the chain's successors, then of its rows of runs. */
static int64_t *places_in(const sp_model *model, const sp_chain *chain)
{
    const int64_t n_succ = chain->succ_row[chain->n_states],
                  n_runs = chain->runs ? chain->runs->pred_row[chain->n_states] : 0;
    int64_t *place = malloc((size_t)(n_succ + n_runs + 1) * sizeof *place);
    for (int32_t j = 0; place && chain->runs && j < chain->n_states; j++)
        for (int64_t n = chain->runs->pred_row[j]; n < chain->runs->pred_row[j + 1]; n++)
            place[n_succ + n] =
                sp_model_edge(model, chain->declared[chain->runs->pred[n]], chain->declared[j]);
    for (int32_t i = 0; place && i < chain->n_states; i++)
        for (int64_t n = chain->succ_row[i]; n < chain->succ_row[i + 1]; n++)
            place[n] = sp_model_edge(model, chain->declared[i], chain->declared[chain->succ[n]]);
    return place;
}

static sp_status count(const random_case *c, const sp_chain *chain, sp_scratch *scratch, tally *out)
{
    int64_t *place = places_in(c->model, chain);
    const sp_uses uses = {place,     place + chain->succ_row[chain->n_states],
                          out->next, out->start,
                          out->end,  out->steps,
                          c->data,   &out->along};
    assert_true(c->model->row[c->model->n_states] <= MOST * MOST && c->model->n_states <= MOST);
    const sp_status status = sp_uses_add(chain, &c->scores, scratch, &uses, &out->log_z, NULL);
    free(place);
    return status;
}

/* ---- against all paths ---- */

typedef struct enumeration {
    const random_case *c;
    const dense_model *m;
    const int32_t *declared; /* [dense states] */
    int32_t path[ORACLE_STEPS];
    double greatest, sum; /* of scores, found in a first and a second round */
    int round;
    tally *out;
} enumeration;

static void visit(enumeration *w, double score)
{
    const sp_scores *s = &w->c->scores;
    tally *o = w->out;
    const double p = exp(score - w->greatest) / w->sum;
    if (w->round == 0)
        w->greatest = fmax(w->greatest, score);
    else if (w->round == 1)
        w->sum += exp(score - w->greatest);
    for (int64_t t = 0; w->round == 2 && p > 0 && t < s->n_steps; t++) {
        const int32_t k = w->m->state_class[w->path[t]], now = w->declared[w->path[t]];
        o->steps[k] += p;
        o->along += p * w->c->data[t * s->n_classes + k];
        if (t > 0 && !sp_scores_is_gap(s, t))
            o->next[sp_model_edge(w->c->model, w->declared[w->path[t - 1]], now)] += p;
        if (t == 0)
            o->start[now] += p;
        if (t + 1 == s->n_steps)
            o->end[now] += p;
    }
}

/* last: the state before step t. */
static void walk(enumeration *w, int64_t t, int32_t last, double score)
{
    const sp_scores *s = &w->c->scores;
    if (t == s->n_steps) {
        if (score + w->m->end[last] > -INFINITY)
            visit(w, score + w->m->end[last]);
        return;
    }
    for (int32_t j = 0; j < w->m->n_states; j++) {
        const double into = t == 0 ? w->m->start[j] : dense_weight(w->m, s, t, last, j);
        w->path[t] = j;
        if (into + dense_emission(w->m, s, t, j) > -INFINITY)
            walk(w, t + 1, j, score + into + dense_emission(w->m, s, t, j));
    }
}

static void uses_are_those_of_all_paths(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    tally *found = malloc(2 * sizeof *found), *expected = found + 1;
    int n_paths = 0, n_none = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        dense_model *m = dense_model_new(c.model, c.class_of_column);
        int32_t declared[MOST], n = 0;
        for (int32_t s = 0; s < c.model->n_states; s++)
            for (int32_t d = 0; d < declared_dwell(c.model, s); d++)
                declared[n++] = s;
        assert_int_equal(n, m->n_states);
        enumeration w = {.c = &c, .m = m, .declared = declared, .greatest = -INFINITY, .out = expected};
        for (int64_t i = 0; seed % 3 == 0 && i < c.scores.n_steps * c.scores.n_classes; i++)
            c.data[i] *= 300; /* paths far behind the best */
        memset(found, 0, 2 * sizeof *found);
        for (w.round = 0; w.round < 3 && c.scores.n_steps > 0; w.round++)
            walk(&w, 0, 0, 0);
        const sp_status status = count(&c, c.chain, scratch, found);
        if (c.scores.n_steps > 0 && w.greatest == -INFINITY) {
            assert_int_equal(status, SP_ENOPATH);
            n_none++;
        } else {
            assert_int_equal(status, SP_OK);
            assert_close(found->log_z, c.scores.n_steps ? w.greatest + log(w.sum) : 0, 1e-9, 1e-12);
            n_paths++;
        }
        const double *a = (const double *)found, *b = (const double *)expected;
        for (size_t i = 0; i + 1 < sizeof *found / sizeof *a; i++)
            if (!(fabs(a[i] - b[i]) <= 1e-9 + 1e-9 * fabs(b[i])))
                fail_msg("seed %llu, number %zu: %.17g, expected %.17g", (unsigned long long)seed, i, a[i],
                         b[i]);
        dense_model_free(m);
        random_case_free(&c);
    }
    assert_true(n_paths > 2 * CASES && n_none > 5);
    free(found);
    sp_scratch_free(scratch);
}

/* ---- as derivatives ---- */

static double log_z_of(const random_case *c, sp_scratch *scratch)
{
    sp_error err;
    sp_chain *chain;
    sp_chain_options options = sp_chain_options_default();
    double log_z;
    options.class_of_column = c->class_of_column;
    assert_ok(sp_chain_new(c->model, &options, &chain, &err), &err);
    assert_ok(sp_forward_backward(chain, &c->scores, scratch, NULL, &log_z, &err), &err);
    sp_chain_free(chain);
    return log_z;
}

static double slope(random_case *c, double *weight, sp_scratch *scratch)
{
    const double h = 1e-5, kept = *weight;
    *weight = kept + h;
    const double up = log_z_of(c, scratch);
    *weight = kept - h;
    const double down = log_z_of(c, scratch);
    *weight = kept;
    return (up - down) / (2 * h);
}

/* Is staying in state s a matter of a duration alone? */
static bool stays_by_duration(const sp_model *model, int32_t s)
{
    int32_t n = 0;
    for (int32_t u = 0; u < model->n_states; u++)
        n += sp_model_state_class(model, u) == sp_model_state_class(model, s);
    return n == 1 && model->durations &&
           model->durations[sp_model_state_class(model, s)].form != SP_DURATION_FREE;
}

/* Has the case a path? */
static bool check_slopes(random_case *c, sp_scratch *scratch)
{
    sp_error err;
    sp_chain *chain;
    sp_chain_options options = sp_chain_options_default();
    tally *found = calloc(1, sizeof *found);
    options.class_of_column = c->class_of_column;
    assert_ok(sp_chain_new(c->model, &options, &chain, &err), &err);
    const bool has_path = c->scores.n_steps > 0 && count(c, chain, scratch, found) == SP_OK;
    for (int32_t s = 0; has_path && s < c->model->n_states; s++) {
        for (int64_t e = c->model->row[s]; c->model->weight && e < c->model->row[s + 1]; e++)
            if (!stays_by_duration(c->model, s) || c->model->to[e] != s)
                assert_close(found->next[e], slope(c, &c->model->weight[e], scratch), 1e-6, 1e-6);
        if (c->model->start && c->model->start[s] > -INFINITY)
            assert_close(found->start[s], slope(c, &c->model->start[s], scratch), 1e-6, 1e-6);
        if (c->model->end && c->model->end[s] > -INFINITY)
            assert_close(found->end[s], slope(c, &c->model->end[s], scratch), 1e-6, 1e-6);
    }
    sp_chain_free(chain);
    free(found);
    return has_path;
}

static void uses_are_derivatives(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    int n_durations = 0, n_long = 0, n_rules = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES / 2; seed++) {
        random_case c = random_case_new_durations(seed, &shapes[seed % N_SHAPES], seed % 2 ? 30 : 4);
        const bool has_path = check_slopes(&c, scratch);
        n_durations += has_path && c.model->durations;
        n_long += has_path && c.chain->runs;
        random_case_free(&c);
        c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        char text[200];
        const char *first = c.model->classes[0], *last = c.model->classes[c.model->n_classes - 1];
        snprintf(text, sizeof text, "at_most 2 %s", first);
        assert_int_equal(sp_model_add_rule(c.model, NULL, text, 0.7, false, NULL), SP_OK);
        snprintf(text, sizeof text, "never %s %s %s", last, first, last);
        assert_int_equal(
            sp_model_add_rule(c.model, NULL, text, seed % 2 ? INFINITY : 1.5, seed % 3 == 0, NULL), SP_OK);
        sp_chain *chain;
        if (sp_chain_new(c.model, NULL, &chain, NULL) == SP_OK) { /* the rules leave a path */
            sp_chain_free(chain);
            n_rules += check_slopes(&c, scratch);
        }
        random_case_free(&c);
    }
    assert_true(n_durations > 20 && n_long > 5 && n_rules > 20);
    sp_scratch_free(scratch);
}

/* Two paths: at half of the way each is as far behind as numbers go, and both matter. */
static void paths_far_behind_count(void **state)
{
    (void)state;
    static const char *const classes[] = {"a", "b"};
    const double e[] = {0, -334.5, 0, -334.5, -333, 0, -333, 0}, p = 1 / (1 + exp(-3));
    sp_error err;
    sp_chain *chain;
    sp_scratch *scratch = sp_scratch_new();
    sp_model *model = sp_model_new("apart", 2, classes);
    double next[2] = {0}, steps[2] = {0}, along = 0, log_z;
    assert_ok(sp_model_set_matrix(model, (const uint8_t[]){1, 0, 0, 1}, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    const int64_t place[] = {0, 1};
    const sp_scores scores = {.data = e, .dtype = SP_F64, .n_classes = 2, .n_steps = 4};
    const sp_uses uses = {.place = place, .next = next, .steps = steps, .scores = e, .along = &along};
    assert_ok(sp_uses_add(chain, &scores, scratch, &uses, &log_z, &err), &err);
    assert_close(log_z, -666 + log1p(exp(-3)), 0, 1e-14);
    assert_close(next[0], 3 * p, 0, 1e-12);
    assert_close(steps[1], 4 * (1 - p), 0, 1e-12);
    assert_close(along, -666 * p - 669 * (1 - p), 0, 1e-12);
    sp_chain_free(chain);
    sp_model_free(model);
    sp_scratch_free(scratch);
}

/* ---- against the marginals, which are summed in logs where numbers do not hold them ---- */

typedef struct class_sums {
    int32_t n_classes;
    double *steps; /* [K] */
} class_sums;

static void add_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    const class_sums *sums = arg;
    (void)t;
    (void)log_marginal;
    for (int32_t k = 0; k < sums->n_classes; k++)
        sums->steps[k] += marginal[k];
}

/* Steps in each class and log Z are those of the marginals, and each step but the first of its stretch is
 * gone to. Has it a path? */
static bool check_against_marginals(uint64_t seed, const random_case *c, sp_scratch *scratch)
{
    tally *found = calloc(1, sizeof *found);
    double steps[16] = {0}, log_z = 0, moves = 0, n_moves = 0;
    class_sums sums = {c->scores.n_classes, steps};
    const sp_marginal_sink sink = {.row = add_row, .arg = &sums};
    assert_true(found && c->scores.n_classes <= 16);
    const sp_status status = sp_marginal_rows(c->chain, &c->scores, scratch, &sink, &log_z, NULL);
    assert_int_equal(count(c, c->chain, scratch, found), status);
    for (int64_t t = 1; t < c->scores.n_steps; t++)
        n_moves += !sp_scores_is_gap(&c->scores, t);
    for (int64_t e = 0; e < c->model->row[c->model->n_states]; e++)
        moves += found->next[e];
    for (int32_t k = 0; status == SP_OK && k < sums.n_classes; k++)
        if (!(fabs(found->steps[k] - steps[k]) <= 1e-9 * (double)c->scores.n_steps))
            fail_msg("seed %llu: %.17g steps in class %d, expected %.17g", (unsigned long long)seed,
                     found->steps[k], (int)k, steps[k]);
    if (status == SP_OK) {
        assert_close(found->log_z, log_z, 1e-9, 1e-12);
        assert_true(c->model->durations || fabs(moves - n_moves) <= 1e-9 * (1 + n_moves));
    }
    free(found);
    return status == SP_OK;
}

/* Two classes that are never left, the second as one state, as two, and with a duration: it falls 2,000 nats
 * behind, and wins in the end. With a gap its lead begins anew. */
static void a_class_that_comes_back(void **state)
{
    (void)state;
    enum { T = 300 };
    static const char *const classes[] = {"a", "b"};
    static char *states[] = {"a1", "b1", "b2"};
    static int32_t owners[] = {0, 1, 1};
    static const uint8_t two[] = {1, 0, 0, 1}, three[] = {1, 0, 0, 0, 1, 1, 0, 0, 1};
    sp_scratch *scratch = sp_scratch_new();
    for (int form = 0; form < 6; form++) {
        int64_t segments[T] = {0};
        double e[2 * T] = {0};
        sp_error err;
        int32_t order[] = {0, 1};
        random_case c = {.model = sp_model_new("absorbing", 2, classes), .class_of_column = order, .data = e};
        c.scores = (sp_scores){
            .data = e, .dtype = SP_F64, .n_classes = 2, .n_steps = T, .segments = form < 3 ? NULL : segments};
        for (int t = 0; t < T; t++) {
            e[2 * t + 1] = t < 100 || t >= 200 ? -20 : 50;
            segments[t] = t >= 290;
        }
        if (form % 3 == 1) {
            c.model->n_states = 3;
            c.model->states = states;
            c.model->state_class = owners;
            free(c.model->row);
            assert_non_null(c.model->row = calloc(4, sizeof *c.model->row));
        }
        assert_ok(sp_model_set_matrix(c.model, form % 3 == 1 ? three : two, NULL, &err), &err);
        sp_duration durations[2] = {{.form = SP_DURATION_FREE},
                                    {.form = SP_DURATION_RANGE, .max = {400, false}}};
        c.model->durations = form % 3 == 2 ? durations : NULL;
        assert_ok(sp_chain_new(c.model, NULL, &c.chain, &err), &err);
        assert_int_equal(c.chain->runs != NULL, form % 3 == 2);
        tally *found = calloc(1, sizeof *found);
        assert_non_null(found);
        assert_int_equal(count(&c, c.chain, scratch, found), SP_OK);
        if (form % 3 != 1)
            assert_close(found->log_z, form < 3 ? 1000 : 1200, 1e-9, 0);
        assert_close(found->steps[1], form < 3 ? T : 290, 1e-9, 0);
        assert_true(check_against_marginals((uint64_t)form, &c, scratch));
        free(found);
        sp_chain_free(c.chain);
        c.model->durations = NULL;
        if (c.model->states) {
            c.model->states = NULL;
            c.model->state_class = NULL;
        }
        sp_model_free(c.model);
    }
    sp_scratch_free(scratch);
}

/* Rules with few changes, of one or two states a class: every state may stay, and goes to few others.
 * has_durations: some classes are left after 400 steps, or have a negative binomial. */
static sp_model *draw_sparse(random_source *random, int32_t K, bool has_durations)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    sp_model *model = sp_model_new("sparse", K, names);
    const int32_t n = random_chance(random, 0.5) ? 2 : 1, M = K * n;
    uint8_t allow[8 * 8];
    double weight[8 * 8];
    char name[8];
    sp_error err;
    for (int32_t i = 0; i < M * M; i++) {
        allow[i] = i % (M + 1) == 0 || random_chance(random, 0.5 / M);
        weight[i] = -random_unit(random);
    }
    if (n > 1) {
        free(model->row);
        model->row = calloc((size_t)M + 1, sizeof *model->row);
        model->states = calloc((size_t)M, sizeof *model->states);
        model->state_class = calloc((size_t)M, sizeof *model->state_class);
        model->n_states = M;
        for (int32_t s = 0; s < M; s++) {
            snprintf(name, sizeof name, "%s%d", names[s / 2], (int)(s % 2));
            model->states[s] = strdup(name);
            model->state_class[s] = s / 2;
        }
    }
    assert_ok(sp_model_set_matrix(model, allow, weight, &err), &err);
    model->durations = has_durations ? calloc((size_t)K, sizeof *model->durations) : NULL;
    for (int32_t k = 0; has_durations && k < K; k++)
        if (k == 0 || random_chance(random, 0.5))
            model->durations[k] = random_chance(random, 0.5)
                                      ? (sp_duration){.form = SP_DURATION_RANGE, .max = {400, false}}
                                      : (sp_duration){.form = SP_DURATION_NEGATIVE_BINOMIAL,
                                                      .centre = {30, false},
                                                      .spread = 2};
    return model;
}

/* As that of test_forward_backward.c, by states and by rows of runs, with gaps. */
static void classes_that_come_back(void **state)
{
    (void)state;
    enum { T = 300 };
    sp_scratch *scratch = sp_scratch_new();
    int n_runs = 0;
    for (uint64_t seed = 0; seed < 240; seed++) {
        random_source random = {seed + 31};
        const int32_t K = 2 + random_below(&random, 3);
        int32_t order[] = {0, 1, 2, 3};
        double drift[4] = {0}, data[4 * T];
        int64_t segments[T];
        sp_error err;
        random_case c = {
            .model = draw_sparse(&random, K, seed % 6 == 1), .class_of_column = order, .data = data};
        c.scores = (sp_scores){data, SP_F64, K, T, seed % 3 ? NULL : segments, NULL, NULL};
        for (int64_t t = 0; t < T; t++) {
            segments[t] = t < 290 ? 0 : 1;
            for (int32_t k = 0; k < K; k++) {
                if (t == 0 || random_chance(&random, 0.02))
                    drift[k] = 60 * (random_unit(&random) - 0.5);
                data[t * K + k] = drift[k] + random_unit(&random);
            }
        }
        assert_ok(sp_chain_new(c.model, NULL, &c.chain, &err), &err);
        assert_true(check_against_marginals(seed, &c, scratch));
        n_runs += c.chain->runs != NULL;
        sp_chain_free(c.chain);
        sp_model_free(c.model);
    }
    assert_true(n_runs > 20);
    sp_scratch_free(scratch);
}

/* Weights, starts, ends and scores of which each is as far below the others as numbers go: twice in a path.
 * */
static void factors_far_apart(void **state)
{
    (void)state;
    static const random_shape of = {4, 12, 2, 1, NO, WEIGHTS, GAPS, 0};
    sp_scratch *scratch = sp_scratch_new();
    int n_paths = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        random_source random = {seed + 77};
        random_case c = random_case_new_durations(seed, &of, seed % 4 ? 0 : 60);
        const double far = 20 + 400 * random_unit(&random);
        for (int64_t e = 0; c.model->weight && e < c.model->row[c.model->n_states]; e++)
            c.model->weight[e] -= random_chance(&random, 0.4) ? far : 0;
        for (int32_t s = 0; c.model->start && s < c.model->n_states; s++)
            c.model->start[s] -= random_chance(&random, 0.4) ? far : 0;
        for (int32_t s = 0; c.model->end && s < c.model->n_states; s++)
            c.model->end[s] -= random_chance(&random, 0.4) ? far : 0;
        for (int64_t i = 0; i < c.scores.n_steps * c.scores.n_classes; i++)
            c.data[i] -= random_chance(&random, 0.4) ? far : 0;
        sp_chain_options options = sp_chain_options_default();
        sp_error err;
        options.class_of_column = c.class_of_column;
        sp_chain_free(c.chain);
        assert_ok(sp_chain_new(c.model, &options, &c.chain, &err), &err);
        n_paths += check_against_marginals(seed, &c, scratch);
        random_case_free(&c);
    }
    assert_true(n_paths > 200);
    sp_scratch_free(scratch);
}

static sp_status attempt(void *arg)
{
    const random_case *c = arg;
    tally found = {.log_z = NAN};
    sp_scratch *scratch = sp_scratch_new();
    int64_t *place = places_in(c->model, c->chain);
    const sp_uses uses = {.place = place, .runs_place = place, .next = found.next, .steps = found.steps};
    const sp_status status =
        scratch && place ? sp_uses_add(c->chain, &c->scores, scratch, &uses, &found.log_z, NULL) : SP_ENOMEM;
    assert_true(status == SP_OK || (isnan(found.log_z) && found.steps[0] + found.steps[1] == 0));
    free(place);
    sp_scratch_free(scratch);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    random_case c = random_case_new(3, &shapes[0]);
    assert_true(assert_each_alloc_may_fail(attempt, &c) > 1);
    random_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_are_those_of_all_paths), cmocka_unit_test(uses_are_derivatives),
        cmocka_unit_test(paths_far_behind_count),      cmocka_unit_test(a_class_that_comes_back),
        cmocka_unit_test(classes_that_come_back),      cmocka_unit_test(factors_far_apart),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
