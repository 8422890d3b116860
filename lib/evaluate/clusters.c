/* Bootstrap of any statistics of summed counts.
 *
 * Resample b draws from stream b of the seed, so it is the same whoever draws it: threads share out resamples, the jackknife's
 * clusters, and at last the statistics, whose draws each are made into an interval. */
#include "evaluate/clusters.h"
#include "core/workers.h"
#include "evaluate/resample.h"
#include "evaluate/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts added up in all resamples of a part; with so many a bootstrap takes about a second. */
static const double max_additions = 2e8;
enum { MIN_RESAMPLES = 1000, JOBS_PER_THREAD = 4 };

/* What a job has for itself. */
typedef struct job {
    int64_t *sums;         /* [width] */
    uint32_t *matrix_sums; /* [stride] */
    double *values;        /* [n_values] */
} job;

typedef struct bootstrap {
    const sp_bootstrap_part *parts;
    const sp_bootstrap_options *options;
    sp_count_tables tables;
    int32_t n_parts, n_values; /* of all parts */
    int64_t n_clusters;
    int32_t *n_resamples; /* [n_parts] */
    int32_t most;         /* of them */
    double *drawn;        /* [n_values,most] */
    double *without;      /* [n_values,rows] jackknife */
    int64_t *total;       /* [width] sums of all rows */
    double *observed;     /* [n_values] */
    int64_t n_jobs;
    job *jobs;  /* [n_jobs] */
    bool *skip; /* [n_jobs,n_parts] */
} bootstrap;

static void bootstrap_free(bootstrap *b)
{
    for (int64_t j = 0; b->jobs && j < b->n_jobs; j++) {
        free(b->jobs[j].sums);
        free(b->jobs[j].matrix_sums);
        free(b->jobs[j].values);
    }
    free(b->jobs);
    free(b->skip);
    free(b->n_resamples);
    free(b->drawn);
    free(b->without);
    free(b->total);
    free(b->observed);
    sp_count_tables_free(&b->tables);
}

static void choose_resamples(bootstrap *b)
{
    for (int32_t p = 0; p < b->n_parts; p++) {
        int32_t wanted = sp_bootstrap_resamples(b->options, b->n_clusters);
        double affordable = fmax(max_additions / (sp_count_tables_cost(&b->tables, p) + 1), MIN_RESAMPLES);
        b->n_resamples[p] = wanted < affordable ? wanted : (int32_t)affordable;
        b->most = b->n_resamples[p] > b->most ? b->n_resamples[p] : b->most;
    }
}

/* False: no memory; to be freed in any case. */
static bool bootstrap_open(bootstrap *b, int n_threads)
{
    for (int32_t p = 0; p < b->n_parts; p++)
        b->n_values += b->parts[p].statistics.n;
    b->n_clusters = b->parts[0].clusters.n;
    b->n_resamples = calloc((size_t)b->n_parts, sizeof *b->n_resamples);
    if (!b->n_resamples || !sp_count_tables_open(b->n_parts, b->parts, b->options->seed, &b->tables))
        return false;
    size_t V = (size_t)b->n_values, width = b->tables.width + 1, rows = (size_t)b->tables.n + 1;
    choose_resamples(b);
    b->n_jobs = (int64_t)n_threads * JOBS_PER_THREAD;
    b->jobs = calloc((size_t)b->n_jobs, sizeof *b->jobs);
    b->skip = calloc((size_t)b->n_jobs * (size_t)b->n_parts, sizeof *b->skip);
    b->total = calloc(width, sizeof *b->total);
    b->observed = malloc(V * sizeof *b->observed);
    bool has_intervals = b->n_clusters >= 2, is_whole = b->jobs && b->skip && b->total && b->observed;
    if (has_intervals) {
        b->drawn = malloc(V * (size_t)b->most * sizeof *b->drawn);
        b->without = malloc(V * rows * sizeof *b->without);
        is_whole = is_whole && b->drawn && b->without;
    }
    for (int64_t j = 0; is_whole && has_intervals && j < b->n_jobs; j++) {
        b->jobs[j].sums = malloc(width * sizeof *b->jobs[j].sums);
        b->jobs[j].matrix_sums = malloc((b->tables.stride + 1) * sizeof *b->jobs[j].matrix_sums);
        b->jobs[j].values = malloc(V * sizeof *b->jobs[j].values);
        is_whole = b->jobs[j].sums && b->jobs[j].matrix_sums && b->jobs[j].values;
    }
    return is_whole;
}

