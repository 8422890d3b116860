/* The page of a training: signals, classes, rules, learning, what is taken for what. */
#include "train_run.h"

#include "core/try.h"
#include "statepath/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the page shows of one network. */
typedef struct shown {
    char name[64];
    double *history; /* [4, epochs] */
    int32_t *path;   /* [n_test] */
} shown;

static void shown_clear(shown *s)
{
    free(s->history);
    free(s->path);
}

/* The best class of each testing step; under its own mask where the network learned so. */
static void find_path(const sp_train_run *t, const float *scores, size_t k, sp_masking masking, int32_t *path)
{
    bool is_masked = masking == SP_MASKING_STEP_MASK && t->mask;
    for (size_t i = 0; i < (size_t)t->n_test; i++) {
        const uint8_t *mask = is_masked ? t->mask + ((size_t)t->n_train + i) * k : NULL;
        const float *row = scores + i * k;
        int32_t best = -1;
        for (size_t c = 0; c < k; c++)
            if ((!mask || mask[c]) && (best < 0 || row[c] > row[best]))
                best = (int32_t)c;
        path[i] = best;
    }
}

/* How a network was trained, in words. */
static const char *const masking_words[SP_N_MASKINGS] = {
    "without masks", "with logits masked by a random previous class",
    "with logits masked by the true previous class", "with the masks of the data"};

static sp_status show(const sp_train_run *t, shown *s, sp_trained *out, sp_error *err)
{
    const sp_network *network = t->network;
    const sp_training_state *state = t->state;
    const sp_masking masking = t->origin.masking;
    const size_t n = (size_t)state->n_epochs, k = (size_t)network->shape.n_classes;
    float *scores = malloc(((size_t)t->n_test * k + 1) * sizeof *scores);
    s->history = malloc((4 * n + 1) * sizeof *s->history);
    s->path = malloc(((size_t)t->n_test + 1) * sizeof *s->path);
    snprintf(s->name, sizeof s->name, "masking %s", sp_masking_name(masking));
    sp_status status = SP_OK;
    if (!scores || !s->history || !s->path)
        TRY(sp_no_memory(err));
    TRY(sp_network_predict(network, t->n_test, t->signals + (size_t)t->n_train * sp_train_width(t),
                           t->plan->threads, scores, err));
    find_path(t, scores, k, masking, s->path);
    for (size_t e = 0; e < n; e++) {
        const sp_epoch *epoch = &state->epochs[e];
        const double numbers[4] = {epoch->loss, epoch->accuracy, epoch->test_loss, epoch->test_accuracy};
        for (size_t i = 0; i < 4; i++)
            s->history[i * n + e] = numbers[i];
    }
    *out = (sp_trained){.name = s->name,
                        .how = masking_words[masking],
                        .is_meant_to_fail = masking == SP_MASKING_RANDOM_PREVIOUS,
                        .n_epochs = state->n_epochs,
                        .loss = s->history,
                        .accuracy = s->history + n,
                        .test_loss = s->history + 2 * n,
                        .test_accuracy = s->history + 3 * n,
                        .path = s->path};
done:
    free(scores);
    return status;
}

/* The first ten seconds (or samples of a step) of the first step of each class, training steps first. */
static void find_examples(const sp_train_run *t, const float **examples, float *cut, int64_t n_samples)
{
    const sp_signals_info *info = t->info;
    size_t channels = (size_t)info->n_channels, whole = (size_t)info->n_samples, part = (size_t)n_samples;
    for (int32_t k = 0; k < info->n_classes; k++) {
        int64_t row = 0;
        while (row < t->n_train + t->n_test && t->labels[row] != k)
            row++;
        examples[k] = row < t->n_train + t->n_test ? cut + (size_t)k * channels * part : NULL;
        for (size_t c = 0; examples[k] && c < channels; c++)
            memcpy(cut + ((size_t)k * channels + c) * part, t->signals + ((size_t)row * channels + c) * whole,
                   part * sizeof *cut);
    }
}

/* Names of classes where the file has none: "class0" ... Names [k], all NULL at first. */
static sp_status make_names(size_t k, char **names, sp_error *err)
{
    for (size_t c = 0; c < k; c++) {
        char name[32];
        snprintf(name, sizeof name, "class%zu", c);
        if (!(names[c] = strdup(name)))
            return sp_no_memory(err);
    }
    return SP_OK;
}

sp_status sp_train_page(const sp_train_run *t, sp_error *err)
{
    const sp_train_plan *o = t->plan;
    const sp_signals_info *info = t->info;
    const size_t k = (size_t)info->n_classes;
    const int64_t ten = info->rate > 0 ? (int64_t)(10 * info->rate) : 1000,
                  n_samples = ten < info->n_samples ? ten : info->n_samples;
    shown own = {.path = NULL};
    sp_trained trained;
    const float **examples = malloc(k * sizeof *examples);
    float *cut = malloc(k * (size_t)info->n_channels * (size_t)n_samples * sizeof *cut);
    uint8_t *is_test = calloc((size_t)info->n_recordings + 1, 1);
    char **names = calloc(k, sizeof *names), *page = NULL;
    sp_status status = SP_OK;
    TRY(show(t, &own, &trained, err));
    if (!examples || !cut || !is_test || !names)
        TRY(sp_no_memory(err));
    if (!info->classes)
        TRY(make_names(k, names, err));
    find_examples(t, examples, cut, n_samples);
    for (int64_t r = 0; info->split && r < info->n_recordings; r++)
        is_test[r] = info->split[r];
    const sp_signals_report report = {.file = info->file,
                                      .model_name = t->model_name,
                                      .n_classes = info->n_classes,
                                      .n_channels = info->n_channels,
                                      .classes = info->classes ? info->classes : (const char *const *)names,
                                      .allow = t->allow,
                                      .n_recordings = info->n_recordings,
                                      .n_steps = info->n_steps,
                                      .offsets = info->offsets,
                                      .ids = info->ids,
                                      .is_test = is_test,
                                      .labels = info->labels,
                                      .weights = info->weights,
                                      .rate = info->rate,
                                      .n_samples = n_samples,
                                      .examples = examples,
                                      .network = &trained};
    TRY(sp_report_signals_html(&report, &page, err));
    TRY(sp_text_save(o->report, page, o->force, err));
done:
    for (size_t c = 0; names && c < k; c++)
        free(names[c]);
    shown_clear(&own);
    free(names);
    free(page);
    free(examples);
    free(cut);
    free(is_test);
    return status;
}
