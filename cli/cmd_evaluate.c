/* statepath evaluate: judge paths that already exist, ours or others'. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gates.h"
#include "judging.h"
#include "outputs.h"
#include "pipeline.h"
#include "progress.h"
#include "sleep.h"

static const usage evaluate_usage = {.arguments = "PATHS.h5|STEPS.csv [--labels LABELS.h5] [--model M] [OPTION...]",
                                     .summary = "judge paths that already exist",
                                     .example =
                                         "  statepath evaluate paths.h5 --labels night.h5 --model sleep-strict\n"
                                         "  statepath evaluate others.h5 --paths '/recordings/{id}/pred' --labels night.h5\n"
                                         "  statepath evaluate others.csv --labels night.h5 --model sleep-strict\n"
                                         "      the CSV has the columns recording,step,label (step may be left out);\n"
                                         "      labels are names of classes or their numbers\n",
                                     .min_words = 1,
                                     .max_words = 1};

enum { LABELS_DATASET, PATHS_DATASET }; /* options.extra */

/* Steps looked at at a time. */
enum { BLOCK_STEPS = 4 << 20 };

typedef struct judge {
    const options *opt;
    sp_paths_reader *reader; /* or NULL: */
    sp_csv_paths *csv;
    const sp_paths_info *info;
    sp_source *labels; /* or NULL: the labels are in the file of paths, or nowhere */
    const sp_source_info *labels_info;
    int64_t *label_recording; /* [N] recording of the labels' file, or NULL: the same */
    int32_t *column_of_label; /* [its classes], or NULL: the same */
    sp_model *model;
    int32_t *class_of_column; /* [K] */
    sp_chain *chain, *rules;
    sp_workers *workers;
    scorers scorers;
    sp_subjects *subjects; /* of the recordings of the paths, or NULL */
    int32_t n_strategies;
    int32_t strategy[MAX_STRATEGIES]; /* index in the file */
    const char *names[MAX_STRATEGIES];
    int64_t undecoded;
    bool has_nll; /* the labels' file holds scores too */
    sp_nll nll;
    bool has_wake_trim; /* then the stages of the labels' classes, and how much wake is kept */
    int32_t stage_of_label[SP_N_STAGES];
    int64_t wake_margin;
} judge;

static void judge_close(judge *j)
{
    sp_workers_free(j->workers);
    sp_chain_free(j->rules);
    sp_chain_free(j->chain);
    free(j->class_of_column);
    free(j->column_of_label);
    free(j->label_recording);
    sp_model_free(j->model);
    sp_source_close(j->labels);
    sp_paths_reader_close(j->reader);
    sp_csv_paths_close(j->csv);
    scorers_clear(&j->scorers);
    sp_subjects_free(j->subjects);
}

/* ---- opening ---- */

static sp_status choose_strategies(judge *j, const char *file, sp_error *err)
{
    if (!j->opt->strategies) {
        if (j->info->n_strategies > MAX_STRATEGIES)
            return sp_fail(err, SP_EINVAL, "%s holds %d strategies; choose up to %d with --strategies", file,
                           j->info->n_strategies, MAX_STRATEGIES);
        for (int32_t s = 0; s < j->info->n_strategies; s++) {
            j->strategy[s] = s;
            j->names[s] = j->info->strategies[s];
        }
        j->n_strategies = j->info->n_strategies;
        return SP_OK;
    }
    char *text = strdup(j->opt->strategies), *parts[MAX_STRATEGIES];
    if (!text)
        return sp_fail(err, SP_ENOMEM, "no memory");
    int n = split_list(text, MAX_STRATEGIES, parts);
    sp_status status = n ? SP_OK : sp_fail(err, SP_EINVAL, "--strategies needs a name");
    for (int i = 0; status == SP_OK && i < n; i++) {
        int32_t s = 0;
        while (s < j->info->n_strategies && strcmp(parts[i], j->info->strategies[s]) != 0)
            s++;
        if (s == j->info->n_strategies)
            status = sp_fail(err, SP_EINVAL, "%s holds no paths of %s; it has %s%s", file, parts[i], j->info->strategies[0],
                             j->info->n_strategies > 1 ? " and others (statepath inspect lists them)" : "");
        else {
            j->strategy[j->n_strategies] = s;
            j->names[j->n_strategies++] = j->info->strategies[s];
        }
    }
    free(text);
    return status;
}

