/* Reading a JSON document of ours: parsing, and errors that say where. Not installed. */
#ifndef STATEPATH_IO_JSON_READ_H
#define STATEPATH_IO_JSON_READ_H

#include <jansson.h>

#include "io/json_locate.h"
#include "statepath/status.h"

/* A document while it is read. Borrows text and name; root is released by sp_json_close(). */
typedef struct sp_json_doc {
    const char *text; /* without byte order mark */
    const char *name; /* what messages call it */
    json_t *root;     /* an object */
    sp_error *err;    /* or NULL */
} sp_json_doc;

/* Parses. `status` is what a fault of the text returns (SP_EMODEL, SP_EINVAL); `what` is "a model", for the message when the
 * text is JSON but no object. SP_OK, `status` ("sleep.json:7:12: ..."), SP_ENOMEM. */
sp_status sp_json_open(sp_json_doc *doc, const char *text, const char *name, const char *what, sp_status status, sp_error *err);
void sp_json_close(sp_json_doc *doc);

/* Fails with "name:line:column: " and the sentence: the place of a key for a member, of the value for an item. */
sp_status sp_json_fail(const sp_json_doc *doc, sp_status status, const sp_json_at *at, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* Is every key of the object at `at` one of keys[n]? Else fails with the nearest one. */
sp_status sp_json_check_keys(const sp_json_doc *doc, sp_status status, const sp_json_at *at, json_t *object, int32_t n,
                             const char *const *keys);

/* "a string", "a list", "an object", "true", "null", "a number", as messages say it. */
const char *sp_json_kind(const json_t *value);

#endif
