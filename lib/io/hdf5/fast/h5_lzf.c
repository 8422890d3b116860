#include "io/hdf5/fast/h5_lzf.h"

#include <hdf5.h>
#include <string.h>

/* The next item. is_copy: of bytes from `back` places back on, else of those that follow. False: the bytes end within it. */
typedef struct item {
    bool is_copy;
    size_t length, back;
} item;

static bool item_next(const unsigned char **at, const unsigned char *end, item *out)
{
    const unsigned char *p = *at;
    const unsigned first = *p++;
    if (first < 32) {
        *out = (item){.length = first + 1};
        *at = p;
        return (size_t)(end - p) >= out->length;
    }
    *out = (item){.is_copy = true, .length = first >> 5};
    if (p < end && out->length == 7)
        out->length += *p++;
    if (p == end)
        return false;
    out->length += 2;
    out->back = ((size_t)(first & 31) << 8) + *p++ + 1;
    *at = p;
    return true;
}

bool sp_lzf_unpack(const unsigned char *packed, size_t n, unsigned char *out, size_t n_out)
{
    const unsigned char *at = packed, *end = packed + n;
    size_t done = 0;
    item next;
    while (at < end) {
        if (!item_next(&at, end, &next) || next.length > n_out - done || (next.is_copy && next.back > done))
            return false;
        if (!next.is_copy) {
            memcpy(out + done, at, next.length);
            at += next.length;
        } else if (next.back >= next.length) {
            memcpy(out + done, out + done - next.back, next.length);
        } else {
            for (size_t i = 0; i < next.length; i++) /* what is written is read again */
                out[done + i] = out[done + i - next.back];
        }
        done += next.length;
    }
    return done == n_out;
}

/* How many bytes they make; 0: they are damaged. */
static size_t unpacked_size(const unsigned char *packed, size_t n)
{
    const unsigned char *at = packed, *end = packed + n;
    size_t size = 0;
    item next;
    while (at < end) {
        if (!item_next(&at, end, &next))
            return 0;
        size += next.length;
        at += next.is_copy ? 0 : next.length;
    }
    return size;
}

static size_t filter(unsigned flags, size_t n_values, const unsigned values[], size_t n, size_t *room,
                     void **buffer)
{
    (void)n_values;
    (void)values;
    if (!(flags & H5Z_FLAG_REVERSE))
        return 0; /* nothing is written so */
    const size_t size = unpacked_size(*buffer, n);
    unsigned char *out = size ? H5allocate_memory(size, false) : NULL;
    if (!out)
        return 0;
    if (!sp_lzf_unpack(*buffer, n, out, size)) {
        H5free_memory(out);
        return 0;
    }
    H5free_memory(*buffer);
    *buffer = out;
    *room = size;
    return size;
}

void sp_lzf_register(void)
{
    static const H5Z_class2_t lzf = {.version = H5Z_CLASS_T_VERS,
                                     .id = SP_LZF_FILTER,
                                     .decoder_present = 1,
                                     .name = "lzf",
                                     .filter = filter};
    if (H5Zfilter_avail(SP_LZF_FILTER) <= 0)
        (void)H5Zregister(&lzf);
}
