/* The schema of the results' JSON (draft 2020-12). results.json beside this file has what json*.c write by hand; what comes from
 * tables is filled in here, where it has
 *   x-figures: SCOPE    the scalars of that scope of the table of figures, with their definitions
 *   x-measures: SCHEMA  a member of this schema for each measure of sleep
 *   x-compared          the figures by which pairs of strategies are compared
 *   x-version           our version
 *   x-undefined         a member that may be null: then, and only then, KEY_undefined stands beside it and says why
 * While it is filled in, x-needs of an object has what each member from the table needs (sp_figure_need). */
#include "report/write/json_tree.h"
#include "report/write/schema.h"
#include "statepath/report.h"
#include "statepath/sleep.h"

#include <stdio.h>
#include <string.h>

enum { ALWAYS_OPTIONAL = 1 << 30 }; /* beside needs: what is left out where it is 0 */
_Static_assert(SP_N_NEEDS <= 30, "needs and ALWAYS_OPTIONAL share a number");

/* What stands at the key; an empty object is made where nothing does. */
static sp_json object_at(sp_json in, const char *key)
{
    return json_object_get(in.at, key) ? sp_json_get(in, key) : sp_json_object(in, key);
}

static sp_json array_at(sp_json in, const char *key)
{
    return json_object_get(in.at, key) ? sp_json_get(in, key) : sp_json_array(in, key);
}

/* ---- a member that may be undefined ---- */

static void add_undefined(sp_json schema, const char *key)
{
    char reason[96];
    snprintf(reason, sizeof reason, "%s_undefined", key);
    const sp_json properties = object_at(schema, "properties"), said = sp_json_object(properties, reason);
    sp_json_text(said, "description", "Why it is null.");
    sp_json_text(said, "type", "string");
    const sp_json law = sp_json_object(array_at(schema, "allOf"), NULL), when = sp_json_object(law, "if");
    sp_json_text(sp_json_object(sp_json_object(when, "properties"), key), "type", "null");
    sp_json_text(sp_json_array(when, "required"), NULL, key);
    sp_json_text(sp_json_array(sp_json_object(law, "then"), "required"), NULL, reason);
    sp_json_flag(sp_json_object(sp_json_object(law, "else"), "properties"), reason, false);
}

/* The key of a member that still has x-undefined; NULL: none. */
static const char *find_undefined(json_t *properties)
{
    const char *key;
    json_t *member;
    json_object_foreach(properties, key, member)
    {
        if (json_object_get(member, "x-undefined"))
            return key;
    }
    return NULL;
}

static void add_all_undefined(sp_json schema)
{
    json_t *properties = json_object_get(schema.at, "properties");
    for (const char *key; (key = find_undefined(properties));) {
        json_object_del(json_object_get(properties, key), "x-undefined");
        add_undefined(schema, key);
    }
}

/* ---- figures ---- */

static void add_range(sp_json property, sp_figure_range range)
{
    static const struct {
        double low, high;
    } ends[] = {[SP_RANGE_SHARE] = {0, 1},
                [SP_RANGE_SIGNED] = {-1 - 1e-9, 1 + 1e-9}}; /* of sums, which are rounded */
    if (range == SP_RANGE_ANY)
        return;
    sp_json_real(property, "minimum", range == SP_RANGE_POSITIVE ? 0 : ends[range].low);
    if (range != SP_RANGE_POSITIVE)
        sp_json_real(property, "maximum", ends[range].high);
}

static void add_figure(sp_json properties, const char *key, const sp_figure *f)
{
    const sp_json property = sp_json_object(properties, key);
    const bool may_be_null =
        f->place.type == SP_FIGURE_VALUE || (f->place.type == SP_FIGURE_TEXT && !f->is_optional);
    const char *type = f->place.type == SP_FIGURE_TEXT   ? "string"
                       : f->place.type == SP_FIGURE_FLAG ? "boolean"
                       : sp_figure_is_count(f)           ? "integer"
                                                         : "number";
    sp_json_text(property, "title", f->label);
    sp_json_text(property, "description", f->definition);
    const char *other = may_be_null                      ? "null"
                        : f->place.type == SP_FIGURE_U64 ? "string"
                                                         : NULL; /* sp_json_seed() */
    const sp_json types = other ? sp_json_array(property, "type") : property;
    sp_json_text(types, other ? NULL : "type", type);
    if (other)
        sp_json_text(types, NULL, other);
    if (sp_figure_is_count(f))
        sp_json_count(property, "minimum", 0);
    if (f->place.type == SP_FIGURE_U64)
        sp_json_text(property, "pattern", "^[0-9]{19,20}$"); /* 2^63 and above */
    add_range(property, f->range);
    if (f->place.type == SP_FIGURE_VALUE)
        sp_json_flag(property, "x-undefined", true);
}

/* The member is there where one of its figures is: it needs what all of them need. */
static void note_needs(sp_json schema, const char *key, uint32_t needs)
{
    const sp_json all = object_at(schema, "x-needs");
    const json_t *before = json_object_get(all.at, key);
    sp_json_count(all, key, before ? json_integer_value(before) & needs : needs);
}

