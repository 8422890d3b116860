#include "options/options.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"

#define SP_OPTION(id, at, kind, text, argument, about, ...)                                                  \
    {.name = text,                                                                                           \
     .type = SP_OPTION_##kind,                                                                               \
     .place = offsetof(sp_run_options, at),                                                                  \
     .value = argument,                                                                                      \
     .help = about,                                                                                          \
     __VA_ARGS__},
const sp_option_row sp_option_rows[] = {
#include "statepath/options.def"
    {.name = NULL}};

/* Those of the program alone, for what needs one of them: whether it is given only the program knows. */
#define SP_PROGRAM(id, at, kind, text, argument, about, ...) {.name = text, .help = about, __VA_ARGS__},
static const sp_option_row program_rows[] = {
#include "statepath/options.def"
    {.name = NULL}};

char *sp_option_key(const char *name, char key[SP_OPTION_KEY])
{
    snprintf(key, SP_OPTION_KEY, "%s", name);
    for (char *dash; (dash = strchr(key, '-'));)
        *dash = '_';
    return key;
}

/* ---- values ---- */

static const void *value_at(const sp_option_row *row, const void *options)
{
    return (const char *)options + row->place;
}

static const char *text_at(const sp_option_row *row, const void *options)
{
    return row->type == SP_OPTION_TEXT ? *(char *const *)value_at(row, options) : NULL;
}

/* Of a number of whatever type; NaN: it is none, or not given. */
static double number_at(const sp_option_row *row, const void *options)
{
    const void *at = value_at(row, options);
    switch (row->type) {
    case SP_OPTION_FLAG:
    case SP_OPTION_INTEGER:
        return *(const int *)at;
    case SP_OPTION_LONG:
        return (double)*(const long *)at;
    case SP_OPTION_NUMBER:
        return *(const double *)at;
    case SP_OPTION_COUNT:
        return (double)*(const int64_t *)at;
    default:
        return NAN;
    }
}

static double usual_number(const sp_option_row *row)
{
    return row->usual ? strtod(row->usual, NULL) : row->type == SP_OPTION_NUMBER ? NAN : 0;
}

bool sp_option_is_given(const sp_option_row *row, const void *options)
{
    if (row->type == SP_OPTION_SEED)
        return *(const uint64_t *)value_at(row, options) != strtoull(row->usual, NULL, 10);
    if (row->type == SP_OPTION_TEXT || row->type == SP_OPTION_TEXTS)
        return *(void *const *)value_at(row, options) != NULL;
    const double value = number_at(row, options), usual = usual_number(row);
    return !isnan(value) && value != usual;
}

void sp_options_init(const sp_option_row *rows, void *options)
{
    for (const sp_option_row *row = rows; row->name || row->help; row++) {
        void *at = (char *)options + row->place;
        if (row->type == SP_OPTION_NUMBER)
            *(double *)at = usual_number(row);
        else if (row->type == SP_OPTION_SEED)
            *(uint64_t *)at = strtoull(row->usual, NULL, 10);
        else if (row->type == SP_OPTION_INTEGER && row->usual)
            *(int *)at = (int)usual_number(row);
    }
}

sp_run_options sp_run_options_default(void)
{
    sp_run_options o = {.model = NULL};
    sp_options_init(sp_option_rows, &o);
    return o;
}

/* Number of the word among "report|relax|error"; -1: it is none of them. */
static int word_among(const char *word, const char *words)
{
    const size_t n = strlen(word);
    for (int i = 0;; i++, words++) {
        const size_t length = strcspn(words, "|");
        if (length == n && strncmp(word, words, n) == 0)
            return i;
        words += length;
        if (!*words)
            return -1;
    }
}

int sp_option_word(const sp_run_options *o, size_t place)
{
    const sp_option_row *row = sp_option_rows;
    while (row->name && row->place != place)
        row++;
    const char *word = text_at(row, o);
    return word ? word_among(word, row->value) : -1;
}

