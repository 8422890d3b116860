/* What rules cost, as JSON. */
#include "report/write/json_tree.h"

static sp_json pair(sp_json list, const sp_comparison *c, int32_t from, int32_t to)
{
    const sp_json object = sp_json_object(list, NULL);
    sp_json_text(object, "from", c->classes[from]);
    sp_json_text(object, "to", c->classes[to]);
    return object;
}

static void add_rule(sp_json list, const sp_comparison *c, const sp_rule_cost *rule)
{
    const sp_json object = rule->rule < 0 ? pair(list, c, rule->from, rule->to) : sp_json_object(list, NULL);
    if (rule->rule >= 0)
        sp_json_text(object, "rule", c->rules[rule->rule].name);
    sp_json_count(object, "reference", rule->reference_count);
    if (rule->argmax_count >= 0)
        sp_json_count(object, "argmax", rule->argmax_count);
    sp_json_value(object, "accuracy", &rule->accuracy);
    sp_json_value(object, "difference", &rule->difference.difference);
    sp_json_interval(object, "interval", rule->difference.low, rule->difference.high);
    sp_json_value(object, "mask_ceiling", &rule->ceiling);
    sp_json_count(object, "reference_illegal", rule->reference_illegal);
    sp_json_count(object, "erased", rule->erased);
    sp_json_count(object, "restored", rule->restored);
    sp_json_value(object, "changes_difference", &rule->changes.difference);
    sp_json_interval(object, "changes_interval", rule->changes.low, rule->changes.high);
}

void sp_json_rule_costs(sp_json root, const sp_comparison *c)
{
    const sp_rule_costs *costs = c->rule_costs;
    const sp_json object = sp_json_object(root, "rule_costs");
    sp_json_value(object, "accuracy", &costs->accuracy);
    sp_json_count(object, "legal_changes", costs->legal_changes);
    const sp_json rules = sp_json_array(object, "rules");
    for (int64_t i = 0; i < costs->n_rules; i++)
        add_rule(rules, c, &costs->rules[i]);
    sp_json_count(object, "rules_left_out", costs->n_left_out);
    const sp_json proposals = sp_json_array(object, "proposals");
    for (int64_t i = 0; i < costs->n_proposals; i++) {
        const sp_json proposal = pair(proposals, c, costs->proposals[i].from, costs->proposals[i].to);
        sp_json_count(proposal, "transitions", costs->proposals[i].transitions);
        sp_json_real(proposal, "rate_below", costs->proposals[i].upper);
    }
    sp_json_count(object, "proposals_left_out", costs->n_proposals_left_out);
}