static void add_figures(sp_json schema, sp_figure_scope scope)
{
    const sp_figures figures = sp_figures_of(scope);
    for (size_t i = 0; i < figures.n; i++) {
        const sp_figure *f = &figures.list[i];
        const char *path = f->json ? f->json : f->key;
        const uint32_t needs = f->needs | (f->is_optional ? ALWAYS_OPTIONAL : 0);
        sp_json in = schema;
        for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
            char part[64];
            snprintf(part, sizeof part, "%.*s", (int)(dot - path), path);
            note_needs(in, part, needs);
            in = object_at(object_at(in, "properties"), part);
            sp_json_text(in, "type", "object");
            sp_json_flag(in, "additionalProperties", false);
        }
        if (!*path)
            continue;
        note_needs(in, path, needs);
        add_figure(object_at(in, "properties"), path, f);
    }
}

/* Members that need no more than the object itself are required. Of those that need the same the first requires the others, and each
 * of them the first. */
static void settle_needs(sp_json schema)
{
    json_t *all = json_object_get(schema.at, "x-needs"), *one, *other;
    const char *key, *second;
    json_int_t own = ALWAYS_OPTIONAL - 1;
    if (!all)
        return;
    json_object_foreach(all, key, one)
    {
        own &= json_integer_value(one) & ALWAYS_OPTIONAL ? own : json_integer_value(one);
    }
    while (json_object_size(all) > 0) {
        void *first = json_object_iter(all);
        key = json_object_iter_key(first);
        const json_int_t needs = json_integer_value(json_object_iter_value(first));
        if (needs == own) {
            sp_json_text(array_at(schema, "required"), NULL, key);
        } else if (!(needs & ALWAYS_OPTIONAL)) {
            const sp_json depend = object_at(schema, "dependentRequired");
            for (void *next = json_object_iter_next(all, first); next;
                 next = json_object_iter_next(all, next)) {
                second = json_object_iter_key(next);
                other = json_object_iter_value(next);
                if (json_integer_value(other) != needs)
                    continue;
                sp_json_text(array_at(depend, key), NULL, second);
                sp_json_text(array_at(depend, second), NULL, key);
                json_integer_set(other, ALWAYS_OPTIONAL); /* done */
            }
        }
        json_object_del(all, key);
    }
    json_object_del(schema.at, "x-needs");
}

static void add_scope(sp_json schema, const json_t *name)
{
    for (int scope = 0; scope < SP_N_FIGURE_SCOPES; scope++)
        if (strcmp(sp_figure_scope_name((sp_figure_scope)scope), json_string_value(name)) == 0)
            add_figures(schema, (sp_figure_scope)scope);
}

/* ---- other tables ---- */

static void add_measures(sp_json schema, const json_t *of_each)
{
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        const sp_sleep_measure measure = (sp_sleep_measure)m;
        const char *key = sp_sleep_measure_key(measure);
        const sp_json property = {json_deep_copy(of_each), schema.failed};
        char title[96];
        *schema.failed |=
            !json_equal(property.at, of_each); /* a copy may be of a part, where memory is short */
        snprintf(title, sizeof title, "%s (%s)", sp_sleep_measure_name(measure),
                 sp_sleep_measure_unit(measure));
        sp_json_text(property, "title", title);
        sp_json_set(object_at(schema, "properties"), key, property.at);
        sp_json_text(array_at(schema, "required"), NULL, key);
    }
    sp_json_flag(schema, "additionalProperties", false);
}

static void add_compared(sp_json schema)
{
    const sp_figures figures = sp_figures_of(SP_OF_STRATEGY);
    const sp_json keys = sp_json_array(schema, "enum");
    for (size_t i = 0; i < figures.n; i++)
        if (figures.list[i].compared)
            sp_json_text(keys, NULL, figures.list[i].key);
}

/* A key of ours is taken out as it is followed. */
static json_t *taken(json_t *schema, const char *key)
{
    json_t *value = json_incref(json_object_get(schema, key));
    json_object_del(schema, key);
    return value;
}

static void fill(json_t *value, bool *failed)
{
    const sp_json schema = {value, failed};
    json_t *figures = taken(value, "x-figures"), *measures = taken(value, "x-measures"), *member;
    const char *key;
    size_t i;
    if (figures)
        add_scope(schema, figures);
    if (measures)
        add_measures(schema, measures);
    json_decref(figures);
    json_decref(measures);
    if (json_object_del(value, "x-compared") == 0)
        add_compared(schema);
    if (json_object_del(value, "x-version") == 0)
        sp_json_text(schema, "const", sp_version());
    settle_needs(schema);
    add_all_undefined(schema);
    json_object_foreach(value, key, member)
    {
        fill(member, failed);
    }
    json_array_foreach(value, i, member)
    {
        fill(member, failed);
    }
}

sp_status sp_report_schema(char **out, sp_error *err)
{
    bool failed = false;
    sp_buffer text = {0};
    json_t *root = json_loads(sp_schema_texts[0].text, 0, NULL);
    failed |= !root;
    if (root)
        fill(root, &failed);
    sp_json_finish((sp_json){root, &failed}, NULL, 0, &text);
    return sp_buffer_finish(&text, out, err);
}
