#include "fitting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fit_words fit_words_default(void)
{
    return (fit_words){.smoothing = 0.5, .memory = 1, .folds = 5};
}

void fit_words_clear(fit_words *words)
{
    free(words->method);
    free(words->tune);
    free(words->strategy);
    free(words->name);
    free(words->rules);
}

void fit_table(fit_words *w, struct poptOption table[FIT_TABLE])
{
    struct poptOption rows[FIT_TABLE] = {
        {"method", 0, POPT_ARG_STRING, &w->method, 0,
         "counts of the labels, weighed against the scores; weights that make the labels most likely given the scores (default); "
         "or learnt from the scores alone",
         "counts|crf|em"},
        {"tune", 0, POPT_ARG_STRING, &w->tune, 0,
         "what settings are chosen by, on recordings held out (accuracy; for tags entity_f1)",
         "accuracy|kappa|macro_f1|entity_f1|edit|nll|none"},
        {"for", 0, POPT_ARG_STRING, &w->strategy, 0, "the strategy that settings are chosen for (viterbi)", "NAME"},
        {"smoothing", 0, POPT_ARG_DOUBLE, &w->smoothing, 0, "counts: added to every count (0.5)", "X"},
        {"penalty", 0, POPT_ARG_DOUBLE, &w->penalty, 0, "crf: weight of the penalty (by cross-validation)", "X"},
        {"memory", 0, POPT_ARG_INT, &w->memory, 0, "crf: staying depends on how long a class has lasted, up to N steps (1)", "N"},
        {"folds", 0, POPT_ARG_INT, &w->folds, 0, "folds for choosing settings (5)", "N"},
        POPT_TABLEEND};
    memcpy(table, rows, sizeof rows);
}

/* ---- words to options ---- */

static sp_status read_words(fitting *f, const fit_words *w, bool has_rules, bool is_seen, sp_error *err)
{
    sp_fit_options *out = &f->options;
    bool has_labels = f->info->has_labels, has_scores = f->info->has_scores;
    sp_status status = SP_OK;
    out->method = !has_labels ? SP_FIT_EM : has_scores ? SP_FIT_CRF : SP_FIT_COUNTS;
    if (w->method)
        status = sp_fit_method_parse(w->method, &out->method, err);
    if (status == SP_OK && w->tune)
        status = sp_tune_parse(w->tune, &out->tune, err);
    if (status == SP_OK && w->strategy)
        status = sp_strategy_parse(w->strategy, &out->strategy, err);
    if (status != SP_OK)
        return status;
    if (out->method != SP_FIT_EM && !has_labels)
        return sp_fail(err, SP_EINVAL,
                       "%s has no labels to learn from; --labels PATH says where they are, --method em does without",
                       f->info->file);
    if (out->method != SP_FIT_COUNTS && !has_scores)
        return sp_fail(err, SP_EINVAL, "%s has no scores; --method counts learns from labels alone", f->info->file);
    out->smoothing = w->smoothing;
    out->penalty = w->penalty;
    out->memory = w->memory;
    out->n_folds = w->folds;
    out->name = w->name ? w->name : "fitted";
    out->rules = has_rules ? f->rules : NULL;
    out->seen = is_seen;
    return sp_fit_options_check(out, err);
}

/* Recordings of one subject are never parted. */
static sp_status read_groups(fitting *f, const char *words, sp_error *err)
{
    sp_status status = sp_source_subjects(f->source, words, &f->subjects, err);
    f->options.group = status == SP_OK && f->subjects ? f->subjects->of_recording : NULL;
    return status;
}

static void report_progress(void *arg, const char *what, int64_t done, int64_t total)
{
    fitting *f = arg;
    if (!f->has_line) {
        progress_start(&f->line, what, total, f->is_quiet);
        f->has_line = true;
    }
    f->line.what = what;
    f->line.total = total;
    progress_show(&f->line, done);
}

void fitting_quiet(fitting *f)
{
    if (f->has_line)
        progress_end(&f->line);
    f->has_line = false;
}

/* ---- the file ---- */

static sp_status name_classes(fitting *f, sp_error *err)
{
    int32_t K = f->block->n_classes;
    f->classes = calloc((size_t)K, sizeof *f->classes);
    f->made_classes = calloc((size_t)K, sizeof *f->made_classes);
    if (!f->classes || !f->made_classes)
        return sp_fail(err, SP_ENOMEM, "no memory for the names of %d classes", K);
    if (!f->info->classes && f->rules && f->rules->n_classes != K)
        return sp_fail(err, SP_EMODEL, "%s has %d classes without names, the rules %d; use rules of the same classes",
                       f->info->file, K, f->rules->n_classes);
    for (int32_t k = 0; k < K; k++) {
        f->classes[k] = f->info->classes ? f->info->classes[k] : f->rules ? f->rules->classes[k] : NULL;
        if (f->classes[k])
            continue;
        if (!(f->made_classes[k] = malloc(24)))
            return sp_fail(err, SP_ENOMEM, "no memory for the names of %d classes", K);
        snprintf(f->made_classes[k], 24, "class%d", k);
        f->classes[k] = f->made_classes[k];
    }
    return SP_OK;
}

