#include "image.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/subjects.h"
#include "evaluate/evaluate.h"
#include "io/hdf5/h5_file.h"
#include "io/source.h"
#include "statepath-kit.h"
#include "weights.h"

enum { MOST_STEPS = 4096, MOST_CLASSES = 16, LAG = 3, N_STRATEGIES = 4, MOST_VALUES = 1 << 16 };
static const char name[] = "fuzz.h5";

unsigned fuzz_take(fuzz_bytes *b, unsigned below)
{
    if (!b->left)
        return 0;
    b->left--;
    return *b->data++ % below;
}

/* ---- files in memory ---- */

hid_t image_begin(bool is_latest)
{
    (void)H5dont_atexit(); /* HDF5 falls over what it could not close of damaged files */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    (void)H5set_free_list_limits(-1, -1, -1, -1, -1,
                                 -1); /* the cache of an open file is large: it is kept for the next one */
    static hid_t lists[2];            /* kept, as everything here that HDF5 takes long to make */
    hid_t *access = &lists[is_latest];
    if (!*access) {
        *access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_fapl_core(*access, 16384, false);
        H5Pset_sieve_buf_size(*access, 0); /* else 64 KB are cleared for each dataset */
        if (is_latest)
            H5Pset_libver_bounds(*access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    }
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, *access);
    assert(file >= 0);
    return file;
}

hid_t image_transfer(void)
{
    static hid_t list;
    if (!list) {
        list = H5Pcreate(H5P_DATASET_XFER);
        H5Pset_buffer(list, 4096, NULL, NULL);
    }
    return list;
}

image image_end(hid_t file)
{
    image out = {NULL, 0};
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    ssize_t n = H5Fget_file_image(file, NULL, 0);
    assert(n > 0);
    out.n = (size_t)n;
    out.bytes = malloc(out.n);
    assert(out.bytes && H5Fget_file_image(file, out.bytes, out.n) == n);
    H5Fclose(file);
    return out;
}

/* ---- decoding ---- */

/* One thread, kept: starting threads would be most of a run. */
static sp_workers *the_workers(void)
{
    static sp_workers *workers;
    if (!workers)
        workers = sp_workers_new(1);
    assert(workers);
    return workers;
}

/* Streamed as whole. */
static void decode_recording(const sp_chain *chain, const sp_scores *scores, const int32_t *whole,
                             const sp_decoded *decoded)
{
    sp_error err = {.message = ""};
    int32_t *path = malloc((size_t)scores->n_steps * sizeof *path + 1), n = 0, n_decided = 0;
    sp_scratch *scratch = sp_scratch_new();
    sp_online *stream = NULL;
    assert(path && scratch && sp_online_new_exact(chain, -1, &stream, &err) == SP_OK);
    sp_status status = SP_OK;
    for (int64_t t = 0; t < scores->n_steps && status == SP_OK; t++) {
        double row[MOST_CLASSES];
        for (int32_t k = 0; k < scores->n_classes; k++)
            row[k] = sp_scores_at(scores, t, k);
        status = sp_online_push_exact(stream, row, sp_scores_is_gap(scores, t), path + n_decided, &n, &err);
        n_decided += status == SP_OK ? n : 0;
    }
    if (status == SP_OK)
        status = sp_online_finish(stream, path + n_decided, &n, &err);
    assert((status == SP_OK) == (decoded->status == SP_OK));
    if (status == SP_OK)
        assert(memcmp(path, whole, (size_t)scores->n_steps * sizeof *path) == 0);
    const sp_decode_options online = {.strategy = {SP_ONLINE, LAG}};
    status = sp_decode(chain, scores, &online, scratch, path, NULL, &err);
    assert(status == SP_OK || err.message[0]);
    sp_online_free(stream);
    sp_scratch_free(scratch);
    free(path);
}

static sp_model *model_of(const sp_source_info *info)
{
    char text[MOST_CLASSES][16];
    const char *names[MOST_CLASSES];
    uint8_t allow[MOST_CLASSES * MOST_CLASSES];
    const int32_t k = info->n_classes;
    for (int32_t i = 0; i < k; i++) {
        text[i][0] = 'c', text[i][1] = (char)('a' + i), text[i][2] = 0;
        names[i] = info->classes ? info->classes[i] : text[i];
        for (int32_t j = 0; j < k; j++)
            allow[i * k + j] = i == j || (i + j) % 3 != 0;
    }
    sp_error err;
    sp_model *model = sp_model_new("fuzz", k, names);
    assert(model && sp_model_set_matrix(model, allow, NULL, &err) == SP_OK);
    return model;
}

/* ---- reports ---- */

