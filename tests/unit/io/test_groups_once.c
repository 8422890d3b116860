/* One group a recording: each object is opened once, when the file is, and reading takes values and chunks from where they lie.
 * Calls that open something pass through this file, which counts them. */
#include "check.h"
#include "made_files.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statepath/files.h"

static int n_opened;

hid_t __real_H5Oopen(hid_t place, const char *name, hid_t access);
hid_t __real_H5Dopen2(hid_t place, const char *name, hid_t access);
hid_t __real_H5Gopen2(hid_t place, const char *name, hid_t access);
hid_t __wrap_H5Oopen(hid_t place, const char *name, hid_t access);
hid_t __wrap_H5Dopen2(hid_t place, const char *name, hid_t access);
hid_t __wrap_H5Gopen2(hid_t place, const char *name, hid_t access);

hid_t __wrap_H5Oopen(hid_t place, const char *name, hid_t access)
{
    n_opened++;
    return __real_H5Oopen(place, name, access);
}

hid_t __wrap_H5Dopen2(hid_t place, const char *name, hid_t access)
{
    n_opened++;
    return __real_H5Dopen2(place, name, access);
}

hid_t __wrap_H5Gopen2(hid_t place, const char *name, hid_t access)
{
    n_opened++;
    return __real_H5Gopen2(place, name, access);
}

static int setup(void **state)
{
    (void)state;
    made_folder();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    made_folder_remove();
    return 0;
}

/* ---- files ---- */

enum { N = 60, K = 3, LONGEST = 50 };

/* How the datasets of one recording are stored. */
typedef struct storage {
    hsize_t rows, classes; /* of a chunk; 0: contiguous */
    int level;             /* with shuffle; -1: neither */
    hid_t scores, labels;  /* types in the file */
} storage;

static int64_t length_of(int n)
{
    return n % 7 == 5 ? 0 : LONGEST - n % 11;
}

static float score_of(int n, int64_t t, int k)
{
    return (float)((n * 31 + (int)t * 7 + k * 3) % 64) / 8;
}

static int32_t label_of(int n, int64_t t)
{
    return (int32_t)((n + t) % (K + 1)) - 1;
}

static void put(hid_t group, const char *name, const storage *s, hid_t type, hid_t memory_type, int rank,
                const hsize_t *dims, const void *values)
{
    hid_t space = H5Screate_simple(rank, dims, NULL), created = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[2] = {s->rows < dims[0] ? s->rows : dims[0], s->classes};
    if (s->rows && dims[0])
        H5Pset_chunk(created, rank, chunk);
    if (s->rows && dims[0] && s->level >= 0) {
        H5Pset_shuffle(created);
        H5Pset_deflate(created, (unsigned)s->level);
    }
    hid_t dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, created, H5P_DEFAULT);
    assert_true(dataset >= 0 && H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Pclose(created);
    H5Sclose(space);
}

