/* Sign-flip permutation test. */
#include "statepath/statistics.h"

#include "core/owned.h"
#include "core/try.h"
#include "evaluate/statistics/intervals.h"
#include "evaluate/statistics/random.h"
#include "evaluate/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EXACT = 20 };
static const uint64_t first_stream = UINT64_C(1) << 40; /* none that the bootstrap draws from */

/* Signed sums of the n values for each pattern of signs: sums[pattern], bit i of the pattern set = d[i] subtracted. */
static void all_sums(int n, const double *d, double *sums)
{
    sums[0] = 0;
    for (int i = 0; i < n; i++)
        sums[0] += d[i];
    for (int i = 0; i < n; i++)
        for (int pattern = 0; pattern < 1 << i; pattern++)
            sums[pattern | 1 << i] = sums[pattern] - 2 * d[i];
}

/* Sums that are equal on paper differ by rounding: as good as the observed one counts as at least as extreme. */
static double threshold_of(int64_t n, const double *d)
{
    double sum = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += d[i];
        size += fabs(d[i]);
    }
    return fabs(sum) - 1e-12 * size;
}

/* How many of the sorted values [n] are so great that left + value >= threshold; adding does not change their order. */
static int64_t count_from(int n, const double *sorted, double left, double threshold)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (left + sorted[middle] >= threshold)
            high = middle;
        else
            low = middle + 1;
    }
    return n - low;
}

/* Share of all 2^n sign patterns with |sum| >= threshold: every sum of the first half of the values with every sum of the rest,
 * which is sorted, and as good as its mirror image. */
static double exact_p(int n, const double *d, double threshold)
{
    double left[1 << (MAX_EXACT / 2)], right[1 << (MAX_EXACT / 2)];
    int half = n / 2, rest = n - half;
    if (threshold <= 0)
        return 1;
    all_sums(half, d, left);
    all_sums(rest, d + half, right);
    int64_t extreme = 0;
    qsort(right, (size_t)1 << rest, sizeof *right, value_ascending);
    for (int i = 0; i < 1 << half; i++)
        extreme += count_from(1 << rest, right, left[i], threshold);
    for (int j = 0; j < 1 << rest; j++)
        right[j] = -right[j];
    qsort(right, (size_t)1 << rest, sizeof *right, value_ascending);
    for (int i = 0; i < 1 << half; i++)
        extreme += count_from(1 << rest, right, -left[i], threshold);
    return ldexp((double)extreme, -n);
}

/* Random signs, four values at a time: sums [n / 4 rounded up][16] holds what each pattern of four signs adds. */
static double sampled_p(uint64_t seed, int64_t n_fours, const double (*sums)[16], double threshold,
                        int32_t n_resamples)
{
    enum { FOURS = 16 * RANDOM_LANES }; /* whose signs are drawn at once */
    int64_t extreme = 0;
    for (int32_t b = 0; b < n_resamples; b++) {
        random_stream random = random_open(seed, first_stream + (uint64_t)b);
        double sum = 0;
        for (int64_t i = 0; i < n_fours; i += FOURS) {
            uint64_t word[RANDOM_LANES];
            int64_t count = n_fours - i < FOURS ? n_fours - i : FOURS;
            random_next(&random, word);
            for (int64_t j = 0; j < count; j++)
                sum += sums[i + j][word[j / 16] >> (4 * (j % 16)) & 15];
        }
        extreme += fabs(sum) >= threshold;
    }
    return ((double)extreme + 1) / ((double)n_resamples + 1);
}

/* d [n], with room for three more, which are set to 0. Very many values are put into groups as clusters of the bootstrap are,
 * whose signs are flipped together: a test of fewer flips, of the same level. */
static sp_status sampled(int64_t n, double *d, const sp_bootstrap_options *options, double *p, sp_error *err)
{
    double threshold = threshold_of(n, d), *values = d;
    int64_t n_values = sp_cluster_units(n), n_fours = (n_values + 3) / 4;
    sp_owned own = {0};
    double(*sums)[16] = sp_zeros(&own, (size_t)n_fours, sizeof *sums);
    double *groups = n_values < n ? sp_zeros(&own, SP_CLUSTER_GROUPS, sizeof *d) : NULL;
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    if (groups) {
        for (int64_t i = 0; i < n; i++)
            groups[sp_cluster_group(options->seed, i)] += d[i];
        values = groups; /* as many as fours take */
    } else {
        memset(d + n, 0, 3 * sizeof *d);
    }
    for (int64_t i = 0; i < n_fours; i++)
        all_sums(4, values + 4 * i, sums[i]);
    *p = sampled_p(options->seed, n_fours, (const double(*)[16])sums, threshold,
                   sp_bootstrap_resamples(options, n));
done:
    sp_owned_free(&own);
    return status;
}

sp_status sp_sign_flip_test(int64_t n, const double *difference, const sp_bootstrap_options *options,
                            sp_sign_flip *out, sp_error *err)
{
    int64_t kept = 0, m = 0;
    double *d = NULL, p = 0;
    sp_status status = SP_OK;
    TRY(sp_bootstrap_options_check(options, err));
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(difference[i]))
            return sp_fail(
                err, SP_EINVAL,
                "difference %lld of %lld is not finite: the sign-flip test needs finite differences",
                (long long)i, (long long)n);
        kept += difference[i] != 0;
    }
    if (kept == 0) {
        *out = (sp_sign_flip){.p = value_undefined(n ? "no difference" : "no recordings")};
        return SP_OK;
    }
    if (!(d = malloc((size_t)(kept + 3) * sizeof *d)))
        TRY(sp_no_memory(err));
    for (int64_t i = 0; i < n; i++)
        if (difference[i] != 0) /* a zero adds the same to every sum */
            d[m++] = difference[i];
    if (kept <= MAX_EXACT)
        p = exact_p((int)kept, d, threshold_of(kept, d));
    else
        TRY(sampled(kept, d, options, &p, err));
    *out = (sp_sign_flip){.p = value_of(p), .is_exact = kept <= MAX_EXACT};
done:
    free(d);
    return status;
}