static sp_status open_model(judge *j, const char *file, sp_error *err)
{
    sp_status status = SP_OK;
    if (j->model) /* a CSV needed it to be read */
        ;
    else if (j->opt->model)
        status = sp_model_load(j->opt->model, &j->model, err);
    else if (j->info->model_json)
        status = sp_model_from_json(j->info->model_json, file, &j->model, err);
    else
        status =
            sp_fail(err, SP_EINVAL,
                    "--model is missing, and %s does not carry one: a file, or a shipped model (`statepath model list`)", file);
    if (status != SP_OK)
        return status;
    int32_t K = j->info->n_classes ? j->info->n_classes : j->model->n_classes;
    j->class_of_column = malloc((size_t)K * sizeof *j->class_of_column);
    if (!j->class_of_column)
        return sp_fail(err, SP_ENOMEM, "no memory");
    if ((status = sp_model_align(j->model, K, j->info->classes, j->class_of_column, err)) != SP_OK)
        return status;
    sp_chain_options compile = sp_chain_options_default();
    compile.class_of_column = j->class_of_column;
    if ((status = sp_chain_new(j->model, &compile, &j->chain, err)) != SP_OK)
        return status;
    compile.is_boolean = true;
    return sp_chain_new(j->model, &compile, &j->rules, err);
}

/* Where the labels' classes stand among the paths' columns. */
static sp_status match_classes(judge *j, sp_error *err)
{
    const sp_source_info *l = j->labels_info;
    if (!l->classes)
        return SP_OK;
    int32_t K = l->n_classes;
    int32_t *class_of_label = malloc((size_t)K * sizeof *class_of_label);
    j->column_of_label = malloc((size_t)K * sizeof *j->column_of_label);
    sp_status status = class_of_label && j->column_of_label ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory");
    if (status == SP_OK)
        status = sp_model_align(j->model, K, l->classes, class_of_label, err);
    for (int32_t k = 0; status == SP_OK && k < K; k++)
        for (int32_t c = 0; c < K; c++)
            if (j->class_of_column[c] == class_of_label[k])
                j->column_of_label[k] = c;
    free(class_of_label);
    return status;
}

typedef struct named {
    const char *id;
    int64_t index;
} named;

static int compare_named(const void *a, const void *b)
{
    return strcmp(((const named *)a)->id, ((const named *)b)->id);
}

static named *sorted_ids(int64_t n, const char *const *ids)
{
    named *list = malloc((size_t)(n + 1) * sizeof *list);
    for (int64_t i = 0; list && i < n; i++)
        list[i] = (named){ids[i], i};
    if (list)
        qsort(list, (size_t)n, sizeof *list, compare_named);
    return list;
}

/* Which recording of the labels belongs to which of the paths: by id where both files have ids, else by place. */
static sp_status match_recordings(judge *j, sp_error *err)
{
    const sp_source_info *l = j->labels_info;
    int64_t N = j->info->n_recordings;
    if (l->n_recordings != N)
        return sp_fail(err, SP_EDATA,
                       "%s has %lld recordings, the labels in %s have %lld; the two files must speak of the same recordings",
                       j->info->file, (long long)N, l->file, (long long)l->n_recordings);
    j->label_recording = malloc((size_t)(N + 1) * sizeof *j->label_recording);
    if (!j->label_recording)
        return sp_fail(err, SP_ENOMEM, "no memory");
    for (int64_t n = 0; n < N; n++)
        j->label_recording[n] = n;
    sp_status status = SP_OK;
    if (j->info->ids && l->has_ids) {
        named *ours = sorted_ids(N, j->info->ids), *theirs = sorted_ids(N, l->ids);
        if (!ours || !theirs)
            status = sp_fail(err, SP_ENOMEM, "no memory");
        for (int64_t i = 0; status == SP_OK && i < N; i++)
            if (strcmp(ours[i].id, theirs[i].id) != 0)
                status = sp_fail(err, SP_EDATA, "recording %s of %s is not among the labels of %s (which has %s, say)",
                                 ours[i].id, j->info->file, l->file, theirs[i].id);
            else
                j->label_recording[ours[i].index] = theirs[i].index;
        free(ours);
        free(theirs);
    }
    for (int64_t n = 0; status == SP_OK && n < N; n++) {
        int64_t m = j->label_recording[n], have = j->info->offsets[n + 1] - j->info->offsets[n];
        int64_t labelled = l->offsets[m + 1] - l->offsets[m];
        if (have != labelled)
            status =
                sp_fail(err, SP_EDATA, "recording %s: %lld steps in %s, %lld labels in %s; cut both to the same steps",
                        j->info->ids ? j->info->ids[n] : l->ids[m], (long long)have, j->info->file, (long long)labelled, l->file);
    }
    return status;
}

