#include "decode/verify.h"

#include "core/owned.h"
#include "decode/recording.h"
#include "decode/walk/reach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statepath/decode.h"

/* The state that begins with each class; false where two do. */
static bool put_first(sp_verifier *v, const sp_chain *chain)
{
    for (int32_t k = 0; k < chain->n_classes; k++) {
        int32_t n = 0;
        v->first[k] = (uint8_t)chain->class_first[k];
        for (int32_t j = chain->class_first[k]; j < chain->class_first[k + 1]; j++)
            if (chain->start[j] > -INFINITY) {
                v->first[k] = (uint8_t)j;
                n++;
            }
        if (n > 1)
            return false;
    }
    return true;
}

bool sp_path_is_allowed(const uint32_t *follows, const int32_t *path, int64_t n)
{
    uint32_t is_legal = 1, all = 0;
    for (int64_t t = 1; t < n; t++) {
        const uint32_t from = (uint32_t)path[t - 1], k = (uint32_t)path[t];
        is_legal &= follows[from % SP_VERIFY_CLASSES] >> k % 32;
        all |= k;
    }
    return is_legal && all < SP_VERIFY_CLASSES;
}

void sp_verifier_init(sp_verifier *v, const sp_chain *chain)
{
    const size_t n_pairs = (size_t)chain->n_states * SP_VERIFY_CLASSES;
    v->chain = chain;
    v->has_table =
        chain->n_states <= SP_VERIFY_STATES && chain->n_classes <= SP_VERIFY_CLASSES && put_first(v, chain);
    v->has_weights = false;
    v->is_allowed = sp_path_is_allowed;
    if (!v->has_table)
        return;
    for (size_t i = 0; i < n_pairs; i++)
        v->weight[i] = -INFINITY;
    memset(v->to, 0, n_pairs);
    memset(v->follows, 0, sizeof v->follows);
    for (int32_t i = 0; i < chain->n_states; i++)
        for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1]; s++) {
            const int32_t k = chain->state_class[chain->succ[s]];
            const size_t pair = (size_t)i * SP_VERIFY_CLASSES + (size_t)k;
            v->has_table &= v->weight[pair] == -INFINITY;
            v->to[pair] = (uint8_t)chain->succ[s];
            v->weight[pair] = chain->succ_weight[s];
            v->has_weights |= chain->succ_weight[s] != 0;
            if (chain->is_plain)
                v->follows[i] |= UINT32_C(1) << k;
        }
}

bool sp_classes_tell_states(const sp_chain *chain)
{
    sp_verifier verifier;
    sp_verifier_init(&verifier, chain);
    return verifier.has_table;
}

double sp_verify_tolerance(int64_t n_steps, double value)
{
    return 1e-9 * ((double)n_steps + fabs(value));
}

static bool is_close(int64_t n_steps, double sum, double value)
{
    if (isinf(
            value)) /* a sum that leaves the range of a double upwards; one that leaves it downwards may be a forbidden path */
        return sum == value && value > 0;
    return fabs(sum - value) <= sp_verify_tolerance(n_steps, value); /* false for NaN */
}

/* ---- the sum by a table ---- */

/* Sums are made side by side, so that no addition waits for the one before it. What is the same for all steps is a constant where
 * this is called. */
#define SUM_OF_STEPS(sum, first, n, TERM)                                                                    \
    {                                                                                                        \
        double sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0;                                                   \
        int64_t t = first;                                                                                   \
        for (; t + 4 <= (n); t += 4) {                                                                       \
            TERM(t, sum_0)                                                                                   \
            TERM(t + 1, sum_1)                                                                               \
            TERM(t + 2, sum_2)                                                                               \
            TERM(t + 3, sum_3)                                                                               \
        }                                                                                                    \
        for (; t < (n); t++)                                                                                 \
            TERM(t, sum_0)                                                                                   \
        sum = (sum_0 + sum_1) + (sum_2 + sum_3);                                                             \
    }

/* The weights of the transitions into steps 1 .. n-1, from the state of step 0 on, which becomes that of the last. -INFINITY:
 * one is forbidden; NaN: a class is out of range. */
static inline double sum_weights(const sp_verifier *v, bool has_segments, bool is_plain,
                                 const int64_t *segments, const int32_t *path, int64_t n, uint32_t *state)
{
    const uint32_t K = (uint32_t)v->chain->n_classes;
    uint32_t from = *state;
    double sum;
#define ADD_WEIGHT(at, to_sum)                                                                               \
    {                                                                                                        \
        const uint32_t k = (uint32_t)path[at], pair = from * SP_VERIFY_CLASSES + k;                          \
        if (k >= K)                                                                                          \
            return NAN;                                                                                      \
        if (!(has_segments && segments[at] != segments[(at)-1]))                                             \
            to_sum += v->weight[pair];                                                                       \
        from = is_plain ? k : v->to[pair];                                                                   \
    }
    SUM_OF_STEPS(sum, 1, n, ADD_WEIGHT)
    *state = from;
    return sum;
}

