/* An evaluation's life: what it is told, and what memory it has. adding.c fills it. */
#include "core/try.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/statistics/intervals.h"
#include "evaluate/work.h"

#include <math.h>
#include <string.h>

sp_evaluation_options sp_evaluation_options_default(void)
{
    return (sp_evaluation_options){
        .with_ceiling = true, .has_path_scores = true, .bootstrap = sp_bootstrap_options_default()};
}

/* ---- made and freed ---- */

static void scratch_free(sp_evaluation_scratch *s)
{
    free(s->nothing);
    free(s->cut);
    free(s->flags);
    free(s->spans);
    free(s->reference_spans);
    free(s->best);
    free(s->row);
    free(s->kept);
}

void sp_evaluation_free(sp_evaluation *e)
{
    if (!e)
        return;
    for (int32_t s = 0; e->sums && s < e->options.n_strategies; s++) {
        sp_tally_free(&e->sums[s].transitions);
        sp_tally_free(&e->sums[s].class_runs);
        sp_tally_free(&e->sums[s].error_lengths);
    }
    sp_broken_runs_free(e);
    sp_tally_free(&e->reference_runs);
    sp_tally_free(&e->reference_transitions);
    free(e->reference.runs.classes);
    for (int32_t s = 0; e->tracks && s < e->options.n_strategies; s++)
        free(e->tracks[s].runs.classes);
    sp_margins_free(&e->margins);
    sp_count_rows_free(&e->sequence_rows);
    scratch_free(&e->scratch);
    sp_comparison_free(e->result);
    sp_owned_free(&e->own);
    free(e);
}

static sp_status check_options(const sp_chain *chain, const sp_chain *rules,
                               const sp_evaluation_options *options, sp_error *err)
{
    int32_t K = sp_chain_n_classes(chain);
    if (K > SP_EVALUATION_MAX_CLASSES)
        return sp_fail(err, SP_EINVAL,
                       "evaluation holds a matrix of all pairs of classes and takes at most %d of them, not "
                       "%d; decoding alone has "
                       "no such limit",
                       SP_EVALUATION_MAX_CLASSES, K);
    if (options->n_strategies < 0 || options->n_strategies > SP_EVALUATION_MAX_STRATEGIES)
        return sp_fail(err, SP_EINVAL, "%d strategies: at most %d can be compared at once",
                       options->n_strategies, SP_EVALUATION_MAX_STRATEGIES);
    if (options->n_against < 0 || options->n_against > SP_MOST_AGAINST)
        return sp_fail(err, SP_EINVAL, "%d other classifiers: at most %d can be compared at once",
                       options->n_against, SP_MOST_AGAINST);
    if (options->with_ceiling && options->has_labels && (!rules || sp_chain_n_classes(rules) != K))
        return sp_fail(err, SP_EINVAL, "the mask ceiling needs the rules of the same %d classes", K);
    if (options->has_margin && !(options->margin >= 0 && isfinite(options->margin)))
        return sp_fail(err, SP_EINVAL, "margin %g: how much worse is still no harm, 0 or more, such as 0.01",
                       options->margin);
    if (options->has_wake_trim && !(options->stage_of_class && options->has_labels))
        return sp_fail(err, SP_EINVAL, "wake can only be trimmed where labels say which steps are sleep");
    if (options->has_wake_trim && !(options->wake_trim_minutes >= 0 && options->wake_trim_minutes < 1e9))
        return sp_fail(err, SP_EINVAL,
                       "%g minutes of wake: how much is kept on each side of sleep, 0 or more, such as 30",
                       options->wake_trim_minutes);
    if (!(options->epoch_seconds >= 0 && isfinite(options->epoch_seconds)))
        return sp_fail(err, SP_EINVAL,
                       "steps of %g seconds: the length of a step is above 0, or 0 where it is not known",
                       options->epoch_seconds);
    return sp_bootstrap_options_check(&options->bootstrap, err);
}

/* Names, matrices; the result is freed by the caller when this fails. */
static sp_status strategy_open(sp_strategy_result *s, const char *name, bool is_legal, int32_t K,
                               bool has_labels, sp_error *err)
{
    s->name = strdup(name);
    s->is_legal_by_construction = is_legal;
    s->has_agreement = has_labels;
    if (has_labels) {
        s->confusion = sp_calloc((int64_t)K * K, sizeof *s->confusion);
        s->classes = sp_calloc(K, sizeof *s->classes);
        s->undecoded_steps = sp_calloc(K, sizeof *s->undecoded_steps);
        s->class_changes = sp_calloc(K, sizeof *s->class_changes);
    }
    if (!s->name || (has_labels && !(s->confusion && s->classes && s->undecoded_steps && s->class_changes)))
        return sp_no_memory(err);
    return SP_OK;
}

