/* A model from JSON: everything but the rules themselves (model_json_rules.c). */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/json/model_json_reader.h"
#include "statepath/model_json.h"
#include "statepath/status.h"

static const char *const model_keys[] = {"statepath_model",
                                         "name",
                                         "description",
                                         "source",
                                         "classes",
                                         "aliases",
                                         "states",
                                         "allow",
                                         "forbid",
                                         "matrix",
                                         "probabilities",
                                         "log_weights",
                                         "tied",
                                         "start",
                                         "end",
                                         "start_log_weights",
                                         "end_log_weights",
                                         "min_dwell",
                                         "min_dwell_at_end",
                                         "durations",
                                         "durations_at_ends",
                                         "rules",
                                         "prior",
                                         "decoding",
                                         "labeller",
                                         "windows"};

/* ---- name and classes ---- */

static sp_status read_version(const sp_model_reader *reader)
{
    const json_t *value = sp_model_member(reader, "statepath_model");
    sp_json_at at = {&reader->root, "statepath_model", 0};
    if (!value) {
        char hint[128] = "";
        const char *key;
        json_t *unused;
        json_object_foreach(reader->doc.root, key, unused)
        {
            sp_json_at here = {&reader->root, key, 0};
            const char *const wanted[] = {"statepath_model"};
            if (sp_name_nearest(key, 1, wanted) == 0)
                return sp_json_fail(&reader->doc, &here, "key \"%s\" is not known%s", key,
                                    sp_name_hint(hint, sizeof hint, key, 1, wanted));
        }
        return sp_json_fail(&reader->doc, &reader->root,
                            "key \"statepath_model\" is missing; a model begins with \"statepath_model\": 1");
    }
    if (!json_is_integer(value) || json_integer_value(value) != 1)
        return sp_json_fail(&reader->doc, &at,
                            "key \"statepath_model\": this is statepath %s, which reads models of format 1; "
                            "write 1, or use the "
                            "version that wrote this model",
                            sp_version());
    return SP_OK;
}

/* The file's own name without folder and ending, where the model does not say what it is called. */
static char *name_from_file(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    size_t length = strlen(base);
    const char *const endings[] = {".json", ".model"};
    for (int i = 0; i < 2; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strncmp(base + length - ending, endings[i], ending) == 0)
            length -= ending;
    }
    return length ? strndup(base, length) : strdup("model");
}

