/* Values of a JSON text, in place of jansson (stand_in/jansson.h). statepath.js gives what JSON.stringify() wrote, with the
 * values of its numbers apart: what reads decimals to the last bit would be a third of the module. A text that is no JSON gets a
 * short sentence. */
#include "wasm/stand_in/jansson.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100 };

const double *sp_json_numbers;

static json_malloc_t take = malloc;

void json_get_alloc_funcs(json_malloc_t *current, json_free_t *give)
{
    *current = take;
    *give = free;
}

void json_set_alloc_funcs(json_malloc_t current, json_free_t give)
{
    (void)give;
    take = current;
}

void json_decref(json_t *value)
{
    for (size_t i = 0; value && value->items && i < value->n; i++)
        json_decref(value->items[i]);
    for (size_t i = 0; value && value->keys && i < value->n; i++)
        free(value->keys[i]);
    if (!value)
        return;
    free(value->items);
    free(value->keys);
    free(value->text);
    free(value);
}

json_t *json_object_get(const json_t *object, const char *key)
{
    for (size_t i = 0; i < json_object_size(object); i++)
        if (!strcmp(object->keys[i], key))
            return object->items[i];
    return NULL;
}

/* ---- parsing ---- */

typedef struct parser {
    const char *at, *end;
    const char *fault; /* or NULL */
    int depth;
} parser;

static json_t *read_value(parser *p);

/* NULL, with the first fault. */
static void *fail(parser *p, const char *fault)
{
    p->fault = p->fault ? p->fault : fault;
    return NULL;
}

static void skip_space(parser *p)
{
    while (p->at < p->end && strchr(" \t\r\n", *p->at))
        p->at++;
}

/* Takes the sign if it comes next. */
static bool comes(parser *p, char sign)
{
    skip_space(p);
    const bool is_next = p->at < p->end && *p->at == sign;
    p->at += is_next;
    return is_next;
}

static json_t *new_value(json_type type)
{
    json_t *made = take(sizeof *made);
    if (made)
        *made = (json_t){.type = type};
    return made;
}

/* Four hexadecimal digits; -1: they are none. */
static int32_t read_unit(parser *p)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        const int c = p->at < p->end ? tolower((unsigned char)*p->at) : 0;
        if (!isxdigit(c))
            return -1;
        unit = unit * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return unit;
}

/* The character of an escape \u, of two where it is half of a pair, as UTF-8; NULL: it is none. */
static char *put_character(parser *p, char *to)
{
    int32_t c = read_unit(p);
    if (c >= 0xD800 && c < 0xDC00 && p->end - p->at > 2 && p->at[0] == '\\' && p->at[1] == 'u') {
        p->at += 2;
        const int32_t low = read_unit(p);
        c = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00) : -1;
    }
    if (c <= 0 || (c >= 0xD800 && c < 0xE000))
        return fail(p, c == 0 ? "\\u0000 is not allowed" : "invalid Unicode");
    const int n_more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    const uint8_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    *to++ = (char)(lead[n_more] | c >> 6 * n_more);
    for (int i = n_more; i-- > 0;)
        *to++ = (char)(0x80 | (c >> 6 * i & 0x3F));
    return to;
}

/* Behind the opening quote. */
static char *read_text(parser *p, size_t *length)
{
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char *text = take((size_t)(p->end - p->at) + 1), *to = text;
    while (to && p->at < p->end && *p->at != '"') {
        const char c = *p->at++;
        if (c != '\\') {
            *to++ = c;
            continue;
        }
        const char *escape = p->at < p->end ? strchr(escapes, *p->at) : NULL;
        if (escape)
            *to++ = meant[escape - escapes];
        else if (p->at == p->end || *p->at != 'u')
            to = fail(p, "invalid escape");
        p->at++;
        if (to && !escape)
            to = put_character(p, to);
    }
    if (to && p->at++ == p->end)
        to = fail(p, "a string does not end");
    if (!to) {
        free(text);
        return NULL;
    }
    *to = '\0';
    *length = (size_t)(to - text);
    char *small = realloc(text, *length + 1);
    return small ? small : text;
}

