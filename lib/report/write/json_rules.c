/* What rules cost, as JSON. */
#include "report/write/json_tree.h"

static json_t *pair(const sp_comparison *c, int32_t from, int32_t to, bool *failed)
{
    json_t *object = json_object();
    sp_json_set(object, "from", sp_json_text(c->classes[from], failed), failed);
    sp_json_set(object, "to", sp_json_text(c->classes[to], failed), failed);
    return object;
}

static json_t *rule_object(const sp_comparison *c, const sp_rule_cost *rule, bool *failed)
{
    json_t *object = pair(c, rule->from, rule->to, failed);
    sp_json_set(object, "reference", json_integer(rule->reference_count), failed);
    if (rule->argmax_count >= 0)
        sp_json_set(object, "argmax", json_integer(rule->argmax_count), failed);
    sp_json_set_value(object, "accuracy", &rule->accuracy, failed);
    sp_json_set_value(object, "difference", &rule->difference.difference, failed);
    sp_json_set_interval(object, "interval", rule->difference.low, rule->difference.high, failed);
    sp_json_set_value(object, "mask_ceiling", &rule->ceiling, failed);
    sp_json_set(object, "reference_illegal", json_integer(rule->reference_illegal), failed);
    sp_json_set(object, "erased", json_integer(rule->erased), failed);
    sp_json_set(object, "restored", json_integer(rule->restored), failed);
    sp_json_set_value(object, "changes_difference", &rule->changes.difference, failed);
    sp_json_set_interval(object, "changes_interval", rule->changes.low, rule->changes.high, failed);
    return object;
}

json_t *sp_json_rule_costs(const sp_comparison *c, bool *failed)
{
    const sp_rule_costs *costs = c->rule_costs;
    json_t *object = json_object(), *rules = json_array(), *proposals = json_array();
    sp_json_set_value(object, "accuracy", &costs->accuracy, failed);
    sp_json_set(object, "legal_changes", json_integer(costs->legal_changes), failed);
    for (int64_t i = 0; i < costs->n_rules; i++)
        sp_json_append(rules, rule_object(c, &costs->rules[i], failed), failed);
    sp_json_set(object, "rules", rules, failed);
    sp_json_set(object, "rules_left_out", json_integer(costs->n_left_out), failed);
    for (int64_t i = 0; i < costs->n_proposals; i++) {
        json_t *proposal = pair(c, costs->proposals[i].from, costs->proposals[i].to, failed);
        sp_json_set(proposal, "transitions", json_integer(costs->proposals[i].transitions), failed);
        sp_json_set(proposal, "rate_below", json_real(costs->proposals[i].upper), failed);
        sp_json_append(proposals, proposal, failed);
    }
    sp_json_set(object, "proposals", proposals, failed);
    sp_json_set(object, "proposals_left_out", json_integer(costs->n_proposals_left_out), failed);
    return object;
}
