/* Recipes of made data, from JSON and back. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/json/recipe_reader.h"
#include "learn/learn.h"
#include "statepath/model_json.h"

static const char *const recipe_keys[] = {"statepath_recipe", "name",       "description", "seed",
                                          "classes",          "recordings", "steps",       "start",
                                          "transitions",      "model",      "unscored",    "generator",
                                          "unused",           "classifier", "signals",     "epoch_seconds"};
static const char *const classifier_keys[] = {"confusion", "error_run", "noise", "overconfidence", "floor"};

/* ---- parts ---- */

static sp_status read_version(const sp_recipe_reader *reader)
{
    const json_t *value = json_object_get(reader->doc.root, "statepath_recipe");
    sp_json_at at = {&reader->root, "statepath_recipe", 0};
    if (!value)
        return sp_json_fail(
            &reader->doc, &reader->root,
            "key \"statepath_recipe\" is missing; a recipe begins with \"statepath_recipe\": 1%s",
            json_object_get(reader->doc.root, "statepath_model") ? " (this is a model)" : "");
    if (!json_is_integer(value) || json_integer_value(value) != 1)
        return sp_json_fail(
            &reader->doc, &at,
            "key \"statepath_recipe\": this is statepath %s, which reads recipes of format 1; write 1",
            sp_version());
    return SP_OK;
}

static sp_status read_classes(sp_recipe_reader *reader)
{
    sp_status status = SP_OK;
    const json_t *list = sp_recipe_member(reader, &reader->root, "classes", "[\"Wake\", \"N1\"]", &status);
    sp_json_at at = {&reader->root, "classes", 0};
    if (!list)
        return status;
    if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > INT32_MAX)
        return sp_json_fail(&reader->doc, &at,
                            "key \"classes\": needs a list of at least one name; this is %s",
                            json_is_array(list) ? "empty" : sp_json_kind(list));
    sp_recipe *recipe = reader->recipe;
    if (!(recipe->classes = calloc(json_array_size(list), sizeof *recipe->classes)))
        return sp_no_memory(reader->doc.err);
    recipe->n_classes = (int32_t)json_array_size(list);
    for (int32_t k = 0; k < recipe->n_classes; k++) {
        const json_t *item = json_array_get(list, (size_t)k);
        sp_json_at here = {&at, NULL, (size_t)k};
        if (!json_is_string(item))
            return sp_json_fail(&reader->doc, &here,
                                "key \"classes\": a class is a string in double quotes; this is %s",
                                sp_json_kind(item));
        if (!(recipe->classes[k] = strdup(json_string_value(item))))
            return sp_no_memory(reader->doc.err);
    }
    return SP_OK;
}

/* K x K numbers, rows = from. */
static sp_status read_matrix(const sp_recipe_reader *reader, const sp_json_at *parent, const char *key,
                             double **out)
{
    sp_status status = SP_OK;
    json_t *matrix = sp_recipe_member(reader, parent, key, "[[0.9, 0.1], [0.2, 0.8]]", &status);
    if (!matrix)
        return status;
    const sp_recipe *recipe = reader->recipe;
    size_t k = (size_t)recipe->n_classes;
    sp_json_at at = {parent, key, 0};
    if (!json_is_array(matrix) || json_array_size(matrix) != k)
        return sp_json_fail(&reader->doc, &at, "key \"%s\": needs a list of %zu rows, one for each class",
                            key, k);
    if (!(*out = malloc(k * k * sizeof **out)))
        return sp_no_memory(reader->doc.err);
    for (size_t i = 0; i < k; i++) {
        const json_t *row = json_array_get(matrix, i);
        sp_json_at row_at = {&at, NULL, i};
        if (!json_is_array(row) || json_array_size(row) != k)
            return sp_json_fail(&reader->doc, &row_at, "key \"%s\", row \"%s\": needs a list of %zu numbers",
                                key, recipe->classes[i], k);
        for (size_t j = 0; j < k; j++) {
            sp_json_at here = {&row_at, NULL, j};
            if ((status = sp_json_want_number(&reader->doc, &here, key, json_array_get(row, j),
                                              &(*out)[i * k + j])) != SP_OK)
                return status;
        }
    }
    return SP_OK;
}

