/* The part of a recipe that speaks of signals, and the model that its transitions keep to. */
#include <stddef.h>
#include <stdlib.h>

#include "core/model/model.h"
#include "core/try.h"
#include "io/json/recipe_reader.h"
#include "statepath/model_json.h"

static const char *const signal_keys[] = {"rate",     "samples",      "tones",
                                          "channels", "phase_jitter", "amplitude_drift",
                                          "overlap",  "test",         "both_ends"};
static const char *const channel_keys[] = {"gain", "noise"};

/* ---- reading ---- */

static sp_status want_tone(const sp_recipe_reader *reader, const sp_json_at *at, const char *name,
                           const json_t *pair, sp_tone *tone)
{
    if (!json_is_array(pair) || json_array_size(pair) != 2)
        return sp_json_fail(
            &reader->doc, at,
            "key \"tones\", class \"%s\": a tone is [amplitude, Hz], as [0.8, 12]; this is %s", name,
            json_is_array(pair) ? "a list of another length" : sp_json_kind(pair));
    sp_json_at first = {at, NULL, 0}, second = {at, NULL, 1};
    sp_status status =
        sp_json_want_number(&reader->doc, &first, "tones", json_array_get(pair, 0), &tone->amplitude);
    return status == SP_OK
               ? sp_json_want_number(&reader->doc, &second, "tones", json_array_get(pair, 1), &tone->hertz)
               : status;
}

/* The object class -> list of tones, looked at once to count them and once to read them. */
static sp_status read_tones(sp_recipe_reader *reader)
{
    sp_status status = SP_OK;
    sp_recipe *recipe = reader->recipe;
    sp_signal_recipe *s = recipe->signals;
    json_t *object = sp_recipe_member(reader, &reader->inner, "tones", "{\"Wake\": [[0.8, 12], [0.6, 20]]}",
                                      &status),
           *list;
    sp_json_at at = {&reader->inner, "tones", 0};
    const char *name;
    int32_t k;
    if (!object)
        return status;
    if (!json_is_object(object))
        return sp_json_fail(&reader->doc, &at,
                            "key \"tones\": needs class -> tones, as {\"%s\": [[0.8, 12]]}; this is %s",
                            recipe->classes[0], sp_json_kind(object));
    if (!(s->first_tone = calloc((size_t)recipe->n_classes + 1, sizeof *s->first_tone)))
        return sp_no_memory(reader->doc.err);
    json_object_foreach(object, name, list)
    {
        sp_json_at here = {&at, name, 0};
        if ((status = sp_recipe_find_class(reader, &at, name, &k)) != SP_OK)
            return status;
        if (!json_is_array(list) || json_array_size(list) > 1000)
            return sp_json_fail(&reader->doc, &here,
                                "key \"tones\", class \"%s\": needs a list of at most 1000 tones, as [[0.8, "
                                "12], [0.6, 20]]; this is %s",
                                name, json_is_array(list) ? "longer" : sp_json_kind(list));
        s->first_tone[k + 1] = (int32_t)json_array_size(list);
    }
    for (k = 0; k < recipe->n_classes; k++) {
        if (s->first_tone[k + 1] > INT32_MAX - s->first_tone[k])
            return sp_no_memory(reader->doc.err);
        s->first_tone[k + 1] += s->first_tone[k];
    }
    if (!(s->tones = calloc((size_t)s->first_tone[recipe->n_classes] + 1, sizeof *s->tones)))
        return sp_no_memory(reader->doc.err);
    for (k = 0; k < recipe->n_classes; k++) {
        sp_json_at here = {&at, recipe->classes[k], 0};
        list = json_object_get(object, recipe->classes[k]);
        for (size_t j = 0; j < json_array_size(list); j++) {
            sp_json_at item = {&here, NULL, j};
            sp_tone *tone = &s->tones[(size_t)s->first_tone[k] + j];
            if ((status = want_tone(reader, &item, recipe->classes[k], json_array_get(list, j), tone)) !=
                SP_OK)
                return status;
        }
    }
    return SP_OK;
}

