#include "io/arrays/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/arrays/array_source.h"

size_t sp_npy_header_write(const char *type, int64_t count, char out[SP_NPY_HEADER])
{
    enum { STEP = 64 };
    const uint16_t one = 1;
    const bool is_big = *(const unsigned char *)&one == 0,
               has_order = *type != 'S' && strcmp(type, "u1") != 0;
    memcpy(out, "\x93NUMPY\x01", 8);
    int n = 10 + snprintf(out + 10, SP_NPY_HEADER - 10,
                          "{'descr': '%c%s', 'fortran_order': False, 'shape': (%lld,), }",
                          !has_order ? '|'
                          : is_big   ? '>'
                                     : '<',
                          type, (long long)count);
    while ((n + 1) % STEP)
        out[n++] = ' ';
    out[n++] = '\n';
    out[8] = (char)((n - 10) & 0xff);
    out[9] = (char)((n - 10) >> 8);
    return (size_t)n;
}

/* ---- the header: magic, version, length, and a dictionary as Python writes it ---- */

static const char magic[] = "\x93NUMPY";
enum { N_MAGIC = sizeof magic - 1, LONGEST_HEADER = 1 << 20, LONGEST_WORD = 64 };

int64_t sp_npy_header_length(const unsigned char *b, int64_t n)
{
    if (n < 10 || memcmp(b, magic, N_MAGIC) != 0 || b[6] < 1 || b[6] > 3)
        return -1;
    if (b[6] == 1)
        return 10 + (b[8] | b[9] << 8);
    if (n < SP_NPY_FIRST)
        return -1;
    const uint32_t length =
        (uint32_t)b[8] | (uint32_t)b[9] << 8 | (uint32_t)b[10] << 16 | (uint32_t)b[11] << 24;
    return length > LONGEST_HEADER ? -1 : 12 + (int64_t)length;
}

typedef struct header {
    const char *text; /* from the first byte of the file */
    int64_t at, length;
    const char *where;
    sp_error *err;
} header;

static sp_status damaged(const header *h, const char *wanted)
{
    return sp_fail(h->err, SP_EDATA,
                   "%s: byte %lld: %s should stand in numpy's header; the file is damaged: write it again "
                   "with numpy.save",
                   h->where, (long long)h->at, wanted);
}

static char peek(header *h)
{
    while (h->at < h->length && (h->text[h->at] == ' ' || h->text[h->at] == '\n'))
        h->at++;
    return (char)(h->at < h->length ? h->text[h->at] : '\0');
}

static bool take(header *h, char letter)
{
    if (letter == '\0' || peek(h) != letter)
        return false;
    h->at++;
    return true;
}

/* 'text' or "text" */
static sp_status read_word(header *h, char word[LONGEST_WORD])
{
    const char quote = peek(h);
    int n = 0;
    if (quote != '\'' && quote != '"')
        return damaged(h, "a text between quotes");
    for (h->at++; h->at < h->length && h->text[h->at] != quote && n < LONGEST_WORD - 1; h->at++)
        word[n++] = h->text[h->at];
    word[n] = '\0';
    return take(h, quote) ? SP_OK : damaged(h, "the end of a short text");
}

static sp_status read_shape(header *h, sp_stored *out)
{
    if (!take(h, '('))
        return damaged(h, "a shape, (950, 5)");
    out->rank = 0;
    out->count = 1;
    while (!take(h, ')')) {
        int64_t value = 0;
        if (peek(h) < '0' || h->text[h->at] > '9')
            return damaged(h, "a number of the shape");
        for (; h->at < h->length && h->text[h->at] >= '0' && h->text[h->at] <= '9'; h->at++) {
            if (value > (INT64_MAX - 9) / 10)
                return damaged(h, "a smaller number");
            value = 10 * value + (h->text[h->at] - '0');
        }
        (void)take(h, 'L'); /* as Python 2 wrote it */
        if (out->rank == SP_STORED_RANK)
            return sp_fail(h->err, SP_EDATA, "%s: has more than %d dimensions; scores are [steps, classes]",
                           h->where, SP_STORED_RANK);
        out->dims[out->rank++] = value;
        if (value > 0 && out->count > INT64_MAX / 64 / value)
            return damaged(h, "a smaller shape");
        out->count *= value;
        if (!take(h, ',') && peek(h) != ')')
            return damaged(h, "a comma or the end of the shape");
    }
    return SP_OK;
}

