/* `labeller` of a model file: who decided a class for each step, and how often which in place of which. */
#include <stdlib.h>

#include "core/try.h"
#include "io/json/model_json_reader.h"

static const char *const labeller_keys[] = {"classes", "confusion"};

/* Which class of the model each of the labeller's is, class_of [K]: each once. */
static sp_status read_classes(sp_model_reader *reader, const sp_json_at *parent, const json_t *list,
                              int32_t *class_of)
{
    const int32_t K = reader->model->n_classes;
    sp_json_at at = {parent, "classes", 0};
    sp_status status = SP_OK;
    if (!json_is_array(list) || json_array_size(list) != (size_t)K)
        return sp_json_fail(
            &reader->doc, list ? &at : parent,
            "key \"labeller\", \"classes\": needs the %d classes of the model, in the order of \"confusion\"",
            K);
    for (int32_t i = 0; i < K; i++) {
        sp_json_at here = {&at, NULL, (size_t)i};
        const json_t *item = json_array_get(list, (size_t)i);
        TRY(sp_model_want_name(reader, &here, "labeller", item, "a class"));
        TRY(sp_model_find(reader, &here, "labeller", json_string_value(item), true, &class_of[i]));
        for (int32_t j = 0; j < i; j++)
            if (class_of[j] == class_of[i])
                return sp_json_fail(&reader->doc, &here, "key \"labeller\", class \"%s\": listed twice",
                                    json_string_value(item));
    }
done:
    return status;
}

static sp_status read_row(sp_model_reader *reader, const sp_json_at *at, const json_t *row, int32_t k,
                          const int32_t *class_of)
{
    sp_model *model = reader->model;
    const size_t K = (size_t)model->n_classes;
    double sum = 0;
    for (size_t l = 0; l < K; l++) {
        sp_json_at here = {at, NULL, l};
        const json_t *value = json_array_get(row, l);
        const double count = json_number_value(value);
        if (!json_is_number(value) || count < 0)
            return sp_json_fail(
                &reader->doc, &here,
                "key \"labeller\", \"confusion\", row of \"%s\": needs counts, numbers of at least 0",
                model->classes[k]);
        model->labeller[(size_t)k * K + (size_t)class_of[l]] = count;
        sum += count;
    }
    return sum > 0 ? SP_OK
                   : sp_json_fail(&reader->doc, at,
                                  "key \"labeller\", \"confusion\", row of \"%s\": needs a number above 0; "
                                  "counts plus 1 have one "
                                  "everywhere",
                                  model->classes[k]);
}

sp_status sp_model_read_labeller(sp_model_reader *reader)
{
    json_t *object = sp_model_member(reader, "labeller");
    if (!object)
        return SP_OK;
    const int32_t K = reader->model->n_classes;
    const sp_json_at at = {&reader->root, "labeller", 0}, rows_at = {&at, "confusion", 0};
    sp_status status =
        sp_model_want_object(reader, &at, object, "as {\"classes\": [...], \"confusion\": [[...]]}");
    if (status == SP_OK)
        status = sp_json_check_keys(&reader->doc, &at, object, 2, labeller_keys);
    if (status != SP_OK)
        return status;
    const json_t *rows = json_object_get(object, "confusion");
    if (!json_is_array(rows) || json_array_size(rows) != (size_t)K)
        return sp_json_fail(
            &reader->doc, rows ? &rows_at : &at,
            "key \"labeller\", \"confusion\": needs %d rows, one for each class of the reference", K);
    for (size_t i = 0; i < (size_t)K; i++) { /* before memory is taken for them */
        const json_t *row = json_array_get(rows, i);
        const sp_json_at here = {&rows_at, NULL, i};
        if (!json_is_array(row) || json_array_size(row) != (size_t)K)
            return sp_json_fail(
                &reader->doc, &here,
                "key \"labeller\", \"confusion\": each row needs %d numbers, one for each class", K);
    }
    int32_t *class_of = calloc((size_t)K, sizeof *class_of);
    reader->model->labeller = calloc((size_t)K * (size_t)K, sizeof *reader->model->labeller);
    status = class_of && reader->model->labeller
                 ? read_classes(reader, &at, json_object_get(object, "classes"), class_of)
                 : sp_no_memory(reader->doc.err);
    for (int32_t i = 0; status == SP_OK && i < K; i++) {
        const sp_json_at here = {&rows_at, NULL, (size_t)i};
        status = read_row(reader, &here, json_array_get(rows, (size_t)i), class_of[i], class_of);
    }
    free(class_of);
    return status;
}
