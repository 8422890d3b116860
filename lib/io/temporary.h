/* The temporary file beside an output: its name, its lock, and the removal of those that killed programs left. Private to io/.
 *
 * The name is ".<target>.<process>-<try>@<host>.tmp". Whoever writes the file holds a lock on it until it has its final name; a
 * program that is killed loses the lock. So a file that bears our host's name and can be locked belongs to nobody.
 *
 * The lock is one of the open file (F_OFD_SETLK), not of the process: HDF5 opens and closes the same file by name, and a
 * process's own locks on a file end with any of its closes. Where there is no such lock (old kernels, some file systems) the
 * file is written without, and never removed by another.
 */
#ifndef STATEPATH_IO_TEMPORARY_H
#define STATEPATH_IO_TEMPORARY_H

#include <sys/types.h>

/* Creates a temporary file for `target`, opened for reading and writing, locked.
 *   mode  as for open(), under the umask
 *   name  out: its name, the caller frees; NULL on failure
 * Returns its descriptor, or -1 with the reason in errno. */
int sp_temporary_create(const char *target, mode_t mode, char **name);

/* Removes the temporary files for `target`, in its folder, that nobody on this host writes any more. Reads the folder once. What
 * cannot be removed stays. */
void sp_temporary_sweep(const char *folder, const char *target);

#endif
