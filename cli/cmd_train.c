/* statepath train: train the reference classifier on signals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "network_options.h"
#include "outputs.h"
#include "progress.h"
#include "weights.h"

typedef struct training {
    const options *o;
    sp_signals *file;
    const sp_signals_info *info;
    /* Steps in memory, those of training recordings first. */
    int64_t n_train, n_test;
    int64_t *step_of_row; /* [n] in the file */
    float *signals;       /* [n, C, samples] */
    int32_t *labels, *previous;
    double *weights; /* or NULL: the file has none */
    uint8_t *mask;   /* [n, K] or NULL */
    sp_weights_origin origin;
    uint8_t *allow;   /* [K,K] or NULL */
    char *model_name; /* or NULL */
    sp_network *network;
    sp_training_state *state;
    sp_trainer *trainer;
} training;

static void training_clear(training *t)
{
    sp_trainer_free(t->trainer);
    sp_training_state_free(t->state);
    sp_network_free(t->network);
    sp_weights_origin_clear(&t->origin);
    sp_signals_close(t->file);
    free(t->step_of_row);
    free(t->signals);
    free(t->labels);
    free(t->previous);
    free(t->weights);
    free(t->mask);
    free(t->allow);
    free(t->model_name);
}

/* ---- data ---- */

/* Adds the steps of all recordings of one part; part 1 is for testing. */
static sp_status read_part(training *t, int part, int64_t *n, sp_error *err)
{
    const sp_signals_info *info = t->info;
    size_t width = (size_t)info->n_channels * (size_t)info->n_samples, k = (size_t)info->n_classes;
    for (int64_t r = 0; r < info->n_recordings; r++) {
        if ((info->split ? info->split[r] : 0) != part)
            continue;
        int64_t first = info->offsets[r], count = info->offsets[r + 1] - first;
        sp_status status = sp_signals_read(t->file, first, count, t->signals + (size_t)*n * width, err);
        if (status != SP_OK)
            return status;
        for (int64_t i = 0; i < count; i++, ++*n) {
            t->step_of_row[*n] = first + i;
            t->labels[*n] = info->labels[first + i];
            t->previous[*n] = i > 0 ? info->labels[first + i - 1] : -1;
            if (t->weights)
                t->weights[*n] = info->weights[first + i];
            if (t->mask)
                memcpy(t->mask + (size_t)*n * k, info->mask + (size_t)(first + i) * k, k);
        }
    }
    return SP_OK;
}

/* A text that other data do not have: shape, signals, labels, weights and masks (FNV-1a over their words). */
static char *describe_data(const training *t)
{
    size_t width = (size_t)t->info->n_channels * (size_t)t->info->n_samples, k = (size_t)t->info->n_classes;
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < (size_t)t->n_train * width; i++) {
        uint32_t word;
        memcpy(&word, &t->signals[i], sizeof word);
        sum = (sum ^ word) * UINT64_C(1099511628211);
    }
    for (int64_t i = 0; i < t->n_train; i++)
        sum = (sum ^ (uint32_t)t->labels[i]) * UINT64_C(1099511628211);
    for (int64_t i = 0; t->weights && i < t->n_train; i++) {
        uint64_t word;
        memcpy(&word, &t->weights[i], sizeof word);
        sum = (sum ^ word) * UINT64_C(1099511628211);
    }
    for (size_t i = 0; t->origin.masking == SP_MASKING_STEP_MASK && i < (size_t)t->n_train * k; i++)
        sum = (sum ^ t->mask[i]) * UINT64_C(1099511628211);
    char text[128];
    snprintf(text, sizeof text, "%lld steps of %d x %lld samples, %016llx", (long long)t->n_train, t->info->n_channels,
             (long long)t->info->n_samples, (unsigned long long)sum);
    return strdup(text);
}

