/* What is known of recordings before their numbers are read: shape, names, lengths. Filled in by an open source (source.h), or by
 * hand for recordings in memory (pipeline.h).
 */
#ifndef STATEPATH_SOURCE_INFO_H
#define STATEPATH_SOURCE_INFO_H

#include "statepath/prepare.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_layout { SP_LAYOUT_PACKED, SP_LAYOUT_PADDED, SP_LAYOUT_SINGLE, SP_LAYOUT_GROUPS } sp_layout;
const char *sp_layout_name(sp_layout layout); /* "packed" ... */

/* Texts and arrays are borrowed from whoever filled it in. */
typedef struct sp_source_info {
    const char *file;  /* as given */
    int64_t file_size; /* bytes */
    sp_layout layout;
    sp_kind kind;
    bool kind_from_name; /* false: given, or guessed from the first row */
    bool has_scores;
    sp_dtype dtype;                /* in memory: f16 is widened to f32 */
    const char *stored_type;       /* "float16", "float32", "float64", "float32 big-endian" */
    const char *storage;           /* "contiguous", "chunks 4096 x 5, shuffle, gzip 4", ... of the first scores dataset */
    const char *scores_path;       /* "/recordings/{id}/log_probs" */
    int64_t n_recordings, n_steps; /* N, S */
    int32_t n_classes;             /* K; 0 for a file of labels only without class names */
    const char *const *ids;        /* [N] from the file, or "0", "1", ... ; single: the file's base name without ending */
    bool has_ids;                  /* the ids are the file's own */
    const int64_t *offsets;        /* [N+1] from 0 */
    const char *const *classes;    /* [K] names of the columns, or NULL: the file has none */
    const char *classes_place;     /* "attribute classes of /", ... or NULL */
    bool has_labels, has_segments, has_weights, has_mask;
    const char *labels_path; /* or NULL */
    int64_t n_unlabelled;    /* groups: recordings without labels where others have them; all their steps are -1 */
} sp_source_info;

/* Labels by several scorers. */
enum { SP_SOURCE_MAX_SCORERS = 32 };
typedef struct sp_scorers_found {
    int32_t n_scorers;
    const char *const *names; /* [n_scorers] "scorer1" */
} sp_scorers_found;

#ifdef __cplusplus
}
#endif
#endif
