/* Files of paths, beside what tests/laws/test_format_law.py and cli/reports/test_outputs.py reach: blocks of
 * any recordings are read, the bytes are the same in every run, a file that appears meanwhile is kept, and each
 * allocation of writing and reading may fail. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "statepath/files.h"
#include "statepath/pipeline_file.h"

#include <dirent.h>
#include <unistd.h>

enum { N = 4, S = 11, K = 3 };
static const int64_t offsets[N + 1] = {0, 3, 4, 9, 11};
static const char *const ids[N] = {"night 1", "night 2", "Nächte", "n4"};
static const char *const strategies[] = {"argmax", "viterbi"};
static int32_t path[S], labels[S];
static int64_t segments[S];

/* Scores whose greatest class is known, as a table of text; the rules allow everything. */
static int setup(void **state)
{
    (void)state;
    char text[2048] = "recording,label,segment,a,b,c\n";
    sp_error err;
    made_folder();
    for (int n = 0, t = 0; n < N; n++)
        for (; t < offsets[n + 1]; t++) {
            const size_t used = strlen(text);
            path[t] = (3 * t + n) % K;
            labels[t] = t % 4 - 1;
            segments[t] = t / 3 + (INT64_C(1) << 40);
            snprintf(text + used, sizeof text - used, "%s,%d,%lld,%s,%s,%s\n", ids[n], labels[t],
                     (long long)segments[t], path[t] == 0 ? "0.8" : "0.1", path[t] == 1 ? "0.8" : "0.1",
                     path[t] == 2 ? "0.8" : "0.1");
        }
    assert_ok(sp_text_save(made_path("nights.csv"), text, false, &err), &err);
    assert_ok(sp_text_save(made_path("m.json"),
                           "{\"statepath_model\": 1, \"classes\": [\"a\", \"b\", \"c\"], \"forbid\": {}}",
                           false, &err),
              &err);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    made_folder_remove();
    return 0;
}

static sp_status write_file(const char *file, bool force, sp_error *err)
{
    char model[4096], output[4096], listed[] = "argmax,viterbi";
    sp_run_options o = sp_run_options_default();
    sp_run_result result = {.n_undecoded = 0};
    snprintf(model, sizeof model, "%s", made_path("m.json"));
    snprintf(output, sizeof output, "%s", file);
    o.model = model;
    o.output = output;
    o.strategies = listed;
    o.force = force;
    o.decode.threads = 1;
    return sp_decode_file(made_path("nights.csv"), &o, &result, err);
}

static void test_blocks(void **state)
{
    (void)state;
    sp_error err;
    sp_paths_reader *reader = NULL;
    int32_t found[S], label[S];
    int64_t segment[S];
    sp_decoded results[N];
    assert_ok(write_file(made_path("paths.h5"), false, &err), &err);
    stderr_watch();
    sp_status status = sp_paths_reader_open(made_path("paths.h5"), NULL, NULL, &reader, &err);
    assert_stderr_empty();
    assert_ok(status, &err);
    const sp_paths_info *info = sp_paths_reader_info(reader);
    assert_true(info->n_strategies == 2 && info->n_recordings == N && info->n_steps == S &&
                info->n_classes == K);
    assert_true(info->has_ids && info->has_labels && info->has_segments && info->model_json);
    assert_memory_equal(info->offsets, offsets, sizeof offsets);
    assert_string_equal(info->input, made_path("nights.csv"));
    for (int n = 0; n < N; n++)
        assert_string_equal(info->ids[n], ids[n]);
    for (int32_t i = 0; i < 2; i++) {
        assert_string_equal(info->strategies[i], strategies[i]);
        assert_true(info->has_path_scores[i]);
        for (int64_t first = 0; first < N; first++)
            for (int64_t count = 0; first + count <= N; count++) {
                const size_t n = (size_t)(offsets[first + count] - offsets[first]);
                assert_ok(sp_paths_reader_read(reader, i, first, count, found, results, &err), &err);
                assert_memory_equal(found, path + offsets[first], n * sizeof *found);
                for (int64_t r = 0; r < count; r++) {
                    const int64_t length = offsets[first + r + 1] - offsets[first + r];
                    assert_true(results[r].status == SP_OK && results[r].step == -1);
                    assert_close(results[r].score, (double)length * log(0.8), 1e-12, 0);
                }
                assert_ok(sp_paths_reader_labels(reader, first, count, label, segment, &err), &err);
                assert_memory_equal(label, labels + offsets[first], n * sizeof *label);
                assert_memory_equal(segment, segments + offsets[first], n * sizeof *segment);
            }
        assert_ok(sp_paths_reader_read(reader, i, 0, N, NULL, results, &err), &err);
        assert_ok(sp_paths_reader_read(reader, i, 0, N, found, NULL, &err), &err);
    }
    assert_int_equal(sp_paths_reader_read(reader, 0, 3, 2, found, results, &err), SP_EINVAL);
    sp_source_close(reader);
    sp_source_close(NULL);
    assert_h5_closed();
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
    fclose(stream);
    return bytes;
}

