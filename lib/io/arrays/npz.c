#include "io/arrays/npz.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/arrays/array_source.h"
#include "io/arrays/npy.h"
#include "io/foreign.h"

/* ---- the archive: its end names the directory, the directory the members ---- */

enum {
    END = 22, /* bytes of the end record */
    LONGEST_NOTE = 0xffff,
    END_64 = 56, /* of the end record of zip64 */
    LOCATOR_64 = 20,
    ENTRY = 46, /* of an entry of the directory, without its texts */
    LOCAL = 30, /* of the header before a member */
    MOST_DIRECTORY = 1 << 28,
    MOST_RATIO = 1040 /* deflate packs no better */
};
static const uint32_t all_ones = UINT32_MAX; /* "see the zip64 field" */

static uint32_t get16(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const unsigned char *p)
{
    return get16(p) | get16(p + 2) << 16;
}

/* Beyond int64: -1. */
static int64_t get64(const unsigned char *p)
{
    const uint64_t value = (uint64_t)get32(p + 4) << 32 | get32(p);
    return value > INT64_MAX ? -1 : (int64_t)value;
}

static bool is_mark(const unsigned char *p, char third, char fourth)
{
    return p[0] == 'P' && p[1] == 'K' && p[2] == (unsigned char)third && p[3] == (unsigned char)fourth;
}

typedef struct directory {
    int64_t place, size, n;
} directory;

static sp_status damaged(const sp_stored_file *f, int64_t byte, const char *what, sp_error *err)
{
    return sp_fail(err, SP_EFILE, "%s: byte %lld: %s; the archive is damaged or cut short: write or copy it again", f->file,
                   (long long)byte, what);
}

/* The end record of zip64, where the usual one has no room for its numbers. */
static sp_status read_end_64(const sp_stored_file *f, int64_t end, directory *out, sp_error *err)
{
    unsigned char locator[LOCATOR_64], record[END_64];
    if (end < LOCATOR_64)
        return damaged(f, end, "an end record of zip64 should stand before this", err);
    sp_status status = sp_stored_bytes(f, end - LOCATOR_64, LOCATOR_64, locator, err);
    if (status != SP_OK)
        return status;
    const int64_t place = is_mark(locator, 6, 7) ? get64(locator + 8) : -1;
    if (place < 0 || place > end - END_64)
        return damaged(f, end - LOCATOR_64, "the place of the end record of zip64 should stand here", err);
    status = sp_stored_bytes(f, place, END_64, record, err);
    if (status == SP_OK && !is_mark(record, 6, 6))
        status = damaged(f, place, "an end record of zip64 should stand here", err);
    if (status == SP_OK)
        *out = (directory){.n = get64(record + 32), .size = get64(record + 40), .place = get64(record + 48)};
    return status;
}

static sp_status find_directory(const sp_stored_file *f, directory *out, sp_error *err)
{
    const int64_t n = f->file_size < END + LONGEST_NOTE ? f->file_size : END + LONGEST_NOTE, first = f->file_size - n;
    unsigned char *tail = malloc((size_t)n + 1);
    if (!tail)
        return sp_no_memory(err);
    sp_status status = sp_stored_bytes(f, first, n, tail, err);
    int64_t at = n - END; /* the last record whose note ends with the file */
    while (status == SP_OK && at >= 0 && !(is_mark(tail + at, 5, 6) && at + END + (int64_t)get16(tail + at + 20) == n))
        at--;
    if (status == SP_OK && at < 0)
        status = damaged(f, f->file_size, "the archive has no end record", err);
    if (status == SP_OK) {
        *out = (directory){.n = get16(tail + at + 10), .size = get32(tail + at + 12), .place = get32(tail + at + 16)};
        if (out->n == 0xffff || out->size == all_ones || out->place == all_ones)
            status = read_end_64(f, first + at, out, err);
    }
    free(tail);
    if (status == SP_OK && (out->n < 0 || out->size < 0 || out->place < 0 || out->size > MOST_DIRECTORY ||
                            out->size > f->file_size - out->place || out->n > out->size / ENTRY))
        status = damaged(f, f->file_size, "the end record names a directory that is not in the file", err);
    return status;
}

