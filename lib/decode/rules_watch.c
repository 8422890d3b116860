#include "decode/rules_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_hard(const sp_chain_rule *rule)
{
    return isinf(rule->cost);
}

static bool has_hard_rule(const sp_chain *chain)
{
    for (int32_t r = 0; r < chain->n_rules; r++)
        if (is_hard(&chain->rules[r]))
            return true;
    return false;
}

/* ---- in memory ---- */

static bool breaks_rule(const sp_chain_rule *rule, const sp_scores *scores, const int32_t *path)
{
    sp_rule_walk walk = {0};
    int64_t n = 0, step;
    for (int64_t t = 0; t < scores->n_steps; t++)
        n += sp_rule_walk_step(&walk, rule, path[t], sp_scores_is_gap(scores, t));
    return n + sp_rule_walk_end(&walk, rule, &step) > 0;
}

sp_status sp_rules_verify(const sp_chain *chain, const sp_scores *scores, const int32_t *path, sp_error *err)
{
    for (int32_t r = 0; r < chain->n_rules && scores->n_steps > 0; r++) {
        const sp_chain_rule *rule = &chain->rules[r];
        if (is_hard(rule) && breaks_rule(rule, scores, path))
            return sp_fail(
                err, SP_EBUG,
                "the path that was found breaks rule %s: this is a bug of statepath; the path is withheld",
                rule->name);
    }
    return SP_OK;
}

/* ---- step by step ---- */

bool sp_rules_watch_init(sp_rules_watch *w, const sp_chain *chain)
{
    *w = (sp_rules_watch){.chain = NULL};
    if (!has_hard_rule(chain))
        return true;
    const size_t n = (size_t)chain->n_rules;
    w->chain = chain;
    w->walks = calloc(n, sizeof *w->walks);
    w->state = calloc(n, sizeof *w->state);
    w->breaks = calloc(n, sizeof *w->breaks);
    if (!w->walks || !w->state || !w->breaks)
        return false;
    for (size_t r = 0; r < n; r++)
        if (!(w->breaks[r] = calloc(2 * (size_t)chain->rules[r].automaton.n_states, 1)))
            return false;
    sp_rules_watch_restart(w);
    return true;
}

void sp_rules_watch_clear(sp_rules_watch *w)
{
    for (int32_t r = 0; w->breaks && r < w->chain->n_rules; r++)
        free(w->breaks[r]);
    free(w->breaks);
    free(w->walks);
    free(w->state);
    *w = (sp_rules_watch){.chain = NULL};
}

void sp_rules_watch_restart(sp_rules_watch *w)
{
    if (!w->chain)
        return;
    const size_t n = (size_t)w->chain->n_rules;
    w->is_broken = w->has_steps = w->is_from_last = false;
    memset(w->walks, 0, n * sizeof *w->walks);
    memset(w->state, 0, n * sizeof *w->state);
    for (size_t r = 0; r < n; r++) {
        const sp_rule_automaton *a = &w->chain->rules[r].automaton;
        for (int32_t q = 0; q < a->n_states && !a->is_backward; q++)
            w->breaks[r][q] = a->missing[q] > 0;
    }
}

void sp_rules_watch_step(sp_rules_watch *w, int32_t k, bool is_gap)
{
    for (int32_t r = 0; w->chain && r < w->chain->n_rules; r++)
        if (is_hard(&w->chain->rules[r]))
            w->is_broken |= sp_rule_walk_step(&w->walks[r], &w->chain->rules[r], k, is_gap) > 0;
    w->has_steps = true;
}

/* One letter more in front of what was read. */
static void read_before(sp_rules_watch *w, int32_t r, int32_t letter)
{
    const sp_rule_automaton *a = &w->chain->rules[r].automaton;
    const size_t L = (size_t)SP_RULE_LETTERS(a->n_classes);
    if (a->is_backward) {
        const size_t at = (size_t)w->state[r] * L + (size_t)letter;
        w->is_broken |= a->broken[at] > 0;
        w->state[r] = a->next[at];
        return;
    }
    uint8_t *after = w->breaks[r], *now = after + a->n_states;
    for (int32_t q = 0; q < a->n_states; q++) {
        const size_t at = (size_t)q * L + (size_t)letter;
        now[q] = a->broken[at] || after[a->next[at]];
    }
    memcpy(after, now, (size_t)a->n_states);
}

void sp_rules_watch_step_before(sp_rules_watch *w, int32_t k, bool is_gap)
{
    for (int32_t r = 0; w->chain && r < w->chain->n_rules; r++) {
        if (!is_hard(&w->chain->rules[r]))
            continue;
        if (is_gap)
            read_before(w, r, SP_RULE_GAP(w->chain->n_classes));
        read_before(w, r, k);
    }
    w->has_steps = w->is_from_last = true;
}

bool sp_rules_watch_end(const sp_rules_watch *w)
{
    bool is_broken = w->is_broken;
    for (int32_t r = 0; w->chain && w->has_steps && r < w->chain->n_rules; r++) {
        const sp_chain_rule *rule = &w->chain->rules[r];
        int64_t step;
        if (!is_hard(rule))
            continue;
        if (!w->is_from_last)
            is_broken |= sp_rule_walk_end(&w->walks[r], rule, &step) > 0;
        else if (!rule->automaton.is_backward)
            is_broken |= w->breaks[r][0];
    }
    return is_broken;
}
