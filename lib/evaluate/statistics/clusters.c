/* Bootstrap of any statistics of summed counts.
 *
 * Resample b draws from stream b of the seed, so it is the same whoever draws it: threads share out resamples, each with its own
 * jackknife, the sample's jackknife, and at last the statistics, whose draws each are made into intervals. */
#include "evaluate/statistics/clusters.h"
#include "core/owned.h"
#include "core/try.h"
#include "evaluate/statistics/intervals.h"
#include "evaluate/statistics/resample.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

/* Counts added up in all resamples, and as many again in their jackknives; with so many a bootstrap takes about a second. */
static const double max_additions = 2e8;
enum { MIN_RESAMPLES = 1000, JOBS_PER_THREAD = 4 };

/* Jackknife values of one statistic about some value x: their number, and the sums of their distances from it and of the squares
 * of these. Where the statistic is undefined without a row, the row does not count. */
typedef struct moments {
    double n, sum, squares;
} moments;

typedef struct bootstrap {
    const sp_statistics *statistics;
    const sp_bootstrap_options *options;
    sp_count_table table;
    int64_t n_clusters;
    int32_t n_values, n_resamples, n_ratios;
    double *drawn;    /* [n_values,n_resamples] */
    double *ratios;   /* [n_values,n_ratios] (drawn - observed) / standard error of the draw */
    double *without;  /* [n_values,rows] jackknife */
    int64_t *total;   /* [width] sums of all rows */
    double *observed; /* [n_values] */
    sp_difference *out;
    /* Per-job state. */
    int64_t n_jobs;
    int64_t *sums;         /* [n_jobs,width] */
    uint32_t *matrix_sums; /* [n_jobs,stride] */
    double *values;        /* [n_jobs,2,n_values] */
    moments *about;        /* [n_jobs,n_values] */
    uint32_t *times;       /* [n_jobs,rows] */
} bootstrap;

/* The first of n resamples, as many as `additions` each leave room for. */
static int32_t affordable(int32_t n, double additions)
{
    double most = fmax(max_additions / (additions + 1), MIN_RESAMPLES);
    return n < most ? n : (int32_t)most;
}

static void bootstrap_open(bootstrap *b, int n_threads, sp_owned *own)
{
    size_t V = (size_t)b->n_values, width = (size_t)b->table.lists.width, rows = (size_t)b->table.lists.n;
    b->n_resamples =
        affordable(sp_bootstrap_resamples(b->options, b->n_clusters), sp_count_table_cost(&b->table));
    if (b->n_clusters <=
        SP_MOST_STUDENTISED) /* a row is taken out and put back, and all is computed from the sums */
        b->n_ratios = affordable(b->n_resamples, (double)rows * 3 * (double)width);
    b->n_jobs = (int64_t)n_threads * JOBS_PER_THREAD;
    b->total = sp_zeros(own, width, sizeof *b->total);
    b->observed = sp_zeros(own, V, sizeof *b->observed);
    if (b->n_clusters < 2)
        return;
    b->drawn = sp_zeros(own, V * (size_t)b->n_resamples, sizeof *b->drawn);
    b->ratios = sp_zeros(own, V * (size_t)b->n_ratios, sizeof *b->ratios);
    b->without = sp_zeros(own, V * rows, sizeof *b->without);
    b->sums = sp_zeros(own, (size_t)b->n_jobs * width, sizeof *b->sums);
    b->matrix_sums = sp_zeros(own, (size_t)b->n_jobs * b->table.stride, sizeof *b->matrix_sums);
    b->values = sp_zeros(own, (size_t)b->n_jobs * 2 * V, sizeof *b->values);
    b->about = sp_zeros(own, (size_t)b->n_jobs * V, sizeof *b->about);
    b->times = sp_zeros(own, b->n_ratios ? (size_t)b->n_jobs * rows : 0, sizeof *b->times);
}

/* ---- tasks ---- */

