/* The accumulation: what is checked, what memory there is, in which order a recording's counts are taken. */
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

sp_evaluation_options sp_evaluation_options_default(void)
{
    return (sp_evaluation_options){.with_ceiling = true, .has_path_scores = true, .bootstrap = sp_bootstrap_options_default()};
}

/* calloc that never asks for nothing, so that NULL always means lack of memory. */
static void *zeros(int64_t n, size_t size)
{
    return calloc((size_t)(n > 0 ? n : 1), size);
}

/* ---- made and freed ---- */

static void scratch_free(sp_evaluation_scratch *s)
{
    free(s->nothing ? s->nothing - SP_AROUND : NULL);
    free(s->path ? s->path - SP_AROUND : NULL);
    free(s->flags ? s->flags - SP_AROUND : NULL);
    free(s->context);
    free(s->right);
    free(s->spans);
    free(s->reference_spans);
    free(s->best);
    free(s->kept);
}

static void tracks_free(sp_evaluation *e)
{
    free(e->reference.runs.classes);
    for (int32_t s = 0; e->tracks && s < e->options.n_strategies; s++) {
        free(e->tracks[s].runs.classes);
        free(e->tracks[s].row);
        free(e->tracks[s].column);
    }
    free(e->tracks);
}

void sp_evaluation_free(sp_evaluation *e)
{
    if (!e)
        return;
    for (int32_t s = 0; e->sums && s < e->options.n_strategies; s++) {
        sp_tally_free(&e->sums[s].illegal);
        sp_tally_free(&e->sums[s].moves);
        sp_tally_free(&e->sums[s].bouts);
        sp_tally_free(&e->sums[s].error_lengths);
    }
    free(e->sums);
    sp_tally_free(&e->reference_illegal);
    sp_tally_free(&e->reference_bouts);
    sp_tally_free(&e->reference_move_pairs);
    free(e->tags);
    free(e->pairs);
    free(e->stage_of_class);
    sp_scorer_sums_free(e->scorers);
    free(e->only);
    free(e->crossed);
    sp_margins_free(&e->margins);
    scratch_free(&e->scratch);
    tracks_free(e);
    sp_long_evaluation_free(e->at_hand);
    sp_comparison_free(e->result);
    free(e);
}

static sp_status check_options(const sp_chain *chain, const sp_chain *rules, const sp_evaluation_options *options, sp_error *err)
{
    int32_t K = sp_chain_n_classes(chain);
    if (K > SP_EVALUATION_MAX_CLASSES)
        return sp_fail(
            err, SP_EINVAL,
            "evaluation holds a matrix of all pairs of classes and takes at most %d of them, not %d; decoding alone has "
            "no such limit",
            SP_EVALUATION_MAX_CLASSES, K);
    if (options->n_strategies < 0 || options->n_strategies > SP_EVALUATION_MAX_STRATEGIES)
        return sp_fail(err, SP_EINVAL, "%d strategies: at most %d can be compared at once", options->n_strategies,
                       SP_EVALUATION_MAX_STRATEGIES);
    if (options->with_ceiling && options->has_labels && (!rules || sp_chain_n_classes(rules) != K))
        return sp_fail(err, SP_EINVAL, "the mask ceiling needs the rules of the same %d classes", K);
    if (options->has_margin && !(options->margin >= 0 && isfinite(options->margin)))
        return sp_fail(err, SP_EINVAL, "margin %g: how much worse is still no harm, 0 or more, such as 0.01", options->margin);
    if (options->has_wake_trim && !(options->stage_of_class && options->has_labels))
        return sp_fail(err, SP_EINVAL, "wake can only be trimmed where labels say which steps are sleep");
    if (options->has_wake_trim && !(options->wake_trim_minutes >= 0 && options->wake_trim_minutes < 1e9))
        return sp_fail(err, SP_EINVAL, "%g minutes of wake: how much is kept on each side of sleep, 0 or more, such as 30",
                       options->wake_trim_minutes);
    if (options->bridge_unscored && !options->has_labels)
        return sp_fail(err, SP_EINVAL, "unscored steps can only be bridged where there are labels");
    if (!(options->epoch_seconds >= 0 && isfinite(options->epoch_seconds)))
        return sp_fail(err, SP_EINVAL, "steps of %g seconds: the length of a step is above 0, or 0 where it is not known",
                       options->epoch_seconds);
    return sp_bootstrap_options_check(&options->bootstrap, err);
}

