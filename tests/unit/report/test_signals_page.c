/* The page of a training: what it shows of two small networks, and that it is well-formed. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/report.h"

static const char *const names[] = {"Wake", "<N1>"};
static const uint8_t allow[] = {1, 0, 1, 1};
static const int64_t offsets[] = {0, 3, 7};
static const char *const ids[] = {"n1", "n&2"};
static const uint8_t is_test[] = {0, 1};
static const int32_t labels[] = {0, 0, -1, 1, 1, 0, 0};
static const double loss[] = {1.5, 2e8, 0.25, 0.5, 0.75, NAN, 0.5, NAN};
static const int32_t good[] = {1, 1, 0, 0}, bad[] = {0, 1, 0, 1};
static const float signal[] = {0, 1, 0, -2, 0.5F, 0.5F};
static const float *const examples[] = {signal, NULL};

static sp_trained network(const char *name, const int32_t *path)
{
    return (sp_trained){.name = name,
                        .how = "with <masks>",
                        .is_meant_to_fail = path == bad,
                        .n_epochs = 2,
                        .loss = loss,
                        .accuracy = loss + 2,
                        .test_loss = loss + 4,
                        .test_accuracy = loss + 6,
                        .path = path};
}

static sp_signals_report report_of(const sp_trained *network)
{
    return (sp_signals_report){.file = "a&b.h5",
                               .model_name = "m",
                               .n_classes = 2,
                               .n_channels = 2,
                               .classes = names,
                               .allow = allow,
                               .n_recordings = 2,
                               .n_steps = 7,
                               .offsets = offsets,
                               .ids = ids,
                               .is_test = is_test,
                               .labels = labels,
                               .rate = 1,
                               .n_samples = 3,
                               .examples = examples,
                               .network = network};
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

static void it_shows_what_it_is_given(void **state)
{
    (void)state;
    sp_error err;
    const sp_trained failing = network("masking true-previous", bad);
    sp_signals_report report = report_of(&failing);
    char *page = NULL, *again = NULL;
    assert_ok(sp_report_signals_html(&report, &page, &err), &err);
    assert_ok(sp_report_signals_html(&report, &again, &err), &err);
    assert_string_equal(page, again);
    const char *const pairs[] = {"section", "svg", "table", "tr", "div",   "figure", "ul",
                                 "li",      "p",   "td",    "th", "title", "text"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char open[16], more[16], close[16];
        snprintf(open, sizeof open, "<%s>", pairs[i]);
        snprintf(more, sizeof more, "<%s ", pairs[i]);
        snprintf(close, sizeof close, "</%s>", pairs[i]);
        assert_int_equal(count(page, open) + count(page, more), count(page, close));
    }
    assert_int_equal(count(page, "<N1>") + count(page, "n&2") + count(page, "nan") + count(page, "inf\""),
                     0); /* escaped; no NaN */
    assert_true(count(page, "&lt;N1&gt;") > 5 && count(page, "a&amp;b.h5") == 2 &&
                count(page, "n&amp;2") > 0);
    assert_int_equal(count(page, "No step of this class."), 1);
    assert_int_equal(count(page, "<title>step "), 2); /* bad goes 0 -> 1 twice */
    assert_int_equal(count(page, "0 illegal steps") + count(page, "2 illegal steps"), 2); /* labels: none */
    assert_int_equal(count(page, "<b>forbidden</b>"), 1);
    assert_int_equal(count(page, "<b>stays</b>"), 2);
    assert_non_null(
        strstr(page, "M0.0 30.0 450.0 16.0 900.0 30.0\"")); /* the first channel of Wake, to a scale of 2 */
    assert_int_equal(count(page, "<h1>Training on a&amp;b.h5</h1>"), 1);
    assert_int_equal(count(page,
                           "<p>Trained with &lt;masks&gt;, which is meant to fail, the network is right "
                           "at 2 of 4 testing steps (50.0 %).</p>"),
                     1);
    assert_int_equal(count(page, "<p class=\"small\">masking true-previous is meant to fail."), 1);
    assert_true(count(page, "2.00 × 10⁸") == 1 && count(page, "0.5000") == 1); /* loss, and the test loss */
    free(page);
    free(again);
    const double weights[] = {1, 1, 1, 0, 1, 0, 2};
    const int32_t one_class[] = {-1, 1, 0, 1};
    sp_trained always = network("masking none", one_class);
    report.weights = weights;
    report.network = &always;
    assert_ok(sp_report_signals_html(&report, &page, &err), &err);
    assert_int_equal(
        count(page, "right at 1 of 2 testing steps (50.0 %) and says &lt;N1&gt; for all of them.</p>"), 1);
    free(page);
    report.weights = NULL;
    report.network = &failing;
    report.is_test = (const uint8_t[]){0, 0};
    assert_ok(sp_report_signals_html(&report, &page, &err), &err);
    assert_int_equal(
        count(
            page,
            "the network has an accuracy of 0.5000 over the training steps, and none were kept for testing."),
        1);
    free(page);
    report.is_test = is_test;
    report.allow = NULL;
    report.model_name = NULL;
    assert_ok(sp_report_signals_html(&report, &page, &err), &err);
    assert_int_equal(count(page, "forbidden</b>") + count(page, "<title>step "), 0);
    free(page);
}

static sp_status attempt(void *arg)
{
    char *page = NULL;
    sp_status status = sp_report_signals_html(arg, &page, NULL);
    assert_int_equal(status == SP_OK, page != NULL);
    free(page);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    const sp_trained one = network("n", good);
    sp_signals_report report = report_of(&one);
    assert_true(assert_each_alloc_may_fail(attempt, &report) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_shows_what_it_is_given),
                                       cmocka_unit_test(each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
