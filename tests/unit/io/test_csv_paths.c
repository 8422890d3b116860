/* CSV of step labels: what is read, and the sentence with its line for everything that is not. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "statepath/model_json.h"
#include "statepath/pipeline_file.h"

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
    f->model->aliases = calloc(1, sizeof *f->model->aliases);
    f->model->aliases[0] = (sp_alias){.class_index = 2, .name = strdup("2 light, \"deep\"")};
    f->model->n_aliases = 1;
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

/* "statepath-csv-x" of the file's name. */
static const char *own_name(const folder *f, char name[64])
{
    snprintf(name, 64, "%s", strrchr(f->file, '/') + 1);
    *strrchr(name, '.') = '\0';
    return name;
}

static void assert_reads(folder *f, const char *text, int64_t n, const char *const *ids,
                         const int64_t *offsets, const int32_t *labels)
{
    put(f, text);
    sp_paths_reader *p = NULL;
    sp_error err = {0};
    sp_status status = open_text(f->file, f->model, NULL, &p, &err);
    if (status != SP_OK)
        fail_msg("%s: %s", text, err.message);
    const sp_paths_info *info = sp_paths_reader_info(p);
    assert_int_equal(info->n_recordings, n);
    assert_int_equal(info->n_steps, offsets[n]);
    assert_int_equal(info->n_classes, 3);
    assert_string_equal(info->classes[1], "N1");
    assert_false(info->has_labels);
    int32_t out[64];
    sp_decoded results[16];
    assert_ok(sp_paths_reader_read(p, 0, 0, n, out, results, &err), &err);
    for (int64_t i = 0; i < n; i++) {
        assert_string_equal(info->ids[i], ids[i]);
        assert_int_equal(info->offsets[i + 1], offsets[i + 1]);
        assert_int_equal(results[i].status, SP_OK);
    }
    for (int64_t t = 0; t < offsets[n]; t++)
        assert_int_equal(out[t], labels[t]);
    sp_source_close(p);
}

static void test_reads(void **state)
{
    static const char *const two[] = {"a", "b"}, *const odd[] = {"x,\"1\"\nline"};
    static const int64_t three_two[] = {0, 3, 5}, four[] = {0, 4};
    static const int32_t labels[] = {0, 1, 2, 0, -1}, mixed[] = {2, 1, -1, 2};
    assert_reads(*state, "recording,step,label\na,0,Wake\na,1,N1\na,2,N2\nb,0,Wake\nb,1,-1\n", 2, two,
                 three_two, labels);
    assert_reads(*state, "recording,label\na,Wake\na,N1\na,N2\nb,Wake\nb,", 2, two, three_two, labels);
    assert_reads(*state, "label,recording\r\n0,a\r\n1,a\r\n2,a\r\n0,b\r\n-1,b\r\n", 2, two, three_two,
                 labels);
    assert_reads(*state,
                 "\xEF\xBB\xBF\nstep,other,label,recording\n2,x,2,a\n\n1,\"y,\n\"\"z\"\"\",1,\"a\"\n1,,,b\n0,"
                 ",0,a\n0,,Wake,b\n\n",
                 2, two, three_two, labels);
    assert_reads(*state,
                 "recording,label\n\"x,\"\"1\"\"\nline\",\"2 light, "
                 "\"\"deep\"\"\"\n\"x,\"\"1\"\"\nline\",1\n\"x,\"\"1\"\"\nline\",\n"
                 "\"x,\"\"1\"\"\nline\",N2",
                 1, odd, four, mixed);
}

