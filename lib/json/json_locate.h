/* Where in a JSON text a value stands: jansson forgets positions once it has parsed, a person wants the line. */
#ifndef STATEPATH_JSON_LOCATE_H
#define STATEPATH_JSON_LOCATE_H

#include <stddef.h>

/* One step of the way to a value, chained to the steps before it; made on the stack:
 *     sp_json_at root = {0}, allow = {&root, "allow", 0}, wake = {&allow, "Wake", 0}, second = {&wake, NULL, 1};   */
typedef struct sp_json_at {
    const struct sp_json_at *parent; /* NULL: the document itself */
    const char *key;                 /* member of an object; NULL: item `index` of a list */
    size_t index;
} sp_json_at;

typedef struct sp_json_place {
    int line, column; /* from 1; columns count characters, not bytes, as jansson does */
} sp_json_place;

/* Place of a member's key, of a list's item, or of the document's first character.
 *   text  JSON that jansson has accepted, and `at` a way that exists in it; where it does not, the place is that of the nearest
 *         value on the way
 * Cost    one walk over the text up to the place. */
sp_json_place sp_json_locate(const char *text, const sp_json_at *at);

#endif