static sp_status read_all(fitting *f, const options *o, sp_error *err)
{
    unsigned parts = SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | (f->info->has_scores ? SP_BLOCK_SCORES | SP_BLOCK_MASK : 0);
    if (!(f->block = sp_block_new()))
        return sp_fail(err, SP_ENOMEM, "no memory");
    sp_status status = sp_source_read(f->source, 0, f->info->n_recordings, parts, f->block, err);
    if (status == SP_OK && f->codes && f->block->n_classes == 0)
        f->block->n_classes = f->rules->n_classes; /* labels alone, which the codes tell as classes of the rules */
    if (status != SP_OK || !f->info->has_scores)
        return status;
    sp_prepare_options prepare = sp_prepare_options_default();
    if (o->decode.missing && strcmp(o->decode.missing, "uniform") != 0 && strcmp(o->decode.missing, "error") != 0)
        return sp_fail(err, SP_EINVAL, "--missing %s: it is error or uniform", o->decode.missing);
    prepare.kind = f->info->kind;
    prepare.missing_uniform = o->decode.missing && strcmp(o->decode.missing, "uniform") == 0;
    prepare.floor = isnan(o->decode.floor) ? 0 : o->decode.floor;
    status = sp_prepare_options_check(&prepare, err);
    return status == SP_OK ? sp_prepare(f->block, &prepare, NULL, err) : status;
}

/* --codes, --map: the classes are those of the rules. */
static sp_status read_codes(fitting *f, const options *o, sp_error *err)
{
    if (!o->codes && !o->map)
        return SP_OK;
    if (!f->rules)
        return sp_fail(err, SP_EINVAL, "--codes and --map speak of classes; --rules M says which, for example sleep-permissive");
    const int32_t K = f->info->classes ? f->info->n_classes : f->rules->n_classes;
    int32_t *class_of_column = malloc((size_t)K * sizeof *class_of_column);
    if (!class_of_column)
        return sp_fail(err, SP_ENOMEM, "no memory");
    sp_status status = sp_codes_new(o->codes, o->map, false, f->rules, &f->codes, err);
    if (status == SP_OK)
        status = sp_model_align(f->rules, K, f->info->classes, class_of_column, err);
    if (status == SP_OK)
        status = sp_codes_use_columns(f->codes, class_of_column, err);
    if (status == SP_OK)
        sp_source_use_codes(f->source, f->codes);
    free(class_of_column);
    return status;
}

sp_status fitting_open(fitting *f, const char *file, const options *o, const fit_words *words, sp_error *err)
{
    *f = (fitting){.options = sp_fit_options_default(), .is_quiet = o->talk.quiet};
    sp_source_options places;
    bool is_seen = o->model && strcmp(o->model, "seen") == 0, has_rules = o->model && !is_seen;
    sp_status status = source_options_from(o, &places, err);
    if (status != SP_OK)
        return status;
    if (o->decode.threads < 0 || o->decode.threads > 4096)
        return sp_fail(err, SP_EINVAL, "--threads %d: a number from 0 (all processors) to 4096", o->decode.threads);
    places.needs_scores = false;
    if ((status = sp_source_open(file, &places, &f->source, err)) != SP_OK)
        return status;
    f->info = sp_source_info_of(f->source);
    if (has_rules && (status = sp_model_load(o->model, &f->rules, err)) != SP_OK)
        return status;
    if ((status = read_words(f, words, has_rules, is_seen, err)) != SP_OK || (status = read_codes(f, o, err)) != SP_OK ||
        (status = read_all(f, o, err)) != SP_OK || (status = name_classes(f, err)) != SP_OK)
        return status;
    if (!words->tune && sp_classes_are_tags(f->block->n_classes, (const char *const *)f->classes))
        f->options.tune = SP_TUNE_ENTITY_F1;
    if ((status = read_groups(f, o->groups, err)) != SP_OK)
        return status;
    if (!(f->workers = sp_workers_new(o->decode.threads)))
        return sp_fail(err, SP_ENOMEM, "no memory for %d threads", o->decode.threads);
    f->training = (sp_training){.batch = sp_block_batch(f->block), .labels = f->block->labels, .classes = f->classes};
    f->options.progress = report_progress;
    f->options.progress_arg = f;
    return SP_OK;
}

void fitting_close(fitting *f)
{
    for (int32_t k = 0; f->made_classes && f->block && k < f->block->n_classes; k++)
        free(f->made_classes[k]);
    free(f->made_classes);
    free(f->classes);
    sp_subjects_free(f->subjects);
    sp_workers_free(f->workers);
    sp_model_free(f->rules);
    sp_block_free(f->block);
    sp_source_close(f->source);
    sp_codes_free(f->codes);
}

/* ---- calibration ---- */

sp_status fitting_calibrate(const fitting *f, sp_error *err)
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
        printf("%lld of %lld labelled steps have a class of score -inf and are left out\n", (long long)c.impossible,
               (long long)c.n_steps);
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
        printf("%-16s %10.4f %10.4f\n", f->classes[k], c.scale[k], c.bias[k]);
    sp_calibrated_clear(&c);
    return SP_OK;
}
