/* Which recordings the arrays of a file hold: the layout, lengths, names; and the arrays beside the first one ("parts"), once
 * array_find.h knows which array is what. What array_source.c reads by. Private to io/.
 */
#ifndef STATEPATH_IO_ARRAY_MAP_H
#define STATEPATH_IO_ARRAY_MAP_H

#include "io/arrays/stored.h"
#include "io/format.h"

/* An array, or one for each recording, that goes along the steps. */
typedef struct sp_array_part {
    char *path;       /* its name, or the pattern of its names; NULL: the one array of the file */
    const char *noun; /* of a value, for messages: "label" */
    bool has_classes; /* K values a step, else one */
    sp_stored *one;   /* NULL: there is no such part, or */
    sp_stored **each; /* [N] in groups; NULL where a recording has none */
    int64_t n_absent; /* of them */
} sp_array_part;

typedef struct sp_array_map {
    sp_stored_file file;
    sp_layout layout;
    bool is_turned;    /* scores are stored [classes, steps] */
    int64_t n_classes; /* of the scores; 0 without */
    int64_t padded_steps;
    int64_t n_recordings, n_steps;
    uint8_t *kept;          /* [S] flags of steps, where there are holes; or NULL */
    const char *kept_name;  /* of the array that says so */
    bool is_kept_by_labels; /* it is that of the labels */
    bool is_unsized;        /* padded, and no array says how long the recordings are */
    bool ignores_100;       /* labels of -100 are unscored */
    int64_t *offsets;       /* [N+1] */
    sp_texts ids;           /* [N] */
    bool has_ids;           /* they are the file's own */
    const sp_stored *first; /* array of the reference in the first recording */
    sp_array_part scores, labels, segments, weights, mask;
    int32_t n_paths;
    sp_array_part *paths; /* [n_paths] of a file that was opened for them */
} sp_array_map;

/* Finds what the request wants. SP_OK; SP_EFILE (no such array: lists those that there are), SP_EDATA, SP_EINVAL, SP_ENOMEM. The
 * map is to be closed in any case. */
sp_status sp_array_map_open(sp_array_map *map, const sp_request *request, sp_error *err);
void sp_array_map_close(sp_array_map *map);

/* Labels by another rater, X of "labels_X" beside the labels, or beside the scores where there are none; loaded. *is_one false:
 * there is no such array, or it is something else that is called so (of another shape; no whole numbers or words). SP_OK,
 * SP_ENOMEM. */
sp_status sp_array_rater(sp_array_map *map, const char *rater, sp_array_part *part, bool *is_one, sp_error *err);
void sp_array_part_close(sp_array_part *part);

/* What mends scores [N,K,T]: the end of a sentence. */
extern const char sp_array_swap[];

/* Is there such a part? */
bool sp_array_part_is(const sp_array_part *part);
/* Its array for a recording, or NULL. */
static inline sp_stored *sp_array_of(const sp_array_part *part, int64_t recording)
{
    return part->each ? part->each[recording] : part->one;
}

/* Is an array of no part, and none that is looked for by its usual name (ids, classes ...)? */
bool sp_array_is_unused(const sp_stored *array);

#endif
