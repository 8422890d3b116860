/* A map of the recordings of a file: which layout, how many, how long, what they are called; and the reading of what stands at
 * each step of them (scores, labels, paths ...), whatever the layout. Private to io/.
 *
 * A map is made from one dataset, the reference: the scores, or labels or paths where there are no scores. Other datasets of the
 * same recordings ("parts") must have its shape.
 */
#ifndef STATEPATH_IO_H5_MAP_H
#define STATEPATH_IO_H5_MAP_H

#include <stddef.h>

#include "io/hdf5/h5_places.h"
#include "io/hdf5/h5_text.h"
#include "io/text/label_words.h"
#include "statepath/files.h"

/* Names that may stand beside a reference: "labels", "segments", "weights", "mask". */
enum { SP_H5_N_BESIDE = 4, SP_H5_N_PLACES = 1 + SP_H5_N_BESIDE };
extern const char *const sp_h5_beside[SP_H5_N_BESIDE];

typedef struct sp_h5_map {
    hid_t file;            /* borrowed */
    const char *file_name; /* borrowed */
    sp_layout layout;
    char *path; /* of the reference; with {id} in groups */
    char *base; /* group where offsets, lengths, ids stand; in groups the one that holds the recordings */
    int64_t n_recordings, n_steps, padded_steps;
    uint8_t *kept;    /* [S] flags of steps, where there are holes; or NULL */
    char *kept_name;  /* of the dataset that says so */
    bool is_unsized;  /* padded, and no dataset says how long the recordings are */
    bool ignores_100; /* labels of -100 are unscored; while it is opened: they are looked for */
    int64_t *offsets; /* [N+1] */
    sp_texts ids;     /* [N] */
    bool has_ids;     /* they are the file's own */
    /* In groups: the open group of the recordings, and which of sp_h5_beside each has beside its reference, bit by bit; NULL
     * where the reference is itself called by the id. */
    hid_t parent;
    uint8_t *beside; /* [N] */
    /* What the reference is like; in groups of the first recording unless said. */
    int64_t n_classes;  /* length of its class axis; 0 without */
    sp_element element; /* the widest of all recordings */
    bool is_mixed;      /* recordings differ in type */
    /* Groups: where the reference's datasets and those beside it lie, so that reading needs not open them again. */
    sp_h5_places places[SP_H5_N_PLACES];
    const sp_h5_vfile *vfile;  /* the file, for them; NULL: nothing is noted */
    unsigned long file_number; /* HDF5's number of the file */
    bool is_hard;              /* all links to recordings are hard: what they lead to is in this file */
    sp_h5_data data;           /* open but in groups */
    char *first_path;          /* of the first recording's dataset; the reference itself but in groups */
    char type_name[SP_ELEMENT_NAME];
    char storage[160];
    unsigned char *scratch; /* raw values on their way; only grows */
    size_t scratch_size;
    unsigned char *wide; /* the same of values that wait for their chunks */
    size_t wide_size;
    sp_chunk_jobs *jobs; /* groups: chunks of many datasets on their way */
    int n_threads;       /* for them */
} sp_h5_map;

typedef struct sp_h5_map_request {
    const char *path;                    /* normal path or pattern of the reference */
    const char *base;                    /* NULL: the group the reference stands in */
    const char *mend;                    /* completes "there is no dataset X; ..." */
    bool has_class_axis;                 /* scores: floats with K last; else integers */
    const char *offsets, *lengths, *ids; /* places as given, or NULL */
    bool ignores_100;
    bool cuts; /* padded recordings end with the last step that takes part; else they keep the width of their rows */
} sp_h5_map_request;

/* SP_OK; SP_EFILE, SP_EDATA, SP_EINVAL, SP_ENOMEM. The map is to be closed also when it could not be opened. */
sp_status sp_h5_map_open(hid_t file, const char *file_name, const sp_h5_map_request *request, sp_h5_map *map, sp_error *err);
/* The sentence for padded recordings of which nothing says how long they are. */
sp_status sp_h5_map_unsized(const sp_h5_map *map, sp_error *err);
void sp_h5_map_close(sp_h5_map *map);

/* Makes the scratch at least so large; what was in it is lost. NULL on lack of memory. */
void *sp_h5_map_scratch(sp_h5_map *map, size_t size);
void *sp_h5_map_wide(sp_h5_map *map, size_t size);

/* In groups: has recording n the dataset that `path`, a pattern, names? *failed on lack of memory. */
bool sp_h5_map_has(const sp_h5_map *map, const char *path, int64_t n, bool *failed);

