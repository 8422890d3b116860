/* MATLAB's files before version 7.3 ("level 5"): 128 bytes of header, then elements of eight bytes of tag and their values,
 * compressed or not. Read whole into memory. A row of the table of formats.
 *
 * Our own reader: libmatio would bring a second HDF5 into the process. Source: The MathWorks, MAT-File Format (2024).
 */
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "io/arrays/array_source.h"
#include "io/matlab/mat_arrays.h"

enum { HEADER = 128, TAG = 8, NAME = 64 };

/* Types of elements. */
enum {
    MI_INT8 = 1,
    MI_SINGLE = 7,
    MI_DOUBLE = 9,
    MI_INT64 = 12,
    MI_UINT64 = 13,
    MI_MATRIX = 14,
    MI_COMPRESSED = 15,
    MI_UTF8 = 16,
    MI_UTF32 = 18
};
/* Classes of matrices. */
enum { MX_CELL = 1, MX_CHAR = 4, MX_DOUBLE = 6, MX_SINGLE = 7, MX_UINT64 = 15 };
static const char *const class_names[] = {"",       "cell",   "struct", "object", "char",  "sparse",
                                          "double", "single", "int8",   "uint8",  "int16", "uint16",
                                          "int32",  "uint32", "int64",  "uint64"};

/* Bytes of a value of each type; 0: it has none. */
static const uint8_t type_bytes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 0, 0, 1, 2, 4};

/* Elements that are being read: all of the file, or those inside one. */
typedef struct elements {
    const sp_stored_file *file;
    const unsigned char *at;
    int64_t left;
    int64_t place; /* of `at` in the file, of what is compressed that of its element */
    bool is_packed, is_swapped;
} elements;

typedef struct element {
    uint32_t type;
    int64_t n; /* bytes */
    const unsigned char *bytes;
    int64_t place;
} element;

static sp_status damaged(const elements *e, const char *what, sp_error *err)
{
    return sp_fail(err, SP_EFILE, "%s: byte %lld%s: %s; the file is damaged or cut short: save it again",
                   e->file->file, (long long)e->place, e->is_packed ? " (unpacked)" : "", what);
}

static uint64_t number_at(const elements *e, const unsigned char *at, size_t size)
{
    const int one = 1;
    const bool is_big = (*(const char *)&one == 0) != e->is_swapped;
    uint64_t x = 0;
    for (size_t i = 0; i < size; i++)
        x |= (uint64_t)at[is_big ? size - 1 - i : i] << (8 * i);
    return x;
}

/* The next element, its padding passed over. A small one has its values in the second half of its tag. */
static sp_status next(elements *e, element *out, sp_error *err)
{
    if (e->left < TAG)
        return damaged(e, "a tag is not whole", err);
    const uint32_t first = (uint32_t)number_at(e, e->at, 4);
    const bool is_small = first >> 16 != 0;
    *out = (element){.type = is_small ? first & 0xffff : first,
                     .n = is_small ? (int64_t)(first >> 16) : (int64_t)number_at(e, e->at + 4, 4),
                     .bytes = e->at + (is_small ? 4 : TAG),
                     .place = e->place};
    if (out->n > (is_small ? 4 : e->left - TAG))
        return damaged(e, "an element is longer than what holds it", err);
    int64_t whole = is_small ? TAG : TAG + out->n;
    if (out->type != MI_COMPRESSED)
        whole = (whole + 7) / 8 * 8;
    whole = whole < e->left ? whole : e->left;
    e->at += whole;
    e->left -= whole;
    e->place += e->is_packed ? 0 : whole;
    return SP_OK;
}

/* ---- values ---- */

static double double_of(const elements *e, uint32_t type, const unsigned char *at)
{
    const size_t size = type_bytes[type];
    const uint64_t bits = number_at(e, at, size);
    if (type == MI_DOUBLE) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    if (type == MI_SINGLE) {
        const uint32_t half = (uint32_t)bits;
        float x;
        memcpy(&x, &half, sizeof x);
        return (double)x;
    }
    const bool is_signed = type == MI_INT8 || type == 3 || type == 5 || type == MI_INT64;
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return is_signed && (bits & sign) ? -(double)((~bits & (2 * sign - 1)) + 1) : (double)bits;
}

