/* Paired cluster bootstrap with BCa intervals. */
#include "statepath/statistics.h"

#include "evaluate/clusters.h"
#include "evaluate/random.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

static const double max_draws = 2e8;
enum { MIN_RESAMPLES = 1000 };

sp_bootstrap_options sp_bootstrap_options_default(void)
{
    return (sp_bootstrap_options){.seed = 1, .n_resamples = 10000, .level = 0.95};
}

sp_status sp_bootstrap_options_check(const sp_bootstrap_options *options, sp_error *err)
{
    if (options->n_resamples < 1)
        return sp_fail(err, SP_EINVAL, "%d bootstrap resamples: at least 1 is needed, 10000 are usual", options->n_resamples);
    if (!(options->level > 0 && options->level < 1))
        return sp_fail(err, SP_EINVAL, "confidence level %g: must be between 0 and 1, such as 0.95", options->level);
    return SP_OK;
}

int32_t sp_bootstrap_resamples(const sp_bootstrap_options *options, int64_t n)
{
    double affordable = n > 0 ? floor(max_draws / (double)n) : INFINITY;
    if (affordable < MIN_RESAMPLES)
        affordable = MIN_RESAMPLES;
    return options->n_resamples < affordable ? options->n_resamples : (int32_t)affordable;
}

/* Recordings that take part, one row each: scored, then correct by strategy. A draw touches one row. */
typedef struct table {
    int64_t n;      /* rows */
    int32_t width;  /* 1 + strategies, at least 4 */
    int64_t *rows;  /* [n, width] */
    int64_t *total; /* [width] */
} table;

static double difference_of(const int64_t *sums, const int32_t pair[2])
{
    return ((double)sums[1 + pair[0]] - (double)sums[1 + pair[1]]) / (double)sums[0];
}

static sp_status table_fill(int64_t n, int32_t n_strategies, const int64_t *const *correct, const int64_t *scored, table *out,
                            sp_error *err)
{
    for (int64_t i = 0; i < n; i++)
        for (int32_t s = 0; s < n_strategies; s++)
            if (scored[i] < 0 || correct[s][i] < 0 || correct[s][i] > scored[i])
                return sp_fail(err, SP_EINVAL, "recording %lld has %lld right of %lld scored steps", (long long)i,
                               (long long)correct[s][i], (long long)scored[i]);
    if (n >= INT64_C(1) << 32)
        return sp_fail(err, SP_EINVAL, "%lld recordings are too many for the bootstrap", (long long)n);
    out->n = 0;
    out->width = 1 + n_strategies < 4 ? 4 : 1 + n_strategies; /* what is beyond the strategies stays 0 */
    size_t width = (size_t)out->width;
    out->rows = calloc((size_t)(n > 0 ? n : 1), width * sizeof *out->rows);
    out->total = calloc(width, sizeof *out->total);
    if (!out->rows || !out->total)
        return sp_fail(err, SP_ENOMEM, "no memory for the bootstrap of %lld recordings", (long long)n);
    for (int64_t i = 0; i < n; i++) {
        if (scored[i] == 0)
            continue;
        int64_t *row = out->rows + (size_t)out->n++ * width;
        row[0] = scored[i];
        for (int32_t s = 0; s < n_strategies; s++)
            row[1 + s] = correct[s][i];
        for (size_t w = 0; w < width; w++)
            out->total[w] += row[w];
    }
    return SP_OK;
}

/* Sums of n drawn rows. Indices are drawn ahead of the rows, so that the rows' memory is asked for together; a row of up to four
 * numbers, the usual case, is added without a loop. */
enum { AHEAD = 256 };

static void sum_drawn(const table *t, gsl_rng *rng, int64_t *sums)
{
    uint32_t index[AHEAD];
    memset(sums, 0, (size_t)t->width * sizeof *sums);
    for (int64_t i = 0; i < t->n; i += AHEAD) {
        int ahead = t->n - i < AHEAD ? (int)(t->n - i) : AHEAD;
        for (int a = 0; a < ahead; a++)
            index[a] = random_below(rng, (uint32_t)t->n);
        if (t->width == 4) {
            int64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
            for (int a = 0; a < ahead; a++) {
                const int64_t *row = t->rows + (size_t)index[a] * 4;
                s0 += row[0];
                s1 += row[1];
                s2 += row[2];
                s3 += row[3];
            }
            sums[0] += s0;
            sums[1] += s1;
            sums[2] += s2;
            sums[3] += s3;
            continue;
        }
        for (int a = 0; a < ahead; a++)
            for (int32_t w = 0; w < t->width; w++)
                sums[w] += t->rows[(size_t)index[a] * (size_t)t->width + (size_t)w];
    }
}

