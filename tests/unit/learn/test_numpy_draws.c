/* Numpy's legacy draws, against digits that numpy 1.24 printed, and the nights that are made of them. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "recipe_text.h"
#include "statepath/model_json.h"

/* Recipes make nights of the draws; one by one they are those that numpy printed. */
#include "learn/numpy_draws.h"

static sp_numpy_draws seeded(uint32_t seed)
{
    sp_numpy_draws draws;
    assert_true(sp_numpy_draws_init(&draws, seed));
    return draws;
}

/* np.random.seed(42); np.random.random_sample(4), np.random.standard_normal(7) */
static void uniform_and_normal_numbers(void **state)
{
    (void)state;
    const double uniform[] = {0.3745401188473625, 0.9507143064099162, 0.7319939418114051, 0.5986584841970366};
    const double normal[] = {0.4967141530112327, -0.13826430117118466, 0.6476885381006925,
                             1.5230298564080254, -0.23415337472333597, -0.23413695694918055,
                             1.5792128155073915};
    sp_numpy_draws draws = seeded(42);
    for (int i = 0; i < 4; i++)
        assert_true(sp_numpy_uniform(&draws) == uniform[i]);
    sp_numpy_draws_seed(&draws, 42);
    for (int i = 0; i < 7; i++)
        assert_close(sp_numpy_normal(&draws), normal[i], 1e-15, 1e-15);
    sp_numpy_draws_seed(&draws, 42); /* the one that was kept is forgotten */
    assert_close(sp_numpy_normal(&draws), normal[0], 1e-15, 1e-15);
    sp_numpy_draws_clear(&draws);
    draws = seeded(4294967295U);
    assert_true(sp_numpy_uniform(&draws) == 0.0976320289940138);
    assert_true(sp_numpy_uniform(&draws) == 0.9123828453026218);
    sp_numpy_draws_clear(&draws);
}

/* np.random.choice(3), choice(5), choice(1), choice(5, p=[0, .1, .2, .3, .4]) */
static void choices(void **state)
{
    (void)state;
    const int of_three[] = {2, 0, 2, 2, 0, 0, 2, 1, 2, 2, 2, 2, 0, 2, 1, 0},
              of_five[] = {3, 4, 2, 4, 4, 1, 2, 2, 2, 4, 3, 2, 4, 1, 3, 1},
              weighted[] = {3, 4, 4, 3, 2, 2, 1, 4, 4, 4, 1, 4, 4, 2, 2, 2};
    const double p[] = {0, 0.1, 0.2, 0.3, 0.4}, tenfold[] = {0, 1, 2, 3, 4};
    sp_numpy_draws draws = seeded(42);
    for (int i = 0; i < 16; i++)
        assert_int_equal(sp_numpy_choice(&draws, 3), of_three[i]);
    sp_numpy_draws_seed(&draws, 42);
    for (int i = 0; i < 16; i++)
        assert_int_equal(sp_numpy_choice(&draws, 5), of_five[i]);
    sp_numpy_draws_seed(&draws, 42);
    for (int i = 0; i < 16; i++)
        assert_int_equal(sp_numpy_choice_of(&draws, 5, p), weighted[i]);
    sp_numpy_draws_seed(&draws, 42);
    for (int i = 0; i < 16; i++)
        assert_int_equal(sp_numpy_choice_of(&draws, 5, tenfold), weighted[i]);
    sp_numpy_draws_seed(&draws, 42);
    assert_int_equal(sp_numpy_choice(&draws, 1), 0); /* draws nothing */
    assert_true(sp_numpy_uniform(&draws) == 0.3745401188473625);
    sp_numpy_draws_clear(&draws);
}

/* A normal number is kept while others are drawn: standard_normal, choice(3), random_sample, standard_normal, standard_normal. */
static void a_kept_number_waits(void **state)
{
    (void)state;
    sp_numpy_draws draws = seeded(42);
    assert_close(sp_numpy_normal(&draws), 0.4967141530112327, 1e-15, 0);
    assert_int_equal(sp_numpy_choice(&draws, 3), 2);
    assert_true(sp_numpy_uniform(&draws) == 0.7796910002727693);
    assert_close(sp_numpy_normal(&draws), -0.13826430117118466, 1e-15, 0);
    assert_close(sp_numpy_normal(&draws), -1.1978064265539556, 1e-15, 0);
    sp_numpy_draws_clear(&draws);
}

/* ---- the published nights ---- */

static sp_recipe *published(void)
{
    sp_error err;
    sp_recipe *r = NULL;
    assert_ok(sp_recipe_load(SOURCE_DIR "/datasets/published-experiment.recipe.json", &r, &err), &err);
    return r;
}

static void the_unused_sequence_changes_ten_times(void **state)
{
    (void)state;
    sp_recipe *r = published();
    sp_numpy_draws draws = seeded((uint32_t)r->seed);
    int32_t class = 0;
    int changes = 0;
    assert_int_equal(r->n_unused, 100);
    for (int t = 1; t < 100; t++) {
        int32_t next = sp_numpy_choice_of(&draws, 5, r->transitions + (size_t) class * 5);
        changes += next != class;
        class = next;
    }
    assert_int_equal(changes, 10);
    sp_numpy_draws_clear(&draws);
    sp_recipe_free(r);
}

/* Digits of the same experiment in numpy 1.24: step, channel, sample. */
static const struct {
    int64_t step, channel, sample;
    float value;
} digits[] = {{0, 0, 0, -0.0640698671F},     {0, 0, 1, 0.925391734F},   {0, 0, 2, 2.29752326F},
              {0, 1, 0, 0.151382774F},       {0, 1, 2999, 1.21953583F}, {0, 0, 2999, 1.58486474F},
              {49, 1, 10, -0.528391421F},    {50, 0, 0, 0.466623962F},  {1249, 0, 0, -0.758745313F},
              {1249, 1, 2999, -0.499807209F}};

