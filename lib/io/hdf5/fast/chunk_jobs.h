/* Chunks as they are stored, on their way to their places: taken from the file one by one, then unpacked together on all threads.
 * No HDF5 here. Private to io/.
 */
#ifndef STATEPATH_IO_CHUNK_JOBS_H
#define STATEPATH_IO_CHUNK_JOBS_H

#include "io/hdf5/fast/chunk_bytes.h"
#include "statepath/status.h"

/* How chunks of a dataset are stored. Filters by their place in its pipeline, -1: without. */
typedef struct sp_chunk_form {
    size_t size, bytes;           /* of a value, of a whole chunk unpacked */
    int shuffle, packed, checked; /* `packed` is deflate or LZF; `checked` fletcher32 */
    bool is_lzf;
} sp_chunk_form;

static inline bool sp_chunk_has_filters(const sp_chunk_form *form)
{
    return form->shuffle >= 0 || form->packed >= 0 || form->checked >= 0;
}

/* One of them. */
typedef struct sp_chunk {
    sp_chunk_form form;
    sp_box box;         /* what it holds */
    size_t stored;      /* bytes */
    uint32_t skipped;   /* filters that were not applied, bit by bit */
    sp_box to;          /* what of it goes ... */
    unsigned char *out; /* ... to the place where the values of `to` begin */
} sp_chunk;

typedef struct sp_chunk_jobs sp_chunk_jobs;

/* NULL on lack of memory. Memory: some MB of stored chunks at a time, and two unpacked chunks a thread. */
sp_chunk_jobs *sp_chunk_jobs_new(int n_threads);
void sp_chunk_jobs_free(sp_chunk_jobs *jobs);

/* Where the stored bytes of the next chunk are to be read to. May first unpack those that wait. SP_OK; SP_ENOMEM; SP_EFILE as
 * sp_chunk_jobs_do(). */
sp_status sp_chunk_jobs_room(sp_chunk_jobs *jobs, size_t stored, unsigned char **room);
/* They are there. SP_OK, SP_ENOMEM. */
sp_status sp_chunk_jobs_add(sp_chunk_jobs *jobs, const sp_chunk *chunk);
/* Unpacks all that wait; nothing waits then, whatever came of it. SP_OK; SP_ENOMEM; SP_EFILE: some chunk is not what it should
 * be; SP_EDATA: it unpacks, but to too few values (or, without filters, has too many), which H5Dread would not
 * notice: it would read on beyond their end. What stands
 * in the places is then undefined. */
sp_status sp_chunk_jobs_do(sp_chunk_jobs *jobs);
/* Forgets those that wait. */
void sp_chunk_jobs_drop(sp_chunk_jobs *jobs);

#endif
