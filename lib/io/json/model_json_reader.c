#include "io/json/model_json_reader.h"

#include "core/names.h"
#include "statepath/status.h"

sp_status sp_model_want_object(const sp_model_reader *reader, const sp_json_at *at, const json_t *value,
                               const char *what)
{
    if (json_is_object(value))
        return SP_OK;
    return sp_json_fail(&reader->doc, at, "key \"%s\": needs an object, %s; this is %s", at->key, what,
                        sp_json_kind(value));
}

sp_status sp_model_find(const sp_model_reader *reader, const sp_json_at *at, const char *key,
                        const char *name, bool of_classes, int32_t *out)
{
    bool is_state = reader->has_states && !of_classes;
    const sp_model *model = reader->model;
    int32_t found = sp_names_find(is_state ? &reader->states : &reader->classes, name);
    if (found >= 0) {
        *out = found;
        return SP_OK;
    }
    const char *const *names = (const char *const *)(is_state ? model->states : model->classes);
    int32_t n = is_state ? model->n_states : model->n_classes;
    char list[512], hint[512];
    const char *noun = is_state ? "state" : "class";
    const char *advice = is_state && sp_names_find(&reader->classes, name) >= 0
                             ? " (it is a class; with \"states\", rules speak of states)"
                             : "";
    return sp_json_fail(&reader->doc, at, "key \"%s\", %s \"%s\": the model has no such %s%s (it has %s)%s",
                        key, noun, name, noun, advice, sp_name_list(list, sizeof list, n, names),
                        sp_name_hint(hint, sizeof hint, name, n, names));
}

sp_status sp_model_check_members(const sp_model_reader *reader, const sp_json_at *at, json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        sp_json_at here = {at, key, 0};
        int32_t s;
        sp_status status = sp_model_find(reader, &here, at->key, key, false, &s);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

/* A non-empty string at `at`, or the failure. */
sp_status sp_model_want_name(const sp_model_reader *reader, const sp_json_at *at, const char *key,
                             const json_t *value, const char *what)
{
    if (!json_is_string(value))
        return sp_json_fail(&reader->doc, at, "key \"%s\": %s is a string in double quotes; this is %s", key,
                            what, sp_json_kind(value));
    if (json_string_length(value) == 0)
        return sp_json_fail(&reader->doc, at, "key \"%s\": %s must not be empty", key, what);
    return SP_OK;
}
