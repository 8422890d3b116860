#include "io/hdf5/fast/h5_direct.h"

#include <stdlib.h>
#include <string.h>

#include "io/hdf5/h5_file.h"

/* Rows of several large chunks are held where threads would have nothing to do with one; up to so many bytes. */
enum { HELD_BYTES = 64 << 20 };

struct sp_h5_direct {
    hid_t dataset, type;
    sp_h5_stored stored;
    sp_h5_vfile *file;   /* contiguous, or chunks without filters: its file; else NULL */
    sp_chunk_jobs *jobs; /* chunked: made as it is needed */
    uint64_t file_bytes; /* no chunk can have more */
    int n_threads;
    unsigned char *asked; /* [stored.form.bytes] what H5Dread gave */
    /* The rows of chunks that reached beyond the last rows asked for. */
    unsigned char *held;
    sp_box held_box; /* n_rows 0: none */
};

/* ---- what can be read so ---- */

sp_status sp_h5_direct_new(const sp_h5_request *request, sp_h5_direct **out)
{
    *out = NULL;
    sp_h5_stored stored;
    if (!sp_h5_stored_of(request, &stored))
        return SP_OK;
    /* Whole chunks without filters: HDF5 says what they should have, not what the file says, so our driver looks. */
    const bool is_contiguous = stored.chunk[0] == 0,
               is_plain = !is_contiguous && !sp_chunk_has_filters(&stored.form);
    sp_h5_vfile *file = is_contiguous || is_plain ? sp_h5_vfile_of(request->dataset) : NULL;
    if ((is_contiguous || is_plain) && !file)
        return SP_OK;
    sp_h5_direct *d = calloc(1, sizeof *d);
    if (!d)
        return SP_ENOMEM;
    *d = (sp_h5_direct){
        .dataset = request->dataset, .type = request->type, .stored = stored, .file = file, .n_threads = 1};
    const sp_h5_vfile *whole = file ? file : sp_h5_vfile_of(request->dataset);
    d->file_bytes = whole ? sp_h5_vfile_size(whole) : UINT64_MAX;
    *out = d;
    return SP_OK;
}

void sp_h5_direct_free(sp_h5_direct *d)
{
    if (!d)
        return;
    sp_chunk_jobs_free(d->jobs);
    free(d->asked);
    free(d->held);
    free(d);
}

void sp_h5_direct_use_threads(sp_h5_direct *d, int n_threads)
{
    sp_chunk_jobs_free(d->jobs);
    free(d->held); /* how much is held depends on them */
    d->jobs = NULL;
    d->held = NULL;
    d->held_box.n_rows = 0;
    d->n_threads = n_threads < 1 ? 1 : n_threads;
}

/* ---- contiguous ---- */

static sp_status read_contiguous(const sp_h5_direct *d, const sp_box *to, unsigned char *out)
{
    const uint64_t row = (uint64_t)(d->stored.dims[1] * d->stored.dims[2]) * d->stored.form.size,
                   part = (uint64_t)(to->n1 * to->n2) * d->stored.form.size;
    if (to->n2 != d->stored.dims[2])
        return SP_EFILE;
    const uint64_t first = d->stored.position + (uint64_t)to->row * row +
                           (uint64_t)(to->at1 * d->stored.dims[2]) * d->stored.form.size;
    if (part == row)
        return sp_h5_vfile_read(d->file, out, (uint64_t)to->n_rows * row, first) ? SP_OK : SP_EFILE;
    for (int64_t i = 0; i < to->n_rows; i++)
        if (!sp_h5_vfile_read(d->file, out + (uint64_t)i * part, part, first + (uint64_t)i * row))
            return SP_EFILE;
    return SP_OK;
}

