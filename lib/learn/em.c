/* Baum-Welch on transitions and starts.
 *
 *     E   expected uses of each transition and start given the scores, by forward-backward over all recordings
 *     M   P(j|i) = uses of i -> j / uses of i -> any,  start likewise; a row never used stays as it is
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "decode/workers.h"
#include "learn/crf_pass.h"
#include "learn/probabilities.h"
#include "statepath/fit.h"

enum { MOST_CHUNKS = 64 };

typedef struct em {
    const sp_rules *rules;
    sp_pieces pieces;
    double *e; /* [S,K] */
    sp_factors factors;
    double *transition, *start; /* probabilities */
    int64_t n_chunks, size;
    double *sums;      /* [n_chunks,size] */
    uint8_t *has_path; /* [pieces] */
    atomic_bool no_memory;
} em;

static void expect_chunks(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    em *w = arg;
    for (int64_t c = first; c < last; c++) {
        sp_expected sum = sp_expected_over(w->sums + c * w->size, w->factors.n_classes, w->factors.n_positions);
        for (int64_t p = c * w->pieces.n / w->n_chunks; p < (c + 1) * w->pieces.n / w->n_chunks; p++) {
            if (!w->has_path[p])
                continue;
            double before = *sum.log_z;
            if (!sp_crf_pass(&w->factors, w->e, &w->pieces.list[p], true, scratch, &sum)) {
                w->no_memory = true;
                return;
            }
            if (*sum.log_z == -INFINITY) { /* no allowed path: nothing to learn from, now or later */
                *sum.log_z = before;
                w->has_path[p] = 0;
            }
        }
    }
}

/* Probabilities to factors. */
static void set_factors(em *w)
{
    int32_t K = w->factors.n_classes, D = w->factors.n_positions;
    for (int32_t k = 0; k < K; k++) {
        w->factors.start[k] = log(w->start[k]);
        w->factors.end[k] = w->rules->end[k] ? 0 : -INFINITY;
        for (int32_t i = 0; i < D; i++)
            w->factors.stay[k * D + i] = log(w->transition[k * K + k]);
        for (int32_t j = 0; j < K; j++)
            w->factors.exit[k * K + j] = j == k ? -INFINITY : log(w->transition[k * K + j]);
    }
    sp_factors_prepare(&w->factors);
}

/* E step; returns the log likelihood in *value. */
static sp_status expect(em *w, sp_workers *workers, double *value, sp_error *err)
{
    set_factors(w);
    memset(w->sums, 0, (size_t)(w->n_chunks * w->size) * sizeof *w->sums);
    sp_workers_share(workers, w->n_chunks, expect_chunks, w);
    if (w->no_memory)
        return sp_fail(err, SP_ENOMEM, "no memory for forward-backward over the longest recording");
    for (int64_t c = 1; c < w->n_chunks; c++)
        for (int64_t i = 0; i < w->size; i++)
            w->sums[i] += w->sums[c * w->size + i];
    *value = w->sums[0];
    return SP_OK;
}

/* M step. Inside a dwell staying has no alternative, and its weight multiplies all paths alike only where dwells are 1; uses
 * inside dwells count as staying, as the weights of the model do. */
static void maximise(em *w)
{
    int32_t K = w->factors.n_classes, D = w->factors.n_positions;
    sp_expected sum = sp_expected_over(w->sums, K, D);
    double n_starts = 0;
    for (int32_t i = 0; i < K; i++) {
        double *row = w->transition + (size_t)i * (size_t)K, all = 0;
        const double *uses = sum.exit + (size_t)i * (size_t)K;
        double stays = 0;
        for (int32_t p = 0; p < D; p++)
            stays += sum.stay[i * D + p];
        for (int32_t j = 0; j < K; j++)
            all += j == i ? stays : uses[j];
        for (int32_t j = 0; all > 0 && j < K; j++)
            row[j] = (j == i ? stays : uses[j]) / all;
        n_starts += sum.start[i];
    }
    for (int32_t k = 0; n_starts > 0 && k < K; k++)
        w->start[k] = sum.start[k] / n_starts;
}

