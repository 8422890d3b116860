#include "io/text/number_read.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Powers of ten that are doubles: so is what they are multiplied with below, and the product is rounded once. */
static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { MOST_TEN = 22 };
static const uint64_t most_exact = UINT64_C(1) << 53;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* nan, inf, infinity, with a sign. */
static bool read_word(const char *text, double *out)
{
    const bool is_minus = *text == '-';
    const char *p = text + (*text == '-' || *text == '+');
    const size_t n = strcspn(p, " \t");
    if (*skip_blanks(p + n))
        return false;
    if (n == 3 && strncasecmp(p, "nan", n) == 0)
        *out = NAN;
    else if ((n == 3 && strncasecmp(p, "inf", n) == 0) || (n == 8 && strncasecmp(p, "infinity", n) == 0))
        *out = is_minus ? -INFINITY : INFINITY;
    else
        return false;
    return true;
}

bool sp_number_read(const char *text, double *out)
{
    const char *p = text = skip_blanks(text);
    if (!*p) {
        *out = NAN;
        return true;
    }
    const bool is_minus = *p == '-';
    p += *p == '-' || *p == '+';
    uint64_t digits = 0;
    int64_t exponent = 0;
    int n_digits = 0;
    bool is_exact = true;
    for (; is_digit(*p); p++, n_digits++) {
        is_exact &= digits < most_exact;
        digits = is_exact ? 10 * digits + (uint64_t)(*p - '0') : digits;
    }
    if (*p == '.')
        for (p++; is_digit(*p); p++, n_digits++, exponent--) {
            is_exact &= digits < most_exact;
            digits = is_exact ? 10 * digits + (uint64_t)(*p - '0') : digits;
        }
    if (n_digits == 0)
        return read_word(text, out);
    if (*p == 'e' || *p == 'E') {
        int64_t power = 0;
        p++;
        const bool is_small = *p == '-';
        p += *p == '-' || *p == '+';
        if (!is_digit(*p))
            return false;
        for (; is_digit(*p); p++)
            power = power < 100000 ? 10 * power + (*p - '0') : power;
        exponent += is_small ? -power : power;
    }
    if (*skip_blanks(p))
        return false;
    if (!is_exact || digits > most_exact || exponent < -MOST_TEN || exponent > MOST_TEN) {
        *out = strtod(text, NULL);
        return true;
    }
    const double whole = (double)digits,
                 value = exponent < 0 ? whole / tens[-exponent] : whole * tens[exponent];
    *out = is_minus ? -value : value;
    return true;
}
