/* Files of paths: written, read back, read by h5py; replaced all at once or not at all; those of other programs. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "statepath/files.h"

#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs write whole results; here something is left out, comes late or in another order. */
#include "io/paths_writer.h"

enum { N = 4, S = 10, K = 5, N_STRATEGIES = 2 };
static const int64_t offsets[N + 1] = {0, 3, 3, 8, 10};
static const char *const strategies[] = {"viterbi", "argmax"};
static const char *const ids[] = {"night 1", "night 2", "Nächte", "n4"};
static const char *const classes[] = {"W", "N1", "N2", "N3", "R"};

static int32_t paths[N_STRATEGIES][S], labels[S];
static sp_decoded results[N_STRATEGIES][N];
static uint8_t broken[S];
static int64_t segments[S];
static float confidence[S];
static char *model;
static bool has_python;

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < N_STRATEGIES; i++) {
        for (int t = 0; t < S; t++)
            paths[i][t] = (3 * t + i) % K;
        for (int n = 0; n < N; n++)
            results[i][n] = (sp_decoded){.status = SP_OK, .step = -1, .n_broken = n, .score = -1.25 * n - i};
    }
    for (int t = 3; t < 8; t++)
        paths[0][t] = -1;
    results[0][2].status = SP_ENOPATH;
    results[0][2].score = -INFINITY;
    results[0][1].status = SP_EDEADEND;
    for (int t = 0; t < S; t++) {
        labels[t] = t % 6 - 1;
        segments[t] = t / 4 + (INT64_C(1) << 40);
        broken[t] = t % 2;
        confidence[t] = (float)t / 16;
    }
    model = malloc(200001);
    assert_non_null(model);
    memset(model, 'x', 200000);
    model[200000] = '\0';
    made_folder();
    has_python = made_by_script(SOURCE_DIR "/tests/support/make_path_files.py", NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(model);
    made_folder_remove();
    return 0;
}

static const sp_paths_extra extras[] = {{"/margins/viterbi", SP_PATHS_F32, true, 0, 0},
                                        {"/nbest/scores", SP_PATHS_F64, false, 2, 0},
                                        {"/nbest/more", SP_PATHS_I32, false, 2, 3}};

static sp_paths_header header_usual(void)
{
    return (sp_paths_header){.n_strategies = N_STRATEGIES,
                             .strategies = strategies,
                             .n_recordings = N,
                             .n_steps = S,
                             .offsets = offsets,
                             .n_classes = K,
                             .ids = ids,
                             .classes = classes,
                             .with_labels = true,
                             .with_segments = true,
                             .with_broken = true,
                             .with_confidence = true,
                             .command = "statepath decode a.h5",
                             .model_json = model,
                             .input = "somewhere/ä.h5",
                             .input_size = 12345,
                             .n_extras = 3,
                             .extras = extras};
}

/* Writes recordings first .. first+count-1 of everything. */
static sp_status add(sp_paths_writer *writer, int64_t first, int64_t count, sp_error *err)
{
    const int64_t at = offsets[first], n = offsets[first + count] - at;
    sp_status status = SP_OK;
    for (int32_t i = 0; status == SP_OK && i < N_STRATEGIES; i++) {
        const sp_decode_output output = {.paths = paths[i] + at,
                                         .results = results[i] + first,
                                         .broken = i == 0 ? broken + at : NULL,
                                         .confidence = confidence + at};
        status = sp_paths_writer_add(writer, i, first, count, at, n, &output, err);
    }
    if (status == SP_OK)
        status = sp_paths_writer_add_labels(writer, at, n, labels + at, segments + at, err);
    if (status == SP_OK)
        status = sp_paths_writer_put(writer, 0, 0, at, n, confidence + at, err);
    for (int64_t row = 0; status == SP_OK && row < 2; row++)
        for (int64_t r = first; status == SP_OK && r < first + count; r++) {
            const double value = (double)(100 * row + r);
            const int32_t three[] = {(int32_t)row, (int32_t)r, 7};
            status = sp_paths_writer_put(writer, 1, row, r, 1, &value, err);
            if (status == SP_OK)
                status = sp_paths_writer_put(writer, 2, row, r, 1, three, err);
        }
    return status;
}