static sp_status read_start(sp_recipe_reader *reader)
{
    sp_status status = SP_OK;
    sp_recipe *recipe = reader->recipe;
    json_t *object = sp_recipe_member(reader, &reader->root, "start", "{\"Wake\": 1}", &status);
    if (!object)
        return status;
    sp_json_at at = {&reader->root, "start", 0};
    if (!json_is_object(object))
        return sp_json_fail(&reader->doc, &at,
                            "key \"start\": needs class -> probability, as {\"%s\": 1}; this is %s",
                            recipe->classes[0], sp_json_kind(object));
    if (!(recipe->start = calloc((size_t)recipe->n_classes, sizeof *recipe->start)))
        return sp_no_memory(reader->doc.err);
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        sp_json_at here = {&at, key, 0};
        int32_t k = 0;
        if ((status = sp_recipe_find_class(reader, &at, key, &k)) != SP_OK)
            return status;
        if ((status = sp_json_want_number(&reader->doc, &here, "start", value, &recipe->start[k])) != SP_OK)
            return status;
    }
    return SP_OK;
}

/* `steps`: one length, or two. */
static sp_status read_steps(sp_recipe_reader *reader)
{
    sp_recipe *recipe = reader->recipe;
    sp_status status = SP_OK;
    const json_t *steps = sp_recipe_member(reader, &reader->root, "steps", "[700, 1100]", &status);
    const sp_json_at at = {&reader->root, "steps", 0};
    if (!steps)
        return status;
    const bool is_range = json_is_array(steps);
    if (is_range && json_array_size(steps) != 2)
        return sp_json_fail(&reader->doc, &at,
                            "key \"steps\": needs one length, or two: the least and the greatest");
    TRY(sp_json_want_integer(&reader->doc, &at, "steps", is_range ? json_array_get(steps, 0) : steps,
                             &recipe->min_steps));
    TRY(sp_json_want_integer(&reader->doc, &at, "steps", is_range ? json_array_get(steps, 1) : steps,
                             &recipe->max_steps));
done:
    return status;
}

static sp_status read_generator(sp_recipe_reader *reader)
{
    sp_recipe *recipe = reader->recipe;
    const sp_json_at at = {&reader->root, "generator", 0};
    char *name = NULL;
    sp_status status = SP_OK;
    TRY(sp_json_read_text(&reader->doc, at.key, &name));
    recipe->is_numpy = name && strcmp(name, "numpy") == 0;
    if (name && !recipe->is_numpy && strcmp(name, "gsl") != 0)
        TRY(sp_json_fail(&reader->doc, &at,
                         "key \"generator\": \"%s\" is not known; it is \"gsl\" or \"numpy\"", name));
done:
    free(name);
    return status;
}

/* Finds "classifier" or "signals": what the recipe is about. */
static sp_status find_inner(sp_recipe_reader *reader)
{
    sp_status status = SP_OK;
    json_t *root = reader->doc.root;
    if (json_object_get(root, "signals"))
        reader->inner.key = "signals";
    sp_json_at classifier = {&reader->root, "classifier", 0};
    if (json_object_get(root, "signals") && json_object_get(root, "classifier"))
        return sp_json_fail(
            &reader->doc, &classifier,
            "key \"classifier\": a recipe makes scores or signals, not both; remove this or \"signals\"");
    json_t *object = sp_recipe_member(reader, &reader->root, reader->inner.key,
                                      "{\"confusion\": [[0.9, 0.1], [0.2, 0.8]]}", &status);
    if (object && !json_is_object(object))
        return sp_json_fail(&reader->doc, &reader->inner, "key \"%s\": needs an object; this is %s",
                            reader->inner.key, sp_json_kind(object));
    reader->inner_object = object;
    return status;
}

