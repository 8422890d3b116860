/* What recordings add to an evaluation, as a block or piece by piece. */
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- checks ---- */

static void recording_name(const sp_evaluation *e, const sp_evaluation_block *block, int64_t n, char *out, size_t size)
{
    if (block->ids)
        snprintf(out, size, "%s", block->ids[n]);
    else
        snprintf(out, size, "%" PRId64, e->result->n_recordings + n);
}

sp_status sp_evaluation_check(const sp_evaluation *e, const char *id, int64_t first, int64_t n, const int32_t *steps,
                              const char *what, sp_error *err)
{
    for (int64_t t = 0; t < n; t++)
        if (steps[t] < -1 || steps[t] >= e->K)
            return sp_fail_at(err, SP_EDATA, first + t,
                              "recording %s, step %" PRId64 ": %s is %d, but the %d classes are 0 to %d, and -1 stands for none",
                              id, first + t, what, steps[t], e->K, e->K - 1);
    return SP_OK;
}

static sp_status check_steps(const sp_evaluation *e, const sp_evaluation_block *block, const int32_t *steps, const char *what,
                             sp_error *err)
{
    char name[256];
    sp_status status = SP_OK;
    for (int64_t n = 0; status == SP_OK && n < block->n_recordings; n++) {
        int64_t first = block->offsets[n];
        recording_name(e, block, n, name, sizeof name);
        status = sp_evaluation_check(e, name, 0, block->offsets[n + 1] - first, steps + first, what, err);
    }
    return status;
}

static sp_status check_block(const sp_evaluation *e, const sp_evaluation_block *block, sp_error *err)
{
    if (e->options.has_labels && !block->labels)
        return sp_fail(err, SP_EINVAL, "labels were announced, but a block has none");
    sp_status status = e->options.has_labels ? check_steps(e, block, block->labels, "the label", err) : SP_OK;
    for (int32_t s = 0; status == SP_OK && s < e->result->n_strategies; s++) {
        char what[96];
        snprintf(what, sizeof what, "the class chosen by %.64s", e->result->strategies[s].name);
        status = check_steps(e, block, block->paths[s], what, err);
    }
    for (int32_t i = 0; status == SP_OK && i < e->options.n_scorers; i++) {
        char what[96];
        if (!block->scorers)
            return sp_fail(err, SP_EINVAL, "scorers were announced, but a block has none");
        snprintf(what, sizeof what, "the label of %.64s", e->result->scorers->names[i]);
        status = check_steps(e, block, block->scorers[i], what, err);
    }
    if (status == SP_OK && e->result->n_subjects && !block->subject)
        return sp_fail(err, SP_EINVAL, "subjects were announced, but a block has none");
    for (int64_t n = 0; status == SP_OK && e->result->n_subjects && n < block->n_recordings; n++)
        if (block->subject[n] < 0 || block->subject[n] >= e->result->n_subjects)
            status =
                sp_fail(err, SP_EINVAL, "subject %d, but %d subjects were announced", block->subject[n], e->result->n_subjects);
    return status;
}

sp_status sp_add_transitions(sp_evaluation *e, const sp_recording *r, const int32_t *path, sp_transition_walk *walk,
                             sp_transition_counts *counts, sp_tally *illegal, sp_error *err)
{
    int64_t before = counts->illegal;
    sp_transitions_walk(e->chain, walk, r->n_steps, path, r->segments, counts, NULL, e->scratch.flags);
    if (r->rest == 0)
        sp_transitions_end(e->chain, walk, counts);
    for (int64_t t = r->before ? 0 : 1; counts->illegal > before && t < r->n_steps; t++)
        if (e->scratch.flags[t] && !sp_tally_add(illegal, (int64_t)path[t - 1] * e->K + path[t], 1))
            return sp_fail(err, SP_ENOMEM, "no memory to count forbidden transitions");
    return SP_OK;
}

static void counts_add(sp_transition_counts *sum, const sp_transition_counts *c)
{
    sum->transitions += c->transitions;
    sum->changes += c->changes;
    sum->illegal += c->illegal;
    sum->illegal_start += c->illegal_start;
    sum->illegal_end += c->illegal_end;
    sum->short_runs += c->short_runs;
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
    if (isfinite(decoded->score))
        e->sums[strategy].score_sum += decoded->score;
    else
        e->sums[strategy].has_impossible = true;
}

static sp_status add_path(sp_evaluation *e, int32_t strategy, const sp_recording *r, const sp_decoded *decoded,
                          const int32_t *path, const int32_t *baseline, sp_error *err)
{
    sp_strategy_result *s = &e->result->strategies[strategy];
    sp_track *track = &e->tracks[strategy];
    sp_recording_result *row = &track->result;
    sp_status status = sp_add_transitions(e, r, path, &track->transitions, &row->counts, &e->sums[strategy].illegal, err);
    if (status == SP_OK)
        status = sp_count_transitions(e, r, path, &s->transition_counts, &e->sums[strategy].transition_counts, err);
    if (status != SP_OK)
        return status;
    if (r->labels)
        sp_add_agreement(e, strategy, r, path, baseline);
    else
        row->accuracy = row->kappa = value_undefined("no scored steps");
    if (e->tags && r->labels)
        sp_add_entities(e, strategy, r, path);
    if (baseline && r->labels && strategy != e->argmax)
        status = sp_add_error_runs(e, strategy, r, path, baseline, err);
    if (status == SP_OK)
        status = sp_add_segments(e, strategy, r, path, err);
    if (status != SP_OK || r->rest > 0)
        return status;
    row->decoded = *decoded;
    add_result(e, strategy, decoded);
    counts_add(&s->counts, &row->counts);
    s->recordings_with_illegal += row->counts.illegal > 0;
    s->recordings[r->index] = *row;
    return SP_OK;
}

