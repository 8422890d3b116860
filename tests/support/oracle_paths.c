/* All paths of classes, each weighed by the definitions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

typedef struct enumeration {
    const oracle_declared *declared;
    const sp_scores *scores;
    oracle_model *m; /* without durations */
    double *weight;  /* [M,M] of it; a class with a duration and one state stays at no weight */
    double *run[2];  /* [K,T] by column: of whole runs, of cut ones; NULL: no durations */
    bool is_gap[ORACLE_STEPS];
    int32_t path[ORACLE_STEPS];
    double *best[ORACLE_STEPS], *log_sum[ORACLE_STEPS]; /* [M] over state paths that emit path[0..t] */
    oracle_list *list;
    int room;
} enumeration;

static int32_t class_of_column(const enumeration *x, int32_t column)
{
    const int32_t *classes = x->declared->options->class_of_column;
    return classes ? classes[column] : column;
}

static const sp_duration *duration_of(const enumeration *x, int32_t column)
{
    const sp_duration *d = x->declared->model->durations;
    d = d ? &d[class_of_column(x, column)] : NULL;
    return d && d->form != SP_DURATION_FREE ? d : NULL;
}

static double log_add(double a, double b)
{
    const double most = a > b ? a : b, least = a > b ? b : a;
    return least == -INFINITY || least < most - 700 ? most : most + log1p(exp(least - most));
}

static double weight_into(const enumeration *x, int64_t t, int32_t i, int32_t j)
{
    if (x->is_gap[t])
        return x->m->is_entry[j] ? 0 : -INFINITY;
    return x->weight[(size_t)i * (size_t)x->m->n_states + (size_t)j];
}

static void fill(enumeration *x, int64_t t, int32_t j)
{
    const oracle_model *m = x->m;
    const double e = sp_scores_at(x->scores, t, m->class_of[j]);
    double best = t == 0 ? m->start[j] : -INFINITY, sum = best;
    for (int32_t i = 0; t > 0 && i < m->n_states; i++) {
        if (m->class_of[i] != x->path[t - 1])
            continue;
        const double weight = weight_into(x, t, i, j);
        best = fmax(best, x->best[t - 1][i] + weight);
        sum = log_add(sum, x->log_sum[t - 1][i] + weight);
    }
    x->best[t][j] = best + e;
    x->log_sum[t][j] = sum + e;
}

/* ---- what hangs on more than two steps ---- */

/* The lowest of the best state paths that emit the path and end in state j, as numbers that compare as
 * states do. */
static void trace_states(const enumeration *x, int32_t j, int64_t *out)
{
    const oracle_model *m = x->m;
    for (int64_t t = x->scores->n_steps - 1; t >= 0; t--) {
        int64_t begin = t;
        while (begin > 0 && !x->is_gap[begin] && x->path[begin - 1] == x->path[t])
            begin--;
        const sp_duration *d = duration_of(x, x->path[t]);
        const bool is_cut = d && !x->declared->model->whole_at_start && (begin == 0 || x->is_gap[begin]);
        int64_t place = d ? t - begin : m->place[j];
        if (d && d->form == SP_DURATION_RANGE && d->max.value == 0 && place >= d->min.value)
            place = d->min.value > 1 ? (int64_t)d->min.value - 1 : 0; /* longer runs weigh the same */
        out[t] = ((x->path[t] * INT64_C(2) + is_cut) << 40) + (place << 20) + m->declared[j];
        if (t == 0)
            break;
        int32_t before = -1;
        double best = -INFINITY;
        for (int32_t i = 0; i < m->n_states; i++) {
            const double value =
                m->class_of[i] == x->path[t - 1] ? x->best[t - 1][i] + weight_into(x, t, i, j) : -INFINITY;
            if (value > best) {
                best = value;
                before = i;
            }
        }
        j = before;
    }
}

static bool is_side(const enumeration *x, int64_t t)
{
    return t == 0 || t == x->scores->n_steps || x->is_gap[t];
}

static double weigh_runs(const enumeration *x)
{
    const sp_model *model = x->declared->model;
    const int64_t T = x->scores->n_steps;
    double weight = 0;
    for (int64_t t = 0, begin = 0; x->run[0] && t < T; t++) {
        if (!is_side(x, t + 1) && x->path[t + 1] == x->path[t])
            continue;
        const bool is_cut =
            (is_side(x, begin) && !model->whole_at_start) || (is_side(x, t + 1) && !model->whole_at_end);
        weight += x->run[is_cut][x->path[t] * T + t - begin];
        begin = t + 1;
    }
    return weight;
}

static double weigh_rules(const enumeration *x)
{
    const oracle_declared *d = x->declared;
    int32_t path[ORACLE_STEPS];
    double weight = 0;
    for (int64_t t = 0; t < x->scores->n_steps; t++)
        path[t] = class_of_column(x, x->path[t]);
    for (int32_t r = 0; r < d->n_rules; r++) {
        const int64_t n =
            d->rules[r].cost == 0 ? 0 : oracle_violations(&d->rules[r], x->scores->n_steps, path, x->is_gap);
        weight -= n == 0 ? 0 : d->rules[r].cost * (double)n;
    }
    return weight;
}

