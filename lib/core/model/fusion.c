#include "core/model/fusion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sp_fusion_free(sp_fusion *f)
{
    if (!f)
        return;
    for (int32_t c = 0; f->names && c < f->n; c++)
        free(f->names[c]);
    free(f->names);
    free(f->weights);
    free(f);
}

sp_fusion *sp_fusion_new(int32_t n, const char *const *names, const double *weights)
{
    sp_fusion *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->n = n;
    f->names = calloc((size_t)n, sizeof *f->names);
    f->weights = calloc((size_t)n, sizeof *f->weights);
    bool is_whole = f->names && f->weights;
    for (int32_t c = 0; is_whole && c < n; c++) {
        f->weights[c] = weights[c];
        is_whole = (f->names[c] = strdup(names[c])) != NULL;
    }
    if (is_whole)
        return f;
    sp_fusion_free(f);
    return NULL;
}

void sp_fusion_add(double weight, const double *scores, const int32_t *column, int64_t n_steps,
                   int32_t n_classes, double *out)
{
    const int64_t n = n_steps * n_classes;
    if (weight == 0)
        return;
    for (int64_t i = 0; !column && i < n; i++)
        out[i] += weight * scores[i];
    for (int64_t i = 0; column && i < n; i++)
        out[i] += weight * scores[i - i % n_classes + column[i % n_classes]];
}

sp_status sp_fusion_check_count(const sp_model *model, int32_t n, sp_error *err)
{
    const sp_fusion *f = model->fusion;
    char names[256] = "";
    if ((f ? f->n : 1) == n)
        return SP_OK;
    if (!f)
        return sp_fail(err, SP_EMODEL,
                       "model %s decodes the scores of one classifier, and there are %d; fit of all of them "
                       "learns a fusion",
                       model->name, n);
    for (int32_t c = 0; c < f->n; c++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", c ? ", " : "", f->names[c]);
    }
    return sp_fail(
        err, SP_EMODEL,
        "model %s fuses the scores of %d classifiers (%s), and there %s %d; give those of all, in this order",
        model->name, f->n, names, n == 1 ? "is" : "are", n);
}