static sp_status read_data(training *t, const char *file, sp_error *err)
{
    const sp_file_access how = sp_run_access(&t->o->run);
    sp_status status = sp_signals_open(file, t->o->signals, &how, &t->file, err);
    if (status != SP_OK)
        return status;
    t->info = sp_signals_info_of(t->file);
    if (!t->info->labels)
        return sp_fail(err, SP_EDATA, "%s: has no labels to learn from; write integers [%lld] beside %s, as \"labels\"", file,
                       (long long)t->info->n_steps, t->info->path);
    if (t->info->n_classes < 1)
        return sp_fail(err, SP_EDATA, "%s: no step has a label", file);
    size_t n = (size_t)t->info->n_steps + 1, width = (size_t)t->info->n_channels * (size_t)t->info->n_samples;
    if (!(t->signals = n <= SIZE_MAX / sizeof(float) / width ? malloc(n * width * sizeof *t->signals) : NULL) ||
        !(t->labels = malloc(n * sizeof *t->labels)) || !(t->previous = malloc(n * sizeof *t->previous)) ||
        !(t->step_of_row = malloc(n * sizeof *t->step_of_row)) ||
        (t->info->weights && !(t->weights = malloc(n * sizeof *t->weights))) ||
        (t->info->mask && !(t->mask = malloc(n * (size_t)t->info->n_classes))))
        return sp_fail(err, SP_ENOMEM, "%s: training needs all signals in memory, %.1f GB", file,
                       (double)n * (double)width * sizeof(float) / 1e9);
    int64_t rows = 0;
    status = read_part(t, 0, &rows, err);
    t->n_train = rows;
    if (status == SP_OK)
        status = read_part(t, 1, &rows, err);
    t->n_test = rows - t->n_train;
    return status;
}

/* ---- rules ---- */

/* The rules as a matrix in the order of the file's classes; their JSON goes with the weights. */
static sp_status read_rules(training *t, sp_error *err)
{
    const sp_signals_info *info = t->info;
    size_t k = (size_t)info->n_classes;
    sp_model *model = NULL;
    sp_chain *chain = NULL;
    int32_t *class_of_column = malloc(k * sizeof *class_of_column);
    sp_status status = class_of_column && (t->allow = malloc(k * k)) ? SP_OK : sp_no_memory(err);
    if (status == SP_OK)
        status = t->o->run.model ? sp_model_load(t->o->run.model, &model, err)
                                 : sp_model_from_json(t->origin.model, "the rules in the weights", &model, err);
    if (status == SP_OK)
        status = sp_model_align(model, info->n_classes, info->classes, class_of_column, err);
    sp_chain_options how = sp_chain_options_default();
    how.is_boolean = true;
    how.class_of_column = class_of_column;
    if (status == SP_OK)
        status = sp_chain_new(model, &how, &chain, err);
    for (size_t i = 0; status == SP_OK && i < k * k; i++)
        t->allow[i] = sp_chain_is_legal(chain, (int32_t)(i / k), (int32_t)(i % k));
    char *json = NULL;
    if (status == SP_OK && !(t->model_name = strdup(model->name)))
        status = sp_no_memory(err);
    if (status == SP_OK)
        status = sp_model_to_json(model, &json, err);
    bool is_masking = sp_masking_needs_rules(t->origin.masking);
    if (status == SP_OK && is_masking && t->o->resume && strcmp(json, t->origin.model) != 0)
        status = sp_fail(err, SP_EINVAL, "--resume: %s was trained with other rules than --model %s; leave --model out",
                         t->o->run.output, t->o->run.model);
    if (status == SP_OK && is_masking) {
        free(t->origin.model);
        t->origin.model = json;
        json = NULL;
    }
    free(json);
    sp_chain_free(chain);
    sp_model_free(model);
    free(class_of_column);
    return status;
}

/* ---- the network ---- */

