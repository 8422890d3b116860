/* What recordings add to an evaluation. */
#include "core/try.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what steps add ---- */

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
    TRY(sp_add_transitions(e, r, path, &e->sums[strategy].broken, &row->counts,
                           &e->sums[strategy].transitions, err));
    if (r->labels)
        sp_add_agreement(e, strategy, r, path, baseline);
    else
        row->accuracy = row->kappa = value_undefined("no scored steps");
    if (r->labels && decoded->status == SP_OK && (s->argmax < 0 || s->argmax == strategy))
        sp_add_shift(e, strategy, r, path);
    if (e->tags && r->labels)
        sp_add_entities(e, strategy, r, path);
    if (baseline && r->labels && strategy != s->argmax)
        TRY(sp_add_error_runs(e, strategy, r, path, baseline, err));
    TRY(sp_add_segments(e, strategy, r, path, err));
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
    sp_stretch at = sp_walk(r, r->labels, NULL);
    while (sp_stretch_next(&at))
        if (r->labels[at.first] >= 0) {
            e->scored += at.end - at.first;
            sp_margins_count(&e->margins, r->labels[at.first], at.end - at.first);
        }
    sp_comparison *c = e->result;
    const int64_t before = c->reference.illegal;
    sp_status status = SP_OK;
    TRY(sp_add_transitions(e, r, r->labels, &e->reference_broken, &c->reference, &e->reference_transitions,
                           err));
    const int64_t illegal = c->reference.illegal - before;
    if (illegal > c->reference_frequencies.worst_illegal) {
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
    if (r->labels) {
        TRY(sp_margins_open(e, err));
        TRY(add_reference(e, r, err));
    }
    for (int32_t s = 0; s < S; s++) {
        const int32_t argmax = e->result->strategies[s].argmax;
        TRY(add_path(e, s, r, &views->results[s], views->paths[s], argmax >= 0 ? views->paths[argmax] : NULL,
                     err));
    }
    for (int32_t s = 0; s < S; s++)
        broke[s] = count_broken(&e->tracks[s].result.counts) > before[s];
    broke[S] = r->labels && count_broken(&e->result->reference) > before[S];
    TRY(sp_add_illegal_places(e, r, views->paths, broke, err));
    TRY(sp_add_run_places(e, r->index, err));
    TRY(sp_add_rule_counts(e, r, views->paths, views->results, err));
    sp_add_sleep(e, &whole, views);
    sp_add_raters(e, &whole, views->raters, views->paths);
    sp_add_regret(e, r, views);
    if (r->labels) {
        sp_add_pairs(e, r, views->paths);
        TRY(sp_add_margins(e, r, err));
        TRY(sp_add_sequences(e, err));
    }
    TRY(sp_add_trace(e, r, views, err));
done:
    return status;
}

/* ---- a recording ---- */

/* A recording of a block. */
typedef struct coming {
    const char *id;
    int64_t n_steps;
    const int32_t *labels;   /* or NULL */
    const int64_t *segments; /* or NULL */
    int32_t subject;
    int64_t cut_path_steps, cut_label_steps;
    sp_scores scores, against[SP_MOST_AGAINST];
    const int32_t *paths[SP_EVALUATION_MAX_STRATEGIES], *raters[SP_MAX_RATERS];
    sp_decoded results[SP_EVALUATION_MAX_STRATEGIES];
    sp_views views; /* of these */
    char number[32];
} coming;

static void view_recording(const sp_evaluation *e, const sp_evaluation_block *block, int64_t n, int64_t index,
                           coming *out)
{
    const int64_t first = block->offsets[n];
    snprintf(out->number, sizeof out->number, "%" PRId64, index);
    out->id = block->ids && block->ids[n] ? block->ids[n] : out->number;
    out->n_steps = block->offsets[n + 1] - first;
    out->labels = e->options.has_labels && block->labels ? block->labels + first : NULL;
    out->segments = block->segments ? block->segments + first : NULL;
    out->subject = e->result->n_subjects ? block->subject[n] : 0;
    out->cut_path_steps = block->cut_path_steps ? block->cut_path_steps[n] : 0;
    out->cut_label_steps = block->cut_label_steps ? block->cut_label_steps[n] : 0;
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
    out->views = (sp_views){out->paths, out->results, block->scores ? &out->scores : NULL,
                            block->against ? out->against : NULL, block->raters ? out->raters : NULL};
}

