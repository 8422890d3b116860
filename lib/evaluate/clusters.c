/* Bootstrap of any statistic of summed counts, and the BCa interval that all bootstraps share. */
#include "evaluate/clusters.h"
#include "evaluate/random.h"
#include "evaluate/value.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

/* Quantile of values, linear between neighbours in their order (Hyndman and Fan's type 7). Two of them are all that is wanted of
 * 10,000 values, so they are selected and the rest is not sorted; it changes places. */
static double quantile(int32_t n, double *values, double q)
{
    double place = q * (n - 1);
    int32_t low = (int32_t)floor(place);
    if (low >= n - 1)
        return gsl_stats_select(values, 1, (size_t)n, (size_t)n - 1);
    double at = gsl_stats_select(values, 1, (size_t)n, (size_t)low);
    double next = gsl_stats_select(values, 1, (size_t)n, (size_t)low + 1);
    return at + (place - low) * (next - at);
}

void sp_bca(double observed, double a, double level, int32_t B, double *drawn, sp_difference *out)
{
    int32_t less = 0, equal = 0;
    for (int32_t b = 0; b < B; b++) {
        less += drawn[b] < observed;
        equal += drawn[b] == observed;
    }
    double below = less + 0.5 * equal;
    double share = fmin(fmax(below / B, 0.5 / B), 1 - 0.5 / B);
    double z0 = gsl_cdf_ugaussian_Pinv(share), end[2];
    for (int side = 0; side < 2; side++) {
        double z = z0 + gsl_cdf_ugaussian_Pinv(side ? (1 + level) / 2 : (1 - level) / 2);
        double scale = 1 - a * z;
        /* Where the correction has a pole, it asks for the end of the distribution. */
        double q = scale > 0 ? gsl_cdf_ugaussian_P(z0 + z / scale) : z > 0;
        end[side] = quantile(B, drawn, q);
    }
    out->low = value_of(end[0]);
    out->high = value_of(end[1]);
    out->n_resamples = B;
}

/* ---- clusters ---- */

/* Counts added up per statistic; with so many a bootstrap takes about a second. */
static const double max_additions = 2e8;
enum { MIN_RESAMPLES = 1000 };

static void add_row(const sp_clusters *c, int64_t row, int64_t sign, int64_t *sums)
{
    for (int64_t i = c->offsets[row]; i < c->offsets[row + 1]; i++)
        sums[c->slots[i]] += sign * (int64_t)c->counts[i];
}

static int32_t resamples_for(const sp_clusters *c, const sp_bootstrap_options *options)
{
    int32_t B = sp_bootstrap_resamples(options, c->n);
    double affordable = fmax(max_additions / (double)(c->offsets[c->n] + 1), MIN_RESAMPLES);
    return B < affordable ? B : (int32_t)affordable;
}

/* The same counts as a matrix [n, width], whose rows processors add many numbers at a time. */
typedef struct matrix {
    uint32_t *rows, *sums; /* NULL: the lists are shorter, or sums could be too large for their type */
} matrix;

static void matrix_clear(matrix *m)
{
    free(m->rows);
    free(m->sums);
}

/* False on lack of memory. */
static bool matrix_fill(const sp_clusters *c, matrix *out)
{
    const uint64_t cells = (uint64_t)c->n * (uint64_t)c->width, entries = (uint64_t)c->offsets[c->n];
    uint32_t most = 0;
    *out = (matrix){NULL, NULL};
    for (uint64_t i = 0; i < entries; i++)
        most = c->counts[i] > most ? c->counts[i] : most;
    if (c->n < 2 || cells > 4 * entries || (uint64_t)c->n * most > UINT32_MAX)
        return true;
    out->rows = calloc((size_t)cells, sizeof *out->rows);
    out->sums = malloc((size_t)c->width * sizeof *out->sums);
    if (!out->rows || !out->sums)
        return false;
    for (int64_t n = 0; n < c->n; n++)
        for (int64_t i = c->offsets[n]; i < c->offsets[n + 1]; i++)
            out->rows[(size_t)n * (size_t)c->width + c->slots[i]] += c->counts[i];
    return true;
}

static void sum_rows(const sp_clusters *c, const matrix *m, gsl_rng *rng, int64_t *sums)
{
    const size_t width = (size_t)c->width;
    uint32_t *restrict sum = m->sums;
    memset(sum, 0, width * sizeof *sum);
    for (int64_t i = 0; i < c->n; i++) {
        const uint32_t *restrict row = m->rows + random_below(rng, (uint32_t)c->n) * width;
        for (size_t w = 0; w < width; w++)
            sum[w] += row[w];
    }
    for (size_t w = 0; w < width; w++)
        sums[w] = sum[w];
}

static void sum_lists(const sp_clusters *c, gsl_rng *rng, int64_t *sums)
{
    memset(sums, 0, (size_t)c->width * sizeof *sums);
    for (int64_t i = 0; i < c->n; i++)
        add_row(c, random_below(rng, (uint32_t)c->n), 1, sums);
}

