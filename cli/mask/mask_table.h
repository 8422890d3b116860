/* Small tables of numbers on the terminal, for statepath mask. They are printed when the work is done: an error leaves nothing on
 * standard output. */
#ifndef STATEPATH_CLI_MASK_TABLE_H
#define STATEPATH_CLI_MASK_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "statepath.h"

typedef enum cell_form {
    CELL_SHARE, /* 0.7210; an exact 0 is "0" */
    CELL_NUMBER /* -0.5, -inf */
} cell_form;

typedef struct mask_table {
    FILE *to;
    char *text;
    size_t size;
    int64_t n_rows; /* rows given; those after the first 20 are only counted */
} mask_table;

/* SP_OK; SP_ENOMEM. */
sp_status table_open(mask_table *table, sp_error *err);
/* Prints what was written, or nothing after an error; frees the table. Returns the status, or SP_ENOMEM. */
sp_status table_close(mask_table *table, sp_status status, sp_error *err);

/* A heading, and whether rows are counted from here anew. */
void table_title(mask_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The next row is to be printed. */
bool table_has_room(const mask_table *table);
/* A word or a number at the right of its column; a row is ended by table_end(). */
void table_word(mask_table *table, const char *word);
void table_cell(mask_table *table, cell_form form, double x);
/* Numbers of a row, or "..." after the first that fit. */
void table_cells(mask_table *table, cell_form form, const double *x, int64_t n);
/* How many columns table_cells() shows. */
int64_t table_columns(int64_t n);
void table_end(mask_table *table);
/* "... 1980 more rows" where there were more, and how to have them all. */
void table_rest(mask_table *table);

#endif
