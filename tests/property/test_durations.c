/* Runs that durations rule out, as they are counted, and log-normal lengths of any size. What is decoded is
 * in the law of strategies. */
#include "check.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/decode.h"
#include "statepath/metrics.h"

/* Is there a start, an end or a gap before step t? */
static bool is_side(const random_case *c, int64_t t)
{
    return t == 0 || t == c->scores.n_steps || sp_scores_is_gap(&c->scores, t);
}

/* The duration of a column's class; NULL: it has none. */
static const sp_duration *duration_of_column(const random_case *c, int32_t column)
{
    const sp_duration *d = c->model->durations ? &c->model->durations[c->class_of_column[column]] : NULL;
    return d && d->form != SP_DURATION_FREE ? d : NULL;
}

/* Does the path say nothing at t, inside of the segment of the run beside it? */
static bool is_unscored(const random_case *c, const int32_t *path, int64_t t, int64_t gap)
{
    return !is_side(c, gap) && path[t] < 0;
}

static sp_transition_counts count_runs(const random_case *c, const int32_t *path)
{
    sp_transition_counts counts = {.short_runs = 0};
    for (int64_t t = 0, begin = 0; t < c->scores.n_steps; t++) {
        if (!is_side(c, t + 1) && path[t + 1] == path[t])
            continue;
        const sp_duration *d = path[t] >= 0 ? duration_of_column(c, path[t]) : NULL;
        const bool is_cut = is_unscored(c, path, begin - 1, begin) || is_unscored(c, path, t + 1, t + 1) ||
                            (is_side(c, begin) && !c->model->whole_at_start) ||
                            (is_side(c, t + 1) && !c->model->whole_at_end);
        if (d && oracle_run_weight(d, t + 1 - begin, is_cut) == -INFINITY) {
            const bool is_long = oracle_run_weight(d, t + 1 - begin, true) == -INFINITY;
            counts.short_runs += !is_long;
            counts.long_runs += is_long;
        }
        begin = t + 1;
    }
    return counts;
}

static void test_broken_runs(void **state)
{
    (void)state;
    enum { LONG = 40 };
    const random_shape shape = {3, LONG, 2, 1, NO, NO, GAPS, 0, .longest = 4};
    int64_t n_short = 0, n_long = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        random_case c = random_case_new(seed, &shape);
        random_source random = {seed};
        const double stay = random_unit(&random), none = random_chance(&random, 0.5) ? 0.1 : 0;
        int32_t path[LONG + 1];
        for (int64_t t = 0; t < c.scores.n_steps; t++)
            path[t] = random_chance(&random, none)            ? -1
                      : t > 0 && random_chance(&random, stay) ? path[t - 1]
                                                              : random_below(&random, c.model->n_classes);
        const sp_transition_counts expected = count_runs(&c, path);
        sp_transition_counts counts = {.short_runs = 0};
        sp_transitions_count(c.chain, c.scores.n_steps, path, c.segments, &counts, NULL, NULL);
        assert_int_equal(counts.short_runs, expected.short_runs);
        assert_int_equal(counts.long_runs, expected.long_runs);
        n_short += counts.short_runs;
        n_long += counts.long_runs;
        random_case_free(&c);
    }
    assert_true(n_short > 100 && n_long > 100);
}

/* A log-normal without a max has weights of all lengths; of one step it has what lies below 1.5, also below
 * 0.5. Only where a millionth of a
 * millionth of it lies beyond what can be counted is it refused. A run between two others weighs log p(d). */
static void test_log_normal_lengths(void **state)
{
    (void)state;
    enum { MOST = 2050 };
    static const char *const classes[] = {"a", "b"};
    static const uint8_t all[] = {1, 1, 1, 1};
    static const double of[][2] = {{20, 1}, {20, 0.5}, {0.3, 0.5}, {300, 0.7}, {4, 1.2}};
    static double data[2 * MOST];
    static int32_t path[MOST];
    sp_model *model = sp_model_new("m", 2, classes);
    sp_chain *chain;
    sp_error err;
    assert_ok(sp_model_set_matrix(model, all, NULL, &err), &err);
    assert_non_null(model->durations = calloc(2, sizeof *model->durations));
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        model->durations[0] =
            (sp_duration){.form = SP_DURATION_LOG_NORMAL, .centre = {of[i][0], false}, .spread = of[i][1]};
        assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
        for (int64_t d = 1; d < 2000; d = 2 * d + 1) {
            const double a = d == 1 ? -INFINITY : log(((double)d - .5) / of[i][0]) / of[i][1],
                         b = log(((double)d + .5) / of[i][0]) / of[i][1];
            const double p = .5 * (erfc(-b / sqrt(2)) - erfc(-a / sqrt(2)));
            const sp_scores scores = {data, SP_F64, 2, d + 2, NULL, NULL, NULL};
            double score;
            for (int64_t t = 0; t < d + 2; t++)
                path[t] = t == 0 || t == d + 1;
            assert_ok(sp_path_score(chain, &scores, path, &score, &err), &err);
            if (p > 1e-9)
                assert_close(exp(score), p, 0, 1e-6);
        }
        sp_chain_free(chain);
    }
    model->durations[0] = (sp_duration){.form = SP_DURATION_LOG_NORMAL, .centre = {20, false}, .spread = 3};
    assert_int_equal(sp_chain_new(model, NULL, &chain, &err), SP_EMODEL);
    sp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_runs),
        cmocka_unit_test(test_log_normal_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
