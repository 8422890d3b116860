/* Where the datasets of many recordings, one each, lie in a file: noted once, when each is open anyway, so that reading their
 * values needs not open them again. Opening is what small datasets cost. Private to io/.
 */
#ifndef STATEPATH_IO_H5_PLACES_H
#define STATEPATH_IO_H5_PLACES_H

#include "io/hdf5/h5_data.h"

typedef struct sp_h5_place_form sp_h5_place_form;
typedef struct sp_h5_place sp_h5_place;
typedef struct sp_h5_place_chunk sp_h5_place_chunk;

/* {0}: nothing noted. Memory: 16 bytes a recording and 16 a chunk; one form for all recordings that are stored alike. */
typedef struct sp_h5_places {
    sp_h5_place *places; /* [n_places], of recordings 0 .. n_places-1 */
    sp_h5_place_form *forms;
    sp_h5_place_chunk *chunks;
    int64_t n_places, place_room, n_forms, form_room, n_chunks, chunk_room;
    bool has_user_block;
} sp_h5_places;

void sp_h5_places_free(sp_h5_places *places);

/* Notes recording n's dataset, which is in the file that will be read from, where it can be read so: contiguous, or in a few
 * chunks of filters that we know. Otherwise nothing is noted, which is no error. SP_OK, SP_ENOMEM. */
sp_status sp_h5_places_note(sp_h5_places *places, int64_t n, const sp_h5_data *data);

/* What recording n's values are, as they are stored; NULL where nothing is noted. */
const sp_element *sp_h5_places_element(const sp_h5_places *places, int64_t n);

/* It has an element: do its values come in chunks? */
bool sp_h5_places_is_chunked(const sp_h5_places *places, int64_t n);

/* Reads recording n's values, as they are stored, to `raw`, which has room for all of them. Chunks are there when the jobs are
 * done, what is contiguous already now (*is_there). SP_OK; SP_ENOMEM; SP_EFILE: not done, and jobs that wait may have a part of
 * it to do. */
sp_status sp_h5_places_fetch(const sp_h5_places *places, int64_t n, const sp_h5_vfile *file,
                             sp_chunk_jobs *jobs, void *raw, bool *is_there);

#endif