static bool is_numeric(uint32_t type)
{
    return type < MI_MATRIX && type_bytes[type] > 0;
}

/* Values of the class `single` as floats, of `double` as doubles, of integers as int64. They may be stored as a smaller type. */
static sp_status read_numbers(elements *e, uint32_t class, const sp_mat_shape *shape, sp_stored *out,
                              sp_error *err)
{
    element values;
    sp_status status = next(e, &values, err);
    if (status != SP_OK)
        return status;
    if (!is_numeric(values.type) || values.n / type_bytes[values.type] != shape->count)
        return damaged(e, "a matrix has not as many values as its size says", err);
    const bool is_single = class == MX_SINGLE, is_double = class == MX_DOUBLE;
    const sp_element kind = {.kind = is_single || is_double ? SP_ELEMENT_FLOAT : SP_ELEMENT_INT,
                             .size = is_single ? 4 : 8};
    const int one = 1;
    sp_element native = kind;
    native.is_big = *(const char *)&one == 0;
    if (values.type == (is_single   ? MI_SINGLE
                        : is_double ? MI_DOUBLE
                                    : MI_INT64)) { /* as most are: no copy between */
        native.is_big ^= e->is_swapped;
        return sp_mat_numbers(shape, &native, values.bytes, class_names[class], out, err);
    }
    unsigned char *raw = malloc((size_t)shape->count * kind.size + 1);
    if (!raw)
        return sp_no_memory(err);
    for (int64_t i = 0; i < shape->count; i++) {
        const double x = double_of(e, values.type, values.bytes + i * type_bytes[values.type]);
        const float single = (float)x;
        const int64_t whole = x >= -9.2e18 && x <= 9.2e18 ? (int64_t)x : INT64_MAX;
        memcpy(raw + i * kind.size,
               is_single   ? (const void *)&single
               : is_double ? (const void *)&x
                           : (const void *)&whole,
               kind.size);
    }
    status = sp_mat_numbers(shape, &native, raw, class_names[class], out, err);
    free(raw);
    return status;
}

/* One letter of UTF-8; the bytes that it takes. What is none is taken byte by byte. */
static int letter_of_utf8(const unsigned char *at, int64_t left, uint32_t *out)
{
    const int more = at[0] >= 0xf0 ? 3 : at[0] >= 0xe0 ? 2 : at[0] >= 0xc2 ? 1 : 0;
    uint32_t letter = more == 3   ? at[0] & 0x07u
                      : more == 2 ? at[0] & 0x0fu
                      : more == 1 ? at[0] & 0x1fu
                                  : at[0];
    for (int i = 1; i <= more; i++) {
        if (i >= left || (at[i] & 0xc0) != 0x80) {
            *out = at[0];
            return 1;
        }
        letter = letter << 6 | (at[i] & 0x3fu);
    }
    *out = letter;
    return 1 + more;
}

static sp_status read_letters(elements *e, const sp_mat_shape *shape, sp_stored *out, sp_error *err)
{
    element values;
    sp_status status = next(e, &values, err);
    if (status != SP_OK)
        return status;
    const int64_t size = values.type <= MI_UTF32 ? type_bytes[values.type] : 0;
    if (size < 1 || size > 4 || values.n < shape->count * size)
        return damaged(e, "a text has not as many letters as its size says", err);
    uint32_t *letters = calloc((size_t)shape->count + 1, sizeof *letters);
    if (!letters)
        return sp_no_memory(err);
    for (int64_t i = 0, at = 0; i < shape->count && at < values.n; i++)
        if (values.type == MI_UTF8)
            at += letter_of_utf8(values.bytes + at, values.n - at, &letters[i]);
        else
            letters[i] = (uint32_t)number_at(e, values.bytes + i * size, (size_t)size);
    status = sp_mat_texts(shape, letters, out, err);
    free(letters);
    return status;
}

/* ---- matrices ---- */

typedef struct matrix {
    uint32_t class;
    bool is_complex, is_logical;
    sp_mat_shape shape;
    char name[NAME + 1];
} matrix;