/* ---- chunks ---- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A chunk that is not in the file: HDF5 knows what stands there instead. */
static sp_status chunk_ask(sp_h5_direct *d, const sp_chunk *job)
{
    const sp_box part = {.row = job->box.row,
                         .n_rows = smaller(job->box.n_rows, d->stored.dims[0] - job->box.row),
                         .at1 = job->box.at1,
                         .n1 = smaller(job->box.n1, d->stored.dims[1] - job->box.at1),
                         .at2 = job->box.at2,
                         .n2 = smaller(job->box.n2, d->stored.dims[2] - job->box.at2)};
    hsize_t start[3], count[3], n = (hsize_t)part.n_rows * (hsize_t)part.n1 * (hsize_t)part.n2;
    sp_h5_own_axes(d->stored.rank, part.row, part.at1, part.at2, start);
    sp_h5_own_axes(d->stored.rank, part.n_rows, part.n1, part.n2, count);
    if (!d->asked && !(d->asked = malloc(d->stored.form.bytes)))
        return SP_ENOMEM;
    memset(d->asked, 0, d->stored.form.bytes); /* a dataset may be without a fill value */
    hid_t space = H5Dget_space(d->dataset), memory = H5Screate_simple(1, &n, NULL);
    bool done = space >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dread(d->dataset, d->type, memory, space, H5P_DEFAULT, d->asked) >= 0;
    sp_h5_close(memory);
    sp_h5_close(space);
    if (!done)
        return SP_EFILE;
    sp_box_copy(&part, d->asked, &job->to, d->stored.form.size, job->out);
    return SP_OK;
}

/* Takes a chunk from the file as it is stored. *is_taken: there is something to inflate. */
static sp_status chunk_take(sp_h5_direct *d, sp_chunk *job, bool *is_taken)
{
    *is_taken = false;
#if !H5_VERSION_GE(2, 0, 0)
    hsize_t at[3], stored = 0;
    sp_h5_own_axes(d->stored.rank, job->box.row, job->box.at1, job->box.at2, at);
    /* A chunk that is not there is told in one of two ways: it has no size, or (without filters) it cannot be read. */
    if (H5Dget_chunk_storage_size(d->dataset, at, &stored) < 0 || stored == 0)
        return chunk_ask(d, job);
    if (stored > d->file_bytes)
        return SP_EDATA;
    job->stored = (size_t)stored;
    /* Nothing to undo, and all of it wanted in one run: it is read to where it belongs. */
    int64_t from, place;
    const bool is_run =
        d->file && sp_box_run(&job->box, &job->to, &from, &place) * (int64_t)d->stored.form.size ==
                       (int64_t)d->stored.form.bytes;
    unsigned char *room = NULL;
    if (is_run)
        room = job->out + (size_t)place * d->stored.form.size;
    else {
        sp_status status = sp_chunk_jobs_room(d->jobs, job->stored, &room);
        if (status != SP_OK)
            return status;
    }
    if (d->file && job->stored != d->stored.form.bytes)
        return SP_EDATA;
    if (d->file)
        (void)sp_h5_vfile_expect(d->file, d->stored.form.bytes);
    const bool is_read = H5Dread_chunk(d->dataset, H5P_DEFAULT, at, &job->skipped, room) >= 0;
    if (d->file && sp_h5_vfile_expect(d->file, 0))
        return SP_EDATA;
    *is_taken = is_read && !is_run;
    return is_read ? SP_OK : chunk_ask(d, job);
#else
    return chunk_ask(d, job);
#endif
}

static sp_status job_add(sp_h5_direct *d, const sp_box *box, const sp_box *to, unsigned char *out)
{
    sp_chunk job = {.form = d->stored.form, .box = *box, .to = *to, .out = out};
    bool is_taken;
    sp_status status = chunk_take(d, &job, &is_taken);
    return status == SP_OK && is_taken ? sp_chunk_jobs_add(d->jobs, &job) : status;
}

/* All chunks of the rows first .. first+chunk-1 that `to` needs. */
static sp_status band_add(sp_h5_direct *d, int64_t first, const sp_box *to, unsigned char *out)
{
    sp_box box = {
        .row = first, .n_rows = d->stored.chunk[0], .n1 = d->stored.chunk[1], .n2 = d->stored.chunk[2]};
    sp_status status = SP_OK;
    for (box.at1 = to->at1 / box.n1 * box.n1; box.at1 < to->at1 + to->n1; box.at1 += box.n1)
        for (box.at2 = to->at2 / box.n2 * box.n2; status == SP_OK && box.at2 < to->at2 + to->n2;
             box.at2 += box.n2)
            status = job_add(d, &box, to, out);
    return status;
}

/* Rows that are held together: those of one chunk, or of one for each thread where that is much to unpack. */
static int64_t held_rows(const sp_h5_direct *d)
{
    const int64_t across = (d->stored.dims[1] + d->stored.chunk[1] - 1) / d->stored.chunk[1] *
                           ((d->stored.dims[2] + d->stored.chunk[2] - 1) / d->stored.chunk[2]);
    const int64_t bytes = d->stored.chunk[0] * d->stored.dims[1] * d->stored.dims[2] *
                          (int64_t)d->stored.form.size,
                  worth = 256 << 10;
    int64_t bands = across > 0 && bytes >= worth ? (d->n_threads + across - 1) / across : 1;
    if (bands * bytes > HELD_BYTES)
        bands = HELD_BYTES / bytes;
    return (bands > 1 ? bands : 1) * d->stored.chunk[0];
}

