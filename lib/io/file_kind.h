/* What a file that is not HDF5 looks like, from its first bytes: for messages. */
#ifndef STATEPATH_IO_FILE_KIND_H
#define STATEPATH_IO_FILE_KIND_H

#include <stddef.h>

/* "a numpy .npz archive", ... with article, or NULL when nothing is recognised. `head` is the start of the file, n bytes of it
 * (512 will do). Static text. */
const char *sp_file_kind(const unsigned char *head, size_t n);

#endif
