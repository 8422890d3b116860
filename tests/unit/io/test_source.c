/* Sources: files as people's programs write them (tests/support/make_files.py), good and broken. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "statepath/files.h"

#include <fcntl.h>
#include <hdf5.h>
#include <jansson.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static json_t *cases; /* NULL: h5py is missing */

static int setup(void **state)
{
    (void)state;
    made_folder();
    if (made_by_script(SOURCE_DIR "/tests/support/make_files.py", NULL)) {
        json_error_t error;
        cases = json_load_file(made_path("cases.json"), 0, &error);
        if (!cases)
            fail_msg("cases.json: %s", error.text);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    json_decref(cases);
    made_folder_remove();
    return 0;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static sp_source_options options_of(const json_t *given)
{
    sp_source_options options = sp_source_options_default();
    options.scores = text_of(given, "scores");
    options.labels = text_of(given, "labels");
    options.offsets = text_of(given, "offsets");
    options.lengths = text_of(given, "lengths");
    options.ids = text_of(given, "ids");
    if (json_object_get(given, "kind")) {
        sp_error err;
        options.has_kind = true;
        assert_ok(sp_kind_parse(text_of(given, "kind"), &options.kind, &err), &err);
    }
    if (json_is_false(json_object_get(given, "needs_scores")))
        options.needs_scores = false;
    return options;
}

static double value_of(const json_t *item)
{
    const char *text = json_string_value(item);
    return text ? strtod(text, NULL) : json_number_value(item);
}

static void assert_text(const char *what, const char *found, const char *wanted)
{
    if (!found || strcmp(found, wanted) != 0)
        fail_msg("%s is '%s', expected '%s'", what, found ? found : "(null)", wanted);
}

static void assert_names(const char *what, const char *const *names, const json_t *wanted)
{
    if (json_is_null(wanted)) {
        assert_null(names);
        return;
    }
    for (size_t i = 0; i < json_array_size(wanted); i++)
        assert_text(what, names[i], json_string_value(json_array_get(wanted, i)));
}

/* values[i] for i in first .. first+n-1 of the wanted list. */
#define ASSERT_VALUES(what, values, wanted, first, n)                                                        \
    do {                                                                                                     \
        if (!json_is_array(wanted)) {                                                                        \
            assert_null(values);                                                                             \
            break;                                                                                           \
        }                                                                                                    \
        assert_non_null(values);                                                                             \
        for (int64_t i_ = 0; i_ < (n); i_++) {                                                               \
            double wanted_ = value_of(json_array_get(wanted, (size_t)((first) + i_))),                       \
                   found_ = (double)(values)[i_];                                                            \
            if (!(found_ == wanted_ || (isnan(found_) && isnan(wanted_))))                                   \
                fail_msg("%s %lld is %.17g, expected %.17g", what, (long long)i_, found_, wanted_);          \
        }                                                                                                    \
    } while (0)

static void check_info(const sp_source_info *info, const json_t *expect)
{
    const json_t *offsets = json_object_get(expect, "offsets"), *item;
    assert_text("layout", sp_layout_name(info->layout), text_of(expect, "layout"));
    assert_int_equal(info->has_scores, json_is_array(json_object_get(expect, "scores")));
    assert_int_equal(info->n_classes, json_integer_value(json_object_get(expect, "n_classes")));
    assert_int_equal(info->n_recordings, json_array_size(offsets) - 1);
    for (size_t i = 0; i < json_array_size(offsets); i++)
        assert_int_equal(info->offsets[i], json_integer_value(json_array_get(offsets, i)));
    assert_int_equal(info->n_steps, info->offsets[info->n_recordings]);
    assert_names("id", info->ids, json_object_get(expect, "ids"));
    assert_names("class", info->classes, json_object_get(expect, "classes"));
    assert_int_equal(info->has_labels, json_is_array(json_object_get(expect, "labels")));
    assert_int_equal(info->has_segments, json_is_array(json_object_get(expect, "segments")));
    assert_int_equal(info->has_weights, json_is_array(json_object_get(expect, "weights")));
    assert_int_equal(info->has_mask, json_is_array(json_object_get(expect, "mask")));
    assert_int_equal(info->n_unlabelled, json_integer_value(json_object_get(expect, "n_unlabelled")));
    assert_true(info->file_size > 0);
    if (info->has_scores) {
        assert_text("kind", sp_kind_name(info->kind), text_of(expect, "kind"));
        assert_int_equal(info->kind_from_name, json_is_true(json_object_get(expect, "kind_from_name")));
        assert_int_equal(info->dtype, json_integer_value(json_object_get(expect, "dtype")));
    }
    if ((item = json_object_get(expect, "has_ids")))
        assert_int_equal(info->has_ids, json_is_true(item));
    const struct {
        const char *key, *found;
    } texts[] = {{"stored_type", info->stored_type},
                 {"storage", info->storage},
                 {"scores_path", info->scores_path},
                 {"labels_path", info->labels_path},
                 {"classes_place", info->classes_place}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (text_of(expect, texts[i].key))
            assert_text(texts[i].key, texts[i].found, text_of(expect, texts[i].key));
}

static void check_block(const sp_block *block, const sp_source_info *info, int64_t first,
                        const json_t *expect)
{
    const int64_t n = block->n_steps, at = info->offsets[first] + block->first_step;
    const json_t *scores = json_object_get(expect, "scores");
    assert_int_equal(block->first, first);
    if (block->n_recordings > 0)
        assert_ptr_equal(block->ids[0], info->ids[first]);
    if (!json_is_array(scores))
        assert_null(block->scores);
    else if (block->dtype == SP_F32)
        ASSERT_VALUES("score", (float *)block->scores, scores, at * info->n_classes, n * info->n_classes);
    else
        ASSERT_VALUES("score", (double *)block->scores, scores, at * info->n_classes, n * info->n_classes);
    ASSERT_VALUES("label", block->labels, json_object_get(expect, "labels"), at, n);
    ASSERT_VALUES("segment", block->segments, json_object_get(expect, "segments"), at, n);
    ASSERT_VALUES("weight", block->weights, json_object_get(expect, "weights"), at, n);
    ASSERT_VALUES("mask", block->mask, json_object_get(expect, "mask"), at * info->n_classes,
                  n * info->n_classes);
}

enum { ALL = SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS | SP_BLOCK_MASK };

/* Reads the whole file at once, then in blocks of one, two ... recordings, backwards too. */
static void check_reading(sp_source *source, const json_t *expect)
{
    const sp_source_info *info = sp_source_info_of(source);
    const int64_t n = info->n_recordings;
    sp_block *block = sp_block_new();
    sp_error err;
    for (int64_t size = n; size >= 0; size--) {
        for (int64_t first = n - size; first >= 0; first--) {
            assert_ok(sp_source_read(source, first, size, ALL, block, &err), &err);
            assert_int_equal(block->n_recordings, size);
            check_block(block, info, first, expect);
        }
    }
    for (int64_t r = 0; r < n; r++) /* and in pieces of one, two ... steps of a recording */
        for (int64_t length = info->offsets[r + 1] - info->offsets[r], size = length; size >= 0; size--)
            for (int64_t first = length - size; first >= 0; first--) {
                assert_ok(sp_source_read_steps(source, r, first, size, ALL, block, &err), &err);
                assert_true(block->n_recordings == 1 && block->n_steps == size && block->first_step == first);
                assert_true(block->offsets[0] == 0 && block->offsets[1] == size);
                check_block(block, info, r, expect);
            }
    if (n > 0)
        assert_int_equal(sp_source_read_steps(source, 0, 1, info->offsets[1], ALL, block, &err), SP_EINVAL);
    assert_int_equal(sp_source_read_steps(source, n, 0, 0, ALL, block, &err), SP_EINVAL);
    assert_ok(sp_source_read(source, 0, n, 0, block, &err), &err);
    assert_null(block->scores);
    assert_int_equal(block->first_step, 0);
    assert_null(block->labels);
    assert_int_equal(sp_source_read(source, 0, n + 1, ALL, block, &err), SP_EINVAL);
    sp_block_free(block);
}

static sp_source *open_coded(const char *file, const sp_source_options *options, const sp_codes *codes)
{
    sp_source *source = NULL;
    sp_source_options with = *options;
    sp_error err;
    with.codes = codes;
    assert_ok(sp_source_open(file, &with, &source, &err), &err);
    return source;
}

/* Labels by codes that turn the classes round, whole and in pieces; a code less, and the first step that has it is named. */
static void check_codes(const char *file, const sp_source_options *options, sp_source *source)
{
    const sp_source_info *info = sp_source_info_of(source);
    const int32_t K = info->n_classes;
    const int64_t n = info->n_recordings;
    char *names[16], map[512] = "-1=unscored";
    if (!info->has_labels || K < 2 || K > 16 || n == 0)
        return;
    for (int32_t k = 0; k < K; k++) {
        names[k] = malloc(16);
        snprintf(names[k], 16, "k%d", k);
        size_t used = strlen(map);
        snprintf(map + used, sizeof map - used, ",%d=k%d", k, (k + 1) % K);
    }
    sp_model *model = sp_model_new("turned", K, (const char *const *)names);
    sp_block *block = sp_block_new(), *plain = sp_block_new();
    sp_codes *codes = NULL, *fewer = NULL;
    sp_error err = {0};
    assert_ok(sp_codes_new(NULL, map, false, model, &codes, &err), &err);
    assert_ok(sp_codes_new(NULL, "-1=unscored", false, model, &fewer, &err), &err);
    assert_ok(sp_source_read(source, 0, n, SP_BLOCK_LABELS, plain, &err), &err);
    sp_source *coded = open_coded(file, options, codes);
    assert_ok(sp_source_read(coded, 0, n, SP_BLOCK_LABELS, block, &err), &err);
    for (int64_t t = 0; t < plain->n_steps; t++)
        assert_int_equal(block->labels[t], plain->labels[t] < 0 ? -1 : (plain->labels[t] + 1) % K);
    for (int64_t r = 0; r < n; r++) {
        const int64_t at = info->offsets[r], length = info->offsets[r + 1] - at;
        for (int64_t first = 0; first + 2 <= length; first++) {
            assert_ok(sp_source_read_steps(coded, r, first, 2, SP_BLOCK_LABELS, block, &err), &err);
            for (int64_t t = 0; t < 2; t++) {
                int32_t label = plain->labels[at + first + t];
                assert_int_equal(block->labels[t], label < 0 ? -1 : (label + 1) % K);
            }
        }
    }
    sp_source_close(coded);
    coded = open_coded(file, options, fewer);
    for (int64_t r = 0; r < n; r++) {
        const int64_t at = info->offsets[r], length = info->offsets[r + 1] - at;
        int64_t step = 0;
        while (step < length && plain->labels[at + step] < 0)
            step++;
        if (step == length)
            continue;
        char part[600];
        snprintf(part, sizeof part, "recording %.500s, step %lld: label \"%d\" is ", info->ids[r],
                 (long long)step, (int)plain->labels[at + step]);
        assert_int_equal(sp_source_read(coded, r, 1, SP_BLOCK_LABELS, block, &err), SP_EDATA);
        assert_int_equal(err.step, step);
        if (!strstr(err.message, part))
            fail_msg("%s, expected %s", err.message, part);
        assert_int_equal(sp_source_read_steps(coded, r, step, 1, SP_BLOCK_LABELS, block, &err), SP_EDATA);
        if (!strstr(err.message, part))
            fail_msg("%s, expected %s", err.message, part);
    }
    sp_source_close(coded);
    sp_codes_free(codes);
    sp_codes_free(fewer);
    sp_block_free(block);
    sp_block_free(plain);
    sp_model_free(model);
    for (int32_t k = 0; k < K; k++)
        free(names[k]);
}

static void test_good_files(void **state)
{
    (void)state;
    if (!cases)
        skip();
    size_t i, n = 0;
    json_t *item;
    json_array_foreach(cases, i, item)
    {
        const json_t *expect = json_object_get(item, "expect");
        if (!expect)
            continue;
        const char *file = made_path(text_of(item, "file"));
        sp_source_options options = options_of(json_object_get(item, "options"));
        sp_source *source = NULL;
        sp_error err;
        print_message("%s scores=%s\n", text_of(item, "file"), options.scores ? options.scores : "");
        stderr_watch();
        sp_status status = sp_source_open(file, &options, &source, &err);
        assert_stderr_empty();
        assert_ok(status, &err);
        check_info(sp_source_info_of(source), expect);
        check_reading(source, expect);
        check_codes(file, &options, source);
        sp_source_close(source);
        assert_h5_closed();
        n++;
    }
    assert_true(n > 90);
}

/* Opens and reads: the first error of either. */
static sp_status open_and_read(const char *file, const sp_source_options *options, sp_error *err)
{
    sp_source *source = NULL;
    sp_status status = sp_source_open(file, options, &source, err);
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

static void test_broken_files(void **state)
{
    (void)state;
    if (!cases)
        skip();
    size_t i, n = 0;
    json_t *item;
    json_array_foreach(cases, i, item)
    {
        if (!text_of(item, "message"))
            continue;
        const char *file = made_path(text_of(item, "file"));
        sp_source_options options = options_of(json_object_get(item, "options"));
        sp_error err = {0};
        stderr_watch();
        sp_status status = open_and_read(file, &options, &err);
        sp_status alone = open_and_read(file, &options, NULL); /* err may be NULL */
        assert_stderr_empty();
        print_message("%s\n", err.message);
        assert_text("status", sp_status_name(status), text_of(item, "status"));
        assert_int_equal(alone, status);
        assert_sentence(err.message, text_of(item, "message"), file);
        assert_h5_closed();
        n++;
    }
    assert_true(n > 80);
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
    if (cases)
        assert_int_equal(sp_source_open(made_path("cut.h5"), NULL, &source, &err), SP_EFILE);
    H5Eget_auto2(H5E_DEFAULT, &call, &data);
    assert_int_equal(n_errors, 0);
    assert_true(call == count_errors && data == &n_errors);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    assert_h5_closed();
}

/* ---- lack of memory ---- */

static const char *attempt_file;

static sp_status attempt_read(void *arg)
{
    sp_error err;
    const sp_source_options *options = arg;
    return open_and_read(attempt_file, options, &err);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    if (!cases)
        skip();
    static const struct {
        const char *file, *scores;
        bool labels_only;
    } files[] = {{"packed_big_f2_gzip.h5", NULL, false},
                 {"padded_little_f4_plain.h5", NULL, false},
                 {"groups_big_f8_gzip.h5", NULL, false},
                 {"by_kind.h5", "/probs/{id}", false},
                 {"places.h5", "x/y", false},
                 {"some_labels.h5", NULL, false},
                 {"nested.h5", "night", false},
                 {"only_labels_groups.h5", NULL, true},
                 {"valid_bool.h5", NULL, false},
                 {"text_variable_dataset.h5", NULL, false},
                 {"labels_u8.h5", NULL, false}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        sp_source_options options = sp_source_options_default();
        options.scores = files[i].scores;
        options.needs_scores = !files[i].labels_only;
        attempt_file = made_path(files[i].file);
        print_message("%s\n", files[i].file);
        assert_true(assert_each_alloc_may_fail(attempt_read, &options) > 5);
        assert_h5_closed();
    }
}

static void test_fit(void **state)
{
    (void)state;
    if (!cases)
        skip();
    sp_source *source = NULL;
    sp_error err;
    assert_ok(sp_source_open(made_path("packed_little_f2_plain.h5"), NULL, &source, &err), &err);
    /* Recordings of 4, 0, 7 and 1 steps of 3 classes, 4 bytes each in memory. */
    assert_int_equal(sp_source_fit(source, 0, 0), 1);
    assert_int_equal(sp_source_fit(source, 0, 4 * 12), 2);
    assert_int_equal(sp_source_fit(source, 0, 11 * 12 - 1), 2);
    assert_int_equal(sp_source_fit(source, 0, 11 * 12), 3);
    assert_int_equal(sp_source_fit(source, 0, 1 << 30), 4);
    assert_int_equal(sp_source_fit(source, 2, 6 * 12), 1);
    assert_int_equal(sp_source_fit(source, 3, 1 << 30), 1);
    sp_source_close(source);
    sp_source_close(NULL);
}

/* What another program does with the file at the same time is no hindrance. */
static void test_locked_file(void **state)
{
    (void)state;
    if (!cases)
        skip();
    int held = open(made_path("packed_little_f4_plain.h5"), O_RDWR);
    assert_true(held >= 0);
    assert_int_equal(flock(held, LOCK_EX), 0);
    sp_error err;
    sp_source_options options = sp_source_options_default();
    sp_status status = open_and_read(made_path("packed_little_f4_plain.h5"), &options, &err);
    close(held);
    assert_ok(status, &err);
}

static void test_file_that_may_not_be_read(void **state)
{
    (void)state;
    if (!cases || geteuid() == 0) {
        print_message("skipped: root may read everything\n");
        skip();
    }
    const char *file = made_path("packed_little_f4_plain.h5");
    sp_error err;
    sp_source_options options = sp_source_options_default();
    assert_int_equal(chmod(file, 0), 0);
    sp_status status = open_and_read(file, &options, &err);
    assert_int_equal(chmod(file, 0644), 0);
    assert_int_equal(status, SP_EFILE);
    assert_sentence(err.message, "FILE: may not be read (Permission denied); change its permissions", file);
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
        cmocka_unit_test(test_good_files),
        cmocka_unit_test(test_broken_files),
        cmocka_unit_test(test_error_stack_is_left_alone),
        cmocka_unit_test(test_each_allocation_may_fail),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_locked_file),
        cmocka_unit_test(test_file_that_may_not_be_read),
        cmocka_unit_test(test_many_groups),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