static sp_status write_file(const char *file, const sp_paths_header *header, sp_error *err)
{
    sp_paths_writer *writer = NULL;
    sp_status status = sp_paths_writer_open(file, header, &writer, err);
    if (status != SP_OK)
        return status;
    status = add(writer, 2, 2, err); /* in any order */
    if (status == SP_OK)
        status = add(writer, 0, 2, err);
    if (status != SP_OK) {
        sp_paths_writer_abort(writer);
        return status;
    }
    return sp_paths_writer_commit(writer, err);
}

/* How many files the folder holds, and nothing temporary among them. */
static int count_files(const char *folder)
{
    DIR *all = opendir(folder);
    assert_non_null(all);
    int n = 0;
    for (struct dirent *one; (one = readdir(all));) {
        assert_null(strstr(one->d_name, ".tmp"));
        n++;
    }
    closedir(all);
    return n;
}

static char *content(const char *file, long *size)
{
    FILE *stream = fopen(file, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    *size = ftell(stream);
    rewind(stream);
    char *bytes = malloc((size_t)*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)*size, stream), *size);
    bytes[*size] = '\0';
    fclose(stream);
    return bytes;
}

static void check_content(const char *file, const char *text)
{
    long size;
    char *bytes = content(file, &size);
    assert_string_equal(bytes, text);
    free(bytes);
}

static void test_round_trip(void **state)
{
    (void)state;
    sp_error err;
    const sp_paths_header header = header_usual();
    const char *file = made_path("paths.h5");
    stderr_watch();
    sp_status status = write_file(file, &header, &err);
    assert_stderr_empty();
    assert_ok(status, &err);
    assert_h5_closed();

    sp_paths_reader *reader = NULL;
    assert_ok(sp_paths_reader_open(file, NULL, NULL, &reader, &err), &err);
    const sp_paths_info *info = sp_paths_reader_info(reader);
    assert_int_equal(info->n_strategies, N_STRATEGIES);
    assert_int_equal(info->n_recordings, N);
    assert_int_equal(info->n_steps, S);
    assert_int_equal(info->n_classes, K);
    assert_memory_equal(info->offsets, offsets, sizeof offsets);
    for (int i = 0; i < N; i++)
        assert_string_equal(info->ids[i], ids[i]);
    for (int k = 0; k < K; k++)
        assert_string_equal(info->classes[k], classes[k]);
    assert_string_equal(info->model_json, model);
    assert_string_equal(info->input, "somewhere/ä.h5");
    assert_true(info->has_labels && info->has_segments);
    int32_t path[S], label[S];
    sp_decoded result[N];
    int64_t segment[S];
    for (int32_t i = 0; i < N_STRATEGIES; i++) {
        assert_string_equal(info->strategies[i],
                            strategies[i]); /* in the order of writing, not of the alphabet */
        assert_true(info->has_path_scores[i]);
        for (int64_t first = 0; first < N; first++)
            for (int64_t count = 0; first + count <= N; count++) {
                assert_ok(sp_paths_reader_read(reader, i, first, count, path, result, &err), &err);
                assert_memory_equal(path, paths[i] + offsets[first],
                                    (size_t)(offsets[first + count] - offsets[first]) * 4);
                for (int64_t n = 0; n < count; n++) {
                    assert_int_equal(result[n].status, results[i][first + n].status);
                    assert_int_equal(result[n].n_broken, results[i][first + n].n_broken);
                    assert_int_equal(result[n].step, -1);
                    assert_true(result[n].score == results[i][first + n].score);
                }
            }
        assert_ok(sp_paths_reader_read(reader, i, 0, N, NULL, result, &err), &err);
        assert_int_equal(result[2].status, results[i][2].status);
    }
    assert_ok(sp_paths_reader_labels(reader, 1, 2, label, segment, &err), &err);
    assert_memory_equal(label, labels + 3, 5 * sizeof *label);
    assert_memory_equal(segment, segments + 3, 5 * sizeof *segment);
    assert_int_equal(sp_paths_reader_read(reader, 0, 3, 2, path, result, &err), SP_EINVAL);
    sp_source_close(reader);
    sp_source_close(NULL);
    assert_h5_closed();

    /* It is also a file of labels. */
    sp_source *source = NULL;
    sp_source_options options = sp_source_options_default();
    options.needs_scores = false;
    assert_ok(sp_source_open(file, &options, &source, &err), &err);
    assert_int_equal(sp_source_info_of(source)->n_classes, K);
    assert_true(sp_source_info_of(source)->has_labels && !sp_source_info_of(source)->has_scores);
    sp_source_close(source);

    if (!made_by_script(SOURCE_DIR "/tests/support/check_paths.py", sp_version()))
        print_message("h5py is missing: the file is not checked with it\n");
}

