#include "tags/windows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/logmath.h"

void sp_window_texts_clear(sp_window_texts *texts)
{
    free(texts->first);
    free(texts->offsets);
    *texts = (sp_window_texts){.n = 0};
}

static sp_status refuse(const char *file, const char *const *ids, int64_t n, const char *what, int64_t step, int64_t other,
                        sp_error *err)
{
    char name[64], says[160];
    snprintf(name, sizeof name, "%lld", (long long)n);
    snprintf(says, sizeof says, what, (long long)step, (long long)other);
    return sp_fail(err, SP_EDATA, "%s: window %s begins at step %s", file, ids ? ids[n] : name, says);
}

sp_status sp_window_texts_find(int64_t n, const int64_t *offsets, const int64_t *start, const int64_t *text, const char *file,
                               const char *const *ids, sp_window_texts *out, sp_error *err)
{
    *out = (sp_window_texts){.first = calloc((size_t)n + 1, sizeof *out->first),
                             .offsets = calloc((size_t)n + 1, sizeof *out->offsets)};
    if (!out->first || !out->offsets)
        return sp_no_memory(err);
    int64_t end = 0; /* steps of the text so far */
    for (int64_t i = 0; i < n; i++) {
        const bool is_first = i == 0 || (text ? text[i] != text[i - 1] : start[i] == 0);
        if (text && i > 0 && text[i] < text[i - 1])
            return refuse(file, ids, i, "%lld of text %lld, after windows of a later one; windows come text by text", start[i],
                          text[i], err);
        if (is_first) {
            out->first[out->n] = i;
            out->n++;
            end = 0;
        }
        if (start[i] < 0 || (is_first && start[i] != 0))
            return refuse(file, ids, i, "%lld of its text, and is its first: the steps before are in no window", start[i], 0,
                          err);
        if (!is_first && start[i] <= start[i - 1])
            return refuse(file, ids, i, "%lld, and the one before it at %lld; windows go forwards", start[i], start[i - 1], err);
        if (start[i] > end)
            return refuse(file, ids, i, "%lld, and those before it end before step %lld: the steps between are in no window",
                          start[i], end, err);
        const int64_t length = offsets[i + 1] - offsets[i];
        end = start[i] + length > end ? start[i] + length : end;
        out->offsets[out->n] = out->offsets[out->n - 1] + end;
    }
    out->first[out->n] = n;
    return SP_OK;
}

static void add_row(sp_kind kind, const sp_scores *window, int64_t i, double *row)
{
    const int32_t K = window->n_classes;
    double taken = 0;
    if (kind == SP_KIND_LOGITS) {
        double greatest = -INFINITY, sum = 0;
        for (int32_t k = 0; k < K; k++) {
            const double x = sp_scores_at(window, i, k);
            greatest = x > greatest ? x : greatest;
        }
        for (int32_t k = 0; k < K; k++)
            sum += exp(sp_scores_at(window, i, k) - greatest);
        taken = greatest + log(sum);
    }
    for (int32_t k = 0; k < K; k++) {
        const double x = sp_scores_at(window, i, k);
        row[k] += kind == SP_KIND_PROBS ? log(x) : x - taken;
    }
}

void sp_window_add(sp_window_join how, sp_kind kind, const sp_scores *window, int64_t start, int64_t n, double *rows,
                   int64_t *seen)
{
    const int32_t K = window->n_classes;
    const int64_t T = window->n_steps;
    for (int64_t i = start < 0 ? -start : 0; i < T && start + i < n; i++) {
        const int64_t t = start + i, from_middle = llabs(2 * i + 1 - T) + 1;
        double *row = rows + t * K;
        if (how == SP_JOIN_MEAN) {
            add_row(kind, window, i, row);
            seen[t]++;
        } else if (seen[t] == 0 || from_middle < seen[t]) {
            seen[t] = from_middle;
            for (int32_t k = 0; k < K; k++)
                row[k] = sp_scores_at(window, i, k);
        }
    }
}

void sp_window_end(sp_window_join how, sp_kind kind, int64_t n, int32_t n_classes, double *rows, const int64_t *seen)
{
    for (int64_t t = 0; how == SP_JOIN_MEAN && t < n; t++) {
        double *row = rows + t * n_classes;
        for (int32_t k = 0; k < n_classes; k++)
            row[k] /= (double)seen[t];
        const double taken = kind == SP_KIND_SCORES ? 0 : sp_logsumexp(row, n_classes);
        for (int32_t k = 0; isfinite(taken) && k < n_classes; k++)
            row[k] -= taken;
    }
}

sp_kind sp_window_kind(sp_window_join how, sp_kind kind)
{
    return how == SP_JOIN_MEAN && kind != SP_KIND_SCORES ? SP_KIND_LOG_PROBS : kind;
}
