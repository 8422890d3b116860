#include "decode/kernels/kernels.h"

#include <stdatomic.h>
#include <string.h>

#include "decode/kernels/dense_team.h"
#include "decode/kernels/lanes/argmax_long.h"
#include "decode/recording.h"

bool sp_kernels_init(sp_kernels *kernels, sp_isa isa, const sp_chain *chain, const sp_batch *batch,
                     sp_strategy_kind strategy, bool needs_sums, sp_workers *workers)
{
    const bool goes_by_sums =
        strategy == SP_POSTERIOR || strategy == SP_MEA || strategy == SP_POSTERIOR_VITERBI;
    const bool is_chosen = strategy == SP_VITERBI || strategy == SP_GREEDY || strategy == SP_ARGMAX;
    const bool weighs_gaps = (chain->leave || chain->across) && batch->scores.segments;
    const bool looks_ahead = (chain->durations || chain->n_rules > 0) && strategy == SP_GREEDY;
    const bool goes_by_runs = chain->runs && strategy == SP_VITERBI;
    const bool adds_again = (batch->scores.taken_off || batch->scores.given) && strategy == SP_ARGMAX;
    if (weighs_gaps || looks_ahead || goes_by_runs || adds_again) /* what no kernel does */
        isa = SP_ISA_PLAIN;
    kernels->way = SP_WAY_PLAIN;
    kernels->isa = isa;
    kernels->chain = chain;
    kernels->strategy = strategy;
    kernels->greedy.n = kernels->band.n = 0;
    kernels->has_single = kernels->has_dense = false;
    kernels->has_sums =
        isa != SP_ISA_PLAIN && (needs_sums || goes_by_sums) && sp_sum_rules_init(&kernels->sums, chain);
    if (kernels->has_sums && goes_by_sums)
        kernels->way = SP_WAY_SUMS;
    if (isa == SP_ISA_PLAIN || !is_chosen)
        return true;
    if (strategy == SP_GREEDY && !sp_greedy_table_init(&kernels->greedy, chain, sp_workers_scratch(workers)))
        return false;
    if (sp_lane_rules_init(&kernels->lanes, chain)) {
        kernels->way = SP_WAY_LANES;
        if (strategy == SP_VITERBI) {
            sp_single_rules_take(&kernels->single, &kernels->lanes, chain->entry);
            kernels->has_single = sp_single_is_quick(isa, &kernels->single);
        }
    } else if ((strategy == SP_VITERBI || (strategy == SP_GREEDY && sp_classes_tell_states(chain))) &&
               sp_lane_states_init(&kernels->lanes, chain)) {
        kernels->way = SP_WAY_STATES;
    } else if (strategy == SP_VITERBI && sp_dwell_rules_init(&kernels->dwell, chain)) {
        kernels->way = SP_WAY_DWELL;
    } else if (strategy == SP_VITERBI && sp_lane_wide_init(&kernels->lanes, chain)) {
        kernels->way = SP_WAY_WIDE;
    } else if (strategy == SP_ARGMAX && chain->n_classes <= SP_LANES_MOST_CLASSES) {
        sp_verifier_init(&kernels->verifier, chain);
        if (kernels->verifier.has_table) {
            sp_lane_rules_free(&kernels->lanes, chain->n_classes);
            kernels->way = SP_WAY_UNRULED;
        }
    }
    if (strategy != SP_VITERBI || kernels->way == SP_WAY_LANES ||
        !sp_dense_fits(chain, batch->scores.n_steps))
        return true;
    if (kernels->way == SP_WAY_PLAIN)
        kernels->way = SP_WAY_DENSE;
    if (!sp_band_init(&kernels->band, isa, chain, sp_workers_scratch(workers)))
        return false;
    kernels->has_dense = kernels->band.n == 0;
    return kernels->band.n > 0 || sp_dense_init(&kernels->dense, isa, chain, sp_workers_scratch(workers));
}

