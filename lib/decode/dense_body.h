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
