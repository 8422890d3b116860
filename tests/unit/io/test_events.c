/* Events to steps: times, the rules against a count of single nanoseconds, each format with each allocation failing, writing; and
 * codes as columns. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/files.h"
#include "statepath/model_json.h"

/* Times and spans to the nanosecond, and writers, stand behind whole files; codes become columns inside of a run. */
#include "io/events/event_writer.h"
#include "io/events/events.h"
#include "io/events/hypnogram.h"
#include "sleep/label_coding_use.h"

#include <unistd.h>

static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sp_time time;
    } good[] = {{"0", 0},
                {"30", 30 * SP_SECOND},
                {"+30.000", 30 * SP_SECOND},
                {" 29.97 ", 29970000000},
                {"-0.5", -SP_SECOND / 2},
                {".25", SP_SECOND / 4},
                {"5.", 5 * SP_SECOND},
                {"30,5", 30500000000},
                {"1.2e2", 120 * SP_SECOND},
                {"1200E-1", 120 * SP_SECOND},
                {"0.0000000004", 0},
                {"0.0000000005", 1},
                {"0.1234567891", 123456789},
                {"0.00000000000000000000001", 0},
                {"000000000000000000000000030", 30 * SP_SECOND},
                {"999999999.999999999", 999999999999999999}};
    static const char *const bad[] = {"",     "-",          ".",          "1.2.3", "x",   "3x",  "1e",
                                      "1e99", "1000000000", "9999999999", "1e400", "inf", "nan", "0x10"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        sp_time time = -1;
        if (!sp_time_seconds(good[i].text, strlen(good[i].text), &time) || time != good[i].time)
            fail_msg("\"%s\" is %lld", good[i].text, (long long)time);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_time time;
        if (sp_time_seconds(bad[i], strlen(bad[i]), &time))
            fail_msg("\"%s\" is %lld", bad[i], (long long)time);
    }
    char text[SP_TIME_TEXT];
    assert_string_equal(sp_time_text(30 * SP_SECOND, text), "30");
    assert_string_equal(sp_time_text(-1250000000, text), "-1.25");
    assert_string_equal(sp_time_text(1, text), "0.000000001");
    assert_string_equal(sp_time_text(0, text), "0");
    assert_int_equal(sp_time_of_step(30), 30 * SP_SECOND);
    assert_int_equal(
        sp_time_of_step(0) | sp_time_of_step(-1) | sp_time_of_step(NAN) | sp_time_of_step(INFINITY), 0);
}

static void test_clocks(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long long seconds;
    } good[] = {{"22:05:30", 79530},
                {"1:02:03", 3723},
                {"10:00:00 PM", 79200},
                {"12:00:00 am", 0},
                {"12:30:00 PM", 45000},
                {"00:00:30,000", 30},
                {"17.11.2010 23:57:00", 86220},
                {"2010-11-17T23:57:00", 86220},
                {"11/18/2021 8:39:30 PM", 74370}};
    static const char *const bad[] = {"",         "22:05",      "25:00:00",
                                      "22:60:00", "22:05:61",   "13:00:00 PM",
                                      "22-05-30", "x 22:05:30", "222:05:30"};
    sp_time time;
    bool is_half;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!sp_time_clock(good[i].text, strlen(good[i].text), &time, &is_half) ||
            time != good[i].seconds * SP_SECOND)
            fail_msg("%s", good[i].text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (sp_time_clock(bad[i], strlen(bad[i]), &time, &is_half))
            fail_msg("%s", bad[i]);
    assert_true(sp_time_clock("22:05:30.25", 11, &time, &is_half) &&
                time == 79530 * SP_SECOND + SP_SECOND / 4 && !is_half);
    /* midnight, 12 o'clock, and two lines in the wrong order */
    sp_clocks clocks = {0};
    assert_int_equal(sp_clocks_next(&clocks, 86370 * SP_SECOND), 0);
    assert_int_equal(sp_clocks_next(&clocks, 0), 30 * SP_SECOND);
    assert_int_equal(sp_clocks_next(&clocks, 46770 * SP_SECOND), 46800 * SP_SECOND);
    assert_int_equal(sp_clocks_next(&clocks, 3600 * SP_SECOND), 46830 * SP_SECOND);
    assert_int_equal(sp_clocks_next(&clocks, 3590 * SP_SECOND), 46820 * SP_SECOND);
    assert_true(sp_time_date("1970-01-01 00:01:30.5", 21, &time) && time == 90 * SP_SECOND + SP_SECOND / 2);
    assert_true(sp_time_date("2000-03-01T00:00:00", 19, &time) && time == 951868800 * SP_SECOND);
    assert_false(sp_time_date("1970-13-01 00:00:00", 19, &time) || sp_time_date("1970-01-01", 10, &time));
}

