/* Body: dense maxima, see dense.h. Plain loops over a fixed number of columns, which compilers turn into vectors held in
 * registers. */

#define DENSE_COLUMNS (8 * LANE_W)
#define DENSE_BY_BITS (LANE_W == 8) /* where the minimum of 64 bits is one instruction */

enum { DENSE_W = DENSE_COLUMNS / 8, DENSE_MOST_VECTORS = DENSE_COLUMNS / DENSE_W };
typedef double dense_vd __attribute__((vector_size(DENSE_COLUMNS), aligned(8), may_alias));
typedef int64_t dense_vi __attribute__((vector_size(DENSE_COLUMNS), aligned(8), may_alias));
typedef uint64_t dense_vu __attribute__((vector_size(DENSE_COLUMNS), aligned(8), may_alias));

/* Compilers make one instruction of each of these. */
SP_ALWAYS_INLINE dense_vd dense_greater(dense_vd a, dense_vd b)
{
    dense_vd r = b;
    for (int32_t l = 0; l < DENSE_W; l++)
        r[l] = a[l] > b[l] ? a[l] : b[l];
    return r;
}

SP_ALWAYS_INLINE dense_vu dense_lesser_bits(dense_vu a, dense_vu b)
{
    dense_vu r = b;
    for (int32_t l = 0; l < DENSE_W; l++)
        r[l] = a[l] < b[l] ? a[l] : b[l];
    return r;
}

SP_ALWAYS_INLINE dense_vd dense_begin(const double *to, bool is_new)
{
    if (is_new)
        return (dense_vd){0} - INFINITY;
    return *(const dense_vd *)to;
}

/* to[columns] (-INFINITY when it is new) and what n rows give: 0 .. n-1, or (list not NULL) those in the list. Vectors by name:
 * left to themselves, compilers put several rows into one. */
SP_ALWAYS_INLINE void dense_rows(const double *weight, const double *now, const int32_t *list, int32_t n,
                                 int32_t columns, double *to, bool is_new)
{
    dense_vd best[DENSE_MOST_VECTORS];
    int32_t n_vectors = columns / DENSE_W;
    for (int32_t v = 0; v < n_vectors; v++)
        best[v] = dense_begin(to + (size_t)v * DENSE_W, is_new);
    for (int32_t r = 0; r < n; r++) {
        int32_t i = list ? list[r] : r;
        const double *row = weight + (ptrdiff_t)i * columns;
        dense_vd from = now[i] - (dense_vd){0};
        for (int32_t v = 0; v < n_vectors; v++)
            best[v] = dense_greater(from + *(const dense_vd *)(row + (size_t)v * DENSE_W), best[v]);
    }
    for (int32_t v = 0; v < n_vectors; v++)
        *(dense_vd *)(to + (size_t)v * DENSE_W) = best[v];
}

/* The same while every sum is below zero: then the greatest has the least bits, and the minimum of integers does not wait for
 * the ports on which sums are made. A sum of zero or more has the least bits of all, so it is noticed: false, and `to` is as
 * before. */
SP_ALWAYS_INLINE bool dense_rows_below_zero(const double *weight, const double *now, const int32_t *list,
                                            int32_t n, int32_t columns, double *to, bool is_new)
{
    dense_vu best[DENSE_MOST_VECTORS], sign = ~(dense_vu){0};
    int32_t n_vectors = columns / DENSE_W;
    for (int32_t v = 0; v < n_vectors; v++)
        best[v] = (dense_vu)dense_begin(to + (size_t)v * DENSE_W, is_new);
    for (int32_t r = 0; r < n; r++) {
        int32_t i = list ? list[r] : r;
        const double *row = weight + (ptrdiff_t)i * columns;
        dense_vd from = now[i] - (dense_vd){0};
        for (int32_t v = 0; v < n_vectors; v++)
            best[v] =
                dense_lesser_bits((dense_vu)(from + *(const dense_vd *)(row + (size_t)v * DENSE_W)), best[v]);
    }
    uint64_t all = UINT64_MAX;
    for (int32_t v = 0; v < n_vectors; v++)
        sign &= best[v];
    for (int32_t l = 0; l < DENSE_W; l++)
        all &= sign[l];
    if (all >> 63 == 0)
        return false;
    for (int32_t v = 0; v < n_vectors; v++)
        *(dense_vu *)(to + (size_t)v * DENSE_W) = best[v];
    return true;
}

