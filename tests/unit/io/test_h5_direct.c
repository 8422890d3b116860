/* Reading past H5Dread: H5Dread of the same slab is the oracle, byte for byte. */
#include "check.h"
#include "made_files.h"
#include "statepath/files.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

/* A caller cannot tell which way numbers were read, nor choose it. */
#include "io/hdf5/fast/chunk_bytes.h"
#include "io/hdf5/fast/h5_direct.h"
#include "io/hdf5/fast/h5_element.h"
#include "io/hdf5/fast/h5_lzf.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_source.h"

static sp_h5_quiet quiet;

static int setup(void **state)
{
    (void)state;
    made_folder();
    sp_h5_quiet_begin(&quiet);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    made_folder_remove();
    (void)sp_h5_quiet_end(&quiet, SP_OK, NULL);
    return 0;
}

/* How a dataset is stored. */
typedef struct storage {
    int rank;
    hsize_t dims[3], chunk[3]; /* chunk[0] 0: contiguous */
    bool has_shuffle;
    int level;    /* of deflate; -1: without */
    hid_t type;   /* of the values in the file */
    hsize_t rows; /* written; the others stay as they are, without chunks where they can */
    bool has_user_block;
    bool has_checksum;
} storage;

static void make_file(const char *file, const storage *s)
{
    hid_t created = H5Pcreate(H5P_FILE_CREATE);
    if (s->has_user_block)
        H5Pset_userblock(created, 1024);
    hid_t id = H5Fcreate(file, H5F_ACC_TRUNC, created, H5P_DEFAULT);
    H5Pclose(created);
    created = H5Pcreate(H5P_DATASET_CREATE);
    const size_t size = H5Tget_size(s->type);
    unsigned char fill[8];
    memset(fill, 0x5a, sizeof fill);
    H5Pset_fill_value(created, s->type, fill);
    if (s->chunk[0])
        H5Pset_chunk(created, s->rank, s->chunk);
    if (s->has_shuffle)
        H5Pset_shuffle(created);
    if (s->level >= 0)
        H5Pset_deflate(created, (unsigned)s->level);
    if (s->has_checksum)
        H5Pset_fletcher32(created);
    hid_t space = H5Screate_simple(s->rank, s->dims, NULL);
    hid_t dataset = H5Dcreate2(id, "x", s->type, space, H5P_DEFAULT, created, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hsize_t start[3] = {0}, count[3] = {0}, n = 1;
    for (int i = 0; i < s->rank; i++) {
        count[i] = i == 0 ? s->rows : s->dims[i];
        n *= count[i];
    }
    if (n > 0) {
        unsigned char *values = malloc(n * size);
        for (size_t i = 0; i < n * size; i++)
            values[i] = (unsigned char)((i * 2654435761u >> 13) &
                                        (i % 3 ? 0xff : 0x0f)); /* bytes only: no float is looked at */
        hid_t memory = H5Screate_simple(s->rank, count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        assert_true(H5Dwrite(dataset, s->type, memory, space, H5P_DEFAULT, values) >= 0);
        H5Sclose(memory);
        free(values);
    }
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(created);
    H5Fclose(id);
}

typedef struct opened {
    hid_t file, dataset, type;
    size_t size;
    int rank;
    hsize_t dims[3];
    sp_h5_direct *direct;
} opened;

static void open_file(const char *file, opened *o)
{
    int64_t bytes;
    sp_error err;
    assert_ok(sp_h5_open(file, NULL, &o->file, &bytes, &err), &err);
    o->dataset = H5Dopen2(o->file, "x", H5P_DEFAULT);
    o->type = H5Dget_type(o->dataset);
    o->size = H5Tget_size(o->type);
    hid_t space = H5Dget_space(o->dataset);
    o->rank = H5Sget_simple_extent_dims(space, o->dims, NULL);
    H5Sclose(space);
    const sp_h5_request request = {
        .dataset = o->dataset, .type = o->type, .size = o->size, .rank = o->rank, .dims = o->dims};
    assert_int_equal(sp_h5_direct_new(&request, &o->direct), SP_OK);
}

static void close_file(opened *o)
{
    sp_h5_direct_free(o->direct);
    H5Tclose(o->type);
    H5Dclose(o->dataset);
    H5Fclose(o->file);
    assert_h5_closed();
}

static void oracle(const opened *o, const hsize_t *start, const hsize_t *count, hsize_t n, void *out)
{
    hid_t space = H5Dget_space(o->dataset), memory = H5Screate_simple(1, &n, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    assert_true(H5Dread(o->dataset, o->type, memory, space, H5P_DEFAULT, out) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
}

/* Rows first .. first+rows-1, of [rows,T,K] only the first `steps` of T. */
static void check_slab(const opened *o, hsize_t first, hsize_t rows, hsize_t steps)
{
    hsize_t start[3] = {first, 0, 0}, count[3] = {rows, 1, 1}, n = rows;
    for (int i = 1; i < o->rank; i++) {
        count[i] = o->rank == 3 && i == 1 ? steps : o->dims[i];
        n *= count[i];
    }
    unsigned char *expected = malloc(n * o->size), *found = malloc(n * o->size + 1);
    oracle(o, start, count, n, expected);
    memset(found, 0xa5, n * o->size + 1);
    assert_int_equal(sp_h5_direct_read(o->direct, start, count, found), SP_OK);
    assert_memory_equal(found, expected, n * o->size);
    assert_int_equal(found[n * o->size], 0xa5);
    free(expected);
    free(found);
}

/* In order in blocks of every size, then all at once, then back and forth. */
static void check_file(const char *file)
{
    for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
        opened o = {0};
        open_file(file, &o);
        assert_non_null(o.direct);
        sp_h5_direct_use_threads(o.direct, n_threads);
        const hsize_t n = o.dims[0], all = o.rank == 3 ? o.dims[1] : 1;
        for (hsize_t rows = n < 1000 ? 1 : 9000; rows <= n; rows = rows < 12 ? rows + 1 : 2 * rows)
            for (hsize_t first = 0; first + rows <= n; first += rows)
                check_slab(&o, first, rows, all - (first + rows) % (all > 2 ? 3 : 1));
        check_slab(&o, 0, n, all);
        check_slab(&o, n / 2, n - n / 2, all);
        check_slab(&o, 0, 1, all);
        close_file(&o);
    }
}

static void test_storages(void **state)
{
    (void)state;
    const hid_t f4 = H5T_IEEE_F32LE, f4b = H5T_IEEE_F32BE, i2 = H5T_STD_I16BE, f8 = H5T_IEEE_F64LE,
                u1 = H5T_STD_U8LE;
    const storage storages[] = {
        /* contiguous, the same behind a user block, never written (no place in the file: H5Dread), padded */
        {2, {97, 5, 0}, {0}, false, -1, f4, 97, false, false},
        {2, {97, 5, 0}, {0}, false, -1, f4b, 97, true, false},
        {3, {13, 7, 5}, {0}, false, -1, f8, 13, false, false},
        {1, {97, 0, 0}, {0}, false, -1, u1, 97, false, false},
        /* chunks: plain, shuffled, deflated, both; the last one beyond the end */
        {2, {97, 5, 0}, {10, 5, 0}, false, -1, f4, 97, false, false},
        {2, {97, 5, 0}, {10, 5, 0}, true, -1, f4, 97, false, false},
        {2, {97, 5, 0}, {10, 5, 0}, false, 4, f4b, 97, true, false},
        {2, {97, 5, 0}, {10, 5, 0}, true, 4, f4, 97, false, false},
        {2, {97, 5, 0}, {10, 5, 0}, true, 4, i2, 97, false, false},
        {2, {97, 5, 0}, {10, 5, 0}, true, 4, f8, 97, false, false},
        {1, {97, 0, 0}, {10, 0, 0}, true, 9, i2, 97, false, false},
        {1, {97, 0, 0}, {10, 0, 0}, true, 1, u1, 97, false, false},
        /* classes split among chunks, the last not full; a chunk of one row; one chunk larger than everything */
        {2, {97, 5, 0}, {10, 2, 0}, true, 4, f4, 97, false, false},
        {2, {97, 5, 0}, {10, 2, 0}, false, 4, f4, 97, false, false},
        {2, {97, 5, 0}, {1, 5, 0}, true, 4, f4, 97, false, false},
        {2, {97, 5, 0}, {97, 3, 0}, true, 4, f4, 97, false, false},
        /* rows without chunks: the fill value */
        {2, {97, 5, 0}, {10, 5, 0}, true, 4, f4, 35, false, false},
        {2, {97, 5, 0}, {10, 2, 0}, false, -1, f4, 35, false, false},
        {2, {97, 5, 0}, {10, 2, 0}, true, 4, f4, 0, false, false},
        /* padded: chunks of some recordings, some steps, some classes */
        {3, {13, 7, 5}, {1, 7, 5}, true, 4, f4, 13, false, false},
        {3, {13, 7, 5}, {4, 7, 5}, true, 4, f4, 13, false, false},
        {3, {13, 7, 5}, {4, 3, 2}, true, 4, f4, 13, false, false},
        {3, {13, 7, 5}, {4, 3, 5}, false, -1, i2, 6, false, false},
        /* checksums, of an even and an odd number of bytes */
        {2, {97, 5, 0}, {10, 5, 0}, true, 4, f4, 97, false, true},
        {2, {97, 5, 0}, {10, 2, 0}, false, -1, f8, 97, false, true},
        {1, {97, 0, 0}, {11, 0, 0}, false, -1, u1, 97, false, true},
        /* chunks so large that several are held, one for each thread, and so that a chunk is whole classes */
        {2, {70000, 3, 0}, {30000, 3, 0}, true, 1, f4, 70000, false, false},
        {2, {70000, 3, 0}, {22000, 2, 0}, true, 1, f8, 50000, false, false},
    };
    for (size_t i = 0; i < sizeof storages / sizeof *storages; i++) {
        print_message("storage %zu\n", i);
        make_file(made_path("x.h5"), &storages[i]);
        check_file(made_path("x.h5"));
    }
}

static const storage usual = {2, {30, 5, 0}, {10, 5, 0}, true, 4, 0, 30, false, false};

static storage usual_f4(void)
{
    storage s = usual;
    s.type = H5T_IEEE_F32LE;
    return s;
}

/* Writes the chunk of rows 10 .. 19 as it is, with filters left out. */
static void write_chunk(const char *file, uint32_t skipped, const void *bytes, size_t n)
{
    const hsize_t at[2] = {10, 0};
    hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(id, "x", H5P_DEFAULT);
    assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, skipped, at, n, bytes) >= 0);
    H5Dclose(dataset);
    H5Fclose(id);
}

static void test_skipped_filters(void **state)
{
    (void)state;
    unsigned char plain[200];
    for (size_t i = 0; i < sizeof plain; i++)
        plain[i] = (unsigned char)(7 * i);
    const storage s = usual_f4();
    make_file(made_path("x.h5"), &s);
    write_chunk(made_path("x.h5"), 3, plain, sizeof plain); /* neither */
    check_file(made_path("x.h5"));
    write_chunk(made_path("x.h5"), 2, plain, sizeof plain); /* shuffled only */
    check_file(made_path("x.h5"));
}

/* What is damaged is left to H5Dread, and so is what comes with filters or storage of other kinds. */
static void test_not_this_way(void **state)
{
    (void)state;
    unsigned char nonsense[64], out[600];
    memset(nonsense, 0x77, sizeof nonsense);
    const storage s = usual_f4();
    make_file(made_path("x.h5"), &s);
    write_chunk(made_path("x.h5"), 0, nonsense, sizeof nonsense);
    opened o = {0};
    open_file(made_path("x.h5"), &o);
    const hsize_t start[2] = {0, 0}, count[2] = {30, 5}, first[2] = {10, 5}, part[2] = {15, 5};
    assert_int_equal(sp_h5_direct_read(o.direct, start, count, out), SP_EFILE);
    assert_int_equal(sp_h5_direct_read(o.direct, start, first, out), SP_OK);
    assert_int_equal(sp_h5_direct_read(o.direct, start, part, out), SP_EFILE); /* as part of what is held */
    close_file(&o);

    storage cut = usual_f4();
    cut.has_shuffle = false;
    cut.level = -1;
    make_file(made_path("x.h5"), &cut);
    open_file(made_path("x.h5"), &o);
    assert_non_null(o.direct);
    close_file(&o);

    for (int has_user_block = 0; has_user_block < 2;
         has_user_block++) { /* never written: fill values, not what stands there */
        storage empty = cut;
        memset(empty.chunk, 0, sizeof empty.chunk);
        empty.rows = 0;
        empty.has_user_block = has_user_block;
        make_file(made_path("x.h5"), &empty);
        open_file(made_path("x.h5"), &o);
        assert_null(o.direct);
        close_file(&o);
    }

    for (int kind = 0; kind < 4; kind++) {
        hid_t id = H5Fcreate(made_path("y.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        hid_t created = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, s.dims, NULL);
        if (kind < 3)
            H5Pset_chunk(created, 2, s.chunk);
        if (kind == 0) { /* a checksum of what is not yet compressed */
            H5Pset_fletcher32(created);
            H5Pset_deflate(created, 4);
        } else if (kind == 1)
            H5Pset_chunk_opts(created, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
        else if (kind == 2)
            H5Pset_scaleoffset(created, H5Z_SO_INT, 0);
        else
            H5Pset_external(created, "z.bin", 0, 600);
        hid_t type = kind == 2 ? H5T_STD_I32LE : s.type;
        H5Dclose(H5Dcreate2(id, "x", type, space, H5P_DEFAULT, created, H5P_DEFAULT));
        H5Sclose(space);
        H5Pclose(created);
        H5Fclose(id);
        open_file(made_path("y.h5"), &o);
        assert_null(o.direct);
        close_file(&o);
    }
}

static void test_unshuffle(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 8; size++) {
        enum { N = 37 };
        unsigned char values[8 * N], shuffled[8 * N], out[8 * N];
        for (size_t i = 0; i < size * N; i++)
            values[i] = (unsigned char)(31 * i + 5);
        for (size_t i = 0; i < N; i++)
            for (size_t byte = 0; byte < size; byte++)
                shuffled[byte * N + i] = values[i * size + byte];
        for (size_t first = 0; first < N; first += 5) {
            sp_unshuffle(shuffled, N, size, first, N - first, out);
            assert_memory_equal(out, values + first * size, (N - first) * size);
        }
    }
}

static void test_lzf(void **state)
{
    (void)state;
    unsigned char out[300], long_run[300];
    memset(long_run, 'x', sizeof long_run);
    /* "abc", 3 from 3 back: "abcabc"; then "x" and 264 more of it, from 1 back */
    const unsigned char packed[] = {2, 'a', 'b', 'c', 1 << 5, 2, 0, 'x', 7 << 5, 255, 0};
    assert_true(sp_lzf_unpack(packed, sizeof packed, out, 6 + 1 + 264));
    assert_memory_equal(out, "abcabc", 6);
    assert_memory_equal(out + 6, long_run, 265);
    assert_false(sp_lzf_unpack(packed, sizeof packed, out, 270)); /* more than there is room for */
    assert_false(sp_lzf_unpack(packed, sizeof packed, out, 272)); /* fewer */
    for (size_t n = 1; n < sizeof packed; n++)
        assert_true(sp_lzf_unpack(packed, n, out, 271) == false);
    const unsigned char before[] = {0, 'a', 1 << 5, 1}; /* from 2 back, where only 1 is */
    assert_false(sp_lzf_unpack(before, sizeof before, out, 4));
}

static void test_fletcher32(void **state)
{
    (void)state;
    /* By hand: words 0x0102, 0x0304; then 0x0500 of the odd byte. */
    const unsigned char bytes[] = {1, 2, 3, 4, 5};
    assert_int_equal(sp_fletcher32(bytes, 4), 0x05080406u);
    assert_int_equal(sp_fletcher32(bytes, 5), 0x0e0e0906u);
    assert_int_equal(sp_fletcher32(bytes, 0), 0);
}

/* ---- numbers, and what is kept of chunks ---- */

/* Half precision, all 65,536 values of it, against the definition. */
static void test_half_precision(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
        double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                      : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                     : ldexp(fraction, -24);
        double value = bits & 0x8000 ? -size : size, found = sp_half_to_float((uint16_t)bits);
        assert_true(isnan(value) ? isnan(found) : found == value && !signbit(found) == !signbit(value));
    }
}

/* Halves and floats of either byte order grow in place as one by one: raw values end where the wide ones end. */
static void test_widening(void **state)
{
    (void)state;
    enum { N = 0x10000 + 37 };
    float *out = malloc(N * sizeof *out);
    for (int size = 2; size <= 4; size += 2)
        for (int is_big = 0; is_big <= 1; is_big++) {
            const sp_element element = {.kind = SP_ELEMENT_FLOAT, .size = (uint8_t)size, .is_big = is_big};
            unsigned char *raw = (unsigned char *)out + (size_t)N * (4 - (size_t)size);
            for (uint32_t i = 0; i < N; i++)
                for (int byte = 0; byte < size; byte++) {
                    const uint32_t bits = size == 2 ? i & 0xffff : i * 2654435761u & 0x7effffff;
                    raw[i * (uint32_t)size + (uint32_t)(is_big ? size - 1 - byte : byte)] =
                        (unsigned char)(bits >> 8 * byte);
                }
            double bad = 0;
            assert_int_equal(sp_element_convert(&element, raw, N, SP_TO_F32, 0, out, &bad), -1);
            for (uint32_t i = 0; i < N; i++) {
                const uint32_t bits = i * 2654435761u & 0x7effffff;
                float expected = sp_half_to_float((uint16_t)i);
                if (size == 4)
                    memcpy(&expected, &bits, sizeof expected);
                assert_memory_equal(&out[i], &expected, sizeof expected);
            }
        }
    free(out);
}

/* Reading in blocks must not inflate a chunk again for each block: where HDF5 reads (here because of a filter of its own) its
 * cache holds a row of chunks, whatever their size. */
static void test_chunk_cache(void **state)
{
    (void)state;
    hsize_t dims[2] = {200000, 6}, chunk[2] = {200000, 2};
    hid_t file = H5Fcreate(made_path("chunks.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, dims, NULL), made = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(made, 2, chunk);
    H5Pset_scaleoffset(made, H5Z_SO_FLOAT_DSCALE, 3);
    hid_t data = H5Dcreate2(file, "scores", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, made, H5P_DEFAULT);
    H5Dclose(data);
    H5Pclose(made);
    H5Sclose(space);
    H5Fclose(file);
    sp_source *source = NULL;
    sp_error err;
    assert_ok(sp_source_open(made_path("chunks.h5"), NULL, &source, &err), &err);
    sp_block *block = sp_block_new();
    assert_ok(sp_source_read_steps(source, 0, 0, 10, SP_BLOCK_SCORES, block, &err), &err);
    sp_block_free(block);
    hid_t access = H5Dget_access_plist(sp_h5_array_data(sp_array_source_map(source)->scores.one)->id);
    size_t slots = 0, bytes = 0;
    double w0;
    H5Pget_chunk_cache(access, &slots, &bytes, &w0);
    H5Pclose(access);
    assert_true(bytes >= 3 * 2 * 200000 * sizeof(float) && slots >= 3);
    sp_source_close(source);
    assert_h5_closed();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storages),
        cmocka_unit_test(test_skipped_filters),
        cmocka_unit_test(test_not_this_way),
        cmocka_unit_test(test_unshuffle),
        cmocka_unit_test(test_lzf),
        cmocka_unit_test(test_fletcher32),
        cmocka_unit_test(test_half_precision),
        cmocka_unit_test(test_widening),
        cmocka_unit_test(test_chunk_cache),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