/* Other tables, and lists of labels alone, which are one recording named as the file. */
static void test_reads_other_texts(void **state)
{
    folder *f = *state;
    char name[64];
    const char *const own[] = {own_name(f, name)}, *const two[] = {"a", "b"};
    static const int64_t three[] = {0, 3}, two_one[] = {0, 2, 3};
    static const int32_t labels[] = {0, 2, -1}, three_labels[] = {0, 1, 2};
    assert_reads(f, "Wake\nN2\n-1\n", 1, own, three, labels);
    assert_reads(f,
                 "\xEF\xBB\xBF"
                 "0\r\n 2 \r\n-1.0\r\n\r\n",
                 1, own, three, labels);
    assert_reads(f, "label\n0\n2.0\n-1\n", 1, own, three, labels);
    assert_reads(f, "\"Stage\"\n0\n2\n-1", 1, own, three, labels);
    assert_reads(f, "begin\tlength\tstage\n0\t30\tWake\n30\t30\tN2\n60\t30\t\n", 1, own, three, labels);
    assert_reads(f, "Recording;Class\na;0\na;1\nb;2\n", 2, two, two_one, three_labels);
    /* ours comes before the other names of a column */
    assert_reads(f, "recording,stage,label\na,x,0\na,y,1\nb,z,2\n", 2, two, two_one, three_labels);
    put(f, "0\n1\n");
    sp_paths_reader *p = NULL;
    sp_error err = {0};
    assert_ok(open_text(f->file, f->model, NULL, &p, &err), &err);
    assert_false(sp_paths_reader_info(p)->has_ids);
    sp_source_close(p);
}

/* Texts of labels by the ending of their names: words, which take their classes from the model. */
static void test_endings(void **state)
{
    const folder *f = *state;
    static const char *const endings[] = {"b.CSV", "x.tsv", "x.txt", "x.hyp", "x.eannot"};
    char *text = NULL;
    sp_error err = {0};
    assert_ok(sp_model_to_json(f->model, &text, &err), &err);
    sp_run_options o = sp_run_options_default();
    o.model_text = text;
    made_folder();
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        sp_file_recordings r;
        FILE *out = fopen(made_path(endings[i]), "w");
        assert_non_null(out);
        fputs("N2\nWake\n", out);
        fclose(out);
        assert_ok(sp_file_recordings_open(&r, made_path(endings[i]), &o, false, &err), &err);
        sp_block *block = sp_block_new();
        assert_ok(sp_file_recordings_read(&r, 0, 1000, SP_BLOCK_LABELS, block, &err), &err);
        assert_int_equal(r.n_classes, 3);
        assert_true(block->n_steps == 2 && block->labels[0] == 2 && block->labels[1] == 0);
        sp_block_free(block);
        sp_file_recordings_close(&r);
    }
    made_folder_remove();
    free(text);
}

static void test_reads_codes(void **state)
{
    folder *f = *state;
    sp_codes *codes = NULL;
    sp_error err = {0};
    sp_paths_reader *p = NULL;
    int32_t out[5];
    static const int32_t labels[] = {2, 0, -1, 1, -1};
    assert_ok(sp_codes_new("nsrr", "x y=N2", false, f->model, &codes, &err), &err);
    put(f, "x y\n0\n9\nStage 1 sleep|1\n?\n");
    assert_ok(open_text(f->file, f->model, codes, &p, &err), &err);
    assert_ok(sp_paths_reader_read(p, 0, 0, 1, out, NULL, &err), &err);
    assert_memory_equal(out, labels, sizeof labels);
    sp_source_close(p);
    put(f, "recording,label\na,0\na,1\na,8\n");
    assert_int_equal(open_text(f->file, f->model, codes, &p, &err), SP_EDATA);
    assert_non_null(
        strstr(err.message,
               ": line 4, recording a, step 2: label \"8\" is no code of nsrr with x y=N2, which has "));
    put(f, "recording,step,label\na,1,0\na,0,3\n");
    assert_int_equal(open_text(f->file, f->model, codes, &p, &err), SP_EDATA);
    assert_non_null(
        strstr(err.message,
               ": line 3, recording a, step 0: label \"3\" is N3 in nsrr, for which the model has no class"));
    sp_codes_free(codes);
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
    char name[64];
    assert_string_equal(sp_paths_reader_info(p)->strategies[0], own_name(f, name));
    assert_ok(sp_paths_reader_read(p, 0, 0, 2, NULL, results, &err), &err);
    assert_int_equal(results[0].status, SP_ENOPATH);
    assert_int_equal(results[1].status, SP_OK);
    sp_source_close(p);
}

