/* Draws from the posterior: against the probabilities of all paths of small random models, against marginals
 * of longer recordings, and
 * what a seed says. */
#include "check.h"
#include "failing_alloc.h"
#include "oracle.h"
#include "random_model.h"
#include "statepath/advanced.h"

static const random_shape shapes[] = {
    /* classes, steps, states a class, dwell; up to so many */
    {4, 6, 1, 1, NO, WEIGHTS, GAPS, .impossible = 0.3},
    {4, 6, 1, 1, TIES, NO, NO, .impossible = 0.2},
    {2, 7, 1, 4, NO, WEIGHTS, GAPS, .impossible = 0.2},
    {3, 6, 3, 3, NO, WEIGHTS, GAPS, .impossible = 0.1},
    {3, 6, 3, 1, TIES, WEIGHTS, GAPS, .impossible = 0.2},
    {3, 6, 2, 1, NO, WEIGHTS, GAPS, 0.1, .longest = 5},
    {3, 6, 1, 2, NO, WEIGHTS, GAPS, 0.1, .longest = 24, .most_rules = 2},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, CASES = 200, DRAWS = 400, LEAST_EXPECTED = 5 };

/* Over all cases: what their chi-squares are above their degrees of freedom, and the variance of that. */
typedef struct drawn_tally {
    double excess, variance;
    int n_cases;
} drawn_tally;

/* Adds the chi-square of the counts to the tally. Paths that are too rare for it count as one; they are left
 * out where they are too
 * rare all together. */
static void add_chi_square(const oracle_list *l, const int *count, uint64_t seed, drawn_tally *tally)
{
    double rare = 0, chi_square = 0;
    int n_rare = 0, n_cells = 0;
    for (int i = 0; i < l->n; i++) {
        const double expected = exp(l->paths[i].log_sum - l->log_z) * DRAWS, off = count[i] - expected;
        if (expected >= LEAST_EXPECTED) {
            chi_square += off * off / expected;
            n_cells++;
        } else {
            rare += expected;
            n_rare += count[i];
        }
    }
    if (rare >= LEAST_EXPECTED) {
        chi_square += (n_rare - rare) * (n_rare - rare) / rare;
        n_cells++;
    } else if (n_rare > 4 * LEAST_EXPECTED) {
        fail_msg("seed %llu: %d draws of paths of which %.3g are expected", (unsigned long long)seed, n_rare,
                 rare);
    }
    if (n_cells < 2)
        return;
    const double freedom = n_cells - 1;
    if (chi_square > freedom + 7 * sqrt(2 * freedom) + 7)
        fail_msg("seed %llu: chi-square %.4g of %g degrees of freedom", (unsigned long long)seed, chi_square,
                 freedom);
    tally->excess += chi_square - freedom;
    tally->variance += 2 * freedom;
    tally->n_cases++;
}

static void assert_drawn(const drawn_tally *tally)
{
    if (fabs(tally->excess) > 5 * sqrt(tally->variance))
        fail_msg("chi-squares of %d cases are %.4g above their degrees of freedom, %.3g standard deviations",
                 tally->n_cases, tally->excess, tally->excess / sqrt(tally->variance));
}

/* Draws paths of a recording that has some. None is one that is not allowed, and their numbers are those that
 * their weights say. */
static void check_drawn(const random_case *c, const oracle_list *l, sp_scratch *scratch, drawn_tally *tally)
{
    const sp_draw_options options = {.n = DRAWS, .seed = c->seed};
    int32_t draws[DRAWS * ORACLE_STEPS];
    int *count = calloc((size_t)l->n, sizeof *count);
    sp_error err;
    assert_non_null(count);
    assert_ok(sp_draws(c->chain, &c->scores, &options, scratch, draws, ORACLE_STEPS, &err), &err);
    for (int r = 0; r < DRAWS; r++) {
        const oracle_path *p = oracle_list_find(l, draws + r * ORACLE_STEPS);
        if (!p)
            fail_msg("seed %llu: draw %d is not allowed", (unsigned long long)c->seed, r);
        count[p - l->paths]++;
    }
    add_chi_square(l, count, c->seed, tally);
    free(count);
}

/* Where there is no path, nothing is drawn, and the step is said. */
static void check_no_path(const random_case *c, sp_scratch *scratch)
{
    int32_t draws[2 * ORACLE_STEPS];
    sp_error err;
    memset(draws, 0x55, sizeof draws);
    assert_int_equal(
        sp_draws(c->chain, &c->scores, &(sp_draw_options){.n = 2}, scratch, draws, ORACLE_STEPS, &err),
        SP_ENOPATH);
    if (c->n_rules == 0) {
        oracle_model *m = oracle_model_new(c->model, &c->options, ORACLE_STEPS);
        assert_int_equal(err.step, oracle_first_unreachable(m, &c->scores));
        oracle_model_free(m);
    }
    for (int i = 0; i < 2 * ORACLE_STEPS; i++)
        assert_int_equal(draws[i], 0x55555555);
}

