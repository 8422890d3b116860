/* How long classes last. */
#include <stdlib.h>

#include "core/owned.h"
#include "learn/training.h"
#include "statepath/learn.h"

typedef struct run {
    int32_t k;
    int64_t length;
} run;

typedef struct runs {
    int64_t n, capacity;
    run *list;
    bool is_whole; /* memory has sufficed so far */
} runs;

/* Runs whose begin and end are both changes of class: those at the edges of recordings, gaps and unscored steps are left out. */
static void collect(const sp_training *training, int64_t n, runs *out)
{
    sp_scores scores = sp_batch_recording(&training->batch, n);
    const int32_t *labels = training->labels + training->batch.offsets[n];
    int64_t from = -1; /* first step of a run whose begin is seen; -1: none */
    for (int64_t t = 1; t < scores.n_steps; t++) {
        if (labels[t] < 0 || labels[t - 1] < 0 || sp_scores_is_gap(&scores, t)) {
            from = -1;
        } else if (labels[t] != labels[t - 1]) {
            if (from >= 0 && out->n == out->capacity) {
                out->capacity = 2 * out->capacity + 256;
                out->list = sp_grown(out->list, out->capacity, sizeof *out->list, &out->is_whole);
            }
            if (from >= 0 && out->is_whole)
                out->list[out->n++] = (run){labels[t - 1], t - from};
            from = t;
        }
    }
}

static int by_class_and_length(const void *a, const void *b)
{
    const run *x = a, *y = b;
    return x->k != y->k ? (x->k > y->k) - (x->k < y->k) : (x->length > y->length) - (x->length < y->length);
}

/* Of `n` sorted runs. */
static sp_run_lengths describe(int64_t n, const run *list, double quantile)
{
    sp_run_lengths d = {.n = n, .proposed_min_dwell = 1};
    if (n == 0)
        return d;
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)list[i].length;
    d.mean = sum / (double)n;
    d.least = list[0].length;
    d.q05 = list[(int64_t)(0.05 * (double)(n - 1))].length;
    d.q25 = list[(int64_t)(0.25 * (double)(n - 1))].length;
    d.median = list[(n - 1) / 2].length;
    d.q75 = list[(int64_t)(0.75 * (double)(n - 1))].length;
    d.q95 = list[(int64_t)(0.95 * (double)(n - 1))].length;
    d.most = list[n - 1].length;
    int64_t longest = list[(int64_t)(quantile * (double)n)].length; /* runs before it are at most quantile * n */
    d.proposed_min_dwell = longest > 10000 ? 10000 : (int32_t)longest;
    return d;
}

sp_status sp_run_lengths_collect(const sp_training *training, double quantile, sp_run_lengths *out, sp_error *err)
{
    if (!(quantile >= 0 && quantile < 1))
        return sp_fail(err, SP_EINVAL, "quantile %g of the run lengths: must be at least 0 and below 1", quantile);
    runs all = {.is_whole = true};
    for (int64_t n = 0; training->labels && n < training->batch.n_recordings; n++)
        if (sp_training_uses(training, n))
            collect(training, n, &all);
    if (all.is_whole) {
        if (all.n)
            qsort(all.list, (size_t)all.n, sizeof *all.list, by_class_and_length);
        int64_t from = 0;
        for (int32_t k = 0; k < training->batch.scores.n_classes; k++) {
            int64_t to = from;
            while (to < all.n && all.list[to].k == k)
                to++;
            out[k] = describe(to - from, all.list + from, quantile);
            from = to;
        }
    }
    free(all.list);
    return all.is_whole ? SP_OK : sp_no_memory(err);
}