static void compute(const bootstrap *b, const bool *skip, const int64_t *sums, double *values)
{
    for (int32_t p = 0; p < b->n_parts; p++) {
        const sp_statistics *s = &b->parts[p].statistics;
        if (!skip || !skip[p])
            s->compute(s->arg, sums + b->tables.parts[p].at, values);
        values += s->n;
    }
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
        const job *own = &b->jobs[j];
        bool *skip = b->skip + j * b->n_parts;
        int64_t end = share_begin(b, b->most, j + 1);
        for (int64_t i = share_begin(b, b->most, j); i < end; i++) {
            random_stream random = random_open(b->options->seed, (uint64_t)i);
            for (int32_t p = 0; p < b->n_parts; p++)
                skip[p] = i >= b->n_resamples[p];
            sp_count_tables_draw(&b->tables, &random, skip, own->matrix_sums, own->sums);
            compute(b, skip, own->sums, own->values);
            for (int32_t v = 0; v < b->n_values; v++)
                b->drawn[(size_t)v * (size_t)b->most + (size_t)i] = own->values[v];
        }
    }
}

/* Jackknife: statistics without one row each. */
static void leave_one_out(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    (void)scratch;
    const bootstrap *b = arg;
    size_t rows = (size_t)b->tables.n;
    for (int64_t j = first; j < last; j++) {
        const job *own = &b->jobs[j];
        memcpy(own->sums, b->total, b->tables.width * sizeof *own->sums);
        int64_t end = share_begin(b, b->tables.n, j + 1);
        for (int64_t i = share_begin(b, b->tables.n, j); i < end; i++) {
            sp_count_tables_add(&b->tables, i, -1, own->sums);
            compute(b, NULL, own->sums, own->values);
            sp_count_tables_add(&b->tables, i, 1, own->sums);
            for (int32_t v = 0; v < b->n_values; v++)
                b->without[(size_t)v * rows + (size_t)i] = own->values[v];
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
    for (int32_t p = 0, v = 0; p < b->n_parts; p++)
        for (int32_t i = 0; i < b->parts[p].statistics.n; i++, v++) {
            sp_difference *out = &b->parts[p].out[i];
            if (v < first || v >= last || out->difference.undefined)
                continue;
            double a = acceleration(b->tables.n, b->without + (size_t)v * (size_t)b->tables.n);
            interval(out->difference.value, a, b->options, b->n_resamples[p], b->drawn + (size_t)v * (size_t)b->most, out);
        }
}

static void observe(bootstrap *b)
{
    for (int64_t i = 0; i < b->tables.n; i++)
        sp_count_tables_add(&b->tables, i, 1, b->total);
    compute(b, NULL, b->total, b->observed);
    for (int32_t p = 0, v = 0; p < b->n_parts; p++) {
        const sp_statistics *s = &b->parts[p].statistics;
        for (int32_t i = 0; i < s->n; i++, v++) {
            sp_difference *out = &b->parts[p].out[i];
            bool is_defined = b->n_clusters > 0 && !isnan(b->observed[v]);
            *out = (sp_difference){.n = b->n_clusters};
            out->difference = is_defined ? value_of(b->observed[v]) : value_undefined(s->undefined);
            sp_intervals_none(b->n_clusters == 1 ? "one recording" : s->undefined, out);
        }
    }
}

sp_status sp_clusters_bootstrap(int32_t n_parts, const sp_bootstrap_part *parts, const sp_bootstrap_options *options,
                                sp_workers *workers, sp_error *err)
{
    sp_status status = sp_bootstrap_options_check(options, err);
    if (status != SP_OK || n_parts == 0)
        return status;
    bootstrap b = {.parts = parts, .options = options, .n_parts = n_parts};
    bool is_ready = bootstrap_open(&b, workers ? sp_workers_count(workers) : 1);
    if (is_ready) {
        observe(&b);
        if (b.n_clusters >= 2) {
            sp_workers_share(workers, b.n_jobs, leave_one_out, &b);
            sp_workers_share(workers, b.n_jobs, resample, &b);
            sp_workers_share(workers, b.n_values, make_intervals, &b);
        }
    }
    bootstrap_free(&b);
    return is_ready ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory for %d bootstrap resamples", options->n_resamples);
}