sp_status sp_kernels_viterbi(const sp_kernels *kernels, const sp_scores *scores, sp_scratch *scratch,
                             int32_t *path, double *score)
{
    if (scores->n_steps > 0 && kernels->has_single)
        return sp_single_viterbi(kernels->isa, &kernels->single, scores, scratch, path, score);
    if (scores->n_steps == 0 || (!kernels->has_dense && kernels->band.n == 0) || sp_scores_have_gap(scores))
        return SP_ENOPATH;
    if (kernels->band.n > 0)
        return sp_band_viterbi(&kernels->band, scores, scratch, path, score);
    return sp_dense_viterbi(&kernels->dense, scores, scratch, path, score);
}

sp_status sp_kernels_greedy(const sp_kernels *kernels, const sp_chain *chain, const sp_scores *scores,
                            sp_scratch *scratch, int32_t *path, double *score, sp_error *err)
{
    if (scores->n_steps == 0 || kernels->greedy.n == 0)
        return SP_ENOPATH;
    double *row = sp_row_buffer(scores, scratch);
    int32_t *found = sp_scratch_get(scratch, (size_t)scores->n_steps, sizeof *found);
    if (!row || !found)
        return SP_ENOMEM;
    if (!sp_greedy_table_path(&kernels->greedy, scores, row, found))
        return SP_ENOPATH;
    return sp_decode_finish(chain, scores, found, true, path, score, err);
}

/* ---- runs of recordings, what the lanes leave, and the long recordings ---- */

typedef struct lane_work {
    const sp_kernels *kernels;
    const sp_batch *batch;
    const sp_decode_output *output;
    sp_leftover leftover;
    bool is_confidence; /* not paths but confidence */
    int n_threads;
    int64_t run;      /* recordings of one */
    uint8_t *is_long; /* [N] 1: left to all threads together */
    atomic_bool no_memory;
} lane_work;

/* One run, by the lanes it is for: as sp_lanes_run(). */
static int32_t do_run(const lane_work *w, sp_scratch *scratch, int64_t first, int32_t n, int32_t *left)
{
    const sp_kernels *k = w->kernels;
    if (k->way != SP_WAY_SUMS && !w->is_confidence) {
        sp_lane_run_options options = {k->isa, k->strategy, &k->lanes,
                                       k->way == SP_WAY_DWELL ? &k->dwell : NULL};
        return sp_lanes_run(&options, w->batch, w->output, scratch, first, n, left);
    }
    sp_sum_run_options options = {k->isa, SP_SUM_LOG_Z, &k->sums};
    if (w->is_confidence)
        options.use = w->output->confidence ? SP_SUM_CONFIDENCE : SP_SUM_LOG_Z;
    else
        options.use = k->strategy == SP_POSTERIOR ? SP_SUM_PATH
                      : k->strategy == SP_MEA     ? SP_SUM_MEA
                                                  : SP_SUM_PRODUCT;
    return sp_sum_run(&options, w->batch, w->output, scratch, first, n, left);
}

/* Would other threads wait for the one that decodes this recording? Twice a thread's part of the batch: for less it is better that
 * each has a recording of its own. */
static bool is_large_share(const lane_work *w, const sp_scores *scores)
{
    const double share = (double)scores->n_steps / (double)w->batch->scores.n_steps;
    return share > 0.6 || share * w->n_threads >= 2;
}

/* Argmax of long recordings under few classes; Viterbi of one that has a large share of a batch. */
static bool goes_on_all_threads(const lane_work *w, const sp_scores *scores)
{
    if (w->kernels->way == SP_WAY_DENSE || w->kernels->way == SP_WAY_WIDE)
        return w->kernels->has_dense && is_large_share(w, scores) &&
               sp_dense_pays_threads(&w->kernels->dense, scores, w->n_threads) && !sp_scores_have_gap(scores);
    return !w->is_confidence && w->kernels->way == SP_WAY_LANES && w->kernels->strategy == SP_ARGMAX &&
           scores->n_steps > SP_LANES_MOST_STEPS && !sp_scores_have_gap(scores);
}

