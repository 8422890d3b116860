/* `windows` of a model file: how scores of neighbouring steps are weighed before decoding (sp_windows). */
#include <math.h>

#include "core/model/windows.h"
#include "core/try.h"
#include "io/json/model_json_reader.h"

static const char *const windows_keys[] = {"floor", "scale", "bias", "of"}, *const window_keys[] = {
                                                                                "steps", "before", "after"};

enum { MOST_WINDOWS = 64, MOST_STEPS = 1 << 24 };

/* n finite numbers, of the `what`, into out. */
static sp_status read_numbers(sp_model_reader *reader, const sp_json_at *at, const json_t *list, size_t n,
                              const char *what, double *out)
{
    if (!json_is_array(list) || json_array_size(list) != n)
        return sp_json_fail(&reader->doc, at, "key \"windows\", %s: needs %d numbers, one for each class",
                            what, (int)n);
    for (size_t i = 0; i < n; i++) {
        const sp_json_at here = {at, NULL, i};
        const json_t *value = json_array_get(list, i);
        out[i] = json_number_value(value);
        if (!json_is_number(value) || !isfinite(out[i]))
            return sp_json_fail(&reader->doc, &here, "key \"windows\", %s: needs numbers", what);
    }
    return SP_OK;
}

/* Rows for the log-probability of each class, then for its probability. */
static sp_status read_side(sp_model_reader *reader, const sp_json_at *parent, const json_t *window, int side,
                           double *weight)
{
    const char *const key = window_keys[1 + side];
    const size_t K = (size_t)reader->model->n_classes;
    const sp_json_at at = {parent, key, 0};
    const json_t *rows = json_object_get(window, key);
    sp_status status = SP_OK;
    if (!json_is_array(rows) || json_array_size(rows) != 2 * K)
        return sp_json_fail(&reader->doc, rows ? &at : parent,
                            "key \"windows\", \"%s\": needs %d rows, for the log-probability of each class "
                            "and then for its probability",
                            key, (int)(2 * K));
    for (size_t i = 0; i < 2 * K; i++) {
        const sp_json_at here = {&at, NULL, i};
        TRY(read_numbers(reader, &here, json_array_get(rows, i), K, "a row", weight + i * K));
    }
done:
    return status;
}

static sp_status read_steps(sp_model_reader *reader, const sp_json_at *at, const json_t *window,
                            int32_t least, int32_t *steps)
{
    const json_t *value = json_object_get(window, "steps");
    const sp_json_at here = {at, "steps", 0};
    if (!json_is_integer(value) || json_integer_value(value) < least ||
        json_integer_value(value) > MOST_STEPS)
        return sp_json_fail(&reader->doc, value ? &here : at,
                            "key \"windows\", \"steps\": needs a whole number from 1 on, and greater than "
                            "that of the window before");
    *steps = (int32_t)json_integer_value(value);
    return SP_OK;
}

static sp_status read_number(sp_model_reader *reader, const sp_json_at *parent, const json_t *object,
                             const char *key, bool is_negative, double *out)
{
    const json_t *value = json_object_get(object, key);
    const sp_json_at at = {parent, key, 0};
    *out = json_number_value(value);
    if (!json_is_number(value) || !isfinite(*out) || (is_negative && !(*out < 0)))
        return sp_json_fail(&reader->doc, value ? &at : parent, "key \"windows\", \"%s\": needs a number%s",
                            key, is_negative ? " below 0, a log-probability" : "");
    return SP_OK;
}

sp_status sp_model_read_windows(sp_model_reader *reader)
{
    json_t *object = sp_model_member(reader, "windows");
    if (!object)
        return SP_OK;
    const int32_t K = reader->model->n_classes;
    const sp_json_at at = {&reader->root, "windows", 0}, list_at = {&at, "of", 0}, bias_at = {&at, "bias", 0};
    sp_status status = SP_OK;
    TRY(sp_model_want_object(reader, &at, object, "as `statepath fit` writes it"));
    TRY(sp_json_check_keys(&reader->doc, &at, object, 4, windows_keys));
    json_t *list = json_object_get(object, "of");
    if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > MOST_WINDOWS)
        return sp_json_fail(&reader->doc, list ? &list_at : &at,
                            "key \"windows\", \"of\": needs a list of 1 to %d windows", MOST_WINDOWS);
    const int32_t n = (int32_t)json_array_size(list), none[MOST_WINDOWS] = {0};
    sp_windows *w = reader->model->windows = sp_windows_new(n, none, K);
    if (!w)
        return sp_no_memory(reader->doc.err);
    TRY(read_number(reader, &at, object, "floor", true, &w->floor));
    TRY(read_number(reader, &at, object, "scale", false, &w->scale));
    TRY(read_numbers(reader, json_object_get(object, "bias") ? &bias_at : &at,
                     json_object_get(object, "bias"), (size_t)K, "\"bias\"", w->bias));
    for (int32_t i = 0; i < n; i++) {
        const sp_json_at here = {&list_at, NULL, (size_t)i};
        json_t *window = json_array_get(list, (size_t)i);
        if (!json_is_object(window))
            return sp_json_fail(
                &reader->doc, &here,
                "key \"windows\", \"of\": needs objects with \"steps\", \"before\" and \"after\"");
        TRY(sp_json_check_keys(&reader->doc, &here, window, 3, window_keys));
        TRY(read_steps(reader, &here, window, i ? w->steps[i - 1] + 1 : 1, &w->steps[i]));
        for (int side = 0; side < 2; side++)
            TRY(read_side(reader, &here, window, side,
                          w->weight + (size_t)(2 * i + side) * 2 * (size_t)K * (size_t)K));
    }
done:
    return status;
}
