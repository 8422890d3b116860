/* What a model file may hold beside its rules: aliases, minimum dwell, prior, decoding defaults. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/json/model_json_reader.h"

static const char *const decoding_keys[] = {"temperature", "transition_weight", "prior_weight", "floor"};
enum { N_DECODING = sizeof decoding_keys / sizeof *decoding_keys };

/* ---- aliases ---- */

/* One alias; the class's own name and repetitions say nothing new and are left out. */
static sp_status add_alias(sp_model_reader *reader, sp_names *known, const sp_json_at *at, int32_t k,
                           const json_t *value)
{
    sp_model *model = reader->model;
    sp_status status = sp_model_want_name(reader, at, "aliases", value, "an alias");
    if (status != SP_OK)
        return status;
    const char *name = json_string_value(value);
    int32_t other = sp_names_find(&reader->classes, name);
    bool is_new = other < 0 && sp_names_find(known, name) < 0;
    if (other < 0)
        other = sp_names_add(known, name, k);
    if (other != k)
        return sp_json_fail(&reader->doc, at,
                            "key \"aliases\", class \"%s\": \"%s\" already means class \"%s\"; a name may "
                            "mean one class only",
                            model->classes[k], name, model->classes[other]);
    if (!is_new)
        return SP_OK;
    model->aliases[model->n_aliases].class_index = k;
    if (!(model->aliases[model->n_aliases].name = strdup(name)))
        return sp_no_memory(reader->doc.err);
    model->n_aliases++;
    return SP_OK;
}

static sp_status read_class_aliases(sp_model_reader *reader, sp_names *known, const sp_json_at *at,
                                    json_t *value)
{
    int32_t k;
    sp_status status = sp_model_find(reader, at, "aliases", at->key, true, &k);
    if (status != SP_OK)
        return status;
    if (json_is_string(value))
        return add_alias(reader, known, at, k, value);
    if (!json_is_array(value))
        return sp_json_fail(&reader->doc, at,
                            "key \"aliases\", class \"%s\": needs a list of other names for it; this is %s",
                            at->key, sp_json_kind(value));
    size_t i;
    json_t *item;
    json_array_foreach(value, i, item)
    {
        sp_json_at here = {at, NULL, i};
        if ((status = add_alias(reader, known, &here, k, item)) != SP_OK)
            return status;
    }
    return SP_OK;
}

sp_status sp_model_read_aliases(sp_model_reader *reader)
{
    json_t *object = sp_model_member(reader, "aliases");
    if (!object)
        return SP_OK;
    sp_json_at at = {&reader->root, "aliases", 0};
    sp_status status =
        sp_model_want_object(reader, &at, object, "class -> other names, as {\"Wake\": [\"W\"]}");
    if (status != SP_OK)
        return status;
    const char *key;
    json_t *value;
    size_t n = 0;
    json_object_foreach(object, key, value) n += json_is_array(value) ? json_array_size(value) : 1;
    if (n > INT32_MAX)
        return sp_json_fail(&reader->doc, &at, "key \"aliases\": too many aliases");
    sp_names known = {0};
    if (!(reader->model->aliases = calloc(n ? n : 1, sizeof *reader->model->aliases)) ||
        sp_names_init(&known, (int64_t)n) != SP_OK)
        return sp_no_memory(reader->doc.err);
    json_object_foreach(object, key, value)
    {
        sp_json_at here = {&at, key, 0};
        if ((status = read_class_aliases(reader, &known, &here, value)) != SP_OK)
            break;
    }
    sp_names_clear(&known);
    return status;
}

/* ---- dwell, prior, decoding ---- */

sp_status sp_model_read_dwell(sp_model_reader *reader)
{
    sp_model *model = reader->model;
    json_t *object = sp_model_member(reader, "min_dwell"),
           *at_end = sp_model_member(reader, "min_dwell_at_end");
    sp_json_at at = {&reader->root, "min_dwell", 0}, at_end_at = {&reader->root, "min_dwell_at_end", 0};
    if (at_end && !json_is_boolean(at_end))
        return sp_json_fail(&reader->doc, &at_end_at,
                            "key \"min_dwell_at_end\": needs true or false; this is %s",
                            sp_json_kind(at_end));
    model->min_dwell_at_end = json_is_true(at_end);
    if (!object)
        return SP_OK;
    const char *noun = sp_model_noun(reader);
    sp_status status =
        sp_model_want_object(reader, &at, object, "how many steps each stays at least, as {\"N1\": 2}");
    if (status != SP_OK)
        return status;
    if (!(model->min_dwell = malloc((size_t)model->n_states * sizeof *model->min_dwell)))
        return sp_no_memory(reader->doc.err);
    for (int32_t s = 0; s < model->n_states; s++)
        model->min_dwell[s] = 1;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        sp_json_at here = {&at, key, 0};
        int32_t s;
        if ((status = sp_model_find(reader, &here, "min_dwell", key, false, &s)) != SP_OK)
            return status;
        json_int_t steps = json_integer_value(value); /* 0 for what is no integer */
        if (steps < 1 || steps > INT32_MAX)
            return sp_json_fail(&reader->doc, &here,
                                "key \"min_dwell\", %s \"%s\": needs a whole number of steps from 1 to %d",
                                noun, key, INT32_MAX);
        if (steps > 1 && sp_model_edge(model, s, s) < 0)
            return sp_json_fail(&reader->doc, &here,
                                "key \"min_dwell\", %s \"%s\": must stay for %d steps, but %s -> %s is "
                                "forbidden; allow it, or "
                                "take this min_dwell out",
                                noun, key, (int)steps, key, key);
        model->min_dwell[s] = (int32_t)steps;
    }
    return SP_OK;
}

