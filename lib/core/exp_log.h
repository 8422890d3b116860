/* Body: exp and log that compilers make vectors of; not installed. Whoever includes it defines before it
 *     vd, vu64               a double and an unsigned integer of 64 bits, or vectors of as many of each
 *     bits_of(), number_of() the bits of a vd, and back
 *     spread(double)         a vd
 * Only additions, multiplications, divisions and integer operations, in a fixed order: every width of vector gives the same bits.
 */

/* 1.5 * 2^52: adding it leaves a number's nearest integer in the low bits. */
static const double integer_at = 6755399441055744.0;
static const double log2_e = 0x1.71547652b82fep0;
static const double ln2_high = 0x1.62e42feep-1,
                    ln2_low = 0x1.a39ef35793c76p-33; /* high: 31 bits, exact times n < 2^21 */

/* The nearest integer n to x / ln 2, as the low bits of a double near integer_at. |x| < 1e6. */
SP_ALWAYS_INLINE vd nearest_power(vd x)
{
    return x * spread(log2_e) + spread(integer_at);
}

/* exp(x) 2^-N, where `most` is nearest_power() of a number that gives N >= n - 1, n - N > -1021. 1.1 ulp of error at most (seen).
 * exp(x) = 2^n exp(r), |r| <= ln 2 / 2; exp(r) = 1 + r + r^2 q(r), q of degree 9 through the Chebyshev points: 2e-17 off. */
SP_ALWAYS_INLINE vd scaled_exp(vd x, vd most)
{
    vd power = nearest_power(x), n = power - spread(integer_at);
    vd r = (x - n * spread(ln2_high)) - n * spread(ln2_low);
    vd r2 = r * r, r4 = r2 * r2;
    vd q01 = spread(0x1.0000000000001p-1) + r * spread(0x1.5555555555556p-3);
    vd q23 = spread(0x1.5555555553d63p-5) + r * spread(0x1.11111111109b3p-7);
    vd q45 = spread(0x1.6c16c1788bd90p-10) + r * spread(0x1.a01a01a7c41d5p-13);
    vd q67 = spread(0x1.a019b90d2ae7ap-16) + r * spread(0x1.71de0dae63bb3p-19);
    vd q89 = spread(0x1.289185613a3d6p-22) + r * spread(0x1.af38a9b0ec855p-26);
    vd q = (q01 + r2 * q23) + r4 * ((q45 + r2 * q67) + r4 * q89);
    vd value = 1 + (r + r2 * q);
    return number_of(bits_of(value) + ((bits_of(power) - bits_of(most)) << 52));
}

/* log(x) of normal x > 0; below 1 ulp of error. x = 2^k m, m from sqrt(1/2) to sqrt(2); log m = log(1+f) by s = f / (2+f).
 * Source  FreeBSD's e_log.c (Sun Microsystems 1993). */
SP_ALWAYS_INLINE vd normal_log(vd x)
{
    const vu64 one = bits_of(spread(1));
    vu64 k_bits = (bits_of(x) + (one - bits_of(spread(0x1.6a09e667f3bcdp-1)))) >>
                  52; /* a mantissa from sqrt(2) on carries */
    vd m = number_of(bits_of(x) - (k_bits << 52) + one);
    vd k = number_of(k_bits + bits_of(spread(0x1p52))) - spread(0x1p52 + 1023); /* the integer, as a double */
    vd f = m - 1, s = f / (2 + f), z = s * s, w = z * z, half = spread(0.5) * (f * f);
    vd odd = w * (spread(3.999999999940941908e-01) +
                  w * (spread(2.222219843214978396e-01) + w * spread(1.531383769920937332e-01)));
    vd even = z * (spread(6.666666666666735130e-01) +
                   w * (spread(2.857142874366239149e-01) +
                        w * (spread(1.818357216161805012e-01) + w * spread(1.479819860511658591e-01))));
    return k * spread(ln2_high) - ((half - (s * (half + (even + odd)) + k * spread(ln2_low))) - f);
}