static bool is_csv(const char *file)
{
    size_t n = strlen(file);
    return n > 4 && strcasecmp(file + n - 4, ".csv") == 0;
}

/* A CSV has names of classes only where the model does. */
static sp_status open_csv(judge *j, const char *file, sp_error *err)
{
    const options *o = j->opt;
    if (o->extra[PATHS_DATASET] || o->place.offsets || o->place.ids)
        return sp_fail(err, SP_EINVAL, "--paths, --offsets and --ids name datasets, and %s is a CSV file", file);
    if (!o->model)
        return sp_fail(err, SP_EINVAL, "--model is missing: a file, or a shipped model (`statepath model list`)");
    sp_status status = sp_model_load(o->model, &j->model, err);
    if (status == SP_OK)
        status = sp_csv_paths_open(file, j->model, &j->csv, err);
    if (status == SP_OK)
        j->info = sp_csv_paths_info(j->csv);
    return status;
}

/* Subjects: by ids those of the paths; else what the labels' file says, then what the paths' file says. */
static sp_status find_subjects(judge *j, const char *file, sp_error *err)
{
    const char *groups = j->opt->groups;
    bool by_id = groups && strncmp(groups, "prefix:", 7) == 0;
    int64_t N = j->info->n_recordings;
    sp_status status = SP_OK;
    if (j->labels && !by_id)
        status = sp_source_subjects(j->labels, groups, &j->subjects, err);
    if (status == SP_OK && j->subjects && j->label_recording) {
        int32_t *subject = malloc(((size_t)N + 1) * sizeof *subject);
        if (!subject)
            return sp_fail(err, SP_ENOMEM, "no memory");
        for (int64_t n = 0; n < N; n++)
            subject[n] = j->subjects->of_recording[j->label_recording[n]];
        free(j->subjects->of_recording);
        j->subjects->of_recording = subject;
    }
    if (status != SP_OK || j->subjects)
        return status;
    return j->csv ? sp_subjects_from_ids(N, j->info->ids, groups, file, &j->subjects, err)
                  : sp_paths_reader_subjects(j->reader, groups, &j->subjects, err);
}

static sp_status judge_open(judge *j, const char *file, sp_error *err)
{
    const options *o = j->opt;
    sp_source_options places;
    sp_status status = source_options_from(o, &places, err);
    if (status != SP_OK)
        return status;
    places.labels = NULL;
    places.needs_scores = false;
    if (is_csv(file))
        status = open_csv(j, file, err);
    else
        status = sp_paths_reader_open(file, o->extra[PATHS_DATASET], &places, &j->reader, err);
    if (status != SP_OK)
        return status;
    if (j->reader)
        j->info = sp_paths_reader_info(j->reader);
    if ((status = choose_strategies(j, file, err)) != SP_OK || (status = open_model(j, file, err)) != SP_OK)
        return status;
    if (o->place.labels) {
        places = sp_source_options_default();
        places.labels = o->extra[LABELS_DATASET];
        places.needs_scores = false;
        if ((status = sp_source_open(o->place.labels, &places, &j->labels, err)) != SP_OK)
            return status;
        j->labels_info = sp_source_info_of(j->labels);
        if (!j->labels_info->has_labels)
            return sp_fail(err, SP_EDATA, "%s holds no labels; --labels-dataset PATH says where they are", o->place.labels);
        j->has_nll = j->labels_info->has_scores;
        if ((status = match_classes(j, err)) != SP_OK || (status = match_recordings(j, err)) != SP_OK ||
            (status = scorers_find(&j->scorers, j->labels, j->model->n_classes, o->talk.quiet, err)) != SP_OK)
            return status;
    }
    if ((status = find_subjects(j, file, err)) != SP_OK)
        return status;
    j->workers = sp_workers_new(o->decode.threads);
    return j->workers ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory");
}

/* ---- judging ---- */