static sp_status subjects_open(sp_comparison *c, const sp_evaluation_options *options, sp_error *err)
{
    int32_t n = options->n_subjects;
    if (n <= 0)
        return SP_OK;
    c->subjects = sp_calloc(n, sizeof *c->subjects);
    bool is_whole = c->subjects != NULL;
    c->n_subjects = is_whole ? n : 0;
    for (int32_t i = 0; is_whole && i < n; i++)
        is_whole = (c->subjects[i] = strdup(options->subjects[i])) != NULL;
    if (is_whole && options->subjects_place)
        is_whole = (c->subjects_place = strdup(options->subjects_place)) != NULL;
    return is_whole ? SP_OK : sp_no_memory(err);
}

/* The classifiers, which strategies are theirs, and where the argmax of each is. */
static sp_status classifiers_open(sp_comparison *c, const sp_evaluation_options *options, sp_error *err)
{
    const int32_t n = options->n_against;
    c->against = sp_calloc(n, sizeof *c->against);
    bool is_whole = c->against != NULL;
    c->n_against = is_whole ? n : 0;
    for (int32_t i = 0; is_whole && i < n; i++)
        is_whole = (c->against[i].name = strdup(options->against[i])) != NULL;
    if (!is_whole)
        return sp_no_memory(err);
    int32_t argmax[SP_MOST_AGAINST + 1];
    for (int32_t i = 0; i <= n; i++)
        argmax[i] = -1;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_strategy_result *strategy = &c->strategies[s];
        strategy->classifier = options->classifiers ? options->classifiers[s] : 0;
        sp_against *of = strategy->classifier ? &c->against[strategy->classifier - 1] : NULL;
        if (strcmp(sp_own_name(strategy->name, of ? of->name : NULL), "argmax") == 0)
            argmax[strategy->classifier] = s;
        if (!of)
            continue;
        of->first = of->n_strategies ? of->first : s;
        of->n_strategies++;
    }
    for (int32_t s = 0; s < c->n_strategies; s++) {
        c->strategies[s].argmax = argmax[c->strategies[s].classifier];
        c->strategies[s].has_changes = options->has_labels && c->strategies[s].argmax >= 0;
    }
    return SP_OK;
}

static sp_status evaluation_open(sp_evaluation *e, const sp_evaluation_options *options, sp_error *err)
{
    int32_t n = options->n_strategies;
    e->result = calloc(1, sizeof *e->result);
    e->sums = sp_zeros(&e->own, (size_t)n, sizeof *e->sums);
    e->tracks = sp_zeros(&e->own, (size_t)n, sizeof *e->tracks);
    if (!e->result || e->own.is_short)
        return sp_no_memory(err);
    sp_comparison *c = e->result;
    c->n_classes = e->K;
    c->has_labels = options->has_labels;
    c->seed = options->bootstrap.seed;
    c->level = options->bootstrap.level;
    c->kappa_weights = options->kappa_weights;
    c->has_margin = options->has_margin;
    c->margin = options->margin;
    c->has_wake_trim = options->has_wake_trim;
    c->wake_trim_minutes = options->wake_trim_minutes;
    c->has_length_trim = options->has_length_trim;
    c->trace_steps = options->trace_steps;
    c->epoch_seconds = options->epoch_seconds;
    c->epoch_is_assumed = options->epoch_is_assumed;
    c->work = options->work;
    c->work_is_guessed = options->work_is_guessed;
    c->words = sp_work_about(options->work)->words;
    c->reference_frequencies.worst_recording = -1;
    if (options->has_wake_trim)
        e->wake_margin = sp_wake_trim_steps(options->wake_trim_minutes, options->epoch_seconds);
    c->strategies = sp_calloc(n, sizeof *c->strategies);
    c->background = options->background ? sp_calloc(e->K, sizeof *c->background) : NULL;
    if (!c->strategies || (options->background && !c->background))
        return sp_no_memory(err);
    if (c->background)
        memcpy(c->background, options->background, (size_t)e->K * sizeof *c->background);
    c->n_strategies = n;
    sp_status status = SP_OK;
    for (int32_t s = 0; s < n; s++)
        TRY(strategy_open(&c->strategies[s], options->names[s], options->is_legal && options->is_legal[s],
                          e->K, options->has_labels, err));
    TRY(classifiers_open(c, options, err));
    TRY(sp_broken_runs_open(e, err));
    TRY(sp_rule_counts_open(e, err));
    if (options->has_labels)
        TRY(sp_tags_find(e, options->classes, options->scheme, err));
    TRY(sp_sleep_open(e, options, err));
    TRY(sp_raters_open(e, options, err));
    TRY(subjects_open(c, options, err));
    TRY(sp_collapsed_open(e, options, err));
    TRY(sp_pairs_choose(e, err));
done:
    return status;
}

