/* What a part says of its run. The header is a JSON object:
 *
 *   statepath   version of the library
 *   kind        "compare" (decoded), "evaluate" (paths that were there), "decode" (no figures are made of them)
 *   strategies, model (its JSON as text), n_classes, classes (of the columns; null: not named)
 *   options     part_options.c
 *   has         what was there: labels, segments, nll (likelihood), reliability, path_scores, simulated, length_trim,
 *               steps; calibrations: how many
 *   seconds     length of a step as the files say it, 0: they do not
 *   raters      names of several raters
 *   subjects_place, labels_file, path_codes, label_codes   texts, or null
 *   files       what was asked for, word by word; about: what the files are called together; n_files as sp_source_info has it
 *   command     text, before, after (sp_run_options); read: the model, maps and rules as they were named, which may be files
 *   inputs      of each file name, bytes, modified, checksum, recordings, steps
 *   shard       [i, n]
 *   folds       with cv: by its number the model of each fold of the shard, its JSON as text
 *
 * Equal headers are of equal runs: a part whose header is that of the run is not counted again. */
#include "core/numbers.h"
#include "pipeline/against.h"
#include "pipeline/calibration.h"
#include "pipeline/parts/part.h"
#include "statepath/model_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sp_part_content_clear(sp_part_content *part)
{
    free(part->name);
    json_decref(part->header);
    sp_counted_free(&part->counted);
    sp_count_list_free(&part->run);
    sp_count_list_free(&part->origins);
    sp_count_list_free(&part->folds);
    sp_count_list_free(&part->holes);
    free(part->ids);
    free(part->subjects);
    *part = (sp_part_content){.name = NULL};
}

/* ---- its lists, its header as text ---- */

const sp_part_list_name sp_part_list_names[SP_PART_LISTS] = {
    [SP_COUNTED_SUMS] = {"sums", false},           [SP_COUNTED_ROWS] = {"recordings", false},
    [SP_COUNTED_VALUES] = {"values", true},        [SP_COUNTED_MARGINS] = {"margins", false},
    [SP_COUNTED_SEQUENCES] = {"sequences", false}, [SP_COUNTED_PLACES] = {"places", false},
    [SP_COUNTED_STEPS] = {"steps", false},         [SP_N_COUNTED] = {"run", false},
    [SP_N_COUNTED + 1] = {"origins", false},       [SP_N_COUNTED + 2] = {"holes", false},
    [SP_N_COUNTED + 3] = {"folds", false}};

sp_count_list *sp_part_list(sp_part_content *part, int i)
{
    sp_count_list *const others[] = {&part->run, &part->origins, &part->holes, &part->folds};
    return i < SP_N_COUNTED ? &part->counted.lists[i] : others[i - SP_N_COUNTED];
}

int64_t sp_part_steps(const sp_part_content *part, int64_t r)
{
    const sp_count_list *rows = &part->counted.lists[SP_COUNTED_ROWS];
    const int64_t width = rows->n / part->counted.n_recordings;
    const int64_t steps = width > 0 ? sp_count_at(rows, r * width) : -1;
    return steps <= SP_MOST_COUNTED ? steps : -1;
}

char *sp_part_header_write(const sp_part_content *part)
{
    return json_dumps(part->header, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
}

/* What a header holds. */
typedef enum value_kind { WHOLE, REAL, WORD, WORD_OR_NONE, WORDS, WORDS_OR_NONE, THINGS, THING } value_kind;
static const struct {
    const char *key;
    value_kind kind;
} members[] = {{"kind", WORD},
               {"strategies", WORDS},
               {"model", WORD},
               {"n_classes", WHOLE},
               {"classes", WORDS_OR_NONE},
               {"options", THING},
               {"has", THING},
               {"seconds", REAL},
               {"raters", WORDS},
               {"subjects_place", WORD_OR_NONE},
               {"labels_file", WORD_OR_NONE},
               {"path_codes", WORD_OR_NONE},
               {"label_codes", WORD_OR_NONE},
               {"files", WORDS},
               {"about", WORD},
               {"n_files", WHOLE},
               {"command", THING},
               {"inputs", THINGS}};

static bool are_all(const json_t *list, json_type type)
{
    bool is_right = json_is_array(list);
    for (size_t i = 0; is_right && i < json_array_size(list); i++)
        is_right = json_typeof(json_array_get(list, i)) == type;
    return is_right;
}

static bool is_right(const json_t *value, value_kind kind)
{
    switch (kind) {
    case WHOLE:
        return json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= SP_MOST_COUNTED;
    case REAL:
        return json_is_number(value) && json_number_value(value) >= 0;
    case WORD:
        return json_is_string(value);
    case WORD_OR_NONE:
        return json_is_string(value) || json_is_null(value);
    case WORDS:
        return are_all(value, JSON_STRING);
    case WORDS_OR_NONE:
        return json_is_null(value) || are_all(value, JSON_STRING);
    case THINGS:
        return are_all(value, JSON_OBJECT);
    case THING:
        return json_is_object(value);
    }
    return false;
}

/* The first member that is not as it should be; NULL: none. */
static const char *wrong_member(const json_t *header)
{
    const json_t *classes = json_object_get(header, "classes");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!is_right(json_object_get(header, members[i].key), members[i].kind))
            return members[i].key;
    const json_int_t n = json_integer_value(json_object_get(header, "n_classes"));
    if (n < 1 || n > INT32_MAX || (json_is_array(classes) && (json_int_t)json_array_size(classes) != n))
        return "classes";
    return NULL;
}

