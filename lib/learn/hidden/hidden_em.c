/* Expectation-maximisation on the weights of declared transitions and starts.
 *
 *     E   expected uses of each transition and start, given labels and scores (hidden_pass.c)
 *     M   P(j|i) = (uses of i -> j + a) / sum of the same,  start likewise
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "core/random_mix.h"
#include "core/try.h"
#include "learn/hidden/hidden_private.h"
#include "learn/probabilities.h"

enum { TRIAL_ITERATIONS = 10 };

typedef struct em {
    sp_hidden *h;
    const sp_hidden_em_options *options;
    sp_workers *workers;
    double *next, *start; /* logs of probabilities */
    sp_hidden_sums sums;  /* of the last E step */
} em;

static bool may_start(const sp_model *model, int32_t s)
{
    return !model->start || model->start[s] > -INFINITY;
}

/* weight [n] of one group of a state to logs of probabilities: those of count + a, where their sum is above 0. */
static void share_out(const sp_hidden *h, int32_t s, int group, const double *count, double a, double *log_p)
{
    const sp_model *model = h->model;
    double all = 0;
    for (int64_t e = model->row[s]; e < model->row[s + 1]; e++)
        all += h->group[e] == group ? count[e] + a : 0;
    for (int64_t e = model->row[s]; all > 0 && e < model->row[s + 1]; e++)
        if (h->group[e] == group)
            log_p[e] = log((count[e] + a) / all);
}

static void share_out_all(em *w, const double *next, const double *start, double a)
{
    const sp_model *model = w->h->model;
    double all = 0;
    for (int32_t s = 0; s < w->h->m; s++) {
        share_out(w->h, s, SP_HIDDEN_OUT, next, a, w->next);
        share_out(w->h, s, SP_HIDDEN_INSIDE, next, a, w->next);
        all += may_start(model, s) ? start[s] + a : 0;
    }
    for (int32_t s = 0; s < w->h->m; s++)
        if (!may_start(model, s))
            w->start[s] = -INFINITY;
        else if (all > 0)
            w->start[s] = log((start[s] + a) / all);
}

/* E step; the objective in *value. */
static sp_status expect(em *w, double *value, sp_error *err)
{
    const sp_hidden_em_options *o = w->options;
    const double a = o->smoothing;
    const sp_hidden_pass pass = {.use = o->use,
                                 .has_labels = o->has_labels,
                                 .is_labelled = !o->has_scores,
                                 .has_scores = o->has_scores,
                                 .scale = 1,
                                 .wants_counts = true};
    sp_status status = SP_OK;
    TRY(sp_training_go_on(w->h->training, err));
    sp_hidden_weigh(w->h, &(sp_hidden_weights){w->next, w->start, NULL});
    free(w->sums.all);
    w->sums.all = NULL;
    TRY(sp_hidden_run(w->h, &pass, w->workers, &w->sums, err));
    *value = *w->sums.log_z;
    for (int64_t e = 0; a > 0 && e < w->h->n_edges; e++)
        *value += w->h->group[e] != SP_HIDDEN_FIXED ? a * w->next[e] : 0;
    for (int32_t s = 0; a > 0 && s < w->h->m; s++)
        *value += may_start(w->h->model, s) ? a * w->start[s] : 0;
done:
    return status;
}

/* ---- where to begin ---- */

static void relative(int64_t n, const double *weight, double *out)
{
    double greatest = -INFINITY;
    for (int64_t i = 0; i < n; i++)
        greatest = fmax(greatest, weight[i]);
    for (int64_t i = 0; i < n; i++)
        out[i] = exp(weight[i] - greatest);
}

/* Probabilities in proportion to the weights that the rules have. */
static void begin_as_declared(em *w, double *count, double *start)
{
    const sp_model *model = w->h->model;
    for (int32_t s = 0; s < w->h->m; s++) {
        relative(model->row[s + 1] - model->row[s], model->weight + model->row[s], count + model->row[s]);
        start[s] = 1;
    }
    if (model->start)
        relative(w->h->m, model->start, start);
}