/* The one way or the other. */
SP_ALWAYS_INLINE void dense_best(const double *weight, const double *now, const int32_t *list, int32_t n,
                                 int32_t columns, double *to, bool is_new, sp_dense_part *part)
{
    if (DENSE_BY_BITS && !part->has_positive) {
        if (dense_rows_below_zero(weight, now, list, n, columns, to, is_new))
            return;
        part->has_positive = true;
    }
    dense_rows(weight, now, list, n, columns, to, is_new);
}

SP_ALWAYS_INLINE void dense_block(const sp_dense *dense, int32_t b, const double *now, int32_t columns,
                                  double *to, sp_dense_part *part)
{
    dense_best(dense->weight + (ptrdiff_t)b * dense->n * columns, now, NULL, dense->n, columns, to, true,
               part);
}

static void dense_step(const sp_dense *dense, const double *now, double *next, sp_dense_part *part)
{
    for (int32_t b = part->first; b < part->last; b++) {
        double *to = next + (ptrdiff_t)b * dense->columns;
        if (dense->columns == DENSE_COLUMNS)
            dense_block(dense, b, now, DENSE_COLUMNS, to, part);
        else if (dense->columns == DENSE_COLUMNS / 2)
            dense_block(dense, b, now, DENSE_COLUMNS / 2, to, part);
        else
            dense_block(dense, b, now, DENSE_COLUMNS / 4, to, part);
    }
}

/* Bit r: now[r] + most[r] > floor, of 64 rows. */
SP_ALWAYS_INLINE uint64_t dense_mask(const double *now, const double *most, double floor)
{
    dense_vu bit, mask = {0};
    uint64_t all = 0;
    for (int32_t l = 0; l < DENSE_W; l++)
        bit[l] = UINT64_C(1) << l;
    for (int32_t v = 0; v < 64 / DENSE_W; v++) {
        dense_vd bound =
            *(const dense_vd *)(now + (size_t)v * DENSE_W) + *(const dense_vd *)(most + (size_t)v * DENSE_W);
        mask |= (dense_vu)(bound > (dense_vd){0} + floor) & (bit << (v * DENSE_W));
    }
    for (int32_t l = 0; l < DENSE_W; l++)
        all |= mask[l];
    return all;
}

/* Appends the rows first + r of the bits r to the list, eight at a time: which they are cannot be foreseen, and fewer than eight
 * are the rule. Returns its length; eight more may be written. */
SP_ALWAYS_INLINE int32_t dense_list(uint64_t mask, int32_t first, int32_t *list, int32_t n)
{
    while (mask) {
        int32_t count = __builtin_popcountll(mask);
        for (int32_t r = 0; r < 8; r++) {
            list[n + r] = first + __builtin_ctzll(mask | UINT64_C(1) << 63);
            mask &= mask - 1;
        }
        n += count < 8 ? count : 8;
    }
    return n;
}

/* One block from the rows that can win: the first n_begin of the list, then of the others those whose bound is above the floor.
 */