/* The same, by the kind of the chain. Where no transition weighs anything, it is only asked whether all are allowed. */
static double sum_transitions(const sp_verifier *v, const int64_t *segments, const int32_t *path, int64_t n,
                              uint32_t *state)
{
    if (!v->chain->is_plain)
        return sum_weights(v, false, false, NULL, path, n, state);
    if (segments)
        return sum_weights(v, true, true, segments, path, n, state);
    if (v->has_weights)
        return sum_weights(v, false, true, NULL, path, n, state);
    *state = (uint32_t)path[n - 1];
    return v->is_allowed(v->follows, path, n) ? 0 : -INFINITY;
}

/* The scores of n steps of classes 0..K-1. */
static inline double sum_scores(sp_dtype dtype, int32_t n_classes, const void *rows, const int32_t *path,
                                int64_t n)
{
    const size_t K = (size_t)n_classes;
    double sum;
#define ADD_SCORE(at, to_sum)                                                                                \
    {                                                                                                        \
        const size_t item = (size_t)(at)*K + (uint32_t)path[at];                                             \
        to_sum += dtype == SP_F32 ? (double)((const float *)rows)[item] : ((const double *)rows)[item];      \
    }
    SUM_OF_STEPS(sum, 0, n, ADD_SCORE)
    return sum;
}

/* Steps first .. last-1, first > 0, from the state of the step before on, which becomes that of the last. NaN or -INFINITY as
 * above: then no score is looked at. In blocks whose path stays in the cache between the first reading and the second. */
static double sum_steps(const sp_verifier *v, const sp_scores *scores, const int32_t *path, int64_t first,
                        int64_t last, uint32_t *state)
{
    enum { BLOCK = 2048 };
    const int32_t K = scores->n_classes;
    double sum = 0;
    for (int64_t t = first; t < last; t += BLOCK) {
        const int64_t n = last - t < BLOCK ? last - t : BLOCK;
        const int64_t *segments = scores->segments ? scores->segments + t - 1 : NULL;
        const char *rows = (const char *)scores->data + (size_t)t * (size_t)K * (size_t)scores->dtype;
        sum += sum_transitions(v, segments, path + t - 1, n + 1, state);
        if (!(sum > -INFINITY))
            return sum;
        sum += scores->dtype == SP_F32 ? sum_scores(SP_F32, K, rows, path + t, n)
                                       : sum_scores(SP_F64, K, rows, path + t, n);
    }
    return sum;
}

/* After a gap any state of several may begin. */
static bool has_sum_by_table(const sp_verifier *v, const sp_scores *scores)
{
    return v->has_table && (v->chain->is_plain || !scores->segments);
}

static bool is_class(const sp_verifier *v, int32_t k)
{
    return k >= 0 && k < v->chain->n_classes;
}

/* NaN where a class is out of range. */
static double sum_by_table(const sp_verifier *v, const sp_scores *scores, const int32_t *path)
{
    const sp_chain *chain = v->chain;
    if (!is_class(v, path[0]) || chain->class_first[path[0]] == chain->class_first[path[0] + 1])
        return NAN;
    uint32_t state = v->first[path[0]];
    const double first = chain->start[state] + sp_scores_at(scores, 0, path[0]),
                 others = sum_steps(v, scores, path, 1, scores->n_steps, &state);
    return others > -INFINITY ? first + others + chain->end[state] : others;
}

static inline double score_in_order(const sp_verifier *v, sp_dtype dtype, const sp_scores *scores,
                                    const int32_t *path)
{
    const uint32_t K = (uint32_t)scores->n_classes;
    uint32_t state = v->first[path[0]];
    double score = v->chain->start[state] + sp_scores_at(scores, 0, path[0]);
    for (int64_t t = 1; t < scores->n_steps; t++) {
        const size_t at = (size_t)t * K + (uint32_t)path[t],
                     pair = state * SP_VERIFY_CLASSES + (uint32_t)path[t];
        const double e =
            dtype == SP_F32 ? (double)((const float *)scores->data)[at] : ((const double *)scores->data)[at];
        score = (score + v->weight[pair]) + e;
        if (score == -INFINITY) /* whatever follows */
            return score;
        state = v->to[pair];
    }
    return score + v->chain->end[state];
}

double sp_verifier_score(const sp_verifier *v, const sp_scores *scores, const int32_t *path)
{
    if (scores->n_steps == 0)
        return 0;
    if (v->chain->class_first[path[0]] == v->chain->class_first[path[0] + 1]) /* nothing emits it */
        return -INFINITY;
    return scores->dtype == SP_F32 ? score_in_order(v, SP_F32, scores, path)
                                   : score_in_order(v, SP_F64, scores, path);
}

/* ---- legality, where the sum does not tell ---- */

/* Does a state path that the chain allows emit these classes, each of a score above -INFINITY? No sum is made, so none overflows.
 */
