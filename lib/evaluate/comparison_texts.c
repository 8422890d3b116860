/* What the numbers of a comparison are called: its input, its model, other classifiers; and likelihoods. */
#include "evaluate/evaluate.h"

#include "evaluate/comparison.h"
#include "evaluate/value.h"
#include "statepath/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names and faults point into copies. */
static bool copy_files(int64_t n, const sp_source_file *files, sp_source_file **out, char ***names,
                       int64_t *n_out)
{
    if (n == 0)
        return true;
    *names = calloc(2 * (size_t)n, sizeof **names);
    *out = malloc((size_t)n * sizeof **out);
    if (!*names || !*out)
        return false;
    *n_out = n;
    for (int64_t i = 0; i < n; i++) {
        char **own = &(*names)[2 * i];
        if (!(own[0] = strdup(files[i].name)) || (files[i].fault && !(own[1] = strdup(files[i].fault))))
            return false;
        (*out)[i] = files[i];
        (*out)[i].name = own[0];
        (*out)[i].fault = own[1];
    }
    return true;
}

static bool copy_ids(const sp_comparison_texts *texts, sp_comparison *t)
{
    t->unread = calloc((size_t)texts->n_unread + 1, sizeof *t->unread);
    for (; t->unread && t->n_unread < texts->n_unread; t->n_unread++)
        if (!(t->unread[t->n_unread] = strdup(texts->unread[t->n_unread])))
            return false;
    return t->unread != NULL;
}

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
        return sp_fail(err, SP_EINVAL, "the model %s has %d classes, the comparison %d", model->name,
                       model->n_classes, comparison->n_classes);
    const char *const *classes = (const char *const *)model->classes;
    sp_comparison t = {0}; /* the new texts, until all are there */
    bool is_whole =
        copy_string(base_name(texts->file), &t.file) && copy_string(texts->command, &t.command) &&
        copy_string(model->name, &t.model_name) && copy_string(model->description, &t.model_description) &&
        copy_string(model->source, &t.model_source) && copy_string(texts->path_codes, &t.path_codes) &&
        copy_string(texts->label_codes, &t.label_codes) &&
        copy_string(base_name(texts->labels_file), &t.labels_file) &&
        copy_files(texts->n_files, texts->files, &t.files, &t.file_names, &t.n_files) &&
        copy_files(texts->n_label_files, texts->label_files, &t.label_files, &t.label_file_names,
                   &t.n_label_files) &&
        copy_ids(texts, &t) && copy_strings(model->n_classes, classes, texts->class_of_column, &t.classes) &&
        (texts->input_classes
             ? copy_strings(model->n_classes, texts->input_classes, NULL, &t.input_classes)
             : copy_strings(model->n_classes, classes, texts->class_of_column, &t.input_classes));
    if (!is_whole) {
        sp_comparison_free_texts(&t, model->n_classes);
        return sp_no_memory(err);
    }
    sp_comparison_free_texts(comparison, model->n_classes);
    comparison->file = t.file;
    comparison->file_size = texts->file_size;
    comparison->n_files = t.n_files;
    comparison->files = t.files;
    comparison->file_names = t.file_names;
    comparison->n_label_files = t.n_label_files;
    comparison->label_files = t.label_files;
    comparison->label_file_names = t.label_file_names;
    comparison->n_unread = t.n_unread;
    comparison->unread = t.unread;
    comparison->command = t.command;
    comparison->model_name = t.model_name;
    comparison->model_description = t.model_description;
    comparison->model_source = t.model_source;
    comparison->path_codes = t.path_codes;
    comparison->label_codes = t.label_codes;
    comparison->labels_file = t.labels_file;
    comparison->classes = t.classes;
    comparison->input_classes = t.input_classes;
    for (int32_t k = 0; comparison->durations && k < model->n_classes; k++)
        sp_duration_text(model, texts->class_of_column ? texts->class_of_column[k] : k,
                         comparison->durations[k].text);
    return SP_OK;
}

/* ---- several classifiers ---- */

const char *sp_own_name(const char *strategy, const char *classifier)
{
    return classifier ? strategy + strlen(classifier) + 1 : strategy;
}

/* ---- likelihood ---- */

/* What sums become. */
static sp_value nll_value(const sp_nll *nll)
{
    double mean;
    return sp_nll_mean(nll, &mean, NULL) != SP_OK ? value_undefined("no scored steps")
           : isinf(mean) ? value_undefined("infinite: the scores give a step of the reference probability 0")
                         : value_of(mean);
}

void sp_comparison_set_nll(sp_comparison *comparison, const sp_nll *nll)
{
    comparison->has_nll = true;
    comparison->nll_steps = nll->n_steps;
    comparison->nll_impossible = nll->n_impossible;
    comparison->nll = nll_value(nll);
}

sp_status sp_against_describe(sp_against *against, const char *file, int64_t file_size, const char *scores,
                              const sp_nll *nll, sp_error *err)
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
    against->nll = nll_value(nll);
    return SP_OK;
}
