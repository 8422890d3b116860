#include "recipe_text.h"

#include "check.h"
#include "statepath/model_json.h"

#include <unistd.h>

sp_status recipe_from_text(const char *text, sp_recipe **out, sp_error *err)
{
    char folder[] = "/tmp/statepath-recipe-XXXXXX", name[sizeof folder + sizeof "/r.json"], *found;
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/r.json", folder);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    sp_status status = sp_recipe_load(name, out, err);
    remove(name);
    rmdir(folder);
    while (status != SP_OK && err && (found = strstr(err->message, folder)))
        memmove(found, found + strlen(folder) + 1, strlen(found + strlen(folder) + 1) + 1);
    return status;
}