static sp_status check_mask(const training *t, sp_error *err)
{
    if (t->origin.masking != SP_MASKING_STEP_MASK || t->mask)
        return SP_OK;
    return sp_fail(
        err, SP_EDATA,
        "%s: --masking step-mask needs masks; write 0 and 1 [%lld, %d] beside %s, as \"mask\": 1 where a class can occur",
        t->info->file, (long long)t->info->n_steps, (int)t->info->n_classes, t->info->path);
}

static sp_status begin(training *t, sp_error *err)
{
    const options *o = t->o;
    const sp_signals_info *info = t->info;
    t->origin = (sp_weights_origin){.batch = o->batch ? o->batch : 32,
                                    .seed = o->network_seed ? (uint32_t)o->network_seed : 1,
                                    .rate = isnan(o->rate) ? 0.001 : o->rate};
    sp_network_shape shape = sp_network_shape_default(info->n_channels, info->n_samples, info->n_classes);
    sp_status status = o->masking ? sp_masking_parse(o->masking, &t->origin.masking, err) : SP_OK;
    if (status == SP_OK)
        status = check_mask(t, err);
    if (status == SP_OK && !(t->origin.data = describe_data(t)))
        status = sp_no_memory(err);
    if (status == SP_OK)
        status = sp_network_new(&shape, t->origin.seed, &t->network, err);
    if (status == SP_OK)
        status = sp_network_set_classes(t->network, info->classes, err);
    if (status == SP_OK)
        sp_network_fit_scale(t->network, t->n_train, t->signals);
    return status == SP_OK ? sp_training_state_new(t->network, &t->state, err) : status;
}

/* Takes up what was written; options that were given must be the same. */
static sp_status go_on(training *t, sp_error *err)
{
    const options *o = t->o;
    const sp_file_access how = sp_run_access(&o->run);
    sp_status status = sp_weights_load(o->run.output, &how, &t->network, &t->state, &t->origin, err);
    if (status == SP_OK)
        status = check_network_fits(t->network, o->run.output, t->info, err);
    if (status == SP_OK)
        status = check_mask(t, err);
    char *data = status == SP_OK ? describe_data(t) : NULL;
    if (status != SP_OK)
        return status;
    const sp_weights_origin *was = &t->origin;
    if (!data)
        status = sp_no_memory(err);
    else if (strcmp(data, was->data) != 0)
        status = sp_fail(err, SP_EDATA, "--resume: %s was trained on other data than %s (it says: %s; these are: %s)",
                         o->run.output, t->info->file, was->data, data);
    else if ((o->batch && o->batch != was->batch) || (!isnan(o->rate) && o->rate != was->rate) ||
             (o->network_seed && (uint32_t)o->network_seed != was->seed) ||
             (o->masking && strcmp(o->masking, sp_masking_name(was->masking)) != 0))
        status = sp_fail(err, SP_EINVAL,
                         "--resume: %s was begun with --batch %d --rate %g --seed %u --masking %s; leave these options out",
                         o->run.output, was->batch, was->rate, was->seed, sp_masking_name(was->masking));
    free(data);
    return status;
}

/* The trainer's errors speak of a row: which recording and step that is. */
static sp_status place(const training *t, sp_status status, const sp_error *cause, sp_error *err)
{
    if (status == SP_OK || cause->step < 0 || cause->step >= t->n_train + t->n_test)
        return sp_fail(err, status, "%s", cause->message);
    int64_t step = t->step_of_row[cause->step], r = 0;
    while (t->info->offsets[r + 1] <= step)
        r++;
    return sp_fail(err, status, "%s: recording %s, step %lld: %s", t->info->file, t->info->ids[r],
                   (long long)(step - t->info->offsets[r]), cause->message);
}