/* State number r of the n of its class stays for 10 2^(r - (n-1)/2) steps, and what follows differs by factors of exp(-1/2) to exp(1/2). */
static void begin(em *w, int attempt, double *count, double *start)
{
    const sp_model *model = w->h->model;
    const uint64_t random = sp_random_start(0, (uint64_t)attempt);
    for (int32_t s = 0; s < w->h->m; s++) {
        const int32_t k = sp_model_state_class(model, s);
        int32_t r = 0, n = 0;
        double others = 0;
        for (int32_t u = 0; u < w->h->m; u++) {
            n += sp_model_state_class(model, u) == k;
            r += u < s && sp_model_state_class(model, u) == k;
        }
        const double leave = fmin(0.1 * pow(2, (n - 1) / 2. - r), 0.5);
        for (int64_t e = model->row[s]; e < model->row[s + 1]; e++) {
            count[e] = exp(sp_random_unit_at(random, (uint64_t)e) - 0.5);
            others += model->to[e] != s ? count[e] : 0;
        }
        for (int64_t e = model->row[s]; e < model->row[s + 1]; e++)
            count[e] = model->to[e] == s ? 1 - leave : count[e] / others * leave;
        start[s] = exp(sp_random_unit_at(random, (uint64_t)(w->h->n_edges + s)) - 0.5);
    }
}

/* ---- the iterations ---- */

/* At most so many more; *n counts them, *value is the objective, values [] where each begins and the last ends. */
static sp_status iterate(em *w, int most, int *n, double *value, double *values, sp_error *err)
{
    sp_status status = SP_OK;
    bool goes_on = true;
    for (int i = 0; goes_on && i < most; i++) {
        const double before = *value;
        share_out_all(w, w->sums.next, w->sums.start, w->options->smoothing);
        TRY(expect(w, value, err));
        if (values)
            values[*n + 1] = *value;
        ++*n;
        goes_on = *value - before > w->options->precision * fabs(*value);
    }
done:
    return status;
}

static sp_status choose_beginning(em *w, sp_owned *own, sp_hidden_found *found, double *value, sp_error *err)
{
    const sp_hidden *h = w->h;
    const size_t E = (size_t)h->n_edges, m = (size_t)h->m;
    double *count = sp_zeros(own, E + m, sizeof *count), *best = sp_zeros(own, E + m, sizeof *best), *start,
           greatest = -INFINITY;
    double *values = sp_zeros(own, TRIAL_ITERATIONS + 1, sizeof *values);
    sp_status status = SP_OK;
    TRY(sp_owned_status(own, err));
    start = count + E;
    const int n_trials = h->model->weight || h->chain->is_told ? 1 : SP_HIDDEN_STARTS;
    const int most =
        w->options->most_iterations < TRIAL_ITERATIONS ? w->options->most_iterations : TRIAL_ITERATIONS;
    for (int i = 0; i < n_trials; i++) {
        int n = 0;
        if (h->model->weight)
            begin_as_declared(w, count, start);
        else
            begin(w, i, count, start);
        share_out_all(w, count, start, 0);
        TRY(expect(w, &values[0], err));
        *value = values[0];
        if (n_trials > 1)
            TRY(iterate(w, most, &n, value, values, err));
        if (*value > greatest) {
            greatest = *value;
            memcpy(best, w->next, E * sizeof *best);
            memcpy(best + E, w->start, m * sizeof *best);
            found->n_iterations = n;
            if (found->values)
                memcpy(found->values, values, ((size_t)n + 1) * sizeof *values);
        }
    }
    memcpy(w->next, best, E * sizeof *best);
    memcpy(w->start, best + E, m * sizeof *best);
    if (n_trials > 1)
        TRY(expect(w, value, err));
done:
    return status;
}

sp_status sp_hidden_em(sp_hidden *h, const sp_hidden_em_options *options, sp_workers *workers,
                       sp_hidden_found *found, sp_error *err)
{
    const size_t E = (size_t)h->n_edges, m = (size_t)h->m;
    sp_owned own = {0};
    em w = {.h = h, .options = options, .workers = workers, .next = found->next, .start = found->start};
    double value = 0;
    sp_status status = SP_OK;
    memset(found->next, 0, E * sizeof *found->next); /* what is not learnt weighs 0 */
    found->n_iterations = 0;
    TRY(choose_beginning(&w, &own, found, &value, err));
    TRY(iterate(&w, options->most_iterations - found->n_iterations, &found->n_iterations, &value,
                found->values, err));
    found->log_z = *w.sums.log_z;
    if (found->uses) {
        memcpy(found->uses, w.sums.next, E * sizeof *found->uses);
        memcpy(found->uses + E, w.sums.start, m * sizeof *found->uses);
    }
done:
    free(w.sums.all);
    sp_owned_free(&own);
    return status;
}