static sp_status read_channel(const sp_recipe_reader *reader, const sp_json_at *at, json_t *object,
                              sp_signal_channel *channel)
{
    static const sp_json_member members[] = {
        {"gain", SP_JSON_NUMBER, offsetof(sp_signal_channel, gain), NULL},
        {"noise", SP_JSON_NUMBER, offsetof(sp_signal_channel, noise), NULL}};
    if (!json_is_object(object))
        return sp_json_fail(
            &reader->doc, at,
            "key \"channels\": a channel is an object, as {\"gain\": 0.7, \"noise\": 0.3}; this is %s",
            sp_json_kind(object));
    const sp_status status = sp_json_check_keys(&reader->doc, at, object, 2, channel_keys);
    *channel = (sp_signal_channel){1, 0};
    return status == SP_OK ? sp_json_read_members(&reader->doc, at, object, 2, members, channel) : status;
}

static sp_status read_channels(sp_recipe_reader *reader)
{
    sp_status status = SP_OK;
    sp_signal_recipe *s = reader->recipe->signals;
    json_t *list = sp_recipe_member(reader, &reader->inner, "channels", "[{\"noise\": 0.8}]", &status);
    sp_json_at at = {&reader->inner, "channels", 0};
    if (!list)
        return status;
    if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > 10000)
        return sp_json_fail(
            &reader->doc, &at,
            "key \"channels\": needs a list of 1 to 10000 channels, as [{\"noise\": 0.8}]; this is %s",
            !json_is_array(list)         ? sp_json_kind(list)
            : json_array_size(list) == 0 ? "empty"
                                         : "longer");
    if (!(s->channels = calloc(json_array_size(list), sizeof *s->channels)))
        return sp_no_memory(reader->doc.err);
    s->n_channels = (int32_t)json_array_size(list);
    for (int32_t c = 0; status == SP_OK && c < s->n_channels; c++) {
        sp_json_at here = {&at, NULL, (size_t)c};
        status = read_channel(reader, &here, json_array_get(list, (size_t)c), &s->channels[c]);
    }
    return status;
}

sp_status sp_recipe_read_signals(sp_recipe_reader *reader)
{
    static const sp_json_member members[] = {
        {"rate", SP_JSON_NUMBER, offsetof(sp_signal_recipe, rate), "100"},
        {"samples", SP_JSON_WHOLE, offsetof(sp_signal_recipe, n_samples), "3000"},
        {"test", SP_JSON_WHOLE, offsetof(sp_signal_recipe, n_test), NULL},
        {"both_ends", SP_JSON_BOOL, offsetof(sp_signal_recipe, both_ends), NULL},
        {"phase_jitter", SP_JSON_NUMBER, offsetof(sp_signal_recipe, phase_jitter), NULL},
        {"amplitude_drift", SP_JSON_NUMBER, offsetof(sp_signal_recipe, amplitude_drift), NULL},
        {"overlap", SP_JSON_NUMBER, offsetof(sp_signal_recipe, overlap), NULL}};
    const sp_json_at *at = &reader->inner;
    sp_status status = SP_OK;
    TRY(sp_json_check_keys(&reader->doc, at, reader->inner_object,
                           (int32_t)(sizeof signal_keys / sizeof *signal_keys), signal_keys));
    if (!(reader->recipe->signals = calloc(1, sizeof *reader->recipe->signals)))
        return sp_no_memory(reader->doc.err);
    TRY(sp_json_read_members(&reader->doc, at, reader->inner_object, sizeof members / sizeof *members,
                             members, reader->recipe->signals));
    TRY(read_tones(reader));
    TRY(read_channels(reader));
done:
    return status;
}

/* ---- the model ---- */

