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
    bool is_taken;    /* in groups of a store: each is taken from there when it is read */
    uint8_t *absent;  /* [N] then: recordings that have none; NULL: all have one */
    int64_t n_held;
    sp_stored *held; /* [n_held] those of `each` that are the part's own: words of a store; or NULL */
    int64_t n_absent;
} sp_array_part;

typedef struct sp_array_map {
    sp_stored_file file;
    const sp_source *source; /* borrowed, its model too; NULL: of signals */
    const char *reference;   /* name or pattern of what the recordings were found by; borrowed */
    char
        *base; /* of a store: the group where offsets, lengths, ids stand; in groups that of the recordings */
    sp_layout layout;
    bool is_turned;    /* scores are stored [classes, steps] */
    int64_t n_classes; /* of the scores; 0 without */
    int64_t padded_steps;
    int64_t n_recordings, n_steps;
    uint8_t *kept;          /* [S] flags of steps, where there are holes; or NULL */
    const char *kept_name;  /* of the array that says so */
    bool is_kept_by_labels; /* it is that of the labels */
    bool is_unsized;        /* padded, and nothing says how long the recordings are */
    bool ignores_100;       /* labels of -100 are unscored */
    bool holds_100;         /* and there are some */
    int64_t *offsets;       /* [N+1] */
    sp_texts ids;           /* [N] */
    bool has_ids;           /* they are the file's own */
    const sp_stored *first; /* array of the reference in the first recording */
    sp_stored first_taken;  /* that, of a store's groups: type and shape alone */
    bool is_wide, is_mixed; /* one of the reference's arrays has values of 8 bytes; they differ in type */
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
sp_status sp_array_rater(sp_array_map *map, const char *rater, sp_array_part *part, bool *is_one,
                         sp_error *err);
void sp_array_part_close(sp_array_part *part);

/* ---- steps of opening ---- */

/* Layout, lengths and names by the reference: one array, or those of its pattern. (array_layout.c) */
sp_status sp_array_map_recordings(sp_array_map *map, sp_array_part *part, const sp_source_options *options,
                                  sp_error *err);

/* Opens what is given, or where that is NULL the array `name` beside the reference, if it is there. is_optional: some recordings
 * may lack it. (array_parts.c) */
sp_status sp_array_find_part(sp_array_map *map, const sp_array_part *reference, const char *given,
                             const char *name, const char *noun, bool has_classes, bool is_optional,
                             sp_array_part *part, sp_error *err);
/* sp_array_check(), and texts are words from here on. */
sp_status sp_array_use_shape(const sp_array_map *map, const sp_array_part *part, sp_stored *array, int64_t n,
                             sp_error *err);
/* Truth values are no classes: SP_EDATA where `noun` is that of labels or paths. */
sp_status sp_array_refuse_bool(const sp_array_map *map, const sp_stored *array, const char *noun,
                               sp_error *err);
/* Of a part in groups of a store whose first array holds words: reads those of all recordings. */
sp_status sp_array_use_words(sp_array_map *map, sp_array_part *part, sp_error *err);
/* Words are taken for labels, and for paths, not for other numbers. */
bool sp_array_takes_words(const char *noun);
/* The arrays of a part are used; those that are in memory come there. */
sp_status sp_array_load_part(const sp_array_map *map, const sp_array_part *part, sp_error *err);

/* What mends scores [N,K,T]: the end of a sentence. */
extern const char sp_array_swap[];

/* Is there such a part? */
bool sp_array_part_is(const sp_array_part *part);
/* Its array for a recording, or NULL. */
static inline sp_stored *sp_array_of(const sp_array_part *part, int64_t recording)
{
    return part->each ? part->each[recording] : part->one;
}
/* Has the recording no array of a part that there is? */
static inline bool sp_array_is_absent(const sp_array_part *part, int64_t recording)
{
    return part->is_taken ? part->absent && part->absent[recording] : !sp_array_of(part, recording);
}
/* Are the values of a part words, in any recording? */
bool sp_array_has_words(const sp_array_map *map, const sp_array_part *part);

/* Has an array of recording n the shape that the part must have? Texts are none. SP_OK, SP_EDATA. */
sp_status sp_array_check(const sp_array_map *map, const sp_array_part *part, sp_stored *array, int64_t n,
                         sp_error *err);

/* The place of a recording's array for a sentence. Returns text. */
char *sp_array_where(const sp_array_map *map, const sp_array_part *part, int64_t recording,
                     char text[SP_STORED_WHERE]);

/* Is an array of no part, and none that is looked for by its usual name (ids, classes ...)? */
bool sp_array_is_unused(const sp_stored *array);

#endif
