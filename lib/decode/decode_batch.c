/* Many recordings: each is decoded alone, so that one that fails disturbs no other and threads change nothing. */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/rows/row_check.h"
#include "decode/batch_extras.h"
#include "decode/kernels/isa_kernels.h"
#include "decode/kernels/kernels.h"
#include "decode/rules_watch.h"
#include "decode/sequence.h"
#include "decode/strategy.h"
#include "statepath/decode.h"

sp_decode_options sp_decode_options_default(void)
{
    return (sp_decode_options){.strategy = {SP_VITERBI, 0}};
}

typedef struct batch_work {
    const sp_chain *chain;
    const sp_batch *batch;
    const sp_decode_options *options;
    const sp_decode_output *output;
    sp_decode_output extras; /* output without what all recordings are given together afterwards */
    sp_kernels *kernels;     /* large: filled where it is used, never cleared */
    sp_verifier verifier;
    atomic_bool no_memory;
    /* Of sp_decode_checked(), while decoding: else NULL. */
    const sp_block *unchecked;
    sp_prepare_options kind;
    atomic_bool is_bad; /* a row is */
} batch_work;

/* By a fast kernel of one recording. SP_ENOPATH: there is none for it, or it leaves the recording to the strategy's row. */
static sp_status decode_fast(const batch_work *w, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                             double *score, sp_error *err)
{
    if (w->options->strategy.kind == SP_GREEDY)
        return sp_kernels_greedy(w->kernels, w->chain, scores, scratch, path, score, err);
    if (w->options->strategy.kind != SP_VITERBI)
        return SP_ENOPATH;
    sp_status status = sp_kernels_viterbi(w->kernels, scores, scratch, path, score);
    if (status == SP_OK)
        status = sp_verify(&w->verifier, scores, path, *score, err);
    return status == SP_OK ? sp_rules_verify(w->chain, scores, path, err) : status;
}

/* Recording n gets no path: it does not stand the check. */
static void withhold(const batch_work *w, int64_t n, const sp_error *bug)
{
    int64_t first = w->batch->offsets[n], n_steps = w->batch->offsets[n + 1] - first;
    sp_decode_withhold(bug, &w->output->results[n], w->output->paths + first, n_steps);
    if (w->output->broken && n_steps > 0)
        memset(w->output->broken + first, 0, (size_t)n_steps);
}

static sp_status decode_one(const batch_work *w, sp_scratch *scratch, int64_t n)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    sp_scores scores = sp_batch_recording(w->batch, n);
    int64_t first = w->batch->offsets[n];
    int32_t *path = w->output->paths + first;
    uint8_t *broken = w->output->broken ? w->output->broken + first : NULL;
    sp_decoded result = {.status = SP_OK, .step = -1};
    sp_error err;

    if (broken && scores.n_steps > 0)
        memset(broken, 0, (size_t)scores.n_steps);
    const sp_strategy *strategy = &w->options->strategy;
    const sp_whole_output out = {path, &result.n_broken, broken, &result.score, &result.n_redirected};
    sp_status status = decode_fast(w, &scores, scratch, path, &result.score, &err);
    sp_scratch_release(scratch, mark);
    if (status == SP_ENOPATH)
        status = sp_decode_whole(w->chain, &scores, strategy, false, scratch, &out, &err);
    if ((status == SP_ENOPATH || status == SP_EDEADEND) && w->options->relax)
        status = sp_decode_whole(w->chain, &scores, strategy, true, scratch, &out, &err);
    if (status == SP_ENOPATH || status == SP_EDEADEND) {
        result = (sp_decoded){.status = status, .step = err.step, .score = -INFINITY};
        for (int64_t t = 0; t < scores.n_steps; t++)
            path[t] = -1;
        status = SP_OK;
    }
    if (status == SP_EBUG) {
        withhold(w, n, &err);
        return sp_batch_extras(w->chain, w->batch, n, scratch, &w->extras);
    }
    w->output->results[n] = result;
    return status == SP_OK ? sp_batch_extras(w->chain, w->batch, n, scratch, &w->extras) : status;
}