static void test_refuses(void **state)
{
    folder *f = *state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "is empty; the first line names the columns: recording,step,label or recording,label"},
        {"\n\n", "is empty"},
        {"a,0\n", "line 1 names no column label; the first line is recording,step,label or recording,label"},
        {"recording,decision\na,0\n",
         "line 1 names no column label; the first line is recording,step,label or recording,label"},
        {"stage,STAGE\n0,0\n", "line 1 names column STAGE twice"},
        {"Wake\nN1\nN9\n", "line 3: label \"N9\" is no class of model small"},
        {"Wake\n\nN1\n", "line 2 is empty; it needs a label a line, -1 where there is none"},
        {"recording,label,label\na,0,0\n", "line 1 names column label twice"},
        {"recording,label\n", "names its columns, but holds no line below them"},
        {"recording,label\na,Wake\n\na,N9\n",
         "line 4: label \"N9\" is no class of model small: write one of Wake, N1, N2, a number "
         "from 0 to 2 in this order, or -1 for none; `codes` or `map` reads the numbers and words of others"},
        {"recording,label\na,3\n", "line 2: label \"3\" is no class"},
        {"recording,label\na,1.5\n", "line 2: label \"1.5\" is no class"},
        {"recording,label\na,99999999999999999999\n", "is no class"},
        {"recording,label\na,wake\n", "line 2: label \"wake\" is no class"},
        {"recording,label\na,1,2\n", "line 2 has 3 fields, the header 2"},
        {"recording,label\na\n", "line 2 has 1 fields, the header 2"},
        {"recording,label\n,1\n", "line 2 has no name of a recording"},
        {"recording,label\na,1\nb,1\na,1\n",
         "line 4: recording a comes back after another; without a column step its lines must follow"},
        {"recording,step,label\na,x,1\n", "line 2: step \"x\" is not a whole number from 0 on"},
        {"recording,step,label\na,-1,1\n", "line 2: step \"-1\" is not a whole number"},
        {"recording,step,label\na,1.5,1\n", "line 2: step \"1.5\" is not a whole number"},
        {"recording,step,label\na,1,1\na,3,1\n",
         "line 3: recording a has step 3, but only 2 lines; it needs each step from 1 on once"},
        {"recording,step,label\na,2,1\na,3,1\n",
         "line 2: the first step of recording a is 2; steps count from 0 or 1"},
        {"recording,step,label\na,0,1\nb,0,1\na,0,1\n", "line 4: recording a has step 0 on line 2 already"},
        {"recording,label\n\"a,1\n", "line 2: a quoted cell does not end"},
        {"recording,label\n\"a\"b,1\n", "line 2: letters follow a closing quote"},
        {"recording,label\n\"a\nb\",1\n\"c\nd\",9\n", "line 4: label \"9\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(f, cases[i].text);
        sp_paths_reader *p = (sp_paths_reader *)f;
        sp_error err = {0};
        assert_int_equal(open_text(f->file, f->model, NULL, &p, &err), SP_EDATA);
        assert_ptr_equal(p, f);
        assert_non_null(strstr(err.message, f->file));
        if (!strstr(err.message, cases[i].part))
            fail_msg("%s: %s", cases[i].text, err.message);
    }
    sp_paths_reader *p = NULL;
    sp_error err = {0};
    assert_int_equal(open_text("/nowhere/x.csv", f->model, NULL, &p, &err), SP_EFILE);
    put(f, "\x89HDF\r\n\x1a\n....");
    assert_int_equal(open_text(f->file, f->model, NULL, &p, &err), SP_EFILE);
    assert_non_null(strstr(err.message, "is an HDF5 file, not a text file of steps"));
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