/* Sets to 0 what the model forbids between two classes, and makes the row sum to 1 again. */
static sp_status mask_row(const sp_recipe_reader *reader, const sp_model *model,
                          const int32_t *class_of_column, int32_t from)
{
    const sp_recipe *recipe = reader->recipe;
    double *row = recipe->transitions + (size_t)from * (size_t)recipe->n_classes, sum = 0;
    bool is_changed = false;
    for (int32_t k = 0; k < recipe->n_classes; k++) {
        bool is_allowed = false;
        for (int32_t i = 0; i < model->n_states && !is_allowed; i++)
            for (int64_t e = model->row[i];
                 e < model->row[i + 1] && sp_model_state_class(model, i) == class_of_column[from]; e++)
                is_allowed |= sp_model_state_class(model, model->to[e]) == class_of_column[k];
        is_changed |= !is_allowed && row[k] > 0;
        row[k] = is_allowed ? row[k] : 0;
        sum += row[k];
    }
    sp_json_at key = {&reader->root, "transitions", 0}, at = {&key, NULL, (size_t)from};
    if (!(sum > 0))
        return sp_json_fail(&reader->doc, &at,
                            "key \"transitions\", row \"%s\": model %s forbids all of it; leave out "
                            "\"model\" or give it a class "
                            "that may follow",
                            recipe->classes[from], recipe->model);
    for (int32_t k = 0; is_changed && k < recipe->n_classes; k++)
        row[k] /= sum;
    return SP_OK;
}

sp_status sp_recipe_apply_model(const sp_recipe_reader *reader)
{
    const sp_recipe *recipe = reader->recipe;
    sp_json_at at = {&reader->root, "model", 0};
    sp_error cause;
    sp_model *model = NULL;
    sp_status status = sp_model_load(recipe->model, &model, &cause);
    int32_t *class_of_column = malloc((size_t)recipe->n_classes * sizeof *class_of_column);
    if (!class_of_column)
        status = sp_no_memory(&cause);
    if (status == SP_OK)
        status = sp_model_align(model, recipe->n_classes, (const char *const *)recipe->classes,
                                class_of_column, &cause);
    if (status != SP_OK)
        status = status == SP_ENOMEM ? sp_no_memory(reader->doc.err)
                                     : sp_json_fail(&reader->doc, &at, "key \"model\": %s", cause.message);
    for (int32_t k = 0; status == SP_OK && k < recipe->n_classes; k++)
        status = mask_row(reader, model, class_of_column, k);
    free(class_of_column);
    sp_model_free(model);
    return status;
}

/* ---- writing ---- */

static void put_tones(sp_json_writer *writer, const sp_recipe *recipe)
{
    const sp_signal_recipe *s = recipe->signals;
    bool is_first = true;
    for (int32_t k = 0; k < recipe->n_classes; k++) {
        if (s->first_tone[k] == s->first_tone[k + 1])
            continue;
        sp_json_put(writer, is_first ? "\n      " : ",\n      ");
        is_first = false;
        sp_json_put_string(writer, recipe->classes[k]);
        sp_json_put(writer, ": [");
        for (int32_t j = s->first_tone[k]; j < s->first_tone[k + 1]; j++) {
            sp_json_put(writer, j > s->first_tone[k] ? ", " : "");
            sp_json_putf(writer, "[%g, %g]", s->tones[j].amplitude, s->tones[j].hertz);
        }
        sp_json_put(writer, "]");
    }
}

void sp_recipe_put_signals(sp_json_writer *writer, const sp_recipe *recipe)
{
    const sp_signal_recipe *s = recipe->signals;
    sp_json_putf(writer, ",\n  \"signals\": {\n    \"rate\": %g,\n    \"samples\": %lld,\n    \"tones\": {",
                 s->rate, (long long)s->n_samples);
    put_tones(writer, recipe);
    sp_json_put(writer, "},\n    \"channels\": [");
    for (int32_t c = 0; c < s->n_channels; c++) {
        sp_json_put(writer, c ? ", " : "");
        sp_json_putf(writer, "{\"gain\": %g, \"noise\": %g}", s->channels[c].gain, s->channels[c].noise);
    }
    sp_json_putf(writer,
                 "],\n    \"phase_jitter\": %g,\n    \"amplitude_drift\": %g,\n    \"overlap\": %g,\n    "
                 "\"test\": %lld",
                 s->phase_jitter, s->amplitude_drift, s->overlap, (long long)s->n_test);
    sp_json_put(writer, s->both_ends ? ",\n    \"both_ends\": true\n  }\n" : "\n  }\n");
}