/* ---- rules ---- */

enum { LENGTH = 60, EVENTS = 6, CLASSES = 3 };
static const char *const names[] = {"a", "b", "c"};

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* The label that covers most of steps of a line of labels, one each nanosecond; -1 where none. */
static void expect_steps(const int8_t *line, int length, int step, int n, int32_t *out)
{
    for (int t = 0; t < n; t++) {
        int best = 0;
        out[t] = -1;
        for (int i = t * step; i < (t + 1) * step;
             i++) { /* in the order of their first nanosecond, so ties go to the earlier */
            const int label = i < length ? line[i] : -1;
            int count = 0;
            for (int j = t * step; j < (t + 1) * step; j++)
                count += (j < length ? line[j] : -1) == label;
            if (count > best) {
                best = count;
                out[t] = label;
            }
        }
    }
}

static void test_against_counting(void **state)
{
    (void)state;
    uint64_t seed = 1;
    sp_error err = {.message = ""};
    sp_model *model = sp_model_new("abc", CLASSES, names);
    sp_codes *codes = NULL;
    assert_ok(sp_codes_new("words", "u=unscored", model, &codes, &err), &err);
    for (int round = 0; round < 4000; round++) {
        int8_t line[LENGTH];
        int end = 0;
        sp_events events = {.file = "f", .place_name = "line"};
        memset(line, -1, sizeof line);
        for (int i = 0, at = 0; i < EVENTS && at < LENGTH - 12; i++) { /* none over another, some gaps */
            const int begin = at + (draw(&seed) % 3 ? 0 : (int)(draw(&seed) % 5)),
                      label = (int)(draw(&seed) % (CLASSES + 1)) - 1;
            const int length = 1 + (int)(draw(&seed) % 9);
            const sp_event event = {.onset = begin, .duration = length, .place = i, .is_stage = true};
            assert_ok(sp_events_add(&events, &event, label < 0 ? "u" : names[label], 1, &err), &err);
            memset(line + begin, label, (size_t)length);
            at = end = begin + length;
        }
        for (int64_t i = 0; i < events.n / 2; i++) { /* in any order */
            const int64_t j = (int64_t)(draw(&seed) % (uint64_t)events.n);
            const sp_event swap = events.list[i];
            events.list[i] = events.list[j];
            events.list[j] = swap;
        }
        const int step = 1 + (int)(draw(&seed) % 8),
                  n = end / step + (2 * (end % step) >= step && end % step > 0);
        sp_spans spans = {0};
        int32_t labels[LENGTH + 8], expected[LENGTH + 8];
        sp_status status = sp_events_resolve(&events, codes, step, &spans, &err);
        if (n == 0)
            assert_int_equal(status, SP_EDATA);
        else {
            assert_int_equal(status, SP_OK);
            assert_int_equal(spans.n_steps, n);
            expect_steps(line, LENGTH, step, n, expected);
            const int part = (int)(draw(&seed) % (uint64_t)n);
            assert_ok(sp_spans_steps(&spans, 0, part, labels, &err), &err);
            assert_ok(sp_spans_steps(&spans, part, n - part, labels + part, &err), &err);
            assert_memory_equal(labels, expected, (size_t)n * sizeof *labels);
        }
        sp_spans_clear(&spans);
        sp_events_clear(&events);
    }
    sp_codes_free(codes);
    sp_model_free(model);
}

/* ---- files ---- */

static const char edf_head[] = "0       ";