/* The share of job j of n items. */
static int64_t share_begin(const bootstrap *b, int64_t n, int64_t j)
{
    return n / b->n_jobs * j + n % b->n_jobs * j / b->n_jobs;
}

/* The jackknife's standard error: sqrt((n - 1) / n sum (value - mean)^2). 0 also where only rounding is left of it. */
static double error_of(const moments *m)
{
    double squares = m->n > 1 ? m->squares - m->sum * m->sum / m->n : 0;
    return squares > 1e-30 ? sqrt((m->n - 1) / m->n * squares) : 0;
}

/* (drawn - observed) / error; where nothing is left to divide by, infinite with the sign of the difference, or 0. */
static double ratio_of(double difference, double error)
{
    if (isnan(difference) || error > 0)
        return difference / error;
    return fabs(difference) < 1e-15 ? 0 : copysign(SP_INFINITE_RATIO, difference);
}

/* The ratios of resample i from jackknife values of its own; values [n_values] are those of the resample. */
static void studentise(const bootstrap *b, int64_t j, int64_t i, int64_t *sums, const double *values)
{
    const uint32_t *times = b->times + j * b->table.lists.n;
    double *without = b->values + (2 * j + 1) * b->n_values;
    moments *about = b->about + j * b->n_values;
    memset(about, 0, (size_t)b->n_values * sizeof *about);
    for (int64_t row = 0; row < b->table.lists.n; row++) {
        if (times[row] == 0)
            continue;
        sp_count_table_add(&b->table, row, -1, sums);
        b->statistics->compute(b->statistics->arg, sums, without);
        sp_count_table_add(&b->table, row, 1, sums);
        for (int32_t v = 0; v < b->n_values; v++) {
            double x = without[v] - values[v];
            if (isnan(x))
                continue;
            about[v].n += times[row];
            about[v].sum += times[row] * x;
            about[v].squares += times[row] * x * x;
        }
    }
    for (int32_t v = 0; v < b->n_values; v++)
        b->ratios[(size_t)v * (size_t)b->n_ratios + (size_t)i] =
            ratio_of(values[v] - b->observed[v], error_of(&about[v]));
}

static void resample(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    (void)scratch;
    const bootstrap *b = arg;
    for (int64_t j = first; j < last; j++) {
        int64_t *sums = b->sums + j * b->table.lists.width, end = share_begin(b, b->n_resamples, j + 1);
        uint32_t *matrix_sums = b->matrix_sums + (size_t)j * b->table.stride,
                 *times = b->times + j * b->table.lists.n;
        double *values = b->values + 2 * j * b->n_values;
        for (int64_t i = share_begin(b, b->n_resamples, j); i < end; i++) {
            random_stream random = random_open(b->options->seed, (uint64_t)i);
            sp_count_table_draw(&b->table, &random, matrix_sums, sums, i < b->n_ratios ? times : NULL);
            b->statistics->compute(b->statistics->arg, sums, values);
            for (int32_t v = 0; v < b->n_values; v++)
                b->drawn[(size_t)v * (size_t)b->n_resamples + (size_t)i] = values[v];
            if (i < b->n_ratios)
                studentise(b, j, i, sums, values);
        }
    }
}

/* Jackknife: statistics without one row each. */
static void leave_one_out(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    (void)scratch;
    const bootstrap *b = arg;
    int64_t rows = b->table.lists.n, width = b->table.lists.width;
    for (int64_t j = first; j < last; j++) {
        int64_t *sums = b->sums + j * width, end = share_begin(b, rows, j + 1);
        double *values = b->values + 2 * j * b->n_values;
        memcpy(sums, b->total, (size_t)width * sizeof *sums);
        for (int64_t i = share_begin(b, rows, j); i < end; i++) {
            sp_count_table_add(&b->table, i, -1, sums);
            b->statistics->compute(b->statistics->arg, sums, values);
            sp_count_table_add(&b->table, i, 1, sums);
            for (int32_t v = 0; v < b->n_values; v++)
                b->without[v * rows + i] = values[v];
        }
    }
}