/* Labels as their file numbers the classes to columns of the paths; in and out may be one. */
static sp_status to_columns(const judge *j, int64_t n, const int32_t *in, int32_t *out, sp_error *err)
{
    for (int64_t t = 0; t < n; t++) {
        int32_t label = in[t];
        if (label >= j->model->n_classes)
            return sp_fail(err, SP_EDATA, "%s: label %d, but model %s has %d classes; unscored steps are -1",
                           j->labels_info->file, label, j->model->name, j->model->n_classes);
        out[t] = label >= 0 && j->column_of_label ? j->column_of_label[label] : label;
    }
    return SP_OK;
}

/* Likelihood of the block's labels under the scores that stand beside them. */
static sp_status add_nll(judge *j, sp_block *block, sp_error *err)
{
    sp_prepare_options prepare = sp_prepare_options_default();
    prepare.kind = j->labels_info->kind;
    prepare.missing_uniform = true;
    sp_status status = sp_prepare(block, &prepare, NULL, err);
    sp_scores scores = sp_block_batch(block).scores;
    if (status != SP_OK || !j->has_wake_trim)
        return status == SP_OK ? sp_nll_add(&j->nll, &scores, block->labels, block->weights, err) : status;
    size_t n = (size_t)block->n_steps;
    int32_t *kept = malloc((n + 1) * sizeof *kept);
    if (!kept)
        return sp_fail(err, SP_ENOMEM, "no memory for the labels of %lld steps", (long long)block->n_steps);
    memcpy(kept, block->labels, n * sizeof *kept);
    for (int64_t r = 0; r < block->n_recordings; r++)
        sp_wake_trim(block->offsets[r + 1] - block->offsets[r], j->stage_of_label, j->wake_margin, kept + block->offsets[r]);
    status = sp_nll_add(&j->nll, &scores, kept, block->weights, err);
    free(kept);
    return status;
}

/* Labels of recordings first .. first+count-1 in the paths' order of recordings and classes. */
static sp_status read_labels(judge *j, int64_t first, int64_t count, sp_block *block, int32_t *labels, sp_error *err)
{
    const int64_t *offsets = j->info->offsets;
    if (!j->labels)
        return sp_paths_reader_labels(j->reader, first, count, labels, NULL, err);
    sp_status status = SP_OK;
    for (int64_t n = first; status == SP_OK && n < first + count;) {
        int64_t run = 1; /* recordings that follow one another in both files are read together */
        while (n + run < first + count && j->label_recording[n + run] == j->label_recording[n] + run)
            run++;
        unsigned parts = SP_BLOCK_LABELS | (j->has_nll ? SP_BLOCK_SCORES | SP_BLOCK_MASK | SP_BLOCK_WEIGHTS : 0);
        status = sp_source_read(j->labels, j->label_recording[n], run, parts, block, err);
        if (status == SP_OK && j->has_nll)
            status = add_nll(j, block, err);
        int32_t *out = labels + (offsets[n] - offsets[first]);
        if (status == SP_OK)
            status = to_columns(j, block->n_steps, block->labels, out, err);
        int64_t at = offsets[n] - offsets[first];
        if (status == SP_OK)
            status = scorers_read(&j->scorers, j->labels, j->label_recording[n], run, at, err);
        for (int32_t i = 0; status == SP_OK && i < j->scorers.found.n_scorers; i++)
            status = to_columns(j, block->n_steps, j->scorers.labels[i] + at, j->scorers.labels[i] + at, err);
        n += run;
    }
    return status;
}

