/* What a path got right, what it changed against argmax, how far its errors run on, and what it gives up against the scores. */
#include "evaluate/evaluation.h"

#include "core/best_class.h"
#include "core/numbers.h"
#include "evaluate/evaluate.h"
#include "evaluate/figures.h"
#include "evaluate/value.h"
#include "statepath/comparison.h"

#include <math.h>

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

static void add_change(sp_changes *changes, bool is_same, bool was_right, bool is_right)
{
    if (is_same)
        changes->same++;
    else if (is_right)
        changes->fixed++;
    else if (was_right)
        changes->worsened++;
    else
        changes->wrong_to_wrong++;
}

void sp_add_agreement(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path,
                      const int32_t *baseline)
{
    sp_recording_result *result = &e->tracks[strategy].result;
    sp_strategy_result *s = &e->result->strategies[strategy];
    sp_evaluation_scratch *scratch = &e->scratch;
    uint64_t bit = UINT64_C(1) << strategy;
    size_t K = (size_t)e->K;
    for (int64_t t = 0; t < r->n_steps; t++) {
        int32_t label = r->labels[t], chosen = path[t];
        if (label < 0)
            continue;
        bool is_right = chosen == label;
        if (chosen < 0)
            s->undecoded_steps[label]++;
        else
            s->confusion[(size_t)label * K + (size_t)chosen]++;
        result->scored++;
        if (is_right) {
            result->correct++;
            s->context_correct[scratch->context[t]]++;
            scratch->right[t] |= bit;
        }
        if (baseline) {
            bool is_same = chosen == baseline[t], was_right = baseline[t] == label;
            add_change(&s->changes, is_same, was_right, is_right);
            add_change(&s->class_changes[label], is_same, was_right, is_right);
            add_change(&s->context_changes[scratch->context[t]], is_same, was_right, is_right);
        }
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
    int64_t first = -1; /* of the run at hand; -1: there is none */
    for (int64_t t = 0; t < r->n_steps; t++) {
        bool differs = path[t] >= 0 && argmax[t] >= 0 && path[t] != argmax[t];
        if (first >= 0 && (!differs || !sp_is_joined(r, t))) {
            sp_status status = end_run(runs, lengths, r, first, t, err);
            if (status != SP_OK)
                return status;
            first = -1;
        }
        if (!differs || argmax[t] != r->labels[t])
            continue;
        runs->worsened++;
        if (first < 0) {
            first = t;
            runs->forbidden += was_forbidden(e, r, path, t);
        }
    }
    return first >= 0 ? end_run(runs, lengths, r, first, r->n_steps, err) : SP_OK;
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
