/* What recordings add to an evaluation, as a block or piece by piece. */
#include "core/try.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what steps add ---- */

static sp_status add_transitions(const sp_evaluation *e, const sp_recording *r, const int32_t *path,
                                 sp_transition_walk *walk, sp_transition_counts *counts, sp_tally *pairs,
                                 sp_error *err)
{
    sp_transitions_walk(e->chain, walk, r->n_steps, path, r->segments, counts, NULL, NULL);
    if (r->rest == 0)
        sp_transitions_end(e->chain, walk, counts);
    return sp_count_transitions(e, r, path, pairs) ? SP_OK : sp_no_memory(err);
}

static void counts_add(sp_transition_counts *sum, const sp_transition_counts *c)
{
    sum->transitions += c->transitions;
    sum->changes += c->changes;
    sum->illegal += c->illegal;
    sum->illegal_start += c->illegal_start;
    sum->illegal_end += c->illegal_end;
    sum->short_runs += c->short_runs;
    sum->long_runs += c->long_runs;
}

/* What the decoder said about a recording. */
static void add_result(sp_evaluation *e, int32_t strategy, const sp_decoded *decoded)
{
    sp_strategy_result *s = &e->result->strategies[strategy];
    if (decoded->status != SP_OK) {
        s->n_undecoded++;
        return;
    }
    s->n_relaxed += decoded->n_broken > 0;
    s->n_broken += decoded->n_broken;
    s->n_redirected += decoded->n_redirected;
    if (isfinite(decoded->score))
        sp_exact_add(&e->sums[strategy].score_sum, decoded->score);
    else
        e->sums[strategy].has_impossible = true;
    s->n_impossible += e->options.has_path_scores && !isfinite(decoded->score);
}

static sp_status add_path(sp_evaluation *e, int32_t strategy, const sp_recording *r,
                          const sp_decoded *decoded, const int32_t *path, const int32_t *baseline,
                          sp_error *err)
{
    sp_strategy_result *s = &e->result->strategies[strategy];
    sp_track *track = &e->tracks[strategy];
    sp_recording_result *row = &track->result;
    sp_status status = SP_OK;
    if (e->sums[strategy].broken.too_short)
        track->transitions.broken = &e->sums[strategy].broken;
    TRY(add_transitions(e, r, path, &track->transitions, &row->counts, &e->sums[strategy].transitions, err));
    if (r->labels)
        sp_add_agreement(e, strategy, r, path, baseline);
    else
        row->accuracy = row->kappa = value_undefined("no scored steps");
    if (e->tags && r->labels)
        sp_add_entities(e, strategy, r, path);
    if (baseline && r->labels && strategy != s->argmax)
        TRY(sp_add_error_runs(e, strategy, r, path, baseline, err));
    TRY(sp_add_segments(e, strategy, r, path, err));
    if (r->rest > 0)
        return SP_OK;
    row->decoded = *decoded;
    add_result(e, strategy, decoded);
    counts_add(&s->counts, &row->counts);
    s->recordings_with_illegal += row->counts.illegal > 0;
    s->recordings[r->index] = *row;
done:
    return status;
}

static sp_status add_reference(sp_evaluation *e, const sp_recording *r, sp_error *err)
{
    for (int64_t t = 0; t < r->n_steps; t++)
        e->at_hand.scored += r->labels[t] >= 0;
    memset(e->scratch.right, 0, (size_t)r->n_steps * sizeof *e->scratch.right);
    sp_find_contexts(e, r);
    sp_comparison *c = e->result;
    sp_track *track = &e->reference;
    if (r->first == 0)
        track->illegal_before = c->reference.illegal;
    sp_status status = SP_OK;
    if (e->reference_broken.too_short)
        track->transitions.broken = &e->reference_broken;
    TRY(add_transitions(e, r, r->labels, &track->transitions, &c->reference, &e->reference_transitions, err));
    int64_t illegal = c->reference.illegal - track->illegal_before;
    if (r->rest == 0 && illegal > c->reference_frequencies.worst_illegal) {
        c->reference_frequencies.worst_illegal = illegal;
        c->reference_frequencies.worst_recording = r->index;
    }
    TRY(sp_add_reference_segments(e, r, err));
done:
    return status;
}

