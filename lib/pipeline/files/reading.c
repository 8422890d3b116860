#include "pipeline/files/reading.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/paths_writer.h"
#include "io/source.h"
#include "pipeline/matched.h"
#include "pipeline/options.h"
#include "statepath/model_json.h"

sp_file_access sp_run_access(const sp_run_options *o)
{
    return (sp_file_access){.allow_external = o->place.allow_external};
}

void sp_run_gaps(const sp_run_options *o, sp_source_options *places)
{
    places->gaps = (sp_gaps)(1 + sp_option_word(o, offsetof(sp_run_options, place.gaps)));
    places->are_previous = o->masks.previous != NULL;
    places->ignores_100 = sp_option_word(o, offsetof(sp_run_options, place.unscored)) == 0;
}

/* Is the file that is opened, or that of its labels, such a one? */
static bool any_is(bool (*is_such)(const char *file), const sp_run_options *o, const char *file)
{
    const char *const labels = o->labels_file ? o->labels_file : o->place.labels;
    return is_such(file) || (labels && is_such(labels));
}

sp_status sp_run_texts(const sp_run_options *o, const char *file, sp_source_options *places, sp_error *err)
{
    if (file && o->place.comments && !any_is(sp_source_has_columns, o, file))
        return sp_fail(err, SP_EINVAL, "`comments` speaks of columns of CoNLL, and %s is of another format",
                       file);
    if (file && o->place.header && !sp_source_is_table(file))
        return sp_fail(err, SP_EINVAL,
                       "`header` speaks of tables of scores in text, and %s is of another format", file);
    if (file && o->place.allow_external && !o->against && !any_is(sp_source_is_hdf5, o, file))
        return sp_fail(err, SP_EINVAL,
                       "`allow_external` speaks of links of HDF5, and %s is of another format", file);
    if (o->place.comments)
        places->comments = (sp_comments)sp_option_word(o, offsetof(sp_run_options, place.comments));
    if (o->place.header)
        places->header = (sp_header)sp_option_word(o, offsetof(sp_run_options, place.header));
    return SP_OK;
}

sp_status sp_run_places(const sp_run_options *o, const char *file, sp_source_options *out, sp_error *err)
{
    *out = sp_source_options_default();
    out->scores = o->place.scores;
    out->labels = o->place.labels;
    out->offsets = o->place.offsets;
    out->lengths = o->place.lengths;
    out->ids = o->place.ids;
    out->mask = o->place.mask;
    out->classes = o->place.classes;
    out->transpose = o->place.transpose;
    out->with_tokens =
        (o->output && sp_paths_writer_takes_tokens(o->output)) || o->trace_steps > 0; /* a page shows them */
    out->more = o->place.more;
    out->only = o->place.only;
    out->epoch_seconds = o->epoch_seconds > 0 ? o->epoch_seconds : 0; /* NaN: not said */
    out->access = sp_run_access(o);
    out->has_kind = o->place.kind != NULL;
    if (out->has_kind)
        out->kind = (sp_kind)sp_option_word(o, offsetof(sp_run_options, place.kind));
    sp_run_gaps(o, out);
    return sp_run_texts(o, file, out, err);
}

/* Does a name stand for files that are there: one, a folder, a pattern? */
static sp_status are_files(const char *name, bool *are, sp_error *err)
{
    struct stat info;
    sp_file_list *list = NULL;
    sp_status status = sp_file_list_new(name, NULL, &list, err);
    *are = status == SP_OK && (list->is_several || (stat(name, &info) == 0 && S_ISREG(info.st_mode)));
    sp_file_list_free(list);
    return status == SP_ENOMEM ? status : SP_OK; /* a pattern that nothing completes is one of datasets */
}

char *sp_labels_file(const char *labels, const char **dataset)
{
    struct stat info;
    char *file = strdup(labels), *colon = NULL;
    for (char *at = file; at && (at = strstr(at, ":/")); at++)
        colon = at;
    const bool has_dataset = colon && colon != file && colon[2] && stat(labels, &info) != 0;
    if (has_dataset)
        *colon = '\0';
    *dataset = has_dataset ? labels + (colon - file) + 1 : NULL;
    return file;
}

sp_status sp_run_find_labels(sp_run_options *o, sp_owned *own, sp_error *err)
{
    sp_status status = SP_OK;
    if (o->place.labels) {
        bool are = false;
        const char *dataset;
        char *file = sp_labels_file(o->place.labels, &dataset);
        status = !file ? sp_no_memory(err) : dataset ? SP_OK : are_files(file, &are, err);
        if (status == SP_OK && (are || dataset)) {
            o->labels_file = sp_owned_text(own, file);
            o->labels_dataset = dataset;
            o->place.labels = NULL;
            status = sp_owned_status(own, err);
        }
        free(file);
    }
    if (status != SP_OK)
        return status;
    if (o->label_order && !o->labels_file)
        return sp_fail(err, SP_EINVAL,
                       "`label_order` is of labels in a file of their own, `labels` FILE: those beside the "
                       "scores are columns");
    if (o->trim_to_shortest && !o->labels_file)
        return sp_fail(
            err, SP_EINVAL,
            "`trim_to_shortest` needs `labels` FILE: labels beside scores or paths are as long as these");
    return SP_OK;
}

