/* A conditional random field as a function to minimise: its data, its parameters' places, its value and gradient. */
#include "statepath/crf.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "decode/workers.h"
#include "learn/crf_private.h"

/* ---- making ---- */

/* Bins of the positions: 1, 2, 3, 4, then two bins for each doubling. Returns how many. */
static int32_t fill_bins(int32_t D, int32_t *bin)
{
    int32_t n = 0, width = 1, in_width = 0, filled = 0;
    for (int32_t i = 0; i < D; i++) {
        bin[i] = n;
        if (++filled == width || i + 1 == D - 1) { /* the last position stands for all later ones: a bin of its own */
            filled = 0;
            n++;
            if (i >= 3 && ++in_width == 2) {
                in_width = 0;
                width *= 2;
            } else if (i == 3) {
                width = 2;
            }
        }
    }
    return D > 0 ? bin[D - 1] + 1 : 0;
}

/* Hands out places in theta. */
static void place_parameters(sp_crf *crf)
{
    int64_t K = crf->K, n = 1 + K;
    for (int64_t k = 0; k < K; k++) {
        crf->stay[k] = crf->rules.allow[k * K + k] ? n : -1;
        if (crf->stay[k] >= 0)
            n += crf->has_bins ? 1 + crf->n_bins : 1;
    }
    for (int64_t p = 0; p < K * K; p++) {
        bool is_change = p / K != p % K;
        crf->exit[p] = is_change && crf->rules.allow[p] ? n++ : -1;
    }
    for (int64_t k = 0; k < K; k++)
        crf->start[k] = crf->rules.start[k] ? n++ : -1;
    for (int64_t k = 0; k < K; k++)
        crf->end[k] = crf->rules.end[k] ? n++ : -1;
    crf->n = n;
}

/* Scores as doubles, each row less its maximum. */
static void copy_scores(const sp_scores *scores, double *e)
{
    int32_t K = scores->n_classes;
    for (int64_t t = 0; t < scores->n_steps; t++) {
        double greatest = -INFINITY, *row = e + t * K;
        for (int32_t k = 0; k < K; k++) {
            row[k] = sp_scores_at(scores, t, k);
            greatest = row[k] > greatest ? row[k] : greatest;
        }
        for (int32_t k = 0; k < K && greatest > -INFINITY; k++)
            row[k] -= greatest;
    }
}

static sp_status copy_rules(sp_rules *to, const sp_rules *from, sp_error *err)
{
    size_t K = (size_t)from->n_classes;
    sp_status status = sp_rules_init(to, NULL, from->n_classes, NULL, err);
    if (status != SP_OK)
        return status;
    memcpy(to->allow, from->allow, K * K);
    memcpy(to->start, from->start, K);
    memcpy(to->end, from->end, K);
    memcpy(to->dwell, from->dwell, K * sizeof *to->dwell);
    to->dwell_at_end = from->dwell_at_end;
    return SP_OK;
}

static int64_t count_steps(const sp_crf *crf)
{
    int64_t n = 0;
    for (int64_t p = 0; p < crf->pieces.n; p++)
        n += sp_crf_uses(crf, crf->pieces.list[p].recording) ? crf->pieces.list[p].n_steps : 0;
    return n;
}