static int64_t count_broken(const sp_transition_counts *counts)
{
    return counts->illegal + counts->illegal_start;
}

static sp_status add_steps(sp_evaluation *e, const sp_recording *r, const sp_views *views, sp_error *err)
{
    const int32_t S = e->result->n_strategies;
    int64_t before[SP_EVALUATION_MAX_STRATEGIES + 1];
    bool broke[SP_EVALUATION_MAX_STRATEGIES + 1];
    for (int32_t s = 0; s < S; s++)
        before[s] = count_broken(&e->tracks[s].result.counts);
    before[S] = count_broken(&e->result->reference);
    sp_recording whole = *r;
    whole.labels = r->whole;
    sp_status status = SP_OK;
    if (r->labels)
        TRY(add_reference(e, r, err));
    for (int32_t s = 0; s < S; s++) {
        const int32_t argmax = e->result->strategies[s].argmax;
        TRY(add_path(e, s, r, &views->results[s], views->paths[s], argmax >= 0 ? views->paths[argmax] : NULL,
                     err));
    }
    for (int32_t s = 0; s < S; s++)
        broke[s] = count_broken(&e->tracks[s].result.counts) > before[s];
    broke[S] = r->labels && count_broken(&e->result->reference) > before[S];
    TRY(sp_add_illegal_places(e, r, views->paths, broke, err));
    if (r->rest == 0)
        TRY(sp_add_run_places(e, r->index, err));
    TRY(sp_add_rule_counts(e, r, views->paths, views->results, err));
    sp_add_sleep(e, &whole, views);
    if (r->rest > 0)
        sp_drop_reference_runs(e);
    sp_add_raters(e, &whole, views->raters, views->paths);
    sp_add_regret(e, r, views);
    if (r->labels)
        sp_add_contingency(e, r, views->paths);
    TRY(sp_add_margins(e, r, views->paths, err));
    if (r->labels && r->rest == 0)
        TRY(sp_add_sequences(e, err));
    TRY(sp_add_trace(e, r, views, err));
    if (r->labels)
        sp_add_mcnemar_counts(e, r);
done:
    return status;
}

/* ---- a recording ---- */

sp_status sp_evaluation_begin(sp_evaluation *e, const sp_evaluation_recording *recording, sp_error *err)
{
    if (e->at_hand.id)
        return sp_fail(err, SP_EINVAL, "a recording is still being evaluated in pieces");
    char number[32];
    sp_status status = SP_OK;
    TRY(sp_check_subject(e, recording->subject, err));
    TRY(sp_evaluation_reserve_recordings(e, 1, err));
    snprintf(number, sizeof number, "%" PRId64, e->result->n_recordings);
    e->at_hand = (sp_at_hand){.recording = *recording, .id = strdup(recording->id ? recording->id : number)};
    if (!e->at_hand.id)
        TRY(sp_no_memory(err));
    sp_runs_clear(&e->reference.runs);
    e->reference = (sp_track){.runs = e->reference.runs};
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        sp_track *track = &e->tracks[s];
        sp_runs_clear(&track->runs);
        *track = (sp_track){.runs = track->runs, .entities_before = e->result->strategies[s].entities.pooled};
    }
done:
    return status;
}

