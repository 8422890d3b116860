#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *oracle_array(size_t n, size_t size)
{
    void *array = calloc(n > 0 ? n : 1, size);
    if (!array) {
        fprintf(stderr, "no memory for the oracle\n");
        exit(1);
    }
    return array;
}

/* ---- p(d) by its definition ---- */

static double density(const sp_duration *d, double n)
{
    const double extra = d->centre.value - 1, r = d->spread;
    switch (d->form) {
    case SP_DURATION_PMF:
        return n <= d->n_pmf ? d->pmf[(int)n - 1] : 0;
    case SP_DURATION_NEGATIVE_BINOMIAL:
        return extra == 0 ? n == 1
                          : exp(lgamma(n - 1 + r) - lgamma(r) - lgamma(n) + r * log(r / (r + extra)) +
                                (n - 1) * log(extra / (r + extra)));
    case SP_DURATION_POISSON:
        return extra == 0 ? n == 1 : exp((n - 1) * log(extra) - extra - lgamma(n));
    case SP_DURATION_LOG_NORMAL: {
        const double a = n == 1 ? -INFINITY : log((n - .5) / d->centre.value) / r,
                     b = log((n + .5) / d->centre.value) / r;
        return .5 * (erfc(-b / sqrt(2)) - erfc(-a / sqrt(2)));
    }
    default:
        return 1;
    }
}

static bool is_supported(const sp_duration *d, double n)
{
    return n >= d->min.value && (d->max.value == 0 || n <= d->max.value);
}

double oracle_run_weight(const sp_duration *d, int64_t length, bool is_cut)
{
    const bool is_named = d->form != SP_DURATION_RANGE && d->form != SP_DURATION_PMF;
    double all = 0, tail = 0;
    if (d->form == SP_DURATION_RANGE)
        return is_cut ? (d->max.value == 0 || length <= d->max.value ? 0 : -INFINITY)
               : is_supported(d, (double)length) ? 0
                                                 : -INFINITY;
    for (int n = 2000; n > 0; n--) {
        const double p = !is_named || is_supported(d, n) ? density(d, n) : 0;
        all += p;
        tail += n >= length ? p : 0;
    }
    if (!is_cut)
        tail = !is_named || is_supported(d, (double)length) ? density(d, (double)length) : 0;
    return log(tail) - (is_named ? log(all) : 0);
}

/* ---- the graph ---- */

/* The states that one declared state becomes: one row, or two of a duration, the second for runs that began
 * before the recording or the
 * gap did. */
typedef struct expanded {
    int32_t first, n_rows;
    int32_t length[2];           /* of the rows */
    const sp_duration *duration; /* or NULL */
    double *run[2];              /* [length[0]] weights of whole runs, of cut ones */
    bool is_alone;               /* no other state is of its class */
    bool goes_on;                /* the last state of a row stands for longer runs, too */
} expanded;

typedef struct builder {
    const sp_model *model;
    oracle_model *m;
    expanded *states;
    double transition_weight;
    bool is_boolean;
    int64_t n_edges, room;
    int32_t *to;     /* [n_edges] */
    int32_t *number; /* [M] the state that stands at each place of the rows, one row after the other */
} builder;

static int32_t class_of_state(const sp_model *model, int32_t s)
{
    return model->state_class ? model->state_class[s] : s;
}

static double declared_weight(const builder *b, int32_t from, int32_t to)
{
    for (int64_t e = b->model->row[from]; e < b->model->row[from + 1]; e++)
        if (b->model->to[e] == to)
            return b->model->weight && !b->is_boolean ? b->model->weight[e] * b->transition_weight : 0;
    return -INFINITY;
}

static double as_boolean(const builder *b, double weight)
{
    return b->is_boolean && weight > -INFINITY ? 0 : weight;
}

