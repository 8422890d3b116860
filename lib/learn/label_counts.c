/* Counted labels, and what they show often enough to be allowed. */
#include "statepath/learn.h"

#include <math.h>
#include <stdlib.h>

#include "core/model/edges.h"
#include "core/model/model.h"
#include "core/try.h"

/* ---- counting ---- */

sp_status sp_label_counts_init(sp_label_counts *counts, int32_t n_classes, sp_error *err)
{
    if (n_classes < 1)
        return sp_fail(err, SP_EINVAL, "labels of %d classes cannot be counted; there must be at least one",
                       n_classes);
    size_t k = (size_t)n_classes;
    *counts = (sp_label_counts){.n_classes = n_classes};
    counts->transitions = calloc(k * k + 3 * k, sizeof *counts->transitions);
    if (!counts->transitions)
        return sp_no_memory(err);
    counts->starts = counts->transitions + k * k;
    counts->ends = counts->starts + k;
    counts->steps = counts->ends + k;
    return SP_OK;
}

void sp_label_counts_clear(sp_label_counts *counts)
{
    free(counts->transitions); /* the block they all stand in */
    *counts = (sp_label_counts){0};
}

void sp_label_counts_add(sp_label_counts *counts, int64_t n_steps, const int32_t *labels,
                         const int64_t *segments)
{
    size_t n_classes = (size_t)counts->n_classes;
    counts->n_recordings++;
    if (n_steps < 1)
        return;
    if (labels[0] >= 0)
        counts->starts[labels[0]]++;
    if (labels[n_steps - 1] >= 0)
        counts->ends[labels[n_steps - 1]]++;
    for (int64_t t = 0; t < n_steps; t++) {
        if (labels[t] < 0)
            continue;
        counts->steps[labels[t]]++;
        if (t > 0 && labels[t - 1] >= 0 && !(segments && segments[t] != segments[t - 1]))
            counts->transitions[(size_t)labels[t - 1] * n_classes + (size_t)labels[t]]++;
    }
}

/* ---- the model ---- */

/* Counts, and how often a transition must be seen. */
typedef struct seen {
    const sp_label_counts *counts;
    int64_t min_count;
} seen;

static bool is_seen(const void *arg, int32_t from, int32_t to)
{
    const seen *s = arg;
    const size_t i = (size_t)from, j = (size_t)to, n = (size_t)s->counts->n_classes;
    return s->counts->transitions[i * n + j] >= s->min_count || (i == j && s->counts->steps[i] > 0);
}

sp_status sp_model_from_counts(const char *name, const char *const *classes, const sp_label_counts *counts,
                               int64_t min_count, sp_model **out, sp_error *err)
{
    int32_t n = counts->n_classes;
    int64_t n_steps = 0;
    bool has_start = false;
    for (int32_t k = 0; k < n; k++) {
        n_steps += counts->steps[k];
        has_start |= counts->starts[k] >= min_count;
    }
    if (min_count < 1)
        return sp_fail(err, SP_EINVAL,
                       "`min_count` %lld: must be at least 1; at 0 every transition would be allowed",
                       (long long)min_count);
    if (n_steps == 0)
        return sp_fail(err, SP_EINVAL, "no labelled step to learn from; all labels are -1");
    if (!has_start)
        return sp_fail(err, SP_EINVAL,
                       "no class starts at least %lld of the %lld recordings; lower `min_count`",
                       (long long)min_count, (long long)counts->n_recordings);
    sp_model *model = sp_model_new(name, n, classes);
    sp_status status = SP_OK;
    if (!model || !(model->start = malloc((size_t)n * sizeof *model->start)) ||
        !(model->prior = malloc((size_t)n * sizeof *model->prior)))
        TRY(sp_no_memory(err));
    TRY(sp_edges_fill(model, is_seen, &(seen){counts, min_count}, err));
    for (int32_t k = 0; k < n; k++) {
        model->start[k] = counts->starts[k] >= min_count ? 0 : -INFINITY;
        model->prior[k] = (double)counts->steps[k] / (double)n_steps;
    }
    model->start_is_list = true;
    TRY(sp_model_check(model, err));
    *out = model;
    model = NULL;
done:
    sp_model_free(model);
    return status;
}