/* Does "[0,1)" hold the number? */
static bool is_in_range(double value, const char *range)
{
    char *rest;
    const double least = strtod(range + 1, &rest), most = strtod(rest + 1, &rest);
    return (*range == '[' ? value >= least : value > least) && (*rest == ']' ? value <= most : value < most);
}

/* What a value must be: as the row says, else of its choices or its range. */
static const char *must_text(const sp_option_row *row, char *text, size_t size)
{
    if (row->must)
        return row->must;
    if (row->range) {
        char *rest;
        const double least = strtod(row->range + 1, &rest), most = strtod(rest + 1, NULL);
        snprintf(text, size, "a number from %.15g to %.15g", least, most);
        return text;
    }
    size_t used = (size_t)snprintf(text, size, "it is ");
    for (const char *word = row->value; used < size;) {
        const int length = (int)strcspn(word, "|");
        const char *rest = word + length, *after = !*rest ? "" : strchr(rest + 1, '|') ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%.*s%s", length, word, after);
        if (!*rest)
            break;
        word = rest + 1;
    }
    return text;
}

static sp_status check_value(const sp_option_row *row, const void *options, sp_error *err)
{
    char key[SP_OPTION_KEY], must[256];
    const char *word = text_at(row, options);
    if (word && row->value && strchr(row->value, '|') && !(row->uses & SP_OPTION_MORE_WORDS) &&
        word_among(word, row->value) < 0)
        return sp_fail(err, SP_EINVAL, "`%s` %s: %s", sp_option_key(row->name, key), word,
                       must_text(row, must, sizeof must));
    const double value = number_at(row, options);
    if (row->range && !isnan(value) && !is_in_range(value, row->range))
        return sp_fail(err, SP_EINVAL, "`%s` %.10g: %s", sp_option_key(row->name, key), value,
                       must_text(row, must, sizeof must));
    return SP_OK;
}

/* ---- what goes together ---- */

typedef struct all_options {
    const sp_option_row *rows;
    const void *options;
    const bool *given; /* or NULL */
    uint32_t commands;
    bool is_library; /* of the program's own options it is not known whether they are given */
} all_options;

static bool is_given(const all_options *all, const sp_option_row *row)
{
    return row->name && (all->given ? all->given[row - all->rows] : sp_option_is_given(row, all->options));
}

/* A row of the name, of n letters, that a command takes. */
static const sp_option_row *find(const sp_option_row *rows, uint32_t commands, const char *name, size_t n)
{
    for (const sp_option_row *row = rows; row->name || row->help; row++)
        if (row->name && strlen(row->name) == n && strncmp(row->name, name, n) == 0 &&
            row->commands & commands)
            return row;
    return NULL;
}

static sp_status refuse(const sp_option_row *row, const char *other, const char *why, sp_error *err)
{
    char key[SP_OPTION_KEY], with[SP_OPTION_KEY];
    if (why && *why == '`' && strncmp(why, "`statepath", 10) != 0)
        return sp_fail(err, SP_EINVAL, "%s", why);
    return sp_fail(err, SP_EINVAL, "`%s` does not go with `%s`: %s", sp_option_key(row->name, key),
                   sp_option_key(other, with), why);
}

/* `with` is the name of another option, or name=value. */
static sp_status check_exclusion(const all_options *all, const sp_option_row *row, const char *with,
                                 const char *why, sp_error *err)
{
    char key[SP_OPTION_KEY], other_key[SP_OPTION_KEY];
    const size_t n = strcspn(with, "=");
    const sp_option_row *other = find(all->rows, all->commands, with, n);
    if (!other || !is_given(all, other))
        return SP_OK;
    if (!with[n])
        return refuse(row, other->name, why, err);
    const char *text = text_at(other, all->options);
    if (!text || strcmp(text, with + n + 1) != 0)
        return SP_OK;
    return sp_fail(err, SP_EINVAL, "`%s` changes nothing where `%s` is %s; leave it out",
                   sp_option_key(row->name, key), sp_option_key(other->name, other_key), text);
}