/* Numbers of an entry that are in its zip64 field because they have no room in their own. False: they are not there. */
static bool read_extra(const unsigned char *extra, uint32_t length, int64_t *const wanted[3])
{
    uint32_t at = 0, size = 0;
    while (at + 4 <= length) {
        size = get16(extra + at + 2);
        if (at + 4 + size > length)
            return false;
        if (get16(extra + at) == 1)
            break;
        at += 4 + size;
    }
    const bool is_there = at + 4 <= length;
    const unsigned char *p = extra + at + 4;
    for (int i = 0; i < 3; i++) {
        if (*wanted[i] != (int64_t)all_ones)
            continue;
        if (!is_there || size < 8)
            return false;
        *wanted[i] = get64(p);
        p += 8;
        size -= 8;
    }
    return true;
}

/* Where the bytes of a member begin: after the header that stands before them. */
static sp_status find_member(const sp_stored_file *f, int64_t place, sp_stored *array, sp_error *err)
{
    unsigned char local[LOCAL];
    if (place < 0 || place > f->file_size - LOCAL)
        return damaged(f, place, "a member should begin here", err);
    sp_status status = sp_stored_bytes(f, place, LOCAL, local, err);
    if (status != SP_OK)
        return status;
    array->packed_place = place + LOCAL + get16(local + 26) + get16(local + 28);
    if (!is_mark(local, 3, 4) || array->packed_size < 0 || array->unpacked_size < 0 ||
        array->packed_size > f->file_size - array->packed_place)
        return damaged(f, place, "a member begins here that is not whole", err);
    if (array->is_packed ? array->unpacked_size / MOST_RATIO > array->packed_size + 1
                         : array->unpacked_size != array->packed_size)
        return damaged(f, place, "a member begins here whose sizes do not go together", err);
    return SP_OK;
}

/* One entry of the directory; members that are no arrays are passed over. *length: bytes of the entry. */
static sp_status read_entry(sp_stored_file *f, const unsigned char *entry, int64_t left, int64_t byte, int64_t *length,
                            sp_error *err)
{
    static const char ending[] = ".npy";
    const size_t n_ending = sizeof ending - 1;
    if (left < ENTRY || !is_mark(entry, 1, 2))
        return damaged(f, byte, "an entry of the directory should stand here", err);
    const uint32_t n_name = get16(entry + 28), n_extra = get16(entry + 30), n_note = get16(entry + 32),
                   method = get16(entry + 10);
    *length = (int64_t)ENTRY + n_name + n_extra + n_note;
    if (*length > left)
        return damaged(f, byte, "an entry of the directory is cut off", err);
    const char *name = (const char *)entry + ENTRY;
    if (n_name < n_ending || memcmp(name + n_name - n_ending, ending, n_ending) != 0 || memchr(name, 0, n_name))
        return SP_OK;
    sp_stored *array = &f->arrays[f->n];
    if (!(array->name = strndup(name, n_name - n_ending)))
        return sp_no_memory(err);
    f->n++;
    if (get16(entry + 8) & 1)
        return sp_fail(err, SP_EDATA, "%s: array %s is encrypted; write it with numpy.savez", f->file, array->name);
    if (method != 0 && method != 8)
        return sp_fail(err, SP_EDATA,
                       "%s: array %s is packed by method %u, which is not read; write it with numpy.savez_compressed", f->file,
                       array->name, (unsigned)method);
    int64_t place = get32(entry + 42);
    array->is_packed = method == 8;
    array->checksum = get32(entry + 16);
    array->packed_size = get32(entry + 20);
    array->unpacked_size = get32(entry + 24);
    int64_t *const wanted[3] = {&array->unpacked_size, &array->packed_size, &place};
    if (!read_extra(entry + ENTRY + n_name, n_extra, wanted))
        return damaged(f, byte, "an entry of the directory lacks its sizes", err);
    return find_member(f, place, array, err);
}

static sp_status read_directory(sp_stored_file *f, sp_error *err)
{
    directory d = {0};
    sp_status status = find_directory(f, &d, err);
    if (status != SP_OK)
        return status;
    unsigned char *entries = malloc((size_t)d.size + 1);
    f->arrays = calloc((size_t)d.n + 1, sizeof *f->arrays);
    status = entries && f->arrays ? sp_stored_bytes(f, d.place, d.size, entries, err) : sp_no_memory(err);
    for (int64_t i = 0, at = 0; status == SP_OK && i < d.n; i++) {
        int64_t length = 0;
        status = read_entry(f, entries + at, d.size - at, d.place + at, &length, err);
        at += length;
    }
    free(entries);
    if (status == SP_OK && f->n == 0)
        status = sp_fail(err, SP_EDATA, "%s: holds no arrays; write them with numpy.savez", f->file);
    return status == SP_OK ? sp_stored_index(f, err) : status;
}

