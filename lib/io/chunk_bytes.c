#include "io/chunk_bytes.h"

#include <string.h>

/* One loop for each size, its planes named, so that compilers make interleaving stores of it. */
static void unshuffle_2(const unsigned char *restrict a, const unsigned char *restrict b, size_t n, unsigned char *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = a[i];
        out[2 * i + 1] = b[i];
    }
}

static void unshuffle_4(const unsigned char *restrict p, size_t stride, size_t n, unsigned char *restrict out)
{
    const unsigned char *restrict a = p, *restrict b = p + stride, *restrict c = p + 2 * stride, *restrict d = p + 3 * stride;
    for (size_t i = 0; i < n; i++) {
        out[4 * i] = a[i];
        out[4 * i + 1] = b[i];
        out[4 * i + 2] = c[i];
        out[4 * i + 3] = d[i];
    }
}

void sp_unshuffle(const unsigned char *shuffled, size_t n, size_t size, size_t first, size_t count, unsigned char *out)
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
    return (overlap){common(from->row, from->n_rows, to->row, to->n_rows), common(from->at1, from->n1, to->at1, to->n1),
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

void sp_box_copy(const sp_box *from, const unsigned char *values, const sp_box *to, size_t size, unsigned char *out)
{
    const overlap o = overlap_of(from, to);
    const int64_t n1 = length(o.d1), n2 = length(o.d2), run = run_length(from, to, &o);
    if (length(o.row) * n1 * n2 == 0)
        return;
    const int64_t rows_a_run = run > n1 * n2 ? length(o.row) : 1, i1_a_run = run > n2 ? n1 : 1;
    for (int64_t row = o.row.first; row < o.row.last; row += rows_a_run)
        for (int64_t i1 = o.d1.first; i1 < o.d1.last; i1 += i1_a_run)
            memcpy(out + (size_t)place(to, row, i1, o.d2.first) * size, values + (size_t)place(from, row, i1, o.d2.first) * size,
                   (size_t)run * size);
}