/* The labels without the wake that does not count, and how many that was. */
static int64_t trim(sp_evaluation *e, const coming *c, const int32_t **labels)
{
    int32_t *kept = e->scratch.kept;
    memcpy(kept, c->labels, (size_t)c->n_steps * sizeof *kept);
    *labels = kept;
    return sp_wake_trim(c->n_steps, e->stage_of_class, e->wake_margin, kept);
}

/* Where labels, with and without trimmed wake, or any path change. */
static void cut(sp_evaluation *e, sp_recording *r, const int32_t *const *paths)
{
    const int32_t *sides[SP_EVALUATION_MAX_STRATEGIES + 2];
    int32_t n = 0;
    for (int32_t s = 0; s < e->result->n_strategies; s++)
        sides[n++] = paths[s];
    if (r->labels)
        sides[n++] = r->labels;
    if (r->whole != r->labels)
        sides[n++] = r->whole;
    sp_stretches_cut(r->n_steps, r->segments, n, sides, e->scratch.cut);
    r->cut = e->scratch.cut;
}

/* What is known of the recording beside its steps. */
static void note_recording(sp_evaluation *e, const coming *one, char *id, int64_t n_trimmed)
{
    sp_comparison *c = e->result;
    const int64_t index = c->n_recordings++;
    if (c->has_wake_trim) {
        c->trimmed_steps[index] = n_trimmed;
        c->n_trimmed_steps += n_trimmed;
    }
    if (c->has_length_trim) {
        c->cut_path_steps[index] = one->cut_path_steps;
        c->cut_label_steps[index] = one->cut_label_steps;
        c->n_cut_path_steps += one->cut_path_steps;
        c->n_cut_label_steps += one->cut_label_steps;
        c->n_cut_recordings += one->cut_path_steps + one->cut_label_steps > 0;
    }
    c->ids[index] = id;
    c->steps[index] = one->n_steps;
    c->scored_steps[index] = e->scored;
    if (c->n_subjects)
        c->subject_of[index] = one->subject;
    c->n_steps += one->n_steps;
    c->n_scored_steps += e->scored;
}

static sp_status add_recording(sp_evaluation *e, coming *one, sp_error *err)
{
    int64_t n_trimmed = 0;
    char *id = strdup(one->id);
    sp_status status = SP_OK;
    TRY(id ? SP_OK : sp_no_memory(err));
    TRY(sp_evaluation_reserve_steps(e, one->n_steps, err));
    e->scored = 0;
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        sp_track *track = &e->tracks[s];
        *track = (sp_track){.runs = track->runs, .entities_before = e->result->strategies[s].entities.pooled};
        if (one->results[s].status != SP_OK)
            one->paths[s] = e->scratch.nothing;
    }
    sp_recording r = {.index = e->result->n_recordings,
                      .n_steps = one->n_steps,
                      .labels = one->labels,
                      .segments = one->segments,
                      .whole = one->labels};
    if (r.labels && e->result->has_wake_trim)
        n_trimmed = trim(e, one, &r.labels);
    cut(e, &r, one->paths);
    TRY(add_steps(e, &r, &one->views, err));
    note_recording(e, one, id, n_trimmed);
    id = NULL;
done:
    free(id);
    return status;
}

/* ---- a block ---- */

static sp_status check_block(const sp_evaluation *e, const sp_evaluation_block *block, sp_error *err)
{
    if (e->result->n_subjects && !block->subject)
        return sp_fail(err, SP_EINVAL, "subjects were announced, but a block has none");
    sp_status status = SP_OK;
    for (int64_t n = 0; n < block->n_recordings; n++) {
        coming one;
        view_recording(e, block, n, e->result->n_recordings + n, &one);
        TRY(sp_check_recording(e, one.id, one.n_steps, one.labels, &one.views, err));
        TRY(sp_check_subject(e, one.subject, err));
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
        coming one;
        view_recording(e, block, n, e->result->n_recordings, &one);
        TRY(add_recording(e, &one, err));
    }
    for (int32_t s = 0; block->seconds && s < e->result->n_strategies; s++)
        e->result->strategies[s].seconds += block->seconds[s];
    if (e->options.has_labels && e->options.with_ceiling)
        TRY(sp_add_ceiling(e, block, workers, err));
done:
    return status;
}
