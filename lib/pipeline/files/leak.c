/* How much probability the scores of a file put on what cannot occur. */
#include <stdio.h>
#include <stdlib.h>

#include "core/block.h"
#include "core/try.h"
#include "pipeline/files/open.h"

enum { BLOCK_BYTES = 16 << 20 };

/* With a model that decodes: the scores as they are decoded, scaled and all. */
static sp_status leak_of_decoding(sp_pipeline *p, sp_block *block, double *leak, sp_error *err)
{
    int32_t *paths = malloc(((size_t)block->n_steps + 1) * sizeof *paths);
    sp_status status = paths ? sp_prepare(block, &p->prepare, NULL, NULL, err) : sp_no_memory(err);
    if (status == SP_OK)
        status = sp_pipeline_decode_block(p, block, paths, err);
    const sp_batch batch = sp_block_batch(block);
    for (int64_t n = 0; status == SP_OK && n < block->n_recordings; n++) {
        sp_scores scores = sp_batch_recording(&batch, n);
        status = sp_chain_leak(p->chain, &scores, paths + batch.offsets[n], leak + batch.offsets[n], err);
    }
    free(paths);
    return status;
}

/* Place of a row of the file: its recording and its step there. */
static void find_row(const sp_source_info *info, int64_t row, sp_leak_report *report)
{
    const int64_t n = sp_recording_at(info->offsets, info->n_recordings, row);
    report->recording = info->ids[n];
    report->step = row - info->offsets[n];
}

static sp_status summarise(const sp_source_info *info, const double *leak, sp_leak_report *report,
                           sp_error *err)
{
    sp_status status = sp_leak_summarise(leak, info->n_steps, sp_leak_probabilities, SP_LEAK_QUANTILES,
                                         report->quantiles, &report->summary, err);
    if (status == SP_OK && report->summary.n_rows > 0)
        find_row(info, report->summary.maximum_row, report);
    return status;
}

static sp_status measure_decoding(sp_pipeline *p, sp_source *source, sp_leak_report *report, sp_error *err)
{
    const sp_source_info *info = p->info;
    double *leak = malloc(((size_t)info->n_steps + 1) * sizeof *leak);
    sp_block *block = sp_block_new();
    sp_status status = SP_OK;
    TRY(leak && block ? SP_OK : sp_no_memory(err));
    for (int64_t first = 0; first < info->n_recordings;) {
        int64_t count = sp_source_fit(source, first, BLOCK_BYTES);
        TRY(sp_source_read(source, first, count, SP_BLOCK_SCORES | SP_BLOCK_SEGMENTS | SP_BLOCK_LABELS, block,
                           err));
        TRY(leak_of_decoding(p, block, leak + info->offsets[first], err));
        first += count;
    }
    TRY(summarise(info, leak, report, err));
done:
    free(leak);
    sp_block_free(block);
    return status;
}

static sp_status measure_masked(sp_masked *masked, sp_leak_report *report, sp_error *err)
{
    const sp_source_info *info = sp_masked_info(masked);
    double *leak = malloc(((size_t)info->n_steps + 1) * sizeof *leak);
    sp_masked_rows rows = {.block = NULL};
    sp_status status = SP_OK;
    TRY(leak ? sp_masked_next(masked, &rows, err) : sp_no_memory(err));
    while (rows.block) {
        const sp_scores scores = sp_block_batch(rows.block).scores;
        double *own = leak + info->offsets[rows.block->first];
        TRY(sp_mask_leak(&scores, rows.block->mask, own, err));
        for (int64_t t = 0; rows.previous && t < scores.n_steps; t++)
            if (rows.previous[t] == -1)
                own[t] = SP_LEAK_NONE;
        TRY(sp_masked_next(masked, &rows, err));
    }
    TRY(summarise(info, leak, report, err));
done:
    free(leak);
    return status;
}

static sp_status leak_by_decoding(const char *file, const sp_run_options *o, sp_leak_sink *sink, void *arg,
                                  sp_run_result *result, sp_error *err)
{
    sp_pipeline p = {.opt = o};
    sp_file_input in = {.source = NULL};
    sp_leak_report report = {.file = file};
    char what[512];
    sp_run_plan plan;
    sp_status status = SP_OK;
    TRY(sp_run_plan_make(o, SP_CALL_MASK, &plan, err));
    TRY(sp_pipeline_open_file(&p, &in, file, o, &plan, NULL, err));
    TRY(p.n_strategies == 1 ? SP_OK : sp_fail(err, SP_EINVAL, "mask leak: one strategy, please"));
    snprintf(what, sizeof what, "model %s, given the class before on the path of %s", p.model->name,
             p.names[0]);
    report.what = what;
    TRY(measure_decoding(&p, in.source, &report, err));
    TRY(sink(arg, &report, err));
done:
    sp_pipeline_result(&p, result);
    sp_pipeline_close(&p);
    sp_file_input_close(&in);
    return status;
}

sp_status sp_leak_file(const char *file, const sp_run_options *o, sp_leak_sink *sink, void *arg,
                       sp_run_result *result, sp_error *err)
{
    if (o->model && !o->masks.previous && !o->paths_dataset && !o->masks.matrix && !o->place.mask)
        return leak_by_decoding(file, o, sink, arg, result, err);
    sp_masked *masked = NULL;
    sp_leak_report report = {.file = file};
    sp_status status = SP_OK;
    TRY(sp_masked_open(file, o, &masked, err));
    report.what = sp_masked_what(masked);
    TRY(measure_masked(masked, &report, err));
    TRY(sink(arg, &report, err));
done:
    sp_masked_close(masked, result);
    return status;
}
