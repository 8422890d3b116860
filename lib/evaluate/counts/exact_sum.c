#include "evaluate/counts/exact_sum.h"

#include <math.h>
#include <stdbool.h>

void sp_exact_raise(sp_exact_sum *sum, int64_t place)
{
    const int64_t by = place - sum->place;
    if (by <= 0)
        return;
    for (int i = 0; i < SP_EXACT_DIGITS; i++)
        sum->digits[i] = i + by < SP_EXACT_DIGITS ? sum->digits[i + by] : 0;
    sum->place = place;
}

void sp_exact_join(sp_exact_sum *sum, const sp_exact_sum *more)
{
    sum->infinite += more->infinite;
    if (more->place == 0)
        return;
    sp_exact_raise(sum, more->place);
    const int64_t first = more->place - sum->place; /* at most 0 */
    for (int64_t i = -first; i < SP_EXACT_DIGITS; i++)
        sum->digits[first + i] += more->digits[i];
}

/* The digits with all carries, from 0 to 2^20 - 1, of the sum or (is_negative) of its opposite; returns what stands above them.
 */
static int64_t carry(const sp_exact_sum *sum, bool is_negative, int64_t *digits)
{
    int64_t above = 0;
    for (int i = 0; i < SP_EXACT_DIGITS; i++) {
        const int64_t all = (is_negative ? -sum->digits[i] : sum->digits[i]) + above;
        digits[i] = all & ((INT64_C(1) << SP_EXACT_BITS) - 1);
        above = (all - digits[i]) / (INT64_C(1) << SP_EXACT_BITS);
    }
    return above;
}

double sp_exact_value(const sp_exact_sum *sum)
{
    if (sum->infinite)
        return INFINITY;
    int64_t digits[SP_EXACT_DIGITS], above = carry(sum, false, digits);
    const bool is_negative = above < 0;
    if (is_negative)
        above = carry(sum, true, digits);
    double value = (double)above;
    for (int i = SP_EXACT_DIGITS - 2; i >= 0; i -= 2)
        value = ldexp(value, 2 * SP_EXACT_BITS) + (double)(digits[i + 1] << SP_EXACT_BITS | digits[i]);
    const int exponent = (int)(sum->place - SP_EXACT_DIGITS) * SP_EXACT_BITS - 1074;
    return ldexp(is_negative ? -value : value, exponent);
}
