/* Which array of a file is what: by the names that options give, by those that are usual, by shape. array_map.c says how the
 * recordings lie in what was found. Private to io/. */
#ifndef STATEPATH_IO_ARRAY_FIND_H
#define STATEPATH_IO_ARRAY_FIND_H

#include "io/arrays/array_map.h"

#define SP_ARRAY_HOLE "{id}" /* stands for the recording in names */

static inline bool sp_stored_is_float(const sp_stored *array)
{
    return array->form == SP_STORED_NUMBERS && array->element.kind == SP_ELEMENT_FLOAT;
}

static inline bool sp_stored_is_whole(const sp_stored *array)
{
    return array->form == SP_STORED_NUMBERS && array->element.kind != SP_ELEMENT_FLOAT;
}

/* part->path as names are written: "/a/b" in a store. SP_OK, SP_ENOMEM. */
sp_status sp_array_set_path(const sp_array_map *map, sp_array_part *part, const char *path, sp_error *err);

/* What to do where a dataset that `option` names is missing: the end of a sentence. */
enum { SP_ARRAY_MEND = 80 };
void sp_array_mend(const char *option, char text[SP_ARRAY_MEND]);

/* The array of a name as an option gives it, or else as it is usual; looked at. *out NULL: there is none of the usual name.
 * SP_OK; SP_EFILE (no such array: lists those that there are), SP_EINVAL (there are no names). */
sp_status sp_array_named(sp_array_map *map, const char *given, const char *usual, const char *option,
                         sp_stored **out, sp_error *err);

/* Fills map->scores, map->labels, map->paths (given: NULL or what the option says): the array, or the path or pattern of several.
 * Without scores SP_OK where none are needed. SP_OK; SP_EFILE, with what the file holds; SP_EDATA, SP_EINVAL, SP_ENOMEM. */
sp_status sp_array_find_scores(sp_array_map *map, const sp_source_options *options, sp_error *err);
sp_status sp_array_find_labels(sp_array_map *map, const sp_source_options *options, sp_error *err);
sp_status sp_array_find_paths(sp_array_map *map, const char *given, sp_error *err);

/* The recordings that complete a pattern, in natural order: map->ids, n_recordings (none: 0). SP_OK, SP_ENOMEM. */
sp_status sp_array_find_ids(sp_array_map *map, const char *pattern, sp_error *err);
/* The arrays that a part's pattern names for the recordings, looked at; those that are not there are NULL. SP_OK, SP_EFILE,
 * SP_ENOMEM. */
sp_status sp_array_find_each(sp_array_map *map, sp_array_part *part, sp_error *err);

/* The recordings of a pattern in a store. Of "/night/rec_{id}/softmax": its group "/night", all up to the id "/night/rec_{id}", and
 * the end of that, "rec_{id}". */
typedef struct sp_array_search {
    const sp_stored_file *f;
    const char *pattern, *mend;
    char *group, *until;
    const char *component;
    bool is_leaf; /* nothing follows */
} sp_array_search;

/* SP_OK; SP_EFILE (its group is none: `mend` ends the sentence); SP_ENOMEM. To be closed in any case. */
sp_status sp_array_search_open(sp_array_search *s, const sp_stored_file *f, const char *pattern,
                               const char *mend, sp_error *err);
void sp_array_search_close(sp_array_search *s);
/* Of the names ids [n_found] in the group those of recordings become their ids and move to the front; *n is how many there are,
 * and is so far where look() is asked whether id is one. SP_OK; SP_EFILE (none is); what look() returns. */
sp_status sp_array_search_each(const sp_array_search *s, sp_texts ids, int64_t n_found,
                               sp_status (*look)(void *arg, const char *id, bool *is_one, sp_error *err),
                               void *arg, int64_t *n, sp_error *err);
/* What has no array at `path` where a recording would have it: a group is an error, SP_EFILE; anything else that stands there is no
 * recording, SP_OK. SP_ENOMEM. */
sp_status sp_array_search_missing(const sp_array_search *s, const char *id, const char *path, sp_error *err);

/* Does a name fit a pattern? id, length: where and how long the recording is in it. */
bool sp_array_match(const char *pattern, const char *name, const char **id, size_t *length);

/* "<group>/<name>"; the group that a name is in ("/" or "": the root); a pattern with each {id} replaced. The caller frees them;
 * NULL on lack of memory. */
char *sp_array_join(const char *group, const char *name);
char *sp_array_group(const char *path);
char *sp_array_fill(const char *pattern, const char *id);

/* The array at <group>/<name>, or NULL. *failed: no memory. */
sp_stored *sp_array_find_in(const sp_array_map *map, const char *group, const char *name, bool *failed);
/* Of arrays without a known name: the only one of floats [T,K] or [N,T,K], or several [T,K]. is_scores false: of whole numbers
 * [T]. */
sp_status sp_array_find_by_shape(sp_array_map *map, bool is_scores, sp_array_part *part, sp_error *err);
/* The sentence of a store: what was looked for, what there is, and how to say where it is. SP_EFILE. */
sp_status sp_array_not_found(const sp_array_map *map, const char *what, const char *option, sp_error *err);

/* The name beside the reference: "labels" of "probs", "{id}/labels" of "{id}/probs", "labels/{id}" of "probs/{id}". NULL on lack
 * of memory, or (*is_none) where there is no such place. */
char *sp_array_name_beside(const char *path, const char *name, bool *is_none);
/* Is it a name that is looked for where it is needed, such as offsets or tokens, or labels of a rater? */
bool sp_array_is_asked_for(const char *name);
/* Is it a name that stands beside scores, of no recording? */
bool sp_array_is_beside(const char *name);

/* What people call an array: arrays that differ in the recording alone by their pattern, "probs/{id}". False: another array of
 * that title stands for them all. */
enum { SP_ARRAY_TITLE = 120 };
bool sp_array_title(const sp_array_map *map, const sp_stored *array, char title[SP_ARRAY_TITLE]);

/* What the file holds, for a sentence. */
void sp_array_list(sp_array_map *map, char *text, size_t size);

#endif
