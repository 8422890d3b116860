/* sp_convert_file(): recordings from any files, packed into one. */
#include <stdlib.h>
#include <string.h>

#include "core/subjects.h"
#include "io/paths_writer.h"
#include "io/source.h"
#include "pipeline/file_convert_tags.h"
#include "pipeline/file_open.h"
#include "pipeline/options.h"
#include "sleep/label_coding_use.h"
#include "statepath/model_json.h"
#include "statepath/pipeline_file.h"

enum { BLOCK_BYTES = 16 << 20 };

typedef struct conversion {
    sp_run_options options; /* as given, with the file of labels in its place */
    const sp_run_options *opt;
    sp_model *model; /* or NULL */
    sp_pipeline p;   /* of recordings, with labels of another file where there are any */
    sp_file_input in;
    const sp_source_info *info;
    sp_codes *codes; /* or NULL */
    sp_subjects *subjects;
    double seconds;
    sp_block *block;
} conversion;

/* codes, map: labels become columns of the scores. */
static sp_status read_codes(conversion *c, sp_error *err)
{
    const sp_run_options *o = c->opt;
    if (!o->codes && !o->map)
        return SP_OK;
    if (!c->model || !c->info->has_labels)
        return sp_fail(err, SP_EINVAL, "`codes` and `map` read labels as classes of a model: `model` M says which, and %s %s",
                       c->info->file, c->info->has_labels ? "has labels" : "has no labels");
    int32_t *class_of_column = malloc((size_t)c->info->n_classes * sizeof *class_of_column);
    if (!class_of_column)
        return sp_no_memory(err);
    sp_status status = sp_model_align(c->model, c->info->n_classes, c->info->classes, class_of_column, err);
    if (status == SP_OK)
        status = sp_codes_new(o->codes, o->map, false, c->model, &c->codes, err);
    if (status == SP_OK)
        status = sp_codes_use_columns(c->codes, class_of_column, err);
    if (status == SP_OK)
        sp_source_use_codes(c->in.source, c->codes);
    free(class_of_column);
    return status;
}

static sp_status read_reference(conversion *c, sp_error *err)
{
    c->p.model = c->model;
    c->model = NULL; /* the pipeline's now */
    sp_status status = sp_file_input_label_alone(&c->p, &c->in, "`model` M says which they are, for example sleep-aasm", err);
    c->info = c->p.from.info;
    return status;
}

static sp_status open_input(conversion *c, const char *file, sp_error *err)
{
    sp_source_options places;
    sp_status status = sp_run_find_labels(&c->options, err);
    if (status == SP_OK)
        status = sp_run_places(c->opt, &places, err);
    if (status == SP_OK && c->opt->model)
        status = sp_model_load(c->opt->model, &c->model, err);
    places.model = c->model;
    c->p = (sp_pipeline){.opt = c->opt, .file = file};
    if (status == SP_OK)
        status = sp_file_input_open(&c->p, &c->in, &places, err);
    if (status != SP_OK)
        return status;
    c->info = c->p.from.info;
    status = c->opt->reference ? read_reference(c, err) : read_codes(c, err);
    if (status == SP_OK)
        status = sp_source_subjects(c->in.source, c->opt->groups, &c->subjects, err);
    return status == SP_OK ? sp_source_epoch_seconds(c->in.source, &c->seconds, err) : status;
}

static sp_status write_blocks(conversion *c, sp_scores_writer *writer, sp_error *err)
{
    const unsigned parts = SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS | SP_BLOCK_MASK;
    sp_status status = SP_OK;
    for (int64_t first = 0, n; status == SP_OK && first < c->info->n_recordings; first += n) {
        n = sp_source_fit(c->in.source, first, BLOCK_BYTES);
        if (n > c->info->n_recordings - first)
            n = c->info->n_recordings - first;
        const sp_part part = {.recording = first, .count = n};
        sp_run_progress(c->opt, "steps", c->info->offsets[first], c->info->n_steps);
        status = sp_run_go_on(c->opt, err);
        if (status == SP_OK)
            status = c->p.from.read(c->p.from.arg, &part, parts, c->block, err);
        if (status == SP_OK)
            status = sp_scores_writer_add(writer, c->block, err);
    }
    sp_run_progress(c->opt, NULL, 0, 0);
    return status;
}

static sp_status write_output(conversion *c, sp_error *err)
{
    const sp_source_info *info = c->info;
    const sp_scores_header header = {.kind = info->kind,
                                     .dtype = info->dtype,
                                     .n_recordings = info->n_recordings,
                                     .n_steps = info->n_steps,
                                     .n_classes = info->n_classes,
                                     .offsets = info->offsets,
                                     .ids = info->ids,
                                     .classes =
                                         info->classes || !c->p.model ? info->classes : (const char *const *)c->p.model->classes,
                                     .with_labels = info->has_labels,
                                     .with_segments = info->has_segments,
                                     .with_weights = info->has_weights,
                                     .with_mask = info->has_mask,
                                     .epoch_seconds = c->opt->epoch_seconds > 0 ? c->opt->epoch_seconds : c->seconds,
                                     .subjects = c->subjects,
                                     .command = c->opt->command,
                                     .input = info->file,
                                     .force = c->opt->force};
    sp_scores_writer *writer = NULL;
    if (!(c->block = sp_block_new()))
        return sp_no_memory(err);
    sp_status status = sp_scores_writer_open(c->opt->output, &header, &writer, err);
    if (status != SP_OK)
        return status;
    status = write_blocks(c, writer, err);
    if (status == SP_OK)
        return sp_scores_writer_commit(writer, err);
    sp_scores_writer_abort(writer);
    return status;
}

sp_status sp_convert_file(const char *file, const sp_run_options *o, sp_convert_sink *sink, void *arg, sp_error *err)
{
    conversion c = {.options = *o};
    c.opt = &c.options;
    if (o->output && sp_paths_writer_takes_tokens(o->output))
        return sp_convert_tags(file, o, err);
    if (o->scheme)
        return sp_fail(err, SP_EINVAL, "`scheme` %s: tags are written in a scheme as columns of CoNLL: `output` OUT.conll",
                       o->scheme);
    sp_status status = o->output ? open_input(&c, file, err)
                                 : sp_fail(err, SP_EINVAL, "`output` OUT.h5 is missing: where to write the recordings");
    if (status == SP_OK && sink)
        sink(arg, c.info);
    if (status == SP_OK)
        status = write_output(&c, err);
    sp_block_free(c.block);
    sp_subjects_free(c.subjects);
    sp_file_input_close(&c.in);
    sp_pipeline_close(&c.p);
    sp_codes_free(c.codes);
    sp_model_free(c.model);
    return status;
}
