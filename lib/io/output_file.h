/* Atomic output files: written under a temporary name in the target's own folder, flushed to disk, then renamed. A reader sees
 * the old file or the whole new one; a failure on the way leaves the old file as it was and removes the temporary one.
 *
 *     sp_output output;
 *     status = sp_output_begin(&output, file, force, input, err);      // checks and creates the temporary file
 *     ... write to output.fd or, by name, to output.temporary ...
 *     status = sp_output_commit(&output, err);                         // or sp_output_abort(&output)
 */
#ifndef STATEPATH_IO_OUTPUT_FILE_H
#define STATEPATH_IO_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statepath/status.h"

typedef struct sp_output {
    int fd;          /* of the temporary file, read and write; -1 when there is none */
    char *file;      /* the name as given, for messages */
    char *target;    /* where it goes: `file`, or what it points to where it is a symbolic link */
    char *temporary; /* name of the temporary file */
    char *folder;    /* the target's */
    bool force;
} sp_output;

/* Checks the target and creates the temporary file (mode 0666 under the umask). `input`, which may be NULL, is a file that must
 * not be the target, by whatever name. On failure nothing is left behind and *output needs no abort.
 * SP_OK; SP_EINVAL (the target is the input); SP_EFILE (exists, is not empty, and not `force`; no such folder; a folder; not
 * writable ...); SP_ENOMEM. */
sp_status sp_output_begin(sp_output *output, const char *file, bool force, const char *input, sp_error *err);

/* Writes all n bytes at `position` of the temporary file. SP_OK or SP_EFILE (disk full ...). */
sp_status sp_output_write(const sp_output *output, const void *data, size_t n, int64_t position, sp_error *err);

/* Is there room for so many bytes? Looks at the free space and the size limit of the process. SP_OK or SP_EFILE. */
sp_status sp_output_room(const sp_output *output, int64_t bytes, sp_error *err);

/* Flushes the file, gives it its name, flushes the folder. The output is finished whatever this returns. SP_OK or SP_EFILE. */
sp_status sp_output_commit(sp_output *output, sp_error *err);

/* Removes the temporary file. Fine on an output that is finished. */
void sp_output_abort(sp_output *output);

#endif
