/* Options of all bootstraps, and intervals from resampled values. */
#include "evaluate/statistics/intervals.h"

#include "evaluate/statistics/random.h"
#include "evaluate/value.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

static const double max_draws = 2e8;
enum { MIN_RESAMPLES = 1000 };

sp_bootstrap_options sp_bootstrap_options_default(void)
{
    return (sp_bootstrap_options){.seed = 1, .n_resamples = 10000, .level = 0.95};
}

sp_status sp_bootstrap_options_check(const sp_bootstrap_options *options, sp_error *err)
{
    if (options->n_resamples < 1)
        return sp_fail(err, SP_EINVAL, "%d bootstrap resamples: at least 1 is needed, 10000 are usual",
                       options->n_resamples);
    if (!(options->level > 0 && options->level < 1))
        return sp_fail(err, SP_EINVAL, "confidence level %g: must be between 0 and 1, such as 0.95",
                       options->level);
    return SP_OK;
}

int32_t sp_bootstrap_resamples(const sp_bootstrap_options *options, int64_t n)
{
    double affordable = n > 0 ? floor(max_draws / (double)sp_cluster_units(n)) : INFINITY;
    if (affordable < MIN_RESAMPLES)
        affordable = MIN_RESAMPLES;
    return options->n_resamples < affordable ? options->n_resamples : (int32_t)affordable;
}

/* of one vector; of one pass over the drawn rows */

uint32_t sp_cluster_group(uint64_t seed, int64_t cluster)
{
    return (uint32_t)(sp_random_start(~seed, (uint64_t)cluster) & (SP_CLUSTER_GROUPS - 1));
}

/* ---- intervals ---- */

/* Values of one end of the order: those before (is_low) or after a pivot are brought to the front and sorted. */
typedef struct tail {
    int32_t n, n_values;
    double pivot; /* what follows towards the middle */
    bool is_low;
    const double *sorted; /* [n] */
} tail;

/* The ranks up to (is_low) or from `rank` on. Of 10,000 values only the ends are wanted, so the rest is not sorted. */
static tail tail_of(int32_t n, double *values, int32_t rank, bool is_low)
{
    tail out = {.n_values = n, .is_low = is_low, .sorted = values};
    out.pivot = gsl_stats_select(values, 1, (size_t)n, (size_t)rank);
    for (int32_t i = 0; i < n; i++)
        if (is_low ? values[i] < out.pivot : values[i] > out.pivot) {
            double value = values[i];
            values[i] = values[out.n];
            values[out.n++] = value;
        }
    qsort(values, (size_t)out.n, sizeof *values, value_ascending);
    return out;
}

static double tail_at(const tail *t, int32_t rank)
{
    int32_t i = t->is_low ? rank : rank - (t->n_values - t->n);
    return i >= 0 && i < t->n ? t->sorted[i] : t->pivot;
}

/* Quantiles out [m] of values, linear between neighbours in their order (Hyndman and Fan's type 7). */
static void quantiles(int32_t n, double *values, int m, const double *q, double *out)
{
    for (int side = 0; side < 2; side++) {
        int32_t rank = side ? n - 1 : 0;
        bool any = false;
        for (int i = 0; i < m; i++) {
            int32_t low = (int32_t)floor(q[i] * (n - 1)), high = low < n - 1 ? low + 1 : n - 1;
            if ((q[i] >= 0.5) == side) {
                rank = !side ? (high > rank ? high : rank) : low < rank ? low : rank;
                any = true;
            }
        }
        if (!any)
            continue;
        tail t = tail_of(n, values, rank, !side);
        for (int i = 0; i < m; i++) {
            double place = q[i] * (n - 1);
            int32_t low = (int32_t)floor(place);
            if ((q[i] >= 0.5) != side)
                continue;
            double at = tail_at(&t, low < n - 1 ? low : n - 1);
            out[i] = low < n - 1 ? at + (place - low) * (tail_at(&t, low + 1) - at) : at;
        }
    }
}

void sp_intervals_none(const char *reason, sp_difference *out)
{
    out->low = out->high = value_undefined(reason);
    out->n_resamples = 0;
}

/* The levels of the ends of an interval: plain[2]. */
static void plain_levels(const sp_bootstrap_options *options, double *plain)
{
    plain[0] = (1 - options->level) / 2;
    plain[1] = (1 + options->level) / 2;
}

/* BCa. */
static void from_values(const sp_draws *draws, const sp_bootstrap_options *options, sp_difference *out)
{
    int32_t B = draws->n, less = 0, equal = 0;
    for (int32_t b = 0; b < B; b++) {
        less += draws->values[b] < draws->observed;
        equal += draws->values[b] == draws->observed;
    }
    double below = less + 0.5 * equal;
    double a = draws->spread.acceleration;
    double share = fmin(fmax(below / B, 0.5 / B), 1 - 0.5 / B);
    double z0 = gsl_cdf_ugaussian_Pinv(share), plain[2], q[2], ends[2];
    plain_levels(options, plain);
    for (int side = 0; side < 2; side++) {
        double z = z0 + gsl_cdf_ugaussian_Pinv(plain[side]), scale = 1 - a * z;
        /* Where the correction has a pole, it asks for the end of the distribution. */
        q[side] = scale > 0 ? gsl_cdf_ugaussian_P(z0 + z / scale) : z > 0;
    }
    quantiles(B, draws->values, 2, q, ends);
    out->low = value_of(ends[0]);
    out->high = value_of(ends[1]);
}

/* Studentised: d - s t_high to d - s t_low, as far as the statistic can go. */
static void from_ratios(const sp_draws *draws, const sp_bootstrap_options *options, sp_difference *out)
{
    double plain[2], ends[2];
    plain_levels(options, plain);
    quantiles(draws->n_ratios, draws->ratios, 2, plain, ends);
    const bool is_finite = fabs(ends[0]) < SP_INFINITE_RATIO / 1e9 && fabs(ends[1]) < SP_INFINITE_RATIO / 1e9;
    const char *reason = draws->spread.error == 0 && draws->observed != 0 ? "all recordings differ alike"
                         : !is_finite                                     ? "too few recordings differ"
                                                                          : NULL;
    sp_value *const out_ends[] = {&out->low, &out->high};
    for (int side = 0; side < 2; side++) {
        double end = draws->observed - draws->spread.error * ends[1 - side];
        *out_ends[side] =
            reason ? value_undefined(reason) : value_of(fmin(fmax(end, draws->least), draws->most));
    }
}

void sp_intervals(const sp_draws *draws, const sp_bootstrap_options *options, sp_difference *out)
{
    (draws->n_ratios ? from_ratios : from_values)(draws, options, out);
    out->n_resamples = draws->n;
}
