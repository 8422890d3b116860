#include "evaluated.h"

#include "check.h"
#include "statepath/model_json.h"

sp_model *model_of_all(int32_t n_classes, const char *const *classes)
{
    sp_error err;
    sp_model *model = sp_model_new("any", n_classes, classes);
    uint8_t *allow = malloc((size_t)n_classes * (size_t)n_classes);
    assert_true(model && allow);
    memset(allow, 1, (size_t)n_classes * (size_t)n_classes);
    assert_ok(sp_model_set_matrix(model, allow, NULL, &err), &err);
    free(allow);
    return model;
}

sp_comparison *evaluated(const sp_model *model, const sp_arrays *arrays, const sp_array_paths *paths,
                         const sp_run_options *options)
{
    sp_error err;
    sp_arrays a = *arrays;
    size_t n = (size_t)a.info.n_recordings;
    char(*id)[32] = malloc((n + 1) * sizeof *id), *text;
    const char **ids = malloc((n + 1) * sizeof *ids);
    assert_true(id && ids);
    for (size_t i = 0; i < n; i++) {
        snprintf(id[i], sizeof id[i], "r%zu", i);
        ids[i] = id[i];
    }
    a.info.file = a.info.file ? a.info.file : "memory";
    a.info.ids = a.info.ids ? a.info.ids : ids;
    a.info.kind = a.info.dtype ? a.info.kind : SP_KIND_SCORES;
    a.info.dtype = a.info.dtype ? a.info.dtype : SP_F64;
    a.info.n_classes = model->n_classes;
    assert_ok(sp_model_to_json(model, &text, &err), &err);
    sp_run_options o = options ? *options : sp_run_options_default();
    o.model_text = text;
    sp_recordings recordings = sp_recordings_of_arrays(&a);
    sp_comparison *c = NULL;
    assert_ok(sp_evaluate(&recordings, paths, &o, &c, NULL, &err), &err);
    free(text);
    free(id);
    free(ids);
    return c;
}
