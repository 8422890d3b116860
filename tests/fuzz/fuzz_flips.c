/* Whole files, made in memory by HDF5, with bytes of them changed: the input chooses a file, then says {where u16, byte} again
 * and again. Names of variable length, attributes, external storage, paths, signals, weights of a network. (An
 * external link makes HDF5 keep the links of a group in another way, where HDF5 1.10 frees what a changed byte says: fuzz_scores
 * has them.) */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "statepath-kit.h"

enum { STEPS = 12, CLASSES = 3, N_SEEDS = 8 };

static void put(hid_t place, const char *path, hid_t stored, hid_t memory, int rank, const hsize_t *dims,
                const void *values, hid_t how)
{
    hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(rank, dims, NULL);
    H5Pset_create_intermediate_group(links, 1);
    hid_t dataset = H5Dcreate2(place, path, stored, space, links, how, H5P_DEFAULT);
    assert(dataset >= 0);
    if (values)
        assert(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(links);
}

static void put_floats(hid_t place, const char *path, int rank, const hsize_t *dims, hid_t how)
{
    hsize_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= dims[i];
    float *values = malloc(n * sizeof *values);
    assert(values);
    for (hsize_t i = 0; i < n; i++)
        values[i] = dims[rank - 1] == CLASSES ? (float)((i + i / CLASSES) % CLASSES == 0 ? 0.5 : 0.25)
                                              : (float)(i % 7) / 8;
    put(place, path, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, rank, dims, values, how);
    free(values);
}

static void put_integers(hid_t place, const char *path, hid_t stored, hsize_t n, const int *values)
{
    put(place, path, stored, H5T_NATIVE_INT, 1, &n, values, H5P_DEFAULT);
}

static const int labels[STEPS] = {0, 0, 1, 1, 2, 2, -1, 0, 1, 2, 1, 0}, offsets[] = {0, 5, STEPS};
static const char *const names[] = {"Wake", "N1 \xc3\xa4", "REM"};

static void put_names(hid_t place, const char *path, hsize_t n, bool is_attribute)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &n, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    hid_t id = is_attribute ? H5Acreate2(place, path, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    if (is_attribute) {
        assert(id >= 0 && H5Awrite(id, type, names) >= 0);
        H5Aclose(id);
    } else
        put(place, path, type, type, 1, &n, names, H5P_DEFAULT);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_text(hid_t file, const char *key, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    hid_t id = H5Acreate2(file, key, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert(id >= 0 && H5Awrite(id, type, &text) >= 0);
    H5Aclose(id);
    H5Sclose(space);
    H5Tclose(type);
}

/* Scores of some layout with names. */
static void packed(hid_t file, const char *scores, bool has_filters)
{
    const hsize_t dims[] = {STEPS, CLASSES}, chunk[] = {5, 2};
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (has_filters) {
        H5Pset_chunk(how, 2, chunk);
        H5Pset_shuffle(how);
        H5Pset_deflate(how, 1);
    }
    put_floats(file, scores, 2, dims, how);
    put_integers(file, "labels", H5T_STD_I8LE, STEPS, labels);
    put_integers(file, "labels_b", H5T_STD_I64LE, STEPS, labels);
    put_integers(file, "segments", H5T_STD_I32BE, STEPS, labels);
    put_integers(file, "offsets", H5T_STD_I64LE, 3, offsets);
    put_names(file, "classes", CLASSES, !has_filters);
    put_names(file, "ids", 2, false);
    put_names(file, "subjects", 2, false);
    H5Pclose(how);
}

static void grouped(hid_t file)
{
    const hsize_t dims[] = {STEPS, CLASSES}, chunk[] = {STEPS, CLASSES};
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(how, 2, chunk);
    put_floats(file, "recordings/n1/probs", 2, dims, H5P_DEFAULT);
    put_floats(file, "recordings/n2/probs", 2, dims, how);
    put_integers(file, "recordings/n1/labels", H5T_STD_I8LE, STEPS, labels);
    hid_t group = H5Gopen2(file, "recordings", H5P_DEFAULT);
    put_names(group, "classes", CLASSES, true);
    H5Gclose(group);
    H5Pclose(how);
}

static void linked(hid_t file)
{
    const hsize_t dims[] = {STEPS, CLASSES};
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(how, H5D_COMPACT);
    put_floats(file, "probs", 2, dims, how);
    H5Pclose(how);
    H5Lcreate_soft("probs", file, "logits", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/nowhere", file, "offsets", H5P_DEFAULT, H5P_DEFAULT);
}

static void paths(hid_t file)
{
    put_integers(file, "paths/viterbi", H5T_STD_I16LE, STEPS, labels);
    put_integers(file, "labels", H5T_STD_I8LE, STEPS, labels);
    put_integers(file, "status/viterbi", H5T_STD_U8LE, 2, offsets);
    put_integers(file, "offsets", H5T_STD_I64LE, 3, offsets);
    put_names(file, "classes", CLASSES, false);
    put_names(file, "ids", 2, false);
    put_text(file, "model", "{\"statepath_model\": 1, \"classes\": [\"a\"], \"forbid\": {}}");
    put_text(file, "input", "in.h5");
}

static void signals(hid_t file)
{
    const hsize_t dims[] = {STEPS, 2, 8};
    put_floats(file, "signals", 3, dims, H5P_DEFAULT);
    put_integers(file, "labels", H5T_STD_I8LE, STEPS, labels);
    put_integers(file, "split", H5T_STD_I8LE, 2, offsets);
    put_integers(file, "offsets", H5T_STD_I64LE, 3, offsets);
    put_names(file, "classes", CLASSES, false);
}

static void weights(hid_t file)
{
    const hsize_t dims[] = {3, 1, 4}, bias[] = {4};
    put_text(file, "statepath_weights", "network 1");
    put_integers(file, "shape", H5T_STD_I64LE, 12, (const int[]){1, 8, 3, 3, 1, 4, 3, 1, 4, 3, 1, 4});
    put_floats(file, "layer1/weight", 3, dims, H5P_DEFAULT);
    put_floats(file, "layer1/bias", 1, bias, H5P_DEFAULT);
    put_names(file, "classes", CLASSES, false);
}

static void make_seeds(image seeds[N_SEEDS])
{
    for (int i = 0; i < N_SEEDS; i++) {
        hid_t file = image_begin(i == 1);
        i < 3    ? packed(file, i == 2 ? "logits" : "probs", i == 2)
        : i == 3 ? grouped(file)
        : i == 4 ? linked(file)
        : i == 5 ? paths(file)
        : i == 6 ? signals(file)
                 : weights(file);
        seeds[i] = image_end(file);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static image seeds[N_SEEDS];
    if (!seeds[0].bytes)
        make_seeds(seeds);
    fuzz_bytes b = {data, size};
    const unsigned first = fuzz_take(&b, 256);
    const image *seed = &seeds[first % N_SEEDS];
    unsigned char *bytes = malloc(seed->n); /* of its own, so that reading beyond is seen */
    if (!bytes)
        return 0;
    memcpy(bytes, seed->bytes, seed->n);
    for (int i = 0; b.left >= 3 && i < 64; i++) {
        const size_t at = (size_t)fuzz_take(&b, 256) << 8 | fuzz_take(&b, 256);
        bytes[at % seed->n] = (unsigned char)fuzz_take(&b, 256);
    }
    static const unsigned usual[N_SEEDS] = {AS_SCORES, AS_SCORES, AS_SCORES,  AS_SCORES,
                                            AS_SCORES, AS_PATHS,  AS_SIGNALS, AS_WEIGHTS};
    image_use(bytes, seed->n, first >= 192 ? first / N_SEEDS % N_READERS : usual[first % N_SEEDS], false);
    free(bytes);
    return 0;
}
