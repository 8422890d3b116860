/* An HDF5 file as a store of arrays (arrays/stored.h): datasets, which are found, looked at and read as they are asked for.
 * Private to io/.
 */
#ifndef STATEPATH_IO_H5_STORE_H
#define STATEPATH_IO_H5_STORE_H

#include "io/arrays/stored.h"
#include "io/hdf5/h5_places.h"
#include "statepath/files.h"

/* Names that may stand beside a recording's array, in a group of its own. */
enum { SP_H5_N_BESIDE = 4, SP_H5_N_PLACES = 1 + SP_H5_N_BESIDE };

/* Recordings of a dataset each: what is known of them since they were found. */
typedef struct sp_h5_each {
    char *pattern; /* of the reference, "/recordings/{id}/probs"; NULL: there are none */
    char *group;   /* the group of the recordings, and that open */
    hid_t parent;
    uint8_t *beside; /* [N] which of the names each has, bit by bit; NULL where the pattern ends with {id} */
    sp_h5_places places[SP_H5_N_PLACES]; /* where the reference's datasets and those beside it lie */
    const sp_h5_vfile *vfile;            /* the file, for them; NULL: nothing is noted */
    unsigned long file_number;           /* HDF5's number of the file */
    bool is_hard;        /* all links to recordings are hard: what they lead to is in this file */
    unsigned char *wide; /* raw values that wait for their chunks */
    size_t wide_size;
    sp_chunk_jobs *jobs; /* chunks of many datasets on their way */
} sp_h5_each;

/* A dataset. `own` of its sp_stored points to one. */
typedef struct sp_h5_array {
    sp_stored stored; /* of those that were found; of one that was taken for a while its taker has it */
    sp_h5_data data;
    bool is_tuned;
} sp_h5_array;

typedef struct sp_h5_store {
    hid_t file;
    int64_t n, room;
    sp_h5_array **arrays; /* [n] that were found */
    unsigned char *scratch;
    size_t scratch_size;
    int n_threads;
    sp_h5_each each;
    char storage[160];
} sp_h5_store;

/* Opens f->file; closed with f. SP_OK, or what sp_h5_open() returns; SP_ENOMEM. */
sp_status sp_h5_store_open(sp_stored_file *f, const sp_file_access *access, sp_error *err);
void sp_h5_store_use_threads(sp_stored_file *f, int n_threads);
/* The file behind it. */
hid_t sp_h5_store_file(const sp_stored_file *f);

/* Fills in what stands at a dataset that is open, of numbers or texts; takes `object` over, which is closed with array->own. */
sp_status sp_h5_array_adopt(const sp_stored_file *f, hid_t object, sp_stored *array, sp_error *err);
/* The dataset, or for texts its type and shape. */
sp_h5_data *sp_h5_array_data(const sp_stored *array);

/* Functions of the store (h5_each.c, h5_each_read.c). */
sp_status sp_h5_each_find(sp_stored_file *f, const char *pattern, const char *mend, sp_texts *ids, int64_t *n,
                          sp_status (*check)(void *arg, sp_stored *array, sp_error *err), void *arg,
                          sp_error *err);
int64_t sp_h5_each_absent(const sp_stored_file *f, const char *pattern, char *const *ids, int64_t n,
                          uint8_t *absent);
sp_status sp_h5_each_take(const sp_stored_file *f, const char *name, sp_stored *array, sp_error *err);
void sp_h5_each_drop(sp_stored *array);
sp_status sp_h5_each_read(const sp_stored_file *f, const sp_each_reading *r, sp_error *err);
/* Where the datasets of a pattern were noted; NULL: they were not. (h5_each.c) */
const sp_h5_places *sp_h5_each_places(const sp_h5_each *each, const char *pattern);
void sp_h5_each_close(sp_h5_each *each);

#endif
