/* Gates: what they say about made results, what they refuse and how. */
#include "check.h"
#include "failing_alloc.h"
#include "sample.h"
#include "statepath/comparison.h"

static const char *const names[] = {"argmax",     "greedy",   "viterbi", "beam:8", "posterior-viterbi",
                                    "a \"b\"; c", "reference"};

typedef struct world {
    sp_comparison *c;
    sp_gate_scope scope;
} world;

static world world_new(void)
{
    world w = {.c = sample_small(NULL)};
    const sp_comparison *c = w.c;
    w.scope = (sp_gate_scope){.n_strategies = c->n_strategies, .n_classes = c->n_classes, .has_labels = true};
    w.scope.strategies = names;
    w.scope.classes = (const char *const *)c->classes;
    return w;
}

static sp_gate_verdict judge(const world *w, const char *text, char *sentence, size_t size)
{
    sp_error err = {0};
    sp_gate *gate = NULL;
    sp_status status = sp_gate_new(text, &w->scope, &gate, &err);
    if (status != SP_OK)
        fail_msg("%s: %s", text, err.message);
    assert_int_equal(sp_gate_n_conditions(gate), 1);
    sp_gate_verdict verdict = sp_gate_judge(gate, 0, w->c, sentence, size);
    sp_gate_free(gate);
    return verdict;
}

static void assert_says(const world *w, const char *text, sp_gate_verdict verdict, const char *expected)
{
    char sentence[2048];
    sp_gate_verdict got = judge(w, text, sentence, sizeof sentence);
    if (got != verdict)
        fail_msg("%s: verdict %d, expected %d", text, got, verdict);
    assert_string_equal(sentence, expected);
}

static void test_says_what_it_saw(void **state)
{
    (void)state;
    world w = world_new();
    sp_comparison *c = w.c;
    c->strategies[0].agreement.accuracy = (sp_value){.value = 0.75};
    c->strategies[2].agreement.accuracy = (sp_value){.value = 0.5};
    c->strategies[2].agreement.kappa = (sp_value){.undefined = "one class only"};
    c->strategies[2].classes[1].f1 = (sp_value){.value = 0.25};
    c->mask_ceiling = (sp_value){.value = 1};
    assert_says(&w, "viterbi.accuracy < argmax.accuracy - 0.01", SP_GATE_TRIPPED,
                "viterbi.accuracy < argmax.accuracy - 0.01 is true: viterbi.accuracy is 0.5, argmax.accuracy "
                "- 0.01 is 0.74");
    assert_says(&w, "viterbi.accuracy > argmax.accuracy", SP_GATE_PASSED, "");
    assert_says(&w, "argmax.illegal>1", SP_GATE_TRIPPED, "argmax.illegal>1 is true: argmax.illegal is 2");
    assert_says(&w, "viterbi.kappa < 0.5", SP_GATE_UNDEFINED,
                "viterbi.kappa < 0.5 cannot be judged: viterbi.kappa is undefined (one class only)");
    assert_says(&w, "viterbi.illegal < viterbi.kappa + 1", SP_GATE_UNDEFINED,
                "viterbi.illegal < viterbi.kappa + 1 cannot be judged: viterbi.illegal is 0, viterbi.kappa + "
                "1 is undefined (one class only)");
    char text[256], expected[512];
    snprintf(text, sizeof text, "viterbi.classes.%s.f1 <= .25", c->classes[1]);
    snprintf(expected, sizeof expected, "%s is true: viterbi.classes.%s.f1 is 0.25", text, c->classes[1]);
    assert_says(&w, text, SP_GATE_TRIPPED, expected);
    snprintf(text, sizeof text, "\"viterbi\".classes.'%s'.f1 < 0.2", c->classes[1]);
    assert_says(&w, text, SP_GATE_PASSED, "");
    assert_says(&w, "reference.illegal > recordings", SP_GATE_PASSED, "");
    /* a short buffer is cut, never overrun */
    char small[12];
    assert_int_equal(judge(&w, "argmax.illegal > 1", small, sizeof small), SP_GATE_TRIPPED);
    assert_string_equal(small, "argmax.ille");
    assert_int_equal(judge(&w, "argmax.illegal > 1", NULL, 0), SP_GATE_TRIPPED);
    sp_comparison_free(w.c);
}

