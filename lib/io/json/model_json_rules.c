/* The rules of a model from JSON: which transitions are allowed, and what they weigh. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/edges.h"
#include "core/try.h"
#include "io/json/model_json_reader.h"
#include "tags/tied.h"

/* ---- allow, forbid, matrix ---- */

/* Sets allowed[] to `value` for each name of the list that stands at `at` (key `key`, member of one state). */
static sp_status mark_names(const sp_model_reader *reader, const sp_json_at *at, const char *key,
                            const json_t *list, uint8_t value, uint8_t *allowed)
{
    const char *noun = sp_model_noun(reader);
    if (!json_is_array(list))
        return sp_json_fail(&reader->doc, at, "key \"%s\", %s \"%s\": needs a list of names; this is %s", key,
                            noun, at->key, sp_json_kind(list));
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        sp_json_at here = {at, NULL, i};
        int32_t to;
        sp_status status =
            sp_model_want_name(reader, &here, key, item, reader->has_states ? "a state" : "a class");
        if (status != SP_OK ||
            (status = sp_model_find(reader, &here, key, json_string_value(item), false, &to)) != SP_OK)
            return status;
        if (allowed[to] == value)
            return sp_json_fail(&reader->doc, &here, "key \"%s\", %s \"%s\": \"%s\" is listed twice", key,
                                noun, at->key, sp_model_reader_state(reader, to));
        allowed[to] = value;
    }
    return SP_OK;
}

/* One row of `allow` or `forbid`. */
static sp_status read_named_row(const sp_model_reader *reader, const sp_json_at *at, json_t *object,
                                int32_t from, uint8_t *allowed)
{
    bool is_allow = strcmp(at->key, "allow") == 0;
    const char *name = sp_model_reader_state(reader, from);
    memset(allowed, !is_allow, (size_t)reader->model->n_states);
    const json_t *list = json_object_get(object, name);
    sp_json_at here = {at, name, 0};
    if (!list && is_allow)
        return sp_json_fail(&reader->doc, at,
                            "key \"allow\", %s \"%s\": missing; say what may follow it, as \"%s\": [\"%s\"], "
                            "or [] for nothing",
                            sp_model_noun(reader), name, name, name);
    return list ? mark_names(reader, &here, at->key, list, is_allow, allowed) : SP_OK;
}

/* One row of `matrix`: 0 and 1, or false and true. */
static sp_status read_matrix_row(const sp_model_reader *reader, const sp_json_at *at, json_t *matrix,
                                 int32_t from, uint8_t *allowed)
{
    const json_t *row = json_array_get(matrix, (size_t)from);
    int32_t m = reader->model->n_states;
    for (int32_t to = 0; to < m; to++) {
        const json_t *cell = json_array_get(row, (size_t)to);
        double value = json_is_number(cell) ? json_number_value(cell) : -1;
        if (!json_is_boolean(cell) && value != 0 && value != 1) {
            sp_json_at row_at = {at, NULL, (size_t)from}, here = {&row_at, NULL, (size_t)to};
            return sp_json_fail(&reader->doc, &here,
                                "key \"matrix\", row \"%s\", column \"%s\": needs 1 (allowed) or 0 "
                                "(forbidden); weights go into "
                                "\"probabilities\" or \"log_weights\"",
                                sp_model_reader_state(reader, from), sp_model_reader_state(reader, to));
        }
        allowed[to] = json_is_true(cell) || value == 1;
    }
    return SP_OK;
}

/* Is the value of this key a list of M lists of M? */
static sp_status check_shape(const sp_model_reader *reader, const sp_json_at *at, const json_t *matrix)
{
    size_t m = (size_t)reader->model->n_states;
    const char *noun = sp_model_noun(reader);
    if (!json_is_array(matrix))
        return sp_json_fail(&reader->doc, at, "key \"%s\": needs a list of rows, one for each %s; this is %s",
                            at->key, noun, sp_json_kind(matrix));
    if (json_array_size(matrix) != m)
        return sp_json_fail(&reader->doc, at,
                            "key \"%s\": %zu rows for %zu %s; give one row for each, in their order", at->key,
                            json_array_size(matrix), m, reader->has_states ? "states" : "classes");
    for (size_t i = 0; i < m; i++) {
        const json_t *row = json_array_get(matrix, i);
        sp_json_at here = {at, NULL, i};
        if (!json_is_array(row))
            return sp_json_fail(&reader->doc, &here,
                                "key \"%s\", row \"%s\": needs a list of %zu; this is %s", at->key,
                                sp_model_reader_state(reader, (int32_t)i), m, sp_json_kind(row));
        if (json_array_size(row) != m)
            return sp_json_fail(&reader->doc, &here, "key \"%s\", row \"%s\": has %zu of %zu columns",
                                at->key, sp_model_reader_state(reader, (int32_t)i), json_array_size(row), m);
    }
    return SP_OK;
}