/* One of the names with blanks between is given; or the command takes none of them, where the option stands alone. */
static sp_status check_need(const all_options *all, const sp_option_row *row, sp_error *err)
{
    char list[128] = "", key[SP_OPTION_KEY];
    for (const char *name = row->needs.with; *name; name += strspn(name, " ")) {
        const size_t n = strcspn(name, " ");
        const sp_option_row *other = find(all->rows, all->commands, name, n);
        if (!other && all->is_library && find(program_rows, all->commands, name, n))
            return SP_OK;
        name += n;
        if (!other)
            continue;
        if (is_given(all, other))
            return SP_OK;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s`%s`", used ? " or " : "",
                 sp_option_key(other->name, key));
    }
    if (!*list)
        return SP_OK;
    return row->needs.why
               ? sp_fail(err, SP_EINVAL, "%s", row->needs.why)
               : sp_fail(err, SP_EINVAL, "`%s` is of use with %s only", sp_option_key(row->name, key), list);
}

static sp_status check_all(const all_options *all, sp_error *err)
{
    sp_status status = SP_OK;
    for (const sp_option_row *row = all->rows; row->name || row->help; row++) {
        if (!is_given(all, row))
            continue;
        TRY(check_value(row, all->options, err));
        for (int i = 0; i < SP_OPTION_EXCLUDES && row->excludes[i].with; i++)
            TRY(check_exclusion(all, row, row->excludes[i].with, row->excludes[i].why, err));
        if (row->needs.with)
            TRY(check_need(all, row, err));
    }
done:
    return status;
}

sp_status sp_options_check_table(const sp_option_row *rows, const void *options, const bool *given,
                                 uint32_t commands, sp_error *err)
{
    return check_all(&(all_options){.rows = rows, .options = options, .given = given, .commands = commands},
                     err);
}

sp_status sp_options_check(const sp_run_options *o, sp_run_call call, sp_error *err)
{
    static const uint32_t commands[] = {
        [SP_CALL_COMPARE] = C_COMPARE, [SP_CALL_DECODE] = C_DECODE,   [SP_CALL_EVALUATE] = C_EVALUATE,
        [SP_CALL_FIT] = C_FIT,         [SP_CALL_CONVERT] = C_CONVERT, [SP_CALL_MASK] = C_MASK};
    return check_all(
        &(all_options){.rows = sp_option_rows, .options = o, .commands = commands[call], .is_library = true},
        err);
}

const char *sp_option_without_use(const sp_fit_words *words, int method)
{
    sp_run_options o = sp_run_options_default();
    o.fit = *words;
    for (const sp_option_row *row = sp_option_rows; row->name; row++)
        if (row->methods && !(row->methods & 1u << method) && sp_option_is_given(row, &o))
            return row->name;
    return NULL;
}

/* The first option that is given and has the use; NULL: none. */
static const sp_option_row *given_of(const sp_run_options *o, unsigned use)
{
    for (const sp_option_row *row = sp_option_rows; row->name; row++)
        if (row->uses & use && sp_option_is_given(row, o))
            return row;
    return NULL;
}

sp_status sp_options_check_labels(const sp_run_options *o, const char *file, bool has_labels, sp_error *err)
{
    char key[SP_OPTION_KEY];
    const sp_option_row *row = has_labels ? NULL : given_of(o, SP_OPTION_OF_LABELS);
    return row ? sp_fail(
                     err, SP_EINVAL,
                     "`%s` judges by labels, and %s has none; `labels` says where they are, or leave it out",
                     sp_option_key(row->name, key), file)
               : SP_OK;
}

sp_status sp_options_check_scores(const sp_run_options *o, const char *file, bool has_scores, sp_error *err)
{
    char key[SP_OPTION_KEY];
    const sp_option_row *row = has_scores ? NULL : given_of(o, SP_OPTION_OF_SCORES);
    return row ? sp_fail(err, SP_EINVAL, "`%s` speaks of scores, and %s has none; leave it out",
                         sp_option_key(row->name, key), file)
               : SP_OK;
}
