/* Values of recordings of a dataset each, on their way: by the places that were noted, by their chunks, or each opened by
 * itself. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_find.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_store.h"

typedef struct group_read {
    const sp_stored_file *f;
    sp_h5_store *h;
    const sp_each_reading *r;
    const sp_h5_places *places; /* or NULL */
    sp_chunk_jobs *jobs;        /* NULL: no chunk has to wait */
    unsigned char *wide;        /* values of up to 8 bytes for all steps; made as it is needed */
} group_read;

/* Values that come before recording n. */
static int64_t values_before(const group_read *g, int64_t n)
{
    return (g->r->offsets[n] - g->r->offsets[g->r->first]) * g->r->width;
}

static unsigned char *out_of(const group_read *g, int64_t n)
{
    return (unsigned char *)g->r->out + (size_t)values_before(g, n) * sp_target_size(g->r->target);
}

static bool is_absent(const group_read *g, int64_t n)
{
    return g->r->absent && g->r->absent[n];
}

static unsigned char *wide_room(sp_h5_each *each, size_t size)
{
    if (each->wide_size < size || !each->wide) {
        unsigned char *grown = malloc(size + 64);
        if (!grown)
            return NULL;
        free(each->wide);
        each->wide = grown;
        each->wide_size = size;
    }
    return each->wide;
}

/* Where recording n's values come to lie as they are stored: where they grow in place, as in sp_stored_read(), else by
 * themselves. NULL on lack of memory. */
static unsigned char *raw_of(group_read *g, int64_t n, const sp_element *element)
{
    const size_t to = sp_target_size(g->r->target), from = element->size;
    const int64_t before = values_before(g, n), values = values_before(g, n + 1) - before;
    if (from <= to)
        return out_of(g, n) + (size_t)values * (to - from);
    if (!g->wide)
        g->wide =
            wide_room(&g->h->each, (size_t)values_before(g, g->r->first + g->r->count) * sizeof(int64_t));
    return g->wide ? g->wide + (size_t)before * sizeof(int64_t) : NULL;
}

/* Recording n's values, which are all there. False: there is something wrong with one of them. */
static bool convert(group_read *g, int64_t n, const sp_element *element)
{
    const int64_t values = values_before(g, n + 1) - values_before(g, n);
    const unsigned char *raw = raw_of(g, n, element);
    double bad;
    return raw && sp_element_convert(element, raw, values, g->r->target, g->r->limit, out_of(g, n), &bad) < 0;
}

/* Lets a recording's chunks be unpacked together with those of others. False: to be read by itself, which also finds the words
 * for what is wrong. */
static bool read_later(const group_read *g, const sp_stored *array, int64_t n)
{
    const sp_h5_request request = sp_h5_data_request(sp_h5_array_data(array));
    return g->jobs && array->count > 0 && array->dims[0] == g->r->offsets[n + 1] - g->r->offsets[n] &&
           array->count == array->dims[0] * g->r->width && sp_element_is(&array->element, g->r->target) &&
           sp_h5_direct_gather(&request, g->jobs, out_of(g, n)) == SP_OK;
}

/* Opens recording n's dataset and reads it, or lets its chunks wait. */
static sp_status open_one(const group_read *g, int64_t n, sp_error *err)
{
    char *path = sp_array_fill(g->r->pattern, g->r->ids[n]);
    sp_stored array = {.name = NULL};
    sp_status status = SP_OK;
    if (!path)
        TRY(sp_no_memory(err));
    TRY(sp_h5_each_take(g->f, path, &array, err));
    if (!read_later(g, &array, n))
        TRY(g->r->one(g->r->arg, &array, n, out_of(g, n), err));
done:
    sp_h5_each_drop(&array);
    free(path);
    return status;
}

/* One recording. *is_lost, and SP_EFILE without a word in err: chunks cannot be had this way. */
static sp_status read_one(group_read *g, int64_t n, bool *is_lost, sp_error *err)
{
    if (is_absent(g, n)) {
        memset(out_of(g, n), 0xff,
               (size_t)(values_before(g, n + 1) - values_before(g, n)) *
                   sp_target_size(g->r->target)); /* -1 */
        return SP_OK;
    }
    const sp_element *element = g->places ? sp_h5_places_element(g->places, n) : NULL;
    if (!element)
        return open_one(g, n, err);
    unsigned char *raw = raw_of(g, n, element);
    bool is_there = true;
    sp_status status =
        raw ? sp_h5_places_fetch(g->places, n, g->h->each.vfile, g->jobs, raw, &is_there) : SP_ENOMEM;
    if (status == SP_ENOMEM)
        return sp_no_memory(err);
    *is_lost = status != SP_OK && !is_there;
    if (*is_lost || (status == SP_OK && (!is_there || convert(g, n, element))))
        return status;
    return open_one(g, n, err); /* which finds the words for what is wrong */
}

static sp_status read_all(group_read *g, bool *is_lost, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t n = g->r->first; n < g->r->first + g->r->count; n++)
        TRY(read_one(g, n, is_lost, err));
done:
    return status;
}

/* Converts what came in chunks. */
static sp_status finish(group_read *g, sp_error *err)
{
    sp_status status = SP_OK;
    g->jobs = NULL;
    for (int64_t n = g->r->first; g->places && n < g->r->first + g->r->count; n++) {
        const sp_element *element = sp_h5_places_element(g->places, n);
        if (element && sp_h5_places_is_chunked(g->places, n) && !is_absent(g, n) && !convert(g, n, element))
            TRY(open_one(g, n, err));
    }
done:
    return status;
}

sp_status sp_h5_each_read(const sp_stored_file *f, const sp_each_reading *r, sp_error *err)
{
    sp_h5_store *h = f->own;
    sp_h5_each *each = &h->each;
    group_read g = {.f = f, .h = h, .r = r, .places = sp_h5_each_places(each, r->pattern)};
    bool is_lost = false;
    if (!each->jobs && !(each->jobs = sp_chunk_jobs_new(h->n_threads)))
        return sp_no_memory(err);
    sp_chunk_jobs_drop(each->jobs);
    g.jobs = each->jobs;
    sp_status status = read_all(&g, &is_lost, err);
    if (status != SP_OK && !is_lost)
        return status;
    if (status == SP_OK)
        status = sp_chunk_jobs_do(each->jobs);
    if (status == SP_EDATA)
        return sp_fail(err, SP_EFILE, SP_H5_SHORT_CHUNK, f->file, r->pattern);
    if (status == SP_OK)
        return finish(&g, err);
    if (status == SP_ENOMEM)
        return sp_no_memory(err);
    sp_chunk_jobs_drop(each->jobs);
    g.places = NULL; /* opening each finds the words for what is wrong */
    g.jobs = NULL;
    return read_all(&g, &is_lost, err);
}
