#include "io/arrays/npz.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
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
    MOST_DIRECTORY = 1 << 28
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
    return sp_fail(err, SP_EFILE,
                   "%s: byte %lld: %s; the archive is damaged or cut short: write or copy it again", f->file,
                   (long long)byte, what);
}

/* The end record of zip64, where the usual one has no room for its numbers. */
static sp_status read_end_64(const sp_stored_file *f, int64_t end, directory *out, sp_error *err)
{
    unsigned char locator[LOCATOR_64], record[END_64];
    if (end < LOCATOR_64)
        return damaged(f, end, "an end record of zip64 should stand before this", err);
    sp_status status = SP_OK;
    TRY(sp_stored_bytes(f, end - LOCATOR_64, LOCATOR_64, locator, err));
    const int64_t place = is_mark(locator, 6, 7) ? get64(locator + 8) : -1;
    if (place < 0 || place > end - END_64)
        TRY(damaged(f, end - LOCATOR_64, "the place of the end record of zip64 should stand here", err));
    TRY(sp_stored_bytes(f, place, END_64, record, err));
    if (!is_mark(record, 6, 6))
        TRY(damaged(f, place, "an end record of zip64 should stand here", err));
    *out = (directory){.n = get64(record + 32), .size = get64(record + 40), .place = get64(record + 48)};
done:
    return status;
}

static sp_status find_directory(const sp_stored_file *f, directory *out, sp_error *err)
{
    const int64_t n = f->file_size < END + LONGEST_NOTE ? f->file_size : END + LONGEST_NOTE,
                  first = f->file_size - n;
    unsigned char *tail = malloc((size_t)n + 1);
    int64_t at = n - END; /* the last record whose note ends with the file */
    sp_status status = SP_OK;
    TRY(tail ? sp_stored_bytes(f, first, n, tail, err) : sp_no_memory(err));
    while (at >= 0 && !(is_mark(tail + at, 5, 6) && at + END + (int64_t)get16(tail + at + 20) == n))
        at--;
    if (at < 0)
        TRY(damaged(f, f->file_size, "the archive has no end record", err));
    *out = (directory){
        .n = get16(tail + at + 10), .size = get32(tail + at + 12), .place = get32(tail + at + 16)};
    if (out->n == 0xffff || out->size == all_ones || out->place == all_ones)
        TRY(read_end_64(f, first + at, out, err));
    if (out->n < 0 || out->size < 0 || out->place < 0 || out->size > MOST_DIRECTORY ||
        out->size > f->file_size - out->place || out->n > out->size / ENTRY)
        TRY(damaged(f, f->file_size, "the end record names a directory that is not in the file", err));
done:
    free(tail);
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
    if (array->is_packed ? array->unpacked_size > sp_stored_most(array->packed_size)
                         : array->unpacked_size != array->packed_size)
        return damaged(f, place, "a member begins here whose sizes do not go together", err);
    return SP_OK;
}

/* One entry of the directory; members that are no arrays are passed over. *length: bytes of the entry. */
static sp_status read_entry(sp_stored_file *f, const unsigned char *entry, int64_t left, int64_t byte,
                            int64_t *length, sp_error *err)
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
    if (n_name < n_ending || memcmp(name + n_name - n_ending, ending, n_ending) != 0 ||
        memchr(name, 0, n_name))
        return SP_OK;
    sp_stored *array = &f->arrays[f->n];
    if (!(array->name = strndup(name, n_name - n_ending)))
        return sp_no_memory(err);
    f->n++;
    if (get16(entry + 8) & 1)
        return sp_fail(err, SP_EDATA, "%s: array %s is encrypted; write it with numpy.savez", f->file,
                       array->name);
    if (method != 0 && method != 8)
        return sp_fail(
            err, SP_EDATA,
            "%s: array %s is packed by method %u, which is not read; write it with numpy.savez_compressed",
            f->file, array->name, (unsigned)method);
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

/* Members that share bytes would unpack them more than once. */
static int compare_places(const void *a, const void *b)
{
    const int64_t x = (*(sp_stored *const *)a)->packed_place, y = (*(sp_stored *const *)b)->packed_place;
    return (x > y) - (x < y);
}

static sp_status check_overlaps(const sp_stored_file *f, sp_error *err)
{
    sp_stored **by_place = malloc(((size_t)f->n + 1) * sizeof(sp_stored *));
    if (!by_place)
        return sp_no_memory(err);
    for (int64_t i = 0; i < f->n; i++)
        by_place[i] = &f->arrays[i];
    qsort(by_place, (size_t)f->n, sizeof(sp_stored *), compare_places);
    sp_status status = SP_OK;
    for (int64_t i = 1; status == SP_OK && i < f->n; i++)
        if (by_place[i]->packed_place - by_place[i - 1]->packed_place < by_place[i - 1]->packed_size)
            status = damaged(f, by_place[i]->packed_place, "a member begins here inside another one", err);
    free(by_place);
    return status;
}

/* A flipped bit in the directory would hide an array under another name: each header before a member repeats its name. Entries
 * have been read before; members beyond 4 GB are passed over. */
