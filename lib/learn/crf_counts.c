/* What the labels alone say of a conditional random field's parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/crf_private.h"

/* Counts along the labels; the caller frees o->all. False on lack of memory. */
static bool observe(const sp_crf *crf, sp_expected *o)
{
    double *all = calloc((size_t)sp_expected_size(crf->K, crf->D), sizeof *all);
    if (!all)
        return false;
    *o = sp_expected_over(all, crf->K, crf->D);
    sp_factors shape = {.n_classes = crf->K, .n_positions = crf->D, .dwell = crf->rules.dwell};
    for (int64_t p = 0; p < crf->pieces.n; p++)
        if (sp_crf_uses(crf, crf->pieces.list[p].recording))
            sp_crf_observe(&shape, crf->e, crf->training->labels, &crf->pieces.list[p], o);
    return true;
}

sp_status sp_crf_usage(const sp_crf *crf, double *usage, sp_error *err)
{
    sp_expected o;
    if (!observe(crf, &o))
        return sp_no_memory(err);
    *o.scale = (double)sp_crf_n_steps(crf);
    sp_crf_gather(crf, &o, usage);
    free(o.all);
    return SP_OK;
}

sp_status sp_crf_from_counts(const sp_crf *crf, double smoothing, const sp_crf_weights *weights, double *theta, sp_error *err)
{
    int64_t K = crf->K, D = crf->D;
    sp_expected o;
    if (!observe(crf, &o))
        return sp_no_memory(err);
    memset(theta, 0, (size_t)crf->n * sizeof *theta);
    sp_crf_weights plain = {1, 1, 1};
    if (!weights)
        weights = &plain;
    theta[0] = weights->scale;
    double n_steps = 0, n_starts = 0, start_room = 0;
    for (int64_t k = 0; k < K; k++) {
        n_steps += o.bias[k];
        n_starts += o.start[k];
        start_room += crf->start[k] >= 0 ? smoothing : 0;
    }
    for (int64_t k = 0; k < K; k++) {
        double stays = 0, all_moves = 0, room = 0;
        for (int64_t i = 0; i < D; i++)
            stays += o.stay[k * D + i];
        for (int64_t j = 0; j < K; j++) {
            all_moves += j == k ? stays : o.exit[k * K + j];
            room += crf->rules.allow[k * K + j] ? smoothing : 0;
        }
        theta[1 + k] = -weights->prior * log((o.bias[k] + smoothing) / (n_steps + (double)K * smoothing));
        if (crf->stay[k] >= 0)
            theta[crf->stay[k]] = weights->transitions * log((stays + smoothing) / (all_moves + room));
        for (int64_t j = 0; j < K; j++)
            if (crf->exit[k * K + j] >= 0)
                theta[crf->exit[k * K + j]] = weights->transitions * log((o.exit[k * K + j] + smoothing) / (all_moves + room));
        if (crf->start[k] >= 0)
            theta[crf->start[k]] = log((o.start[k] + smoothing) / (n_starts + start_room));
    }
    free(o.all);
    return SP_OK;
}
