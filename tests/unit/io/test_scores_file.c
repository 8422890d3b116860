/* Files of scores: written block by block in either type, read back; nothing is left of those that were not finished. */
#include "check.h"
#include "failing_alloc.h"
#include "made_files.h"
#include "statepath/files.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { N = 3, S = 9, K = 4, FEW = 1 << 15 /* values that are converted at a time */ };
static const int64_t offsets[N + 1] = {0, 4, 4, 9};
static const char *const ids[] = {"night 1", "none", "Nächte"};
static const char *const classes[] = {"W", "N1", "N2", "R"};

static double value_at(int64_t t, int64_t k)
{
    return (double)(t * 31 + k * 7) / 3 - 20; /* no float */
}

static sp_scores_header header_of(sp_dtype dtype)
{
    return (sp_scores_header){.kind = SP_KIND_LOGITS,
                              .dtype = dtype,
                              .n_recordings = N,
                              .n_steps = S,
                              .n_classes = K,
                              .offsets = offsets,
                              .ids = ids,
                              .classes = classes,
                              .with_labels = true,
                              .with_segments = true,
                              .command = "test"};
}

/* Recordings first .. first+count-1 of a file of such offsets. */
static sp_block *block_of(sp_dtype dtype, const int64_t *all, int64_t first, int64_t count, int32_t n_classes)
{
    sp_block *b = sp_block_new();
    sp_error err;
    int64_t n = all[first + count] - all[first];
    assert_ok(sp_block_reserve(b, count, n, n_classes, dtype,
                               SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS, &err),
              &err);
    b->first = first;
    for (int64_t r = 0; r <= count; r++)
        b->offsets[r] = all[first + r] - all[first];
    for (int64_t t = 0; t < n; t++) {
        b->labels[t] = (int32_t)((all[first] + t) % 3) - 1;
        b->segments[t] = (all[first] + t) / 4;
        for (int64_t k = 0; k < n_classes; k++)
            if (dtype == SP_F32)
                ((float *)b->scores)[t * n_classes + k] = (float)value_at(all[first] + t, k);
            else
                ((double *)b->scores)[t * n_classes + k] = value_at(all[first] + t, k);
    }
    return b;
}

static int count_files(void)
{
    int n = 0;
    DIR *folder = opendir(made_path(""));
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n - 2;
}

/* Reads everything back. Scores are as exact as the narrower type. */
static void check_file(const char *file, const int64_t *all, int64_t n_recordings, int32_t n_classes,
                       sp_dtype dtype, bool is_exact)
{
    sp_source *source;
    sp_block *block = sp_block_new();
    sp_error err;
    assert_ok(sp_source_open(file, NULL, &source, &err), &err);
    const sp_source_info *info = sp_source_info_of(source);
    assert_int_equal(info->n_recordings, n_recordings);
    assert_int_equal(info->n_classes, n_classes);
    assert_int_equal(info->kind, SP_KIND_LOGITS);
    assert_int_equal(info->dtype, dtype);
    assert_memory_equal(info->offsets, all, (size_t)(n_recordings + 1) * sizeof *all);
    unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS;
    assert_ok(sp_source_read(source, 0, n_recordings, parts, block, &err), &err);
    sp_scores scores = sp_block_batch(block).scores;
    for (int64_t t = 0; t < all[n_recordings]; t++) {
        assert_int_equal(block->labels[t], t % 3 - 1);
        assert_int_equal(block->segments[t], t / 4);
        for (int32_t k = 0; k < n_classes; k++) {
            double wanted = is_exact ? value_at(t, k) : (double)(float)value_at(t, k);
            assert_true(sp_scores_at(&scores, t, k) == wanted);
        }
    }
    sp_block_free(block);
    sp_source_close(source);
}

static void test_types(void **state)
{
    (void)state;
    const char *file = made_path("types.h5");
    for (int from = 0; from < 2; from++)
        for (int to = 0; to < 2; to++) {
            sp_dtype in = from ? SP_F64 : SP_F32, out = to ? SP_F64 : SP_F32;
            sp_scores_header header = header_of(out);
            header.force = from || to;
            sp_scores_writer *writer;
            sp_error err;
            assert_ok(sp_scores_writer_open(file, &header, &writer, &err), &err);
            for (int64_t n = 0; n < N; n += 2) { /* two recordings, then one */
                sp_block *b = block_of(in, offsets, n, n + 2 <= N ? 2 : 1, K);
                assert_ok(sp_scores_writer_add(writer, b, &err), &err);
                sp_block_free(b);
            }
            assert_ok(sp_scores_writer_commit(writer, &err), &err);
            check_file(file, offsets, N, K, out, from && to);
        }
    sp_source *source;
    sp_error err;
    assert_ok(sp_source_open(file, NULL, &source, &err), &err);
    const sp_source_info *info = sp_source_info_of(source);
    for (int n = 0; n < N; n++)
        assert_string_equal(info->ids[n], ids[n]);
    for (int k = 0; k < K; k++)
        assert_string_equal(info->classes[k], classes[k]);
    sp_source_close(source);
    assert_int_equal(unlink(file), 0);
}