SP_ALWAYS_INLINE void dense_block_skipping(const sp_dense *dense, int32_t b, const double *now, int32_t *list,
                                           int32_t n_begin, const double *others, int32_t columns, double *to,
                                           sp_dense_part *part)
{
    int32_t n = dense->n, *rest = list + n_begin, n_rest = 0;
    const double *weight = dense->weight + (ptrdiff_t)b * n * columns;
    const double *most = dense->most + (ptrdiff_t)b * n, *fill = dense->fill + (ptrdiff_t)b * columns;
    double floor = INFINITY;
    dense_best(weight, now, list, n_begin, columns, to, true, part);
    for (int32_t j = 0; j < columns; j++) {
        double value = to[j] > fill[j] ? to[j] : fill[j];
        floor = value < floor ? value : floor;
    }
    int32_t i = 0;
    for (; i + 64 <= n; i += 64)
        n_rest = dense_list(dense_mask(others + i, most + i, floor), i, rest, n_rest);
    for (; i < n; i++) {
        rest[n_rest] = i;
        n_rest += others[i] + most[i] > floor;
    }
    if (n_rest > n / 2)
        dense_best(weight, now, NULL, n, columns, to, true, part);
    else
        dense_best(weight, now, rest, n_rest, columns, to, false, part);
}

static void dense_step_skipping(const sp_dense *dense, const double *now, double *next, sp_dense_part *part)
{
    int32_t list[2 * SP_DENSE_SKIP_MOST + 8], n = dense->n, n_begin = 0, wanted = n / 32;
    double top = -INFINITY, others[SP_DENSE_SKIP_MOST]; /* now[] of the rows that do not go first */
    for (int32_t i = 0; i < n; i++)
        top = now[i] > top ? now[i] : top;
    double least = top - part->span;
    for (int32_t i = 0; i < n; i++) {
        list[n_begin] = i;
        n_begin += now[i] >= least;
        others[i] = now[i] >= least ? -INFINITY : now[i];
    }
    if (n_begin < wanted && part->span < 1e300)
        part->span *= 1.125;
    else if (n_begin > 2 * wanted && part->span > 1e-300)
        part->span *= 0.875;
    if (n_begin > n / 4) {
        dense_step(dense, now, next, part);
        return;
    }
    for (int32_t b = part->first; b < part->last; b++) {
        double *to = next + (ptrdiff_t)b * dense->columns;
        if (dense->columns == DENSE_COLUMNS)
            dense_block_skipping(dense, b, now, list, n_begin, others, DENSE_COLUMNS, to, part);
        else if (dense->columns == DENSE_COLUMNS / 2)
            dense_block_skipping(dense, b, now, list, n_begin, others, DENSE_COLUMNS / 2, to, part);
        else
            dense_block_skipping(dense, b, now, list, n_begin, others, DENSE_COLUMNS / 4, to, part);
    }
}

/* The greatest of the vector. */
SP_ALWAYS_INLINE double dense_top(dense_vd x)
{
    double v[DENSE_W];
    *(dense_vd *)v = x;
    for (int32_t half = DENSE_W / 2; half > 0; half /= 2)
        for (int32_t l = 0; l < half; l++)
            v[l] = v[l] > v[l + half] ? v[l] : v[l + half];
    return v[0];
}

SP_ALWAYS_INLINE dense_vd dense_sum(const double *now, const double *weight, int32_t i)
{
    return *(const dense_vd *)(now + i) + *(const dense_vd *)(weight + i);
}

/* The first of n sums, n a multiple of DENSE_W, that is as great as `top`; n when none is. Within a place of the vectors the last
 * one written stays. */
SP_ALWAYS_INLINE int32_t dense_first(const double *now, const double *weight, int32_t n, double top)
{
    dense_vi count, low = (dense_vi){0} + n;
    for (int32_t l = 0; l < DENSE_W; l++)
        count[l] = l;
    for (int32_t i = n - DENSE_W; i >= 0; i -= DENSE_W) {
        dense_vi is_in = (dense_vi)(dense_sum(now, weight, i) >= (dense_vd){0} + top);
        low = (is_in & (count + i)) | (~is_in & low);
    }
    int64_t first[DENSE_W];
    *(dense_vi *)first = low;
    for (int32_t half = DENSE_W / 2; half > 0; half /= 2)
        for (int32_t l = 0; l < half; l++)
            first[l] = first[l] < first[l + half] ? first[l] : first[l + half];
    return (int32_t)first[0];
}

