/* Body: the steps of one recording, see single.h. Included after lanes_viterbi.h. */

enum { MOST_VECTORS = MOST / W };
typedef uint64_t vu __attribute__((vector_size(8 * LANE_W), may_alias));

/* Vectors are unrolled, because they would be in memory if a loop ran over them. */
#define UNROLL _Pragma("GCC unroll 16")

/* Clang makes a loop of a shuffle whose places are not constants. */
#if LANE_W == 8 && !defined(__clang__)
#define SINGLE_BY_RANK 1
#else
#define SINGLE_BY_RANK 0
#endif

/* Compilers make one instruction of each of these. */
SP_ALWAYS_INLINE vd greater(vd a, vd b)
{
    vd r;
    UNROLL
    for (int l = 0; l < W; l++)
        r[l] = a[l] > b[l] ? a[l] : b[l];
    return r;
}

/* Where a is b: yes, else no. */
SP_ALWAYS_INLINE vu where_equal(vd a, vd b, vu yes, vu no)
{
    vu is_equal = (vu)(a == b);
    return (is_equal & yes) | (~is_equal & no);
}

/* W scores as doubles. */
SP_ALWAYS_INLINE vd scores_at(sp_dtype dtype, const void *at)
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
SP_ALWAYS_INLINE uint64_t all_of(vu x)
{
#if LANE_W == 8
    vu4 half[2];
    memcpy(half, &x, sizeof half);
    vu4 four = half[0] | half[1];
#elif LANE_W == 4
    vu4 four = x;
#endif
#if LANE_W >= 4
    vu2 quarter[2];
    memcpy(quarter, &four, sizeof quarter);
    vu2 two = quarter[0] | quarter[1];
#else
    vu2 two = x;
#endif
    return two[0] | two[1];
}

/* The model in vectors. */
typedef struct single_table {
    vd weight[MOST][MOST_VECTORS];
    vu code[MOST][MOST_VECTORS];
    vu from[MOST][MOST_VECTORS];
} single_table;

#if SINGLE_BY_RANK
/* Items from[] of the first n vectors of x. */
SP_ALWAYS_INLINE vd shuffle(const vd *x, int n, vu from)
{
    return n == 1 ? __builtin_shuffle(x[0], from) : __builtin_shuffle(x[0], x[1], from);
}
#else
/* Item l of x everywhere. */
#if defined(__clang__) || __GNUC__ >= 12
#define SPREAD(x, ...) __builtin_shufflevector(x, x, __VA_ARGS__)
#else
#define SPREAD(x, ...) __builtin_shuffle(x, (vu){__VA_ARGS__})
#endif
#if LANE_W == 2
#define SPREAD_CASE(l)                                                                                       \
    case l:                                                                                                  \
        return SPREAD(x, l, l);
#define SPREAD_CASES SPREAD_CASE(0)
#elif LANE_W == 4
#define SPREAD_CASE(l)                                                                                       \
    case l:                                                                                                  \
        return SPREAD(x, l, l, l, l);
#define SPREAD_CASES SPREAD_CASE(0) SPREAD_CASE(1) SPREAD_CASE(2)
#else
#define SPREAD_CASE(l)                                                                                       \
    case l:                                                                                                  \
        return SPREAD(x, l, l, l, l, l, l, l, l);
#define SPREAD_CASES                                                                                         \
    SPREAD_CASE(0) SPREAD_CASE(1) SPREAD_CASE(2) SPREAD_CASE(3) SPREAD_CASE(4) SPREAD_CASE(5) SPREAD_CASE(6)
#endif
SP_ALWAYS_INLINE vd spread_item(vd x, int l)
{
    switch (l) {
        SPREAD_CASES
    default:
#if LANE_W == 2
        return SPREAD(x, 1, 1);
#elif LANE_W == 4
        return SPREAD(x, 3, 3, 3, 3);
#else
        return SPREAD(x, 7, 7, 7, 7, 7, 7, 7, 7);
#endif
    }
}
#endif

/* What the kernels are compiled for. */
typedef struct single_kind {
    sp_dtype dtype;
    int columns; /* of the word, and items of now that something comes from */
    int rows;    /* of the tables: ranks, or columns again */
    bool has_weights;
} single_kind;

/* The sums that classes v W .. v W + W-1 may choose from. */
SP_ALWAYS_INLINE void single_offers(const single_table *table, single_kind kind, const vd *now, int v,
                                    vd *offer)
{
    UNROLL
    for (int r = 0; r < kind.rows; r++) {
#if SINGLE_BY_RANK
        offer[r] = shuffle(now, (kind.columns + W - 1) / W, table->from[r][v]);
        if (kind.has_weights)
            offer[r] += table->weight[r][v];
#else
        offer[r] = spread_item(now[r / W], r % W) + table->weight[r][v];
#endif
    }
}

