/* The check of hard rules: the automata of the rules count the violations of a finished path. The chain that the decoder searched is
 * the product of the model and these automata; nothing of that product is used here, so an error in it shows. Not installed.
 *
 * Only paths of strategies that honour rules are checked, and no relaxed ones. A path that breaks a hard rule gets SP_EBUG. */
#ifndef STATEPATH_DECODE_RULES_WATCH_H
#define STATEPATH_DECODE_RULES_WATCH_H

#include "core/chain_states.h"
#include "core/rules/rules.h"
#include "statepath/scores.h"

/* A path in memory.
 *   scores   its segments are looked at alone
 *   path     [T] classes 0..K-1
 * SP_OK; SP_EBUG: the sentence names the rule. O(T) for each hard rule. */
sp_status sp_rules_verify(const sp_chain *chain, const sp_scores *scores, const int32_t *path, sp_error *err);

/* A path that comes step by step. Zeroed, it is empty. */
typedef struct sp_rules_watch {
    const sp_chain *chain; /* NULL where it has no hard rule: then nothing is watched */
    sp_rule_walk *walks;   /* [n_rules] */
    bool is_broken, has_steps;
} sp_rules_watch;

/* False on lack of memory. To be cleared in every case. */
bool sp_rules_watch_init(sp_rules_watch *watch, const sp_chain *chain);
void sp_rules_watch_clear(sp_rules_watch *watch);
/* Another path follows. */
void sp_rules_watch_restart(sp_rules_watch *watch);

/* The next step, of class k; is_gap: the chain is broken before it. */
void sp_rules_watch_step(sp_rules_watch *watch, int32_t k, bool is_gap);

/* The path is over. Does it break a hard rule? */
bool sp_rules_watch_end(const sp_rules_watch *watch);

#endif