sp_status sp_crf_new(const sp_training *training, const sp_rules *rules, int32_t memory, sp_crf **out, sp_error *err)
{
    if (!training->batch.scores.data)
        return sp_fail(err, SP_EINVAL,
                       "a conditional random field is learnt from scores and labels, and there are no scores; fit "
                       "the transitions alone with `method` counts");
    if (!training->labels)
        return sp_fail(err, SP_EINVAL, "no labels to learn from; learn transitions from the scores alone with `method` em");
    if (memory < 1)
        return sp_fail(err, SP_EINVAL, "memory %d: a number of steps, at least 1", memory);
    size_t K = (size_t)rules->n_classes;
    sp_crf *crf = calloc(1, sizeof *crf);
    if (!crf)
        return sp_fail(err, SP_ENOMEM, "no memory for a model of %d classes", rules->n_classes);
    crf->training = training;
    crf->K = rules->n_classes;
    crf->D = memory;
    crf->has_bins = memory > 1;
    for (size_t k = 0; k < K; k++)
        crf->D = rules->dwell[k] > crf->D ? rules->dwell[k] : crf->D;
    sp_status status = copy_rules(&crf->rules, rules, err);
    if (status == SP_OK)
        status = sp_pieces_init(&crf->pieces, training, rules, &crf->violations, err);
    if (status == SP_OK && count_steps(crf) == 0)
        status = sp_fail(err, SP_EINVAL,
                         "no labelled step to learn from among %lld recordings%s; learn transitions from the scores alone with "
                         "`method` em",
                         (long long)crf->violations.recordings,
                         crf->violations.impossible ? " (the scores of all labelled classes are -inf)" : "");
    if (status == SP_OK) {
        size_t S = (size_t)training->batch.scores.n_steps;
        crf->e = malloc((S * K + 1) * sizeof *crf->e);
        crf->bin = malloc((size_t)crf->D * sizeof *crf->bin);
        crf->stay = malloc((3 * K + K * K) * sizeof *crf->stay);
        if (crf->e && crf->bin && crf->stay) {
            crf->start = crf->stay + K;
            crf->end = crf->start + K;
            crf->exit = crf->end + K;
            crf->n_bins = fill_bins(crf->D, crf->bin);
            copy_scores(&training->batch.scores, crf->e);
            place_parameters(crf);
        } else {
            status = sp_fail(err, SP_ENOMEM, "no memory for %lld steps of %d classes as float64",
                             (long long)training->batch.scores.n_steps, crf->K);
        }
    }
    if (status == SP_OK)
        *out = crf;
    else
        sp_crf_free(crf);
    return status;
}

void sp_crf_free(sp_crf *crf)
{
    if (!crf)
        return;
    sp_rules_clear(&crf->rules);
    sp_violations_clear(&crf->violations);
    sp_pieces_clear(&crf->pieces);
    free(crf->e);
    free(crf->bin);
    free(crf->stay);
    free(crf);
}

int64_t sp_crf_n_parameters(const sp_crf *crf)
{
    return crf->n;
}

int64_t sp_crf_n_steps(const sp_crf *crf)
{
    return count_steps(crf);
}

const sp_violations *sp_crf_violations(const sp_crf *crf)
{
    return &crf->violations;
}

void sp_crf_use(sp_crf *crf, const uint8_t *use)
{
    crf->use = use;
}

void sp_crf_unpack(const sp_crf *crf, const double *theta, sp_factors *factors)
{
    int64_t K = crf->K, D = crf->D;
    factors->scale = theta[0];
    factors->dwell = crf->rules.dwell;
    factors->dwell_at_end = crf->rules.dwell_at_end;
    factors->is_even = !crf->has_bins;
    for (int64_t k = 0; k < K; k++) {
        factors->bias[k] = theta[1 + k];
        factors->start[k] = crf->start[k] < 0 ? -INFINITY : theta[crf->start[k]];
        factors->end[k] = crf->end[k] < 0 ? -INFINITY : theta[crf->end[k]];
        for (int64_t i = 0; i < D; i++)
            factors->stay[k * D + i] = crf->stay[k] < 0 ? -INFINITY
                                       : !crf->has_bins ? theta[crf->stay[k]]
                                                        : theta[crf->stay[k]] + theta[crf->stay[k] + 1 + crf->bin[i]];
    }
    for (int64_t p = 0; p < K * K; p++)
        factors->exit[p] = crf->exit[p] < 0 ? -INFINITY : theta[crf->exit[p]];
}

/* ---- value and gradient ---- */

enum { MOST_CHUNKS = 64 };

/* Pieces are shared out in chunks whose borders do not depend on the number of threads; each chunk has its own sums, which are
 * added in order. */
typedef struct sweep {
    const sp_crf *crf;
    const sp_factors *factors;
    bool wants_counts;
    int64_t n_chunks, size;
    double *sums; /* [n_chunks, size] expected, then observed counts */
    atomic_bool no_memory;
} sweep;

static void sweep_chunks(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    sweep *w = arg;
    const sp_crf *crf = w->crf;
    for (int64_t c = first; c < last && !w->no_memory; c++) {
        double *sums = w->sums + c * 2 * w->size;
        sp_expected expected = sp_expected_over(sums, crf->K, crf->D);
        sp_expected observed = sp_expected_over(sums + w->size, crf->K, crf->D);
        int64_t from = c * crf->pieces.n / w->n_chunks, to = (c + 1) * crf->pieces.n / w->n_chunks;
        for (int64_t p = from; p < to; p++) {
            const sp_piece *piece = &crf->pieces.list[p];
            if (!sp_crf_uses(crf, piece->recording))
                continue;
            if (!sp_crf_pass(w->factors, crf->e, piece, w->wants_counts, scratch, &expected)) {
                w->no_memory = true;
                break;
            }
            sp_crf_observe(w->factors, crf->e, crf->training->labels, piece, &observed);
        }
    }
}