sp_status sp_part_header_read(const char *text, sp_part_content *part, sp_error *err)
{
    part->header = json_loads(text, 0, NULL);
    if (!json_is_object(part->header))
        return sp_fail(err, SP_EDATA, "%s: its header is no JSON object; it is damaged: make it again", part->name);
    const char *version = json_string_value(json_object_get(part->header, "statepath"));
    if (!version || strcmp(version, sp_version()) != 0)
        return sp_fail(err, SP_EDATA, "%s: was made by statepath %s, and this is %s; make all parts with one version", part->name,
                       version ? version : "?", sp_version());
    const char *wrong = wrong_member(part->header);
    return wrong ? sp_fail(err, SP_EDATA, "%s: its header says nothing right of \"%s\"; it is damaged: make it again", part->name,
                           wrong)
                 : SP_OK;
}

uint64_t sp_checksum(uint64_t sum, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ at[i]) * UINT64_C(1099511628211);
    return sum;
}

sp_status sp_part_check_sum(const char *name, uint64_t said, uint64_t sum, sp_error *err)
{
    return said == sum ? SP_OK : sp_fail(err, SP_EDATA, "%s: its checksum is wrong; it is damaged: make it again", name);
}

sp_status sp_part_check_lists(sp_part_content *part, int64_t n_ids, int64_t n_subjects, sp_error *err)
{
    const int64_t N = part->counted.n_recordings = part->origins.n / 2;
    const bool has_subjects = json_is_string(json_object_get(part->header, "subjects_place"));
    const bool has_folds = json_is_object(json_object_get(part->header, "folds"));
    return part->origins.n == 2 * N && n_ids == N && n_subjects == (has_subjects ? N : 0) && part->folds.n == (has_folds ? N : 0)
               ? SP_OK
               : sp_fail(err, SP_EDATA, "%s: its lists are not those of so many recordings; it is damaged: make it again",
                         part->name);
}

/* ---- the run ---- */

sp_status sp_part_steps_read(const char *text, bool *with_steps, sp_error *err)
{
    *with_steps = !text || strcmp(text, "none") != 0;
    return *with_steps && text && strcmp(text, "all") != 0 ? sp_fail(err, SP_EINVAL, "`part_steps` %s: it is all or none", text)
                                                           : SP_OK;
}

void sp_part_count_run(sp_counting *c, sp_pipeline *p)
{
    sp_count(c, p->undecoded, p->n_strategies);
    sp_count(c, p->relaxed, p->n_strategies);
    sp_count(c, &p->n_bugs, 1);
    sp_count(c, &p->counts.floored, 1);
    sp_count(c, &p->counts.missing, 1);
    sp_count(c, &p->counts.masked, 1);
    sp_nll_count_sums(c, &p->nll);
    if (p->reliability)
        sp_reliability_count_sums(c, p->reliability);
    for (int i = 0; p->reliability && p->calibration && i < p->calibration->n; i++) {
        sp_nll_count_sums(c, &p->calibration->sums[i].nll);
        sp_reliability_count_sums(c, p->calibration->sums[i].reliability);
    }
}

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
    const size_t most = (size_t)(p->end - p->first) + 1;
    const char **ids = malloc(most * sizeof *ids), **names = malloc(most * sizeof *names);
    bool is_whole = ids && names;
    int64_t n = 0, file = 0, before = 0; /* recordings of the files before */
    int64_t first = p->first;
    for (int64_t end; is_whole && (end = sp_part_next(p, &first)) > first; first = end)
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
        json_t *one = json_object();
        const bool is_labels = i >= (info->n_files ? info->n_files : 1);
        const sp_source_file all = {.n_recordings = info->n_recordings, .n_steps = info->n_steps}, none = {.n_recordings = 0};
        const sp_source_file *file = is_labels ? &none : info->n_files ? &info->files[i] : &all;
        is_whole = one && set_text(one, "name", inputs[i].name) && set(one, "bytes", json_integer(inputs[i].bytes)) &&
                   set(one, "modified", json_integer(inputs[i].modified)) && set_text(one, "checksum", inputs[i].checksum) &&
                   set(one, "recordings", json_integer(file->n_recordings)) && set(one, "steps", json_integer(file->n_steps));
        is_whole = json_array_append_new(list, one) == 0 && is_whole;
    }
    return set(header, "inputs", list) && is_whole;
}

