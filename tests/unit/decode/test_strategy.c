/* Strategies by name. */
#include "check.h"
#include "statepath/decode.h"

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
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sp_strategy strategy = {sp_strategy_count(), -1};
        char text[SP_STRATEGY_TEXT];
        sp_error err;
        assert_ok(sp_strategy_parse(all[i].text, &strategy, &err), &err);
        assert_int_equal(strategy.kind, all[i].strategy.kind);
        assert_int_equal(strategy.parameter, all[i].strategy.parameter);
        assert_string_equal(sp_strategy_format(&strategy, text), all[i].text);
        assert_int_equal(sp_strategy_about(strategy.kind)->is_legal, all[i].is_legal);
        assert_int_equal(strncmp(all[i].text, sp_strategy_about(strategy.kind)->name,
                                 strlen(sp_strategy_about(strategy.kind)->name)),
                         0);
        assert_true(strlen(sp_strategy_about(strategy.kind)->summary) > 10);
    }
    sp_strategy widest;
    char text[SP_STRATEGY_TEXT];
    assert_ok(sp_strategy_parse("beam:2147483647", &widest, NULL), (&(sp_error){0}));
    assert_string_equal(sp_strategy_format(&widest, text), "beam:2147483647");
}

/* What decoding says of a strategy: one step of two classes. */
static sp_status decode_by(sp_strategy strategy, const double scores[2], bool relax)
{
    sp_error err;
    sp_chain *chain;
    int32_t path;
    sp_model *model = sp_model_new("two", 2, (const char *const[]){"a", "b"});
    sp_scratch *scratch = sp_scratch_new();
    assert_true(model && scratch);
    assert_ok(sp_model_set_matrix(model, (const uint8_t[]){1, 1, 1, 1}, NULL, &err), &err);
    assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
    sp_status status = sp_decode(chain, &(sp_scores){scores, SP_F64, 2, 1, NULL, NULL, NULL},
                                 &(sp_decode_options){strategy, relax}, scratch, &path, NULL, &err);
    sp_scratch_free(scratch);
    sp_chain_free(chain);
    sp_model_free(model);
    return status;
}

/* Every row of the table says what the rest of the program takes from it, and has the functions that decode. */
static void test_rows(void **state)
{
    (void)state;
    const double scores[] = {-1, -2}, impossible[] = {-INFINITY, -INFINITY};
    for (int kind = 0; kind < sp_strategy_count(); kind++) {
        const sp_strategy_info *about = sp_strategy_about(kind);
        sp_strategy sample = {kind, about->sample}, found, low = {kind, about->least - 1};
        char text[SP_STRATEGY_TEXT];
        sp_error err;
        assert_ok(sp_strategy_parse(sp_strategy_format(&sample, text), &found, &err), &err);
        assert_true(found.kind == kind && found.parameter == about->sample);
        assert_int_equal(decode_by(sample, scores, false), SP_OK);
        assert_int_equal(decode_by(low, scores, false), about->parameter ? SP_EINVAL : SP_OK);
        assert_int_equal(decode_by(sample, impossible, false), SP_ENOPATH);
        assert_int_equal(decode_by(sample, impossible, true), SP_OK);
        assert_true(about->sample >= about->least);
        assert_true(about->knows_rules || !about->is_legal);
        assert_true(strlen(about->summary) > 10 && strlen(about->when) > 10);
        for (int other = 0; other < kind; other++)
            assert_string_not_equal(sp_strategy_about(other)->name, about->name);
    }
    assert_int_equal(decode_by((sp_strategy){sp_strategy_count(), 0}, scores, false), SP_EINVAL);
    assert_int_equal(decode_by((sp_strategy){-1, 0}, scores, false), SP_EINVAL);
}

/* The README's table of strategies has a line for each row: its name, whether it is legal, when it is right; and no other. */
static void test_readme(void **state)
{
    (void)state;
    FILE *readme = fopen(SOURCE_DIR "/README.md", "r");
    assert_non_null(readme);
    char line[1024];
    bool is_table = false;
    int n_lines = 0, n_found = 0;
    while (fgets(line, sizeof line, readme)) {
        is_table = line[0] == '|' && (is_table || strstr(line, "| when it is right |"));
        n_lines += is_table;
        for (int kind = 0; is_table && kind < sp_strategy_count(); kind++) {
            const sp_strategy_info *about = sp_strategy_about(kind);
            char begin[64], legal[16], end[256];
            snprintf(begin, sizeof begin, "| `%s%s", about->name, about->parameter ? ":" : "` |");
            snprintf(legal, sizeof legal, "| %s", about->is_legal ? "yes" : "no");
            snprintf(end, sizeof end, " | %s |\n", about->when);
            if (strncmp(line, begin, strlen(begin)) != 0)
                continue;
            n_found++;
            if (!strstr(line, legal) || !strstr(line, end))
                fail_msg("README.md speaks of %s as legal otherwise than its row, or of when it is right: %s",
                         about->name, line);
        }
    }
    fclose(readme);
    assert_int_equal(n_found, sp_strategy_count());
    assert_int_equal(n_lines, 2 + sp_strategy_count());
}

static void test_what_is_refused(void **state)
{
    (void)state;
    const char *const wrong[][2] = {
        {"", "unknown strategy \"\": choose from argmax, greedy, beam:WIDTH, viterbi, posterior, mea, "
             "posterior-viterbi, "
             "online:LAG"},
        {"Viterbi", "unknown strategy \"Viterbi\": choose from"},
        {"viter", "unknown strategy \"viter\""},
        {"posterior-", "unknown strategy"},
        {" viterbi", "unknown strategy"},
        {"viterbi:2", "strategy \"viterbi:2\": viterbi takes no parameter, write \"viterbi\""},
        {"viterbi:", "takes no parameter"},
        {"beam", "strategy \"beam\": it needs its parameter, write \"beam:WIDTH\", for example \"beam:3\""},
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
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_readme),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
