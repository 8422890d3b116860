/* Tables whose cells are figures. The row of a figure (evaluate/figures.c) says in which tables it stands, as which column, and how it is
 * shown there. A figure that no strategy has is left out. */
#ifndef STATEPATH_REPORT_COLUMNS_H
#define STATEPATH_REPORT_COLUMNS_H

#include "evaluate/figures.h"
#include "report/write/table.h"

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
