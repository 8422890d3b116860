#include "io/hdf5/fast/chunk_jobs.h"

#include <libdeflate.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/workers.h"
#include "io/hdf5/fast/h5_lzf.h"

/* Chunks are taken from the file this many stored bytes at a time, at least one, and then unpacked together. */
enum { STORED_BYTES = 8 << 20 };

/* What one thread unpacks into. */
typedef struct inflater {
    struct libdeflate_decompressor *zlib;
    unsigned char *inflated, *values; /* [room] each */
    size_t room;
} inflater;

typedef struct job {
    sp_chunk chunk;
    size_t at; /* in the stored bytes */
} job;

struct sp_chunk_jobs {
    sp_workers *workers;
    inflater *inflaters; /* [threads], made as they are needed */
    unsigned char *stored;
    size_t stored_room, stored_used;
    job *jobs;
    int64_t n_jobs, job_room;
    atomic_int failed; /* SP_OK, SP_ENOMEM, SP_EFILE */
};

sp_chunk_jobs *sp_chunk_jobs_new(int n_threads)
{
    sp_chunk_jobs *jobs = calloc(1, sizeof *jobs);
    if (!jobs)
        return NULL;
    n_threads = n_threads < 1 ? 1 : n_threads;
    jobs->workers = sp_workers_new(n_threads);
    jobs->inflaters = calloc((size_t)n_threads, sizeof *jobs->inflaters);
    if (jobs->workers && jobs->inflaters)
        return jobs;
    sp_chunk_jobs_free(jobs);
    return NULL;
}

void sp_chunk_jobs_free(sp_chunk_jobs *jobs)
{
    if (!jobs)
        return;
    for (int i = 0; jobs->workers && jobs->inflaters && i < sp_workers_count(jobs->workers); i++) {
        if (jobs->inflaters[i].zlib)
            libdeflate_free_decompressor(jobs->inflaters[i].zlib);
        free(jobs->inflaters[i].inflated);
        free(jobs->inflaters[i].values);
    }
    sp_workers_free(jobs->workers);
    free(jobs->inflaters);
    free(jobs->stored);
    free(jobs->jobs);
    free(jobs);
}

/* ---- on any thread ---- */

/* The inflater of a thread, for chunks of so many bytes; NULL without memory. */
static inflater *inflater_of(sp_chunk_jobs *jobs, int thread, size_t bytes)
{
    inflater *in = &jobs->inflaters[thread];
    if (!in->zlib && !(in->zlib = libdeflate_alloc_decompressor()))
        return NULL;
    if (bytes > in->room || !in->inflated) {
        free(in->inflated);
        free(in->values);
        in->inflated = malloc(bytes);
        in->values = malloc(bytes);
        in->room = in->inflated && in->values ? bytes : 0;
    }
    return in->inflated && in->values ? in : NULL;
}

/* SP_OK; SP_EFILE: damaged; SP_EDATA: whole, but fewer bytes than the chunk has. */
static sp_status unpack(const sp_chunk_form *form, inflater *in, const unsigned char *packed, size_t n,
                        unsigned char *out)
{
    if (form->is_lzf)
        return sp_lzf_unpack(packed, n, out, form->bytes) ? SP_OK : SP_EFILE;
    enum libdeflate_result done = libdeflate_zlib_decompress(in->zlib, packed, n, out, form->bytes, NULL);
    return done == LIBDEFLATE_SUCCESS ? SP_OK : done == LIBDEFLATE_SHORT_OUTPUT ? SP_EDATA : SP_EFILE;
}

static bool is_on(int filter, uint32_t skipped)
{
    return filter >= 0 && !(skipped >> filter & 1);
}

/* Takes the checksum off, 4 bytes that are there; false: it is wrong. (HDF5 then knows of one more way, of a version long gone,
 * to write it.) */
static bool checksum_is_right(const unsigned char *stored, size_t *n)
{
    *n -= 4;
    const unsigned char *sum = stored + *n;
    return sp_fletcher32(stored, *n) ==
           ((uint32_t)sum[0] | (uint32_t)sum[1] << 8 | (uint32_t)sum[2] << 16 | (uint32_t)sum[3] << 24);
}