static sp_status judge_block(judge *j, int64_t first, int64_t count, bool has_labels, sp_block *block, sp_evaluation *evaluation,
                             sp_error *err)
{
    int64_t steps = j->info->offsets[first + count] - j->info->offsets[first];
    size_t S = (size_t)steps + 1, N = (size_t)count + 1;
    int64_t *offsets = malloc(N * sizeof *offsets), *segments = j->info->has_segments ? malloc(S * sizeof *segments) : NULL;
    int32_t *labels = has_labels ? malloc(S * sizeof *labels) : NULL, *paths[MAX_STRATEGIES] = {NULL};
    sp_decoded *results[MAX_STRATEGIES] = {NULL};
    bool has_memory = offsets && (segments || !j->info->has_segments) && (labels || !has_labels);
    for (int32_t s = 0; s < j->n_strategies; s++) {
        paths[s] = malloc(S * sizeof *paths[s]);
        results[s] = malloc(N * sizeof *results[s]);
        has_memory &= paths[s] && results[s];
    }
    sp_status status = has_memory ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory for %lld steps", (long long)steps);
    for (int64_t n = 0; status == SP_OK && n <= count; n++)
        offsets[n] = j->info->offsets[first + n] - j->info->offsets[first];
    if (status == SP_OK && segments)
        status = sp_paths_reader_labels(j->reader, first, count, NULL, segments, err);
    if (status == SP_OK)
        status = scorers_reserve(&j->scorers, steps, err);
    if (status == SP_OK && labels)
        status = read_labels(j, first, count, block, labels, err);
    for (int32_t s = 0; status == SP_OK && s < j->n_strategies; s++) {
        status = j->csv ? sp_csv_paths_read(j->csv, first, count, paths[s], results[s], err)
                        : sp_paths_reader_read(j->reader, j->strategy[s], first, count, paths[s], results[s], err);
        for (int64_t n = 0; status == SP_OK && n < count; n++)
            j->undecoded += results[s][n].status != SP_OK;
    }
    if (status == SP_OK) {
        sp_evaluation_block add = {.n_recordings = count,
                                   .offsets = offsets,
                                   .ids = j->info->ids ? j->info->ids + first : NULL,
                                   .labels = labels,
                                   .segments = segments,
                                   .paths = (const int32_t *const *)paths,
                                   .results = (const sp_decoded *const *)results,
                                   .scorers = (const int32_t *const *)j->scorers.labels,
                                   .subject = j->subjects ? j->subjects->of_recording + first : NULL};
        status = sp_evaluation_add(evaluation, &add, j->workers, err);
    }
    for (int32_t s = 0; s < j->n_strategies; s++) {
        free(paths[s]);
        free(results[s]);
    }
    free(labels);
    free(segments);
    free(offsets);
    return status;
}

static sp_status judge_all(judge *j, const char *file, const char *command, sp_gate **gate, sp_comparison **out, sp_error *err)
{
    bool has_labels = j->labels || j->info->has_labels, is_legal[MAX_STRATEGIES] = {false}; /* others' word is not taken for it */
    sp_evaluation_options how = sp_evaluation_options_default();
    how.has_labels = has_labels;
    how.n_strategies = j->n_strategies;
    const char **classes = names_in_columns(j->model, j->class_of_column);
    how.classes = classes;
    how.names = j->names;
    how.is_legal = is_legal;
    for (int32_t s = 0; s < j->n_strategies; s++)
        how.has_path_scores &= j->info->has_path_scores[j->strategy[s]];
    how.trace_steps = j->opt->report ? 200000 : 0;
    sp_evaluation *evaluation = NULL;
    judging how_judged = {0};
    sp_block *block = sp_block_new();
    sp_status status = block && classes ? outputs_bootstrap(j->opt, &how.bootstrap, err) : sp_fail(err, SP_ENOMEM, "no memory");
    sp_gate_scope scope = {.n_strategies = j->n_strategies,
                           .strategies = j->names,
                           .n_classes = j->model->n_classes,
                           .classes = classes,
                           .has_labels = has_labels};
    sleep_choice sleep = {.is_sleep = false};
    if (status == SP_OK)
        status = gates_open(j->opt, &scope, gate, err);
    if (status == SP_OK)
        status = sleep_choose(j->opt, j->model->n_classes, classes, j->labels, j->reader, &sleep, err);
    sleep_apply(&sleep, &how);
    how.n_scorers = j->scorers.found.n_scorers;
    how.scorers = j->scorers.found.names;
    subjects_apply(j->subjects, &how);
    if (status == SP_OK)
        status = judging_read(&how_judged, j->opt, j->model->n_classes, classes, &how, err);
    if (status == SP_OK)
        status = nll_clip_read(j->opt, j->has_nll, &j->nll.clip, err);
    if (status == SP_OK && how.has_wake_trim) {
        j->has_wake_trim = true;
        j->wake_margin = sp_wake_trim_steps(how.wake_trim_minutes, how.epoch_seconds);
        for (int32_t k = 0; k < j->model->n_classes; k++)
            j->stage_of_label[k] = how.stage_of_class[j->column_of_label ? j->column_of_label[k] : k];
    }
    if (status == SP_OK)
        status = sp_evaluation_new(j->chain, j->rules, &how, &evaluation, err);
    watch_signals();
    progress line;
    progress_start(&line, "steps", j->info->n_steps, j->opt->talk.quiet);
    for (int64_t first = 0; status == SP_OK && first < j->info->n_recordings;) {
        int64_t count = 1;
        while (first + count < j->info->n_recordings &&
               j->info->offsets[first + count + 1] - j->info->offsets[first] <= BLOCK_STEPS)
            count++;
        status = judge_block(j, first, count, has_labels, block, evaluation, err);
        first += count;
        if (status == SP_OK && is_interrupted())
            status = sp_fail(err, SP_EFILE, "stopped by a signal; nothing was written");
        progress_show(&line, j->info->offsets[first]);
    }
    progress_end(&line);
    if (status == SP_OK)
        status = sp_evaluation_finish(evaluation, out, err);
    if (status == SP_OK) {
        sp_comparison_texts texts = {.file = file,
                                     .file_size = j->info->file_size,
                                     .command = command,
                                     .input_classes = j->info->classes,
                                     .model = j->model,
                                     .class_of_column = j->class_of_column};
        status = sp_comparison_describe(*out, &texts, err);
        if (j->has_nll)
            sp_comparison_set_nll(*out, &j->nll);
    }
    free(classes);
    judging_clear(&how_judged);
    sp_evaluation_free(evaluation);
    sp_block_free(block);
    return status;
}