static sp_status read_classifier(sp_recipe_reader *reader)
{
    static const sp_json_member numbers[] = {
        {"error_run", SP_JSON_NUMBER, offsetof(sp_recipe, error_run), NULL},
        {"noise", SP_JSON_NUMBER, offsetof(sp_recipe, noise), NULL},
        {"overconfidence", SP_JSON_NUMBER, offsetof(sp_recipe, overconfidence), NULL},
        {"floor", SP_JSON_NUMBER, offsetof(sp_recipe, floor), NULL}};
    sp_recipe *recipe = reader->recipe;
    const sp_json_at *at = &reader->inner;
    recipe->error_run = recipe->overconfidence = 1;
    recipe->floor = fmin(0.001, 1.0 / recipe->n_classes);
    sp_status status = SP_OK;
    TRY(sp_json_check_keys(&reader->doc, at, reader->inner_object, 5, classifier_keys));
    TRY(read_matrix(reader, at, "confusion", &recipe->confusion));
    TRY(sp_json_read_members(&reader->doc, at, reader->inner_object, sizeof numbers / sizeof *numbers,
                             numbers, recipe));
done:
    return status;
}

/* ---- the whole ---- */

/* sp_recipe_check(), with the place of what it finds. */
static sp_status check_recipe(const sp_recipe_reader *reader)
{
    sp_recipe_place place;
    sp_error cause;
    sp_status status = sp_recipe_check(reader->recipe, &place, &cause);
    if (status == SP_OK)
        return SP_OK;
    bool is_inner = json_object_get(reader->inner_object, place.key) != NULL;
    sp_json_at key = {is_inner ? &reader->inner : &reader->root, place.key, 0};
    sp_json_at row = {&key, NULL, place.row < 0 ? 0 : (size_t)place.row};
    if (place.row >= 0 && json_is_object(json_object_get(reader->inner_object, place.key)))
        row.key = reader->recipe->classes[place.row]; /* an object by class, not a list */
    if (status == SP_ENOMEM)
        return sp_no_memory(reader->doc.err);
    return sp_json_fail(&reader->doc, place.row < 0 ? &key : &row, "%s", cause.message);
}

static sp_status read_recipe(sp_recipe_reader *reader)
{
    static const sp_json_member members[] = {
        {"name", SP_JSON_TEXT, offsetof(sp_recipe, name), NULL},
        {"description", SP_JSON_TEXT, offsetof(sp_recipe, description), NULL},
        {"seed", SP_JSON_WHOLE, offsetof(sp_recipe, seed), "1"},
        {"recordings", SP_JSON_WHOLE, offsetof(sp_recipe, n_recordings), "20"},
        {"unscored", SP_JSON_NUMBER, offsetof(sp_recipe, unscored), NULL},
        {"epoch_seconds", SP_JSON_NUMBER, offsetof(sp_recipe, epoch_seconds), NULL},
        {"model", SP_JSON_TEXT, offsetof(sp_recipe, model), NULL},
        {"unused", SP_JSON_WHOLE, offsetof(sp_recipe, n_unused), NULL}};
    enum { N_MEMBERS = sizeof members / sizeof *members, N_FIRST = 2 /* what it is called */ };
    sp_recipe *recipe = reader->recipe;
    const sp_json_at *root = &reader->root;
    sp_status status = SP_OK;
    TRY(read_version(reader));
    TRY(sp_json_check_keys(&reader->doc, root, reader->doc.root,
                           (int32_t)(sizeof recipe_keys / sizeof *recipe_keys), recipe_keys));
    TRY(sp_json_read_members(&reader->doc, root, reader->doc.root, N_FIRST, members, recipe));
    TRY(read_classes(reader));
    TRY(sp_json_read_members(&reader->doc, root, reader->doc.root, N_MEMBERS - N_FIRST, members + N_FIRST,
                             recipe));
    TRY(read_steps(reader));
    TRY(read_start(reader));
    TRY(read_matrix(reader, root, "transitions", &recipe->transitions));
    TRY(read_generator(reader));
    TRY(find_inner(reader));
    TRY(json_object_get(reader->doc.root, "signals") ? sp_recipe_read_signals(reader)
                                                     : read_classifier(reader));
    TRY(check_recipe(reader));
    if (recipe->model)
        TRY(sp_recipe_apply_model(reader));
done:
    return status;
}

