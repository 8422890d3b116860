/* Real scores of others, in ../shared/data: opened with the right shapes, and argmax right as often as their README says. */
#include "check.h"
#include "made_files.h"
#include "statepath/files.h"

typedef struct real_file {
    const char *name;
    int64_t n_recordings, n_scored, n_right; /* n_scored 0: no labels */
    int32_t n_classes;
    const char *first_class;
} real_file;

static const real_file files[] = {
    {"dodh_votes.h5", 25, 24665, 21859, 5, "W"},
    {"applewatch_balanced.h5", 31, 25393, 11721, 5, "W"},
    {"salads_eval_edtcn.h5", 50, 20737, 15256, 10, "class0"},
    {"salads_mid_dilated.h5", 50, 9966, 5839, 18, "class0"},
    {"wnut17_linear.h5", 1287, 23394, 21696, 13, "O"},
    {"accusleep_mouse.h5", 50, 0, 0, 3, "REM"},
    {"tmbed_sample.h5", 5, 0, 0, 5, "B"},
};

static sp_source *open_shared(const char *name)
{
    char relative[256];
    sp_source *source = NULL;
    sp_error err;
    sp_source_options options = sp_source_options_default();
    snprintf(relative, sizeof relative, "data/%s", name);
    const char *file = shared_file(relative);
    if (!file)
        skip();
    assert_ok(sp_source_open(file, &options, &source, &err), &err);
    return source;
}

/* Ties go to the lowest class. */
static int32_t best_class(const float *row, int32_t n_classes)
{
    int32_t best = 0;
    for (int32_t k = 1; k < n_classes; k++)
        if (row[k] > row[best])
            best = k;
    return best;
}

static void test_shapes_and_argmax(void **state)
{
    (void)state;
    if (!shared_file("data"))
        skip();
    sp_block *block = sp_block_new();
    sp_error err;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const real_file *real = &files[i];
        sp_source *source = open_shared(real->name);
        const sp_source_info *info = sp_source_info_of(source);
        print_message("%s: %lld steps, %s, %s\n", real->name, (long long)info->n_steps, info->stored_type,
                      info->storage);
        assert_int_equal(info->layout, SP_LAYOUT_GROUPS);
        assert_int_equal(info->kind, SP_KIND_LOG_PROBS);
        assert_int_equal(info->dtype, SP_F32);
        assert_int_equal(info->n_recordings, real->n_recordings);
        assert_int_equal(info->n_classes, real->n_classes);
        assert_string_equal(info->classes[0], real->first_class);
        assert_string_equal(info->classes_place, "attribute classes of /");
        int64_t scored = 0, right = 0, steps = 0;
        /* In blocks, as the program does. */
        for (int64_t first = 0, count; first < info->n_recordings; first += count) {
            count = sp_source_fit(source, first, 1 << 16);
            assert_ok(sp_source_read(source, first, count, SP_BLOCK_SCORES | SP_BLOCK_LABELS, block, &err),
                      &err);
            steps += block->n_steps;
            for (int64_t t = 0; block->labels && t < block->n_steps; t++) {
                scored += block->labels[t] >= 0;
                right += block->labels[t] >= 0 &&
                         block->labels[t] ==
                             best_class((float *)block->scores + t * info->n_classes, info->n_classes);
            }
        }
        assert_int_equal(steps, info->n_steps);
        assert_int_equal(info->has_labels, real->n_scored > 0);
        assert_int_equal(scored, real->n_scored);
        assert_int_equal(right, real->n_right);
        sp_source_close(source);
    }
    sp_block_free(block);
    assert_h5_closed();
}

/* Paths that others have published, beside the scores. */
static void test_predictions_of_others(void **state)
{
    (void)state;
    const char *file = shared_file("data/dodh_votes.h5");
    if (!file)
        skip();
    sp_paths_reader *reader = NULL;
    sp_error err;
    assert_ok(sp_paths_reader_open(file, "/recordings/{id}/pred_Chambon", NULL, &reader, &err), &err);
    const sp_paths_info *info = sp_paths_reader_info(reader);
    assert_int_equal(info->n_strategies, 1);
    assert_string_equal(info->strategies[0], "pred_Chambon");
    assert_int_equal(info->n_recordings, 25);
    assert_int_equal(info->n_classes, 5);
    assert_true(info->has_labels);
    int32_t *path = malloc((size_t)info->n_steps * sizeof *path),
            *labels = malloc((size_t)info->n_steps * sizeof *labels);
    sp_decoded results[25];
    assert_ok(sp_paths_reader_read(reader, 0, 0, 25, path, results, &err), &err);
    assert_ok(sp_paths_reader_labels(reader, 0, 25, labels, NULL, &err), &err);
    int64_t scored = 0, right = 0;
    for (int64_t t = 0; t < info->n_steps; t++) {
        scored += labels[t] >= 0;
        right += labels[t] >= 0 && labels[t] == path[t];
    }
    assert_int_equal(scored, 24665);
    assert_in_range(right, scored * 7 / 10, scored); /* a published network, so mostly right */
    free(path);
    free(labels);
    sp_source_close(reader);
    assert_h5_closed();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_and_argmax),
        cmocka_unit_test(test_predictions_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
