/* How much probability the scores of a file put on what cannot occur. */
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/file_open.h"

enum { BLOCK_BYTES = 16 << 20 };

/* Leaks of a block's rows, the step mask not applied. */
static sp_status leak_of_mask(const sp_pipeline *p, sp_block *block, double *leak, sp_error *err)
{
    uint8_t *mask = block->mask;
    block->mask = NULL;
    sp_status status = sp_prepare(block, &p->prepare, NULL, NULL, err);
    block->mask = mask;
    sp_scores scores = sp_block_batch(block).scores;
    return status == SP_OK ? sp_mask_leak(&scores, mask, leak, err) : status;
}

static sp_status leak_of_model(sp_pipeline *p, sp_block *block, double *leak, sp_error *err)
{
    sp_status status = sp_prepare(block, &p->prepare, NULL, NULL, err);
    if (status != SP_OK)
        return status;
    sp_batch batch = sp_block_batch(block);
    sp_decode_options how = sp_decode_options_default();
    how.strategy = p->strategies[0];
    how.relax = p->on_infeasible == SP_INFEASIBLE_RELAX;
    sp_decode_output output = {.paths = malloc(((size_t)block->n_steps + 1) * sizeof *output.paths),
                               .results = malloc(((size_t)block->n_recordings + 1) * sizeof *output.results)};
    if (!output.paths || !output.results)
        status = sp_no_memory(err);
    else
        status = sp_decode_batch(p->chain, &batch, &how, p->workers, &output, err);
    for (int64_t n = 0; status == SP_OK && n < block->n_recordings; n++) {
        sp_scores scores = sp_batch_recording(&batch, n);
        p->undecoded[0] += output.results[n].status != SP_OK;
        if (output.results[n].status == SP_EBUG)
            sp_pipeline_report_bug(p, 0, block->first + n, &output.results[n]);
        status = sp_chain_leak(p->chain, &scores, output.paths + batch.offsets[n], leak + batch.offsets[n], err);
    }
    free(output.paths);
    free(output.results);
    return status;
}

/* Place of a row of the file: its recording and its step there. */
static void find_row(const sp_source_info *info, int64_t row, sp_leak_report *report)
{
    int64_t low = 0, high = info->n_recordings;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (info->offsets[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    report->recording = info->ids[low];
    report->step = row - info->offsets[low];
}

static sp_status measure(sp_pipeline *p, sp_source *source, sp_leak_report *report, sp_error *err)
{
    const sp_source_info *info = p->info;
    const unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_SEGMENTS | (p->model ? SP_BLOCK_LABELS : SP_BLOCK_MASK);
    double *leak = malloc(((size_t)info->n_steps + 1) * sizeof *leak);
    sp_block *block = sp_block_new();
    sp_status status = leak && block ? SP_OK : sp_no_memory(err);
    for (int64_t first = 0; status == SP_OK && first < info->n_recordings;) {
        int64_t count = sp_source_fit(source, first, BLOCK_BYTES);
        status = sp_source_read(source, first, count, parts, block, err);
        if (status == SP_OK)
            status = (p->model ? leak_of_model(p, block, leak + info->offsets[first], err)
                               : leak_of_mask(p, block, leak + info->offsets[first], err));
        first += count;
    }
    if (status == SP_OK)
        status = sp_leak_summarise(leak, info->n_steps, sp_leak_probabilities, SP_LEAK_QUANTILES, report->quantiles,
                                   &report->summary, err);
    if (status == SP_OK && report->summary.n_rows > 0)
        find_row(info, report->summary.maximum_row, report);
    free(leak);
    sp_block_free(block);
    return status;
}

static sp_status open_mask(sp_pipeline *p, sp_file_input *in, const char *file, const sp_run_options *o, sp_error *err)
{
    sp_source_options places;
    *p = (sp_pipeline){.opt = o, .file = file, .prepare = sp_prepare_options_default()};
    sp_status status = sp_run_places(o, &places, err);
    if (status == SP_OK)
        status = sp_source_open(file, &places, &in->source, err);
    if (status != SP_OK)
        return status;
    p->info = sp_source_info_of(in->source);
    p->prepare.kind = p->info->kind;
    if (!p->info->has_mask)
        return sp_run_fail(o, err, SP_EDATA,
                           "%s has no mask beside %s; write a bool dataset \"mask\" of the same shape, or name a @model", file,
                           p->info->scores_path);
    return SP_OK;
}

sp_status sp_leak_file(const char *file, const sp_run_options *o, sp_leak_sink *sink, void *arg, sp_run_result *result,
                       sp_error *err)
{
    sp_pipeline p = {.opt = o};
    sp_file_input in = {.source = NULL};
    sp_leak_report report = {.file = file, .what = "its own mask"};
    char what[512];
    const bool has_model = o->model != NULL;
    sp_status status = has_model ? sp_pipeline_open_file(&p, &in, file, o, o->strategies ? o->strategies : "viterbi", err)
                                 : open_mask(&p, &in, file, o, err);
    if (status == SP_OK && p.n_strategies > 1)
        status = sp_fail(err, SP_EINVAL, "mask leak: one strategy, please");
    if (status == SP_OK && has_model) {
        snprintf(what, sizeof what, "model %s, given the class before on the path of %s", p.model->name, p.names[0]);
        report.what = what;
    }
    if (status == SP_OK)
        status = measure(&p, in.source, &report, err);
    if (status == SP_OK)
        status = sink(arg, &report, err);
    sp_pipeline_result(&p, result);
    sp_pipeline_close(&p);
    sp_file_input_close(&in);
    return status;
}
