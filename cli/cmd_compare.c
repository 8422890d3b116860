/* statepath compare: decode with each strategy, evaluate, report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "beside.h"
#include "calibration.h"
#include "cross.h"
#include "drawing.h"
#include "gates.h"
#include "judging.h"
#include "long_recording.h"
#include "outputs.h"
#include "pipeline.h"
#include "run.h"
#include "sleep.h"

static const usage compare_usage = {.arguments = "SCORES.h5 --model M [OPTION...]",
                                    .summary = "decode with each strategy, evaluate against labels, report",
                                    .example = "  statepath compare night.h5 --model sleep-strict --report night.html\n"
                                               "      decodes with argmax, greedy and viterbi, prints a table, writes a page\n"
                                               "  statepath compare night.h5 --model sleep-strict --cv 5\n"
                                               "      says what learnt weights would add: each recording is decoded by a model\n"
                                               "      fitted to other recordings\n",
                                    .has_strategies = true,
                                    .min_words = 1,
                                    .max_words = 1};

static sp_status run_drawn(void *arg, int64_t n, const int64_t *recordings, sp_evaluation *evaluation, sp_error *err)
{
    return run_again(arg, n, recordings, evaluation, err);
}

static sp_status evaluate(pipeline *p, const char *command, sp_gate **gate, sp_comparison **out, sp_error *err)
{
    const options *o = p->opt;
    const char *names[MAX_STRATEGIES];
    bool is_legal[MAX_STRATEGIES];
    for (int s = 0; s < p->n_strategies; s++) {
        names[s] = p->names[s];
        is_legal[s] = sp_strategy_is_legal(p->strategies[s].kind) && p->on_infeasible != INFEASIBLE_RELAX;
    }
    sp_evaluation_options how = sp_evaluation_options_default();
    how.has_labels = p->info->has_labels;
    how.n_strategies = p->n_strategies;
    const char **classes = names_in_columns(p->model, p->class_of_column);
    how.classes = classes;
    how.names = names;
    how.is_legal = is_legal;
    how.trace_steps = o->report ? DRAWN_STEPS : 0;
    sp_evaluation *evaluation = NULL;
    sp_subjects *subjects = NULL;
    judging how_judged = {0};
    sp_paths_writer *writer = NULL;
    beside extras;
    sp_status status = beside_plan(&extras, p, err);
    if (status == SP_OK)
        status = long_recording_warn(p, &extras, err);
    if (status == SP_OK && !classes)
        status = sp_fail(err, SP_ENOMEM, "no memory");
    sp_gate_scope scope = {.n_strategies = p->n_strategies,
                           .strategies = names,
                           .n_classes = p->info->n_classes,
                           .classes = classes,
                           .has_labels = p->info->has_labels};
    sleep_choice sleep = {.is_sleep = false};
    if (status == SP_OK)
        status = gates_open(o, &scope, gate, err);
    if (status == SP_OK)
        status = sp_source_subjects(p->source, o->groups, &subjects, err);
    p->subjects = subjects;
    subjects_apply(subjects, &how);
    if (status == SP_OK)
        status = sleep_choose(o, p->info->n_classes, classes, p->source, NULL, &sleep, err);
    sleep_apply(&sleep, &how);
    if (status == SP_OK)
        status = scorers_find(&p->scorers, p->source, p->info->n_classes, o->talk.quiet, err);
    if (status == SP_OK)
        status = judging_read(&how_judged, o, p->info->n_classes, classes, &how, err);
    how.n_scorers = p->scorers.found.n_scorers;
    how.scorers = p->scorers.found.names;
    if (status == SP_OK)
        status = outputs_bootstrap(o, &how.bootstrap, err);
    if (status == SP_OK)
        status = nll_clip_read(o, p->info->has_labels && !p->prepare.clamp, &p->nll.clip, err);
    for (int i = 0; i < p->calibration->n; i++)
        p->calibration->sums[i].nll.clip = p->nll.clip;
    if (status == SP_OK)
        status = sp_evaluation_new(p->chain, p->rules, &how, &evaluation, err);
    if (how.has_wake_trim) {
        p->wake_stages = how.stage_of_class;
        p->wake_margin = sp_wake_trim_steps(how.wake_trim_minutes, how.epoch_seconds);
    }
    if (status == SP_OK && o->output)
        status = pipeline_open_writer(p, &extras, command, &writer, err);
    if (status == SP_OK)
        status = run_pipeline(p, evaluation, writer, &extras, err);
    if (status == SP_OK)
        status = sp_evaluation_finish(evaluation, out, err);
    if (status == SP_OK)
        status = drawing_fetch(p->chain, &how, run_drawn, p, *out, err);
    if (status == SP_OK) {
        sp_comparison_texts texts = {.file = p->file,
                                     .file_size = p->info->file_size,
                                     .command = command,
                                     .input_classes = p->info->classes,
                                     .model = p->model,
                                     .class_of_column = p->class_of_column,
                                     .label_codes = p->codes ? sp_codes_name(p->codes) : NULL};
        status = sp_comparison_describe(*out, &texts, err);
        if (p->has_nll)
            sp_comparison_set_nll(*out, &p->nll);
        if (status == SP_OK && p->has_nll)
            status = sp_reliability_finish(p->reliability, how.bootstrap.level, &(*out)->reliability, err);
        if (status == SP_OK && p->has_nll)
            status = calibration_finish(p->calibration, how.bootstrap.level, *out, err);
        (*out)->n_folds = p->cross ? p->cross->n_folds : 0;
        (*out)->fitted_on_input = !p->cross && is_fitted_on(p->model, p->info);
    }
    if (status == SP_OK && writer) {
        status = sp_paths_writer_commit(writer, err);
        writer = NULL;
        if (status == SP_OK && !o->talk.quiet)
            fprintf(stderr, "wrote %s\n", o->output);
    }
    sp_paths_writer_abort(writer);
    beside_clear(&extras);
    free(classes);
    p->subjects = NULL;
    sp_subjects_free(subjects);
    judging_clear(&how_judged);
    sp_evaluation_free(evaluation);
    return status;
}

/* Models of the folds; the scores then stay as they are, each model brings its own temperature. */
static sp_status fit_folds(pipeline *p, cross *folds, const fit_words *words, int n_folds, sp_error *err)
{
    const decode_options *d = &p->opt->decode;
    if (d->clamp || !isnan(d->temperature) || !isnan(d->transition_weight) || !isnan(d->prior_weight))
        return sp_fail(err, SP_EINVAL,
                       "--cv fits temperature and weights itself, and --clamp would show it the answers; leave "
                       "--temperature, --transition-weight, --prior-weight and --clamp out");
    sp_status status = cross_open(folds, p->file, p->opt, words, n_folds, err);
    if (status != SP_OK)
        return status;
    p->prepare.temperature = 1;
    p->prepare.prior_weight = 0;
    p->cross = folds;
    return SP_OK;
}

