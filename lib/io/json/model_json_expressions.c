/* `rules` of a model from JSON and to it: expressions over classes (core/rules/rules.h). */
#include <math.h>
#include <string.h>

#include "core/try.h"
#include "io/json/model_json_durations.h"
#include "io/json/model_json_reader.h"

static sp_status fail_form(const sp_model_reader *reader, const sp_json_at *at)
{
    return sp_json_fail(&reader->doc, at,
                        "key \"rules\": a rule is a string, as \"never REM Wake REM\", or an object, as "
                        "{\"name\": \"n3\", \"rule\": "
                        "\"at_least 1 N3\", \"cost\": 2.3, \"at_gap\": \"may\"}");
}

/* null: no path may break the rule. */
static sp_status read_cost(const sp_model_reader *reader, const sp_json_at *parent, const json_t *value,
                           double *cost)
{
    const sp_json_at at = {parent, "cost", 0};
    *cost = INFINITY;
    if (!value || json_is_null(value))
        return SP_OK;
    *cost = json_number_value(value);
    return json_is_number(value) && *cost >= 0
               ? SP_OK
               : sp_json_fail(&reader->doc, &at,
                              "key \"rules\": \"cost\" needs nats a violation, not below 0, or null "
                              "where no path may break the rule");
}

static sp_status read_rule(sp_model_reader *reader, const sp_json_at *at, json_t *item)
{
    static const char *const keys[] = {"rule", "name", "cost", "at_gap"};
    const bool is_object = json_is_object(item);
    const json_t *text = is_object ? json_object_get(item, "rule") : item,
                 *name = json_object_get(item, "name"), *gap = json_object_get(item, "at_gap");
    const sp_json_at gap_at = {at, "at_gap", 0};
    double cost;
    sp_error err;
    sp_status status = SP_OK;
    if (is_object)
        TRY(sp_json_check_keys(&reader->doc, at, item, 4, keys));
    if (!json_is_string(text) || (name && !json_is_string(name)))
        TRY(fail_form(reader, at));
    TRY(read_cost(reader, at, json_object_get(item, "cost"), &cost));
    const bool may = json_is_string(gap) && strcmp(json_string_value(gap), "may") == 0;
    if (gap && !may && !(json_is_string(gap) && strcmp(json_string_value(gap), "must") == 0))
        TRY(sp_json_fail(&reader->doc, &gap_at,
                         "key \"rules\": \"at_gap\" is \"must\", what the rule asks for must be seen (the "
                         "default), or \"may\", a gap "
                         "may have held it"));
    status =
        sp_model_add_rule(reader->model, json_string_value(name), json_string_value(text), cost, may, &err);
    if (status != SP_OK)
        status = status == SP_ENOMEM ? sp_no_memory(reader->doc.err)
                                     : sp_json_fail(&reader->doc, at, "key \"rules\": %s", err.message);
done:
    return status;
}

sp_status sp_model_read_expressions(sp_model_reader *reader)
{
    json_t *list = sp_model_member(reader, "rules"), *item;
    const sp_json_at at = {&reader->root, "rules", 0};
    size_t i;
    sp_status status = SP_OK;
    if (list && !json_is_array(list))
        return sp_json_fail(&reader->doc, &at,
                            "key \"rules\": needs a list of rules, as [\"never REM Wake REM\"], not %s",
                            sp_json_kind(list));
    json_array_foreach(list, i, item)
    {
        const sp_json_at here = {&at, NULL, i};
        TRY(read_rule(reader, &here, item));
    }
done:
    return status;
}

/* ---- writing ---- */

void sp_model_put_expressions(sp_json_writer *writer, const sp_model *model)
{
    for (int32_t r = 0; r < model->n_rules; r++) {
        const sp_rule *rule = &model->rules[r];
        const bool is_object = rule->is_named || isfinite(rule->cost) || rule->may_at_gap;
        if (r == 0)
            sp_json_put_key(writer, "rules");
        sp_json_put(writer, r == 0 ? "[\n    " : ",\n    ");
        if (is_object)
            sp_json_put(writer, "{");
        if (rule->is_named) {
            sp_json_put(writer, "\"name\": ");
            sp_json_put_string(writer, rule->name);
            sp_json_put(writer, ", ");
        }
        if (is_object)
            sp_json_put(writer, "\"rule\": ");
        sp_json_put_string(writer, rule->text);
        if (isfinite(rule->cost)) {
            sp_json_put(writer, ", \"cost\": ");
            sp_json_put_number(writer, rule->cost);
        }
        if (rule->may_at_gap)
            sp_json_put(writer, ", \"at_gap\": \"may\"");
        if (is_object)
            sp_json_put(writer, "}");
    }
    if (model->n_rules > 0)
        sp_json_put(writer, "\n  ]");
}
