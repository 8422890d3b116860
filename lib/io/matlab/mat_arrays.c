#include "io/matlab/mat_arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statepath/scores.h"

/* Values in rows: MATLAB's first index runs fastest, ours the last. */
static void turn(const sp_mat_shape *shape, const unsigned char *from, size_t size, unsigned char *to)
{
    int64_t at[SP_MAT_RANK] = {0};
    for (int64_t i = 0; i < shape->count; i++) {
        int64_t place = 0;
        for (int d = 0; d < shape->rank; d++)
            place = place * shape->dims[d] + at[d];
        memcpy(to + (size_t)place * size, from + (size_t)i * size, size);
        for (int d = 0; d < shape->rank && ++at[d] == shape->dims[d]; d++)
            at[d] = 0;
    }
}

sp_status sp_mat_numbers(const sp_mat_shape *shape, const sp_element *element, const void *values,
                         const char *type, sp_stored *out, sp_error *err)
{
    *out = (sp_stored){.form = SP_STORED_NUMBERS,
                       .element = *element,
                       .size = element->size,
                       .rank = shape->rank,
                       .count = shape->count,
                       .is_known = true};
    memcpy(out->dims, shape->dims, sizeof out->dims);
    snprintf(out->type, sizeof out->type, "%s", type);
    if (!(out->bytes = malloc((size_t)shape->count * element->size + 1)))
        return sp_no_memory(err);
    turn(shape, values, element->size, out->bytes);
    return SP_OK;
}

sp_status sp_mat_texts(const sp_mat_shape *shape, const uint32_t *letters, sp_stored *out, sp_error *err)
{
    const int one = 1;
    const int64_t n = shape->count ? shape->dims[0] : 1, length = shape->count ? shape->count / n : 0;
    *out = (sp_stored){.form = SP_STORED_LETTERS,
                       .element = {.is_big = *(const char *)&one == 0},
                       .size = 4 * (length ? length : 1),
                       .rank = 1,
                       .dims = {n},
                       .count = n,
                       .is_known = true};
    snprintf(out->type, sizeof out->type, "char");
    uint32_t *text = calloc((size_t)(n * (length ? length : 1)), sizeof *text);
    if (!text)
        return sp_no_memory(err);
    out->bytes = (unsigned char *)text;
    for (int64_t i = 0; i < n; i++) {
        int64_t used = length;
        while (used && letters[(used - 1) * n + i] == ' ')
            used--;
        for (int64_t j = 0; j < used; j++)
            text[i * length + j] = letters[j * n + i];
    }
    return SP_OK;
}

/* A vector has one dimension; scores of one step, or of one class, keep theirs. */
static void squeeze(const char *name, sp_stored *array)
{
    sp_kind kind;
    char base[40];
    snprintf(base, sizeof base, "%.*s", (int)strcspn(name, "/"), name);
    if (array->rank == 2 && (array->dims[0] == 1 || array->dims[1] == 1) &&
        sp_kind_parse(base, &kind, NULL) != SP_OK) {
        array->rank = 1;
        array->dims[0] = array->count;
    }
}

sp_status sp_mat_add(sp_stored_file *f, const char *name, sp_stored *array, sp_error *err)
{
    if (f->n > sp_stored_most(f->file_size) / (int64_t)sizeof *array) {
        free(array->bytes);
        return sp_fail(err, SP_EDATA,
                       "%s: speaks of more matrices than its %lld bytes can hold; save it again", f->file,
                       (long long)f->file_size);
    }
    sp_stored *more = realloc(f->arrays, ((size_t)f->n + 1) * sizeof *more);
    if (more)
        f->arrays = more;
    array->name = strdup(name);
    if (!more || !array->name) {
        free(array->name);
        free(array->bytes);
        return sp_no_memory(err);
    }
    squeeze(name, array);
    f->arrays[f->n++] = *array;
    return SP_OK;
}

sp_status sp_mat_add_cell(sp_stored_file *f, const char *name, int64_t number, sp_stored *array,
                          sp_error *err)
{
    char *own = malloc(strlen(name) + 24);
    if (!own) {
        free(array->bytes);
        return sp_no_memory(err);
    }
    sprintf(own, "%s/%lld", name, (long long)number);
    sp_status status = sp_mat_add(f, own, array, err);
    free(own);
    return status;
}

static bool is_one_text(const sp_stored *array)
{
    return array->form == SP_STORED_LETTERS && array->count == 1;
}

/* Room for n texts as long as the longest; where that is much more than they are long they stay as they are. */
static int64_t size_of_texts(int64_t n, const sp_stored *texts)
{
    enum { MOST = 1 << 26, RATIO = 8 };
    int64_t size = 4, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        size = texts[i].size > size ? texts[i].size : size;
        sum += texts[i].size;
    }
    return size <= (MOST + RATIO * sum) / n ? size : 0;
}

sp_status sp_mat_join_texts(sp_stored_file *f, const char *name, int64_t n, sp_error *err)
{
    if (n == 0)
        return SP_OK;
    sp_stored *cells = f->arrays + f->n - n, joined;
    for (int64_t i = 0; i < n; i++)
        if (!is_one_text(&cells[i]))
            return SP_OK;
    const int64_t size = size_of_texts(n, cells);
    if (!size)
        return SP_OK;
    joined = cells[0];
    joined.size = size;
    joined.dims[0] = joined.count = n;
    if (!(joined.bytes = calloc((size_t)n, (size_t)size)))
        return sp_no_memory(err);
    for (int64_t i = 0; i < n; i++) {
        memcpy(joined.bytes + i * size, cells[i].bytes, (size_t)cells[i].size);
        free(cells[i].bytes);
        free(cells[i].name);
    }
    f->n -= n;
    return sp_mat_add(f, name, &joined, err);
}

sp_status sp_mat_end(sp_stored_file *f, sp_error *err)
{
    if (f->n > 0)
        return sp_stored_index(f, err);
    return sp_fail(err, SP_EDATA,
                   "%s: holds no matrices of numbers, texts, or cells of these; save(FILE, '-struct', "
                   "'NAME') saves the fields "
                   "of a struct so",
                   f->file);
}
