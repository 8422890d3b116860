/* A random field over hidden states as a function to minimise. */
#include "learn/hidden/hidden_field.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/logmath.h"
#include "core/model/model.h"
#include "core/try.h"
#include "learn/hidden/hidden_private.h"

/* What expectation-maximisation made of some recordings. */
typedef struct counts {
    struct counts *before;
    double smoothing;
    uint8_t *use; /* [N] */
    double *next, *start, *uses, *prior;
} counts;

struct sp_hidden_field {
    sp_owned own;
    sp_hidden *hidden;
    int64_t n;
    int64_t *next_at, *start_at, *end_at; /* places of the parameters, -1: none */
    double *next, *start, *end;           /* [transitions], [states] weights of a pass */
    counts *found;                        /* the last; own's */
};

static int64_t at_side(const double *side, int32_t s, int64_t *n)
{
    return side && side[s] == -INFINITY ? -1 : (*n)++;
}

sp_status sp_hidden_field_new(const sp_training *training, const sp_rules *rules, sp_hidden_field **out,
                              int64_t *n, sp_violations *violations, sp_error *err)
{
    sp_hidden_field *f = calloc(1, sizeof *f);
    sp_status status = SP_OK;
    TRY(f ? SP_OK : sp_no_memory(err));
    TRY(sp_hidden_new(training, rules, &f->hidden, err));
    const sp_hidden *h = f->hidden;
    const size_t E = (size_t)h->n_edges, m = (size_t)h->m;
    f->next_at = sp_zeros(&f->own, E, sizeof *f->next_at);
    f->start_at = sp_zeros(&f->own, m, sizeof *f->start_at);
    f->end_at = sp_zeros(&f->own, m, sizeof *f->end_at);
    f->next = sp_zeros(&f->own, E, sizeof *f->next);
    f->start = sp_zeros(&f->own, m, sizeof *f->start);
    f->end = sp_zeros(&f->own, m, sizeof *f->end);
    TRY(sp_owned_status(&f->own, err));
    f->n = 1 + h->K;
    for (size_t e = 0; e < E; e++)
        f->next_at[e] = sp_hidden_learns(h, (int64_t)e) ? f->n++ : -1;
    for (int32_t s = 0; s < h->m; s++)
        f->start_at[s] = at_side(h->model->start, s, &f->n);
    for (int32_t s = 0; s < h->m; s++)
        f->end_at[s] = at_side(h->model->end, s, &f->n);
    *n = f->n;
    *violations = f->hidden->violations;
    f->hidden->violations = (sp_violations){0};
    *out = f;
    f = NULL;
done:
    sp_hidden_field_free(f);
    return status;
}

void sp_hidden_field_free(sp_hidden_field *f)
{
    if (!f)
        return;
    sp_hidden_free(f->hidden);
    sp_owned_free(&f->own);
    free(f);
}

int64_t sp_hidden_field_n_steps(const sp_hidden_field *f)
{
    return sp_hidden_n_steps(f->hidden, NULL);
}

/* theta at its places to weights; what has none weighs `without`. */
static void take(int64_t n, const int64_t *at, const double *theta, double without, double *weight)
{
    for (int64_t i = 0; i < n; i++)
        weight[i] = at[i] >= 0 ? theta[at[i]] : without;
}

static void put(int64_t n, const int64_t *at, const double *from, double by, double *theta)
{
    for (int64_t i = 0; i < n; i++)
        if (at[i] >= 0)
            theta[at[i]] = by * from[i];
}

static sp_hidden_weights weights_of(const sp_hidden_field *f, const double *theta)
{
    take(f->hidden->n_edges, f->next_at, theta, 0, f->next);
    take(f->hidden->m, f->start_at, theta, -INFINITY, f->start);
    take(f->hidden->m, f->end_at, theta, -INFINITY, f->end);
    return (sp_hidden_weights){f->next, f->start, f->end};
}

sp_status sp_hidden_field_likelihood(sp_hidden_field *f, const double *theta, const uint8_t *use,
                                     sp_workers *workers, double *value, double *gradient, sp_error *err)
{
    sp_hidden *h = f->hidden;
    sp_hidden_pass pass = {.use = use,
                           .is_labelled = true,
                           .has_scores = true,
                           .scale = theta[0],
                           .bias = theta + 1,
                           .wants_counts = gradient != NULL};
    sp_hidden_sums free_sums = {0}, held = {0};
    const sp_hidden_weights weights = weights_of(f, theta);
    sp_status status = SP_OK;
    sp_hidden_weigh(h, &weights);
    TRY(sp_hidden_run(h, &pass, workers, &free_sums, err));
    pass.has_labels = true;
    TRY(sp_hidden_run(h, &pass, workers, &held, err));
    for (int64_t i = 0; i < held.n; i++)
        free_sums.all[i] -= held.all[i];
    *value = *free_sums.log_z;
    if (gradient) {
        gradient[0] = *free_sums.along;
        memcpy(gradient + 1, free_sums.steps, (size_t)h->K * sizeof *gradient);
        put(h->n_edges, f->next_at, free_sums.next, 1, gradient);
        put(h->m, f->start_at, free_sums.start, 1, gradient);
        put(h->m, f->end_at, free_sums.end, 1, gradient);
    }
done:
    free(free_sums.all);
    free(held.all);
    return status;
}