static void draws_have_the_probabilities_of_their_paths(void **state)
{
    (void)state;
    sp_scratch *scratch = sp_scratch_new();
    drawn_tally tally = {0};
    int n_none = 0;
    for (uint64_t seed = 0; seed < N_SHAPES * CASES; seed++) {
        random_case c = random_case_new(seed, &shapes[seed % N_SHAPES]);
        const oracle_declared declared = {c.model, &c.options, c.n_rules, c.rules};
        if (c.chain && c.scores.n_steps > 0) {
            oracle_list l = oracle_list_new(&declared, &c.scores);
            if (l.n > 0)
                check_drawn(&c, &l, scratch, &tally);
            else
                check_no_path(&c, scratch);
            n_none += l.n == 0;
            oracle_list_free(&l);
        }
        random_case_free(&c);
    }
    assert_drawn(&tally);
    assert_true(tally.n_cases > CASES && n_none > CASES / 4);
    sp_scratch_free(scratch);
}

enum { LONG_DRAWS = 300 };

/* Every draw is allowed, and the share of draws of each class at each step is its marginal: 5 standard
 * deviations, and one draw. */
static void check_marginals(const random_case *c, sp_scratch *scratch)
{
    const int64_t T = c->scores.n_steps;
    const int32_t K = c->scores.n_classes;
    const sp_draw_options options = {.n = LONG_DRAWS, .seed = c->seed};
    int32_t *draws = malloc(LONG_DRAWS * (size_t)T * sizeof *draws);
    double *marginals = malloc((size_t)T * (size_t)K * sizeof *marginals), score;
    sp_error err;
    assert_true(draws && marginals);
    assert_ok(sp_draws(c->chain, &c->scores, &options, scratch, draws, T, &err), &err);
    assert_ok(sp_forward_backward(c->chain, &c->scores, scratch, marginals, NULL, &err), &err);
    for (int r = 0; r < LONG_DRAWS; r++) {
        assert_ok(sp_path_score(c->chain, &c->scores, draws + r * T, &score, &err), &err);
        assert_true(score > -INFINITY);
    }
    for (int64_t t = 0; t < T; t++)
        for (int32_t k = 0; k < K; k++) {
            const double p = marginals[t * K + k];
            int n = 0;
            for (int r = 0; r < LONG_DRAWS; r++)
                n += draws[r * T + t] == k;
            assert_close(n, LONG_DRAWS * p, 1 + 5 * sqrt(LONG_DRAWS * p * (1 - p) + 1e-9), 0);
        }
    free(draws);
    free(marginals);
}

static void frequencies_are_marginals(void **state)
{
    (void)state;
    static const random_shape longer[] = {
        {6, 120, 1, 1, NO, WEIGHTS, NO, .impossible = 0.02},
        {5, 120, 1, 5, NO, WEIGHTS, GAPS, .impossible = 0},
        {4, 120, 4, 3, NO, WEIGHTS, GAPS, .impossible = 0},
    };
    sp_scratch *scratch = sp_scratch_new();
    int n_checked = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        random_case c = random_case_new(seed, &longer[seed % 3]);
        if (c.scores.n_steps > 0 &&
            sp_forward_backward(c.chain, &c.scores, scratch, NULL, NULL, NULL) == SP_OK) {
            check_marginals(&c, scratch);
            n_checked++;
        }
        random_case_free(&c);
    }
    assert_true(n_checked > 30);
    sp_scratch_free(scratch);
}

/* A recording of two classes of which nothing is said, at any length. */
typedef struct coin {
    sp_chain *chain;
    double *data;
    sp_scores scores;
} coin;

static coin coin_new(int64_t n_steps)
{
    const char *const names[] = {"heads", "tails"};
    coin c = {.data = calloc(2 * (size_t)n_steps, sizeof *c.data)};
    sp_error err;
    sp_model *model = sp_model_new("coin", 2, names);
    assert_true(c.data && model);
    assert_ok(sp_model_set_matrix(model, (const uint8_t[]){1, 1, 1, 1}, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &c.chain, &err), &err);
    c.scores = (sp_scores){.data = c.data, .dtype = SP_F64, .n_classes = 2, .n_steps = n_steps};
    sp_model_free(model);
    return c;
}

static void coin_free(coin *c)
{
    sp_chain_free(c->chain);
    free(c->data);
}

enum { COIN_STEPS = 64 };