static void test_same_bytes(void **state)
{
    (void)state;
    sp_error err;
    const sp_paths_header header = header_usual();
    assert_ok(write_file(made_path("same1.h5"), &header, &err), &err);
    sleep(1); /* HDF5 likes to note the second in which a dataset was made */
    assert_ok(write_file(made_path("same2.h5"), &header, &err), &err);
    long n1, n2;
    char *one = content(made_path("same1.h5"), &n1), *two = content(made_path("same2.h5"), &n2);
    assert_int_equal(n1, n2);
    assert_memory_equal(one, two, (size_t)n1);
    free(one);
    free(two);
}

/* More classes than int16 holds, more steps than one piece, nothing optional. */
static void test_large(void **state)
{
    (void)state;
    enum { STEPS = 100003, MANY = 40000 };
    const int64_t cuts[] = {0, 70001, STEPS};
    const char *const one[] = {"greedy"};
    const int32_t n_classes[] = {MANY, 300};
    int32_t *path = malloc(STEPS * sizeof *path), *back = malloc(STEPS * sizeof *back);
    assert_true(path && back);
    for (int i = 0; i < 2; i++) {
        for (int64_t t = 0; t < STEPS; t++)
            path[t] = (int32_t)((t * 7919) % (n_classes[i] + 1)) - 1;
        sp_decoded result[2] = {{.status = SP_OK, .score = -3}, {.status = SP_OK, .score = -4}};
        const sp_decode_output output = {.paths = path, .results = result};
        const sp_paths_header header = {.n_strategies = 1,
                                        .strategies = one,
                                        .n_recordings = 2,
                                        .n_steps = STEPS,
                                        .offsets = cuts,
                                        .n_classes = n_classes[i],
                                        .force = true};
        sp_paths_writer *writer = NULL;
        sp_paths_reader *reader = NULL;
        sp_error err;
        assert_ok(sp_paths_writer_open(made_path("large.h5"), &header, &writer, &err), &err);
        assert_ok(sp_paths_writer_add(writer, 0, 0, 2, 0, STEPS, &output, &err), &err);
        assert_ok(sp_paths_writer_commit(writer, &err), &err);
        struct stat info;
        assert_int_equal(stat(made_path("large.h5"), &info), 0);
        assert_in_range(info.st_size, STEPS * (i ? 2 : 4), STEPS * (i ? 2 : 4) + 20000);
        assert_ok(sp_paths_reader_open(made_path("large.h5"), NULL, NULL, &reader, &err), &err);
        assert_int_equal(sp_paths_reader_info(reader)->n_classes, 0);
        assert_null(sp_paths_reader_info(reader)->model_json);
        assert_ok(sp_paths_reader_read(reader, 0, 0, 2, back, result, &err), &err);
        assert_memory_equal(path, back, STEPS * sizeof *path);
        assert_int_equal(sp_paths_reader_labels(reader, 0, 2, back, NULL, &err), SP_EDATA);
        sp_source_close(reader);
    }
    free(path);
    free(back);
    assert_h5_closed();
}

static void test_nothing_at_all(void **state)
{
    (void)state;
    const int64_t none[] = {0};
    const char *const one[] = {"viterbi"};
    const sp_paths_header header = {
        .n_strategies = 1, .strategies = one, .offsets = none, .n_classes = 3, .with_labels = true};
    sp_paths_writer *writer = NULL;
    sp_paths_reader *reader = NULL;
    sp_error err;
    assert_ok(sp_paths_writer_open(made_path("none.h5"), &header, &writer, &err), &err);
    assert_ok(sp_paths_writer_commit(writer, &err), &err);
    assert_ok(sp_paths_reader_open(made_path("none.h5"), NULL, NULL, &reader, &err), &err);
    assert_int_equal(sp_paths_reader_info(reader)->n_recordings, 0);
    assert_int_equal(sp_paths_reader_info(reader)->n_steps, 0);
    sp_source_close(reader);
}