static sp_status add_reference(sp_evaluation *e, const sp_recording *r, int64_t *scored, sp_error *err)
{
    for (int64_t t = 0; t < r->n_steps; t++)
        *scored += r->labels[t] >= 0;
    memset(e->scratch.right, 0, (size_t)r->n_steps * sizeof *e->scratch.right);
    sp_find_contexts(e, r);
    sp_comparison *c = e->result;
    sp_track *track = &e->reference;
    if (r->first == 0)
        track->illegal_before = c->reference.illegal;
    sp_status status = sp_add_transitions(e, r, r->labels, &track->transitions, &c->reference, &e->reference_illegal, err);
    if (status == SP_OK)
        status = sp_count_transitions(e, r, r->labels, &c->reference_transition_counts, &e->reference_transition_pairs, err);
    if (status == SP_OK && c->bridge_unscored)
        status = sp_add_bridged(e, r, err);
    int64_t illegal = c->reference.illegal - track->illegal_before;
    if (r->rest == 0 && illegal > c->reference_frequencies.worst_illegal) {
        c->reference_frequencies.worst_illegal = illegal;
        c->reference_frequencies.worst_recording = r->index;
    }
    return status != SP_OK ? status : sp_add_reference_segments(e, r, err);
}

/* The steps of a strategy: what is in the block, or nothing where the recording was not decoded. */
static const int32_t *path_of(const sp_evaluation *e, const sp_evaluation_block *block, int32_t strategy, int64_t n)
{
    return block->results[strategy][n].status == SP_OK ? block->paths[strategy] + block->offsets[n] : e->scratch.nothing;
}

static void *copy_of(const void *from, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);
    if (copy && bytes)
        memcpy(copy, from, bytes);
    return copy;
}

/* What the chosen classes give up against the best of each step. */
static void add_regret(sp_evaluation *e, const sp_recording *r, const sp_scores *scores, const int32_t *const *paths)
{
    sp_find_best(scores, e->scratch.best);
    sp_add_ties(e->result, scores, e->scratch.best, r->labels);
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        e->result->strategies[s].has_regret = true;
        sp_add_regret(&e->result->strategies[s], scores, e->scratch.best, paths[s]);
    }
}

void sp_begin_recording(sp_evaluation *e)
{
    sp_runs_clear(&e->reference.runs);
    e->reference = (sp_track){.runs = e->reference.runs};
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        sp_track *track = &e->tracks[s];
        sp_runs_clear(&track->runs);
        *track = (sp_track){.runs = track->runs, .row = track->row, .column = track->column};
    }
}

sp_status sp_add_piece(sp_evaluation *e, const sp_recording *r, const sp_views *views, int64_t *scored, sp_error *err)
{
    const int32_t *baseline = e->argmax >= 0 ? views->paths[e->argmax] : NULL;
    sp_recording whole = *r;
    whole.labels = r->whole;
    sp_status status = sp_evaluation_reserve_steps(e, r->n_steps, err);
    if (status == SP_OK && r->labels)
        status = add_reference(e, r, scored, err);
    if (status == SP_OK)
        sp_add_sleep_reference(e, &whole);
    for (int32_t s = 0; status == SP_OK && s < e->result->n_strategies; s++) {
        status = add_path(e, s, r, views->results[s], views->paths[s], baseline, err);
        sp_add_sleep(e, s, &whole, views->paths[s], views->results[s]->status == SP_OK);
    }
    if (status == SP_OK && r->rest > 0)
        sp_drop_reference_runs(e);
    if (status == SP_OK)
        sp_add_scorers(e, &whole, views->scorers, views->paths);
    if (status == SP_OK && views->scores)
        add_regret(e, r, views->scores, views->paths);
    if (status == SP_OK && r->labels)
        sp_add_crossed(e, r, views->paths);
    if (status == SP_OK)
        status = sp_add_margins(e, r, views->paths, err);
    if (status == SP_OK)
        status = sp_add_trace(e, r, views, err);
    if (status == SP_OK && r->labels)
        sp_add_discordance(e, r);
    return status;
}

