/* The page without a browser: one file, no reference to anything outside, names escaped, the same bytes, sections that come and
 * go. What a browser makes of it: tests/report/test_browser.cjs. */
#include "check.h"
#include "failing_alloc.h"
#include "sample_comparison.h"
#include "statepath/report.h"

static char *page_of(const sample *s)
{
    sp_error err = {0};
    char *out = NULL;
    assert_ok(sp_report_html(&s->comparison, &out, &err), &err);
    return out;
}

static void assert_has(const char *page, const char *text)
{
    if (!strstr(page, text))
        fail_msg("the page lacks %s", text);
}

static void assert_lacks(const char *page, const char *text)
{
    const char *found = strstr(page, text);
    if (found)
        fail_msg("the page has %s: %.120s", text, found);
}

static size_t count_of(const char *page, const char *text)
{
    size_t n = 0;
    for (const char *at = page; (at = strstr(at, text)); at++)
        n++;
    return n;
}

static void test_stands_alone_and_is_the_same_twice(void **state)
{
    (void)state;
    sample *s = sample_nights(5, 300);
    char *page = page_of(s), *again = page_of(s);
    assert_string_equal(page, again);
    assert_has(page, "default-src 'none'");
    static const char *const outside[] = {"http:", "https:", " src=",   "@import",
                                          "url(h", "<link",  "<iframe", " style="};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_lacks(page, outside[i]);
    assert_lacks(page, "nan");
    assert_lacks(page, ">inf");
    static const char *const sections[] = {
        "id=\"verdict\"", "id=\"strategies\"", "id=\"differences\"",  "id=\"legality\"", "id=\"confusion\"",
        "id=\"classes\"", "id=\"changes\"",    "id=\"runs\"",         "id=\"steps\"",    "id=\"recordings\"",
        "id=\"run\"",     "id=\"methods\"",    "id=\"probabilities\""};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        assert_has(page, sections[i]);
    free(page);
    free(again);
    sample_free(s);
}

static void test_figures_are_where_they_belong(void **state)
{
    (void)state;
    sample *s = sample_small();
    char *page = page_of(s);
    assert_has(page, "viterbi makes no illegal transition; argmax makes 2 (16.7 % of all, in 2 of 2 "
                     "recordings), greedy none.");
    assert_has(page, "viterbi is about as accurate as argmax: 0.8462 against 0.8462, 0.00 percentage points "
                     "(95 % interval -1.00 to +2.00, 2 "
                     "recordings).");
    assert_has(page, "<td class=\"forbidden made\"><b>2</b></td>");                 /* argmax, Wake to REM */
    assert_has(page, "<td class=\"h10 diagonal\">5<span>100.0&nbsp;%</span></td>"); /* argmax, Wake right */
    assert_has(page,
               "<use href=\"#ill\" x=\"25.00%\"><title>2: Wake → REM</title></use>"); /* night_1, argmax */
    /* night_1, argmax: Wake Wake REM NREM REM REM NREM Wake, 63 units a step, lanes 2 units apart. */
    assert_has(page, "class=\"run\" d=\"M0 1h126v2h63v2h63v-2h126v2h63v-4h63\"/>");
    assert_has(
        page,
        ">2<span>40.0&nbsp;%</span></td>"); /* greedy, Wake undecoded: 2 of the row's 5, not of the column */
    assert_has(page, "dead end");
    assert_has(page, "\">Accuracy of each strategy against its share of illegal transitions");
    assert_has(page, "<summary>All transitions, the allowed ones too</summary>");
    assert_has(page, "Only 2 recordings: neither intervals nor p say much");
    assert_int_equal(count_of(page, "nly 2 recordings"), 1); /* said once */
    free(page);
    sample_free(s);
}