static sp_status prepare(training *t, const char *file, sp_error *err)
{
    sp_status status = read_data(t, file, err);
    if (status == SP_OK)
        status = t->o->resume ? go_on(t, err) : begin(t, err);
    if (status == SP_OK && (t->o->run.model || sp_masking_needs_rules(t->origin.masking))) {
        if (!t->o->run.model && !t->o->resume)
            return sp_fail(err, SP_EINVAL, "train: --masking %s needs the rules: --model M is missing",
                           sp_masking_name(t->origin.masking));
        if (!sp_masking_needs_rules(t->origin.masking) && !t->o->report)
            return sp_fail(err, SP_EINVAL,
                           "train: --model is for --masking random-previous or true-previous, or for a --report; leave it out");
        status = read_rules(t, err);
    }
    if (status != SP_OK)
        return status;
    size_t width = (size_t)t->info->n_channels * (size_t)t->info->n_samples;
    const sp_training_data train = {.n = t->n_train,
                                    .signals = t->signals,
                                    .labels = t->labels,
                                    .previous = t->previous,
                                    .weights = t->weights,
                                    .mask = t->mask},
                           test = {.n = t->n_test,
                                   .signals = t->signals + (size_t)t->n_train * width,
                                   .labels = t->labels + t->n_train,
                                   .previous = t->previous + t->n_train,
                                   .weights = t->weights ? t->weights + t->n_train : NULL,
                                   .mask = t->mask ? t->mask + (size_t)t->n_train * (size_t)t->info->n_classes : NULL};
    sp_training_options how = sp_training_options_default();
    how.batch = t->origin.batch;
    how.rate = t->origin.rate;
    how.seed = t->origin.seed;
    how.masking = t->origin.masking;
    how.allow = t->allow;
    how.threads = t->o->run.decode.threads;
    sp_error cause = {.step = -1};
    status = sp_trainer_new(t->network, t->state, &train, &test, &how, &t->trainer, &cause);
    return status == SP_OK ? SP_OK : place(t, status, &cause, err);
}

/* ---- epochs ---- */

static void show_progress(void *arg, int64_t n_steps)
{
    progress_show(arg, n_steps);
}

static void print_number(double x, const char *format)
{
    if (isnan(x))
        printf("         -");
    else
        printf(format, x);
}

static void print_epoch(int32_t number, const sp_epoch *e)
{
    printf("%5d", number);
    print_number(e->loss, e->loss < 1e3 ? "%10.4f" : "%10.3g");
    print_number(e->accuracy, "%10.4f");
    print_number(e->test_loss, e->test_loss < 1e3 ? "%10.4f" : "%10.3g");
    print_number(e->test_accuracy, "%10.4f");
    putchar('\n');
    fflush(stdout);
}

static sp_status run(training *t, sp_error *err)
{
    const options *o = t->o;
    int epochs = t->o->epochs ? t->o->epochs : 12;
    if (t->o->resume && t->state->n_epochs >= epochs)
        return sp_fail(err, SP_EINVAL, "--resume: %s has %d epochs already; ask for more with --epochs", o->run.output,
                       t->state->n_epochs);
    if (t->o->resume && !o->talk.quiet)
        tell("going on after epoch %d of %s", t->state->n_epochs, o->run.output);
    if (t->weights && !o->talk.quiet)
        tell("%s: each step counts by its weight", t->info->file);
    printf("epoch      loss  accuracy test loss  test acc\n");
    for (bool is_first = true; t->state->n_epochs < epochs; is_first = false) {
        progress bar;
        char what[64];
        snprintf(what, sizeof what, "steps of epoch %d of %d", t->state->n_epochs + 1, epochs);
        progress_start(&bar, what, t->n_train, o->talk.quiet);
        sp_status status = sp_trainer_epoch(t->trainer, show_progress, &bar, err);
        progress_end(&bar);
        if (status != SP_OK)
            return status;
        print_epoch(t->state->n_epochs, &t->state->epochs[t->state->n_epochs - 1]);
        status = sp_weights_save(t->network, t->state, &t->origin, o->run.output, o->run.force || t->o->resume || !is_first, err);
        if (status != SP_OK)
            return status;
    }
    if (!o->talk.quiet)
        tell("wrote %s", o->run.output);
    return SP_OK;
}

/* ---- the page ---- */

