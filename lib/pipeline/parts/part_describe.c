/* What a run says of itself in the header of its part (lib/parts/part.c), and whose its recordings are. */
#include "pipeline/calibration.h"
#include "pipeline/parts/part_run.h"
#include "pipeline/run.h"
#include "statepath/model_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the run ---- */

/* ---- texts of recordings ---- */

/* Copies of n texts in one allocation: free(). NULL: no memory. */
static char **copy_texts(int64_t n, const char *const *texts)
{
    size_t bytes = 0;
    for (int64_t i = 0; i < n; i++)
        bytes += strlen(texts[i]) + 1;
    char **out = malloc(((size_t)n + 1) * sizeof *out + bytes);
    char *at = out ? (char *)(out + n + 1) : NULL;
    for (int64_t i = 0; out && i < n; i++) {
        out[i] = at;
        at = stpcpy(at, texts[i]) + 1;
    }
    if (out)
        out[n] = NULL;
    return out;
}

/* Ids, subjects, origins and folds of the recordings that the part is of. */
static sp_status copy_recordings(const sp_pipeline *p, sp_part_content *out, sp_error *err)
{
    const sp_source_info *info = p->info;
    const size_t most = (size_t)(p->range.end - p->range.first) + 1;
    const char **ids = malloc(most * sizeof *ids), **names = malloc(most * sizeof *names);
    bool is_whole = ids && names;
    int64_t n = 0, file = 0, before = 0; /* recordings of the files before */
    int64_t first = p->range.first;
    for (int64_t end; is_whole && (end = sp_range_next(p, &first)) > first; first = end)
        for (int64_t r = first; is_whole && r < end; r++, n++) {
            while (file + 1 < info->n_files && r - before >= info->files[file].n_recordings)
                before += info->files[file++].n_recordings;
            const int64_t origin[] = {file, r - before};
            ids[n] = info->ids[r];
            names[n] = p->subjects ? p->subjects->names[p->subjects->of_recording[r]] : NULL;
            is_whole = sp_count_list_put(&out->origins, origin, 2) &&
                       (!p->folds || sp_count_list_put_one(&out->folds, p->folds->fold[r]));
        }
    out->ids = is_whole ? copy_texts(n, ids) : NULL;
    out->subjects = is_whole && p->subjects ? copy_texts(n, names) : NULL;
    free(ids);
    free(names);
    return out->ids && (out->subjects || !p->subjects) ? SP_OK : sp_no_memory(err);
}

/* ---- the header ---- */

