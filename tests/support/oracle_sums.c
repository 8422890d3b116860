/* Forward and backward over the graph of a model, in logs. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

typedef struct log_sum {
    double most, sum; /* exp(most) * sum */
} log_sum;
enum { NOTHING_BELOW = 700 }; /* nats: what is lost beside 1, and slow to find out */
static const log_sum nothing = {-INFINITY, 0};

static void log_add(log_sum *l, double x)
{
    if (x == -INFINITY || x < l->most - NOTHING_BELOW)
        return;
    if (x > l->most) {
        l->sum = l->most < x - NOTHING_BELOW ? 1 : l->sum * exp(l->most - x) + 1;
        l->most = x;
    } else {
        l->sum += exp(x - l->most);
    }
}

static double log_value(const log_sum *l)
{
    return l->most == -INFINITY ? -INFINITY : l->most + log(l->sum);
}

static void forward(const oracle_model *m, const sp_scores *scores, int64_t t, const double *now,
                    double *next)
{
    log_sum all = nothing;
    const bool is_gap = sp_scores_is_gap(scores, t);
    for (int32_t i = 0; is_gap && i < m->n_states; i++)
        log_add(&all, now[i] + m->leave[i]);
    for (int32_t j = 0; j < m->n_states; j++) {
        log_sum l = is_gap && m->is_entry[j] ? all : nothing;
        for (int64_t e = m->row[j]; !is_gap && e < m->row[j + 1]; e++)
            log_add(&l, now[m->from[e]] + m->weight[e]);
        next[j] = log_value(&l) + sp_scores_at(scores, t, m->class_of[j]);
    }
}

/* next: of step t; now: of the step before it. room [M]. */
static void backward(const oracle_model *m, const sp_scores *scores, int64_t t, const double *next,
                     double *now, log_sum *room)
{
    log_sum all = nothing;
    const bool is_gap = sp_scores_is_gap(scores, t);
    for (int32_t j = 0; j < m->n_states; j++)
        room[j] = nothing;
    for (int32_t j = 0; j < m->n_states; j++) {
        const double value = next[j] + sp_scores_at(scores, t, m->class_of[j]);
        if (is_gap && m->is_entry[j])
            log_add(&all, value);
        for (int64_t e = m->row[j]; !is_gap && e < m->row[j + 1]; e++)
            log_add(&room[m->from[e]], m->weight[e] + value);
    }
    for (int32_t i = 0; i < m->n_states; i++)
        now[i] = is_gap ? log_value(&all) + m->leave[i] : log_value(&room[i]);
}

static void add_marginals(const oracle_model *m, const double *f, const double *b, double log_z, double *out)
{
    log_sum *l = oracle_array((size_t)m->n_classes, sizeof *l);
    for (int32_t k = 0; k < m->n_classes; k++)
        l[k] = nothing;
    for (int32_t j = 0; j < m->n_states; j++)
        log_add(&l[m->class_of[j]], f[j] + b[j]);
    for (int32_t k = 0; k < m->n_classes; k++)
        out[k] = log_value(&l[k]) - log_z;
    free(l);
}

double oracle_marginals(const oracle_model *m, const sp_scores *scores, double *log_marginal)
{
    const int64_t T = scores->n_steps, M = m->n_states;
    if (T == 0)
        return 0;
    double *f = oracle_array((size_t)(T * M), sizeof *f), *b = oracle_array((size_t)M, sizeof *b),
           *before = oracle_array((size_t)M, sizeof *before);
    log_sum *room = oracle_array((size_t)M, sizeof *room), z = nothing;
    for (int32_t j = 0; j < M; j++)
        f[j] = m->start[j] + sp_scores_at(scores, 0, m->class_of[j]);
    for (int64_t t = 1; t < T; t++)
        forward(m, scores, t, f + (t - 1) * M, f + t * M);
    for (int32_t j = 0; j < M; j++) {
        b[j] = m->end[j];
        log_add(&z, f[(T - 1) * M + j] + b[j]);
    }
    const double log_z = log_value(&z);
    for (int64_t t = T - 1; t >= 0 && log_marginal && log_z > -INFINITY; t--) {
        add_marginals(m, f + t * M, b, log_z, log_marginal + t * m->n_classes);
        if (t > 0)
            backward(m, scores, t, b, before, room);
        double *swapped = b;
        b = before;
        before = swapped;
    }
    free(f);
    free(b);
    free(before);
    free(room);
    return log_z;
}
