/* Around the kernels of one recording: the model in their form, first steps, gaps, the last state and the way back. */
#include "decode/kernels/single.h"
#include "core/logmath.h"

#include <math.h>

#include "core/chain_states.h"
#include "decode/kernels/isa_kernels.h"
#include "decode/recording.h"

/* i as the word of a step has it in the place of j: up to 8 classes have 8 bits each and i in eights, which is then how far the
 * next word must be shifted; more have 4 bits each. */
static uint64_t code_of(int32_t columns, int32_t i, int32_t j)
{
    return columns <= 8 ? (uint64_t)(8 * i) << 8 * j : (uint64_t)i << 4 * j;
}

static void put_all(sp_single_rules *rules, const sp_lane_rules *lanes)
{
    for (int32_t i = 0; i < rules->columns; i++)
        for (int32_t j = 0; j < SP_SINGLE_MOST_CLASSES; j++) {
            rules->all.weight[i][j] = -INFINITY;
            rules->all.code[i][j] = j < rules->columns ? code_of(rules->columns, i, j) : 0;
        }
    for (int32_t j = 0; j < rules->n_classes; j++)
        for (int32_t p = lanes->row[j]; p < lanes->row[j + 1]; p++)
            rules->all.weight[lanes->from[p]][j] = lanes->weight[p];
}

/* Columns that are no class follow themselves: nothing comes from them. */
static void put_ranks(sp_single_rules *rules, const sp_lane_rules *lanes)
{
    int32_t K = rules->n_classes, most = 1;
    for (int32_t j = 0; j < K; j++)
        most = lanes->row[j + 1] - lanes->row[j] > most ? lanes->row[j + 1] - lanes->row[j] : most;
    rules->n_ranks = most;
    rules->has_weights = lanes->has_weights;
    int32_t n_rows = most <= 4   ? 4
                     : most <= 8 ? 8
                                 : SP_SINGLE_MOST_CLASSES; /* kernels may be for more ranks */
    for (int32_t r = 0; r < n_rows; r++)
        for (int32_t j = 0; j < SP_SINGLE_MOST_CLASSES; j++) {
            int32_t p = j >= K                                  ? 0
                        : r < lanes->row[j + 1] - lanes->row[j] ? lanes->row[j] + r
                                                                : lanes->row[j];
            rules->from[r][j] = (uint64_t)(j < K ? lanes->from[p] : j);
            rules->rank.weight[r][j] = j < K ? lanes->weight[p] : 0;
            rules->rank.code[r][j] = j < K ? code_of(rules->columns, lanes->from[p], j) : 0;
        }
}

void sp_single_rules_take(sp_single_rules *rules, const sp_lane_rules *lanes, const uint8_t *entry)
{
    int32_t K = lanes->n_classes;
    rules->n_classes = K;
    rules->columns = K <= 2 ? 2 : K <= 6 ? K : K <= 8 ? 8 : K <= 12 ? 12 : 16;
    put_all(rules, lanes);
    put_ranks(rules, lanes);
    for (int32_t j = 0; j < K; j++) {
        rules->start[j] = lanes->start[j];
        rules->end[j] = lanes->end[j];
        rules->is_entry[j] = entry && entry[j] != 0;
    }
}

bool sp_single_rules_init(sp_single_rules *rules, const sp_chain *chain)
{
    sp_lane_rules lanes;
    if (!sp_lane_rules_init(&lanes, chain))
        return false;
    sp_single_rules_take(rules, &lanes, chain->entry);
    return true;
}

bool sp_single_is_quick(sp_isa isa, const sp_single_rules *rules)
{
    return rules->columns <= (isa == SP_ISA_BASE ? 8 : SP_SINGLE_MOST_CLASSES);
}

/* After a gap every entry state follows the best state before it. Returns the word. */
static uint64_t step_gap(const sp_single_rules *r, const double *e, double *delta)
{
    int32_t from;
    const double best = sp_greatest_sum(delta, NULL, r->n_classes, &from);
    uint64_t word = 0;
    for (int32_t j = 0; j < r->n_classes; j++) {
        delta[j] = r->is_entry[j] ? best + e[j] : -INFINITY;
        word |= code_of(r->columns, from, j);
    }
    return word;
}

static void trace(const sp_single_rules *r, const uint64_t *words, int64_t n_steps, int32_t state,
                  int32_t *path)
{
    uint64_t s = (uint64_t)state;
    if (r->columns <= 8) {
        s *= 8;
        for (int64_t t = n_steps - 1; t >= 0; t--) {
            path[t] = (int32_t)(s >> 3);
            s = words[t] >> s & 255;
        }
    } else {
        for (int64_t t = n_steps - 1; t >= 0; t--) {
            path[t] = (int32_t)s;
            s = words[t] >> 4 * s & 15;
        }
    }
}

sp_status sp_single_viterbi(sp_isa isa, const sp_single_rules *r, const sp_scores *scores,
                            sp_scratch *scratch, int32_t *path, double *score)
{
    _Alignas(64) double delta[SP_SINGLE_MOST_CLASSES];
    double room[SP_SINGLE_MOST_CLASSES];
    int64_t n_steps = scores->n_steps;
    size_t row_bytes = (size_t)scores->n_classes * (size_t)scores->dtype;
    uint64_t *words = sp_scratch_get(scratch, (size_t)n_steps, sizeof *words);
    if (!words)
        return SP_ENOMEM;
    for (int32_t j = 0; j < SP_SINGLE_MOST_CLASSES; j++)
        delta[j] = j < r->n_classes ? r->start[j] + sp_scores_at(scores, 0, j) : -INFINITY;
    words[0] = 0;
    for (int64_t t = 1; t < n_steps;) {
        if (sp_scores_is_gap(scores, t)) {
            words[t] = step_gap(r, sp_row(scores, t, room), delta);
            t++;
        }
        int64_t end = scores->segments ? t : n_steps;
        while (end < n_steps && !sp_scores_is_gap(scores, end))
            end++;
        sp_single_steps steps = {r,       scores->dtype, (const char *)scores->data + (size_t)t * row_bytes,
                                 end - t, delta,         words + t};
        sp_isa_kernels_of(isa)->single(&steps);
        t = end;
    }
    int32_t last;
    const double best = sp_greatest_sum(delta, r->end, r->n_classes, &last);
    if (best == -INFINITY)
        return SP_ENOPATH;
    trace(r, words, n_steps, last, path);
    *score = best;
    return SP_OK;
}
