/* statepath evaluate: judge paths that already exist, ours or others'. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd_evaluate.h"
#include "drawing.h"
#include "gates.h"
#include "outputs.h"
#include "progress.h"
#include "sleep.h"

static const usage evaluate_usage = {.arguments = "PATHS.h5|STEPS.csv [--labels LABELS.h5] [--model M] [OPTION...]",
                                     .summary = "judge paths that already exist",
                                     .example =
                                         "  statepath evaluate paths.h5 --labels night.h5 --model sleep-strict\n"
                                         "  statepath evaluate others.h5 --paths '/recordings/{id}/pred' --labels night.h5\n"
                                         "  statepath evaluate others.csv --labels night.h5 --model sleep-strict\n"
                                         "      the CSV has the columns recording,step,label (step may be left out);\n"
                                         "      labels are names of classes or their numbers\n"
                                         "  statepath evaluate others.txt --codes utime --labels true.txt --label-codes rk\n"
                                         "      a text of one label a line is one recording\n",
                                     .min_words = 1,
                                     .max_words = 1};

/* Steps looked at at a time. */
enum { BLOCK_STEPS = 4 << 20 };

static sp_status judge_block(judge *j, int64_t first, int64_t count, sp_block *block, sp_evaluation *evaluation, sp_error *err)
{
    const int64_t *stored = j->info->offsets + first, steps = judge_room(j, first, count);
    const bool has_labels = j->has_labels;
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
        offsets[n] = j->offsets[first + n] - j->offsets[first];
    if (status == SP_OK && segments)
        status = sp_paths_reader_labels(j->reader, first, count, NULL, segments, err);
    if (status == SP_OK && segments)
        judge_cut(j, first, count, stored, sizeof *segments, segments);
    if (status == SP_OK)
        status = scorers_reserve(&j->scorers, steps, err);
    if (status == SP_OK && labels)
        status = judge_read_labels(j, first, count, block, labels, err);
    for (int32_t s = 0; status == SP_OK && s < j->n_strategies; s++) {
        status = j->csv ? sp_csv_paths_read(j->csv, first, count, paths[s], results[s], err)
                        : sp_paths_reader_read(j->reader, j->strategy[s], first, count, paths[s], results[s], err);
        for (int64_t n = 0; status == SP_OK && n < count; n++)
            j->undecoded += results[s][n].status != SP_OK;
        if (status == SP_OK)
            judge_cut(j, first, count, stored, sizeof *paths[s], paths[s]);
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
                                   .subject = j->subjects ? j->subjects->of_recording + first : NULL,
                                   .cut_path_steps = j->cut_path_steps ? j->cut_path_steps + first : NULL,
                                   .cut_label_steps = j->cut_label_steps ? j->cut_label_steps + first : NULL};
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

/* Recordings first .. end-1: those that fit into memory in blocks, longer ones piece by piece. */
static sp_status judge_recordings(judge *j, sp_block *block, int64_t first, int64_t end, sp_evaluation *evaluation,
                                  progress *line, sp_error *err)
{
    sp_status status = SP_OK;
    while (status == SP_OK && first < end) {
        int64_t count = 1;
        while (!judge_is_long(j, first) && first + count < end && !judge_is_long(j, first + count) &&
               j->info->offsets[first + count + 1] - j->info->offsets[first] <= BLOCK_STEPS)
            count++;
        status = judge_is_long(j, first) ? judge_long(j, first, evaluation, line, err)
                                         : judge_block(j, first, count, block, evaluation, err);
        first += count;
        if (status == SP_OK && is_interrupted())
            status = sp_fail(err, SP_EFILE, "stopped by a signal; nothing was written");
        progress_show(line, j->info->offsets[first]);
    }
    return status;
}

/* Once more, for their steps alone: what is counted stays as it is. */
static sp_status judge_drawn(void *arg, int64_t n, const int64_t *recordings, sp_evaluation *evaluation, sp_error *err)
{
    judge again = *(const judge *)arg;
    again.has_nll = false;
    again.has_wake_trim = false;
    again.scorers = (scorers){.found = {.n_scorers = 0}};
    again.subjects = NULL;
    sp_block *block = sp_block_new();
    progress line;
    progress_start(&line, "steps", again.info->n_steps, true);
    sp_status status = block ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory");
    for (int64_t i = 0; status == SP_OK && i < n; i++)
        status = judge_recordings(&again, block, recordings[i], recordings[i] + 1, evaluation, &line, err);
    progress_end(&line);
    sp_block_free(block);
    return status;
}

static sp_status judge_all(judge *j, const char *file, const char *command, sp_gate **gate, sp_comparison **out, sp_error *err)
{
    bool is_legal[MAX_STRATEGIES] = {false}; /* others' word is not taken for it */
    sp_evaluation_options how = sp_evaluation_options_default();
    how.has_labels = j->has_labels;
    how.n_strategies = j->n_strategies;
    const char **classes = names_in_columns(j->model, j->class_of_column);
    how.classes = classes;
    how.names = j->names;
    how.is_legal = is_legal;
    for (int32_t s = 0; s < j->n_strategies; s++)
        how.has_path_scores &= j->info->has_path_scores[j->strategy[s]];
    how.has_path_scores &= !j->cut_path_steps; /* they are of whole paths */
    how.has_length_trim = j->cut_path_steps != NULL;
    how.trace_steps = j->opt->report ? DRAWN_STEPS : 0;
    sp_evaluation *evaluation = NULL;
    judging how_judged = {0};
    sp_block *block = sp_block_new();
    sp_status status = block && classes ? outputs_bootstrap(j->opt, &how.bootstrap, err) : sp_fail(err, SP_ENOMEM, "no memory");
    sp_gate_scope scope = {.n_strategies = j->n_strategies,
                           .strategies = j->names,
                           .n_classes = j->model->n_classes,
                           .classes = classes,
                           .has_labels = j->has_labels};
    sleep_choice sleep = {.is_sleep = false};
    if (status == SP_OK)
        status = gates_open(j->opt, &scope, gate, err);
    if (status == SP_OK)
        status = sleep_choose(j->opt, j->model->n_classes, classes, j->labels.source, j->reader, &sleep, err);
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
            j->stage_of_label[k] = how.stage_of_class[j->labels.column_of_label ? j->labels.column_of_label[k] : k];
    }
    if (status == SP_OK)
        status = sp_evaluation_new(j->chain, j->rules, &how, &evaluation, err);
    watch_signals();
    progress line;
    progress_start(&line, "steps", j->info->n_steps, j->opt->talk.quiet);
    if (status == SP_OK)
        status = judge_recordings(j, block, 0, j->info->n_recordings, evaluation, &line, err);
    progress_end(&line);
    if (status == SP_OK)
        status = sp_evaluation_finish(evaluation, out, err);
    if (status == SP_OK)
        status = drawing_fetch(j->chain, &how, judge_drawn, j, *out, err);
    if (status == SP_OK) {
        sp_comparison_texts texts = {.file = file,
                                     .file_size = j->info->file_size,
                                     .command = command,
                                     .input_classes = j->path_codes ? NULL : j->info->classes,
                                     .model = j->model,
                                     .class_of_column = j->class_of_column,
                                     .path_codes = j->path_codes ? sp_codes_name(j->path_codes) : NULL,
                                     .label_codes = j->label_codes ? sp_codes_name(j->label_codes) : NULL};
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
        {"codes", 0, POPT_ARG_STRING, &o.codes, 0, CODES_HELP ", and in paths", CODES_LIST},
        {"map", 0, POPT_ARG_STRING, &o.map, 0, MAP_HELP, "MAP"},
        {"label-codes", 0, POPT_ARG_STRING, &o.label_codes, 0, "what those of the labels mean, where they are others",
         CODES_LIST},
        {"label-map", 0, POPT_ARG_STRING, &o.label_map, 0, "the map of the labels, where it is another", "MAP"},
        {"trim-to-shortest", 0, POPT_ARG_NONE, &o.trim_to_shortest, 0,
         "where a recording has more steps in one of both files, leave out the last ones", NULL},
        {"labels-dataset", 0, POPT_ARG_STRING, &o.extra[LABELS_DATASET], 0, "dataset of the labels in LABELS.h5", "PATH"},
        {"offsets", 0, POPT_ARG_STRING, &o.place.offsets, 0, "dataset of the offsets in PATHS.h5", "PATH"},
        {"ids", 0, POPT_ARG_STRING, &o.place.ids, 0, "dataset of the recordings' names in PATHS.h5", "PATH"},
        POPT_TABLEEND};
    struct poptOption table[] = {
        {"model", 'm', POPT_ARG_STRING, &o.model, 0, "the rules: a file, or a shipped model (the one inside PATHS.h5)", "M"},
        {"labels", 0, POPT_ARG_STRING, &o.place.labels, 0, "file with the reference, HDF5 or text (the labels inside PATHS.h5)",
         "LABELS.h5"},
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
    sp_status status = outputs_check(
        &o, (const input_file[]){{"the input file", file}, {"the file of labels", o.place.labels}, {NULL, NULL}}, &err);
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
