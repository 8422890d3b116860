/* statepath evaluate: the labels of a block, and their likelihood where scores stand beside them. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/judge.h"
#include "pipeline/likelihood.h"

int64_t sp_judge_room(const sp_judge *j, int64_t first, int64_t count)
{
    int64_t room = j->info->offsets[first + count] - j->info->offsets[first];
    for (int64_t n = first; j->cut_label_steps && n < first + count; n++)
        room += j->cut_label_steps[n];
    return room;
}

void sp_judge_cut(const sp_judge *j, int64_t first, int64_t count, const int64_t *stored, size_t size, void *steps)
{
    char *to = steps;
    for (int64_t n = first; j->cut_path_steps && n < first + count; n++) {
        size_t kept = (size_t)(j->offsets[n + 1] - j->offsets[n]);
        memmove(to, (const char *)steps + (size_t)(stored[n - first] - stored[0]) * size, kept * size);
        to += kept * size;
    }
}

sp_status sp_judge_to_columns(const sp_judge *j, int64_t n, const int32_t *in, int32_t *out, sp_error *err)
{
    for (int64_t t = 0; t < n; t++) {
        int32_t label = in[t];
        if (label >= j->run.model->n_classes)
            return sp_run_fail(
                j->run.opt, err, SP_EDATA,
                "%s: label %d, but model %s has %d classes; unscored steps are -1, and @label-codes or @label-map reads "
                "others' numbers",
                j->labels.file, label, j->run.model->name, j->run.model->n_classes);
        out[t] = label >= 0 && j->labels.column_of_label ? j->labels.column_of_label[label] : label;
    }
    return SP_OK;
}

sp_status sp_judge_prepare(const sp_judge *j, sp_block *block, sp_error *err)
{
    sp_prepare_options prepare = sp_prepare_options_default();
    prepare.kind = j->labels.info->kind;
    prepare.missing_uniform = true;
    return sp_prepare(block, &prepare, NULL, err);
}

/* Labels beyond the end of the paths count nowhere. */
static void forget_cut_labels(const sp_judge *j, int64_t first, sp_block *block)
{
    for (int64_t n = 0; j->cut_label_steps && n < block->n_recordings; n++)
        for (int64_t t = block->offsets[n + 1] - j->cut_label_steps[first + n]; t < block->offsets[n + 1]; t++)
            block->labels[t] = -1;
}

/* `run` recordings that follow one another in both files; `at` is where they begin in `labels` and in those of the scorers. */
static sp_status read_run(sp_judge *j, int64_t first, int64_t run, int64_t at, sp_block *block, int32_t *labels, sp_error *err)
{
    const int64_t from = j->labels.recording[first];
    const unsigned parts = SP_BLOCK_LABELS | (j->run.has_nll ? SP_BLOCK_SCORES | SP_BLOCK_MASK | SP_BLOCK_WEIGHTS : 0);
    sp_status status = sp_source_read(j->labels.source, from, run, parts, block, err);
    if (status != SP_OK)
        return status;
    forget_cut_labels(j, first, block);
    if (j->run.has_nll &&
        ((status = sp_judge_prepare(j, block, err)) != SP_OK || (status = sp_likelihood_add(&j->run, block, NULL, err)) != SP_OK))
        return status;
    status = sp_judge_to_columns(j, block->n_steps, block->labels, labels + at, err);
    for (int32_t i = 0; status == SP_OK && i < j->run.scorers.found.n_scorers; i++) {
        int32_t *other = j->run.scorers.labels[i] + at;
        status = sp_source_read_scorer(j->labels.source, i, from, run, other, err);
        if (status == SP_OK)
            status = sp_judge_to_columns(j, block->n_steps, other, other, err);
        sp_judge_cut(j, first, run, block->offsets, sizeof *other, other);
    }
    sp_judge_cut(j, first, run, block->offsets, sizeof *labels, labels + at);
    return status;
}

sp_status sp_judge_read_labels(sp_judge *j, int64_t first, int64_t count, sp_block *block, int32_t *labels, sp_error *err)
{
    const reference *l = &j->labels;
    sp_status status = SP_OK;
    if (!l->file)
        return sp_paths_reader_labels(j->reader, first, count, labels, NULL, err);
    for (int64_t n = first; status == SP_OK && n < first + count;) {
        const int64_t at = j->offsets[n] - j->offsets[first], m = l->recording[n];
        int64_t run = 1;
        if (l->csv) {
            status = sp_csv_paths_read(l->csv, m, 1, l->raw, NULL, err);
            if (status == SP_OK)
                status = sp_judge_to_columns(j, j->offsets[n + 1] - j->offsets[n], l->raw, labels + at, err);
        } else {
            while (n + run < first + count && l->recording[n + run] == m + run)
                run++;
            status = read_run(j, n, run, at, block, labels, err);
        }
        n += run;
    }
    return status;
}
