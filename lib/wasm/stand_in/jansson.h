/* What the reader of models asks of jansson, for the module: json.c. Trees own their values, so only a root is released. */
#ifndef STATEPATH_WASM_JANSSON_H
#define STATEPATH_WASM_JANSSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_STRING,
    JSON_INTEGER,
    JSON_REAL,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL
} json_type;

typedef long long json_int_t;

typedef struct json_t {
    json_type type;
    size_t n;              /* bytes of a string; items of a list or an object */
    char *text;            /* of a string */
    char **keys;           /* [n] of an object */
    struct json_t **items; /* [n] of a list or an object */
    json_int_t integer;
    double number; /* of an integer too */
} json_t;

enum { JSON_ERROR_TEXT_LENGTH = 160, JSON_REJECT_DUPLICATES = 1, JSON_DECODE_ANY = 2 };
enum json_error_code { json_error_unknown, json_error_out_of_memory };

typedef struct json_error_t {
    int line, column, position;
    char text[JSON_ERROR_TEXT_LENGTH];
} json_error_t;

typedef void *(*json_malloc_t)(size_t);
typedef void (*json_free_t)(void *);
void json_get_alloc_funcs(json_malloc_t *take, json_free_t *give);
void json_set_alloc_funcs(json_malloc_t take, json_free_t give);

/* The numbers of the next text, in its order: the caller sets it before. */
extern const double *sp_json_numbers;

/* One value; NULL: error->text, or no memory. A key that an object has twice is refused. */
json_t *json_loads(const char *text, size_t flags, json_error_t *error);
json_t *json_loadb(const char *text, size_t length, size_t flags, json_error_t *error);
void json_decref(json_t *value); /* NULL is fine, here and below */

json_t *json_object_get(const json_t *object, const char *key);

static inline enum json_error_code json_error_code(const json_error_t *error)
{
    (void)error;
    return json_error_unknown;
}

static inline bool json_is(const json_t *value, json_type type)
{
    return value && value->type == type;
}

#define json_typeof(value) ((value)->type)
#define json_is_object(value) json_is(value, JSON_OBJECT)
#define json_is_array(value) json_is(value, JSON_ARRAY)
#define json_is_string(value) json_is(value, JSON_STRING)
#define json_is_integer(value) json_is(value, JSON_INTEGER)
#define json_is_real(value) json_is(value, JSON_REAL)
#define json_is_number(value) (json_is(value, JSON_INTEGER) || json_is(value, JSON_REAL))
#define json_is_true(value) json_is(value, JSON_TRUE)
#define json_is_boolean(value) (json_is(value, JSON_TRUE) || json_is(value, JSON_FALSE))
#define json_is_null(value) json_is(value, JSON_NULL)

static inline size_t json_object_size(const json_t *object)
{
    return json_is_object(object) ? object->n : 0;
}

static inline size_t json_array_size(const json_t *list)
{
    return json_is_array(list) ? list->n : 0;
}

static inline json_t *json_array_get(const json_t *list, size_t i)
{
    return i < json_array_size(list) ? list->items[i] : NULL;
}

static inline const char *json_string_value(const json_t *value)
{
    return json_is_string(value) ? value->text : NULL;
}

static inline size_t json_string_length(const json_t *value)
{
    return json_is_string(value) ? value->n : 0;
}

static inline json_int_t json_integer_value(const json_t *value)
{
    return json_is_integer(value) ? value->integer : 0;
}

static inline double json_number_value(const json_t *value)
{
    return json_is_number(value) ? value->number : 0;
}

#define json_array_foreach(list, i, value)                                                                   \
    for (i = 0; i < json_array_size(list) && (value = json_array_get(list, i)); i++)
#define json_object_foreach(object, key, value)                                                              \
    for (size_t place_ = 0; place_ < json_object_size(object) &&                                             \
                            ((key = (object)->keys[place_]), (value = (object)->items[place_]));             \
         place_++)

#endif
