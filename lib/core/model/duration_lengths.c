/* What durations say, for people: lengths in figures and in words, and what is odd. */
#include "core/model/durations.h"
#include "core/model/model.h"
#include "core/try.h"

#include <math.h>
#include <stdio.h>

/* ---- figures ---- */

static void find_bounds(const sp_run_weights *w, sp_duration_lengths *out)
{
    out->min = 1;
    while (out->min < w->n_whole && w->whole[out->min - 1] == -INFINITY)
        out->min++;
    out->max = w->longer > -INFINITY ? 0 : w->n_whole;
}

/* Does some length weigh something? Of one length alone the distribution is that length. */
static bool has_weights(const sp_run_weights *w, const sp_duration_lengths *bounds)
{
    bool has = bounds->min == bounds->max || (bounds->max == 0 && w->longer < 0);
    for (int64_t d = bounds->min; !has && d <= w->n_whole; d++)
        has = w->whole[d - 1] != 0;
    return has;
}

sp_duration_lengths sp_run_weights_lengths(const sp_run_weights *w)
{
    sp_duration_lengths out = {.has_distribution = false};
    find_bounds(w, &out);
    if (!(out.has_distribution = has_weights(w, &out)))
        return out;
    double sum = 0, moment = 0;
    for (int32_t d = 1; d <= w->n_whole; d++) { /* beyond a table lies less than 1e-30 */
        const double p = exp(w->whole[d - 1] - w->cut[0]);
        sum += p;
        moment += d * p;
    }
    out.mean = moment / sum;
    double so_far = 0;
    for (int32_t d = 1; d <= w->n_whole; d++) {
        so_far += exp(w->whole[d - 1] - w->cut[0]) / sum;
        const double reached = so_far + 1e-12; /* .1 + .2 + .2 is half */
        out.low = out.low == 0 && reached >= .05 ? d : out.low;
        out.median = out.median == 0 && reached >= .5 ? d : out.median;
        out.high = out.high == 0 && reached >= .95 ? d : out.high;
    }
    return out;
}

sp_status sp_duration_lengths_find(const sp_model *model, int32_t k, double step_seconds,
                                   sp_duration_lengths *out, sp_error *err)
{
    sp_run_weights weights;
    sp_status status = sp_run_weights_make(model, k, step_seconds, false, &weights, err);
    if (status == SP_OK)
        *out = sp_run_weights_lengths(&weights);
    sp_run_weights_clear(&weights);
    return status;
}

/* ---- words ---- */

enum { LENGTH_TEXT = 24, RANGE_TEXT = 60 };

/* "3 to 40 steps", "at least 3 steps", "" where there is no bound. */
static void range_text(const sp_duration *d, char out[RANGE_TEXT])
{
    char min[LENGTH_TEXT], max[LENGTH_TEXT];
    sp_length_text(min, sizeof min, d->min);
    sp_length_text(max, sizeof max, d->max);
    if (d->min.value > 0 && d->max.value > 0 && !d->min.is_seconds && !d->max.is_seconds)
        snprintf(out, RANGE_TEXT, "%.10g to %s", d->min.value, max);
    else if (d->min.value > 0 && d->max.value > 0)
        snprintf(out, RANGE_TEXT, "%s to %s", min, max);
    else if (d->min.value > 0 || d->max.value > 0)
        snprintf(out, RANGE_TEXT, "%s %s", d->min.value > 0 ? "at least" : "at most",
                 d->min.value > 0 ? min : max);
    else
        *out = '\0';
}

char *sp_duration_text(const sp_model *model, int32_t k, char out[SP_DURATION_TEXT])
{
    const sp_duration none = {.form = SP_DURATION_FREE}, *d = model->durations ? &model->durations[k] : &none;
    char range[RANGE_TEXT], centre[LENGTH_TEXT];
    range_text(d, range);
    sp_length_text(centre, sizeof centre, d->centre);
    const char *comma = *range ? ", " : "";
    switch (d->form) {
    case SP_DURATION_FREE:
        *out = '\0';
        break;
    case SP_DURATION_RANGE:
        snprintf(out, SP_DURATION_TEXT, "%s", range);
        break;
    case SP_DURATION_PMF:
        snprintf(out, SP_DURATION_TEXT, "probabilities of %d length%s", d->n_pmf, d->n_pmf == 1 ? "" : "s");
        break;
    case SP_DURATION_NEGATIVE_BINOMIAL:
        snprintf(out, SP_DURATION_TEXT, "negative binomial of mean %s and dispersion %g%s%s", centre,
                 d->spread, comma, range);
        break;
    case SP_DURATION_LOG_NORMAL:
        snprintf(out, SP_DURATION_TEXT, "log-normal of median %s and sigma %g%s%s", centre, d->spread, comma,
                 range);
        break;
    case SP_DURATION_POISSON:
        snprintf(out, SP_DURATION_TEXT, "Poisson of mean %s%s%s", centre, comma, range);
        break;
    }
    return out;
}

/* ---- what is odd ---- */

static bool is_left(const sp_model *model, int32_t k)
{
    for (int32_t s = 0; s < model->n_states; s++)
        for (int64_t e = model->row[s]; sp_model_state_class(model, s) == k && e < model->row[s + 1]; e++)
            if (sp_model_state_class(model, model->to[e]) != k)
                return true;
    return false;
}

static bool is_in_seconds(const sp_duration *d)
{
    return d->min.is_seconds || d->max.is_seconds || d->centre.is_seconds;
}

sp_status sp_duration_warnings(const sp_model *model, void (*warn)(void *arg, const char *sentence),
                               void *arg, sp_error *err)
{
    const double tolerance = .01;
    char sentence[1024];
    for (int32_t k = 0; model->durations && k < model->n_classes; k++) {
        const sp_duration *d = &model->durations[k];
        sp_run_weights weights = {.n_whole = 0};
        sp_error own = {.message = ""};
        if (d->form == SP_DURATION_FREE ||
            is_in_seconds(d)) /* which mean nothing before a step has a length */
            continue;
        const sp_status status = sp_run_weights_make(model, k, 0, false, &weights, &own);
        const double all = status == SP_OK ? exp(weights.cut[0]) : 1, longer = weights.longer;
        sp_run_weights_clear(&weights);
        if (status == SP_ENOMEM)
            return sp_no_memory(err);
        if (status != SP_OK)
            warn(arg, own.message);
        if (d->form == SP_DURATION_PMF && fabs(all - 1) > tolerance) {
            snprintf(sentence, sizeof sentence,
                     "the pmf of the duration of \"%s\" sums to %g, so that each of its runs weighs %+.3g "
                     "nats beside what a "
                     "distribution would",
                     model->classes[k], all, log(all));
            warn(arg, sentence);
        }
        if (status == SP_OK && longer == -INFINITY && !is_left(model, k)) {
            snprintf(sentence, sizeof sentence,
                     "class \"%s\" can never be left, and lasts no longer than its duration allows: no "
                     "recording goes on after it",
                     model->classes[k]);
            warn(arg, sentence);
        }
    }
    return SP_OK;
}