static sp_status check_names(const sp_stored_file *f, const unsigned char *entries, const directory *d,
                             sp_error *err)
{
    unsigned char *local = malloc(LOCAL + UINT16_MAX);
    sp_status status = local ? SP_OK : sp_no_memory(err);
    for (int64_t i = 0, at = 0; status == SP_OK && i < d->n; i++) {
        const unsigned char *entry = entries + at;
        const uint32_t n_name = get16(entry + 28), place = get32(entry + 42);
        at += (int64_t)ENTRY + n_name + get16(entry + 30) + get16(entry + 32);
        if (place == UINT32_MAX || (int64_t)place + LOCAL + n_name > f->file_size)
            continue;
        status = sp_stored_bytes(f, place, LOCAL + n_name, local, err);
        if (status == SP_OK &&
            (get16(local + 26) != n_name || memcmp(local + LOCAL, entry + ENTRY, n_name) != 0))
            status = damaged(f, place, "a member begins here that has another name in the directory", err);
    }
    free(local);
    return status;
}

static sp_status read_directory(sp_stored_file *f, sp_error *err)
{
    directory d = {0};
    unsigned char *entries = NULL;
    sp_status status = SP_OK;
    TRY(find_directory(f, &d, err));
    entries = malloc((size_t)d.size + 1);
    f->arrays = calloc((size_t)d.n + 1, sizeof *f->arrays);
    TRY(entries && f->arrays ? sp_stored_bytes(f, d.place, d.size, entries, err) : sp_no_memory(err));
    for (int64_t i = 0, at = 0, length = 0; i < d.n; i++, at += length)
        TRY(read_entry(f, entries + at, d.size - at, d.place + at, &length, err));
    TRY(check_overlaps(f, err));
    TRY(check_names(f, entries, &d, err));
    if (f->n == 0)
        TRY(sp_fail(err, SP_EDATA, "%s: holds no arrays; write them with numpy.savez", f->file));
    TRY(sp_stored_index(f, err));
done:
    free(entries);
    return status;
}

/* ---- members ---- */

static sp_status damaged_member(const sp_stored_file *f, const sp_stored *array, const char *what,
                                sp_error *err)
{
    return sp_fail(err, SP_EFILE,
                   "%s: array %s, byte %lld: %s; the archive is damaged: write or copy it again", f->file,
                   array->name, (long long)array->packed_place, what);
}

static const char cannot_unpack[] = "cannot be unpacked";

/* Unpacks a member: its header and its values. */
static sp_status unpack(const sp_stored_file *f, const sp_stored *array, unsigned char **out, sp_error *err)
{
    unsigned char *packed = malloc((size_t)array->packed_size + 1),
                  *bytes = malloc((size_t)array->unpacked_size + 1);
    struct libdeflate_decompressor *inflater = packed && bytes ? libdeflate_alloc_decompressor() : NULL;
    sp_status status = inflater ? sp_stored_bytes(f, array->packed_place, array->packed_size, packed, err)
                                : sp_no_memory(err);
    size_t done = 0;
    if (status == SP_OK &&
        (libdeflate_deflate_decompress(inflater, packed, (size_t)array->packed_size, bytes,
                                       (size_t)array->unpacked_size, &done) != LIBDEFLATE_SUCCESS ||
         done != (size_t)array->unpacked_size || libdeflate_crc32(0, bytes, done) != array->checksum))
        status = damaged_member(f, array, cannot_unpack, err);
    if (inflater)
        libdeflate_free_decompressor(inflater);
    free(packed);
    if (status == SP_OK)
        *out = bytes;
    else
        free(bytes);
    return status;
}

/* Headers up to HEAD bytes are looked at before the whole member is unpacked. libdeflate inflates block after block until the
 * room is full: a stored block whole or not at all, a match likewise. */
enum { HEAD = 1 << 12, STORED_BLOCK = 65535, MATCH = 258, ROOM = HEAD + STORED_BLOCK + MATCH };

/* The first bytes of a member that is longer than ROOM, into bytes [ROOM]. */
static sp_status unpack_head(const sp_stored_file *f, const sp_stored *array, unsigned char *bytes,
                             sp_error *err)
{
    enum { MOST = 3 * ROOM /* a code of 15 bits at most, and tables, for a byte */ };
    const int64_t n = array->packed_size < MOST ? array->packed_size : MOST;
    unsigned char *packed = malloc((size_t)n + 1);
    struct libdeflate_decompressor *inflater = packed ? libdeflate_alloc_decompressor() : NULL;
    sp_status status = inflater ? sp_stored_bytes(f, array->packed_place, n, packed, err) : sp_no_memory(err);
    size_t done = 0;
    memset(bytes, 0, ROOM);
    if (status == SP_OK &&
        libdeflate_deflate_decompress(inflater, packed, (size_t)n, bytes, ROOM, &done) == LIBDEFLATE_SUCCESS)
        status = damaged_member(f, array, cannot_unpack, err); /* it ends too soon */
    if (inflater)
        libdeflate_free_decompressor(inflater);
    free(packed);
    return status;
}

