/* The bytes draw an HDF5 file: its layout, types, chunks, filters, what stands beside the scores and what is wrong with it. The
 * file is well-formed but for its chunks, which are whatever the bytes say; fuzz_flips damages the rest. */
#include <assert.h>
#include <hdf5.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "io/hdf5/fast/h5_lzf.h"

#ifndef WITH_REPORTS
#define WITH_REPORTS false
#endif

/* One dataset: its type, shape and chunks drawn, its values those of `right` (doubles) but for one that may be drawn. */
static hid_t drawn_type(fuzz_bytes *b, bool is_score)
{
    enum { N_TYPES = 10 };
    static hid_t types[N_TYPES]; /* made once: making a type takes HDF5 as long as writing a small dataset */
    if (!types[0]) {
        hid_t half = H5Tcopy(H5T_IEEE_F32LE);
        H5Tset_fields(half, 15, 10, 5, 0, 10);
        H5Tset_size(half, 2);
        H5Tset_ebias(half, 15);
        const hid_t all[N_TYPES] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE,    half,         H5T_IEEE_F32BE,
                                    H5T_IEEE_F64BE, H5T_STD_I64LE,     H5T_STD_I8LE, H5T_STD_U64LE,
                                    H5T_STD_I32BE,  H5T_NATIVE_LDOUBLE};
        memcpy(types, all, sizeof all);
    }
    unsigned i = fuzz_take(b, 64);
    return types[is_score ? (i < 60 ? i % 5 : i % 10) : (i < 60 ? 5 + i % 4 : i % 10)];
}

/* H5P_DEFAULT or a list that the caller closes. */
static hid_t drawn_storage(fuzz_bytes *b, int rank, const hsize_t *shape, bool *is_chunked)
{
    unsigned filters = fuzz_take(b, 32);
    *is_chunked = rank > 0 && filters >= 4;
    hsize_t chunk[4];
    for (int i = 0; i < rank; i++) {
        chunk[i] = 1 + fuzz_take(b, 9);
        *is_chunked = *is_chunked && shape[i] > 0;
        chunk[i] = chunk[i] > shape[i] ? shape[i] : chunk[i];
    }
    const bool is_elsewhere = !*is_chunked && fuzz_take(b, 32) == 31;
    if (!*is_chunked && !is_elsewhere)
        return H5P_DEFAULT;
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (is_elsewhere)
        H5Pset_external(how, "/dev/null", 0, H5F_UNLIMITED);
    if (!*is_chunked || H5Pset_chunk(how, rank, chunk) < 0)
        return how;
    if (filters & 1)
        H5Pset_shuffle(how);
    if ((filters >> 1 & 3) == 1)
        H5Pset_deflate(how, 1);
    if ((filters >> 1 & 3) == 2) {
        const unsigned values[] = {4, 261, 64 + fuzz_take(b, 128)};
        H5Pset_filter(how, 32000, H5Z_FLAG_OPTIONAL, 3, values);
    }
    if (filters & 8)
        H5Pset_fletcher32(how);
    return how;
}

/* Of scores in the root, which are unpacked by us: HDF5 1.10 reads beyond the end of a chunk that is too short, and what stands
 * in groups is at times left to it. */
static void damage_chunk(fuzz_bytes *b, hid_t dataset)
{
    const hsize_t origin[4] = {0};
    const uint32_t filters_off = fuzz_take(b, 4) ? 0 : fuzz_take(b, 8);
    size_t n = fuzz_take(b, 80);
    n = n < b->left ? n : b->left;
    if (n > 0)
        (void)H5Dwrite_chunk(dataset, H5P_DEFAULT, filters_off, origin, n, b->data);
    b->data += n;
    b->left -= n;
}

static void put(fuzz_bytes *b, hid_t place, const char *name, bool is_score, int rank, hsize_t *shape,
                const double *right)
{
    if (fuzz_take(b, 16) == 15 && rank > 0)
        shape[fuzz_take(b, (unsigned)rank)] = fuzz_take(b, 12);
    hsize_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= shape[i];
    double *values = malloc((size_t)n * sizeof *values + 1);
    assert(values);
    for (hsize_t i = 0; i < n; i++)
        values[i] = right ? right[i % 8] : (double)fuzz_take(b, 4);
    if (n && fuzz_take(b, 8) == 7) {
        const double odd[] = {-1,  -2,           1e300, -1e300, 0.5, 9e18, (double)NAN, (double)INFINITY,
                              1e9, 2147483648.0, 7,     0};
        values[fuzz_take(b, 255) % n] = odd[fuzz_take(b, 12)];
    }
    bool is_chunked;
    hid_t type = drawn_type(b, is_score), space = H5Screate_simple(rank, shape, NULL),
          how = drawn_storage(b, rank, shape, &is_chunked);
    hid_t dataset = H5Dcreate2(place, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (dataset >= 0) {
        (void)H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, image_transfer(), values);
        if (is_score && is_chunked && H5Iget_type(place) == H5I_FILE && fuzz_take(b, 4) == 3)
            damage_chunk(b, dataset);
        H5Dclose(dataset);
    }
    if (how != H5P_DEFAULT)
        H5Pclose(how);
    H5Sclose(space);
    free(values);
}

