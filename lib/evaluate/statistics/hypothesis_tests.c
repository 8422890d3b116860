/* Tests over strategies: McNemar's over steps and over units, over more than two strategies, of symmetry between two, and the
 * adjustment for several of them. The signed rank and the sign-flip test have files of their own. */
#include "statepath/statistics.h"

#include "core/owned.h"
#include "core/try.h"
#include "evaluate/statistics/hypothesis_tests.h"
#include "evaluate/value.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>

/* ---- McNemar ---- */

/* P(X = k) for X ~ Bin(n, 1/2). */
static double binomial_half(int64_t k, int64_t n)
{
    double x = (double)k, m = (double)n;
    return exp(gsl_sf_lngamma(m + 1) - gsl_sf_lngamma(x + 1) - gsl_sf_lngamma(m - x + 1) - m * M_LN2);
}

/* P(X <= k) for X ~ Bin(n, 1/2), k <= n / 2: terms fall away from k downwards, so the sum stops when they no longer count. */
static double lower_half(int64_t k, int64_t n)
{
    double term = binomial_half(k, n), sum = 0;
    for (int64_t i = k; i >= 0 && term > sum * 1e-18; i--) {
        sum += term;
        term *= (double)i / (double)(n - i + 1); /* P(i - 1) / P(i) */
    }
    return sum;
}

void sp_mcnemar_test(int64_t only_a, int64_t only_b, sp_mcnemar *out)
{
    *out = (sp_mcnemar){.only_a = only_a, .only_b = only_b};
    int64_t n = only_a + only_b, low = only_a < only_b ? only_a : only_b;
    if (n == 0) {
        sp_value none = value_undefined("no discordant steps");
        out->exact = out->mid_p = out->chi2 = out->chi2_p = out->chi2_corrected = out->chi2_corrected_p =
            none;
        return;
    }
    double exact = only_a == only_b ? 1 : fmin(1, 2 * lower_half(low, n));
    out->exact = value_of(exact);
    /* What is more extreme, and half of what is just as extreme: both ends, or the middle alone where b = c. */
    out->mid_p = value_of(exact - (only_a == only_b ? 0.5 : 1) * binomial_half(low, n));
    double apart = fabs((double)(only_a - only_b)), corrected = apart - 1;
    out->chi2 = value_of(apart * apart / (double)n);
    out->chi2_p = value_of(gsl_cdf_chisq_Q(out->chi2.value, 1));
    out->chi2_corrected = value_of(corrected * corrected / (double)n);
    out->chi2_corrected_p = value_of(gsl_cdf_chisq_Q(out->chi2_corrected.value, 1));
}

static sp_value chi2_p(double chi2, int32_t df)
{
    return value_of(gsl_cdf_chisq_Q(chi2, df));
}

/* ---- Friedman ---- */

/* Mid-ranks of row [k] are added to sums [k]; returns sum over ties of t^3 - t. */
static double add_ranks(int32_t k, const double *row, double *sums)
{
    double ties = 0;
    for (int32_t i = 0; i < k; i++) {
        int32_t less = 0, equal = 0;
        for (int32_t j = 0; j < k; j++) {
            less += row[j] < row[i];
            equal += row[j] == row[i];
        }
        sums[i] += less + (equal + 1) / 2.0;
        ties += (double)equal * equal - 1; /* each of the t tied ones adds its share of t^3 - t */
    }
    return ties;
}

sp_status sp_friedman_test(int64_t n, int32_t k, const double *values, double *mean_ranks, sp_chi2 *out,
                           sp_error *err)
{
    double *sums = calloc((size_t)k + 1, sizeof *sums), ties = 0, squares = 0;
    if (!sums)
        return sp_no_memory(err);
    for (int64_t i = 0; i < n; i++)
        ties += add_ranks(k, values + (size_t)i * (size_t)k, sums);
    double N = (double)n, K = k, expected = N * (K + 1) / 2, correction = 1 - ties / (N * (K * K * K - K));
    for (int32_t j = 0; j < k; j++) {
        squares += (sums[j] - expected) * (sums[j] - expected);
        if (mean_ranks && n > 0)
            mean_ranks[j] = (K + 1) - sums[j] / N; /* the greatest value has rank 1 */
    }
    free(sums);
    *out = (sp_chi2){.df = k - 1};
    const char *reason = k < 3                 ? "fewer than three strategies"
                         : n < 2               ? "fewer than two units"
                         : correction <= 1e-12 ? "no difference"
                                               : NULL;
    out->chi2 = reason ? value_undefined(reason) : value_of(12 * squares / (N * K * (K + 1)) / correction);
    out->p = reason ? out->chi2 : chi2_p(out->chi2.value, out->df);
    return SP_OK;
}

/* ---- Cochran ---- */

void sp_cochran_test(int32_t k, const int64_t *right, double sum, double squares, sp_chi2 *out)
{
    double total = 0, of_strategies = 0, K = k, below = K * sum - squares;
    for (int32_t j = 0; j < k; j++) {
        total += (double)right[j];
        of_strategies += (double)right[j] * (double)right[j];
    }
    *out = (sp_chi2){.df = k - 1};
    const char *reason = k < 3 ? "fewer than three strategies" : below <= 0 ? "no discordant steps" : NULL;
    out->chi2 =
        reason ? value_undefined(reason) : value_of((K - 1) * (K * of_strategies - total * total) / below);
    out->p = reason ? out->chi2 : chi2_p(out->chi2.value, out->df);
}

