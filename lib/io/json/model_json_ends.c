/* Where a recording may start and end, from JSON: lists, probabilities, log weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/json/model_json_reader.h"

/* A list: who is named may, at no cost. */
static sp_status read_end_list(const sp_model_reader *reader, const sp_json_at *at, const json_t *list,
                               double *weight)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        sp_json_at here = {at, NULL, i};
        int32_t s;
        sp_status status =
            sp_model_want_name(reader, &here, at->key, item, reader->has_states ? "a state" : "a class");
        if (status != SP_OK ||
            (status = sp_model_find(reader, &here, at->key, json_string_value(item), false, &s)) != SP_OK)
            return status;
        if (weight[s] == 0)
            return sp_json_fail(&reader->doc, &here, "key \"%s\": \"%s\" is listed twice", at->key,
                                sp_model_reader_state(reader, s));
        weight[s] = 0;
    }
    return SP_OK;
}

/* An object of probabilities. Those of `start` sum to 1; those of `end` are each state's own. */
static sp_status read_end_probabilities(const sp_model_reader *reader, const sp_json_at *at, json_t *object,
                                        double *weight)
{
    double sum = 0;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        sp_json_at here = {at, key, 0};
        int32_t s;
        sp_status status = sp_model_find(reader, &here, at->key, key, false, &s);
        if (status != SP_OK)
            return status;
        double p = json_is_number(value) ? json_number_value(value) : -1;
        if (!(p >= 0 && p <= 1))
            return sp_json_fail(&reader->doc, &here, "key \"%s\", %s \"%s\": needs a probability from 0 to 1",
                                at->key, sp_model_noun(reader), key);
        weight[s] = log(p); /* -inf for 0 */
        sum += p;
    }
    if (strcmp(at->key, "start") == 0 && fabs(sum - 1) > 1e-6)
        return sp_json_fail(&reader->doc, at,
                            "key \"start\": the probabilities sum to %.9g, not to 1; give a list of names "
                            "where all weigh the same",
                            sum);
    return SP_OK;
}

/* `start_log_weights`: who is named with a number may, at that weight. A list beside it (has_list) narrows it further. */
static sp_status read_end_log_weights(const sp_model_reader *reader, const sp_json_at *at, json_t *object,
                                      bool has_list, double *weight)
{
    sp_status status = SP_OK;
    TRY(sp_model_want_object(reader, at, object, "name -> log weight"));
    TRY(sp_model_check_members(reader, at, object));
    for (int32_t s = 0; s < reader->model->n_states; s++) {
        const json_t *value = json_object_get(object, sp_model_reader_state(reader, s));
        sp_json_at here = {at, sp_model_reader_state(reader, s), 0};
        if (value && !json_is_number(value) && !json_is_null(value))
            return sp_json_fail(
                &reader->doc, &here,
                "key \"%s\", %s \"%s\": needs a number, or null where a recording may not %s; this is %s",
                at->key, sp_model_noun(reader), here.key, *at->key == 's' ? "start" : "end",
                sp_json_kind(value));
        if (has_list && weight[s] == 0 && !json_is_number(value))
            return sp_json_fail(&reader->doc, at, "key \"%s\", %s \"%s\": no number, though \"%s\" lists it",
                                at->key, sp_model_noun(reader), here.key, *at->key == 's' ? "start" : "end");
        if (!has_list || weight[s] == 0)
            weight[s] = json_is_number(value) ? json_number_value(value) : -INFINITY;
    }
done:
    return status;
}

/* One of `start` and `end`, with its log weights. *out [M] stays NULL where the model says nothing. */
static sp_status read_end(sp_model_reader *reader, const char *key, const char *log_key, double **out,
                          bool *is_list)
{
    json_t *value = sp_model_member(reader, key), *log_weights = sp_model_member(reader, log_key);
    if (!value && !log_weights)
        return SP_OK;
    sp_model *model = reader->model;
    sp_json_at at = {&reader->root, key, 0}, log_at = {&reader->root, log_key, 0};
    if (value && !json_is_array(value) && !json_is_object(value))
        return sp_json_fail(&reader->doc, &at,
                            "key \"%s\": needs a list of names, or an object of probabilities; this is %s",
                            key, sp_json_kind(value));
    if (json_is_object(value) && log_weights)
        return sp_json_fail(&reader->doc, &log_at,
                            "key \"%s\": \"%s\" has probabilities already; keep one, or make \"%s\" a list",
                            log_key, key, key);
    if (!(*out = malloc((size_t)model->n_states * sizeof **out)))
        return sp_no_memory(reader->doc.err);
    for (int32_t s = 0; s < model->n_states; s++)
        (*out)[s] = -INFINITY;
    *is_list = json_is_array(value) && !log_weights;
    sp_status status = SP_OK;
    if (value)
        TRY(json_is_array(value) ? read_end_list(reader, &at, value, *out)
                                 : read_end_probabilities(reader, &at, value, *out));
    if (log_weights)
        TRY(read_end_log_weights(reader, &log_at, log_weights, value != NULL, *out));
    for (int32_t s = 0; s < model->n_states; s++)
        if ((*out)[s] != -INFINITY)
            return SP_OK;
    status = sp_json_fail(&reader->doc, value ? &at : &log_at,
                          "key \"%s\": no %s may %s a recording; name at least one, or leave the key out",
                          value ? key : log_key, sp_model_noun(reader), key);
done:
    return status;
}

sp_status sp_model_read_ends(sp_model_reader *reader)
{
    sp_model *model = reader->model;
    const sp_status status =
        read_end(reader, "start", "start_log_weights", &model->start, &model->start_is_list);
    return status == SP_OK ? read_end(reader, "end", "end_log_weights", &model->end, &model->end_is_list)
                           : status;
}
