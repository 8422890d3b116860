#include "io/h5_direct.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/parallel.h"
#include "io/chunk_bytes.h"
#include "io/lzf.h"

/* Chunks are taken from the file this many stored bytes at a time, at least one, and then inflated together. */
enum { STORED_BYTES = 8 << 20 };
/* Rows of several large chunks are held where threads would have nothing to do with one; up to so many bytes. */
enum { HELD_BYTES = 64 << 20 };

/* What one thread inflates into. */
typedef struct inflater {
    struct libdeflate_decompressor *zlib;
    unsigned char *inflated, *values; /* [chunk_bytes] each */
} inflater;

/* One chunk on its way from the file to its places in `to`. */
typedef struct chunk_job {
    sp_box box;
    size_t stored_at, stored; /* in the buffer */
    uint32_t skipped;         /* filters that were not applied */
    sp_box to;
    unsigned char *out;
} chunk_job;

struct sp_h5_direct {
    hid_t dataset, type;
    int rank;
    size_t size;      /* of a value */
    int64_t dims[3];  /* [rows, n1, n2]; axes that are not there are 1 long */
    int64_t chunk[3]; /* the same of a chunk; 0: contiguous */
    /* Contiguous. */
    int fd;
    uint64_t position;
    /* Chunked. Filters by their place in the pipeline, -1: without; `packed` is deflate or LZF. */
    int shuffle, packed, checked;
    bool is_lzf;
    size_t chunk_bytes;
    int n_threads;
    inflater *inflaters;  /* [n_threads], made as they are needed */
    unsigned char *asked; /* [chunk_bytes] what H5Dread gave */
    unsigned char *stored;
    size_t stored_room;
    chunk_job *jobs;
    int64_t n_jobs, job_room;
    atomic_int failed; /* SP_OK, SP_ENOMEM, or SP_EFILE: not to be read so */
    /* The rows of chunks that reached beyond the last rows asked for. */
    unsigned char *held;
    sp_box held_box; /* n_rows 0: none */
};

/* ---- what can be read so ---- */

int sp_h5_plain_fd(hid_t object)
{
    hid_t file = H5Iget_file_id(object), access = file >= 0 ? H5Fget_access_plist(file) : -1;
    void *handle = NULL;
    bool is_plain = access >= 0 && H5Pget_driver(access) == H5FD_SEC2 && H5Fget_vfd_handle(file, access, &handle) >= 0;
    if (access >= 0)
        H5Pclose(access);
    if (file >= 0)
        H5Fclose(file);
    return is_plain && handle ? *(int *)handle : -1;
}

static bool plan_contiguous(sp_h5_direct *d, hid_t created)
{
    haddr_t position = H5Dget_offset(d->dataset);
    d->fd = sp_h5_plain_fd(d->dataset);
    d->position = position;
    return position != HADDR_UNDEF && d->fd >= 0 && H5Pget_external_count(created) == 0;
}

/* Which of the filters we know, in the only order that makes sense: shuffle, deflate or LZF, checksum, each at most once. */
static bool plan_filters(sp_h5_direct *d, hid_t created)
{
    const int n = H5Pget_nfilters(created);
    d->shuffle = d->packed = d->checked = -1;
    for (int i = 0; i < n; i++) {
        unsigned flags = 0, values[8] = {0};
        size_t n_values = 8;
        H5Z_filter_t id = H5Pget_filter2(created, (unsigned)i, &flags, &n_values, values, 0, NULL, NULL);
        const bool is_packer = id == H5Z_FILTER_DEFLATE || id == SP_LZF_FILTER;
        if (d->checked >= 0)
            return false;
        if (id == H5Z_FILTER_SHUFFLE && d->shuffle < 0 && d->packed < 0 && n_values > 0 && values[0] == d->size)
            d->shuffle = i;
        else if (is_packer && d->packed < 0)
            d->packed = i;
        else if (id == H5Z_FILTER_FLETCHER32)
            d->checked = i;
        else
            return false;
        d->is_lzf |= id == SP_LZF_FILTER;
    }
    return n >= 0;
}

/* Three axes [rows, n1, n2] from the dataset's: [S] is [S,1,1], [S,K] is [S,1,K]. */
static void three_axes(int rank, const hsize_t *axes, int64_t out[3])
{
    out[0] = (int64_t)axes[0];
    out[1] = rank == 3 ? (int64_t)axes[1] : 1;
    out[2] = rank == 1 ? 1 : (int64_t)axes[rank - 1];
}

