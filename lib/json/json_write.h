/* Writing JSON as a person would: own line breaks, shortest numbers. Not installed.
 *
 * jansson escapes the strings; its own dump puts every item on a line of its own, or everything on one. */
#ifndef STATEPATH_JSON_WRITE_H
#define STATEPATH_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "statepath/status.h"

typedef struct sp_json_writer {
    void (*sink)(void *to, const char *text, size_t n); /* takes the text; NULL: `stream` does */
    void *to;
    FILE *stream; /* into `text` */
    char *text;
    size_t size;
    int column;         /* characters on this line, about */
    const char *faulty; /* the first string that is not UTF-8, or NULL */
    sp_status status;   /* SP_OK until something fails; then nothing more is written */
} sp_json_writer;

void sp_json_writer_open(sp_json_writer *writer);
void sp_json_writer_open_on(sp_json_writer *writer, void (*sink)(void *to, const char *text, size_t n),
                            void *to);
/* The text, which the caller frees (not where there is a sink: text is NULL); or the first failure: SP_EINVAL (a string that is
 * not UTF-8), SP_ENOMEM. The writer is gone.
 */
sp_status sp_json_writer_close(sp_json_writer *writer, char **text, sp_error *err);

void sp_json_put(sp_json_writer *writer, const char *raw);           /* as it is */
void sp_json_put_string(sp_json_writer *writer, const char *string); /* quoted and escaped */
void sp_json_put_cleaned(sp_json_writer *writer,
                         const char *text);                /* the same; what is no UTF-8 becomes U+FFFD */
void sp_json_put_number(sp_json_writer *writer, double x); /* shortest that reads back exactly; x finite */
void sp_json_put_integer(sp_json_writer *writer, int64_t x);
/* As it is, but for %s (a string, quoted), %g (a number, the shortest) and %lld. */
void sp_json_putf(sp_json_writer *writer, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* The next member of the document, a text; nothing where it is NULL. */
void sp_json_put_text(sp_json_writer *writer, const char *key, const char *text);
/* Before an item: nothing before the first, else a comma; then a new line with `indent` blanks where the line is full. */
void sp_json_put_comma(sp_json_writer *writer, bool is_first, int indent);
/* The name of an item of an object, after such a comma: "name": */
void sp_json_put_name(sp_json_writer *writer, bool is_first, int indent, const char *name);
/* Numbers by name, as a member of the document; NaN is left out, and the member where all are. */
void sp_json_put_numbers(sp_json_writer *writer, const char *key, int32_t n, const char *const *names,
                         const double *values);
/* The next member of the document: comma, new line, two blanks, "key": */
void sp_json_put_key(sp_json_writer *writer, const char *key);
/* A whole list of strings, wrapped. */
void sp_json_put_strings(sp_json_writer *writer, int32_t n, char *const *strings, int indent);
/* Rows of numbers [n,n], one row a line. */
void sp_json_put_matrix(sp_json_writer *writer, int32_t n, const double *values);

/* The decimal number of fewest digits, from least_digits on, that reads back as exactly x; powers of ten from that many digits on
 * are written with an exponent (1: 1e+05, 15: 100000). Independent of the locale. Returns the buffer. */
char *sp_json_number(double x, int least_digits, char buffer[32]);

#endif
