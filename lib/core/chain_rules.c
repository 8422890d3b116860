/* Asking a compiled model: its rules in classes. */
#include "core/chain.h"
#include "core/chain_states.h"
#include "core/rules/rules.h"

#include <math.h>

int32_t sp_chain_n_classes(const sp_chain *chain)
{
    return chain->n_classes;
}

int32_t sp_chain_n_states(const sp_chain *chain)
{
    return chain->n_states;
}

/* Transitions and states that decoding goes through at each step. */
static double work_of_step(const sp_chain *chain)
{
    const sp_run_graph *g = chain->runs;
    double in_rows = 0;
    for (int32_t r = 0; g && r < g->n_rows; r++)
        in_rows += g->rows[r].n_whole + g->rows[r].n_cut;
    const int64_t n_transitions = g ? g->pred_row[chain->n_states] : chain->pred_row[chain->n_states];
    return (double)n_transitions + chain->n_states - in_rows + in_rows / 8;
}

int64_t sp_chain_slowdown(const sp_chain *chain, const sp_model *model)
{
    const double of_matrix = (double)model->row[model->n_states] + model->n_states;
    const double times = work_of_step(chain) / of_matrix;
    const double unit = times < 100 ? 1 : pow(10, floor(log10(times)) - 1);
    return (int64_t)(unit * round(times / unit));
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
    const int64_t pair = (int64_t)from * chain->n_classes + to;
    if (chain->legal_bits)
        return chain->legal_bits[pair / 64] >> pair % 64 & 1;
    return find(chain->legal_to, chain->legal_row[from], chain->legal_row[from + 1], chain->n_classes, to) >=
           0;
}

bool sp_chain_is_legal_start(const sp_chain *chain, int32_t k)
{
    return chain->legal_start[k];
}

bool sp_chain_is_legal_end(const sp_chain *chain, int32_t k)
{
    return chain->legal_end[k];
}

int32_t sp_chain_n_rules(const sp_chain *chain)
{
    return chain->n_rules;
}

const sp_chain_rule *sp_chain_rule_at(const sp_chain *chain, int32_t r)
{
    return &chain->rules[r];
}

int32_t sp_chain_min_dwell(const sp_chain *chain, int32_t k)
{
    return chain->min_dwell[k];
}

bool sp_chain_has_durations(const sp_chain *chain)
{
    return chain->durations != NULL;
}

bool sp_chain_bounds_runs(const sp_chain *chain)
{
    return chain->durations || chain->longest_dwell > 1;
}

const sp_run_weights *sp_chain_duration(const sp_chain *chain, int32_t k)
{
    return chain->durations && chain->durations[k].n_whole > 0 ? &chain->durations[k] : NULL;
}

void sp_chain_durations_ends(const sp_chain *chain, bool *whole_at_start, bool *whole_at_end)
{
    *whole_at_start = chain->whole_at_start;
    *whole_at_end = chain->whole_at_end;
}

/* A run is a piece of a longer one where it goes on unseen, or beside a side that the model does not take for whole. */
static bool is_cut(const sp_chain *chain, sp_run_side before, sp_run_side after)
{
    return before == SP_BESIDE_UNSCORED || after == SP_BESIDE_UNSCORED ||
           (before != SP_BESIDE_CLASS && !chain->whole_at_start) ||
           (after != SP_BESIDE_CLASS && !chain->whole_at_end);
}

sp_run_fit sp_chain_run_fit(const sp_chain *chain, int32_t k, int64_t d, sp_run_side before,
                            sp_run_side after)
{
    const sp_run_weights *w = sp_chain_duration(chain, k);
    if (!w) {
        const bool is_seen =
            before != SP_BESIDE_UNSCORED &&
            (after == SP_BESIDE_CLASS || (after == SP_BESIDE_END && chain->min_dwell_at_end));
        return is_seen && d < chain->min_dwell[k] ? SP_RUN_TOO_SHORT : SP_RUN_FITS;
    }
    if (sp_run_weight(w, d, is_cut(chain, before, after)) > -INFINITY)
        return SP_RUN_FITS;
    return sp_run_weight(w, d, true) > -INFINITY ? SP_RUN_TOO_SHORT : SP_RUN_TOO_LONG;
}
