/* statepath mask: what masks do to a file of scores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "outputs.h"

enum { BLOCK_BYTES = 16 << 20 };

/* ---- leak ---- */

static sp_status write_leak(void *arg, const sp_leak_report *report, sp_error *err)
{
    const options *o = arg;
    char *text = NULL;
    sp_status status = SP_OK;
    if (!o->json || strcmp(o->json, "-") != 0) {
        status = sp_report_leak_text(report, &text, err);
        if (status == SP_OK)
            fputs(text, stdout);
        free(text);
        text = NULL;
    }
    if (status == SP_OK && o->json)
        status = sp_report_leak_json(report, &text, err);
    if (status == SP_OK && o->json)
        status = output_text(o->json, text, o->run.force, err);
    free(text);
    return status;
}

/* ---- softmax ---- */

static sp_status write_softmax(sp_source *source, const sp_source_info *info, const options *o, sp_error *err)
{
    sp_scores_writer *writer = NULL;
    sp_block *block = sp_block_new();
    sp_prepare_options prepare = sp_prepare_options_default();
    prepare.kind = info->kind;
    sp_scores_header header = {.kind = SP_KIND_PROBS,
                               .dtype = info->dtype,
                               .n_recordings = info->n_recordings,
                               .n_steps = info->n_steps,
                               .n_classes = info->n_classes,
                               .offsets = info->offsets,
                               .ids = info->ids,
                               .classes = info->classes,
                               .with_labels = info->has_labels,
                               .with_segments = info->has_segments,
                               .command = o->run.command,
                               .input = info->file,
                               .force = o->run.force};
    sp_status status = block ? sp_scores_writer_open(o->run.output, &header, &writer, err) : sp_no_memory(err);
    unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_MASK | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS;
    for (int64_t first = 0; status == SP_OK && first < info->n_recordings;) {
        int64_t count = sp_source_fit(source, first, BLOCK_BYTES);
        status = sp_source_read(source, first, count, parts, block, err);
        uint8_t *mask = block->mask;
        block->mask = NULL; /* it is applied below, where a row with nothing left is an error */
        if (status == SP_OK)
            status = sp_prepare(block, &prepare, NULL, NULL, err);
        block->mask = mask;
        sp_batch batch = sp_block_batch(block);
        for (int64_t n = 0; status == SP_OK && n < block->n_recordings; n++) {
            sp_scores scores = sp_batch_recording(&batch, n);
            sp_error detail;
            const uint8_t *rows = mask ? mask + (size_t)block->offsets[n] * (size_t)info->n_classes : NULL;
            status = sp_masked_softmax(&scores, rows, SP_SOFTMAX_MASK_LOGITS, (void *)scores.data, &detail);
            if (status != SP_OK)
                status = sp_fail(err, status, "%s: recording %s, step %lld: %s", info->file, block->ids[n],
                                 (long long)detail.step, detail.message);
        }
        if (status == SP_OK)
            status = sp_scores_writer_add(writer, block, err);
        first += count;
    }
    sp_block_free(block);
    if (status == SP_OK)
        return sp_scores_writer_commit(writer, err);
    sp_scores_writer_abort(writer);
    return status;
}

static sp_status softmax(const char *file, const options *o, sp_error *err)
{
    sp_source_options places;
    sp_source *source = NULL;
    if (!o->run.output)
        return sp_fail(err, SP_EINVAL, "mask softmax: -o OUT.h5 is missing: where to write the probabilities");
    sp_status status = sp_run_places(&o->run, &places, err);
    if (status == SP_OK)
        status = sp_source_open(file, &places, &source, err);
    if (status == SP_OK)
        status = write_softmax(source, sp_source_info_of(source), o, err);
    if (status == SP_OK && !o->talk.quiet)
        fprintf(stderr, "wrote %s\n", o->run.output);
    sp_source_close(source);
    return status;
}

static sp_status work(options *o, const char **words, outcome *out, sp_error *err)
{
    const input_file inputs[] = {{"the input file", words[1]}, {NULL, NULL}};
    sp_status status = outputs_check(o, inputs, err);
    if (status == SP_OK && strcmp(words[0], "leak") == 0)
        return sp_leak_file(words[1], &o->run, write_leak, o, &out->result, err);
    if (status == SP_OK && strcmp(words[0], "softmax") == 0)
        return softmax(words[1], o, err);
    return status == SP_OK ? sp_fail(err, SP_EINVAL, "mask: \"%s\" is neither leak nor softmax", words[0]) : status;
}

static const option_choice mask_options[] = {OPTION_AS(MODEL, "leak: the rules, instead of the file's mask", NULL),
                                             OPTION_AS(STRATEGY, "leak: whose path says which class came before (viterbi)", NULL),
                                             OPTION_AS(JSON, "leak: write the figures as JSON; - is standard output", NULL),
                                             OPTION_AS(OUTPUT, "softmax: write the probabilities", "OUT.h5"),
                                             OPTION_AS(FORCE, "replace outputs that exist", NULL),
                                             HEADING("Reading, where things are in the file:"),
                                             PLACE_OPTIONS,
                                             HEADING("Decoding (leak with a model):"),
                                             DECODE_OPTIONS,
                                             MESSAGE_OPTIONS};

const command mask_command = {
    .name = "mask",
    .summary = "mass on what cannot occur; masked softmax",
    .use = {.arguments = "leak SCORES.h5 [--model M] | softmax SCORES.h5 -o OUT.h5",
            .summary = "how much probability a classifier puts on what cannot occur; or take it away",
            .example = "  statepath mask leak moves.h5\n"
                       "      with the file's own mask [S,K]: mean, quantiles, worst row\n"
                       "  statepath mask leak night.h5 --model sleep-aasm\n"
                       "      mass on classes that may not follow the one before (viterbi's path)\n"
                       "  statepath mask softmax moves.h5 -o masked.h5\n"
                       "      forbidden classes get exactly 0, the rest sum to 1\n",
            .min_words = 2,
            .max_words = 2},
    .options = mask_options,
    .work = work,
    .watches_signals = true,
};