/* A number's token says whether it is whole; its value is the next of sp_json_numbers. */
static json_t *read_number(parser *p)
{
    const size_t length = strspn(p->at, "+-.0123456789Ee");
    json_t *made = length && sp_json_numbers ? new_value(JSON_REAL) : fail(p, "invalid token");
    if (!made)
        return NULL;
    made->number = *sp_json_numbers++;
    if (strcspn(p->at, ".Ee") >= length) {
        made->type = JSON_INTEGER;
        if (!(fabs(made->number) < 0x1p63)) {
            json_decref(made);
            return fail(p, "too big integer");
        }
        made->integer = (json_int_t)made->number;
    }
    p->at += length;
    return made;
}

/* Room for one more at the end; false: no memory. */
static bool grow(json_t *to)
{
    if (to->n & (to->n - 1)) /* there is room up to the next power of two */
        return true;
    const size_t room = to->n ? 2 * to->n : 1;
    json_t **items = take(room * sizeof(json_t *));
    char **keys = items && to->type == JSON_OBJECT ? take(room * sizeof *keys) : NULL;
    if (!items || (to->type == JSON_OBJECT && !keys)) {
        free(items);
        return false;
    }
    if (to->n) {
        memcpy(items, to->items, to->n * sizeof(json_t *));
        if (keys)
            memcpy(keys, to->keys, to->n * sizeof(char *));
    }
    free(to->items);
    free(to->keys);
    to->items = items;
    to->keys = keys;
    return true;
}

static bool read_key(parser *p, char **key, const json_t *object)
{
    size_t length;
    if (!comes(p, '"'))
        return fail(p, "string or '}' expected");
    if (!(*key = read_text(p, &length)))
        return false;
    if (!json_object_get(object, *key) && comes(p, ':'))
        return true;
    free(*key);
    return fail(p, json_object_get(object, *key) ? "duplicate object key" : "':' expected");
}

/* Behind the opening bracket of a list or an object. */
static bool read_items(parser *p, json_t *to, char closing)
{
    if (comes(p, closing))
        return true;
    do {
        char *key = NULL;
        if (!grow(to) || (to->type == JSON_OBJECT && !read_key(p, &key, to)))
            return false;
        json_t *item = read_value(p);
        if (!item) {
            free(key);
            return false;
        }
        if (key)
            to->keys[to->n] = key;
        to->items[to->n++] = item;
    } while (comes(p, ','));
    return comes(p, closing) || fail(p, "',' or the end of a list or object expected");
}

static json_t *read_container(parser *p, json_type type, char closing)
{
    json_t *made = new_value(type);
    if (made && ++p->depth > DEEPEST)
        fail(p, "maximum parsing depth reached");
    if (made && (p->fault || !read_items(p, made, closing))) {
        json_decref(made);
        made = NULL;
    }
    p->depth--;
    return made;
}

static json_t *read_value(parser *p)
{
    static const struct {
        const char *word;
        json_type type;
    } words[] = {{"true", JSON_TRUE}, {"false", JSON_FALSE}, {"null", JSON_NULL}};
    if (comes(p, '{'))
        return read_container(p, JSON_OBJECT, '}');
    if (comes(p, '['))
        return read_container(p, JSON_ARRAY, ']');
    if (comes(p, '"')) {
        json_t *made = new_value(JSON_STRING);
        if (made && !(made->text = read_text(p, &made->n))) {
            json_decref(made);
            made = NULL;
        }
        return made;
    }
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(words[i].word);
        if ((size_t)(p->end - p->at) >= length && !memcmp(p->at, words[i].word, length)) {
            p->at += length;
            return new_value(words[i].type);
        }
    }
    return read_number(p);
}

json_t *json_loadb(const char *text, size_t length, size_t flags, json_error_t *error)
{
    (void)flags;
    parser p = {.at = text, .end = text + length};
    json_t *made = read_value(&p);
    skip_space(&p);
    if (made && p.at < p.end) {
        fail(&p, "end of file expected");
        json_decref(made);
        made = NULL;
    }
    if (error) {
        *error = (json_error_t){.line = 1, .column = (int)(p.at - text), .position = (int)(p.at - text)};
        strncpy(error->text, p.fault ? p.fault : "", sizeof error->text - 1);
    }
    return made;
}

json_t *json_loads(const char *text, size_t flags, json_error_t *error)
{
    return json_loadb(text, strlen(text), flags, error);
}