/* First the greatest sum, then the first that is as great. */
static int32_t dense_choice(const double *now, const double *weight, int32_t n)
{
    enum { PART = 16 * DENSE_W };
    dense_vd best0 = (dense_vd){0} - INFINITY, best1 = best0;
    int32_t i = 0, whole = n - n % DENSE_W;
    for (; i + 2 * DENSE_W <= n; i += 2 * DENSE_W) {
        best0 = dense_greater(dense_sum(now, weight, i), best0);
        best1 = dense_greater(dense_sum(now, weight, i + DENSE_W), best1);
    }
    if (i < whole)
        best0 = dense_greater(dense_sum(now, weight, i), best0);
    double top = dense_top(dense_greater(best0, best1));
    for (i = whole; i < n; i++)
        top = now[i] + weight[i] > top ? now[i] + weight[i] : top;
    for (i = 0; i < whole; i += PART) {
        int32_t part = whole - i < PART ? whole - i : PART,
                first = dense_first(now + i, weight + i, part, top);
        if (first < part)
            return i + first;
    }
    for (i = whole; i < n - 1 && now[i] + weight[i] < top;)
        i++;
    return i;
}

enum {
    DENSE_AHEAD = 4096
}; /* bytes of scores that are asked for early: the streams of a processor end with a page */

/* Vectors first, then what is left over. */
#define DENSE_ADD(type)                                                                                      \
    {                                                                                                        \
        typedef type scores_v __attribute__((vector_size(DENSE_W * sizeof(type)), aligned(4), may_alias));   \
        const type *e = row;                                                                                 \
        for (; j + DENSE_W <= n; j += DENSE_W) {                                                             \
            __builtin_prefetch((const char *)(e + j) + DENSE_AHEAD);                                         \
            *(dense_vd *)(next + j) += __builtin_convertvector(*(const scores_v *)(e + j), dense_vd);        \
        }                                                                                                    \
        for (; j < n; j++)                                                                                   \
            next[j] += (double)e[j];                                                                         \
    }

static void dense_add(const void *row, sp_dtype dtype, const int32_t *states, int32_t n, double *next)
{
    int32_t j = 0;
    if (states && dtype == SP_F32)
        for (; j < n; j++)
            next[j] += (double)((const float *)row)[states[j]];
    else if (states)
        for (; j < n; j++)
            next[j] += ((const double *)row)[states[j]];
    else if (dtype == SP_F32)
        DENSE_ADD(float)
    else
        DENSE_ADD(double)
}

#define DENSE_SPREAD(type)                                                                                   \
    {                                                                                                        \
        typedef type scores_v __attribute__((vector_size(DENSE_W * sizeof(type)), aligned(4), may_alias));   \
        const type *e = row;                                                                                 \
        for (; !states && j + DENSE_W <= n; j += DENSE_W) {                                                  \
            dense_vd best;                                                                                   \
            for (int32_t l = 0; l < DENSE_W; l++)                                                            \
                best[l] = value[column[j + l]];                                                              \
            __builtin_prefetch((const char *)(e + j) + DENSE_AHEAD);                                         \
            *(dense_vd *)(next + j) = best + __builtin_convertvector(*(const scores_v *)(e + j), dense_vd);  \
        }                                                                                                    \
        for (; j < n; j++)                                                                                   \
            next[j] = value[column[j]] + (double)e[states ? states[j] : j];                                  \
    }

static void dense_spread(const void *row, sp_dtype dtype, const int32_t *states, int32_t n,
                         const int32_t *column, const double *value, double *next)
{
    int32_t j = 0;
    if (dtype == SP_F32)
        DENSE_SPREAD(float)
    else
        DENSE_SPREAD(double)
}

static void dense_step_any(const sp_dense *dense, const double *now, double *next, sp_dense_part *part)
{
    if (dense->most)
        dense_step_skipping(dense, now, next, part);
    else
        dense_step(dense, now, next, part);
}
