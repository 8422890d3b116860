/* Evaluating paths that are there already: the files are opened, and their recordings and classes matched. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/source.h"
#include "pipeline/calibration.h"
#include "pipeline/files/given.h"
#include "pipeline/files/label_order.h"
#include "pipeline/files/open.h"
#include "pipeline/files/reading.h"
#include "pipeline/path_source.h"
#include "sleep/label_coding_use.h"
#include "statepath/model_json.h"

void sp_given_close(sp_given *j)
{
    sp_common_steps_clear(&j->kept);
    sp_block_free(j->read);
    sp_reference_close(&j->labels);
    sp_source_close(j->reader);
    sp_codes_free(j->path_codes);
    sp_pipeline_close(&j->run);
    sp_owned_free(&j->own);
}

/* ---- the paths ---- */

static sp_status choose_strategies(sp_given *j, const char *file, sp_error *err)
{
    if (!j->run.opt->strategies) {
        if (j->info->n_strategies > SP_RUN_STRATEGIES)
            return sp_fail(err, SP_EINVAL, "%s holds %d strategies; choose up to %d with `strategies`", file,
                           j->info->n_strategies, SP_RUN_STRATEGIES);
        for (int32_t s = 0; s < j->info->n_strategies; s++) {
            j->strategy[s] = s;
            j->run.names[s] = j->info->strategies[s];
        }
        j->run.n_strategies = j->info->n_strategies;
        return SP_OK;
    }
    char *text = strdup(j->run.opt->strategies), *parts[SP_RUN_STRATEGIES];
    if (!text)
        return sp_no_memory(err);
    int n = sp_split_list(text, SP_RUN_STRATEGIES, parts);
    sp_status status = n ? SP_OK : sp_fail(err, SP_EINVAL, "`strategies` needs a name");
    for (int i = 0; status == SP_OK && i < n; i++) {
        int32_t s = 0;
        while (s < j->info->n_strategies && strcmp(parts[i], j->info->strategies[s]) != 0)
            s++;
        if (s == j->info->n_strategies)
            status = sp_fail(err, SP_EINVAL, "%s holds no paths of %s; it has %s%s", file, parts[i],
                             j->info->strategies[0],
                             j->info->n_strategies > 1 ? " and others (statepath inspect lists them)" : "");
        else {
            j->strategy[j->run.n_strategies] = s;
            j->run.names[j->run.n_strategies++] = j->info->strategies[s];
        }
    }
    free(text);
    return status;
}

static sp_status load_model(sp_given *j, const char *file, sp_error *err)
{
    if (j->run.model) /* a text needed it to be read */
        return SP_OK;
    if (j->run.opt->model)
        return sp_run_load_model(j->run.opt, NULL, NULL, &j->run.model, err);
    if (j->info->model_json)
        return sp_run_load_model(j->run.opt, j->info->model_json, file, &j->run.model, err);
    return sp_fail(
        err, SP_EINVAL,
        "`model` is missing, and %s does not carry one: a file, or a shipped model (`statepath model list`)",
        file);
}

/* The paths' columns: as the file names them; by codes, in the model's order. */
static sp_status align_columns(sp_given *j, sp_error *err)
{
    bool is_named = j->info->n_classes && !j->path_codes;
    int32_t K = is_named ? j->info->n_classes : j->run.model->n_classes;
    j->run.class_of_column = malloc((size_t)K * sizeof *j->run.class_of_column);
    if (!j->run.class_of_column)
        return sp_no_memory(err);
    sp_status status =
        sp_model_align(j->run.model, K, is_named ? j->info->classes : NULL, j->run.class_of_column, err);
    if (status != SP_OK)
        return status;
    return sp_pipeline_new_chains(&j->run, 1, err);
}

/* Paths of a file that names its classes are told; `codes` and `map` read the labels alone. */
static sp_status read_path_codes(sp_given *j, sp_error *err)
{
    const sp_run_options *o = j->run.opt;
    const bool are_named = j->info && j->info->n_classes > 0;
    return (o->codes || o->map) && !are_named
               ? sp_reference_codes_new(&j->run, j->run.model, "a path has one at each step", &j->path_codes,
                                        err)
               : SP_OK;
}

