/* Body: vectors of LANE_W doubles, compiled for LANE_TARGET, and transposes. Included once by each lanes_<isa>.c. */
#include <stddef.h>
#include <stdint.h>

#define LANE_FN static inline __attribute__((always_inline)) LANE_TARGET

/* W doubles a vector, G vectors a row of lanes: one edge of the model is read once for L recordings. */
#ifndef LANE_G
#define LANE_G 4
#endif
enum { W = LANE_W, G = LANE_G, L = W * G };
#define EACH(OP) OP(0) OP(1) OP(2) OP(3)

typedef double vd __attribute__((vector_size(8 * LANE_W), may_alias));
typedef int64_t vi __attribute__((vector_size(8 * LANE_W), may_alias));
typedef uint64_t vu64 __attribute__((vector_size(8 * LANE_W), may_alias));
typedef float vf2 __attribute__((vector_size(8 * LANE_W), may_alias));
typedef double vd2 __attribute__((vector_size(16 * LANE_W), may_alias));

/* m ? a : b, where each lane of m is all ones or all zeros. Compilers turn it into one blend. */
#define PICK(type, m, a, b) ((type)(((m) & (vi)(a)) | (~(m) & (vi)(b))))

LANE_FN vd spread(double x)
{
    return x - (vd){0};
}

LANE_FN vi spread_i(int64_t x)
{
    return x - (vi){0};
}

/* ---- transposes: squares of P32 32-bit or P64 64-bit items ---- */