/* One frequency of the prior. `at` is the item or member. */
static sp_status read_frequency(const sp_model_reader *reader, const sp_json_at *at, int32_t k,
                                const json_t *value, double *out)
{
    *out = json_number_value(value);
    if (json_is_number(value) && *out >= 0)
        return SP_OK;
    return sp_json_fail(
        &reader->doc, at,
        "key \"prior\", class \"%s\": needs the class's share of the training set, a number from 0 to 1",
        reader->model->classes[k]);
}

static sp_status read_prior_values(sp_model_reader *reader, const sp_json_at *at, json_t *value)
{
    sp_model *model = reader->model;
    sp_status status;
    if (json_is_array(value)) {
        if (json_array_size(value) != (size_t)model->n_classes)
            return sp_json_fail(&reader->doc, at,
                                "key \"prior\": %zu numbers for %d classes; give one for each",
                                json_array_size(value), model->n_classes);
        for (int32_t k = 0; k < model->n_classes; k++) {
            sp_json_at here = {at, NULL, (size_t)k};
            if ((status = read_frequency(reader, &here, k, json_array_get(value, (size_t)k),
                                         &model->prior[k])) != SP_OK)
                return status;
        }
        return SP_OK;
    }
    if (!json_is_object(value))
        return sp_json_fail(&reader->doc, at,
                            "key \"prior\": needs class -> share of the training set, as {\"Wake\": 0.2, "
                            "\"N1\": 0.8}; this is %s",
                            sp_json_kind(value));
    const char *key;
    json_t *item;
    json_object_foreach(value, key, item)
    {
        sp_json_at here = {at, key, 0};
        int32_t k;
        if ((status = sp_model_find(reader, &here, "prior", key, true, &k)) != SP_OK ||
            (status = read_frequency(reader, &here, k, item, &model->prior[k])) != SP_OK)
            return status;
    }
    for (int32_t k = 0; k < model->n_classes; k++)
        if (!json_object_get(value, model->classes[k]))
            return sp_json_fail(&reader->doc, at,
                                "key \"prior\", class \"%s\": missing; give the share of each class",
                                model->classes[k]);
    return SP_OK;
}

sp_status sp_model_read_prior(sp_model_reader *reader)
{
    json_t *value = sp_model_member(reader, "prior");
    if (!value)
        return SP_OK;
    sp_model *model = reader->model;
    sp_json_at at = {&reader->root, "prior", 0};
    if (!(model->prior = calloc((size_t)model->n_classes, sizeof *model->prior)))
        return sp_no_memory(reader->doc.err);
    sp_status status = read_prior_values(reader, &at, value);
    if (status != SP_OK)
        return status;
    double sum = 0;
    for (int32_t k = 0; k < model->n_classes; k++)
        sum += model->prior[k];
    if (fabs(sum - 1) <= 1e-6)
        return SP_OK;
    return sp_json_fail(&reader->doc, &at,
                        "key \"prior\": the shares sum to %.9g, not to 1; divide each by the sum", sum);
}

sp_status sp_model_read_decoding(sp_model_reader *reader)
{
    json_t *object = sp_model_member(reader, "decoding");
    if (!object)
        return SP_OK;
    sp_model *model = reader->model;
    sp_json_at at = {&reader->root, "decoding", 0};
    double *const values[] = {&model->temperature, &model->transition_weight, &model->prior_weight,
                              &model->floor};
    sp_status status = SP_OK;
    TRY(sp_model_want_object(reader, &at, object, "as {\"temperature\": 1.3}"));
    TRY(sp_json_check_keys(&reader->doc, &at, object, N_DECODING, decoding_keys));
    for (int i = 0; i < N_DECODING; i++) {
        const json_t *value = json_object_get(object, decoding_keys[i]);
        sp_json_at here = {&at, decoding_keys[i], 0};
        if (!value)
            continue;
        if (!json_is_number(value))
            return sp_json_fail(&reader->doc, &here, "key \"decoding\", \"%s\": needs a number; this is %s",
                                decoding_keys[i], sp_json_kind(value));
        *values[i] = json_number_value(value);
        if (i == 0 && !(*values[i] > 0))
            return sp_json_fail(
                &reader->doc, &here,
                "key \"decoding\", \"temperature\": scores are divided by it, so it must be above 0");
        if (values[i] == &model->floor && !(model->floor > 0 && model->floor < 1))
            return sp_json_fail(&reader->doc, &here,
                                "key \"decoding\", \"floor\": smaller probabilities are raised to it, so it "
                                "must lie between 0 and 1");
    }
done:
    return status;
}
