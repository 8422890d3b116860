/* Bytes as letters that stand in a page as they are: four bytes, the first the highest, are a number of five digits to base 85; n < 4 bytes at
 * the end are n + 1 digits, as if zeros followed. A fourth more letters than bytes; base64 takes a third more. Not installed. */
#ifndef STATEPATH_CORE_BASE85_H
#define STATEPATH_CORE_BASE85_H

#include <stdint.h>

/* Letters of n bytes, and the bytes that n letters hold. */
static inline int64_t sp_base85_letters(int64_t n)
{
    return n / 4 * 5 + (n % 4 ? n % 4 + 1 : 0);
}
static inline int64_t sp_base85_bytes(int64_t n)
{
    return n / 5 * 4 + (n % 5 ? n % 5 - 1 : 0);
}

/* Writes the 5 digits of up to four bytes; of n < 4 bytes the first n + 1 count. ASCII without white space, quotes, '&', '<', '\' and '$'. */
static inline void sp_base85_put(const unsigned char *bytes, int64_t n, char digits[5])
{
    uint32_t four = 0;
    for (int64_t b = 0; b < 4; b++)
        four = four << 8 | (b < n ? bytes[b] : 0);
    for (int d = 4; d >= 0; d--, four /= 85)
        digits[d] =
            "()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~!"[four %
                                                                                                    85];
}

#endif
