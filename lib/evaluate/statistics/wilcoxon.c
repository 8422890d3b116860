/* Wilcoxon's signed rank test. Ranks are kept doubled, so that mid-ranks are integers and the null distribution can be counted.
 */
#include "statepath/statistics.h"

#include "core/owned.h"
#include "core/try.h"
#include "evaluate/value.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Beyond these the exact count takes more than a second, or 256 MB. Only zeros that are ranked lead beyond the latter two. */
enum { MAX_EXACT = 1000, MAX_SUMS = 1 << 25 };
static const double max_additions = 1e9;

static int by_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

/* Twice the mid-ranks of |d|, d sorted by size; the first `zeros` of it are 0 and left out, but counted. rank [n - zeros] */
static void doubled_ranks(int64_t n, int64_t zeros, const double *d, int64_t *rank)
{
    for (int64_t first = zeros; first < n;) {
        int64_t last = first;
        while (last + 1 < n && fabs(d[last + 1]) == fabs(d[first]))
            last++;
        for (int64_t i = first; i <= last; i++)
            rank[i - zeros] = first + last + 2; /* ranks first+1 .. last+1, their mean doubled */
        first = last + 1;
    }
}

/* P(W <= w) when each doubled rank is in the sum with probability 1/2, w at most half of all.
 *     p_i(s) = (p_(i-1)(s) + p_(i-1)(s - rank_i)) / 2,   s = 0 .. w
 * Sums above w never come back to it, so they are not kept. Halving is exact. p [w+1], all 0. */
static double lower_tail(int64_t n, const int64_t *rank, int64_t w, double *p)
{
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

/* W is a sum of independent terms, rank or 0: mean sum r / 2, variance sum r^2 / 4, whatever the ties and zeros are. */
static double normal_p(int64_t n, const int64_t *rank, int64_t doubled_w)
{
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < n; i++) {
        double r = (double)rank[i] / 2;
        mean += r / 2;
        variance += r * r / 4;
    }
    return 2 * gsl_cdf_ugaussian_P(((double)doubled_w / 2 - mean) / sqrt(variance));
}

/* n differences, of which the first `zeros` are 0; rank [n - zeros]. */
static void signed_rank(int64_t n, int64_t zeros, const double *d, int64_t *rank, sp_owned *own,
                        sp_wilcoxon *out)
{
    int64_t kept = n - zeros, plus = 0, minus = 0;
    doubled_ranks(n, zeros, d, rank);
    for (int64_t i = 0; i < kept; i++)
        *(d[zeros + i] > 0 ? &plus : &minus) += rank[i];
    int64_t w = plus < minus ? plus : minus;
    out->is_exact = kept <= MAX_EXACT && w < MAX_SUMS && (double)kept * (double)w <= max_additions;
    double *p = out->is_exact ? sp_zeros(own, (size_t)w + 1, sizeof *p) : NULL;
    double two_sided = p ? 2 * lower_tail(kept, rank, w, p) : normal_p(kept, rank, w);
    out->p = value_of(two_sided < 1 ? two_sided : 1);
    out->rank_biserial = value_of((double)(plus - minus) / (double)(plus + minus));
}

sp_status sp_wilcoxon_signed_rank(int64_t n, const double *difference, sp_wilcoxon_zeros zeros,
                                  sp_wilcoxon *out, sp_error *err)
{
    sp_wilcoxon result = {0};
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(difference[i]))
            return sp_fail(
                err, SP_EINVAL,
                "difference %lld of %lld is not finite: the signed rank test needs finite differences",
                (long long)i, (long long)n);
        result.better += difference[i] > 0;
        result.worse += difference[i] < 0;
        result.ties += difference[i] == 0;
    }
    int64_t kept = result.better + result.worse, ranked = zeros == SP_ZEROS_PRATT ? n : kept;
    if (kept == 0) {
        result.p = result.p_least = result.rank_biserial =
            value_undefined(n ? "no difference" : "no recordings");
        *out = result;
        return SP_OK;
    }
    result.p_least = value_of(ldexp(1, kept <= 1001 ? 1 - (int)kept : -1000));
    sp_owned own = {0};
    double *d = sp_zeros(&own, (size_t)ranked, sizeof *d);
    int64_t *rank = sp_zeros(&own, (size_t)kept, sizeof *rank), m = 0;
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    for (int64_t i = 0; i < n; i++)
        if (difference[i] != 0 || zeros == SP_ZEROS_PRATT)
            d[m++] = difference[i];
    qsort(d, (size_t)ranked, sizeof *d, by_size);
    signed_rank(ranked, ranked - kept, d, rank, &own, &result);
    TRY(sp_owned_status(&own, err));
    *out = result;
done:
    sp_owned_free(&own);
    return status;
}
