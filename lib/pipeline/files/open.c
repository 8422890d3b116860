#include "pipeline/files/open.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/subjects.h"
#include "core/try.h"
#include "io/paths_writer.h"
#include "io/source.h"
#include "io/text/step_texts.h"
#include "pipeline/files/label_order.h"
#include "pipeline/files/reading.h"
#include "sleep/label_coding_use.h"
#include "statepath/model_json.h"

/* ---- recordings ---- */

static sp_status read_source(void *arg, const sp_part *part, unsigned parts, sp_block *block, sp_error *err)
{
    return sp_source_read(arg, part->recording, part->count, parts, block, err);
}

static sp_status read_source_rater(void *arg, int32_t rater, const sp_part *part, int32_t *labels,
                                   sp_error *err)
{
    return sp_source_read_rater(arg, rater, part->recording, part->count, labels, err);
}

static sp_status read_source_steps(void *arg, int64_t recording, int64_t first, int64_t n, unsigned parts,
                                   sp_block *block, sp_error *err)
{
    return sp_source_read_steps(arg, recording, first, n, parts, block, err);
}

sp_status sp_pipeline_find_raters(sp_pipeline *p, sp_source *source, int32_t n_classes, sp_error *err)
{
    sp_raters_found *found = &p->raters.found;
    sp_status status = sp_source_find_raters(source, found, err);
    if (status == SP_OK && found->n_raters && n_classes > SP_RATERS_MAX_CLASSES) {
        sp_run_notice(
            p->opt, SP_NOTICE_DATA,
            "the file has labels by %d scorers, which are left out: they are compared for up to %d classes",
            found->n_raters, SP_RATERS_MAX_CLASSES);
        found->n_raters = 0;
    }
    return status;
}

/* ---- a file of scores ---- */

static const char decided_are_single[] = "what was decided is one at each step";

/* Decided classes that have names; `codes` and `map` read their labels of another file. */
static bool is_told(const sp_file_input *in, const sp_source_info *info, const sp_run_options *o)
{
    return in->is_decided && info->classes && o->labels_file;
}

sp_status sp_file_input_read_codes(sp_pipeline *p, sp_file_input *in, const sp_model *model, const char *mend,
                                   sp_error *err)
{
    const sp_run_options *o = p->opt;
    const sp_source_info *info = p->from.info;
    if ((!o->codes && !o->map) || in->codes || is_told(in, info, o))
        return SP_OK;
    if (!model)
        return sp_fail(err, SP_EINVAL, "`codes` and `map` speak of classes; %s", mend);
    if (!info->has_labels && !in->is_decided)
        return sp_fail(err, SP_EINVAL,
                       "`codes` and `map` read labels, and %s has none; `labels` PATH says where they are",
                       info->file);
    const int32_t K = info->has_scores || info->classes ? info->n_classes : model->n_classes;
    int32_t *class_of_column = malloc((size_t)K * sizeof *class_of_column);
    if (!class_of_column)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    TRY(sp_model_align(model, K, info->classes, class_of_column, err));
    TRY(sp_reference_codes_new(p, model,
                               in->is_decided                          ? decided_are_single
                               : o->masks.previous || o->paths_dataset ? "the class before a step is one"
                                                                       : NULL,
                               &in->codes, err));
    if (info->has_scores && !info->classes && sp_codes_differ_from(in->codes, class_of_column))
        sp_run_notice(o, SP_NOTICE_DATA,
                      "note: the columns of %s have no names and are taken in the model's order, %s first; "
                      "labels by %s are in another "
                      "order: if the columns are too, write their names as attribute classes",
                      p->file, model->classes[0], sp_codes_name(in->codes));
    TRY(sp_codes_use_columns(in->codes, class_of_column, err));
    sp_source_use_codes(in->source, in->codes);
    p->about.label_codes = sp_codes_name(in->codes);
done:
    free(class_of_column);
    return status;
}

/* trim_to_shortest: `info` becomes that of the steps which scores and labels have. What is written beside every step of the input
 * cannot be cut with the scores. */
