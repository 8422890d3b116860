/* The functions that write a comparison: documents for a terminal of any width, with colours or without; pieces; figures as files; whole
 * or untouched where memory fails. What stands in the documents: tests/laws/test_same_cells.py, tests/cli/reports. */
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "evaluated.h"
#include "failing_alloc.h"
#include "sample.h"
#include "statepath/files.h"
#include "statepath/report.h"

static char *text_of(const sp_comparison *c, sp_text_options options)
{
    sp_error err = {0};
    char *out = NULL;
    assert_ok(sp_report_text(c, &options, &out, &err), &err);
    return out;
}

/* Display columns, for text without marks of its own. */
static int widest_line(const char *text)
{
    int widest = 0, width = 0;
    for (; *text; text++) {
        if (*text == '\n')
            width = 0;
        else if (((unsigned char)*text & 0xC0) != 0x80)
            width++;
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void test_terminal(void **state)
{
    (void)state;
    sp_comparison *c = sample_small(NULL);
    char *text = text_of(c, (sp_text_options){.width = 100});
    assert_null(strchr(text, '\033'));
    assert_true(widest_line(text) <= 100);
    free(text);
    text = text_of(c, (sp_text_options){.width = 100, .verbose = true});
    assert_non_null(strstr(text, "Time spent decoding"));
    free(text);
    text = text_of(c, (sp_text_options){.width = 100, .ascii = true});
    for (const char *at = text; *at; at++)
        assert_in_range((unsigned char)*at, 1, 127);
    free(text);
    text = text_of(c, (sp_text_options){.width = 100, .colour = true});
    assert_non_null(strstr(text, "\033[31m2\033[0m"));      /* illegal transitions */
    assert_non_null(strstr(text, "\033[1m0.8462*\033[0m")); /* the best accuracy */
    free(text);
    sp_comparison_free(c);
}

/* A table is whole in a terminal that is just as wide, and goes on below, beside its names, in one that is a column narrower. */
static void test_wide_tables_go_on_below(void **state)
{
    (void)state;
    sp_comparison *c = sample_small(NULL);
    char *wide = text_of(c, (sp_text_options){.width = 200});
    const char *head = strstr(wide, "\nstrategy ");
    assert_non_null(head);
    const int rows = 5; /* of its lines the last is not yet the next paragraph */
    int fits = 0;
    const char *line = head + 1;
    for (int i = 0; i < rows - 1; i++, line = strchr(line, '\n') + 1) {
        int width = 0;
        for (const char *at = line; *at != '\n'; at++)
            width += ((unsigned char)*at & 0xC0) != 0x80;
        fits = width > fits ? width : fits;
    }
    for (int narrower = 0; narrower < 2; narrower++) {
        char *text = text_of(c, (sp_text_options){.width = fits - narrower});
        const char *first = strstr(text, "\nstrategy "), *again = strstr(first + 1, "\nstrategy ");
        assert_int_equal(again != NULL, narrower);
        assert_int_equal(strncmp(first, head, (size_t)(line - head)) == 0, !narrower);
        assert_true(widest_line(text) <= fits - narrower);
        free(text);
    }
    free(wide);
    sp_comparison_free(c);
}

static void test_names_cannot_speak_to_the_terminal(void **state)
{
    (void)state;
    static const char *const names[] = {"a\033[2Jb\nc\xFF",
                                        "a-name-that-nobody-would-ever-want-to-write-in-full-anywhere"};
    static const char *const ids[] = {"bad \xC3(\xE2\x82|"}, *const classes[] = {"睡眠", "b"};
    static const int64_t offsets[] = {0, 2};
    static const int32_t path[] = {0, 1};
    const int32_t *const paths[] = {path, path};
    sp_model *model = model_of_all(2, classes);
    sp_comparison *c = evaluated(
        model, &(sp_arrays){.info = {.n_recordings = 1, .offsets = offsets, .ids = ids}, .labels = path},
        &(sp_array_paths){2, names, paths, NULL}, NULL);
    char *text = text_of(c, (sp_text_options){.width = 100}), *json = NULL;
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "a\xEF\xBF\xBD[2Jb c\xEF\xBF\xBD"));
    assert_non_null(strstr(text, "\xE2\x80\xA6")); /* the ellipsis */
    assert_non_null(
        strstr(text, "\n睡眠         1 ")); /* a wide name takes its four columns, not its six bytes */
    free(text);
    sp_error err = {0};
    assert_ok(sp_report_json(c, &json, &err), &err);
    json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_non_null(strstr(json, "bad \xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD|\""));
    json_decref(root);
    free(json);
    sp_comparison_free(c);
    sp_model_free(model);
}