static void report(const sp_comparison *comparison)
{
    sp_status (*const writers[])(const sp_comparison *, char **, sp_error *) = {
        sp_report_json, sp_report_csv, sp_report_markdown, sp_report_latex, sp_report_html};
    sp_error err;
    char *text = NULL;
    assert(sp_report_text(comparison, NULL, &text, &err) == SP_OK && text[0]);
    free(text);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        assert(writers[i](comparison, &text, &err) == SP_OK && text[0]);
        free(text);
    }
}

typedef struct decoded_block {
    const sp_block *block;
    const sp_model *model;
    const sp_chain *chain;
    int32_t *paths[N_STRATEGIES];
    sp_decoded *results[N_STRATEGIES];
} decoded_block;

static const char *const strategy_names[N_STRATEGIES] = {"argmax", "greedy", "viterbi", "mea"};

static void evaluate(const decoded_block *d, const sp_source_info *info)
{
    const bool is_legal[N_STRATEGIES] = {false, true, true, true};
    sp_error err = {.message = ""};
    sp_evaluation_options options = sp_evaluation_options_default();
    options.has_labels = d->block->labels != NULL;
    options.n_strategies = N_STRATEGIES;
    options.names = strategy_names;
    options.is_legal = is_legal;
    options.with_ceiling = false;
    options.trace_steps = 100;
    options.bootstrap.n_resamples = 10;
    options.classes = (const char *const *)d->model->classes;
    sp_evaluation *evaluation = NULL;
    sp_comparison *comparison = NULL;
    const sp_scores scores = sp_block_batch(d->block).scores;
    const sp_evaluation_block block = {.n_recordings = d->block->n_recordings,
                                       .offsets = d->block->offsets,
                                       .ids = d->block->ids,
                                       .labels = d->block->labels,
                                       .segments = d->block->segments,
                                       .scores = &scores,
                                       .paths = (const int32_t *const *)d->paths,
                                       .results = (const sp_decoded *const *)d->results};
    const sp_comparison_texts texts = {
        .file = info->file, .file_size = info->file_size, .command = "fuzz", .model = d->model};
    sp_status status = sp_evaluation_new(d->chain, NULL, &options, &evaluation, &err);
    if (status == SP_OK)
        status = sp_evaluation_add(evaluation, &block, the_workers(), &err);
    if (status == SP_OK)
        status = sp_evaluation_finish(evaluation, &comparison, &err);
    if (status == SP_OK)
        status = sp_comparison_describe(comparison, &texts, &err);
    if (status == SP_OK)
        report(comparison);
    else
        assert(err.message[0]);
    sp_comparison_free(comparison);
    sp_evaluation_free(evaluation);
}

/* All strategies on a block of nats; then as streams. */
static void decode(const sp_block *block, const sp_source_info *info, bool with_reports)
{
    sp_error err = {.message = ""};
    decoded_block d = {.block = block, .model = model_of(info)};
    const sp_batch batch = sp_block_batch(block);
    sp_chain *chain = NULL;
    sp_status status = sp_chain_new(d.model, NULL, &chain, &err);
    d.chain = chain;
    for (int i = 0; i < N_STRATEGIES && status == SP_OK; i++) {
        d.paths[i] = malloc((size_t)block->n_steps * sizeof **d.paths + 1);
        d.results[i] = calloc((size_t)block->n_recordings + 1, sizeof **d.results);
        assert(d.paths[i] && d.results[i]);
        const sp_decode_output out = {.paths = d.paths[i], .results = d.results[i]};
        sp_decode_options options = sp_decode_options_default();
        assert(sp_strategy_parse(strategy_names[i], &options.strategy, &err) == SP_OK);
        status = sp_decode_batch(chain, &batch, &options, the_workers(), &out, &err);
        assert(status == SP_OK);
        for (int64_t t = 0; t < block->n_steps; t++)
            assert(d.paths[i][t] >= -1 && d.paths[i][t] < block->n_classes);
    }
    for (int64_t n = 0; status == SP_OK && n < block->n_recordings; n++) {
        const sp_scores scores = sp_batch_recording(&batch, n);
        decode_recording(chain, &scores, d.paths[2] + block->offsets[n], &d.results[2][n]);
    }
    if (status == SP_OK && with_reports)
        evaluate(&d, info);
    for (int i = 0; i < N_STRATEGIES; i++) {
        free(d.paths[i]);
        free(d.results[i]);
    }
    sp_chain_free(chain);
    sp_model_free((sp_model *)d.model);
}

/* ---- readers ---- */