/* One network as the page shows it. */
typedef struct shown {
    sp_network *network; /* NULL: the one that was trained */
    sp_training_state *state;
    sp_weights_origin origin;
    char name[64];
    double *history; /* [4, epochs] */
    int32_t *path;   /* [n_test] */
} shown;

static void shown_clear(shown *s)
{
    sp_network_free(s->network);
    sp_training_state_free(s->state);
    sp_weights_origin_clear(&s->origin);
    free(s->history);
    free(s->path);
}

/* The best class of each testing step; under its own mask where the network learned so. */
static void find_path(const training *t, const float *scores, size_t k, sp_masking masking, int32_t *path)
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
static const char *const masking_words[SP_N_MASKINGS] = {"without masks", "with logits masked by a random previous class",
                                                         "with logits masked by the true previous class",
                                                         "with the masks of the data"};

static sp_status show(const training *t, const sp_network *network, const sp_training_state *state, sp_masking masking, shown *s,
                      sp_trained *out, sp_error *err)
{
    size_t n = (size_t)state->n_epochs, k = (size_t)network->shape.n_classes;
    size_t width = (size_t)t->info->n_channels * (size_t)t->info->n_samples;
    float *scores = malloc(((size_t)t->n_test * k + 1) * sizeof *scores);
    s->history = malloc((4 * n + 1) * sizeof *s->history);
    s->path = malloc(((size_t)t->n_test + 1) * sizeof *s->path);
    snprintf(s->name, sizeof s->name, "masking %s", sp_masking_name(masking));
    sp_status status = scores && s->history && s->path ? SP_OK : sp_no_memory(err);
    if (status == SP_OK)
        status = sp_network_predict(network, t->n_test, t->signals + (size_t)t->n_train * width, t->o->run.decode.threads, scores,
                                    err);
    if (status == SP_OK)
        find_path(t, scores, k, masking, s->path);
    for (size_t e = 0; status == SP_OK && e < n; e++) {
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
    free(scores);
    return status;
}

/* The first ten seconds (or samples of a step) of the first step of each class, training steps first. */
static void find_examples(const training *t, const float **examples, float *cut, int64_t n_samples)
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

/* The network of --beside, before hours of work. */
static sp_status open_beside(const training *t, shown *out, sp_error *err)
{
    const char *file = t->o->beside;
    const sp_signals_info *info = t->info;
    const sp_file_access how = sp_run_access(&t->o->run);
    if (!file)
        return SP_OK;
    sp_status status = sp_weights_load(file, &how, &out->network, &out->state, &out->origin, err);
    if (status == SP_OK)
        status = check_network_fits(out->network, file, info, err);
    if (status == SP_OK && out->network->shape.n_classes != info->n_classes)
        status = sp_fail(err, SP_EDATA, "%s knows %d classes, %s has %d", file, out->network->shape.n_classes, info->file,
                         info->n_classes);
    return status;
}

static sp_status write_page(training *t, shown *both, sp_error *err)
{
    const options *o = t->o;
    const sp_signals_info *info = t->info;
    size_t k = (size_t)info->n_classes;
    sp_trained trained[2];
    sp_status status = show(t, t->network, t->state, t->origin.masking, &both[0], &trained[0], err);
    if (status == SP_OK && o->beside)
        status = show(t, both[1].network, both[1].state, both[1].origin.masking, &both[1], &trained[1], err);
    int64_t ten = info->rate > 0 ? (int64_t)(10 * info->rate) : 1000, n_samples = ten < info->n_samples ? ten : info->n_samples;
    const float **examples = malloc(k * sizeof *examples);
    float *cut = malloc(k * (size_t)info->n_channels * (size_t)n_samples * sizeof *cut);
    uint8_t *is_test = calloc((size_t)info->n_recordings + 1, 1);
    char **names = calloc(k, sizeof *names), *page = NULL;
    if (status == SP_OK && (!examples || !cut || !is_test || !names))
        status = sp_no_memory(err);
    for (size_t c = 0; status == SP_OK && c < k; c++) {
        char name[32];
        snprintf(name, sizeof name, "class%zu", c);
        if (!info->classes && !(names[c] = strdup(name)))
            status = sp_no_memory(err);
    }
    if (status == SP_OK) {
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
                                          .n_networks = t->o->beside ? 2 : 1,
                                          .networks = trained};
        status = sp_report_signals_html(&report, &page, err);
    }
    if (status == SP_OK)
        status = sp_text_save(o->report, page, o->run.force || t->o->resume, err);
    if (status == SP_OK && !o->talk.quiet)
        tell("wrote %s", o->report);
    for (size_t c = 0; names && c < k; c++)
        free(names[c]);
    free(names);
    free(page);
    free(examples);
    free(cut);
    free(is_test);
    return status;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const char *file = words[0];
    const input_file inputs[] = {{"the input file", file}, {"the file of weights", o->beside}, {NULL, NULL}};
    (void)out;
    training t = {.o = o};
    shown both[2] = {{.network = NULL}, {.network = NULL}}; /* the new one, and that of --beside */
    if (!o->run.output)
        return sp_fail(err, SP_EINVAL, "train: -o WEIGHTS.h5 is missing: where to write the weights");
    if (o->epochs < 0 || o->epochs > 1000000)
        return sp_fail(err, SP_EINVAL, "--epochs %d: a number from 1 to 1000000", o->epochs);
    if (o->batch < 0)
        return sp_fail(err, SP_EINVAL, "--batch %d: steps of a batch, from 1 to 1048576", o->batch);
    if (o->network_seed < 0 || o->network_seed > UINT32_MAX)
        return sp_fail(err, SP_EINVAL, "--seed %ld: a number from 1 to 4294967295", o->network_seed);
    options checked = *o; /* for looking only */
    checked.run.force = checked.run.force || o->resume;
    sp_status status = sp_run_check_threads(&o->run, err);
    if (status == SP_OK)
        status = outputs_check(&checked, inputs, err);
    if (status == SP_OK)
        status = prepare(&t, file, err);
    if (status == SP_OK)
        status = open_beside(&t, &both[1], err);
    if (status == SP_OK)
        status = run(&t, err);
    if (status == SP_OK && o->report)
        status = write_page(&t, both, err);
    shown_clear(&both[0]);
    shown_clear(&both[1]);
    training_clear(&t);
    return status;
}