/* In groups: where the datasets that `path`, a pattern, names were noted; NULL: they were not. */
const sp_h5_places *sp_h5_map_places(const sp_h5_map *map, const char *path);

/* Opens the dataset of a recording; `path` is filled in. Filters are not looked at. */
sp_status sp_h5_map_dataset(const sp_h5_map *map, const char *path, sp_h5_data *out, sp_error *err);

/* The dataset of one recording, for messages and reading: the path itself, or the pattern filled in. The caller frees it. */
char *sp_h5_map_path(const sp_h5_map *map, const char *path, int64_t recording);

/* Steps for a layout with all recordings in groups (h5_groups.c). */
sp_status sp_h5_map_groups(sp_h5_map *map, const sp_h5_map_request *request, sp_error *err);
/* Opens an object that is a dataset, which it takes over: numbers, or where no scores are asked for texts. *is_text: they are
 * that. */
sp_status sp_h5_map_adopt(const sp_h5_map *map, const sp_h5_map_request *request, hid_t object, const char *path, bool *is_text,
                          sp_h5_data *out, sp_error *err);
/* Checks type, rank and classes of the reference or one recording of it. rank 0: that of one recording, or one more. */
sp_status sp_h5_map_check(const sp_h5_map *map, const sp_h5_map_request *request, const sp_h5_data *data, const char *path,
                          int rank, sp_error *err);

/* Notes what the (first) reference dataset is like, which stands at `path`. SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_h5_map_describe(sp_h5_map *map, const sp_h5_map_request *request, const sp_h5_data *data, const char *path,
                             sp_error *err);

/* ---- parts ---- */

typedef struct sp_h5_part {
    char *path;        /* NULL: there is no such part */
    const char *noun;  /* of a value, for messages: "label" */
    bool has_classes;  /* K values a step, else one */
    bool is_reference; /* it is what the map was made from */
    sp_h5_data data;   /* open but in groups */
    uint8_t *absent;   /* [N] in groups: recordings without it; NULL: all have it */
    int64_t n_absent;
    sp_label_words *words; /* the different ones, where the values are words; NULL: they are numbers */
    int32_t *word_at;      /* [S] which of them stands at each step, -1 where `absent` */
} sp_h5_part;

/* Opens the part at a path (which it takes over, also on failure; NULL on lack of memory). With `is_optional`, groups without it
 * are noted, not an error. The shape must be the map's. SP_OK; SP_EFILE, SP_EDATA, SP_ENOMEM. */
sp_status sp_h5_part_open(const sp_h5_map *map, char *path, const char *noun, bool has_classes, bool is_optional,
                          sp_h5_part *part, sp_error *err);
void sp_h5_part_close(sp_h5_part *part);

/* Of a part of one integer a step that is not open yet: reads it whole where it holds words (h5_words.c); else nothing. SP_OK;
 * SP_EFILE; SP_EDATA (shape, some recordings have numbers); SP_ENOMEM. */
sp_status sp_h5_part_words(const sp_h5_map *map, sp_h5_part *part, sp_error *err);
/* Lengths [N] of recordings in rows of words: up to the last one that is not empty. SP_OK, SP_EFILE, SP_EDATA, SP_ENOMEM. */
sp_status sp_h5_words_lengths(const sp_h5_map *map, int64_t *lengths, sp_error *err);
/* The shape a part must have: the reference's, with or without its class axis. n_steps: of the recording, in groups. */
sp_status sp_h5_part_check(const sp_h5_map *map, const sp_h5_part *part, const sp_h5_data *data, const char *path,
                           int64_t n_steps, sp_error *err);

/* Reads recordings first .. first+count-1 of a part as `target` (limit: see sp_element_convert). Recordings that have it not are
 * filled with -1 (SP_TO_I32). SP_OK; SP_EFILE; SP_EDATA with err->step (message: dataset, recording, step, value); SP_ENOMEM. */
sp_status sp_h5_part_read(sp_h5_map *map, const sp_h5_part *part, int64_t first, int64_t count, sp_target target, int64_t limit,
                          void *out, sp_error *err);

/* Reads steps first_step .. first_step+steps-1 of recording n alone. */
sp_status sp_h5_part_steps(sp_h5_map *map, const sp_h5_part *part, int64_t n, int64_t first_step, int64_t steps, sp_target target,
                           int64_t limit, void *out, sp_error *err);

#endif
