/* Body: dense maxima, see dense.h. Plain loops over a fixed number of columns, which compilers turn into vectors held in
 * registers. DENSE_TARGET names the instruction set. */

#define DENSE_FN static inline __attribute__((always_inline)) DENSE_TARGET

DENSE_FN void dense_block(const double *restrict weight, const double *restrict now, int32_t n, int32_t columns,
                          double *restrict next)
{
    double best[DENSE_COLUMNS];
    for (int32_t j = 0; j < columns; j++)
        best[j] = -INFINITY;
    for (int32_t i = 0; i < n; i++, weight += columns)
        for (int32_t j = 0; j < columns; j++) {
            double candidate = now[i] + weight[j];
            best[j] = candidate > best[j] ? candidate : best[j];
        }
    for (int32_t j = 0; j < columns; j++)
        next[j] = best[j];
}

DENSE_TARGET static void dense_step(const sp_dense *dense, const double *now, double *next)
{
    for (int32_t b = 0; b < dense->n_blocks; b++) {
        const double *weight = dense->weight + (ptrdiff_t)b * dense->n * dense->columns;
        double *to = next + (ptrdiff_t)b * dense->columns;
        if (dense->columns == DENSE_COLUMNS)
            dense_block(weight, now, dense->n, DENSE_COLUMNS, to);
        else if (dense->columns == DENSE_COLUMNS / 2)
            dense_block(weight, now, dense->n, DENSE_COLUMNS / 2, to);
        else
            dense_block(weight, now, dense->n, DENSE_COLUMNS / 4, to);
    }
}

enum { DENSE_W = DENSE_COLUMNS / 8 };
typedef double dense_vd __attribute__((vector_size(DENSE_COLUMNS), aligned(8), may_alias));
typedef int64_t dense_vi __attribute__((vector_size(DENSE_COLUMNS), aligned(8), may_alias));

/* to[columns] and what the rows in the list give. Vectors by name: compilers would rather put several rows into one. */
DENSE_FN void dense_rows(const double *restrict weight, const double *restrict now, const int32_t *list, int32_t n_rows,
                         int32_t columns, double *restrict to)
{
    enum { MOST_VECTORS = DENSE_COLUMNS / DENSE_W };
    int32_t n_vectors = columns / DENSE_W;
    dense_vd best[MOST_VECTORS];
    for (int32_t v = 0; v < n_vectors; v++)
        best[v] = *(const dense_vd *)(to + v * DENSE_W);
    for (int32_t r = 0; r < n_rows; r++) {
        const double *row = weight + (ptrdiff_t)list[r] * columns;
        dense_vd from = now[list[r]] - (dense_vd){0};
        for (int32_t v = 0; v < n_vectors; v++) {
            dense_vd candidate = from + *(const dense_vd *)(row + v * DENSE_W);
            dense_vi is_better = (dense_vi)(candidate > best[v]);
            best[v] = (dense_vd)((is_better & (dense_vi)candidate) | (~is_better & (dense_vi)best[v]));
        }
    }
    for (int32_t v = 0; v < n_vectors; v++)
        *(dense_vd *)(to + v * DENSE_W) = best[v];
}

/* One block from the rows that can win: the first n_begin of the list, then of the others those whose bound is above the floor.
 */
DENSE_FN void dense_block_skipping(const sp_dense *dense, int32_t b, const double *now, int32_t *list, int32_t n_begin,
                                   const double *others, int32_t columns, double *to)
{
    int32_t n = dense->n, *rest = list + n_begin, n_rest = 0;
    const double *weight = dense->weight + (ptrdiff_t)b * n * columns;
    const double *most = dense->most + (ptrdiff_t)b * n, *fill = dense->fill + (ptrdiff_t)b * columns;
    double floor = INFINITY;
    for (int32_t j = 0; j < columns; j++)
        to[j] = -INFINITY;
    dense_rows(weight, now, list, n_begin, columns, to);
    for (int32_t j = 0; j < columns; j++) {
        double value = to[j] > fill[j] ? to[j] : fill[j];
        floor = value < floor ? value : floor;
    }
    int32_t i = 0;
    for (; i + DENSE_W <= n; i += DENSE_W) { /* no branches: which rows these are cannot be foreseen */
        int64_t can_win[DENSE_W];
        dense_vd bound = *(const dense_vd *)(others + i) + *(const dense_vd *)(most + i);
        *(dense_vi *)can_win = (dense_vi)(bound > (dense_vd){0} + floor);
        for (int32_t l = 0; l < DENSE_W; l++) {
            rest[n_rest] = i + l;
            n_rest -= (int32_t)can_win[l];
        }
    }
    for (; i < n; i++) {
        rest[n_rest] = i;
        n_rest += others[i] + most[i] > floor;
    }
    if (n_rest > n / 2)
        dense_block(weight, now, n, columns, to);
    else
        dense_rows(weight, now, rest, n_rest, columns, to);
}