static void put_names(fuzz_bytes *b, hid_t place, const char *name, hsize_t n)
{
    char text[12][4] = {{0}};
    for (int i = 0; i < 12; i++)
        snprintf(text[i], sizeof text[i], "%c%c", fuzz_take(b, 64) == 1 ? (int)fuzz_take(b, 255) : 'a' + i,
                 fuzz_take(b, 64) == 1 ? 0xC3 : 0);
    const char *variable[12];
    for (int i = 0; i < 12; i++)
        variable[i] = text[i];
    const bool is_variable = fuzz_take(b, 2), is_attribute = fuzz_take(b, 4) == 1;
    const void *values = is_variable ? (const void *)variable : (const void *)text;
    hid_t type = H5Tcopy(H5T_C_S1), space;
    H5Tset_size(type, is_variable ? H5T_VARIABLE : sizeof text[0]);
    n = fuzz_take(b, 16) == 1 ? fuzz_take(b, 12) : n;
    space = H5Screate_simple(1, &n, NULL);
    if (is_attribute) {
        hid_t attribute = H5Acreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        if (attribute >= 0) {
            H5Awrite(attribute, type, values);
            H5Aclose(attribute);
        }
    } else {
        hid_t dataset = H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (dataset >= 0) {
            H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, image_transfer(), values);
            H5Dclose(dataset);
        }
    }
    H5Sclose(space);
    H5Tclose(type);
}

/* Scores [T,K] or [N,T,K] and what stands beside them, at one place. */
static void put_recordings(fuzz_bytes *b, hid_t place, bool is_padded, hsize_t n, hsize_t t, hsize_t k)
{
    static const char *const kinds[] = {"log_probs", "probs", "logits", "scores"};
    static const double logs[] = {-1.1, -0.7, -2, 0}, any[] = {0.5, -1, 2, 0, 1, -3, 4, 0.25};
    unsigned kind = fuzz_take(b, 4);
    double values[8];
    for (int i = 0; i < 8; i++)
        values[i] = kind == 0   ? (k == 1 ? 0 : -log((double)k))
                    : kind == 1 ? 1 / (double)k
                    : kind == 2 ? logs[i % 4]
                                : any[i];
    hsize_t all[3] = {n, t, k}, *shape = is_padded ? all : all + 1;
    int rank = is_padded ? 3 : 2;
    hsize_t copy[3];
    memcpy(copy, shape, (size_t)rank * sizeof *shape);
    put(b, place, kinds[kind], true, rank, copy, values);
    static const char *const beside[] = {"labels", "segments", "weights", "mask"};
    unsigned which = fuzz_take(b, 32);
    for (int i = 0; i < 4; i++)
        if (which >> i & 1) {
            memcpy(copy, shape, (size_t)rank * sizeof *shape);
            static const double ones[] = {1, 1, 0, 1, 1, 0, 1, 1}, zeros[8] = {0};
            put(b, place, beside[i], false, i == 3 ? rank : rank - 1, copy, i == 3 ? ones : zeros);
        }
}

static image draw_file(fuzz_bytes *b)
{
    hid_t file = image_begin(fuzz_take(b, 2));
    unsigned layout = fuzz_take(b, 4);
    hsize_t n = 1 + fuzz_take(b, 3), t = fuzz_take(b, 9), k = 1 + fuzz_take(b, 5), one;
    if (layout == 0 || layout == 1) {
        put_recordings(b, file, layout == 1, n, t, k);
        const double offsets[8] = {0, 0, (double)t, (double)t, (double)t, 0, 0, 0},
                     lengths[8] = {(double)t, 0, (double)t};
        one = layout == 0 ? 3 : n;
        put(b, file, layout == 0 ? "offsets" : "lengths", false, 1, &one, layout == 0 ? offsets : lengths);
        if (fuzz_take(b, 2))
            put_names(b, file, "ids", layout == 0 ? 2 : n);
    } else if (layout == 2) {
        put_recordings(b, file, false, 1, t, k);
    } else {
        hid_t groups = H5Gcreate2(file, "recordings", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        for (unsigned i = 0; i < n; i++) {
            char id[8];
            snprintf(id, sizeof id, "n%u", i);
            if (i && fuzz_take(b, 8) == 7) {
                const unsigned kind = fuzz_take(b, 3);
                if (kind == 2)
                    H5Lcreate_external("other.h5", "/", groups, id, H5P_DEFAULT, H5P_DEFAULT);
                else
                    H5Lcreate_soft(kind ? "/recordings/n0" : "/nowhere", groups, id, H5P_DEFAULT,
                                   H5P_DEFAULT);
                continue;
            }
            hid_t group = H5Gcreate2(groups, id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            fuzz_bytes again = *b; /* recordings of a file are alike, up to a point */
            put_recordings(i && fuzz_take(b, 4) ? &again : b, group, false, 1, t, k);
            H5Gclose(group);
        }
        H5Gclose(groups);
    }
    if (fuzz_take(b, 2))
        put_names(b, file, "classes", k);
    return image_end(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sp_lzf_register();
    fuzz_bytes b = {data, size};
    const unsigned mode = fuzz_take(&b, 32);
    image file = draw_file(&b);
    image_use(file.bytes, file.n, mode >= 24 ? mode % N_READERS : AS_SCORES, WITH_REPORTS);
    free(file.bytes);
    return 0;
}