/* Begins a file of such recordings, in place of what is there. */
static sp_scores_writer *writer_of(const char *file, sp_dtype dtype, const int64_t *all, int64_t n_recordings,
                                   int32_t n_classes)
{
    sp_scores_header header = header_of(dtype);
    header.n_recordings = n_recordings;
    header.n_steps = all[n_recordings];
    header.n_classes = n_classes;
    header.offsets = all;
    header.ids = header.classes = NULL;
    header.force = true;
    sp_scores_writer *writer = NULL;
    sp_error err;
    assert_ok(sp_scores_writer_open(file, &header, &writer, &err), &err);
    return writer;
}

static sp_status add(sp_scores_writer *writer, sp_dtype dtype, const int64_t *all, int64_t recording,
                     int32_t n_classes, sp_error *err)
{
    sp_block *b = block_of(dtype, all, recording, 1, n_classes);
    const sp_status status = sp_scores_writer_add(writer, b, err);
    sp_block_free(b);
    return status;
}

/* More values than are converted at a time, in rows that do not divide that number. */
static void test_many_values(void **state)
{
    (void)state;
    const int64_t all[] = {0, 1000};
    const char *file = made_path("many.h5");
    for (int to = 0; to < 2; to++) {
        sp_error err;
        sp_scores_writer *writer = writer_of(file, to ? SP_F64 : SP_F32, all, 1, 77);
        assert_ok(add(writer, to ? SP_F32 : SP_F64, all, 0, 77, &err), &err);
        assert_ok(sp_scores_writer_commit(writer, &err), &err);
        check_file(file, all, 1, 77, to ? SP_F64 : SP_F32, false);
    }
    assert_int_equal(unlink(file), 0);
}

static void test_too_many_classes_for_another_type(void **state)
{
    (void)state;
    const int64_t all[] = {0, 1};
    for (int32_t n_classes = FEW; n_classes <= FEW + 1; n_classes++) {
        sp_error err;
        sp_scores_writer *writer = writer_of(made_path("wide.h5"), SP_F64, all, 1, n_classes);
        const sp_status status = add(writer, SP_F32, all, 0, n_classes, &err);
        if (n_classes == FEW)
            assert_ok(status, &err);
        else {
            assert_int_equal(status, SP_EINVAL);
            assert_string_equal(
                err.message,
                "more than 32768 classes cannot be written in another type than they were read in");
        }
        sp_scores_writer_abort(writer);
        assert_int_equal(count_files(), 0);
    }
}

/* ---- writing goes on behind, in buffers of a megabyte ---- */

enum { WIDE = 40 };

/* Pieces in any order: many more than a buffer has places for, longer than a buffer, longer than all of them. */
static void test_pieces(void **state)
{
    (void)state;
    enum { PIECES = 2003 };
    int64_t all[PIECES + 1] = {0};
    const char *file = made_path("pieces.h5");
    sp_error err;
    for (int n = 0; n < PIECES; n++)
        all[n + 1] = all[n] + (n == 900 ? 25000 : n == 950 ? 7000 : n % 10 ? 1 : 150);
    sp_scores_writer *writer = writer_of(file, SP_F32, all, PIECES, WIDE);
    for (int n = 0; n < PIECES; n++)
        assert_ok(add(writer, SP_F32, all, 7 * n % PIECES, WIDE, &err), &err);
    assert_ok(sp_scores_writer_commit(writer, &err), &err);
    check_file(file, all, PIECES, WIDE, SP_F32, false);
    assert_int_equal(unlink(file), 0);
}

/* The file may not grow any more: said while blocks are added, at the latest at the end; and nothing is left of it, nor of one
 * that is given up with buffers on their way. */
