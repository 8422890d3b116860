/* Reading recipes: text and files of either kind, and what the parts of a recipe of recordings share. Private to io/. */
#ifndef STATEPATH_IO_RECIPE_READER_H
#define STATEPATH_IO_RECIPE_READER_H

#include "statepath/simulate.h"
#include "json/json_read.h"
#include "json/json_write.h"

/* A kind of recipe. */
typedef struct sp_recipe_kind {
    const char *key; /* that only recipes of this kind have; NULL: all are taken for it */
    size_t size;     /* of its struct; all bytes are 0 at first */
    sp_status (*read)(const sp_json_doc *doc, void *recipe); /* and checks */
    void (*free)(void *recipe);
} sp_recipe_kind;

/* A recipe from text, or of a file; *out is NULL where it is of another kind. `name` is what messages call it. SP_OK (a checked
 * recipe), SP_EINVAL ("night.json:7:12: key \"transitions\", row \"N1\": ..."), SP_ENOMEM; of a file also SP_EFILE. */
sp_status sp_recipe_from_text(const sp_recipe_kind *kind, const char *text, const char *name, void **out,
                              sp_error *err);
sp_status sp_recipe_from_file(const sp_recipe_kind *kind, const char *file, void **out, sp_error *err);

typedef struct sp_recipe_reader {
    sp_json_doc doc;
    sp_json_at root, inner; /* ways to the document, and to "classifier" or "signals" */
    json_t *inner_object;
    sp_recipe *recipe;
} sp_recipe_reader;

/* The member of the document or of the inner object (at->key says which), or NULL; *status is set when `example` says that it
 * must be there. */
json_t *sp_recipe_member(const sp_recipe_reader *reader, const sp_json_at *at, const char *key,
                         const char *example, sp_status *status);

/* Index of a class of the recipe that a key of an object names; fails with the nearest name. `at` is the object's. */
sp_status sp_recipe_find_class(const sp_recipe_reader *reader, const sp_json_at *at, const char *name,
                               int32_t *k);

/* recipe_signals.c: the object "signals", found at reader->inner; and back. */
sp_status sp_recipe_read_signals(sp_recipe_reader *reader);
void sp_recipe_put_signals(sp_json_writer *writer, const sp_recipe *recipe);

/* Takes what "model" forbids out of the transitions. */
sp_status sp_recipe_apply_model(const sp_recipe_reader *reader);

/* Reads one recipe from text. `name` is what messages call it. SP_OK (a checked recipe), SP_EINVAL ("night.json:7:12: key
 * \"transitions\", row \"N1\": ..."), SP_ENOMEM. */
sp_status sp_recipe_from_json(const char *text, const char *name, sp_recipe **out, sp_error *err);

#endif
