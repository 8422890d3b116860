/* Recipes of policies, from JSON and back. */
#include <string.h>

#include "core/try.h"
#include "io/json/policy_json.h"
#include "io/json/recipe_reader.h"
#include "statepath/model_json.h"
#include "json/json_write.h"

static const char *const recipe_keys[] = {"statepath_recipe", "name", "description", "seed", "policy"};
static const char *const policy_keys[] = {"moves",        "positions", "legal", "usual_legal",
                                          "legal_spread", "sharpness", "leak",  "leak_spread"};
enum { N_RECIPE_KEYS = sizeof recipe_keys / sizeof *recipe_keys, N_POLICY_KEYS = sizeof policy_keys / sizeof *policy_keys };

static sp_status read_integer(const sp_json_doc *doc, const sp_json_at *parent, const char *key, const json_t *value,
                              int64_t *out)
{
    const sp_json_at at = {parent, key, 0};
    return value ? sp_json_want_integer(doc, &at, key, value, out) : sp_json_fail(doc, parent, "key \"%s\" is missing", key);
}

static sp_status read_number(const sp_json_doc *doc, const sp_json_at *parent, const char *key, const json_t *value, double *out)
{
    const sp_json_at at = {parent, key, 0};
    return value ? sp_json_want_number(doc, &at, key, value, out) : sp_json_fail(doc, parent, "key \"%s\" is missing", key);
}

static sp_status read_policy(const sp_json_doc *doc, const sp_json_at *at, json_t *object, sp_policy_recipe *r)
{
    const sp_json_at legal_at = {at, "legal", 0};
    if (!json_is_object(object))
        return sp_json_fail(doc, at, "key \"policy\": needs an object, as {\"moves\": 1900, ...}; this is %s",
                            sp_json_kind(object));
    sp_status status = SP_OK;
    TRY(sp_json_check_keys(doc, at, object, N_POLICY_KEYS, policy_keys));
    const json_t *legal = json_object_get(object, "legal");
    if ((!json_is_array(legal) || json_array_size(legal) != 2))
        TRY(sp_json_fail(doc, legal ? &legal_at : at,
                         "key \"legal\": needs the least and the greatest number of legal moves, as [1, 218]"));
    TRY(read_integer(doc, &legal_at, "legal", json_array_get(legal, 0), &r->min_legal));
    TRY(read_integer(doc, &legal_at, "legal", json_array_get(legal, 1), &r->max_legal));
    TRY(read_integer(doc, at, "moves", json_object_get(object, "moves"), &r->n_moves));
    TRY(read_integer(doc, at, "positions", json_object_get(object, "positions"), &r->n_positions));
    double *const numbers[] = {&r->usual_legal, &r->legal_spread, &r->sharpness, &r->leak, &r->leak_spread};
    for (int i = 0; i < 5; i++)
        TRY(read_number(doc, at, policy_keys[3 + i], json_object_get(object, policy_keys[3 + i]), numbers[i]));
done:
    return status;
}

static sp_status read_recipe(const sp_json_doc *doc, void *recipe)
{
    sp_policy_recipe *r = recipe;
    const sp_json_at root = {NULL, NULL, 0}, version = {&root, "statepath_recipe", 0}, policy = {&root, "policy", 0};
    const json_t *format = json_object_get(doc->root, "statepath_recipe");
    const char *key;
    sp_error fault;
    if (!json_is_integer(format) || json_integer_value(format) != 1)
        return sp_json_fail(doc, format ? &version : &root, "a recipe begins with \"statepath_recipe\": 1");
    sp_status status = sp_json_check_keys(doc, &root, doc->root, N_RECIPE_KEYS, recipe_keys);
    if (status == SP_OK)
        status = sp_json_read_text(doc, "name", &r->name);
    if (status == SP_OK)
        status = sp_json_read_text(doc, "description", &r->description);
    if (status == SP_OK)
        status = read_integer(doc, &root, "seed", json_object_get(doc->root, "seed"), &r->seed);
    if (status == SP_OK)
        status = read_policy(doc, &policy, json_object_get(doc->root, "policy"), r);
    if (status != SP_OK || sp_policy_recipe_check(r, &key, &fault) == SP_OK)
        return status;
    const sp_json_at at = {strcmp(key, "seed") == 0 ? &root : &policy, key, 0};
    return sp_json_fail(doc, &at, "%s", fault.message);
}

static void free_any(void *recipe)
{
    sp_policy_recipe_free(recipe);
}

static const sp_recipe_kind policies = {.key = "policy", .size = sizeof(sp_policy_recipe), .read = read_recipe, .free = free_any};

sp_status sp_policy_recipe_from_json(const char *text, const char *name, sp_policy_recipe **out, sp_error *err)
{
    void *recipe;
    sp_status status = sp_recipe_from_text(&policies, text, name, &recipe, err);
    if (status == SP_OK)
        *out = recipe;
    return status;
}

sp_status sp_policy_recipe_load(const char *file, sp_policy_recipe **out, sp_error *err)
{
    void *recipe;
    sp_status status = sp_recipe_from_file(&policies, file, &recipe, err);
    if (status == SP_OK)
        *out = recipe;
    return status;
}

/* ---- writing ---- */

sp_status sp_policy_recipe_to_json(const sp_policy_recipe *r, char **text, sp_error *err)
{
    sp_json_writer writer;
    sp_json_writer_open(&writer);
    sp_json_put(&writer, "{\n  \"statepath_recipe\": 1");
    const char *const keys[] = {"name", "description"}, *const texts[] = {r->name, r->description};
    for (int i = 0; i < 2; i++)
        if (texts[i]) {
            sp_json_put_key(&writer, keys[i]);
            sp_json_put_string(&writer, texts[i]);
        }
    sp_json_put_key(&writer, "seed");
    sp_json_put_integer(&writer, r->seed);
    sp_json_put_key(&writer, "policy");
    sp_json_put(&writer, "{\n    \"moves\": ");
    sp_json_put_integer(&writer, r->n_moves);
    sp_json_put(&writer, ",\n    \"positions\": ");
    sp_json_put_integer(&writer, r->n_positions);
    sp_json_put(&writer, ",\n    \"legal\": [");
    sp_json_put_integer(&writer, r->min_legal);
    sp_json_put(&writer, ", ");
    sp_json_put_integer(&writer, r->max_legal);
    sp_json_put(&writer, "]");
    const double numbers[] = {r->usual_legal, r->legal_spread, r->sharpness, r->leak, r->leak_spread};
    for (int i = 0; i < 5; i++)
        sp_json_put_member(&writer, policy_keys[3 + i], numbers[i]);
    sp_json_put(&writer, "\n  }\n}\n");
    return sp_json_writer_close(&writer, text, err);
}
