/* How long classes last. */
#include <stdlib.h>

#include "statepath/fit.h"

typedef struct run {
    int32_t k;
    int64_t length;
} run;

typedef struct runs {
    int64_t n, capacity;
    run *list;
} runs;

static bool add_run(runs *r, int32_t k, int64_t length)
{
    if (r->n == r->capacity) {
        int64_t more = r->capacity ? 2 * r->capacity : 256;
        run *list = realloc(r->list, (size_t)more * sizeof *list);
        if (!list)
            return false;
        r->list = list;
        r->capacity = more;
    }
    r->list[r->n++] = (run){k, length};
    return true;
}

/* Runs whose begin and end are both changes of class: those at the edges of recordings, gaps and unscored steps are left out. */
static bool collect(const sp_training *training, int64_t n, runs *out)
{
    sp_scores scores = sp_batch_recording(&training->batch, n);
    const int32_t *labels = training->labels + training->batch.offsets[n];
    int64_t from = -1; /* first step of a run whose begin is seen; -1: none */
    for (int64_t t = 1; t < scores.n_steps; t++) {
        if (labels[t] < 0 || labels[t - 1] < 0 || sp_scores_is_gap(&scores, t)) {
            from = -1;
        } else if (labels[t] != labels[t - 1]) {
            if (from >= 0 && !add_run(out, labels[t - 1], t - from))
                return false;
            from = t;
        }
    }
    return true;
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
    runs all = {0};
    bool is_done = true;
    for (int64_t n = 0; is_done && training->labels && n < training->batch.n_recordings; n++)
        if (sp_training_uses(training, n))
            is_done = collect(training, n, &all);
    if (is_done) {
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
    return is_done ? SP_OK : sp_no_memory(err);
}
