/* The bytes draw an HDF5 file: its layout, types, chunks, filters, what stands beside the scores and what is wrong with it. The
 * file is well-formed, because HDF5 itself does not survive damaged structure; chunks are whatever the bytes say. */
#include <assert.h>
#include <hdf5.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/lzf.h"
#include "statepath-kit.h"

typedef struct bytes {
    const uint8_t *data;
    size_t left;
} bytes;

static unsigned take(bytes *b, unsigned below)
{
    if (!b->left)
        return 0;
    b->left--;
    return *b->data++ % below;
}

/* One dataset: its type, shape and chunks drawn, its values those of `right` (doubles) but for one that may be drawn. */
static hid_t drawn_type(bytes *b, bool is_score)
{
    hid_t half = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(half, 15, 10, 5, 0, 10);
    H5Tset_size(half, 2);
    H5Tset_ebias(half, 15);
    const hid_t types[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, half,          H5T_IEEE_F32BE, H5T_IEEE_F64BE,
                           H5T_STD_I64LE,  H5T_STD_I8LE,   H5T_STD_U64LE, H5T_STD_I32BE,  H5T_NATIVE_LDOUBLE};
    unsigned i = take(b, 64);
    hid_t type = H5Tcopy(types[is_score ? (i < 60 ? i % 5 : i % 10) : (i < 60 ? 5 + i % 4 : i % 10)]);
    H5Tclose(half);
    return type;
}

static hid_t drawn_storage(bytes *b, int rank, const hsize_t *shape, bool *is_chunked)
{
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    unsigned filters = take(b, 32);
    *is_chunked = rank > 0 && filters >= 4;
    hsize_t chunk[4];
    for (int i = 0; i < rank; i++) {
        chunk[i] = 1 + take(b, 9);
        *is_chunked = *is_chunked && shape[i] > 0;
        chunk[i] = chunk[i] > shape[i] ? shape[i] : chunk[i];
    }
    if (!*is_chunked || H5Pset_chunk(how, rank, chunk) < 0)
        return how;
    if (filters & 1)
        H5Pset_shuffle(how);
    if ((filters >> 1 & 3) == 1)
        H5Pset_deflate(how, 1);
    if ((filters >> 1 & 3) == 2) {
        const unsigned values[] = {4, 261, 64 + take(b, 128)};
        H5Pset_filter(how, 32000, H5Z_FLAG_OPTIONAL, 3, values);
    }
    if (filters & 8)
        H5Pset_fletcher32(how);
    return how;
}

/* Of scores in the root, which are unpacked by us: HDF5 1.10 reads beyond the end of a chunk that is too short, and what stands
 * in groups is at times left to it. */
static void damage_chunk(bytes *b, hid_t dataset)
{
    const hsize_t origin[4] = {0};
    const uint32_t filters_off = take(b, 4) ? 0 : take(b, 8);
    size_t n = take(b, 80);
    n = n < b->left ? n : b->left;
    if (n > 0)
        (void)H5Dwrite_chunk(dataset, H5P_DEFAULT, filters_off, origin, n, b->data);
    b->data += n;
    b->left -= n;
}