/* Names, matrices; the result is freed by the caller when this fails. */
static sp_status strategy_open(sp_strategy_result *s, const char *name, bool is_legal, int32_t K, bool has_labels, sp_error *err)
{
    s->name = malloc(strlen(name) + 1);
    if (s->name)
        strcpy(s->name, name);
    s->is_legal_by_construction = is_legal;
    s->has_agreement = has_labels;
    if (has_labels) {
        s->confusion = zeros((int64_t)K * K, sizeof *s->confusion);
        s->classes = zeros(K, sizeof *s->classes);
        s->undecoded_steps = zeros(K, sizeof *s->undecoded_steps);
        s->class_changes = zeros(K, sizeof *s->class_changes);
    }
    if (!s->name || (has_labels && !(s->confusion && s->classes && s->undecoded_steps && s->class_changes)))
        return sp_fail(err, SP_ENOMEM, "no memory to evaluate %s over %d classes", name, K);
    return SP_OK;
}

static char *text_copy(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static sp_status subjects_open(sp_comparison *c, const sp_evaluation_options *options, sp_error *err)
{
    int32_t n = options->n_subjects;
    if (n <= 0)
        return SP_OK;
    c->subjects = zeros(n, sizeof *c->subjects);
    bool is_whole = c->subjects != NULL;
    c->n_subjects = is_whole ? n : 0;
    for (int32_t i = 0; is_whole && i < n; i++)
        is_whole = (c->subjects[i] = text_copy(options->subjects[i])) != NULL;
    if (is_whole && options->subjects_place)
        is_whole = (c->subjects_place = text_copy(options->subjects_place)) != NULL;
    return is_whole ? SP_OK : sp_fail(err, SP_ENOMEM, "no memory for the names of %d subjects", n);
}

static sp_status evaluation_open(sp_evaluation *e, const sp_evaluation_options *options, sp_error *err)
{
    int32_t n = options->n_strategies;
    e->result = calloc(1, sizeof *e->result);
    e->sums = zeros(n, sizeof *e->sums);
    e->tracks = zeros(n, sizeof *e->tracks);
    bool is_whole = e->result && e->sums && e->tracks;
    for (int32_t s = 0; is_whole && options->has_labels && s < n; s++) {
        e->tracks[s].row = zeros(e->K, sizeof *e->tracks[s].row);
        e->tracks[s].column = zeros(e->K, sizeof *e->tracks[s].column);
        is_whole = e->tracks[s].row && e->tracks[s].column;
    }
    if (!is_whole)
        return sp_fail(err, SP_ENOMEM, "no memory for an evaluation");
    sp_comparison *c = e->result;
    c->n_classes = e->K;
    c->has_labels = options->has_labels;
    c->seed = options->bootstrap.seed;
    c->level = options->bootstrap.level;
    c->kappa_weights = options->kappa_weights;
    c->absent_class = options->absent_class;
    c->zeros = options->zeros;
    c->interval = options->bootstrap.interval;
    c->has_margin = options->has_margin;
    c->margin = options->margin;
    c->has_wake_trim = options->has_wake_trim;
    c->wake_trim_minutes = options->wake_trim_minutes;
    c->bridge_unscored = options->bridge_unscored;
    c->has_length_trim = options->has_length_trim;
    c->epoch_seconds = options->epoch_seconds;
    c->epoch_is_assumed = options->epoch_is_assumed;
    c->reference_frequencies.worst_recording = -1;
    if (options->has_wake_trim)
        e->wake_margin = sp_wake_trim_steps(options->wake_trim_minutes, options->epoch_seconds);
    c->strategies = zeros(n, sizeof *c->strategies);
    if (!c->strategies)
        return sp_fail(err, SP_ENOMEM, "no memory for an evaluation");
    c->n_strategies = n;
    for (int32_t s = 0; s < n; s++) {
        sp_status status = strategy_open(&c->strategies[s], options->names[s], options->is_legal && options->is_legal[s], e->K,
                                         options->has_labels, err);
        if (status != SP_OK)
            return status;
        if (strcmp(options->names[s], "argmax") == 0)
            e->argmax = s;
    }
    for (int32_t s = 0; s < n; s++)
        c->strategies[s].has_changes = options->has_labels && e->argmax >= 0;
    sp_status status = options->has_labels ? sp_tags_find(e, options->classes, err) : SP_OK;
    if (status == SP_OK)
        status = sp_sleep_open(e, options, err);
    if (status == SP_OK)
        status = sp_scorers_open(e, options, err);
    if (status == SP_OK)
        status = subjects_open(c, options, err);
    if (status == SP_OK)
        status = sp_collapsed_open(e, options, err);
    return status != SP_OK ? status : sp_pairs_choose(e, err);
}

sp_status sp_evaluation_new(const sp_chain *chain, const sp_chain *rules, const sp_evaluation_options *options,
                            sp_evaluation **out, sp_error *err)
{
    sp_status status = check_options(chain, rules, options, err);
    if (status != SP_OK)
        return status;
    sp_evaluation *e = calloc(1, sizeof *e);
    if (!e)
        return sp_fail(err, SP_ENOMEM, "no memory for an evaluation");
    e->chain = chain;
    e->rules = rules;
    e->options = *options;
    e->options.names = NULL;
    e->options.is_legal = NULL;
    e->options.classes = NULL;
    e->options.stage_of_class = NULL;
    e->options.scorers = NULL;
    e->options.subjects = NULL;
    e->options.collapses = NULL;
    e->options.subjects_place = NULL;
    e->K = sp_chain_n_classes(chain);
    e->argmax = -1;
    status = evaluation_open(e, options, err);
    if (status != SP_OK) {
        sp_evaluation_free(e);
        return status;
    }
    *out = e;
    return SP_OK;
}

/* ---- room ---- */

/* `old` with room for n items of `size`, or `old` itself and *is_whole false on lack of memory. */
static void *grown(void *old, int64_t n, size_t size, bool *is_whole)
{
    void *bigger = *is_whole ? realloc(old, (size_t)n * size) : NULL;
    if (!bigger)
        *is_whole = false;
    return bigger ? bigger : old;
}

/* As grown(), of memory that begins SP_AROUND items before `old` (NULL: there is none) and goes on as many after n. */
static void *grown_around(void *old, int64_t n, size_t size, bool *is_whole)
{
    const size_t around = SP_AROUND * size;
    void *bigger = *is_whole ? realloc(old ? (char *)old - around : NULL, (size_t)(n + 2 * SP_AROUND) * size) : NULL;
    if (!bigger)
        *is_whole = false;
    return bigger ? (char *)bigger + around : old;
}

sp_status sp_evaluation_reserve_steps(sp_evaluation *e, int64_t n, sp_error *err)
{
    sp_evaluation_scratch *s = &e->scratch;
    n = n > 0 ? n : 1;
    if (n <= s->capacity)
        return SP_OK;
    bool is_whole = true;
    s->nothing = grown_around(s->nothing, n, sizeof *s->nothing, &is_whole);
    s->path = grown_around(s->path, n, sizeof *s->path, &is_whole);
    s->flags = grown_around(s->flags, n, sizeof *s->flags, &is_whole);
    s->context = grown(s->context, n, sizeof *s->context, &is_whole);
    s->right = grown(s->right, n, sizeof *s->right, &is_whole);
    if (e->tags) {
        s->spans = grown(s->spans, n + 1, sizeof *s->spans, &is_whole);
        s->reference_spans = grown(s->reference_spans, n + 1, sizeof *s->reference_spans, &is_whole);
    }
    s->best = grown(s->best, n, sizeof *s->best, &is_whole);
    if (!is_whole)
        return sp_fail(err, SP_ENOMEM, "no memory to evaluate a recording of %" PRId64 " steps", n);
    for (int64_t t = -SP_AROUND; t < n + SP_AROUND; t++)
        s->nothing[t] = -1;
    s->capacity = n;
    return SP_OK;
}

sp_status sp_evaluation_reserve_recordings(sp_evaluation *e, int64_t more, sp_error *err)
{
    sp_comparison *c = e->result;
    int64_t n = c->n_recordings + more;
    if (n <= e->capacity)
        return SP_OK;
    n = n < 2 * e->capacity ? 2 * e->capacity : n;
    bool is_whole = true;
    c->ids = grown(c->ids, n, sizeof *c->ids, &is_whole);
    c->steps = grown(c->steps, n, sizeof *c->steps, &is_whole);
    c->scored_steps = grown(c->scored_steps, n, sizeof *c->scored_steps, &is_whole);
    if (c->n_subjects)
        c->subject_of = grown(c->subject_of, n, sizeof *c->subject_of, &is_whole);
    if (c->has_wake_trim)
        c->trimmed_steps = grown(c->trimmed_steps, n, sizeof *c->trimmed_steps, &is_whole);
    if (c->has_length_trim) {
        c->cut_path_steps = grown(c->cut_path_steps, n, sizeof *c->cut_path_steps, &is_whole);
        c->cut_label_steps = grown(c->cut_label_steps, n, sizeof *c->cut_label_steps, &is_whole);
    }
    for (int32_t s = 0; s < c->n_strategies; s++)
        c->strategies[s].recordings = grown(c->strategies[s].recordings, n, sizeof *c->strategies[s].recordings, &is_whole);
    if (!is_whole)
        return sp_fail(err, SP_ENOMEM, "no memory to evaluate %" PRId64 " recordings", n);
    sp_status status = sp_sleep_reserve(e, n, err);
    if (status == SP_OK)
        e->capacity = n;
    return status;
}

/* ---- a block ---- */

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
        status = sp_add_moves(e, r, path, &s->moves, &e->sums[strategy].moves, err);
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
        status = sp_add_moves(e, r, r->labels, &c->reference_moves, &e->reference_move_pairs, err);
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

/* Room for the steps of a recording; *is_whole false on lack of memory. */
static void open_trace(sp_evaluation *e, const sp_recording *r, bool has_scores, bool *is_whole)
{
    sp_comparison *c = e->result;
    int64_t T = r->first + r->n_steps + r->rest;
    c->traces = grown(c->traces, c->n_traces + 1, sizeof *c->traces, is_whole);
    if (!*is_whole)
        return;
    sp_trace *trace = &c->traces[c->n_traces++];
    *trace = (sp_trace){.recording = r->index, .n_steps = T};
    trace->paths = zeros(c->n_strategies, sizeof *trace->paths);
    trace->labels = r->labels ? zeros(T, sizeof *trace->labels) : NULL;
    trace->segments = r->segments ? zeros(T, sizeof *trace->segments) : NULL;
    *is_whole = trace->paths && (trace->labels || !r->labels) && (trace->segments || !r->segments);
    for (int32_t s = 0; *is_whole && s < c->n_strategies; s++) {
        trace->paths[s] = zeros(T, sizeof **trace->paths);
        *is_whole = trace->paths[s] != NULL;
    }
    if (*is_whole && has_scores && e->K <= SP_DENSITY_CLASSES) {
        trace->density = zeros(T * e->K, sizeof *trace->density);
        *is_whole = trace->density != NULL;
    }
}

/* Keeps the recording's steps, as long as all recordings so far fit. */
static sp_status add_trace(sp_evaluation *e, const sp_recording *r, const sp_views *views, sp_error *err)
{
    sp_comparison *c = e->result;
    int64_t T = r->first + r->n_steps + r->rest, n_before = c->n_traces - (r->first > 0);
    if (e->options.trace_steps <= 0 || n_before != r->index || c->n_steps + T > e->options.trace_steps)
        return SP_OK;
    bool is_whole = true;
    if (r->first == 0)
        open_trace(e, r, views->scores != NULL, &is_whole);
    if (!is_whole)
        return sp_fail(err, SP_ENOMEM, "no memory to keep a recording's steps for pictures");
    sp_trace *trace = &c->traces[r->index];
    const size_t at = (size_t)r->first, n = (size_t)r->n_steps;
    if (n == 0)
        return SP_OK;
    if (trace->labels)
        memcpy(trace->labels + at, r->whole, n * sizeof *r->whole);
    if (trace->segments)
        memcpy(trace->segments + at, r->segments, n * sizeof *r->segments);
    for (int32_t s = 0; s < c->n_strategies; s++)
        memcpy(trace->paths[s] + at, views->paths[s], n * sizeof **trace->paths);
    if (trace->density)
        sp_density_fill(views->scores, trace->density + at * (size_t)e->K);
    return SP_OK;
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
        status = add_trace(e, r, views, err);
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
        e->scratch.kept = grown(e->scratch.kept, n + 1, sizeof *e->scratch.kept, &is_whole);
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
