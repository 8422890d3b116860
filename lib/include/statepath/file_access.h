/* How an HDF5 file is opened for reading: what it may lead to, or bytes in memory instead of a file. */
#ifndef STATEPATH_FILE_ACCESS_H
#define STATEPATH_FILE_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

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

#ifdef __cplusplus
}
#endif
#endif
