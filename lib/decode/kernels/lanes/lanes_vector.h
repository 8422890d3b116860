/* Body: vectors of LANE_W doubles, and transposes. What depends on the number of lanes is told it: they are L but for
 * lanes_forward_backward_body.h. */
#include <stddef.h>
#include <stdint.h>

/* W doubles a vector, G vectors a row of lanes: one edge of the model is read once for L recordings. */
enum { W = LANE_W, G = 4, L = W * G };
#define EACH(OP) OP(0) OP(1) OP(2) OP(3)

typedef double vd __attribute__((vector_size(8 * LANE_W), may_alias));
typedef int64_t vi __attribute__((vector_size(8 * LANE_W), may_alias));
typedef uint64_t vu64 __attribute__((vector_size(8 * LANE_W), may_alias));
typedef float vf2 __attribute__((vector_size(8 * LANE_W), aligned(4 * LANE_W), may_alias));
typedef double vd2 __attribute__((vector_size(16 * LANE_W), may_alias));

/* m ? a : b, where each lane of m is all ones or all zeros. Compilers turn it into one blend. */
#define PICK(type, m, a, b) ((type)(((m) & (vi)(a)) | (~(m) & (vi)(b))))

SP_ALWAYS_INLINE vd spread(double x)
{
    return x - (vd){0};
}

SP_ALWAYS_INLINE vu64 bits_of(vd x)
{
    return (vu64)x;
}

SP_ALWAYS_INLINE vd number_of(vu64 bits)
{
    return (vd)bits;
}

SP_ALWAYS_INLINE vi spread_i(int64_t x)
{
    return x - (vi){0};
}

/* Keeps x in a register where a compiler would rather load it again for each use. */
#if defined(__x86_64__)
#define HOLD(x) __asm__("" : "+v"(x))
#else
#define HOLD(x) (void)(x)
#endif

/* The halves of a vector twice as long. */
#if defined(__clang__) || __GNUC__ >= 12
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
#endif

/* ---- transposes ---- */

