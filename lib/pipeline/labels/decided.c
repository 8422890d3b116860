#include "pipeline/labels/decided.h"

#include <math.h>
#include <stdlib.h>

#include "core/block.h"
#include "core/labeller.h"
#include "pipeline/options.h"

static double *table_of(const sp_decided *d, int64_t recording)
{
    const size_t K = (size_t)d->info.n_classes;
    return d->tables + (d->fold ? (size_t)d->fold[recording] : 0) * K * K;
}

sp_status sp_decided_check(const sp_block *block, int32_t n_classes, sp_error *err)
{
    for (int64_t t = 0; t < block->n_steps; t++)
        if (block->labels[t] >= n_classes) {
            char where[256];
            const int64_t step = sp_block_where(block, t, -1, where, sizeof where);
            return sp_fail_at(err, SP_EDATA, step,
                              "%s: label %d, but there are %d classes; unscored steps are -1, and `codes` or "
                              "`map` reads others' "
                              "numbers",
                              where, block->labels[t], n_classes);
        }
    return SP_OK;
}

/* Labels [S] of the block become scores [S,K]. */
static sp_status score_labels(const sp_decided *d, sp_block *block, sp_error *err)
{
    const int32_t K = d->info.n_classes;
    sp_status status = sp_decided_check(block, K, err);
    if (status != SP_OK)
        return status;
    block->n_classes = K;
    block->dtype = SP_F64;
    status = sp_block_add_parts(block, SP_BLOCK_SCORES, err);
    for (int64_t n = 0; status == SP_OK && n < block->n_recordings; n++) {
        const int64_t at = block->offsets[n];
        sp_labeller_scores(K, table_of(d, block->first + n), block->offsets[n + 1] - at, block->labels + at,
                           (double *)block->scores + at * K);
    }
    return status;
}

static sp_status read_decided(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    const sp_decided *d = arg;
    const bool is_scored = parts & SP_BLOCK_SCORES;
    const unsigned own =
        (parts & ~(unsigned)(SP_BLOCK_SCORES | SP_BLOCK_LABELS)) | (is_scored ? SP_BLOCK_LABELS : 0u);
    sp_status status = d->from.read(d->from.arg, part, own, block, err);
    block->first = part->recording;
    if (status == SP_OK && is_scored)
        status = score_labels(d, block, err);
    block->labels = NULL; /* what is decided is no reference */
    block->n_classes = d->info.n_classes;
    block->classes = d->info.classes;
    return status;
}

void sp_decided_open(sp_decided *d, sp_pipeline *p)
{
    *d = (sp_decided){.from = p->from, .info = *p->from.info, .is_there = true};
    if (d->info.n_classes == 0)
        d->info.n_classes = p->model->n_classes;
    d->info.kind = SP_KIND_SCORES;
    d->info.dtype = SP_F64;
    d->info.has_scores = true;
    d->info.has_labels = false;
    d->info.scores_path = d->info.labels_path;
    d->info.labels_path = NULL;
    d->info.n_unlabelled = 0;
    p->from = (sp_recordings){.info = &d->info, .read = read_decided, .arg = d};
    p->info = &d->info;
}

void sp_decided_close(sp_decided *d)
{
    free(d->tables);
}

static sp_status make_tables(sp_decided *d, int32_t n, sp_error *err)
{
    const size_t K = (size_t)d->info.n_classes;
    d->tables = K <= SIZE_MAX / 16 / K / (size_t)n ? calloc((size_t)n * K * K, sizeof *d->tables) : NULL;
    d->n_tables = n;
    return d->tables ? SP_OK : sp_no_memory(err);
}

/* A class that another one's label speaks for more: said once, since argmax takes that one. */
static void tell_unlikely(const sp_decided *d, const sp_pipeline *p)
{
    const int32_t K = d->info.n_classes;
    for (int32_t l = 0; l < K; l++) {
        const double *row = d->tables + (size_t)l * (size_t)K;
        int32_t best = 0;
        for (int32_t k = 1; k < K; k++)
            best = row[k] > row[best] ? k : best;
        if (row[best] > row[l])
            sp_run_notice(p->opt, SP_NOTICE_DATA,
                          "note: label %s of %s is likelier where the class is %s, so argmax takes %s there",
                          p->model->classes[p->class_of_column[l]], p->file,
                          p->model->classes[p->class_of_column[best]],
                          p->model->classes[p->class_of_column[best]]);
    }
}

sp_status sp_decided_know(sp_decided *d, const sp_pipeline *p, sp_error *err)
{
    const double confidence = p->opt->decode.label_confidence;
    if (isnan(confidence) && !p->model->labeller)
        return sp_fail(
            err, SP_EDATA,
            "%s holds decided classes and no scores; `label_confidence` P says how often they are right, or "
            "a model "
            "with a \"labeller\", which `statepath fit` learns from them and `labels` REFERENCE, does",
            p->file);
    sp_status status = make_tables(d, 1, err);
    if (status != SP_OK)
        return status;
    if (!isnan(confidence)) {
        sp_labeller_even_table(d->info.n_classes, confidence, d->tables);
        return SP_OK;
    }
    sp_labeller_table(d->info.n_classes, p->model->labeller, p->class_of_column, d->tables);
    tell_unlikely(d, p);
    return SP_OK;
}

sp_status sp_decided_know_folds(sp_decided *d, const sp_folds *folds, sp_error *err)
{
    const size_t K = (size_t)d->info.n_classes;
    sp_status status = make_tables(d, folds->n_folds, err);
    for (int32_t f = 0; status == SP_OK && f < folds->n_folds;
         f++) /* fitted models have their classes in the order of the columns */
        if (folds->models[f])
            sp_labeller_table(d->info.n_classes, folds->models[f]->labeller, NULL,
                              d->tables + (size_t)f * K * K);
    d->fold = folds->fold;
    return status;
}
