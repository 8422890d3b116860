/* Reading a JSON document of ours: parsing, and errors that say where. Not installed. */
#ifndef STATEPATH_JSON_READ_H
#define STATEPATH_JSON_READ_H

#include <jansson.h>

#include "statepath/status.h"
#include "json/json_locate.h"

/* A document while it is read. Borrows text and name; root is released by sp_json_close(). */
typedef struct sp_json_doc {
    const char *text; /* without byte order mark */
    const char *name; /* what messages call it */
    json_t *root;     /* an object */
    sp_error *err;    /* or NULL */
    sp_status fault;  /* what a fault of the text returns: SP_EMODEL, SP_EINVAL */
} sp_json_doc;

/* Parses. `what` is "a model", for the message when the text is JSON but no object. SP_OK, `fault` ("sleep.json:7:12: ..."),
 * SP_ENOMEM. */
sp_status sp_json_open(sp_json_doc *doc, const char *text, const char *name, const char *what,
                       sp_status fault, sp_error *err);
void sp_json_close(sp_json_doc *doc);

/* Fails with `fault` and "name:line:column: " and the sentence: the place of a key for a member, of the value for an item. */
sp_status sp_json_fail(const sp_json_doc *doc, const sp_json_at *at, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Is every key of the object at `at` one of keys[n]? Else fails with the nearest one. */
sp_status sp_json_check_keys(const sp_json_doc *doc, const sp_json_at *at, json_t *object, int32_t n,
                             const char *const *keys);

/* Members of an object that are plain values, and where they go: by their type a double, an int64_t, a char * that the caller
 * frees, a bool. */
typedef enum sp_json_type { SP_JSON_NUMBER, SP_JSON_WHOLE, SP_JSON_TEXT, SP_JSON_BOOL } sp_json_type;
typedef struct sp_json_member {
    const char *key;
    sp_json_type type;
    size_t offset; /* in the struct */
    const char *
        example; /* of one that must be there, "" without a word of how; NULL: it may be missing, and nothing is set */
} sp_json_member;

/* Reads members [n] of the object at `at` into the struct `to`. */
sp_status sp_json_read_members(const sp_json_doc *doc, const sp_json_at *at, const json_t *object, size_t n,
                               const sp_json_member *members, void *to);
/* The sentence for a member that must be there: `example` as above. */
sp_status sp_json_missing(const sp_json_doc *doc, const sp_json_at *at, const char *key, const char *example);

/* A copy of the optional text at a key of the document into *out, which the caller frees. */
sp_status sp_json_read_text(const sp_json_doc *doc, const char *key, char **out);

/* A value that must be a number, a whole number. `key` is what messages call it. */
sp_status sp_json_want_number(const sp_json_doc *doc, const sp_json_at *at, const char *key,
                              const json_t *value, double *out);
sp_status sp_json_want_integer(const sp_json_doc *doc, const sp_json_at *at, const char *key,
                               const json_t *value, int64_t *out);

/* "a string", "a list", "an object", "true", "null", "a number", as messages say it. */
const char *sp_json_kind(const json_t *value);

#endif
