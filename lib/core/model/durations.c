#include "core/model/durations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/logmath.h"
#include "core/try.h"

/* ---- lengths ---- */

static const struct {
    const char *unit;
    double seconds;
} units[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {"", 0}};

bool sp_length_parse(const char *text, size_t n, sp_length *out)
{
    char *unit;
    if (n == 0 || !*text ||
        !strchr("0123456789.", *text)) /* what strtod() would pass over: blanks, signs, "inf" */
        return false;
    const double value = strtod(text, &unit);
    const char *const end = text + n;
    while (unit < end && *unit == ' ')
        unit++;
    for (size_t i = 0; i < sizeof units / sizeof *units && unit <= end; i++)
        if (strlen(units[i].unit) == (size_t)(end - unit) &&
            memcmp(unit, units[i].unit, (size_t)(end - unit)) == 0) {
            *out = (sp_length){units[i].seconds > 0 ? value * units[i].seconds : value, units[i].seconds > 0};
            return true;
        }
    return false;
}

char *sp_length_text(char *out, size_t size, sp_length length)
{
    const char *unit = length.is_seconds ? "s" : length.value == 1 ? "step" : "steps";
    double value = length.value;
    for (size_t i = 1; length.is_seconds && i <= 2; i++)
        if (fmod(length.value, units[i].seconds) == 0) {
            value = length.value / units[i].seconds;
            unit = units[i].unit;
        }
    snprintf(out, size, "%.10g %s", value, unit);
    return out;
}

sp_status sp_length_steps(sp_length length, double step_seconds, const char *what, double *steps,
                          sp_error *err)
{
    *steps = length.value;
    if (!length.is_seconds)
        return SP_OK;
    if (!(step_seconds > 0))
        return sp_fail(err, SP_EMODEL,
                       "%s is a time, %g s, but how long a step of the scores is is not known; "
                       "`epoch_seconds` says it, or write "
                       "the length in steps",
                       what, length.value);
    *steps = fmax(1, floor(length.value / step_seconds + .5));
    return SP_OK;
}

/* ---- distributions ---- */

/* A named distribution over d = 1, 2, ... */
typedef struct named {
    sp_duration_form form;
    double centre, spread; /* steps */
} named;

static double log_upper_tail(double z) /* of the standard normal */
{
    const double far = 30; /* beyond, erfc() loses digits and then all */
    return z < far ? log(.5 * erfc(z * M_SQRT1_2)) : -.5 * z * z - log(z * sqrt(2 * M_PI)) - 1 / (z * z);
}

/* log of a normal variable's probability of lying from a to b. */
static double log_between(double a, double b)
{
    if (b < 0) { /* tails keep their digits above 0 */
        const double other = a;
        a = -b;
        b = -other;
    }
    if (a < 0)
        return log(.5 * (erf(b * M_SQRT1_2) - erf(a * M_SQRT1_2)));
    const double above_a = log_upper_tail(a), above_b = log_upper_tail(b);
    return above_a + log1p(-exp(above_b - above_a));
}

/* log p(d), given that of d-1. */
static double next_log_p(const named *n, int64_t d, double before)
{
    const double extra = n->centre - 1, x = (double)d;
    switch (n->form) {
    case SP_DURATION_NEGATIVE_BINOMIAL:
        if (extra == 0)
            return d == 1 ? 0 : -INFINITY;
        if (d == 1)
            return -n->spread * log1p(extra / n->spread);
        return before + log((x - 2 + n->spread) / (x - 1)) - log1p(n->spread / extra);
    case SP_DURATION_POISSON:
        if (extra == 0)
            return d == 1 ? 0 : -INFINITY;
        return d == 1 ? -extra : before + log(extra / (x - 1));
    default: {
        const double low = d == 1 ? -INFINITY : (log(x - .5) - log(n->centre)) / n->spread;
        return log_between(low, (log(x + .5) - log(n->centre)) / n->spread);
    }
    }
}

/* ---- tables ---- */

typedef struct support {
    int64_t min, max; /* steps; max INT64_MAX: unbounded */
} support;