static bool plan_chunked(sp_h5_direct *d, hid_t created)
{
    const uint64_t most = UINT64_C(1) << 34; /* of rows that are held */
    hsize_t chunk[H5S_MAX_RANK] = {0};
    unsigned options = 0;
    if (H5Pget_chunk(created, H5S_MAX_RANK, chunk) != d->rank || H5Pget_chunk_opts(created, &options) < 0 || options != 0 ||
        !plan_filters(d, created))
        return false;
    three_axes(d->rank, chunk, d->chunk);
    d->chunk_bytes = (size_t)(d->chunk[0] * d->chunk[1] * d->chunk[2]) * d->size;
    uint64_t row = (uint64_t)(d->dims[1] * d->dims[2]) * d->size;
    if (row > 0 && (uint64_t)d->chunk[0] > most / row)
        return false;
    return true;
}

sp_status sp_h5_direct_new(const sp_h5_direct_request *request, sp_h5_direct **out)
{
    *out = NULL;
#if !H5_VERSION_GE(1, 10, 3) || H5_VERSION_GE(2, 0, 0)
    return SP_OK; /* without H5Dread_chunk(), or with another one */
#endif
    if (request->rank < 1 || request->rank > 3)
        return SP_OK;
    sp_h5_direct *d = calloc(1, sizeof *d);
    if (!d)
        return SP_ENOMEM;
    d->dataset = request->dataset;
    d->type = request->type;
    d->rank = request->rank;
    d->size = request->size;
    d->n_threads = 1;
    d->fd = -1;
    three_axes(d->rank, request->dims, d->dims);
    hid_t created = H5Dget_create_plist(d->dataset);
    bool can = false;
    if (created >= 0) {
        H5D_layout_t layout = H5Pget_layout(created);
        can = layout == H5D_CONTIGUOUS ? plan_contiguous(d, created) : layout == H5D_CHUNKED && plan_chunked(d, created);
        H5Pclose(created);
    }
    if (can)
        *out = d;
    else
        sp_h5_direct_free(d);
    return SP_OK;
}

static void inflaters_free(sp_h5_direct *d)
{
    for (int i = 0; d->inflaters && i < d->n_threads; i++) {
        if (d->inflaters[i].zlib)
            libdeflate_free_decompressor(d->inflaters[i].zlib);
        free(d->inflaters[i].inflated);
        free(d->inflaters[i].values);
    }
    free(d->inflaters);
    d->inflaters = NULL;
}

void sp_h5_direct_free(sp_h5_direct *d)
{
    if (!d)
        return;
    inflaters_free(d);
    free(d->asked);
    free(d->stored);
    free(d->jobs);
    free(d->held);
    free(d);
}

void sp_h5_direct_use_threads(sp_h5_direct *d, int n_threads)
{
    inflaters_free(d); /* there are as many as threads, and what is held depends on them */
    free(d->held);
    d->held = NULL;
    d->held_box.n_rows = 0;
    d->n_threads = n_threads < 1 ? 1 : n_threads > SP_PARALLEL_MOST ? SP_PARALLEL_MOST : n_threads;
}

/* ---- contiguous ---- */

bool sp_h5_read_at(int fd, void *to, uint64_t n, uint64_t position)
{
    unsigned char *out = to;
    while (n > 0) {
        ssize_t done = pread(fd, out, n < (1u << 30) ? (size_t)n : (1u << 30), (off_t)position);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        out += done;
        position += (uint64_t)done;
        n -= (uint64_t)done;
    }
    return true;
}

static sp_status read_contiguous(const sp_h5_direct *d, const sp_box *to, unsigned char *out)
{
    const uint64_t row = (uint64_t)(d->dims[1] * d->dims[2]) * d->size, part = (uint64_t)(to->n1 * to->n2) * d->size;
    if (to->n2 != d->dims[2])
        return SP_EFILE;
    const uint64_t first = d->position + (uint64_t)to->row * row + (uint64_t)(to->at1 * d->dims[2]) * d->size;
    if (part == row)
        return sp_h5_read_at(d->fd, out, (uint64_t)to->n_rows * row, first) ? SP_OK : SP_EFILE;
    for (int64_t i = 0; i < to->n_rows; i++)
        if (!sp_h5_read_at(d->fd, out + (uint64_t)i * part, part, first + (uint64_t)i * row))
            return SP_EFILE;
    return SP_OK;
}

