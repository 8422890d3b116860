/* Models by name: files, and those that are compiled in. */
#include "statepath/model_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/model/durations.h"
#include "core/model/model.h"
#include "core/names.h"
#include "core/try.h"
#include "io/json/class_list.h"
#include "io/json/shipped_models.h"
#include "io/text/text_read.h"
#include "statepath/files.h"
#include "statepath/status.h"
#include "json/json_read.h"

/* ---- shipped models ---- */

static int32_t count_shipped(void)
{
    int32_t n = 0;
    while (sp_shipped_models[n].name)
        n++;
    return n;
}

static const char *find_shipped(const char *name)
{
    for (int32_t i = 0; sp_shipped_models[i].name; i++)
        if (strcmp(sp_shipped_models[i].name, name) == 0)
            return sp_shipped_models[i].text;
    return NULL;
}

sp_status sp_model_list(char ***names, int32_t *n_names, sp_error *err)
{
    int32_t n = count_shipped(), done = 0;
    char **list = calloc((size_t)n + 1, sizeof *list);
    while (list && done < n && (list[done] = strdup(sp_shipped_models[done].name)))
        done++;
    if (!list || done < n) {
        while (done > 0)
            free(list[--done]);
        free(list);
        return sp_no_memory(err);
    }
    *names = list;
    *n_names = n;
    return SP_OK;
}

/* ---- finding ---- */

static bool is_there(const char *file)
{
    struct stat s;
    return stat(file, &s) == 0 && !S_ISDIR(s.st_mode);
}

/* Could only be a file: has a folder or the ending of one. */
static bool is_file_name(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length >= 5 && strcmp(name + length - 5, ".json") == 0);
}

static sp_status fail_not_found(const char *name, sp_error *err)
{
    const char *near_files[] = {".model.json", ".json"};
    for (int i = 0; i < 2; i++) {
        char file[4096];
        if (snprintf(file, sizeof file, "%s%s", name, near_files[i]) < (int)sizeof file && is_there(file))
            return sp_fail(err, SP_EFILE, "there is no model \"%s\"; did you mean the file \"%s\"?", name,
                           file);
    }
    int32_t n = count_shipped();
    const char **names = malloc(((size_t)n + 1) * sizeof *names);
    if (!names)
        return sp_no_memory(err);
    for (int32_t i = 0; i < n; i++)
        names[i] = sp_shipped_models[i].name;
    char list[512], hint[128];
    sp_name_list(list, sizeof list, n, names);
    sp_name_hint(hint, sizeof hint, name, n, names);
    free(names);
    return sp_fail(err, SP_EFILE,
                   "there is no model \"%s\": no file of that name%s, and the shipped models are %s%s", name,
                   is_file_name(name) ? "" : " here", list, hint);
}

/* The text of a model. *owned is what the caller frees; *text points into it or into the program. */
static sp_status load_text(const char *name, const char **text, char **owned, sp_error *err)
{
    const char *shipped = is_file_name(name) ? NULL : find_shipped(name);
    *owned = NULL;
    if (shipped && !is_there(name)) {
        *text = shipped;
        return SP_OK;
    }
    struct stat s;
    if (stat(name, &s) != 0)
        return fail_not_found(name, err);
    if (S_ISDIR(s.st_mode))
        return sp_fail(err, SP_EFILE, "%s: is a folder; give the model's file in it", name);
    sp_status status = sp_text_read(name, "a model", owned, err);
    *text = *owned;
    return status;
}

static sp_status read_model(const char *text, const char *name, sp_model **out, sp_error *err)
{
    return sp_class_list_is(text) ? sp_class_list_read(text, name, out, err)
                                  : sp_model_from_json(text, name, out, err);
}

sp_status sp_model_load(const char *name_or_file, sp_model **out, sp_error *err)
{
    const char *text;
    char *owned;
    sp_status status = load_text(name_or_file, &text, &owned, err);
    if (status == SP_OK)
        status = read_model(text, name_or_file, out, err);
    free(owned);
    return status;
}

sp_status sp_classes_load(const char *list_or_file, sp_model **out, sp_error *err)
{
    struct stat s;
    if (stat(list_or_file, &s) == 0)
        return sp_model_load(list_or_file, out, err);
    if (is_file_name(list_or_file))
        return sp_fail(err, SP_EFILE, "%s: there is no such file of classes", list_or_file);
    return sp_class_list_split(list_or_file, out, err);
}

sp_status sp_model_save(const sp_model *model, const char *file, bool force, sp_error *err)
{
    char *text;
    sp_status status = sp_model_to_json(model, &text, err);
    if (status != SP_OK)
        return status;
    status = sp_text_save(file, text, force, err);
    free(text);
    return status;
}

/* ---- warnings with their place ---- */

typedef struct placed {
    sp_json_doc doc;
    const sp_model *model;
    void (*warn)(void *arg, const char *sentence);
    void *arg;
    bool of_durations;
} placed;

/* The name in quotes that the sentence speaks of, when the model has it; a copy in `name`. */
static bool quoted_name(const placed *p, const char *sentence, char *name, size_t size)
{
    for (int32_t s = 0; s < p->model->n_states + p->model->n_classes; s++) {
        const char *known = s < p->model->n_states ? sp_model_state_name(p->model, s)
                                                   : p->model->classes[s - p->model->n_states];
        const char *quote = strchr(sentence, '"');
        size_t length = strlen(known);
        if (quote && strncmp(quote + 1, known, length) == 0 && quote[1 + length] == '"') {
            snprintf(name, size, "%s", known);
            return true;
        }
    }
    return false;
}

/* Adds where the rules of that class stand, else where it is named. */
static void warn_with_place(void *arg, const char *sentence)
{
    const placed *p = arg;
    sp_json_at root = {0}, at[2] = {{&root, "classes", 0}};
    const char *const keys[] = {"durations", "allow", "states", "forbid", "matrix"};
    char name[512];
    bool has_name = quoted_name(p, sentence, name, sizeof name);
    for (int i = p->of_durations ? 0 : 1; i < 5; i++) {
        json_t *value = json_object_get(p->doc.root, keys[i]);
        if (!value)
            continue;
        at[0].key = keys[i];
        if (has_name && json_object_get(value, name))
            break;
    }
    at[1] = (sp_json_at){&at[0], name, 0};
    bool has_member = has_name && json_object_get(json_object_get(p->doc.root, at[0].key), name);
    sp_json_place place = sp_json_locate(p->doc.text, has_member ? &at[1] : &at[0]);
    char text[2048];
    snprintf(text, sizeof text, "%s:%d:%d: key \"%s\": %s", p->doc.name, place.line, place.column, at[0].key,
             sentence);
    p->warn(p->arg, text);
}

sp_status sp_model_load_warnings(const char *name_or_file, void (*warn)(void *arg, const char *sentence),
                                 void *arg, sp_error *err)
{
    const char *text;
    char *owned;
    sp_model *model = NULL;
    placed p = {.warn = warn, .arg = arg};
    sp_status status = SP_OK;
    TRY(load_text(name_or_file, &text, &owned, err));
    TRY(read_model(text, name_or_file, &model, err));
    if (sp_class_list_is(text)) /* which has no rules that could be odd */
        goto done;
    TRY(sp_json_open(&p.doc, text, name_or_file, "a model", SP_EMODEL, err));
    p.model = model;
    status = sp_model_warnings(model, warn_with_place, &p, err);
    p.of_durations = true;
    if (status == SP_OK)
        status = sp_duration_warnings(model, warn_with_place, &p, err);
    sp_json_close(&p.doc);
done:
    sp_model_free(model);
    free(owned);
    return status;
}
