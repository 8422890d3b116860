/* What a source is made of; private to source_*.c. */
#ifndef STATEPATH_IO_SOURCE_PRIVATE_H
#define STATEPATH_IO_SOURCE_PRIVATE_H

#include "io/h5_codes.h"
#include "statepath/source.h"

struct sp_source {
    char *file_name;
    hid_t file;
    sp_h5_map map;
    sp_h5_part scores, labels, segments, weights, mask;
    sp_texts classes;
    char classes_place[256];
    char stored_type[2 * SP_ELEMENT_NAME];
    sp_source_info info;
    const sp_codes *codes; /* of the labels, or NULL; borrowed */
    /* Scorers, once asked for (source_scorers.c): the names that were found, the open ones first. */
    bool has_looked_for_scorers;
    int32_t n_scorers, n_open_scorers;
    char *scorer_names[SP_SOURCE_MAX_SCORERS];
    sp_h5_part scorers[SP_SOURCE_MAX_SCORERS];
};

void sp_source_scorers_close(sp_source *source);

/* Where the recordings of a file are: the path or pattern of the scores (or of labels, when scores are not needed and there are
 * none), its kind as far as the name says. The caller frees *path. SP_OK; SP_EFILE with what the file holds. (source_find.c) */
sp_status sp_source_find(hid_t file, const char *file_name, const sp_source_options *options, char **path, bool *is_scores,
                         sp_error *err);

/* The kind that a dataset's name says. (source_find.c) */
bool sp_source_kind_of_name(const char *path, sp_kind *kind);

/* Path of what stands beside the scores: "/packed/labels" of "/packed/log_probs", "/labels/{id}" of "/probs/{id}". The caller
 * frees it; NULL where there is no such place or (*failed) on lack of memory. (source_find.c) */
char *sp_source_beside(const char *scores, const char *name, bool *failed);

/* Class names, from the first of: dataset classes beside the scores or in the root; attribute classes or class_names of the
 * scores, their group, the group of the recordings, the root. n_classes: K, or 0: not known. *out NULL where there are none.
 * SP_OK; SP_EDATA (their number is not K; two are the same; recordings differ). (source_classes.c) */
sp_status sp_source_classes(const sp_h5_map *map, int64_t n_classes, sp_texts *out, int64_t *n, char *place, size_t place_size,
                            sp_error *err);

#endif