/* A text has names of classes only where the model does. */
static sp_status open_text(sp_given *j, const char *file, sp_error *err)
{
    const sp_run_options *o = j->run.opt;
    const bool has_columns = sp_source_has_columns(file);
    if ((o->paths_dataset && !has_columns) || o->place.offsets || o->place.ids)
        return sp_fail(err, SP_EINVAL, "`paths`, `offsets` and `ids` name datasets, and %s is a text file",
                       file);
    if (o->place.classes)
        return sp_fail(
            err, SP_EINVAL,
            "`classes` names numbers, and %s is a text, whose numbers are the model's; `map` reads others'",
            file);
    if (!o->model)
        return sp_fail(err, SP_EINVAL,
                       "`model` is missing: a file, or a shipped model (`statepath model list`)");
    sp_status status = SP_OK;
    TRY(sp_run_load_model(o, NULL, NULL, &j->run.model, err));
    TRY(read_path_codes(j, err));
    sp_source_options options = {.model = j->run.model,
                                 .codes = j->path_codes,
                                 .labels = o->place.labels,
                                 .more = o->place.more,
                                 .only = o->place.only,
                                 .epoch_seconds = o->epoch_seconds > 0 ? o->epoch_seconds : 0,
                                 .leaves_out = true};
    sp_run_gaps(o, &options);
    TRY(sp_run_texts(o, file, &options, err));
    TRY(sp_paths_reader_open(file, o->paths_dataset, &options, &j->reader, err));
    j->info = sp_paths_reader_info(j->reader);
    j->has_labels = j->info->has_labels;
    j->ids = j->info->has_ids ? j->info->ids : NULL;
    sp_run_tell_remark(o, sp_source_info_of(j->reader));
done:
    return status;
}

/* The paths; in a file of labels alone these. */
static sp_status open_reader(sp_given *j, const char *file, const sp_source_options *places, sp_error *err)
{
    sp_status status = sp_paths_reader_open(file, j->run.opt->paths_dataset, places, &j->reader, err);
    if (status != SP_EFILE || j->run.opt->paths_dataset)
        return status;
    sp_source *labels = NULL;
    status = sp_source_open_labels(file, places, status, &labels, err);
    if (status != SP_OK)
        return status;
    j->are_labels = true;
    status = sp_paths_reader_open(file, sp_source_info_of(labels)->labels_path, places, &j->reader, err);
    sp_source_close(labels);
    return status;
}

static sp_status open_hdf5(sp_given *j, const char *file, sp_error *err)
{
    sp_source_options places;
    sp_status status = SP_OK;
    TRY(sp_run_places(j->run.opt, file, &places, err));
    places.needs_scores = false;
    places.leaves_out = true;
    TRY(open_reader(j, file, &places, err));
    j->info = sp_paths_reader_info(j->reader);
    j->has_labels = j->info->has_labels && !j->are_labels;
    j->ids = j->info->has_ids ? j->info->ids : NULL;
    sp_run_tell_classes(j->run.opt, sp_source_info_of(j->reader));
    TRY(load_model(j, file, err));
    sp_source_use_model(j->reader, j->run.model);
    TRY(read_path_codes(j, err));
done:
    return status;
}

/* ---- the labels ---- */

static sp_status standing_of_paths(void *arg, int64_t recording, int64_t n_steps, int32_t *out, sp_error *err)
{
    sp_given *j = arg;
    (void)n_steps;
    return sp_paths_reader_read(j->reader, j->strategy[0], recording, 1, out, NULL, err);
}

/* Recordings whose file could not be read, now or when they were decoded. */
static sp_status note_unread(sp_given *j, sp_error *err)
{
    sp_pipeline *p = &j->run;
    const int64_t N = j->info->n_recordings;
    const sp_source_info *info = sp_source_info_of(j->reader);
    int64_t n_said = 0, last = 0;
    uint8_t *said = calloc((size_t)N + 1, 1);
    if (!said)
        return sp_no_memory(err);
    for (int s = 0; s < p->n_strategies; s++)
        for (int64_t n = 0; n < N; n++)
            said[n] |= !(info->unread && info->unread[n]) &&
                       sp_paths_reader_result(j->reader, j->strategy[s], n, false).status == SP_EUNREAD;
    for (int64_t n = 0; n < N; n++) {
        n_said += said[n];
        last = said[n] ? n : last;
    }
    if (n_said)
        sp_run_notice(p->opt, SP_NOTICE_DATA,
                      "%s: %lld recording%s %s unread and stand%s in no figure, such as %s", j->info->file,
                      (long long)n_said, n_said == 1 ? "" : "s", n_said == 1 ? "is" : "are",
                      n_said == 1 ? "s" : "", j->info->ids[last]);
    const sp_unread_input input = {.info = info,
                                   .labels = j->labels.info,
                                   .beside = j->labels.recording,
                                   .unread = n_said ? said : NULL};
    const sp_status status = sp_unread_new(p, &input, &p->unread, err);
    free(said);
    return status;
}

