/* Tables whose cells are figures (evaluate/figures.h): which, and how each is shown, stands in
 * figure_columns.c. A figure that no strategy has is left out. */
#ifndef STATEPATH_REPORT_COLUMNS_H
#define STATEPATH_REPORT_COLUMNS_H

#include "evaluate/figures.h"
#include "report/write/table.h"

/* Tables of figures: with a row a strategy, but for SP_IN_ALL, which has a row a figure, and those of
 * other scopes. Their titles stand in report/document.c, or with their fillers. */
typedef enum sp_figure_table {
    SP_IN_NO_TABLE,
    SP_IN_NARROW, /* what decides, in a terminal, */
    SP_IN_WIDE,   /* in Markdown, */
    SP_IN_BOARD,  /* on the page */
    SP_IN_ALL,
    SP_IN_LEGALITY, /* for print, which has no room for all columns */
    SP_IN_AGREEMENT,
    SP_IN_RATES, /* illegal transitions */
    SP_IN_COUNTS,
    SP_IN_CHANGE_RATES,
    SP_IN_ERROR_RUNS,
    SP_IN_BOUNDARIES,
    SP_IN_ENTITIES,
    SP_IN_CHANGES, /* of a strategy, by class */
    SP_IN_CLASS_CHANGES,
    SP_IN_CLASSES,
    SP_IN_COLLAPSED,
    SP_IN_CALIBRATIONS,
    SP_N_FIGURE_TABLES
} sp_figure_table;

/* What stands in the cells of a column in place of the figure. */
typedef enum sp_figure_cell {
    SP_CELL_FIGURE,
    SP_CELL_AND_RATE, /* illegal transitions, and their share of all: "695 (3.93 %)" */
    SP_CELL_INTERVAL, /* of the figure, in per cent; the heading is "95 % interval" */
    SP_CELL_WORST,    /* the recording with most illegal transitions: "r04: 12" */
    SP_CELL_LONGEST,  /* where the longest run of an error is: "r04, 512" */
    SP_CELL_SHARE,    /* changes of class, of all transitions */
    SP_CELL_NET,      /* steps fixed less steps broken */
    SP_N_CELLS
} sp_figure_cell;

/* How a column differs from others. */
enum {
    SP_STAR = 1,           /* the best of all strategies, as shown, has a star where not all are the same */
    SP_DROP_ZERO = 2,      /* left out where no strategy has more than 0 */
    SP_DROP_UNDEFINED = 4, /* left out where it is undefined for all strategies */
    SP_WITH_SD = 8,        /* its standard deviation stands behind the value */
    SP_UNLABELLED = 16,    /* there without labels only */
};

typedef struct sp_figure_column {
    const char *key;     /* of the figure, in the scope of the table; NULL: the end of the list */
    const char *heading; /* NULL: the figure's label */
    uint8_t cell;        /* sp_figure_cell */
    uint8_t how;         /* SP_STAR | ... */
    uint8_t works;       /* bits 1 << sp_work for which it is there; 0: for all */
    int8_t decimals;     /* 0: the figure's */
} sp_figure_column;

/* The columns of each table, in order; figure_columns.c. */
extern const sp_figure_column *const sp_table_columns_of[];

typedef enum sp_reference_row { SP_NO_REFERENCE, SP_REFERENCE_FIRST, SP_REFERENCE_LAST } sp_reference_row;

/* One row a strategy that has any of the figures, and one for the reference where asked for and there is one; a figure that the
 * reference has not is "–". */
void sp_fill_columns(const sp_comparison *c, sp_figure_table in, sp_reference_row reference, sp_table *table);

/* The same with a row a figure, and a column for the reference (where there is one) and each strategy. */
void sp_fill_figure_rows(const sp_comparison *c, sp_figure_table in, sp_table *table);

/* Heads and one row of figures of another scope, all columns; the caller has written the heads and cells before them. */
void sp_add_heads(const sp_comparison *c, sp_figure_scope scope, sp_figure_table in, sp_table *table);
void sp_add_figures(sp_figure_scope scope, sp_figure_table in, const sp_figure_owner *owner, sp_table *table);

#endif
