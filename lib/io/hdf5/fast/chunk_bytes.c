#include "io/hdf5/fast/chunk_bytes.h"

#include <string.h>

/* One loop for each size, its planes named, so that compilers make interleaving stores of it. */
static void unshuffle_2(const unsigned char *restrict a, const unsigned char *restrict b, size_t n,
                        unsigned char *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = a[i];
        out[2 * i + 1] = b[i];
    }
}

static void unshuffle_4(const unsigned char *restrict p, size_t stride, size_t n, unsigned char *restrict out)
{
    const unsigned char *restrict a = p, *restrict b = p + stride, *restrict c = p + 2 * stride,
                                  *restrict d = p + 3 * stride;
    for (size_t i = 0; i < n; i++) {
        out[4 * i] = a[i];
        out[4 * i + 1] = b[i];
        out[4 * i + 2] = c[i];
        out[4 * i + 3] = d[i];
    }
}

void sp_unshuffle(const unsigned char *shuffled, size_t n, size_t size, size_t first, size_t count,
                  unsigned char *out)
{
    const unsigned char *p = shuffled + first;
    if (size == 2) {
        unshuffle_2(p, p + n, count, out);
    } else if (size == 4) {
        unshuffle_4(p, n, count, out);
    } else {
        for (size_t byte = 0; byte < size; byte++)
            for (size_t i = 0; i < count; i++)
                out[size * i + byte] = p[byte * n + i];
    }
}

/* Sums of big-endian 16-bit words, and sums of those sums, with the carries added again. 360 words cannot overflow 32 bits. */
uint32_t sp_fletcher32(const unsigned char *bytes, size_t n)
{
    uint32_t sum = 0, sums = 0;
    size_t words = n / 2;
    for (size_t i = 0; i < words;) {
        const size_t stop = words - i < 360 ? words : i + 360;
        for (; i < stop; i++) {
            sum += (uint32_t)bytes[2 * i] << 8 | bytes[2 * i + 1];
            sums += sum;
        }
        sum = (sum & 0xffff) + (sum >> 16);
        sums = (sums & 0xffff) + (sums >> 16);
    }
    if (n % 2) {
        sum += (uint32_t)bytes[n - 1] << 8;
        sums += sum;
        sum = (sum & 0xffff) + (sum >> 16);
        sums = (sums & 0xffff) + (sums >> 16);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sums = (sums & 0xffff) + (sums >> 16);
    return sums << 16 | sum;
}

/* ---- boxes ---- */

/* What two ranges have in common. */
typedef struct span {
    int64_t first, last; /* last is the first beyond */
} span;

static span common(int64_t a, int64_t n_a, int64_t b, int64_t n_b)
{
    int64_t first = a > b ? a : b, last = a + n_a < b + n_b ? a + n_a : b + n_b;
    return (span){first, last > first ? last : first};
}

typedef struct overlap {
    span row, d1, d2;
} overlap;

static overlap overlap_of(const sp_box *from, const sp_box *to)
{
    return (overlap){common(from->row, from->n_rows, to->row, to->n_rows),
                     common(from->at1, from->n1, to->at1, to->n1),
                     common(from->at2, from->n2, to->at2, to->n2)};
}

static int64_t place(const sp_box *box, int64_t row, int64_t i1, int64_t i2)
{
    return ((row - box->row) * box->n1 + (i1 - box->at1)) * box->n2 + (i2 - box->at2);
}

static int64_t length(span s)
{
    return s.last - s.first;
}

/* How many values of the overlap lie one after the other in both boxes: all of it, or a row, or the run of a row's last axis. */
static int64_t run_length(const sp_box *from, const sp_box *to, const overlap *o)
{
    const int64_t n1 = length(o->d1), n2 = length(o->d2);
    if (n2 != from->n2 || n2 != to->n2)
        return n2;
    if (n1 != from->n1 || n1 != to->n1)
        return n1 * n2;
    return length(o->row) * n1 * n2;
}

int64_t sp_box_run(const sp_box *from, const sp_box *to, int64_t *first_from, int64_t *first_to)
{
    const overlap o = overlap_of(from, to);
    const int64_t all = length(o.row) * length(o.d1) * length(o.d2), run = run_length(from, to, &o);
    *first_from = place(from, o.row.first, o.d1.first, o.d2.first);
    *first_to = place(to, o.row.first, o.d1.first, o.d2.first);
    return run == all ? all : -1;
}

/* n runs, each of so many bytes, strides apart. Runs are short where classes are split among chunks: those of few numbers are
 * copied without a call. */
static void copy_runs(int64_t n, size_t bytes, const unsigned char *restrict from, size_t from_stride,
                      unsigned char *restrict to, size_t to_stride)
{
#define COPY_RUNS(known)                                                                                     \
    for (int64_t i = 0; i < n; i++)                                                                          \
    memcpy(to + (size_t)i * to_stride, from + (size_t)i * from_stride, known)
    switch (bytes) {
    case 2:
        COPY_RUNS(2);
        break;
    case 4:
        COPY_RUNS(4);
        break;
    case 8:
        COPY_RUNS(8);
        break;
    case 12:
        COPY_RUNS(12);
        break;
    case 16:
        COPY_RUNS(16);
        break;
    default:
        COPY_RUNS(bytes);
        break;
    }
#undef COPY_RUNS
}

void sp_box_copy(const sp_box *from, const unsigned char *values, const sp_box *to, size_t size,
                 unsigned char *out)
{
    const overlap o = overlap_of(from, to);
    const int64_t rows = length(o.row), n1 = length(o.d1), n2 = length(o.d2), run = run_length(from, to, &o);
    if (rows * n1 * n2 == 0)
        return;
    const unsigned char *first = values + (size_t)place(from, o.row.first, o.d1.first, o.d2.first) * size;
    unsigned char *there = out + (size_t)place(to, o.row.first, o.d1.first, o.d2.first) * size;
    const size_t from_row = (size_t)(from->n1 * from->n2) * size, to_row = (size_t)(to->n1 * to->n2) * size;
    if (run == rows * n1 * n2)
        memcpy(there, first, (size_t)run * size);
    else if (run == n1 * n2)
        copy_runs(rows, (size_t)run * size, first, from_row, there, to_row);
    else
        for (int64_t row = 0; row < rows; row++)
            copy_runs(n1, (size_t)run * size, first + (size_t)row * from_row, (size_t)from->n2 * size,
                      there + (size_t)row * to_row, (size_t)to->n2 * size);
}