sp_status sp_end_recording(sp_evaluation *e, const sp_recording *r, const char *id, int64_t scored, int32_t subject,
                           sp_error *err)
{
    sp_comparison *c = e->result;
    char name[32];
    snprintf(name, sizeof name, "%" PRId64, r->index);
    id = id ? id : name;
    c->ids[r->index] = copy_of(id, strlen(id) + 1);
    if (!c->ids[r->index])
        return sp_fail(err, SP_ENOMEM, "no memory for the names of recordings");
    int64_t T = r->first + r->n_steps + r->rest;
    c->steps[r->index] = T;
    if (c->n_subjects)
        c->subject_of[r->index] = subject;
    c->scored_steps[r->index] = scored;
    c->n_recordings++;
    c->n_steps += T;
    c->n_scored_steps += scored;
    return SP_OK;
}

void sp_add_cut(sp_comparison *c, int64_t recording, int64_t of_path, int64_t of_labels)
{
    if (!c->has_length_trim)
        return;
    c->cut_path_steps[recording] = of_path;
    c->cut_label_steps[recording] = of_labels;
    c->n_cut_path_steps += of_path;
    c->n_cut_label_steps += of_labels;
    c->n_cut_recordings += of_path + of_labels > 0;
}

static sp_status add_recording(sp_evaluation *e, const sp_evaluation_block *block, int64_t n, sp_error *err)
{
    sp_comparison *c = e->result;
    int64_t first = block->offsets[n], scored = 0;
    sp_recording r = {.index = c->n_recordings,
                      .n_steps = block->offsets[n + 1] - first,
                      .labels = e->options.has_labels ? block->labels + first : NULL,
                      .segments = block->segments ? block->segments + first : NULL};
    r.whole = r.labels;
    if (r.labels && c->has_wake_trim) {
        int32_t *kept = e->scratch.kept + first;
        c->trimmed_steps[r.index] = sp_wake_trim(r.n_steps, e->stage_of_class, e->wake_margin, kept);
        c->n_trimmed_steps += c->trimmed_steps[r.index];
        r.labels = kept;
    }
    sp_status status = sp_evaluation_reserve_steps(e, r.n_steps, err);
    if (status != SP_OK)
        return status;
    const int32_t *paths[SP_EVALUATION_MAX_STRATEGIES], *scorers[SP_MAX_SCORERS];
    const sp_decoded *results[SP_EVALUATION_MAX_STRATEGIES];
    for (int32_t s = 0; s < c->n_strategies; s++) {
        paths[s] = path_of(e, block, s, n);
        results[s] = &block->results[s][n];
    }
    for (int32_t i = 0; i < e->options.n_scorers; i++)
        scorers[i] = block->scorers[i] + first;
    sp_scores scores;
    if (block->scores) {
        sp_batch batch = {.scores = *block->scores, .n_recordings = block->n_recordings, .offsets = block->offsets};
        scores = sp_batch_recording(&batch, n);
    }
    sp_views views = {paths, results, block->scores ? &scores : NULL, scorers};
    sp_begin_recording(e);
    sp_add_cut(c, r.index, block->cut_path_steps ? block->cut_path_steps[n] : 0,
               block->cut_label_steps ? block->cut_label_steps[n] : 0);
    status = sp_add_piece(e, &r, &views, &scored, err);
    return status == SP_OK
               ? sp_end_recording(e, &r, block->ids ? block->ids[n] : NULL, scored, c->n_subjects ? block->subject[n] : 0, err)
               : status;
}

/* A copy of the block's labels, of which each recording's are trimmed when it is added. */
static sp_status keep_labels(sp_evaluation *e, const sp_evaluation_block *block, sp_evaluation_block *kept, sp_error *err)
{
    int64_t n = block->offsets[block->n_recordings];
    if (n + 1 > e->scratch.kept_capacity) {
        bool is_whole = true;
        e->scratch.kept = sp_grown(e->scratch.kept, n + 1, sizeof *e->scratch.kept, &is_whole);
        if (!is_whole)
            return sp_fail(err, SP_ENOMEM, "no memory for the labels of %" PRId64 " steps", n);
        e->scratch.kept_capacity = n + 1;
    }
    memcpy(e->scratch.kept, block->labels, (size_t)n * sizeof *e->scratch.kept);
    kept->labels = e->scratch.kept;
    return SP_OK;
}

sp_status sp_evaluation_add(sp_evaluation *e, const sp_evaluation_block *block, sp_workers *workers, sp_error *err)
{
    sp_status status =
        e->at_hand ? sp_fail(err, SP_EINVAL, "a recording is still being evaluated in pieces") : check_block(e, block, err);
    e->workers = workers;
    if (status == SP_OK)
        status = sp_evaluation_reserve_recordings(e, block->n_recordings, err);
    sp_evaluation_block kept = *block; /* what counts for agreement */
    if (status == SP_OK && e->result->has_wake_trim)
        status = keep_labels(e, block, &kept, err);
    for (int64_t n = 0; status == SP_OK && n < block->n_recordings; n++)
        status = add_recording(e, block, n, err);
    for (int32_t s = 0; status == SP_OK && block->seconds && s < e->result->n_strategies; s++)
        e->result->strategies[s].seconds += block->seconds[s];
    if (status == SP_OK && e->options.has_labels && e->options.with_ceiling)
        status = sp_add_ceiling(e, &kept, workers, err);
    return status;
}
