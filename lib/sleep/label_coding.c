#include "sleep/label_coding.h"
#include "sleep/label_coding_use.h"
#include "sleep/stages.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Words of the field, in capitals, with bars around each. A stage may have a number of its own after "STAGE" and the like: see
 * word_of(). */
static const struct {
    code_meaning means;
    const char *words;
} words[] = {
    {WAKE, "|W|WAKE|WA|WK|WAKESTATE|S0|"},
    {N1, "|N1|NREM1|S1|1|"},
    {N2, "|N2|NREM2|S2|2|"},
    {N3, "|N3|NREM3|S3|3|SWS|34|N4|NREM4|S4|4|"},
    {REM, "|R|REM|RE|RAPIDEYEMOVEMENT|"},
    {NOTHING, "|?|U|UNS|ND|A|AR|ART|ARTEFACT|ARTEFAKT|ARTIFACT|UNSCORED|UNKNOWN|UNSURE|UNDEFINED|M|MT|"
              "MOVEMENT|MOVEMENT TIME|L|"
              "LIGHTS|G|GAP|"},
};

void sp_codes_free(sp_codes *codes)
{
    if (!codes)
        return;
    for (int32_t i = 0; i < codes->n_entries; i++)
        free(codes->entries[i].text);
    for (int32_t i = 0; i < codes->n_names; i++)
        free(codes->names[i].text);
    for (int32_t i = 0; i < codes->n_sets; i++) {
        free(codes->sets[i].classes);
        free(codes->sets[i].has);
    }
    free(codes->sets);
    for (int32_t k = 0; codes->classes && k < codes->n_classes; k++)
        free(codes->classes[k]);
    free(codes->entries);
    free(codes->names);
    free(codes->classes);
    free(codes->column);
    free(codes->name);
    free(codes);
}

const char *sp_codes_name(const sp_codes *codes)
{
    return codes->name;
}

/* A whole number, however it is written. */
bool sp_code_number(const char *text, double *out)
{
    char *end;
    if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    *out = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*out) && *out == floor(*out);
}

/* The field's word for a text: capitals, "SLEEP STAGE 2", "SLEEP-S2", "STAGE 2 SLEEP|2", "SRO:Stage2Sleep" and the like without
 * their ornaments. */
static void word_of(const char *text, char *out, size_t size)
{
    static const char *const before[] = {"SDO:",         "SRO:",         "NONRAPIDEYEMOVEMENTSLEEP-",
                                         "SLEEP STAGE ", "SLEEP_STAGE_", "SLEEP STAGE_",
                                         "SLEEP-",       "SLPSTG",       "STAGE ",
                                         "STAGE_",       "STAGE"};
    size_t n = 0;
    for (; text[n] && n + 1 < size; n++)
        out[n] = (char)toupper((unsigned char)text[n]);
    out[n] = '\0';
    char *bar = strchr(out, '|');
    if (bar)
        *bar = '\0';
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (strncmp(out, before[i], strlen(before[i])) == 0)
            memmove(out, out + strlen(before[i]), strlen(out) - strlen(before[i]) + 1);
    n = strlen(out);
    if (n > 5 && strcmp(out + n - 5, "SLEEP") == 0) {
        n -= 5;
        out[n] = '\0';
    }
    while (n > 0 && out[n - 1] == ' ')
        out[--n] = '\0';
}

static int32_t class_of_meaning(const sp_codes *codes, code_meaning means)
{
    return means == NOTHING ? SP_CODE_UNSCORED : codes->class_of[means];
}

/* Class of a number. */
static int32_t class_of_number(const sp_codes *codes, double code)
{
    for (int32_t i = 0; i < codes->n_entries; i++)
        if (!codes->entries[i].text && codes->entries[i].number == code)
            return codes->entries[i].means;
    for (int i = 0; codes->preset && i < codes->preset->n_rows; i++)
        if (codes->preset->rows[i].number == code)
            return class_of_meaning(codes, codes->preset->rows[i].means);
    return !codes->preset && code == -1 ? SP_CODE_UNSCORED : SP_CODE_UNKNOWN;
}