static void decode_run(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    batch_work *w = arg;
    for (int64_t n = first; n < last && !w->no_memory; n++)
        if (decode_one(w, scratch, n) != SP_OK)
            w->no_memory = true; /* nothing else can go wrong once check_arguments() is content */
}

/* The check of a path that the lanes, or all threads together, have found. */
static sp_status verify_result(const batch_work *w, int64_t n)
{
    const sp_decoded *result = &w->output->results[n];
    const sp_scores scores = sp_batch_recording(w->batch, n);
    const int32_t *path = w->output->paths + w->batch->offsets[n];
    const sp_strategy_kind kind = w->options->strategy.kind;
    sp_status status = SP_OK;
    sp_error err;
    if (result->status != SP_OK)
        return SP_OK;
    if (kind == SP_VITERBI || kind == SP_GREEDY)
        status = sp_verify(&w->verifier, &scores, path, result->score, &err);
    else if (sp_strategy_about(kind)->is_legal)
        status = sp_verify_legal(w->chain, &scores, path, result->score, &err);
    if (status == SP_OK && sp_strategy_about(kind)->is_legal)
        status = sp_rules_verify(w->chain, &scores, path, &err);
    if (status != SP_EBUG)
        return status;
    withhold(w, n, &err);
    return SP_OK;
}

/* Checks recordings that the lanes have decoded, and adds the extras. */
static void finish_run(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    batch_work *w = arg;
    for (int64_t n = first; n < last && !w->no_memory; n++)
        if (verify_result(w, n) != SP_OK ||
            sp_batch_extras(w->chain, w->batch, n, scratch, &w->extras) != SP_OK)
            w->no_memory = true;
}

/* Confidence and log Z of recordings that the lanes leave alone. */
static void add_confidence(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    batch_work *w = arg;
    for (int64_t n = first; n < last && !w->no_memory; n++)
        if (sp_batch_confidence(w->chain, w->batch, n, scratch, w->output) != SP_OK)
            w->no_memory = true;
}

/* Are the rows of recordings first .. last-1 scores of the kind they should be? False from the first time that some are not. */
static bool are_fine(void *arg, int64_t first, int64_t last)
{
    batch_work *w = arg;
    const int64_t begin = w->batch->offsets[first], end = w->batch->offsets[last];
    const sp_scores *all = &w->batch->scores;
    const char *rows = (const char *)all->data + (size_t)begin * (size_t)all->n_classes * (size_t)all->dtype;
    bool is_missing;
    if (sp_rows_are_plain(rows, all->dtype, all->n_classes, w->kind.kind, end - begin))
        return !w->is_bad;
    for (int64_t t = begin; t < end && !w->is_bad; t++)
        if (sp_row_check(w->unchecked, &w->kind, t, &is_missing, NULL) != SP_OK)
            w->is_bad = true;
    return !w->is_bad;
}

static sp_status check_arguments(const sp_chain *chain, const sp_batch *batch,
                                 const sp_decode_options *options, const sp_decode_output *output,
                                 sp_error *err)
{
    sp_status status = sp_decode_check(chain, &batch->scores, err);
    if (status != SP_OK)
        return status;
    if (batch->offsets[0] != 0 || batch->offsets[batch->n_recordings] != batch->scores.n_steps)
        return sp_fail(err, SP_EINVAL,
                       "offsets go from %" PRId64 " to %" PRId64 ": they must go from 0 to the %" PRId64
                       " steps",
                       batch->offsets[0], batch->offsets[batch->n_recordings], batch->scores.n_steps);
    for (int64_t n = 0; n < batch->n_recordings; n++)
        if (batch->offsets[n + 1] < batch->offsets[n])
            return sp_fail(err, SP_EINVAL,
                           "offsets go down from %" PRId64 " to %" PRId64 " at recording %" PRId64,
                           batch->offsets[n], batch->offsets[n + 1], n);
    status = sp_strategy_check(&options->strategy, err);
    if (status != SP_OK)
        return status;
    return sp_batch_extras_check(chain, output, err);
}

