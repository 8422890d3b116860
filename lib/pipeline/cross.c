#include "pipeline/cross.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sp_status sp_folds_open(cross *c, const char *file, const sp_run_options *o, sp_error *err)
{
    const int n_folds = o->n_folds;
    *c = (cross){.n_folds = n_folds, .options = *o};
    if (o->fit.rules)
        c->options.model = o->fit.rules;
    sp_status status = sp_fitting_open(&c->fit, file, &c->options, err);
    if (status != SP_OK)
        return status;
    if (!c->fit.training.labels)
        return sp_run_fail(o, err, SP_EINVAL, "@cv judges by labels, but %s has none; @labels PATH says where they are", file);
    c->fold = malloc((size_t)(c->fit.info->n_recordings + 1) * sizeof *c->fold);
    if (!c->fold)
        return sp_fail(err, SP_ENOMEM, "no memory for the folds of %lld recordings", (long long)c->fit.info->n_recordings);
    status = sp_folds_assign(&c->fit.training.batch, c->fit.options.group, n_folds, c->fold, err);
    if (status != SP_OK)
        return status;
    sp_model **models = calloc((size_t)n_folds, sizeof(sp_model *));
    if (!models)
        return sp_fail(err, SP_ENOMEM, "no memory for %d models", n_folds);
    status = sp_cross_fit(&c->fit.training, &c->fit.options, n_folds, c->fold, c->fit.workers, models, err);
    sp_run_progress(o, NULL, 0, 0);
    if (status == SP_OK)
        c->models = models;
    else
        free(models);
    return status;
}

void sp_folds_close(cross *c)
{
    for (int32_t f = 0; c->models && f < c->n_folds; f++)
        sp_model_free(c->models[f]);
    free(c->models);
    free(c->fold);
    sp_fitting_close(&c->fit);
}

sp_status sp_folds_decode(const cross *c, const sp_block *block, const sp_decode_options *how, sp_workers *workers,
                          const sp_decode_output *output, sp_error *err)
{
    sp_training part = {.batch = sp_block_batch(block), .labels = block->labels, .classes = c->fit.classes};
    return sp_cross_decode(&part, (const sp_model *const *)c->models, c->fold + block->first, c->n_folds, how, workers, output,
                           err);
}

/* Does what stands before `at` in the text end with the name? */
static bool ends_with(const char *text, const char *at, const char *name)
{
    size_t length = strlen(name);
    return (size_t)(at - text) >= length && memcmp(at - length, name, length) == 0;
}

bool sp_is_fitted_on(const sp_model *model, const sp_source_info *info)
{
    char sizes[64], bytes[64];
    const char *slash = strrchr(info->file, '/'), *name = slash ? slash + 1 : info->file;
    if (!model->source || !model->description || strncmp(model->description, "fitted by ", 10) != 0)
        return false;
    snprintf(sizes, sizeof sizes, " (%lld recordings, %lld steps", (long long)info->n_recordings, (long long)info->n_steps);
    snprintf(bytes, sizeof bytes, ", %lld bytes)", (long long)info->file_size);
    const char *at = strstr(model->source, sizes), *after = at ? at + strlen(sizes) : NULL;
    if (!at || (*after != ',' && *after != ')'))
        return false;
    return ends_with(model->source, at, name) || strncmp(after, bytes, strlen(bytes)) == 0;
}