static void the_nights_are_the_published_ones(void **state)
{
    (void)state;
    sp_error err;
    sp_recipe *r = published();
    sp_signal_maker *maker = NULL;
    assert_ok(sp_signal_maker_new(r, &maker, &err), &err);
    sp_signal_nights nights = sp_signal_maker_nights(maker);
    assert_int_equal(nights.n_recordings, 25);
    assert_int_equal(nights.n_steps, 1250);
    const int want[2][5] = {{362, 225, 220, 193, 0}, {18, 65, 85, 81, 1}};
    int count[2][5] = {{0}};
    for (int64_t t = 0; t < nights.n_steps; t++)
        count[t >= 50 * (25 - r->signals->n_test)][nights.labels[t]]++;
    assert_memory_equal(count, want, sizeof want);
    float *x = malloc(1250 * 6000 * sizeof *x);
    assert_non_null(x);
    sp_signal_maker_draw(maker, 70, x); /* in the middle of a night: it goes on where it stopped */
    sp_signal_maker_draw(maker, 1180, x + 70 * 6000);
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++)
        assert_close(x[digits[i].step * 6000 + digits[i].channel * 3000 + digits[i].sample], digits[i].value,
                     1e-6, 0);
    free(x);
    sp_signal_maker_free(maker);
    sp_recipe_free(r);
}

static void a_recipe_goes_to_json_and_back(void **state)
{
    (void)state;
    sp_error err;
    sp_recipe *r = published(), *back = NULL;
    char *text = NULL, *again = NULL;
    assert_ok(sp_recipe_to_json(r, &text, &err), &err);
    assert_ok(recipe_from_text(text, &back, &err), &err);
    assert_ok(sp_recipe_to_json(back, &again, &err), &err);
    assert_string_equal(text, again);
    assert_true(back->is_numpy && back->n_unused == 100 && back->signals->both_ends);
    free(text);
    free(again);
    sp_recipe_free(r);
    sp_recipe_free(back);
}

/* ---- faults ---- */

#define S                                                                                                    \
    "{\"statepath_recipe\": 1, \"seed\": 1, \"classes\": [\"a\", \"b\"], \"recordings\": 2, \"start\": "     \
    "{\"a\": 1}, "                                                                                           \
    "\"transitions\": [[1, 0], [0, 1]],\n"
#define SIGNALS "\"signals\": {\"rate\": 10, \"samples\": 8, \"tones\": {}, \"channels\": [{}]"

static void every_fault_has_its_sentence(void **state)
{
    (void)state;
    static const char *const broken[][2] = {
        {S "\"steps\": 5, \"generator\": \"R\", " SIGNALS "}}",
         "r.json:2:13: key \"generator\": \"R\" is not known; it is \"gsl\" or \"numpy\""},
        {S "\"steps\": 5, \"unused\": 3, " SIGNALS "}}",
         "r.json:2:13: key \"unused\": only \"generator\": \"numpy\" has unused steps; leave it out"},
        {S "\"steps\": 5, \"generator\": \"numpy\",\n\"unused\": -3, " SIGNALS "}}",
         "r.json:3:1: key \"unused\": needs a whole number of steps from 0 to 1000000000"},
        {S "\"steps\": [5, 6], \"generator\": \"numpy\", " SIGNALS "}}",
         "r.json:2:1: key \"steps\": with \"generator\": \"numpy\" all recordings have one length; give one "
         "number"},
        {S "\"steps\": 5, \"generator\": \"numpy\", \"unscored\": 0.5, " SIGNALS "}}",
         "r.json:2:35: key \"unscored\": with \"generator\": \"numpy\" this is 0, since the order of its "
         "draws has no place for "
         "it"},
        {S "\"steps\": 5, \"generator\": \"numpy\",\n" SIGNALS ", \"overlap\": 0.5}}",
         "r.json:3:70: key \"overlap\": with \"generator\": \"numpy\" this is 0, since the order of its "
         "draws has no place for "
         "it"},
        {S "\"steps\": 5, \"generator\": \"numpy\",\n\"classifier\": {\"confusion\": [[1, 0], [0, 1]]}}",
         "r.json:2:13: key \"generator\": numpy's draws are for recipes with \"signals\"; leave it out"},
        {S "\"steps\": 5,\n" SIGNALS ", \"both_ends\": 1}}",
         "r.json:3:70: key \"both_ends\": needs true or false; this is a number"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        sp_error err = {0};
        sp_recipe *recipe = NULL;
        assert_int_equal(recipe_from_text(broken[i][0], &recipe, &err), SP_EINVAL);
        assert_sentence(err.message, broken[i][1], "r.json");
    }
}

static sp_status attempt(void *arg)
{
    sp_recipe *r = NULL;
    sp_signal_maker *maker = NULL;
    sp_status status = recipe_from_text(arg, &r, NULL);
    if (status == SP_OK)
        status = sp_signal_maker_new(r, &maker, NULL);
    sp_signal_maker_free(maker);
    sp_recipe_free(r);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    char text[] = S "\"steps\": 5, \"generator\": \"numpy\", " SIGNALS "}}";
    assert_true(assert_each_alloc_may_fail(attempt, text) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_and_normal_numbers),
        cmocka_unit_test(choices),
        cmocka_unit_test(a_kept_number_waits),
        cmocka_unit_test(the_unused_sequence_changes_ten_times),
        cmocka_unit_test(the_nights_are_the_published_ones),
        cmocka_unit_test(a_recipe_goes_to_json_and_back),
        cmocka_unit_test(every_fault_has_its_sentence),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
