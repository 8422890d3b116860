/* HDF5 in a build without HDF5's library: the rows of the table of formats for it (h5_elsewhere.c), which take the arrays of a
 * file from whoever builds so. Which array is what is found as in the other formats of arrays (arrays/array_find.h).
 *
 * Whoever builds so defines the functions below; sp_h5_format and sp_matlab_format are then these rows.
 */
#ifndef STATEPATH_IO_H5_ELSEWHERE_H
#define STATEPATH_IO_H5_ELSEWHERE_H

#include <stdint.h>

#include "io/text/texts.h"
#include "statepath/status.h"

/* The names of a file's arrays, "log_probs", "recordings/n1/labels".
 *   place, labels   datasets of scores (or paths), and of labels, that were asked for in place of the usual ones; or NULL
 *   names   out: [n], the caller frees them
 * SP_OK; SP_EFILE (it cannot be opened, or by nobody here), SP_ENOMEM. */
sp_status sp_h5_elsewhere_names(const char *file, const char *place, const char *labels, sp_texts *names, int64_t *n,
                                sp_error *err);

/* One of them, as the bytes [n] of numpy's .npy; the caller frees them. SP_OK; SP_EFILE, SP_EDATA, SP_ENOMEM. */
sp_status sp_h5_elsewhere_array(const char *file, const char *name, unsigned char **bytes, int64_t *n, sp_error *err);

/* What the group of each recording, or where `pattern` ends with {id} its dataset, says by an attribute or a dataset `name`.
 *   pattern  of the recordings' datasets, "recordings/{id}/probs"
 *   names    out: [n] in the order of ids, "" where it says nothing; the caller frees them
 * SP_OK; SP_EFILE (also: it is not one text or number), SP_ENOMEM. */
sp_status sp_h5_elsewhere_subjects(const char *file, const char *pattern, const char *name, int64_t n, const char *const *ids,
                                   sp_texts *names, sp_error *err);

#endif
