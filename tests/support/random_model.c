#include "random_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t random_next(random_source *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int32_t random_below(random_source *random, int32_t n)
{
    return (int32_t)(random_next(random) % (uint64_t)n);
}

double random_unit(random_source *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

bool random_chance(random_source *random, double p)
{
    return random_unit(random) < p;
}

void random_require(sp_status status, const sp_error *err, uint64_t seed)
{
    if (status == SP_OK)
        return;
    printf("seed %llu: the library refuses what was drawn: %s\n", (unsigned long long)seed, err->message);
    exit(1);
}

static char *new_name(const char *letter, int32_t i)
{
    char *name = oracle_array(16, 1);
    snprintf(name, 16, "%s%d", letter, (int)i);
    return name;
}

/* A finite log weight or score. */
static double draw_number(random_source *random, const random_shape *shape)
{
    return shape->has_ties ? random_below(random, 4) - 2 : 4 * random_unit(random) - 3;
}

/* ---- the model ---- */

static sp_model *draw_classes(random_source *random, const random_shape *shape)
{
    int32_t n_classes =
        shape->n_classes > 0 ? shape->n_classes : 1 + random_below(random, shape->max_classes);
    char **names = oracle_array((size_t)n_classes, sizeof *names);
    for (int32_t k = 0; k < n_classes; k++)
        names[k] = new_name("c", k);
    sp_model *model = sp_model_new("random", n_classes, (const char *const *)names);
    for (int32_t k = 0; k < n_classes; k++)
        free(names[k]);
    free(names);
    return model;
}

/* Gives every class 0 .. max states (all of them at least one in all), declared in any order. */
static void draw_states(sp_model *model, random_source *random, const random_shape *shape)
{
    if (shape->max_states_per_class == 1)
        return;
    int32_t most = model->n_classes * shape->max_states_per_class, n = 0;
    model->state_class = oracle_array((size_t)most, sizeof *model->state_class);
    for (int32_t k = 0; k < model->n_classes; k++)
        for (int32_t left =
                 random_chance(random, 0.05) ? 0 : 1 + random_below(random, shape->max_states_per_class);
             left > 0; left--)
            model->state_class[n++] = k;
    if (n == 0)
        n = 1;
    for (int32_t s = n - 1; s > 0; s--) {
        int32_t other = random_below(random, s + 1), k = model->state_class[s];
        model->state_class[s] = model->state_class[other];
        model->state_class[other] = k;
    }
    model->n_states = n;
    model->states = oracle_array((size_t)n, sizeof *model->states);
    for (int32_t s = 0; s < n; s++)
        model->states[s] = new_name("s", s);
}

static void draw_dwell(sp_model *model, random_source *random, const random_shape *shape)
{
    if (shape->max_dwell == 1 || random_chance(random, 0.2))
        return;
    model->min_dwell = oracle_array((size_t)model->n_states, sizeof *model->min_dwell);
    for (int32_t s = 0; s < model->n_states; s++)
        model->min_dwell[s] = 1 + random_below(random, shape->max_dwell);
    model->min_dwell_at_end = random_chance(random, 0.3);
}

static bool has_dwell(const sp_model *model, int32_t k)
{
    for (int32_t s = 0; model->min_dwell && s < model->n_states; s++)
        if (model->min_dwell[s] > 1 && (model->state_class ? model->state_class[s] : s) == k)
            return true;
    return false;
}

static sp_duration draw_duration(random_source *random, const random_shape *shape, int32_t most)
{
    sp_duration d = {.form = SP_DURATION_RANGE};
    if (most > 4 && random_chance(random, 0.5))
        most = 4;
    d.min.value = random_chance(random, 0.5) ? 1 + random_below(random, (most + 1) / 2) : 0;
    d.max.value =
        random_chance(random, 0.5) ? (d.min.value > 1 ? d.min.value : 1) + random_below(random, most) : 0;
    d.centre.value = 1 + 2 * random_unit(random);
    d.spread = 0.3 + 2 * random_unit(random);
    const int32_t what = shape->has_weights && !shape->has_ranges_only ? random_below(random, 5) : 0;
    if (what == 1)
        d.form = SP_DURATION_NEGATIVE_BINOMIAL;
    else if (what == 2)
        d.form = SP_DURATION_POISSON;
    else if (what == 3 && d.max.value > 0)
        d.form = SP_DURATION_LOG_NORMAL;
    else if (what == 4) {
        d = (sp_duration){.form = SP_DURATION_PMF, .n_pmf = 1 + random_below(random, most)};
        d.pmf = oracle_array((size_t)d.n_pmf, sizeof *d.pmf);
        for (int32_t i = 0; i < d.n_pmf; i++)
            d.pmf[i] = random_chance(random, 0.3) ? 0 : random_unit(random);
        d.pmf[random_below(random, d.n_pmf)] = 0.5;
    }
    return d;
}

/* Of classes that may begin. */
static void draw_durations(sp_model *model, random_source *random, const random_shape *shape)
{
    if (shape->longest == 0)
        return;
    sp_error err;
    model->durations = oracle_array((size_t)model->n_classes, sizeof *model->durations);
    for (int32_t k = 0; k < model->n_classes; k++) {
        if (has_dwell(model, k) || random_chance(random, 0.3))
            continue;
        model->durations[k] = draw_duration(random, shape, shape->longest);
        if (sp_model_check(model, &err) == SP_OK)
            continue;
        free(model->durations[k].pmf);
        model->durations[k] = (sp_duration){.form = SP_DURATION_FREE};
    }
    model->whole_at_start = random_chance(random, 0.3);
    model->whole_at_end = random_chance(random, 0.3);
}

/* States in the order of a line; each goes on along it by two places at most. */
static void allow_along(random_source *random, size_t m, uint8_t *allow)
{
    size_t *order = oracle_array(m, sizeof *order);
    for (size_t i = 0; i < m; i++)
        order[i] = i;
    for (size_t i = m; i > 1; i--) {
        const size_t other = (size_t)random_below(random, (int32_t)i), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; i < m; i++)
        for (size_t d = 0; d < 3 && i + d < m; d++)
            allow[order[i] * m + order[i + d]] = d == 1 || random_chance(random, 0.6);
    free(order);
}

static void draw_transitions(random_case *c, random_source *random, const random_shape *shape)
{
    sp_model *model = c->model;
    size_t m = (size_t)model->n_states;
    uint8_t *allow = oracle_array(m * m, 1);
    double *weight = oracle_array(m * m, sizeof *weight);
    bool is_weighted = shape->has_weights && random_chance(random, 0.6);
    double density = 0.25 * (1 + random_below(random, 4));
    if (shape->is_left_right)
        allow_along(random, m, allow);
    for (size_t i = 0; i < m && shape->successors > 0; i++)
        for (int32_t n = 0; n < shape->successors; n++)
            allow[i * m + (size_t)random_below(random, (int32_t)m)] = 1;
    for (size_t i = 0; i < m * m; i++) {
        if (!shape->is_left_right && shape->successors == 0)
            allow[i] = random_chance(random, density);
        if (shape->successors == 0 || allow[i])
            weight[i] = draw_number(random, shape);
    }
    for (size_t j = (size_t)shape->columns; shape->columns > 0 && j < m; j++) {
        const size_t column = (size_t)random_below(random, shape->columns);
        for (size_t i = 0; i < m; i++) {
            allow[i * m + j] = allow[i * m + column];
            weight[i * m + j] = weight[i * m + column];
        }
    }
    for (size_t s = 0; s < m; s++)
        if (model->min_dwell && model->min_dwell[s] > 1)
            allow[s * m + s] = 1;
    sp_error err;
    random_require(sp_model_set_matrix(model, allow, is_weighted ? weight : NULL, &err), &err, c->seed);
    model->weight_form = is_weighted ? SP_WEIGHTS_LOG : SP_WEIGHTS_NONE;
    free(allow);
    free(weight);
}

/* NULL (anything may), or some states with or without weights; at least one is possible. */
static double *draw_ends(const sp_model *model, random_source *random, const random_shape *shape)
{
    if (random_chance(random, 0.4))
        return NULL;
    double *ends = oracle_array((size_t)model->n_states, sizeof *ends);
    bool is_weighted = shape->has_weights && random_chance(random, 0.5);
    for (int32_t s = 0; s < model->n_states; s++)
        ends[s] = random_chance(random, 0.4) ? -INFINITY : is_weighted ? draw_number(random, shape) : 0;
    ends[random_below(random, model->n_states)] = 0;
    return ends;
}

/* ---- the scores ---- */

static double draw_score(random_source *random, const random_shape *shape)
{
    if (shape->has_votes)
        return log((1 + random_below(random, 5)) / 5.0);
    return draw_number(random, shape) * (shape->spread > 0 ? shape->spread : 1) + shape->shift;
}

void random_case_draw_scores(random_case *c, random_source *random, int64_t n_steps,
                             const random_shape *shape)
{
    size_t n_classes = (size_t)c->model->n_classes;
    free(c->data);
    free(c->segments);
    c->data = oracle_array((size_t)n_steps * n_classes, sizeof *c->data);
    c->segments = NULL;
    double impossible = shape->impossible * random_below(random, 3) / 2;
    for (size_t i = 0; i < (size_t)n_steps * n_classes; i++)
        c->data[i] = random_chance(random, impossible) ? -INFINITY : draw_score(random, shape);
    if (shape->has_gaps && random_chance(random, 0.4)) {
        c->segments = oracle_array((size_t)n_steps, sizeof *c->segments);
        for (int64_t t = 1; t < n_steps; t++)
            c->segments[t] = c->segments[t - 1] + (random_chance(random, 0.3) ? 7 : 0);
    }
    c->scores = (sp_scores){c->data, SP_F64, (int32_t)n_classes, n_steps, c->segments, NULL, NULL};
}

static void draw_order(random_case *c, random_source *random)
{
    int32_t n = c->model->n_classes;
    c->class_of_column = oracle_array((size_t)n, sizeof *c->class_of_column);
    for (int32_t k = 0; k < n; k++)
        c->class_of_column[k] = k;
    if (random_chance(random, 0.5))
        return;
    for (int32_t k = n - 1; k > 0; k--) {
        int32_t other = random_below(random, k + 1), class_index = c->class_of_column[k];
        c->class_of_column[k] = c->class_of_column[other];
        c->class_of_column[other] = class_index;
    }
}

random_case random_case_new(uint64_t seed, const random_shape *shape)
{
    random_source random = {seed};
    random_case c = {.seed = seed, .model = draw_classes(&random, shape)};
    draw_states(c.model, &random, shape);
    draw_dwell(c.model, &random, shape);
    draw_transitions(&c, &random, shape);
    c.model->start = draw_ends(c.model, &random, shape);
    c.model->end = draw_ends(c.model, &random, shape);
    draw_durations(c.model, &random, shape);
    draw_order(&c, &random);
    c.options = sp_chain_options_default();
    c.options.class_of_column = c.class_of_column;
    if (shape->scales_weights && random_chance(&random, 0.3))
        c.options.transition_weight = random_below(&random, 5) * 0.5;
    if (shape->most_rules > 0)
        random_rules_add(&c, &random, shape->most_rules);
    sp_error err;
    const sp_status status = sp_chain_new(c.model, &c.options, &c.chain, &err);
    if (c.n_rules == 0 || status != SP_EMODEL)
        random_require(status, &err, seed);
    random_case_draw_scores(&c, &random, random_below(&random, (int32_t)shape->max_steps + 1), shape);
    return c;
}

void random_case_free(random_case *c)
{
    sp_model_free(c->model);
    sp_chain_free(c->chain);
    free(c->class_of_column);
    free(c->data);
    free(c->segments);
    for (int32_t r = 0; r < c->n_rules; r++)
        oracle_expression_free(c->rules[r].expression);
    free(c->rules);
}