static sp_status find_legal(const sp_chain *c, const sp_scores *scores, const int32_t *path, bool *is_legal,
                            sp_error *err)
{
    const size_t M = (size_t)c->n_states, K = (size_t)c->n_classes;
    sp_owned own = {0};
    uint8_t *now = sp_zeros(&own, M, 1), *next = sp_zeros(&own, M, 1);
    double *e = sp_zeros(&own, K, sizeof *e); /* of a step, but for the class of the path -INFINITY */
    sp_status status = sp_owned_status(&own, err);
    for (size_t k = 0; status == SP_OK && k < K; k++)
        e[k] = -INFINITY;
    *is_legal = true;
    for (int64_t t = 0; status == SP_OK && *is_legal && t < scores->n_steps; t++) {
        *is_legal = path[t] >= 0 && path[t] < c->n_classes;
        if (!*is_legal)
            break;
        e[path[t]] = sp_scores_at(scores, t, path[t]);
        *is_legal = sp_reach_step(c, sp_scores_reach(scores, t), e, now, next);
        e[path[t]] = -INFINITY;
        uint8_t *before = now;
        now = next;
        next = before;
    }
    if (status == SP_OK && *is_legal && scores->n_steps > 0) {
        *is_legal = false;
        for (size_t j = 0; j < M; j++)
            *is_legal |= now[j] && c->end[j] > -INFINITY;
    }
    sp_owned_free(&own);
    return status;
}

sp_status sp_verify_legal(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double score,
                          sp_error *err)
{
    if (score > -INFINITY)
        return SP_OK;
    bool is_legal = false;
    sp_status status = find_legal(chain, scores, path, &is_legal, err);
    return status != SP_OK || is_legal ? status : sp_decode_bug(NAN, score, err);
}

/* ---- one path ---- */

sp_status sp_verify(const sp_verifier *v, const sp_scores *scores, const int32_t *path, double value,
                    sp_error *err)
{
    if (scores->n_steps == 0)
        return value == 0 ? SP_OK : sp_decode_bug(value, 0, err);
    if (has_sum_by_table(v, scores) && is_close(scores->n_steps, sum_by_table(v, scores, path), value))
        return SP_OK;
    /* In the order of the recurrence, where large numbers that cancel round alike. */
    double sum = -INFINITY;
    sp_status status = sp_path_score(v->chain, scores, path, &sum, err);
    if (status == SP_ENOMEM)
        return status;
    if (status == SP_OK && is_close(scores->n_steps, sum, value))
        return SP_OK;
    if (status == SP_OK && sum == -INFINITY && value == -INFINITY)
        return sp_verify_legal(v->chain, scores, path, sum, err);
    return sp_decode_bug(value, sum, err);
}

sp_status sp_verify_path(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double value,
                         sp_error *err)
{
    sp_verifier verifier;
    sp_verifier_init(&verifier, chain);
    return sp_verify(&verifier, scores, path, value, err);
}

sp_status sp_verify_state_path(const sp_chain *chain, const sp_scores *scores, const int32_t *path,
                               double value, sp_error *err)
{
    sp_status status = sp_verify_path(chain, scores, path, value, err);
    if (status != SP_EBUG || chain->is_plain)
        return status;
    double sum = -INFINITY;
    status = sp_path_score(chain, scores, path, &sum, NULL);
    if (status == SP_ENOMEM)
        return sp_no_memory(err);
    return sum >= value && sum < INFINITY ? SP_OK : sp_decode_bug(value, sum, err);
}

sp_status sp_verify_by_walk(sp_path_walk *walk, const sp_scores *scores, const int32_t *path, double value,
                            sp_error *err)
{
    walk->has_begun = false;
    sp_path_walk_add(walk, scores, path);
    double sum = sp_path_walk_end(walk);
    return is_close(scores->n_steps, sum, value) ? SP_OK : sp_decode_bug(value, sum, err);
}

sp_status sp_decode_bug(double recurrence, double along_path, sp_error *err)
{
    if (isnan(recurrence))
        sp_fail(err, SP_EBUG,
                "the path that was found breaks the model's rules: this is a bug of statepath; the path is "
                "withheld");
    else
        sp_fail(err, SP_EBUG,
                "the path that was found adds up to %.17g, but the recurrence that found it says %.17g: this "
                "is a bug of statepath; "
                "the path is withheld",
                along_path, recurrence);
    if (err) {
        err->recurrence = recurrence;
        err->along_path = along_path;
    }
    return SP_EBUG;
}

void sp_decode_withhold(const sp_error *bug, sp_decoded *result, int32_t *path, int64_t n)
{
    *result = (sp_decoded){.status = SP_EBUG,
                           .step = -1,
                           .score = -INFINITY,
                           .recurrence = bug->recurrence,
                           .along_path = bug->along_path};
    for (int64_t t = 0; t < n; t++)
        path[t] = -1;
}
