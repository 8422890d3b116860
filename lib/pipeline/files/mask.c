/* The rows of a file of scores, each with its mask, wherever that comes from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "pipeline/files/open.h"
#include "pipeline/files/reading.h"
#include "pipeline/path_source.h"
#include "statepath/mask.h"
#include "statepath/signals_file.h"

enum { BLOCK_BYTES = 16 << 20 };

typedef enum mask_origin {
    FROM_DATASET,  /* a mask [S,K] */
    FROM_PREVIOUS, /* the class before each row */
    FROM_PATH,     /* the path's class at each row */
    FROM_DECODING  /* a path that is decoded here */
} mask_origin;

struct sp_masked {
    mask_origin from;
    sp_run_options options; /* the caller's, with the place of the classes before as that of the labels */
    sp_pipeline p;          /* without a model: source and preparing alone */
    sp_file_input in;
    sp_source_info info;
    sp_array matrix; /* [K,K], or without data */
    int64_t next;    /* recording */
    sp_block *block, *work;
    uint8_t *mask;     /* of the block, where it is made here */
    int32_t *previous; /* [room] */
    int64_t room;
    char what[512];
};

/* ---- opening ---- */

static sp_status check_words(const sp_run_options *o, sp_error *err)
{
    const bool has_rules = o->model || o->masks.matrix, has_classes = o->masks.previous || o->paths_dataset;
    if (has_classes && !has_rules)
        return sp_fail(
            err, SP_EINVAL,
            "the classes before are known, but not what may follow them: name a `model` or a `matrix`");
    if (o->masks.matrix && !has_classes)
        return sp_fail(err, SP_EINVAL,
                       "`matrix` says what may follow what, but not which class came before: name a dataset "
                       "of them with `previous`, or a "
                       "path with `paths`");
    if ((o->codes || o->map) && !(o->model && has_classes))
        return sp_fail(err, SP_EINVAL,
                       "`codes` and `map` say what the numbers of `previous` or `paths` are in the classes "
                       "of a `model`; name both");
    if (o->place.mask && has_rules)
        return sp_fail(err, SP_EINVAL,
                       "`mask` names a mask, and `model` or `matrix` would make another one; give one");
    return SP_OK;
}

static sp_status open_without_model(sp_masked *m, const char *file, sp_error *err)
{
    sp_source_options places;
    m->p = (sp_pipeline){.opt = &m->options, .file = file, .prepare = sp_prepare_options_default()};
    sp_status status = SP_OK;
    TRY(sp_run_places(&m->options, file, &places, err));
    TRY(sp_source_open(file, &places, &m->in.source, err));
done:
    if (status == SP_OK)
        m->p.info = sp_source_info_of(m->in.source);
    return status;
}

static sp_status read_matrix(sp_masked *m, const char *file, sp_error *err)
{
    const sp_file_access how = sp_run_access(&m->options);
    const long long k = m->info.n_classes;
    sp_status status =
        sp_array_read(file, m->options.masks.matrix, &how, "name another with `matrix`", &m->matrix, err);
    if (status == SP_OK && (m->matrix.rank != 2 || m->matrix.dims[0] != k || m->matrix.dims[1] != k))
        status =
            sp_fail(err, SP_EDATA,
                    "%s: dataset %s must have shape [%lld, %lld], a row and a column for each class of %s",
                    file, m->options.masks.matrix, k, k, m->info.scores_path);
    return status;
}

static void say_what(sp_masked *m)
{
    const sp_run_options *o = &m->options;
    const char *rules = m->p.model ? m->p.model->name : o->masks.matrix,
               *kind = m->p.model ? "model" : "matrix";
    if (m->from == FROM_DATASET)
        snprintf(m->what, sizeof m->what, "%s", o->place.mask ? o->place.mask : "its own mask");
    else if (m->from == FROM_DECODING)
        snprintf(m->what, sizeof m->what, "model %s, given the class before on the path of %s", rules,
                 m->p.names[0]);
    else
        snprintf(m->what, sizeof m->what, "%s %s, given the class before in %s", kind, rules,
                 o->place.labels);
}