static sp_status chunk_unpack(inflater *in, const sp_chunk *chunk, const unsigned char *values)
{
    const sp_chunk_form *form = &chunk->form;
    const int64_t n = (int64_t)(form->bytes / form->size);
    int64_t from = 0, to = 0, run = sp_box_run(&chunk->box, &chunk->to, &from, &to);
    unsigned char *place = chunk->out + (size_t)to * form->size;
    const bool is_packed = is_on(form->packed, chunk->skipped),
               is_shuffled = is_on(form->shuffle, chunk->skipped);
    size_t stored = chunk->stored;
    const bool is_checked = is_on(form->checked, chunk->skipped);
    if (is_checked && stored < 4)
        return SP_EDATA; /* HDF5 would take the sum of nearly all memory */
    if (is_checked && !checksum_is_right(values, &stored))
        return SP_EFILE;
    if (is_packed) {
        const bool is_there = !is_shuffled && run == n; /* straight to where it belongs */
        unsigned char *inflated = is_there ? place : in->inflated;
        sp_status status = unpack(form, in, values, stored, inflated);
        if (status != SP_OK || is_there)
            return status;
        values = inflated;
    } else if (stored != form->bytes) {
        return SP_EDATA;
    }
    if (is_shuffled && run >= 0) {
        sp_unshuffle(values, (size_t)n, form->size, (size_t)from, (size_t)run, place);
        return SP_OK;
    }
    if (is_shuffled) {
        sp_unshuffle(values, (size_t)n, form->size, 0, (size_t)n, in->values);
        values = in->values;
    }
    sp_box_copy(&chunk->box, values, &chunk->to, form->size, chunk->out);
    return SP_OK;
}

static void do_jobs(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    sp_chunk_jobs *jobs = arg;
    for (int64_t i = first; i < last && !jobs->failed; i++) {
        const job *j = &jobs->jobs[i];
        inflater *in = inflater_of(jobs, sp_scratch_thread(scratch), j->chunk.form.bytes);
        sp_status status = in ? chunk_unpack(in, &j->chunk, jobs->stored + j->at) : SP_ENOMEM;
        if (status != SP_OK)
            jobs->failed = status;
    }
}

/* ---- on the reading thread ---- */

void sp_chunk_jobs_drop(sp_chunk_jobs *jobs)
{
    jobs->n_jobs = 0;
    jobs->stored_used = 0;
}

sp_status sp_chunk_jobs_do(sp_chunk_jobs *jobs)
{
    jobs->failed = SP_OK;
    sp_workers_share(jobs->workers, jobs->n_jobs, do_jobs, jobs);
    sp_chunk_jobs_drop(jobs);
    return (sp_status)jobs->failed;
}

sp_status sp_chunk_jobs_room(sp_chunk_jobs *jobs, size_t stored, unsigned char **room)
{
    if (jobs->stored_used > STORED_BYTES) {
        sp_status status = sp_chunk_jobs_do(jobs);
        if (status != SP_OK)
            return status;
    }
    if (stored > jobs->stored_room - jobs->stored_used) {
        size_t need = jobs->stored_used + stored, more = need + need / 4;
        unsigned char *grown = realloc(jobs->stored, more);
        if (!grown)
            return SP_ENOMEM;
        jobs->stored = grown;
        jobs->stored_room = more;
    }
    *room = jobs->stored + jobs->stored_used;
    return SP_OK;
}

sp_status sp_chunk_jobs_add(sp_chunk_jobs *jobs, const sp_chunk *chunk)
{
    if (jobs->n_jobs == jobs->job_room) {
        int64_t more = jobs->job_room ? 2 * jobs->job_room : 64;
        job *grown = realloc(jobs->jobs, (size_t)more * sizeof *grown);
        if (!grown)
            return SP_ENOMEM;
        jobs->jobs = grown;
        jobs->job_room = more;
    }
    jobs->jobs[jobs->n_jobs++] = (job){.chunk = *chunk, .at = jobs->stored_used};
    jobs->stored_used += chunk->stored;
    return SP_OK;
}