static expanded expand(const builder *b, int32_t s, int32_t first, int64_t most_steps)
{
    const sp_model *model = b->model;
    const int32_t k = class_of_state(model, s);
    const sp_duration *d =
        model->durations && model->durations[k].form != SP_DURATION_FREE ? &model->durations[k] : NULL;
    expanded x = {first, 1, {model->min_dwell ? model->min_dwell[s] : 1, 0}, d, {NULL, NULL}, true, true};
    for (int32_t u = 0; u < model->n_states; u++)
        x.is_alone = x.is_alone && (u == s || class_of_state(model, u) != k);
    if (!d)
        return x;
    int32_t n_pmf = d->n_pmf;
    while (n_pmf > 1 && d->pmf[n_pmf - 1] == 0)
        n_pmf--;
    const int64_t longest = d->form == SP_DURATION_PMF     ? n_pmf
                            : d->max.value > 0             ? (int64_t)d->max.value
                            : d->form == SP_DURATION_RANGE ? (d->min.value > 1 ? (int64_t)d->min.value : 1)
                                                           : most_steps;
    x.goes_on = d->form == SP_DURATION_RANGE && d->max.value == 0;
    x.length[0] = (int32_t)(longest < most_steps ? longest : most_steps > 0 ? most_steps : 1);
    x.n_rows = model->whole_at_start ? 1 : 2;
    x.length[1] = model->whole_at_start ? 0
                  : x.goes_on           ? 1
                                        : x.length[0]; /* cut runs of any length weigh 0 */
    for (int cut = 0; cut < 2; cut++) {
        x.run[cut] = oracle_array((size_t)x.length[0], sizeof(double));
        for (int32_t i = 0; i < x.length[0]; i++)
            x.run[cut][i] = as_boolean(b, oracle_run_weight(d, i + 1, cut));
    }
    return x;
}

static void add_edge(builder *b, int32_t from, int32_t to, double weight)
{
    if (weight == -INFINITY)
        return;
    if (b->n_edges == b->room) {
        b->room = 2 * b->room + 64;
        b->m->from = realloc(b->m->from, (size_t)b->room * sizeof *b->m->from);
        b->m->weight = realloc(b->m->weight, (size_t)b->room * sizeof *b->m->weight);
        b->to = realloc(b->to, (size_t)b->room * sizeof *b->to);
        if (!b->m->from || !b->m->weight || !b->to)
            exit(1);
    }
    b->m->from[b->n_edges] = b->number[from];
    b->m->weight[b->n_edges] = weight;
    b->to[b->n_edges++] = b->number[to];
}

static int32_t row_first(const expanded *x, int32_t row)
{
    return x->first + (row == 1 ? x->length[0] : 0);
}

/* What leaving a run at its d-th step weighs (d from 0), all that a run weighs being that: until it is over
 * it weighs as one that is cut. */
static double leaving(const expanded *x, int32_t d, bool is_cut)
{
    return x->run[1][0] + (is_cut ? 0 : x->run[0][d] - x->run[1][d]);
}

/* Staying in the run of a class with a duration: of its only state whatever the matrix says of it. */
static void add_run_edges(builder *b, int32_t s, int32_t to)
{
    const expanded *x = &b->states[s], *y = &b->states[to];
    const double weight = x->is_alone ? 0 : declared_weight(b, s, to);
    for (int32_t r = 0; r < x->n_rows; r++)
        for (int32_t d = 0; d < x->length[r]; d++) {
            const int32_t next = d + 1 < x->length[r] ? d + 1 : x->goes_on ? d : -1;
            if (next >= 0)
                add_edge(b, row_first(x, r) + d, row_first(y, r) + next,
                         weight + x->run[1][next] - x->run[1][d]);
        }
}

