/* Rules over classes: what they say of a path, and what is wrong with their texts. Paths are written as
 * letters: | is a gap, ? a step without label. */
#include "check.h"
#include "evaluated.h"
#include "failing_alloc.h"

#include <math.h>

enum { MOST_STEPS = 20 };

static const char *const classes[] = {"a", "b", "c", "it's d"};

static sp_model *new_model(void)
{
    return model_of_all(4, classes);
}

/* The labels as an evaluation sees them, with steps of 30 s, by a model of one rule; the caller frees it. */
static sp_comparison *judged(sp_model *model, const char *rule, bool may_at_gap, int64_t n,
                             const int32_t *labels, const int64_t *segments)
{
    static const char *const names[] = {"any"};
    const int64_t offsets[] = {0, n};
    const int32_t path[MOST_STEPS] = {0}, *const paths[] = {path};
    const sp_arrays arrays = {
        .info = {.n_recordings = 1, .offsets = offsets}, .labels = labels, .segments = segments};
    sp_run_options options = sp_run_options_default();
    sp_error err;
    options.epoch_seconds = 30;
    assert_ok(sp_model_add_rule(model, "it", rule, 1, may_at_gap, &err), &err);
    return evaluated(model, &arrays, &(sp_array_paths){1, names, paths, NULL}, &options);
}

static int64_t violations(const char *rule, const char *path, bool may_at_gap)
{
    sp_model *model = new_model();
    int32_t labels[MOST_STEPS];
    int64_t segments[MOST_STEPS], n = 0, segment = 0;
    for (const char *c = path; *c; c++)
        if (*c == '|') {
            segment++;
        } else {
            labels[n] = *c == '?' ? -1 : *c - 'a';
            segments[n++] = segment;
        }
    sp_comparison *c = judged(model, rule, may_at_gap, n, labels, segments);
    n = c->rules[0].by[1].violations;
    sp_comparison_free(c);
    sp_model_free(model);
    return n;
}

static const struct {
    const char *rule, *path;
    int64_t n, n_may; /* violations; where a gap may have held what is missing */
} cases[] = {
    {"never a b a", "aabaa", 1, 1},
    {"never a b a", "ababa", 2, 2},
    {"never a b a", "abba", 0, 0},
    {"never a b a", "ab|a", 0, 0},
    {"never a b a", "ab?a", 0, 0},
    {"never a b{1,2} a", "abbaba", 2, 2},
    {"never [a b]{3}", "abacab", 1, 1},
    {"never [^ a]", "abca", 2, 2},
    {"never 'it''s d'", "add", 2, 2},
    {"never (a | b c)", "abcb", 2, 2},
    {"never b{60s,}", "abbb", 2, 2},
    {"at_least 2 c", "acac", 0, 0},
    {"at_least 3 c", "a", 3, 3},
    {"at_least 3 c", "ac|a", 2, 0},
    {"at_least 60s c", "acb", 1, 1},
    {"at_least 2 runs of c", "accca", 1, 1},
    {"at_least 2 runs of c", "cc|c", 0, 0},
    {"at_least 2 c from first b", "ccbc", 1, 1},
    {"at_least 2 c from first b", "cc", 2, 2},
    {"at_least 1 runs of c from first c", "bcc", 0, 0},
    {"at_most 1 c", "cacc", 2, 2},
    {"at_most 0 c", "cac", 2, 2},
    {"at_most 1 runs of c", "ccacca", 1, 1},
    {"at_most 1 runs of c", "ccacc|c", 2, 2},
    {"not_before 3 c", "cacc", 2, 2},
    {"not_before 3 c", "a|cc", 2, 0},
    {"not_before 3 c", "??cc", 1, 1},
    {"not_before 60s c", "acc", 1, 1},
    {"not_before 0min c", "cc", 0, 0},
    {"not_before 2 c from first b", "cabcc", 2, 2},
    {"not_before 2 c from first b", "cc", 2, 2},
    {"not_before 2 c from first b", "?cc", 2, 1},
    {"not_before 0 c from first b", "ccbc", 2, 2},
    {"not_after 1 c", "cccc", 2, 2},
    {"not_after 1 c from first b", "ccbcc", 1, 1},
    {"first a", "ba", 1, 1},
    {"first [a b]", "ba", 0, 0},
    {"first a", "?b", 0, 0},
    {"last b", "ba", 1, 1},
    {"last b", "ab", 0, 0},
    {"last b", "a?", 0, 0},
    {"every a followed_by c", "aaca", 1, 1},
    {"every a followed_by c", "aab", 2, 2},
    {"every a followed_by c", "aa|b", 2, 0},
    {"every a followed_by c", "a|c", 0, 0},
    {"every a followed_by a", "aaa", 1, 1},
    {"every c preceded_by a", "ccac", 2, 2},
    {"every c preceded_by a", "b|c", 1, 0},
    {"every c preceded_by a", "a|c", 0, 0},
    {"order [a, b, c]", "aabccc", 0, 0},
    {"order [a, b, a]", "aaba", 0, 0},
    {"order [a b]", "aaba", 1, 1},
    {"order [a b]", "aa", 1, 1},
    {"order [a b]", "a|a|b", 0, 0},
    {"order [a b c]", "aa|c", 1, 0},
    {"a* (b+ c+)* a*", "aabcbca", 0, 0},
    {"a* (b+ c+)* a*", "aaba", 1, 1},
    {"(a | b){2,3} c+ .*", "abcda", 0, 0},
    {"(a | b){2,3} c+ .*", "accc", 1, 1},
    {"a b c", "a|c", 1, 0},
    {". .", "ab", 0, 0},
    {". .", "abc", 1, 1},
};

