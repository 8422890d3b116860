/* Label sequences by a Markov chain, and a classifier that errs. The process is described in simulate.h. */
#include "statepath/simulate.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "statepath/logmath.h"

/* One generator for each thing that is drawn, so that changing one of them leaves the others as they were. */
enum { DRAW_LENGTH, DRAW_CLASS, DRAW_CLASSIFIER, DRAW_HIDDEN, N_DRAWS };

typedef struct workshop {
    const sp_recipe *recipe;
    gsl_rng *rng[N_DRAWS];
    int32_t *classes; /* [S] the true classes, before some are hidden */
    double *says;     /* [K,K] log max(P(c = k | d), floor), rows = d */
    double *error_in; /* [K] probability that an error begins at a step of class c */
    double *logits;   /* [K] */
    sp_simulated *out;
} workshop;

/* ---- making and clearing ---- */

void sp_simulated_free(sp_simulated *simulated)
{
    if (!simulated)
        return;
    free(simulated->offsets);
    free(simulated->labels);
    free(simulated->log_probs);
    free(simulated);
}

static void workshop_clear(workshop *w)
{
    for (int i = 0; i < N_DRAWS; i++)
        if (w->rng[i])
            gsl_rng_free(w->rng[i]);
    free(w->classes);
    free(w->says);
    free(w->error_in);
    free(w->logits);
    sp_simulated_free(w->out);
}

/* The generators' seeds are the recipe's, moved by the golden ratio of 2^32: never 0, which GSL would replace. */
static bool seed_generators(workshop *w)
{
    for (uint32_t i = 0; i < N_DRAWS; i++) {
        uint32_t seed = (uint32_t)w->recipe->seed + i * 2654435769u;
        if (!(w->rng[i] = gsl_rng_alloc(gsl_rng_mt19937)))
            return false;
        gsl_rng_set(w->rng[i], seed ? seed : 1);
    }
    return true;
}

/* Draws the lengths and makes room for what they add up to. */
static bool make_room(workshop *w)
{
    const sp_recipe *r = w->recipe;
    size_t k = (size_t)r->n_classes, n = (size_t)r->n_recordings;
    w->out = calloc(1, sizeof *w->out);
    if (!w->out || !(w->out->offsets = malloc((n + 1) * sizeof *w->out->offsets)))
        return false;
    w->out->n_recordings = r->n_recordings;
    w->out->n_classes = r->n_classes;
    w->out->offsets[0] = 0;
    unsigned long spread = (unsigned long)(r->max_steps - r->min_steps) + 1;
    for (size_t i = 0; i < n; i++)
        w->out->offsets[i + 1] = w->out->offsets[i] + r->min_steps + (int64_t)gsl_rng_uniform_int(w->rng[DRAW_LENGTH], spread);
    w->out->n_steps = w->out->offsets[n];
    size_t s = (size_t)w->out->n_steps;
    if (s > SIZE_MAX / sizeof(double) / k)
        return false;
    w->out->labels = malloc(s * sizeof *w->out->labels);
    w->out->log_probs = malloc(s * k * sizeof *w->out->log_probs);
    w->classes = malloc(s * sizeof *w->classes);
    w->says = malloc(k * k * sizeof *w->says);
    w->error_in = malloc(k * sizeof *w->error_in);
    w->logits = malloc(k * sizeof *w->logits);
    return w->out->labels && w->out->log_probs && w->classes && w->says && w->error_in && w->logits;
}

/* ---- the chain ---- */

/* A class by its probabilities, which sum to `total`: the first whose cumulated probability exceeds u * total. Own and simple, so
 * that every version of every library draws the same. */
static int32_t draw(double u, int32_t n, const double *p, int32_t skip)
{
    double total = 0, sum = 0;
    int32_t last = -1;
    for (int32_t k = 0; k < n; k++)
        total += k == skip ? 0 : p[k];
    for (int32_t k = 0; k < n; k++) {
        if (k == skip || p[k] == 0)
            continue;
        sum += p[k];
        last = k;
        if (u * total < sum)
            return k;
    }
    return last; /* rounding: u * total reached the last sum */
}

