/* Sources: the files of the law of formats (tests/support/formats.py) are read in blocks of every size; what
 * the program does not reach: allocations that fail, HDF5's own error handler, locks, permissions, many groups.
 * Faulty files are in tests/laws/test_faulty_*.py. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "statepath/files.h"
#include "statepath/model_json.h"

#include <fcntl.h>
#include <hdf5.h>
#include <jansson.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static json_t *table; /* of cases, and what is in their recordings; NULL: h5py is missing */
static sp_model *model;

static int setup(void **state)
{
    (void)state;
    sp_error err;
    made_folder();
    assert_ok(sp_model_load("sleep-aasm", &model, &err), &err);
    if (made_by_script(SOURCE_DIR "/tests/support/formats.py", NULL)) {
        json_error_t error;
        table = json_load_file(made_path("cases.json"), 0, &error);
        if (!table)
            fail_msg("cases.json: %s", error.text);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    json_decref(table);
    sp_model_free(model);
    made_folder_remove();
    return 0;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Its files but the first go into `more`, which is NULL at its end. */
static sp_source_options options_of(const json_t *one, const char *more[8])
{
    const json_t *given = json_object_get(one, "options"), *files = json_object_get(one, "files");
    sp_source_options options = sp_source_options_default();
    size_t n = json_array_size(files);
    options.scores = text_of(given, "scores");
    options.labels = text_of(given, "labels");
    options.model = model; /* for words */
    if (text_of(given, "gaps"))
        options.gaps = strcmp(text_of(given, "gaps"), "join") ? SP_GAPS_BREAK : SP_GAPS_JOIN;
    for (size_t i = 1; i <= n; i++)
        more[i - 1] = i < n ? json_string_value(json_array_get(files, i)) : NULL;
    options.more = more;
    return options;
}

static const char *file_of(const json_t *one)
{
    return json_string_value(json_array_get(json_object_get(one, "files"), 0));
}

static void check_info(const sp_source_info *info, const json_t *wanted)
{
    static const char *const parts[] = {"labels", "segments", "weights", "mask"};
    const bool has[] = {info->has_labels, info->has_segments, info->has_weights, info->has_mask};
    const json_t *offsets = json_object_get(wanted, "offsets"), *ids = json_object_get(wanted, "ids"),
                 *classes = json_object_get(wanted, "classes");
    assert_int_equal(info->n_classes, 5);
    assert_int_equal(info->n_recordings, json_array_size(ids));
    for (size_t i = 0; i < json_array_size(ids); i++) {
        assert_string_equal(info->ids[i], json_string_value(json_array_get(ids, i)));
        assert_int_equal(info->offsets[i + 1], json_integer_value(json_array_get(offsets, i + 1)));
    }
    for (size_t k = 0; k < json_array_size(classes); k++)
        assert_string_equal(info->classes[k], json_string_value(json_array_get(classes, k)));
    assert_string_equal(sp_kind_name(info->kind), text_of(wanted, "kind"));
    for (size_t i = 0; i < 4; i++)
        if (has[i] != !json_is_null(json_object_get(wanted, parts[i])))
            fail_msg("%s: %d", parts[i], has[i]);
    assert_true(info->has_scores && info->n_steps == info->offsets[info->n_recordings] &&
                info->file_size > 0);
}

/* values[i] for i in 0 .. n-1 are the wanted ones from `first` on. */
#define ASSERT_VALUES(what, values, wanted, first, n)                                                        \
    do {                                                                                                     \
        const json_t *wanted_ = json_object_get(wanted, what);                                               \
        if (!json_is_array(wanted_)) {                                                                       \
            assert_null(values);                                                                             \
            break;                                                                                           \
        }                                                                                                    \
        assert_non_null(values);                                                                             \
        for (int64_t i_ = 0; i_ < (n); i_++) {                                                               \
            const double one_ = json_number_value(json_array_get(wanted_, (size_t)((first) + i_)));          \
            if ((double)(values)[i_] != one_)                                                                \
                fail_msg("%s %lld is %.17g, expected %.17g", what, (long long)i_, (double)(values)[i_],      \
                         one_);                                                                              \
        }                                                                                                    \
    } while (0)

static void check_block(const sp_block *block, const sp_source_info *info, int64_t first,
                        const json_t *wanted)
{
    const int64_t n = block->n_steps, at = info->offsets[first] + block->first_step;
    assert_int_equal(block->first, first);
    if (block->n_recordings > 0)
        assert_ptr_equal(block->ids[0], info->ids[first]);
    if (block->dtype == SP_F32)
        ASSERT_VALUES("scores", (float *)block->scores, wanted, at * 5, n * 5);
    else
        ASSERT_VALUES("scores", (double *)block->scores, wanted, at * 5, n * 5);
    ASSERT_VALUES("labels", block->labels, wanted, at, n);
    ASSERT_VALUES("weights", block->weights, wanted, at, n);
    ASSERT_VALUES("mask", block->mask, wanted, at * 5, n * 5);
    const json_t *segments = json_object_get(wanted, "segments");
    for (int64_t t = 1; json_is_array(segments) && t < n; t++) /* of any numbers */
        if (block->offsets[1] > t)
            assert_int_equal(block->segments[t] != block->segments[t - 1],
                             json_number_value(json_array_get(segments, (size_t)(at + t))) !=
                                 json_number_value(json_array_get(segments, (size_t)(at + t - 1))));
}

enum { ALL = SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS | SP_BLOCK_MASK };

/* Reads the whole file at once, in blocks of fewer recordings, backwards too, and a few steps of each. */
static void check_reading(sp_source *source, const json_t *wanted)
{
    const sp_source_info *info = sp_source_info_of(source);
    const int64_t n = info->n_recordings;
    sp_block *block = sp_block_new();
    sp_error err;
    for (int64_t size = n; size >= 0; size--)
        for (int64_t first = n - size; first >= 0; first--) {
            assert_ok(sp_source_read(source, first, size, ALL, block, &err), &err);
            assert_int_equal(block->n_recordings, size);
            check_block(block, info, first, wanted);
        }
    for (int64_t r = 0; r < n; r++)
        for (int64_t length = info->offsets[r + 1] - info->offsets[r], first = 0; first < length;
             first += 9) {
            const int64_t size = length - first < 7 ? length - first : 7;
            assert_ok(sp_source_read_steps(source, r, first, size, ALL, block, &err), &err);
            assert_true(block->n_recordings == 1 && block->n_steps == size && block->first_step == first);
            check_block(block, info, r, wanted);
        }
    assert_int_equal(sp_source_read_steps(source, 0, 1, info->offsets[1], ALL, block, &err), SP_EINVAL);
    assert_int_equal(sp_source_read_steps(source, n, 0, 0, ALL, block, &err), SP_EINVAL);
    assert_int_equal(sp_source_read(source, 0, n + 1, ALL, block, &err), SP_EINVAL);
    assert_ok(sp_source_read(source, 0, n, 0, block, &err), &err);
    assert_true(!block->scores && !block->labels && block->first_step == 0);
    sp_block_free(block);
}

static void test_every_case(void **state)
{
    (void)state;
    size_t i, n = 0;
    json_t *one;
    if (!table)
        skip();
    json_array_foreach(json_object_get(table, "cases"), i, one)
    {
        const json_t *wanted = json_object_get(json_object_get(table, "contents"), text_of(one, "content"));
        const char *more[8], *labels = text_of(json_object_get(one, "options"), "labels");
        sp_source_options options = options_of(one, more);
        sp_source *source = NULL;
        sp_error err;
        if (labels && strchr(labels, '.')) /* in files of their own, which are another source */
            continue;
        print_message("%s\n", text_of(one, "case"));
        stderr_watch();
        sp_status status = sp_source_open(file_of(one), &options, &source, &err);
        assert_stderr_empty();
        assert_ok(status, &err);
        check_info(sp_source_info_of(source), wanted);
        check_reading(source, wanted);
        sp_source_close(source);
        assert_h5_closed();
        n++;
    }
    assert_true(n > 600);
}

/* The case of this name. */
static const json_t *case_of(const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(table, "cases"), i,
                       one) if (!strcmp(text_of(one, "case"), name)) return one;
    fail_msg("there is no case %s", name);
    return NULL;
}

/* Opens and reads: the first error of either. */
static sp_status open_and_read(const json_t *one, sp_error *err)
{
    const char *more[8];
    const sp_source_options options = options_of(one, more);
    sp_source *source = NULL;
    sp_status status = sp_source_open(file_of(one), &options, &source, err);
    if (status != SP_OK) {
        assert_null(source);
        return status;
    }
    sp_block *block = sp_block_new();
    if (!block)
        status = SP_ENOMEM;
    else
        status = sp_source_read(source, 0, sp_source_info_of(source)->n_recordings, ALL, block, err);
    sp_block_free(block);
    sp_source_close(source);
    return status;
}

/* The setting of the program around us is as it was. */
static herr_t count_errors(hid_t stack, void *data)
{
    (void)stack;
    ++*(int *)data;
    return 0;
}

static void test_error_stack_is_left_alone(void **state)
{
    (void)state;
    int n_errors = 0;
    H5E_auto2_t call;
    void *data;
    sp_error err;
    sp_source *source = NULL;
    H5Eset_auto2(H5E_DEFAULT, count_errors, &n_errors);
    assert_int_equal(sp_source_open("/", NULL, &source, &err), SP_EFILE);
    assert_ok(sp_text_save(made_path("cut.h5"), "\x89HDF\r\n\x1a\n", false, &err), &err);
    assert_int_equal(sp_source_open(made_path("cut.h5"), NULL, &source, &err), SP_EFILE);
    H5Eget_auto2(H5E_DEFAULT, &call, &data);
    assert_int_equal(n_errors, 0);
    assert_true(call == count_errors && data == &n_errors);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_h5_closed();
}

/* ---- lack of memory ---- */

static sp_status attempt_read(void *one)
{
    sp_error err;
    return open_and_read(one, &err);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const char *const names[] = {"weights: packed: h5, gzip",
                                        "mask: rows, lengths: h5, lzf",
                                        "labels: groups: h5, gzip",
                                        "labels: groups of names: h5",
                                        "labels: elsewhere: h5",
                                        "words: rows, valid: h5",
                                        "labels: rows, holes, -100: npz",
                                        "labels: parts of names: npz, deflated",
                                        "weights: folder: npz",
                                        "one: single: mat",
                                        "words: packed: csv",
                                        "labels: files: npz"};
    if (!table)
        skip();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        print_message("%s\n", names[i]);
        assert_true(assert_each_alloc_may_fail_or_not_matter(attempt_read, (void *)case_of(names[i])) > 5);
        assert_h5_closed();
    }
}

