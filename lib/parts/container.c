/* A part as one block of bytes, in memory and in a file:
 *
 *   "statepath part 1\n"   17 bytes; 1 is the version of this form
 *   checksum               8 bytes, of all that follows
 *   header                 a text: its length, its bytes
 *   ids, subjects          how many, then texts; no subjects: 0
 *   lists                  how many numbers, then these, for each list: sums, recordings, values (float64), margins, sequences,
 *                          places, runs, steps, run, origins, holes, folds
 *
 * Integers are written in groups of 7 bits, the lowest first, 128 added to all bytes but the last; those of lists are doubled
 * before, less one where they are negative, so that small ones of either sign are short. float64 and checksum have 8 bytes, the
 * lowest first. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "parts/part.h"

static const char magic[] = "statepath part 1\n";
enum { MAGIC = sizeof magic - 1, HEAD = MAGIC + 8, LONGEST = 10 /* bytes of an integer */ };

/* ---- writing ---- */

typedef struct writer {
    unsigned char *bytes;
    size_t n, room;
    bool is_short;
} writer;

/* Where the next n bytes go; NULL: no memory. */
static unsigned char *reserve(writer *w, size_t n)
{
    if (w->is_short)
        return NULL;
    if (w->n + n > w->room) {
        const size_t room = 2 * w->room + n + 256;
        unsigned char *bytes = realloc(w->bytes, room);
        if (!bytes) {
            w->is_short = true;
            return NULL;
        }
        w->bytes = bytes;
        w->room = room;
    }
    return w->bytes + w->n;
}

static void put_whole(writer *w, uint64_t number)
{
    unsigned char *at = reserve(w, LONGEST);
    for (; at && number > 127; number >>= 7) {
        *at++ = (unsigned char)(number | 128);
        w->n++;
    }
    if (at) {
        *at = (unsigned char)number;
        w->n++;
    }
}

static void put_eight(unsigned char *at, uint64_t number)
{
    for (int i = 0; at && i < 8; i++)
        at[i] = (unsigned char)(number >> 8 * i);
}

static void put_bytes(writer *w, const void *bytes, size_t n)
{
    unsigned char *at = reserve(w, n);
    if (!at)
        return;
    memcpy(at, bytes, n);
    w->n += n;
}

static void put_text(writer *w, const char *text)
{
    put_whole(w, strlen(text));
    put_bytes(w, text, strlen(text));
}

static void put_texts(writer *w, int64_t n, char *const *texts)
{
    put_whole(w, texts ? (uint64_t)n : 0);
    for (int64_t i = 0; texts && i < n; i++)
        put_text(w, texts[i]);
}

static void put_list(writer *w, const sp_count_list *list, bool is_real)
{
    put_whole(w, (uint64_t)list->n);
    for (int64_t i = 0; i < list->n && !w->is_short; i++) {
        const int64_t signed_number = sp_count_at(list, i);
        const uint64_t number = (uint64_t)signed_number;
        if (!is_real) {
            put_whole(w, number << 1 ^ (signed_number < 0 ? UINT64_MAX : 0));
            continue;
        }
        put_eight(reserve(w, 8), number);
        w->n += w->is_short ? 0 : 8;
    }
}

/* All that the checksum is of. */
static void put_part(writer *w, sp_part_content *part)
{
    char *header = sp_part_header_write(part);
    if (!header) {
        w->is_short = true;
        return;
    }
    put_text(w, header);
    free(header);
    put_texts(w, part->origins.n / 2, part->ids);
    put_texts(w, part->origins.n / 2, part->subjects);
    for (int i = 0; i < SP_PART_LISTS; i++)
        put_list(w, sp_part_list(part, i), i == SP_COUNTED_VALUES);
}

sp_status sp_part_write(sp_part_content *part, unsigned char **bytes, size_t *n, sp_error *err)
{
    writer w = {.n = 0};
    put_bytes(&w, magic, MAGIC);
    put_bytes(&w, (unsigned char[HEAD - MAGIC]){0}, HEAD - MAGIC);
    put_part(&w, part);
    if (w.is_short) {
        free(w.bytes);
        return sp_no_memory(err);
    }
    put_eight(w.bytes + MAGIC, sp_checksum(SP_CHECKSUM, w.bytes + HEAD, w.n - HEAD));
    *bytes = w.bytes;
    *n = w.n;
    return SP_OK;
}

/* ---- reading ---- */

typedef struct reader {
    const unsigned char *at, *end;
    bool is_odd, is_short; /* damaged; no memory */
} reader;

static uint64_t next_whole(reader *r)
{
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (r->at == r->end)
            break;
        const unsigned char byte = *r->at++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return number;
    }
    r->is_odd = true;
    return 0;
}

