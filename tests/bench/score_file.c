#include "score_file.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statepath-kit.h"
#include "statepath.h"

enum { K = 5, LENGTH = 1000, PADDED_LENGTH = 1100, BASE = 250, BASE_STEPS = BASE * LENGTH };

const score_layout score_layouts[] = {
    {"contiguous", "one dataset, contiguous", ONE_DATASET, {0, 0}, false, false, false},
    {"chunks_64k", "chunks of 64 KiB", ONE_DATASET, {3277, 5}, false, false, false},
    {"chunks_1m", "chunks of 1 MiB", ONE_DATASET, {52429, 5}, false, false, false},
    {"gzip", "gzip 4, shuffle, chunks of 1 MiB", ONE_DATASET, {52429, 5}, true, false, false},
    {"gzip_h5py", "gzip 4, shuffle, chunks as h5py chooses", ONE_DATASET, {19532, 1}, true, false, false},
    {"f16", "float16, contiguous", ONE_DATASET, {0, 0}, false, true, false},
    {"padded", "padded, contiguous", PADDED, {0, 0}, false, false, false},
    {"groups", "a group a recording", GROUPS, {0, 0}, false, false, false},
    {"groups_gzip", "a group a recording, gzip 4, shuffle", GROUPS, {1000, 5}, true, false, false},
    {"one_recording", "one recording, contiguous", ONE_RECORDING, {0, 0}, false, false, true},
    {.name = NULL}};

/* ---- the base ---- */

static double uniform(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* The nearest half-precision number, and its bits; scores are far from its ends, but for those near 0. */
static float to_half(float x, uint16_t *bits)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    u = (u + 0xfffu + (u >> 13 & 1)) & ~UINT32_C(0x1fff);
    if ((u & 0x7fffffffu) < UINT32_C(113) << 23)
        u = 0;
    *bits = (uint16_t)(u ? (u >> 16 & 0x8000u) | ((u >> 13 & 0x3ffffu) - (112u << 10)) : 0);
    memcpy(&x, &u, sizeof u);
    return x;
}

/* [BASE_STEPS,K] log-softmax of normal numbers; halves too where wanted, and the scores are then what halves can hold. */
static float *make_base(uint16_t *halves)
{
    float *scores = malloc((size_t)BASE_STEPS * K * sizeof *scores);
    uint64_t state = 88172645463325252u;
    for (size_t t = 0; scores && t < BASE_STEPS; t++) {
        double row[K], sum = 0;
        for (int k = 0; k < K; k++) {
            row[k] = sqrt(-2 * log(uniform(&state))) * cos(6.283185307179586 * uniform(&state));
            sum += exp(row[k]);
        }
        for (int k = 0; k < K; k++) {
            float *x = &scores[t * K + (size_t)k];
            *x = (float)(row[k] - log(sum));
            if (halves)
                *x = to_half(*x, &halves[t * K + (size_t)k]);
        }
    }
    return scores;
}

static hid_t value_type(bool is_f16)
{
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    if (is_f16) {
        H5Tset_fields(type, 15, 10, 5, 0, 10);
        H5Tset_size(type, 2);
        H5Tset_ebias(type, 15);
    }
    return type;
}

/* ---- writing ---- */

static hid_t storage(const score_layout *layout, const hsize_t *dims)
{
    hid_t created = H5Pcreate(H5P_DATASET_CREATE);
    if (layout->chunk[0]) {
        hsize_t chunk[2] = {(hsize_t)layout->chunk[0], (hsize_t)layout->chunk[1]};
        for (int i = 0; i < 2; i++)
            chunk[i] = chunk[i] < dims[i] ? chunk[i] : dims[i];
        H5Pset_chunk(created, 2, chunk);
    }
    if (layout->is_gzip) {
        H5Pset_shuffle(created);
        H5Pset_deflate(created, 4);
    }
    return created;
}

static bool put(hid_t place, const char *name, const score_layout *layout, hid_t type, const void *values,
                int64_t steps)
{
    const hsize_t dims[2] = {(hsize_t)steps, K};
    hid_t space = H5Screate_simple(2, dims, NULL), created = storage(layout, dims),
          access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 521, 32 << 20, 1);
    hid_t dataset = H5Dcreate2(place, name, type, space, H5P_DEFAULT, created, access);
    bool done = dataset >= 0;
    for (int64_t at = 0; done && at < steps; at += BASE_STEPS) {
        const hsize_t start[2] = {(hsize_t)at, 0},
                      n = (hsize_t)(steps - at < BASE_STEPS ? steps - at : BASE_STEPS), count[2] = {n, K};
        hid_t memory = H5Screate_simple(2, count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        done = H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, values) >= 0;
        H5Sclose(memory);
    }
    H5Dclose(dataset);
    H5Pclose(access);
    H5Pclose(created);
    H5Sclose(space);
    return done;
}