static void test_old_file_stays(void **state)
{
    (void)state;
    sp_error err;
    sp_paths_header header = header_usual();
    const char *file = made_path("old.h5");
    assert_ok(sp_text_save(file, "old", false, &err), &err);
    const int n = count_files(made_path(""));

    assert_int_equal(write_file(file, &header, &err), SP_EFILE);
    assert_sentence(err.message, "FILE: exists already; use `force` to replace it", file);
    check_content(file, "old");

    sp_paths_writer *writer = NULL;
    header.force = true;
    assert_ok(sp_paths_writer_open(file, &header, &writer, &err), &err);
    check_content(file, "old"); /* also while the new one is being written */
    assert_ok(add(writer, 0, 1, &err), &err);
    sp_paths_writer_abort(writer);
    sp_paths_writer_abort(NULL);
    check_content(file, "old");
    assert_int_equal(count_files(made_path("")), n);

    assert_ok(sp_paths_writer_open(file, &header, &writer, &err), &err);
    assert_ok(add(writer, 0, 2, &err), &err);
    assert_int_equal(sp_paths_writer_commit(writer, &err), SP_EINVAL);
    assert_sentence(err.message,
                    "FILE: /paths/viterbi is not complete, 3 of 10 values were written; the file is given up",
                    file);
    check_content(file, "old");
    assert_int_equal(count_files(made_path("")), n);

    /* A file that appears while we write is not lost either. */
    header.force = false;
    const char *later = made_path("later.h5");
    assert_ok(sp_paths_writer_open(later, &header, &writer, &err), &err);
    assert_ok(add(writer, 0, N, &err), &err);
    assert_ok(sp_text_save(later, "mine", false, &err), &err);
    assert_int_equal(sp_paths_writer_commit(writer, &err), SP_EFILE);
    assert_sentence(err.message, "FILE: was made by another program meanwhile; use `force` to replace it",
                    later);
    check_content(later, "mine");
    assert_int_equal(count_files(made_path("")), n + 1);

    header.force = true;
    assert_ok(write_file(file, &header, &err), &err);
    assert_int_equal(count_files(made_path("")), n + 1);
}

