/* One table, four dresses: aligned text for a terminal, Markdown, LaTeX, HTML. A figure is formatted once, so it cannot differ
 * between them. Errors stick as in sp_buffer. */
#ifndef STATEPATH_REPORT_TABLE_H
#define STATEPATH_REPORT_TABLE_H

#include "report/write/buffer.h"

typedef enum sp_cell_tone {
    SP_TONE_PLAIN,
    SP_TONE_BEST,  /* best of its column: a star beside the figure */
    SP_TONE_BAD,   /* what the model forbids */
    SP_TONE_MUTED, /* beside the point: zeros, undefined */
} sp_cell_tone;

typedef enum sp_align { SP_LEFT, SP_RIGHT } sp_align;

/* What the page's script makes links of, whatever the head says: "r04", "r04: 12", "r04, 512". */
typedef enum sp_column_holds {
    SP_HOLDS_ANYTHING,
    SP_HOLDS_RECORDING,
    SP_HOLDS_WORST,
    SP_HOLDS_PLACE
} sp_column_holds;

typedef struct sp_cell {
    size_t offset; /* of its text in `text` */
    sp_cell_tone tone;
    const char *definition; /* static: what the figure is that a head names, for the page; or NULL */
} sp_cell;

typedef struct sp_table {
    sp_buffer text;         /* the texts of all cells, each terminated */
    sp_cell *cells;         /* row-major; the first row holds the headers */
    sp_align *aligns;       /* [n_columns] */
    sp_column_holds *holds; /* [n_columns] */
    const char *
        title; /* static, with words as in sp_buffer_words(); caption in HTML, heading of the table elsewhere */
    size_t n_cells, capacity;
    int32_t n_columns;
    int64_t n_left_out; /* rows that are not shown */
    bool failed;
} sp_table;

void sp_table_free(sp_table *table);

/* Columns first, then cells row by row. table.text.words says what recordings and steps are called. */
void sp_table_column(sp_table *table, sp_align align, const char *name);
/* Several at once, "strategy|{steps}|<why", with words as in sp_buffer_words(): the first of the table, and those that begin with
 * <, to the left, the others to the right. */
void sp_table_columns(sp_table *table, const char *names);
void sp_table_holds(sp_table *table, sp_column_holds what);    /* of the last column */
void sp_table_define(sp_table *table, const char *definition); /* of the last cell; static */
/* Adds a column and returns the buffer to write its name into, as sp_table_cell(). */
sp_buffer *sp_table_head(sp_table *table, sp_align align);

/* Adds an empty cell and returns the buffer to write its text into; the text ends where the next cell begins. Names go in as they
 * are: the renderers escape. */
sp_buffer *sp_table_cell(sp_table *table, sp_cell_tone tone);
void sp_table_cell_text(sp_table *table, sp_cell_tone tone, const char *text);
/* The text is a sentence of sp_buffer_say(). */
void sp_table_say(sp_table *table, sp_cell_tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sp_table_cell_count(sp_table *table, sp_cell_tone tone, int64_t n);

bool sp_table_failed(const sp_table *table);
size_t sp_table_rows(const sp_table *table); /* without the headers; 0 where the table has failed */
const char *sp_table_get(const sp_table *table, size_t row, int32_t column); /* row 0: headers */

typedef struct sp_text_style {
    int width;   /* columns of the terminal */
    bool colour; /* ANSI */
    bool ascii;
} sp_text_style;

/* Adds the text as it is, or in ASCII: dashes as "-", an ellipsis as "~", anything else as "?". */
void sp_text_plain(sp_buffer *out, const char *text, bool ascii);

/* How wide the columns of a table are in a terminal. */
typedef struct sp_text_fit {
    int *widths;
    bool *has_star;
    int total;
} sp_text_fit;
/* The first column shrinks to what `width` leaves it, but not below least_name. False: no memory. */
bool sp_table_fit(const sp_table *table, int width, int least_name, sp_text_fit *fit);
void sp_text_fit_free(sp_text_fit *fit);
void sp_table_text_row(const sp_table *table, const sp_text_fit *fit, const sp_text_style *style, size_t row,
                       sp_buffer *out);

/* Each renderer adds to the buffer; a table without rows adds nothing. In a terminal that is too narrow long names are cut, then
 * columns go on below, beside the first column again. */
void sp_table_text(const sp_table *table, const sp_text_style *style, sp_buffer *out);
void sp_table_markdown(const sp_table *table, sp_buffer *out);

/* A float with caption (the title) and label; `scope` goes before the title in the caption and may be NULL. (table_latex.c) */
void sp_table_latex(const sp_table *table, const char *label, const char *scope, sp_buffer *out);
/* Adds the text with everything that LaTeX would take for a command as a letter; dashes, ± and − as LaTeX writes them. */
void sp_buffer_latex(sp_buffer *out, const char *text);

/* A last column that only a page has: called with row 0 for the header cell, then 1.. for the others; adds a whole <th> or <td>.
 */
typedef struct sp_extra_column {
    void (*cell)(const void *arg, size_t row, sp_buffer *out);
    const void *arg;
} sp_extra_column;

/* classes: of the <table>; "tall" among them: the rows scroll below their headers. The first column is a row header. extra may be
 * NULL. */
void sp_table_html(const sp_table *table, const char *classes, const sp_extra_column *extra, sp_buffer *out);

#endif
