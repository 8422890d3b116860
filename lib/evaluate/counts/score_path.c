/* What a path got right, what it changed against argmax, how far its errors run on, and what it gives up against the scores. */
#include "evaluate/evaluation.h"

#include "core/best_class.h"
#include "core/numbers.h"
#include "evaluate/evaluate.h"
#include "evaluate/figures.h"
#include "evaluate/value.h"
#include "statepath/comparison.h"

#include <math.h>
#include <string.h>

/* ---- agreement, contexts, changes ---- */

static const char *const context_names[SP_N_CONTEXTS] = {"AAA", "AAX", "XAA", "XAX"};

const char *sp_context_name(sp_context context)
{
    return (unsigned)context < SP_N_CONTEXTS ? context_names[context] : "unknown";
}

/* Does the label of a scored step, not the first, differ from that of the step before, if both are of one
 * segment and scored? */
static bool is_turn(const sp_recording *r, int64_t t)
{
    if (t >= r->n_steps)
        return false;
    const int32_t before = r->labels[t - 1], label = r->labels[t];
    return (before >= 0) & (label >= 0) & (label != before) & sp_is_joined(r, t);
}

/* The contexts of the steps of a stretch of one label: all but the first and the last are inside a run. */
typedef struct contexts {
    sp_context of[3];
    int64_t n[3];
} contexts;

/* *turns: the stretch begins with a turn; then whether the next does. */
static contexts contexts_of(const sp_recording *r, const sp_stretch *at, bool *turns)
{
    const int64_t n = at->end - at->first, is_long = n > 1;
    const int before = *turns ? SP_CONTEXT_XAA : SP_CONTEXT_AAA,
              after = (*turns = is_turn(r, at->end)) ? SP_CONTEXT_AAX : SP_CONTEXT_AAA;
    return (contexts){
        .of = {(sp_context)(is_long ? before : before + after), (sp_context)after, SP_CONTEXT_AAA},
        .n = {1, is_long, n - 1 - is_long}};
}

/* What a step is: right or not, and against the baseline the same, mended, broken or wrong in another way. */
enum { SAME, FIXED, WORSENED, WRONG_TO_WRONG, N_KINDS = 2 * (WRONG_TO_WRONG + 1) };

static int kind_of(int32_t label, int32_t chosen, int32_t baseline)
{
    static const int changes[2][2] = {{WRONG_TO_WRONG, WORSENED}, {FIXED, FIXED}};
    const int is_right = chosen == label, was_right = baseline == label;
    return 2 * (chosen == baseline ? SAME : changes[is_right][was_right]) + is_right;
}

static int64_t *change_in(sp_changes *changes, int kind)
{
    const int change = kind / 2;
    return change == SAME       ? &changes->same
           : change == FIXED    ? &changes->fixed
           : change == WORSENED ? &changes->worsened
                                : &changes->wrong_to_wrong;
}

/* kinds: steps of each; has_changes: there is a baseline. */
static void add_kinds(sp_strategy_result *s, const int64_t kinds[SP_N_CONTEXTS][N_KINDS], bool has_changes,
                      sp_recording_result *result)
{
    for (int c = 0; c < SP_N_CONTEXTS; c++)
        for (int kind = 0; kind < N_KINDS; kind++) {
            const int64_t n = kinds[c][kind];
            result->scored += n;
            result->correct += kind % 2 ? n : 0;
            s->context_steps[c] += n;
            s->context_correct[c] += kind % 2 ? n : 0;
            if (has_changes) {
                *change_in(&s->context_changes[c], kind) += n;
                *change_in(&s->changes, kind) += n;
            }
        }
}

void sp_add_agreement(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path,
                      const int32_t *baseline)
{
    sp_recording_result *result = &e->tracks[strategy].result;
    sp_strategy_result *s = &e->result->strategies[strategy];
    int64_t kinds[SP_N_CONTEXTS][N_KINDS] = {{0}};
    const int32_t margin = e->K * (1 + 2 * strategy);
    bool turns = false;
    sp_stretch at = sp_walk(r, r->labels, path);
    while (sp_stretch_next(&at)) {
        const int32_t label = r->labels[at.first], chosen = path[at.first];
        const int64_t n = at.end - at.first;
        const contexts c = contexts_of(r, &at, &turns);
        if (label < 0)
            continue;
        if (chosen < 0) {
            s->undecoded_steps[label] += n;
        } else {
            s->confusion[(size_t)label * (size_t)e->K + (size_t)chosen] += n;
            sp_margins_count(&e->margins, margin + e->K + chosen, n);
        }
        if (chosen == label)
            sp_margins_count(&e->margins, margin + label, n);
        const int kind = kind_of(label, chosen, baseline ? baseline[at.first] : chosen);
        for (int i = 0; i < 3; i++)
            kinds[c.of[i]][kind] += c.n[i];
        if (baseline)
            *change_in(&s->class_changes[label], kind) += n;
    }
    add_kinds(s, kinds, baseline != NULL, result);
    result->accuracy = value_ratio((double)result->correct, (double)result->scored, "no scored steps");
}

/* ---- how far an error runs on that a strategy makes against argmax ---- */