static sp_status open_reference(sp_given *j, const char *file, sp_error *err)
{
    sp_reference *l = &j->labels;
    const sp_run_options *o = j->run.opt;
    double seconds = 0;
    sp_status status = SP_OK;
    TRY(sp_run_check_labels_name(o, j->reader, err));
    TRY(sp_source_seconds(j->reader, &seconds, err));
    TRY(sp_reference_open(l, &j->run, file, o->labels_dataset, seconds, j->path_codes != NULL, err));
    TRY(sp_reference_match(l, j->reader, j->ids, seconds, o->trim_to_shortest, err));
    TRY(note_unread(j, err));
    TRY(sp_label_order_check(l, &j->run, "paths", j->info->offsets, j->info->n_recordings, standing_of_paths,
                             j, err));
done:
    if (status != SP_OK || sp_source_is_text(file))
        return status;
    if (l->info->has_scores)
        sp_pipeline_want_likelihood(&j->run);
    return sp_pipeline_find_raters(&j->run, l->source, j->run.model->n_classes, err);
}

/* Which steps are evaluated: all; with trim_to_shortest those that both files have. */
static sp_status match_lengths(sp_given *j, sp_error *err)
{
    const sp_reference *l = &j->labels;
    const int64_t N = j->info->n_recordings;
    if (!j->run.opt->trim_to_shortest) {
        j->kept.offsets = malloc(((size_t)N + 1) * sizeof *j->kept.offsets);
        if (j->kept.offsets)
            memcpy(j->kept.offsets, j->info->offsets, ((size_t)N + 1) * sizeof *j->kept.offsets);
        return j->kept.offsets ? SP_OK : sp_no_memory(err);
    }
    return sp_match_steps(&(sp_match_side){.n = N, .offsets = j->info->offsets},
                          &(sp_match_side){.offsets = l->offsets}, l->recording, &j->kept, err);
}

static sp_status open_labels(sp_given *j, sp_error *err)
{
    const sp_run_options *o = j->run.opt;
    sp_status status = SP_OK;
    if (o->labels_file) {
        status = open_reference(j, o->labels_file, err);
    } else if (o->codes || o->map) {
        if (!j->has_labels && !j->path_codes)
            return sp_fail(err, SP_EINVAL,
                           "%s names the classes of its paths, and has no labels that `codes` or `map` could "
                           "read; `labels` PATH says where they are",
                           j->info->file);
        if (j->has_labels)
            status = sp_reference_read_codes(&j->labels, &j->run, j->path_codes != NULL, false,
                                             j->run.class_of_column, err);
    }
    if (status == SP_OK)
        sp_paths_reader_use_codes(j->reader, j->path_codes, j->labels.codes);
    if (status == SP_OK && !o->labels_file)
        status = note_unread(j, err);
    return status == SP_OK ? match_lengths(j, err) : status;
}

/* Subjects: by ids those of the paths; else what the labels' file says, then what the paths' file says. */
static sp_status find_subjects(sp_given *j, sp_error *err)
{
    const sp_groups *groups = &j->run.plan.groups;
    int64_t N = j->info->n_recordings;
    sp_status status = SP_OK;
    if (j->labels.source && groups->by != SP_GROUPS_PREFIX && !sp_source_is_text(j->labels.file))
        status = sp_source_subjects(j->labels.source, groups, &j->run.subjects, err);
    if (status == SP_OK && j->run.subjects && j->labels.recording) {
        int32_t *subject = malloc(((size_t)N + 1) * sizeof *subject);
        if (!subject)
            return sp_no_memory(err);
        for (int64_t n = 0; n < N; n++)
            subject[n] = j->labels.recording[n] < 0 ? 0 /* unread */
                                                    : j->run.subjects->of_recording[j->labels.recording[n]];
        free(j->run.subjects->of_recording);
        j->run.subjects->of_recording = subject;
    }
    if (status != SP_OK || j->run.subjects)
        return status;
    return sp_source_subjects(j->reader, groups, &j->run.subjects, err);
}

