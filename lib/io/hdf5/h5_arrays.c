#include "statepath/signals_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/try.h"
#include "io/format.h"
#include "io/hdf5/h5_file.h"
#include "io/hdf5/h5_store.h"

void sp_array_clear(sp_array *array)
{
    free(array->data);
    *array = (sp_array){.rank = 0};
}

/* Shape of the dataset, where it is one that is read. */
static sp_status shape_of(const sp_stored *data, const char *where, sp_array *out, sp_error *err)
{
    const int64_t most = INT64_C(1) << 31;
    char shape[SP_STORED_SHAPE];
    if (data->rank > SP_ARRAY_RANK)
        return sp_fail(err, SP_EDATA, "%s has shape %s: more than %d dimensions are not read", where,
                       sp_stored_shape(data, shape), SP_ARRAY_RANK);
    if (data->count > most)
        return sp_fail(err, SP_EDATA, "%s has shape %s: more than %lld values are not read at once", where,
                       sp_stored_shape(data, shape), (long long)most);
    out->rank = data->rank;
    out->count = data->count;
    for (int d = 0; d < data->rank; d++)
        out->dims[d] = data->dims[d];
    return SP_OK;
}

/* "row 3, column 1" of value i. */
static void place_of(const sp_array *a, int64_t i, char *text, size_t size)
{
    int64_t at[SP_ARRAY_RANK];
    size_t used = 0;
    for (int d = a->rank - 1; d >= 0; i /= a->dims[d--])
        at[d] = i % a->dims[d];
    text[0] = 0;
    for (int d = 0; d < a->rank && used < size; d++)
        used += (size_t)snprintf(text + used, size - used, d ? ", %lld" : "row %lld", (long long)at[d]);
}

static sp_status read_array(sp_stored_file *f, const char *path, const char *mend, sp_array *a, sp_error *err)
{
    char where[SP_STORED_WHERE], place[100];
    sp_stored *data = NULL;
    int64_t at = -1;
    double bad = 0;
    sp_status status = SP_OK;
    if (sp_stored_what_is(f, path) != SP_STORED_ARRAY)
        TRY(f->store->explain(f, path, mend, err));
    if (!(data = sp_stored_find(f, path)))
        TRY(sp_no_memory(err));
    TRY(sp_stored_look(f, data, err));
    if (data->form != SP_STORED_NUMBERS)
        TRY(sp_stored_refuse_text(f, data, err));
    TRY(shape_of(data, sp_stored_where(f, data, where), a, err));
    if (!(a->data = malloc((size_t)a->count + 1)))
        TRY(sp_no_memory(err));
    TRY(sp_stored_read(f, data, 0, a->count, SP_TO_BOOL, 0, a->data, &at, &bad, err));
    if (at >= 0) {
        place_of(a, at, place, sizeof place);
        TRY(sp_fail_at(err, SP_EDATA, at, "%s, %s: %g is neither 0 nor 1", where, place, bad));
    }
done:
    return status;
}

static sp_status open_file(sp_stored_file *f, const char *path, const sp_file_access *how, sp_error *err)
{
    sp_status status = sp_format_check_h5(f->file, path, how, err);
    return status == SP_OK ? sp_h5_store_open(f, how, err) : status;
}

sp_status sp_array_read(const char *file, const char *path, const sp_file_access *how, const char *mend,
                        sp_array *out, sp_error *err)
{
    sp_stored_file f = {.file = file, .fd = -1};
    sp_array a = {.rank = 0};
    char *normal = sp_stored_path(path);
    sp_status status = SP_OK;
    sp_h5_quiet quiet;
    sp_h5_quiet_begin(&quiet);
    TRY(normal ? open_file(&f, normal, how, err) : sp_no_memory(err));
    TRY(read_array(&f, normal, mend, &a, err));
done:
    sp_stored_close(&f);
    status = sp_h5_quiet_end(&quiet, status, err);
    free(normal);
    if (status == SP_OK)
        *out = a;
    else
        sp_array_clear(&a);
    return status;
}
