/* A text is scored in windows, joined, decoded and written as entities where each allocation fails once: the error is said, and
 * nothing is left behind. What the file holds is tested in tests/cli/formats/test_spans.py and test_windows.py. */
#include "check.h"
#include "failing_alloc.h"
#include "statepath/pipeline_file.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct folder {
    char name[64], scores[96], text[96], output[96];
} folder;

static void put(const char *file, const char *text)
{
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static int setup(void **state)
{
    folder *f = calloc(1, sizeof *f);
    assert_non_null(f);
    strcpy(f->name, "/tmp/statepath-spans-XXXXXX");
    assert_non_null(mkdtemp(f->name));
    snprintf(f->scores, sizeof f->scores, "%s/scores.csv", f->name);
    snprintf(f->text, sizeof f->text, "%s/text.json", f->name);
    snprintf(f->output, sizeof f->output, "%s/spans.jsonl", f->name);
    put(f->scores, "recording,O,B-PER,I-PER\n"
                   "a,0.1,0.8,0.1\na,0.1,0.1,0.8\na,0.8,0.1,0.1\na,0.1,0.8,0.1\n"
                   "b,0.8,0.1,0.1\nb,0.1,0.8,0.1\nb,0.2,0.2,0.6\nb,0.9,0.05,0.05\n");
    put(f->text, "{\"text\": \"Jane Austen and Emma Woodhouse .\", \"offset_mapping\": "
                 "[[0,4],[5,11],[12,15],[16,20],[21,30],[31,32]]}");
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    folder *f = *state;
    unlink(f->scores);
    unlink(f->text);
    unlink(f->output);
    assert_int_equal(rmdir(f->name), 0); /* nothing else is in it */
    free(f);
    return 0;
}

static sp_status decode(void *arg)
{
    folder *f = arg;
    struct stat s;
    sp_error err;
    sp_run_options o = sp_run_options_default();
    sp_run_result result = {.n_undecoded = 0};
    o.model = (char *)"bio"; /* all only looked at */
    o.place.classes = (char *)"O,B-PER,I-PER";
    o.place.kind = (char *)"probs";
    o.join = (char *)"mean";
    o.windows = (char *)"2";
    o.text = f->text;
    o.output = f->output;
    o.decode.threads = 1;
    unlink(f->output);
    const sp_status status = sp_decode_file(f->scores, &o, &result, &err);
    if (status != SP_OK)
        assert_int_not_equal(stat(f->output, &s), 0);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    const folder *f = *state;
    char line[512] = "";
    assert_true(assert_each_alloc_may_fail_or_not_matter(decode, *state) > 50);
    FILE *in = fopen(f->output, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    assert_non_null(strstr(line, "\"text\": \"Jane Austen\""));
    assert_non_null(fgets(line, sizeof line, in));
    assert_non_null(
        strstr(line, "\"first\": 3, \"last\": 4, \"start\": 16, \"end\": 30, \"text\": \"Emma Woodhouse\""));
    assert_null(fgets(line, sizeof line, in));
    fclose(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_allocation_may_fail, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