/* Which of the three the model has: exactly one. */
static sp_status choose_rules(const sp_model_reader *reader, const char **out)
{
    const char *const keys[] = {"allow", "forbid", "matrix"};
    const char *found = NULL;
    for (int i = 0; i < 3; i++) {
        sp_json_at here = {&reader->root, keys[i], 0};
        if (!sp_model_member(reader, keys[i]))
            continue;
        if (found)
            return sp_json_fail(
                &reader->doc, &here,
                "key \"%s\": the model has \"%s\" already; keep one of allow, forbid and matrix", keys[i],
                found);
        found = keys[i];
    }
    if (found) {
        *out = found;
        return SP_OK;
    }
    const char *const weights[] = {"probabilities", "log_weights"};
    for (int i = 0; i < 2; i++) {
        sp_json_at here = {&reader->root, weights[i], 0};
        if (sp_model_member(reader, weights[i]))
            return sp_json_fail(&reader->doc, &here,
                                "key \"%s\": the model also needs one of allow, forbid and matrix, which say "
                                "what is forbidden; "
                                "\"forbid\": {} forbids nothing",
                                weights[i]);
    }
    return sp_json_fail(&reader->doc, &reader->root,
                        "one of the keys allow, forbid and matrix is missing; say what may follow what, as "
                        "\"allow\": {\"%s\": "
                        "[\"%s\"], ...}",
                        sp_model_reader_state(reader, 0), sp_model_reader_state(reader, 0));
}

static sp_status read_rules(sp_model_reader *reader)
{
    sp_model *model = reader->model;
    const char *key = "";
    int64_t n_allowed = 0;
    sp_status status = choose_rules(reader, &key);
    if (status != SP_OK)
        return status;
    const sp_json_at at = {&reader->root, key, 0};
    json_t *value = sp_model_member(reader, key);
    const bool is_matrix = strcmp(key, "matrix") == 0;
    uint8_t *allowed = NULL;
    sp_edges edges = {0};
    if (is_matrix)
        TRY(check_shape(reader, &at, value));
    else {
        TRY(sp_model_want_object(reader, &at, value,
                                 *key == 'a' ? "from -> list of what may follow"
                                             : "from -> list of what may not follow"));
        TRY(sp_model_check_members(reader, &at, value));
    }
    if (!(allowed = malloc((size_t)model->n_states)))
        TRY(sp_no_memory(reader->doc.err));
    TRY(sp_edges_init(&edges, model->n_states, reader->doc.err));
    for (int32_t from = 0; from < model->n_states; from++) {
        TRY(is_matrix ? read_matrix_row(reader, &at, value, from, allowed)
                      : read_named_row(reader, &at, value, from, allowed));
        for (int32_t to = 0; to < model->n_states; to++)
            n_allowed += allowed[to] != 0;
        if (n_allowed > SP_MODEL_MOST_TRANSITIONS)
            TRY(sp_json_fail(&reader->doc, &at,
                             "key \"%s\": allows more than %lld transitions; \"allow\" a few for each", key,
                             (long long)SP_MODEL_MOST_TRANSITIONS));
        TRY(sp_edges_add(&edges, allowed, reader->doc.err));
    }
    sp_edges_move(&edges, model);
done:
    sp_edges_clear(&edges);
    free(allowed);
    return status;
}

/* ---- probabilities, log_weights ---- */

/* The log weight of one cell. `is_allowed` is what the rules say of it. */
static sp_status read_probability(const sp_model_reader *reader, const sp_json_at *at, const json_t *cell,
                                  bool is_allowed, const char *from, const char *to, double *out)
{
    double p = json_is_number(cell) ? json_number_value(cell) : -1;
    if (!(p >= 0 && p <= 1))
        return sp_json_fail(
            &reader->doc, at,
            "key \"probabilities\", row \"%s\", column \"%s\": needs a probability from 0 to 1", from, to);
    if (is_allowed && p == 0)
        return sp_json_fail(&reader->doc, at,
                            "key \"probabilities\", row \"%s\", column \"%s\": 0, but %s -> %s is allowed; "
                            "forbid it, or give it a "
                            "probability above 0",
                            from, to, from, to);
    if (!is_allowed && p > 0)
        return sp_json_fail(&reader->doc, at,
                            "key \"probabilities\", row \"%s\", column \"%s\": %g, but %s -> %s is "
                            "forbidden; allow it, or make it 0",
                            from, to, p, from, to);
    *out = p;
    return SP_OK;
}

static sp_status read_log_weight(const sp_model_reader *reader, const sp_json_at *at, const json_t *cell,
                                 bool is_allowed, const char *from, const char *to, double *out)
{
    if (!json_is_number(cell) && !json_is_null(cell))
        return sp_json_fail(
            &reader->doc, at,
            "key \"log_weights\", row \"%s\", column \"%s\": needs a number, or null where the transition is "
            "forbidden; this is %s",
            from, to, sp_json_kind(cell));
    if (is_allowed == json_is_null(cell))
        return sp_json_fail(
            &reader->doc, at,
            is_allowed
                ? "key \"log_weights\", row \"%s\", column \"%s\": null, but %s -> %s is allowed; forbid it, "
                  "or give it a number"
                : "key \"log_weights\", row \"%s\", column \"%s\": a number, but %s -> %s is forbidden; "
                  "allow "
                  "it, or make it null",
            from, to, from, to);
    *out = json_number_value(cell);
    return SP_OK;
}

