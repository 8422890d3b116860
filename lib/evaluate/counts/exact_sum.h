/* Sums of float64 that do not depend on the order, nor on how the numbers were put into groups: the sum of sums of parts is, bit
 * for bit, the sum of everything. Not installed.
 *
 *     sp_exact_sum sum = {0};
 *     for (...) sp_exact_add(&sum, x);
 *     double value = sp_exact_value(&sum);
 *
 * A number is an integer times a power of two. It is cut into digits of 20 bits at fixed places (place j stands for
 * 2^(20 j - 1074)), and digits of one place are added as integers. Kept are the 6 places that end where the number of the
 * greatest magnitude ends: all of its 53 bits, and at least 40 bits below. What lies below is left out of each number before it
 * is added, so that what is left out does not depend on the order either. Digits never carry while numbers are added: 2^43
 * numbers fit. The value is within 2^-52 of the exact sum of the numbers, relative, plus 2^-92 of the greatest magnitude for each
 * number. After Demmel and Nguyen 2015, doi:10.1109/TC.2014.2345391. */
#ifndef EVALUATE_EXACT_SUM_H
#define EVALUATE_EXACT_SUM_H

#include <stdint.h>
#include <string.h>

enum { SP_EXACT_DIGITS = 6, SP_EXACT_BITS = 20, SP_EXACT_OF_NUMBER = 4 /* digits of one number */ };

/* {0} is 0. */
typedef struct sp_exact_sum {
    int64_t digits[SP_EXACT_DIGITS]; /* from the lowest place */
    int64_t place;                   /* of digits[0], plus SP_EXACT_DIGITS: above 0 once there is a number */
    int64_t infinite;                /* numbers that were infinite */
} sp_exact_sum;

/* Makes `place` the lowest one, where it is above that of now. */
void sp_exact_raise(sp_exact_sum *sum, int64_t place);

/* Adds x, which is neither NaN nor -INFINITY. */
static inline void sp_exact_add(sp_exact_sum *sum, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t exponent = bits >> 52 & 0x7ff, fraction = bits & ((UINT64_C(1) << 52) - 1);
    const uint64_t mantissa = exponent ? fraction | UINT64_C(1) << 52 : fraction;
    if (mantissa == 0)
        return;
    if (exponent == 0x7ff) {
        sum->infinite++;
        return;
    }
    const uint32_t lowest = exponent ? (uint32_t)exponent - 1 : 0; /* the mantissa counts 2^(lowest - 1074) */
    const uint32_t place = lowest / SP_EXACT_BITS, shift = lowest % SP_EXACT_BITS;
    enum { GUARD = SP_EXACT_DIGITS - SP_EXACT_OF_NUMBER };
    /* That of the lowest digit that is kept where this number is the greatest, as sum->place has it. */
    const int64_t wanted = (int64_t)place - GUARD + SP_EXACT_DIGITS;
    if (wanted > sum->place)
        sp_exact_raise(sum, wanted);
    const uint64_t mask = (UINT64_C(1) << SP_EXACT_BITS) - 1, low = mantissa << shift;
    const int64_t sign = -(int64_t)(bits >> 63); /* -1: negative */
    const int64_t digit[SP_EXACT_OF_NUMBER] = {(int64_t)(low & mask), (int64_t)(low >> SP_EXACT_BITS & mask),
                                               (int64_t)(low >> 2 * SP_EXACT_BITS & mask),
                                               (int64_t)(mantissa >> (3 * SP_EXACT_BITS - shift))};
    const int64_t first = wanted - sum->place + GUARD; /* of the digits, at most GUARD */
    if (first >= 0)
        for (int i = 0; i < SP_EXACT_OF_NUMBER; i++)
            sum->digits[first + i] += (digit[i] ^ sign) - sign;
    else
        for (int64_t i = -first; i < SP_EXACT_OF_NUMBER; i++)
            sum->digits[first + i] += (digit[i] ^ sign) - sign;
}

/* Adds a sum to another. */
void sp_exact_join(sp_exact_sum *sum, const sp_exact_sum *more);

/* +INFINITY where such a number was added; +-INFINITY where the sum is too great for a float64. */
double sp_exact_value(const sp_exact_sum *sum);

#endif