static void draw_classes(workshop *w)
{
    const sp_recipe *r = w->recipe;
    int32_t k = r->n_classes;
    for (int64_t n = 0; n < r->n_recordings; n++)
        for (int64_t t = w->out->offsets[n]; t < w->out->offsets[n + 1]; t++) {
            bool is_first = t == w->out->offsets[n];
            const double *p = is_first ? r->start : r->transitions + (size_t)w->classes[t - 1] * (size_t)k;
            w->classes[t] = draw(gsl_rng_uniform(w->rng[DRAW_CLASS]), k, p, -1);
            bool is_hidden = gsl_rng_uniform(w->rng[DRAW_HIDDEN]) < r->unscored;
            w->out->labels[t] = is_hidden ? -1 : w->classes[t];
        }
}

/* ---- the classifier ---- */

/* What it says when it sees d, and how often it begins to err.
 *
 * A share e = 1 - confusion[c,c] of the steps of class c shall be wrong. Errors last L steps on average and begin with
 * probability q at a step that is not in one, so wrong steps stand to right ones as q L to 1 - q: e = q L / (q L + 1 - q)   hence
 * q = e / (L (1 - e) + e) */
static void prepare_classifier(workshop *w)
{
    const sp_recipe *r = w->recipe;
    size_t k = (size_t)r->n_classes;
    double *frequency = w->logits; /* not needed for logits yet */
    for (size_t c = 0; c < k; c++) {
        double e = 1 - r->confusion[c * k + c];
        frequency[c] = 0;
        w->error_in[c] = e <= 0 ? 0 : e / (r->error_run * (1 - e) + e);
    }
    for (int64_t t = 0; t < w->out->n_steps; t++)
        frequency[w->classes[t]]++;
    for (size_t d = 0; d < k; d++) {
        double total = 0;
        for (size_t c = 0; c < k; c++)
            total += frequency[c] * r->confusion[c * k + d];
        for (size_t c = 0; c < k; c++) {
            double p = total > 0 ? frequency[c] * r->confusion[c * k + d] / total : c == d;
            w->says[d * k + c] = log(p > r->floor ? p : r->floor);
        }
    }
}

/* The class seen at a step of class c. `seen` is what was seen at the step before while an error lasts, else -1; so is what is
 * returned in *error. Draws two numbers whatever happens. */
static int32_t see(workshop *w, int32_t c, int32_t *error)
{
    const sp_recipe *r = w->recipe;
    double u = gsl_rng_uniform(w->rng[DRAW_CLASSIFIER]), v = gsl_rng_uniform(w->rng[DRAW_CLASSIFIER]);
    if (*error >= 0 && (*error == c || u < 1 / r->error_run))
        *error = -1; /* come true, or over: this step begins afresh, with v */
    else if (*error >= 0)
        return *error;
    if (v < w->error_in[c])
        *error = draw(v / w->error_in[c], r->n_classes, r->confusion + (size_t)c * (size_t)r->n_classes, c);
    return *error >= 0 ? *error : c;
}

static void draw_scores(workshop *w)
{
    const sp_recipe *r = w->recipe;
    int32_t k = r->n_classes, error = -1;
    int64_t n = 0;
    for (int64_t t = 0; t < w->out->n_steps; t++) {
        if (t == w->out->offsets[n]) { /* recordings hold at least one step */
            n++;
            error = -1;
        }
        const double *says = w->says + (size_t)see(w, w->classes[t], &error) * (size_t)k;
        for (int32_t j = 0; j < k; j++) {
            double z = gsl_ran_gaussian_ziggurat(w->rng[DRAW_CLASSIFIER], 1);
            w->logits[j] = r->overconfidence * (says[j] + r->noise * z);
        }
        sp_log_softmax(w->logits, k, w->logits);
        for (int32_t j = 0; j < k; j++)
            w->out->log_probs[(size_t)t * (size_t)k + (size_t)j] = (float)w->logits[j];
    }
}

sp_status sp_simulate(const sp_recipe *recipe, sp_simulated **out, sp_error *err)
{
    sp_status status = sp_recipe_check(recipe, NULL, err);
    if (status != SP_OK)
        return status;
    workshop w = {.recipe = recipe};
    if (seed_generators(&w) && make_room(&w)) {
        draw_classes(&w);
        prepare_classifier(&w);
        draw_scores(&w);
        *out = w.out;
        w.out = NULL;
    } else
        status = sp_fail(err, SP_ENOMEM, "no memory for %lld recordings of up to %lld steps of %d classes",
                         (long long)recipe->n_recordings, (long long)recipe->max_steps, recipe->n_classes);
    workshop_clear(&w);
    return status;
}
