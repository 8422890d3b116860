/* The tables of a report in their order, the page's. A new table needs its filler and its row in document.c. */
#ifndef STATEPATH_REPORT_DOCUMENT_H
#define STATEPATH_REPORT_DOCUMENT_H

#include "report/tables/columns.h"
#include "report/tables/tables.h"

enum {
    SP_TERMINAL = 1,
    SP_VERBOSE = 2, /* a terminal with --verbose */
    SP_MARKDOWN = 4,
    SP_LATEX = 8,
    SP_PAGE = 16 /* the page, where a section asks for it (sp_page_document) */
};

typedef enum sp_document_kind {
    SP_A_TABLE,
    SP_A_TABLE_EACH, /* one for each strategy, under titles that begin with its name */
    SP_MATRICES,     /* one for each strategy, under one title */
    SP_SENTENCES
} sp_document_kind;

typedef struct sp_document_row {
    const char *key;   /* unique where it is shown; label in LaTeX */
    const char *title; /* of the table, or in place of the title that its filler sets; "": none */
    sp_filler *fill;   /* NULL: a table of columns */
    int where;
    sp_figure_table columns; /* figures, a row a strategy; SP_IN_NO_TABLE: a filler */
    sp_reference_row reference;
    bool is_scored;      /* there only where steps have a reference */
    const char *classes; /* of the page's table */
    sp_noter *note;      /* stands under the table; NULL: nothing */
    sp_document_kind kind;
    const char *metric;
    int most_rows[3]; /* in a terminal without --verbose, Markdown, LaTeX; 0: all */
} sp_document_row;

/* The row of this key that the page shows; never NULL for a key of the table. */
const sp_document_row *sp_document_find(const char *key);

/* How a writer shows a table: all that differs between writers. The table has rows. */
typedef struct sp_document_writer {
    int where;
    sp_fill_options options;
    int rows_index; /* of most_rows; -1: all rows */
    void (*table)(void *arg, const sp_document_row *row, int32_t strategy,
                  const sp_table *table); /* strategy -1: of none */
    void (*note)(void *arg, const char *line);
    void (*sentences)(void *arg, const sp_document_row *row, const sp_table *lines);
    void (*matrices)(void *arg, const sp_document_row *row, const sp_table *tables, int32_t n);
    void *arg;
} sp_document_writer;

/* Walks the rows that the writer shows and the comparison has. False: no memory. */
bool sp_document_write(const sp_comparison *c, const sp_document_writer *writer);

/* Fills the table of a row. */
void sp_document_fill(const sp_document_row *row, const sp_comparison *c, const sp_fill_options *options,
                      sp_table *table);

/* The title of a table: the row's or its own. */
const char *sp_document_title(const sp_document_row *row, const sp_table *table);

#endif