/* Vectors of 8 W bytes: their items of 16, 32 and 64 bits. The interleaves work within each 16 bytes. */
typedef uint16_t p16 __attribute__((vector_size(8 * LANE_W), may_alias));
typedef uint32_t p32 __attribute__((vector_size(8 * LANE_W), may_alias));
typedef uint64_t p64 __attribute__((vector_size(8 * LANE_W), may_alias));
enum { N16 = 4 * LANE_W, N32 = 2 * LANE_W, N64 = LANE_W };

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(type, a, b, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif
#if LANE_W == 2
#define IN_EACH_16(ITEMS, n) ITEMS(0)
#elif LANE_W == 4
#define IN_EACH_16(ITEMS, n) ITEMS(0), ITEMS(n)
#else
#define IN_EACH_16(ITEMS, n) ITEMS(0), ITEMS(n), ITEMS(2 * (n)), ITEMS(3 * (n))
#endif
#define LOW16_AT(i) i, N16 + (i), (i) + 1, N16 + (i) + 1, (i) + 2, N16 + (i) + 2, (i) + 3, N16 + (i) + 3
#define HIGH16_AT(i) LOW16_AT((i) + 4)
#define LOW32_AT(i) i, N32 + (i), (i) + 1, N32 + (i) + 1
#define HIGH32_AT(i) LOW32_AT((i) + 2)
#define LOW64_AT(i) i, N64 + (i)
#define HIGH64_AT(i) LOW64_AT((i) + 1)
#define LOW16(a, b) SHUFFLE(p16, a, b, IN_EACH_16(LOW16_AT, 8))
#define HIGH16(a, b) SHUFFLE(p16, a, b, IN_EACH_16(HIGH16_AT, 8))
#define LOW32(a, b) SHUFFLE(p32, a, b, IN_EACH_16(LOW32_AT, 4))
#define HIGH32(a, b) SHUFFLE(p32, a, b, IN_EACH_16(HIGH32_AT, 4))
#define LOW64(a, b) SHUFFLE(p64, a, b, IN_EACH_16(LOW64_AT, 2))
#define HIGH64(a, b) SHUFFLE(p64, a, b, IN_EACH_16(HIGH64_AT, 2))

/* 16 bytes at `at` of rows q, q + step, q + 2 step, ...: as many as a vector takes. Loads that insert leave the transposes half
 * of their shuffles. */
__extension__ typedef __int128 lane_piece __attribute__((aligned(4), may_alias));
__extension__ typedef __int128 lane_pieces __attribute__((vector_size(8 * LANE_W), may_alias));
#define PIECE(row) (*(const lane_piece *)((const char *)(row) + at))
#if LANE_W == 2
#define PIECES(from, q, step) ((lane_pieces){PIECE((from)[q])})
#elif LANE_W == 4
#define PIECES(from, q, step) ((lane_pieces){PIECE((from)[q]), PIECE((from)[(q) + (step)])})
#else
#define PIECES(from, q, step)                                                                                \
    ((lane_pieces){PIECE((from)[q]), PIECE((from)[(q) + (step)]), PIECE((from)[(q) + 2 * (step)]),           \
                   PIECE((from)[(q) + 3 * (step)])})
#endif

/* 4 items at byte `at` of each of N32 rows become 4 rows of `to`, `stride` items apart. */
SP_ALWAYS_INLINE void gather32(const void *const *from, size_t at, uint32_t *to, size_t stride)
{
    p32 r0 = (p32)PIECES(from, 0, 4), r1 = (p32)PIECES(from, 1, 4), r2 = (p32)PIECES(from, 2, 4),
        r3 = (p32)PIECES(from, 3, 4);
    p64 s0 = (p64)LOW32(r0, r1), s1 = (p64)HIGH32(r0, r1), s2 = (p64)LOW32(r2, r3), s3 = (p64)HIGH32(r2, r3);
    *(p64 *)to = LOW64(s0, s2);
    *(p64 *)(to + stride) = HIGH64(s0, s2);
    *(p64 *)(to + 2 * stride) = LOW64(s1, s3);
    *(p64 *)(to + 3 * stride) = HIGH64(s1, s3);
}

/* 2 items at byte `at` of each of N64 rows become 2 rows of `to`. */
SP_ALWAYS_INLINE void gather64(const void *const *from, size_t at, uint64_t *to, size_t stride)
{
    p64 r0 = (p64)PIECES(from, 0, 2), r1 = (p64)PIECES(from, 1, 2);
    *(p64 *)to = LOW64(r0, r1);
    *(p64 *)(to + stride) = HIGH64(r0, r1);
}

/* The other way: 2 rows of N64 items become 2 items at byte `at` of each of N64 rows. */
SP_ALWAYS_INLINE void scatter64(const double *from, size_t stride, double *const *to, size_t at)
{
    p64 r0 = *(const p64 *)from, r1 = *(const p64 *)(from + stride);
    lane_pieces low = (lane_pieces)LOW64(r0, r1), high = (lane_pieces)HIGH64(r0, r1);
    for (int q = 0; q < N64; q += 2) {
        *(lane_piece *)((char *)to[q] + at) = low[q / 2];
        *(lane_piece *)((char *)to[q + 1] + at) = high[q / 2];
    }
}

/* 8 rows of N16 items become N16 rows of 8: those that stand one after another there are items i, N16/4 + i, ... of each row. */
SP_ALWAYS_INLINE void transpose16(const uint16_t *from, uint16_t *to)
{
    const p16 *r = (const p16 *)from;
    p32 a0 = (p32)LOW16(r[0], r[1]), a1 = (p32)HIGH16(r[0], r[1]), a2 = (p32)LOW16(r[2], r[3]),
        a3 = (p32)HIGH16(r[2], r[3]), a4 = (p32)LOW16(r[4], r[5]), a5 = (p32)HIGH16(r[4], r[5]),
        a6 = (p32)LOW16(r[6], r[7]), a7 = (p32)HIGH16(r[6], r[7]);
    p64 b0 = (p64)LOW32(a0, a2), b1 = (p64)HIGH32(a0, a2), b2 = (p64)LOW32(a1, a3), b3 = (p64)HIGH32(a1, a3),
        b4 = (p64)LOW32(a4, a6), b5 = (p64)HIGH32(a4, a6), b6 = (p64)LOW32(a5, a7), b7 = (p64)HIGH32(a5, a7);
    p64 *out = (p64 *)to;
    out[0] = LOW64(b0, b4);
    out[1] = HIGH64(b0, b4);
    out[2] = LOW64(b1, b5);
    out[3] = HIGH64(b1, b5);
    out[4] = LOW64(b2, b6);
    out[5] = HIGH64(b2, b6);
    out[6] = LOW64(b3, b7);
    out[7] = HIGH64(b3, b7);
}

/* The address `offset` bytes from p, for a request to memory: it may lie outside of what p points into. */
SP_ALWAYS_INLINE const void *address(const void *p, int64_t offset)
{
    return (const void *)((uintptr_t)p + (uintptr_t)offset);
}

/* There are more rows than the processor follows by itself, so what is needed later is asked for: `bytes` from byte `at` on of
 * the rows whose turn it is, and at another tile of the others. In ASK_PARTS parts, between which there is something to do,
 * because memory takes so many requests at a time and no more; more than a tile of a row at a time, because it gives what stands
 * together sooner. */
typedef struct lane_ahead {
    const void *const *rows;
    size_t at, bytes;
    int64_t part;  /* the first of this tile */
    int64_t share; /* of a part: rows times 256, rounded up */
} lane_ahead;

enum { ASK_PARTS = 2 * SP_LANES_TILE, ASK_TILES = 2, TILES_AHEAD = 4 };

SP_ALWAYS_INLINE lane_ahead ahead_in_turn(int lanes, const void *const *rows, size_t at, size_t bytes,
                                          int64_t turn, int64_t n_turns)
{
    int64_t parts = ASK_PARTS * n_turns;
    return (lane_ahead){rows, at, bytes, ASK_PARTS * turn, (INT64_C(256) * lanes + parts - 1) / parts};
}

/* For the `tile`th tile of so many bytes a row. */
SP_ALWAYS_INLINE lane_ahead ahead_of(int lanes, const void *const *rows, size_t tile_bytes, int64_t tile)
{
    return ahead_in_turn(lanes, rows, (size_t)(tile + TILES_AHEAD) * tile_bytes, ASK_TILES * tile_bytes,
                         tile % ASK_TILES, ASK_TILES);
}

SP_ALWAYS_INLINE void ask_ahead(const lane_ahead *ahead, int64_t part)
{
    int64_t first = (ahead->part + part) * ahead->share;
    for (int64_t lane = first >> 8; lane < (first + ahead->share) >> 8; lane++)
        for (size_t byte = 0; byte < ahead->bytes; byte += 64)
            __builtin_prefetch(address(ahead->rows[lane], (int64_t)(ahead->at + byte)));
}

/* `n` items (a multiple of 4) from item `at` on of so many rows: tile[n,lanes]. */
SP_ALWAYS_INLINE void gather_tile(size_t lanes, sp_dtype dtype, const void *const *rows, size_t at, size_t n,
                                  void *tile)
{
    if (dtype == SP_F32)
        for (size_t lane = 0; lane < lanes; lane += N32)
            for (size_t m = 0; m < n; m += 4)
                gather32(rows + lane, (at + m) * sizeof(float), (uint32_t *)tile + m * lanes + lane, lanes);
    else
        for (size_t lane = 0; lane < lanes; lane += N64)
            for (size_t m = 0; m < n; m += 2)
                gather64(rows + lane, (at + m) * sizeof(double), (uint64_t *)tile + m * lanes + lane, lanes);
}

/* Vector g of row m of a tile, of `vectors` a row, as doubles. Compilers widen half a vector of floats well, and a narrower one
 * badly: hence the twice as long vector, of which only the first half is read. */
SP_ALWAYS_INLINE vd tile_vector(int vectors, sp_dtype dtype, const void *tile, size_t m, int g)
{
    if (dtype != SP_F32)
        return ((const vd *)tile)[m * (size_t)vectors + (size_t)g];
    vd2 both = __builtin_convertvector(
        *(const vf2 *)((const float *)tile + m * (size_t)(W * vectors) + (size_t)(W * g)), vd2);
    vd low;
    LOW_HALF(&low, both);
    return low;
}

SP_ALWAYS_INLINE void tile_pair(int vectors, sp_dtype dtype, const void *tile, size_t m, int pair, vd *low,
                                vd *high)
{
    *low = tile_vector(vectors, dtype, tile, m, 2 * pair);
    *high = tile_vector(vectors, dtype, tile, m, 2 * pair + 1);
}

/* The same of whole tiles, where what is needed later is asked for at once. */
SP_ALWAYS_INLINE void gather_tile_ahead(int lanes, sp_dtype dtype, const void *const *rows, size_t at,
                                        size_t n, void *tile)
{
    const lane_ahead ahead = ahead_of(lanes, rows, n * (size_t)dtype, (int64_t)(at / n));
    for (int64_t part = 0; part < ASK_PARTS; part++)
        ask_ahead(&ahead, part);
    gather_tile((size_t)lanes, dtype, rows, at, n, tile);
}
