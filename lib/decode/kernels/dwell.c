/* Rules for minimum dwells in lanes. */
#include "decode/kernels/dwell.h"

#include <math.h>

/* Are the states of class k a row that is entered at the first and left from the last? The weight of staying to *stay. */
static bool is_row(const sp_chain *chain, int32_t k, double *stay)
{
    int32_t first = chain->class_first[k], last = chain->class_first[k + 1] - 1;
    *stay = 0;
    for (int32_t s = first + 1; s <= last; s++) {
        int64_t p = chain->pred_row[s], n = chain->pred_row[s + 1] - p;
        if (n != (s == last ? 2 : 1) || chain->pred[p] != s - 1 || chain->start[s] != -INFINITY)
            return false;
        if (s == first + 1)
            *stay = chain->pred_weight[p];
        if (chain->pred_weight[p] != *stay || (s < last && chain->end[s] != chain->end[first]))
            return false;
        if (s == last && (chain->pred[p + 1] != last || chain->pred_weight[p + 1] != *stay))
            return false;
    }
    for (int64_t p = chain->pred_row[first]; p < chain->pred_row[first + 1]; p++) {
        int32_t before = chain->state_class[chain->pred[p]];
        if (chain->pred[p] != chain->class_first[before + 1] - 1 || (before == k && last > first))
            return false;
    }
    return true;
}

static void add_predecessors(sp_dwell_rules *rules, const sp_chain *chain, int32_t j, int32_t *n)
{
    int32_t first = chain->class_first[j], shift = j * (rules->from_bits + 1);
    rules->row[j] = *n;
    for (int64_t p = chain->pred_row[first]; p < chain->pred_row[first + 1]; p++, (*n)++) {
        rules->from[*n] = chain->state_class[chain->pred[p]];
        rules->weight[*n] = chain->pred_weight[p];
    }
    if (*n == rules->row[j]) { /* nothing leads there: 0 does, at no price that can be paid */
        rules->from[*n] = 0;
        rules->weight[(*n)++] = -INFINITY;
    }
    for (int32_t p = rules->row[j]; p < *n; p++) {
        rules->code[p] = (int64_t)((uint64_t)rules->from[p] << shift);
        rules->has_weights |= rules->weight[p] != 0;
    }
}

bool sp_dwell_rules_init(sp_dwell_rules *rules, const sp_chain *chain)
{
    int32_t K = chain->n_classes, n = 0, n_ring = 0;
    if (chain->is_plain || K > SP_DWELL_MOST_CLASSES || chain->n_states > SP_DWELL_MOST_STATES)
        return false;
    *rules = (sp_dwell_rules){.n_classes = K,
                              .word_size = K <= 4   ? 2
                                           : K <= 8 ? 4
                                                    : 8,
                              .from_bits = K <= 8 ? 3 : 4};
    for (int32_t j = 0; j < K; j++) {
        int32_t first = chain->class_first[j], dwell = chain->class_first[j + 1] - first;
        if (dwell < 1 || dwell > SP_DWELL_MOST || !is_row(chain, j, &rules->stay[j]))
            return false;
        rules->dwell[j] = dwell;
        rules->dwell_bytes[j / 8] |= (uint64_t)dwell << (8 * (j % 8));
        rules->ring[j] = n_ring;
        n_ring += dwell - 1;
        rules->has_weights |= rules->stay[j] != 0;
        rules->start[j] = chain->start[first];
        rules->end[j] = chain->end[first + dwell - 1];
        rules->end_early[j] = chain->end[first];
        add_predecessors(rules, chain, j, &n);
    }
    rules->row[K] = n;
    return true;
}