static void test_fit(void **state)
{
    (void)state;
    if (!table)
        skip();
    sp_source *source = NULL;
    sp_error err;
    assert_ok(sp_source_open(file_of(case_of("labels: packed: h5")), NULL, &source, &err), &err);
    /* Recordings of 40, 25 and 31 steps of 5 classes, 4 bytes each in memory. */
    assert_int_equal(sp_source_fit(source, 0, 0), 1);
    assert_int_equal(sp_source_fit(source, 0, 65 * 20 - 1), 1);
    assert_int_equal(sp_source_fit(source, 0, 65 * 20), 2);
    assert_int_equal(sp_source_fit(source, 0, 1 << 30), 3);
    assert_int_equal(sp_source_fit(source, 1, 55 * 20), 1);
    assert_int_equal(sp_source_fit(source, 2, 1 << 30), 1);
    sp_source_close(source);
    sp_source_close(NULL);
}

/* What another program does with the file at the same time is no hindrance. */
static void test_locked_file(void **state)
{
    (void)state;
    if (!table)
        skip();
    const json_t *one = case_of("labels: packed: h5");
    int held = open(file_of(one), O_RDWR);
    assert_true(held >= 0);
    assert_int_equal(flock(held, LOCK_EX), 0);
    sp_error err;
    sp_status status = open_and_read(one, &err);
    close(held);
    assert_ok(status, &err);
}