typedef struct sought {
    const char *name;
    bool is_there;
} sought;

static bool is_named(const char *array, const char *name)
{
    return array && strcmp(array + (*array == '/'), name) == 0;
}

/* `what` is a kind and a name, "dataset /predictions". */
static void look_at(void *arg, const char *what, const char *shape, const char *option)
{
    sought *s = arg;
    const char *name = strchr(what, ' ');
    (void)shape, (void)option;
    s->is_there |= name && is_named(name + 1, s->name);
}

sp_status sp_run_check_labels_name(const sp_run_options *o, sp_source *source, sp_error *err)
{
    sought s = {.name = o->labels_file};
    if (o->labels_dataset || strchr(o->labels_file, '/'))
        return SP_OK;
    const sp_status status = sp_source_list_unused(source, look_at, &s, err);
    if (status != SP_OK)
        return status;
    const sp_source_info *info = sp_source_info_of(source);
    if (!s.is_there && !is_named(info->labels_path, s.name))
        return SP_OK;
    return sp_fail(
        err, SP_EINVAL,
        "`labels` %s: there is a file of that name, and %s has a dataset of it; ./%s is the file, /%s the "
        "dataset",
        s.name, info->file, s.name, s.name);
}

void sp_run_tell_classes(const sp_run_options *o, const sp_source_info *info)
{
    sp_model *named = NULL;
    if (!o->place.classes || !info->classes || sp_classes_load(o->place.classes, &named, NULL) != SP_OK)
        return;
    bool is_same = named->n_classes == info->n_classes;
    for (int32_t k = 0; is_same && k < named->n_classes; k++)
        is_same = strcmp(named->classes[k], info->classes[k]) == 0;
    if (!is_same)
        sp_run_notice(o, SP_NOTICE_DATA,
                      "note: `classes` changes nothing: %s names its columns itself (%s), %s first",
                      info->file, info->classes_place ? info->classes_place : "as it is", info->classes[0]);
    sp_model_free(named);
}

void sp_run_tell_remark(const sp_run_options *o, const sp_source_info *info)
{
    if (info->remark)
        sp_run_notice(o, SP_NOTICE_DATA, "note: %s%s%s", info->n_files ? "" : info->file,
                      info->n_files ? "" : ": ", info->remark);
}

sp_status sp_source_seconds(sp_source *source, double *seconds, sp_error *err)
{
    sp_error own = {.status = SP_OK};
    *seconds = 0;
    sp_status status = source ? sp_source_epoch_seconds(source, seconds, &own) : SP_OK;
    if (status == SP_OK || status == SP_EDATA) {
        *seconds = status == SP_OK ? *seconds : 0;
        return SP_OK;
    }
    return sp_fail(err, status, "%s", own.message);
}

sp_status sp_run_check_gaps(const sp_run_options *o, int n, const sp_source *const *sources, bool has_labels,
                            sp_error *err)
{
    const bool ignores_100 = sp_option_word(o, offsetof(sp_run_options, place.unscored)) == 0;
    bool is_said = !o->place.gaps && !ignores_100;
    for (int i = 0; i < n && !is_said; i++)
        is_said = sources[i] && sp_source_says_kept(sources[i]);
    if (is_said)
        return SP_OK;
    if (!has_labels)
        return sp_fail(err, SP_EINVAL,
                       "`%s` speaks of steps that take no part, and nothing here says which these are: "
                       "`labels` FILE, where they "
                       "are -100, or an array valid, attention_mask or word_ids beside the scores",
                       o->place.gaps ? "gaps" : "unscored");
    if (o->place.gaps)
        sp_run_notice(o, SP_NOTICE_DATA,
                      "note: `gaps` %s has nothing to do: no label is -100, and no array valid, "
                      "attention_mask or word_ids says "
                      "which steps take part",
                      o->place.gaps);
    return SP_OK;
}

sp_status sp_run_share_holes(sp_source *source, sp_source *first, sp_gaps gaps, sp_error *err)
{
    const sp_match_side ours = sp_match_side_of(sp_source_info_of(source), NULL, 0);
    const sp_match_side others = sp_match_side_of(sp_source_info_of(first), NULL, 0);
    int64_t *recording = malloc(((size_t)ours.n + 1) * sizeof *recording);
    sp_status status =
        recording ? sp_match_recordings(&ours, &others, false, NULL, recording, NULL) : sp_no_memory(err);
    if (status == SP_OK)
        status = sp_source_share_holes(source, first, recording, true, false, gaps, err);
    else if (status == SP_EDATA)
        status = SP_OK; /* which is said when they are matched */
    free(recording);
    return status;
}
