/* vsnprintf() for the sentences of the library: %d %u %s %c %g %%, the lengths l ll z j, and a precision. The one of the C
 * library would be a sixth of the module, and bring files and their imports along. Numbers of %g have at most 15 digits.
 * And strtod() for the lengths of durations, such as "1.5min". */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct sentence {
    char *data;
    size_t size, length; /* length: as if there were room */
} sentence;

static void put(sentence *out, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++, out->length++)
        if (out->length + 1 < out->size)
            out->data[out->length] = from[i];
}

static void put_whole(sentence *out, uint64_t n, bool is_negative)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + n % 10);
    while (n /= 10);
    if (is_negative)
        digits[--at] = '-';
    put(out, digits + at, sizeof digits - at);
}

/* At most n digits, without zeros at the end; with an exponent outside 1e-4 .. 10^n. */
static void put_real(sentence *out, double x, int n)
{
    if (isnan(x) || isinf(x)) {
        put(out, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf", isinf(x) && x < 0 ? 4 : 3);
        return;
    }
    int exponent = 0;
    double mantissa = x < 0 ? -x : x;
    for (; mantissa >= 10; exponent++)
        mantissa /= 10;
    for (; mantissa > 0 && mantissa < 1; exponent--)
        mantissa *= 10;
    uint64_t ten = 1;
    for (int i = 1; i < n; i++)
        ten *= 10;
    uint64_t digits = (uint64_t)(mantissa * (double)ten + 0.5);
    if (digits >= 10 * ten) {
        digits /= 10;
        exponent++;
    }
    const bool is_plain = exponent >= -4 && exponent < n;
    int decimals = n - 1 - (is_plain ? exponent : 0);
    for (; decimals > 0 && digits % 10 == 0; decimals--)
        digits /= 10;
    uint64_t scale = 1;
    for (int i = 0; i < decimals; i++)
        scale *= 10;
    put_whole(out, digits / scale, x < 0);
    if (decimals > 0)
        put(out, ".", 1);
    for (digits %= scale; decimals > 0; decimals--) {
        scale /= 10;
        put_whole(out, digits / scale, false);
        digits %= scale;
    }
    if (!is_plain) {
        const int size = exponent < 0 ? -exponent : exponent;
        put(out, exponent < 0 ? "e-" : "e+", 2);
        put(out, "0", size < 10);
        put_whole(out, (uint64_t)size, false);
    }
}

static void put_integer(sentence *out, char how, int n_l, bool is_signed, va_list *arguments)
{
    if (!is_signed) {
        put_whole(out, how == 'j' || n_l > 1 ? va_arg(*arguments, uint64_t) : va_arg(*arguments, unsigned),
                  false);
        return;
    }
    const int64_t n = how == 'j' || n_l > 1 ? va_arg(*arguments, int64_t) : va_arg(*arguments, int);
    put_whole(out, n < 0 ? -(uint64_t)n : (uint64_t)n, n < 0);
}

static const char *put_one(sentence *out, const char *format, va_list *arguments)
{
    size_t most = SIZE_MAX;
    int n_l = 0;
    char how = 0;
    while (*format && strchr("-+ #0123456789", *format))
        format++;
    if (*format == '.' && format[1] == '*') {
        most = (size_t)va_arg(*arguments, int);
        format += 2;
    } else if (*format == '.') {
        for (most = 0, format++; *format >= '0' && *format <= '9'; format++)
            most = most * 10 + (size_t)(*format - '0');
    }
    for (; *format && strchr("ljzh", *format); format++) {
        n_l += *format == 'l';
        how = *format;
    }
    if (*format == 's') {
        const char *from = va_arg(*arguments, const char *);
        put(out, from, strnlen(from, most));
    } else if (*format == 'd' || *format == 'i' || *format == 'u') {
        put_integer(out, how, n_l, *format != 'u', arguments);
    } else if (*format == 'c') {
        const char c = (char)va_arg(*arguments, int);
        put(out, &c, 1);
    } else if (*format == 'g' || *format == 'f') {
        put_real(out, va_arg(*arguments, double), most < 16 ? (int)most : 6);
    } else {
        put(out, format, 1); /* %% */
    }
    return *format ? format + 1 : format;
}

int vsnprintf(char *restrict buffer, size_t size, const char *restrict format, va_list arguments)
{
    sentence out = {buffer, size, 0};
    va_list rest;
    va_copy(rest, arguments);
    while (*format) {
        const size_t plain = strcspn(format, "%");
        put(&out, format, plain);
        format += plain;
        if (*format)
            format = put_one(&out, format + 1, &rest);
    }
    va_end(rest);
    if (size > 0)
        buffer[out.length < size ? out.length : size - 1] = '\0';
    return (int)out.length;
}

int snprintf(char *restrict buffer, size_t size, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

/* ---- reading ---- */

enum { MOST_POWER = 22 }; /* the greatest power of ten that is a double */

/* x 10^power; one rounding where x and that power of ten are doubles. */
static double scaled(double x, int power)
{
    static const double ten[MOST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    for (; power > MOST_POWER && isfinite(x) && x > 0; power -= MOST_POWER)
        x *= ten[MOST_POWER];
    for (; power < -MOST_POWER && x > 0; power += MOST_POWER)
        x /= ten[MOST_POWER];
    return x > 0 && isfinite(x) ? (power < 0 ? x / ten[-power] : x * ten[power]) : x;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits at *at, after which it stands then, into *value; *n grows by their number. Those that it has no room for are counted. */
static int take_digits(const char **at, uint64_t *value, int *n)
{
    int n_left = 0;
    for (; is_digit(**at); ++*at, ++*n)
        if (*value < UINT64_MAX / 100)
            *value = *value * 10 + (uint64_t)(**at - '0');
        else
            n_left++;
    return n_left;
}

/* Of decimal numbers without a sign. Exact to the last bit of those of at most 15 digits, and 22 beside the point. */
double strtod(const char *restrict text, char **restrict end)
{
    const char *at = text;
    uint64_t value = 0, exponent = 0;
    int n = 0, n_behind = 0;
    int power = take_digits(&at, &value, &n);
    if (*at == '.') {
        at++;
        power += take_digits(&at, &value, &n_behind) - n_behind;
    }
    const char *const number = n + n_behind > 0 ? at : text;
    if (number > text && (*at == 'e' || *at == 'E')) {
        const bool is_negative = at[1] == '-';
        int n_digits = 0;
        at += 1 + (is_negative || at[1] == '+');
        take_digits(&at, &exponent, &n_digits);
        const int e = exponent < 10000 ? (int)exponent : 10000;
        power += is_negative ? -e : e;
        at = n_digits > 0 ? at : number;
    } else
        at = number;
    *end = (char *)(uintptr_t)at;
    return scaled((double)value, power);
}
