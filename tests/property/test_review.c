/* Steps worth a look, against the definition in advanced.h by enumeration of all paths, each step that is
 * chosen being held fast from then on. */
#include "check.h"
#include "failing_alloc.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/advanced.h"

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {4, 6, 1, 1, NO, WEIGHTS, GAPS, .impossible = 0.2},
    {2, 7, 1, 4, NO, WEIGHTS, GAPS, .impossible = 0.1},
    {3, 6, 3, 3, NO, WEIGHTS, GAPS, .impossible = 0.1},
    {4, 6, 1, 1, NO, WEIGHTS, NO, .impossible = 0.05},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 150, MOST_CLASSES = 4 };

/* All paths that weigh something, and what is held fast of each step: -1 nothing. */
typedef struct all_paths {
    oracle_list list;
    int32_t held[ORACLE_STEPS];
} all_paths;

/* p(class of t = c and class of u = k) into joint. */
static void joint_of(const all_paths *a, int64_t t, int64_t u, double joint[MOST_CLASSES][MOST_CLASSES])
{
    double all = 0;
    memset(joint, 0, sizeof(double[MOST_CLASSES][MOST_CLASSES]));
    for (int i = 0; i < a->list.n; i++) {
        const oracle_path *p = &a->list.paths[i];
        const double weight = exp(p->log_sum - a->list.log_z);
        bool takes_part = true;
        for (int64_t v = 0; v < a->list.n_steps; v++)
            takes_part &= a->held[v] < 0 || a->held[v] == p->path[v];
        all += takes_part ? weight : 0;
        joint[p->path[t]][p->path[u]] += takes_part ? weight : 0;
    }
    for (int i = 0; i < MOST_CLASSES * MOST_CLASSES; i++)
        joint[i / MOST_CLASSES][i % MOST_CLASSES] /= all;
}

static double likeliest(const double *p, int32_t *which)
{
    int32_t best = 0;
    for (int32_t k = 1; k < MOST_CLASSES; k++)
        best = p[k] > p[best] ? k : best;
    if (which)
        *which = best;
    return p[best];
}

static double gain_of(const all_paths *a, int64_t t)
{
    double gain = 0, joint[MOST_CLASSES][MOST_CLASSES];
    for (int64_t u = 0; u < a->list.n_steps; u++) {
        double plain[MOST_CLASSES] = {0};
        joint_of(a, t, u, joint);
        for (int c = 0; c < MOST_CLASSES; c++) {
            gain += likeliest(joint[c], NULL);
            for (int k = 0; k < MOST_CLASSES; k++)
                plain[k] += joint[c][k];
        }
        gain -= likeliest(plain, NULL);
    }
    return gain;
}

static double marginal(const all_paths *a, int64_t t, int32_t *which)
{
    double p[MOST_CLASSES], joint[MOST_CLASSES][MOST_CLASSES];
    joint_of(a, t, t, joint);
    for (int k = 0; k < MOST_CLASSES; k++)
        p[k] = joint[k][k];
    return likeliest(p, which);
}

static void check_steps(all_paths *a, const sp_review_step *steps, int64_t n)
{
    const int64_t T = a->list.n_steps;
    double before = INFINITY, best = 0;
    for (int64_t t = 0; t < T; t++)
        a->held[t] = -1;
    for (int64_t i = 0; i < n; i++) {
        best = 0;
        for (int64_t t = 0; t < T; t++)
            best = fmax(best, gain_of(a, t));
        before = fmin(before, best);
        assert_true(steps[i].step >= 0 && steps[i].step < T && a->held[steps[i].step] < 0);
        assert_close(gain_of(a, steps[i].step), best, 1e-4, 0);
        assert_close(steps[i].gain, before, 1e-4, 0);
        marginal(a, steps[i].step, &a->held[steps[i].step]);
    }
    for (int64_t t = 0; n < T && t < T; t++)
        assert_close(gain_of(a, t), 0, 1e-4, 0); /* what is left is sure */
    for (int64_t t = 0; t < T; t++)
        a->held[t] = -1;
    for (int64_t i = 0; i < n; i++) {
        int32_t which;
        assert_close(steps[i].probability, marginal(a, steps[i].step, &which), 1e-9, 0);
        assert_int_equal(steps[i].likeliest, which);
    }
}