static sp_status trim(sp_pipeline *p, sp_file_input *in, sp_source_info *info, sp_error *err)
{
    const sp_reference *l = &in->reference;
    const sp_match_side ours = {.n = info->n_recordings, .offsets = info->offsets};
    sp_status status =
        sp_match_steps(&ours, &(sp_match_side){.offsets = l->offsets}, l->recording, &in->common, err);
    if (status != SP_OK)
        return status;
    info->offsets = in->common.offsets;
    info->n_steps = info->offsets[info->n_recordings];
    const int64_t cut = ours.offsets[ours.n] - info->n_steps,
                  cut_labels = l->offsets[l->n_recordings] - info->n_steps;
    if (cut + cut_labels > 0)
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "note: the last steps are left out where a recording has more in one file: %lld of %s, "
                      "%lld of %s; nothing says "
                      "that both begin at the same time",
                      (long long)cut, p->file, (long long)cut_labels, l->file);
    p->about.cut_path_steps = in->common.cut_ours;
    p->about.cut_label_steps = in->common.cut_theirs;
    if ((p->about.holes || p->about.tokens || p->about.texts) && cut > 0)
        return sp_fail(err, SP_EINVAL,
                       "`trim_to_shortest` would cut %s, whose steps `gaps` leaves out or `output` writes "
                       "with their tokens; make its "
                       "recordings as long as those of %s",
                       p->file, l->file);
    return SP_OK;
}

/* What step t of a recording is: the token of the scores, else of the labels. */
static const char *word_of(const void *arg, int64_t recording, int64_t t)
{
    const sp_file_input *in = arg;
    const char *const *tokens = sp_source_tokens(in->source);
    if (tokens) {
        const sp_holes *holes = sp_source_holes(in->source);
        const int64_t at = sp_source_info_of(in->source)->offsets[recording] + t;
        return tokens[holes ? holes->step_at[at] : at];
    }
    const sp_reference *l = &in->reference;
    const int64_t theirs =
        in->labelled.beside_recording ? in->labelled.beside_recording[recording] : recording;
    return sp_source_tokens(l->source)[l->offsets[theirs] + t];
}

static void set_word(sp_pipeline *p, const sp_file_input *in, bool are_there)
{
    if (!are_there || p->about.word)
        return;
    p->about.word = word_of;
    p->about.word_arg = in;
}

/* reference: labels are those of another file, whatever stands beside the scores. */
static sp_status open_reference(sp_pipeline *p, sp_file_input *in, sp_error *err)
{
    const sp_run_options *o = p->opt;
    const bool are_shared = in->is_decided && in->codes;
    sp_reference *l = &in->reference;
    double seconds = 0;
    sp_status status = SP_OK;
    TRY(sp_run_check_labels_name(o, in->source, err));
    TRY(sp_source_seconds(in->source, &seconds, err));
    TRY(sp_reference_open(l, p, o->labels_file, o->labels_dataset, seconds, are_shared, err));
    TRY(sp_reference_match(l, in->source, p->info->has_ids ? p->info->ids : NULL, seconds,
                           o->trim_to_shortest, err));
    if (p->leaves_out)
        TRY(sp_unread_new(p, &(sp_unread_input){.info = p->info, .labels = l->info, .beside = l->recording},
                          &p->unread, err));
    TRY(sp_label_order_check(l, p, "best classes of the scores", p->info->offsets, p->info->n_recordings,
                             sp_standing_of_scores, &p->from, err));
    p->about.holes = sp_source_holes(in->source);
    sp_source_info info = *p->info;
    if (o->trim_to_shortest)
        TRY(trim(p, in, &info, err));
    p->about.label_codes = l->codes ? sp_codes_name(l->codes) : NULL;
    p->about.labels_file = l->file;
    set_word(p, in, sp_source_tokens(l->source) && !sp_source_holes(l->source));
    in->labelled = (sp_matched){
        .from = p->from,
        .beside = {.info = l->info, .read = read_source, .read_rater = read_source_rater, .arg = l->source},
        .beside_recording = l->recording,
        .column_of_label = l->column_of_label,
        .name = p->file,
        .beside_name = l->file};
    l->recording = NULL; /* the recordings' now */
    l->column_of_label = NULL;
    status = sp_matched_open(&in->labelled, &info, &p->from, err);
    p->info = p->from.info;
done:
    return status;
}

static sp_status step_seconds(void *arg, double *seconds, sp_error *err)
{
    const sp_file_input *in = arg;
    sp_status status = sp_source_epoch_seconds(in->source, seconds, err);
    return status == SP_OK && *seconds == 0 ? sp_source_seconds(in->reference.source, seconds, err) : status;
}

/* In a file of paths, whose labels are what they were judged by, the paths are what was decided: `places` becomes theirs, their
 * dataset being written into text [size]. */