static sp_status find_support(const sp_model *model, int32_t k, double step_seconds, support *out,
                              sp_error *err)
{
    const sp_duration *d = &model->durations[k];
    char what[200];
    double min = 1, max = INFINITY;
    sp_status status = SP_OK;
    snprintf(what, sizeof what, "model %s: the min of the duration of \"%s\"", model->name,
             model->classes[k]);
    if (d->min.value > 0)
        TRY(sp_length_steps(d->min, step_seconds, what, &min, err));
    snprintf(what, sizeof what, "model %s: the max of the duration of \"%s\"", model->name,
             model->classes[k]);
    if (d->max.value > 0)
        TRY(sp_length_steps(d->max, step_seconds, what, &max, err));
    if (min > max)
        return sp_fail(
            err, SP_EMODEL,
            "model %s: the duration of \"%s\" is at least %.10g and at most %.10g steps; no length is both",
            model->name, model->classes[k], min, max);
    if (min > SP_DURATION_MOST || (max > SP_DURATION_MOST && isfinite(max)))
        return sp_fail(
            err, SP_EMODEL,
            "model %s: the duration of \"%s\" reaches to %.10g steps; lengths up to %d can be counted",
            model->name, model->classes[k], isfinite(max) ? max : min, SP_DURATION_MOST);
    out->min = (int64_t)min;
    out->max = isfinite(max) ? (int64_t)max : INT64_MAX;
done:
    return status;
}

static double *room(int64_t n)
{
    return malloc((size_t)n * sizeof(double));
}

static sp_status make_range(support range, sp_run_weights *out, sp_error *err)
{
    const bool is_bounded = range.max < INT64_MAX;
    out->n_whole = (int32_t)(is_bounded ? range.max : range.min);
    out->n_cut = is_bounded ? out->n_whole : 1;
    out->longer = is_bounded ? -INFINITY : 0;
    if (!(out->whole = room(out->n_whole)) || !(out->cut = room(out->n_cut)))
        return sp_no_memory(err);
    for (int64_t d = 1; d <= out->n_whole; d++)
        out->whole[d - 1] = d < range.min ? -INFINITY : 0;
    for (int64_t d = 1; d <= out->n_cut; d++)
        out->cut[d - 1] = 0;
    return SP_OK;
}

/* cut[] from whole[] and `longer`. */
static sp_status add_up_tails(sp_run_weights *w, sp_error *err)
{
    w->n_cut = w->n_whole;
    if (!(w->cut = room(w->n_cut)))
        return sp_no_memory(err);
    double tail =
        w->longer > -INFINITY ? w->whole[w->n_whole - 1] + w->longer - log1p(-exp(w->longer)) : -INFINITY;
    for (int32_t d = w->n_whole; d > 0; d--)
        w->cut[d - 1] = tail = sp_logaddexp(tail, w->whole[d - 1]);
    if (fabs(tail) < 1e-14) /* a distribution, but for rounding */
        w->cut[0] = 0;
    return SP_OK;
}

static sp_status make_pmf(const sp_duration *duration, sp_run_weights *out, sp_error *err)
{
    out->n_whole = duration->n_pmf;
    while (duration->pmf[out->n_whole - 1] == 0) /* something is above 0: sp_duration_check() */
        out->n_whole--;
    if (!(out->whole = room(out->n_whole)))
        return sp_no_memory(err);
    for (int32_t d = 0; d < out->n_whole; d++)
        out->whole[d] = log(duration->pmf[d]);
    out->longer = -INFINITY;
    return add_up_tails(out, err);
}

/* Is less than 1e-30 of the distribution beyond a length; of a log-normal, whose tail is longer than that of
 * others, less than 1e-12? */
static bool is_all(sp_duration_form form, double log_p, double before, double total)
{
    const double least = log(form == SP_DURATION_LOG_NORMAL ? 1e-12 : 1e-30);
    const double longer = log_p - before;
    return longer < 0 && log_p + longer - log1p(-exp(longer)) < total + least;
}

