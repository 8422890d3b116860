#include "core/rules/rules.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/durations.h"
#include "core/model/model.h"
#include "core/owned.h"
#include "core/rules/rule_text.h"
#include "core/try.h"

/* ---- declared ---- */

static sp_status check_rule(const sp_model *model, const sp_rule *rule, int32_t n_before, sp_error *err)
{
    sp_rule_text text;
    sp_status status = SP_OK;
    if (!*rule->name)
        return sp_fail(err, SP_EMODEL, "model %s: a rule has the empty string for its name", model->name);
    for (const char *c = rule->name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            return sp_fail(err, SP_EMODEL,
                           "model %s: a rule is called \"%s\"; names are of letters, digits, _ and -",
                           model->name, rule->name);
    for (int32_t r = 0; r < n_before; r++)
        if (strcmp(model->rules[r].name, rule->name) == 0)
            return sp_fail(err, SP_EMODEL,
                           "model %s: two rules are called \"%s\"; give one of them another name",
                           model->name, rule->name);
    if (!(rule->cost >= 0))
        return sp_fail(err, SP_EMODEL,
                       "model %s: the cost of rule %s is %g; it is a number of nats, not below 0",
                       model->name, rule->name, rule->cost);
    status = sp_rule_parse(model, rule->name, rule->text, &text, err);
    sp_rule_text_clear(&text);
    return status;
}

sp_status sp_rules_check(const sp_model *model, sp_error *err)
{
    sp_status status = SP_OK;
    for (int32_t r = 0; r < model->n_rules && status == SP_OK; r++)
        status = check_rule(model, &model->rules[r], r, err);
    return status;
}

static void clear_rule(sp_rule *rule)
{
    free(rule->name);
    free(rule->text);
}

sp_status sp_model_add_rule(sp_model *model, const char *name, const char *text, double cost, bool may_at_gap,
                            sp_error *err)
{
    char own_name[24];
    bool is_whole = true;
    snprintf(own_name, sizeof own_name, "rule%d", (int)model->n_rules + 1);
    model->rules = sp_grown(model->rules, (int64_t)model->n_rules + 1, sizeof *model->rules, &is_whole);
    if (!is_whole)
        return sp_no_memory(err);
    sp_rule *rule = &model->rules[model->n_rules];
    *rule = (sp_rule){strdup(name ? name : own_name), name != NULL, strdup(text), cost, may_at_gap};
    const sp_status status =
        rule->name && rule->text ? check_rule(model, rule, model->n_rules, err) : sp_no_memory(err);
    if (status == SP_OK)
        model->n_rules++;
    else
        clear_rule(rule);
    return status;
}

bool sp_rule_has_time(const sp_model *model, int32_t r)
{
    sp_rule_text text;
    bool has_time = false;
    if (sp_rule_parse(model, model->rules[r].name, model->rules[r].text, &text, NULL) == SP_OK)
        for (int32_t i = 0; i < text.n_lengths; i++)
            has_time |= text.lengths[i].length.is_seconds;
    sp_rule_text_clear(&text);
    return has_time;
}

/* The text with steps for times; NULL on lack of memory. */
static char *text_in_steps(const sp_rule_text *rule, const char *text, double step_seconds)
{
    enum { DIGITS = 24 };
    const size_t size = strlen(text) + (size_t)rule->n_lengths * DIGITS + 1;
    char *out = malloc(size);
    size_t n = 0, from = 0;
    for (int32_t i = 0; out && i < rule->n_lengths; i++) {
        const sp_rule_length *l = &rule->lengths[i];
        double steps;
        if (!l->length.is_seconds || sp_length_steps(l->length, step_seconds, "", &steps, NULL) != SP_OK ||
            steps > SP_RULE_MOST_STEPS)
            continue;
        n += (size_t)snprintf(out + n, size - n, "%.*s%.0f", (int)(l->at - from), text + from, steps);
        from = l->at + l->size;
    }
    if (out)
        snprintf(out + n, size - n, "%s", text + from);
    return out;
}

bool sp_rules_in_steps(sp_model *model, double step_seconds)
{
    for (int32_t r = 0; r < model->n_rules; r++) {
        sp_rule *rule = &model->rules[r];
        sp_rule_text text;
        const bool is_rule = sp_rule_parse(model, rule->name, rule->text, &text, NULL) == SP_OK;
        char *made = is_rule ? text_in_steps(&text, rule->text, step_seconds) : NULL;
        sp_rule_text_clear(&text);
        if (is_rule && !made)
            return false;
        if (made)
            free(rule->text);
        rule->text = made ? made : rule->text;
    }
    return true;
}

void sp_rules_drop(sp_model *model, int32_t n_left)
{
    for (int32_t r = n_left; r < model->n_rules; r++)
        clear_rule(&model->rules[r]);
    model->n_rules = n_left;
    if (n_left > 0)
        return;
    free(model->rules);
    model->rules = NULL;
}

static bool add_alias(sp_model *model, int32_t k, const char *name)
{
    bool is_whole = true;
    if (sp_model_class(model, name, true) >= 0)
        return true;
    model->aliases =
        sp_grown(model->aliases, (int64_t)model->n_aliases + 1, sizeof *model->aliases, &is_whole);
    char *copy = is_whole ? strdup(name) : NULL;
    if (copy)
        model->aliases[model->n_aliases++] = (sp_alias){k, copy};
    return copy != NULL;
}

bool sp_rules_copy(const sp_model *from, const int32_t *class_of, sp_model *to)
{
    for (int32_t c = 0; c < to->n_classes; c++) {
        const int32_t k = class_of ? class_of[c] : c;
        if (!add_alias(to, c, from->classes[k]))
            return false;
        for (int32_t a = 0; a < from->n_aliases; a++)
            if (from->aliases[a].class_index == k && !add_alias(to, c, from->aliases[a].name))
                return false;
    }
    for (int32_t r = 0; r < from->n_rules; r++) {
        const sp_rule *rule = &from->rules[r];
        if (sp_model_add_rule(to, rule->is_named ? rule->name : NULL, rule->text, rule->cost,
                              rule->may_at_gap, NULL) != SP_OK)
            return false;
    }
    return true;
}

/* ---- along a path ---- */

int64_t sp_rule_walk_end(const sp_rule_walk *walk, const sp_chain_rule *rule, int64_t *step)
{
    const bool is_open = rule->automaton.is_backward;
    *step = is_open && walk->n_open > 0 ? walk->first_open : walk->n_steps - 1;
    return is_open ? walk->n_open : rule->automaton.missing[walk->state];
}