static void test_violations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t n = violations(cases[i].rule, cases[i].path, false),
                      n_may = violations(cases[i].rule, cases[i].path, true);
        if (n != cases[i].n || n_may != cases[i].n_may)
            fail_msg("%s on %s: %lld (%lld expected), with gaps that may %lld (%lld)", cases[i].rule,
                     cases[i].path, (long long)n, (long long)cases[i].n, (long long)n_may,
                     (long long)cases[i].n_may);
    }
}

static void test_where(void **state)
{
    (void)state;
    static const int32_t path[] = {0, 2, 1, 0, 0, 1};
    sp_model *model = new_model();
    sp_comparison *c = judged(model, "every a followed_by c", false, 6, path, NULL);
    assert_int_equal(c->rules[0].by[1].violations, 2);
    int64_t step = -1;
    for (int64_t i = 0; i < c->n_rule_places; i++)
        if (c->rule_places[i].who == 1)
            step = c->rule_places[i].step;
    assert_int_equal(step, 3); /* the first that nothing follows */
    sp_comparison_free(c);
    sp_model_free(model);
}

/* The least number of states, whatever the text: one a class, and more where what was before counts. */
static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        int32_t n;
    } sizes[] = {{".*", 4},
                 {"(a | b | c | 'it''s d')*", 4},
                 {"never .* a", 4},
                 {"last a", 4},
                 {"first a", 4},
                 {"never a b a", 5}, /* b after a */
                 {"never (a b a | a b a)", 5},
                 {"a a", 6},           /* the first a, the second, any class once it is broken */
                 {"order [a b c]", 7}, /* a, b and c in order, any class once it is broken */
                 {"at_least 2 c", 11}, /* all but c at first, all after one c, all after two */
                 {"not_before 3 c", 12} /* the first step, the second, those after */};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sp_model *model = new_model();
        sp_error err;
        sp_chain *chain;
        assert_ok(sp_model_add_rule(model, "x", sizes[i].rule, 1, false, &err), &err);
        assert_ok(sp_chain_new(model, NULL, &chain, &err), &err);
        if (sp_chain_n_states(chain) != sizes[i].n)
            fail_msg("%s: %d states, %d expected", sizes[i].rule, (int)sp_chain_n_states(chain),
                     (int)sizes[i].n);
        sp_chain_free(chain);
        sp_model_free(model);
    }
}

