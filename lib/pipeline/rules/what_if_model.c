#include "pipeline/rules/what_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/durations.h"
#include "core/model/model.h"
#include "core/model/windows.h"
#include "core/rules/rules.h"
#include "options/options.h"
#include "statepath/model_json.h"
#include "json/json_write.h"

/* ---- the model as the page has it ---- */

/* States in the order of the columns of their classes, then as declared: order[new] = old. */
static void order_states(const sp_pipeline *p, int32_t *order)
{
    int32_t n = 0;
    for (int32_t c = 0; c < p->model->n_classes; c++)
        for (int32_t s = 0; s < p->model->n_states; s++)
            if (sp_model_state_class(p->model, s) == p->class_of_column[c])
                order[n++] = s;
}

static char *copy_text(const char *from, bool *is_whole)
{
    char *made = from ? strdup(from) : NULL;
    *is_whole &= !from || made;
    return made;
}

static void *room(int32_t n, size_t size, bool *is_whole)
{
    void *made = calloc((size_t)n, size);
    *is_whole &= made != NULL;
    return made;
}

/* Texts, aliases, prior and windows; false: no memory. column_of_class [K] */
static bool copy_classes(const sp_pipeline *p, const int32_t *column_of_class, sp_model *to)
{
    const sp_model *from = p->model;
    bool is_whole = true;
    to->description = copy_text(from->description, &is_whole);
    to->source = copy_text(from->source, &is_whole);
    to->aliases = from->n_aliases ? room(from->n_aliases, sizeof *to->aliases, &is_whole) : NULL;
    for (int32_t i = 0; is_whole && i < from->n_aliases; i++, to->n_aliases = i)
        to->aliases[i] = (sp_alias){column_of_class[from->aliases[i].class_index], copy_text(from->aliases[i].name, &is_whole)};
    to->prior = from->prior ? room(from->n_classes, sizeof *to->prior, &is_whole) : NULL;
    for (int32_t c = 0; to->prior && c < from->n_classes; c++)
        to->prior[c] = from->prior[p->class_of_column[c]];
    if (from->windows)
        is_whole &= (to->windows = sp_windows_copy(from->windows, from->n_classes, p->class_of_column)) != NULL;
    return is_whole;
}

static double *permuted(const double *from, const int32_t *order, int32_t n, bool *is_whole)
{
    double *made = from ? room(n, sizeof *made, is_whole) : NULL;
    for (int32_t i = 0; made && i < n; i++)
        made[i] = from[order[i]];
    return made;
}

/* States, starts, ends and dwells. */
static bool copy_states(const sp_pipeline *p, const int32_t *column_of_class, const int32_t *order, sp_model *to)
{
    const sp_model *from = p->model;
    const int32_t n = to->n_states = from->n_states;
    bool is_whole = true;
    to->states = from->states ? room(n, sizeof *to->states, &is_whole) : NULL;
    to->state_class = from->states ? room(n, sizeof *to->state_class, &is_whole) : NULL;
    for (int32_t i = 0; to->states && to->state_class && i < n; i++) {
        to->states[i] = copy_text(from->states[order[i]], &is_whole);
        to->state_class[i] = column_of_class[from->state_class[order[i]]];
    }
    to->start = permuted(from->start, order, n, &is_whole);
    to->end = permuted(from->end, order, n, &is_whole);
    to->start_is_list = from->start_is_list;
    to->end_is_list = from->end_is_list;
    to->min_dwell = from->min_dwell ? room(n, sizeof *to->min_dwell, &is_whole) : NULL;
    for (int32_t i = 0; to->min_dwell && i < n; i++)
        to->min_dwell[i] = from->min_dwell[order[i]];
    to->min_dwell_at_end = from->min_dwell_at_end;
    is_whole = is_whole && sp_durations_copy(from, p->class_of_column, to) && sp_rules_copy(from, p->class_of_column, to);
    const double step_seconds = sp_pipeline_chain_options(p, 1).step_seconds;
    sp_durations_in_steps(to, step_seconds);
    is_whole = is_whole && sp_rules_in_steps(to, step_seconds);
    to->weight_form = from->weight || to->start || to->end ? SP_WEIGHTS_LOG : SP_WEIGHTS_NONE;
    return is_whole;
}