/* ---- chunks, on any thread ---- */

/* The inflater of a thread; NULL without memory. */
static inflater *inflater_of(sp_h5_direct *d, int thread)
{
    inflater *in = &d->inflaters[thread];
    if (!in->zlib)
        in->zlib = libdeflate_alloc_decompressor();
    if (!in->inflated)
        in->inflated = malloc(d->chunk_bytes);
    if (!in->values)
        in->values = malloc(d->chunk_bytes);
    return in->zlib && in->inflated && in->values ? in : NULL;
}

static bool unpack(sp_h5_direct *d, inflater *in, const unsigned char *packed, size_t n, unsigned char *out)
{
    if (d->is_lzf)
        return sp_lzf_unpack(packed, n, out, d->chunk_bytes);
    return libdeflate_zlib_decompress(in->zlib, packed, n, out, d->chunk_bytes, NULL) == LIBDEFLATE_SUCCESS;
}

static bool is_on(int filter, uint32_t skipped)
{
    return filter >= 0 && !(skipped >> filter & 1);
}

/* Takes the checksum off; false: it is wrong. (HDF5 then knows of one more way, of a version long gone, to write it.) */
static bool checksum_is_right(const unsigned char *stored, size_t *n)
{
    if (*n < 4)
        return false;
    *n -= 4;
    const unsigned char *sum = stored + *n;
    return sp_fletcher32(stored, *n) ==
           ((uint32_t)sum[0] | (uint32_t)sum[1] << 8 | (uint32_t)sum[2] << 16 | (uint32_t)sum[3] << 24);
}

static bool chunk_unpack(sp_h5_direct *d, inflater *in, const chunk_job *job)
{
    const int64_t n = (int64_t)(d->chunk_bytes / d->size);
    int64_t from = 0, to = 0, run = sp_box_run(&job->box, &job->to, &from, &to);
    unsigned char *place = job->out + (size_t)to * d->size;
    const bool is_packed = is_on(d->packed, job->skipped), is_shuffled = is_on(d->shuffle, job->skipped);
    const unsigned char *values = d->stored + job->stored_at;
    size_t stored = job->stored;
    if (is_on(d->checked, job->skipped) && !checksum_is_right(values, &stored))
        return false;
    if (is_packed) {
        const bool is_there = !is_shuffled && run == n; /* straight to where it belongs */
        unsigned char *inflated = is_there ? place : in->inflated;
        if (!unpack(d, in, values, stored, inflated))
            return false;
        if (is_there)
            return true;
        values = inflated;
    } else if (stored != d->chunk_bytes) {
        return false;
    }
    if (is_shuffled && run >= 0) {
        sp_unshuffle(values, (size_t)n, d->size, (size_t)from, (size_t)run, place);
        return true;
    }
    if (is_shuffled) {
        sp_unshuffle(values, (size_t)n, d->size, 0, (size_t)n, in->values);
        values = in->values;
    }
    sp_box_copy(&job->box, values, &job->to, d->size, job->out);
    return true;
}

static void chunk_do(void *arg, int thread, int64_t item)
{
    sp_h5_direct *d = arg;
    const chunk_job *job = &d->jobs[item];
    if (d->failed)
        return;
    inflater *in = inflater_of(d, thread);
    if (!in)
        d->failed = SP_ENOMEM;
    else if (!chunk_unpack(d, in, job))
        d->failed = SP_EFILE;
}

/* ---- chunks, on the reading thread ---- */

