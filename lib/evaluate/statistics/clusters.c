/* Bootstrap of any statistics of summed counts.
 *
 * Resample b draws from stream b of the seed, so it is the same whoever draws it: threads share out resamples, the jackknife's
 * clusters, and at last the statistics, whose draws each are made into an interval. */
#include "evaluate/statistics/clusters.h"
#include "core/owned.h"
#include "core/workers.h"
#include "evaluate/statistics/resample.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

/* Counts added up in all resamples; with so many a bootstrap takes about a second. */
static const double max_additions = 2e8;
enum { MIN_RESAMPLES = 1000, JOBS_PER_THREAD = 4 };

typedef struct bootstrap {
    const sp_statistics *statistics;
    const sp_bootstrap_options *options;
    sp_count_table table;
    int64_t n_clusters;
    int32_t n_values, n_resamples;
    double *drawn;    /* [n_values,n_resamples] */
    double *without;  /* [n_values,rows] jackknife */
    int64_t *total;   /* [width] sums of all rows */
    double *observed; /* [n_values] */
    sp_difference *out;
    /* Per-job state. */
    int64_t n_jobs;
    int64_t *sums;         /* [n_jobs,width] */
    uint32_t *matrix_sums; /* [n_jobs,stride] */
    double *values;        /* [n_jobs,n_values] */
} bootstrap;

static void bootstrap_open(bootstrap *b, int n_threads, sp_owned *own)
{
    size_t V = (size_t)b->n_values, width = (size_t)b->table.lists.width, rows = (size_t)b->table.lists.n;
    int32_t wanted = sp_bootstrap_resamples(b->options, b->n_clusters);
    double affordable = fmax(max_additions / (sp_count_table_cost(&b->table) + 1), MIN_RESAMPLES);
    b->n_resamples = wanted < affordable ? wanted : (int32_t)affordable;
    b->n_jobs = (int64_t)n_threads * JOBS_PER_THREAD;
    b->total = sp_zeros(own, width, sizeof *b->total);
    b->observed = sp_zeros(own, V, sizeof *b->observed);
    if (b->n_clusters < 2)
        return;
    b->drawn = sp_zeros(own, V * (size_t)b->n_resamples, sizeof *b->drawn);
    b->without = sp_zeros(own, V * rows, sizeof *b->without);
    b->sums = sp_zeros(own, (size_t)b->n_jobs * width, sizeof *b->sums);
    b->matrix_sums = sp_zeros(own, (size_t)b->n_jobs * b->table.stride, sizeof *b->matrix_sums);
    b->values = sp_zeros(own, (size_t)b->n_jobs * V, sizeof *b->values);
}

/* ---- tasks ---- */

/* The share of job j of n items. */
static int64_t share_begin(const bootstrap *b, int64_t n, int64_t j)
{
    return n / b->n_jobs * j + n % b->n_jobs * j / b->n_jobs;
}

static void resample(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    (void)scratch;
    const bootstrap *b = arg;
    for (int64_t j = first; j < last; j++) {
        int64_t *sums = b->sums + j * b->table.lists.width, end = share_begin(b, b->n_resamples, j + 1);
        double *values = b->values + j * b->n_values;
        for (int64_t i = share_begin(b, b->n_resamples, j); i < end; i++) {
            random_stream random = random_open(b->options->seed, (uint64_t)i);
            sp_count_table_draw(&b->table, &random, b->matrix_sums + (size_t)j * b->table.stride, sums);
            b->statistics->compute(b->statistics->arg, sums, values);
            for (int32_t v = 0; v < b->n_values; v++)
                b->drawn[(size_t)v * (size_t)b->n_resamples + (size_t)i] = values[v];
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
        double *values = b->values + j * b->n_values;
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

/* a = sum u^3 / (6 (sum u^2)^(3/2)), u = mean of the jackknife - jackknife without the row, over the rows without which the
 * statistic is defined. */
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
    /* Jackknife values that are equal on paper leave only rounding. */
    return squares > 1e-30 ? cubes / (6 * squares * sqrt(squares)) : 0;
}

/* Draws in which the statistic is undefined do not count; more than a tenth of them, and there is no interval. */
static void interval(double observed, double a, const sp_bootstrap_options *options, int32_t B, double *drawn, sp_difference *out)
{
    int32_t defined = 0;
    for (int32_t i = 0; i < B; i++)
        if (!isnan(drawn[i]))
            drawn[defined++] = drawn[i];
    if (defined < B - B / 10 || defined == 0)
        sp_intervals_none("undefined in more than a tenth of the resamples", out);
    else
        sp_intervals(observed, a, options, defined, drawn, out);
}

static void make_intervals(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    (void)scratch;
    const bootstrap *b = arg;
    for (int64_t v = first; v < last; v++) {
        if (b->out[v].difference.undefined)
            continue;
        double a = acceleration(b->table.lists.n, b->without + v * b->table.lists.n);
        interval(b->observed[v], a, b->options, b->n_resamples, b->drawn + v * b->n_resamples, &b->out[v]);
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
        b->out[v].difference = is_defined ? value_of(b->observed[v]) : value_undefined(b->statistics->undefined);
        sp_intervals_none(b->n_clusters == 1 ? "one recording" : b->statistics->undefined, &b->out[v]);
    }
}

sp_status sp_clusters_bootstrap(const sp_clusters *clusters, const sp_statistics *statistics, const sp_bootstrap_options *options,
                                sp_workers *workers, sp_difference *out, sp_error *err)
{
    sp_status status = sp_bootstrap_options_check(options, err);
    if (status != SP_OK || statistics->n == 0)
        return status;
    sp_owned own = {0};
    bootstrap b = {
        .statistics = statistics, .options = options, .n_clusters = clusters->n, .n_values = statistics->n, .out = out};
    if (sp_count_table_open(clusters, options->seed, &b.table))
        bootstrap_open(&b, workers ? sp_workers_count(workers) : 1, &own);
    else
        own.is_short = true;
    status = sp_owned_status(&own, err);
    if (status == SP_OK)
        observe(&b);
    if (status == SP_OK && b.n_clusters >= 2) {
        sp_workers_share(workers, b.n_jobs, leave_one_out, &b);
        sp_workers_share(workers, b.n_jobs, resample, &b);
        sp_workers_share(workers, b.n_values, make_intervals, &b);
    }
    sp_count_table_free(&b.table);
    sp_owned_free(&own);
    return status;
}