int cmd_evaluate(int argc, const char **argv)
{
    options o;
    options_init(&o);
    struct poptOption results[RESULT_TABLE], statistics[STATISTICS_TABLE], talk[TALK_TABLE];
    result_table(&o, results);
    statistics_table(&o, statistics);
    talk_table(&o, talk);
    struct poptOption places[] = {
        {"paths", 0, POPT_ARG_STRING, &o.extra[PATHS_DATASET], 0,
         "dataset of the paths in another's file; {id} stands for the recording", "PATH"},
        {"labels-dataset", 0, POPT_ARG_STRING, &o.extra[LABELS_DATASET], 0, "dataset of the labels in LABELS.h5", "PATH"},
        {"offsets", 0, POPT_ARG_STRING, &o.place.offsets, 0, "dataset of the offsets in PATHS.h5", "PATH"},
        {"ids", 0, POPT_ARG_STRING, &o.place.ids, 0, "dataset of the recordings' names in PATHS.h5", "PATH"},
        POPT_TABLEEND};
    struct poptOption table[] = {
        {"model", 'm', POPT_ARG_STRING, &o.model, 0, "the rules: a file, or a shipped model (the one inside PATHS.h5)", "M"},
        {"labels", 0, POPT_ARG_STRING, &o.place.labels, 0, "file with the reference (the labels inside PATHS.h5)", "LABELS.h5"},
        {"strategies", 's', POPT_ARG_STRING, &o.strategies, 0, "which of the paths to judge (all)", "LIST"},
        {"force", 'f', POPT_ARG_NONE, &o.force, 0, "replace outputs that exist", NULL},
        {"threads", 0, POPT_ARG_INT, &o.decode.threads, 0, THREADS_HELP, "N"},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, results, 0, "Results:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, statistics, 0, "Statistics:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, places, 0, "Reading:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, talk, 0, "Messages:", NULL},
        POPT_TABLEEND};
    const char *file;
    int exit_status = options_read(argc, argv, table, &evaluate_usage, &file);
    if (exit_status >= 0) {
        options_clear(&o);
        return exit_status;
    }
    sp_error err = {.status = SP_OK};
    judge j = {.opt = &o};
    sp_comparison *comparison = NULL;
    sp_gate *gate = NULL;
    char *command = command_line(argc, argv);
    sp_status status = outputs_check(&o, file, o.place.labels, &err);
    if (status == SP_OK)
        status = judge_open(&j, file, &err);
    if (status == SP_OK)
        status = judge_all(&j, file, command, &gate, &comparison, &err);
    if (status == SP_OK)
        status = outputs_write(&o, comparison, &err);
    exit_status = status != SP_OK                ? fail_with(status, &err)
                  : gates_trip(gate, comparison) ? EXIT_GATE
                  : j.undecoded                  ? EXIT_UNDECODED
                                                 : EXIT_DONE;
    sp_gate_free(gate);
    sp_comparison_free(comparison);
    judge_close(&j);
    free(command);
    options_clear(&o);
    return exit_status;
}
