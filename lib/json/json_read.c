#include "json/json_read.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"
#include "statepath/status.h"

/* ---- memory ---- */

/* Did jansson lack memory? It calls some such failures a syntax error, and others lose a letter of a text without a word. */

static json_malloc_t take;
static json_free_t give;
static _Thread_local bool has_failed;

static void *take_and_note(size_t size)
{
    void *room = take(size);
    has_failed = has_failed || !room;
    return room;
}

static void watch(void)
{
    json_get_alloc_funcs(&take, &give);
    json_set_alloc_funcs(take_and_note, give);
}

/* Before a text is parsed. The first call puts a note-taker in front of whatever allocator jansson has, for the whole process. */
static void memory_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch);
    has_failed = false;
}

/* ---- reading ---- */

const char *sp_json_kind(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    default:
        return "null";
    }
}

/* What the usual slips look like. `position` is how many bytes the parser had read when it gave up. */
static const char *syntax_hint(const char *text, const json_error_t *error)
{
    if (strstr(error->text, "near '/'") || strstr(error->text, "near '#'"))
        return "; JSON has no comments, use the key \"description\"";
    if (strstr(error->text, "near '''"))
        return "; strings are written in double quotes";
    if (strstr(error->text, "near 'NaN'") || strstr(error->text, "near 'nan'") ||
        strstr(error->text, "near 'Infinity'") || strstr(error->text, "near '-I'") ||
        strstr(error->text, "near '-i'") || strstr(error->text, "near 'inf'"))
        return "; JSON has no NaN and no infinity, use null";
    if (strstr(error->text, "near 'True'") || strstr(error->text, "near 'False'"))
        return "; write true and false in small letters";
    if (strstr(error->text, "near ']'") || strstr(error->text, "near '}'")) {
        int i = error->position - 2;
        while (i > 0 && strchr(" \t\r\n", text[i]))
            i--;
        if (i >= 0 && text[i] == ',')
            return "; drop the comma before it";
    }
    return "";
}

static sp_status fail_syntax(const sp_json_doc *doc, const json_error_t *error)
{
    char text[JSON_ERROR_TEXT_LENGTH];
    snprintf(text, sizeof text, "%s", error->text);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return sp_fail(doc->err, doc->fault, "%s:%d:%d: not valid JSON: %s%s", doc->name, error->line,
                   error->column > 0 ? error->column : 1, text, syntax_hint(doc->text, error));
}

/* Names and descriptions are short. One of many MB would be copied and compared again and again. */
enum { MOST_TEXT = 1 << 20 };

/* Where a text that is longer begins; NULL: there is none. What is no JSON is looked at as if it were. */
static const char *find_long_text(const char *text)
{
    for (const char *p = text; (p = strchr(p, '"')); p++) {
        const char *first = p++;
        while (*p && *p != '"')
            p += *p == '\\' && p[1] ? 2 : 1;
        if (p - first > MOST_TEXT)
            return first;
        if (!*p)
            break;
    }
    return NULL;
}

static sp_json_place place_of(const char *text, const char *at)
{
    sp_json_place place = {1, 1};
    for (; text < at; text++) {
        place.column = *text == '\n' ? 1 : place.column + 1;
        place.line += *text == '\n';
    }
    return place;
}

sp_status sp_json_open(sp_json_doc *doc, const char *text, const char *name, const char *what,
                       sp_status fault, sp_error *err)
{
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) /* byte order mark, as some editors leave it */
        text += 3;
    *doc = (sp_json_doc){.text = text, .name = name, .err = err, .fault = fault};
    const char *long_text = find_long_text(text);
    if (long_text) {
        const sp_json_place place = place_of(text, long_text);
        return sp_fail(
            err, fault,
            "%s:%d:%d: a text of more than 1 MiB begins here; write a shorter one, %s is no place for data",
            name, place.line, place.column, what);
    }
    if (text[strspn(text, " \t\r\n")] == 0)
        return sp_fail(err, fault, "%s:1:1: empty; %s is a JSON object, {\"key\": ...}", name, what);
    json_error_t error;
    memory_begin();
    doc->root = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (has_failed) {
        sp_json_close(doc);
        return sp_no_memory(err);
    }
    if (!doc->root && (json_error_code(&error) == json_error_out_of_memory || !error.text[0]))
        return sp_no_memory(err);
    if (!doc->root)
        return fail_syntax(doc, &error);
    if (json_is_object(doc->root))
        return SP_OK;
    sp_json_at root = {0};
    sp_status status = sp_json_fail(doc, &root, "%s is a JSON object, {\"key\": ...}; this is %s", what,
                                    sp_json_kind(doc->root));
    sp_json_close(doc);
    return status;
}