/* The labels of a piece, and of the steps around it, without the wake that does not count. */
static sp_status trim(sp_evaluation *e, const sp_evaluation_piece *piece, const int32_t **labels,
                      sp_error *err)
{
    sp_at_hand *h = &e->at_hand;
    sp_evaluation_scratch *scratch = &e->scratch;
    int64_t n = piece->before + piece->n_steps + piece->after;
    if (n + 1 > scratch->kept_capacity) {
        bool is_whole = true;
        scratch->kept = sp_grown(scratch->kept, n + 1, sizeof *scratch->kept, &is_whole);
        if (!is_whole)
            return sp_no_memory(err);
        scratch->kept_capacity = n + 1;
    }
    int32_t *kept = scratch->kept;
    memcpy(kept, piece->labels - piece->before, (size_t)n * sizeof *kept);
    const sp_wake_bounds *sleep = &h->recording.sleep;
    sp_wake_trim_piece(sleep, e->wake_margin, h->at - piece->before, piece->before, kept);
    kept += piece->before;
    h->trimmed += sp_wake_trim_piece(sleep, e->wake_margin, h->at, piece->n_steps, kept);
    sp_wake_trim_piece(sleep, e->wake_margin, h->at + piece->n_steps, piece->after, kept + piece->n_steps);
    *labels = kept;
    return SP_OK;
}

static sp_status add_piece(sp_evaluation *e, const sp_evaluation_piece *piece, sp_error *err)
{
    sp_status status = SP_OK;
    TRY(sp_evaluation_reserve_steps(e, piece->n_steps, err));
    sp_at_hand *h = &e->at_hand;
    sp_recording r = {.index = e->result->n_recordings,
                      .n_steps = piece->n_steps,
                      .labels = e->options.has_labels ? piece->labels : NULL,
                      .segments = piece->segments,
                      .first = h->at,
                      .rest = h->recording.n_steps - h->at - piece->n_steps,
                      .before = piece->before,
                      .after = piece->after};
    r.whole = r.labels;
    if (r.labels && e->result->has_wake_trim)
        TRY(trim(e, piece, &r.labels, err));
    const int32_t *paths[SP_EVALUATION_MAX_STRATEGIES];
    for (int32_t s = 0; s < e->result->n_strategies; s++)
        paths[s] = h->recording.results[s].status == SP_OK ? piece->paths[s] : e->scratch.nothing;
    sp_views views = {paths, h->recording.results, piece->scores, piece->against, piece->raters};
    TRY(add_steps(e, &r, &views, err));
    h->at += piece->n_steps;
    h->has_piece = true;
done:
    return status;
}

sp_status sp_evaluation_add_piece(sp_evaluation *e, const sp_evaluation_piece *piece, sp_error *err)
{
    sp_status status = e->at_hand.id ? sp_check_piece(e, &e->at_hand, piece, err)
                                     : sp_fail(err, SP_EINVAL, "a piece of a recording that was not begun");
    return status == SP_OK ? add_piece(e, piece, err) : status;
}

sp_status sp_evaluation_end(sp_evaluation *e, sp_error *err)
{
    sp_at_hand *h = &e->at_hand;
    const sp_evaluation_recording *recording = &h->recording;
    sp_comparison *c = e->result;
    int64_t index = c->n_recordings;
    if (!h->has_piece || h->at != recording->n_steps)
        return sp_fail(err, SP_EINVAL, "a recording was ended before all its pieces were there");
    if (c->has_wake_trim) {
        c->trimmed_steps[index] = h->trimmed;
        c->n_trimmed_steps += h->trimmed;
    }
    if (c->has_length_trim) {
        c->cut_path_steps[index] = recording->cut_path_steps;
        c->cut_label_steps[index] = recording->cut_label_steps;
        c->n_cut_path_steps += recording->cut_path_steps;
        c->n_cut_label_steps += recording->cut_label_steps;
        c->n_cut_recordings += recording->cut_path_steps + recording->cut_label_steps > 0;
    }
    for (int32_t s = 0; recording->seconds && s < c->n_strategies; s++)
        c->strategies[s].seconds += recording->seconds[s];
    c->ids[index] = h->id;
    c->steps[index] = h->at;
    c->scored_steps[index] = h->scored;
    if (c->n_subjects)
        c->subject_of[index] = recording->subject;
    c->n_recordings++;
    c->n_steps += h->at;
    c->n_scored_steps += h->scored;
    *h = (sp_at_hand){.id = NULL};
    return SP_OK;
}

/* ---- a block ---- */