static const option_choice train_options[] = {
    OPTION_AS(OUTPUT, "write the weights, after each epoch", "WEIGHTS.h5"),
    OPTION(FORCE),
    OPTION(RESUME),
    OPTION(EPOCHS),
    OPTION(MASKING),
    OPTION_AS(MODEL, "the rules to mask with", NULL),
    OPTION_AS(REPORT, "write a page: signals, classes, rules, learning, confusion", NULL),
    OPTION(BESIDE),
    OPTION(BATCH),
    OPTION(RATE),
    OPTION(NETWORK_SEED),
    OPTION(THREADS),
    OPTION(SIGNALS),
    OPTION(ALLOW_EXTERNAL),
    QUIET_OPTION};

const command train_command = {
    .name = "train",
    .summary = "train the reference classifier on signals",
    .use = {.arguments = "SIGNALS.h5 -o WEIGHTS.h5 [OPTION...]",
            .summary = "train a small convolutional network that makes scores from signals, with or without masks on its logits",
            .example = "  statepath simulate datasets/sleep-signals.recipe.json -o signals.h5\n"
                       "  statepath train signals.h5 -o weights.h5\n"
                       "  statepath predict signals.h5 --weights weights.h5 --split test -o scores.h5\n"
                       "  statepath compare scores.h5 --model sleep-strict\n"
                       "      the weights are written after each epoch; `train ... --resume` goes on\n"
                       "      where it was interrupted\n",
            .min_words = 1,
            .max_words = 1},
    .options = train_options,
    .work = work,
};