/* What a word of the field means, NULL: it is none. A number that stands in a file without words is a code, not the word "1". */
static const code_meaning *meaning_of(const char *text)
{
    char word[40], barred[sizeof word + 2];
    if (strlen(text) >= sizeof word)
        return NULL;
    word_of(text, word, sizeof word);
    snprintf(barred, sizeof barred, "|%s|", word);
    if (!*word || (isdigit((unsigned char)*word) && strcasecmp(word, text) == 0))
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(words[i].words, barred))
            return &words[i].means;
    return NULL;
}

bool sp_is_unscored_word(const char *text)
{
    const code_meaning *means = meaning_of(text);
    return means && *means == NOTHING;
}

static int32_t field_word(const sp_codes *codes, const char *text)
{
    const code_meaning *means = meaning_of(text);
    if (!means || (!codes->preset && !(codes->is_sleep && *means == NOTHING)))
        return SP_CODE_UNKNOWN;
    return class_of_meaning(codes, *means);
}

static int32_t look_up(const sp_codes *codes, const char *text)
{
    double number;
    bool is_number = sp_code_number(text, &number);
    for (int32_t i = 0; i < codes->n_entries; i++)
        if (codes->entries[i].text && strcmp(codes->entries[i].text, text) == 0)
            return codes->entries[i].means;
    if (is_number)
        return class_of_number(codes, number);
    for (int32_t i = 0; i < codes->n_names; i++)
        if (strcmp(codes->names[i].text, text) == 0)
            return codes->names[i].means;
    return field_word(codes, text);
}

/* Without the blanks around it; false where it does not fit. */
bool sp_code_trimmed(const char *text, size_t n, char *out, size_t size)
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

static int32_t in_columns(const sp_codes *codes, int32_t means)
{
    if (means <= SP_CODE_FIRST_SET && !codes->tells_sets)
        return SP_CODE_UNSCORED;
    return means >= 0 && codes->column ? codes->column[means] : means;
}

int32_t sp_codes_number(const sp_codes *codes, double code)
{
    return in_columns(codes, class_of_number(codes, code));
}

int32_t sp_codes_text(const sp_codes *codes, const char *code)
{
    char text[256];
    if (!sp_code_trimmed(code, strlen(code), text, sizeof text))
        return SP_CODE_UNKNOWN;
    return *text ? in_columns(codes, look_up(codes, text)) : SP_CODE_UNSCORED;
}

bool sp_codes_differ_from(const sp_codes *codes, const int32_t *class_of_column)
{
    bool is_taken[SP_CODES_COLUMNS] = {false}, differs = false;
    if (codes->n_classes > SP_CODES_COLUMNS)
        return false;
    for (int32_t k = 0; k < codes->n_classes; k++) {
        int32_t means = class_of_number(codes, k);
        if (means < 0 || is_taken[means])
            return false;
        is_taken[means] = true;
        differs |= class_of_column[k] != means;
    }
    return differs;
}

/* ---- codes that stand for several classes ---- */

int32_t sp_codes_n_sets(const sp_codes *codes)
{
    return codes->n_sets;
}

void sp_codes_tell_sets(sp_codes *codes)
{
    codes->tells_sets = true;
}

void sp_codes_sets(const sp_codes *codes, uint8_t *out)
{
    const int32_t K = codes->n_classes;
    for (int32_t s = 0; s < codes->n_sets; s++)
        for (int32_t k = 0; k < K; k++)
            out[s * K + in_columns(codes, k)] = codes->sets[s].has[k];
}

const char *sp_codes_set_names(const sp_codes *codes, char buffer[SP_CODES_SENTENCE])
{
    enum { NAMED = 4 };
    buffer[0] = '\0';
    for (int32_t s = 0; s < codes->n_sets && s < NAMED; s++)
        sp_code_add(buffer, SP_CODES_SENTENCE, "%s%.40s (%.100s)", s ? ", " : "", codes->sets[s].code,
                    codes->sets[s].classes);
    if (codes->n_sets > NAMED)
        sp_code_add(buffer, SP_CODES_SENTENCE, " and %d more", codes->n_sets - NAMED);
    return buffer;
}