static void put(bytes *b, hid_t place, const char *name, bool is_score, int rank, hsize_t *shape, const double *right)
{
    if (take(b, 16) == 15 && rank > 0)
        shape[take(b, (unsigned)rank)] = take(b, 12);
    hsize_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= shape[i];
    double *values = malloc((size_t)n * sizeof *values + 1);
    assert(values);
    for (hsize_t i = 0; i < n; i++)
        values[i] = right ? right[i % 8] : (double)take(b, 4);
    if (n && take(b, 8) == 7) {
        const double odd[] = {-1, -2, 1e300, -1e300, 0.5, 9e18, (double)NAN, (double)INFINITY, 1e9, 2147483648.0, 7, 0};
        values[take(b, 255) % n] = odd[take(b, 12)];
    }
    bool is_chunked;
    hid_t type = drawn_type(b, is_score), space = H5Screate_simple(rank, shape, NULL),
          how = drawn_storage(b, rank, shape, &is_chunked);
    hid_t dataset = H5Dcreate2(place, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (dataset >= 0) {
        (void)H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        if (is_score && is_chunked && H5Iget_type(place) == H5I_FILE && take(b, 4) == 3)
            damage_chunk(b, dataset);
        H5Dclose(dataset);
    }
    H5Pclose(how);
    H5Sclose(space);
    H5Tclose(type);
    free(values);
}

static void put_names(bytes *b, hid_t place, const char *name, hsize_t n)
{
    char text[12][4] = {{0}};
    for (int i = 0; i < 12; i++)
        snprintf(text[i], sizeof text[i], "%c%c", take(b, 64) == 1 ? (int)take(b, 255) : 'a' + i, take(b, 64) == 1 ? 0xC3 : 0);
    hid_t type = H5Tcopy(H5T_C_S1), space;
    H5Tset_size(type, sizeof text[0]);
    n = take(b, 16) == 1 ? take(b, 12) : n;
    space = H5Screate_simple(1, &n, NULL);
    hid_t dataset = H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (dataset >= 0) {
        H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
        H5Dclose(dataset);
    }
    H5Sclose(space);
    H5Tclose(type);
}

/* Scores [T,K] or [N,T,K] and what stands beside them, at one place. */
static void put_recordings(bytes *b, hid_t place, bool is_padded, hsize_t n, hsize_t t, hsize_t k)
{
    static const char *const kinds[] = {"log_probs", "probs", "logits", "scores"};
    static const double logs[] = {-1.1, -0.7, -2, 0}, any[] = {0.5, -1, 2, 0, 1, -3, 4, 0.25};
    unsigned kind = take(b, 4);
    double values[8];
    for (int i = 0; i < 8; i++)
        values[i] = kind == 0 ? (k == 1 ? 0 : -log((double)k)) : kind == 1 ? 1 / (double)k : kind == 2 ? logs[i % 4] : any[i];
    hsize_t all[3] = {n, t, k}, *shape = is_padded ? all : all + 1;
    int rank = is_padded ? 3 : 2;
    hsize_t copy[3];
    memcpy(copy, shape, (size_t)rank * sizeof *shape);
    put(b, place, kinds[kind], true, rank, copy, values);
    static const char *const beside[] = {"labels", "segments", "weights", "mask"};
    unsigned which = take(b, 32);
    for (int i = 0; i < 4; i++)
        if (which >> i & 1) {
            memcpy(copy, shape, (size_t)rank * sizeof *shape);
            static const double ones[] = {1, 1, 0, 1, 1, 0, 1, 1}, zeros[8] = {0};
            put(b, place, beside[i], false, i == 3 ? rank : rank - 1, copy, i == 3 ? ones : zeros);
        }
}

static void draw_file(bytes *b, const char *name)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (take(b, 2))
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    assert(file >= 0);
    unsigned layout = take(b, 4);
    hsize_t n = 1 + take(b, 3), t = take(b, 9), k = 1 + take(b, 5), one;
    if (layout == 0 || layout == 1) {
        put_recordings(b, file, layout == 1, n, t, k);
        const double offsets[8] = {0, 0, (double)t, (double)t, (double)t, 0, 0, 0}, lengths[8] = {(double)t, 0, (double)t};
        one = layout == 0 ? 3 : n;
        put(b, file, layout == 0 ? "offsets" : "lengths", false, 1, &one, layout == 0 ? offsets : lengths);
        if (take(b, 2))
            put_names(b, file, "ids", layout == 0 ? 2 : n);
    } else if (layout == 2) {
        put_recordings(b, file, false, 1, t, k);
    } else {
        hid_t groups = H5Gcreate2(file, "recordings", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        for (unsigned i = 0; i < n; i++) {
            char id[8];
            snprintf(id, sizeof id, "n%u", i);
            if (i && take(b, 8) == 7) {
                H5Lcreate_soft(take(b, 2) ? "/recordings/n0" : "/nowhere", groups, id, H5P_DEFAULT, H5P_DEFAULT);
                continue;
            }
            hid_t group = H5Gcreate2(groups, id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            bytes again = *b; /* recordings of a file are alike, up to a point */
            put_recordings(i && take(b, 4) ? &again : b, group, false, 1, t, k);
            H5Gclose(group);
        }
        H5Gclose(groups);
    }
    if (take(b, 2))
        put_names(b, file, "classes", k);
    H5Fclose(file);
    H5Pclose(access);
}

static void read_scores(const char *name, bool missing_uniform)
{
    sp_error err = {.message = ""};
    sp_source_options how = sp_source_options_default();
    sp_source *source = NULL;
    if (sp_source_open(name, &how, &source, &err) != SP_OK) {
        assert(err.message[0]);
        return;
    }
    const sp_source_info *info = sp_source_info_of(source);
    sp_block *block = sp_block_new();
    unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS | SP_BLOCK_MASK;
    sp_prepare_options prepare = sp_prepare_options_default();
    prepare.kind = info->kind;
    prepare.missing_uniform = missing_uniform;
    assert(block);
    if (sp_source_read(source, 0, info->n_recordings, parts, block, &err) != SP_OK ||
        sp_prepare(block, &prepare, NULL, &err) != SP_OK)
        assert(err.message[0]);
    else
        for (int64_t t = 0; t < block->n_steps; t++)
            assert(!block->labels || (block->labels[t] >= -1 && block->labels[t] < block->n_classes));
    for (int64_t r = 0; r < info->n_recordings; r++) {
        int64_t length = info->offsets[r + 1] - info->offsets[r];
        if (length > 1)
            (void)sp_source_read_steps(source, r, 1, length - 1, parts, block, &err);
    }
    sp_block_free(block);
    sp_source_close(source);
}

static void read_paths(const char *name)
{
    sp_error err = {.message = ""};
    sp_paths_reader *reader = NULL;
    if (sp_paths_reader_open(name, "/labels", NULL, &reader, &err) != SP_OK) {
        assert(err.message[0]);
        return;
    }
    const sp_paths_info *info = sp_paths_reader_info(reader);
    int32_t *paths = malloc((size_t)info->n_steps * sizeof *paths + 1);
    assert(paths);
    if (sp_paths_reader_read(reader, 0, 0, info->n_recordings, paths, NULL, &err) != SP_OK)
        assert(err.message[0]);
    free(paths);
    sp_paths_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[] = "/tmp/statepath-fuzz-XXXXXX";
    static bool is_ready;
    if (!is_ready) {
        close(mkstemp(name));
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        sp_lzf_register();
        is_ready = true;
    }
    bytes b = {data, size};
    bool missing_uniform = take(&b, 2);
    draw_file(&b, name);
    read_scores(name, missing_uniform);
    read_paths(name);
    unlink(name);
    return 0;
}