void sp_json_close(sp_json_doc *doc)
{
    json_decref(doc->root);
    doc->root = NULL;
}

sp_status sp_json_fail(const sp_json_doc *doc, const sp_json_at *at, const char *format, ...)
{
    char sentence[SP_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    sp_json_place place = sp_json_locate(doc->text, at);
    return sp_fail(doc->err, doc->fault, "%s:%d:%d: %s", doc->name, place.line, place.column, sentence);
}

sp_status sp_json_check_keys(const sp_json_doc *doc, const sp_json_at *at, json_t *object, int32_t n,
                             const char *const *keys)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        int32_t i = 0;
        while (i < n && strcmp(keys[i], key) != 0)
            i++;
        if (i < n)
            continue;
        char hint[128], list[512];
        sp_json_at here = {at, key, 0};
        return sp_json_fail(doc, &here, "key \"%s\" is not known%s%s (known: %s)%s", key,
                            at->key ? " in " : "", at->key ? at->key : "",
                            sp_name_list(list, sizeof list, n, keys),
                            sp_name_hint(hint, sizeof hint, key, n, keys));
    }
    return SP_OK;
}

static sp_status want_text(const sp_json_doc *doc, const sp_json_at *at, const json_t *value, char **out)
{
    if (!json_is_string(value))
        return sp_json_fail(doc, at, "key \"%s\": needs a string in double quotes; this is %s", at->key,
                            sp_json_kind(value));
    free(*out);
    *out = strdup(json_string_value(value));
    return *out ? SP_OK : sp_no_memory(doc->err);
}

sp_status sp_json_read_text(const sp_json_doc *doc, const char *key, char **out)
{
    const sp_json_at root = {0};
    return sp_json_read_members(doc, &root, doc->root, 1, &(sp_json_member){.key = key, .type = SP_JSON_TEXT},
                                out);
}

sp_status sp_json_missing(const sp_json_doc *doc, const sp_json_at *at, const char *key, const char *example)
{
    if (!*example)
        return sp_json_fail(doc, at, "key \"%s\" is missing", key);
    return sp_json_fail(doc, at, "key \"%s\" is missing%s%s; as \"%s\": %s", key, at->key ? " in " : "",
                        at->key ? at->key : "", key, example);
}

sp_status sp_json_read_members(const sp_json_doc *doc, const sp_json_at *at, const json_t *object, size_t n,
                               const sp_json_member *members, void *to)
{
    sp_status status = SP_OK;
    for (size_t i = 0; status == SP_OK && i < n; i++) {
        const sp_json_member *m = &members[i];
        const sp_json_at here = {at, m->key, 0};
        const json_t *value = json_object_get(object, m->key);
        void *place = (char *)to + m->offset;
        if (!value)
            status = m->example ? sp_json_missing(doc, at, m->key, m->example) : SP_OK;
        else if (m->type == SP_JSON_NUMBER)
            status = sp_json_want_number(doc, &here, m->key, value, place);
        else if (m->type == SP_JSON_WHOLE)
            status = sp_json_want_integer(doc, &here, m->key, value, place);
        else if (m->type == SP_JSON_TEXT)
            status = want_text(doc, &here, value, place);
        else if (json_is_boolean(value))
            *(bool *)place = json_is_true(value);
        else
            status = sp_json_fail(doc, &here, "key \"%s\": needs true or false; this is %s", m->key,
                                  sp_json_kind(value));
    }
    return status;
}

sp_status sp_json_want_number(const sp_json_doc *doc, const sp_json_at *at, const char *key,
                              const json_t *value, double *out)
{
    if (!json_is_number(value))
        return sp_json_fail(doc, at, "key \"%s\": needs a number; this is %s", key, sp_json_kind(value));
    *out = json_number_value(value);
    return SP_OK;
}

sp_status sp_json_want_integer(const sp_json_doc *doc, const sp_json_at *at, const char *key,
                               const json_t *value, int64_t *out)
{
    if (!json_is_integer(value))
        return sp_json_fail(doc, at, "key \"%s\": needs a whole number; this is %s", key,
                            json_is_real(value) ? "a fraction" : sp_json_kind(value));
    *out = json_integer_value(value);
    return SP_OK;
}