/* Did the rules forbid the right class at step t, given what the strategy chose before it? */
static bool was_forbidden(const sp_evaluation *e, const sp_recording *r, const int32_t *path, int64_t t)
{
    if (t == 0)
        return !sp_chain_is_legal_start(e->chain, r->labels[0]);
    return sp_is_joined(r, t) && path[t - 1] >= 0 && !sp_chain_is_legal(e->chain, path[t - 1], r->labels[t]);
}

static sp_status end_run(sp_error_runs *runs, sp_tally *lengths, const sp_recording *r, int64_t first,
                         int64_t end, sp_error *err)
{
    if (end - first > runs->longest) {
        runs->longest = end - first;
        runs->longest_recording = r->index;
        runs->longest_step = first;
    }
    return sp_tally_add(lengths, sp_run_key(1, 0, end - first), 1) ? SP_OK : sp_no_memory(err);
}

/* A stretch is where path and argmax differ, step by step; its run goes from its first broken step to its end. */
sp_status sp_add_error_runs(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path,
                            const int32_t *argmax, sp_error *err)
{
    sp_error_runs *runs = &e->result->strategies[strategy].error_runs;
    sp_tally *lengths = &e->sums[strategy].error_lengths;
    int64_t begun = -1; /* the first broken step of the stretch at hand; -1: there is none */
    sp_status status = SP_OK;
    sp_stretch at = sp_walk(r, path, argmax);
    while (status == SP_OK && sp_stretch_next(&at)) {
        const int64_t t = at.first;
        const bool differs = path[t] >= 0 && argmax[t] >= 0 && path[t] != argmax[t];
        if (begun >= 0 && (!differs || !at.is_joined)) {
            status = end_run(runs, lengths, r, begun, t, err);
            begun = -1;
        }
        if (!differs || argmax[t] != r->labels[t])
            continue;
        runs->worsened += at.end - t;
        if (begun < 0) {
            begun = t;
            runs->forbidden += was_forbidden(e, r, path, t);
        }
    }
    return status == SP_OK && begun >= 0 ? end_run(runs, lengths, r, begun, r->n_steps, err) : status;
}

sp_status sp_error_runs_finish(sp_evaluation *e, int32_t strategy, sp_error *err)
{
    sp_comparison *c = e->result;
    sp_error_runs *runs = &c->strategies[strategy].error_runs;
    if (!c->strategies[strategy].has_changes || strategy == c->strategies[strategy].argmax)
        return SP_OK;
    sp_status status = sp_class_runs_fill(1, &e->sums[strategy].error_lengths, NULL, &runs->runs, err);
    if (status != SP_OK)
        return status;
    runs->consequences = runs->worsened - runs->runs->count;
    runs->consequence_share =
        value_ratio((double)runs->consequences, (double)runs->worsened, "no step broken");
    for (int64_t i = 0; i < c->n_recordings; i++)
        runs->dead_ends += c->strategies[strategy].recordings[i].decoded.status == SP_EDEADEND;
    return SP_OK;
}

static void find_best(const sp_scores *scores, double *best)
{
    for (int64_t t = 0; t < scores->n_steps; t++) {
        double most = -INFINITY;
        for (int32_t k = 0; k < scores->n_classes; k++) { /* not fmax(): gcc 12 for aarch64 fails over it */
            double score = sp_scores_at(scores, t, k);
            most = score > most ? score : most;
        }
        best[t] = most;
    }
}

/* Of the scores as the classifier gave them, from which argmax chooses. */
static void add_ties(sp_comparison *comparison, const sp_scores *scores, double *row, const int32_t *labels)
{
    comparison->has_ties = true;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        int32_t n = 0;
        sp_score_row(scores, t, row);
        sp_best_class(scores, t, row, &n);
        comparison->tie_steps += n > 1;
        comparison->tie_scored_steps += n > 1 && labels && labels[t] >= 0;
    }
}

static void add_strategy(sp_strategy_result *s, sp_exact_sum *sum, const sp_scores *scores,
                         const double *best, const int32_t *path)
{
    for (int64_t t = 0; t < scores->n_steps; t++) {
        if (path[t] < 0)
            continue;
        double chosen = sp_scores_at(scores, t, path[t]);
        if (isinf(chosen)) {
            s->zero_steps++;
            continue;
        }
        s->regret_steps++;
        sp_exact_add(sum, best[t] - chosen);
    }
}

void sp_add_regret(sp_evaluation *e, const sp_recording *r, const sp_views *views)
{
    if (!views->scores)
        return;
    for (int32_t i = 0; i <= (views->against ? e->result->n_against : 0); i++) {
        const sp_scores *scores = i ? &views->against[i - 1] : views->scores;
        find_best(scores, e->scratch.best);
        if (i == 0)
            add_ties(e->result, scores, e->scratch.row, r->labels);
        for (int32_t s = 0; s < e->result->n_strategies; s++) {
            if (e->result->strategies[s].classifier != i)
                continue;
            e->result->strategies[s].has_regret = true;
            add_strategy(&e->result->strategies[s], &e->sums[s].regret_sum, scores, e->scratch.best,
                         views->paths[s]);
        }
    }
}

void sp_regret_finish(sp_strategy_result *s, const sp_exact_sum *sum)
{
    s->regret_sum = sp_exact_value(sum);
    s->regret = value_ratio(s->regret_sum, (double)s->regret_steps,
                            s->has_regret ? "no step of finite score" : "no scores");
}
