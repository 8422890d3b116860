#include "io/arrays/array_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_base.h"
#include "io/arrays/array_find.h"

/* What is read of a part: as what. */
typedef struct reading {
    const sp_array_map *map;
    const sp_array_part *part;
    sp_target target;
    int64_t limit;
} reading;

static int64_t width_of(const reading *r)
{
    return r->part->has_classes ? r->map->n_classes : 1;
}

static size_t step_bytes(const reading *r)
{
    return sp_target_size(r->target) * (size_t)width_of(r);
}

/* The sentence for value `at` of steps that begin with step `first` of recording n; of packed layouts they may go on into the
 * next ones. */
static sp_status refuse_value(const reading *r, const sp_stored *array, int64_t n, int64_t first, int64_t at,
                              double bad, sp_error *err)
{
    const sp_array_map *map = r->map;
    char where[SP_STORED_WHERE], what[SP_ELEMENT_REFUSAL], class[40] = "", list[SP_ARRAY_BASE];
    int64_t step = first + at / width_of(r);
    while (step >= map->offsets[n + 1] - map->offsets[n]) {
        step -= map->offsets[n + 1] - map->offsets[n];
        n++;
    }
    if (r->part->has_classes)
        snprintf(class, sizeof class, ", class %lld", (long long)(at % width_of(r)));
    sp_element_refuse(r->part->noun, r->target, r->limit, bad, what);
    const bool is_base =
        map->file.counts_from_1 && strcmp(r->part->noun, "label") == 0 && bad == (double)r->limit;
    return sp_fail_at(err, SP_EDATA, step, "%s, recording %s, step %lld%s: %s%s%s%s",
                      sp_stored_where(&map->file, array, where), map->ids[n], (long long)step, class, what,
                      is_base ? "; MATLAB counts from 1: `map` " : "",
                      is_base ? sp_array_base_map(map->source, list) : "",
                      is_base ? " reads labels that do" : "");
}

/* Values of rows `row` .. of an array whose first index runs fastest: column by column. */
static sp_status read_columns(const reading *r, sp_stored *array, int64_t row, int64_t rows, void *out,
                              int64_t *bad_at, double *bad, sp_error *err)
{
    const int64_t width = r->map->n_classes;
    const size_t size = sp_target_size(r->target);
    unsigned char *column = malloc((size_t)rows * size + 1), *to = out;
    sp_status status = column ? SP_OK : sp_no_memory(err);
    for (int64_t k = 0; status == SP_OK && *bad_at < 0 && k < width; k++) {
        status = sp_stored_read(&r->map->file, array, k * array->dims[0] + row, rows, r->target, r->limit,
                                column, bad_at, bad, err);
        if (status == SP_OK && *bad_at >= 0)
            *bad_at = *bad_at * width + k;
        else if (status == SP_OK && size == 4)
            for (int64_t t = 0; t < rows; t++)
                memcpy(to + (size_t)(t * width + k) * 4, column + (size_t)t * 4, 4);
        else if (status == SP_OK)
            for (int64_t t = 0; t < rows; t++)
                memcpy(to + (size_t)(t * width + k) * size, column + (size_t)t * size, size);
    }
    free(column);
    return status;
}

/* n steps that begin with step `first` of recording `recording`, row `row` of the array's steps. */
static sp_status read_rows(const reading *r, sp_stored *array, int64_t recording, int64_t row, int64_t first,
                           int64_t n, void *out, sp_error *err)
{
    const int64_t width = width_of(r);
    int64_t bad_at = -1;
    double bad = 0;
    if (array->form != SP_STORED_NUMBERS)
        return sp_stored_refuse_text(&r->map->file, array, err);
    sp_status status = array->is_columns && width > 1
                           ? read_columns(r, array, row, n, out, &bad_at, &bad, err)
                           : sp_stored_read(&r->map->file, array, row * width, n * width, r->target, r->limit,
                                            out, &bad_at, &bad, err);
    return status != SP_OK || bad_at < 0 ? status
                                         : refuse_value(r, array, recording, first, bad_at, bad, err);
}

/* Steps first .. first+n-1 of a recording; of packed layouts n may go on into the next ones. */
static sp_status read_steps(const reading *r, int64_t recording, int64_t first, int64_t n, void *out,
                            sp_error *err)
{
    const sp_array_map *map = r->map;
    sp_stored taken = {.name = NULL}, *array = sp_array_of(r->part, recording);
    const int64_t before = map->layout == SP_LAYOUT_PADDED   ? recording * map->padded_steps
                           : map->layout == SP_LAYOUT_PACKED ? map->offsets[recording]
                                                             : 0;
    char *name = NULL;
    sp_status status = SP_OK;
    if (sp_array_is_absent(r->part, recording)) {
        memset(out, 0xff, (size_t)n * step_bytes(r)); /* -1 */
        return SP_OK;
    }
    if (r->part->is_taken) {
        if (!(name = sp_array_fill(r->part->path, map->ids[recording])))
            TRY(sp_no_memory(err));
        TRY(map->file.store->take(&map->file, name, &taken, err));
        array = &taken;
        TRY(sp_array_check(map, r->part, array, recording, err));
    }
    TRY(read_rows(r, array, recording, before + first, first, n, out, err));
done:
    if (r->part->is_taken)
        map->file.store->drop(&taken);
    free(name);
    return status;
}