static sp_status copy_matrix(const sp_model *from, const int32_t *order, sp_model *to, sp_error *err)
{
    const int32_t n = from->n_states;
    bool is_whole = true;
    uint8_t *allow = room(n * n, 1, &is_whole);
    double *weight = room(n * n, sizeof *weight, &is_whole);
    for (int32_t i = 0; is_whole && i < n * n; i++) {
        const int64_t edge = sp_model_edge(from, order[i / n], order[i % n]);
        allow[i] = edge >= 0;
        weight[i] = edge >= 0 && from->weight ? from->weight[edge] : 0;
    }
    sp_status status = is_whole ? sp_model_set_matrix(to, allow, from->weight ? weight : NULL, err) : sp_no_memory(err);
    free(allow);
    free(weight);
    return status;
}

int64_t sp_what_if_most_length(int64_t n_steps)
{
    const int64_t light = 2000;
    return n_steps + 1 > light ? n_steps + 1 : light;
}

/* Lists of probabilities that are long enough to weigh on a page lose what recordings of n_steps cannot tell apart: that a run is
 * longer than they are. Returns where the lists end; 0: none is cut. */
static int64_t cut_lists(sp_model *model, int64_t n_steps)
{
    const int64_t most = sp_what_if_most_length(n_steps);
    int64_t cut = 0;
    for (int32_t k = 0; model->durations && k < model->n_classes; k++) {
        sp_duration *d = &model->durations[k];
        if (d->form != SP_DURATION_PMF || d->n_pmf <= most)
            continue;
        for (; d->n_pmf > most; d->n_pmf--)
            d->pmf[d->n_pmf - 2] += d->pmf[d->n_pmf - 1];
        cut = most;
    }
    return cut;
}

/* The model as JSON, its classes in the order of the columns. */
sp_status sp_what_if_model(const sp_pipeline *p, int64_t n_steps, int64_t *most_length, char **text, sp_error *err)
{
    const sp_model *from = p->model;
    bool is_whole = true;
    int32_t *order = room(from->n_states, sizeof *order, &is_whole);
    int32_t *column_of_class = room(from->n_classes, sizeof *column_of_class, &is_whole);
    const char **classes = sp_names_in_columns(from, p->class_of_column);
    sp_model *to = is_whole && classes ? sp_model_new(from->name, from->n_classes, classes) : NULL;
    sp_status status = to ? SP_OK : sp_no_memory(err);
    for (int32_t c = 0; to && c < from->n_classes; c++)
        column_of_class[p->class_of_column[c]] = c;
    if (to) {
        order_states(p, order);
        is_whole = copy_classes(p, column_of_class, to) && copy_states(p, column_of_class, order, to);
        status = is_whole ? copy_matrix(from, order, to, err) : sp_no_memory(err);
    }
    if (status == SP_OK) {
        *most_length = cut_lists(to, n_steps);
        status = sp_model_to_json(to, text, err);
    }
    sp_model_free(to);
    free(order);
    free(column_of_class);
    free(classes);
    return status;
}

/* ---- options of `statepath decode` ---- */

typedef struct option_text {
    char *data; /* NULL before the first */
    size_t length;
    bool failed;
} option_text;

/* Adds " --name 'value'", quoted for a shell. */
static void add_option(option_text *to, const char *name, const char *value)
{
    const size_t most = strlen(name) + (value ? 4 * strlen(value) : 0) + 8;
    char *data = realloc(to->data, to->length + most);
    if (!data) {
        to->failed = true;
        return;
    }
    to->data = data;
    char *at = data + to->length;
    at += sprintf(at, " --%s", name);
    if (value)
        at += sprintf(at, " '");
    for (; value && *value; value++)
        at += sprintf(at, *value == '\'' ? "'\\''" : "%c", *value);
    if (value)
        at += sprintf(at, "'");
    to->length = (size_t)(at - data);
}

/* What the run was given and decoding by the page's model needs too: the rest stands in the model. "" without any; NULL: no
 * memory.
 */
char *sp_what_if_options(const sp_run_options *o)
{
    char number[32];
    option_text all = {.data = calloc(1, 1)};
    all.failed = !all.data;
    for (const sp_option_row *row = sp_option_rows; row->name && !all.failed; row++) {
        const void *at = (const char *)o + row->place;
        if (!(row->uses & SP_OPTION_IN_PAGE) || !sp_option_is_given(row, o))
            continue;
        add_option(&all, row->name,
                   row->type == SP_OPTION_TEXT     ? *(char *const *)at
                   : row->type == SP_OPTION_NUMBER ? sp_json_number(*(const double *)at, 1, number)
                                                   : NULL);
    }
    if (all.failed)
        free(all.data);
    return all.failed ? NULL : all.data;
}