static void take_path(enumeration *x)
{
    const oracle_model *m = x->m;
    const int64_t last = x->scores->n_steps - 1;
    oracle_list *l = x->list;
    oracle_path p = {.score = -INFINITY, .log_sum = -INFINITY};
    int32_t state = -1;
    for (int32_t j = 0; j < m->n_states; j++)
        if (m->class_of[j] == x->path[last]) {
            state = x->best[last][j] + m->end[j] > p.score ? j : state;
            p.score = fmax(p.score, x->best[last][j] + m->end[j]);
            p.log_sum = log_add(p.log_sum, x->log_sum[last][j] + m->end[j]);
        }
    if (p.score == -INFINITY)
        return;
    const double others = weigh_runs(x) + weigh_rules(x);
    if (others == -INFINITY)
        return;
    p.score += others;
    p.log_sum += others;
    memcpy(p.path, x->path, sizeof p.path);
    trace_states(x, state, p.state);
    if (l->n == x->room) {
        x->room = 2 * x->room + 64;
        l->paths = realloc(l->paths, (size_t)x->room * sizeof *l->paths);
        if (!l->paths)
            exit(1);
    }
    l->paths[l->n++] = p;
}

static void extend(enumeration *x, int64_t t)
{
    if (t == x->scores->n_steps) {
        take_path(x);
        return;
    }
    for (int32_t k = 0; k < x->m->n_classes; k++) {
        bool is_alive = false;
        x->path[t] = k;
        for (int32_t j = 0; j < x->m->n_states; j++)
            if (x->m->class_of[j] == k) {
                fill(x, t, j);
                is_alive |= x->best[t][j] > -INFINITY;
            }
        if (is_alive)
            extend(x, t + 1);
        x->path[t] = 0;
    }
}

/* ---- the list ---- */

static int compare_paths(const void *a, const void *b)
{
    const oracle_path *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    for (int t = ORACLE_STEPS - 1; t >= 0; t--)
        if (x->state[t] != y->state[t])
            return x->state[t] < y->state[t] ? -1 : 1;
    for (int t = ORACLE_STEPS - 1; t >= 0; t--)
        if (x->path[t] != y->path[t])
            return x->path[t] < y->path[t] ? -1 : 1;
    return 0;
}

static void add_up(oracle_list *l)
{
    l->log_z = -INFINITY;
    for (int i = 0; i < l->n; i++)
        l->log_z = log_add(l->log_z, l->paths[i].log_sum);
    l->marginal = oracle_array((size_t)(l->n_steps * l->n_classes), sizeof *l->marginal);
    for (int i = 0; i < l->n; i++)
        for (int64_t t = 0; t < l->n_steps; t++)
            l->marginal[t * l->n_classes + l->paths[i].path[t]] += exp(l->paths[i].log_sum - l->log_z);
}

/* The model's graph without its durations, as a matrix. */
static void make_graph(enumeration *x)
{
    const oracle_declared *d = x->declared;
    sp_model without = *d->model;
    without.durations = NULL;
    x->m = oracle_model_new(&without, d->options, ORACLE_STEPS);
    const size_t M = (size_t)x->m->n_states;
    x->weight = oracle_array(M * M, sizeof *x->weight);
    for (size_t i = 0; i < M * M; i++)
        x->weight[i] = -INFINITY;
    for (size_t j = 0; j < M; j++) {
        int32_t n_own = 0;
        for (int64_t e = x->m->row[j]; e < x->m->row[j + 1]; e++)
            x->weight[(size_t)x->m->from[e] * M + j] = x->m->weight[e];
        for (size_t i = 0; i < M; i++)
            n_own += x->m->class_of[i] == x->m->class_of[j];
        if (n_own == 1 && duration_of(x, x->m->class_of[j]))
            x->weight[j * M + j] = 0;
    }
}

static void make_runs(enumeration *x)
{
    const int64_t T = x->scores->n_steps;
    const int32_t K = x->m->n_classes;
    for (int cut = 0; cut < 2 && x->declared->model->durations; cut++) {
        x->run[cut] = oracle_array((size_t)(K * T), sizeof(double));
        for (int32_t k = 0; k < K; k++)
            for (int64_t n = 1; n <= T && duration_of(x, k); n++)
                x->run[cut][k * T + n - 1] = oracle_run_weight(duration_of(x, k), n, cut);
    }
}

oracle_list oracle_list_new(const oracle_declared *declared, const sp_scores *scores)
{
    oracle_list l = {.n_steps = scores->n_steps, .n_classes = scores->n_classes};
    enumeration x = {.declared = declared, .scores = scores, .list = &l};
    make_graph(&x);
    make_runs(&x);
    for (int64_t t = 0; t < scores->n_steps; t++) {
        x.best[t] = oracle_array((size_t)x.m->n_states, sizeof(double));
        x.log_sum[t] = oracle_array((size_t)x.m->n_states, sizeof(double));
        x.is_gap[t] = sp_scores_is_gap(scores, t);
    }
    extend(&x, 0);
    if (l.n > 0)
        qsort(l.paths, (size_t)l.n, sizeof *l.paths, compare_paths);
    add_up(&l);
    for (int64_t t = 0; t < scores->n_steps; t++) {
        free(x.best[t]);
        free(x.log_sum[t]);
    }
    free(x.run[0]);
    free(x.run[1]);
    free(x.weight);
    oracle_model_free(x.m);
    return l;
}

void oracle_list_free(oracle_list *l)
{
    free(l->paths);
    free(l->marginal);
}

const oracle_path *oracle_list_find(const oracle_list *l, const int32_t *path)
{
    for (int i = 0; i < l->n; i++)
        if (memcmp(l->paths[i].path, path, (size_t)l->n_steps * sizeof *path) == 0)
            return &l->paths[i];
    return NULL;
}
