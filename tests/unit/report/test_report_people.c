/* How sleep statistics and raters are written in every format, and the tables for LaTeX: golden texts of a small result, and
 * what must hold of any. */
#include "check.h"
#include "failing_alloc.h"
#include "golden.h"
#include "sample_people.h"
#include "statepath/report.h"

#include <jansson.h>

static sample *with_people(void)
{
    sample *s = sample_small();
    sample_add_sleep(s, 30, true);
    sample_add_raters(s, 3);
    return s;
}

typedef sp_status (*writer)(const sp_comparison *comparison, char **out, sp_error *err);

static sp_status write_text(const sp_comparison *comparison, char **out, sp_error *err)
{
    return sp_report_text(comparison, &(sp_text_options){.width = 100, .verbose = false}, out, err);
}

static char *written(const sample *s, writer write)
{
    sp_error err = {0};
    char *out = NULL;
    assert_ok(write(&s->comparison, &out, &err), &err);
    return out;
}

/* Of CSV and JSON from where sleep and scorers begin: what stands before them is in small.csv and small.json, but for what the length
 * of a step adds. */
static void test_golden(void **state)
{
    (void)state;
    static const struct {
        writer write;
        const char *name, *from, *before;
    } files[] = {{write_text, "people.txt", NULL, NULL},
                 {sp_report_markdown, "people.md", NULL, NULL},
                 {sp_report_csv, "people.csv", "reference,,,sleep_",
                  "reference,,,changes_per_hour,54.54545454545455,11,,"},
                 {sp_report_latex, "people.tex", NULL, NULL},
                 {sp_report_json, "people.json", "  \"illegal_places\"",
                  "\"epoch_seconds\": 3e+01, \"epoch_assumed\": true"}};
    sample *s = with_people();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = written(s, files[i].write), *from = files[i].from ? strstr(text, files[i].from) : text;
        assert_true(!files[i].before || strstr(text, files[i].before));
        assert_non_null(from);
        assert_golden(files[i].name, from);
        free(text);
    }
    sample_free(s);
}

static void test_json_holds_all(void **state)
{
    (void)state;
    sample *s = with_people();
    char *text = written(s, sp_report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    json_t *sleep = json_object_get(root, "sleep"), *raters = json_object_get(root, "scorers");
    assert_true(json_is_true(json_object_get(sleep, "epoch_assumed")));
    json_t *greedy = json_object_get(json_object_get(sleep, "strategies"), "greedy");
    json_t *night = json_array_get(json_object_get(greedy, "nights"), 1); /* could not be decoded */
    assert_true(json_is_null(json_object_get(night, "tst")));
    assert_string_equal(json_string_value(json_object_get(night, "tst_undefined")), "not decoded");
    assert_int_equal(json_integer_value(
                         json_object_get(json_object_get(json_object_get(greedy, "agreement"), "tst"), "n")),
                     1);
    json_t *each = json_object_get(json_object_get(raters, "each"), "<person> 2");
    assert_int_equal(json_object_size(json_object_get(each, "with")), 2);
    json_decref(root);
    free(text);
    sample_free(s);
}

/* Beside each hypnogram, and in what the script draws, stand the evaluation's minutes, from the top lane to the lowest. */
static void assert_minutes(const sp_comparison *c, const char *page)
{
    static const sp_sleep_measure lanes[] = {SP_SLEEP_WAKE, SP_SLEEP_REM, SP_SLEEP_N1, SP_SLEEP_N2,
                                             SP_SLEEP_N3};
    int64_t n_drawn = 0;
    for (int64_t r = 0; r < c->n_recordings; r++) {
        char of_script[80] = ",\"", beside[400] = ">min</text>", spoken[200] = "<title>reference over time";
        for (int i = 0; i < 5; i++) {
            const sp_sleep_measure measure = lanes[i];
            const double minutes = c->sleep->reference[r].values[measure].value;
            snprintf(of_script + strlen(of_script), 12, "%.1f%s", minutes, i < 4 ? " " : "\"]");
            snprintf(beside + strlen(beside), 60, "<text x=\"100%%\" y=\"%d\">%.1f</text>", 18 + 13 * i,
                     minutes);
            snprintf(spoken + strlen(spoken), 30, "%s%.1f%s %s", i ? ", " : ": ", minutes, i ? "" : " min",
                     sp_sleep_measure_name(measure));
        }
        assert_non_null(strstr(page, of_script));
        n_drawn += strstr(page, beside) && strstr(page, spoken);
    }
    assert_int_equal(n_drawn, c->n_recordings);
}

static void test_page(void **state)
{
    (void)state;
    sample *s = sample_nights(6, 400);
    sample_add_sleep(s, 30, false);
    sample_add_raters(s, 4);
    char *page = written(s, sp_report_html);
    static const char *const has[] = {"<section aria-labelledby=\"sleep\">",
                                      "<a href=\"#scorers\">",
                                      ">Bland-Altman plot, total sleep time</title><desc id=",
                                      ">Bland-Altman plot, REM latency</title>",
                                      ">viterbi: bias ",
                                      "&lt;person&gt; 4",
                                      "Fleiss&#39; kappa of the 4 scorers: 0.715"};
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if (!strstr(page, has[i]))
            fail_msg("the page lacks %s", has[i]);
    static const char *const lacks[] = {"<person>", "nan", "inf\"", "assumed</strong>"};
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        assert_null(strstr(page, lacks[i]));
    assert_minutes(&s->comparison, page);
    free(page);
    s->comparison.sleep->epoch_is_assumed = true;
    page = written(s, sp_report_html);
    assert_non_null(strstr(page, "assumed</strong>"));
    free(page);
    s->comparison.sleep = NULL;
    s->comparison.raters = NULL;
    page = written(s, sp_report_html);
    assert_null(strstr(page, "id=\"sleep\""));
    assert_null(strstr(page, "#scorers"));
    assert_null(strstr(page, "y=\"7\">min</text>"));
    assert_null(strstr(page, "\"m\":["));
    free(page);
    sample_free(s);
}

/* A point where every night is the same, and where none can be drawn. */
static void test_page_without_spread(void **state)
{
    (void)state;
    sample *s = sample_nights(1, 50);
    sample_add_sleep(s, 30, false);
    char *page = written(s, sp_report_html);
    assert_null(strstr(page, "nan"));
    assert_non_null(strstr(page, "Bland-Altman plot, sleep efficiency"));
    free(page);
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++)
        s->comparison.sleep->reference[0].values[m] = (sp_value){.undefined = "no scored steps"};
    page = written(s, sp_report_html);
    assert_null(strstr(page, "Bland-Altman plot"));
    free(page);
    sample_free(s);
}