/* By the chain's weights. */
static void score_path(const lane_work *w, int64_t n)
{
    const sp_scores scores = sp_batch_recording(w->batch, n);
    w->output->results[n].score =
        sp_verifier_score(&w->kernels->verifier, &scores, w->output->paths + w->batch->offsets[n]);
}

static void share_run(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    lane_work *w = arg;
    const sp_leftover *leftover = &w->leftover;
    int64_t n_recordings = w->batch->n_recordings;
    for (int64_t n = first; n < last && !w->no_memory; n++) {
        int32_t left[SP_LANE_RUN_MOST];
        bool is_left[SP_LANE_RUN_MOST] = {false};
        int64_t begin = n * w->run, count = n_recordings - begin < w->run ? n_recordings - begin : w->run;
        int32_t n_left = do_run(w, scratch, begin, (int32_t)count, left);
        if (n_left < 0)
            w->no_memory = true;
        if (leftover->is_fine && !leftover->is_fine(leftover->arg, begin, begin + count))
            continue;
        for (int32_t i = 0; i < n_left; i++) {
            sp_scores scores = sp_batch_recording(w->batch, begin + left[i]);
            is_left[left[i]] = true;
            w->is_long[begin + left[i]] = goes_on_all_threads(w, &scores);
            if (!w->is_long[begin + left[i]])
                leftover->decode(leftover->arg, scratch, begin + left[i], begin + left[i] + 1);
        }
        for (int64_t i = 0;
             i < count && n_left >= 0 && w->kernels->way == SP_WAY_UNRULED && !w->is_confidence; i++)
            if (!is_left[i])
                score_path(w, begin + i);
        for (int64_t i = 0; i < count && n_left >= 0 && leftover->finish; i++)
            if (!is_left[i])
                leftover->finish(leftover->arg, scratch, begin + i, begin + i + 1);
    }
}

/* One at a time. */
static void share_singles(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    lane_work *w = arg;
    for (int64_t n = first; n < last && !w->no_memory; n++) {
        sp_scores scores = sp_batch_recording(w->batch, n);
        w->is_long[n] = goes_on_all_threads(w, &scores);
        if (!w->is_long[n])
            w->leftover.decode(w->leftover.arg, scratch, n, n + 1);
    }
}

static sp_status decode_long(const sp_kernels *k, const sp_scores *scores, sp_workers *workers, int32_t *path,
                             double *score)
{
    if (k->way == SP_WAY_DENSE || k->way == SP_WAY_WIDE)
        return sp_dense_team_viterbi(&k->dense, scores, workers, path, score);
    return sp_argmax_long(k->isa, k->chain, scores, workers, path, score);
}

/* The long recordings that lanes have not taken, each on all threads. */
static void share_long(lane_work *w, sp_workers *workers)
{
    sp_scratch *scratch = sp_workers_scratch(workers);
    for (int64_t n = 0; n < w->batch->n_recordings && !w->no_memory; n++) {
        if (!w->is_long[n])
            continue;
        const sp_scores scores = sp_batch_recording(w->batch, n);
        int64_t first = w->batch->offsets[n];
        sp_decoded result = {.status = SP_OK, .step = -1};
        const sp_scratch_mark mark = sp_scratch_here(scratch);
        sp_status status = decode_long(w->kernels, &scores, workers, w->output->paths + first, &result.score);
        sp_scratch_release(scratch, mark);
        if (status == SP_ENOMEM) {
            w->no_memory = true;
            continue;
        }
        if (status != SP_OK) {
            w->leftover.decode(w->leftover.arg, scratch, n, n + 1);
            continue;
        }
        w->output->results[n] = result;
        if (w->output->broken)
            memset(w->output->broken + first, 0, (size_t)scores.n_steps);
        w->leftover.finish(w->leftover.arg, scratch, n, n + 1);
    }
}

/* Recordings of a run: enough runs to share among the threads, and no more than stay in the cache until their paths are checked.
 */