/* "<f4": byte order, kind, bytes. */
static sp_status read_type(const header *h, const char *word, sp_stored *out)
{
    static const char *const meaning = "write it again with .astype('float32'), labels with .astype('int64')";
    const char order = *word, kind = (char)(*word ? word[1] : '\0');
    const uint16_t one = 1;
    const bool is_big_here = *(const unsigned char *)&one == 0;
    char *end = NULL;
    const long size = kind ? strtol(word + 2, &end, 10) : 0;
    snprintf(out->type, sizeof out->type, kind == 'O' ? "Python objects" : "type '%.20s'", word);
    if (!kind || !strchr("<>|=", order) || !end || *end || end == word + 2 || size < 1 || size > 1 << 20) {
        if (kind && strchr("<>|=", order) && kind == 'O')
            return sp_fail(h->err, SP_EDATA,
                           "%s: holds Python objects, which are not read; %s, texts with .astype(str)",
                           h->where, meaning);
        return sp_fail(h->err, SP_EDATA, "%s: holds values of numpy's type '%s', which are not read; %s",
                       h->where, word, meaning);
    }
    const bool is_power = size == 1 || size == 2 || size == 4 || size == 8;
    const char *name = kind == 'f'   ? "float"
                       : kind == 'i' ? "int"
                       : kind == 'u' ? "uint"
                       : kind == 'b' ? "bool"
                                     : NULL;
    out->size = kind == 'U' ? 4 * (int64_t)size : size;
    out->element = (sp_element){.kind = kind == 'f'   ? SP_ELEMENT_FLOAT
                                        : kind == 'i' ? SP_ELEMENT_INT
                                                      : SP_ELEMENT_UINT,
                                .size = (uint8_t)(size <= 8 ? size : 0),
                                .is_big = order == '>' || (order == '=' && is_big_here)};
    out->form = kind == 'S' ? SP_STORED_BYTES : kind == 'U' ? SP_STORED_LETTERS : SP_STORED_NUMBERS;
    if (kind == 'S' || kind == 'U') {
        snprintf(out->type, sizeof out->type, "text '%.20s'", word);
        return SP_OK;
    }
    if (!name || !is_power || (kind == 'f' && size == 1) || (kind == 'b' && size != 1))
        return sp_fail(h->err, SP_EDATA, "%s: holds values of numpy's type '%s', which are not read; %s",
                       h->where, word, meaning);
    if (size == 1)
        out->element.is_big = false;
    if (kind == 'b')
        snprintf(out->type, sizeof out->type, "bool");
    else
        snprintf(out->type, sizeof out->type, "%s%ld%s", name, 8 * size,
                 out->element.is_big ? " big-endian" : "");
    return SP_OK;
}

static sp_status read_order(header *h, bool *is_columns)
{
    static const char *const words[] = {"False", "True"};
    (void)peek(h);
    for (int i = 0; i < 2; i++) {
        const int64_t n = (int64_t)strlen(words[i]);
        if (h->length - h->at >= n && memcmp(h->text + h->at, words[i], (size_t)n) == 0) {
            h->at += n;
            *is_columns = i == 1;
            return SP_OK;
        }
    }
    return damaged(h, "True or False");
}

