/* How long classes last. */
#include <stdlib.h>

#include "core/owned.h"
#include "learn/durations/runs.h"
#include "learn/training.h"
#include "statepath/learn.h"

static void add(sp_run_list *runs, sp_label_run run, bool *is_whole)
{
    if (runs->n == runs->capacity) {
        runs->capacity = 2 * runs->capacity + 256;
        runs->list = sp_grown(runs->list, runs->capacity, sizeof *runs->list, is_whole);
    }
    if (*is_whole)
        runs->list[runs->n++] = run;
}

static void collect(const sp_training *training, int64_t n, bool with_cut, sp_run_list *out, bool *is_whole)
{
    sp_scores scores = sp_batch_recording(&training->batch, n);
    const int32_t *labels = training->labels + training->batch.offsets[n];
    const int64_t T = scores.n_steps;
    int64_t from = -1; /* first step of a run whose begin is seen; -1: none */
    for (int64_t t = 1; t <= T; t++) {
        const bool is_end = t == T || labels[t] < 0 || labels[t - 1] < 0 || sp_scores_is_gap(&scores, t);
        if (!is_end && labels[t] == labels[t - 1])
            continue;
        if (from >= 0 && (with_cut || !is_end))
            add(out, (sp_label_run){labels[t - 1], is_end, t - from, n}, is_whole);
        from = is_end ? -1 : t;
    }
}

static int by_class_and_length(const void *a, const void *b)
{
    const sp_label_run *x = a, *y = b;
    return x->k != y->k ? (x->k > y->k) - (x->k < y->k) : (x->length > y->length) - (x->length < y->length);
}

sp_status sp_run_list_collect(const sp_training *training, bool with_cut, sp_run_list *out, sp_error *err)
{
    bool is_whole = true;
    *out = (sp_run_list){0};
    for (int64_t n = 0; training->labels && n < training->batch.n_recordings; n++)
        if (sp_training_uses(training, n))
            collect(training, n, with_cut, out, &is_whole);
    if (out->n)
        qsort(out->list, (size_t)out->n, sizeof *out->list, by_class_and_length);
    return is_whole ? SP_OK : sp_no_memory(err);
}

void sp_run_list_clear(sp_run_list *runs)
{
    free(runs->list);
    *runs = (sp_run_list){0};
}

int64_t sp_run_list_from(const sp_run_list *runs, int32_t k)
{
    int64_t low = 0, high = runs->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (runs->list[middle].k < k)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of `n` sorted runs. */
static sp_run_lengths describe(int64_t n, const sp_label_run *list, double quantile)
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
    int64_t longest =
        list[(int64_t)(quantile * (double)n)].length; /* runs before it are at most quantile * n */
    d.proposed_min_dwell = longest > 10000 ? 10000 : (int32_t)longest;
    return d;
}

sp_status sp_run_lengths_collect(const sp_training *training, double quantile, sp_run_lengths *out,
                                 sp_error *err)
{
    if (!(quantile >= 0 && quantile < 1))
        return sp_fail(err, SP_EINVAL, "quantile %g of the run lengths: must be at least 0 and below 1",
                       quantile);
    sp_run_list all;
    sp_status status = sp_run_list_collect(training, false, &all, err);
    for (int32_t k = 0; status == SP_OK && k < training->batch.scores.n_classes; k++) {
        const int64_t from = sp_run_list_from(&all, k), n = sp_run_list_from(&all, k + 1) - from;
        out[k] = describe(n, n > 0 ? all.list + from : NULL, quantile);
    }
    sp_run_list_clear(&all);
    return status;
}