static void add_edges(builder *b, int32_t s, int32_t to)
{
    const expanded *x = &b->states[s], *y = &b->states[to];
    const double weight = declared_weight(b, s, to);
    if (x->duration && class_of_state(b->model, s) == class_of_state(b->model, to)) {
        add_run_edges(b, s, to);
    } else if (x->duration) {
        for (int32_t r = 0; r < x->n_rows; r++)
            for (int32_t d = 0; d < x->length[r]; d++)
                add_edge(b, row_first(x, r) + d, y->first, weight + leaving(x, d, r == 1));
    } else {
        const int32_t last = x->first + x->length[0] - 1;
        add_edge(b, last, s == to ? last : y->first, weight);
        for (int32_t i = 0; s == to && i + 1 < x->length[0]; i++)
            add_edge(b, x->first + i, x->first + i + 1, weight);
    }
}

static void sort_edges(builder *b)
{
    oracle_model *m = b->m;
    int32_t *from = m->from;
    double *weight = m->weight;
    m->row = oracle_array((size_t)m->n_states + 2, sizeof *m->row);
    m->from = oracle_array((size_t)b->n_edges, sizeof *m->from);
    m->weight = oracle_array((size_t)b->n_edges, sizeof *m->weight);
    for (int64_t e = 0; e < b->n_edges; e++)
        m->row[b->to[e] + 2]++;
    for (int32_t j = 0; j < m->n_states; j++)
        m->row[j + 2] += m->row[j + 1];
    for (int64_t e = 0; e < b->n_edges; e++) {
        const int64_t place = m->row[b->to[e] + 1]++;
        m->from[place] = from[e];
        m->weight[place] = weight[e];
    }
    free(from);
    free(weight);
    free(b->to);
}

/* ---- the order of states ---- */

typedef struct ordered {
    int32_t key[4]; /* class, is it of a run that began before, place in the row, state of the model */
    int32_t at;
} ordered;