/* A recording of a block as one piece. */
typedef struct whole_recording {
    sp_evaluation_recording recording;
    sp_evaluation_piece piece;
    sp_scores scores, against[SP_MOST_AGAINST];
    const int32_t *paths[SP_EVALUATION_MAX_STRATEGIES], *raters[SP_MAX_RATERS];
    sp_decoded results[SP_EVALUATION_MAX_STRATEGIES];
} whole_recording;

static void view_recording(const sp_evaluation *e, const sp_evaluation_block *block, int64_t n,
                           whole_recording *out)
{
    int64_t first = block->offsets[n], n_steps = block->offsets[n + 1] - first;
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        out->results[s] = block->results[s][n];
        out->paths[s] = block->paths[s] + first;
    }
    for (int32_t i = 0; block->raters && i < e->options.n_raters; i++)
        out->raters[i] = block->raters[i] + first;
    sp_batch batch = {.n_recordings = block->n_recordings, .offsets = block->offsets};
    if (block->scores) {
        batch.scores = *block->scores;
        out->scores = sp_batch_recording(&batch, n);
    }
    for (int32_t i = 0; block->against && i < e->result->n_against; i++) {
        batch.scores = block->against[i];
        out->against[i] = sp_batch_recording(&batch, n);
    }
    out->recording =
        (sp_evaluation_recording){.n_steps = n_steps,
                                  .id = block->ids ? block->ids[n] : NULL,
                                  .results = out->results,
                                  .subject = e->result->n_subjects ? block->subject[n] : 0,
                                  .sleep = {-1, -1},
                                  .cut_path_steps = block->cut_path_steps ? block->cut_path_steps[n] : 0,
                                  .cut_label_steps = block->cut_label_steps ? block->cut_label_steps[n] : 0};
    out->piece = (sp_evaluation_piece){.n_steps = n_steps,
                                       .labels = block->labels ? block->labels + first : NULL,
                                       .segments = block->segments ? block->segments + first : NULL,
                                       .scores = block->scores ? &out->scores : NULL,
                                       .against = block->against ? out->against : NULL,
                                       .paths = out->paths,
                                       .raters = block->raters ? out->raters : NULL};
}

static sp_status check_block(const sp_evaluation *e, const sp_evaluation_block *block, sp_error *err)
{
    if (e->at_hand.id)
        return sp_fail(err, SP_EINVAL, "a recording is still being evaluated in pieces");
    if (e->result->n_subjects && !block->subject)
        return sp_fail(err, SP_EINVAL, "subjects were announced, but a block has none");
    sp_status status = SP_OK;
    for (int64_t n = 0; n < block->n_recordings; n++) {
        whole_recording w;
        char id[32];
        view_recording(e, block, n, &w);
        snprintf(id, sizeof id, "%" PRId64, e->result->n_recordings + n);
        sp_at_hand h = {.recording = w.recording, .id = block->ids ? (char *)block->ids[n] : id};
        TRY(sp_check_piece(e, &h, &w.piece, err));
        TRY(sp_check_subject(e, w.recording.subject, err));
    }
done:
    return status;
}

sp_status sp_evaluation_add(sp_evaluation *e, const sp_evaluation_block *block, sp_workers *workers,
                            sp_error *err)
{
    sp_status status = SP_OK;
    TRY(check_block(e, block, err));
    e->workers = workers;
    TRY(sp_evaluation_reserve_recordings(e, block->n_recordings, err));
    for (int64_t n = 0; n < block->n_recordings; n++) {
        whole_recording w;
        view_recording(e, block, n, &w);
        if (e->result->has_wake_trim)
            sp_wake_look(&w.recording.sleep, 0, w.piece.n_steps, e->stage_of_class, w.piece.labels);
        TRY(sp_evaluation_begin(e, &w.recording, err));
        TRY(add_piece(e, &w.piece, err));
        TRY(sp_evaluation_end(e, err));
    }
    for (int32_t s = 0; block->seconds && s < e->result->n_strategies; s++)
        e->result->strategies[s].seconds += block->seconds[s];
    if (e->options.has_labels && e->options.with_ceiling)
        TRY(sp_add_ceiling(e, block, workers, err));
done:
    return status;
}
