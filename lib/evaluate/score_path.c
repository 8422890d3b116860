/* What a path got right: confusion, changes against argmax, contexts, the recording's own accuracy. */
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

static const char *const context_names[SP_N_CONTEXTS] = {"AAA", "AAX", "XAA", "XAX"};

const char *sp_context_name(sp_context context)
{
    return (unsigned)context < SP_N_CONTEXTS ? context_names[context] : "unknown";
}

void sp_find_contexts(sp_evaluation *e, const sp_recording *r)
{
    const int32_t *label = r->labels;
    int64_t T = r->n_steps;
    bool differs = r->before && sp_is_joined(r, 0) && label[-1] >= 0 && label[0] >= 0 && label[-1] != label[0];
    for (int64_t t = 0; t < T; t++) { /* differs: from the step before */
        bool is_last = t + 1 == T + r->after || !sp_is_joined(r, t + 1);
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

void sp_add_agreement(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path, const int32_t *baseline)
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
    if (r->rest == 0)
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