static void draw_coin(const coin *c, sp_draw_options options, int32_t *draws)
{
    sp_scratch *scratch = sp_scratch_new();
    sp_error err;
    assert_non_null(scratch);
    assert_ok(sp_draws(c->chain, &c->scores, &options, scratch, draws, COIN_STEPS, &err), &err);
    sp_scratch_free(scratch);
}

/* The same seed gives the same draws, of any number the first; another seed, recording or draw gives another
 * path. */
static void a_seed_says_the_draws(void **state)
{
    (void)state;
    coin c = coin_new(COIN_STEPS);
    int32_t many[40 * COIN_STEPS], few[7 * COIN_STEPS], others[7 * COIN_STEPS];
    draw_coin(&c, (sp_draw_options){.n = 40, .seed = 3, .recording = 5}, many);
    draw_coin(&c, (sp_draw_options){.n = 7, .seed = 3, .recording = 5}, few);
    assert_memory_equal(many, few, sizeof few);
    for (int r = 1; r < 40; r++)
        assert_memory_not_equal(many + (r - 1) * COIN_STEPS, many + r * COIN_STEPS,
                                COIN_STEPS * sizeof *many);
    for (int i = 0; i < 2; i++) {
        draw_coin(&c, (sp_draw_options){.n = 7, .seed = 3 + (i == 0), .recording = 5 + (i == 1)}, others);
        for (int r = 0; r < 7; r++)
            assert_memory_not_equal(few + r * COIN_STEPS, others + r * COIN_STEPS, COIN_STEPS * sizeof *few);
    }
    coin_free(&c);
}

/* Neighbouring steps, draws, recordings and seeds have nothing to do with each other: as many pairs are equal
 * as different. */
static void draws_are_apart(void **state)
{
    (void)state;
    enum { N = 500 };
    static int32_t draws[4][N * COIN_STEPS];
    coin c = coin_new(COIN_STEPS);
    for (int i = 0; i < 4; i++)
        draw_coin(&c, (sp_draw_options){.n = N, .seed = 1 + (uint64_t)(i / 2), .recording = i % 2}, draws[i]);
    const int32_t *const other[] = {
        draws[0] + 1, draws[0] + COIN_STEPS, draws[0] + COIN_STEPS + 1, draws[1], draws[2], draws[3]};
    for (int i = 0; i < 6; i++) {
        const int n = (N - 2) * COIN_STEPS;
        int n_equal = 0;
        for (int t = 0; t < n; t++)
            n_equal += draws[0][t] == other[i][t];
        assert_close(n_equal, n / 2.0, 5 * sqrt(n) / 2, 0);
    }
    coin_free(&c);
}

static void what_is_refused(void **state)
{
    (void)state;
    coin c = coin_new(3);
    int32_t draws[3] = {7, 7, 7};
    sp_error err;
    sp_scratch *scratch = sp_scratch_new();
    assert_int_equal(sp_draws(c.chain, &c.scores, &(sp_draw_options){.n = 0}, scratch, draws, 3, &err),
                     SP_EINVAL);
    assert_string_equal(err.message, "0 draws: ask for at least one");
    sp_scores three = c.scores;
    three.n_classes = 3;
    assert_int_equal(sp_draws(c.chain, &three, &(sp_draw_options){.n = 1}, scratch, draws, 3, &err),
                     SP_EINVAL);
    three = c.scores;
    three.n_steps = 0;
    assert_ok(sp_draws(c.chain, &three, &(sp_draw_options){.n = 1}, scratch, draws, 3, &err), &err);
    assert_true(draws[0] == 7 && draws[2] == 7);
    sp_scratch_free(scratch);
    coin_free(&c);
}

static sp_status attempt(void *arg)
{
    const coin *c = arg;
    int32_t draws[2 * COIN_STEPS];
    memset(draws, 0x55, sizeof draws);
    sp_scratch *scratch = sp_scratch_new();
    if (!scratch)
        return SP_ENOMEM;
    const sp_status status =
        sp_draws(c->chain, &c->scores, &(sp_draw_options){.n = 2}, scratch, draws, COIN_STEPS, NULL);
    for (int t = 0; t < 2 * COIN_STEPS; t++)
        assert_int_equal(draws[t] == 0x55555555, status != SP_OK);
    sp_scratch_free(scratch);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    coin c = coin_new(COIN_STEPS);
    assert_true(assert_each_alloc_may_fail(attempt, &c) > 1);
    coin_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_have_the_probabilities_of_their_paths),
        cmocka_unit_test(frequencies_are_marginals),
        cmocka_unit_test(a_seed_says_the_draws),
        cmocka_unit_test(draws_are_apart),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
