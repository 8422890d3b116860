#include "io/hdf5/h5_places.h"

#include <stdlib.h>

/* HDF5 finds a chunk by walking through the dataset's chunks from the first: with more of them it is quicker to open it again. */
enum { MOST_CHUNKS = 16 };

/* How datasets are stored: what many of them have in common. */
struct sp_h5_place_form {
    sp_element element;
    sp_h5_stored stored; /* dims[0] and position are the recording's own affair */
};

struct sp_h5_place {
    uint64_t at;  /* contiguous: in the file; else the first of its chunks */
    int32_t form; /* -1: nothing noted */
    int32_t n_rows;
};

struct sp_h5_place_chunk {
    uint64_t position;
    uint32_t bytes, skipped;
};

void sp_h5_places_free(sp_h5_places *p)
{
    free(p->places);
    free(p->forms);
    free(p->chunks);
    *p = (sp_h5_places){0};
}

/* ---- noting ---- */

/* Makes room for `need` items; doubles. */
static bool reserve(void **items, int64_t *room, int64_t need, size_t size)
{
    if (need <= *room)
        return true;
    int64_t more = *room ? 2 * *room : 64;
    while (more < need)
        more *= 2;
    void *grown = realloc(*items, (size_t)more * size);
    if (!grown)
        return false;
    *items = grown;
    *room = more;
    return true;
}

static bool is_same_form(const sp_h5_place_form *a, const sp_h5_place_form *b)
{
    const sp_h5_stored *s = &a->stored, *t = &b->stored;
    bool is_same = a->element.kind == b->element.kind && a->element.size == b->element.size &&
                   a->element.is_big == b->element.is_big && s->rank == t->rank &&
                   s->form.size == t->form.size && s->form.bytes == t->form.bytes &&
                   s->form.shuffle == t->form.shuffle && s->form.packed == t->form.packed &&
                   s->form.checked == t->form.checked && s->form.is_lzf == t->form.is_lzf;
    for (int i = 0; i < 3; i++)
        is_same &= s->chunk[i] == t->chunk[i] && (i == 0 || s->dims[i] == t->dims[i]);
    return is_same;
}

/* The number of a form, which is mostly that of the one before. -1 on lack of memory. */
static int32_t form_number(sp_h5_places *p, const sp_h5_place_form *form)
{
    for (int64_t i = p->n_forms - 1; i >= 0 && i >= p->n_forms - 8; i--)
        if (is_same_form(&p->forms[i], form))
            return (int32_t)i;
    void *forms = p->forms;
    if (p->n_forms == INT32_MAX || !reserve(&forms, &p->form_room, p->n_forms + 1, sizeof *p->forms))
        return -1;
    p->forms = forms;
    p->forms[p->n_forms] = *form;
    return (int32_t)p->n_forms++;
}

static int64_t chunks_along(const sp_h5_stored *s, int axis, int64_t n)
{
    return (n + s->chunk[axis] - 1) / s->chunk[axis];
}

/* Notes the chunks of a dataset, those of a row after the other; *n how many. False: one is not written, or not as it should be,
 * or HDF5 cannot say. */
static bool chunks_find(const sp_h5_data *data, const sp_h5_stored *s, sp_h5_place_chunk *out, int64_t *n)
{
    const int64_t across = chunks_along(s, 1, s->dims[1]) * chunks_along(s, 2, s->dims[2]);
    *n = 0;
    if (s->dims[0] / MOST_CHUNKS > s->chunk[0] || across > MOST_CHUNKS ||
        chunks_along(s, 0, s->dims[0]) * across > MOST_CHUNKS)
        return false;
    for (int64_t row = 0; row < s->dims[0]; row += s->chunk[0])
        for (int64_t at1 = 0; at1 < s->dims[1]; at1 += s->chunk[1])
            for (int64_t at2 = 0; at2 < s->dims[2]; at2 += s->chunk[2]) {
                hsize_t at[3], bytes = 0;
                unsigned skipped = 0;
                haddr_t position = HADDR_UNDEF;
                sp_h5_own_axes(s->rank, row, at1, at2, at);
                if (H5Dget_chunk_info_by_coord(data->id, at, &skipped, &position, &bytes) < 0 ||
                    position == HADDR_UNDEF || bytes == 0 ||
                    bytes > s->form.bytes + s->form.bytes / 8 + 4096 || bytes > UINT32_MAX)
                    return false;
                out[(*n)++] =
                    (sp_h5_place_chunk){.position = position, .bytes = (uint32_t)bytes, .skipped = skipped};
            }
    return *n > 0;
}

