/* Paths that are decoded of the scores, block by block. */
#include "core/try.h"
#include "evaluate/work.h"
#include "learn/learn.h"
#include "pipeline/path_source.h"

sp_status sp_pipeline_decode(sp_pipeline *p, int s, const sp_block *block, const sp_decode_output *output,
                             double *seconds, sp_error *err)
{
    sp_decode_options how = sp_decode_options_default();
    how.strategy = p->strategies[s];
    how.relax = p->on_infeasible == SP_INFEASIBLE_RELAX;
    const sp_batch batch = sp_block_batch(block);
    sp_status status;
    const double started = sp_now_seconds();
    if (p->folds &&
        sp_strategy_about(how.strategy.kind)->knows_rules) { /* the others decode the scores as they are */
        const sp_training part = {.batch = batch,
                                  .labels = block->labels,
                                  .classes = p->folds->training->classes,
                                  .step_seconds = p->folds->training->step_seconds,
                                  .max_states = p->folds->training->max_states};
        status =
            sp_cross_decode(&part, (const sp_model *const *)p->folds->models, p->folds->fold + block->first,
                            p->folds->n_folds, &how, p->workers, output, err);
    } else {
        status = sp_decode_batch(p->chain, &batch, &how, p->workers, output, err);
    }
    *seconds = sp_now_seconds() - started;
    return status == SP_OK
               ? sp_pipeline_count_failures(p, s, block->first, block->n_recordings, output->results, err)
               : status;
}

/* The block's paths by each strategy, decoded and handed on. */
static sp_status decode_block(sp_pipeline *p, sp_block *block, int32_t *const *raters, sp_answers *a,
                              sp_error *err)
{
    const int64_t first_step = p->info->offsets[block->first];
    sp_status status = SP_OK;
    (void)raters;
    for (int s = 0; s < p->n_strategies; s++) {
        sp_decode_output output = {.paths = a->paths[s],
                                   .results = a->results[s],
                                   .broken =
                                       p->on_infeasible == SP_INFEASIBLE_RELAX ? a->violations[s] : NULL};
        TRY(sp_consumers_reserve(p, s, block, &output, err));
        TRY(sp_pipeline_decode(p, s, block, &output, &a->seconds[s], err));
        TRY(sp_consumers_paths(p, s, block->first, block->n_recordings, first_step, block->n_steps, &output,
                               err));
    }
    TRY(sp_consumers_labels(p, first_step, block->n_steps, block->labels, block->segments, err));
done:
    return status;
}

static void summarise(const sp_pipeline *p)
{
    const sp_run_counts *done = &p->done;
    const sp_prepare_counts *scores = &done->scores;
    const double floor = p->prepare.floor;
    char n[SP_COUNT_TEXT], all[SP_COUNT_TEXT];
    const char *recordings = sp_word_of(&sp_work_about(p->work)->words, SP_RECORDINGS);
    sp_count_text(p->info->n_recordings - sp_unread_count(p->unread), all);
    for (int s = 0; s < p->n_strategies; s++) {
        if (done->undecoded[s])
            sp_run_notice(p->opt, SP_NOTICE_DATA, "%s: %s of %s %s could not be decoded; their paths are -1",
                          p->names[s], sp_count_text(done->undecoded[s], n), all, recordings);
        if (done->relaxed[s])
            sp_run_notice(p->opt, SP_NOTICE_DATA, "%s: %s of %s %s were decoded by breaking the fewest rules",
                          p->names[s], sp_count_text(done->relaxed[s], n), all, recordings);
    }
    if (scores->floored && floor > 0)
        sp_run_notice(p->opt, SP_NOTICE_DATA, "%s score%s raised to the floor %g",
                      sp_count_text(scores->floored, n), scores->floored == 1 ? " was" : "s were", floor);
    if (scores->missing)
        sp_run_notice(p->opt, SP_NOTICE_DATA, "%s %s with NaN say%s nothing (`missing` uniform)",
                      sp_count_text(scores->missing, n),
                      sp_word_of(&sp_work_about(p->work)->words, scores->missing == 1 ? SP_STEP : SP_STEPS),
                      scores->missing == 1 ? "s" : "");
}

const sp_path_source sp_decoding_source = {
    .is_decoded = true, .labels_parts = SP_BLOCK_LABELS, .block = decode_block, .summarise = summarise};
