/* One numeric dataset, open for reading. Private to io/. */
#ifndef STATEPATH_IO_H5_DATA_H
#define STATEPATH_IO_H5_DATA_H

#include <hdf5.h>

#include "io/hdf5/fast/h5_direct.h"
#include "io/hdf5/fast/h5_element.h"
#include "statepath/status.h"

typedef struct sp_h5_data {
    hid_t id, type; /* 0 when closed */
    hid_t created;  /* creation properties; 0 of what is contiguous and written, which needs none of them */
    sp_element element;
    int rank;
    hsize_t dims[H5S_MAX_RANK];
    sp_h5_direct *direct; /* the fast way of reading, or NULL; made by tuning */
} sp_h5_data;

/* Opens the dataset at a path. `mend` completes the sentence for one that is missing. Its filters must be installed and its
 * values numbers: SP_OK; SP_EFILE, SP_EDATA. */
sp_status sp_h5_data_open(hid_t file, const char *file_name, const char *path, const char *mend,
                          sp_h5_data *out, sp_error *err);
/* The same for a dataset that is open already, without a look at its filters (reading it names them all the same); takes it over,
 * also on failure. For many small datasets. takes_texts: of texts it opens type and shape, and sp_h5_texts_table() reads them. */
sp_status sp_h5_data_adopt(hid_t dataset, const char *file_name, const char *path, bool takes_texts,
                           sp_h5_data *out, sp_error *err);
void sp_h5_data_close(sp_h5_data *data); /* fine on a closed one */

/* What the ways past H5Dread ask about it. */
sp_h5_request sp_h5_data_request(const sp_h5_data *data);

/* Makes a dataset ready for reading many rows: with the fast way where there is one (h5_direct.h), else with a cache that
 * holds all chunks one row of it touches. So reading rows in blocks inflates each chunk once, also where chunks are split along
 * the classes. SP_OK, SP_EFILE. */
sp_status sp_h5_data_tune(hid_t file, const char *file_name, const char *path, sp_h5_data *data,
                          sp_error *err);

/* What is said of SP_EDATA from sp_h5_direct_read(): file, dataset. */
#define SP_H5_SHORT_CHUNK                                                                                    \
    "%s: dataset %s cannot be read (a chunk has fewer values than it should, or more); the file is "         \
    "damaged: copy or write "                                                                                \
    "it again"

/* Reads start[] .. start[]+count[] of each dimension, raw. SP_OK, SP_EFILE. */
sp_status sp_h5_data_read(const sp_h5_data *data, const char *file_name, const char *path,
                          const hsize_t *start, const hsize_t *count, void *raw, sp_error *err);

/* How a dataset was made: its creation list, which the caller closes with H5Pclose(). SP_OK; SP_ENOMEM or SP_EFILE (damaged), and
 * *out is < 0. */
sp_status sp_h5_created(hid_t dataset, const char *file_name, const char *path, hid_t *out, sp_error *err);

/* "contiguous", "chunks 4096 x 5, gzip 4, shuffle" ... Cut to size. SP_OK, SP_EFILE. */
sp_status sp_h5_data_storage(const sp_h5_data *data, const char *file_name, const char *path, char *text,
                             size_t size, sp_error *err);

/* Are all filters of a dataset installed? SP_OK, or SP_EFILE naming the first that is not and what brings it. */
sp_status sp_h5_filters_check(hid_t dataset, const char *file_name, const char *path, sp_error *err);

#endif