static void steps_are_those_of_the_definition(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    all_paths *a = malloc(sizeof *a);
    int n_checked = 0, n_none = 0, n_steps = 0;
    assert_true(scratch && a);
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        oracle_model *m = oracle_model_new(c.model, &c.options, ORACLE_STEPS);
        const oracle_declared declared = {c.model, &c.options, 0, NULL};
        sp_review_step steps[ORACLE_STEPS];
        int64_t n;
        sp_error err;
        const sp_status status =
            sp_review(c.chain, &c.scores, ORACLE_STEPS, 0, scratch, steps, &n, NULL, &err);
        if (status == SP_OK && c.scores.n_steps > 0) {
            a->list = oracle_list_new(&declared, &c.scores);
            check_steps(a, steps, n);
            oracle_list_free(&a->list);
            n_checked++;
            n_steps += (int)n;
        } else if (status != SP_OK) {
            assert_int_equal(status, SP_ENOPATH);
            assert_int_equal(err.step, oracle_first_unreachable(m, &c.scores));
            n_none++;
        }
        oracle_model_free(m);
        random_case_free(&c);
    }
    assert_true(n_checked > CASES && n_none > CASES / 10 && n_steps > n_checked);
    free(a);
    sp_scratch_free(scratch);
}

/* Fewer steps are the first of more; those that gain less than `least` are left out; memory that lacks is
 * said. */
static void few_are_the_first_of_many(void **state)
{
    (void)state;
    static const random_shape longer = {5, 200, 2, 3, NO, WEIGHTS, GAPS, .impossible = 0};
    sp_scratch *scratch = sp_scratch_new();
    int n_checked = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        random_case c = random_case_new(seed, &longer);
        sp_review_step all[200], few[200];
        int64_t n_all, n_few, n_above = 0;
        sp_error err;
        if (sp_review(c.chain, &c.scores, 200, 0, scratch, all, &n_all, NULL, NULL) == SP_OK && n_all > 20) {
            assert_ok(sp_review(c.chain, &c.scores, 7, 0, scratch, few, &n_few, NULL, &err), &err);
            assert_int_equal(n_few, 7);
            for (int i = 0; i < 7; i++)
                assert_true(few[i].step == all[i].step && few[i].gain == all[i].gain);
            for (int64_t i = 1; i < n_all; i++)
                assert_true(all[i].gain <= all[i - 1].gain && all[i].gain > 0);
            assert_ok(sp_review(c.chain, &c.scores, 200, all[9].gain, scratch, few, &n_few, NULL, &err),
                      &err);
            while (n_above < n_all && all[n_above].gain >= all[9].gain)
                n_above++;
            assert_int_equal(n_few, n_above);
            n_checked++;
        }
        random_case_free(&c);
    }
    assert_true(n_checked > 5);
    sp_scratch_free(scratch);
}

static sp_status review_once(void *arg)
{
    const random_case *c = arg;
    sp_scratch *scratch = sp_scratch_new();
    sp_review_step steps[ORACLE_STEPS];
    int64_t n;
    const sp_status status =
        scratch ? sp_review(c->chain, &c->scores, ORACLE_STEPS, 0, scratch, steps, &n, NULL, NULL)
                : SP_ENOMEM;
    sp_scratch_free(scratch);
    return status;
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    random_case c = random_case_new(3, &shapes[0]);
    assert_true(assert_each_alloc_may_fail(review_once, &c) > 0);
    random_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_the_definition),
        cmocka_unit_test(few_are_the_first_of_many),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
