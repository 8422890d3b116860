/* Decoding one recording by a strategy. */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "decode/rules_watch.h"
#include "decode/strategy.h"

static sp_sequence sequence_of(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch)
{
    return (sp_sequence){.chain = chain, .scores = scores, .scratch = scratch, .recurrence = NAN};
}

sp_status sp_decode_no_path(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                            sp_error *err)
{
    const sp_sequence s = sequence_of(chain, scores, scratch);
    return sp_sequence_no_path(&s, err);
}

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
    if (!path)
        return sp_no_memory(err);
    sp_sequence s = sequence_of(chain, scores, scratch);
    s.path = path;
    s.broken = output->broken;
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
