/* A model times the automata of its rules: states that remember what the rules need to know. Not installed. */
#ifndef STATEPATH_CORE_PRODUCT_H
#define STATEPATH_CORE_PRODUCT_H

#include "core/model/unfold.h"
#include "core/owned.h"
#include "core/rules/rules.h"

typedef struct sp_product {
    sp_owned own;
    sp_model
        model; /* of the product's states, without rules and min_dwell, weights as the chain has them; borrows from the other model */
    sp_declared_gaps gaps;
    int32_t *declared; /* [model.n_states] state of the other model that each remembers the rules of */
    int32_t n_automata;
    sp_rule_automaton
        *automata; /* [n_automata] of the rules, over the model's classes; one may be taken, and {0} left */
    bool is_empty; /* no path keeps the rules; the rest is not filled */
} sp_product;

/* Multiplies, rule by rule; states that no start reaches or that reach no end are dropped, and equal ones become one. Minimum dwells
 * become states in a row. SP_OK, SP_EMODEL (a rule's text; more than options->max_states, which names the rule), SP_ENOMEM.
 * To be cleared in every case. O(states of the product times transitions of one). */
sp_status sp_product_make(sp_product *product, const sp_model *model, const sp_chain_options *options,
                          sp_error *err);
void sp_product_clear(sp_product *product);

/* Says that no path keeps the rules, and which of them: SP_EMODEL; SP_ENOMEM. is_empty() compiles a model. */
sp_status sp_product_blame(const sp_model *model,
                           sp_status (*is_empty)(void *arg, const sp_model *model, bool *out, sp_error *err),
                           void *arg, sp_error *err);

#endif