enum { P32 = LANE_W < 8 ? LANE_W < 4 ? 4 : 8 : 8, P64 = LANE_W };
typedef uint32_t p32 __attribute__((vector_size(LANE_W < 4 ? 16 : 32), aligned(4), may_alias));
typedef uint64_t p64 __attribute__((vector_size(8 * LANE_W), aligned(8), may_alias));

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE32(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define SHUFFLE64(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#if LANE_W == 2
#define LOW_HALF(out, x) (*(out) = __builtin_shufflevector(x, x, 0, 1))
#define HIGH_HALF(out, x) (*(out) = __builtin_shufflevector(x, x, 2, 3))
#elif LANE_W == 4
#define LOW_HALF(out, x) (*(out) = __builtin_shufflevector(x, x, 0, 1, 2, 3))
#define HIGH_HALF(out, x) (*(out) = __builtin_shufflevector(x, x, 4, 5, 6, 7))
#else
#define LOW_HALF(out, x) (*(out) = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7))
#define HIGH_HALF(out, x) (*(out) = __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15))
#endif
#else
#define LOW_HALF(out, x) (*(out) = ((const vd *)&(x))[0])
#define HIGH_HALF(out, x) (*(out) = ((const vd *)&(x))[1])
#define SHUFFLE32(a, b, ...) __builtin_shuffle(a, b, (p32){__VA_ARGS__})
#define SHUFFLE64(a, b, ...) __builtin_shuffle(a, b, (p64){__VA_ARGS__})
#endif

/* Eight rows r0 .. r7: pairs of items (ITEM), then pairs of pairs (PAIR), then halves. For 64-bit items rows 1 and 2 of each
 * four come out of the middle stage in the other order, which is what `B` and `C` are for. */
#define LOW4 0, 1, 2, 3, 8, 9, 10, 11
#define HIGH4 4, 5, 6, 7, 12, 13, 14, 15
#define PAIR_LOW 0, 1, 8, 9, 4, 5, 12, 13
#define PAIR_HIGH 2, 3, 10, 11, 6, 7, 14, 15
#define FOUR_OF_EIGHT(type, SHUFFLE, LOW, HIGH, a0, a1, a2, a3, B, C)                                                            \
    do {                                                                                                                         \
        type s0 = SHUFFLE(a0, a1, LOW), s1 = SHUFFLE(a0, a1, HIGH), s2 = SHUFFLE(a2, a3, LOW), s3 = SHUFFLE(a2, a3, HIGH);       \
        a0 = SHUFFLE(s0, s2, PAIR_LOW);                                                                                          \
        B = SHUFFLE(s0, s2, PAIR_HIGH);                                                                                          \
        C = SHUFFLE(s1, s3, PAIR_LOW);                                                                                           \
        a3 = SHUFFLE(s1, s3, PAIR_HIGH);                                                                                         \
    } while (0)
#define HALVES(type, SHUFFLE, a, b)                                                                                              \
    do {                                                                                                                         \
        type s = SHUFFLE(a, b, LOW4);                                                                                            \
        b = SHUFFLE(a, b, HIGH4);                                                                                                \
        a = s;                                                                                                                   \
    } while (0)
#define ITEM32_LOW 0, 8, 1, 9, 4, 12, 5, 13
#define ITEM32_HIGH 2, 10, 3, 11, 6, 14, 7, 15
#define ITEM64_LOW 0, 8, 2, 10, 4, 12, 6, 14
#define ITEM64_HIGH 1, 9, 3, 11, 5, 13, 7, 15
#define TRANSPOSE8_32                                                                                                            \
    FOUR_OF_EIGHT(p32, SHUFFLE32, ITEM32_LOW, ITEM32_HIGH, r0, r1, r2, r3, r1, r2);                                              \
    FOUR_OF_EIGHT(p32, SHUFFLE32, ITEM32_LOW, ITEM32_HIGH, r4, r5, r6, r7, r5, r6);                                              \
    HALVES(p32, SHUFFLE32, r0, r4);                                                                                              \
    HALVES(p32, SHUFFLE32, r1, r5);                                                                                              \
    HALVES(p32, SHUFFLE32, r2, r6);                                                                                              \
    HALVES(p32, SHUFFLE32, r3, r7)
#define TRANSPOSE8_64                                                                                                            \
    FOUR_OF_EIGHT(p64, SHUFFLE64, ITEM64_LOW, ITEM64_HIGH, r0, r1, r2, r3, r2, r1);                                              \
    FOUR_OF_EIGHT(p64, SHUFFLE64, ITEM64_LOW, ITEM64_HIGH, r4, r5, r6, r7, r6, r5);                                              \
    HALVES(p64, SHUFFLE64, r0, r4);                                                                                              \
    HALVES(p64, SHUFFLE64, r1, r5);                                                                                              \
    HALVES(p64, SHUFFLE64, r2, r6);                                                                                              \
    HALVES(p64, SHUFFLE64, r3, r7)
#define TRANSPOSE4_32                                                                                                            \
    do {                                                                                                                         \
        p32 s0 = SHUFFLE32(r0, r1, 0, 4, 1, 5), s1 = SHUFFLE32(r0, r1, 2, 6, 3, 7), s2 = SHUFFLE32(r2, r3, 0, 4, 1, 5),          \
            s3 = SHUFFLE32(r2, r3, 2, 6, 3, 7);                                                                                  \
        r0 = SHUFFLE32(s0, s2, 0, 1, 4, 5);                                                                                      \
        r1 = SHUFFLE32(s0, s2, 2, 3, 6, 7);                                                                                      \
        r2 = SHUFFLE32(s1, s3, 0, 1, 4, 5);                                                                                      \
        r3 = SHUFFLE32(s1, s3, 2, 3, 6, 7);                                                                                      \
    } while (0)
#define TRANSPOSE4_64                                                                                                            \
    do {                                                                                                                         \
        p64 s0 = SHUFFLE64(r0, r1, 0, 4, 2, 6), s1 = SHUFFLE64(r0, r1, 1, 5, 3, 7), s2 = SHUFFLE64(r2, r3, 0, 4, 2, 6),          \
            s3 = SHUFFLE64(r2, r3, 1, 5, 3, 7);                                                                                  \
        r0 = SHUFFLE64(s0, s2, 0, 1, 4, 5);                                                                                      \
        r1 = SHUFFLE64(s1, s3, 0, 1, 4, 5);                                                                                      \
        r2 = SHUFFLE64(s0, s2, 2, 3, 6, 7);                                                                                      \
        r3 = SHUFFLE64(s1, s3, 2, 3, 6, 7);                                                                                      \
    } while (0)
#define TRANSPOSE2_64                                                                                                            \
    do {                                                                                                                         \
        p64 s = SHUFFLE64(r0, r1, 0, 2);                                                                                         \
        r1 = SHUFFLE64(r0, r1, 1, 3);                                                                                            \
        r0 = s;                                                                                                                  \
    } while (0)

#define ROWS2(OP, type) OP(type, 0) OP(type, 1)
#define ROWS4(OP, type) ROWS2(OP, type) OP(type, 2) OP(type, 3)
#define ROWS8(OP, type) ROWS4(OP, type) OP(type, 4) OP(type, 5) OP(type, 6) OP(type, 7)
#if LANE_W == 2
#define ROWS32 ROWS4
#define ROWS64 ROWS2
#define TRANSPOSE32 TRANSPOSE4_32
#define TRANSPOSE64 TRANSPOSE2_64
#elif LANE_W == 4
#define ROWS32 ROWS8
#define ROWS64 ROWS4
#define TRANSPOSE32 TRANSPOSE8_32
#define TRANSPOSE64 TRANSPOSE4_64
#else
#define ROWS32 ROWS8
#define ROWS64 ROWS8
#define TRANSPOSE32 TRANSPOSE8_32
#define TRANSPOSE64 TRANSPOSE8_64
#endif

#define GATHER_ROW(type, q) type r##q = *(const type *)((const char *)from[q] + at);
#define STORE_ROW(type, q) *(type *)(to + (q)*stride) = r##q;
#define LOAD_ROW(type, q) type r##q = *(const type *)(from + (q)*stride);
#define SCATTER_ROW(type, q) *(type *)(to[q] + at) = r##q;
#define SCATTER_BYTES(type, q) *(type *)((char *)to[q] + at) = r##q;

/* P32 items at byte `at` of each of P32 rows become P32 rows of `to`, `stride` items apart. */
LANE_FN void gather32(const void *const *from, size_t at, uint32_t *to, size_t stride)
{
    ROWS32(GATHER_ROW, p32)
    TRANSPOSE32;
    ROWS32(STORE_ROW, p32)
}

LANE_FN void gather64(const void *const *from, size_t at, uint64_t *to, size_t stride)
{
    ROWS64(GATHER_ROW, p64)
    TRANSPOSE64;
    ROWS64(STORE_ROW, p64)
}

/* The other way: P32 rows become P32 items from item `at` on of each of P32 rows. */
LANE_FN void scatter32(const int32_t *from, size_t stride, int32_t *const *to, int64_t at)
{
    ROWS32(LOAD_ROW, p32)
    TRANSPOSE32;
    ROWS32(SCATTER_ROW, p32)
}

/* As scatter32() for 64-bit items. */
LANE_FN void scatter64(const uint64_t *from, size_t stride, void *const *to, size_t at)
{
    ROWS64(LOAD_ROW, p64)
    TRANSPOSE64;
    ROWS64(SCATTER_BYTES, p64)
}

enum { AHEAD = 2 * SP_LANES_TILE * 5 * sizeof(float) }; /* bytes: about two tiles of five classes */

/* `n` items (a multiple of 8) from item `at` on of L rows: tile[n,L]. There are more rows than the processor follows by itself,
 * so what is needed later is asked for here. */
LANE_FN void gather_tile(sp_dtype dtype, const void *const *rows, size_t at, size_t n, void *tile)
{
    for (size_t lane = 0; lane < L; lane++)
        for (size_t byte = 0; byte < n * (size_t)dtype; byte += 64)
            __builtin_prefetch((const char *)rows[lane] + at * (size_t)dtype + AHEAD + byte);
    if (dtype == SP_F32)
        for (size_t lane = 0; lane < L; lane += P32)
            for (size_t m = 0; m < n; m += P32)
                gather32(rows + lane, (at + m) * sizeof(float), (uint32_t *)tile + m * L + lane, L);
    else
        for (size_t lane = 0; lane < L; lane += P64)
            for (size_t m = 0; m < n; m += P64)
                gather64(rows + lane, (at + m) * sizeof(double), (uint64_t *)tile + m * L + lane, L);
}

/* Vectors 2 pair and 2 pair + 1 of row m of a tile, as doubles. Two at a time, because compilers widen one vector of floats to
 * two of doubles. */
LANE_FN void tile_pair(sp_dtype dtype, const void *tile, size_t m, int pair, vd *low, vd *high)
{
    if (dtype == SP_F32) {
        vd2 both = __builtin_convertvector(((const vf2 *)tile)[m * (G / 2) + (size_t)pair], vd2);
        LOW_HALF(low, both);
        HIGH_HALF(high, both);
    } else {
        *low = ((const vd *)tile)[m * G + 2 * (size_t)pair];
        *high = ((const vd *)tile)[m * G + 2 * (size_t)pair + 1];
    }
}