/* An EDF+ file of one record of 64 bytes. */
static size_t put_edf(char *out)
{
    static const char lists[] = "+0\x14\x14\0+0\x15"
                                "60\x14Sleep stage W\x14\0+60\x15"
                                "30\x14Sleep stage R\x14";
    memset(out, ' ', 512);
    memcpy(out, edf_head, 8);
    memcpy(out + 184, "512", 3);
    memcpy(out + 192, "EDF+C", 5);
    memcpy(out + 236, "1", 1);
    memcpy(out + 244, "0", 1);
    memcpy(out + 252, "1", 1);
    memcpy(out + 256, "EDF Annotations", 15);
    memcpy(out + 256 + 216, "32", 2);
    memset(out + 512, 0, 64);
    memcpy(out + 512, lists, sizeof lists);
    return 576;
}

/* Each says Wake, Wake, REM in steps of 30 s. */
static const struct {
    const char *ending, *text;
} files[] = {
    {".edf", NULL},
    {".xml", "<PSGAnnotation><EpochLength>30</"
             "EpochLength><ScoredEvents><ScoredEvent><EventType>Stages|Stages</EventType><EventConcept>"
             "Wake|0</EventConcept><Start>0</Start><Duration>60</Duration></"
             "ScoredEvent><ScoredEvent><EventType>Stages|Stages</EventType>"
             "<EventConcept>REM "
             "sleep|5</EventConcept><Start>60</Start><Duration>30</Duration></ScoredEvent></ScoredEvents></"
             "PSGAnnotation>"},
    {".xml", "<CMPStudyConfig><EpochLength>30</EpochLength><SleepStages><SleepStage>0</"
             "SleepStage><SleepStage>0</SleepStage><SleepStage>5"
             "</SleepStage></SleepStages></CMPStudyConfig>"},
    {".annot", "W\t.\t.\t0\t60\t.\nR\t.\t.\t60\t90\t.\n"},
    {".ids", "0,60,W\n60,30,REM\n"},
    {".tsv", "onset\tduration\tstage\n0\t60\tW\n60\t30\tR\n"},
    {".txt", "*Duration_sec\t90\nWake\t60\nREM\t90\n"},
    {".hyp", "time_base 30\nsampling_period 0.01\nepoch_nb 3\nepoch_list\n0\n0\n5\n"},
    {".txt", "[HypnogramAASM]\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n5\n4\n4\n4\n4\n4\n4\n"},
    {".txt", "Epoch\tUser-Defined Stage\n1\t0\n2\t0\n3\t5\n"},
    {".txt", "RemLogic Event Export\nTime "
             "[hh:mm:ss]\tEvent\tDuration[s]\n22:00:00\tSLEEP-S0\t60\n22:01:00\tSLEEP-REM\t30\n"},
    {".txt", "Signal ID: x\nRate: 30 s\n22:00:00,000; Wake\n22:00:30,000; Wake\n22:01:00,000; Rem\n"},
    {".vis", "0\n1 0\n4 r\n5 e\n"},
};

static char file[64];

static void put_file(const char *ending, const char *text, size_t n)
{
    snprintf(file, sizeof file, "/tmp/statepath-events-%d%s", (int)getpid(), ending);
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, n, out), n);
    fclose(out);
}

static sp_status read_labels(void *arg)
{
    static const int32_t expected[] = {0, 0, 4};
    const double *seconds = arg;
    sp_source_options options = sp_source_options_default();
    options.needs_scores = false;
    options.epoch_seconds = *seconds;
    sp_source *source = NULL;
    sp_block *block = sp_block_new();
    sp_error err = {.message = ""};
    sp_status status = block ? sp_source_open(file, &options, &source, &err) : SP_ENOMEM;
    if (status == SP_OK)
        status = sp_source_read(source, 0, 1, SP_BLOCK_LABELS, block, &err);
    if (status == SP_OK) {
        const sp_source_info *info = sp_source_info_of(source);
        assert_int_equal(info->n_steps, *seconds == 20 ? 4 : 3);
        assert_int_equal(info->n_classes, 5);
        assert_string_equal(info->classes[4], "REM");
        if (*seconds == 30)
            assert_memory_equal(block->labels, expected, sizeof expected);
    } else if (status != SP_ENOMEM)
        fail_msg("%s", err.message);
    sp_source_close(source);
    sp_block_free(block);
    return status;
}

