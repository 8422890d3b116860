/* Asking a compiled model: its rules in classes. */
#include "core/chain.h"
#include "core/chain_states.h"

#include <math.h>

int32_t sp_chain_n_classes(const sp_chain *chain)
{
    return chain->n_classes;
}

/* Place of `key` in the ascending run list[first] .. list[last-1], or -1. A run that holds everything is indexed directly. */
static int64_t find(const int32_t *list, int64_t first, int64_t last, int32_t everything, int32_t key)
{
    if (last - first == everything)
        return first + key;
    while (first < last) {
        int64_t middle = first + (last - first) / 2;
        if (list[middle] == key)
            return middle;
        if (list[middle] < key)
            first = middle + 1;
        else
            last = middle;
    }
    return -1;
}

double sp_chain_weight(const sp_chain *chain, int32_t i, int32_t j)
{
    int64_t e = find(chain->succ, chain->succ_row[i], chain->succ_row[i + 1], chain->n_states, j);
    return e < 0 ? -INFINITY : chain->succ_weight[e];
}

bool sp_chain_is_legal(const sp_chain *chain, int32_t from, int32_t to)
{
    return find(chain->legal_to, chain->legal_row[from], chain->legal_row[from + 1], chain->n_classes, to) >= 0;
}

static bool any_finite(const double *weight, int32_t first, int32_t last)
{
    for (int32_t s = first; s < last; s++)
        if (weight[s] != -INFINITY)
            return true;
    return false;
}

bool sp_chain_is_legal_start(const sp_chain *chain, int32_t k)
{
    return any_finite(chain->start, chain->class_first[k], chain->class_first[k + 1]);
}

bool sp_chain_is_legal_end(const sp_chain *chain, int32_t k)
{
    return any_finite(chain->end, chain->class_first[k], chain->class_first[k + 1]);
}

int32_t sp_chain_min_dwell(const sp_chain *chain, int32_t k)
{
    return chain->min_dwell[k];
}

bool sp_chain_min_dwell_at_end(const sp_chain *chain)
{
    return chain->min_dwell_at_end;
}