sp_status sp_codes_refuse_sets(const sp_codes *codes, const char *why, sp_error *err)
{
    if (codes->n_sets == 0)
        return SP_OK;
    return sp_fail(err, SP_EINVAL, "`map`: %.40s (%.100s) is several classes, and %s", codes->sets[0].code,
                   codes->sets[0].classes, why);
}

/* ---- for messages ---- */

void sp_code_add(char *buffer, size_t size, const char *format, ...)
{
    size_t n = strlen(buffer);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer + n, size - n, format, arguments);
    va_end(arguments);
}

static const char *meaning_name(code_meaning means)
{
    return means == NOTHING ? "unscored" : sp_sleep_stage_name((sp_sleep_stage)means);
}

static const char *class_name(const sp_codes *codes, int32_t means)
{
    return means >= 0                   ? codes->classes[means]
           : means <= SP_CODE_FIRST_SET ? codes->sets[SP_CODE_FIRST_SET - means].classes
                                        : "unscored";
}

/* "0 Wake, 1 N1, ..., 9 unscored" */
static void add_known(const sp_codes *codes, char *buffer, size_t size)
{
    int n = 0;
    for (int32_t i = 0; i < codes->n_entries && n < 16; i++, n++)
        if (codes->entries[i].text)
            sp_code_add(buffer, size, "%s\"%.24s\" %.24s", n ? ", " : "", codes->entries[i].text,
                        class_name(codes, codes->entries[i].means));
        else
            sp_code_add(buffer, size, "%s%g %.24s", n ? ", " : "", codes->entries[i].number,
                        class_name(codes, codes->entries[i].means));
    for (int i = 0; codes->preset && i < codes->preset->n_rows; i++, n++)
        sp_code_add(buffer, size, "%s%d %s", n ? ", " : "", codes->preset->rows[i].number,
                    meaning_name(codes->preset->rows[i].means));
}

const char *sp_codes_explain(const sp_codes *codes, const char *code, char buffer[SP_CODES_SENTENCE])
{
    const size_t size = SP_CODES_SENTENCE;
    const char *first = codes->n_classes ? codes->classes[0] : "CLASS";
    buffer[0] = '\0';
    if (sp_codes_text(codes, code) == SP_CODE_NO_CLASS) {
        code_meaning means = NOTHING;
        double number;
        for (int i = 0; codes->preset && sp_code_number(code, &number) && i < codes->preset->n_rows; i++)
            if (codes->preset->rows[i].number == number)
                means = codes->preset->rows[i].means;
        sp_code_add(buffer, size, "label \"%.40s\" is ", code);
        if (means != NOTHING)
            sp_code_add(buffer, size, "%s in %s", meaning_name(means), codes->preset->name);
        else
            sp_code_add(buffer, size, "a stage of %s", codes->preset->name);
        sp_code_add(buffer, size,
                    ", for which the model has no class; say which it is, such as `map` '%.40s=%.40s'", code,
                    first);
        return buffer;
    }
    if (codes->preset) {
        sp_code_add(buffer, size, "label \"%.40s\" is no code of %s, which has ", code, codes->name);
        add_known(codes, buffer, size);
        sp_code_add(buffer, size, "%snames of stages; ",
                    codes->n_entries || codes->preset->n_rows ? " and " : "");
    } else {
        sp_code_add(buffer, size, "label \"%.40s\" is neither a class of the model nor in `map`, which has ",
                    code);
        add_known(codes, buffer, size);
        sp_code_add(buffer, size, "; ");
    }
    sp_code_add(buffer, size, "`map` '%.40s=%.40s' or '%.40s=unscored' says what it is", code, first, code);
    return buffer;
}