static sp_status read_shape(const elements *e, const element *dims, sp_mat_shape *out, sp_error *err)
{
    const int64_t rank = dims->n / 4;
    if (dims->type != 5 || rank < 2)
        return damaged(e, "a matrix has no size", err);
    *out = (sp_mat_shape){.rank = rank > SP_MAT_RANK ? 0 : (int)rank, .count = 1};
    for (int64_t d = 0; d < rank; d++) {
        const int64_t n = (int64_t)number_at(e, dims->bytes + 4 * d, 4);
        if (n > INT32_MAX || (n && out->count > (INT64_C(1) << 40) / n))
            return damaged(e, "a matrix is impossibly large", err);
        out->count *= n;
        if (out->rank)
            out->dims[d] = n;
    }
    return SP_OK;
}

static sp_status read_head(elements *e, matrix *m, sp_error *err)
{
    element flags, dims, name;
    sp_status status = SP_OK;
    TRY(next(e, &flags, err));
    if (flags.type != 6 || flags.n != 8)
        return damaged(e, "a matrix has no flags", err);
    TRY(next(e, &dims, err));
    TRY(read_shape(e, &dims, &m->shape, err));
    TRY(next(e, &name, err));
    if (name.type != MI_INT8)
        return damaged(e, "a matrix has no name", err);
    const uint32_t bits = (uint32_t)number_at(e, flags.bytes, 4);
    m->class = bits & 0xff;
    m->is_complex = bits & 0x800;
    m->is_logical = bits & 0x200;
    snprintf(m->name, sizeof m->name, "%.*s", (int)(name.n < NAME ? name.n : NAME), (const char *)name.bytes);
done:
    return status;
}

/* Numbers or text; anything else leaves `out` without bytes. */
static sp_status read_plain(elements *e, const matrix *m, sp_stored *out, sp_error *err)
{
    *out = (sp_stored){.name = NULL};
    if (!m->shape.rank || m->is_complex)
        return SP_OK;
    if (m->class == MX_CHAR)
        return read_letters(e, &m->shape, out, err);
    if (m->class < MX_DOUBLE || m->class > MX_UINT64)
        return SP_OK;
    sp_status status = read_numbers(e, m->class, &m->shape, out, err);
    if (status == SP_OK && m->is_logical)
        snprintf(out->type, sizeof out->type, "logical");
    return status;
}

static elements inside(const elements *e, const element *one)
{
    elements in = *e;
    in.at = one->bytes;
    in.left = one->n;
    in.place = one->place + (e->is_packed ? 0 : TAG);
    return in;
}

static sp_status read_cells(elements *e, sp_stored_file *f, const matrix *m, sp_error *err)
{
    const int64_t n = m->shape.count, before = f->n;
    if (n > e->left / TAG)
        return damaged(e, "a cell array has not as many cells as its size says", err);
    sp_status status = SP_OK;
    for (int64_t i = 0; i < n; i++) {
        element one = {.n = 0};
        matrix cell;
        sp_stored array;
        TRY(next(e, &one, err));
        if (one.type != MI_MATRIX)
            return damaged(e, "a cell is no matrix", err);
        if (one.n == 0) /* an empty cell */
            continue;
        elements in = inside(e, &one);
        TRY(read_head(&in, &cell, err));
        TRY(read_plain(&in, &cell, &array, err));
        if (array.bytes)
            TRY(sp_mat_add_cell(f, m->name, i + 1, &array, err));
    }
    if (f->n - before == n)
        TRY(sp_mat_join_texts(f, m->name, n, err));
done:
    return status;
}

static sp_status read_matrix(elements *e, sp_stored_file *f, sp_error *err)
{
    matrix m;
    sp_stored array;
    sp_status status = read_head(e, &m, err);
    if (status != SP_OK || !m.name[0])
        return status;
    if (m.class == MX_CELL)
        return read_cells(e, f, &m, err);
    status = read_plain(e, &m, &array, err);
    return status == SP_OK && array.bytes ? sp_mat_add(f, m.name, &array, err) : status;
}

