#include "json/json_locate.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* p at the opening quote; past the closing one. */
static const char *skip_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : p;
}

/* p at the first character of a value; past its last. Depth is a number, not recursion: the text may be deep. */
static const char *skip_value(const char *p)
{
    if (*p == '"')
        return skip_string(p);
    if (*p != '{' && *p != '[')
        return p + strcspn(p, ",]} \t\r\n");
    int depth = 0;
    do {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        p++;
    } while (*p && depth > 0);
    return p;
}

/* Is the string token at p this key? Tokens with escapes are decoded by jansson. */
static bool is_key(const char *p, const char *key)
{
    size_t length = (size_t)(skip_string(p) - p);
    if (!memchr(p, '\\', length))
        return length == strlen(key) + 2 && memcmp(p + 1, key, length - 2) == 0;
    json_t *decoded = json_loadb(p, length, JSON_DECODE_ANY, NULL);
    bool is_same = decoded && strcmp(json_string_value(decoded), key) == 0;
    json_decref(decoded);
    return is_same;
}

/* The value of the member whose key is at p. */
static const char *value_of_key(const char *p)
{
    p = skip_space(skip_string(p));
    return *p == ':' ? skip_space(p + 1) : p;
}

/* Member or item of the container at p, or NULL. */
static const char *find_in(const char *p, const sp_json_at *at)
{
    if (*p != (at->key ? '{' : '['))
        return NULL;
    p = skip_space(p + 1);
    for (size_t i = 0; *p && *p != '}' && *p != ']'; i++) {
        if (at->key ? is_key(p, at->key) : i == at->index)
            return p;
        p = skip_space(skip_value(at->key ? value_of_key(p) : p));
        if (*p == ',')
            p = skip_space(p + 1);
    }
    return NULL;
}

/* *is_found is cleared where the way ends early. */
static const char *find(const char *text, const sp_json_at *at, bool *is_found)
{
    if (!at || !at->parent)
        return skip_space(text);
    const char *outer = find(text, at->parent, is_found);
    if (!*is_found)
        return outer;
    const char *value = at->parent->parent && at->parent->key ? value_of_key(outer) : outer;
    const char *inner = find_in(value, at);
    *is_found = inner != NULL;
    return inner ? inner : outer;
}

sp_json_place sp_json_locate(const char *text, const sp_json_at *at)
{
    bool is_found = true;
    const char *end = find(text, at, &is_found);
    sp_json_place place = {1, 1};
    for (const char *p = text; p < end; p++) {
        if (*p == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)*p & 0xC0) != 0x80) /* not the inside of a UTF-8 character */
            place.column++;
    }
    return place;
}