static bool put_integers(hid_t file, const char *name, const int64_t *values, int64_t n)
{
    const hsize_t dims = (hsize_t)n;
    hid_t space = H5Screate_simple(1, &dims, NULL);
    hid_t dataset = H5Dcreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done = H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    H5Dclose(dataset);
    H5Sclose(space);
    return done;
}

static bool put_padded(hid_t file, hid_t type, const float *scores, int64_t n)
{
    const hsize_t dims[3] = {(hsize_t)n, PADDED_LENGTH, K};
    hid_t space = H5Screate_simple(3, dims, NULL);
    hid_t dataset = H5Dcreate2(file, "log_probs", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    float *base = calloc((size_t)BASE * PADDED_LENGTH * K, sizeof *base);
    bool done = base != NULL;
    for (size_t r = 0; done && r < BASE; r++)
        memcpy(base + r * PADDED_LENGTH * K, scores + r * LENGTH * K, (size_t)LENGTH * K * sizeof *base);
    for (int64_t r = 0; done && r < n; r += BASE) {
        const hsize_t start[3] = {(hsize_t)r, 0, 0}, count[3] = {BASE, PADDED_LENGTH, K};
        hid_t memory = H5Screate_simple(3, count, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        done = H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, base) >= 0;
        H5Sclose(memory);
    }
    free(base);
    H5Dclose(dataset);
    H5Sclose(space);
    return done;
}

static bool put_groups(hid_t file, const score_layout *layout, hid_t type, const float *scores, int64_t n)
{
    hid_t all = H5Gcreate2(file, "recordings", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool done = all >= 0;
    for (int64_t r = 0; done && r < n; r++) {
        char name[32];
        snprintf(name, sizeof name, "r%07lld", (long long)r);
        hid_t group = H5Gcreate2(all, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        done = group >= 0 && put(group, "log_probs", layout, type, scores + r % BASE * LENGTH * K, LENGTH);
        H5Gclose(group);
    }
    H5Gclose(all);
    return done;
}

bool score_file_make(const score_layout *layout, const char *file, int64_t steps)
{
    const int64_t n = steps < BASE_STEPS ? steps / LENGTH : steps / BASE_STEPS * BASE;
    uint16_t *halves = layout->is_f16 ? malloc((size_t)BASE_STEPS * K * sizeof *halves) : NULL;
    float *scores = make_base(halves);
    int64_t *numbers = malloc((size_t)(n + 1) * sizeof *numbers);
    bool done = scores && numbers && (halves || !layout->is_f16);
    hid_t id = done ? H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT) : -1,
          type = value_type(layout->is_f16);
    const void *values = halves ? (const void *)halves : scores;
    done = done && id >= 0;
    for (int64_t r = 0; done && r <= n; r++)
        numbers[r] = layout->shape == PADDED ? LENGTH : r * LENGTH;
    if (done && layout->shape == GROUPS)
        done = put_groups(id, layout, type, scores, n);
    else if (done && layout->shape == PADDED)
        done = put_padded(id, type, scores, n) && put_integers(id, "lengths", numbers, n);
    else if (done)
        done = put(id, "log_probs", layout, type, values, n * LENGTH) &&
               (layout->shape == ONE_RECORDING || put_integers(id, "offsets", numbers, n + 1));
    H5Tclose(type);
    if (id >= 0)
        done = H5Fclose(id) >= 0 && done;
    free(numbers);
    free(scores);
    free(halves);
    if (!done)
        fprintf(stderr, "%s could not be written\n", file);
    return done;
}

/* ---- reading, as a plain program does ---- */

static bool read_dataset(hid_t dataset, void **values, size_t *room)
{
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const size_t need = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
    if (need > *room) {
        free(*values);
        *values = malloc(need);
        *room = need;
    }
    bool done = *values && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    return done;
}

typedef struct link_names {
    char (*items)[32];
    size_t n, room;
} link_names;

static herr_t name_add(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    link_names *names = data;
    (void)group;
    (void)info;
    if (names->n == names->room) {
        names->room = names->room ? 2 * names->room : 1024;
        void *grown = realloc(names->items, names->room * sizeof *names->items);
        if (!grown)
            return -1;
        names->items = grown;
    }
    snprintf(names->items[names->n++], sizeof *names->items, "%s", name);
    return 0;
}

/* By name: HDF5 takes the longer to find the i-th link of a group the greater i is. */
static bool read_groups(hid_t file, void **values, size_t *room)
{
    hid_t all = H5Gopen2(file, "recordings", H5P_DEFAULT);
    link_names names = {0};
    bool done = H5Literate(all, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, name_add, &names) >= 0;
    for (size_t i = 0; done && i < names.n; i++) {
        hid_t group = H5Gopen2(all, names.items[i], H5P_DEFAULT);
        hid_t dataset = H5Dopen2(group, "log_probs", H5P_DEFAULT);
        done = read_dataset(dataset, values, room);
        H5Dclose(dataset);
        H5Gclose(group);
    }
    free(names.items);
    H5Gclose(all);
    return done;
}

bool score_file_read(const char *file)
{
    void *values = NULL;
    size_t room = 0;
    hid_t id = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool done = id >= 0;
    if (done && H5Lexists(id, "recordings", H5P_DEFAULT) <= 0) {
        hid_t dataset = H5Dopen2(id, "log_probs", H5P_DEFAULT);
        done = read_dataset(dataset, &values, &room);
        H5Dclose(dataset);
    } else if (done) {
        done = read_groups(id, &values, &room);
    }
    if (id >= 0)
        H5Fclose(id);
    free(values);
    return done;
}

/* ---- checking ---- */

/* Paths of the base's recordings by the library; of one long recording by its plain kernel. */
static int32_t *expected_paths(const score_layout *layout, int64_t steps)
{
    uint16_t *halves = layout->is_f16 ? malloc((size_t)BASE_STEPS * K * sizeof *halves) : NULL;
    float *base = make_base(halves), *all = base;
    const bool is_one = layout->shape == ONE_RECORDING;
    const int64_t n_steps = is_one ? steps : BASE_STEPS;
    int32_t *paths = malloc((size_t)n_steps * sizeof *paths);
    int64_t offsets[BASE + 1];
    sp_decoded results[BASE];
    sp_model *model = NULL;
    sp_chain *chain = NULL;
    bool done = base && paths && sp_model_load("sleep-strict", &model, NULL) == SP_OK &&
                sp_chain_new(model, NULL, &chain, NULL) == SP_OK;
    for (int r = 0; r <= BASE; r++)
        offsets[r] = (int64_t)r * LENGTH;
    if (done && is_one) {
        all = malloc((size_t)n_steps * K * sizeof *all);
        for (int64_t t = 0; all && t < n_steps; t += BASE_STEPS)
            memcpy(all + t * K, base, (size_t)BASE_STEPS * K * sizeof *base);
        const sp_scores scores = {.data = all, .dtype = SP_F32, .n_classes = K, .n_steps = n_steps};
        sp_scratch *scratch = sp_scratch_new();
        double score;
        done = all && scratch && sp_viterbi(chain, &scores, scratch, paths, &score, NULL) == SP_OK;
        sp_scratch_free(scratch);
        free(all);
    } else if (done) {
        const sp_batch batch = {
            .scores = {.data = base, .dtype = SP_F32, .n_classes = K, .n_steps = BASE_STEPS},
            .n_recordings = BASE,
            .offsets = offsets};
        sp_decode_options options = sp_decode_options_default();
        sp_decode_output output = {.paths = paths, .results = results};
        sp_workers *workers = sp_workers_new(1);
        done = workers && sp_decode_batch(chain, &batch, &options, workers, &output, NULL) == SP_OK;
        sp_workers_free(workers);
    }
    sp_chain_free(chain);
    sp_model_free(model);
    free(base);
    free(halves);
    if (!done) {
        free(paths);
        paths = NULL;
    }
    return paths;
}

bool score_file_check(const score_layout *layout, const char *paths, int64_t steps)
{
    steps = steps / BASE_STEPS * BASE_STEPS;
    const int64_t period = layout->shape == ONE_RECORDING ? steps : BASE_STEPS;
    int32_t *expected = expected_paths(layout, steps), *found = malloc((size_t)steps * sizeof *found);
    hid_t id = H5Fopen(paths, H5F_ACC_RDONLY, H5P_DEFAULT),
          dataset = H5Dopen2(id, "paths/viterbi", H5P_DEFAULT);
    hid_t space = H5Dget_space(dataset);
    bool is_right = expected && found && H5Sget_simple_extent_npoints(space) == steps &&
                    H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, found) >= 0;
    for (int64_t t = 0; is_right && t < steps; t += period)
        is_right = memcmp(found + t, expected, (size_t)period * sizeof *found) == 0;
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(id);
    free(found);
    free(expected);
    return is_right;
}