enum { HAS_TYPE = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

/* One key of the dictionary and its value. */
static sp_status read_entry(header *h, unsigned *has, sp_stored *out)
{
    char key[LONGEST_WORD], word[LONGEST_WORD];
    sp_status status = read_word(h, key);
    if (status == SP_OK && !take(h, ':'))
        status = damaged(h, "a colon");
    if (status != SP_OK)
        return status;
    if (strcmp(key, "descr") == 0) {
        *has |= HAS_TYPE;
        snprintf(out->type, sizeof out->type, "records");
        if (peek(h) == '[')
            return sp_fail(
                h->err, SP_EDATA,
                "%s: is an array of records with fields; write each field as an array of its own, with "
                "numpy.savez",
                h->where);
        status = read_word(h, word);
        return status == SP_OK ? read_type(h, word, out) : status;
    }
    if (strcmp(key, "fortran_order") == 0) {
        *has |= HAS_ORDER;
        return read_order(h, &out->is_columns);
    }
    if (strcmp(key, "shape") == 0) {
        *has |= HAS_SHAPE;
        return read_shape(h, out);
    }
    return damaged(h, "descr, fortran_order or shape");
}

sp_status sp_npy_header_read(const unsigned char *bytes, int64_t length, const char *where, sp_stored *out,
                             sp_error *err)
{
    header h = {.text = (const char *)bytes,
                .at = length > 6 && bytes[6] == 1 ? 10 : 12,
                .length = length,
                .where = where,
                .err = err};
    unsigned has = 0;
    if (sp_npy_header_length(bytes, length) != length)
        return sp_fail(err, SP_EDATA,
                       "%s: does not begin with a header of numpy; write it again with numpy.save", where);
    if (!take(&h, '{'))
        return damaged(&h, "{");
    while (!take(&h, '}')) {
        sp_status status = read_entry(&h, &has, out);
        if (status == SP_OK && !take(&h, ',') && peek(&h) != '}')
            status = damaged(&h, "a comma or }");
        if (status != SP_OK)
            return status;
    }
    if (has != HAS_ALL)
        return damaged(&h, "descr, fortran_order and shape");
    if (out->rank < 2)
        out->is_columns = false;
    if (out->count > 0 && out->size > INT64_MAX / out->count)
        return damaged(&h, "a smaller shape");
    out->is_known = true;
    return SP_OK;
}

/* ---- the file ---- */

/* The file must be as long as its header says: no value is missing, none is left over. */
static sp_status check_size(const sp_stored_file *f, const sp_stored *array, sp_error *err)
{
    char shape[SP_STORED_SHAPE];
    const int64_t bytes = array->count * array->size, have = f->file_size - array->place;
    if (have == bytes)
        return SP_OK;
    return sp_fail(
        err, have < bytes ? SP_EFILE : SP_EDATA,
        "%s: its header speaks of %s %s, %lld bytes, but %lld bytes follow it: %s", f->file, array->type,
        sp_stored_shape(array, shape), (long long)bytes, (long long)have,
        have < bytes
            ? "it was cut short; write or copy it again"
            : "it holds more than one array, or was appended to; write one array a file, or use numpy.savez");
}

static sp_status open_array(sp_stored_file *f, sp_error *err)
{
    unsigned char first[SP_NPY_FIRST];
    if (!(f->arrays = calloc(1, sizeof *f->arrays)))
        return sp_no_memory(err);
    f->n = 1;
    if ((f->fd = sp_stored_open(f->file, &f->file_size, err)) < 0)
        return SP_EFILE;
    const int64_t n = f->file_size < SP_NPY_FIRST ? f->file_size : SP_NPY_FIRST;
    sp_status status = sp_stored_bytes(f, 0, n, first, err);
    if (status != SP_OK)
        return status;
    const int64_t length = sp_npy_header_length(first, n);
    if (length < 0 || length > f->file_size)
        return sp_fail(
            err, SP_EFILE,
            "%s: numpy's header is damaged or cut short (the file has %lld bytes); write it again with "
            "numpy.save",
            f->file, (long long)f->file_size);
    unsigned char *head = malloc((size_t)length);
    if (!head)
        return sp_no_memory(err);
    status = sp_stored_bytes(f, 0, length, head, err);
    if (status == SP_OK)
        status = sp_npy_header_read(head, length, f->file, f->arrays, err);
    free(head);
    f->arrays->place = length;
    return status == SP_OK ? check_size(f, f->arrays, err) : status;
}

static sp_status open_npy(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_stored_file *f = NULL;
    sp_status status = sp_array_source_new(source, "numpy array", &f, err);
    if (status == SP_OK)
        status = open_array(f, err);
    return status == SP_OK ? sp_array_source_fill(source, request, err) : status;
}

const sp_format sp_npy_format = {.name = "a numpy .npy file",
                                 .endings = ".npy",
                                 .magic = magic,
                                 .n_magic = N_MAGIC,
                                 .python = "numpy.load('FILE')",
                                 .open = open_npy,
                                 .paths = &sp_npy_paths,
                                 SP_ARRAY_SOURCE_ROW};
