/* What a path got right, what it changed against argmax, how far its errors run on, and what it gives up against the scores. */
#include "evaluate/evaluation.h"

#include "core/best_class.h"
#include "core/numbers.h"
#include "evaluate/counts/stretches.h"
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

void sp_find_contexts(sp_evaluation *e, const sp_recording *r)
{
    const int32_t *label = r->labels;
    int64_t T = r->n_steps;
    bool differs = false;
    for (int64_t t = 0; t < T; t++) { /* differs: from the step before */
        bool is_last = t + 1 == T || !sp_is_joined(r, t + 1);
        bool next_differs = !is_last && label[t] >= 0 && label[t + 1] >= 0 && label[t] != label[t + 1];
        e->scratch.context[t] = (uint8_t)(2 * differs + next_differs);
        e->context_steps[e->scratch.context[t]] += label[t] >= 0;
        differs = next_differs;
    }
}

/* What a step became against the baseline. */
static int64_t *change_in(sp_changes *changes, bool is_same, bool was_right, bool is_right)
{
    return is_same     ? &changes->same
           : is_right  ? &changes->fixed
           : was_right ? &changes->worsened
                       : &changes->wrong_to_wrong;
}

/* A stretch of one label and one class: its steps between the first and the last have neighbours of the
 * same label. */
static void add_contexts(sp_strategy_result *s, const uint8_t *context, const sp_stretch *at,
                         const int32_t *baseline, int32_t label, int32_t chosen)
{
    const int64_t n = at->end - at->first, of[] = {1, n > 1, n > 2 ? n - 2 : 0};
    const uint8_t which[] = {context[at->first], context[at->end - 1], SP_CONTEXT_AAA};
    for (int i = 0; i < 3; i++) {
        s->context_correct[which[i]] += chosen == label ? of[i] : 0;
        if (baseline)
            *change_in(&s->context_changes[which[i]], chosen == baseline[at->first],
                       baseline[at->first] == label, chosen == label) += of[i];
    }
}

void sp_add_agreement(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path,
                      const int32_t *baseline)
{
    sp_recording_result *result = &e->tracks[strategy].result;
    sp_strategy_result *s = &e->result->strategies[strategy];
    uint64_t *right = e->scratch.right;
    for (int64_t t = 0; t < r->n_steps; t++)
        right[t] |= (uint64_t)(path[t] == r->labels[t] && path[t] >= 0) << strategy;
    sp_stretch at = {
        .n_steps = r->n_steps, .n_sides = baseline ? 3 : 2, .sides = {r->labels, path, baseline}};
    while (sp_stretch_next(&at)) {
        const int32_t label = r->labels[at.first], chosen = path[at.first];
        const int64_t n = at.end - at.first;
        if (label < 0)
            continue;
        const bool is_right = chosen == label;
        if (chosen < 0)
            s->undecoded_steps[label] += n;
        else
            s->confusion[(size_t)label * (size_t)e->K + (size_t)chosen] += n;
        result->scored += n;
        result->correct += is_right ? n : 0;
        add_contexts(s, e->scratch.context, &at, baseline, label, chosen);
        if (!baseline)
            continue;
        const bool is_same = chosen == baseline[at.first], was_right = baseline[at.first] == label;
        *change_in(&s->changes, is_same, was_right, is_right) += n;
        *change_in(&s->class_changes[label], is_same, was_right, is_right) += n;
    }
    result->accuracy = value_ratio((double)result->correct, (double)result->scored, "no scored steps");
}

/* Most steps are right for all strategies or for none; only the others are looked at pair by pair. */
void sp_add_mcnemar_counts(sp_evaluation *e, const sp_recording *r)
{
    int32_t n = e->result->n_strategies;
    uint64_t all = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    for (int64_t t = 0; t < r->n_steps; t++) {
        uint64_t right = e->scratch.right[t];
        double count = __builtin_popcountll(right);
        e->right_sum += count;
        e->right_squares += count * count;
        if (right == 0 || right == all)
            continue;
        for (int32_t p = 0; p < e->n_pairs; p++) {
            uint64_t a = right >> e->pairs[p][0] & 1, b = right >> e->pairs[p][1] & 1;
            e->mcnemar_counts[p][0] += (int64_t)(a & ~b);
            e->mcnemar_counts[p][1] += (int64_t)(b & ~a);
        }
    }
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
    return sp_tally_add(lengths, sp_run_key(0, end - first), 1) ? SP_OK : sp_no_memory(err);
}

/* A stretch is where path and argmax differ, step by step; its run goes from its first broken step to its end. */
sp_status sp_add_error_runs(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path,
                            const int32_t *argmax, sp_error *err)
{
    sp_error_runs *runs = &e->result->strategies[strategy].error_runs;
    sp_tally *lengths = &e->sums[strategy].error_lengths;
    int64_t begun = -1; /* the first broken step of the stretch at hand; -1: there is none */
    sp_status status = SP_OK;
    sp_stretch at = {
        .n_steps = r->n_steps, .segments = r->segments, .n_sides = 3, .sides = {path, argmax, r->labels}};
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
