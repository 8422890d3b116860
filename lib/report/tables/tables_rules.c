/* Who breaks the rules over more than two steps; what each rule costs, and rules that the labels propose. */
#include "report/tables/tables.h"

#include <math.h>

void sp_fill_violations(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const int32_t S = c->n_strategies, first = c->has_labels ? -1 : 0;
    (void)options;
    if (c->n_rules == 0)
        return;
    table->title = "Rules over more than two {steps}: violations, and the {recordings} with any";
    sp_table_columns(table, "<rule|<what it says|nats");
    for (int32_t s = first; s < S; s++) {
        const char *name = s < 0 ? "reference" : c->strategies[s].name;
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "%s", name);
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "{recordings}");
    }
    for (int32_t r = 0; r < c->n_rules; r++) {
        const sp_rule_result *rule = &c->rules[r];
        sp_table_cell_text(table, SP_TONE_PLAIN, rule->name);
        sp_table_cell_text(table, SP_TONE_PLAIN, rule->text);
        if (isfinite(rule->cost))
            sp_buffer_real(sp_table_cell(table, SP_TONE_PLAIN), rule->cost);
        else
            sp_table_cell_text(table, SP_TONE_PLAIN, "never");
        for (int32_t s = first; s < S; s++) {
            const sp_rule_violations *by = &rule->by[s < 0 ? S : s];
            sp_table_cell_count(table, by->violations ? SP_TONE_BAD : SP_TONE_MUTED, by->violations);
            sp_table_cell_count(table, by->recordings ? SP_TONE_BAD : SP_TONE_MUTED, by->recordings);
        }
    }
}

static bool has_argmax(const sp_rule_costs *costs)
{
    return costs->n_rules > 0 && costs->rules[0].argmax_count >= 0;
}

static void rule_row(const sp_comparison *c, const sp_rule_cost *rule, bool is_wide, sp_table *table)
{
    if (rule->rule >= 0)
        sp_table_cell_text(table, SP_TONE_PLAIN, c->rules[rule->rule].name);
    else
        sp_table_say(table, SP_TONE_PLAIN, "%s → %s", c->classes[rule->from], c->classes[rule->to]);
    sp_table_cell_count(table, rule->reference_count ? SP_TONE_PLAIN : SP_TONE_MUTED, rule->reference_count);
    if (has_argmax(c->rule_costs))
        sp_table_cell_count(table, rule->argmax_count ? SP_TONE_BAD : SP_TONE_MUTED, rule->argmax_count);
    sp_cell_difference(table, &rule->difference, 100, 2);
    sp_cell_value(table, &rule->ceiling, 4, SP_TONE_PLAIN);
    sp_table_say(table, SP_TONE_PLAIN, "%jd, %jd", rule->erased, rule->restored);
    if (is_wide)
        sp_cell_difference(table, &rule->changes, 100, 2);
    else
        sp_cell_signed(table, &rule->changes.difference, 100, 2);
}

void sp_fill_rule_costs(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_rule_costs *costs = c->rule_costs;
    if (!costs)
        return;
    table->title = "What each rule costs: Viterbi without it, less Viterbi with it, in percentage points";
    sp_table_columns(table, has_argmax(costs) ? "rule|reference|argmax|accuracy" : "rule|reference|accuracy");
    sp_buffer_say(sp_table_head(table, SP_RIGHT), "%g %% interval", 100 * c->level);
    sp_table_columns(table, "ceiling");
    sp_table_column(table, SP_RIGHT, "changes lost, gained");
    sp_table_column(table, SP_RIGHT, "changes");
    if (options->is_wide)
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "changes, %g %% interval", 100 * c->level);
    for (int64_t i = 0; i < costs->n_rules; i++)
        rule_row(c, &costs->rules[i], options->is_wide, table);
}

void sp_note_rule_costs(const sp_comparison *c, sp_buffer *line)
{
    const sp_rule_costs *costs = c->rule_costs;
    if (!costs)
        return;
    sp_buffer_text(line, has_argmax(costs) ? "(reference, argmax: how often they break the rule"
                                           : "(reference: how often it breaks the rule");
    if (!costs->accuracy.undefined)
        sp_buffer_say(line, "; accuracy: against %.4f with all rules", costs->accuracy.value);
    if (!c->mask_ceiling.undefined)
        sp_buffer_say(line, "; ceiling: the mask ceiling without the rule, %.4f with all",
                      c->mask_ceiling.value);
    sp_buffer_say(line,
                  "; changes lost, gained: of the %jd legal changes of class in the reference those that are "
                  "found only without "
                  "the rule, and only with it; changes: their balance, of all legal changes",
                  costs->legal_changes);
    if (costs->n_left_out)
        sp_buffer_say(line, "; %jd further rule%s not tried", costs->n_left_out,
                      costs->n_left_out == 1 ? " was" : "s were");
    sp_buffer_text(line, ")");
}

void sp_fill_rule_proposals(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_rule_costs *costs = c->rule_costs;
    if (!costs)
        return;
    table->title = "Allowed, but never seen in the reference: rules that the labels propose";
    sp_table_columns(table, "transition|transitions from there");
    sp_buffer_say(sp_table_head(table, SP_RIGHT), "rate below (%g %%)", 100 * c->level);
    const int64_t most = options->most_rows,
                  n = most && most < costs->n_proposals ? most : costs->n_proposals;
    for (int64_t i = 0; i < n; i++) {
        const sp_rule_proposal *proposal = &costs->proposals[i];
        sp_table_say(table, SP_TONE_PLAIN, "%s → %s", c->classes[proposal->from], c->classes[proposal->to]);
        sp_table_cell_count(table, SP_TONE_PLAIN, proposal->transitions);
        sp_table_say(table, SP_TONE_PLAIN, "%.3f %%", 100 * proposal->upper);
    }
    table->n_left_out = costs->n_proposals - n + costs->n_proposals_left_out;
}

void sp_note_rule_proposals(const sp_comparison *c, sp_buffer *line)
{
    if (c->rule_costs && c->rule_costs->n_proposals)
        sp_buffer_text(line, "(rate: of all transitions from that class, staying counted; its one-sided "
                             "limit takes transitions as "
                             "independent)");
}
