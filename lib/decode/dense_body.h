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

DENSE_TARGET static int32_t dense_choice(const double *now, const double *weight, int32_t n)
{
    enum { WIDTH = DENSE_COLUMNS / 4 };
    double best[WIDTH], top = -INFINITY;
    for (int32_t l = 0; l < WIDTH; l++)
        best[l] = -INFINITY;
    int32_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        for (int32_t l = 0; l < WIDTH; l++) {
            double candidate = now[i + l] + weight[i + l];
            best[l] = candidate > best[l] ? candidate : best[l];
        }
    for (int32_t l = 0; l < WIDTH; l++)
        top = best[l] > top ? best[l] : top;
    for (; i < n; i++)
        top = now[i] + weight[i] > top ? now[i] + weight[i] : top;
    if (top == -INFINITY)
        return 0;
    for (i = 0; i + WIDTH <= n; i += WIDTH) {
        int64_t found = 0;
        for (int32_t l = 0; l < WIDTH; l++)
            found |= -(int64_t)(now[i + l] + weight[i + l] == top);
        if (found)
            break;
    }
    while (now[i] + weight[i] != top)
        i++;
    return i;
}
