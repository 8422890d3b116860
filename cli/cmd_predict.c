/* statepath predict: scores of signals by trained weights. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/try.h"
#include "outputs.h"
#include "progress.h"
#include "train_file.h"
#include "weights.h"

enum { BLOCK_BYTES = 32 << 20 };

/* What is predicted: some recordings of the file, as if they were a file of their own. */
typedef struct selection {
    int64_t n_recordings, n_steps;
    int64_t *recordings; /* [n] in the file */
    int64_t *offsets;    /* [n+1] */
    const char **ids;    /* [n] */
} selection;

static void selection_clear(selection *s)
{
    free(s->recordings);
    free(s->offsets);
    free(s->ids);
}

static sp_status select_recordings(const sp_signals_info *info, const char *split, selection *s,
                                   sp_error *err)
{
    const int wanted = !split || strcmp(split, "all") == 0 ? -1 : strcmp(split, "test") == 0;
    if (wanted >= 0 && !info->split)
        return sp_fail(
            err, SP_EDATA,
            "%s: has no dataset \"split\" (0 = training, 1 = testing), so --split %s means nothing",
            info->file, split);
    size_t n = (size_t)info->n_recordings + 1;
    if (!(s->recordings = malloc(n * sizeof *s->recordings)) ||
        !(s->offsets = calloc(n, sizeof *s->offsets)) || !(s->ids = malloc(n * sizeof *s->ids)))
        return sp_no_memory(err);
    for (int64_t r = 0; r < info->n_recordings; r++) {
        if (wanted >= 0 && info->split[r] != wanted)
            continue;
        int64_t length = info->offsets[r + 1] - info->offsets[r];
        s->recordings[s->n_recordings] = r;
        s->ids[s->n_recordings] = info->ids[r];
        s->offsets[s->n_recordings + 1] = s->offsets[s->n_recordings] + length;
        s->n_recordings++;
        s->n_steps += length;
    }
    if (s->n_recordings == 0)
        return sp_fail(err, SP_EDATA, "%s: no recording is for %s", info->file, split ? split : "all");
    return SP_OK;
}

typedef struct prediction {
    const options *o;
    sp_signals *file;
    const sp_signals_info *info;
    sp_network *network;
    int32_t *match; /* class of the network of each class of the file, or NULL */
    selection chosen;
    sp_scores_writer *writer;
    sp_block *block;
    float *signals; /* `room` steps */
    int64_t room;
} prediction;

/* The mask of the file speaks of its classes: it goes into the output where these are the network's. */
static bool has_mask(const prediction *p)
{
    return p->info->mask && p->info->n_classes == p->network->shape.n_classes;
}

/* Weights and mask of the steps, the latter in the columns of the network. */
static void copy_beside(const prediction *p, int64_t first, int64_t length)
{
    const size_t K = (size_t)p->network->shape.n_classes;
    for (size_t t = 0; t < (size_t)length; t++) {
        if (p->info->weights)
            p->block->weights[t] = p->info->weights[(size_t)first + t];
        for (size_t k = 0; has_mask(p) && k < K; k++)
            p->block->mask[t * K + (p->match ? (size_t)p->match[k] : k)] =
                p->info->mask[((size_t)first + t) * K + k];
    }
}

static sp_status open_all(prediction *p, const char *file, sp_error *err)
{
    const options *o = p->o;
    const sp_file_access how = sp_run_access(&o->run);
    sp_status status = SP_OK;
    TRY(sp_weights_load(o->weights, &how, &p->network, err));
    TRY(sp_signals_open(file, o->signals, &how, &p->file, err));
    p->info = sp_signals_info_of(p->file);
    TRY(sp_network_fits(p->network, o->weights, p->info, err));
    TRY(sp_network_match_classes(p->network, o->weights, p->info, &p->match, err));
    TRY(select_recordings(p->info, o->split, &p->chosen, err));
    int64_t width = p->info->n_channels * p->info->n_samples;
    p->room = BLOCK_BYTES / (width * (int64_t)sizeof(float)) + 1;
    p->block = sp_block_new();
    if (!p->block || !(p->signals = malloc((size_t)p->room * (size_t)width * sizeof *p->signals)))
        return sp_no_memory(err);
    const char *const *classes = p->network->classes ? (const char *const *)p->network->classes
                                 : p->match          ? NULL
                                                     : p->info->classes;
    const sp_scores_header header = {.kind = SP_KIND_LOG_PROBS,
                                     .dtype = SP_F32,
                                     .n_recordings = p->chosen.n_recordings,
                                     .n_steps = p->chosen.n_steps,
                                     .n_classes = p->network->shape.n_classes,
                                     .offsets = p->chosen.offsets,
                                     .ids = p->chosen.ids,
                                     .classes = classes,
                                     .with_labels = p->info->labels != NULL,
                                     .with_weights = p->info->weights != NULL,
                                     .with_mask = has_mask(p),
                                     .command = o->run.command,
                                     .input = file,
                                     .force = o->run.force};
    TRY(sp_scores_writer_open(o->run.output, &header, &p->writer, err));
done:
    return status;
}

