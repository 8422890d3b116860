/* Models copied. */
#include "core/model/durations.h"
#include "core/model/edges.h"
#include "core/model/model.h"
#include "core/model/windows.h"
#include "core/owned.h"
#include "core/rules/rules.h"
#include "core/try.h"

#include <stdlib.h>
#include <string.h>

typedef struct copying {
    const sp_model *from;
    const int32_t *class_of_column;
    int32_t *column_of_class; /* [K] */
    int32_t *order;           /* [states] order[new] = old */
    sp_model *to;
    bool is_whole; /* memory has sufficed so far */
} copying;

static void *room(copying *c, int32_t n, size_t size)
{
    void *made = calloc((size_t)n, size);
    c->is_whole &= made != NULL;
    return made;
}

static char *copy_text(copying *c, const char *from)
{
    char *made = from ? strdup(from) : NULL;
    c->is_whole &= !from || made;
    return made;
}

/* Texts, aliases, prior and windows. */
static void copy_classes(copying *c)
{
    const sp_model *from = c->from;
    sp_model *to = c->to;
    to->description = copy_text(c, from->description);
    to->source = copy_text(c, from->source);
    to->aliases = from->n_aliases ? room(c, from->n_aliases, sizeof *to->aliases) : NULL;
    for (int32_t i = 0; to->aliases && c->is_whole && i < from->n_aliases; i++, to->n_aliases = i)
        to->aliases[i] =
            (sp_alias){c->column_of_class[from->aliases[i].class_index], copy_text(c, from->aliases[i].name)};
    to->prior = from->prior ? room(c, from->n_classes, sizeof *to->prior) : NULL;
    for (int32_t k = 0; to->prior && k < from->n_classes; k++)
        to->prior[k] = from->prior[c->class_of_column[k]];
    if (from->windows)
        c->is_whole &=
            (to->windows = sp_windows_copy(from->windows, from->n_classes, c->class_of_column)) != NULL;
}

static double *permuted(copying *c, const double *from)
{
    double *made = from ? room(c, c->from->n_states, sizeof *made) : NULL;
    for (int32_t i = 0; made && i < c->from->n_states; i++)
        made[i] = from[c->order[i]];
    return made;
}

/* States, starts, ends, dwells, durations, rules. */
static void copy_states(copying *c)
{
    const sp_model *from = c->from;
    sp_model *to = c->to;
    const int32_t n = to->n_states = from->n_states;
    to->states = from->states ? room(c, n, sizeof *to->states) : NULL;
    to->state_class = from->states ? room(c, n, sizeof *to->state_class) : NULL;
    for (int32_t i = 0; to->states && to->state_class && i < n; i++) {
        to->states[i] = copy_text(c, from->states[c->order[i]]);
        to->state_class[i] = c->column_of_class[from->state_class[c->order[i]]];
    }
    to->start = permuted(c, from->start);
    to->end = permuted(c, from->end);
    to->start_is_list = from->start_is_list;
    to->end_is_list = from->end_is_list;
    to->min_dwell = from->min_dwell ? room(c, n, sizeof *to->min_dwell) : NULL;
    for (int32_t i = 0; to->min_dwell && i < n; i++)
        to->min_dwell[i] = from->min_dwell[c->order[i]];
    to->min_dwell_at_end = from->min_dwell_at_end;
    to->weight_form = from->weight || to->start || to->end ? SP_WEIGHTS_LOG : SP_WEIGHTS_NONE;
    c->is_whole = c->is_whole && sp_durations_copy(from, c->class_of_column, to) &&
                  sp_rules_copy(from, c->class_of_column, to);
}

static bool may_follow(const void *arg, int32_t from, int32_t to)
{
    const copying *c = arg;
    return sp_model_edge(c->from, c->order[from], c->order[to]) >= 0;
}

static sp_status copy_transitions(copying *c, sp_error *err)
{
    sp_model *to = c->to;
    sp_status status = SP_OK;
    TRY(sp_edges_fill(to, may_follow, c, err));
    if (!c->from->weight)
        return SP_OK;
    if (!(to->weight = malloc(((size_t)to->row[to->n_states] + 1) * sizeof *to->weight)))
        TRY(sp_no_memory(err));
    for (int32_t i = 0; i < to->n_states; i++)
        for (int64_t e = to->row[i]; e < to->row[i + 1]; e++)
            to->weight[e] = c->from->weight[sp_model_edge(c->from, c->order[i], c->order[to->to[e]])];
done:
    return status;
}

sp_status sp_model_in_columns(const sp_model *model, const int32_t *class_of_column, sp_model **out,
                              sp_error *err)
{
    const int32_t K = model->n_classes;
    sp_owned own = {0};
    copying c = {.from = model, .class_of_column = class_of_column, .is_whole = true};
    const char **classes = sp_zeros(&own, (size_t)K, sizeof *classes);
    c.column_of_class = sp_zeros(&own, (size_t)K, sizeof *c.column_of_class);
    c.order = sp_zeros(&own, (size_t)model->n_states, sizeof *c.order);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    for (int32_t k = 0, n = 0; k < K; k++) {
        classes[k] = model->classes[class_of_column[k]];
        c.column_of_class[class_of_column[k]] = k;
        for (int32_t s = 0; s < model->n_states; s++)
            if (sp_model_state_class(model, s) == class_of_column[k])
                c.order[n++] = s;
    }
    if (!(c.to = sp_model_new(model->name, K, classes)))
        TRY(sp_no_memory(err));
    copy_classes(&c);
    copy_states(&c);
    TRY(c.is_whole ? copy_transitions(&c, err) : sp_no_memory(err));
    *out = c.to;
    c.to = NULL;
done:
    sp_model_free(c.to);
    sp_owned_free(&own);
    return status;
}