/* Compares a stored member with its checksum. */
static sp_status check_bytes(const sp_stored_file *f, sp_stored *array, sp_error *err)
{
    enum { PIECE = 1 << 18 };
    uint32_t checksum = 0;
    unsigned char *bytes = malloc(PIECE);
    sp_status status = SP_OK;
    if (!bytes)
        TRY(sp_no_memory(err));
    for (int64_t at = 0; at < array->packed_size; at += PIECE) {
        const int64_t n = array->packed_size - at < PIECE ? array->packed_size - at : PIECE;
        TRY(sp_stored_bytes(f, array->packed_place + at, n, bytes, err));
        checksum = libdeflate_crc32(checksum, bytes, (size_t)n);
    }
    if (checksum != array->checksum)
        TRY(damaged_member(f, array, "its bytes do not have the checksum that the archive says", err));
    array->is_checked = true;
done:
    free(bytes);
    return status;
}

/* Takes over the bytes of a whole member. */
static void keep_values(sp_stored *array, unsigned char *bytes)
{
    const int64_t size = array->count * array->size;
    memmove(bytes, bytes + array->unpacked_size - size, (size_t)size);
    array->bytes = bytes;
}

static sp_status load_member(const sp_stored_file *f, sp_stored *array, sp_error *err)
{
    unsigned char *bytes = NULL;
    if (!array->is_packed)
        return check_bytes(f, array, err);
    sp_status status = unpack(f, array, &bytes, err);
    if (status == SP_OK)
        keep_values(array, bytes);
    return status;
}

/* Reads the header of an array, which has `length` bytes; checks that its values fill the member. */
static sp_status read_header(const sp_stored_file *f, sp_stored *array, const unsigned char *bytes,
                             int64_t length, sp_error *err)
{
    char where[SP_STORED_WHERE], shape[SP_STORED_SHAPE];
    sp_stored_where(f, array, where);
    sp_status status = sp_npy_header_read(bytes, length, where, array, err);
    if (status == SP_OK && array->count * array->size != array->unpacked_size - length) {
        array->is_known = false;
        status =
            sp_fail(err, SP_EDATA,
                    "%s: its header speaks of %s %s, %lld bytes, but %lld bytes follow it; write it again",
                    where, array->type, sp_stored_shape(array, shape), (long long)array->count * array->size,
                    (long long)(array->unpacked_size - length));
    }
    array->place = array->packed_place + length;
    return status;
}

/* The header from the first n bytes; more are fetched where it is longer than these. */
static sp_status look_at_head(const sp_stored_file *f, sp_stored *array, unsigned char **bytes, int64_t n,
                              sp_error *err)
{
    const int64_t length = sp_npy_header_length(*bytes, n);
    if (length < 0 || length > array->unpacked_size)
        return sp_fail(err, SP_EDATA,
                       "%s: array %s has no whole header of numpy; write it again with numpy.savez", f->file,
                       array->name);
    sp_status status = SP_OK;
    if (length > n) {
        unsigned char *more = array->is_packed ? NULL : malloc((size_t)length);
        if (!array->is_packed)
            status = more ? sp_stored_bytes(f, array->packed_place, length, more, err) : sp_no_memory(err);
        else
            status = unpack(f, array, &more, err);
        free(*bytes);
        *bytes = more;
    }
    return status == SP_OK ? read_header(f, array, *bytes, length, err) : status;
}

static sp_status look_at_member(sp_stored_file *f, sp_stored *array, sp_error *err)
{
    const bool is_short = array->unpacked_size <= ROOM;
    const int64_t n =
        (array->is_packed && is_short) || array->unpacked_size < HEAD ? array->unpacked_size : HEAD;
    unsigned char *bytes = NULL;
    sp_status status;
    if (array->is_packed && is_short) {
        status = unpack(f, array, &bytes, err);
    } else {
        bytes = malloc(ROOM);
        status = !bytes             ? sp_no_memory(err)
                 : array->is_packed ? unpack_head(f, array, bytes, err)
                                    : sp_stored_bytes(f, array->packed_place, n, bytes, err);
    }
    if (status == SP_OK)
        status = look_at_head(f, array, &bytes, n, err);
    if (status == SP_OK && array->is_packed && is_short)
        keep_values(array, bytes);
    else
        free(bytes);
    return status;
}

static sp_status open_npz(sp_source *source, const sp_request *request, sp_error *err)
{
    sp_stored_file *f = NULL;
    sp_status status = SP_OK;
    TRY(sp_array_source_new(source, "numpy archive", &f, err));
    if ((f->fd = sp_stored_open(f->file, &f->file_size, err)) < 0)
        TRY(SP_EFILE);
    f->look = look_at_member;
    f->load = load_member;
    TRY(read_directory(f, err));
    TRY(sp_array_source_fill(source, request, err));
done:
    return status;
}

const sp_format sp_npz_format = {.name = "a numpy .npz archive",
                                 .endings = ".npz",
                                 .recognise = sp_is_npz,
                                 .python = "numpy.load('FILE')['NAME']",
                                 .open = open_npz,
                                 .paths = &sp_npz_paths,
                                 SP_ARRAY_SOURCE_ROW};
