#include "pipeline/files/windowed.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/block.h"
#include "core/try.h"
#include "pipeline/recordings.h"

void sp_windowed_close(sp_windowed *w)
{
    free(w->start);
    sp_joined_texts_clear(&w->texts);
    free(w->ids);
    free(w->tokens);
    sp_block_free(w->windows);
    free(w->seen);
}

/* ---- reading ---- */

/* Labels of window rows into the text's; where two are scored they must be one. */
static sp_status add_labels(const sp_windowed *w, int64_t window, const int32_t *labels, int64_t start,
                            int64_t n, int32_t *out, sp_error *err)
{
    const int64_t T = w->from.info->offsets[window + 1] - w->from.info->offsets[window];
    for (int64_t i = start < 0 ? -start : 0; i < T && start + i < n; i++) {
        if (labels[i] < 0)
            continue;
        if (out[start + i] >= 0 && out[start + i] != labels[i])
            return sp_fail(err, SP_EDATA,
                           "%s: window %s, step %lld: its label is another than that of the window before "
                           "for the same step",
                           w->info.file, w->from.info->ids[window], (long long)i);
        out[start + i] = labels[i];
    }
    return SP_OK;
}

/* The n steps of a text, to row `at` of the block. */
static sp_status read_text(sp_windowed *w, int64_t text, int64_t n, unsigned parts, sp_block *block,
                           int64_t at, sp_error *err)
{
    const size_t K = (size_t)w->info.n_classes;
    double *rows = block->scores ? (double *)block->scores + (size_t)at * K : NULL;
    int32_t *labels = block->labels ? block->labels + at : NULL;
    sp_status status = SP_OK;
    memset(w->seen, 0, (size_t)n * sizeof *w->seen);
    if (rows)
        memset(rows, 0, (size_t)n * K * sizeof *rows);
    for (int64_t t = 0; labels && t < n; t++)
        labels[t] = -1;
    for (int64_t i = w->texts.first[text]; i < w->texts.first[text + 1]; i++) {
        const sp_part one = {.recording = i, .count = 1};
        TRY(w->from.read(w->from.arg, &one, parts, w->windows, err));
        if (rows)
            TRY(sp_join_add(w->how, w->windows, &w->read, w->start[i], n, rows, w->seen, err));
        if (labels && w->windows->labels)
            TRY(add_labels(w, i, w->windows->labels, w->start[i], n, labels, err));
    }
    if (rows)
        sp_join_end(w->how, w->read.kind, n, w->info.n_classes, rows, w->seen);
done:
    return status;
}

static sp_status read_texts(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    sp_windowed *w = arg;
    sp_status status = SP_OK;
    TRY(sp_block_begin(block, &w->info, part, parts & sp_info_parts(&w->info), err));
    if (block->n_steps > w->room) {
        free(w->seen);
        w->room = 0;
        TRY((w->seen = malloc((size_t)block->n_steps * sizeof *w->seen)) ? SP_OK : sp_no_memory(err));
        w->room = block->n_steps;
    }
    for (int64_t i = 0; i < part->count; i++)
        TRY(read_text(w, part->recording + i, block->offsets[i + 1] - block->offsets[i], parts, block,
                      block->offsets[i], err));
done:
    return status;
}

/* ---- opening ---- */

/* `windows` as so many steps from one to the next; 0: it is none. */
static int64_t stride_of(const char *words)
{
    char *end;
    const long long stride = words && *words >= '0' && *words <= '9' ? strtoll(words, &end, 10) : 0;
    return stride > 0 && !*end ? stride : 0;
}

static sp_status find_windows(sp_windowed *w, const sp_pipeline *p, sp_source *source, sp_error *err)
{
    const sp_run_options *o = p->opt;
    const sp_source_info *info = w->from.info;
    const int64_t stride = stride_of(o->windows);
    int64_t *text = NULL;
    sp_status status = SP_OK;
    if (stride) {
        TRY((w->start = malloc(((size_t)info->n_recordings + 1) * sizeof *w->start)) ? SP_OK
                                                                                     : sp_no_memory(err));
        for (int64_t n = 0; n < info->n_recordings; n++)
            w->start[n] = n * stride;
    } else {
        TRY(sp_source_windows(source, o->windows, &w->start, &text, err));
    }
    if (!w->start)
        TRY(sp_fail(err, SP_EINVAL,
                    "%s does not say where the windows begin that `join` joins: an array windows [N], the "
                    "step of the text at which each "
                    "begins; or `windows` 128: each 128 steps after the one before",
                    info->file));
    TRY(sp_joined_texts_find(info->n_recordings, info->offsets, w->start, text, info->file,
                             info->has_ids ? info->ids : NULL, &w->texts, err));
done:
    free(text);
    return status;
}

/* What each step of the texts is, as the first window says that has it. */
static sp_status find_tokens(sp_windowed *w, const sp_pipeline *p, sp_error *err)
{
    const int64_t *offsets = w->from.info->offsets;
    if (!(w->tokens = calloc((size_t)w->info.n_steps + 1, sizeof *w->tokens)))
        return sp_no_memory(err);
    for (int64_t n = 0; n < w->texts.n; n++)
        for (int64_t i = w->texts.first[n]; i < w->texts.first[n + 1]; i++)
            for (int64_t t = offsets[i]; t < offsets[i + 1]; t++) {
                const char **token = w->tokens + w->texts.offsets[n] + w->start[i] + (t - offsets[i]);
                *token = *token ? *token : p->about.tokens[p->about.holes ? p->about.holes->step_at[t] : t];
            }
    return SP_OK;
}

sp_status sp_windowed_open(sp_windowed *w, sp_pipeline *p, sp_source *source, sp_error *err)
{
    const sp_source_info *info = p->from.info;
    sp_status status = SP_OK;
    *w = (sp_windowed){.from = p->from,
                       .how = (sp_join)sp_option_word(p->opt, offsetof(sp_run_options, join))};
    w->read = sp_run_prepare_plain(p->opt);
    w->read.kind = info->kind;
    if (info->has_segments || info->has_weights || info->has_mask || p->opt->labels_file)
        TRY(sp_fail(err, SP_EINVAL, "`join` joins scores, and labels beside them; %s has %s, too", info->file,
                    info->has_segments  ? "segments"
                    : info->has_weights ? "weights"
                    : info->has_mask    ? "a mask"
                                        : "labels elsewhere"));
    TRY(find_windows(w, p, source, err));
    w->ids = malloc(((size_t)w->texts.n + 1) * sizeof *w->ids);
    w->windows = sp_block_new();
    TRY(w->ids && w->windows ? SP_OK : sp_no_memory(err));
    for (int64_t n = 0; n < w->texts.n; n++)
        w->ids[n] = info->ids[w->texts.first[n]];
    w->info = *info;
    w->info.n_recordings = w->texts.n;
    w->info.n_steps = w->texts.offsets[w->texts.n];
    w->info.offsets = w->texts.offsets;
    w->info.ids = w->ids;
    w->info.dtype = SP_F64;
    w->info.kind = sp_join_kind(w->how, info->kind);
    if (p->about.tokens)
        TRY(find_tokens(w, p, err));
    p->about.tokens = w->tokens;
    p->about.holes = NULL; /* a text has the steps that take part */
    p->from = (sp_recordings){.info = &w->info, .read = read_texts, .arg = w};
done:
    return status;
}
