/* statepath fit: learn a model from labels, from scores and labels, or from scores alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "outputs.h"

/* ---- what was found, for a person ---- */

static void show_violations(const sp_violations *v, int32_t n_classes, const char *const *classes)
{
    char a[SP_COUNT_TEXT], b[SP_COUNT_TEXT];
    int64_t n_of_several = v->illegal;
    if (v->illegal)
        printf("The labels break the rules %s times in %s transitions; these were not learnt:\n",
               sp_count_text(v->illegal, a), sp_count_text(v->transitions, b));
    for (int32_t i = 0; i < n_classes; i++)
        for (int32_t j = 0; j < n_classes; j++)
            if (v->illegal_pairs[(size_t)i * (size_t)n_classes + (size_t)j]) {
                const int64_t n = v->illegal_pairs[(size_t)i * (size_t)n_classes + (size_t)j];
                printf("  %s -> %s  %s\n", classes[i], classes[j], sp_count_text(n, a));
                n_of_several -= n;
            }
    if (n_of_several)
        printf("  of steps with several classes  %s\n", sp_count_text(n_of_several, a));
    if (v->illegal_start || v->illegal_end)
        printf("%s recordings start, %s end in a class that may not\n", sp_count_text(v->illegal_start, a),
               sp_count_text(v->illegal_end, b));
    if (v->short_runs)
        printf("%s runs are shorter than their minimum dwell\n", sp_count_text(v->short_runs, a));
    if (v->impossible)
        printf("%s labelled steps have a class whose score is -inf\n", sp_count_text(v->impossible, a));
}

static void show_runs(const sp_run_lengths *runs, int32_t n_classes, const char *const *classes)
{
    printf("\n%-16s %8s %8s %6s %6s %8s %6s %6s   %s\n", "run lengths", "runs", "mean", "5 %", "25 %",
           "median", "75 %", "95 %", "min_dwell that 95 % keep");
    for (int32_t k = 0; k < n_classes; k++) {
        const sp_run_lengths *r = &runs[k];
        if (r->n == 0)
            printf("%-16s %8d\n", classes[k], 0);
        else
            printf("%-16s %8lld %8.1f %6lld %6lld %8lld %6lld %6lld   %d\n", classes[k], (long long)r->n,
                   r->mean, (long long)r->q05, (long long)r->q25, (long long)r->median, (long long)r->q75,
                   (long long)r->q95, r->proposed_min_dwell);
    }
}

static void show_tuning(const sp_fit_report *r, const sp_fit_options *how)
{
    char name[SP_STRATEGY_TEXT];
    if (r->untuned)
        printf("\nnothing was tuned: %s\n", r->untuned);
    if (isnan(r->after))
        return;
    double sign = sp_tune_is_loss(r->tune) ? -1 : 1;
    printf("\n%s of %s in the folds that chose the settings: %.4f, with plain settings %.4f (%d settings "
           "tried, %d folds)\n"
           "the simplest settings within one standard error of the best are taken; `statepath compare --cv "
           "%d` judges by recordings "
           "that chose nothing\n",
           sp_tune_name(r->tune), sp_strategy_format(&how->strategy, name), sign * r->after, sign * r->before,
           r->n_candidates, how->n_folds, how->n_folds);
}

/* Whether scores are weighed with those around, and why. */
static void show_windows(const sp_fit_report *r, const sp_fit_options *how)
{
    char name[SP_STRATEGY_TEXT];
    if (r->windows_untried)
        printf("windows: not tried, because %s\n", r->windows_untried);
    if (isnan(r->windows_gain))
        return;
    printf("windows: labels held out are %.4f nats a step %s with them, standard error %.4f",
           fabs(r->windows_gain), r->windows_gain < 0 ? "less likely" : "likelier", r->windows_error);
    if (!isnan(r->windows_figure_gain))
        printf("; %s of %s %.4f %s", sp_tune_name(r->tune), sp_strategy_format(&how->strategy, name),
               fabs(r->windows_figure_gain), r->windows_figure_gain < 0 ? "worse" : "better");
    printf(": %staken\n", r->has_windows ? "" : "not ");
}

static sp_status show(const sp_fitting *f, const sp_fit_report *report, const sp_model *model, sp_error *err)
{
    int32_t K = f->training.batch.scores.n_classes;
    sp_run_lengths *runs = malloc((size_t)K * sizeof *runs);
    if (!runs)
        return sp_no_memory(err);
    sp_status status = sp_run_lengths_collect(&f->training, 0.05, runs, err);
    if (status == SP_OK) {
        printf("%s\n", model->description);
        if (f->options.method != SP_FIT_EM)
            show_violations(&report->violations, K, f->training.classes);
        if (report->has_sparse_labels)
            printf("most labelled steps follow one without a label: those, too, are learnt from, with any "
                   "class that the rules "
                   "allow\n");
        if (f->training.labels)
            show_runs(runs, K, f->training.classes);
        show_windows(report, &f->options);
        show_tuning(report, &f->options);
        if (!isnan(model->floor))
            printf("floor %g\n", model->floor);
        if (!isnan(model->temperature))
            printf("temperature %.4g\n", model->temperature);
        if (!isnan(model->transition_weight))
            printf("transition weight %.4g, prior weight %.4g\n", model->transition_weight,
                   model->prior_weight);
    }
    free(runs);
    return status;
}

