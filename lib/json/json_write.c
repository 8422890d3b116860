#include "json/json_write.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "json/utf8.h"

enum { LINE = 118 }; /* where lists are wrapped */

void sp_json_writer_open(sp_json_writer *writer)
{
    *writer = (sp_json_writer){0};
    writer->stream = open_memstream(&writer->text, &writer->size);
    if (!writer->stream)
        writer->status = SP_ENOMEM;
}

void sp_json_writer_open_on(sp_json_writer *writer, void (*sink)(void *to, const char *text, size_t n),
                            void *to)
{
    *writer = (sp_json_writer){.sink = sink, .to = to};
}

sp_status sp_json_writer_close(sp_json_writer *writer, char **text, sp_error *err)
{
    /* Where memory is short at the last moment fclose() says nothing, but leaves no text (glibc). */
    if (writer->stream && ((ferror(writer->stream) | fclose(writer->stream)) || !writer->text) &&
        writer->status == SP_OK)
        writer->status = SP_ENOMEM;
    writer->stream = NULL;
    if (writer->status == SP_OK) {
        if (text)
            *text = writer->text;
        return SP_OK;
    }
    free(writer->text);
    if (writer->status == SP_ENOMEM)
        return sp_no_memory(err);
    return sp_fail(err, writer->status, "the name \"%s\" is not UTF-8, which JSON needs; rename it",
                   writer->faulty);
}

void sp_json_put(sp_json_writer *writer, const char *raw)
{
    if (writer->status != SP_OK)
        return;
    const size_t n = strlen(raw);
    if (writer->sink)
        writer->sink(writer->to, raw, n);
    else if (fputs(raw, writer->stream) < 0)
        writer->status = SP_ENOMEM;
    const char *newline = strrchr(raw, '\n');
    writer->column = newline ? (int)strlen(newline + 1) : writer->column + (int)n;
}

void sp_json_put_string(sp_json_writer *writer, const char *string)
{
    if (writer->status != SP_OK)
        return;
    json_t *value = json_string(string);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (quoted)
        sp_json_put(writer, quoted);
    else {
        /* Was it the encoding, or memory for a moment? */
        json_t *again = json_string(string), *unchecked = json_string_nocheck(string);
        writer->status = !again && unchecked ? SP_EINVAL : SP_ENOMEM;
        writer->faulty = string;
        json_decref(again);
        json_decref(unchecked);
    }
    free(quoted);
    json_decref(value);
}

void sp_json_put_cleaned(sp_json_writer *writer, const char *text)
{
    enum {
        BYTES_OF_REPLACEMENT = 3
    }; /* the most that a faulty byte becomes; what is UTF-8 keeps its length */
    char *clean = malloc(BYTES_OF_REPLACEMENT * strlen(text) + SP_UTF8_MOST), *end = clean;
    if (!clean) {
        writer->status = writer->status == SP_OK ? SP_ENOMEM : writer->status;
        return;
    }
    while (*text)
        end += sp_utf8_put(sp_utf8_next(&text), end);
    *end = '\0';
    sp_json_put_string(writer, clean);
    free(clean);
}

char *sp_json_number(double x, int least_digits, char buffer[32])
{
    for (int digits = least_digits; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, x);
        if (strtod(buffer, NULL) == x)
            break;
    }
    char *point = strchr(buffer, *localeconv()->decimal_point);
    if (point)
        *point = '.';
    return buffer;
}

void sp_json_put_number(sp_json_writer *writer, double x)
{
    char buffer[32];
    sp_json_put(writer, sp_json_number(x, 15, buffer));
}

void sp_json_put_integer(sp_json_writer *writer, int64_t x)
{
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%lld", (long long)x);
    sp_json_put(writer, buffer);
}

void sp_json_putf(sp_json_writer *writer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    for (const char *at = format, *mark; *at; at = mark) {
        char raw[128];
        mark = at + strcspn(at, "%");
        for (size_t n = (size_t)(mark - at), part; n > 0; n -= part, at += part) {
            part = n < sizeof raw ? n : sizeof raw - 1;
            snprintf(raw, sizeof raw, "%.*s", (int)part, at);
            sp_json_put(writer, raw);
        }
        if (mark[0] == '%' && mark[1] == 's')
            sp_json_put_string(writer, va_arg(values, const char *));
        else if (mark[0] == '%' && mark[1] == 'g')
            sp_json_put_number(writer, va_arg(values, double));
        else if (mark[0] == '%')
            sp_json_put_integer(writer, va_arg(values, long long));
        mark += mark[0] == '%' ? (mark[1] == 'l' ? 4 : 2) : 0;
    }
    va_end(values);
}

void sp_json_put_text(sp_json_writer *writer, const char *key, const char *text)
{
    if (text)
        sp_json_putf(writer, ",\n  %s: %s", key, text);
}

void sp_json_put_comma(sp_json_writer *writer, bool is_first, int indent)
{
    if (is_first)
        return;
    if (writer->column < LINE) {
        sp_json_put(writer, ", ");
        return;
    }
    char blanks[24];
    snprintf(blanks, sizeof blanks, ",\n%*s", indent, "");
    sp_json_put(writer, blanks);
}

void sp_json_put_name(sp_json_writer *writer, bool is_first, int indent, const char *name)
{
    sp_json_put_comma(writer, is_first, indent);
    sp_json_put_string(writer, name);
    sp_json_put(writer, ": ");
}

void sp_json_put_numbers(sp_json_writer *writer, const char *key, int32_t n, const char *const *names,
                         const double *values)
{
    bool is_first = true;
    for (int32_t i = 0; i < n; i++) {
        if (isnan(values[i]))
            continue;
        if (is_first) {
            sp_json_put_key(writer, key);
            sp_json_put(writer, "{");
        }
        sp_json_put_name(writer, is_first, 4, names[i]);
        sp_json_put_number(writer, values[i]);
        is_first = false;
    }
    if (!is_first)
        sp_json_put(writer, "}");
}

void sp_json_put_key(sp_json_writer *writer, const char *key)
{
    sp_json_put(writer, ",\n  ");
    sp_json_put_string(writer, key);
    sp_json_put(writer, ": ");
}

void sp_json_put_strings(sp_json_writer *writer, int32_t n, char *const *strings, int indent)
{
    sp_json_put(writer, "[");
    for (int32_t i = 0; i < n; i++) {
        sp_json_put_comma(writer, i == 0, indent);
        sp_json_put_string(writer, strings[i]);
    }
    sp_json_put(writer, "]");
}

void sp_json_put_matrix(sp_json_writer *writer, int32_t n, const double *values)
{
    for (int32_t i = 0; i < n; i++) {
        sp_json_put(writer, i ? ",\n    [" : "[\n    [");
        for (int32_t j = 0; j < n; j++) {
            sp_json_put(writer, j ? ", " : "");
            sp_json_put_number(writer, values[(size_t)i * (size_t)n + (size_t)j]);
        }
        sp_json_put(writer, "]");
    }
    sp_json_put(writer, "]");
}
