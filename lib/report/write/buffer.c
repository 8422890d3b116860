#include "report/write/buffer.h"

#include "json/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sp_buffer_free(sp_buffer *buffer)
{
    free(buffer->data);
    *buffer = (sp_buffer){.words = buffer->words};
}

void sp_buffer_drop(sp_buffer *piece, sp_buffer *whole)
{
    whole->failed |= piece->failed;
    sp_buffer_free(piece);
}

const char *sp_buffer_string(const sp_buffer *buffer)
{
    return buffer->data ? buffer->data : "";
}

/* Room for n more bytes and the terminator. */
static bool buffer_reserve(sp_buffer *buffer, size_t n)
{
    if (buffer->failed)
        return false;
    if (n < buffer->capacity - buffer->length)
        return true;
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity - buffer->length <= n) {
        if (capacity > SIZE_MAX / 2) {
            buffer->failed = true;
            return false;
        }
        capacity *= 2;
    }
    char *data = realloc(buffer->data, capacity);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void sp_buffer_add(sp_buffer *buffer, const char *bytes, size_t n)
{
    if (!buffer_reserve(buffer, n))
        return;
    memcpy(buffer->data + buffer->length, bytes, n);
    buffer->length += n;
    buffer->data[buffer->length] = '\0';
}

void sp_buffer_text(sp_buffer *buffer, const char *text)
{
    if (text)
        sp_buffer_add(buffer, text, strlen(text));
}

void sp_buffer_repeat(sp_buffer *buffer, char c, int64_t n)
{
    if (n <= 0 || !buffer_reserve(buffer, (size_t)n))
        return;
    memset(buffer->data + buffer->length, c, (size_t)n);
    buffer->length += (size_t)n;
    buffer->data[buffer->length] = '\0';
}

void sp_buffer_format(sp_buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    if (n < 0)
        buffer->failed = true;
    else if (buffer_reserve(buffer, (size_t)n)) {
        vsnprintf(buffer->data + buffer->length, (size_t)n + 1, format, again);
        buffer->length += (size_t)n;
    }
    va_end(again);
    va_end(arguments);
}

sp_status sp_buffer_finish(sp_buffer *buffer, char **out, sp_error *err)
{
    sp_buffer_add(buffer, "", 0); /* so that an empty text is a text */
    if (buffer->failed) {
        sp_buffer_free(buffer);
        return sp_fail(err, SP_ENOMEM, "out of memory while writing a report");
    }
    *out = buffer->data;
    *buffer = (sp_buffer){0};
    return SP_OK;
}

enum { DRAIN_BYTES = 1 << 20 };

static void give(sp_buffer *buffer)
{
    sp_buffer_sink *sink = buffer->sink;
    if (buffer->failed || buffer->length == 0)
        return;
    sink->status = sink->call(sink->arg, buffer->data, buffer->length, &sink->error);
    buffer->failed = sink->status != SP_OK;
    buffer->length = 0;
}

void sp_buffer_drain(sp_buffer *buffer)
{
    if (buffer->sink && buffer->length >= DRAIN_BYTES)
        give(buffer);
}

sp_status sp_buffer_end(sp_buffer *buffer, sp_error *err)
{
    give(buffer);
    const bool failed = buffer->failed;
    const sp_buffer_sink *sink = buffer->sink;
    sp_buffer_free(buffer);
    if (sink->status != SP_OK && err)
        *err = sink->error;
    return sink->status == SP_OK && failed ? sp_fail(err, SP_ENOMEM, "out of memory while writing a report")
                                           : sink->status;
}

/* ---- addresses ---- */

void sp_buffer_address(sp_buffer *buffer, const char *text)
{
    sp_buffer clean = {0};
    sp_buffer_utf8(&clean, text);
    for (const char *c = clean.data; c && *c; c++) {
        const bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                              (*c >= '0' && *c <= '9') || strchr("-._~", *c);
        sp_buffer_format(buffer, is_plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    sp_buffer_drop(&clean, buffer);
}

void sp_buffer_place(sp_buffer *buffer, const char *id, int64_t step)
{
    sp_buffer_text(buffer, "#night=");
    sp_buffer_address(buffer, id);
    if (step >= 0)
        sp_buffer_format(buffer, "&t=%lld", (long long)step);
}

/* ---- numbers ---- */

const char *sp_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* printf follows the locale of the program; reports do not. */
static void use_point(char *text)
{
    for (; *text; text++)
        if (*text == ',')
            *text = '.';
}

/* Adds digits with a comma between groups of three. */
static void add_grouped(sp_buffer *buffer, const char *digits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            sp_buffer_add(buffer, ",", 1);
        sp_buffer_add(buffer, digits + i, 1);
    }
}

void sp_buffer_count(sp_buffer *buffer, int64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)n);
    const char *digits = text + (text[0] == '-');
    sp_buffer_add(buffer, text, (size_t)(digits - text));
    add_grouped(buffer, digits, strlen(digits));
}