static sp_status open_masked(sp_masked *m, const char *file, const sp_run_options *o, sp_error *err)
{
    sp_run_plan plan;
    sp_status status = SP_OK;
    TRY(sp_run_plan_make(o, SP_CALL_MASK, &plan, err));
    TRY(check_words(o, err));
    m->from = o->masks.previous  ? FROM_PREVIOUS
              : o->paths_dataset ? FROM_PATH
              : o->model         ? FROM_DECODING
                                 : FROM_DATASET;
    m->options = *o;
    if (m->from == FROM_PREVIOUS || m->from == FROM_PATH)
        m->options.place.labels = o->masks.previous ? o->masks.previous : o->paths_dataset;
    m->block = sp_block_new();
    m->work = sp_block_new();
    TRY(m->block && m->work ? SP_OK : sp_no_memory(err));
    TRY(o->model ? sp_pipeline_open_file(&m->p, &m->in, file, &m->options, &plan, NULL, err)
                 : open_without_model(m, file, err));
    if (m->p.n_strategies > 1)
        return sp_fail(err, SP_EINVAL, "mask: one strategy, please");
    m->info = *m->p.info;
    if (m->from == FROM_DATASET && !m->info.has_mask)
        return sp_fail(
            err, SP_EDATA,
            "%s has no mask beside %s; write a bool dataset \"mask\" of the same shape, or name a `model`",
            file, m->info.scores_path);
    if (m->from == FROM_PREVIOUS || m->from == FROM_PATH)
        m->info.has_labels = false; /* these are no labels */
    say_what(m);
    TRY(o->masks.matrix ? read_matrix(m, file, err) : SP_OK);
done:
    return status;
}

sp_status sp_masked_open(const char *file, const sp_run_options *o, sp_masked **out, sp_error *err)
{
    sp_masked *m = calloc(1, sizeof *m);
    if (!m)
        return sp_no_memory(err);
    sp_status status = open_masked(m, file, o, err);
    if (status == SP_OK)
        *out = m;
    else
        sp_masked_close(m, NULL);
    return status;
}

void sp_masked_close(sp_masked *m, sp_run_result *result)
{
    if (!m)
        return;
    if (m->p.opt)
        sp_pipeline_result(&m->p, result);
    sp_pipeline_close(&m->p);
    sp_file_input_close(&m->in);
    sp_array_clear(&m->matrix);
    sp_block_free(m->block);
    sp_block_free(m->work);
    free(m->mask);
    free(m->previous);
    free(m);
}

const sp_source_info *sp_masked_info(const sp_masked *m)
{
    return &m->info;
}

const char *sp_masked_what(const sp_masked *m)
{
    return m->what;
}

const char *sp_masked_class(const sp_masked *m, int32_t column, char text[SP_MASKED_CLASS])
{
    const char *name = m->info.classes ? m->info.classes[column]
                       : m->p.model    ? m->p.model->classes[m->p.class_of_column[column]]
                                       : NULL;
    if (!name)
        snprintf(text, SP_MASKED_CLASS, "class%d", (int)column);
    return name ? name : text;
}

/* ---- the class before each row ---- */

sp_status sp_pipeline_decode_block(sp_pipeline *p, const sp_block *block, int32_t *paths, sp_error *err)
{
    double seconds;
    sp_decode_output output = {.paths = paths,
                               .results = malloc(((size_t)block->n_recordings + 1) * sizeof *output.results)};
    const sp_status status =
        output.results ? sp_pipeline_decode(p, 0, block, &output, &seconds, err) : sp_no_memory(err);
    free(output.results);
    return status;
}

/* From the class of each step to that of the step before: in place. */
static void shift(const sp_masked *m, int32_t *path)
{
    const sp_batch batch = sp_block_batch(m->block);
    for (int64_t n = 0; n < batch.n_recordings; n++) {
        const sp_scores one = sp_batch_recording(&batch, n);
        int32_t *previous = path + batch.offsets[n];
        for (int64_t t = one.n_steps - 1; t > 0; t--)
            previous[t] = sp_scores_is_gap(&one, t) ? -1 : previous[t - 1];
        if (one.n_steps > 0)
            previous[0] = m->p.model ? SP_MASKED_START : -1;
    }
}

