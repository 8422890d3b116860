/* A jansson tree as text: two spaces a level; arrays and objects of plain values on one line; shortest numbers; keys in the order
 * in which they were set. Not installed. */
#ifndef STATEPATH_JSON_LAYOUT_H
#define STATEPATH_JSON_LAYOUT_H

#include <jansson.h>

#include "json/json_write.h"

/* A list whose items are made one by one as they are written, because they are many. It stands in the tree as an empty array. */
typedef struct sp_json_list {
    const json_t *place; /* borrowed from the tree */
    int64_t n;
    json_t *(*item)(const void *whole, const void *part, int64_t i,
                    bool *failed); /* an object; `failed` is only ever set */
    const void *whole, *part;
} sp_json_list;

void sp_json_put_tree(sp_json_writer *writer, const json_t *root, const sp_json_list *lists, int32_t n_lists,
                      bool *failed);

#endif