static sp_status prepare(em *w, const sp_training *training, const sp_rules *rules, sp_error *err)
{
    size_t K = (size_t)rules->n_classes, S = (size_t)training->batch.scores.n_steps;
    int32_t D = 1;
    for (size_t k = 0; k < K; k++)
        D = rules->dwell[k] > D ? rules->dwell[k] : D;
    w->rules = rules;
    sp_status status = sp_pieces_unlabelled(&w->pieces, training, err);
    if (status == SP_OK)
        status = sp_factors_init(&w->factors, (int32_t)K, D, err);
    if (status != SP_OK)
        return status;
    w->factors.dwell = rules->dwell;
    w->factors.dwell_at_end = rules->dwell_at_end;
    w->factors.is_even = true;
    w->n_chunks = w->pieces.n < MOST_CHUNKS ? w->pieces.n : MOST_CHUNKS;
    w->size = sp_expected_size((int32_t)K, D);
    w->e = malloc((S * K + 1) * sizeof *w->e);
    w->transition = malloc((K * K + K) * sizeof *w->transition);
    w->sums = malloc((size_t)(w->n_chunks * w->size + 1) * sizeof *w->sums);
    w->has_path = malloc((size_t)w->pieces.n + 1);
    if (!w->e || !w->transition || !w->sums || !w->has_path)
        return sp_fail(err, SP_ENOMEM, "no memory for %zu steps of %zu classes", S, K);
    w->start = w->transition + K * K;
    memset(w->has_path, 1, (size_t)w->pieces.n + 1);
    for (size_t t = 0; t < S; t++)
        for (size_t k = 0; k < K; k++)
            w->e[t * K + k] = sp_scores_at(&training->batch.scores, (int64_t)t, (int32_t)k);
    for (size_t i = 0; i < K; i++) { /* equal shares, 0.9 for staying where it may */
        double *row = w->transition + i * K, n_others = 0;
        for (size_t j = 0; j < K; j++) {
            row[j] = rules->allow[i * K + j] != 0;
            n_others += j != i && row[j] > 0;
        }
        double stay = n_others == 0 ? 1 : 0.9, leave = row[i] > 0 ? 0.1 : 1;
        for (size_t j = 0; j < K; j++)
            row[j] *= j == i ? stay : n_others > 0 ? leave / n_others : 0;
        w->start[i] = 0;
    }
    double *zeros = w->sums;
    memset(zeros, 0, K * sizeof *zeros * (w->n_chunks > 0));
    if (w->n_chunks > 0)
        sp_smooth((int32_t)K, zeros, rules->start, 1, w->start);
    return SP_OK;
}

static bool any_path(const em *w)
{
    for (int64_t p = 0; p < w->pieces.n; p++)
        if (w->has_path[p])
            return true;
    return false;
}

sp_status sp_model_from_em(const sp_training *training, const sp_rules *rules, int most_iterations, double precision,
                           sp_workers *workers, const char *name, sp_model **out, double *log_likelihood, int *n_iterations,
                           sp_error *err)
{
    if (!training->batch.scores.data)
        return sp_fail(err, SP_EINVAL, "EM learns from scores, and there are none; learn from labels with `method` counts");
    em w = {0};
    sp_status status = prepare(&w, training, rules, err);
    double value = 0, before;
    int n = 0;
    if (status == SP_OK && w.n_chunks > 0)
        status = expect(&w, workers, &value, err);
    if (status == SP_OK && !any_path(&w))
        status = sp_fail(err, SP_EINVAL,
                         "no recording has an allowed path, so there is nothing to learn from; look at the rules "
                         "with statepath compare");
    if (status == SP_OK && log_likelihood)
        log_likelihood[0] = value;
    for (bool goes_on = true; status == SP_OK && goes_on && n < most_iterations; n++) {
        before = value;
        maximise(&w);
        status = expect(&w, workers, &value, err);
        if (status == SP_OK && log_likelihood)
            log_likelihood[n + 1] = value;
        goes_on = value - before > precision * fabs(value);
    }
    if (status == SP_OK)
        status = sp_model_of_probabilities(rules, name, training->classes, w.transition, w.start, NULL, out, err);
    if (status == SP_OK && n_iterations)
        *n_iterations = n;
    sp_factors_clear(&w.factors);
    sp_pieces_clear(&w.pieces);
    free(w.e);
    free(w.transition);
    free(w.sums);
    free(w.has_path);
    return status;
}