static sp_status find_path(const char *file, sp_source_options *places, char *text, size_t size,
                           sp_error *err)
{
    sp_error ignored;
    sp_paths_reader *reader = NULL;
    sp_status status = sp_paths_reader_open(file, NULL, places, &reader, &ignored);
    if (status != SP_OK)
        return status == SP_ENOMEM ? sp_no_memory(err) : SP_OK;
    const sp_paths_info *info = sp_paths_reader_info(reader);
    if (info->has_labels || info->model_json) {
        places->offsets = places->offsets ? places->offsets : "/offsets";
        places->ids = places->ids || !info->has_ids ? places->ids : "/ids";
        places->labels = text;
        snprintf(text, size, "/paths/%.200s", info->strategies[0]);
        if (info->n_strategies > 1)
            status =
                sp_fail(err, SP_EINVAL,
                        "%s holds paths of %d strategies; `labels` /paths/%s decodes the classes of that one",
                        file, info->n_strategies, info->strategies[0]);
    }
    sp_source_close(reader);
    return status;
}

/* An array without a name that is no list of whole numbers was meant to be scores. */
static bool are_scores(const sp_source_info *info)
{
    const bool is_array = info->stored_type && !info->labels_path;
    return is_array && (info->layout == SP_LAYOUT_PADDED || strncmp(info->stored_type, "float", 5) == 0);
}

/* Notes in a bool that a dataset that was not used may be scores. */
static void note_scores(void *arg, const char *what, const char *shape, const char *option)
{
    (void)what, (void)shape;
    *(bool *)arg |= option && strcmp(option, "`scores`") == 0;
}

/* Labels beside what may be the scores, under a name that does not say so: then scores are missing, unless someone says that the
 * labels were meant. */
static sp_status holds_scores(const sp_pipeline *p, sp_source *source, const sp_source_options *places,
                              bool *holds, sp_error *err)
{
    *holds = false;
    if (places->labels || !isnan(p->opt->decode.label_confidence) || (p->model && p->model->labeller))
        return SP_OK;
    return sp_source_list_unused(source, note_scores, holds, err);
}

/* A file without scores whose labels are what a labeller decided; else what was said of it stays. */
static sp_status open_decided(sp_pipeline *p, sp_file_input *in, const sp_source_options *places,
                              sp_status said, sp_error *err)
{
    const sp_run_options *o = p->opt;
    char path[256];
    sp_source_options options = *places;
    bool holds = false;
    sp_status status = SP_OK;
    if (!options.labels)
        TRY(find_path(p->file, &options, path, sizeof path, err));
    if (p->model && (o->codes || o->map) && sp_source_is_text(p->file))
        TRY(sp_reference_codes_new(p, p->model, decided_are_single, &in->codes, err));
    options.codes = in->codes;
    TRY(sp_source_open_labels(p->file, &options, said, &in->source, err));
    TRY(holds_scores(p, in->source, &options, &holds, err));
    if (holds || are_scores(sp_source_info_of(in->source))) {
        sp_source_close(in->source);
        in->source = NULL;
        return said;
    }
    in->is_decided = true;
done:
    return status;
}

static sp_status open_texts(sp_pipeline *p, sp_file_input *in, sp_error *err)
{
    const sp_run_options *o = p->opt;
    const sp_holes *holes = p->about.holes;
    if (!o->text)
        return SP_OK;
    if (!o->output || !sp_paths_writer_takes_spans(o->output))
        return sp_fail(err, SP_EINVAL,
                       "`text` says where spans stand in it: `output` SPANS.jsonl writes them");
    sp_status status = sp_step_texts_read(o->text, p->from.info->n_recordings, p->from.info->ids,
                                          holes ? holes->offsets : p->from.info->offsets, &in->texts, err);
    p->about.texts = in->texts;
    return status;
}

static sp_recordings recordings_of(sp_source *source)
{
    return (sp_recordings){.info = sp_source_info_of(source),
                           .read = read_source,
                           .read_rater = read_source_rater,
                           .read_steps = read_source_steps,
                           .arg = source};
}