static bool set_has(json_t *header, const sp_pipeline *p, const sp_evaluation_options *how)
{
    json_t *has = json_object();
    return has && set(has, "labels", json_boolean(how->has_labels)) &&
           set(has, "segments", json_boolean(p->info->has_segments)) && set(has, "nll", json_boolean(p->has_nll)) &&
           set(has, "reliability", json_boolean(p->reliability != NULL)) &&
           set(has, "path_scores", json_boolean(how->has_path_scores)) &&
           set(has, "simulated", json_boolean(p->info->is_simulated)) &&
           set(has, "calibrations", json_integer(p->calibration ? p->calibration->n : 0)) &&
           set(has, "length_trim", json_boolean(how->has_length_trim)) && set(has, "steps", json_boolean(how->keeps_steps)) &&
           set(header, "has", has);
}

static bool set_folds(json_t *header, const sp_pipeline *p)
{
    json_t *models = p->folds ? json_object() : NULL;
    bool is_whole = true;
    for (int32_t f = 0; models && is_whole && f < p->folds->n_folds; f++) {
        char *text = NULL, key[16];
        snprintf(key, sizeof key, "%d", f);
        is_whole =
            !p->folds->models[f] || (sp_model_to_json(p->folds->models[f], &text, NULL) == SP_OK && set_text(models, key, text));
        free(text);
    }
    return !p->folds || (set(header, "folds", models) && is_whole);
}

int sp_part_read_names(const sp_run_options *o, const char *names[SP_PART_READ])
{
    const char *const all[SP_PART_READ] = {o->model, o->map, o->label_map, o->fit.rules};
    int n = 0;
    for (int i = 0; i < SP_PART_READ; i++)
        if (all[i])
            names[n++] = all[i];
    return n;
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
    is_whole = is_whole && set_text(command, "text", o->command) && set_text(command, "before", o->command_before) &&
               set_text(command, "after", o->command_after) && set_texts(command, "read", n_read, read);
    is_whole = set(header, "files", words) && is_whole;
    is_whole = set(header, "command", command) && is_whole;
    return is_whole && set_text(header, "about", p->info->file) && set(header, "n_files", json_integer(p->info->n_files));
}

static bool set_all(json_t *header, const sp_pipeline *p, const sp_evaluation_options *how, const char *model, double seconds)
{
    const sp_source_info *info = p->info;
    const int32_t K = p->model->n_classes;
    return set_text(header, "statepath", sp_version()) && set_text(header, "kind", p->part->kind) &&
           set_texts(header, "strategies", p->n_strategies, p->names) && set_text(header, "model", model) &&
           set(header, "n_classes", json_integer(K)) &&
           (info->classes ? set_texts(header, "classes", K, info->classes) : set(header, "classes", json_null())) &&
           set(header, "options", sp_part_options_write(p->opt)) && set_has(header, p, how) &&
           set(header, "seconds", json_real(seconds)) && set_texts(header, "raters", how->n_raters, how->raters) &&
           set_text(header, "subjects_place", p->subjects ? p->subjects->place : NULL) &&
           set_text(header, "labels_file", p->labels_file) && set_text(header, "path_codes", p->path_codes) &&
           set_text(header, "label_codes", p->label_codes) && set_files(header, p) && set_folds(header, p);
}

sp_status sp_part_describe(const sp_pipeline *p, const sp_evaluation_options *how, const sp_shard *shard, int64_t n_inputs,
                           const sp_part_input *inputs, sp_part_content *out, sp_error *err)
{
    char *model = NULL;
    double seconds = isnan(p->opt->epoch_seconds) && !how->epoch_is_assumed ? how->epoch_seconds : 0;
    sp_status status = sp_model_to_json(p->model, &model, err);
    if (status != SP_OK)
        return status;
    json_t *header = out->header = json_object();
    const bool is_whole = header && set_all(header, p, how, model, seconds) && set_inputs(header, p->info, n_inputs, inputs) &&
                          set(header, "shard", json_pack("[I,I]", (json_int_t)shard->i, (json_int_t)shard->n));
    free(model);
    if (!is_whole)
        return sp_fail(err, SP_EINVAL,
                       "`part`: names of files, classes and options must be UTF-8, and there must be memory for them");
    return copy_recordings(p, out, err);
}