/* drawn [n_statistics, B]. */
static void resample(const sp_clusters *c, const matrix *m, const sp_statistics *statistics, gsl_rng *rng, int32_t B,
                     int64_t *sums, double *values, double *drawn)
{
    for (int32_t b = 0; b < B; b++) {
        if (m->rows)
            sum_rows(c, m, rng, sums);
        else
            sum_lists(c, rng, sums);
        statistics->compute(statistics->arg, sums, values);
        for (int32_t v = 0; v < statistics->n; v++)
            drawn[(size_t)v * (size_t)B + (size_t)b] = values[v];
    }
}

/* Jackknife [n_statistics, n] of statistics without one cluster each; sums hold all clusters before and after. */
static void leave_one_out(const sp_clusters *c, const sp_statistics *statistics, int64_t *sums, double *values, double *without)
{
    for (int64_t i = 0; i < c->n; i++) {
        add_row(c, i, -1, sums);
        statistics->compute(statistics->arg, sums, values);
        add_row(c, i, 1, sums);
        for (int32_t v = 0; v < statistics->n; v++)
            without[(size_t)v * (size_t)c->n + (size_t)i] = values[v];
    }
}

/* a = sum u^3 / (6 (sum u^2)^(3/2)) over the clusters without which the statistic is defined. */
static double acceleration(int64_t n, const double *without)
{
    double mean = 0, squares = 0, cubes = 0;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(without[i])) {
            mean += without[i];
            m++;
        }
    mean /= (double)(m ? m : 1);
    for (int64_t i = 0; i < n; i++)
        if (!isnan(without[i])) {
            double u = mean - without[i];
            squares += u * u;
            cubes += u * u * u;
        }
    return squares > 1e-30 ? cubes / (6 * squares * sqrt(squares)) : 0;
}

/* Draws in which the statistic is undefined do not count; more than a tenth of them, and there is no interval. */
static void interval(double observed, double a, double level, int32_t B, double *drawn, sp_difference *out)
{
    int32_t defined = 0;
    for (int32_t b = 0; b < B; b++)
        if (!isnan(drawn[b]))
            drawn[defined++] = drawn[b];
    if (defined < B - B / 10 || defined == 0)
        out->low = out->high = value_undefined("undefined in more than a tenth of the resamples");
    else
        sp_bca(observed, a, level, defined, drawn, out);
}

/* What the bootstrap needs at once. */
typedef struct memory {
    int64_t *sums;
    double *values, *drawn, *without;
} memory;

static bool memory_fill(memory *m, const sp_clusters *c, int32_t n_statistics, int32_t B)
{
    size_t V = (size_t)n_statistics;
    m->sums = calloc((size_t)c->width, sizeof *m->sums);
    m->values = malloc(V * sizeof *m->values);
    m->drawn = malloc(V * (size_t)B * sizeof *m->drawn);
    m->without = malloc(V * (size_t)(c->n > 0 ? c->n : 1) * sizeof *m->without);
    return m->sums && m->values && m->drawn && m->without;
}

static void observe(const sp_clusters *c, const sp_statistics *statistics, memory *m, sp_difference *out)
{
    for (int64_t i = 0; i < c->n; i++)
        add_row(c, i, 1, m->sums);
    statistics->compute(statistics->arg, m->sums, m->values);
    for (int32_t v = 0; v < statistics->n; v++) {
        sp_value none = value_undefined(c->n == 1 ? "one recording" : statistics->undefined);
        bool is_defined = c->n > 0 && !isnan(m->values[v]);
        out[v] = (sp_difference){.difference = is_defined ? value_of(m->values[v]) : value_undefined(statistics->undefined),
                                 .low = none,
                                 .high = none,
                                 .n = c->n};
    }
}

sp_status sp_clusters_bootstrap(const sp_clusters *clusters, const sp_statistics *statistics, const sp_bootstrap_options *options,
                                sp_difference *out, sp_error *err)
{
    const sp_clusters *c = clusters;
    sp_status status = sp_bootstrap_options_check(options, err);
    if (status != SP_OK || statistics->n == 0)
        return status;
    int32_t B = c->n >= 2 ? resamples_for(c, options) : 1;
    memory m = {0};
    matrix counts = {NULL, NULL};
    gsl_rng rng = {0};
    bool is_ready = memory_fill(&m, c, statistics->n, B) && matrix_fill(c, &counts) && random_open(&rng, options->seed);
    if (is_ready) {
        observe(c, statistics, &m, out);
        if (c->n >= 2) {
            leave_one_out(c, statistics, m.sums, m.values, m.without);
            resample(c, &counts, statistics, &rng, B, m.sums, m.values, m.drawn);
        }
        for (int32_t v = 0; c->n >= 2 && v < statistics->n; v++)
            if (!out[v].difference.undefined)
                interval(out[v].difference.value, acceleration(c->n, m.without + (size_t)v * (size_t)c->n), options->level, B,
                         m.drawn + (size_t)v * (size_t)B, &out[v]);
        random_close(&rng);
    }
    matrix_clear(&counts);
    free(m.sums);
    free(m.values);
    free(m.drawn);
    free(m.without);
    return is_ready ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory for %d bootstrap resamples", B);
}
