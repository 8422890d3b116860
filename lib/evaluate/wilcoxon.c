/* Wilcoxon's signed rank test. Ranks are kept doubled, so that mid-ranks are integers and the null distribution can be counted.
 */
#include "statepath/statistics.h"

#include "evaluate/value.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_EXACT = 1000 };

static int by_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

/* Twice the mid-ranks of |d|, d sorted by size; returns sum of (ties^3 - ties), which the approximation needs. */
static double doubled_ranks(int64_t n, const double *d, int64_t *rank)
{
    double correction = 0;
    for (int64_t first = 0; first < n;) {
        int64_t last = first;
        while (last + 1 < n && fabs(d[last + 1]) == fabs(d[first]))
            last++;
        for (int64_t i = first; i <= last; i++)
            rank[i] = first + last + 2; /* ranks first+1 .. last+1, their mean doubled */
        double ties = (double)(last - first + 1);
        correction += ties * ties * ties - ties;
        first = last + 1;
    }
    return correction;
}

/* P(W <= w) when each doubled rank is in the sum with probability 1/2, w at most half of all.
 *     p_i(s) = (p_(i-1)(s) + p_(i-1)(s - rank_i)) / 2,   s = 0 .. w
 * Sums above w never come back to it, so they are not kept. Halving is exact. */
static double lower_tail(int64_t n, const int64_t *rank, int64_t w, double *p)
{
    for (int64_t s = 1; s <= w; s++)
        p[s] = 0;
    p[0] = 1;
    int64_t reached = 0; /* the highest sum so far, at most w */
    for (int64_t i = 0; i < n; i++) {
        int64_t r = rank[i];
        reached = reached + r < w ? reached + r : w;
        for (int64_t s = reached; s >= r; s--)
            p[s] = (p[s] + p[s - r]) / 2;
        for (int64_t s = (reached < r ? reached : r - 1); s >= 0; s--)
            p[s] /= 2;
    }
    double sum = 0;
    for (int64_t s = 0; s <= w; s++)
        sum += p[s];
    return sum;
}

static double normal_p(int64_t n, int64_t doubled_w, double correction)
{
    double N = (double)n, mean = N * (N + 1) / 4;
    double variance = N * (N + 1) * (2 * N + 1) / 24 - correction / 48;
    return 2 * gsl_cdf_ugaussian_P(((double)doubled_w / 2 - mean) / sqrt(variance));
}

/* d [n] without zeros, sorted by size; rank [n]; p [n (n + 1) / 2 + 1] for the exact count or NULL. */
static void signed_rank(int64_t n, const double *d, int64_t *rank, double *p, sp_wilcoxon *out)
{
    double correction = doubled_ranks(n, d, rank);
    int64_t plus = 0, minus = 0;
    for (int64_t i = 0; i < n; i++)
        *(d[i] > 0 ? &plus : &minus) += rank[i];
    int64_t w = plus < minus ? plus : minus;
    out->is_exact = p != NULL;
    double two_sided = p ? 2 * lower_tail(n, rank, w, p) : normal_p(n, w, correction);
    out->p = value_of(two_sided < 1 ? two_sided : 1);
    out->rank_biserial = value_of((double)(plus - minus) / (double)(plus + minus));
}

sp_status sp_wilcoxon_signed_rank(int64_t n, const double *difference, sp_wilcoxon *out, sp_error *err)
{
    sp_wilcoxon result = {0};
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(difference[i]))
            return sp_fail(err, SP_EINVAL, "difference %lld of %lld is not finite: the signed rank test needs finite differences",
                           (long long)i, (long long)n);
        result.better += difference[i] > 0;
        result.worse += difference[i] < 0;
        result.ties += difference[i] == 0;
    }
    int64_t kept = result.better + result.worse;
    if (kept == 0) {
        result.p = result.rank_biserial = value_undefined(n ? "no difference" : "no recordings");
        *out = result;
        return SP_OK;
    }
    bool is_exact = kept <= MAX_EXACT;
    double *d = malloc((size_t)kept * sizeof *d);
    int64_t *rank = malloc((size_t)kept * sizeof *rank);
    double *p = is_exact ? malloc((size_t)(kept * (kept + 1) / 2 + 1) * sizeof *p) : NULL;
    sp_status status = SP_OK;
    if (d && rank && (p || !is_exact)) {
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++)
            if (difference[i] != 0)
                d[m++] = difference[i];
        qsort(d, (size_t)kept, sizeof *d, by_size);
        signed_rank(kept, d, rank, p, &result);
        *out = result;
    } else {
        status = sp_fail(err, SP_ENOMEM, "no memory for the signed rank test of %lld differences", (long long)kept);
    }
    free(d);
    free(rank);
    free(p);
    return status;
}
