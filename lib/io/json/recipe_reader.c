#include "io/json/recipe_reader.h"

#include <string.h>

#include "core/name_hint.h"
#include "statepath/status.h"

/* The member of an object, or NULL and *status set when it must be there. */
json_t *sp_recipe_member(const sp_recipe_reader *reader, const sp_json_at *at, const char *key, const char *example,
                         sp_status *status)
{
    json_t *object = at->key ? reader->inner_object : reader->doc.root;
    json_t *value = json_object_get(object, key);
    if (!value && example)
        *status = sp_json_fail(&reader->doc, at, "key \"%s\" is missing%s%s; as \"%s\": %s", key, at->key ? " in " : "",
                               at->key ? at->key : "", key, example);
    return value;
}

sp_status sp_recipe_want_number(const sp_recipe_reader *reader, const sp_json_at *at, const char *key, const json_t *value,
                                double *out)
{
    if (!json_is_number(value))
        return sp_json_fail(&reader->doc, at, "key \"%s\": needs a number; this is %s", key, sp_json_kind(value));
    *out = json_number_value(value);
    return SP_OK;
}

/* An optional number; *out keeps its default. */
sp_status sp_recipe_read_number(const sp_recipe_reader *reader, const sp_json_at *parent, const char *key, double *out)
{
    json_t *value = sp_recipe_member(reader, parent, key, NULL, NULL);
    sp_json_at at = {parent, key, 0};
    return value ? sp_recipe_want_number(reader, &at, key, value, out) : SP_OK;
}

sp_status sp_recipe_want_integer(const sp_recipe_reader *reader, const sp_json_at *at, const char *key, const json_t *value,
                                 int64_t *out)
{
    if (!json_is_integer(value))
        return sp_json_fail(&reader->doc, at, "key \"%s\": needs a whole number; this is %s", key,
                            json_is_real(value) ? "a fraction" : sp_json_kind(value));
    *out = json_integer_value(value);
    return SP_OK;
}

sp_status sp_recipe_find_class(const sp_recipe_reader *reader, const sp_json_at *at, const char *name, int32_t *out)
{
    const sp_recipe *recipe = reader->recipe;
    int32_t k = 0;
    while (k < recipe->n_classes && strcmp(recipe->classes[k], name) != 0)
        k++;
    *out = k;
    if (k < recipe->n_classes)
        return SP_OK;
    char list[512], hint[512];
    const char *const *names = (const char *const *)recipe->classes;
    sp_json_at here = {at, name, 0};
    return sp_json_fail(&reader->doc, &here, "key \"%s\", class \"%s\": the recipe has no such class (it has %s)%s", at->key,
                        name, sp_name_list(list, sizeof list, k, names), sp_name_hint(hint, sizeof hint, name, k, names));
}