static void test_probabilities_are_drawn(void **state)
{
    (void)state;
    sample *s = sample_small();
    /* night_1 has eight steps: sure of argmax, 0 0 2 1 2 2 1 0, but at steps 0, 3, 6, shared with the next class. */
    memset(s->comparison.traces[0].density + 7 * 3, 0, 3); /* and nothing is possible at the last */
    char *page = page_of(s);
    assert_int_equal(count_of(page, "<small>probabilities</small>"), 2);
    assert_has(page, "probabilities of the classes over time, stacked; mean Wake 0.21, REM 0.57, NREM 0.21");
    assert_has(page, "<svg width=\"100%\" height=\"48\" viewBox=\"0 0 8 48\" "
                     "preserveAspectRatio=\"none\"><rect class=\"area "
                     "s-wake\" width=\"8\" height=\"48\"/><path class=\"area s-rem\" d=\"M0 "
                     "48V24h1v24h1v-48h5v48H8V48z\"/>");
    assert_has(page, "<rect class=\"hatched\" height=\"48\" x=\"87.50%\" width=\"12.50%\"/>");
    assert_lacks(page, "The page has room for the probabilities");
    /* Bin 7 holds the five tied steps; the greatest bin the others. */
    assert_has(page, "<title>confidence 0.467 to 0.533: 5 steps, mean 0.500, accuracy 0.800 (95 % interval "
                     "0.376 to 0.964)</title>");
    free(page);
    sample_free(s);
    s = sample_band(13, 2, 60); /* more classes than colours can tell apart */
    for (int k = 0; k < 13; k++)
        s->comparison.reference_runs[k] = s->comparison.reference_runs[0];
    page = page_of(s);
    assert_lacks(page, "<small>probabilities</small>");
    assert_has(page, "id=\"probabilities\"");
    assert_int_equal(count_of(page, "<figure class=\"panel\" data-file=\"run-lengths-of-"),
                     12); /* the classes with the most runs */
    assert_has(page, "The 12 classes with the most runs.");
    free(page);
    sample_free(s);
    s = sample_nights(50, 950);
    page = page_of(s);
    assert_has(page,
               "The page has room for the probabilities of each step of 26 recordings, in the same order.");
    assert_has(page, "<figcaption>What each recording gains or loses, in points of accuracy: viterbi is "
                     "better than argmax in ");
    assert_has(page, "With scripts switched on any other can be drawn: the steps of all are in the page.");
    assert_true(strlen(page) < 700 * 1000);
    free(page);
    sample_free(s);
}

static int by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Five recordings: a dot and a row each in the figures that set the focus against argmax, and the medians of all strategies. */
static void test_recordings_are_compared(void **state)
{
    (void)state;
    sample *s = sample_nights(5, 300);
    const sp_comparison *c = &s->comparison;
    char *page = page_of(s), text[400];
    size_t length = (size_t)snprintf(text, sizeof text, "<tr><th scope=\"row\">median</th>");
    for (int32_t k = 0; k < c->n_strategies; k++) {
        double values[5];
        for (int r = 0; r < 5; r++)
            values[r] = c->strategies[k].recordings[r].accuracy.value;
        qsort(values, 5, sizeof *values, by_double);
        length += (size_t)snprintf(text + length, sizeof text - length, "<td>%.4f</td>", values[2]);
    }
    assert_has(page, text);
    assert_int_equal(count_of(page, "<g class=\"slope\"><path data-r=\"0\" d="), 1);
    for (int r = 0; r < 5; r++) {
        double a = c->strategies[SAMPLE_ARGMAX].recordings[r].accuracy.value,
               b = c->strategies[SAMPLE_VITERBI].recordings[r].accuracy.value;
        snprintf(text, sizeof text, "<title>%s: %.3f against %.3f</title>", c->ids[r], b, a);
        assert_int_equal(count_of(page, text), 1);
        snprintf(text, sizeof text,
                 "<tr><th scope=\"row\">%s</th><td>%.4f</td><td>%.4f</td><td>%+.2f</td></tr>", c->ids[r], a,
                 b, 100 * (b - a));
        assert_int_equal(count_of(page, text), 2); /* of the scatter and of the gains */
    }
    free(page);
    sample_free(s);
    s = sample_nights(200, 40); /* too many for a line each */
    page = page_of(s);
    assert_int_equal(count_of(page, "<g class=\"slope\">"), 0);
    assert_has(page, "nine tenths of them lie in the light band");
    assert_has(page, "The darker a square, the more recordings.");
    free(page);
    sample_free(s);
}