static uint64_t next_eight(reader *r)
{
    uint64_t number = 0;
    if (r->end - r->at < 8) {
        r->is_odd = true;
        return 0;
    }
    for (int i = 0; i < 8; i++)
        number |= (uint64_t)*r->at++ << 8 * i;
    return number;
}

/* A number of items of so many bytes at least. */
static size_t next_count(reader *r, size_t bytes)
{
    const uint64_t n = next_whole(r);
    r->is_odd |= n > (size_t)(r->end - r->at) / bytes;
    return r->is_odd ? 0 : (size_t)n;
}

/* One text behind the other from `to` on, which has room for all. */
static char *next_text(reader *r, char *to)
{
    const size_t n = next_count(r, 1);
    memcpy(to, r->at, n);
    r->is_odd |= memchr(to, 0, n) != NULL;
    r->at += n;
    to[n] = 0;
    return to + n + 1;
}

/* Bytes that the next n texts take, with their ends; what they hold is looked at when they are read. */
static size_t look_at_texts(const reader *r, size_t n)
{
    reader look = *r;
    size_t bytes = 0;
    for (size_t i = 0; i < n && !look.is_odd; i++) {
        const size_t length = next_count(&look, 1);
        look.at += length;
        bytes += length + 1;
    }
    return bytes;
}

/* Texts in one allocation; NULL: there are none. */
static char **next_texts(reader *r, int64_t *n)
{
    const size_t count = next_count(r, 1);
    *n = (int64_t)count;
    if (count == 0)
        return NULL;
    char **texts = malloc((count + 1) * sizeof *texts + look_at_texts(r, count));
    if (!texts) {
        r->is_short = true;
        return NULL;
    }
    char *to = (char *)(texts + count + 1);
    for (size_t i = 0; i < count && !r->is_odd; i++) {
        texts[i] = to;
        to = next_text(r, to);
    }
    texts[count] = NULL;
    return texts;
}

static void next_list(reader *r, sp_count_list *list, bool is_real)
{
    const size_t n = next_count(r, is_real ? 8 : 1);
    if (r->is_odd || r->is_short)
        return;
    list->at = malloc((n + 1) * sizeof *list->at);
    if (!list->at) {
        r->is_short = true;
        return;
    }
    for (size_t i = 0; i < n && !r->is_odd; i++) {
        const uint64_t number = is_real ? next_eight(r) : next_whole(r);
        list->at[i] = (int64_t)(is_real ? number : number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
    }
    list->n = list->room = (int64_t)n;
    sp_count_list_narrow(list);
}

static sp_status read_header(reader *r, sp_part_content *out, sp_error *err)
{
    const size_t n = next_count(r, 1);
    char *text = strndup((const char *)r->at, n);
    if (!text)
        return sp_no_memory(err);
    r->at += n;
    sp_status status = sp_part_header_read(r->is_odd ? "" : text, out, err);
    free(text);
    return status;
}

static sp_status read_lists(reader *r, sp_part_content *out, sp_error *err)
{
    int64_t n_ids = 0, n_subjects = 0;
    out->ids = next_texts(r, &n_ids);
    out->subjects = r->is_odd || r->is_short ? NULL : next_texts(r, &n_subjects);
    for (int i = 0; i < SP_PART_LISTS && !r->is_odd && !r->is_short; i++)
        next_list(r, sp_part_list(out, i), i == SP_COUNTED_VALUES);
    if (r->is_short)
        return sp_no_memory(err);
    r->is_odd |= r->at != r->end;
    return r->is_odd
               ? sp_fail(err, SP_EDATA, "%s: its lists are not those of a part; it is damaged: make it again",
                         out->name)
               : sp_part_check_lists(out, n_ids, n_subjects, err);
}

sp_status sp_part_read(const unsigned char *bytes, size_t n, const char *name, sp_part_content *out,
                       sp_error *err)
{
    sp_status status = SP_OK;
    *out = (sp_part_content){.name = strdup(name)};
    if (!out->name)
        return sp_no_memory(err);
    if (n < HEAD || memcmp(bytes, magic, MAGIC) != 0)
        return sp_fail(err, SP_EDATA, "%s: these bytes are no part of this version of statepath", name);
    reader r = {.at = bytes + MAGIC, .end = bytes + n};
    if (next_eight(&r) != sp_checksum(SP_CHECKSUM, r.at, (size_t)(r.end - r.at)))
        return sp_fail(err, SP_EDATA, "%s: its checksum is wrong; it is damaged: make it again", name);
    TRY(read_header(&r, out, err));
    TRY(read_lists(&r, out, err));
done:
    return status;
}