static int64_t run_length(const sp_batch *batch, int64_t n_threads)
{
    enum { CACHED_BYTES = 1 << 20 };
    const double bytes = (double)batch->scores.n_steps * batch->scores.n_classes * (int)batch->scores.dtype,
                 cached = CACHED_BYTES / (bytes + 1) * (double)batch->n_recordings;
    int64_t run = (batch->n_recordings / (n_threads * 8) + SP_LANES_MOST - 1) / SP_LANES_MOST * SP_LANES_MOST;
    if ((double)run > cached)
        run = (int64_t)cached / SP_LANES_MOST * SP_LANES_MOST;
    return run < SP_LANES_MOST ? SP_LANES_MOST : run > SP_LANE_RUN_MOST ? SP_LANE_RUN_MOST : run;
}

/* Too few recordings for any lanes? See sp_lanes_run(). */
static bool are_few(const sp_kernels *kernels, const sp_batch *batch)
{
    sp_isa isa = kernels->isa > SP_ISA_AVX2 ? SP_ISA_AVX2 : kernels->isa;
    return kernels->way == SP_WAY_LANES && kernels->has_single &&
           batch->n_recordings * SP_LANES_VITERBI_WORTH < sp_lanes_count(isa);
}

/* To start a thread takes as long as some 10,000 steps. */
static void share_few(lane_work *w, sp_workers *workers)
{
    enum { STEPS_WORTH_THREADS = 20000 };
    int64_t n = w->batch->n_recordings;
    if (w->batch->scores.n_steps < STEPS_WORTH_THREADS)
        share_singles(w, sp_workers_scratch(workers), 0, n);
    else
        sp_workers_share(workers, n, share_singles, w);
}

/* False on lack of memory. */
static bool begin_work(lane_work *w, const sp_kernels *kernels, const sp_batch *batch,
                       const sp_decode_output *output, sp_workers *workers, sp_leftover leftover,
                       bool is_confidence)
{
    const int n_threads = sp_workers_count(workers);
    const size_t n = (size_t)batch->n_recordings;
    *w = (lane_work){kernels, batch, output, leftover, is_confidence, n_threads, run_length(batch, n_threads),
                     NULL,    false};
    w->is_long = sp_scratch_get(sp_workers_scratch(workers), n, 1);
    if (w->is_long)
        memset(w->is_long, 0, n);
    return w->is_long != NULL;
}

bool sp_kernels_look_along(const sp_kernels *kernels, const sp_batch *batch)
{
    const lane_work w = {.kernels = kernels, .batch = batch, .n_threads = 1};
    bool looks_along = kernels->way == SP_WAY_LANES && !are_few(kernels, batch);
    for (int64_t n = 0; looks_along && n < batch->n_recordings; n++) {
        const sp_scores scores = sp_batch_recording(batch, n);
        looks_along = !goes_on_all_threads(&w, &scores);
    }
    return looks_along;
}

bool sp_kernels_share(const sp_kernels *kernels, const sp_batch *batch, const sp_decode_output *output,
                      sp_workers *workers, sp_leftover leftover)
{
    lane_work w;
    if (!begin_work(&w, kernels, batch, output, workers, leftover, false))
        return false;
    if (are_few(kernels, batch))
        share_few(&w, workers);
    else if (kernels->way == SP_WAY_DENSE)
        sp_workers_share(workers, batch->n_recordings, share_singles, &w);
    else
        sp_workers_share(workers, (batch->n_recordings + w.run - 1) / w.run, share_run, &w);
    share_long(&w, workers);
    return !w.no_memory;
}

bool sp_kernels_share_confidence(const sp_kernels *kernels, const sp_batch *batch,
                                 const sp_decode_output *output, sp_workers *workers, sp_leftover leftover)
{
    lane_work w;
    if (!begin_work(&w, kernels, batch, output, workers, leftover, true))
        return false;
    sp_workers_share(workers, (batch->n_recordings + w.run - 1) / w.run, share_run, &w);
    return !w.no_memory;
}
