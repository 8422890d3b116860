/* Body: the steps of one recording, see single.h. SINGLE_W doubles a vector, compiled for SINGLE_TARGET. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#define SINGLE_FN static inline __attribute__((always_inline)) SINGLE_TARGET

enum { W = SINGLE_W, MOST = SP_SINGLE_MOST_CLASSES, MOST_VECTORS = MOST / W };
typedef double vd __attribute__((vector_size(8 * SINGLE_W), may_alias));
typedef uint64_t vu __attribute__((vector_size(8 * SINGLE_W), may_alias));

/* The first W of x are wanted; vectors are unrolled by name because a loop over them would not be. */
#define UNROLL _Pragma("GCC unroll 16")

/* Compilers make one instruction of each of these. */
SINGLE_FN vd greater(vd a, vd b)
{
    vd r;
    UNROLL
    for (int l = 0; l < W; l++)
        r[l] = a[l] > b[l] ? a[l] : b[l];
    return r;
}

/* Where a is b: yes, else no. */
SINGLE_FN vu where_equal(vd a, vd b, vu yes, vu no)
{
    vu is_equal = (vu)(a == b);
    return (is_equal & yes) | (~is_equal & no);
}

/* Item l of x everywhere. */
#if defined(__clang__) || __GNUC__ >= 12
#define SPREAD(x, ...) __builtin_shufflevector(x, x, __VA_ARGS__)
#else
#define SPREAD(x, ...) __builtin_shuffle(x, (vu){__VA_ARGS__})
#endif
#if SINGLE_W == 2
#define SPREAD_CASE(l)                                                                                                           \
    case l:                                                                                                                      \
        return SPREAD(x, l, l);
#define SPREAD_CASES SPREAD_CASE(0)
#elif SINGLE_W == 4
#define SPREAD_CASE(l)                                                                                                           \
    case l:                                                                                                                      \
        return SPREAD(x, l, l, l, l);
#define SPREAD_CASES SPREAD_CASE(0) SPREAD_CASE(1) SPREAD_CASE(2)
#else
#define SPREAD_CASE(l)                                                                                                           \
    case l:                                                                                                                      \
        return SPREAD(x, l, l, l, l, l, l, l, l);
#define SPREAD_CASES SPREAD_CASE(0) SPREAD_CASE(1) SPREAD_CASE(2) SPREAD_CASE(3) SPREAD_CASE(4) SPREAD_CASE(5) SPREAD_CASE(6)
#endif
SINGLE_FN vd spread(vd x, int l)
{
    switch (l) {
        SPREAD_CASES
    default:
#if SINGLE_W == 2
        return SPREAD(x, 1, 1);
#elif SINGLE_W == 4
        return SPREAD(x, 3, 3, 3, 3);
#else
        return SPREAD(x, 7, 7, 7, 7, 7, 7, 7, 7);
#endif
    }
}

/* W scores as doubles. */
SINGLE_FN vd scores_at(sp_dtype dtype, const void *at)
{
    vd r;
    if (dtype == SP_F64) {
        memcpy(&r, at, sizeof r);
        return r;
    }
    const float *e = at;
    UNROLL
    for (int l = 0; l < W; l++)
        r[l] = (double)e[l];
    return r;
}

/* The or of all items, by halves. */
typedef uint64_t vu2 __attribute__((vector_size(16), may_alias));
typedef uint64_t vu4 __attribute__((vector_size(32), may_alias));
SINGLE_FN uint64_t all_of(vu x)
{
#if SINGLE_W == 8
    vu4 four = __builtin_shufflevector(x, x, 0, 1, 2, 3) | __builtin_shufflevector(x, x, 4, 5, 6, 7);
#elif SINGLE_W == 4
    vu4 four = x;
#endif
#if SINGLE_W >= 4
    vu2 two = __builtin_shufflevector(four, four, 0, 1) | __builtin_shufflevector(four, four, 2, 3);
#else
    vu2 two = x;
#endif
    return two[0] | two[1];
}

/* The model in vectors. */
typedef struct single_table {
    vd weight[MOST][MOST_VECTORS];
    vu code[MOST][MOST_VECTORS];
} single_table;

/* One step; at: scores, readable for whole vectors. Returns the word. */
SINGLE_FN uint64_t single_step(const single_table *table, sp_dtype dtype, int columns, vd *now, const char *at)
{
    int n = (columns + W - 1) / W;
    vd next[MOST_VECTORS];
    vu word = {0};
    UNROLL
    for (int v = 0; v < n; v++) {
        vd offer[MOST], best[MOST];
        UNROLL
        for (int i = 0; i < columns; i++)
            best[i] = offer[i] = spread(now[i / W], i % W) + table->weight[i][v];
        /* In rounds: the fewer maxima one after the other, the better. */
        UNROLL
        for (int apart = 1; apart < columns; apart *= 2) {
            UNROLL
            for (int i = 0; i + apart < columns; i += 2 * apart)
                best[i] = greater(best[i], best[i + apart]);
        }
        /* Nothing waits for the back-pointers; the lowest comes last. */
        vu code = table->code[columns - 1][v];
        UNROLL
        for (int i = columns - 2; i >= 0; i--)
            code = where_equal(offer[i], best[0], table->code[i][v], code);
        word |= code;
        next[v] = best[0] + scores_at(dtype, at + v * W * (int)dtype);
    }
    UNROLL
    for (int v = 0; v < n; v++)
        now[v] = next[v];
    return all_of(word);
}

SINGLE_FN void single_steps(const sp_single_steps *s, sp_dtype dtype, int columns)
{
    const sp_single_rules *r = s->rules;
    int n = (columns + W - 1) / W;
    size_t row_bytes = (size_t)r->n_classes * (size_t)dtype, read = (size_t)(n * W) * (size_t)dtype;
    const char *at = s->rows;
    int64_t n_steps = s->n, n_whole = n_steps - (int64_t)((read - 1) / row_bytes), t = 0;
    uint64_t *words = s->words;
    char padded[MOST * sizeof(double)] = {0};
    single_table table;
    vd now[MOST_VECTORS];
    UNROLL
    for (int v = 0; v < n; v++) {
        now[v] = *(const vd *)(s->delta + v * W);
        UNROLL
        for (int i = 0; i < columns; i++) {
            table.weight[i][v] = *(const vd *)(r->weight + i * MOST + v * W);
            table.code[i][v] = *(const vu *)(r->code + i * MOST + v * W);
        }
    }
    for (; t < n_whole; t++, at += row_bytes)
        words[t] = single_step(&table, dtype, columns, now, at);
    /* There is nothing to read behind the last rows. */
    for (; t < n_steps; t++, at += row_bytes) {
        memcpy(padded, at, row_bytes);
        words[t] = single_step(&table, dtype, columns, now, padded);
    }
    UNROLL
    for (int v = 0; v < n; v++)
        *(vd *)(s->delta + v * W) = now[v];
}

/* Every kind its own code. */
SINGLE_TARGET static void single_any(const sp_single_steps *s)
{
    const sp_single_rules *r = s->rules;
#define KIND(columns_)                                                                                                           \
    if (r->columns == columns_ && s->dtype == SP_F32)                                                                            \
        single_steps(s, SP_F32, columns_);                                                                                       \
    else if (r->columns == columns_)                                                                                             \
        single_steps(s, SP_F64, columns_);
    KIND(2) KIND(3) KIND(4) KIND(5) KIND(6) KIND(8) KIND(12) KIND(16)
}
