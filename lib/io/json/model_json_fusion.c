/* `fusion` of a model file: several classifiers whose scores are one (sp_fusion). */
#include <math.h>

#include "core/model/fusion.h"
#include "io/json/model_json_reader.h"

static const char *const keys[] = {"name", "weight"};

sp_status sp_model_read_fusion(sp_model_reader *reader)
{
    const json_t *list = sp_model_member(reader, "fusion");
    const sp_json_at at = {&reader->root, "fusion", 0};
    const char *names[SP_MOST_CLASSIFIERS];
    double weights[SP_MOST_CLASSIFIERS];
    if (!list)
        return SP_OK;
    const size_t n = json_array_size(list);
    if (!json_is_array(list) || n < 2 || n > SP_MOST_CLASSIFIERS)
        return sp_json_fail(
            &reader->doc, &at,
            "key \"fusion\": needs a list of 2 to %d classifiers, as `statepath fit` writes it",
            SP_MOST_CLASSIFIERS);
    for (size_t c = 0; c < n; c++) {
        const sp_json_at here = {&at, NULL, c};
        json_t *one = json_array_get(list, c);
        const json_t *weight = json_object_get(one, "weight");
        sp_status status = sp_model_want_object(reader, &here, one, "with \"name\" and \"weight\"");
        if (status == SP_OK)
            status = sp_json_check_keys(&reader->doc, &here, one, 2, keys);
        if (status == SP_OK)
            status = sp_model_want_name(reader, &here, "fusion", json_object_get(one, "name"),
                                        "the name of a classifier");
        if (status != SP_OK)
            return status;
        if (!json_is_number(weight) || !(json_number_value(weight) >= 0) || isinf(json_number_value(weight)))
            return sp_json_fail(&reader->doc, &here, "key \"fusion\", \"weight\": needs a number from 0 on");
        names[c] = json_string_value(json_object_get(one, "name"));
        weights[c] = json_number_value(weight);
    }
    reader->model->fusion = sp_fusion_new((int32_t)n, names, weights);
    return reader->model->fusion ? SP_OK : sp_no_memory(reader->doc.err);
}
