/* Strategies by name. */
#include "check.h"

static void test_names_go_both_ways(void **state)
{
    (void)state;
    const struct {
        const char *text;
        sp_strategy strategy;
        bool is_legal;
    } all[] = {
        {"argmax", {SP_ARGMAX, 0}, false},
        {"greedy", {SP_GREEDY, 0}, true},
        {"beam:8", {SP_BEAM, 8}, true},
        {"viterbi", {SP_VITERBI, 0}, true},
        {"posterior", {SP_POSTERIOR, 0}, false},
        {"mea", {SP_MEA, 0}, true},
        {"posterior-viterbi", {SP_POSTERIOR_VITERBI, 0}, true},
        {"online:0", {SP_ONLINE, 0}, true},
    };
    assert_int_equal(sizeof all / sizeof *all, SP_N_STRATEGIES);
    for (int i = 0; i < SP_N_STRATEGIES; i++) {
        sp_strategy strategy = {SP_N_STRATEGIES, -1};
        char text[SP_STRATEGY_TEXT];
        sp_error err;
        assert_ok(sp_strategy_parse(all[i].text, &strategy, &err), &err);
        assert_int_equal(strategy.kind, all[i].strategy.kind);
        assert_int_equal(strategy.parameter, all[i].strategy.parameter);
        assert_string_equal(sp_strategy_format(&strategy, text), all[i].text);
        assert_int_equal(sp_strategy_is_legal(strategy.kind), all[i].is_legal);
        assert_int_equal(strncmp(all[i].text, sp_strategy_name(strategy.kind), strlen(sp_strategy_name(strategy.kind))), 0);
        assert_true(strlen(sp_strategy_summary(strategy.kind)) > 10);
    }
    sp_strategy widest;
    char text[SP_STRATEGY_TEXT];
    assert_ok(sp_strategy_parse("beam:2147483647", &widest, NULL), (&(sp_error){0}));
    assert_string_equal(sp_strategy_format(&widest, text), "beam:2147483647");
}

static void test_what_is_refused(void **state)
{
    (void)state;
    const char *const wrong[][2] = {
        {"", "unknown strategy \"\": choose from argmax, greedy, beam:WIDTH, viterbi, posterior, mea, posterior-viterbi, "
             "online:LAG"},
        {"Viterbi", "unknown strategy \"Viterbi\": choose from"},
        {"viter", "unknown strategy \"viter\""},
        {"posterior-", "unknown strategy"},
        {" viterbi", "unknown strategy"},
        {"viterbi:2", "strategy \"viterbi:2\": viterbi takes no parameter, write \"viterbi\""},
        {"viterbi:", "takes no parameter"},
        {"beam", "strategy \"beam\": it needs its parameter, write \"beam:WIDTH\", for example \"beam:8\""},
        {"beam:", "WIDTH must be a whole number from 1 to 2147483647"},
        {"beam:0", "WIDTH must be a whole number from 1"},
        {"beam:-3", "WIDTH must be a whole number from 1"},
        {"beam:2147483648", "WIDTH must be a whole number from 1"},
        {"beam:99999999999999999999999999", "WIDTH must be a whole number from 1"},
        {"online:+1", "LAG must be a whole number from 0"},
        {"online: 1", "LAG must be a whole number from 0"},
        {"online:1.5", "LAG must be a whole number from 0"},
        {"online:1:2", "LAG must be a whole number from 0"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sp_strategy strategy = {SP_MEA, 42};
        sp_error err;
        assert_int_equal(sp_strategy_parse(wrong[i][0], &strategy, &err), SP_EINVAL);
        if (!strstr(err.message, wrong[i][1]))
            fail_msg("\"%s\": %s", wrong[i][0], err.message);
        assert_int_equal(strategy.kind, SP_MEA); /* untouched */
        assert_int_equal(strategy.parameter, 42);
    }
    assert_int_equal(sp_strategy_parse("nonsense", &(sp_strategy){0}, NULL), SP_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_go_both_ways),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