/* The same by the function that needs no source. */
static sp_status read_hypnogram(void *arg)
{
    static const int32_t expected[] = {0, 0, 4};
    static const char *const stages[] = {"Wake", "N1", "N2", "N3", "REM"};
    const double *seconds = arg;
    sp_hypnogram h = {.n_steps = -1};
    sp_error err = {.message = ""};
    sp_model *model = sp_model_new("stages", 5, stages);
    sp_status status = model ? sp_hypnogram_read(file, model, NULL, *seconds, &h, &err) : SP_ENOMEM;
    if (status == SP_OK) {
        assert_int_equal(h.n_steps, *seconds == 20 ? 4 : 3);
        assert_true(h.epoch_seconds == *seconds);
        if (*seconds == 30)
            assert_memory_equal(h.labels, expected, sizeof expected);
    } else {
        assert_int_equal(h.n_steps, -1);
        if (status != SP_ENOMEM)
            fail_msg("%s", err.message);
    }
    free(h.labels);
    sp_model_free(model);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char bytes[600];
        const size_t n = files[i].text ? strlen(files[i].text) : put_edf(bytes);
        double seconds = strcmp(files[i].ending, ".vis") == 0 ? 20 : 30;
        put_file(files[i].ending, files[i].text ? files[i].text : bytes, n);
        assert_true(assert_each_alloc_may_fail(read_labels, &seconds) > 5);
        assert_true(assert_each_alloc_may_fail(read_hypnogram, &seconds) > 5);
        unlink(file);
    }
}

/* A file that ends anywhere is read, or refused with a sentence. */
static void test_cut_short(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char bytes[600];
        const size_t whole = files[i].text ? strlen(files[i].text) : put_edf(bytes);
        for (size_t n = 1; n < whole; n += 1 + whole / 97) {
            put_file(files[i].ending, files[i].text ? files[i].text : bytes, n);
            sp_source_options options = sp_source_options_default();
            options.needs_scores = false;
            sp_source *source = NULL;
            sp_error err = {.message = ""};
            sp_status status = sp_source_open(file, &options, &source, &err);
            assert_true(status == SP_OK || (err.message[0] && strstr(err.message, file)));
            sp_source_close(source);
            unlink(file);
        }
    }
}

/* ---- writing ---- */

static sp_status write_edf(void *arg)
{
    static const char *const stages[] = {"Wake", "REM"};
    static const int32_t labels[] = {0, 0, -1, 1};
    const sp_event_night night = {
        .n_steps = 4, .labels = labels, .n_classes = 2, .classes = stages, .epoch_seconds = 30};
    char *bytes = NULL;
    size_t n = 0;
    sp_error err;
    sp_status status = sp_event_writer_bytes(sp_event_writer_find(arg), arg, &night, &bytes, &n, &err);
    if (status == SP_OK && strcmp(arg, "x.ids") == 0) {
        static const char expected[] = "0,60,W\n60,30,UNKNOWN\n90,30,REM\n";
        assert_int_equal(n, sizeof expected - 1);
        assert_memory_equal(bytes, expected, n);
    }
    if (status != SP_OK)
        assert_null(bytes);
    free(bytes);
    return status;
}

static sp_status write_hypnogram(void *arg)
{
    static const char *const stages[] = {"Wake", "N1", "N2", "N3", "REM"};
    static const int32_t labels[] = {0, 0, -1, 4};
    const sp_event_night night = {
        .n_steps = 4, .labels = labels, .n_classes = 5, .classes = stages, .epoch_seconds = 30};
    sp_error err;
    sp_status status = sp_hypnogram_write(arg, &night, true, &err);
    if (status == SP_OK)
        unlink(arg);
    assert_int_not_equal(access(arg, F_OK), 0); /* no half of it */
    return status;
}

static void test_hypnograms(void **state)
{
    (void)state;
    static const char *const endings[] = {"hypnogram.annot", "hypnogram.eannot", "hypnogram.ids",
                                          "hypnogram.edf"};
    const sp_event_night none = {0};
    sp_hypnogram h = {.n_steps = -1};
    sp_error err;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        assert_true(assert_each_alloc_may_fail(write_hypnogram, (void *)endings[i]) > 5);
    assert_int_equal(sp_hypnogram_write("hypnogram.txt", &none, true, &err), SP_EINVAL);
    assert_int_equal(sp_hypnogram_read("absent.edf", NULL, NULL, 0, &h, &err), SP_EFILE);
    assert_int_equal(h.n_steps, -1);
}

