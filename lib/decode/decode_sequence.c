/* Decoding by a strategy: a recording in memory, or a long one that is read in pieces (sequence.h). */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "decode/rules_watch.h"
#include "decode/strategy.h"

/* ---- a recording in memory ---- */

static sp_status read_whole(void *arg, int64_t first, int64_t n, sp_scores *scores, sp_error *err)
{
    (void)first, (void)n, (void)err;
    *scores = *(const sp_scores *)arg;
    return SP_OK;
}

/* The recording as its own only piece. path and broken may be NULL where nothing is written; *has_gap is room for one flag. */
static sp_sequence whole(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                         uint8_t *broken, uint8_t *has_gap)
{
    *has_gap = 0;
    return (sp_sequence){.chain = chain,
                         .recording = {.n_steps = scores->n_steps,
                                       .has_gap = scores->segments != NULL,
                                       .read = read_whole,
                                       .arg = (sp_scores *)(uintptr_t)scores},
                         .scratch = scratch,
                         .is_whole = true,
                         .n = 1,
                         .steps = scores->n_steps,
                         .path = path,
                         .broken = broken,
                         .has_gap = has_gap,
                         .recurrence = NAN};
}

sp_status sp_decode_no_path(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                            sp_error *err)
{
    uint8_t has_gap;
    sp_sequence s = whole(chain, scores, scratch, NULL, NULL, &has_gap);
    return sp_sequence_no_path(&s, err);
}

/* ---- either ---- */

/* By the rules, or breaking the fewest. */
static sp_status run(sp_sequence *s, const sp_strategy *strategy, bool is_relaxed, sp_error *err)
{
    const sp_strategy_row *row = sp_strategy_row_of(strategy->kind);
    if (!is_relaxed)
        return row->decode(s, strategy->parameter, err);
    return (row->relax ? row->relax : sp_strategy_row_of(SP_VITERBI)->relax)(s, strategy->parameter, err);
}

static sp_status decode_whole(const sp_chain *chain, const sp_scores *scores, const sp_strategy *strategy,
                              bool is_relaxed, sp_scratch *scratch, const sp_whole_output *output,
                              sp_error *err)
{
    sp_status status = SP_OK;
    size_t T = (size_t)scores->n_steps;
    int32_t *path = sp_scratch_get(scratch, T, sizeof *path);
    uint8_t has_gap;
    if (!path)
        return sp_no_memory(err);
    sp_sequence s = whole(chain, scores, scratch, path, output->broken, &has_gap);
    bool is_legal = sp_strategy_about(strategy->kind)->is_legal && !is_relaxed;
    double score = 0;
    if (T > 0) {
        TRY(run(&s, strategy, is_relaxed, err));
        TRY(sp_sequence_verify(&s, err));
    }
    if (!s.is_score)
        TRY(sp_decode_finish(chain, scores, path, is_legal, path, &score, err));
    if (is_legal)
        TRY(sp_rules_verify(chain, scores, path, err));
    if (T > 0)
        memcpy(output->path, path, T * sizeof *path);
    if (output->n_broken)
        *output->n_broken = s.n_broken;
    if (output->n_redirected)
        *output->n_redirected = s.n_redirected;
    if (output->score)
        *output->score = s.is_score ? s.recurrence : score;
done:
    return status;
}

sp_status sp_decode_whole(const sp_chain *chain, const sp_scores *scores, const sp_strategy *strategy,
                          bool is_relaxed, sp_scratch *scratch, const sp_whole_output *output, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    sp_status status = SP_OK;
    TRY(sp_strategy_check(strategy, err));
    TRY(sp_decode_check(chain, scores, err));
    TRY(decode_whole(chain, scores, strategy, is_relaxed, scratch, output, err));
done:
    sp_scratch_release(scratch, mark);
    return status;
}

static bool has_no_path(sp_status status)
{
    return status == SP_ENOPATH || status == SP_EDEADEND;
}

sp_status sp_decode(const sp_chain *chain, const sp_scores *scores, const sp_decode_options *options,
                    sp_scratch *scratch, int32_t *path, sp_decoded *result, sp_error *err)
{
    sp_decoded found = {.status = SP_OK, .step = -1};
    sp_whole_output output = {path, &found.n_broken, NULL, &found.score, &found.n_redirected};
    sp_status status = sp_decode_whole(chain, scores, &options->strategy, false, scratch, &output, err);
    if (has_no_path(status) && options->relax)
        status = sp_decode_whole(chain, scores, &options->strategy, true, scratch, &output, err);
    if (status == SP_OK && result)
        *result = found;
    return status;
}

sp_status sp_viterbi(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                     double *score, sp_error *err)
{
    const sp_strategy viterbi = {SP_VITERBI, 0};
    return sp_decode_whole(chain, scores, &viterbi, false, scratch,
                           &(sp_whole_output){.path = path, .score = score}, err);
}

/* ---- a long recording ---- */

/* Gives up what was written: another path may follow. */
static sp_status give_up(sp_sequence *s, sp_error *err)
{
    if (!sp_sequence_forget_score(s))
        return sp_no_memory(err);
    return s->recording.write(s->recording.arg, 0, s->recording.n_steps, NULL, NULL, err);
}

/* Decodes, and fills in what became of it. */
static sp_status attempt(sp_sequence *s, const sp_strategy *strategy, bool is_relaxed, sp_decoded *result,
                         sp_error *err)
{
    sp_error why = {.step = -1};
    const sp_scratch_mark mark = sp_scratch_here(s->scratch);
    sp_status status = run(s, strategy, is_relaxed, &why);
    sp_scratch_release(s->scratch, mark);
    if (status == SP_OK && sp_strategy_about(strategy->kind)->is_legal && !is_relaxed)
        status = sp_sequence_verify(s, &why);
    if (status == SP_OK) {
        *result = (sp_decoded){.status = SP_OK,
                               .step = -1,
                               .n_broken = s->n_broken,
                               .n_redirected = s->n_redirected,
                               .score = sp_sequence_score(s)};
        return SP_OK;
    }
    if (status == SP_EBUG)
        sp_decode_withhold(&why, result, NULL, 0);
    else if (has_no_path(status))
        *result = (sp_decoded){.status = status, .step = why.step, .score = -INFINITY};
    else if (err)
        *err = why;
    return status == SP_EBUG || has_no_path(status) ? give_up(s, err) : status;
}

sp_status sp_decode_long(const sp_chain *chain, const sp_long_recording *recording,
                         const sp_decode_options *options, sp_workers *workers, sp_decoded *result,
                         sp_error *err)
{
    sp_decoded found = {.status = SP_OK, .step = -1};
    sp_status status = sp_strategy_check(&options->strategy, err);
    if (status == SP_OK && recording->n_steps > 0) {
        sp_sequence s;
        status = sp_sequence_open(&s, chain, recording, workers)
                     ? attempt(&s, &options->strategy, false, &found, err)
                     : sp_no_memory(err);
        if (status == SP_OK && has_no_path(found.status) && options->relax)
            status = attempt(&s, &options->strategy, true, &found, err);
        sp_sequence_clear(&s);
    }
    if (status == SP_OK)
        *result = found;
    return status;
}
