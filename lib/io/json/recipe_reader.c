#include "io/json/recipe_reader.h"

#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "io/text/text_read.h"
#include "statepath/status.h"

/* The member of an object, or NULL and *status set when it must be there. */
json_t *sp_recipe_member(const sp_recipe_reader *reader, const sp_json_at *at, const char *key,
                         const char *example, sp_status *status)
{
    json_t *object = at->key ? reader->inner_object : reader->doc.root;
    json_t *value = json_object_get(object, key);
    if (!value && example)
        *status = sp_json_missing(&reader->doc, at, key, example);
    return value;
}

sp_status sp_recipe_find_class(const sp_recipe_reader *reader, const sp_json_at *at, const char *name,
                               int32_t *out)
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
    return sp_json_fail(
        &reader->doc, &here, "key \"%s\", class \"%s\": the recipe has no such class (it has %s)%s", at->key,
        name, sp_name_list(list, sizeof list, k, names), sp_name_hint(hint, sizeof hint, name, k, names));
}

/* ---- text and files ---- */

sp_status sp_recipe_from_text(const sp_recipe_kind *kind, const char *text, const char *name, void **out,
                              sp_error *err)
{
    sp_json_doc doc;
    sp_status status = sp_json_open(&doc, text, name, "a recipe", SP_EINVAL, err);
    if (status != SP_OK)
        return status;
    void *recipe = NULL;
    if (!kind->key || json_object_get(doc.root, kind->key)) {
        recipe = calloc(1, kind->size);
        status = recipe ? kind->read(&doc, recipe) : sp_no_memory(err);
    }
    if (status == SP_OK)
        *out = recipe;
    else if (recipe)
        kind->free(recipe);
    sp_json_close(&doc);
    return status;
}

sp_status sp_recipe_from_file(const sp_recipe_kind *kind, const char *file, void **out, sp_error *err)
{
    char *text;
    sp_status status = sp_text_read(file, "a recipe", &text, err);
    if (status != SP_OK)
        return status;
    status = sp_recipe_from_text(kind, text, file, out, err);
    free(text);
    return status;
}
