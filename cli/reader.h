/* Reading ahead: one thread reads the next block while this one is worked on. */
#ifndef STATEPATH_CLI_READER_H
#define STATEPATH_CLI_READER_H

#include "scorers.h"

typedef struct reader reader;

/* Reads recordings first .. end-1 of the source in order, in blocks of about `bytes` of scores, and with each what the scorers
 * `found` say of it (NULL: nobody). From now until reader_free() the source is the reader's, and nobody else may call HDF5. Where
 * no thread can be started blocks are read when they are asked for. NULL on lack of memory. */
reader *reader_new(sp_source *source, int64_t first, int64_t end, unsigned parts, int64_t bytes, const sp_scorers_found *found);
void reader_free(reader *r);

/* The next block, the caller's until the next call; NULL after the last. What sp_source_read() says of it, in the order of the
 * file. */
sp_status reader_next(reader *r, sp_block **block, sp_error *err);
/* The scorers' labels of that block, a list each; the caller's as long. */
const int32_t *const *reader_scorers(const reader *r);

#endif