static int compare_ordered(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    for (int i = 0; i < 4; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

static void number_states(builder *b, const int32_t *column_of_state)
{
    const int32_t M = b->m->n_states;
    ordered *order = oracle_array((size_t)M, sizeof *order);
    b->number = oracle_array((size_t)M, sizeof *b->number);
    for (int32_t s = 0; s < b->model->n_states; s++) {
        const expanded *x = &b->states[s];
        for (int32_t i = 0; i < x->length[0] + x->length[1]; i++) {
            const bool is_cut = i >= x->length[0];
            order[x->first + i] =
                (ordered){{column_of_state[s], is_cut, i - is_cut * x->length[0], s}, x->first + i};
        }
    }
    qsort(order, (size_t)M, sizeof *order, compare_ordered);
    for (int32_t j = 0; j < M; j++)
        b->number[order[j].at] = j;
    free(order);
}

static void put_state(builder *b, int32_t s, int32_t column)
{
    const sp_model *model = b->model;
    oracle_model *m = b->m;
    const expanded *x = &b->states[s];
    for (int32_t i = 0; i < x->length[0] + x->length[1]; i++) {
        const int32_t row = i >= x->length[0], place = i - row_first(x, row) + x->first;
        const int32_t j = b->number[x->first + i];
        const bool is_cut = row == 1 || !model->whole_at_end;
        m->class_of[j] = column;
        m->declared[j] = s;
        m->place[j] = place;
        m->is_entry[j] = row == x->n_rows - 1 && place == 0;
        m->start[j] = !m->is_entry[j] ? -INFINITY : model->start ? as_boolean(b, model->start[s]) : 0;
        m->leave[j] = x->duration ? leaving(x, place, is_cut) : 0;
        m->end[j] = (model->end ? as_boolean(b, model->end[s]) : 0) + m->leave[j];
        if (!x->duration && place + 1 < x->length[0] && model->min_dwell_at_end)
            m->end[j] = -INFINITY;
    }
}

static oracle_model *model_of_size(int32_t n_classes, int32_t n_states)
{
    oracle_model *m = oracle_array(1, sizeof *m);
    const size_t n = (size_t)n_states;
    *m = (oracle_model){.n_classes = n_classes, .n_states = n_states};
    m->class_of = oracle_array(n, sizeof *m->class_of);
    m->declared = oracle_array(n, sizeof *m->declared);
    m->place = oracle_array(n, sizeof *m->place);
    m->start = oracle_array(n, sizeof *m->start);
    m->end = oracle_array(n, sizeof *m->end);
    m->leave = oracle_array(n, sizeof *m->leave);
    m->is_entry = oracle_array(n, sizeof *m->is_entry);
    return m;
}

oracle_model *oracle_model_new(const sp_model *model, const sp_chain_options *options, int64_t most_steps)
{
    builder b = {.model = model,
                 .states = oracle_array((size_t)model->n_states, sizeof *b.states),
                 .transition_weight = options->transition_weight,
                 .is_boolean = options->is_boolean};
    int32_t n = 0;
    for (int32_t s = 0; s < model->n_states; s++) {
        b.states[s] = expand(&b, s, n, most_steps);
        n += b.states[s].length[0] + b.states[s].length[1];
    }
    b.m = model_of_size(model->n_classes, n);
    int32_t *column = oracle_array((size_t)model->n_states, sizeof *column);
    for (int32_t s = 0; s < model->n_states; s++) {
        column[s] = class_of_state(model, s);
        for (int32_t k = 0; options->class_of_column && k < model->n_classes; k++)
            if (options->class_of_column[k] == class_of_state(model, s))
                column[s] = k;
    }
    number_states(&b, column);
    for (int32_t s = 0; s < model->n_states; s++) {
        put_state(&b, s, column[s]);
        const bool has_only_edges = !b.states[s].duration || !b.states[s].is_alone;
        for (int64_t e = model->row[s]; e < model->row[s + 1]; e++)
            if (has_only_edges || model->to[e] != s)
                add_edges(&b, s, model->to[e]);
        if (!has_only_edges)
            add_run_edges(&b, s, s);
    }
    sort_edges(&b);
    for (int32_t s = 0; s < model->n_states; s++) {
        free(b.states[s].run[0]);
        free(b.states[s].run[1]);
    }
    free(b.states);
    free(b.number);
    free(column);
    return b.m;
}

static double bare(double weight)
{
    return weight == -INFINITY ? weight : 0;
}

oracle_model *oracle_model_bare(const oracle_model *m)
{
    oracle_model *out = model_of_size(m->n_classes, m->n_states);
    const size_t n = (size_t)m->n_states, n_edges = (size_t)m->row[m->n_states];
    memcpy(out->class_of, m->class_of, n * sizeof *m->class_of);
    memcpy(out->declared, m->declared, n * sizeof *m->declared);
    memcpy(out->place, m->place, n * sizeof *m->place);
    memcpy(out->is_entry, m->is_entry, n * sizeof *m->is_entry);
    for (size_t j = 0; j < n; j++) {
        out->start[j] = bare(m->start[j]);
        out->end[j] = bare(m->end[j]);
        out->leave[j] = bare(m->leave[j]);
    }
    out->row = oracle_array(n + 1, sizeof *m->row);
    out->from = oracle_array(n_edges, sizeof *m->from);
    out->weight = oracle_array(n_edges, sizeof *m->weight);
    memcpy(out->row, m->row, (n + 1) * sizeof *m->row);
    memcpy(out->from, m->from, n_edges * sizeof *m->from);
    return out;
}

void oracle_model_free(oracle_model *m)
{
    if (!m)
        return;
    free(m->class_of);
    free(m->declared);
    free(m->place);
    free(m->start);
    free(m->end);
    free(m->leave);
    free(m->is_entry);
    free(m->row);
    free(m->from);
    free(m->weight);
    free(m);
}

double oracle_step_weight(const oracle_model *m, const sp_scores *scores, int64_t t, int32_t i, int32_t j)
{
    if (sp_scores_is_gap(scores, t))
        return m->is_entry[j] ? m->leave[i] : -INFINITY;
    for (int64_t e = m->row[j]; e < m->row[j + 1]; e++)
        if (m->from[e] == i)
            return m->weight[e];
    return -INFINITY;
}
