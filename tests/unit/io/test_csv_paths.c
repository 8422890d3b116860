/* Text of step labels, beside what tests/laws/test_table_law.py, test_label_law.py and test_faulty_texts.py
 * reach: any bytes, many recordings, what has no path, allocations that fail. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "statepath/files.h"

#include <unistd.h>

typedef struct folder {
    sp_model *model;
    char file[64];
} folder;

static const char *const names[] = {"Wake", "N1", "N2"};

static int setup(void **state)
{
    folder *f = calloc(1, sizeof *f);
    f->model = sp_model_new("small", 3, names);
    strcpy(f->file, "/tmp/statepath-csv-XXXXXX.csv");
    int fd = mkstemps(f->file, 4);
    if (fd < 0)
        return -1;
    close(fd);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    folder *f = *state;
    unlink(f->file);
    sp_model_free(f->model);
    free(f);
    return 0;
}

static void put(const folder *f, const char *text)
{
    FILE *out = fopen(f->file, "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

/* The file as one of paths. */
static sp_status open_text(const char *file, const sp_model *model, const sp_codes *codes,
                           sp_paths_reader **out, sp_error *err)
{
    const sp_source_options options = {.model = model, .codes = codes};
    return sp_paths_reader_open(file, NULL, &options, out, err);
}

static void test_many_recordings(void **state)
{
    folder *f = *state;
    FILE *out = fopen(f->file, "wb");
    fputs("recording,step,label\n", out);
    for (int step = 2; step >= 0; step--)
        for (int n = 0; n < 3000; n++)
            fprintf(out, "night %d,%d,%d\n", n, step, (n + step) % 3);
    fclose(out);
    sp_paths_reader *p = NULL;
    sp_error err = {0};
    assert_ok(open_text(f->file, f->model, NULL, &p, &err), &err);
    assert_int_equal(sp_paths_reader_info(p)->n_recordings, 3000);
    assert_string_equal(sp_paths_reader_info(p)->ids[2999], "night 2999");
    int32_t path[6];
    assert_ok(sp_paths_reader_read(p, 0, 1000, 2, path, NULL, &err), &err);
    for (int t = 0; t < 6; t++)
        assert_int_equal(path[t], (1000 + t / 3 + t % 3) % 3);
    assert_int_equal(sp_paths_reader_read(p, 0, 2999, 2, path, NULL, &err), SP_EINVAL);
    sp_source_close(p);
}

static void test_undecoded_and_name(void **state)
{
    folder *f = *state;
    put(f, "recording,label\na,-1\na,\nb,1\n");
    sp_paths_reader *p = NULL;
    sp_error err = {0};
    sp_decoded results[2];
    assert_ok(open_text(f->file, f->model, NULL, &p, &err), &err);
    char name[64]; /* of the file, without folder and ending */
    snprintf(name, sizeof name, "%s", strrchr(f->file, '/') + 1);
    *strrchr(name, '.') = '\0';
    assert_string_equal(sp_paths_reader_info(p)->strategies[0], name);
    assert_ok(sp_paths_reader_read(p, 0, 0, 2, NULL, results, &err), &err);
    assert_int_equal(results[0].status, SP_ENOPATH);
    assert_int_equal(results[1].status, SP_OK);
    int32_t labels[3];
    assert_int_equal(sp_paths_reader_labels(p, 0, 2, labels, NULL, &err), SP_EDATA);
    assert_sentence(err.message, "FILE: has no labels", f->file);
    sp_source_close(p);
}

/* Any bytes: read or refused, never a wild access. */
static void test_any_bytes(void **state)
{
    folder *f = *state;
    static const char letters[] = "ab0129,,,\"\"\n\n\r-";
    uint64_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        char text[160];
        strcpy(text, i % 2 ? "recording,step,label\n" : "recording,label\n");
        size_t n = strlen(text), length = n + (size_t)(i % 40);
        for (; n < length; n++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[n] = letters[(seed >> 33) % (sizeof letters - 1)];
        }
        text[n] = '\0';
        put(f, text);
        sp_paths_reader *p = NULL;
        sp_error err = {0};
        sp_status status = open_text(f->file, f->model, NULL, &p, &err);
        assert_true(status == SP_OK || status == SP_EDATA);
        sp_source_close(p);
    }
}

static sp_status attempt(void *arg)
{
    const folder *f = arg;
    sp_paths_reader *p = NULL;
    sp_error err = {0};
    sp_status status = open_text(f->file, f->model, NULL, &p, &err);
    sp_source_close(p);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    put(*state, "recording,step,label\na,0,Wake\na,1,N1\nb,0,2\n");
    assert_true(assert_each_alloc_may_fail(attempt, *state) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_recordings), cmocka_unit_test(test_undecoded_and_name),
        cmocka_unit_test(test_any_bytes), cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