/* What is UTF-8 by its definition (Unicode 15, table 3-7) is written as it stands; of the rest each byte is U+FFFD. */
static void test_characters(void **state)
{
    (void)state;
    enum { GOOD = 4, N = 19 };
    static const char *const ids[N] = {
        "\x01 \"\\\x7F", /* from one byte to four, the first of each kind and the last */
        "\xC2\x80\xDF\xBF",
        "\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF",
        "\xF0\x90\x80\x80\xF4\x8F\xBF\xBFz",
        "\xC0\x80",
        "\xC1\xBF", /* two bytes for what takes one */
        "\xE0\x80\x80",
        "\xE0\x9F\xBF", /* three for two */
        "\xF0\x80\x80\x80",
        "\xF0\x8F\xBF\xBF", /* four for three */
        "\xED\xA0\x80",
        "\xED\xBF\xBF", /* halves of surrogate pairs */
        "\xF4\x90\x80\x80",
        "\xF8\x88\x80\x80\x80",
        "\xFF\xFE", /* beyond the last character */
        "\xC3",
        "\xE2\x82",
        "\xF0\x9F\x98",
        "\x80\xBF", /* cut off */
    };
    static const char *const classes[] = {"a", "b"}, *const names[] = {"p"};
    static const int32_t path[N] = {0}, *const paths[] = {path};
    int64_t offsets[N + 1] = {0};
    for (int n = 0; n < N; n++)
        offsets[n + 1] = n + 1;
    sp_model *model = model_of_all(2, classes);
    sp_comparison *c = evaluated(
        model, &(sp_arrays){.info = {.n_recordings = N, .offsets = offsets, .ids = ids}, .labels = path},
        &(sp_array_paths){1, names, paths, NULL}, NULL);
    sp_error err = {0};
    char *json = NULL;
    assert_ok(sp_report_json(c, &json, &err), &err);
    json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, NULL),
           *all = json_object_get(json_object_get(json_object_get(root, "strategies"), "p"), "per_recording");
    assert_int_equal(json_array_size(all), N);
    for (size_t n = 0; n < N; n++) {
        char expected[32] = "";
        for (size_t i = 0; n >= GOOD && i < strlen(ids[n]); i++)
            strcat(expected, "\xEF\xBF\xBD");
        assert_string_equal(json_string_value(json_object_get(json_array_get(all, n), "id")),
                            n < GOOD ? ids[n] : expected);
    }
    json_decref(root);
    free(json);
    sp_comparison_free(c);
    sp_model_free(model);
}

/* ---- piece by piece, figures, files ---- */

typedef struct pieces {
    char *text;
    size_t n;
    int count, last; /* pieces so far, and which one is refused */
} pieces;

static sp_status take_piece(void *arg, const char *text, size_t n, sp_error *err)
{
    pieces *p = arg;
    if (++p->count == p->last)
        return sp_fail(err, SP_EFILE, "the disk is full");
    p->text = realloc(p->text, p->n + n + 1);
    memcpy(p->text + p->n, text, n);
    p->n += n;
    p->text[p->n] = '\0';
    return SP_OK;
}

/* N recordings of two steps. */
static sp_comparison *many_recordings(int64_t N)
{
    static const char *const classes[] = {"a", "b"}, *const names[] = {"path"};
    int64_t *offsets = malloc((size_t)(N + 1) * sizeof *offsets);
    int32_t *path = malloc(2 * (size_t)N * sizeof *path);
    assert_true(offsets && path);
    for (int64_t n = 0; n <= N; n++)
        offsets[n] = 2 * n;
    for (int64_t t = 0; t < 2 * N; t++)
        path[t] = t % 3 == 0;
    sp_model *model = model_of_all(2, classes);
    sp_comparison *c =
        evaluated(model, &(sp_arrays){.info = {.n_recordings = N, .offsets = offsets}, .labels = path},
                  &(sp_array_paths){1, names, (const int32_t *const[]){path}, NULL}, NULL);
    sp_model_free(model);
    free(offsets);
    free(path);
    return c;
}