/* Sets a member; false where there is no value: no memory, or a text that is not UTF-8. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return value && json_object_set_new(object, key, value) == 0;
}

static bool set_text(json_t *object, const char *key, const char *text)
{
    return set(object, key, text ? json_string(text) : json_null());
}

static bool set_texts(json_t *object, const char *key, int64_t n, const char *const *texts)
{
    json_t *list = json_array();
    bool is_whole = list != NULL;
    for (int64_t i = 0; is_whole && i < n; i++)
        is_whole = json_array_append_new(list, json_string(texts[i])) == 0;
    return set(object, key, list) && is_whole;
}

static bool set_inputs(json_t *header, const sp_source_info *info, int64_t n, const sp_part_input *inputs)
{
    json_t *list = json_array();
    bool is_whole = list != NULL;
    for (int64_t i = 0; is_whole && i < n; i++) {
        const bool is_labels = i >= (info->n_files ? info->n_files : 1);
        const sp_source_file all = {.n_recordings = info->n_recordings, .n_steps = info->n_steps},
                             none = {.n_recordings = 0};
        const sp_source_file *file = is_labels ? &none : info->n_files ? &info->files[i] : &all;
        json_t *one = json_pack("{s:s, s:I, s:I, s:s, s:I, s:I}", "name", inputs[i].name, "bytes",
                                (json_int_t)inputs[i].bytes, "modified", (json_int_t)inputs[i].modified,
                                "checksum", inputs[i].checksum, "recordings", (json_int_t)file->n_recordings,
                                "steps", (json_int_t)file->n_steps);
        is_whole = json_array_append_new(list, one) == 0;
    }
    return set(header, "inputs", list) && is_whole;
}

static bool set_has(json_t *header, const sp_pipeline *p, const sp_evaluation_options *how)
{
    const sp_likelihood *l = &p->likelihood;
    return set(header, "has",
               json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:i, s:b, s:b}", "labels", how->has_labels,
                         "segments", p->info->has_segments, "nll", l->is_wanted, "reliability",
                         l->reliability != NULL, "path_scores", how->has_path_scores, "simulated",
                         p->info->is_simulated, "calibrations", l->calibration ? l->calibration->n : 0,
                         "length_trim", how->has_length_trim, "steps", how->keeps_steps));
}

static bool set_folds(json_t *header, const sp_pipeline *p)
{
    json_t *models = p->folds ? json_object() : NULL;
    bool is_whole = true;
    for (int32_t f = 0; models && is_whole && f < p->folds->n_folds; f++) {
        char *text = NULL, key[16];
        snprintf(key, sizeof key, "%d", f);
        is_whole = !p->folds->models[f] || (sp_model_to_json(p->folds->models[f], &text, NULL) == SP_OK &&
                                            set_text(models, key, text));
        free(text);
    }
    return !p->folds || (set(header, "folds", models) && is_whole);
}

static bool set_files(json_t *header, const sp_pipeline *p)
{
    const sp_run_options *o = p->opt;
    const char *read[SP_PART_READ];
    const int64_t n_read = sp_part_read_names(o, read);
    int64_t n = 0;
    while (o->place.more && o->place.more[n])
        n++;
    json_t *words = json_array(), *command = json_object();
    bool is_whole = words && command && json_array_append_new(words, json_string(p->word)) == 0;
    for (int64_t i = 0; is_whole && i < n; i++)
        is_whole = json_array_append_new(words, json_string(o->place.more[i])) == 0;
    is_whole = is_whole && set_text(command, "text", o->command) &&
               set_text(command, "before", o->command_before) &&
               set_text(command, "after", o->command_after) && set_texts(command, "read", n_read, read);
    is_whole = set(header, "files", words) && is_whole;
    is_whole = set(header, "command", command) && is_whole;
    return is_whole && set_text(header, "about", p->info->file) &&
           set(header, "n_files", json_integer(p->info->n_files));
}

static bool set_all(json_t *header, const sp_part_run *run, const sp_evaluation_options *how,
                    const char *model, double seconds)
{
    const sp_pipeline *p = run->p;
    const sp_source_info *info = p->info;
    const int32_t K = p->model->n_classes;
    return set_text(header, "statepath", sp_version()) && set_text(header, "kind", run->kind) &&
           set_texts(header, "strategies", p->n_strategies, p->names) && set_text(header, "model", model) &&
           set(header, "n_classes", json_integer(K)) &&
           (info->classes ? set_texts(header, "classes", K, info->classes)
                          : set(header, "classes", json_null())) &&
           set(header, "options", sp_part_options_write(p->opt)) && set_has(header, p, how) &&
           set(header, "seconds", json_real(seconds)) &&
           set_texts(header, "raters", how->n_raters, how->raters) &&
           set_text(header, "subjects_place", p->subjects ? p->subjects->place : NULL) &&
           set_text(header, "labels_file", p->about.labels_file) &&
           set_text(header, "path_codes", p->about.path_codes) &&
           set_text(header, "label_codes", p->about.label_codes) && set_files(header, p) &&
           set_folds(header, p);
}

sp_status sp_part_describe(sp_part_run *run, const sp_evaluation_options *how, int64_t n_inputs,
                           const sp_part_input *inputs, sp_error *err)
{
    const sp_pipeline *p = run->p;
    const sp_shard *shard = &run->shard;
    char *model = NULL;
    double seconds = isnan(p->opt->epoch_seconds) && !how->epoch_is_assumed ? how->epoch_seconds : 0;
    sp_status status = sp_model_to_json(p->model, &model, err);
    if (status != SP_OK)
        return status;
    json_t *header = run->content.header = json_object();
    const bool is_whole =
        header && set_all(header, run, how, model, seconds) &&
        set_inputs(header, p->info, n_inputs, inputs) &&
        set(header, "shard", json_pack("[I,I]", (json_int_t)shard->i, (json_int_t)shard->n));
    free(model);
    if (!is_whole)
        return sp_fail(
            err, SP_EINVAL,
            "`part`: names of files, classes and options must be UTF-8, and there must be memory for them");
    return copy_recordings(p, &run->content, err);
}
