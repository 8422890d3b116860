/* A comparison as a thing of its own: freed, and told what its numbers are called. */
#include "evaluate/evaluation.h"

#include "evaluate/evaluate.h"
#include "evaluate/value.h"
#include "statepath/comparison.h"

#include <math.h>
#include <string.h>

static void free_strings(int64_t n, char **strings)
{
    for (int64_t i = 0; strings && i < n; i++)
        free(strings[i]);
    free(strings);
}

static void free_all(size_t n, void *const *arrays)
{
    for (size_t i = 0; i < n; i++)
        free(arrays[i]);
}
#define FREE_ALL(...) free_all(sizeof((void *[]){__VA_ARGS__}) / sizeof(void *), (void *[]){__VA_ARGS__})

/* What sp_comparison_describe() fills. */
static void free_texts(sp_comparison *c, int32_t n_classes)
{
    FREE_ALL(c->file, c->command, c->model_name, c->model_description, c->model_source, c->path_codes, c->label_codes,
             c->labels_file);
    free_strings(n_classes, c->classes);
    free_strings(n_classes, c->input_classes);
    free_strings(2 * c->n_files, c->file_names);
    free(c->files);
}

/* Names and faults point into copies. */
static bool copy_files(const sp_comparison_texts *texts, sp_comparison *t)
{
    if (texts->n_files == 0)
        return true;
    t->file_names = calloc(2 * (size_t)texts->n_files, sizeof *t->file_names);
    t->files = malloc((size_t)texts->n_files * sizeof *t->files);
    if (!t->file_names || !t->files)
        return false;
    t->n_files = texts->n_files;
    for (int64_t i = 0; i < texts->n_files; i++) {
        char **own = &t->file_names[2 * i];
        const sp_source_file *file = &texts->files[i];
        if (!(own[0] = strdup(file->name)) || (file->fault && !(own[1] = strdup(file->fault))))
            return false;
        t->files[i] = *file;
        t->files[i].name = own[0];
        t->files[i].fault = own[1];
    }
    return true;
}

static void strategy_free(int32_t K, sp_strategy_result *s)
{
    FREE_ALL(s->name, s->classes, s->confusion, s->undecoded_steps, s->illegal_pairs, s->transition_counts, s->transition_pairs,
             s->label_permutation.name_of, s->class_changes, s->entities.types, s->recordings);
    sp_class_runs_free(K, s->class_runs);
    sp_class_runs_free(1, s->error_runs.runs);
}

void sp_what_if_free(sp_what_if *what_if)
{
    for (int64_t i = 0; what_if && i < what_if->n_recordings; i++)
        FREE_ALL(what_if->recordings[i].bytes);
    if (what_if)
        FREE_ALL(what_if->model, what_if->log_prior, what_if->options, what_if->recordings, what_if);
}

void sp_rule_costs_free(sp_rule_costs *costs)
{
    if (costs)
        FREE_ALL(costs->rules, costs->proposals, costs);
}

void sp_comparison_free(sp_comparison *c)
{
    if (!c)
        return;
    free_texts(c, c->n_classes);
    free_strings(c->n_recordings, c->ids);
    free_strings(c->n_subjects, c->subjects);
    free_strings(c->n_entity_types, c->entity_types);
    sp_collapsed_free(c->n_collapsed, c->collapsed);
    sp_class_runs_free(c->n_classes, c->reference_runs);
    for (int32_t s = 0; s < c->n_strategies; s++)
        strategy_free(c->n_classes, &c->strategies[s]);
    sp_sleep_free(c->sleep);
    sp_raters_free(c->raters);
    sp_traces_free(c);
    sp_illegal_places_free(c);
    sp_rule_costs_free(c->rule_costs);
    sp_what_if_free(c->what_if);
    for (int32_t i = 0; i < c->n_calibrations; i++)
        sp_reliability_free(c->calibrations[i].reliability);
    sp_reliability_free(c->reliability);
    for (int32_t i = 0; i < c->n_against; i++) {
        sp_reliability_free(c->against[i].reliability);
        FREE_ALL(c->against[i].name, c->against[i].file, c->against[i].scores);
    }
    FREE_ALL(c->against, c->steps, c->scored_steps, c->subject_of, c->subjects_place, c->mean_ranks, c->trimmed_steps, c->asked,
             c->cut_path_steps, c->cut_label_steps, c->forbidden, c->start_allowed, c->end_allowed, c->min_dwell,
             c->reference_illegal_pairs, c->reference_transition_counts, c->reference_transition_pairs, c->strategies,
             c->comparisons, c->background, c->missing_parts, c);
}

/* ---- texts ---- */

static bool copy_string(const char *from, char **out)
{
    *out = from ? strdup(from) : NULL;
    return *out || !from;
}