static void test_same_bytes(void **state)
{
    (void)state;
    sp_error err;
    long n1, n2;
    assert_ok(write_file(made_path("same1.h5"), false, &err), &err);
    sleep(1); /* HDF5 likes to note the second in which a dataset was made */
    assert_ok(write_file(made_path("same2.h5"), false, &err), &err);
    char *one = content(made_path("same1.h5"), &n1), *two = content(made_path("same2.h5"), &n2);
    assert_int_equal(n1, n2);
    assert_memory_equal(one, two, (size_t)n1);
    free(one);
    free(two);
}

/* A file of scores that is being written while another program makes one of its name: that one is kept. */
static void test_made_meanwhile(void **state)
{
    (void)state;
    const char *file = made_path("later.h5");
    const int64_t none[] = {0};
    const sp_scores_header header = {
        .kind = SP_KIND_LOGITS, .dtype = SP_F32, .n_classes = K, .offsets = none, .force = false};
    sp_scores_writer *writer = NULL;
    sp_error err;
    long size;
    assert_ok(sp_scores_writer_open(file, &header, &writer, &err), &err);
    assert_ok(sp_text_save(file, "mine", false, &err), &err);
    assert_int_equal(sp_scores_writer_commit(writer, &err), SP_EFILE);
    assert_sentence(err.message, "FILE: was made by another program meanwhile; use `force` to replace it",
                    file);
    char *bytes = content(file, &size);
    assert_true(size == 4 && !memcmp(bytes, "mine", 4));
    free(bytes);
}

/* ---- lack of memory ---- */

static int count_files(void)
{
    DIR *all = opendir(made_path(""));
    assert_non_null(all);
    int n = 0;
    for (struct dirent *one; (one = readdir(all)); n++)
        assert_null(strstr(one->d_name, ".tmp"));
    closedir(all);
    return n;
}

static sp_status attempt_write(void *file)
{
    sp_error err;
    return write_file(file, true, &err);
}

static sp_status attempt_read(void *file)
{
    sp_paths_reader *reader = NULL;
    int32_t found[S];
    sp_decoded results[N];
    sp_status status = sp_paths_reader_open(file, NULL, NULL, &reader, NULL);
    for (int32_t i = 0; status == SP_OK && i < 2; i++)
        status = sp_paths_reader_read(reader, i, 0, N, found, results, NULL);
    sp_source_close(reader);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    char file[4096];
    for (int is_npz = 0; is_npz < 2; is_npz++) {
        snprintf(file, sizeof file, "%s", made_path(is_npz ? "memory.npz" : "memory.h5"));
        assert_true(assert_each_alloc_may_fail_or_not_matter(attempt_write, file) > 50);
        const int n = count_files();
        assert_true(assert_each_alloc_may_fail(attempt_read, file) > 10);
        assert_int_equal(count_files(), n);
        assert_h5_closed();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks), cmocka_unit_test(test_same_bytes),
                                       cmocka_unit_test(test_made_meanwhile),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