/* m->previous of the block; the same recordings are read once more where they are decoded. */
static sp_status find_previous(sp_masked *m, unsigned parts, sp_error *err)
{
    const sp_block *b = m->block;
    if (m->room < b->n_steps) {
        free(m->previous);
        m->room = b->n_steps;
        m->previous = malloc((size_t)m->room * sizeof *m->previous);
        if (!m->previous) {
            m->room = 0;
            return sp_no_memory(err);
        }
    }
    sp_status status = SP_OK;
    if (m->from == FROM_DECODING) {
        TRY(sp_source_read(m->in.source, b->first, b->n_recordings, parts | SP_BLOCK_LABELS, m->work, err));
        TRY(sp_prepare(m->work, &m->p.prepare, NULL, NULL, err));
        TRY(sp_pipeline_decode_block(&m->p, m->work, m->previous, err));
    } else if (b->n_steps > 0) {
        memcpy(m->previous, b->labels, (size_t)b->n_steps * sizeof *m->previous);
    }
done:
    if (status == SP_OK && m->from != FROM_PREVIOUS)
        shift(m, m->previous);
    return status;
}

/* ---- masks ---- */

static bool may_follow(const sp_chain *chain, int32_t previous, int32_t k)
{
    return previous == -1                ? true
           : previous == SP_MASKED_START ? sp_chain_is_legal_start(chain, k)
                                         : sp_chain_is_legal(chain, previous, k);
}

/* By the model, or recording by recording by the matrix, so that an error names recording and step. */
static sp_status fill_mask(const sp_masked *m, uint8_t *mask, sp_error *err)
{
    const sp_block *b = m->block;
    const int32_t n_classes = b->n_classes;
    sp_error detail;
    for (int64_t t = 0; !m->matrix.data && t < b->n_steps; t++)
        for (int32_t k = 0; k < n_classes; k++)
            mask[(size_t)t * (size_t)n_classes + (size_t)k] = may_follow(m->p.chain, m->previous[t], k);
    for (int64_t n = 0; m->matrix.data && n < b->n_recordings; n++) {
        const int64_t first = b->offsets[n];
        if (sp_mask_from_previous(m->previous + first, b->offsets[n + 1] - first, m->matrix.data, n_classes,
                                  mask + (size_t)first * (size_t)n_classes, &detail) != SP_OK)
            return sp_fail_at(err, detail.status, detail.step, "%s: recording %s, %s", m->p.file, b->ids[n],
                              detail.message);
    }
    return SP_OK;
}

/* The scores as they are: only probabilities become logs, since a constant of a row, which would be lost, is part of a logit. */
static sp_status prepare_raw(const sp_masked *m, sp_error *err)
{
    sp_prepare_options how = sp_prepare_options_default();
    how.kind = m->info.kind == SP_KIND_LOGITS ? SP_KIND_SCORES : m->info.kind;
    how.missing_uniform = m->p.prepare.missing_uniform;
    return sp_prepare(m->block, &how, NULL, NULL, err);
}

/* Memory of our own: the block has it only where the file has a mask. */
static sp_status make_mask(sp_masked *m, sp_error *err)
{
    sp_block *b = m->block;
    uint8_t *mask = malloc((size_t)b->n_steps * (size_t)b->n_classes + 1);
    if (!mask)
        return sp_no_memory(err);
    free(m->mask);
    b->mask = m->mask = mask;
    return fill_mask(m, mask, err);
}

sp_status sp_masked_next(sp_masked *m, sp_masked_rows *rows, sp_error *err)
{
    *rows = (sp_masked_rows){.block = NULL};
    if (m->next >= m->info.n_recordings)
        return SP_OK;
    if (sp_run_go_on(&m->options, err) != SP_OK)
        return SP_EFILE;
    const bool has_classes = m->from == FROM_PREVIOUS || m->from == FROM_PATH;
    const unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_SEGMENTS;
    const int64_t count = sp_source_fit(m->in.source, m->next, BLOCK_BYTES);
    sp_status status = sp_source_read(m->in.source, m->next, count,
                                      parts | SP_BLOCK_LABELS | (m->from == FROM_DATASET ? SP_BLOCK_MASK : 0),
                                      m->block, err);
    if (status != SP_OK)
        return status;
    m->next += count;
    if (m->from != FROM_DATASET)
        status = find_previous(m, parts, err);
    if (has_classes)
        m->block->labels = NULL;
    uint8_t *mask = m->block->mask;
    m->block->mask = NULL; /* nothing is masked yet */
    if (status == SP_OK)
        status = prepare_raw(m, err);
    m->block->mask = mask;
    if (status == SP_OK && m->from != FROM_DATASET)
        status = make_mask(m, err);
    if (status == SP_OK)
        *rows = (sp_masked_rows){.block = m->block, .previous = m->from == FROM_DATASET ? NULL : m->previous};
    return status;
}
