/* What is read off the marginals step by step: the marginals themselves, the posterior path, the confidence in a given path. */
#include "statepath/advanced.h"

#include <string.h>

#include "decode/kernels/lanes/lanes_forward_backward.h"
#include "decode/recording.h"
#include "decode/strategies/marginals.h"
#include "decode/strategy.h"

typedef struct copy_out {
    double *marginals;
    size_t n_classes;
} copy_out;

static void copy_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)log_marginal;
    copy_out *out = arg;
    memcpy(out->marginals + (size_t)t * out->n_classes, marginal, out->n_classes * sizeof *marginal);
}

/* In lanes where they can: *log_partition and SP_OK; SP_ENOPATH: ask sp_marginal_rows(); SP_ENOMEM. The lanes may have written
 * when they find out that they must leave the recording: what the plain kernel needs in blocks of *block is taken before, and
 * *block is 0 where they have not. */
static sp_status sum_in_lanes(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                              sp_sum_group *group, double *log_partition, int64_t *block, sp_error *err)
{
    *block = 0;
    if (chain->is_plain && chain->n_classes <= SP_LANES_MOST_CLASSES &&
        scores->n_classes == chain->n_classes && !sp_marginal_reserve(chain, scores, scratch))
        return sp_no_memory(err);
    sp_status status = sp_sum_recording(chain, scores, scratch, group);
    if (status == SP_ENOMEM)
        return sp_no_memory(err);
    if (status == SP_OK && log_partition)
        *log_partition = group->log_z[0];
    if (group->has_written)
        *block = sp_marginal_least_block(scores->n_steps);
    return status;
}

sp_status sp_forward_backward(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                              double *marginals, double *log_partition, sp_error *err)
{
    sp_sum_group group = {.use = marginals ? SP_SUM_MARGINALS : SP_SUM_LOG_Z, .values = {marginals}};
    int64_t block;
    sp_status status = sum_in_lanes(chain, scores, scratch, &group, log_partition, &block, err);
    if (status != SP_ENOPATH)
        return status;
    copy_out out = {marginals, (size_t)chain->n_classes};
    sp_marginal_sink sink = {.row = copy_row, .arg = &out, .block = block};
    return sp_marginal_rows(chain, scores, scratch, marginals ? &sink : NULL, log_partition, err);
}

typedef struct best_of {
    int32_t *path;
    int32_t n_classes;
} best_of;

/* The class of greatest marginal. */
static void best_of_row(void *arg, int64_t t, const double *marginal, const double *log_marginal)
{
    (void)log_marginal;
    best_of *out = arg;
    double best = 0;
    for (int32_t k = 0; k < out->n_classes; k++)
        best = marginal[k] > best ? marginal[k] : best;
    int32_t lowest = 0;
    while (marginal[lowest] < best - 0x1p-40)
        lowest++;
    out->path[t] = lowest;
}

static sp_status decode(sp_sequence *s, int32_t parameter, sp_error *err)
{
    (void)parameter;
    best_of out = {s->path, s->chain->n_classes};
    sp_marginal_sink sink = {.row = best_of_row, .arg = &out};
    return sp_marginal_rows(s->chain, s->scores, s->scratch, &sink, NULL, err);
}

const sp_strategy_row sp_posterior_row = {
    {.name = "posterior",
     .knows_rules = true,
     .summary = "each step's most probable class given all steps; may be illegal",
     .when = "most steps right, legality does not matter"},
    .decode = decode};

sp_status sp_confidence_rows(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                             const int32_t *path, int64_t block, float *confidence, double *log_partition,
                             sp_error *err)
{
    sp_confidence_of out = {path, confidence};
    sp_marginal_sink sink = {.row = sp_confidence_row, .arg = &out, .block = block};
    return sp_marginal_rows(chain, scores, scratch, confidence ? &sink : NULL, log_partition, err);
}

sp_status sp_confidence(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                        const int32_t *path, float *confidence, double *log_partition, sp_error *err)
{
    sp_status status = sp_decode_check_path(chain, 0, scores->n_steps, path, err);
    if (status != SP_OK)
        return status;
    sp_sum_group group = {
        .use = confidence ? SP_SUM_CONFIDENCE : SP_SUM_LOG_Z, .given = {path}, .confidence = {confidence}};
    int64_t block;
    status = sum_in_lanes(chain, scores, scratch, &group, log_partition, &block, err);
    if (status != SP_ENOPATH)
        return status;
    return sp_confidence_rows(chain, scores, scratch, path, block, confidence, log_partition, err);
}