static void test_input_is_never_written(void **state)
{
    (void)state;
    sp_error err;
    sp_paths_header header = header_usual();
    const char *input = made_path("input.h5"), *soft = made_path("soft.h5"), *hard = made_path("hard.h5");
    assert_ok(sp_text_save(input, "scores", false, &err), &err);
    assert_int_equal(symlink("input.h5", soft), 0);
    assert_int_equal(link(input, hard), 0);
    header.input = input;
    header.force = true;
    const char *const names[] = {input, soft, hard};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(write_file(names[i], &header, &err), SP_EINVAL);
        assert_sentence(err.message,
                        "FILE: is the input file, which is never written to; give the output another name",
                        names[i]);
    }
    check_content(input, "scores");

    /* Any other link stays a link, and what it points to is replaced. */
    header.input = NULL;
    assert_ok(write_file(soft, &header, &err), &err);
    struct stat info;
    assert_int_equal(lstat(soft, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    check_content(hard, "scores");
    sp_paths_reader *reader = NULL;
    assert_ok(sp_paths_reader_open(input, NULL, NULL, &reader, &err), &err);
    sp_source_close(reader);
}

static void test_places_that_cannot_be_written(void **state)
{
    (void)state;
    sp_error err;
    sp_paths_header header = header_usual();
    header.force = true;
    const char *file = made_path("no/such/paths.h5");
    assert_int_equal(write_file(file, &header, &err), SP_EFILE);
    assert_sentence(err.message, "FILE: cannot be written, there is no folder *; make it first", file);
    assert_int_equal(write_file(made_path(""), &header, &err), SP_EFILE);
    assert_sentence(err.message, "FILE: is the name of a folder; give the name of a file", made_path(""));
    assert_int_equal(write_file("/", &header, &err), SP_EFILE);
    assert_int_equal(write_file("", &header, &err), SP_EINVAL);
    assert_int_equal(write_file("/dev/null", &header, &err), SP_EFILE);
    assert_sentence(err.message, "FILE: is not an ordinary file; give the name of a file", "/dev/null");
    const char *const twice[] = {"beam", "beam"};
    header.strategies = twice;
    assert_int_equal(write_file(made_path("twice.h5"), &header, &err), SP_EINVAL);
    assert_sentence(
        err.message,
        "FILE: two strategies are called beam, but /paths/beam can hold only one; write them to two files",
        made_path("twice.h5"));
    assert_int_equal(access(made_path("twice.h5"), F_OK), -1);
}

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A disk that fills up, played by the limit on the size of files. */
static void test_no_room(void **state)
{
    (void)state;
    sp_error err;
    sp_paths_header header = header_usual();
    header.force = true;
    const char *file = made_path("full.h5");
    assert_ok(sp_text_save(file, "old", false, &err), &err);
    const int n = count_files(made_path(""));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    stderr_watch();
    limit_file_size(100);
    sp_status at_once = write_file(file, &header, &err);
    limit_file_size(before.rlim_cur);

    sp_error err_later;
    sp_paths_writer *writer = NULL;
    sp_status opened = sp_paths_writer_open(file, &header, &writer, &err_later);
    limit_file_size(100);
    sp_status later = opened == SP_OK ? add(writer, 0, N, &err_later) : opened;
    if (later == SP_OK) /* little is written when all is there */
        later = sp_paths_writer_commit(writer, &err_later);
    else
        sp_paths_writer_abort(writer);
    limit_file_size(before.rlim_cur);
    assert_stderr_empty();

    const char *sentence =
        "FILE: cannot be written, the file would be larger than allowed here (File too large); the old file "
        "is untouched; see ulimit -f";
    assert_int_equal(at_once, SP_EFILE);
    assert_sentence(err.message, sentence, file);
    assert_int_equal(opened, SP_OK);
    assert_int_equal(later, SP_EFILE);
    assert_sentence(err_later.message, sentence, file);
    check_content(file, "old");
    assert_int_equal(count_files(made_path("")), n);
    assert_h5_closed();

    /* More than any disk holds. */
    const int64_t far[] = {0, INT64_C(1) << 45};
    const sp_paths_header huge = {.n_strategies = 1,
                                  .strategies = strategies,
                                  .n_recordings = 1,
                                  .n_steps = far[1],
                                  .offsets = far,
                                  .n_classes = 3,
                                  .force = true};
    assert_int_equal(sp_paths_writer_open(file, &huge, &writer, &err), SP_EFILE);
    check_content(file, "old");
    assert_int_equal(count_files(made_path("")), n);
}

static void test_mode_honours_umask(void **state)
{
    (void)state;
    sp_error err;
    const sp_paths_header header = header_usual();
    mode_t before = umask(027);
    sp_status status = write_file(made_path("mode.h5"), &header, &err);
    umask(before);
    assert_ok(status, &err);
    struct stat info;
    assert_int_equal(stat(made_path("mode.h5"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

/* ---- files of other programs ---- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void check_integers(const json_t *wanted, const int32_t *found, int64_t n)
{
    assert_int_equal(json_array_size(wanted), n);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(found[i], json_integer_value(json_array_get(wanted, (size_t)i)));
}

static void check_reader(sp_paths_reader *reader, const json_t *expect)
{
    const sp_paths_info *info = sp_paths_reader_info(reader);
    const json_t *names = json_object_get(expect, "strategies"), *cuts = json_object_get(expect, "offsets");
    const json_t *undecoded = json_object_get(expect, "undecoded"),
                 *wanted_classes = json_object_get(expect, "classes");
    sp_error err;
    int32_t values[64];
    sp_decoded found[16];
    assert_int_equal(info->n_strategies, json_array_size(names));
    assert_int_equal(info->n_recordings, json_array_size(cuts) - 1);
    for (int64_t n = 0; n < info->n_recordings; n++) {
        assert_int_equal(info->offsets[n + 1], json_integer_value(json_array_get(cuts, (size_t)n + 1)));
        assert_string_equal(info->ids[n],
                            json_string_value(json_array_get(json_object_get(expect, "ids"), (size_t)n)));
    }
    assert_int_equal(info->n_classes, json_array_size(wanted_classes));
    for (int32_t k = 0; k < info->n_classes; k++)
        assert_string_equal(info->classes[k], json_string_value(json_array_get(wanted_classes, (size_t)k)));
    for (int32_t i = 0; i < info->n_strategies; i++) {
        assert_string_equal(info->strategies[i], json_string_value(json_array_get(names, (size_t)i)));
        assert_false(info->has_path_scores[i]);
        assert_ok(sp_paths_reader_read(reader, i, 0, info->n_recordings, values, found, &err), &err);
        check_integers(json_array_get(json_object_get(expect, "values"), (size_t)i), values, info->n_steps);
        for (int64_t n = 0; n < info->n_recordings; n++) {
            bool is_undecoded =
                json_integer_value(json_array_get(json_array_get(undecoded, (size_t)i), (size_t)n)) == 1;
            assert_int_equal(found[n].status, is_undecoded ? SP_ENOPATH : SP_OK);
            assert_true(found[n].score == 0);
        }
    }
    assert_int_equal(info->has_labels, json_is_array(json_object_get(expect, "labels")));
    if (info->has_labels) {
        assert_ok(sp_paths_reader_labels(reader, 0, info->n_recordings, values, NULL, &err), &err);
        check_integers(json_object_get(expect, "labels"), values, info->n_steps);
    }
}

/* Opens and reads all strategies: the first error of either. */
static sp_status open_and_read(const char *file, const char *place, const sp_source_options *places,
                               sp_error *err)
{
    sp_paths_reader *reader = NULL;
    sp_status status = sp_paths_reader_open(file, place, places, &reader, err);
    if (status != SP_OK) {
        assert_null(reader);
        return status;
    }
    const sp_paths_info *info = sp_paths_reader_info(reader);
    int32_t values[64];
    sp_decoded found[16];
    for (int32_t i = 0; status == SP_OK && i < info->n_strategies; i++)
        status = sp_paths_reader_read(reader, i, 0, info->n_recordings, values, found, err);
    sp_source_close(reader);
    return status;
}

static void test_foreign_files(void **state)
{
    (void)state;
    if (!has_python)
        skip();
    json_error_t error;
    json_t *cases = json_load_file(made_path("path_cases.json"), 0, &error), *item;
    assert_non_null(cases);
    size_t i, n = 0;
    json_array_foreach(cases, i, item)
    {
        const char *file = made_path(text_of(item, "file")), *place = text_of(item, "paths");
        sp_source_options places = sp_source_options_default();
        places.labels = text_of(json_object_get(item, "places"), "labels");
        sp_error err = {0};
        print_message("%s %s\n", text_of(item, "file"), place ? place : "");
        if (text_of(item, "message")) {
            stderr_watch();
            sp_status status = open_and_read(file, place, &places, &err);
            assert_stderr_empty();
            assert_string_equal(sp_status_name(status), text_of(item, "status"));
            assert_sentence(err.message, text_of(item, "message"), file);
        } else {
            sp_paths_reader *reader = NULL;
            assert_ok(sp_paths_reader_open(file, place, &places, &reader, &err), &err);
            check_reader(reader, json_object_get(item, "expect"));
            sp_source_close(reader);
        }
        assert_h5_closed();
        n++;
    }
    json_decref(cases);
    assert_true(n >= 19);
}

/* ---- lack of memory ---- */

static sp_status attempt_write(void *arg)
{
    sp_error err;
    sp_paths_header header = header_usual();
    header.force = true;
    return write_file(arg, &header, &err);
}

static sp_status attempt_read(void *arg)
{
    sp_error err;
    return open_and_read(arg, NULL, NULL, &err);
}

static sp_status attempt_read_foreign(void *arg)
{
    sp_error err;
    return open_and_read(arg, "/recordings/{id}/pred_Net", NULL, &err);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    char file[4096];
    snprintf(file, sizeof file, "%s", made_path("memory.h5"));
    assert_true(assert_each_alloc_may_fail(attempt_write, file) > 10);
    const int n = count_files(made_path(""));
    assert_true(assert_each_alloc_may_fail(attempt_read, file) > 10);
    assert_int_equal(count_files(made_path("")), n);
    if (has_python) {
        snprintf(file, sizeof file, "%s", made_path("nights.h5"));
        assert_true(assert_each_alloc_may_fail(attempt_read_foreign, file) > 10);
    }
    assert_h5_closed();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_nothing_at_all),
        cmocka_unit_test(test_old_file_stays),
        cmocka_unit_test(test_input_is_never_written),
        cmocka_unit_test(test_places_that_cannot_be_written),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_mode_honours_umask),
        cmocka_unit_test(test_foreign_files),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