static void test_relations(void **state)
{
    (void)state;
    world w = world_new();
    static const struct {
        const char *text;
        bool is_true;
    } cases[] = {{"recordings < 2", false},          {"recordings < 3", true},
                 {"recordings <= 2", true},          {"recordings <= 1", false},
                 {"recordings > 1", true},           {"recordings > 2", false},
                 {"recordings >= 2", true},          {"recordings >= 3", false},
                 {"recordings == 2", true},          {"recordings == 2.5", false},
                 {"recordings != 2", false},         {"recordings!=3", true},
                 {"recordings == steps - 12", true}, {"recordings == steps -1.2e1", true},
                 {"steps == recordings + 12", true}, {"steps == recordings+.12", false},
                 {"recordings > -2", true},          {"recordings == 2.", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sentence[512];
        if (judge(&w, cases[i].text, sentence, sizeof sentence) !=
            (cases[i].is_true ? SP_GATE_TRIPPED : SP_GATE_PASSED))
            fail_msg("%s: %s", cases[i].text, sentence);
    }
    sp_comparison_free(w.c);
}

static void test_several(void **state)
{
    (void)state;
    world w = world_new();
    sp_error err = {0};
    sp_gate *gate = NULL;
    assert_ok(sp_gate_new(" ; argmax.illegal > 1;viterbi.illegal > 0 ;; steps > 2;", &w.scope, &gate, &err),
              &err);
    assert_int_equal(sp_gate_n_conditions(gate), 3);
    char sentence[256];
    assert_int_equal(sp_gate_judge(gate, 0, w.c, sentence, sizeof sentence), SP_GATE_TRIPPED);
    assert_int_equal(sp_gate_judge(gate, 1, w.c, sentence, sizeof sentence), SP_GATE_PASSED);
    assert_int_equal(sp_gate_judge(gate, 2, w.c, sentence, sizeof sentence), SP_GATE_TRIPPED);
    assert_string_equal(sentence, "steps > 2 is true: steps is 14");
    sp_gate_free(gate);
    sp_comparison_free(w.c);
}

static void test_names_of_all_kinds(void **state)
{
    (void)state;
    static const char *const classes[] = {"O", "B-PER", "I.x", "I.x.y"};
    sp_gate_scope scope = {
        .n_strategies = 7, .strategies = names, .n_classes = 4, .classes = classes, .has_labels = true};
    static const char *const good[] = {"beam:8.illegal > 0",
                                       "posterior-viterbi.accuracy < viterbi.accuracy - 0.1",
                                       "viterbi.accuracy<viterbi.kappa+1",
                                       "'a \"b\"; c'.illegal > 0",
                                       "\"reference\".accuracy > 0",
                                       "reference.illegal > 0",
                                       "viterbi.classes.B-PER.f1 > 0",
                                       "viterbi.classes.I.x.f1 > 0",
                                       "viterbi.classes.I.x.y.f1 > 0",
                                       "viterbi.classes.\"I.x.y\".recall > 0"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        sp_error err = {0};
        sp_gate *gate = NULL;
        sp_status status = sp_gate_new(good[i], &scope, &gate, &err);
        if (status != SP_OK)
            fail_msg("%s: %s", good[i], err.message);
        assert_int_equal(sp_gate_n_conditions(gate), 1);
        sp_gate_free(gate);
    }
}

static void test_refuses(void **state)
{
    (void)state;
    static const char *const classes[] = {"Wake", "N1"};
    sp_gate_scope scope = {
        .n_strategies = 3, .strategies = names, .n_classes = 2, .classes = classes, .has_labels = true};
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "the gate is empty"},
        {" ; ;", "the gate is empty"},
        {"vitebi.accuracy < 1", "the gate at \"vitebi.accuracy < 1\": there is no such strategy or figure; "
                                "the strategies are argmax, "
                                "greedy, viterbi;"},
        {"viterbi.acuracy < 1",
         "the gate at \"acuracy < 1\": viterbi has no such figure; there are scored, correct, accuracy, "},
        {"viterbi.acuracy < 1", "did you mean \"accuracy\"?"},
        {"viterbi.name < 1", "viterbi has no such figure"},
        {"viterbi < 1", "the gate at \"viterbi < 1\": "},
        {"\"viterbi\" < 1", "a strategy is followed by a figure, as in viterbi.illegal"},
        {"reference.accuracy < 1",
         "the reference has no such figure; there are transitions, changes, illegal, illegal_start, "
         "illegal_end, short_runs, long_runs, hard_violations, priced_violations, illegal_rate, "},
        {"viterbi.classes.N9.f1 < 1", "there is no such class; the classes are Wake, N1"},
        {"viterbi.classes.N1.f2 < 1",
         "a class has no such figure; there are support, predicted, precision, recall, f1,"},
        {"viterbi.classes.\"N1\" < 1", "a class is followed by a figure, as in N1.f1"},
        {"viterbi.classes.\"N1", "a closing \" is missing"},
        {"viterbi.illegal", "a gate is a comparison, as in viterbi.illegal > 0"},
        {"steps < 2; steps", "a gate is a comparison"},
        {"1 < 2", "the gate at \"1 < 2\": a gate begins with a figure, as in viterbi.illegal > 0"},
        {"(steps < 2)", "a gate begins with a figure"},
        {"steps <", "the gate ends too early: a number or a figure is missing"},
        {"steps < 2)", "the gate at \")\": a gate ends here, or one number is added"},
        {"steps = 2", "equal is written =="},
        {"steps =< 2", "equal is written =="},
        {"steps === 2", "equal is written =="},
        {"steps + 1 < 2", "a comparison belongs here: < <= > >= == !="},
        {"steps < 2 < 3", "a gate ends here"},
        {"steps < 2 + 3", "a gate ends here"},
        {"steps < recordings * 2", "a gate ends here"},
        {"steps < recordings + 1 + 1", "a gate ends here"},
        {"steps < recordings + steps", "this is not a number"},
        {"steps < 2 and steps > 1", "a gate ends here"},
        {"steps < -viterbi.illegal", "this is not a number"},
        {"steps < inf", "there is no such strategy or figure"},
        {"steps < 0x10", "this is not a number"},
        {"steps < 1.2.3", "this is not a number"},
        {"steps < 1e999", "the number is too large"},
        {"steps < $2", "a number or a figure belongs here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sp_error err = {0};
        sp_gate *gate = (sp_gate *)&scope;
        assert_int_equal(sp_gate_new(cases[i].text, &scope, &gate, &err), SP_EINVAL);
        assert_ptr_equal(gate, &scope);
        if (!strstr(err.message, cases[i].part))
            fail_msg("%s: %s", cases[i].text, err.message);
    }
    sp_error err = {0};
    sp_gate *gate = NULL;
    scope.has_labels = false;
    assert_int_equal(sp_gate_new("viterbi.accuracy < 1", &scope, &gate, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "accuracy needs a reference, and there are no labels"));
    assert_ok(sp_gate_new("viterbi.illegal > 0", &scope, &gate, &err), &err);
    sp_gate_free(gate);
    scope.has_labels = true;
    scope.strategies = names + 1;
    scope.n_strategies = 2;
    assert_int_equal(sp_gate_new("viterbi.broken > 1", &scope, &gate, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "broken counts against argmax, which is not among the strategies"));
    char longest[5000];
    memset(longest, '1', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(sp_gate_new(longest, &scope, &gate, &err), SP_EINVAL);
    assert_non_null(strstr(err.message, "at most 4096"));
}

/* ---- random ones ---- */

static uint64_t seed = 20240611;

static uint32_t draw(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* Letters that mean something, in any order: whatever comes out, it is a gate or a refusal with a sentence. */
static void test_any_text(void **state)
{
    (void)state;
    static const char *const bits[] = {"viterbi",
                                       ".",
                                       "accuracy",
                                       "illegal",
                                       "argmax.kappa",
                                       " ",
                                       "<",
                                       "<=",
                                       "==",
                                       "!=",
                                       ">",
                                       "+",
                                       "-",
                                       "1",
                                       "0.5",
                                       "e",
                                       ";",
                                       "\"",
                                       "'",
                                       "=",
                                       "classes.",
                                       "N1",
                                       "reference.",
                                       "mask_ceiling",
                                       "\xC3\xA9",
                                       "\x01",
                                       "9",
                                       "viterbi.illegal",
                                       "greedy.accuracy",
                                       " > "};
    world w = world_new();
    int n_good = 0;
    for (int i = 0; i < 60000; i++) {
        char text[512] = "", sentence[300];
        if (i % 2) { /* soup */
            for (uint32_t n = draw(12); n > 0; n--)
                strcat(text, bits[draw(sizeof bits / sizeof *bits)]);
        } else { /* a good one with up to three letters changed */
            strcpy(text, "viterbi.accuracy < argmax.kappa - 0.01; greedy.illegal>=2; "
                         "reference.changes != 1; steps > 1e3");
            for (uint32_t n = draw(4); n > 0; n--)
                text[draw((uint32_t)strlen(text))] = "abv.<>=()+-*/ ;1e\"'"[draw(19)];
        }
        sp_gate *gate = NULL;
        sp_error err = {0};
        sp_status status = sp_gate_new(text, &w.scope, &gate, &err);
        if (status == SP_OK) {
            n_good++;
            for (int32_t k = 0; k < sp_gate_n_conditions(gate); k++)
                sp_gate_judge(gate, k, w.c, sentence, sizeof sentence);
            sp_gate_free(gate);
        } else {
            assert_int_equal(status, SP_EINVAL);
            assert_null(gate);
            assert_true(strlen(err.message) > 10);
        }
    }
    assert_true(n_good > 5000 && n_good < 40000);
    sp_comparison_free(w.c);
}

static sp_status attempt(void *arg)
{
    const world *w = arg;
    sp_gate *gate = NULL;
    sp_error err = {0};
    sp_status status = sp_gate_new("viterbi.accuracy < argmax.accuracy", &w->scope, &gate, &err);
    if (status != SP_OK)
        assert_null(gate);
    sp_gate_free(gate);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    world w = world_new();
    assert_true(assert_each_alloc_may_fail(attempt, &w) >= 3);
    sp_comparison_free(w.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_says_what_it_saw),
                                       cmocka_unit_test(test_relations),
                                       cmocka_unit_test(test_several),
                                       cmocka_unit_test(test_names_of_all_kinds),
                                       cmocka_unit_test(test_refuses),
                                       cmocka_unit_test(test_any_text),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