static sp_status check_classes(const sp_model_reader *reader, const json_t *list)
{
    sp_json_at at = {&reader->root, "classes", 0};
    if (!list)
        return sp_json_fail(
            &reader->doc, &reader->root,
            "key \"classes\" is missing; name the classes in order: \"classes\": [\"Wake\", \"N1\"]");
    if (!json_is_array(list) || json_array_size(list) == 0)
        return sp_json_fail(&reader->doc, &at,
                            "key \"classes\": needs a list of at least one name; this is %s",
                            json_is_array(list) ? "empty" : sp_json_kind(list));
    if (json_array_size(list) > SP_MODEL_MOST_STATES)
        return sp_json_fail(&reader->doc, &at, "key \"classes\": %zu classes; at most %d can be read",
                            json_array_size(list), SP_MODEL_MOST_STATES);
    size_t k;
    json_t *item;
    json_array_foreach(list, k, item)
    {
        sp_json_at here = {&at, NULL, k};
        sp_status status = sp_model_want_name(reader, &here, "classes", item, "a class");
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

static sp_status read_classes(sp_model_reader *reader)
{
    const json_t *list = sp_model_member(reader, "classes");
    sp_status status = check_classes(reader, list);
    if (status != SP_OK)
        return status;
    int32_t n = (int32_t)json_array_size(list);
    const char **names = malloc((size_t)n * sizeof *names);
    if (!names || sp_names_init(&reader->classes, n) != SP_OK) {
        free(names);
        return sp_no_memory(reader->doc.err);
    }
    sp_json_at at = {&reader->root, "classes", 0};
    for (int32_t k = 0; k < n; k++) {
        names[k] = json_string_value(json_array_get(list, (size_t)k));
        sp_json_at here = {&at, NULL, (size_t)k};
        if (sp_names_add(&reader->classes, names[k], k) != k)
            TRY(sp_json_fail(&reader->doc, &here,
                             "key \"classes\", class \"%s\": listed twice; names must differ", names[k]));
    }
    if (!(reader->model = sp_model_new("", n, names)))
        TRY(sp_no_memory(reader->doc.err));
done:
    free(names);
    return status;
}

static sp_status read_name(sp_model_reader *reader)
{
    sp_model *model = reader->model;
    const json_t *value = sp_model_member(reader, "name");
    sp_json_at at = {&reader->root, "name", 0};
    sp_status status = value ? sp_model_want_name(reader, &at, "name", value, "the model's name") : SP_OK;
    if (status != SP_OK)
        return status;
    char *name = value ? strdup(json_string_value(value)) : name_from_file(reader->doc.name);
    if (!name)
        return sp_no_memory(reader->doc.err);
    free(model->name);
    model->name = name;
    return SP_OK;
}

/* ---- states ---- */

static sp_status read_states(sp_model_reader *reader)
{
    json_t *object = sp_model_member(reader, "states");
    if (!object)
        return SP_OK;
    sp_model *model = reader->model;
    sp_json_at at = {&reader->root, "states", 0};
    sp_status status =
        sp_model_want_object(reader, &at, object, "state -> the class it emits, as {\"N2 early\": \"N2\"}");
    if (status != SP_OK)
        return status;
    size_t n = json_object_size(object);
    if (n > SP_MODEL_MOST_STATES)
        return sp_json_fail(&reader->doc, &at, "key \"states\": %zu states; at most %d can be read", n,
                            SP_MODEL_MOST_STATES);
    if (n == 0)
        return sp_json_fail(
            &reader->doc, &at,
            "key \"states\": needs at least one state; leave the key out for one state per class");
    model->n_states = 0; /* sp_model_free() goes by it: never more than the array holds */
    model->states = calloc(n, sizeof *model->states);
    model->state_class = calloc(n, sizeof *model->state_class);
    if (!model->states || !model->state_class || sp_names_init(&reader->states, (int64_t)n) != SP_OK)
        return sp_no_memory(reader->doc.err);
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        sp_json_at here = {&at, key, 0};
        if (!*key)
            return sp_json_fail(&reader->doc, &here, "key \"states\": a state's name must not be empty");
        if (!json_is_string(value))
            return sp_json_fail(
                &reader->doc, &here,
                "key \"states\", state \"%s\": needs the name of the class it emits; this is %s", key,
                sp_json_kind(value));
        int32_t s = model->n_states;
        if ((status = sp_model_find(reader, &here, "states", json_string_value(value), true,
                                    &model->state_class[s])) != SP_OK)
            return status;
        if (!(model->states[s] = strdup(key)))
            return sp_no_memory(reader->doc.err);
        sp_names_add(&reader->states, model->states[s], s);
        model->n_states++;
    }
    reader->has_states = true;
    return SP_OK;
}

/* ---- the whole ---- */

static sp_status read_model(sp_model_reader *reader)
{
    sp_status (*const parts[])(sp_model_reader *) = {
        sp_model_read_aliases,     read_states,          sp_model_read_transitions,
        sp_model_read_ends,        sp_model_read_dwell,  sp_model_read_durations,
        sp_model_read_expressions, sp_model_read_prior,  sp_model_read_decoding,
        sp_model_read_labeller,    sp_model_read_windows};
    const sp_json_doc *doc = &reader->doc;
    sp_error cause;
    sp_status status = SP_OK;
    TRY(read_version(reader));
    TRY(sp_json_check_keys(doc, &reader->root, doc->root, (int32_t)(sizeof model_keys / sizeof *model_keys),
                           model_keys));
    TRY(read_classes(reader));
    TRY(read_name(reader));
    TRY(sp_json_read_text(doc, "description", &reader->model->description));
    TRY(sp_json_read_text(doc, "source", &reader->model->source));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(parts[i](reader));
    if ((status = sp_model_check(reader->model, &cause)) != SP_OK)
        return sp_fail(doc->err, status, "%s: %s", doc->name, cause.message);
done:
    return status;
}

sp_status sp_model_from_json(const char *text, const char *name, sp_model **out, sp_error *err)
{
    sp_model_reader reader = {0};
    sp_status status = sp_json_open(&reader.doc, text, name, "a model", SP_EMODEL, err);
    if (status != SP_OK)
        return status;
    status = read_model(&reader);
    if (status == SP_OK)
        *out = reader.model;
    else
        sp_model_free(reader.model);
    sp_names_clear(&reader.classes);
    sp_names_clear(&reader.states);
    sp_json_close(&reader.doc);
    return status;
}
