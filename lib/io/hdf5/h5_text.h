/* Texts in HDF5 files as h5py and others write them: fixed (null-terminated, null-padded, space-padded) and variable strings,
 * ASCII and UTF-8, in datasets and attributes. Integers are taken as texts of digits. Private to io/. */
#ifndef STATEPATH_IO_H5_TEXT_H
#define STATEPATH_IO_H5_TEXT_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "io/text/texts.h"
#include "statepath/status.h"

/* Texts alone, in up to two dimensions, row by row; *n of them. SP_OK; SP_EFILE, SP_EDATA. */
sp_status sp_h5_texts_table(hid_t file, const char *file_name, const char *path, sp_texts *out, int64_t *n,
                            sp_error *err);

/* An attribute of the object at `path`: one text or several, or integers (is_number) as texts. SP_OK; SP_EFILE, SP_EDATA, SP_ENOMEM. */
sp_status sp_h5_texts_attribute(hid_t file, const char *file_name, const char *path, const char *attribute,
                                sp_texts *out, int64_t *n, bool *is_number, sp_error *err);

/* Opens an attribute and the object that has it, which must stay open as long: by an external link it is in a file that HDF5
 * closes otherwise. Both are the caller's to close; < 0: neither is open. */
hid_t sp_h5_attribute_open(hid_t file, const char *path, const char *attribute, hid_t *object);

bool sp_h5_has_attribute(hid_t file, const char *path, const char *attribute);

/* An attribute of the object at `path` as a number, NaN where it is not one. False: there is none. */
bool sp_h5_attribute_number(hid_t file, const char *path, const char *attribute, double *value);

#endif