static bool needs_sums(const sp_decode_output *output)
{
    return output->confidence || output->log_partition;
}

/* kernels: ready, their tables in the scratch of the workers */
static sp_status decode_all(batch_work *w, sp_workers *workers, sp_error *err)
{
    const sp_decode_output *output = w->output;
    sp_verifier_init(&w->verifier, w->chain);
    if (w->kernels->isa != SP_ISA_PLAIN)
        w->verifier.is_allowed = sp_isa_kernels_of(w->kernels->isa)->path_is_allowed;
    bool is_shared = w->kernels->has_sums && needs_sums(output);
    if (is_shared) {
        w->extras.confidence = NULL;
        w->extras.log_partition = NULL;
    }
    if (w->kernels->way != SP_WAY_PLAIN) {
        if (!sp_kernels_share(w->kernels, w->batch, output, workers,
                              (sp_leftover){decode_run, finish_run, w, w->unchecked ? are_fine : NULL}))
            return sp_no_memory(err);
    } else {
        sp_workers_share(workers, w->batch->n_recordings, decode_run, w);
    }
    if (w->is_bad)
        return SP_EDATA; /* decode_block() has the sentence */
    if (is_shared && !w->no_memory &&
        !sp_kernels_share_confidence(w->kernels, w->batch, output, workers,
                                     (sp_leftover){add_confidence, NULL, w, NULL}))
        return sp_no_memory(err);
    return w->no_memory ? sp_no_memory(err) : SP_OK;
}

/* Looks at the rows, before or while they are decoded, then at those that are left. */
static sp_status decode_unchecked(batch_work *w, sp_block *block, sp_workers *workers, sp_error *err)
{
    const bool looks_along = sp_kernels_look_along(w->kernels, w->batch);
    sp_status status = SP_OK;
    if (looks_along)
        w->unchecked = block;
    else
        status = sp_prepare(block, &w->kind, workers, NULL, err);
    if (status == SP_OK)
        status = decode_all(w, workers, err);
    return w->is_bad ? sp_prepare(block, &w->kind, workers, NULL, err) : status;
}

/* block NULL: the rows have been looked at */
static sp_status decode_with(sp_isa isa, batch_work *w, sp_block *block, sp_workers *workers, sp_error *err)
{
    sp_status status = check_arguments(w->chain, w->batch, w->options, w->output, err);
    if (status != SP_OK)
        return status;
    sp_scratch *scratch = sp_workers_scratch(workers);
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    w->extras = *w->output;
    if (!sp_kernels_init(w->kernels, isa, w->chain, w->batch, w->options->strategy.kind,
                         needs_sums(w->output), workers))
        status = sp_no_memory(err);
    else
        status = block ? decode_unchecked(w, block, workers, err) : decode_all(w, workers, err);
    sp_scratch_release(scratch, mark);
    return status;
}

sp_status sp_decode_batch_with(sp_isa isa, const sp_chain *chain, const sp_batch *batch,
                               const sp_decode_options *options, sp_workers *workers,
                               const sp_decode_output *output, sp_error *err)
{
    sp_kernels kernels;
    batch_work w = {
        .kernels = &kernels, .chain = chain, .batch = batch, .options = options, .output = output};
    return decode_with(isa, &w, NULL, workers, err);
}

sp_status sp_decode_checked(const sp_chain *chain, sp_block *block, sp_kind kind,
                            const sp_decode_options *options, sp_workers *workers,
                            const sp_decode_output *output, sp_error *err)
{
    const sp_batch batch = sp_block_batch(block);
    sp_kernels kernels;
    batch_work w = {
        .kernels = &kernels, .chain = chain, .batch = &batch, .options = options, .output = output};
    w.kind = sp_prepare_options_default();
    w.kind.kind = kind;
    return decode_with(sp_isa_current(), &w, block, workers, err);
}

sp_status sp_decode_batch(const sp_chain *chain, const sp_batch *batch, const sp_decode_options *options,
                          sp_workers *workers, const sp_decode_output *output, sp_error *err)
{
    return sp_decode_batch_with(sp_isa_current(), chain, batch, options, workers, output, err);
}