/* Names that a spreadsheet would take for formulas are written with an apostrophe (test_report_tables.c), and read without. */
static void test_formulas(void **state)
{
    const char *const ids[] = {"=1+1", "+a",       "-1", "@SUM(A1)", "\tx",    "'=x",
                               "''-1", "'quoted'", "'",  "a=b",      "-,\"x\""};
    const char *const cells[] = {"'=1+1",    "'+a", "'-1", "'@SUM(A1)",       "'\tx", "''=x", "'''-1",
                                 "'quoted'", "'",   "a=b", "\"'-,\"\"x\"\"\""};
    enum { N = sizeof ids / sizeof *ids };
    char text[512] = "recording,label\r\n";
    int64_t offsets[N + 1] = {0};
    int32_t labels[N] = {0};
    for (int i = 0; i < N; i++) {
        const size_t before = strlen(text);
        snprintf(text + before, sizeof text - before, "%s,Wake\r\n", cells[i]);
        offsets[i + 1] = i + 1;
    }
    assert_reads(*state, text, N, ids, offsets, labels);
}

/* As labels: a source like any other, whose format has neither scores nor raters nor the length of a step. */
static void test_as_labels(void **state)
{
    folder *f = *state;
    sp_source *source = NULL;
    sp_error err = {0};
    put(f, "recording,label\na_1,Wake\na_1,N2\na_2,N1\nb_1,-1\n");
    sp_source_options options = {.model = f->model};
    assert_ok(sp_source_open(f->file, &options, &source, &err), &err);
    const sp_source_info *info = sp_source_info_of(source);
    assert_true(info->has_labels && !info->has_scores && info->has_ids);
    assert_int_equal(info->n_recordings, 3);
    assert_int_equal(info->n_classes, 3);
    sp_block *block = sp_block_new();
    static const int32_t labels[] = {0, 2, 1, -1};
    assert_ok(sp_source_read(source, 0, 3, SP_BLOCK_LABELS | SP_BLOCK_SCORES, block, &err), &err);
    assert_memory_equal(block->labels, labels, sizeof labels);
    assert_null(block->scores);
    assert_ok(sp_source_read_steps(source, 0, 1, 1, SP_BLOCK_LABELS, block, &err), &err);
    assert_int_equal(block->labels[0], 2);
    assert_int_equal(sp_source_read(source, 2, 2, SP_BLOCK_LABELS, block, &err), SP_EINVAL);
    sp_block_free(block);
    sp_source_close(source);
    char *text = NULL, groups[] = "prefix:_";
    sp_file_recordings r;
    sp_run_options o = sp_run_options_default();
    assert_ok(sp_model_to_json(f->model, &text, &err), &err);
    o.model_text = text;
    o.groups = groups;
    assert_ok(sp_file_recordings_open(&r, f->file, &o, false, &err), &err);
    assert_true(r.epoch_seconds == 0);
    assert_int_equal(r.recordings.n_raters, 0);
    assert_string_equal(r.recordings.subjects[0], r.recordings.subjects[1]);
    assert_string_not_equal(r.recordings.subjects[1], r.recordings.subjects[2]);
    sp_file_recordings_close(&r);
    free(text);
    source = NULL;
    options.needs_scores = true;
    assert_int_equal(sp_source_open(f->file, &options, &source, &err), SP_EDATA);
    assert_null(source);
    assert_non_null(strstr(err.message, "names no columns of classes"));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reads),
                                       cmocka_unit_test(test_reads_other_texts),
                                       cmocka_unit_test(test_endings),
                                       cmocka_unit_test(test_reads_codes),
                                       cmocka_unit_test(test_many_recordings),
                                       cmocka_unit_test(test_undecoded_and_name),
                                       cmocka_unit_test(test_refuses),
                                       cmocka_unit_test(test_any_bytes),
                                       cmocka_unit_test(test_formulas),
                                       cmocka_unit_test(test_as_labels),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