static void use_source(const sp_file_access *how, bool with_reports)
{
    sp_error err = {.message = ""};
    sp_source_options options = sp_source_options_default();
    options.access = *how;
    sp_source *source = NULL;
    if (sp_source_open(name, &options, &source, &err) != SP_OK) {
        assert(err.message[0]);
        return;
    }
    const sp_source_info *info = sp_source_info_of(source);
    const unsigned parts =
        SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS | SP_BLOCK_MASK;
    sp_prepare_options prepare = sp_prepare_options_default();
    prepare.kind = info->kind;
    prepare.missing_uniform = with_reports;
    sp_block *block = sp_block_new();
    double seconds;
    sp_raters_found raters;
    sp_subjects *subjects = NULL;
    assert(block);
    (void)sp_source_epoch_seconds(source, &seconds, &err);
    if (sp_source_subjects(source, &(sp_groups){.by = SP_GROUPS_USUAL}, &subjects, &err) == SP_OK)
        sp_subjects_free(subjects);
    const bool is_small =
        info->n_steps <= MOST_STEPS && info->n_classes <= MOST_CLASSES && info->n_recordings <= MOST_STEPS;
    if (is_small && sp_source_find_raters(source, &raters, &err) == SP_OK && raters.n_raters > 0) {
        int32_t *labels = malloc((size_t)info->n_steps * sizeof *labels + 1);
        (void)sp_source_read_rater(source, 0, 0, info->n_recordings, labels, &err);
        free(labels);
    }
    err.message[0] = 0;
    if (is_small && (sp_source_read(source, 0, info->n_recordings, parts, block, &err) != SP_OK ||
                     sp_prepare(block, &prepare, NULL, NULL, &err) != SP_OK)) {
        assert(err.message[0]);
    } else if (is_small) {
        for (int64_t t = 0; t < block->n_steps; t++)
            assert(!block->labels || (block->labels[t] >= -1 && block->labels[t] < block->n_classes));
        if (info->n_classes > 0)
            decode(block, info, with_reports);
    }
    for (int64_t r = 0; is_small && r < info->n_recordings; r++) {
        const int64_t length = info->offsets[r + 1] - info->offsets[r];
        if (length > 1)
            (void)sp_source_read_steps(source, r, 1, length - 1, parts, block, &err);
    }
    sp_block_free(block);
    sp_source_close(source);
}

static void use_paths(const sp_file_access *how, const char *place)
{
    sp_error err = {.message = ""};
    sp_source_options options = sp_source_options_default();
    options.access = *how;
    sp_paths_reader *reader = NULL;
    if (sp_paths_reader_open(name, place, &options, &reader, &err) != SP_OK) {
        assert(err.message[0]);
        return;
    }
    const sp_paths_info *info = sp_paths_reader_info(reader);
    for (int32_t i = 0;
         i < info->n_strategies && info->n_steps <= MOST_STEPS && info->n_recordings <= MOST_STEPS; i++) {
        int32_t *paths = malloc((size_t)info->n_steps * sizeof *paths + 1);
        sp_decoded *results = calloc((size_t)info->n_recordings + 1, sizeof *results);
        assert(paths && results);
        if (sp_paths_reader_read(reader, i, 0, info->n_recordings, paths, results, &err) != SP_OK)
            assert(err.message[0]);
        free(paths);
        free(results);
    }
    sp_source_close(reader);
}

static void use_signals(const sp_file_access *how)
{
    sp_error err = {.message = ""};
    sp_signals *signals = NULL;
    if (sp_signals_open(name, NULL, how, &signals, &err) != SP_OK) {
        assert(err.message[0]);
        return;
    }
    const sp_signals_info *info = sp_signals_info_of(signals);
    const int64_t width = info->n_channels * info->n_samples, n = info->n_steps < 4 ? info->n_steps : 4;
    float *values = width <= MOST_VALUES ? malloc((size_t)(n * width) * sizeof *values + 1) : NULL;
    if (values && n > 0 && sp_signals_read(signals, 0, n, values, &err) != SP_OK)
        assert(err.message[0]);
    free(values);
    sp_signals_close(signals);
}

static void use_weights(const sp_file_access *how)
{
    sp_error err = {.message = ""};
    sp_network *network = NULL;
    if (sp_weights_load(name, how, &network, &err) != SP_OK) {
        assert(err.message[0]);
        return;
    }
    sp_network_free(network);
}

void image_use(const void *bytes, size_t n, unsigned reader, bool with_reports)
{
    const sp_file_access how = {.image = bytes, .image_bytes = n};
    switch (reader) {
    case AS_SCORES:
        use_source(&how, with_reports);
        break;
    case AS_PATHS:
        use_paths(&how, NULL);
        break;
    case AS_LABELS:
        use_paths(&how, "/labels");
        break;
    case AS_SIGNALS:
        use_signals(&how);
        break;
    default:
        use_weights(&how);
    }
}