/* drawn [n_pairs, n_resamples]; sums [width] scratch. */
static void resample(const table *t, gsl_rng *rng, int32_t n_resamples, int32_t n_pairs, const int32_t (*pairs)[2], int64_t *sums,
                     double *drawn)
{
    for (int32_t b = 0; b < n_resamples; b++) {
        sum_drawn(t, rng, sums);
        for (int32_t p = 0; p < n_pairs; p++)
            drawn[(size_t)p * (size_t)n_resamples + (size_t)b] = difference_of(sums, pairs[p]);
    }
}

/* a = sum u^3 / (6 (sum u^2)^(3/2)), u from leaving out each recording in turn; sums [width] scratch. */
static double acceleration(const table *t, const int32_t pair[2], int64_t *sums)
{
    double mean = 0, squares = 0, cubes = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < t->n; i++) {
            for (int32_t w = 0; w < t->width; w++)
                sums[w] = t->total[w] - t->rows[(size_t)i * (size_t)t->width + (size_t)w];
            double without = difference_of(sums, pair);
            if (pass == 0) {
                mean += without / (double)t->n;
            } else {
                double u = mean - without;
                squares += u * u;
                cubes += u * u * u;
            }
        }
    /* Jackknife values that are equal on paper leave only rounding. */
    return squares > 1e-30 ? cubes / (6 * squares * sqrt(squares)) : 0;
}

/* out [n_pairs] filled but for the interval. */
static void observe(const table *t, int32_t n_pairs, const int32_t (*pairs)[2], sp_difference *out)
{
    for (int32_t p = 0; p < n_pairs; p++) {
        sp_value none = value_undefined(t->n ? "one recording" : "no scored steps");
        out[p] = (sp_difference){.difference = t->n ? value_of(difference_of(t->total, pairs[p])) : none, .n = t->n};
        out[p].low = out[p].high = none;
    }
}

static sp_status intervals(const table *t, int32_t n_pairs, const int32_t (*pairs)[2], const sp_bootstrap_options *options,
                           sp_difference *out, sp_error *err)
{
    int32_t B = sp_bootstrap_resamples(options, t->n);
    gsl_rng rng = {0};
    double *drawn = malloc((size_t)n_pairs * (size_t)B * sizeof *drawn);
    int64_t *sums = malloc((size_t)t->width * sizeof *sums);
    bool is_ready = drawn && sums && random_open(&rng, options->seed);
    if (is_ready) {
        resample(t, &rng, B, n_pairs, pairs, sums, drawn);
        observe(t, n_pairs, pairs, out);
        for (int32_t p = 0; p < n_pairs; p++)
            sp_bca(out[p].difference.value, acceleration(t, pairs[p], sums), options->level, B, drawn + (size_t)p * (size_t)B,
                   &out[p]);
        random_close(&rng);
    }
    free(drawn);
    free(sums);
    return is_ready ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory for %d bootstrap resamples", B);
}

sp_status sp_bootstrap_accuracies(int64_t n, int32_t n_strategies, const int64_t *const *correct, const int64_t *scored,
                                  int32_t n_pairs, const int32_t (*pairs)[2], const sp_bootstrap_options *options,
                                  sp_difference *out, sp_error *err)
{
    sp_status status = sp_bootstrap_options_check(options, err);
    if (status != SP_OK || n_pairs == 0)
        return status;
    table t = {0};
    status = table_fill(n, n_strategies, correct, scored, &t, err);
    if (status == SP_OK && t.n >= 2)
        status = intervals(&t, n_pairs, pairs, options, out, err);
    else if (status == SP_OK)
        observe(&t, n_pairs, pairs, out);
    free(t.rows);
    free(t.total);
    return status;
}

sp_status sp_bootstrap_accuracy(int64_t n, const int64_t *a, const int64_t *b, const int64_t *scored,
                                const sp_bootstrap_options *options, sp_difference *out, sp_error *err)
{
    const int64_t *const correct[2] = {a, b};
    const int32_t pair[1][2] = {{0, 1}};
    return sp_bootstrap_accuracies(n, 2, correct, scored, 1, pair, options, out, err);
}