sp_status sp_evaluation_new(const sp_chain *chain, const sp_chain *rules,
                            const sp_evaluation_options *options, sp_evaluation **out, sp_error *err)
{
    sp_evaluation *e = NULL;
    sp_status status = SP_OK;
    TRY(check_options(chain, rules, options, err));
    if (!(e = calloc(1, sizeof *e)))
        TRY(sp_no_memory(err));
    e->chain = chain;
    e->rules = rules;
    e->options = *options;
    e->options.names = NULL;
    e->options.is_legal = NULL;
    e->options.against = NULL;
    e->options.classifiers = NULL;
    e->options.classes = NULL;
    e->options.background = NULL;
    e->options.stage_of_class = NULL;
    e->options.raters = NULL;
    e->options.subjects = NULL;
    e->options.collapses = NULL;
    e->options.subjects_place = NULL;
    e->K = sp_chain_n_classes(chain);
    TRY(evaluation_open(e, options, err));
    *out = e;
    e = NULL;
done:
    sp_evaluation_free(e);
    return status;
}

/* ---- room ---- */

sp_status sp_evaluation_reserve_steps(sp_evaluation *e, int64_t n, sp_error *err)
{
    sp_evaluation_scratch *s = &e->scratch;
    n = n > 0 ? n : 1;
    if (n <= s->capacity)
        return SP_OK;
    bool is_whole = true;
    s->nothing = sp_grown(s->nothing, n, sizeof *s->nothing, &is_whole);
    s->cut = sp_grown(s->cut, n, sizeof *s->cut, &is_whole);
    s->flags = sp_grown(s->flags, n, sizeof *s->flags, &is_whole);
    if (e->tags) {
        s->spans = sp_grown(s->spans, n + 1, sizeof *s->spans, &is_whole);
        s->reference_spans = sp_grown(s->reference_spans, n + 1, sizeof *s->reference_spans, &is_whole);
    }
    if (e->result->has_wake_trim)
        s->kept = sp_grown(s->kept, n, sizeof *s->kept, &is_whole);
    s->best = sp_grown(s->best, n, sizeof *s->best, &is_whole);
    s->row = sp_grown(s->row, e->result->n_classes, sizeof *s->row, &is_whole);
    if (!is_whole)
        return sp_no_memory(err);
    for (int64_t t = 0; t < n; t++)
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
    c->ids = sp_grown(c->ids, n, sizeof *c->ids, &is_whole);
    c->steps = sp_grown(c->steps, n, sizeof *c->steps, &is_whole);
    c->scored_steps = sp_grown(c->scored_steps, n, sizeof *c->scored_steps, &is_whole);
    if (c->n_subjects)
        c->subject_of = sp_grown(c->subject_of, n, sizeof *c->subject_of, &is_whole);
    if (c->has_wake_trim)
        c->trimmed_steps = sp_grown(c->trimmed_steps, n, sizeof *c->trimmed_steps, &is_whole);
    if (c->has_length_trim) {
        c->cut_path_steps = sp_grown(c->cut_path_steps, n, sizeof *c->cut_path_steps, &is_whole);
        c->cut_label_steps = sp_grown(c->cut_label_steps, n, sizeof *c->cut_label_steps, &is_whole);
    }
    for (int32_t s = 0; s < c->n_strategies; s++)
        c->strategies[s].recordings =
            sp_grown(c->strategies[s].recordings, n, sizeof *c->strategies[s].recordings, &is_whole);
    sp_sleep_reserve(e, n, &is_whole);
    sp_rule_counts_reserve(e, n, &is_whole);
    if (!is_whole)
        return sp_no_memory(err);
    e->capacity = n;
    return SP_OK;
}