/* One recording, in parts that fit into memory. */
static sp_status predict_recording(prediction *p, int64_t n, sp_error *err)
{
    int64_t r = p->chosen.recordings[n], first = p->info->offsets[r],
            length = p->info->offsets[r + 1] - first;
    int32_t k = p->network->shape.n_classes;
    unsigned parts = SP_BLOCK_SCORES | (p->info->labels ? SP_BLOCK_LABELS : 0u) |
                     (p->info->weights ? SP_BLOCK_WEIGHTS : 0u) | (has_mask(p) ? SP_BLOCK_MASK : 0u);
    sp_status status = sp_block_reserve(p->block, 1, length, k, SP_F32, parts, err);
    if (status != SP_OK)
        return status;
    p->block->first = n;
    p->block->offsets[0] = 0;
    p->block->offsets[1] = length;
    for (int64_t t = 0; status == SP_OK && t < length; t += p->room) {
        int64_t count = length - t < p->room ? length - t : p->room;
        sp_error cause;
        status = sp_signals_read(p->file, first + t, count, p->signals, err);
        if (status != SP_OK)
            break;
        status = sp_network_predict(p->network, count, p->signals, p->o->run.decode.threads,
                                    (float *)p->block->scores + t * k, &cause);
        if (status != SP_OK)
            status = sp_fail(err, status, "%s: recording %s, step %lld: %s", p->info->file, p->info->ids[r],
                             (long long)(t + (cause.step < 0 ? 0 : cause.step)), cause.message);
    }
    for (int64_t t = 0; status == SP_OK && p->info->labels && t < length; t++) {
        int32_t label = p->info->labels[first + t];
        p->block->labels[t] = label >= 0 && p->match ? p->match[label] : label;
    }
    if (status == SP_OK)
        copy_beside(p, first, length);
    return status == SP_OK ? sp_scores_writer_add(p->writer, p->block, err) : status;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {
        {"the input file", words[0]}, {"the file of weights", o->weights}, {NULL, NULL}};
    (void)out;
    prediction p = {.o = o};
    if (!o->run.output)
        return sp_fail(err, SP_EINVAL, "predict: -o SCORES.h5 is missing: where to write the scores");
    if (!o->weights)
        return sp_fail(err, SP_EINVAL,
                       "predict: --weights WEIGHTS.h5 is missing; `statepath train` makes one");
    sp_status status = outputs_check(o, inputs, err);
    if (status == SP_OK)
        status = open_all(&p, words[0], err);
    progress bar;
    progress_start(&bar, "steps", p.chosen.n_steps, o->quiet);
    for (int64_t n = 0; status == SP_OK && n < p.chosen.n_recordings; n++) {
        status = predict_recording(&p, n, err);
        progress_show(&bar, p.chosen.offsets[n + 1]);
    }
    progress_end(&bar);
    if (status == SP_OK) {
        status = sp_scores_writer_commit(p.writer, err);
        p.writer = NULL;
    }
    sp_scores_writer_abort(p.writer);
    if (status == SP_OK && !o->quiet) {
        char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT];
        tell("wrote %s: %s recordings, %s steps", o->run.output, sp_count_text(p.chosen.n_recordings, a),
             sp_count_text(p.chosen.n_steps, b));
    }
    selection_clear(&p.chosen);
    sp_block_free(p.block);
    free(p.signals);
    free(p.match);
    sp_network_free(p.network);
    sp_signals_close(p.file);
    return status;
}

const command predict_command = {
    .name = "predict",
    .summary = "scores of signals, by what was trained",
    .use = {.arguments = "SIGNALS.h5 --weights WEIGHTS.h5 -o SCORES.h5 [OPTION...]",
            .summary = "log probabilities of each step of signals, for `compare` and `decode`",
            .example = "  statepath predict signals.h5 --weights weights.h5 --split test -o scores.h5\n"
                       "  statepath compare scores.h5 --model sleep-aasm\n",
            .min_words = 1,
            .max_words = 1},
    .takes = C_PREDICT,
    .work = work,
};