int cmd_compare(int argc, const char **argv)
{
    options o;
    options_init(&o);
    fit_words words = fit_words_default();
    int n_folds = 0;
    struct poptOption fit[FIT_TABLE];
    fit_table(&words, fit);
    struct poptOption places[PLACE_TABLE], codes[CODES_TABLE], decode[DECODE_TABLE], results[RESULT_TABLE],
        statistics[STATISTICS_TABLE], talk[TALK_TABLE];
    place_table(&o, places);
    codes_table(&o, codes);
    decode_table(&o, decode);
    result_table(&o, results);
    statistics_table(&o, statistics);
    talk_table(&o, talk);
    struct poptOption learning[] = {
        {"cv", 0, POPT_ARG_INT, &n_folds, 0,
         "fit as `statepath fit` does, under the rules of M, and decode each recording with a model that never saw it; what "
         "follows is for --cv",
         "FOLDS"},
        {"rules", 0, POPT_ARG_STRING, &words.rules, 0,
         "the rules of the fitted models, if not M; \"seen\": what the other folds' labels show", "M"},
        POPT_TABLEEND};
    struct poptOption table[] = {
        {"model", 'm', POPT_ARG_STRING, &o.model, 0, "the rules: a file, or a shipped model by name", "M"},
        {"strategies", 's', POPT_ARG_STRING, &o.strategies, 0, "what to compare (argmax,greedy,viterbi)", "LIST"},
        {"output", 'o', POPT_ARG_STRING, &o.output, 0, "write the paths", "PATHS.h5"},
        {"confidence", 0, POPT_ARG_NONE, &o.confidence, 0, "write how sure each step is, given the rules", NULL},
        {"nbest", 0, POPT_ARG_INT, &o.n_best, 0, "write the N best paths of viterbi", "N"},
        {"force", 'f', POPT_ARG_NONE, &o.force, 0, "replace outputs that exist", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, results, 0, "Results:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, statistics, 0, "Statistics:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, places, 0, "Reading, where things are in the file:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, codes, 0, NULL, NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, decode, 0, "Decoding:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, learning, 0, "Learning:", NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, fit, 0, NULL, NULL},
        {NULL, 0, POPT_ARG_INCLUDE_TABLE, talk, 0, "Messages:", NULL},
        POPT_TABLEEND};
    const char *file;
    int exit_status = options_read(argc, argv, table, &compare_usage, &file);
    if (exit_status >= 0) {
        fit_words_clear(&words);
        options_clear(&o);
        return exit_status;
    }
    sp_error err = {.status = SP_OK};
    pipeline p = {.opt = &o};
    sp_comparison *comparison = NULL;
    sp_gate *gate = NULL;
    char *command = command_line(argc, argv);
    sp_status status =
        outputs_check(&o, (const input_file[]){{"the input file", file}, {"the rules", words.rules}, {NULL, NULL}}, &err);
    if (status == SP_OK)
        status = pipeline_open(&p, file, &o, o.strategies ? o.strategies : "argmax,greedy,viterbi", &err);
    cross folds = {.n_folds = 0};
    if (status == SP_OK && n_folds)
        status = fit_folds(&p, &folds, &words, n_folds, &err);
    if (status == SP_OK && !n_folds && is_fitted_on(p.model, p.info) && !o.talk.quiet)
        complain(
            "note: model %s was fitted on this very file, so its figures here are too good; --cv 5 decodes each recording with "
            "a model that never saw it",
            p.model->name);
    calibration scaled = {.n = 0};
    if (status == SP_OK)
        status = calibration_open(&scaled, p.cross, &p.prepare, p.info->n_classes, &err);
    p.calibration = &scaled;
    if (status == SP_OK)
        status = evaluate(&p, command, &gate, &comparison, &err);
    if (status == SP_OK)
        status = outputs_write(&o, comparison, &err);
    exit_status = status != SP_OK ? fail_with(status, &err) : gates_trip(gate, comparison) ? EXIT_GATE : pipeline_exit_status(&p);
    sp_gate_free(gate);
    sp_comparison_free(comparison);
    pipeline_close(&p);
    calibration_close(&scaled);
    cross_close(&folds);
    fit_words_clear(&words);
    free(command);
    options_clear(&o);
    return exit_status;
}