/* ---- symmetry of a table ---- */

void sp_bowker_test(int32_t n_classes, const int64_t *table, sp_chi2 *out)
{
    size_t K = (size_t)n_classes;
    double chi2 = 0;
    int32_t n_used = 0;
    bool differs = false;
    for (size_t i = 0; i < K; i++) {
        bool is_used = table[i * K + i] > 0;
        for (size_t j = 0; j < K; j++) {
            double a = (double)table[i * K + j], b = (double)table[j * K + i];
            if (i == j || a + b == 0)
                continue;
            is_used = differs = true;
            chi2 += i < j ? (a - b) * (a - b) / (a + b) : 0;
        }
        n_used += is_used;
    }
    *out = (sp_chi2){.df = n_used * (n_used - 1) / 2};
    out->chi2 = differs ? value_of(chi2) : value_undefined("no step differs");
    out->p = differs ? chi2_p(chi2, out->df) : out->chi2;
}

/* Lowest class that `k` is connected with by steps that differ. group [K] */
static void find_components(size_t K, const int64_t *table, int32_t *group)
{
    for (size_t k = 0; k < K; k++)
        group[k] = (int32_t)k;
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j < K; j++)
                if (i != j && table[i * K + j] && group[i] != group[j]) {
                    int32_t least = group[i] < group[j] ? group[i] : group[j];
                    group[i] = group[j] = least;
                    is_done = false;
                }
    }
}

/* Solves S x = d for a symmetric positive definite S [n,n], in place (Cholesky); returns d' x. */
static double quadratic_form(size_t n, double *S, double *d)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double v = S[i * n + j];
            for (size_t m = 0; m < j; m++)
                v -= S[i * n + m] * S[j * n + m];
            S[i * n + j] = i == j ? sqrt(v) : v / S[j * n + j];
        }
        double y = d[j]; /* forward substitution: d' S^-1 d is the square of L^-1 d */
        for (size_t m = 0; m < j; m++)
            y -= S[j * n + m] * d[m];
        d[j] = y / S[j * n + j];
        sum += d[j] * d[j];
    }
    return sum;
}

/* Differences of the margins d_i = n_i. - n_.i with their covariance S_ii = sum_j (n_ij + n_ji), S_ij = -(n_ij + n_ji). S is the
 * Laplacian of the graph of classes that are exchanged; one class of each connected part says nothing new and is left out. */
sp_status sp_stuart_maxwell_test(int32_t n_classes, const int64_t *table, sp_chi2 *out, sp_error *err)
{
    size_t K = (size_t)n_classes, n = 0;
    sp_owned own = {0};
    int32_t *group = sp_zeros(&own, K, sizeof *group);
    size_t *kept = sp_zeros(&own, K, sizeof *kept);
    double *S = sp_zeros(&own, K * K, sizeof *S), *d = sp_zeros(&own, K, sizeof *d);
    sp_status status = SP_OK;
    *out = (sp_chi2){0};
    TRY(sp_owned_status(&own, err));
    find_components(K, table, group);
    for (size_t k = 0; k < K; k++)
        if (group[k] != (int32_t)k)
            kept[n++] = k;
    for (size_t i = 0; i < n; i++) {
        size_t a = kept[i];
        double total = 0;
        for (size_t j = 0; j < K; j++)
            if (j != a) {
                d[i] += (double)(table[a * K + j] - table[j * K + a]);
                total += (double)(table[a * K + j] + table[j * K + a]);
            }
        for (size_t j = 0; j < n; j++)
            S[i * n + j] = i == j ? total : -(double)(table[a * K + kept[j]] + table[kept[j] * K + a]);
    }
    out->df = (int32_t)n;
    out->chi2 = n ? value_of(quadratic_form(n, S, d)) : value_undefined("no step differs");
    out->p = n ? chi2_p(out->chi2.value, out->df) : out->chi2;
done:
    sp_owned_free(&own);
    return status;
}

void sp_mcnemar_cluster_test(int64_t n, const int64_t *a, const int64_t *b, sp_chi2 *out)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = (double)(a[i] - b[i]);
        sum += d;
        squares += d * d;
    }
    *out = (sp_chi2){.df = 1};
    out->chi2 = value_ratio(sum * sum, squares, "no difference");
    out->p = out->chi2.undefined ? out->chi2 : chi2_p(out->chi2.value, 1);
}

/* ---- Holm's adjustment ---- */

/* A p-value and where it stood. */
typedef struct ranked {
    double p;
    int64_t place;
} ranked;

static int by_p(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

sp_status sp_holm_adjust(int64_t n, const sp_value *p, sp_value *adjusted, sp_error *err)
{
    ranked *sorted = malloc((size_t)(n > 0 ? n : 1) * sizeof *sorted);
    if (!sorted)
        return sp_no_memory(err);
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        adjusted[i] = p[i];
        if (!p[i].undefined)
            sorted[m++] = (ranked){p[i].value, i};
    }
    qsort(sorted, (size_t)m, sizeof *sorted, by_p);
    double highest = 0;
    for (int64_t j = 0; j < m; j++) {
        double q = (double)(m - j) * sorted[j].p;
        if (q > 1)
            q = 1;
        if (q > highest)
            highest = q;
        adjusted[sorted[j].place] = value_of(highest);
    }
    free(sorted);
    return SP_OK;
}