DENSE_TARGET static void dense_step_skipping(const sp_dense *dense, const double *now, double *next, double *span)
{
    int32_t list[2 * SP_DENSE_SKIP_MOST + 1], n = dense->n, n_begin = 0, wanted = n / 32;
    double top = -INFINITY, others[SP_DENSE_SKIP_MOST]; /* now[] of the rows that do not go first */
    for (int32_t i = 0; i < n; i++)
        top = now[i] > top ? now[i] : top;
    double least = top - *span;
    for (int32_t i = 0; i < n; i++) {
        list[n_begin] = i;
        n_begin += now[i] >= least;
        others[i] = now[i] >= least ? -INFINITY : now[i];
    }
    if (n_begin < wanted && *span < 1e300)
        *span *= 1.125;
    else if (n_begin > 2 * wanted && *span > 1e-300)
        *span *= 0.875;
    if (n_begin > n / 4) {
        dense_step(dense, now, next);
        return;
    }
    for (int32_t b = 0; b < dense->n_blocks; b++) {
        double *to = next + (ptrdiff_t)b * dense->columns;
        if (dense->columns == DENSE_COLUMNS)
            dense_block_skipping(dense, b, now, list, n_begin, others, DENSE_COLUMNS, to);
        else if (dense->columns == DENSE_COLUMNS / 2)
            dense_block_skipping(dense, b, now, list, n_begin, others, DENSE_COLUMNS / 2, to);
        else
            dense_block_skipping(dense, b, now, list, n_begin, others, DENSE_COLUMNS / 4, to);
    }
}

/* Among the candidates of one place in the vectors, the first of the best is kept; then among the places. */
DENSE_TARGET static int32_t dense_choice(const double *now, const double *weight, int32_t n)
{
    double value[2 * DENSE_W], top = -INFINITY;
    int64_t place[2 * DENSE_W], from = n;
    dense_vd best0 = (dense_vd){0} - INFINITY, best1 = best0;
    dense_vi at0 = {0}, at1 = {0}, i0 = {0}, i1 = i0 + DENSE_W;
    int32_t i = 0;
#define DENSE_OFFER(a)                                                                                                           \
    {                                                                                                                            \
        dense_vd candidate = *(const dense_vd *)(now + i + (a)*DENSE_W) + *(const dense_vd *)(weight + i + (a)*DENSE_W);         \
        dense_vi is_better = (dense_vi)(candidate > best##a);                                                                    \
        best##a = (dense_vd)((is_better & (dense_vi)candidate) | (~is_better & (dense_vi)best##a));                              \
        at##a = (is_better & i##a) | (~is_better & at##a);                                                                       \
        i##a += 2 * DENSE_W;                                                                                                     \
    }
    for (; i + 2 * DENSE_W <= n; i += 2 * DENSE_W) {
        DENSE_OFFER(0)
        DENSE_OFFER(1)
    }
    *(dense_vd *)value = best0;
    *(dense_vd *)(value + DENSE_W) = best1;
    *(dense_vi *)place = at0;
    *(dense_vi *)(place + DENSE_W) = at1;
    for (int32_t l = 0; l < 2 * DENSE_W; l++)
        top = value[l] > top ? value[l] : top;
    for (int32_t l = 0; l < 2 * DENSE_W; l++) {
        int64_t here = place[l] + l % DENSE_W;
        from = value[l] == top && here < from ? here : from;
    }
    for (; i < n; i++)
        if (now[i] + weight[i] > top) {
            top = now[i] + weight[i];
            from = i;
        }
    return top == -INFINITY ? 0 : (int32_t)from;
}
