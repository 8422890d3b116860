/* One HDF5 file opened for reading, its links, and sentences for what goes wrong with them. Private to io/.
 *
 * The HDF5 library writes its error stack to stderr unless told otherwise: each public function of io/ stands between
 * sp_h5_quiet_begin() and sp_h5_quiet_end(), which leave the setting of the program that embeds us as it was.
 *
 * Many calls of HDF5 say "no", or give a value that means nothing, where there was no memory to look. Between the two every call
 * that fails for lack of memory is noted, and sp_h5_quiet_end() turns success into SP_ENOMEM: no caller need ask.
 */
#ifndef STATEPATH_IO_H5_FILE_H
#define STATEPATH_IO_H5_FILE_H

#include <hdf5.h>
#include <stdbool.h>

#include "io/text/texts.h"
#include "statepath/files.h"
#include "statepath/status.h"

typedef struct sp_h5_quiet {
    H5E_auto2_t call;
    void *data;
    bool had_lack; /* was noted before, of a function that this one stands in */
} sp_h5_quiet;

void sp_h5_quiet_begin(sp_h5_quiet *quiet);
/* Returns status, or SP_ENOMEM where it is SP_OK and a call failed for lack of memory; what was made must then be freed. */
sp_status sp_h5_quiet_end(const sp_h5_quiet *quiet, sp_status status, sp_error *err);
/* Notes a lack of memory that HDF5 is not told of. */
void sp_h5_note_lack(void);

/* What HDF5 gives as the innermost reason of the call that just failed; must be asked before any other HDF5 call. Returns the
 * buffer. */
enum { SP_H5_REASON = 256 };
const char *sp_h5_reason(char buffer[SP_H5_REASON]);

/* The sentence for a dataset that is there, though HDF5's call for it has just failed: SP_ENOMEM, or SP_EFILE (damaged). */
sp_status sp_h5_refused(const char *file_name, const char *path, sp_error *err);

/* Closes a space, a type, a list of properties or an attribute; nothing where there is none (it could not be opened). */
static inline void sp_h5_close(hid_t id)
{
    if (id > 0)
        H5Idec_ref(id);
}

/* Opens a file for reading by our driver (h5_driver.h), without locking it. how: may be NULL. SP_OK; SP_EFILE (missing, a folder,
 * not allowed, empty, not HDF5 and what it looks like instead, cut short, marked as open for writing). size: bytes. */
sp_status sp_h5_open(const char *file, const sp_file_access *how, hid_t *out, int64_t *size, sp_error *err);

/* ---- paths inside a file ---- */

/* The last component of a path, borrowed: "b" of "/a/b". */
const char *sp_h5_path_name(const char *path);

/* ---- links ---- */

typedef enum sp_h5_what { SP_H5_ABSENT, SP_H5_DATASET, SP_H5_GROUP, SP_H5_OTHER, SP_H5_BROKEN } sp_h5_what;

/* Is there a link of this (normal) path? Says nothing of where it leads. */
bool sp_h5_has_link(hid_t file, const char *path);

/* What stands there. BROKEN: a link that leads nowhere. */
sp_h5_what sp_h5_look(hid_t file, const char *path);

/* The sentence for a path that is not the dataset it should be: missing (`mend` says what to do then), broken link, group.
 * Returns SP_EFILE. */
sp_status sp_h5_explain(hid_t file, const char *file_name, const char *path, const char *mend, sp_error *err);

/* Names of a group's links, sorted naturally; in one allocation, free(*names). is_hard: all are hard links; may be NULL. SP_OK,
 * SP_EFILE, SP_ENOMEM. */
sp_status sp_h5_links(hid_t file, const char *file_name, const char *group, sp_texts *names, int64_t *n,
                      bool *is_hard, sp_error *err);

/* Writes what the file holds, the first ten datasets, as "/X float32 [100, 5], /y int64 [100]", "no dataset". example: the path
 * of something that may be scores, with {id} where several groups hold one of that name; may come back empty. */
void sp_h5_list(hid_t file, char *text, size_t size, char *example, size_t example_size);

/* "[100, 5]" of a dataset's shape, "[]" for a scalar. Returns the buffer. */
enum { SP_H5_SHAPE = 128 };
char *sp_h5_shape(int rank, const hsize_t *dims, char buffer[SP_H5_SHAPE]);

#endif
