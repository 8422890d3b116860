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
    w->chain = chain;
    w->walks = calloc((size_t)chain->n_rules, sizeof *w->walks);
    return w->walks != NULL;
}

void sp_rules_watch_clear(sp_rules_watch *w)
{
    free(w->walks);
    *w = (sp_rules_watch){.chain = NULL};
}

void sp_rules_watch_restart(sp_rules_watch *w)
{
    if (!w->chain)
        return;
    w->is_broken = w->has_steps = false;
    memset(w->walks, 0, (size_t)w->chain->n_rules * sizeof *w->walks);
}

void sp_rules_watch_step(sp_rules_watch *w, int32_t k, bool is_gap)
{
    for (int32_t r = 0; w->chain && r < w->chain->n_rules; r++)
        if (is_hard(&w->chain->rules[r]))
            w->is_broken |= sp_rule_walk_step(&w->walks[r], &w->chain->rules[r], k, is_gap) > 0;
    w->has_steps = true;
}

bool sp_rules_watch_end(const sp_rules_watch *w)
{
    bool is_broken = w->is_broken;
    int64_t step;
    for (int32_t r = 0; w->chain && w->has_steps && r < w->chain->n_rules; r++)
        if (is_hard(&w->chain->rules[r]))
            is_broken |= sp_rule_walk_end(&w->walks[r], &w->chain->rules[r], &step) > 0;
    return is_broken;
}