static void test_bad_texts(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *message;
    } bad[] = {
        {"", "rule x: line 1, column 1: a class is expected, but the rule ends here\n  \n  ^"},
        {"never a q", "rule x: line 1, column 9: \"q\" is no class of model any: a, b, c, it's d\n  "
                      "never a q\n          ^"},
        {"(a b", "rule x: line 1, column 1: this parenthesis has no end\n  (a b\n  ^"},
        {"a\nb ^", "rule x: line 2, column 3: a class is expected, but here is ^\n  b ^\n    ^"},
        {"a**", "rule x: line 1, column 3: this is the second \"how often\" in a row; put the first into "
                "parentheses\n  a**\n    ^"},
        {"a{3,2}", "rule x: line 1, column 2: the second number is less than the first\n  a{3,2}\n   ^"},
        {"at_least c", "rule x: line 1, column 10: a number of steps, or a time such as 90s, 15min, 1h, is "
                       "expected, but here is c\n"
                       "  at_least c\n           ^"},
        {"at_least 1.5 c", "rule x: line 1, column 10: a number of steps is whole, and a million at most\n"
                           "  at_least 1.5 c\n           ^"},
        {"b{2444444444444444444444444444444444444,2}",
         "rule x: line 1, column 3: a number of steps is whole, and a million at most\n"
         "  b{2444444444444444444444444444444444444,2}\n    ^"},
        {"b{9223372036854775808}", "rule x: line 1, column 3: a number of steps is whole, and a million at "
                                   "most\n  b{9223372036854775808}\n    ^"},
        {"at_most 1000001 c", "rule x: line 1, column 9: a number of steps is whole, and a million at most\n "
                              " at_most 1000001 c\n          ^"},
        {"not_after 1e400 c", "rule x: line 1, column 11: a number of steps is whole, and a million at "
                              "most\n  not_after 1e400 c\n            ^"},
        {"at_least 000000000000000000000000000000000000000001.5 c",
         "rule x: line 1, column 10: a number of steps is whole, and a million at most\n"
         "  at_least 000000000000000000000000000000000000000001.5 c\n           ^"},
        {"never b{1e308h}", "rule x: line 1, column 9: a time in a rule is a million hours at most\n"
                            "  never b{1e308h}\n          ^"},
        {"every a b", "rule x: line 1, column 9: followed_by or preceded_by is expected, but here is b\n  "
                      "every a b\n          ^"},
        {"order [a, a]", "rule x: line 1, column 11: the class before is the same, and two runs of one class "
                         "are never neighbours\n"
                         "  order [a, a]\n            ^"},
        {"'a", "rule x: line 1, column 1: this quote has no end\n  'a\n  ^"},
        {"first a b", "rule x: line 1, column 9: the end of the rule is expected, but here is b\n  first a "
                      "b\n          ^"},
        {"[^ a b c 'it''s d']",
         "rule x: line 1, column 1: no class is left here\n  [^ a b c 'it''s d']\n  ^"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_model *model = new_model();
        sp_error err;
        assert_int_equal(sp_model_add_rule(model, "x", bad[i].rule, 1, false, &err), SP_EMODEL);
        assert_string_equal(err.message, bad[i].message);
        assert_int_equal(model->n_rules, 0);
        sp_model_free(model);
    }
    sp_model *model = new_model();
    sp_error err;
    assert_ok(sp_model_add_rule(model, "z", "a", 1, false, &err), &err);
    assert_int_equal(sp_model_add_rule(model, "z", "a", 1, false, &err), SP_EMODEL);
    assert_string_equal(err.message, "model any: two rules are called \"z\"; give one of them another name");
    assert_int_equal(sp_model_add_rule(model, "z.1", "a", 1, false, &err), SP_EMODEL);
    assert_int_equal(sp_model_add_rule(model, "w", "a", NAN, false, &err), SP_EMODEL);
    sp_model_free(model);
}

/* Texts that are rules, and cannot be obeyed. */
static void test_bad_rules(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *message;
    } bad[] = {
        {"never a*",
         "rule x: what must never be matches the empty stretch, which is everywhere; let it have a step"},
        {"never a{2min}", "rule x: a length is a time, 120 s, but how long a step of the scores is is not "
                          "known; `epoch_seconds` says it, or write the length in steps"},
        {"((a{1000}){1000}){1000}",
         "rule x: it has to remember more than 1048576 states; make its numbers smaller"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_model *model = new_model();
        sp_error err;
        sp_chain *chain;
        assert_ok(sp_model_add_rule(model, "x", bad[i].rule, 1, false, &err), &err);
        assert_int_equal(sp_chain_new(model, NULL, &chain, &err), SP_EMODEL);
        assert_string_equal(err.message, bad[i].message);
        sp_model_free(model);
    }
}

static const char *const keywords[] = {
    "never",       "at_least",    "at_most", "not_before", "not_after", "first", "last", "every",
    "followed_by", "preceded_by", "order",   "runs",       "run",       "of",    "from", "a"};
enum { N_KEYWORDS = sizeof keywords / sizeof *keywords - 1 };

/* Is a path of class k and then "a" as the rule says? */
static bool keeps(const char *text, int32_t k)
{
    const int32_t path[] = {k, N_KEYWORDS};
    sp_model *model = model_of_all(N_KEYWORDS + 1, keywords);
    sp_comparison *c = judged(model, text, false, 2, path, NULL);
    const bool is_kept = c->rules[0].by[1].violations == 0;
    sp_comparison_free(c);
    sp_model_free(model);
    return is_kept;
}

