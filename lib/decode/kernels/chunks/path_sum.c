#include "decode/kernels/chunks/path_sum.h"

#include <math.h>
#include <stddef.h>

#include "decode/kernels/isa_kernels.h"

void sp_path_take(const sp_scores *scores, const int32_t *path, int64_t first, int64_t n, void *taken)
{
    size_t K = (size_t)scores->n_classes;
    if (scores->dtype == SP_F32) {
        const float *e = (const float *)scores->data + (size_t)first * K;
        float *out = (float *)taken + first;
        for (int64_t t = 0; t < n; t++, e += K)
            out[t] = e[path[first + t]];
    } else {
        const double *e = (const double *)scores->data + (size_t)first * K;
        double *out = (double *)taken + first;
        for (int64_t t = 0; t < n; t++, e += K)
            out[t] = e[path[first + t]];
    }
}

/* The sum of weights and scores in turn, after step 0. -INFINITY stays what it is. */
static double sum_weighted(sp_isa isa, const sp_lane_rules *r, const sp_scores *scores, const int32_t *path,
                           const void *taken, double score)
{
    enum { STEPS = 4 * SP_SUM_BLOCK };
    size_t K = (size_t)r->n_classes;
    double weight[SP_LANES_MOST_CLASSES * SP_LANES_MOST_CLASSES], terms[2 * STEPS];
    for (size_t i = 0; i < K * K; i++)
        weight[i] = -INFINITY;
    for (int32_t j = 0; j < r->n_classes; j++)
        for (int32_t p = r->row[j]; p < r->row[j + 1]; p++)
            weight[(size_t)r->from[p] * K + (size_t)j] = r->weight[p];
    for (int64_t t = 1; t < scores->n_steps && score > -INFINITY; t += STEPS) {
        int64_t n = scores->n_steps - t < STEPS ? scores->n_steps - t : STEPS;
        for (int64_t i = 0; i < n; i++) {
            terms[2 * i] = weight[(size_t)path[t + i - 1] * K + (size_t)path[t + i]];
            terms[2 * i + 1] = scores->dtype == SP_F32 ? (double)((const float *)taken)[t + i]
                                                       : ((const double *)taken)[t + i];
        }
        score = sp_isa_kernels_of(isa)->sum_f64(score, terms, 2 * n);
    }
    return score;
}

static bool path_is_legal(sp_isa isa, const sp_lane_rules *r, const int32_t *path, int64_t n_steps)
{
    uint32_t follows[SP_VERIFY_CLASSES] = {0};
    for (int32_t j = 0; j < r->n_classes; j++)
        for (int32_t p = r->row[j]; p < r->row[j + 1]; p++)
            follows[r->from[p]] |= UINT32_C(1) << j;
    return sp_isa_kernels_of(isa)->path_is_allowed(follows, path, n_steps);
}

double sp_path_sum(sp_isa isa, const sp_lane_rules *r, const sp_scores *scores, const int32_t *path,
                   const void *taken, bool is_legal)
{
    int64_t last = scores->n_steps - 1;
    double score = r->start[path[0]];
    if (scores->dtype == SP_F32)
        score += ((const float *)taken)[0];
    else
        score += ((const double *)taken)[0];
    if (!is_legal && !r->has_weights && !path_is_legal(isa, r, path, scores->n_steps))
        return -INFINITY;
    /* Without weights, adding them changes nothing. */
    if (r->has_weights)
        score = sum_weighted(isa, r, scores, path, taken, score);
    else if (scores->dtype == SP_F32)
        score = sp_isa_kernels_of(isa)->sum_f32(score, (const float *)taken + 1, last);
    else
        score = sp_isa_kernels_of(isa)->sum_f64(score, (const double *)taken + 1, last);
    return score + r->end[path[last]];
}
