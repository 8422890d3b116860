/* Many recordings: each is decoded alone, so that one that fails disturbs no other and threads change nothing. */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "decode/chunks.h"
#include "decode/dense.h"
#include "decode/lanes.h"
#include "decode/recording.h"
#include "decode/workers.h"

sp_decode_options sp_decode_options_default(void)
{
    return (sp_decode_options){.strategy = {SP_VITERBI, 0}};
}

typedef struct batch_work {
    const sp_chain *chain;
    const sp_batch *batch;
    const sp_decode_options *options;
    const sp_decode_output *output;
    const sp_dense *dense; /* how Viterbi is done one recording at a time; NULL: as sp_viterbi() does it */
    atomic_bool no_memory;
} batch_work;

/* The same answer as sp_viterbi(), faster where the chain allows it. */
static sp_status decode_viterbi(const batch_work *w, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score,
                                sp_error *err)
{
    if (w->dense && scores->n_steps > 0 && !sp_scores_have_gap(scores)) {
        sp_status status = sp_dense_viterbi(w->dense, scores, scratch, path, score);
        if (status == SP_OK && *score > -INFINITY)
            return SP_OK;
    }
    return sp_viterbi(w->chain, scores, scratch, path, score, err);
}

/* By the rules. */
static sp_status decode_strictly(const batch_work *w, const sp_scores *scores, sp_scratch *scratch, int32_t *path, double *score,
                                 sp_error *err)
{
    switch (w->options->strategy.kind) {
    case SP_ARGMAX:
        return sp_argmax(w->chain, scores, scratch, path, score, err);
    case SP_GREEDY:
        return sp_greedy(w->chain, scores, scratch, path, score, err);
    case SP_VITERBI:
        return decode_viterbi(w, scores, scratch, path, score, err);
    default:
        return SP_EINVAL; /* check_arguments() lets none through */
    }
}

/* Where the rules leave nothing. */
static sp_status decode_relaxed(const batch_work *w, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                                sp_decoded *result, uint8_t *broken, sp_error *err)
{
    sp_status status;
    switch (w->options->strategy.kind) {
    case SP_ARGMAX:
        status = sp_argmax_relaxed(w->chain, scores, scratch, path, &result->n_broken, broken, err);
        break;
    case SP_GREEDY:
        status = sp_greedy_relaxed(w->chain, scores, scratch, path, &result->n_broken, broken, err);
        break;
    default:
        status = sp_viterbi_relaxed(w->chain, scores, scratch, path, &result->n_broken, broken, err);
    }
    if (status != SP_OK)
        return status;
    return sp_path_score(w->chain, scores, path, &result->score, err);
}

static sp_status decode_one(const batch_work *w, sp_scratch *scratch, int64_t n)
{
    sp_scores scores = sp_batch_recording(w->batch, n);
    int64_t first = w->batch->offsets[n];
    int32_t *path = w->output->paths + first;
    uint8_t *broken = w->output->broken ? w->output->broken + first : NULL;
    sp_decoded result = {.status = SP_OK, .step = -1};
    sp_error err;

    if (broken && scores.n_steps > 0)
        memset(broken, 0, (size_t)scores.n_steps);
    sp_status status = decode_strictly(w, &scores, scratch, path, &result.score, &err);
    if ((status == SP_ENOPATH || status == SP_EDEADEND) && w->options->relax)
        status = decode_relaxed(w, &scores, scratch, path, &result, broken, &err);
    if (status == SP_ENOPATH || status == SP_EDEADEND) {
        result = (sp_decoded){.status = status, .step = err.step, .score = -INFINITY};
        for (int64_t t = 0; t < scores.n_steps; t++)
            path[t] = -1;
        status = SP_OK;
    }
    w->output->results[n] = result;
    return status;
}

static void decode_run(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    batch_work *w = arg;
    for (int64_t n = first; n < last && !w->no_memory; n++)
        if (decode_one(w, scratch, n) != SP_OK)
            w->no_memory = true; /* nothing else can go wrong once check_arguments() is content */
}

/* ---- in lanes: runs of recordings, and what the lanes leave one by one ---- */

typedef struct lane_work {
    batch_work *plain;
    sp_lane_run_options options;
    int64_t run; /* recordings of one */
} lane_work;

static void decode_lanes(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    const lane_work *w = arg;
    int64_t n_recordings = w->plain->batch->n_recordings;
    int32_t left[SP_LANE_RUN_MOST];
    for (int64_t n = first; n < last && !w->plain->no_memory; n++) {
        int64_t begin = n * w->run, count = n_recordings - begin < w->run ? n_recordings - begin : w->run;
        int32_t n_left = sp_lanes_run(&w->options, w->plain->batch, w->plain->output, scratch, begin, (int32_t)count, left);
        for (int32_t i = 0; i < n_left; i++) {
            sp_scores scores = sp_batch_recording(w->plain->batch, begin + left[i]);
            if (!sp_chunks_fit(&scores)) /* else decode_long() */
                decode_run(w->plain, scratch, begin + left[i], begin + left[i] + 1);
        }
    }
}

