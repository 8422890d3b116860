/* vsnprintf() for the sentences of the library: %d %u %s %c %g %%, the lengths l ll z j, and a precision. The one of the C
 * library would be a sixth of the module, and bring files and their imports along. Numbers of %g have at most six digits. */
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

/* At most six digits, without zeros at the end; with an exponent outside 1e-4 .. 1e6. */
static void put_real(sentence *out, double x)
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
    uint64_t digits = (uint64_t)(mantissa * 1e5 + 0.5);
    if (digits >= 1000000) {
        digits /= 10;
        exponent++;
    }
    const bool is_plain = exponent >= -4 && exponent < 6;
    int decimals = 5 - (is_plain ? exponent : 0);
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
        put_whole(out, how == 'j' || n_l > 1 ? va_arg(*arguments, uint64_t) : va_arg(*arguments, unsigned), false);
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
        put_real(out, va_arg(*arguments, double));
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