/* Row `from` of the weights into the model's edges, which are there already. */
static sp_status read_weight_row(const sp_model_reader *reader, const sp_json_at *at, const json_t *row,
                                 int32_t from, bool is_probability)
{
    sp_model *model = reader->model;
    int64_t e = model->row[from], end = model->row[from + 1];
    double sum = 0;
    for (int32_t to = 0; to < model->n_states; to++) {
        bool is_allowed = e < end && model->to[e] == to;
        double value;
        sp_json_at here = {at, NULL, (size_t)to};
        const json_t *cell = json_array_get(row, (size_t)to);
        sp_status status = (is_probability ? read_probability : read_log_weight)(
            reader, &here, cell, is_allowed, sp_model_reader_state(reader, from),
            sp_model_reader_state(reader, to), &value);
        if (status != SP_OK)
            return status;
        sum += value;
        if (is_allowed)
            model->weight[e++] = is_probability ? log(value) : value;
    }
    if (is_probability && end > model->row[from] &&
        fabs(sum - 1) > 1e-6) /* a row of nothing but forbidden sums to 0 */
        return sp_json_fail(&reader->doc, at, "key \"probabilities\", row \"%s\": sums to %.9g, not to 1",
                            sp_model_reader_state(reader, from), sum);
    return SP_OK;
}

/* `tied`: biases by kind of transition. `matrix` is the key of weights one by one, which exclude them; NULL: there are none. */
static sp_status read_tied(sp_model_reader *reader, const char *matrix)
{
    const char *keys[SP_N_TAG_BIASES];
    const sp_json_at at = {&reader->root, "tied", 0};
    json_t *object = sp_model_member(reader, "tied");
    sp_tag_biases biases = {{0}};
    sp_error fault;
    sp_status status = SP_OK;
    for (int i = 0; i < SP_N_TAG_BIASES; i++)
        keys[i] = sp_tag_bias_keys[i] + SP_TAG_BIAS_PREFIX_SIZE;
    if (matrix)
        return sp_json_fail(&reader->doc, &at, "key \"tied\": the model has \"%s\" already; keep one",
                            matrix);
    TRY(sp_model_want_object(reader, &at, object, "kind of transition -> log weight"));
    TRY(sp_json_check_keys(&reader->doc, &at, object, SP_N_TAG_BIASES, keys));
    for (int i = 0; i < SP_N_TAG_BIASES; i++) {
        const json_t *value = json_object_get(object, keys[i]);
        const sp_json_at here = {&at, keys[i], 0};
        if (value)
            TRY(sp_json_want_number(&reader->doc, &here, keys[i], value, &biases.nats[i]));
    }
    status = sp_model_tie_tags(reader->model, &biases, &fault);
    if (status == SP_EINVAL)
        TRY(sp_json_fail(&reader->doc, &at, "key \"tied\": %s", fault.message));
    TRY(status == SP_OK ? SP_OK : sp_no_memory(reader->doc.err));
done:
    return status;
}

static sp_status read_weights(sp_model_reader *reader)
{
    sp_model *model = reader->model;
    json_t *probabilities = sp_model_member(reader, "probabilities"),
           *log_weights = sp_model_member(reader, "log_weights");
    sp_json_at at = {&reader->root, log_weights ? "log_weights" : "probabilities", 0};
    if (probabilities && log_weights)
        return sp_json_fail(&reader->doc, &at,
                            "key \"log_weights\": the model has \"probabilities\" already; keep one");
    json_t *matrix = log_weights ? log_weights : probabilities;
    if (sp_model_member(reader, "tied"))
        return read_tied(reader, matrix ? at.key : NULL);
    if (!matrix)
        return SP_OK;
    sp_status status = check_shape(reader, &at, matrix);
    if (status != SP_OK)
        return status;
    int64_t n = model->row[model->n_states];
    if (!(model->weight = malloc((size_t)(n ? n : 1) * sizeof *model->weight)))
        return sp_no_memory(reader->doc.err);
    model->weight_form = log_weights ? SP_WEIGHTS_LOG : SP_WEIGHTS_PROBABILITIES;
    for (int32_t from = 0; status == SP_OK && from < model->n_states; from++) {
        sp_json_at here = {&at, NULL, (size_t)from};
        status =
            read_weight_row(reader, &here, json_array_get(matrix, (size_t)from), from, probabilities != NULL);
    }
    return status;
}

sp_status sp_model_read_transitions(sp_model_reader *reader)
{
    sp_status status = read_rules(reader);
    return status == SP_OK ? read_weights(reader) : status;
}