/* Room for `need` bytes in a buffer that only grows and keeps what it holds. */
static bool room(unsigned char **buffer, size_t *have, size_t need)
{
    if (need <= *have)
        return true;
    size_t more = need + need / 4;
    unsigned char *grown = realloc(*buffer, more);
    if (!grown)
        return false;
    *buffer = grown;
    *have = more;
    return true;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The axes of the dataset itself, from three: see three_axes(). */
static void own_axes(int rank, int64_t rows, int64_t n1, int64_t n2, hsize_t out[3])
{
    out[0] = (hsize_t)rows;
    out[1] = (hsize_t)(rank == 3 ? n1 : n2);
    out[2] = (hsize_t)n2;
}

/* A chunk that is not in the file: HDF5 knows what stands there instead. */
static sp_status chunk_ask(sp_h5_direct *d, const chunk_job *job)
{
    const sp_box part = {.row = job->box.row,
                         .n_rows = smaller(job->box.n_rows, d->dims[0] - job->box.row),
                         .at1 = job->box.at1,
                         .n1 = smaller(job->box.n1, d->dims[1] - job->box.at1),
                         .at2 = job->box.at2,
                         .n2 = smaller(job->box.n2, d->dims[2] - job->box.at2)};
    hsize_t start[3], count[3], n = (hsize_t)(part.n_rows * part.n1 * part.n2);
    own_axes(d->rank, part.row, part.at1, part.at2, start);
    own_axes(d->rank, part.n_rows, part.n1, part.n2, count);
    if (!d->asked && !(d->asked = malloc(d->chunk_bytes)))
        return SP_ENOMEM;
    memset(d->asked, 0, d->chunk_bytes); /* a dataset may be without a fill value */
    hid_t space = H5Dget_space(d->dataset), memory = H5Screate_simple(1, &n, NULL);
    bool done = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dread(d->dataset, d->type, memory, space, H5P_DEFAULT, d->asked) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    if (!done)
        return SP_EFILE;
    sp_box_copy(&part, d->asked, &job->to, d->size, job->out);
    return SP_OK;
}

/* Takes a chunk from the file as it is stored. *is_taken: there is something to inflate. */
static sp_status chunk_take(sp_h5_direct *d, chunk_job *job, bool *is_taken)
{
    *is_taken = false;
#if H5_VERSION_GE(1, 10, 3) && !H5_VERSION_GE(2, 0, 0)
    hsize_t at[3], stored = 0;
    own_axes(d->rank, job->box.row, job->box.at1, job->box.at2, at);
    /* A chunk that is not there is told in one of two ways: it has no size, or (without filters) it cannot be read. */
    if (H5Dget_chunk_storage_size(d->dataset, at, &stored) < 0 || stored == 0)
        return chunk_ask(d, job);
    job->stored = (size_t)stored;
    /* Nothing to undo, and all of it wanted in one run: it is read to where it belongs. */
    int64_t from, place;
    if (d->shuffle < 0 && d->packed < 0 && d->checked < 0 && job->stored == d->chunk_bytes &&
        sp_box_run(&job->box, &job->to, &from, &place) * (int64_t)d->size == (int64_t)d->chunk_bytes)
        return H5Dread_chunk(d->dataset, H5P_DEFAULT, at, &job->skipped, job->out + (size_t)place * d->size) >= 0
                   ? SP_OK
                   : chunk_ask(d, job);
    if (!room(&d->stored, &d->stored_room, job->stored_at + job->stored))
        return SP_ENOMEM;
    *is_taken = H5Dread_chunk(d->dataset, H5P_DEFAULT, at, &job->skipped, d->stored + job->stored_at) >= 0;
    return *is_taken ? SP_OK : chunk_ask(d, job);
#else
    return chunk_ask(d, job);
#endif
}

/* Inflates what was taken. */
static sp_status jobs_do(sp_h5_direct *d)
{
    if (!d->inflaters && !(d->inflaters = calloc((size_t)d->n_threads, sizeof *d->inflaters)))
        return SP_ENOMEM;
    d->failed = SP_OK;
    sp_parallel(d->n_threads, d->n_jobs, chunk_do, d);
    d->n_jobs = 0;
    return (sp_status)d->failed;
}

static sp_status job_add(sp_h5_direct *d, const sp_box *box, const sp_box *to, unsigned char *out)
{
    const chunk_job *last = d->n_jobs > 0 ? &d->jobs[d->n_jobs - 1] : NULL;
    size_t at = last ? last->stored_at + last->stored : 0;
    if (at > STORED_BYTES) {
        sp_status status = jobs_do(d);
        if (status != SP_OK)
            return status;
        at = 0;
    }
    if (d->n_jobs == d->job_room) {
        int64_t more = d->job_room ? 2 * d->job_room : 64;
        chunk_job *grown = realloc(d->jobs, (size_t)more * sizeof *grown);
        if (!grown)
            return SP_ENOMEM;
        d->jobs = grown;
        d->job_room = more;
    }
    chunk_job *job = &d->jobs[d->n_jobs];
    *job = (chunk_job){.box = *box, .stored_at = at, .to = *to, .out = out};
    bool is_taken;
    sp_status status = chunk_take(d, job, &is_taken);
    d->n_jobs += is_taken;
    return status;
}

/* All chunks of the rows first .. first+chunk-1 that `to` needs. */
static sp_status band_add(sp_h5_direct *d, int64_t first, const sp_box *to, unsigned char *out)
{
    sp_box box = {.row = first, .n_rows = d->chunk[0], .n1 = d->chunk[1], .n2 = d->chunk[2]};
    sp_status status = SP_OK;
    for (box.at1 = to->at1 / box.n1 * box.n1; box.at1 < to->at1 + to->n1; box.at1 += box.n1)
        for (box.at2 = to->at2 / box.n2 * box.n2; status == SP_OK && box.at2 < to->at2 + to->n2; box.at2 += box.n2)
            status = job_add(d, &box, to, out);
    return status;
}

/* Rows that are held together: those of one chunk, or of one for each thread where that is much to unpack. */
static int64_t held_rows(const sp_h5_direct *d)
{
    const int64_t across = (d->dims[1] + d->chunk[1] - 1) / d->chunk[1] * ((d->dims[2] + d->chunk[2] - 1) / d->chunk[2]);
    const int64_t bytes = d->chunk[0] * d->dims[1] * d->dims[2] * (int64_t)d->size, worth = 256 << 10;
    int64_t bands = across > 0 && bytes >= worth ? (d->n_threads + across - 1) / across : 1;
    if (bands * bytes > HELD_BYTES)
        bands = HELD_BYTES / bytes;
    return (bands > 1 ? bands : 1) * d->chunk[0];
}

/* Adds all chunks of the rows that begin with `first`, to be held. They are when the jobs are done. */
static sp_status held_add(sp_h5_direct *d, int64_t first, int64_t n_rows, sp_box *box)
{
    *box = (sp_box){.row = first, .n_rows = smaller(d->dims[0] - first, n_rows), .n1 = d->dims[1], .n2 = d->dims[2]};
    if (!d->held && !(d->held = malloc((size_t)(n_rows * d->dims[1] * d->dims[2]) * d->size)))
        return SP_ENOMEM;
    d->held_box.n_rows = 0;
    sp_status status = SP_OK;
    for (int64_t row = first; status == SP_OK && row < first + box->n_rows; row += d->chunk[0])
        status = band_add(d, row, box, d->held);
    return status;
}

static sp_status read_chunked(sp_h5_direct *d, const sp_box *to, unsigned char *out)
{
    const int64_t last = to->row + to->n_rows, unit = held_rows(d);
    sp_status status = SP_OK;
    sp_box box = {.n_rows = 0}; /* of what is to be held */
    d->n_jobs = 0;
    for (int64_t first = to->row / unit * unit; status == SP_OK && first < last; first += unit) {
        const bool goes_on = last < first + unit && last < d->dims[0]; /* somebody will ask for the rest */
        if (d->held_box.n_rows > 0 && d->held_box.row == first)
            sp_box_copy(&d->held_box, d->held, to, d->size, out);
        else if (goes_on)
            status = held_add(d, first, unit, &box);
        else
            for (int64_t row = first; status == SP_OK && row < first + unit && row < last; row += d->chunk[0])
                if (row + d->chunk[0] > to->row)
                    status = band_add(d, row, to, out);
    }
    if (status == SP_OK)
        status = jobs_do(d);
    if (status != SP_OK || box.n_rows == 0)
        return status;
    d->held_box = box;
    sp_box_copy(&d->held_box, d->held, to, d->size, out);
    return SP_OK;
}

sp_status sp_h5_direct_read(sp_h5_direct *d, const hsize_t *start, const hsize_t *count, void *out)
{
    sp_box to = {.row = (int64_t)start[0],
                 .n_rows = (int64_t)count[0],
                 .at1 = d->rank == 3 ? (int64_t)start[1] : 0,
                 .n1 = d->rank == 3 ? (int64_t)count[1] : 1,
                 .at2 = d->rank == 1 ? 0 : (int64_t)start[d->rank - 1],
                 .n2 = d->rank == 1 ? 1 : (int64_t)count[d->rank - 1]};
    sp_status status = d->chunk[0] == 0 ? read_contiguous(d, &to, out) : read_chunked(d, &to, out);
    if (status != SP_OK)
        d->held_box.n_rows = 0;
    return status;
}