sp_status sp_file_input_open(sp_pipeline *p, sp_file_input *in, const sp_source_options *places,
                             sp_error *err)
{
    sp_source_options first = *places;
    bool holds_scores = false;
    first.holds_scores = &holds_scores;
    sp_status status = sp_source_open(p->file, &first, &in->source, err);
    if (status == SP_EDATA && first.takes_scores && !first.needs_scores && !holds_scores &&
        sp_source_is_text(p->file)) {
        first.takes_scores = false; /* a table of labels alone */
        status = sp_source_open(p->file, &first, &in->source, NULL) == SP_OK ? SP_OK : status;
    }
    if ((status == SP_EFILE || status == SP_EDATA) && !holds_scores && in->takes_decided && !places->scores)
        status = open_decided(p, in, places, status, err);
    if (status != SP_OK)
        return status;
    p->from = recordings_of(in->source);
    p->file = p->from.info->file;
    p->about.holes = sp_source_holes(in->source);
    if (p->opt->output && sp_paths_writer_takes_tokens(p->opt->output))
        p->about.tokens = sp_source_tokens(in->source);
    if (p->opt->join && (status = sp_windowed_open(&in->windowed, p, in->source, err)) != SP_OK)
        return status;
    if ((status = open_texts(p, in, err)) != SP_OK)
        return status;
    set_word(p, in, sp_source_tokens(in->source) != NULL);
    p->about.step_seconds = step_seconds;
    p->about.step_seconds_arg = in;
    return SP_OK;
}

sp_status sp_file_input_label(sp_pipeline *p, sp_file_input *in, sp_error *err)
{
    if (in->is_decided)
        sp_decided_open(&in->decided, p);
    sp_status status = SP_OK;
    TRY(sp_pipeline_load_model(p, err));
    if (in->is_decided || !p->opt->labels_file)
        TRY(sp_file_input_read_codes(p, in, p->model, NULL, err));
    const bool is_of_labels =
        p->from.info->has_labels && (in->codes || p->opt->labels_file); /* which are told otherwise */
    if (!in->is_decided && !is_of_labels)
        sp_run_tell_remark(p->opt, p->from.info);
    if (p->opt->labels_file)
        TRY(open_reference(p, in, err));
done:
    return status;
}

sp_status sp_file_input_check_gaps(const sp_pipeline *p, const sp_file_input *in, sp_error *err)
{
    const sp_source *sources[] = {in->source, in->reference.source};
    return sp_run_check_gaps(p->opt, 2, sources, p->from.info->has_labels || in->is_decided, err);
}

sp_status sp_file_input_label_alone(sp_pipeline *p, sp_file_input *in, const char *mend, sp_error *err)
{
    const sp_source_info *info = p->from.info;
    if (!p->model && !info->classes)
        return sp_fail(err, SP_EINVAL, "%s names no classes; %s", info->file, mend);
    if (!p->model && !(p->model = sp_model_new("labels", info->n_classes, info->classes)))
        return sp_no_memory(err);
    return sp_file_input_label(p, in, err);
}

/* ---- all of it ---- */

sp_status sp_pipeline_open_file(sp_pipeline *p, sp_file_input *in, const char *file,
                                const sp_run_options *opt, const sp_run_plan *plan, bool leaves_out,
                                sp_error *err)
{
    sp_source_options places;
    sp_status status = SP_OK;
    *in = (sp_file_input){.takes_decided = in->takes_decided};
    TRY(sp_pipeline_begin(p, file, opt, plan, err));
    TRY(sp_run_places(opt, file, &places, err));
    /* Text may have labels by other names that the model knows. */
    TRY(sp_run_load_model(opt, NULL, NULL, &p->model, err));
    places.model = p->model;
    p->leaves_out = places.leaves_out =
        leaves_out && !opt->join; /* the windows of a text may be in any file */
    TRY(sp_file_input_open(p, in, &places, err));
    sp_run_tell_classes(opt, p->from.info);
    if (!isnan(opt->decode.label_confidence) && !in->is_decided)
        TRY(sp_fail(
            err, SP_EINVAL,
            "`label_confidence` is of a file of labels that is decoded in place of scores, and %s holds "
            "scores; leave it out",
            p->from.info->file));
    TRY(sp_file_input_label(p, in, err));
    if (p->leaves_out && !p->unread)
        TRY(sp_unread_new(p, &(sp_unread_input){.info = p->from.info}, &p->unread, err));
    TRY(sp_file_input_check_gaps(p, in, err));
    if (in->is_decided && !opt->n_folds)
        TRY(sp_decided_know(&in->decided, p, err));
    if (in->is_decided && (!in->codes || sp_source_is_text(file)))
        sp_run_tell_remark(p->opt, p->from.info);
    TRY(sp_pipeline_compile(p, err));
    sp_source_use_threads(in->source, sp_workers_count(p->workers));
done:
    return status;
}

void sp_file_input_close(sp_file_input *in)
{
    sp_decided_close(&in->decided);
    sp_matched_close(&in->labelled);
    sp_reference_close(&in->reference);
    sp_common_steps_clear(&in->common);
    sp_windowed_close(&in->windowed);
    sp_source_close(in->source);
    sp_step_texts_free(in->texts);
    sp_codes_free(in->codes);
}