/* Adds all chunks of the rows that begin with `first`, to be held. They are when the jobs are done. */
static sp_status held_add(sp_h5_direct *d, int64_t first, int64_t n_rows, sp_box *box)
{
    *box = (sp_box){.row = first,
                    .n_rows = smaller(d->stored.dims[0] - first, n_rows),
                    .n1 = d->stored.dims[1],
                    .n2 = d->stored.dims[2]};
    if (!d->held &&
        !(d->held = malloc((size_t)(n_rows * d->stored.dims[1] * d->stored.dims[2]) * d->stored.form.size)))
        return SP_ENOMEM;
    d->held_box.n_rows = 0;
    sp_status status = SP_OK;
    for (int64_t row = first; status == SP_OK && row < first + box->n_rows; row += d->stored.chunk[0])
        status = band_add(d, row, box, d->held);
    return status;
}

static sp_status read_chunked(sp_h5_direct *d, const sp_box *to, unsigned char *out)
{
    const int64_t last = to->row + to->n_rows, unit = held_rows(d);
    if (!d->jobs && !(d->jobs = sp_chunk_jobs_new(d->n_threads)))
        return SP_ENOMEM;
    sp_status status = SP_OK;
    sp_box box = {.n_rows = 0}; /* of what is to be held */
    for (int64_t first = to->row / unit * unit; status == SP_OK && first < last; first += unit) {
        const bool goes_on =
            last < first + unit && last < d->stored.dims[0]; /* somebody will ask for the rest */
        if (d->held_box.n_rows > 0 && d->held_box.row == first)
            sp_box_copy(&d->held_box, d->held, to, d->stored.form.size, out);
        else if (goes_on)
            status = held_add(d, first, unit, &box);
        else
            for (int64_t row = first; status == SP_OK && row < first + unit && row < last;
                 row += d->stored.chunk[0])
                if (row + d->stored.chunk[0] > to->row)
                    status = band_add(d, row, to, out);
    }
    if (status == SP_OK)
        status = sp_chunk_jobs_do(d->jobs);
    if (status != SP_OK || box.n_rows == 0)
        return status;
    d->held_box = box;
    sp_box_copy(&d->held_box, d->held, to, d->stored.form.size, out);
    return SP_OK;
}

sp_status sp_h5_direct_read(sp_h5_direct *d, const hsize_t *start, const hsize_t *count, void *out)
{
    sp_box to = {.row = (int64_t)start[0],
                 .n_rows = (int64_t)count[0],
                 .at1 = d->stored.rank == 3 ? (int64_t)start[1] : 0,
                 .n1 = d->stored.rank == 3 ? (int64_t)count[1] : 1,
                 .at2 = d->stored.rank == 1 ? 0 : (int64_t)start[d->stored.rank - 1],
                 .n2 = d->stored.rank == 1 ? 1 : (int64_t)count[d->stored.rank - 1]};
    sp_status status = d->stored.chunk[0] == 0 ? read_contiguous(d, &to, out) : read_chunked(d, &to, out);
    if (status != SP_OK) {
        d->held_box.n_rows = 0;
        if (d->jobs)
            sp_chunk_jobs_drop(d->jobs);
    }
    return status;
}

sp_status sp_h5_direct_gather(const sp_h5_request *request, sp_chunk_jobs *jobs, void *out)
{
    sp_h5_direct *d;
    sp_status status = sp_h5_direct_new(request, &d);
    if (!d)
        return status == SP_OK ? SP_EFILE : status;
    const sp_box all = {.n_rows = d->stored.dims[0], .n1 = d->stored.dims[1], .n2 = d->stored.dims[2]};
    if (d->stored.chunk[0] == 0)
        status = read_contiguous(d, &all, out);
    d->jobs = jobs;
    for (int64_t row = 0; d->stored.chunk[0] && status == SP_OK && row < all.n_rows;
         row += d->stored.chunk[0])
        status = band_add(d, row, &all, out);
    d->jobs = NULL; /* they are the caller's */
    sp_h5_direct_free(d);
    return status;
}
