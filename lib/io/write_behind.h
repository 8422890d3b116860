/* Writing that goes on while the next values are made: what is put is copied into a buffer, and a thread of its own writes full
 * buffers to the file, in the order they came. Little is written when all is there, without a thread. Private to io/.
 */
#ifndef STATEPATH_IO_WRITE_BEHIND_H
#define STATEPATH_IO_WRITE_BEHIND_H

#include "io/output_file.h"

typedef struct sp_write_behind sp_write_behind;

/* Of an output that is begun and stays where it is; borrowed. NULL on lack of memory. Memory: up to three buffers of 1 MiB. */
sp_write_behind *sp_write_behind_new(const sp_output *output);

/* Takes n bytes for `position` of the file; what they are written over may be waiting itself. SP_OK; SP_EFILE: what was put
 * earlier could not be written; SP_ENOMEM. */
sp_status sp_write_behind_put(sp_write_behind *behind, const void *data, size_t n, int64_t position,
                              sp_error *err);

/* Writes all that waits. SP_OK or SP_EFILE. */
sp_status sp_write_behind_finish(sp_write_behind *behind, sp_error *err);

/* What waits is lost. NULL is fine. */
void sp_write_behind_free(sp_write_behind *behind);

#endif