/* names [n]: name i is from[index ? index[i] : i]. */
static bool copy_strings(int32_t n, const char *const *from, const int32_t *index, char ***out)
{
    *out = calloc((size_t)(n > 0 ? n : 1), sizeof **out);
    bool is_whole = *out != NULL;
    for (int32_t i = 0; is_whole && i < n; i++)
        is_whole = copy_string(from[index ? index[i] : i], &(*out)[i]);
    return is_whole;
}

static const char *base_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file;
}

sp_status sp_comparison_describe(sp_comparison *comparison, const sp_comparison_texts *texts, sp_error *err)
{
    const sp_model *model = texts->model;
    if (model->n_classes != comparison->n_classes)
        return sp_fail(err, SP_EINVAL, "the model %s has %d classes, the comparison %d", model->name, model->n_classes,
                       comparison->n_classes);
    const char *const *classes = (const char *const *)model->classes;
    sp_comparison t = {0}; /* the new texts, until all are there */
    bool is_whole = copy_string(base_name(texts->file), &t.file) && copy_string(texts->command, &t.command) &&
                    copy_string(model->name, &t.model_name) && copy_string(model->description, &t.model_description) &&
                    copy_string(model->source, &t.model_source) && copy_string(texts->path_codes, &t.path_codes) &&
                    copy_string(texts->label_codes, &t.label_codes) &&
                    copy_string(base_name(texts->labels_file), &t.labels_file) && copy_files(texts, &t) &&
                    copy_strings(model->n_classes, classes, texts->class_of_column, &t.classes) &&
                    (texts->input_classes ? copy_strings(model->n_classes, texts->input_classes, NULL, &t.input_classes)
                                          : copy_strings(model->n_classes, classes, texts->class_of_column, &t.input_classes));
    if (!is_whole) {
        free_texts(&t, model->n_classes);
        return sp_no_memory(err);
    }
    free_texts(comparison, model->n_classes);
    comparison->file = t.file;
    comparison->file_size = texts->file_size;
    comparison->n_files = t.n_files;
    comparison->files = t.files;
    comparison->file_names = t.file_names;
    comparison->command = t.command;
    comparison->model_name = t.model_name;
    comparison->model_description = t.model_description;
    comparison->model_source = t.model_source;
    comparison->path_codes = t.path_codes;
    comparison->label_codes = t.label_codes;
    comparison->labels_file = t.labels_file;
    comparison->classes = t.classes;
    comparison->input_classes = t.input_classes;
    return SP_OK;
}

/* ---- several classifiers ---- */

int32_t sp_classifier_of(int32_t n_against, const char *const *against, const char *strategy)
{
    for (int32_t i = 0; i < n_against; i++) {
        const size_t n = strlen(against[i]);
        if (strncmp(strategy, against[i], n) == 0 && strategy[n] == '.')
            return i + 1;
    }
    return 0;
}

const char *sp_own_name(int32_t n_against, const char *const *against, const char *strategy)
{
    const int32_t classifier = sp_classifier_of(n_against, against, strategy);
    return classifier ? strategy + strlen(against[classifier - 1]) + 1 : strategy;
}

/* ---- likelihood ---- */

/* What sums become: the mean, and that of clipped probabilities. */
static void nll_values(const sp_nll *nll, sp_value *out, sp_value *clipped)
{
    double mean;
    if (sp_nll_mean(nll, &mean, NULL) != SP_OK)
        *out = value_undefined("no scored steps");
    else if (isinf(mean))
        *out = value_undefined("infinite: the scores give a step of the reference probability 0");
    else
        *out = value_of(mean);
    if (nll->clip == 0)
        *clipped = value_undefined("not asked for");
    else if (sp_nll_clipped_mean(nll, &mean, NULL) != SP_OK)
        *clipped = value_undefined("no scored steps");
    else
        *clipped = value_of(mean);
}

void sp_comparison_set_nll(sp_comparison *comparison, const sp_nll *nll)
{
    comparison->has_nll = true;
    comparison->nll_steps = nll->n_steps;
    comparison->nll_impossible = nll->n_impossible;
    comparison->nll_clip = nll->clip;
    nll_values(nll, &comparison->nll, &comparison->nll_clipped);
}

sp_status sp_against_describe(sp_against *against, const char *file, int64_t file_size, const char *scores, const sp_nll *nll,
                              sp_error *err)
{
    free(against->file);
    free(against->scores);
    against->file = against->scores = NULL;
    against->file_size = file_size;
    if (!copy_string(base_name(file), &against->file) || !copy_string(scores, &against->scores))
        return sp_no_memory(err);
    if (!nll)
        return SP_OK;
    against->has_nll = true;
    against->nll_steps = nll->n_steps;
    against->nll_impossible = nll->n_impossible;
    nll_values(nll, &against->nll, &against->nll_clipped);
    return SP_OK;
}
