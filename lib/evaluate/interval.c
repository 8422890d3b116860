/* Intervals from resampled values: BCa and percentile. */
#include "evaluate/clusters.h"
#include "evaluate/value.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

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
    for (int side = 0; side < 2; side++)
        out->bca[side] = out->percentile[side] = value_undefined(reason);
    out->n_resamples = 0;
}

void sp_intervals(double observed, double a, const sp_bootstrap_options *options, int32_t B, double *drawn, sp_difference *out)
{
    int32_t less = 0, equal = 0;
    for (int32_t b = 0; b < B; b++) {
        less += drawn[b] < observed;
        equal += drawn[b] == observed;
    }
    double below = less + 0.5 * equal;
    double share = fmin(fmax(below / B, 0.5 / B), 1 - 0.5 / B);
    double z0 = gsl_cdf_ugaussian_Pinv(share), q[4], ends[4];
    for (int side = 0; side < 2; side++) {
        double plain = side ? (1 + options->level) / 2 : (1 - options->level) / 2;
        double z = z0 + gsl_cdf_ugaussian_Pinv(plain), scale = 1 - a * z;
        /* Where the correction has a pole, it asks for the end of the distribution. */
        q[side] = scale > 0 ? gsl_cdf_ugaussian_P(z0 + z / scale) : z > 0;
        q[2 + side] = plain;
    }
    quantiles(B, drawn, 4, q, ends);
    for (int side = 0; side < 2; side++) {
        out->bca[side] = value_of(ends[side]);
        out->percentile[side] = value_of(ends[2 + side]);
    }
    const sp_value *shown = options->interval == SP_INTERVAL_PERCENTILE ? out->percentile : out->bca;
    out->low = shown[0];
    out->high = shown[1];
    out->n_resamples = B;
}
