/* Body: sp_items_look(), see single.h. Included after single_body.h. */

typedef float vf __attribute__((vector_size(8 * LANE_W), may_alias));
typedef int32_t vi32 __attribute__((vector_size(8 * LANE_W), may_alias));
typedef int64_t vi64 __attribute__((vector_size(8 * LANE_W), may_alias));
enum { W32 = 2 * W };

/* A vector of the scores from i on; what is not a whole one is filled up with zeros. */
SP_ALWAYS_INLINE vf f32_at(const float *x, int64_t i, int64_t n)
{
    vf r = {0};
    if (n - i >= W32)
        memcpy(&r, x + i, sizeof r);
    else
        memcpy(&r, x + i, (size_t)(n - i) * sizeof *x);
    return r;
}

SP_ALWAYS_INLINE vd f64_at(const double *x, int64_t i, int64_t n)
{
    vd r = {0};
    if (n - i >= W)
        memcpy(&r, x + i, sizeof r);
    else
        memcpy(&r, x + i, (size_t)(n - i) * sizeof *x);
    return r;
}

SP_ALWAYS_INLINE vf greater32(vf a, vf b)
{
    vi32 is_more = (vi32)(a > b);
    return (vf)((is_more & (vi32)a) | (~is_more & (vi32)b));
}

SP_ALWAYS_INLINE vd greater64(vd a, vd b)
{
    vi64 is_more = (vi64)(a > b);
    return (vd)((is_more & (vi64)a) | (~is_more & (vi64)b));
}

SP_ALWAYS_INLINE double most_f32(const float *x, int64_t n)
{
    float most = x[0];
    vf m0 = most - (vf){0}, m1 = m0;
    int64_t i = 0;
    for (; i + (int64_t)2 * W32 <= n; i += (int64_t)2 * W32) {
        m0 = greater32(f32_at(x, i, n), m0);
        m1 = greater32(f32_at(x, i + W32, n), m1);
    }
    m0 = greater32(m0, m1);
    for (int l = 0; l < W32; l++)
        most = m0[l] > most ? m0[l] : most;
    for (; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return (double)most;
}

SP_ALWAYS_INLINE double most_f64(const double *x, int64_t n)
{
    double most = x[0];
    vd m0 = most - (vd){0}, m1 = m0;
    int64_t i = 0;
    for (; i + (int64_t)2 * W <= n; i += (int64_t)2 * W) {
        m0 = greater64(f64_at(x, i, n), m0);
        m1 = greater64(f64_at(x, i + W, n), m1);
    }
    m0 = greater64(m0, m1);
    for (int l = 0; l < W; l++)
        most = m0[l] > most ? m0[l] : most;
    for (; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

/* In halves of a bit: is any an odd number? From 2^24 on a float is even. */
SP_ALWAYS_INLINE bool has_half_f32(const float *x, int64_t n, float halves)
{
    const vf low = -0x1p24F - (vf){0}, high = 0x1p24F - (vf){0};
    vi32 odd = {0};
    for (int64_t i = 0; i < n; i += W32) {
        vf y = f32_at(x, i, n) * halves;
        y = -greater32(-greater32(y, low), -high);
        vi32 whole = __builtin_convertvector(y, vi32);
        odd |= (vi32)(__builtin_convertvector(whole, vf) == y) & whole;
    }
    int32_t any = 0;
    for (int l = 0; l < W32; l++)
        any |= odd[l];
    return any & 1;
}

/* The same; beyond 2^51 the answer is that it may be. Adding 3/2 2^52 and taking it off again rounds to a whole number. */
SP_ALWAYS_INLINE bool has_half_f64(const double *x, int64_t n, double halves)
{
    const vd shift = 0x1.8p52 - (vd){0}, low = -0x1p51 - (vd){0}, high = 0x1p51 - (vd){0},
             none = -INFINITY - (vd){0};
    vi64 any = {0};
    for (int64_t i = 0; i < n; i += W) {
        vd y = f64_at(x, i, n) * halves, half = y * 0.5;
        vi64 is_odd = (vi64)((y + shift) - shift == y) & (vi64)((half + shift) - shift != half);
        any |= is_odd | ((vi64)(y < low) & (vi64)(y > none)) | (vi64)(y > high);
    }
    for (int l = 0; l < W; l++)
        if (any[l])
            return true;
    return false;
}

/* In blocks that stay near between the first reading and the second. Floats of 2^23 bits or more have no halves of one. */
static double look(sp_dtype dtype, const void *items, int64_t n, double bit, bool *has_half)
{
    enum { BLOCK = 2048 };
    double most = -INFINITY;
    *has_half = false;
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t count = n - i < BLOCK ? n - i : BLOCK;
        const void *block = (const char *)items + i * (int64_t)dtype;
        double top = dtype == SP_F32 ? most_f32(block, count) : most_f64(block, count);
        most = top > most ? top : most;
        if (*has_half || (dtype == SP_F32 && top <= -0x1p23 * bit))
            continue;
        if (dtype == SP_F64)
            *has_half = has_half_f64(block, count, 2 / bit);
        else
            *has_half = bit < 0x1p-100 || bit > 0x1p100 || has_half_f32(block, count, (float)(2 / bit));
    }
    return most;
}
