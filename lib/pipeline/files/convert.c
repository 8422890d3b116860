/* sp_convert_file(): recordings from any files, packed into one; or labels as columns of CoNLL. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/paths_writer.h"
#include "pipeline/files/file_recordings.h"
#include "pipeline/files/reading.h"
#include "pipeline/options.h"
#include "statepath/model_json.h"
#include "statepath/pipeline_file.h"
#include "tags/tags.h"

enum { BLOCK_BYTES = 16 << 20 };

static sp_status write_blocks(const sp_file_recordings *r, sp_block *block, sp_scores_writer *writer,
                              sp_error *err)
{
    const unsigned parts =
        SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_WEIGHTS | SP_BLOCK_MASK;
    sp_status status = SP_OK;
    for (int64_t first = 0; status == SP_OK && first < r->recordings.info->n_recordings;
         first += block->n_recordings) {
        status = sp_file_recordings_read(r, first, BLOCK_BYTES, parts, block, err);
        if (status == SP_OK)
            status = sp_scores_writer_add(writer, block, err);
    }
    sp_run_progress(&r->own->options, NULL, 0, 0);
    return status;
}

static sp_status write_output(const sp_file_recordings *r, sp_error *err)
{
    const sp_run_options *o = &r->own->options;
    const sp_source_info *info = r->recordings.info;
    const sp_scores_header header = {.kind = info->kind,
                                     .dtype = info->dtype,
                                     .n_recordings = info->n_recordings,
                                     .n_steps = info->n_steps,
                                     .n_classes = info->n_classes,
                                     .offsets = info->offsets,
                                     .ids = info->ids,
                                     .classes = r->classes,
                                     .with_labels = info->has_labels,
                                     .with_segments = info->has_segments,
                                     .with_weights = info->has_weights,
                                     .with_mask = info->has_mask,
                                     .epoch_seconds = r->epoch_seconds,
                                     .subjects = r->own->subjects,
                                     .command = o->command,
                                     .input = info->file,
                                     .force = o->force};
    sp_scores_writer *writer = NULL;
    sp_block *block = sp_block_new();
    sp_status status = SP_OK;
    TRY(block ? sp_scores_writer_open(o->output, &header, &writer, err) : sp_no_memory(err));
    TRY(write_blocks(r, block, writer, err));
done:
    sp_block_free(block);
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
    if (c->opt->trim_to_shortest)
        return sp_fail(err, SP_EINVAL,
                       "`trim_to_shortest` cuts scores and labels, and `output` %s takes labels alone",
                       c->opt->output);
    if (c->opt->labels_file)
        return sp_fail(
            err, SP_EINVAL,
            "`output` %s takes the labels of %s itself, not those of `labels` %s; convert that file",
            c->opt->output, file, c->opt->labels_file);
    sp_status status = SP_OK;
    TRY(sp_run_places(c->opt, file, &places, err));
    if (c->opt->model)
        TRY(sp_model_load(c->opt->model, &c->model, err));
    places.needs_scores = false;
    places.model = c->model;
    TRY(sp_source_open(file, &places, &c->source, err));
    c->info = sp_source_info_of(c->source);
    sp_run_tell_remark(c->opt, c->info);
    const int32_t K = c->info->n_classes;
    if (!c->info->has_labels || !c->info->classes)
        return sp_fail(err, SP_EINVAL,
                       "%s: holds no labels with names, which columns of CoNLL are; write .h5",
                       c->info->file);
    if (!(c->tags = malloc(((size_t)K + 1) * sizeof *c->tags)) || !(c->block = sp_block_new()))
        return sp_no_memory(err);
    TRY(sp_tags_read(K, c->info->classes, c->tags, &are_tags, err));
    if (c->scheme && !are_tags)
        TRY(sp_fail(err, SP_EINVAL,
                    "`scheme`: the classes of %s are no tags of entities, such as O, B-PER and I-PER",
                    c->info->file));
done:
    return status;
}

static sp_tag tag_at(const tag_conversion *c, const int32_t *labels, int64_t n, int64_t t)
{
    return t < 0 || t >= n || labels[t] < 0 ? sp_tag_outside : c->tags[labels[t]];
}

/* The tag of step t of a recording's labels [n] in the scheme; entities are read as conlleval does, which is right for each. */
static sp_tag_kind kind_at(const tag_conversion *c, const int32_t *labels, int64_t n, int64_t t)
{
    const sp_tag before = tag_at(c, labels, n, t - 1), now = tag_at(c, labels, n, t),
                 after = tag_at(c, labels, n, t + 1);
    const bool is_first = sp_entity_starts(before, now), is_last = sp_entity_ends(now, after);
    return sp_tag_for(c->scheme, is_first, is_last, before.type == now.type, after.type == now.type);
}

static sp_status put_step(tag_conversion *c, const char *token, const int32_t *labels, int64_t n, int64_t t,
                          sp_error *err)
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
    const sp_holes *holes = sp_source_holes(c->source); /* which tokens have */
    const int64_t *offsets = c->info->offsets;
    sp_status status = SP_OK;
    for (int64_t first = 0, count; first < c->info->n_recordings; first += count) {
        for (count = 1; first + count < c->info->n_recordings &&
                        offsets[first + count + 1] - offsets[first] <= BLOCK_STEPS;)
            count++;
        TRY(sp_run_go_on(c->opt, err));
        TRY(sp_source_read(c->source, first, count, SP_BLOCK_LABELS, c->block, err));
        for (int64_t i = first; i < first + count; i++) {
            const int32_t *labels = c->block->labels + (offsets[i] - offsets[first]);
            const int64_t n = offsets[i + 1] - offsets[i];
            for (int64_t t = 0; t < n; t++)
                TRY(put_step(c,
                             tokens ? tokens[holes ? holes->step_at[offsets[i] + t] : offsets[i] + t] : NULL,
                             labels, n, t, err));
            TRY(sp_text_put(c->out, "\n", 1, err));
        }
    }
done:
    return status;
}

static sp_status convert_tags(const char *file, const sp_run_options *o, const sp_tag_scheme *scheme,
                              sp_error *err)
{
    sp_run_options options = *o;
    sp_owned own = {0};
    tag_conversion c = {.opt = &options, .scheme = scheme};
    sp_status status = sp_run_find_labels(&options, &own, err);
    if (status == SP_OK)
        status = open_tags(&c, file, err);
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
    sp_owned_free(&own);
    return status;
}

/* ---- either ---- */

sp_status sp_convert_file(const char *file, const sp_run_options *o, sp_convert_sink *sink, void *arg,
                          sp_error *err)
{
    sp_file_recordings r = {.own = NULL};
    sp_run_plan plan;
    sp_status status = sp_run_plan_make(o, SP_CALL_CONVERT, &plan, err);
    if (status != SP_OK)
        return status;
    if (o->output && sp_paths_writer_takes_tokens(o->output))
        return convert_tags(file, o, plan.scheme, err);
    if (plan.scheme)
        return sp_fail(err, SP_EINVAL,
                       "`scheme`: tags are written in a scheme as columns of CoNLL: `output` OUT.conll");
    if (!o->output)
        return sp_fail(err, SP_EINVAL, "`output` OUT.h5 is missing: where to write the recordings");
    TRY(sp_file_recordings_open(&r, file, o, true, err));
    if (sink)
        sink(arg, r.recordings.info);
    TRY(write_output(&r, err));
done:
    sp_file_recordings_close(&r);
    return status;
}
