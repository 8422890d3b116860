/* Text that grows. Errors stick: after a failed allocation everything is a no-op, and only sp_buffer_finish() has to be checked.
 */
#ifndef STATEPATH_REPORT_BUFFER_H
#define STATEPATH_REPORT_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statepath/report.h"

typedef struct sp_buffer {
    char *data; /* always terminated once something was added; may hold NUL bytes before its end */
    size_t length, capacity;
    bool failed;
    const struct sp_words *words; /* what recordings and steps are called; borrowed; NULL: just that */
    struct sp_buffer_sink *
        sink; /* where the text goes piece by piece, if it is not wanted as a whole; borrowed; NULL: nowhere */
} sp_buffer;

typedef struct sp_buffer_sink {
    sp_report_sink *call;
    void *arg;
    sp_status status; /* what it returned, with its words */
    sp_error error;
} sp_buffer_sink;

/* {0} is an empty buffer. _free leaves an empty buffer behind, with the same words. */
void sp_buffer_free(sp_buffer *buffer);

/* Frees what was a piece of another text; where it has failed, the whole has too. */
void sp_buffer_drop(sp_buffer *piece, sp_buffer *whole);
const char *sp_buffer_string(const sp_buffer *buffer); /* the text so far, "" where nothing was added */

void sp_buffer_add(sp_buffer *buffer, const char *bytes, size_t n);
void sp_buffer_text(sp_buffer *buffer, const char *text); /* NULL adds nothing */
void sp_buffer_repeat(sp_buffer *buffer, char c, int64_t n);
void sp_buffer_format(sp_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A sentence: as printf, but numbers are written as everywhere in a report, whatever the locale: %jd of an int64_t as
 * sp_buffer_count(), %.3f and %.*f as sp_buffer_fixed(), %+.3f as sp_buffer_signed(), %g with a point, %s of NULL as nothing; %d,
 * %lld and %llu are plain. Placeholders of words in the format as in sp_buffer_words(); {recording(s)} and {step(s)} are one after the
 * number 1, else many. What %s stands for keeps its braces. */
void sp_buffer_say(sp_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

void sp_buffer_vsay(sp_buffer *buffer, const char *format, va_list arguments);

/* The same for HTML: the format is markup, every %s is text and escaped as by sp_buffer_html(). */
void sp_html_vsay(sp_buffer *buffer, const char *format, va_list arguments);
void sp_html_say(sp_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- what recordings, steps and options are called (words.c) ---- */

/* Adds a text of ours, no data, with the words in place of {recording}, {recordings}, {step}, {steps}, {Recording} ..., and with
 * their article {a recording}, {a step}, {A step}; {=cv 5} is "--cv 5" to users of the program, "cv=5" to those of Python. Other
 * braces stay. */
void sp_buffer_words(sp_buffer *buffer, const char *text);
/* Adds a text of other rooms, which know no words (why a figure is undefined, how a figure is called), with the words in place of
 * recording, recordings, step and steps. No other word of such a text may end in one of these, as "misstep" does. */
void sp_buffer_term(sp_buffer *buffer, const char *text);
/* At a brace: adds the word that its placeholder stands for, or the brace; returns where the text goes on. */
const char *sp_words_placeholder(sp_buffer *buffer, const char *text, int64_t count);

/* Hands the text to the caller (who frees it) and empties the buffer. SP_OK, or SP_ENOMEM with *out untouched. */
sp_status sp_buffer_finish(sp_buffer *buffer, char **out, sp_error *err);

/* With a sink: gives it what there is, if that is much. Places where a text may be cut, between lines say, call it. */
void sp_buffer_drain(sp_buffer *buffer);
/* Gives the sink the rest and empties the buffer. SP_OK, SP_ENOMEM, or what the sink returned. */
sp_status sp_buffer_end(sp_buffer *buffer, sp_error *err);

/* ---- names: any bytes from a file. All of these replace what is not UTF-8 by U+FFFD ---- */

/* Columns that a terminal gives to the text: 0 for combining marks, 2 for wide East Asian characters and emoji. */
int sp_text_width(const char *text);

/* Adds the text with control characters (an escape sequence could speak to the terminal) as U+FFFD, newlines and tabs as spaces,
 * cut to `width` columns with an ellipsis in its middle when longer (0: never cut). */
void sp_buffer_name(sp_buffer *buffer, const char *text, int width);

/* Adds the text as valid UTF-8, otherwise unchanged. */
void sp_buffer_utf8(sp_buffer *buffer, const char *text);

/* Adds the text for HTML, inside an element or a quoted attribute: & < > " ' as entities, control characters as U+FFFD. */
void sp_buffer_html(sp_buffer *buffer, const char *text);

/* Adds the text for a cell of a GitHub table: pipes, backslashes, markup and < > & are escaped, newlines are spaces. */
void sp_buffer_markdown(sp_buffer *buffer, const char *text);

/* Adds the text as a field of a CSV file (RFC 4180): quoted when it holds a comma, a quote or a line break. What a spreadsheet
 * would take for a formula (it begins with = + - @, tab or CR, or with apostrophes before one) gets an apostrophe, which
 * a source of text takes off. For names; numbers are not written so. */
void sp_buffer_csv(sp_buffer *buffer, const char *text);

/* Adds a name as one segment of an address (RFC 3986), in UTF-8. */
void sp_buffer_address(sp_buffer *buffer, const char *text);
/* Adds the address of a step in the page: "#night=r04&t=512"; step < 0: of the recording. */
void sp_buffer_place(sp_buffer *buffer, const char *id, int64_t step);

/* ---- numbers ---- */

const char *sp_plural(int64_t n); /* "" for one, else "s" */

void sp_buffer_count(sp_buffer *buffer, int64_t n);                   /* 53,181 */
void sp_buffer_fixed(sp_buffer *buffer, double value, int decimals);  /* -12,345.6; never "-0.0" */
void sp_buffer_signed(sp_buffer *buffer, double value, int decimals); /* +0.12, -0.03, 0.00 */
void sp_buffer_percent(sp_buffer *buffer, int64_t part,
                       int64_t whole);                /* 0 %, < 0.01 %, 0.13 %, 12.4 %; "–" of nothing */
void sp_buffer_p(sp_buffer *buffer, double p);        /* 0.013, 0.21, < 0.001 */
void sp_buffer_real(sp_buffer *buffer, double value); /* fewest digits that read back as the same number */

#endif