/* Reference runs of Wake: 2, 1, 2; those of argmax: 2, 1, 2; of REM in the reference 2 and 3. */
static void test_survival_curves(void **state)
{
    (void)state;
    sample *s = sample_small();
    char *page = page_of(s);
    assert_has(page, ">Wake: share of runs at least so long</title>");
    assert_has(page, ">Runs and median length: reference 3 of 2.0, argmax 3 of 2.0");
    /* 1 of 3 ends at length 1, the others at 2: down to two thirds at once, to 0 at the place of 2. */
    assert_has(page, "<path class=\"curve\" d=\"M92 16V98H375V262\"/>");
    free(page);
    sample_free(s);
}

static void test_absent_data_disappears(void **state)
{
    (void)state;
    sample *s = sample_small();
    sp_comparison *c = &s->comparison;
    sample_drop_labels(s);
    c->n_traces = 0;
    char *page = page_of(s);
    static const char *const gone[] = {"#differences",   "id=\"differences\"",   "id=\"confusion\"",
                                       "id=\"classes\"", "id=\"changes\"",       "id=\"steps\"",
                                       "kappa</p>",      "id=\"probabilities\"", "#probabilities"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        assert_lacks(page, gone[i]);
    assert_has(page, "no labels");
    free(page);
    sample_free(s);
}

static void test_names_are_text(void **state)
{
    (void)state;
    sample *s = sample_small();
    s->comparison.ids[0] = sample_text(s, "<script>alert(1)</script>");
    s->comparison.classes[1] = sample_text(s, "a\"b'&c");
    s->comparison.strategies[1].name = sample_text(s, "</section>\n\x01\xFF");
    char *page = page_of(s);
    assert_lacks(page, "<script>alert");
    assert_has(page, "&lt;script&gt;alert(1)&lt;/script&gt;");
    assert_has(page, "a&quot;b&#39;&amp;c");
    assert_has(page, "&lt;/section&gt; \xEF\xBF\xBD\xEF\xBF\xBD");
    free(page);
    sample_free(s);
}

static void test_sizes(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{1, 1, 1},   {1, 0, 0},    {3, 2, 0},   {2, 1, 1},
                                        {60, 2, 80}, {100, 2, 50}, {4, 1500, 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        sample *s = sample_band((int32_t)shapes[i][0], shapes[i][1], shapes[i][2]);
        char *page = page_of(s);
        assert_lacks(page, "nan");
        assert_has(page, "</html>");
        free(page);
        sample_free(s);
    }
    sample *s = sample_band(60, 2, 400);
    char *page = page_of(s);
    assert_has(page, "<p class=\"small\">The 15 most frequent of ");
    free(page);
    sample_free(s);
    s = sample_band(4, 20000, 3); /* recordings whose dots fall together have one */
    page = page_of(s);
    const char *dots = strstr(page, "<path class=\"points\" d=\"");
    assert_non_null(dots);
    assert_in_range(strchr(dots + 24, '"') - dots, 100, 10 * (448 + 272));
    free(page);
    sample_free(s);
    s = sample_nights(50, 950);
    page = page_of(s);
    assert_true(strlen(page) < 1000 * 1000);
    free(page);
    sample_free(s);
}

/* Scorers of sleep count epochs from 1; addresses and the data of the script count from 0. */
static void test_numbers_of_steps(void **state)
{
    (void)state;
    for (int is_sleep = 0; is_sleep < 2; is_sleep++) {
        sample *s = sample_small();
        s->comparison.work = is_sleep ? SP_WORK_SLEEP : SP_WORK_STEPS;
        char *page = page_of(s);
        assert_has(page, is_sleep ? "<title>3: Wake → REM</title>" : "<title>2: Wake → REM</title>");
        assert_int_equal(strstr(page, "<main data-first=\"1\">") != NULL, is_sleep);
        assert_int_equal(strstr(page, "numbers of steps</dt><dd>From 1 here") != NULL, is_sleep);
        assert_has(page, is_sleep ? "&amp;t=2\">night_1</a></th><td class=\"n\">3</td>"
                                  : "&amp;t=2\">night_1</a></th><td class=\"n\">2</td>");
        free(page);
        sample_free(s);
        s = sample_nights(1, 800);
        s->comparison.work = is_sleep ? SP_WORK_SLEEP : SP_WORK_STEPS;
        page = page_of(s);
        assert_has(page, is_sleep ? "x=\"0.0%\">1</text><text y=\"11\" x=\"24.9%\">200</text>"
                                  : "x=\"0.0%\">0</text><text y=\"11\" x=\"25.0%\">200</text>");
        free(page);
        sample_free(s);
    }
}

static void test_long_recordings_are_drawn_in_columns(void **state)
{
    (void)state;
    sample *s = sample_nights(1, 50000);
    char *page = page_of(s);
    assert_has(page, "viewBox=\"0 0 1000 10\"");
    assert_true(strlen(page) < 500 * 1000);
    free(page);
    sample_free(s);
}

/* The steps of these alone are kept. */
static void keep_only(sp_comparison *c, int64_t n, const int64_t *recordings)
{
    for (int64_t i = 0; i < n; i++) /* ascending, so that none is overwritten before it is moved */
        c->traces[i] = c->traces[recordings[i]];
    c->n_traces = n;
}

static void test_worst_median_and_best_are_of_all_recordings(void **state)
{
    (void)state;
    sample *s = sample_ranked();
    sp_comparison *c = &s->comparison;
    const int64_t drawn[] = {0, 1, 2, 3, 4, 5, 6, 499, 500, 700}; /* chosen so: test_report_write.c */
    keep_only(c, 10, drawn);
    char *page = page_of(s);
    assert_has(page, "<h3>Worst: night_501 – accuracy of ");
    assert_has(page, "<h3>Median: night_500 – accuracy of ");
    assert_has(page, "<h3>Best: night_701 – accuracy of ");
    assert_has(page, "<summary>night_001 – accuracy of ");
    assert_has(page, "Drawn of 1,000 recordings: the least accurate, the median and the most accurate, and "
                     "the 7 next to the least "
                     "accurate.");
    assert_int_equal(count_of(page, "Not drawn"), 0);
    free(page);
    sample_free(s);
}

static void test_what_is_too_long_to_be_drawn_is_said(void **state)
{
    (void)state;
    sample *s = sample_ranked();
    sp_comparison *c = &s->comparison;
    const int64_t drawn[] = {499, 700}; /* chosen so: test_report_write.c */
    c->steps[500] = 3000000;
    keep_only(c, 2, drawn);
    char *page = page_of(s);
    assert_has(page, "</h3>\n<p>Not drawn: it has 3,000,000 steps, more than are kept for pictures.");
    assert_has(page, "Drawn of 1,000 recordings: the least accurate, the median and the most accurate, as "
                     "far as they are short "
                     "enough.");
    free(page);
    sample_free(s);
}

static void test_no_recording_is_short_enough(void **state)
{
    (void)state;
    sample *s = sample_ranked();
    s->comparison.n_traces = 0;
    s->comparison.trace_steps = 10;
    char *page = page_of(s);
    assert_has(page, "id=\"steps\"");
    assert_int_equal(count_of(page, "<p>Not drawn: it has "), 3);
    free(page);
    sample_free(s);
}

static void test_unscored_recordings_are_not_the_worst(void **state)
{
    (void)state;
    sample *s = sample_ranked();
    sp_comparison *c = &s->comparison;
    c->strategies[SAMPLE_VITERBI].recordings[3].accuracy = (sp_value){.undefined = "no scored steps"};
    char *page = page_of(s);
    assert_has(page, "<h3>Worst: night_501 – accuracy of ");
    assert_has(page, "<h3>Best: night_701 – accuracy of ");
    free(page);
    sample_free(s);
}

/* One recording of argmax alone: Wake, and REM, which is illegal after it, at every step that `is_rem` names. */
static sample *one_long_recording(int64_t n, bool (*is_rem)(int64_t t, int64_t n))
{
    static const char *const classes[] = {"Wake", "NREM", "REM"}, *const ids[] = {"long"},
                             *const names[] = {"argmax"};
    static const uint8_t allow[] = {1, 1, 0, 1, 1, 1, 1, 1, 1};
    const int64_t offsets[] = {0, n};
    int32_t *path = test_calloc((size_t)n, sizeof *path);
    for (int64_t t = 0; t < n; t++)
        path[t] = is_rem(t, n) ? 2 : 0;
    const int32_t *const paths[] = {path};
    sample_input in = {.n_classes = 3,
                       .classes = classes,
                       .allow = allow,
                       .n_recordings = 1,
                       .ids = ids,
                       .offsets = offsets,
                       .n_strategies = 1,
                       .names = names,
                       .paths = paths,
                       .with_traces = true};
    sample *s = sample_new(&in);
    test_free(path);
    return s;
}

static bool every_fifth(int64_t t, int64_t n)
{
    return t % 5 == 4 || t == n - 1;
}

static bool every_600th(int64_t t, int64_t n)
{
    return t % 600 == 4 || t == n - 1;
}

/* Dense in the first half, a tenth of that in the second. */
static bool thinning(int64_t t, int64_t n)
{
    return t % (t < n / 2 ? 5 : 50) == 4;
}

static bool only_two(int64_t t, int64_t n)
{
    return t == n / 2 || t == n - 1;
}

typedef struct marks {
    int64_t n, n_illegal, last_step;
    double last_x;
} marks;

/* Reads all marks of the page; each must stand to the right of the one before. */
static marks marks_of(const char *page)
{
    static const char begin[] = "<use href=\"#ill\" x=\"";
    marks found = {.last_x = -1};
    for (const char *at = page; (at = strstr(at, begin)); at++) {
        char *end;
        double x = strtod(at + strlen(begin), &end);
        if (strncmp(end, "%\"><title>", 10) != 0)
            continue; /* the explanation of the sign */
        long long first = strtoll(end + 10, &end, 10), last = first, n = 1;
        if (strncmp(end, " to ", 4) == 0) {
            last = strtoll(end + 4, &end, 10);
            assert_int_equal(strncmp(end, ": ", 2), 0);
            n = strtoll(end + 2, &end, 10);
            assert_int_equal(strncmp(end, " illegal transitions</title>", 28), 0);
            assert_true(n > 1);
        } else {
            assert_int_equal(strncmp(end, ": Wake → REM</title>", strlen(": Wake → REM</title>")), 0);
        }
        assert_true(first > found.last_step);
        assert_true(x >= found.last_x);
        found = (marks){.n = found.n + 1, .n_illegal = found.n_illegal + n, .last_step = last, .last_x = x};
    }
    return found;
}

static void test_marks_count_all_illegal_transitions(void **state)
{
    (void)state;
    static const struct {
        int64_t n_steps, n_marks;
        bool (*is_rem)(int64_t t, int64_t n);
    } cases[] = {
        {86400, 145, every_600th}, {86400, 2, only_two}, {1001, 200, every_fifth}, {900, 180, every_fifth}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t T = cases[i].n_steps, n_illegal = 0;
        for (int64_t t = 1; t < T; t++)
            n_illegal += cases[i].is_rem(t, T) && !cases[i].is_rem(t - 1, T);
        sample *s = one_long_recording(T, cases[i].is_rem);
        assert_int_equal(s->comparison.strategies[0].recordings[0].counts.illegal, n_illegal);
        char *page = page_of(s);
        marks found = marks_of(page);
        assert_int_equal(found.n, cases[i].n_marks);
        assert_int_equal(found.n_illegal, n_illegal);
        assert_true(found.last_step >= T - 5);
        assert_true(found.last_x > 99.4); /* in the last place */
        assert_int_equal(count_of(page, "several share a place"), T > 1000);
        assert_lacks(page, "class=\"bars\"");
        free(page);
        sample_free(s);
    }
}

/* Where triangles would cover each other: a bar a place, with the height of its share of the most. */
static void test_many_marks_are_bars(void **state)
{
    (void)state;
    enum { T = 86400 };
    sample *s = one_long_recording(T, thinning);
    char *page = page_of(s), title[64];
    assert_int_equal(marks_of(page).n, 0);
    assert_has(page, "bars stand for them: the higher, the more illegal transitions.");
    const char *at =
        strstr(page, "viewBox=\"0 0 1000 8\" preserveAspectRatio=\"none\"><path class=\"bars\" d=\"");
    assert_non_null(at);
    at = strstr(at, "d=\"") + 3;
    int64_t n_illegal = 0;
    for (int64_t place = 0; place < 1000;
         place++) { /* 17 or 18 of them: 8 pixels of 8; then 1 or 2: 1 pixel */
        int x, height, again, length;
        assert_int_equal(sscanf(at, "M%d 8v-%dh1v%dz%n", &x, &height, &again, &length), 3);
        assert_int_equal(x, place);
        assert_int_equal(height, place < 500 ? 8 : 1);
        assert_int_equal(again, height);
        at += length;
    }
    for (int64_t t = 1; t < T; t++)
        n_illegal += thinning(t, T) && !thinning(t - 1, T);
    snprintf(title, sizeof title, "\"><title>%d,%03d illegal, at most 18 a bar</title>",
             (int)(n_illegal / 1000), (int)(n_illegal % 1000));
    assert_memory_equal(at, title, strlen(title));
    free(page);
    sample_free(s);
}

/* The strip is the darker the more steps of a place are wrong: of three steps a place none, one, two or all. */
static void test_shares_of_errors(void **state)
{
    (void)state;
    enum { T = 3000 };
    sample *s = one_long_recording(T, only_two);
    int32_t *labels = sample_alloc(s, T, sizeof *labels);
    memcpy(labels, s->comparison.traces[0].paths[0], T * sizeof *labels);
    s->comparison.traces[0].labels = labels;
    labels[30] = 1;
    labels[60] = labels[61] = 1;
    labels[90] = labels[91] = labels[92] = 1;
    labels[50] = -1; /* without a reference nothing is wrong */
    char *page = page_of(s);
    for (int i = 0; i < 3; i++) {
        char path[160];
        snprintf(path, sizeof path,
                 "class=\"error share%d\" stroke-width=\"1.08\" d=\"M0 7.0h1000\" stroke-dasharray=\"0 %d 1 "
                 "%d\"/>",
                 2 + i, 10 * (i + 1), 1000 - 10 * (i + 1) - 1);
        assert_has(page, path);
    }
    assert_lacks(page, "class=\"error share1\"");
    free(page);
    sample_free(s);
}

/* More classes than colours: the most frequent ones of the reference have lanes, from the top in their order; the rest share one.
 */
static void test_lanes_of_many_classes(void **state)
{
    (void)state;
    sample *s = sample_band(20, 2, 400);
    for (int64_t i = 0; i < s->comparison.n_traces; i++)
        for (int64_t t = 0; t < 400; t++)
            s->comparison.traces[i].labels[t] =
                t % 20 == 3 || t % 20 == 7 || t % 20 == 11 ? -1 : (int32_t)(t % 20);
    char *page = page_of(s);
    assert_has(page, "\"lanes\":[0,1,2,17,3,4,5,17,6,7,8,17,9,10,11,12,13,14,15,16],");
    assert_has(page, "\"styles\":[\"0\",\"1\",\"2\",\"-rest\",\"3\",");
    assert_has(page, ">class 19</text><text y=\"204\">3 others</text></g>");
    assert_has(page, "<stop class=\"t-rest\" offset=\"0.944\"/><stop class=\"t-rest\" "
                     "offset=\"1.000\"/></linearGradient>");
    assert_has(page, "The 17 most frequent classes have lanes of their own, the other 3 share the last one.");
    free(page);
    sample_free(s);
    s = sample_band(18, 2, 400);
    page = page_of(s);
    assert_has(page, "\"lanes\":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17],");
    assert_lacks(page, " others</text>");
    assert_lacks(page, "t-rest\" offset");
    free(page);
    sample_free(s);
}

/* Gaps stand in every column that has one. */
/* Names of classes stand on runs that are long enough: always, on screens that are not narrow, or nowhere. */
static void test_names_on_runs(void **state)
{
    (void)state;
    enum { T = 100 };
    sample *s = one_long_recording(T, only_two);
    static const char *const names[] = {"po<ur", "stir", "\xE5\x88\x87\xE5\x88\x87"};
    int32_t *labels = sample_alloc(s, T, sizeof *labels);
    for (int64_t t = 0; t < T; t++)
        labels[t] = t < 50 ? 0 : t < 60 ? 1 : t < 65 ? 0 : 2;
    s->comparison.traces[0].labels = labels;
    char *page = page_of(s);
    assert_lacks(page, "<text class=\"on-run"); /* a hypnogram */
    free(page);
    for (int32_t k = 0; k < 3; k++)
        s->comparison.classes[k] = sample_text(s, names[k]);
    page = page_of(s);
    assert_has(page, "<text class=\"on-run\" y=\"18\" x=\"25.00%\">po&lt;ur</text>"
                     "<text class=\"on-run wide-only\" y=\"31\" x=\"55.00%\">stir</text>"
                     "<text class=\"on-run\" y=\"44\" x=\"82.50%\">\xE5\x88\x87\xE5\x88\x87</text></svg>");
    free(page);
    sample_free(s);
}

static void test_gaps_are_drawn_to_the_end(void **state)
{
    (void)state;
    enum { T = 86400 };
    sample *s = one_long_recording(T, only_two);
    int64_t *segments = sample_alloc(s, T, sizeof *segments);
    for (int64_t t = 0; t < T; t++)
        segments[t] = t / 100;
    s->comparison.traces[0].segments = segments;
    char *page = page_of(s);
    const char *gaps = strstr(page, "<path class=\"gap\" d=\"");
    assert_non_null(gaps);
    size_t n = 0;
    int last = 0;
    for (const char *at = gaps + 21; *at != '"'; at++)
        if (*at == 'M') {
            n++;
            last = atoi(at + 1);
        }
    assert_int_equal(n, T / 100 - 1);
    assert_int_equal(last, (T - 100) * 1000LL / T);
    free(page);
    sample_free(s);
}

static void test_methods_say_what_was_asked_for(void **state)
{
    (void)state;
    sample *s = sample_small();
    char *page = page_of(s);
    assert_has(page, "%, studentised, from ");
    assert_has(page, "of accuracy alone; differences of 0 are dropped");
    free(page);
    s->comparison.interval = SP_INTERVAL_BCA;
    page = page_of(s);
    assert_has(page, "%, bias-corrected and accelerated (BCa), from ");
    free(page);
    s->comparison.interval = SP_INTERVAL_PERCENTILE;
    s->comparison.zeros = SP_ZEROS_PRATT;
    page = page_of(s);
    assert_has(page, "%, percentile, from ");
    assert_has(page, "of accuracy alone; differences of 0 are ranked (Pratt)");
    assert_lacks(page, "BCa), from");
    free(page);
    sample_free(s);
}

static void test_without_strategies(void **state)
{
    (void)state;
    sample *s = sample_small();
    s->comparison.n_strategies = s->comparison.n_comparisons = 0;
    char *page = page_of(s);
    assert_has(page, "</html>");
    free(page);
    sample_free(s);
}

/* ---- figures as files ---- */

typedef struct found_figures {
    const char *page; /* the same as a page */
    int n, n_tracks;
} found_figures;

static sp_status look_at_figure(void *arg, const char *name, const char *svg, sp_error *err)
{
    found_figures *found = arg;
    static const char *const page_only[] = {"var(", "color-mix", "rem;", "rem}", "<use class=\"broad\"",
                                            "<div", "&nbsp;"};
    (void)err;
    for (size_t i = 0; i < sizeof page_only / sizeof *page_only; i++)
        assert_lacks(svg, page_only[i]);
    assert_ptr_equal(strstr(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\""), svg);
    assert_int_equal(count_of(svg, "<svg"), count_of(svg, "</svg>"));
    assert_has(svg, "{fill:");
    assert_has(svg, ".t-wake{stop-color:#e69f00}");
    found->n++;
    found->n_tracks += strncmp(name, "step-plot-of-night-00", 21) == 0;
    char in_page[200];
    snprintf(in_page, sizeof in_page, " data-file=\"%s\">", name);
    const bool is_table = !strncmp(name, "confusion-", 10); /* in the page */
    assert_int_equal(count_of(found->page, in_page), !is_table);
    return SP_OK;
}

static sp_status refuse_figure(void *arg, const char *name, const char *svg, sp_error *err)
{
    (void)arg;
    (void)svg;
    return sp_fail(err, SP_EFILE, "%s: no room", name);
}

static void test_figures_are_files_of_their_own(void **state)
{
    (void)state;
    sample *s = sample_nights(5, 300);
    sp_error err = {0};
    char *page = page_of(s);
    found_figures found = {.page = page};
    assert_ok(sp_report_figures(&s->comparison, look_at_figure, &found, &err), &err);
    assert_int_equal(found.n, count_of(page, "<figure") + 3); /* and the confusion matrices */
    assert_int_equal(found.n_tracks, 5);
    free(page);
    assert_int_equal(sp_report_figures(&s->comparison, refuse_figure, NULL, &err), SP_EFILE);
    assert_string_equal(err.message, "before-and-after-night-003: no room");
    sample_free(s);
}

/* ---- every allocation fails once, in every format ---- */

typedef sp_status (*writer)(const sp_comparison *comparison, char **out, sp_error *err);

typedef struct attempt_input {
    const sample *s;
    writer write;
} attempt_input;

static sp_status write_text(const sp_comparison *comparison, char **out, sp_error *err)
{
    return sp_report_text(comparison, &(sp_text_options){.width = 100, .verbose = true}, out, err);
}

static sp_status count_figure(void *arg, const char *name, const char *svg, sp_error *err)
{
    (void)err;
    *(size_t *)arg += strlen(name) + strlen(svg);
    return SP_OK;
}

static sp_status write_figures(const sp_comparison *comparison, char **out, sp_error *err)
{
    size_t length = 0;
    sp_status status = sp_report_figures(comparison, count_figure, &length, err);
    if (status == SP_OK)
        *out = NULL;
    return status;
}

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
    static const writer writers[] = {write_text,         sp_report_json, sp_report_csv,
                                     sp_report_markdown, sp_report_html, write_figures};
    sample *s = sample_small();
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        attempt_input input = {.s = s, .write = writers[i]};
        assert_true(assert_each_alloc_may_fail(attempt, &input) > 3);
    }
    sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stands_alone_and_is_the_same_twice),
        cmocka_unit_test(test_figures_are_where_they_belong),
        cmocka_unit_test(test_probabilities_are_drawn),
        cmocka_unit_test(test_recordings_are_compared),
        cmocka_unit_test(test_survival_curves),
        cmocka_unit_test(test_absent_data_disappears),
        cmocka_unit_test(test_names_are_text),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_numbers_of_steps),
        cmocka_unit_test(test_long_recordings_are_drawn_in_columns),
        cmocka_unit_test(test_worst_median_and_best_are_of_all_recordings),
        cmocka_unit_test(test_what_is_too_long_to_be_drawn_is_said),
        cmocka_unit_test(test_no_recording_is_short_enough),
        cmocka_unit_test(test_unscored_recordings_are_not_the_worst),
        cmocka_unit_test(test_marks_count_all_illegal_transitions),
        cmocka_unit_test(test_many_marks_are_bars),
        cmocka_unit_test(test_shares_of_errors),
        cmocka_unit_test(test_lanes_of_many_classes),
        cmocka_unit_test(test_names_on_runs),
        cmocka_unit_test(test_gaps_are_drawn_to_the_end),
        cmocka_unit_test(test_methods_say_what_was_asked_for),
        cmocka_unit_test(test_without_strategies),
        cmocka_unit_test(test_figures_are_files_of_their_own),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