static void test_no_room_and_given_up(void **state)
{
    (void)state;
    enum { BLOCKS = 120, STEPS = 400 }; /* of some 68 kB */
    static const struct {
        int n;
        rlim_t limit; /* 0: none */
    } cases[] = {{4, 100000}, {28, 1800000}, {BLOCKS, 2 << 20}, {0, 0}, {33, 0}, {66, 0}, {99, 0}};
    int64_t all[BLOCKS + 1];
    for (int n = 0; n <= BLOCKS; n++)
        all[n] = n * STEPS;
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *file = made_path("full.h5");
        struct rlimit before;
        sp_error err = {.status = SP_OK};
        sp_scores_writer *writer = writer_of(file, SP_F32, all, cases[i].limit ? cases[i].n : BLOCKS, WIDE);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
        if (cases[i].limit)
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){cases[i].limit, before.rlim_max}), 0);
        sp_status status = SP_OK;
        int n = 0;
        for (; status == SP_OK && n < cases[i].n; n++)
            status = add(writer, SP_F32, all, n, WIDE, &err);
        if (status == SP_OK && cases[i].limit)
            status = sp_scores_writer_commit(writer, &err);
        else
            sp_scores_writer_abort(writer);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, cases[i].limit ? SP_EFILE : SP_OK);
        if (cases[i].limit)
            assert_sentence(err.message,
                            "FILE: cannot be written, the file would be larger than allowed here (File too "
                            "large); nothing was written; see ulimit -f",
                            file);
        if (cases[i].limit && cases[i].n == BLOCKS)
            assert_in_range(n, 30, 64); /* it does not go on for long */
        assert_int_equal(count_files(), 0);
    }
}

static void test_failures_leave_nothing(void **state)
{
    (void)state;
    sp_scores_header header = header_of(SP_F32);
    sp_scores_writer *writer = NULL;
    sp_error err;
    assert_int_equal(sp_scores_writer_open(made_path("no/such/x.h5"), &header, &writer, &err), SP_EFILE);
    assert_null(writer);
    const char *file = made_path("old.h5");
    assert_ok(sp_text_save(file, "old", false, &err), &err);
    assert_int_equal(sp_scores_writer_open(file, &header, &writer, &err), SP_EFILE);
    assert_sentence(err.message, "FILE: exists already; use `force` to replace it", file);
    assert_null(writer);
    header.force = true;
    header.input = file;
    assert_int_equal(sp_scores_writer_open(file, &header, &writer, &err), SP_EINVAL);
    header.input = NULL;
    assert_ok(sp_scores_writer_open(file, &header, &writer, &err), &err);
    sp_scores_writer_abort(writer);
    sp_scores_writer_abort(NULL);
    assert_ok(sp_scores_writer_open(file, &header, &writer, &err), &err);
    sp_block *b = block_of(SP_F32, offsets, 0, 1, K);
    assert_ok(sp_scores_writer_add(writer, b, &err), &err);
    assert_int_equal(sp_scores_writer_commit(writer, &err), SP_EINVAL); /* two recordings are missing */
    assert_non_null(strstr(err.message, "is not complete"));
    sp_block_free(b);
    char text[8] = "";
    FILE *old = fopen(file, "r");
    assert_non_null(old);
    assert_int_equal(fread(text, 1, sizeof text, old), 3);
    fclose(old);
    assert_string_equal(text, "old");
    assert_int_equal(count_files(), 1);
    assert_int_equal(unlink(file), 0);
}

static sp_status write_once(void *arg)
{
    const sp_block *block = arg;
    sp_scores_header header = header_of(SP_F32);
    header.n_recordings = 1;
    header.offsets = block->offsets;
    header.n_steps = block->n_steps;
    header.n_classes = WIDE;
    header.ids = header.classes = NULL;
    sp_scores_writer *writer;
    sp_status status = sp_scores_writer_open(made_path("memory.h5"), &header, &writer, NULL);
    if (status == SP_OK) {
        status = sp_scores_writer_add(writer, block, NULL);
        sp_scores_writer_abort(writer);
    }
    assert_int_equal(count_files(), 0);
    return status;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    sp_block *block = block_of(SP_F32, (const int64_t[]){0, 20000}, 0, 1, WIDE); /* fills three buffers */
    assert_true(assert_each_alloc_may_fail(write_once, block) > 5);
    sp_block_free(block);
}

static int setup(void **state)
{
    (void)state;
    return made_folder() ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    assert_h5_closed();
    made_folder_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_types),
                                       cmocka_unit_test(test_many_values),
                                       cmocka_unit_test(test_too_many_classes_for_another_type),
                                       cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_no_room_and_given_up),
                                       cmocka_unit_test(test_failures_leave_nothing),
                                       cmocka_unit_test(test_each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