/* ---- padded rows of a store ---- */

/* Recordings n .. n+count-1 in one reading, the padding with them, then each packed. */
static sp_status read_slab(const reading *r, int64_t n, int64_t count, int64_t longest, unsigned char *out,
                           sp_error *err)
{
    const sp_array_map *map = r->map;
    sp_stored *array = r->part->one;
    const int64_t width = width_of(r), start[SP_STORED_RANK] = {n},
                  size[SP_STORED_RANK] = {count, longest, width};
    const size_t raw_row = (size_t)(width * array->size);
    sp_status status = SP_OK;
    unsigned char *raw = map->file.store->room(&map->file, (size_t)(count * longest) * raw_row + 1);
    if (!raw)
        TRY(sp_no_memory(err));
    if (longest > 0)
        TRY(map->file.store->read(&map->file, array, start, size, raw, err));
    for (int64_t i = 0; i < count; i++) {
        const int64_t n_steps = map->offsets[n + i + 1] - map->offsets[n + i];
        double bad = 0;
        const int64_t at = sp_element_convert(
            &array->element, raw + (size_t)(i * longest) * raw_row, n_steps * width, r->target, r->limit,
            out + (size_t)(map->offsets[n + i] - map->offsets[n]) * step_bytes(r), &bad);
        if (at >= 0)
            TRY(refuse_value(r, array, n + i, 0, at, bad, err));
    }
done:
    return status;
}

static sp_status read_slabs(const reading *r, const sp_wanted *w, unsigned char *out, sp_error *err)
{
    enum { SLAB = 4 << 20 };
    const int64_t *offsets = r->map->offsets, one = r->map->padded_steps * width_of(r) * r->part->one->size;
    const int64_t at_once = one > 0 && one < SLAB ? SLAB / one : 1;
    sp_status status = SP_OK;
    for (int64_t n = w->first; n < w->first + w->count; n += at_once) {
        const int64_t count = n + at_once < w->first + w->count ? at_once : w->first + w->count - n;
        unsigned char *to = out + (size_t)(offsets[n] - offsets[w->first]) * step_bytes(r);
        int64_t longest = 0;
        for (int64_t i = 0; i < count; i++)
            if (offsets[n + i + 1] - offsets[n + i] > longest)
                longest = offsets[n + i + 1] - offsets[n + i];
        TRY(count == 1 ? read_steps(r, n, 0, longest, to, err) : read_slab(r, n, count, longest, to, err));
    }
done:
    return status;
}

/* ---- all layouts ---- */

/* Of one recording's array in a store, all of it. */
static sp_status read_taken(void *arg, sp_stored *array, int64_t n, void *out, sp_error *err)
{
    const reading *r = arg;
    sp_status status = sp_array_check(r->map, r->part, array, n, err);
    return status == SP_OK
               ? read_rows(r, array, n, 0, 0, r->map->offsets[n + 1] - r->map->offsets[n], out, err)
               : status;
}

sp_status sp_array_part_read(const sp_array_map *map, const sp_array_part *part, const sp_wanted *w,
                             sp_target target, int64_t limit, void *out, sp_error *err)
{
    reading r = {.map = map, .part = part, .target = target, .limit = limit};
    const sp_stored *one = part->one;
    if (!out || w->n_steps == 0)
        return SP_OK;
    if (w->is_part || map->layout == SP_LAYOUT_PACKED || map->layout == SP_LAYOUT_SINGLE)
        return read_steps(&r, w->first, w->first_step, w->n_steps, out, err);
    if (part->is_taken) {
        const sp_each_reading each = {.pattern = part->path,
                                      .ids = map->ids,
                                      .offsets = map->offsets,
                                      .absent = part->absent,
                                      .width = width_of(&r),
                                      .target = target,
                                      .limit = limit,
                                      .first = w->first,
                                      .count = w->count,
                                      .out = out,
                                      .one = read_taken,
                                      .arg = &r};
        return map->file.store->read_each(&map->file, &each, err);
    }
    if (map->file.store && map->file.store->read && one && !one->bytes)
        return read_slabs(&r, w, out, err);
    sp_status status = SP_OK;
    for (int64_t n = w->first; n < w->first + w->count; n++)
        TRY(read_steps(&r, n, 0, map->offsets[n + 1] - map->offsets[n],
                       (char *)out + (size_t)(map->offsets[n] - map->offsets[w->first]) * step_bytes(&r),
                       err));
done:
    return status;
}