/* ---- counts ---- */

/* smoothing below 0: whichever. */
static const counts *found_for(const sp_hidden_field *f, const uint8_t *use, double smoothing)
{
    const size_t N = (size_t)f->hidden->training->batch.n_recordings;
    for (const counts *c = f->found; c; c = c->before) {
        bool is_same = smoothing < 0 || c->smoothing == smoothing;
        for (size_t n = 0; n < N; n++)
            is_same &= c->use[n] == (use ? use[n] != 0 : 1);
        if (is_same)
            return c;
    }
    return NULL;
}

static sp_status find_counts(sp_hidden_field *f, double smoothing, const uint8_t *use, sp_workers *workers,
                             sp_error *err)
{
    sp_hidden *h = f->hidden;
    const size_t N = (size_t)h->training->batch.n_recordings, E = (size_t)h->n_edges, m = (size_t)h->m;
    counts *c = sp_zeros(&f->own, 1, sizeof *c);
    double *all = sp_zeros(&f->own, 2 * (E + m) + (size_t)h->K, sizeof *all);
    uint8_t *copy = sp_zeros(&f->own, N, 1);
    sp_status status = SP_OK;
    TRY(sp_owned_status(&f->own, err));
    for (size_t n = 0; n < N; n++)
        copy[n] = use ? use[n] != 0 : 1;
    *c = (counts){.before = f->found,
                  .smoothing = smoothing,
                  .use = copy,
                  .next = all,
                  .start = all + E,
                  .uses = all + E + m};
    c->prior = c->uses + E + m;
    const sp_hidden_em_options how = {
        .use = copy, .has_labels = true, .smoothing = smoothing, .most_iterations = 200, .precision = 1e-6};
    sp_hidden_found found = {.next = c->next, .start = c->start, .uses = c->uses};
    TRY(sp_hidden_em(h, &how, workers, &found, err));
    TRY(sp_hidden_prior(h, copy, smoothing, c->prior, err));
    f->found = c;
done:
    return status;
}

sp_status sp_hidden_field_from_counts(sp_hidden_field *f, double smoothing, const sp_crf_weights *weights,
                                      const uint8_t *use, sp_workers *workers, double *theta, sp_error *err)
{
    const sp_hidden *h = f->hidden;
    sp_status status = SP_OK;
    if (!found_for(f, use, smoothing))
        TRY(find_counts(f, smoothing, use, workers, err));
    const counts *c = found_for(f, use, smoothing);
    memset(theta, 0, (size_t)f->n * sizeof *theta);
    theta[0] = weights->scale;
    for (int32_t k = 0; k < h->K; k++)
        theta[1 + k] = -weights->prior * log(c->prior[k]);
    put(h->n_edges, f->next_at, c->next, weights->transitions, theta);
    put(h->m, f->start_at, c->start, 1, theta);
done:
    return status;
}

void sp_hidden_field_usage(const sp_hidden_field *f, const uint8_t *use, double *usage)
{
    const sp_hidden *h = f->hidden;
    const counts *c = found_for(f, use, -1);
    const double n_steps = (double)sp_hidden_n_steps(h, use);
    memset(usage, 0, (size_t)f->n * sizeof *usage);
    assert(c);
    usage[0] = n_steps;
    for (int32_t k = 0; k < h->K; k++)
        usage[1 + k] = n_steps * c->prior[k];
    put(h->n_edges, f->next_at, c->uses, 1, usage);
    put(h->m, f->start_at, c->uses + h->n_edges, 1, usage);
}

/* ---- out ---- */

sp_status sp_hidden_field_to_model(const sp_hidden_field *f, const double *theta, const char *name,
                                   sp_model **out, sp_error *err)
{
    const int32_t K = f->hidden->K;
    const sp_hidden_weights weights = weights_of(f, theta);
    double *prior = malloc((size_t)K * sizeof *prior);
    sp_status status = SP_OK;
    TRY(prior ? SP_OK : sp_no_memory(err));
    for (int32_t k = 0; k < K; k++)
        prior[k] = -theta[1 + k];
    const double all = sp_logsumexp(prior, K);
    for (int32_t k = 0; k < K; k++)
        prior[k] = exp(prior[k] - all);
    TRY(sp_hidden_to_model(f->hidden, &weights, prior, name, out, err));
    (*out)->temperature = 1 / theta[0];
    (*out)->prior_weight = 1;
done:
    free(prior);
    return status;
}