static sp_status make_named(const sp_model *model, int32_t k, const named *n, support range,
                            sp_run_weights *out, sp_error *err)
{
    const bool is_bounded = range.max < INT64_MAX;
    const int64_t most = is_bounded ? range.max : SP_DURATION_MOST;
    if (!(out->whole = room(most)))
        return sp_no_memory(err);
    double total = -INFINITY, log_p = -INFINITY, before;
    int64_t d = 0;
    out->longer = -INFINITY;
    while (d < most) {
        before = log_p;
        log_p = next_log_p(n, ++d, before);
        out->whole[d - 1] = d < range.min ? -INFINITY : log_p;
        total = sp_logaddexp(total, out->whole[d - 1]);
        if (!is_bounded && d >= SP_DURATION_LEAST && d > range.min &&
            (log_p == -INFINITY || is_all(n->form, log_p, before, total))) {
            out->longer = log_p == -INFINITY ? -INFINITY : log_p - before;
            break;
        }
    }
    if (!is_bounded && d == most)
        return sp_fail(err, SP_EMODEL,
                       "model %s: the distribution of the duration of \"%s\" has no end within %d steps; say "
                       "how long it may be at "
                       "most: \"max\"",
                       model->name, model->classes[k], SP_DURATION_MOST);
    if (total == -INFINITY)
        return sp_fail(
            err, SP_EMODEL,
            "model %s: the distribution of the duration of \"%s\" has nothing between its min and max",
            model->name, model->classes[k]);
    out->n_whole = (int32_t)d;
    while (out->whole[out->n_whole - 1] == -INFINITY)
        out->n_whole--;
    for (int32_t i = 0; i < out->n_whole; i++)
        out->whole[i] -= total;
    return add_up_tails(out, err);
}

static void forget_weights(double *weight, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        weight[i] = weight[i] > -INFINITY ? 0 : -INFINITY;
}

sp_status sp_run_weights_make(const sp_model *model, int32_t k, double step_seconds, bool is_boolean,
                              sp_run_weights *out, sp_error *err)
{
    const sp_duration *d = &model->durations[k];
    support range = {1, INT64_MAX};
    sp_status status = SP_OK;
    *out = (sp_run_weights){.n_whole = 0};
    TRY(find_support(model, k, step_seconds, &range, err));
    if (d->form == SP_DURATION_RANGE) {
        TRY(make_range(range, out, err));
    } else if (d->form == SP_DURATION_PMF) {
        TRY(make_pmf(d, out, err));
    } else {
        named n = {.form = d->form, .spread = d->spread};
        char what[200];
        snprintf(what, sizeof what, "model %s: the %s of the duration of \"%s\"", model->name,
                 d->form == SP_DURATION_LOG_NORMAL ? "median" : "mean", model->classes[k]);
        n.centre = d->centre.is_seconds ? d->centre.value / step_seconds
                                        : d->centre.value; /* no length of a run: not rounded */
        if (d->centre.is_seconds && !(step_seconds > 0))
            TRY(sp_length_steps(d->centre, step_seconds, what, &n.centre, err));
        if (d->form != SP_DURATION_LOG_NORMAL && n.centre < 1)
            return sp_fail(err, SP_EMODEL, "%s is %g steps; no run is shorter than one", what, n.centre);
        TRY(make_named(model, k, &n, range, out, err));
    }
    if (is_boolean) {
        forget_weights(out->whole, out->n_whole);
        forget_weights(out->cut, out->n_cut);
        out->longer = out->longer > -INFINITY ? 0 : -INFINITY;
    }
done:
    return status;
}

void sp_run_weights_clear(sp_run_weights *weights)
{
    free(weights->whole);
    free(weights->cut);
    *weights = (sp_run_weights){.n_whole = 0};
}

double sp_run_weight(const sp_run_weights *w, int64_t d, bool is_cut)
{
    const int32_t n = is_cut ? w->n_cut : w->n_whole;
    const double *weight = is_cut ? w->cut : w->whole;
    if (d <= n)
        return weight[d - 1];
    return w->longer == 0 ? weight[n - 1] : weight[n - 1] + (double)(d - n) * w->longer;
}

/* ---- copies ---- */

bool sp_durations_copy(const sp_model *from, const int32_t *class_of, sp_model *to)
{
    const int32_t K = from->n_classes;
    to->whole_at_start = from->whole_at_start;
    to->whole_at_end = from->whole_at_end;
    if (!from->durations)
        return true;
    if (!(to->durations = calloc((size_t)K, sizeof *to->durations)))
        return false;
    for (int32_t k = 0; k < K; k++) {
        const sp_duration *d = &from->durations[class_of ? class_of[k] : k];
        const size_t bytes = (size_t)d->n_pmf * sizeof *d->pmf;
        to->durations[k] = *d;
        to->durations[k].pmf = NULL;
        if (d->pmf && !(to->durations[k].pmf = malloc(bytes)))
            return false;
        if (d->pmf)
            memcpy(to->durations[k].pmf, d->pmf, bytes);
    }
    return true;
}