/* Negative log-likelihood and calibration error of the scores: as they are, with one temperature, with a scale and a bias a
 * class. */
static sp_status show_calibration(const sp_fitting *f, sp_error *err)
{
    sp_calibrated c;
    sp_status status = sp_calibrate(&f->training, &c, err);
    if (status != SP_OK)
        return status;
    const sp_calibrated_state *states[] = {&c.before, &c.by_temperature, &c.by_vector};
    printf("\n%-34s %10s %10s\n", "calibration (each step alone)", "nll", "ECE");
    printf("%-34s %10.4f %10.4f\n", "as the scores are", c.before.nll, c.before.ece);
    printf("temperature %-22.4g %10.4f %10.4f\n", c.temperature, c.by_temperature.nll, c.by_temperature.ece);
    printf("%-34s %10.4f %10.4f\n", "a scale and a bias a class", c.by_vector.nll, c.by_vector.ece);
    if (c.impossible)
        printf("%lld of %lld labelled steps have a class of score -inf and are left out\n",
               (long long)c.impossible, (long long)c.n_steps);
    printf("\n%-12s", "confidence");
    printf("%10s %10s %10s   (accuracy: as they are, temperature, vector)\n", "steps", "steps", "steps");
    for (int b = 0; b < SP_CALIBRATE_BINS; b++) {
        if (!states[0]->count[b] && !states[1]->count[b] && !states[2]->count[b])
            continue;
        printf("%.2f - %.2f ", (double)b / SP_CALIBRATE_BINS, (double)(b + 1) / SP_CALIBRATE_BINS);
        for (int i = 0; i < 3; i++)
            printf("%10lld", (long long)states[i]->count[b]);
        for (int i = 0; i < 3; i++)
            if (states[i]->count[b])
                printf("  %.4f", states[i]->accuracy[b]);
            else
                printf("  %6s", "-");
        printf("\n");
    }
    printf("\n%-16s %10s %10s\n", "class", "scale", "bias");
    for (int32_t k = 0; k < f->training.batch.scores.n_classes; k++)
        printf("%-16s %10.4f %10.4f\n", f->training.classes[k], c.scale[k], c.bias[k]);
    sp_calibrated_clear(&c);
    return SP_OK;
}

/* Where the model comes from: file, recordings, command. */
static sp_status set_source(const sp_fitting *f, const char *words, sp_model *model, sp_error *err)
{
    const char *format = "%s (%lld recordings, %lld steps, %lld bytes), statepath %s: %s";
    long long n = (long long)f->info->n_recordings, steps = (long long)f->info->n_steps,
              bytes = (long long)f->info->file_size;
    int size = snprintf(NULL, 0, format, f->info->file, n, steps, bytes, sp_version(), words);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    if (!text)
        return sp_no_memory(err);
    snprintf(text, (size_t)size + 1, format, f->info->file, n, steps, bytes, sp_version(), words);
    free(model->source);
    model->source = text;
    return SP_OK;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[0]}, {NULL, NULL}};
    sp_fitting f = {.info = NULL};
    sp_model *model = NULL;
    sp_fit_report report = {0};
    sp_status status = outputs_check(o, inputs, err);
    if (status == SP_OK)
        status = sp_fitting_open(&f, words[0], &o->run, err);
    if (status == SP_OK && !o->run.output)
        status = sp_fail(err, SP_EINVAL, "fit: -o MODEL.json is missing: where to write the model");
    if (status == SP_OK)
        status = sp_fit(&f.training, &f.options, f.workers, &model, &report, err);
    o->run.hooks.progress(o->run.hooks.arg, NULL, 0, 0);
    if (status == SP_OK)
        status = set_source(&f, o->run.command, model, err);
    if (status == SP_OK)
        status = sp_model_save(model, o->run.output, o->run.force, err);
    if (status == SP_OK)
        status = show(&f, &report, model, err);
    if (status == SP_OK && o->run.fit.calibrate)
        status = show_calibration(&f, err);
    out->result.n_left_out = f.n_left_out;
    out->result.n_unread = f.n_unread;
    sp_fit_report_clear(&report);
    sp_model_free(model);
    sp_fitting_close(&f);
    return status;
}

const command fit_command = {
    .name = "fit",
    .summary = "learn a model from labels, or from scores alone",
    .use = {.arguments = "DATA... -o MODEL.json [OPTION...]",
            .summary =
                "learn transitions, and how to weigh them against the scores, from labelled recordings",
            .example = "  statepath fit nights.h5 --rules sleep-aasm -o nights.model.json\n"
                       "  statepath decode other.h5 --model nights.model.json -o paths.h5\n"
                       "      learns from the labels of nights.h5, keeps forbidden what sleep-aasm\n"
                       "      forbids, decodes other nights with it\n"
                       "  statepath compare nights.h5 --model sleep-aasm --cv 5\n"
                       "      says what that is worth: each recording decoded by a model without it\n",
            .min_words = 1,
            .max_words = MANY_WORDS},
    .takes = C_FIT,
    .work = work,
    .watches_signals = true,
    .output_is_text = true,
};
