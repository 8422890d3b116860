/* Differences of accuracies by the paired cluster bootstrap, and the options of all bootstraps. */
#include "statepath/statistics.h"

#include "evaluate/clusters.h"
#include "evaluate/value.h"

#include <math.h>
#include <stdlib.h>

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
    double affordable = n > 0 ? floor(max_draws / (double)sp_cluster_units(n)) : INFINITY;
    if (affordable < MIN_RESAMPLES)
        affordable = MIN_RESAMPLES;
    return options->n_resamples < affordable ? options->n_resamples : (int32_t)affordable;
}

/* ---- counts of any size as entries of lists ---- */

int64_t sp_count_entries(int64_t count)
{
    return count / UINT32_MAX + (count % UINT32_MAX != 0);
}

int64_t sp_count_put(int64_t count, uint32_t slot, uint32_t *slots, uint32_t *counts, int64_t at)
{
    for (; count > 0; at++) {
        slots[at] = slot;
        counts[at] = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
        count -= counts[at];
    }
    return at;
}

/* ---- accuracies ---- */

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

static sp_status check_counts(int64_t n, int32_t n_strategies, const int64_t *const *correct, const int64_t *scored,
                              int64_t *n_entries, sp_error *err)
{
    *n_entries = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int32_t s = 0; s < n_strategies; s++) {
            if (scored[i] < 0 || correct[s][i] < 0 || correct[s][i] > scored[i])
                return sp_fail(err, SP_EINVAL, "recording %lld has %lld right of %lld scored steps", (long long)i,
                               (long long)correct[s][i], (long long)scored[i]);
            *n_entries += sp_count_entries(correct[s][i]);
        }
        *n_entries += sp_count_entries(scored[i]);
    }
    if (n >= INT64_C(1) << 32)
        return sp_fail(err, SP_EINVAL, "%lld recordings are too many for the bootstrap", (long long)n);
    return SP_OK;
}

sp_status sp_bootstrap_accuracies_threads(int64_t n, int32_t n_strategies, const int64_t *const *correct, const int64_t *scored,
                                          int32_t n_pairs, const int32_t (*pairs)[2], const sp_bootstrap_options *options,
                                          sp_workers *workers, sp_difference *out, sp_error *err)
{
    sp_status status = sp_bootstrap_options_check(options, err);
    if (status != SP_OK || n_pairs == 0)
        return status;
    int64_t n_entries;
    status = check_counts(n, n_strategies, correct, scored, &n_entries, err);
    if (status != SP_OK)
        return status;
    int64_t *offsets = malloc(((size_t)n + 1) * sizeof *offsets), rows = 0, at = 0;
    uint32_t *slots = malloc(((size_t)n_entries + 1) * sizeof *slots), *counts = malloc(((size_t)n_entries + 1) * sizeof *counts);
    if (offsets && slots && counts) {
        offsets[0] = 0;
        for (int64_t i = 0; i < n; i++) {
            if (scored[i] == 0)
                continue;
            at = sp_count_put(scored[i], 0, slots, counts, at);
            for (int32_t s = 0; s < n_strategies; s++)
                at = sp_count_put(correct[s][i], (uint32_t)s + 1, slots, counts, at);
            offsets[++rows] = at;
        }
        accuracy_pairs asked = {n_pairs, pairs};
        sp_bootstrap_part part = {
            .clusters = {.n = rows, .width = 1 + n_strategies, .offsets = offsets, .slots = slots, .counts = counts},
            .statistics = {.n = n_pairs, .compute = differences, .arg = &asked, .undefined = "no scored steps"},
            .out = out};
        status = sp_clusters_bootstrap(1, &part, options, workers, err);
    } else {
        status = sp_fail(err, SP_ENOMEM, "no memory for the bootstrap of %lld recordings", (long long)n);
    }
    free(offsets);
    free(slots);
    free(counts);
    return status;
}

sp_status sp_bootstrap_accuracies(int64_t n, int32_t n_strategies, const int64_t *const *correct, const int64_t *scored,
                                  int32_t n_pairs, const int32_t (*pairs)[2], const sp_bootstrap_options *options,
                                  sp_difference *out, sp_error *err)
{
    return sp_bootstrap_accuracies_threads(n, n_strategies, correct, scored, n_pairs, pairs, options, NULL, out, err);
}

sp_status sp_bootstrap_accuracy(int64_t n, const int64_t *a, const int64_t *b, const int64_t *scored,
                                const sp_bootstrap_options *options, sp_difference *out, sp_error *err)
{
    const int64_t *const correct[2] = {a, b};
    const int32_t pair[1][2] = {{0, 1}};
    return sp_bootstrap_accuracies(n, 2, correct, scored, 1, pair, options, out, err);
}
