/* HDF5 in a build without HDF5's library: the rows of the table of formats for it (h5_elsewhere.c), a store of arrays
 * (arrays/stored.h) that asks whoever builds so for what is in a file. Which array is what is found as in all formats of arrays.
 *
 * Whoever builds so defines the functions below; sp_h5_format and sp_matlab_format are then these rows. Paths begin with "/".
 */
#ifndef STATEPATH_IO_H5_ELSEWHERE_H
#define STATEPATH_IO_H5_ELSEWHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/text/texts.h"
#include "statepath/status.h"

/* Can the file be opened? SP_OK; SP_EFILE (not, or by nobody here), SP_ENOMEM. */
sp_status sp_h5_elsewhere_open(const char *file, sp_error *err);

/* What stands at a path: a number of sp_stored_what. Links that lead out of the file are broken. SP_OK; SP_EFILE, SP_ENOMEM. */
sp_status sp_h5_elsewhere_what(const char *file, const char *path, int *what, sp_error *err);

/* The names in a group. The caller frees them. */
sp_status sp_h5_elsewhere_links(const char *file, const char *group, sp_texts *names, int64_t *n,
                                sp_error *err);

/* An array as the bytes [n] of numpy's .npy, or only their header; the caller frees them. SP_OK; SP_EFILE, SP_EDATA, SP_ENOMEM. */
sp_status sp_h5_elsewhere_array(const char *file, const char *path, bool has_values, unsigned char **bytes,
                                int64_t *n, sp_error *err);

/* An attribute of what stands at a path as texts, "1" before them where they were whole numbers, else "0": *n 0: there is none. */
sp_status sp_h5_elsewhere_attribute(const char *file, const char *path, const char *name, sp_texts *texts,
                                    int64_t *n, sp_error *err);

/* What the file holds, for a sentence, and a place that may be that of scores or "". The caller frees them. */
sp_status sp_h5_elsewhere_list(const char *file, sp_texts *texts, int64_t *n, sp_error *err);

/* The sentence for what is missing at a path, or no array there; `mend` ends it. SP_EFILE, SP_ENOMEM. */
sp_status sp_h5_elsewhere_explain(const char *file, const char *path, const char *mend, sp_error *err);

#endif
