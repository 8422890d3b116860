/* Body: the step of band.h. Included after dense_body.h. */

typedef int8_t band_bytes __attribute__((vector_size(DENSE_W), aligned(1), may_alias));

/* next[n] = row[emits[n]]. */
#define BAND_SCORES(type)                                                                                    \
    {                                                                                                        \
        const type *restrict e = row;                                                                        \
        for (int32_t p = 0; p < band->n; p++)                                                                \
            next[p] = (double)e[emits[p]];                                                                   \
    }

SP_ALWAYS_INLINE void band_scores(const sp_band *band, const void *restrict row, sp_dtype dtype,
                                  double *restrict next)
{
    const int32_t *restrict emits = band->emits;
    if (dtype == SP_F32)
        BAND_SCORES(float)
    else
        BAND_SCORES(double)
}

/* Place p alone; the first places have fewer before them. */
SP_ALWAYS_INLINE void band_place(const sp_band *band, const double *now, int32_t p, double *next,
                                 uint8_t *choice)
{
    double value[SP_BAND_WIDTH], best = -INFINITY;
    for (int32_t d = 0; d < SP_BAND_WIDTH; d++) {
        value[d] = d <= p ? now[p - d] + band->weight[d][p] : -INFINITY;
        best = value[d] > best ? value[d] : best;
    }
    next[p] += best;
    choice[p] = (uint8_t)((value[0] == best) | (value[1] == best) << 1 | (value[2] == best) << 2);
}

static void band_step(const sp_band *band, const void *row, sp_dtype dtype, const double *now, double *next,
                      uint8_t *choice)
{
    const double *w0 = band->weight[0], *w1 = band->weight[1], *w2 = band->weight[2];
    int32_t p = 0;
    band_scores(band, row, dtype, next);
    for (; p < SP_BAND_WIDTH - 1; p++)
        band_place(band, now, p, next, choice);
    for (; p + DENSE_W <= band->n; p += DENSE_W) {
        const dense_vd stays = dense_sum(now, w0, p), follows = dense_sum(now - 1, w1, p),
                       skips = dense_sum(now - 2, w2, p),
                       best = dense_greater(skips, dense_greater(follows, stays));
        const dense_vi bits = ((dense_vi)(stays == best) & 1) | ((dense_vi)(follows == best) & 2) |
                              ((dense_vi)(skips == best) & 4);
        *(dense_vd *)(next + p) += best;
        *(band_bytes *)(choice + p) = __builtin_convertvector(bits, band_bytes);
    }
    for (; p < band->n; p++)
        band_place(band, now, p, next, choice);
}
