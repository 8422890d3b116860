/* Reading ahead: one thread reads the next block while this one is worked on. */
#ifndef PIPELINE_READER_H
#define PIPELINE_READER_H

#include "pipeline/raters.h"

typedef struct sp_reader sp_reader;

/* Reads recordings first .. end-1 of the source in order, in blocks of about `bytes` of scores, and with each what the scorers
 * `found` say of it (NULL: nobody). From now until sp_reader_free() the source is the reader's, and nobody else may call HDF5.
 * Where no thread can be started blocks are read when they are asked for. NULL on lack of memory. */
sp_reader *sp_reader_new(sp_source *source, int64_t first, int64_t end, unsigned parts, int64_t bytes,
                         const sp_scorers_found *found);
void sp_reader_free(sp_reader *r);

/* The next block, the caller's until the next call; NULL after the last. What sp_source_read() says of it, in the order of the
 * file. */
sp_status sp_reader_next(sp_reader *r, sp_block **block, sp_error *err);
/* The scorers' labels of that block, a list each; the caller's as long. */
const int32_t *const *sp_reader_scorers(const sp_reader *r);

#endif