/* ---- members ---- */

/* Unpacks a member: its header and its values. */
static sp_status unpack(const sp_stored_file *f, const sp_stored *array, unsigned char **out, sp_error *err)
{
    unsigned char *packed = malloc((size_t)array->packed_size + 1), *bytes = malloc((size_t)array->unpacked_size + 1);
    struct libdeflate_decompressor *inflater = packed && bytes ? libdeflate_alloc_decompressor() : NULL;
    sp_status status = inflater ? sp_stored_bytes(f, array->packed_place, array->packed_size, packed, err) : sp_no_memory(err);
    size_t done = 0;
    if (status == SP_OK && (libdeflate_deflate_decompress(inflater, packed, (size_t)array->packed_size, bytes,
                                                          (size_t)array->unpacked_size, &done) != LIBDEFLATE_SUCCESS ||
                            done != (size_t)array->unpacked_size || libdeflate_crc32(0, bytes, done) != array->checksum))
        status =
            sp_fail(err, SP_EFILE, "%s: array %s, byte %lld: cannot be unpacked; the archive is damaged: write or copy it again",
                    f->file, array->name, (long long)array->packed_place);
    if (inflater)
        libdeflate_free_decompressor(inflater);
    free(packed);
    if (status == SP_OK)
        *out = bytes;
    else
        free(bytes);
    return status;
}

/* Reads the header of an array whose first bytes are there; checks that its values fill the member. */
static sp_status read_header(const sp_stored_file *f, sp_stored *array, const unsigned char *bytes, int64_t length, sp_error *err)
{
    char where[300], shape[SP_STORED_SHAPE];
    sp_stored_where(f, array, where, sizeof where);
    sp_status status = sp_npy_header_read(bytes, length, where, array, err);
    if (status == SP_OK && array->count * array->size != array->unpacked_size - length) {
        array->is_known = false;
        status = sp_fail(err, SP_EDATA, "%s: its header speaks of %s %s, %lld bytes, but %lld bytes follow it; write it again",
                         where, array->type, sp_stored_shape(array, shape), (long long)array->count * array->size,
                         (long long)(array->unpacked_size - length));
    }
    return status;
}

static sp_status look_at_member(sp_stored_file *f, sp_stored *array, sp_error *err)
{
    unsigned char first[SP_NPY_FIRST], *bytes = NULL;
    const int64_t n = array->unpacked_size < SP_NPY_FIRST ? array->unpacked_size : SP_NPY_FIRST;
    sp_status status = array->is_packed ? unpack(f, array, &bytes, err) : sp_stored_bytes(f, array->packed_place, n, first, err);
    const int64_t length = status == SP_OK ? sp_npy_header_length(bytes ? bytes : first, n) : 0;
    if (status == SP_OK && (length < 0 || length > array->unpacked_size))
        status = sp_fail(err, SP_EDATA, "%s: array %s has no whole header of numpy; write it again with numpy.savez", f->file,
                         array->name);
    if (status == SP_OK && !bytes) {
        unsigned char *head = malloc((size_t)length);
        status = head ? sp_stored_bytes(f, array->packed_place, length, head, err) : sp_no_memory(err);
        if (status == SP_OK)
            status = read_header(f, array, head, length, err);
        free(head);
        array->place = array->packed_place + length;
        return status;
    }
    if (status == SP_OK)
        status = read_header(f, array, bytes, length, err);
    if (status != SP_OK) {
        free(bytes);
        return status;
    }
    memmove(bytes, bytes + length, (size_t)(array->unpacked_size - length));
    array->bytes = bytes;
    return SP_OK;
}

static sp_status open_npz(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_stored_file *f = NULL;
    sp_status status = sp_array_source_new(source, "numpy archive", &f, err);
    if (status != SP_OK)
        return status;
    if ((f->fd = sp_stored_open(f->file, &f->file_size, err)) < 0)
        return SP_EFILE;
    f->look = look_at_member;
    status = read_directory(f, err);
    return status == SP_OK ? sp_array_source_fill(source, request, err) : status;
}

const sp_format sp_npz_format = {.name = "a numpy .npz archive",
                                 .recognise = sp_is_npz,
                                 .python = "numpy.load('FILE')['NAME']",
                                 .open = open_npz,
                                 .paths = &sp_npz_paths,
                                 SP_ARRAY_SOURCE_ROW};
