/* The folds of parts that are merged: by their models the recordings are decoded that a page draws. */
#include "core/try.h"
#include "pipeline/parts/merge.h"

#include <stdlib.h>

#include "statepath/model_json.h"

/* The models that a part has fitted: "folds": {"2": model as text}. */
static sp_status read_models(sp_folds *folds, const sp_part_content *part, sp_error *err)
{
    const char *key;
    json_t *value;
    sp_status status = SP_OK;
    json_object_foreach(json_object_get(part->header, "folds"), key, value)
    {
        const long f = strtol(key, NULL, 10);
        if (f < 0 || f >= folds->n_folds || !json_is_string(value))
            TRY(sp_fail(err, SP_EDATA, "%s: fold %s is none; the file is damaged: make it again", part->name,
                        key));
        if (!folds->models[f])
            TRY(sp_model_from_json(json_string_value(value), "the model of a fold", &folds->models[f], err));
    }
done:
    return status;
}

/* Which fold each recording is of. */
static sp_status read_assignment(sp_folds *folds, const sp_merged_parts *m, sp_error *err)
{
    for (int64_t r = 0; r < m->n_recordings; r++) {
        const sp_part_content *part = &m->parts[m->order[r].part];
        const int64_t at = m->order[r].recording,
                      fold = at < part->folds.n ? sp_count_at(&part->folds, at) : -1;
        if (fold < 0 || fold >= folds->n_folds || !folds->models[fold])
            return sp_fail(err, SP_EDATA,
                           "%s: recording %s is of no fold; the file is damaged: make it again", part->name,
                           m->ids[r]);
        folds->fold[r] = (int32_t)fold;
    }
    return SP_OK;
}

sp_status sp_merged_folds_open(sp_merged_folds *f, const sp_merged_parts *m, int32_t n_folds,
                               const sp_model *model, sp_error *err)
{
    *f = (sp_merged_folds){
        .training = {.classes = m->info.classes ? m->info.classes : (const char *const *)model->classes}};
    f->folds = (sp_folds){.n_folds = n_folds, .training = &f->training};
    f->folds.models = calloc((size_t)n_folds, sizeof(sp_model *));
    f->folds.fold = calloc((size_t)m->n_recordings + 1, sizeof *f->folds.fold);
    if (!f->folds.models || !f->folds.fold)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    for (int64_t p = 0; status == SP_OK && p < m->n_parts; p++)
        status = read_models(&f->folds, &m->parts[p], err);
    return status == SP_OK ? read_assignment(&f->folds, m, err) : status;
}