/* What the labels' file says of the length of a step, else what the paths' file says. */
static sp_status step_seconds(void *arg, double *seconds, sp_error *err)
{
    const sp_given *j = arg;
    sp_status status = j->labels.source ? sp_source_epoch_seconds(j->labels.source, seconds, err) : SP_OK;
    return status == SP_OK && *seconds == 0 && j->reader ? sp_source_epoch_seconds(j->reader, seconds, err)
                                                         : status;
}

/* What the run is to know of the recordings. */
static void describe(sp_given *j)
{
    const sp_source_info *scored = j->run.likelihood.is_wanted ? j->labels.info : NULL;
    sp_pipeline *p = &j->run;
    j->shape = (sp_source_info){.file = j->info->file,
                                .file_size = j->info->file_size,
                                .n_files = sp_source_info_of(j->reader)->n_files,
                                .files = sp_source_info_of(j->reader)->files,
                                .classes = j->path_codes ? NULL : j->info->classes,
                                .n_recordings = j->info->n_recordings,
                                .n_steps = j->kept.offsets[j->info->n_recordings],
                                .n_classes = scored ? scored->n_classes : p->model->n_classes,
                                .dtype = scored ? scored->dtype : SP_F32,
                                .ids = j->info->ids,
                                .offsets = j->kept.offsets,
                                .has_labels = j->labels.file || j->has_labels,
                                .has_segments = j->info->has_segments,
                                .has_scores = scored != NULL,
                                .has_weights = scored && scored->has_weights,
                                .has_mask = scored && scored->has_mask};
    p->from = (sp_recordings){
        .info = &j->shape, .read = sp_given_read, .read_rater = sp_given_read_rater, .arg = j};
    p->info = &j->shape;
    p->file = j->info->file;
    p->about.column_of_label = j->labels.column_of_label;
    p->about.labels_file = j->labels.file;
    p->about.cut_path_steps = j->kept.cut_ours;
    p->about.cut_label_steps = j->kept.cut_theirs;
    p->prepare = sp_prepare_options_default();
    p->prepare.kind = scored ? scored->kind : SP_KIND_LOG_PROBS;
    p->prepare.missing_uniform = true;
    p->step_bytes = (int64_t)sizeof(int32_t) * (p->n_strategies + 1 + p->raters.found.n_raters) +
                    (j->info->has_segments ? 8 : 0) +
                    (scored ? (int64_t)scored->dtype * scored->n_classes : 0);
    j->given = (sp_given_paths){.read = sp_given_read_paths, .arg = j};
    p->source = &sp_given_source;
    p->given = &j->given;
    p->about.path_codes = j->path_codes ? sp_codes_name(j->path_codes) : NULL;
    p->about.label_codes = j->labels.codes ? sp_codes_name(j->labels.codes) : NULL;
    p->about.step_seconds = step_seconds;
    p->about.step_seconds_arg = j;
    p->about.has_path_scores = !j->kept.cut_ours; /* they are of whole paths */
    for (int s = 0; s < p->n_strategies; s++)
        p->about.has_path_scores &= j->info->has_path_scores[j->strategy[s]];
}

sp_status sp_given_open(sp_given *j, const char *file, sp_error *err)
{
    sp_status status = SP_OK;
    j->run.leaves_out = true;
    TRY(sp_run_plan_make(j->run.opt, SP_CALL_EVALUATE, &j->run.plan, err));
    TRY(sp_run_find_labels(&j->options, &j->own, err));
    TRY(sp_source_is_text(file) ? open_text(j, file, err) : open_hdf5(j, file, err));
    TRY(choose_strategies(j, file, err));
    TRY(align_columns(j, err));
    TRY(open_labels(j, err));
    TRY(sp_run_check_gaps(j->run.opt, 2, (const sp_source *const[]){j->reader, j->labels.source},
                          j->labels.file || j->has_labels, err));
    TRY(find_subjects(j, err));
    describe(j);
    j->read = sp_block_new();
    j->run.workers = sp_workers_new(j->run.opt->decode.threads);
    TRY(j->run.workers && j->read ? SP_OK : sp_no_memory(err));
done:
    return status;
}