static void put_recording(hid_t place, int n, const storage *s)
{
    float scores[LONGEST * K];
    int32_t labels[LONGEST];
    char name[16];
    snprintf(name, sizeof name, "r%d", n);
    hid_t group = H5Gcreate2(place, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t dims[2] = {(hsize_t)length_of(n), K};
    for (int64_t t = 0; t < length_of(n); t++) {
        labels[t] = label_of(n, t);
        for (int k = 0; k < K; k++)
            scores[t * K + k] = score_of(n, t, k);
    }
    put(group, "logits", s, s->scores, H5T_NATIVE_FLOAT, 2, dims, scores);
    put(group, "labels", s, s->labels, H5T_NATIVE_INT32, 1, dims, labels);
    H5Gclose(group);
}

/* Recording n as storages[n % n_storages] says. is_late: something else comes first, so that everything lies further on. */
static void make_file(const char *file, const storage *storages, int n_storages, hsize_t user_block,
                      bool is_late)
{
    hid_t created = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(created, user_block);
    hid_t id = H5Fcreate(file, H5F_ACC_TRUNC, created, H5P_DEFAULT);
    if (is_late) {
        const storage plain = {0, 0, -1, 0, 0};
        const hsize_t n = LONGEST * K;
        const float values[LONGEST * K] = {0};
        put(id, "before", &plain, H5T_IEEE_F64LE, H5T_NATIVE_FLOAT, 1, &n, values);
    }
    hid_t all = H5Gcreate2(id, "recordings", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int n = 0; n < N; n++)
        put_recording(all, n, &storages[n % n_storages]);
    H5Gclose(all);
    H5Fclose(id);
    H5Pclose(created);
}

/* ---- reading ---- */

static void check_block(const sp_block *block, int first, int count)
{
    for (int n = first; n < first + count; n++) {
        const int64_t begin = block->offsets[n - first];
        assert_int_equal(block->offsets[n - first + 1] - begin, length_of(n));
        for (int64_t t = 0; t < length_of(n); t++) {
            assert_int_equal(block->labels[begin + t], label_of(n, t));
            for (int k = 0; k < K; k++) {
                const int64_t i = (begin + t) * K + k;
                const double found = block->dtype == SP_F32 ? ((const float *)block->scores)[i]
                                                            : ((const double *)block->scores)[i];
                if (found != score_of(n, t, k))
                    fail_msg("recording %d, step %lld, class %d: %g, not %g", n, (long long)t, k, found,
                             (double)score_of(n, t, k));
            }
        }
    }
}

/* Reads a file in blocks of some sizes; returns how many objects were opened by reading it once, *at_start by opening it. */
static int check_file(const char *file, int *at_start)
{
    int first_time = -1;
    for (int count = N; count > 0; count /= 5) {
        sp_source *source;
        sp_error err = {.status = SP_OK};
        n_opened = 0;
        assert_ok(sp_source_open(file, NULL, &source, &err), &err);
        *at_start = n_opened;
        n_opened = 0;
        sp_block *block = sp_block_new();
        for (int first = 0; first < N; first += count) {
            const int these = first + count < N ? count : N - first;
            assert_ok(sp_source_read(source, first, these, SP_BLOCK_SCORES | SP_BLOCK_LABELS, block, &err),
                      &err);
            check_block(block, first, these);
        }
        first_time = first_time < 0 ? n_opened : first_time;
        sp_block_free(block);
        sp_source_close(source);
        assert_h5_closed();
    }
    return first_time;
}

static void test_each_object_once(void **state)
{
    (void)state;
    const storage storages[] = {
        {0, 0, -1, H5T_IEEE_F32LE, H5T_STD_I8LE},      {0, 0, -1, H5T_IEEE_F64LE, H5T_STD_I64BE},
        {LONGEST, K, 4, H5T_IEEE_F32LE, H5T_STD_I8LE}, {LONGEST, K, 4, H5T_IEEE_F32BE, H5T_STD_I64LE},
        {13, 2, 4, H5T_IEEE_F64LE, H5T_STD_I16LE},     {10, K, -1, H5T_IEEE_F32LE, H5T_STD_I64LE}};
    int n_empty = 0;
    for (int n = 0; n < N; n++)
        n_empty += length_of(n) == 0;
    for (size_t i = 0; i <= sizeof storages / sizeof *storages; i++) {
        const bool is_mixed = i == sizeof storages / sizeof *storages;
        int at_start;
        make_file(made_path("x.h5"), is_mixed ? storages : &storages[i], is_mixed ? (int)i : 1, 0, false);
        int while_reading = check_file(made_path("x.h5"), &at_start);
        assert_in_range(at_start, 3 * N,
                        3 * N + 30); /* a group, its scores, its labels; the rest is the file's */
        assert_in_range(while_reading, 0,
                        2 * n_empty); /* nothing is stored of those, so nothing lies anywhere */
    }
}

/* Many chunks, a user block before chunks: opened again, and right. Contiguous behind a user block: not opened again. */
static void test_opened_again(void **state)
{
    (void)state;
    const storage many = {2, K, 4, H5T_IEEE_F32LE, H5T_STD_I8LE},
                  one = {LONGEST, K, 4, H5T_IEEE_F32LE, H5T_STD_I64LE},
                  plain = {0, 0, -1, H5T_IEEE_F32LE, H5T_STD_I64LE};
    int at_start;
    make_file(made_path("x.h5"), &many, 1, 0, false);
    assert_in_range(check_file(made_path("x.h5"), &at_start), N, 2 * N);
    make_file(made_path("x.h5"), &one, 1, 512, false);
    assert_in_range(check_file(made_path("x.h5"), &at_start), N, 2 * N);
    make_file(made_path("x.h5"), &plain, 1, 512, false);
    assert_in_range(check_file(made_path("x.h5"), &at_start), 0, N / 2);
}

/* Links that lead to another file, whose values lie there and not here. */
static void test_other_file(void **state)
{
    (void)state;
    const storage kinds[] = {{0, 0, -1, H5T_IEEE_F32LE, H5T_STD_I8LE},
                             {LONGEST, K, 4, H5T_IEEE_F32LE, H5T_STD_I8LE}};
    for (int i = 0; i < 2; i++)
        for (int is_deep = 0; is_deep < 2; is_deep++) {
            make_file(made_path("other.h5"), &kinds[i], 1, 0, true);
            make_file(made_path("x.h5"), &kinds[i], 1, 0, false);
            hid_t id = H5Fopen(made_path("x.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
            for (int n = 0; n < N; n += 3) { /* the group is elsewhere, or only what stands in it */
                char path[64];
                snprintf(path, sizeof path, is_deep ? "/recordings/r%d/logits" : "/recordings/r%d", n);
                H5Ldelete(id, path, H5P_DEFAULT);
                assert_true(H5Lcreate_external("other.h5", path, id, path, H5P_DEFAULT, H5P_DEFAULT) >= 0);
                if (is_deep) {
                    snprintf(path, sizeof path, "/recordings/r%d/labels", n);
                    H5Ldelete(id, path, H5P_DEFAULT);
                    assert_true(H5Lcreate_external("other.h5", path, id, path, H5P_DEFAULT, H5P_DEFAULT) >=
                                0);
                }
            }
            H5Fclose(id);
            int at_start;
            (void)check_file(made_path("x.h5"), &at_start);
        }
}

/* A label beyond the classes in a chunk, a chunk that was changed: said of the recording. */
static void test_bad_values(void **state)
{
    (void)state;
    const storage s = {LONGEST, K, 4, H5T_IEEE_F32LE, H5T_STD_I64LE};
    make_file(made_path("x.h5"), &s, 1, 0, false);
    hid_t id = H5Fopen(made_path("x.h5"), H5F_ACC_RDWR, H5P_DEFAULT),
          labels = H5Dopen2(id, "/recordings/r8/labels", H5P_DEFAULT);
    int32_t values[LONGEST] = {0};
    values[17] = K;
    assert_true(H5Dwrite(labels, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(labels);
    H5Fclose(id);
    sp_source *source;
    sp_error err = {.status = SP_OK};
    sp_block *block = sp_block_new();
    assert_ok(sp_source_open(made_path("x.h5"), NULL, &source, &err), &err);
    assert_int_equal(sp_source_read(source, 0, N, SP_BLOCK_SCORES | SP_BLOCK_LABELS, block, &err), SP_EDATA);
    assert_int_equal(err.step, 17);
    assert_sentence(err.message,
                    "FILE: dataset /recordings/r8/labels, recording r8, step 17: label 3 is not one of the 3 "
                    "classes 0..2; "
                    "unscored steps are -1, and `codes` or `map` reads others' numbers",
                    made_path("x.h5"));
    sp_source_close(source);

    id = H5Fopen(made_path("x.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    labels = H5Dopen2(id, "/recordings/r8/labels", H5P_DEFAULT);
    const hsize_t at = 0;
    assert_true(H5Dwrite_chunk(labels, H5P_DEFAULT, 0, &at, sizeof values, values) >=
                0); /* not what deflate writes */
    H5Dclose(labels);
    H5Fclose(id);
    assert_ok(sp_source_open(made_path("x.h5"), NULL, &source, &err), &err);
    assert_int_equal(sp_source_read(source, 0, N, SP_BLOCK_SCORES | SP_BLOCK_LABELS, block, &err), SP_EFILE);
    assert_sentence(err.message,
                    "FILE: dataset /recordings/r8/labels cannot be read (inflate() failed); the file is "
                    "damaged: copy or write it "
                    "again",
                    made_path("x.h5"));
    sp_source_close(source);
    sp_block_free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_object_once),
        cmocka_unit_test(test_opened_again),
        cmocka_unit_test(test_other_file),
        cmocka_unit_test(test_bad_values),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