/* Gradient of the likelihood's part: expected less observed counts, at each parameter's place. */
void sp_crf_gather(const sp_crf *crf, const sp_expected *d, double *gradient)
{
    int64_t K = crf->K, D = crf->D;
    memset(gradient, 0, (size_t)crf->n * sizeof *gradient);
    gradient[0] = *d->scale;
    for (int64_t k = 0; k < K; k++) {
        gradient[1 + k] = d->bias[k];
        if (crf->start[k] >= 0)
            gradient[crf->start[k]] = d->start[k];
        if (crf->end[k] >= 0)
            gradient[crf->end[k]] = d->end[k];
        for (int64_t i = 0; crf->stay[k] >= 0 && i < D; i++) {
            gradient[crf->stay[k]] += d->stay[k * D + i];
            if (crf->has_bins)
                gradient[crf->stay[k] + 1 + crf->bin[i]] += d->stay[k * D + i];
        }
    }
    for (int64_t p = 0; p < K * K; p++)
        if (crf->exit[p] >= 0)
            gradient[crf->exit[p]] = d->exit[p];
}

/* Score of the labels under the factors: the counts along them times the weights. Forbidden factors are never used. */
static double score_observed(const sp_factors *f, const sp_expected *o)
{
    int64_t K = f->n_classes, D = f->n_positions;
    double score = f->scale * *o->scale;
    for (int64_t k = 0; k < K; k++) {
        score += f->bias[k] * o->bias[k];
        score += o->start[k] > 0 ? f->start[k] * o->start[k] : 0;
        score += o->end[k] > 0 ? f->end[k] * o->end[k] : 0;
    }
    for (int64_t i = 0; i < K * D; i++)
        score += o->stay[i] > 0 ? f->stay[i] * o->stay[i] : 0;
    for (int64_t p = 0; p < K * K; p++)
        score += o->exit[p] > 0 ? f->exit[p] * o->exit[p] : 0;
    return score;
}

sp_status sp_crf_objective(const sp_crf *crf, const double *theta, const sp_crf_penalty *penalty, sp_workers *workers,
                           double *value, double *gradient, sp_error *err)
{
    if (!(theta[0] > 0) || isinf(theta[0]))
        return sp_fail(err, SP_EINVAL, "the scale of the scores is %g; it must be above 0", theta[0]);
    sp_factors factors;
    sp_status status = sp_factors_init(&factors, crf->K, crf->D, err);
    if (status != SP_OK)
        return status;
    sp_crf_unpack(crf, theta, &factors);
    sp_factors_prepare(&factors);
    sweep w = {.crf = crf, .factors = &factors, .wants_counts = gradient != NULL, .size = sp_expected_size(crf->K, crf->D)};
    w.n_chunks = crf->pieces.n < MOST_CHUNKS ? crf->pieces.n : MOST_CHUNKS;
    w.sums = calloc((size_t)(w.n_chunks * 2 * w.size), sizeof *w.sums);
    if (w.sums)
        sp_workers_share(workers, w.n_chunks, sweep_chunks, &w);
    if (!w.sums || w.no_memory) {
        status = sp_fail(err, SP_ENOMEM, "no memory for forward-backward over the longest of %lld recordings",
                         (long long)crf->training->batch.n_recordings);
    } else {
        for (int64_t c = 1; c < w.n_chunks; c++)
            for (int64_t i = 0; i < 2 * w.size; i++)
                w.sums[i] += w.sums[c * 2 * w.size + i];
        sp_expected expected = sp_expected_over(w.sums, crf->K, crf->D);
        sp_expected observed = sp_expected_over(w.sums + w.size, crf->K, crf->D);
        double f = *expected.log_z - score_observed(&factors, &observed);
        for (int64_t i = 0; gradient && i < w.size; i++)
            w.sums[i] -= w.sums[w.size + i];
        if (gradient)
            sp_crf_gather(crf, &expected, gradient);
        for (int64_t i = 0; penalty && penalty->weight > 0 && i < crf->n; i++) {
            double away = theta[i] - (penalty->centre ? penalty->centre[i] : i == 0);
            f += penalty->weight / 2 * away * away;
            if (gradient)
                gradient[i] += penalty->weight * away;
        }
        *value = f;
    }
    free(w.sums);
    sp_factors_clear(&factors);
    return status;
}
