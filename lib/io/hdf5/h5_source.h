/* HDF5 as a format of sources: what the files of its row (h5_source*.c) share. Private to io/. */
#ifndef STATEPATH_IO_H5_SOURCE_H
#define STATEPATH_IO_H5_SOURCE_H

#include "io/format.h"
#include "io/hdf5/h5_map.h"
#include "io/raters.h"

/* What a file says of a strategy's recordings; NULL where it does not. */
typedef struct sp_h5_verdicts {
    int64_t *status, *broken; /* [N] */
    double *scores;           /* [N] */
} sp_h5_verdicts;

/* A file that is open for reading. */
typedef struct sp_h5_source {
    hid_t file;
    const char *file_name; /* borrowed */
    sp_h5_map map;
    sp_h5_part scores, labels, segments, weights, mask;
    sp_texts classes, tokens;
    int64_t n_classes; /* of `classes` */
    char classes_place[256];
    char stored_type[2 * SP_ELEMENT_NAME];
    /* Raters, once asked for. */
    int32_t n_open_raters;
    sp_rater_names rater_names;
    sp_h5_part raters[SP_SOURCE_MAX_RATERS];
    /* Of a file that was opened for its paths. */
    int32_t n_paths;
    sp_texts strategies;      /* [n_paths] */
    sp_h5_part *paths;        /* [n_paths] */
    sp_h5_verdicts *verdicts; /* [n_paths] */
    bool *has_path_scores;    /* [n_paths] */
    char *model_json, *input; /* or NULL */
    bool is_kept_by_labels;   /* map.kept is of labels of -100 */
} sp_h5_source;

/* Opens what stands at `given`, or where that is NULL at the usual place beside the reference, if it is there. is_optional: some
 * recordings may lack it. (h5_source_find.c) */
sp_status sp_h5_source_part(sp_h5_source *h, const char *given, const char *name, const char *noun, bool has_classes,
                            bool is_optional, sp_h5_part *part, sp_error *err);

/* The labels: at `given`, else called so, else as transformers' Trainer calls them. (h5_source_find.c) */
sp_status sp_h5_source_labels(sp_h5_source *h, const char *given, sp_h5_part *part, sp_error *err);

/* Of labels of -100, once the labels are open: padding where they end a row, else holes; in other layouts than rows only with
 * `gaps`. SP_OK; SP_EDATA (nothing says how long padded recordings are), SP_EFILE, SP_ENOMEM. (h5_source.c) */
sp_status sp_h5_source_ignored(sp_h5_source *h, const sp_source_options *options, sp_error *err);

/* Where the recordings of a file are: the path or pattern of the scores (or of labels, when scores are not needed and there are
 * none). The caller frees *path. SP_OK; SP_EFILE with what the file holds. (h5_source_find.c) */
sp_status sp_h5_source_find(hid_t file, const char *file_name, const sp_source_options *options, char **path, bool *is_scores,
                            sp_error *err);

/* The kind that a dataset's name says. (h5_source_find.c) */
bool sp_h5_source_kind_of_name(const char *path, sp_kind *kind);

/* Path of what stands beside the scores: "/packed/labels" of "/packed/log_probs", "/labels/{id}" of "/probs/{id}". The caller
 * frees it; NULL where there is no such place or (*failed) on lack of memory. (h5_source_find.c) */
char *sp_h5_source_beside(const char *scores, const char *name, bool *failed);

/* Class names, from the first of: dataset classes beside the scores or in the root; attribute classes or
 * class_names of the scores, their group, the group of the recordings, the root. n_classes: K, or 0: not known. *out NULL and
 * *n 0 where there are none. SP_OK; SP_EDATA (their number is not K; two are the same; recordings differ). (h5_source_classes.c)
 */
sp_status sp_h5_source_classes(const sp_h5_map *map, int64_t n_classes, sp_texts *out, int64_t *n, char *place, size_t place_size,
                               sp_error *err);

/* Opens the paths of a file: map, parts, what it says of them. (h5_source_paths.c) */
sp_status sp_h5_source_open_paths(sp_h5_source *h, const sp_request *request, sp_error *err);
void sp_h5_source_close_paths(sp_h5_source *h);

/* The row's functions for raters (h5_source_raters.c), paths (h5_source_paths.c), subjects (h5_subjects.c). */
sp_status sp_h5_source_find_raters(sp_source *source, sp_error *err);
sp_decoded sp_h5_source_result(const sp_source *source, int32_t strategy, int64_t recording, bool is_undecoded);
sp_status sp_h5_source_subjects(sp_source *source, const char *groups, sp_subjects **out, sp_error *err);
sp_status sp_h5_source_list_unused(sp_source *source, sp_unused_sink *sink, void *arg, sp_error *err); /* (h5_source_unused.c) */

#endif