/* One step; at: scores, readable for whole vectors. Returns the word. */
SP_ALWAYS_INLINE uint64_t single_step(const single_table *table, single_kind kind, vd *now, const char *at)
{
    int n = (kind.columns + W - 1) / W;
    vd next[MOST_VECTORS];
    vu word = {0};
    UNROLL
    for (int v = 0; v < n; v++) {
        vd offer[MOST], best[MOST];
        single_offers(table, kind, now, v, offer);
        UNROLL
        for (int r = 0; r < kind.rows; r++)
            best[r] = offer[r];
        /* In rounds: the fewer maxima one after the other, the better. */
        UNROLL
        for (int apart = 1; apart < kind.rows; apart *= 2) {
            UNROLL
            for (int r = 0; r + apart < kind.rows; r += 2 * apart)
                best[r] = greater(best[r], best[r + apart]);
        }
        /* Nothing waits for the back-pointers; the lowest comes last. */
        vu code = table->code[kind.rows - 1][v];
        UNROLL
        for (int r = kind.rows - 2; r >= 0; r--)
            code = where_equal(offer[r], best[0], table->code[r][v], code);
        word |= code;
        next[v] = best[0] + scores_at(kind.dtype, at + (size_t)v * W * (int)kind.dtype);
    }
    UNROLL
    for (int v = 0; v < n; v++)
        now[v] = next[v];
    return all_of(word);
}

SP_ALWAYS_INLINE void single_steps(const sp_single_steps *s, single_kind kind)
{
    const sp_single_rules *r = s->rules;
    const sp_single_table *from_rules = SINGLE_BY_RANK ? &r->rank : &r->all;
    int n = (kind.columns + W - 1) / W;
    size_t row_bytes = (size_t)r->n_classes * (size_t)kind.dtype, read = (size_t)(n * W) * (size_t)kind.dtype;
    const char *at = s->rows;
    int64_t n_steps = s->n, n_whole = n_steps - (int64_t)((read - 1) / row_bytes), t = 0;
    uint64_t *words = s->words;
    char padded[MOST * sizeof(double)] = {0};
    single_table table;
    vd now[MOST_VECTORS];
    UNROLL
    for (int v = 0; v < n; v++) {
        now[v] = *(const vd *)(s->delta + (size_t)v * W);
        UNROLL
        for (int i = 0; i < kind.rows; i++) {
            table.weight[i][v] = *(const vd *)(from_rules->weight[i] + (size_t)v * W);
            table.code[i][v] = *(const vu *)(from_rules->code[i] + (size_t)v * W);
            table.from[i][v] = *(const vu *)(r->from[i] + (size_t)v * W);
        }
    }
    for (; t < n_whole; t++, at += row_bytes)
        words[t] = single_step(&table, kind, now, at);
    /* There is nothing to read behind the last rows. */
    for (; t < n_steps; t++, at += row_bytes) {
        memcpy(padded, at, row_bytes);
        words[t] = single_step(&table, kind, now, padded);
    }
    UNROLL
    for (int v = 0; v < n; v++)
        *(vd *)(s->delta + (size_t)v * W) = now[v];
}

/* Every kind its own code. */
#if SINGLE_BY_RANK
#define SINGLE_KIND(columns_, ranks_, weights_)                                                              \
    if (r->columns <= columns_ && r->n_ranks <= ranks_ && r->has_weights == weights_) {                      \
        if (s->dtype == SP_F32)                                                                              \
            single_steps(s, (single_kind){SP_F32, columns_, ranks_, weights_});                              \
        else                                                                                                 \
            single_steps(s, (single_kind){SP_F64, columns_, ranks_, weights_});                              \
        return;                                                                                              \
    }
#define SINGLE_KINDS(columns_, ranks_)                                                                       \
    SINGLE_KIND(columns_, ranks_, false) SINGLE_KIND(columns_, ranks_, true)
static void single_any(const sp_single_steps *s)
{
    const sp_single_rules *r = s->rules;
    SINGLE_KINDS(8, 2)
    SINGLE_KINDS(8, 3)
    SINGLE_KINDS(8, 4)
    SINGLE_KINDS(8, 5)
    SINGLE_KINDS(8, 6)
    SINGLE_KINDS(8, 8)
    SINGLE_KINDS(16, 4)
    SINGLE_KINDS(16, 8)
    SINGLE_KINDS(16, 10)
    SINGLE_KINDS(16, 12)
    SINGLE_KINDS(16, 16)
}
#else
#define SINGLE_KIND(columns_)                                                                                \
    if (r->columns == columns_ && s->dtype == SP_F32)                                                        \
        single_steps(s, (single_kind){SP_F32, columns_, columns_, true});                                    \
    else if (r->columns == columns_)                                                                         \
        single_steps(s, (single_kind){SP_F64, columns_, columns_, true});
static void single_any(const sp_single_steps *s)
{
    const sp_single_rules *r = s->rules;
    SINGLE_KIND(2)
    SINGLE_KIND(3)
    SINGLE_KIND(4)
    SINGLE_KIND(5)
    SINGLE_KIND(6)
    SINGLE_KIND(8)
    SINGLE_KIND(12)
    SINGLE_KIND(16)
}
#endif