static void test_file_that_may_not_be_read(void **state)
{
    (void)state;
    if (!table || geteuid() == 0) {
        print_message("skipped: root may read everything\n");
        skip();
    }
    const json_t *one = case_of("labels: packed: h5");
    sp_error err;
    assert_int_equal(chmod(file_of(one), 0), 0);
    sp_status status = open_and_read(one, &err);
    assert_int_equal(chmod(file_of(one), 0644), 0);
    assert_int_equal(status, SP_EFILE);
    assert_sentence(err.message, "FILE: may not be read (Permission denied); change its permissions",
                    file_of(one));
}

/* Many recordings: natural order, and each object opened once (a quadratic search would not end). */
static void test_many_groups(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    hid_t file = H5Fcreate(made_path("groups.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    for (int i = MANY - 1; i >= 0; i--) {
        char path[64];
        const hsize_t dims[2] = {(hsize_t)(i % 3), 2};
        const float values[4] = {(float)i, 0, 0, (float)-i};
        hid_t space = H5Screate_simple(2, dims, NULL);
        snprintf(path, sizeof path, "/recordings/n%d/logits", i);
        hid_t data = H5Dcreate2(file, path, H5T_NATIVE_FLOAT, space, links, H5P_DEFAULT, H5P_DEFAULT);
        if (i % 3)
            H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        H5Dclose(data);
        H5Sclose(space);
    }
    H5Pclose(links);
    H5Fclose(file);
    sp_source *source = NULL;
    sp_error err;
    sp_block *block = sp_block_new();
    assert_ok(sp_source_open(made_path("groups.h5"), NULL, &source, &err), &err);
    const sp_source_info *info = sp_source_info_of(source);
    assert_int_equal(info->n_recordings, MANY);
    assert_int_equal(info->n_steps, MANY);
    assert_int_equal(info->kind, SP_KIND_LOGITS);
    for (int64_t n = 0; n < MANY; n++) {
        assert_int_equal(atoi(info->ids[n] + 1), n);
        assert_int_equal(info->offsets[n + 1] - info->offsets[n], n % 3);
    }
    assert_ok(sp_source_read(source, 0, MANY, SP_BLOCK_SCORES, block, &err), &err);
    for (int64_t n = 0; n < MANY; n++)
        if (n % 3)
            assert_true(((float *)block->scores)[2 * info->offsets[n]] == (float)n);
    sp_block_free(block);
    sp_source_close(source);
    assert_h5_closed();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_case),
        cmocka_unit_test(test_error_stack_is_left_alone),
        cmocka_unit_test(test_each_allocation_may_fail),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_locked_file),
        cmocka_unit_test(test_file_that_may_not_be_read),
        cmocka_unit_test(test_many_groups),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
