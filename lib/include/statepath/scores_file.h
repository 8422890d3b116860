/* Files of scores (HDF5, packed layout), written block by block.
 *
 *   /<kind> f32 or f64 [S,K], /offsets int64 [N+1], /ids [N], /classes [K], /labels and /segments [S] where announced
 *   root attributes statepath_version, command, input
 *
 * As with files of paths, a temporary file beside the target is renamed by _commit; without it nothing is left behind.
 */
#ifndef STATEPATH_SCORES_FILE_H
#define STATEPATH_SCORES_FILE_H

#include "statepath/block.h"
#include "statepath/prepare.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_scores_writer sp_scores_writer;

typedef struct sp_scores_header {
    sp_kind kind;   /* name of the dataset */
    sp_dtype dtype; /* of the dataset */
    int64_t n_recordings, n_steps;
    int32_t n_classes;
    const int64_t *offsets;     /* [N+1] */
    const char *const *ids;     /* [N] or NULL */
    const char *const *classes; /* [K] or NULL */
    bool with_labels, with_segments;
    const char *command; /* or NULL */
    const char *input;   /* or NULL; the target may not be this file */
    bool force;          /* replace an existing file */
} sp_scores_header;

/* SP_OK; SP_EFILE (exists and not `force`, cannot be written), SP_ENOMEM. */
sp_status sp_scores_writer_open(const char *file, const sp_scores_header *header, sp_scores_writer **out, sp_error *err);
/* Adds a block, its scores widened or rounded to the file's type. Blocks together make up all recordings, each once. */
sp_status sp_scores_writer_add(sp_scores_writer *writer, const sp_block *block, sp_error *err);
/* Closes, flushes, renames. The writer is gone afterwards, whatever it returns. */
sp_status sp_scores_writer_commit(sp_scores_writer *writer, sp_error *err);
void sp_scores_writer_abort(sp_scores_writer *writer); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