/* The long recordings, each on all threads. */
static void decode_long(const lane_work *w, sp_workers *workers)
{
    const batch_work *plain = w->plain;
    for (int64_t n = 0; n < plain->batch->n_recordings; n++) {
        sp_scores scores = sp_batch_recording(plain->batch, n);
        if (!sp_chunks_fit(&scores))
            continue;
        int64_t first = plain->batch->offsets[n];
        sp_decoded result = {.status = SP_OK, .step = -1};
        if (sp_chunks_viterbi(w->options.isa, w->options.rules, &scores, workers, plain->output->paths + first, &result.score) !=
            SP_OK) {
            decode_run(w->plain, sp_workers_scratch(workers), n, n + 1);
            continue;
        }
        plain->output->results[n] = result;
        if (plain->output->broken)
            memset(plain->output->broken + first, 0, (size_t)scores.n_steps);
    }
}

/* Recordings of a run: enough runs to share among the threads, else as many as there is room for. */
static int64_t run_length(int64_t n_recordings, int64_t n_threads)
{
    int64_t run = (n_recordings / (n_threads * 8) + SP_LANES_MOST - 1) / SP_LANES_MOST * SP_LANES_MOST;
    return run < SP_LANES_MOST ? SP_LANES_MOST : run > SP_LANE_RUN_MOST ? SP_LANE_RUN_MOST : run;
}

static sp_status check_arguments(const sp_chain *chain, const sp_batch *batch, const sp_decode_options *options, sp_error *err)
{
    sp_status status = sp_decode_check(chain, &batch->scores, err);
    if (status != SP_OK)
        return status;
    if (batch->offsets[0] != 0 || batch->offsets[batch->n_recordings] != batch->scores.n_steps)
        return sp_fail(err, SP_EINVAL, "offsets go from %" PRId64 " to %" PRId64 ": they must go from 0 to the %" PRId64 " steps",
                       batch->offsets[0], batch->offsets[batch->n_recordings], batch->scores.n_steps);
    for (int64_t n = 0; n < batch->n_recordings; n++)
        if (batch->offsets[n + 1] < batch->offsets[n])
            return sp_fail(err, SP_EINVAL, "offsets go down from %" PRId64 " to %" PRId64 " at recording %" PRId64,
                           batch->offsets[n], batch->offsets[n + 1], n);
    switch (options->strategy.kind) {
    case SP_ARGMAX:
    case SP_GREEDY:
    case SP_VITERBI:
        return SP_OK;
    default:
        return sp_fail(err, SP_EINVAL, "strategy %d is not one that decodes a batch", (int)options->strategy.kind);
    }
}

sp_status sp_decode_batch_with(sp_isa isa, const sp_chain *chain, const sp_batch *batch, const sp_decode_options *options,
                               sp_workers *workers, const sp_decode_output *output, sp_error *err)
{
    sp_status status = check_arguments(chain, batch, options, err);
    if (status != SP_OK)
        return status;
    batch_work w = {.chain = chain, .batch = batch, .options = options, .output = output};
    sp_lane_rules rules;
    if (isa != SP_ISA_PLAIN && options->strategy.kind == SP_VITERBI && sp_lane_rules_init(&rules, chain)) {
        lane_work lanes = {&w, {isa, &rules}, run_length(batch->n_recordings, sp_workers_count(workers))};
        sp_workers_share(workers, (batch->n_recordings + lanes.run - 1) / lanes.run, decode_lanes, &lanes);
        decode_long(&lanes, workers);
    } else {
        sp_dense dense;
        if (isa != SP_ISA_PLAIN && options->strategy.kind == SP_VITERBI && sp_dense_fits(chain, batch->scores.n_steps) &&
            sp_dense_init(&dense, isa, chain, sp_workers_scratch(workers)))
            w.dense = &dense;
        sp_workers_share(workers, batch->n_recordings, decode_run, &w);
    }
    return w.no_memory ? sp_decode_no_memory(err) : SP_OK;
}

sp_status sp_decode_batch(const sp_chain *chain, const sp_batch *batch, const sp_decode_options *options, sp_workers *workers,
                          const sp_decode_output *output, sp_error *err)
{
    return sp_decode_batch_with(sp_isa_best(), chain, batch, options, workers, output, err);
}