void sp_buffer_fixed(sp_buffer *buffer, double value, int decimals)
{
    if (!isfinite(value)) {
        sp_buffer_text(buffer, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    char text[352]; /* the greatest double has 309 digits before the point */
    snprintf(text, sizeof text, "%.*f", decimals, value);
    use_point(text);
    const char *digits = text + (text[0] == '-');
    if (digits > text && strspn(digits, "0.") != strlen(digits))
        sp_buffer_add(buffer, "-", 1);
    size_t whole = strcspn(digits, ".");
    add_grouped(buffer, digits, whole);
    sp_buffer_text(buffer, digits + whole);
}

void sp_buffer_signed(sp_buffer *buffer, double value, int decimals)
{
    double least = 0.5;
    for (int i = 0; i < decimals; i++)
        least /= 10;
    if (value > 0 && value > least)
        sp_buffer_add(buffer, "+", 1);
    sp_buffer_fixed(buffer, value, decimals);
}

void sp_buffer_percent(sp_buffer *buffer, int64_t part, int64_t whole)
{
    if (whole <= 0) {
        sp_buffer_text(buffer, "–");
        return;
    }
    double percent = 100.0 * (double)part / (double)whole;
    if (part == 0)
        sp_buffer_text(buffer, "0 %");
    else if (percent < 0.005)
        sp_buffer_text(buffer, "< 0.01 %");
    else {
        sp_buffer_fixed(buffer, percent, percent < 9.995 ? 2 : 1);
        sp_buffer_text(buffer, " %");
    }
}

void sp_buffer_p(sp_buffer *buffer, double p)
{
    if (p < 0.001)
        sp_buffer_text(buffer, "< 0.001");
    else
        sp_buffer_fixed(buffer, p, p < 0.1 ? 3 : 2);
}

void sp_buffer_real(sp_buffer *buffer, double value)
{
    char text[32];
    sp_buffer_text(buffer, sp_json_number(value, 1, text));
}

/* One conversion, from its % on, strings written by `text`, a whole number kept in *count; returns where it ends. */
static const char *say_one(sp_buffer *buffer, const char *at, void (*text)(sp_buffer *, const char *),
                           va_list *arguments, int64_t *count)
{
    const bool is_signed = at[1] == '+';
    const char *end = at + 1 + is_signed;
    int decimals = 0;
    if (*end == '.') {
        decimals = end[1] == '*' ? va_arg(*arguments, int) : end[1] - '0';
        end += 2;
    }
    if (*end == 's') {
        const char *string = va_arg(*arguments, const char *);
        text(buffer, string ? string : "");
    } else if (*end == 'd') {
        *count = va_arg(*arguments, int);
        sp_buffer_format(buffer, "%d", (int)*count);
    } else if (*end == 'f' && is_signed) {
        sp_buffer_signed(buffer, va_arg(*arguments, double), decimals);
    } else if (*end == 'f') {
        sp_buffer_fixed(buffer, va_arg(*arguments, double), decimals);
    } else if (*end == 'g') {
        char number[32];
        snprintf(number, sizeof number, "%g", va_arg(*arguments, double));
        use_point(number);
        sp_buffer_text(buffer, number);
    } else if (*end == 'l') {
        *count = va_arg(*arguments, long long);
        if (end[2] == 'u')
            sp_buffer_format(buffer, "%llu", (unsigned long long)*count);
        else
            sp_buffer_format(buffer, "%lld", (long long)*count);
        end += 2;
    } else if (*end == 'j') {
        *count = va_arg(*arguments, intmax_t);
        sp_buffer_count(buffer, *count);
        end++; /* %jd */
    } else {
        sp_buffer_add(buffer, end, 1); /* %% */
    }
    return end + 1;
}

static void say(sp_buffer *buffer, const char *format, void (*text)(sp_buffer *, const char *),
                va_list arguments)
{
    va_list own;
    int64_t count = 0; /* the last that was written */
    va_copy(own, arguments);
    while (*format) {
        const size_t n = strcspn(format, "%{");
        sp_buffer_add(buffer, format, n);
        format += n;
        if (*format == '%')
            format = say_one(buffer, format, text, &own, &count);
        else if (*format)
            format = sp_words_placeholder(buffer, format, count);
    }
    va_end(own);
}

void sp_buffer_vsay(sp_buffer *buffer, const char *format, va_list arguments)
{
    say(buffer, format, sp_buffer_text, arguments);
}

void sp_buffer_say(sp_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(buffer, format, sp_buffer_text, arguments);
    va_end(arguments);
}

void sp_html_vsay(sp_buffer *buffer, const char *format, va_list arguments)
{
    say(buffer, format, sp_buffer_html, arguments);
}

void sp_html_say(sp_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(buffer, format, sp_buffer_html, arguments);
    va_end(arguments);
}