/* Of files that begin with a user block HDF5 has counted a chunk's position with and without it. */
static bool has_user_block(hid_t object)
{
    hid_t file = H5Iget_file_id(object), created = file >= 0 ? H5Fget_create_plist(file) : -1;
    hsize_t length = 1;
    if (created >= 0) {
        (void)H5Pget_userblock(created, &length);
        H5Pclose(created);
    }
    if (file >= 0)
        H5Fclose(file);
    return length != 0;
}

sp_status sp_h5_places_note(sp_h5_places *p, int64_t n, const sp_h5_data *data)
{
    sp_h5_place_form form = {.element = data->element};
    sp_h5_place_chunk found[MOST_CHUNKS];
    sp_h5_place place = {.form = -1};
    int64_t n_found = 0;
    const sp_h5_request request = sp_h5_data_request(data);
    const bool is_first = p->n_places == 0;
    void *places = p->places, *chunks = p->chunks;
    if (!reserve(&places, &p->place_room, n + 1, sizeof *p->places))
        return SP_ENOMEM;
    p->places = places;
    while (p->n_places <= n)
        p->places[p->n_places++] = place;
    if (data->dims[0] > INT32_MAX || !sp_h5_stored_of(&request, &form.stored))
        return SP_OK;
    const bool is_chunked = form.stored.chunk[0] != 0;
    if (is_chunked && is_first)
        p->has_user_block = has_user_block(data->id);
    if (is_chunked && (p->has_user_block || !chunks_find(data, &form.stored, found, &n_found)))
        return SP_OK;
    if (!reserve(&chunks, &p->chunk_room, p->n_chunks + n_found, sizeof *p->chunks))
        return SP_ENOMEM;
    p->chunks = chunks;
    place.at = is_chunked ? (uint64_t)p->n_chunks : form.stored.position;
    place.n_rows = (int32_t)data->dims[0];
    if ((place.form = form_number(p, &form)) < 0)
        return SP_ENOMEM;
    for (int64_t i = 0; i < n_found; i++)
        p->chunks[p->n_chunks++] = found[i];
    p->places[n] = place;
    return SP_OK;
}

/* ---- reading ---- */

const sp_element *sp_h5_places_element(const sp_h5_places *p, int64_t n)
{
    return n < p->n_places && p->places[n].form >= 0 ? &p->forms[p->places[n].form].element : NULL;
}

bool sp_h5_places_is_chunked(const sp_h5_places *p, int64_t n)
{
    return p->forms[p->places[n].form].stored.chunk[0] != 0;
}

static sp_status chunk_fetch(const sp_h5_place_chunk *at, const sp_h5_vfile *file, sp_chunk *job,
                             sp_chunk_jobs *jobs)
{
    unsigned char *room;
    job->stored = at->bytes;
    job->skipped = at->skipped;
    sp_status status = sp_chunk_jobs_room(jobs, job->stored, &room);
    if (status == SP_OK && !sp_h5_vfile_read(file, room, job->stored, at->position))
        status = SP_EFILE;
    return status == SP_OK ? sp_chunk_jobs_add(jobs, job) : status;
}

sp_status sp_h5_places_fetch(const sp_h5_places *p, int64_t n, const sp_h5_vfile *file, sp_chunk_jobs *jobs,
                             void *raw, bool *is_there)
{
    const sp_h5_place *place = &p->places[n];
    const sp_h5_stored *s = &p->forms[place->form].stored;
    *is_there = s->chunk[0] == 0;
    if (*is_there)
        return sp_h5_vfile_read(file, raw, (uint64_t)(place->n_rows * s->dims[1] * s->dims[2]) * s->form.size,
                                place->at)
                   ? SP_OK
                   : SP_EFILE;
    const sp_box all = {.n_rows = place->n_rows, .n1 = s->dims[1], .n2 = s->dims[2]};
    const sp_h5_place_chunk *chunk = &p->chunks[place->at];
    sp_chunk job = {.form = s->form, .to = all, .out = raw};
    sp_status status = SP_OK;
    for (int64_t row = 0; row < all.n_rows; row += s->chunk[0])
        for (int64_t at1 = 0; at1 < all.n1; at1 += s->chunk[1])
            for (int64_t at2 = 0; status == SP_OK && at2 < all.n2; at2 += s->chunk[2]) {
                job.box = (sp_box){row, s->chunk[0], at1, s->chunk[1], at2, s->chunk[2]};
                status = chunk_fetch(chunk++, file, &job, jobs);
            }
    return status;
}
