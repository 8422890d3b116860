/* sp_convert_file(): recordings from any files, packed into one; or labels as columns of CoNLL. */
#include <stdlib.h>
#include <string.h>

#include "core/subjects.h"
#include "io/paths_writer.h"
#include "io/source.h"
#include "pipeline/files/open.h"
#include "pipeline/files/reading.h"
#include "pipeline/options.h"
#include "sleep/label_coding_use.h"
#include "statepath/model_json.h"
#include "statepath/pipeline_file.h"
#include "tags/tags.h"

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

/* ---- to columns of CoNLL: labels that are tags, in the scheme that is asked for ---- */

enum { BLOCK_STEPS = 1 << 20 };

typedef struct tag_conversion {
    const sp_run_options *opt;
    const sp_tag_scheme *scheme; /* NULL: tags stay as they are */
    sp_model *model;             /* or NULL */
    sp_source *source;
    const sp_source_info *info;
    sp_tag *tags; /* [K] */
    sp_block *block;
    sp_text_file *out;
} tag_conversion;

static sp_status open_tags(tag_conversion *c, const char *file, sp_error *err)
{
    sp_source_options places;
    bool are_tags = false;
    sp_status status = c->opt->scheme ? sp_tag_scheme_find(c->opt->scheme, &c->scheme, err) : SP_OK;
    if (status == SP_OK)
        status = sp_run_places(c->opt, &places, err);
    if (status == SP_OK && c->opt->model)
        status = sp_model_load(c->opt->model, &c->model, err);
    places.needs_scores = false;
    places.model = c->model;
    if (status == SP_OK)
        status = sp_source_open(file, &places, &c->source, err);
    if (status != SP_OK)
        return status;
    c->info = sp_source_info_of(c->source);
    const int32_t K = c->info->n_classes;
    if (!c->info->has_labels || !c->info->classes)
        return sp_fail(err, SP_EINVAL, "%s: holds no labels with names, which columns of CoNLL are; write .h5", c->info->file);
    if (!(c->tags = malloc(((size_t)K + 1) * sizeof *c->tags)) || !(c->block = sp_block_new()))
        return sp_no_memory(err);
    status = sp_tags_read(K, c->info->classes, c->tags, &are_tags, err);
    if (status == SP_OK && c->scheme && !are_tags)
        status = sp_fail(err, SP_EINVAL, "`scheme` %s: the classes of %s are no tags of entities, such as O, B-PER and I-PER",
                         c->opt->scheme, c->info->file);
    return status;
}

static sp_tag tag_at(const tag_conversion *c, const int32_t *labels, int64_t n, int64_t t)
{
    return t < 0 || t >= n || labels[t] < 0 ? sp_tag_outside : c->tags[labels[t]];
}

/* The tag of step t of a recording's labels [n] in the scheme; entities are read as conlleval does, which is right for each. */
static sp_tag_kind kind_at(const tag_conversion *c, const int32_t *labels, int64_t n, int64_t t)
{
    const sp_tag before = tag_at(c, labels, n, t - 1), now = tag_at(c, labels, n, t), after = tag_at(c, labels, n, t + 1);
    const bool is_first = sp_entity_starts(before, now), is_last = sp_entity_ends(now, after);
    return sp_tag_for(c->scheme, is_first, is_last, before.type == now.type, after.type == now.type);
}

static sp_status put_step(tag_conversion *c, const char *token, const int32_t *labels, int64_t n, int64_t t, sp_error *err)
{
    const char *name = labels[t] < 0 ? "-1" : c->info->classes[labels[t]];
    const bool is_changed = c->scheme && tag_at(c, labels, n, t).type >= 0;
    char letter[] = {*name, '\0'};
    if (is_changed)
        letter[0] = sp_tag_letter(c->scheme, kind_at(c, labels, n, t));
    const char *const parts[] = {token ? token : "", token ? " " : "", letter, name + 1, "\n"};
    sp_status status = SP_OK;
    for (size_t i = 0; status == SP_OK && i < sizeof parts / sizeof parts[0]; i++)
        status = sp_text_put(c->out, parts[i], strlen(parts[i]), err);
    return status;
}

static sp_status write_recordings(tag_conversion *c, sp_error *err)
{
    const char *const *tokens = sp_source_tokens(c->source);
    const int64_t *offsets = c->info->offsets;
    sp_status status = SP_OK;
    for (int64_t first = 0, count; status == SP_OK && first < c->info->n_recordings; first += count) {
        for (count = 1; first + count < c->info->n_recordings && offsets[first + count + 1] - offsets[first] <= BLOCK_STEPS;)
            count++;
        status = sp_run_go_on(c->opt, err);
        if (status == SP_OK)
            status = sp_source_read(c->source, first, count, SP_BLOCK_LABELS, c->block, err);
        for (int64_t i = first; status == SP_OK && i < first + count; i++) {
            const int32_t *labels = c->block->labels + (offsets[i] - offsets[first]);
            const int64_t n = offsets[i + 1] - offsets[i];
            for (int64_t t = 0; status == SP_OK && t < n; t++)
                status = put_step(c, tokens ? tokens[offsets[i] + t] : NULL, labels, n, t, err);
            if (status == SP_OK)
                status = sp_text_put(c->out, "\n", 1, err);
        }
    }
    return status;
}

static sp_status convert_tags(const char *file, const sp_run_options *o, sp_error *err)
{
    tag_conversion c = {.opt = o};
    sp_status status = open_tags(&c, file, err);
    if (status == SP_OK)
        status = sp_text_open(o->output, o->force, NULL, &c.out, err);
    if (status == SP_OK) {
        status = write_recordings(&c, err);
        if (status == SP_OK)
            status = sp_text_close(c.out, err);
        else
            sp_text_abort(c.out);
    }
    sp_block_free(c.block);
    free(c.tags);
    sp_source_close(c.source);
    sp_model_free(c.model);
    return status;
}

/* ---- either ---- */

sp_status sp_convert_file(const char *file, const sp_run_options *o, sp_convert_sink *sink, void *arg, sp_error *err)
{
    conversion c = {.options = *o};
    c.opt = &c.options;
    if (o->output && sp_paths_writer_takes_tokens(o->output))
        return convert_tags(file, o, err);
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
