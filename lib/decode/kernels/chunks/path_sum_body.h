/* Body: sums in order, see path_sum.h. Included after lanes_vector.h. */

typedef float sum_vf __attribute__((vector_size(8 * LANE_W), aligned(4), may_alias));
typedef double sum_vd __attribute__((vector_size(8 * LANE_W), aligned(8), may_alias));

/* Vectors 2 pair and 2 pair + 1 of x. */
SP_ALWAYS_INLINE void sum_pair(sp_dtype dtype, const void *x, int pair, vd *low, vd *high)
{
    if (dtype == SP_F32) {
        vd2 both = __builtin_convertvector(((const sum_vf *)x)[pair], vd2);
        LOW_HALF(low, both);
        HIGH_HALF(high, both);
    } else {
        *low = ((const sum_vd *)x)[2 * (size_t)pair];
        *high = ((const sum_vd *)x)[2 * pair + 1];
    }
}

/* While -2^(k+1) < s < -2^k. */
typedef struct sum_range {
    double power; /* 2^k, or 0: such an s is added to one by one */
    double half;  /* of u = 2^(k-52) */
} sum_range;

SP_ALWAYS_INLINE sum_range sum_range_of(double s)
{
    sum_range range = {0, 0};
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52) - 2048; /* of a negative number, biased */
    if (exponent < 100 || exponent > 2000)
        return range;
    uint64_t power = (uint64_t)exponent << 52, half = (uint64_t)(exponent - 53) << 52;
    memcpy(&range.power, &power, sizeof power);
    memcpy(&range.half, &half, sizeof half);
    return range;
}

/* What SP_SUM_BLOCK items add to an s in the range: *sum. False when they must be added one by one. */
SP_ALWAYS_INLINE bool sum_block(sp_dtype dtype, sum_range range, const void *x, double *sum)
{
    /* x + (3/2 2^k) has u for its last bit while -2^(k-1) <= x <= 0; 3/2 2^k is an even multiple of u. */
    vd shift = spread(1.5 * range.power), up = spread(range.half), down = spread(-range.half);
    vd sum0 = spread(0), sum1 = sum0;
    vi is_odd = {0};
    for (int pair = 0; pair < SP_SUM_BLOCK / (2 * W); pair++) {
        vd x0, x1;
        sum_pair(dtype, x, pair, &x0, &x1);
#define SUM_ADD(g)                                                                                           \
    {                                                                                                        \
        vd rounded = (x##g + shift) - shift, rest = x##g - rounded;                                          \
        is_odd |= (vi)(rest == up) | (vi)(rest == down) | (vi)(x##g > spread(0));                            \
        sum##g += rounded;                                                                                   \
    }
        SUM_ADD(0)
        SUM_ADD(1)
    }
    int64_t any = 0;
    *sum = 0;
    sum0 += sum1;
    for (int lane = 0; lane < W; lane++) {
        *sum += sum0[lane];
        any |= is_odd[lane];
    }
    return !any && *sum > -0.5 * range.power;
}

SP_ALWAYS_INLINE double sum_in_order(sp_dtype dtype, double s, const void *x, int64_t n)
{
    const char *at = x;
    sum_range range = {0, 0};
    for (; n >= SP_SUM_BLOCK; n -= SP_SUM_BLOCK, at += SP_SUM_BLOCK * (size_t)dtype) {
        double sum;
        if (sum_block(dtype, range, at, &sum) && s < -range.power && s + sum > -2 * range.power) {
            s += sum;
            continue;
        }
        for (int i = 0; i < SP_SUM_BLOCK; i++)
            s += dtype == SP_F32 ? (double)((const float *)at)[i] : ((const double *)at)[i];
        range = sum_range_of(s);
    }
    for (int i = 0; i < (int)n; i++)
        s += dtype == SP_F32 ? (double)((const float *)at)[i] : ((const double *)at)[i];
    return s;
}