/* Names are letters, in captions, cells and comments. */
static void test_latex_names(void **state)
{
    (void)state;
    sample *s = with_people();
    s->comparison.file = sample_text(s, "a_b%c#1\n\\input{x}.h5");
    s->comparison.strategies[1].name = sample_text(s, "*[x]^~$&{}<\"|`--- \xFF");
    s->comparison.classes[0] = sample_text(s, "N1 → N2 ± −é");
    char *text = written(s, sp_report_latex);
    static const char *const has[] = {
        "\\caption{a\\_b\\%c\\#1 \\textbackslash{}input\\{x\\}.h5: ",
        "{*}{[}x{]}\\textasciicircum{}\\textasciitilde{}\\$\\&\\{\\}\\textless{}{''}\\textbar{}",
        "\\textasciigrave{}-{}-{}- \\spchar{\xEF\xBF\xBD}{FFFD}", "N1 $\\to$ N2 $\\pm$ $-$é",
        "% Input a_b%c#1 \\input{x}.h5\n"};
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        if (!strstr(text, has[i]))
            fail_msg("the tables lack %s in\n%s", has[i], text);
    int depth = 0, n_begin = 0, n_end = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '%' && (at == text || at[-1] != '\\')) { /* a comment */
            at += strcspn(at, "\n");
            continue;
        }
        if (*at == '\\' && at[1]) {
            n_begin += strncmp(at, "\\begin{", 7) == 0;
            n_end += strncmp(at, "\\end{", 5) == 0;
            at += !((at[1] >= 'a' && at[1] <= 'z') || (at[1] >= 'A' && at[1] <= 'Z'));
            continue;
        }
        depth += (*at == '{') - (*at == '}');
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    assert_int_equal(n_begin, n_end);
    assert_true(n_begin > 10);
    free(text);
    sample_free(s);
}

typedef struct attempt_input {
    const sample *s;
    writer write;
} attempt_input;

static sp_status attempt(void *arg)
{
    const attempt_input *input = arg;
    char untouched, *out = &untouched;
    sp_error err = {0};
    sp_status status = input->write(&input->s->comparison, &out, &err);
    if (status == SP_OK)
        free(out);
    else
        assert_ptr_equal(out, &untouched);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const writer writers[] = {write_text,         sp_report_json,  sp_report_csv,
                                     sp_report_markdown, sp_report_latex, sp_report_html};
    sample *s = with_people();
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        attempt_input input = {.s = s, .write = writers[i]};
        assert_true(assert_each_alloc_may_fail(attempt, &input) > 3);
    }
    sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),      cmocka_unit_test(test_json_holds_all),
        cmocka_unit_test(test_page),        cmocka_unit_test(test_page_without_spread),
        cmocka_unit_test(test_latex_names), cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