static void length_in_steps(sp_length *length, double step_seconds, bool is_whole)
{
    double steps = length->value / step_seconds;
    if (length->is_seconds && is_whole && sp_length_steps(*length, step_seconds, "", &steps, NULL) != SP_OK)
        return;
    if (length->is_seconds)
        *length = (sp_length){steps, false};
}

void sp_durations_in_steps(sp_model *model, double step_seconds)
{
    for (int32_t k = 0; model->durations && step_seconds > 0 && k < model->n_classes; k++) {
        length_in_steps(&model->durations[k].min, step_seconds, true);
        length_in_steps(&model->durations[k].max, step_seconds, true);
        length_in_steps(&model->durations[k].centre, step_seconds, false);
    }
}

/* ---- checks ---- */

static sp_status check_length(const sp_model *model, int32_t k, const char *what, sp_length length,
                              sp_error *err)
{
    if (length.value == 0)
        return SP_OK;
    if (!(length.value > 0) || isinf(length.value) ||
        (!length.is_seconds && (length.value < 1 || length.value != floor(length.value))))
        return sp_fail(
            err, SP_EMODEL,
            "model %s: the %s of the duration of \"%s\" is %g; it is a whole number of steps, at least 1, "
            "or a time",
            model->name, what, model->classes[k], length.value);
    return SP_OK;
}

static sp_status check_pmf(const sp_model *model, int32_t k, sp_error *err)
{
    const sp_duration *d = &model->durations[k];
    double sum = 0;
    for (int32_t i = 0; i < d->n_pmf; i++) {
        if (!(d->pmf[i] >= 0) || isinf(d->pmf[i]))
            return sp_fail(err, SP_EMODEL,
                           "model %s: the pmf of the duration of \"%s\" has %g at length %d; it needs "
                           "numbers, at least 0",
                           model->name, model->classes[k], d->pmf[i], i + 1);
        sum += d->pmf[i];
    }
    if (!(sum > 0) || isinf(sum))
        return sp_fail(err, SP_EMODEL,
                       "model %s: the pmf of the duration of \"%s\" sums to %g; some length must be possible",
                       model->name, model->classes[k], sum);
    if (d->n_pmf > SP_DURATION_MOST)
        return sp_fail(err, SP_EMODEL,
                       "model %s: the pmf of the duration of \"%s\" has %d lengths; up to %d can be counted",
                       model->name, model->classes[k], d->n_pmf, SP_DURATION_MOST);
    return SP_OK;
}

static sp_status check_named(const sp_model *model, int32_t k, sp_error *err)
{
    const sp_duration *d = &model->durations[k];
    const bool is_log_normal = d->form == SP_DURATION_LOG_NORMAL, has_spread = d->form != SP_DURATION_POISSON;
    const double least = is_log_normal || d->centre.is_seconds ? 0 : 1;
    if (!(d->centre.value >= least) || d->centre.value == 0 || isinf(d->centre.value))
        return sp_fail(err, SP_EMODEL, "model %s: the %s of the duration of \"%s\" is %g; it is a length, %s",
                       model->name, is_log_normal ? "median" : "mean", model->classes[k], d->centre.value,
                       is_log_normal ? "above 0" : "at least 1 step");
    if (has_spread && (!(d->spread > 0) || isinf(d->spread)))
        return sp_fail(err, SP_EMODEL,
                       "model %s: the %s of the duration of \"%s\" is %g; it is a number above 0",
                       model->name, is_log_normal ? "sigma" : "dispersion", model->classes[k], d->spread);
    return SP_OK;
}

sp_status sp_duration_check(const sp_model *model, int32_t k, sp_error *err)
{
    const sp_duration *d = &model->durations[k];
    sp_status status = SP_OK;
    TRY(check_length(model, k, "min", d->min, err));
    TRY(check_length(model, k, "max", d->max, err));
    if (d->min.value > 0 && d->max.value > 0 && d->min.is_seconds == d->max.is_seconds &&
        d->min.value > d->max.value) {
        char min[40], max[40];
        return sp_fail(err, SP_EMODEL, "model %s: the duration of \"%s\" has min %s above max %s",
                       model->name, model->classes[k], sp_length_text(min, sizeof min, d->min),
                       sp_length_text(max, sizeof max, d->max));
    }
    if (d->form == SP_DURATION_PMF)
        TRY(check_pmf(model, k, err));
    else if (d->form != SP_DURATION_RANGE)
        TRY(check_named(model, k, err));
done:
    return status;
}
