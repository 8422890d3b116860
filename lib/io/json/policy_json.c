/* Recipes of policies, from JSON and back. */
#include <stddef.h>
#include <string.h>

#include "core/try.h"
#include "io/json/policy_json.h"
#include "io/json/recipe_reader.h"
#include "statepath/model_json.h"
#include "json/json_write.h"

static const char *const recipe_keys[] = {"statepath_recipe", "name", "description", "seed", "policy"};
static const char *const policy_keys[] = {"moves",        "positions", "legal", "usual_legal",
                                          "legal_spread", "sharpness", "leak",  "leak_spread"};
enum {
    N_RECIPE_KEYS = sizeof recipe_keys / sizeof *recipe_keys,
    N_POLICY_KEYS = sizeof policy_keys / sizeof *policy_keys
};

#define POLICY(type, key, member)                                                                            \
    {                                                                                                        \
        key, type, offsetof(sp_policy_recipe, member), ""                                                    \
    }

static sp_status read_policy(const sp_json_doc *doc, const sp_json_at *at, json_t *object,
                             sp_policy_recipe *r)
{
    static const sp_json_member members[] = {POLICY(SP_JSON_WHOLE, "moves", n_moves),
                                             POLICY(SP_JSON_WHOLE, "positions", n_positions),
                                             POLICY(SP_JSON_NUMBER, "usual_legal", usual_legal),
                                             POLICY(SP_JSON_NUMBER, "legal_spread", legal_spread),
                                             POLICY(SP_JSON_NUMBER, "sharpness", sharpness),
                                             POLICY(SP_JSON_NUMBER, "leak", leak),
                                             POLICY(SP_JSON_NUMBER, "leak_spread", leak_spread)};
    const sp_json_at legal_at = {at, "legal", 0};
    if (!json_is_object(object))
        return sp_json_fail(doc, at, "key \"policy\": needs an object, as {\"moves\": 1900, ...}; this is %s",
                            sp_json_kind(object));
    const json_t *legal = json_object_get(object, legal_at.key);
    sp_status status = SP_OK;
    TRY(sp_json_check_keys(doc, at, object, N_POLICY_KEYS, policy_keys));
    if (!json_is_array(legal) || json_array_size(legal) != 2)
        return sp_json_fail(
            doc, legal ? &legal_at : at,
            "key \"legal\": needs the least and the greatest number of legal moves, as [1, 218]");
    TRY(sp_json_want_integer(doc, &(sp_json_at){&legal_at, "legal", 0}, "legal", json_array_get(legal, 0),
                             &r->min_legal));
    TRY(sp_json_want_integer(doc, &(sp_json_at){&legal_at, "legal", 0}, "legal", json_array_get(legal, 1),
                             &r->max_legal));
    TRY(sp_json_read_members(doc, at, object, sizeof members / sizeof *members, members, r));
done:
    return status;
}

static sp_status read_recipe(const sp_json_doc *doc, void *recipe)
{
    static const sp_json_member members[] = {
        {"name", SP_JSON_TEXT, offsetof(sp_policy_recipe, name), NULL},
        {"description", SP_JSON_TEXT, offsetof(sp_policy_recipe, description), NULL},
        POLICY(SP_JSON_WHOLE, "seed", seed)};
    sp_policy_recipe *r = recipe;
    const sp_json_at root = {NULL, NULL, 0}, version = {&root, "statepath_recipe", 0},
                     policy = {&root, "policy", 0};
    const json_t *format = json_object_get(doc->root, "statepath_recipe");
    const char *key;
    sp_error fault;
    if (!json_is_integer(format) || json_integer_value(format) != 1)
        return sp_json_fail(doc, format ? &version : &root, "a recipe begins with \"statepath_recipe\": 1");
    sp_status status = SP_OK;
    TRY(sp_json_check_keys(doc, &root, doc->root, N_RECIPE_KEYS, recipe_keys));
    TRY(sp_json_read_members(doc, &root, doc->root, sizeof members / sizeof *members, members, r));
    TRY(read_policy(doc, &policy, json_object_get(doc->root, "policy"), r));
    if (sp_policy_recipe_check(r, &key, &fault) != SP_OK)
        return sp_json_fail(doc, &(sp_json_at){strcmp(key, "seed") == 0 ? &root : &policy, key, 0}, "%s",
                            fault.message);
done:
    return status;
}

static void free_any(void *recipe)
{
    sp_policy_recipe_free(recipe);
}

static const sp_recipe_kind policies = {
    .key = "policy", .size = sizeof(sp_policy_recipe), .read = read_recipe, .free = free_any};

sp_status sp_policy_recipe_from_json(const char *text, const char *name, sp_policy_recipe **out,
                                     sp_error *err)
{
    return sp_recipe_from_text(&policies, text, name, (void **)out, err);
}

sp_status sp_policy_recipe_load(const char *file, sp_policy_recipe **out, sp_error *err)
{
    return sp_recipe_from_file(&policies, file, (void **)out, err);
}

/* ---- writing ---- */

sp_status sp_policy_recipe_to_json(const sp_policy_recipe *r, char **text, sp_error *err)
{
    sp_json_writer writer;
    sp_json_writer_open(&writer);
    sp_json_put(&writer, "{\n  \"statepath_recipe\": 1");
    sp_json_put_text(&writer, "name", r->name);
    sp_json_put_text(&writer, "description", r->description);
    sp_json_putf(&writer,
                 ",\n  \"seed\": %lld,\n  \"policy\": {\n    \"moves\": %lld,\n    \"positions\": %lld",
                 (long long)r->seed, (long long)r->n_moves, (long long)r->n_positions);
    sp_json_putf(&writer,
                 ",\n    \"legal\": [%lld, %lld],\n    \"usual_legal\": %g,\n    \"legal_spread\": %g",
                 (long long)r->min_legal, (long long)r->max_legal, r->usual_legal, r->legal_spread);
    sp_json_putf(&writer, ",\n    \"sharpness\": %g,\n    \"leak\": %g,\n    \"leak_spread\": %g\n  }\n}\n",
                 r->sharpness, r->leak, r->leak_spread);
    return sp_json_writer_close(&writer, text, err);
}