/* JSON and CSV in pieces are what they are at once, also of more recordings than one piece holds. */
static void test_pieces(void **state)
{
    (void)state;
    static const struct {
        sp_status (*whole)(const sp_comparison *, char **, sp_error *);
        sp_status (*pieces)(const sp_comparison *, sp_report_sink *, void *, sp_error *);
    } reports[] = {{sp_report_json, sp_report_json_to}, {sp_report_csv, sp_report_csv_to}};
    sp_comparison *c = many_recordings(12000);
    for (int i = 0; i < 2; i++) {
        sp_error err = {.status = SP_OK};
        char *whole = NULL;
        pieces p = {.last = -1}, refused = {.last = 2};
        assert_ok(reports[i].whole(c, &whole, &err), &err);
        assert_ok(reports[i].pieces(c, take_piece, &p, &err), &err);
        assert_int_equal(p.n, strlen(whole));
        assert_memory_equal(p.text, whole, p.n);
        assert_in_range(p.count, 2, p.n / (1 << 20) + 2); /* about a MiB each */
        assert_int_equal(reports[i].pieces(c, take_piece, &refused, &err), SP_EFILE);
        assert_string_equal(err.message, "the disk is full");
        assert_int_equal(refused.count, 2);
        free(whole);
        free(p.text);
        free(refused.text);
    }
    sp_comparison_free(c);
}

static sp_status refuse_figure(void *arg, const char *name, const char *svg, sp_error *err)
{
    (void)arg;
    assert_ptr_equal(strstr(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\""), svg);
    return sp_fail(err, SP_EFILE, "%s: no room", name);
}

static void test_figures_may_be_refused(void **state)
{
    (void)state;
    sp_comparison *c = sample_small(NULL);
    sp_error err = {0};
    assert_int_equal(sp_report_figures(c, refuse_figure, NULL, &err), SP_EFILE);
    assert_non_null(strstr(err.message, ": no room"));
    sp_comparison_free(c);
}

static void test_saving(void **state)
{
    (void)state;
    sp_error err = {0};
    char folder[] = "/tmp/statepath_report_XXXXXX", file[64], text[16] = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/r.txt", folder);
    assert_ok(sp_text_save(file, "one\n", false, &err), &err);
    assert_int_equal(sp_text_save(file, "two\n", false, &err), SP_EFILE);
    assert_non_null(strstr(err.message, "`force`"));
    assert_ok(sp_text_save(file, "two\n", true, &err), &err);
    FILE *in = fopen(file, "r");
    assert_non_null(fgets(text, sizeof text, in));
    fclose(in);
    assert_string_equal(text, "two\n");
    assert_ok(sp_text_save("/dev/null", "three\n", false, &err), &err);
    assert_int_equal(sp_text_save(folder, "x", true, &err), SP_EFILE);
    assert_int_equal(sp_text_save("/nowhere/at/all.txt", "x", true, &err), SP_EFILE);
    assert_non_null(strstr(err.message, "/nowhere/at/all.txt"));
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left behind */
}

/* ---- every allocation fails once, in every format ---- */

typedef sp_status (*writer)(const sp_comparison *comparison, char **out, sp_error *err);

typedef struct attempt_input {
    const sp_comparison *c;
    writer write;
} attempt_input;

static sp_status write_text(const sp_comparison *c, char **out, sp_error *err)
{
    return sp_report_text(c, &(sp_text_options){.width = 100, .verbose = true}, out, err);
}

static sp_status count_figure(void *arg, const char *name, const char *svg, sp_error *err)
{
    (void)err;
    *(size_t *)arg += strlen(name) + strlen(svg);
    return SP_OK;
}

static sp_status write_figures(const sp_comparison *c, char **out, sp_error *err)
{
    size_t length = 0;
    sp_status status = sp_report_figures(c, count_figure, &length, err);
    if (status == SP_OK)
        *out = NULL;
    return status;
}

static sp_status attempt(void *arg)
{
    const attempt_input *input = arg;
    char untouched, *out = &untouched;
    sp_error err = {0};
    sp_status status = input->write(input->c, &out, &err);
    if (status == SP_OK)
        free(out);
    else
        assert_ptr_equal(out, &untouched);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const writer writers[] = {write_text,      sp_report_json, sp_report_csv, sp_report_markdown,
                                     sp_report_latex, sp_report_html, write_figures};
    sp_comparison *c = sample_small(NULL);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        attempt_input input = {.c = c, .write = writers[i]};
        assert_true(assert_each_alloc_may_fail(attempt, &input) > 3);
    }
    sp_comparison_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_wide_tables_go_on_below),
        cmocka_unit_test(test_names_cannot_speak_to_the_terminal),
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_figures_may_be_refused),
        cmocka_unit_test(test_saving),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