/* From jackknife values over the rows without which the statistic is defined, u = their mean - value: the error as above, and
 * a = sum u^3 / (6 (sum u^2)^(3/2)). */
static sp_spread spread_of(int64_t n, const double *without)
{
    double mean = 0, squares = 0, cubes = 0, m = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(without[i])) {
            mean += without[i];
            m++;
        }
    mean /= m > 0 ? m : 1;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(without[i])) {
            double u = mean - without[i];
            squares += u * u;
            cubes += u * u * u;
        }
    if (squares <= 1e-30) /* jackknife values that are equal on paper leave only rounding */
        return (sp_spread){0};
    double third = cubes / (squares * sqrt(squares));
    return (sp_spread){.error = sqrt((m - 1) / m * squares), .acceleration = third / 6};
}

/* Brings what is not NaN to the front. Returns its number. */
static int32_t keep_defined(int32_t n, double *values)
{
    int32_t defined = 0;
    for (int32_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            values[defined++] = values[i];
    return defined;
}

/* Draws in which the statistic is undefined do not count; more than a tenth of them, and there is no interval. */
static void make_intervals(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    (void)scratch;
    const bootstrap *b = arg;
    for (int64_t v = first; v < last; v++) {
        sp_difference *out = &b->out[v];
        const bool is_share = v < b->statistics->n_shares;
        if (out->difference.undefined)
            continue;
        sp_draws draws = {.observed = b->observed[v],
                          .least = is_share ? 0 : -b->statistics->most,
                          .most = is_share ? 1 : b->statistics->most,
                          .spread = spread_of(b->table.lists.n, b->without + v * b->table.lists.n),
                          .values = b->drawn + v * b->n_resamples,
                          .ratios = b->ratios + v * b->n_ratios};
        draws.n = keep_defined(b->n_resamples, draws.values);
        draws.n_ratios = keep_defined(b->n_ratios, draws.ratios);
        if (draws.n < b->n_resamples - b->n_resamples / 10 || draws.n == 0)
            sp_intervals_none("undefined in more than a tenth of the resamples", out);
        else
            sp_intervals(&draws, b->options, out);
    }
}

static void observe(bootstrap *b)
{
    for (int64_t i = 0; i < b->table.lists.n; i++)
        sp_count_table_add(&b->table, i, 1, b->total);
    b->statistics->compute(b->statistics->arg, b->total, b->observed);
    for (int32_t v = 0; v < b->n_values; v++) {
        bool is_defined = b->n_clusters > 0 && !isnan(b->observed[v]);
        b->out[v] = (sp_difference){.n = b->n_clusters};
        b->out[v].difference =
            is_defined ? value_of(b->observed[v]) : value_undefined(b->statistics->undefined);
        sp_intervals_none(b->n_clusters == 1 ? "one recording" : b->statistics->undefined, &b->out[v]);
    }
}

sp_status sp_clusters_bootstrap(const sp_clusters *clusters, const sp_statistics *statistics,
                                const sp_bootstrap_options *options, sp_workers *workers, sp_difference *out,
                                sp_error *err)
{
    sp_owned own = {0};
    bootstrap b = {.statistics = statistics,
                   .options = options,
                   .n_clusters = clusters->n,
                   .n_values = statistics->n,
                   .out = out};
    sp_status status = SP_OK;
    TRY(sp_bootstrap_options_check(options, err));
    if (statistics->n == 0)
        return SP_OK;
    if (!sp_count_table_open(clusters, options->seed, &b.table))
        TRY(sp_no_memory(err));
    bootstrap_open(&b, workers ? sp_workers_count(workers) : 1, &own);
    TRY(sp_owned_status(&own, err));
    observe(&b);
    if (b.n_clusters >= 2) {
        sp_workers_share(workers, b.n_jobs, leave_one_out, &b);
        sp_workers_share(workers, b.n_jobs, resample, &b);
        sp_workers_share(workers, b.n_values, make_intervals, &b);
    }
done:
    sp_count_table_free(&b.table);
    sp_owned_free(&own);
    return status;
}
