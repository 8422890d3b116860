#include "tags/join.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/logmath.h"
#include "core/rows/row_check.h"

void sp_joined_texts_clear(sp_joined_texts *texts)
{
    free(texts->first);
    free(texts->offsets);
    *texts = (sp_joined_texts){.n = 0};
}

static sp_status refuse(const char *file, const char *const *ids, int64_t n, const char *what, int64_t step,
                        int64_t other, sp_error *err)
{
    char name[64], says[160];
    snprintf(name, sizeof name, "%lld", (long long)n);
    snprintf(says, sizeof says, what, (long long)step, (long long)other);
    return sp_fail(err, SP_EDATA, "%s: window %s begins at step %s", file, ids ? ids[n] : name, says);
}

sp_status sp_joined_texts_find(int64_t n, const int64_t *offsets, const int64_t *start, const int64_t *text,
                               const char *file, const char *const *ids, sp_joined_texts *out, sp_error *err)
{
    *out = (sp_joined_texts){.first = calloc((size_t)n + 1, sizeof *out->first),
                             .offsets = calloc((size_t)n + 1, sizeof *out->offsets)};
    if (!out->first || !out->offsets)
        return sp_no_memory(err);
    int64_t end = 0; /* steps of the text so far */
    for (int64_t i = 0; i < n; i++) {
        const bool is_first = i == 0 || (text ? text[i] != text[i - 1] : start[i] == 0);
        if (text && i > 0 && text[i] < text[i - 1])
            return refuse(file, ids, i,
                          "%lld of text %lld, after windows of a later one; windows come text by text",
                          start[i], text[i], err);
        if (is_first) {
            out->first[out->n] = i;
            out->n++;
            end = 0;
        }
        if (start[i] < 0 || (is_first && start[i] != 0))
            return refuse(file, ids, i,
                          "%lld of its text, and is its first: the steps before are in no window", start[i],
                          0, err);
        if (!is_first && start[i] <= start[i - 1])
            return refuse(file, ids, i, "%lld, and the one before it at %lld; windows go forwards", start[i],
                          start[i - 1], err);
        if (start[i] > end)
            return refuse(
                file, ids, i,
                "%lld, and those before it end before step %lld: the steps between are in no window",
                start[i], end, err);
        const int64_t length = offsets[i + 1] - offsets[i];
        end = start[i] + length > end ? start[i] + length : end;
        out->offsets[out->n] = out->offsets[out->n - 1] + end;
    }
    out->first[out->n] = n;
    return SP_OK;
}

static void add_logs(sp_kind kind, const sp_scores *window, int64_t i, double *row)
{
    const int32_t K = window->n_classes;
    double taken = 0;
    if (kind == SP_KIND_LOGITS) {
        double greatest = -INFINITY, sum = 0;
        for (int32_t k = 0; k < K; k++) {
            const double x = sp_scores_at(window, i, k);
            greatest = x > greatest ? x : greatest;
        }
        for (int32_t k = 0; greatest > -INFINITY && k < K; k++)
            sum += exp(sp_scores_at(window, i, k) - greatest);
        taken = greatest > -INFINITY ? greatest + log(sum) : 0; /* a row of -INFINITY stays so */
    }
    for (int32_t k = 0; k < K; k++) {
        const double x = sp_scores_at(window, i, k);
        row[k] += kind == SP_KIND_PROBS ? log(x) : x - taken;
    }
}

/* Row i of T, to a row of the text that *seen tells of. */
static void add_row(sp_join how, sp_kind kind, const sp_scores *window, int64_t i, double *row, int64_t *seen)
{
    const int64_t from_middle = llabs(2 * i + 1 - window->n_steps) + 1;
    if (how == SP_JOIN_MEAN) {
        add_logs(kind, window, i, row);
        ++*seen;
    } else if (*seen == 0 || from_middle < *seen) {
        *seen = from_middle;
        for (int32_t k = 0; k < window->n_classes; k++)
            row[k] = sp_scores_at(window, i, k);
    }
}

sp_status sp_join_add(sp_join how, const sp_block *window, const sp_prepare_options *read, int64_t start,
                      int64_t n, double *rows, int64_t *seen, sp_error *err)
{
    const sp_scores scores = sp_block_batch(window).scores;
    const bool is_plain =
        sp_rows_are_plain(scores.data, scores.dtype, scores.n_classes, read->kind, scores.n_steps);
    for (int64_t i = start < 0 ? -start : 0; i < scores.n_steps && start + i < n; i++) {
        bool is_missing = false;
        const sp_status status = is_plain ? SP_OK : sp_row_check(window, read, i, &is_missing, err);
        if (status != SP_OK)
            return status;
        if (!is_missing)
            add_row(how, read->kind, &scores, i, rows + (start + i) * scores.n_classes, &seen[start + i]);
    }
    return SP_OK;
}

void sp_join_end(sp_join how, sp_kind kind, int64_t n, int32_t n_classes, double *rows, const int64_t *seen)
{
    for (int64_t t = 0; t < n; t++) {
        double *row = rows + t * n_classes;
        if (seen[t] > 0 && how == SP_JOIN_MIDDLE)
            continue;
        for (int32_t k = 0; k < n_classes; k++)
            row[k] = seen[t] > 0 ? row[k] / (double)seen[t] : NAN;
        const double taken = seen[t] == 0 || kind == SP_KIND_SCORES ? 0 : sp_logsumexp(row, n_classes);
        for (int32_t k = 0; isfinite(taken) && k < n_classes; k++)
            row[k] -= taken;
    }
}

sp_kind sp_join_kind(sp_join how, sp_kind kind)
{
    return how == SP_JOIN_MEAN && kind != SP_KIND_SCORES ? SP_KIND_LOG_PROBS : kind;
}