static sp_status read_any(const sp_json_doc *doc, void *recipe)
{
    sp_recipe_reader reader = {.doc = *doc, .inner = {NULL, "classifier", 0}, .recipe = recipe};
    reader.inner.parent = &reader.root;
    return read_recipe(&reader);
}

static void free_any(void *recipe)
{
    sp_recipe_free(recipe);
}

static const sp_recipe_kind recordings = {.size = sizeof(sp_recipe), .read = read_any, .free = free_any};

sp_status sp_recipe_from_json(const char *text, const char *name, sp_recipe **out, sp_error *err)
{
    return sp_recipe_from_text(&recordings, text, name, (void **)out, err);
}

sp_status sp_recipe_load(const char *file, sp_recipe **out, sp_error *err)
{
    return sp_recipe_from_file(&recordings, file, (void **)out, err);
}

/* ---- writing ---- */

static void put_start(sp_json_writer *writer, const sp_recipe *recipe)
{
    sp_json_put_key(writer, "start");
    sp_json_put(writer, "{");
    bool is_first = true;
    for (int32_t k = 0; k < recipe->n_classes; k++) {
        if (recipe->start[k] == 0)
            continue;
        sp_json_put_name(writer, is_first, 4, recipe->classes[k]);
        is_first = false;
        sp_json_put_number(writer, recipe->start[k]);
    }
    sp_json_put(writer, "}");
}

static void put_steps(sp_json_writer *writer, const sp_recipe *recipe)
{
    const bool is_range = recipe->min_steps != recipe->max_steps;
    sp_json_putf(writer, ",\n  \"recordings\": %lld,\n  \"steps\": ", (long long)recipe->n_recordings);
    if (is_range)
        sp_json_putf(writer, "[%lld, %lld]", (long long)recipe->min_steps, (long long)recipe->max_steps);
    else
        sp_json_put_integer(writer, recipe->min_steps);
}

static void put_classifier(sp_json_writer *writer, const sp_recipe *recipe)
{
    sp_json_put(writer, ",\n  \"classifier\": {\n    \"confusion\": ");
    sp_json_put_matrix(writer, recipe->n_classes, recipe->confusion);
    sp_json_putf(writer,
                 ",\n    \"error_run\": %g,\n    \"noise\": %g,\n    \"overconfidence\": %g,\n    \"floor\": "
                 "%g\n  }\n",
                 recipe->error_run, recipe->noise, recipe->overconfidence, recipe->floor);
}

sp_status sp_recipe_to_json(const sp_recipe *recipe, char **text, sp_error *err)
{
    sp_json_writer writer;
    sp_json_writer_open(&writer);
    sp_json_put(&writer, "{\n  \"statepath_recipe\": 1");
    sp_json_put_text(&writer, "name", recipe->name);
    sp_json_put_text(&writer, "description", recipe->description);
    sp_json_putf(&writer, ",\n  \"seed\": %lld,\n  \"classes\": ", (long long)recipe->seed);
    sp_json_put_strings(&writer, recipe->n_classes, recipe->classes, 4);
    put_steps(&writer, recipe);
    put_start(&writer, recipe);
    sp_json_put_key(&writer, "transitions");
    sp_json_put_matrix(&writer, recipe->n_classes, recipe->transitions);
    sp_json_put_text(&writer, "model", recipe->model);
    sp_json_putf(&writer, ",\n  \"unscored\": %g", recipe->unscored);
    if (recipe->epoch_seconds > 0)
        sp_json_putf(&writer, ",\n  \"epoch_seconds\": %g", recipe->epoch_seconds);
    if (recipe->is_numpy)
        sp_json_putf(&writer, ",\n  \"generator\": \"numpy\",\n  \"unused\": %lld",
                     (long long)recipe->n_unused);
    if (recipe->signals)
        sp_recipe_put_signals(&writer, recipe);
    else
        put_classifier(&writer, recipe);
    sp_json_put(&writer, "}\n");
    return sp_json_writer_close(&writer, text, err);
}