/* ---- the file ---- */

/* zlib says nothing of how long it gets: room doubles, up to what deflate can do at all. */
static sp_status unpack(const elements *e, const element *packed, unsigned char **out, int64_t *n,
                        sp_error *err)
{
    const size_t most = (size_t)sp_stored_most(packed->n);
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;
    unsigned char *bytes = NULL;
    size_t room = 0, done = 0;
    bool is_short = !inflater;
    while (!is_short && result == LIBDEFLATE_INSUFFICIENT_SPACE && room < most) {
        room = room ? 2 * room : (size_t)packed->n * 4 + 1024;
        room = room < most ? room : most;
        free(bytes);
        bytes = malloc(room);
        is_short = !bytes;
        if (bytes)
            result =
                libdeflate_zlib_decompress(inflater, packed->bytes, (size_t)packed->n, bytes, room, &done);
    }
    if (inflater)
        libdeflate_free_decompressor(inflater);
    if (!is_short && result == LIBDEFLATE_SUCCESS) {
        *out = bytes;
        *n = (int64_t)done;
        return SP_OK;
    }
    free(bytes);
    return is_short ? sp_no_memory(err) : damaged(e, "an element cannot be unpacked", err);
}

static sp_status read_packed(const elements *e, const element *packed, sp_stored_file *f, sp_error *err)
{
    unsigned char *bytes = NULL;
    int64_t n = 0;
    element one;
    sp_status status = unpack(e, packed, &bytes, &n, err);
    if (status != SP_OK)
        return status;
    elements all = {.file = f,
                    .at = bytes,
                    .left = n,
                    .place = packed->place,
                    .is_packed = true,
                    .is_swapped = e->is_swapped};
    status = next(&all, &one, err);
    if (status == SP_OK && one.type == MI_MATRIX) {
        elements in = inside(&all, &one);
        status = read_matrix(&in, f, err);
    }
    free(bytes);
    return status;
}

static sp_status read_file(sp_stored_file *f, sp_error *err)
{
    unsigned char *bytes = f->file_size >= HEADER ? malloc((size_t)f->file_size) : NULL;
    if (f->file_size < HEADER)
        return sp_fail(err, SP_EFILE,
                       "%s: MATLAB's header is cut short (the file has %lld bytes); save it again", f->file,
                       (long long)f->file_size);
    if (!bytes)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    elements all = {.file = f, .at = bytes + HEADER, .left = f->file_size - HEADER, .place = HEADER};
    TRY(sp_stored_bytes(f, 0, f->file_size, bytes, err));
    const uint64_t order = number_at(&all, bytes + 126, 2); /* "MI" as the writer's machine has it */
    all.is_swapped = order != ('M' << 8 | 'I');
    if (all.is_swapped && order != ('I' << 8 | 'M'))
        TRY(damaged(&all, "the header does not say the order of bytes", err));
    while (all.left > 0) {
        element one = {.n = 0};
        TRY(next(&all, &one, err));
        elements in = inside(&all, &one);
        if (one.type == MI_COMPRESSED)
            TRY(read_packed(&all, &one, f, err));
        else if (one.type == MI_MATRIX)
            TRY(read_matrix(&in, f, err));
    }
    TRY(sp_mat_end(f, err));
done:
    free(bytes);
    return status;
}

static sp_status open_mat5(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_stored_file *f = NULL;
    sp_status status = sp_array_source_new(source, "MATLAB matrix", &f, err);
    if (status != SP_OK)
        return status;
    f->counts_from_1 = true;
    if ((f->fd = sp_stored_open(f->file, &f->file_size, err)) < 0)
        return SP_EFILE;
    status = read_file(f, err);
    return status == SP_OK ? sp_array_source_fill(source, request, err) : status;
}

const sp_format sp_mat5_format = {.name = "a MATLAB file",
                                  .endings = ".mat",
                                  .magic = "MATLAB 5.0",
                                  .n_magic = sizeof "MATLAB 5.0" - 1,
                                  .python = "scipy.io.loadmat('FILE')['NAME']",
                                  .open = open_mat5,
                                  SP_ARRAY_SOURCE_ROW};