/* A class called like a word of the language: in quotes it is the class, wherever a class stands. */
static void test_classes_called_like_keywords(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        bool is_kept;
    } quoted[] = {{"'%s' a", true},
                  {"'%s'+ a", true},
                  {"['%s'] a", true},
                  {"'%s'{2} a", false},
                  {"never '%s'", false},
                  {"never a '%s'", true},
                  {"first '%s'", true},
                  {"last '%s'", false},
                  {"at_most 0 '%s'", false},
                  {"at_least 1 '%s'", true},
                  {"at_least 2 runs of '%s'", false},
                  {"at_least 1 a from first '%s'", true},
                  {"not_before 1 '%s'", false},
                  {"not_after 0 '%s'", true},
                  {"every '%s' followed_by a", true},
                  {"every a preceded_by '%s'", true},
                  {"every a followed_by '%s'", false},
                  {"order ['%s' a]", true}};
    for (int32_t k = 0; k < N_KEYWORDS; k++)
        for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
            char text[100];
            const char *at = strchr(quoted[i].rule, '%');
            snprintf(text, sizeof text, "%.*s%s%s", (int)(at - quoted[i].rule), quoted[i].rule, keywords[k],
                     at + 2);
            if (keeps(text, k) != quoted[i].is_kept)
                fail_msg("%s on %s a: kept is not %d", text, keywords[k], quoted[i].is_kept);
        }
}

/* Without quotes it may be a keyword; the sentence says so. */
static void test_keywords_that_were_classes(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *keyword;
    } bare[] = {{"first+ a", "first"},
                {"last", "last"},
                {"never", "never"},
                {"every+ a", "every"},
                {"every* a", "every"},
                {"order a", "order"},
                {"at_most a", "at_most"},
                {"at_least a", "at_least"},
                {"not_before a", "not_before"},
                {"not_after", "not_after"},
                {"at_least 2 runs", "runs"},
                {"at_least 2 run", "run"},
                {"at_most 2 a from", "from"},
                {"at_least 2 a from first", "first"},
                {"at_least 2 runs of", "of"},
                {"every a followed_by", "followed_by"},
                {"every a preceded_by", "preceded_by"}};
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++) {
        char hint[120];
        sp_error err;
        sp_model *model = sp_model_new("words", N_KEYWORDS + 1, keywords), *other = new_model();
        assert_true(model && other);
        snprintf(hint, sizeof hint,
                 "; %s is a keyword here, and the class of that name stands in quotes: '%s'\n",
                 bare[i].keyword, bare[i].keyword);
        assert_int_equal(sp_model_add_rule(model, NULL, bare[i].rule, 1, false, &err), SP_EMODEL);
        if (!strstr(err.message, hint))
            fail_msg("%s: %s", bare[i].rule, err.message);
        assert_int_equal(sp_model_add_rule(other, NULL, bare[i].rule, 1, false, &err), SP_EMODEL);
        assert_null(strstr(err.message, "keyword")); /* no class is called so */
        sp_model_free(model);
        sp_model_free(other);
    }
}

/* Which expressions are `order` is a question of words, not of letters. */
static void test_sentence_of_order(void **state)
{
    (void)state;
    static const char *const names[] = {"orders", "order", "b"};
    static const struct {
        const char *rule, *sentence;
    } cases_of[] = {
        {"orders+ b", "the whole is orders+ b"},
        {"'order'+ b", "the whole is 'order'+ b"},
        {"order['order' b]", "it is one run of each of ['order' b], in this order, and nothing else"}};
    for (size_t i = 0; i < sizeof cases_of / sizeof *cases_of; i++) {
        sp_model *model = sp_model_new("words", 3, names);
        sp_error err;
        char sentence[200];
        assert_non_null(model);
        assert_ok(sp_model_add_rule(model, NULL, cases_of[i].rule, INFINITY, false, &err), &err);
        assert_string_equal(sp_rule_sentence(model, 0, sentence, sizeof sentence), cases_of[i].sentence);
        sp_model_free(model);
    }
}

static sp_status compile_once(void *arg)
{
    sp_model *model = sp_model_new("letters", 4, classes);
    sp_chain *chain = NULL;
    (void)arg;
    sp_status status = model ? SP_OK : SP_ENOMEM;
    if (status == SP_OK)
        status = sp_model_add_rule(model, NULL, "(a | b){2,3} c+ .*", 1, true, NULL);
    if (status == SP_OK)
        status = sp_chain_new(model, NULL, &chain, NULL);
    sp_chain_free(chain);
    sp_model_free(model);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    assert_true(assert_each_alloc_may_fail(compile_once, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_violations),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_bad_texts),
        cmocka_unit_test(test_bad_rules),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_classes_called_like_keywords),
        cmocka_unit_test(test_keywords_that_were_classes),
        cmocka_unit_test(test_sentence_of_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
