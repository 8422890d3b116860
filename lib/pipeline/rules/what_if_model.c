#include "pipeline/rules/what_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/durations.h"
#include "core/model/model.h"
#include "core/rules/rules.h"
#include "options/options.h"
#include "statepath/model_json.h"
#include "json/json_write.h"

/* ---- the model as the page has it ---- */

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
sp_status sp_what_if_model(const sp_pipeline *p, int64_t n_steps, int64_t *most_length, char **text,
                           sp_error *err)
{
    const double step_seconds = sp_pipeline_chain_options(p, 1).step_seconds;
    sp_model *model;
    sp_status status = sp_model_in_columns(p->model, p->class_of_column, &model, err);
    if (status != SP_OK)
        return status;
    sp_durations_in_steps(model, step_seconds);
    if (sp_rules_in_steps(model, step_seconds)) {
        *most_length = cut_lists(model, n_steps);
        status = sp_model_to_json(model, text, err);
    } else {
        status = sp_no_memory(err);
    }
    sp_model_free(model);
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

/* The value of an option as it is written; NULL: a flag has none. */
static const char *value_of(const sp_option_row *row, const void *at, char number[32])
{
    switch (row->type) {
    case SP_OPTION_TEXT:
        return *(char *const *)at;
    case SP_OPTION_NUMBER:
        return sp_json_number(*(const double *)at, 1, number);
    case SP_OPTION_INTEGER:
        snprintf(number, 32, "%d", *(const int *)at);
        return number;
    default:
        return NULL;
    }
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
        add_option(&all, row->name, value_of(row, at, number));
    }
    if (all.failed)
        free(all.data);
    return all.failed ? NULL : all.data;
}
