#include "statepath/model.h"
#include "core/model/model.h"
#include "core/model/windows.h"

#include "core/rules/rules.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making and freeing ---- */

static char *copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static void free_names(char **names, int32_t n)
{
    for (int32_t i = 0; names && i < n; i++)
        free(names[i]);
    free(names);
}

sp_model *sp_model_new(const char *name, int32_t n_classes, const char *const *classes)
{
    assert(n_classes >= 1);
    sp_model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    model->n_classes = model->n_states = n_classes;
    model->temperature = model->transition_weight = model->prior_weight = model->floor = NAN;
    model->name = copy_text(name ? name : "");
    model->classes = calloc((size_t)n_classes, sizeof *model->classes);
    model->row = calloc((size_t)n_classes + 1, sizeof *model->row);
    model->to = calloc(1, sizeof *model->to);
    bool is_complete = model->name && model->classes && model->row && model->to;
    for (int32_t k = 0; is_complete && k < n_classes; k++)
        is_complete = (model->classes[k] = copy_text(classes[k])) != NULL;
    if (is_complete)
        return model;
    sp_model_free(model);
    return NULL;
}

void sp_model_free(sp_model *model)
{
    if (!model)
        return;
    free(model->name);
    free(model->description);
    free(model->source);
    free_names(model->classes, model->n_classes);
    for (int32_t i = 0; model->aliases && i < model->n_aliases; i++)
        free(model->aliases[i].name);
    free(model->aliases);
    free_names(model->states, model->n_states);
    free(model->state_class);
    free(model->row);
    free(model->to);
    free(model->weight);
    free(model->start);
    free(model->end);
    free(model->min_dwell);
    for (int32_t k = 0; model->durations && k < model->n_classes; k++)
        free(model->durations[k].pmf);
    free(model->durations);
    sp_rules_drop(model, 0);
    free(model->prior);
    free(model->labeller);
    sp_windows_free(model->windows);
    free(model);
}

sp_status sp_model_set_matrix(sp_model *model, const uint8_t *allow, const double *weight, sp_error *err)
{
    size_t m = (size_t)model->n_states, n_edges = 0;
    for (size_t i = 0; i < m * m; i++)
        n_edges += allow[i] != 0;
    int64_t *row = malloc((m + 1) * sizeof *row);
    int32_t *to = malloc((n_edges ? n_edges : 1) * sizeof *to);
    double *log_weight = weight ? malloc((n_edges ? n_edges : 1) * sizeof *log_weight) : NULL;
    if (!row || !to || (weight && !log_weight)) {
        free(row);
        free(to);
        free(log_weight);
        return sp_no_memory(err);
    }
    size_t edge = 0;
    for (size_t i = 0; i < m; i++) {
        row[i] = (int64_t)edge;
        for (size_t j = 0; j < m; j++)
            if (allow[i * m + j]) {
                to[edge] = (int32_t)j;
                if (weight)
                    log_weight[edge] = weight[i * m + j];
                edge++;
            }
    }
    row[m] = (int64_t)edge;
    free(model->row);
    free(model->to);
    free(model->weight);
    model->row = row;
    model->to = to;
    model->weight = log_weight;
    return SP_OK;
}

/* ---- looking things up ---- */

const char *sp_model_state_name(const sp_model *model, int32_t s)
{
    return model->states ? model->states[s] : model->classes[s];
}

int32_t sp_model_state_class(const sp_model *model, int32_t s)
{
    return model->state_class ? model->state_class[s] : s;
}

int64_t sp_model_edge(const sp_model *model, int32_t from, int32_t to)
{
    int64_t low = model->row[from], high = model->row[from + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (model->to[middle] < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->row[from + 1] && model->to[low] == to ? low : -1;
}

int32_t sp_model_class(const sp_model *model, const char *name, bool with_aliases)
{
    for (int32_t k = 0; k < model->n_classes; k++)
        if (strcmp(model->classes[k], name) == 0)
            return k;
    for (int32_t i = 0; with_aliases && i < model->n_aliases; i++)
        if (strcmp(model->aliases[i].name, name) == 0)
            return model->aliases[i].class_index;
    return -1;
}
