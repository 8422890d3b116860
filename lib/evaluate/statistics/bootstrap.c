/* Differences of accuracies by the paired cluster bootstrap. */
#include "statepath/statistics.h"

#include "core/try.h"
#include "evaluate/statistics/clusters.h"
#include "evaluate/statistics/intervals.h"

#include <math.h>

/* Sums: scored steps, then the right steps of each strategy. */
typedef struct accuracy_pairs {
    int32_t n;
    const int32_t (*pairs)[2];
} accuracy_pairs;

static void differences(const void *arg, const int64_t *sums, double *values)
{
    const accuracy_pairs *p = arg;
    for (int32_t i = 0; i < p->n; i++) {
        const int32_t *pair = p->pairs[i];
        values[i] = sums[0] ? ((double)sums[1 + pair[0]] - (double)sums[1 + pair[1]]) / (double)sums[0] : NAN;
    }
}

static sp_status check_counts(int64_t n, int32_t n_strategies, const int64_t *const *correct,
                              const int64_t *scored, sp_error *err)
{
    for (int64_t i = 0; i < n; i++)
        for (int32_t s = 0; s < n_strategies; s++)
            if (scored[i] < 0 || correct[s][i] < 0 || correct[s][i] > scored[i])
                return sp_fail(err, SP_EINVAL, "recording %lld has %lld right of %lld scored steps",
                               (long long)i, (long long)correct[s][i], (long long)scored[i]);
    if (n >= INT64_C(1) << 32)
        return sp_fail(err, SP_EINVAL, "%lld recordings are too many for the bootstrap", (long long)n);
    return SP_OK;
}

sp_status sp_bootstrap_accuracies(int64_t n, int32_t n_strategies, const int64_t *const *correct,
                                  const int64_t *scored, int32_t n_pairs, const int32_t (*pairs)[2],
                                  const sp_bootstrap_options *options, sp_workers *workers,
                                  sp_difference *out, sp_error *err)
{
    sp_count_rows rows = {0};
    bool is_whole = true;
    sp_status status = SP_OK;
    TRY(sp_bootstrap_options_check(options, err));
    TRY(check_counts(n, n_strategies, correct, scored, err));
    for (int64_t i = 0; is_whole && i < n; i++) {
        if (scored[i] == 0)
            continue;
        is_whole = sp_count_rows_add(&rows, 0, scored[i]);
        for (int32_t s = 0; is_whole && s < n_strategies; s++)
            is_whole = sp_count_rows_add(&rows, (uint32_t)s + 1, correct[s][i]);
        is_whole = is_whole && sp_count_rows_end(&rows);
    }
    accuracy_pairs asked = {n_pairs, pairs};
    sp_clusters clusters = sp_count_rows_view(&rows, 1 + n_strategies);
    sp_statistics statistics = {
        .n = n_pairs, .most = 1, .compute = differences, .arg = &asked, .undefined = "no scored steps"};
    TRY(is_whole ? sp_clusters_bootstrap(&clusters, &statistics, options, workers, out, err)
                 : sp_no_memory(err));
done:
    sp_count_rows_free(&rows);
    return status;
}

sp_status sp_bootstrap_accuracy(int64_t n, const int64_t *a, const int64_t *b, const int64_t *scored,
                                const sp_bootstrap_options *options, sp_difference *out, sp_error *err)
{
    const int64_t *const correct[2] = {a, b};
    const int32_t pair[1][2] = {{0, 1}};
    return sp_bootstrap_accuracies(n, 2, correct, scored, 1, pair, options, NULL, out, err);
}
