/* Atomic output files: written under a temporary name in the target's own folder, flushed to disk, then renamed. A reader sees
 * the old file or the whole new one; a failure on the way leaves the old file as it was and removes the temporary one.
 *
 *     sp_output output;
 *     status = sp_output_begin(&output, file, force, input, err);      // checks and creates the temporary file
 *     ... write to output.fd or, by name, to output.temporary ...
 *     status = sp_output_commit(&output, err);                         // or sp_output_abort(&output)
 *
 * One that has `together` set is only finished by the commit; sp_outputs_commit() (files.h) then gives all of them their names.
 */
#ifndef STATEPATH_IO_OUTPUT_FILE_H
#define STATEPATH_IO_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "statepath/files.h"

/* Who might read and write the file that is replaced. */
typedef struct sp_output_old {
    mode_t mode;
    uid_t user;
    gid_t group;
} sp_output_old;

typedef struct sp_output {
    int fd;               /* of the temporary file, read and write; -1 when there is none */
    int lock;             /* a second descriptor, which keeps it locked when it is finished; 0 or -1: none */
    sp_outputs *together; /* or NULL; borrowed */
    char *file;           /* the name as given, for messages */
    char *target;         /* where it goes: `file`, or what it points to where it is a symbolic link */
    char *temporary;      /* name of the temporary file */
    char *folder;         /* the target's */
    bool force, is_replaced; /* is_replaced: there is a file, `old` */
    sp_output_old old;
} sp_output;

/* Checks the target and creates the temporary file. A new file gets mode 0666 under the umask; one that replaces another gets
 * its mode and access list, and its owner and group where the system allows that, and is the writer's alone until it is finished.
 * `input`, which may be NULL, is a file that must not be the target, by whatever name. On failure nothing is left behind and
 * *output needs no abort. SP_OK; SP_EINVAL (the target is the input); SP_EFILE (exists, is not empty, and not `force`; no such
 * folder; a folder; not writable ...); SP_ENOMEM. */
sp_status sp_output_begin(sp_output *output, const char *file, bool force, const char *input, sp_error *err);

/* Writes all n bytes at `position` of the temporary file. SP_OK or SP_EFILE (disk full ...). */
sp_status sp_output_write(const sp_output *output, const void *data, size_t n, int64_t position,
                          sp_error *err);

/* Is there room for so many bytes? Looks at the free space and the size limit of the process. SP_OK or SP_EFILE. */
sp_status sp_output_room(const sp_output *output, int64_t bytes, sp_error *err);

/* The sentence for a write that failed: the file, the reason (a value of errno), what is left of the file. Returns SP_EFILE, or
 * SP_ENOMEM for ENOMEM. */
sp_status sp_output_failed(const sp_output *output, int reason, sp_error *err);

/* What is left of the file where it cannot be written: "the old file is untouched", "nothing was written". */
const char *sp_output_left(const sp_output *output);

/* Flushes the file, gives it its name (with `together` later), flushes the folder, removes what killed programs left of the same
 * output. The output is finished whatever this returns. SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_output_commit(sp_output *output, sp_error *err);

/* Takes over an output that is finished. SP_OK, SP_ENOMEM. */
sp_status sp_outputs_add(sp_outputs *outputs, sp_output *output, sp_error *err);

/* Removes the temporary file. Fine on an output that is finished. */
void sp_output_abort(sp_output *output);

#endif