static void test_writing(void **state)
{
    (void)state;
    assert_null(sp_event_writer_find("x.txt"));
    assert_true(assert_each_alloc_may_fail(write_edf, "x.edf") > 2);
    assert_true(assert_each_alloc_may_fail(write_edf, "x.IDS") > 1);
    assert_int_equal(write_edf("x.ids"), SP_OK);
    assert_int_equal(write_edf("x.annot"), SP_OK);
    assert_int_equal(write_edf("x.eannot"), SP_OK);
}

/* ---- codes ---- */

enum { WAKE, N1, N2, N3, REM };

static sp_model *sleep_model(void)
{
    sp_model *model = NULL;
    sp_error err = {0};
    assert_ok(sp_model_load("sleep-permissive", &model, &err), &err);
    return model;
}

static sp_codes *codes_of(const char *preset, const char *map)
{
    sp_model *model = sleep_model();
    sp_codes *codes = NULL;
    sp_error err = {0};
    assert_ok(sp_codes_new(preset, map, model, &codes, &err), &err);
    sp_model_free(model);
    return codes;
}

/* Columns instead of classes; and whether columns without names may be in the codes' order. */
static void test_columns(void **state)
{
    (void)state;
    static const int32_t same[] = {0, 1, 2, 3, 4}, pops_order[] = {WAKE, REM, N1, N2, N3};
    sp_codes *codes = codes_of("pops", NULL), *utime = codes_of("utime", NULL),
             *nsrr = codes_of("nsrr", NULL);
    sp_error err = {0};
    assert_true(sp_codes_differ_from(codes, same));
    assert_false(sp_codes_differ_from(codes, pops_order));
    assert_false(sp_codes_differ_from(utime, same));
    assert_false(sp_codes_differ_from(nsrr, same)); /* 3 and 4 are one class: no order of columns */
    assert_ok(sp_codes_use_columns(codes, pops_order, &err), &err);
    for (int n = 0; n < 5; n++)
        assert_int_equal(sp_codes_number(codes, n), n);
    assert_int_equal(sp_codes_text(codes, "N3"), 4);
    assert_int_equal(sp_codes_number(codes, 9), SP_CODE_UNSCORED);
    assert_true(sp_codes_differ_from(codes, same)); /* still of the codes themselves */
    sp_codes_free(codes);
    sp_codes_free(utime);
    sp_codes_free(nsrr);
}

typedef struct coded {
    sp_model *model;
    const int32_t *columns;
} coded;

static sp_status attempt_columns(void *arg)
{
    const coded *t = arg;
    sp_codes *codes = NULL;
    sp_error err = {0};
    sp_status status = sp_codes_new("rk", "x=N1,7=Wake", t->model, &codes, &err);
    if (status == SP_OK)
        status = sp_codes_use_columns(codes, t->columns, &err);
    sp_codes_free(codes);
    return status;
}

static void test_columns_without_memory(void **state)
{
    (void)state;
    static const int32_t columns[] = {4, 3, 2, 1, 0};
    coded t = {sleep_model(), columns};
    assert_true(assert_each_alloc_may_fail(attempt_columns, &t) > 10);
    sp_model_free(t.model);
}

/* A map in a file is called as the file. */
static void test_name_of_a_map(void **state)
{
    (void)state;
    char name[] = "/tmp/statepath-codes-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "0=Wake\n", 7), 7);
    close(fd);
    sp_codes *codes = codes_of(NULL, name);
    assert_string_equal(sp_codes_name(codes), strrchr(name, '/') + 1);
    sp_codes_free(codes);
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_clocks),
                                       cmocka_unit_test(test_against_counting),
                                       cmocka_unit_test(test_cut_short),
                                       cmocka_unit_test(test_writing),
                                       cmocka_unit_test(test_hypnograms),
                                       cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_columns_without_memory),
                                       cmocka_unit_test(test_name_of_a_map),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
