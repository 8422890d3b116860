/* How files are opened: for reading HDF5, what it may lead to, or bytes in memory instead of a file; and text, to be written. */
#ifndef STATEPATH_FILE_ACCESS_H
#define STATEPATH_FILE_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All 0 is usual; where a pointer to it is NULL that is meant. */
typedef struct sp_file_access {
    /* External links and sources of virtual datasets lead only to regular files in the real folder of the file, or below it;
     * true: to regular files anywhere. Values outside HDF5's files (external raw storage) are never read. */
    bool allow_external;
    /* The bytes of the file, borrowed until it is closed; NULL: they are in the file. Its name is then only a name. */
    const void *image;
    size_t image_bytes;
} sp_file_access;

/* Writes text to a file: a temporary file beside it, then rename. `force` to replace an existing one. "-" is standard output. */
sp_status sp_text_save(const char *file, const char *text, bool force, sp_error *err);

/* The same piece by piece. Opening checks the name; closing gives the file its name and ends it, whatever comes of it; a file
 * that is given up (NULL is fine) leaves nothing behind, but what went to standard output or another stream is gone. SP_OK,
 * SP_EFILE, SP_EINVAL, SP_ENOMEM. */
typedef struct sp_text_file sp_text_file;
sp_status sp_text_open(const char *file, bool force, sp_text_file **out, sp_error *err);
sp_status sp_text_put(sp_text_file *text_file, const char *text, size_t n, sp_error *err);
sp_status sp_text_close(sp_text_file *text_file, sp_error *err);
void sp_text_abort(sp_text_file *text_file);

#ifdef __cplusplus
}
#endif
#endif
