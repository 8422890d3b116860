/* Tables whose cells are figures: a column (or row) names the figure, the table of figures (evaluate/figures.c) says where it
 * stands, how it is shown and what it needs. A figure that no strategy has is left out. */
#ifndef STATEPATH_REPORT_COLUMNS_H
#define STATEPATH_REPORT_COLUMNS_H

#include "evaluate/figures.h"
#include "report/write/table.h"

/* How a column differs from others. */
enum {
    SP_STAR = 1,           /* the best of all strategies, as shown, has a star where not all are the same */
    SP_DROP_ZERO = 2,      /* left out where no strategy has more than 0 */
    SP_DROP_UNDEFINED = 4, /* left out where it is undefined for all strategies */
    SP_LEFT_COLUMN = 8,
    SP_LEVEL_HEADING = 16, /* the heading is "95 % interval" */
};

typedef struct sp_column {
    const char *key;     /* of the figure */
    const char *heading; /* NULL: the figure's label */
    int decimals;        /* 0: the figure's */
    int how;
    int works;             /* bits 1 << sp_work for which it is there; 0: for all */
    const char *sd;        /* key of a standard deviation that stands behind the value; NULL: none */
    sp_column_holds holds; /* for the page's script */
    /* Writes the cell in place of the figure; owner->strategy is NULL for the reference. */
    void (*cell)(const sp_figure_owner *owner, sp_table *table);
} sp_column;

/* What tags and actions are judged by, at the front of a table. */
#define SP_LEAD_COLUMNS                                                                                                          \
    {.key = "entity_f1", .heading = "entity F1", .how = SP_STAR, .works = 1 << SP_WORK_TAGS},                                    \
        {.key = "f1_at_10", .how = SP_STAR, .works = 1 << SP_WORK_ACTIONS},                                                      \
        {.key = "f1_at_25", .how = SP_STAR, .works = 1 << SP_WORK_ACTIONS},                                                      \
        {.key = "f1_at_50", .how = SP_STAR, .works = 1 << SP_WORK_ACTIONS},                                                      \
    {                                                                                                                            \
        .key = "edit_score", .heading = "edit", .decimals = 4, .how = SP_STAR, .works = 1 << SP_WORK_ACTIONS                     \
    }

/* columns_strategies.c; each ends with a key of NULL. */
extern const sp_column sp_columns_wide[], sp_columns_narrow[], sp_columns_legality[], sp_columns_agreement[],
    sp_columns_error_runs[], sp_columns_rates[], sp_columns_counts[], sp_columns_boundaries[], sp_columns_entities[];

#define SP_COLUMNS(columns) columns, sizeof columns / sizeof *columns

typedef enum sp_reference_row { SP_NO_REFERENCE, SP_REFERENCE_FIRST, SP_REFERENCE_LAST } sp_reference_row;

/* One row a strategy that has any of the figures, and one for the reference where asked for and there is one; a figure that the
 * reference has not is "–". At most 64 columns. */
void sp_fill_columns(const sp_comparison *c, const sp_column *columns, size_t n, sp_reference_row reference, sp_table *table);

/* The same with a row a figure, and a column for the reference (where there is one) and each strategy. */
void sp_fill_figure_rows(const sp_comparison *c, const sp_column *columns, size_t n, sp_table *table);

/* Heads and one row of figures of another scope, all columns; the caller has written the heads and cells before them. */
void sp_add_heads(const sp_comparison *c, sp_figure_scope scope, const sp_column *columns, size_t n, sp_table *table);
void sp_add_figures(sp_figure_scope scope, const sp_figure_owner *owner, const sp_column *columns, size_t n, sp_table *table);

#endif
