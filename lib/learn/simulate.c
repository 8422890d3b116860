/* Label sequences by a Markov chain, and a classifier that errs. The process is described in simulate.h. */
#include "statepath/simulate.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "core/try.h"
#include "learn/label_sequences.h"
#include "learn/learn.h"
#include "statepath/scores.h"

typedef struct workshop {
    const sp_recipe *recipe;
    gsl_rng *rng;
    sp_label_sequences drawn;
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
    if (w->rng)
        gsl_rng_free(w->rng);
    sp_label_sequences_clear(&w->drawn);
    free(w->says);
    free(w->error_in);
    free(w->logits);
    sp_simulated_free(w->out);
}

/* Draws the label sequences and makes room for their scores. */
static bool make_room(workshop *w)
{
    const sp_recipe *r = w->recipe;
    size_t k = (size_t)r->n_classes;
    if (!(w->out = calloc(1, sizeof *w->out)) || !(w->rng = sp_draw_new(r, SP_DRAW_CLASSIFIER)) ||
        !sp_label_sequences_draw(r, &w->drawn))
        return false;
    w->out->n_recordings = w->drawn.n_recordings;
    w->out->n_steps = w->drawn.n_steps;
    w->out->n_classes = r->n_classes;
    w->out->offsets = w->drawn.offsets; /* moved */
    w->out->labels = w->drawn.labels;
    w->drawn.offsets = NULL;
    w->drawn.labels = NULL;
    size_t s = (size_t)w->out->n_steps;
    if (s > SIZE_MAX / sizeof(double) / k)
        return false;
    w->out->log_probs = malloc(s * k * sizeof *w->out->log_probs);
    w->says = malloc(k * k * sizeof *w->says);
    w->error_in = malloc(k * sizeof *w->error_in);
    w->logits = malloc(k * sizeof *w->logits);
    return w->out->log_probs && w->says && w->error_in && w->logits;
}

/* ---- the classifier ---- */

/* What it says when it sees d, and how often it begins to err.
 *
 * A share e = 1 - confusion[c,c] of the steps of class c shall be wrong. Errors last L steps on average and begin with
 * probability q at a step that is not in one, so wrong steps stand to right ones as q L to 1 - q:
 *     e = q L / (q L + 1 - q), hence q = e / (L (1 - e) + e) */
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
        frequency[w->drawn.classes[t]]++;
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
    double u = gsl_rng_uniform(w->rng), v = gsl_rng_uniform(w->rng);
    if (*error >= 0 && (*error == c || u < 1 / r->error_run))
        *error = -1; /* come true, or over: this step begins afresh, with v */
    else if (*error >= 0)
        return *error;
    if (v < w->error_in[c])
        *error = sp_draw_class(v / w->error_in[c], r->n_classes,
                               r->confusion + (size_t)c * (size_t)r->n_classes, c);
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
        const double *says = w->says + (size_t)see(w, w->drawn.classes[t], &error) * (size_t)k;
        for (int32_t j = 0; j < k; j++) {
            double z = gsl_ran_gaussian_ziggurat(w->rng, 1);
            w->logits[j] = r->overconfidence * (says[j] + r->noise * z);
        }
        sp_log_softmax(w->logits, k, w->logits);
        for (int32_t j = 0; j < k; j++)
            w->out->log_probs[(size_t)t * (size_t)k + (size_t)j] = (float)w->logits[j];
    }
}

sp_status sp_simulate(const sp_recipe *recipe, sp_simulated **out, sp_error *err)
{
    workshop w = {.recipe = recipe};
    sp_status status = SP_OK;
    TRY(sp_recipe_check(recipe, NULL, err));
    if (recipe->signals)
        TRY(sp_fail(err, SP_EINVAL, "the recipe%s%s is one of signals, not of scores",
                    recipe->name ? " " : "", recipe->name ? recipe->name : ""));
    if (!make_room(&w))
        TRY(sp_no_memory(err));
    prepare_classifier(&w);
    draw_scores(&w);
    *out = w.out;
    w.out = NULL;
done:
    workshop_clear(&w);
    return status;
}
