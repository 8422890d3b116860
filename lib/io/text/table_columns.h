/* Columns that tables in text know by their names, whatever stands in the table: scores, labels or paths. Private to io/. */
#ifndef STATEPATH_IO_TABLE_COLUMNS_H
#define STATEPATH_IO_TABLE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/owned.h"
#include "statepath/status.h"

/* What a column says of the step of its row. */
typedef enum sp_column_role {
    SP_COLUMN_OTHER, /* no known name: in a table of scores a class */
    SP_COLUMN_RECORDING,
    SP_COLUMN_STEP,
    SP_COLUMN_LABEL,
    SP_COLUMN_SEGMENT,
    SP_COLUMN_WEIGHT,
    SP_COLUMN_DECIDED, /* class, stage, prediction ...: a class, of which a table of scores does not say who decided it */
    SP_COLUMN_INDEX, /* without name, "index" or "Unnamed: 0": numbers of rows as pandas writes them */
    SP_COLUMN_TIME,  /* passed over */
    SP_N_COLUMN_ROLES
} sp_column_role;

/* By a name in any case. */
sp_column_role sp_column_role_of(const char *name);

/* The names that are known, for a sentence: "recording, step, epoch, ...". */
extern const char sp_known_columns[];

/* ---- what is at fault in a table, and what to do: ends of sentences ---- */

enum { SP_COLUMN_SENTENCE = 500 };

/* Of a column `name` of a table of scores that is none of a class and holds `cell`. is_label: that is a
 * class, or its number; classes [n]: the columns that are scores. */
void sp_column_mend(const char *name, const char *cell, bool is_label, const char *const *classes, int32_t n,
                    char text[SP_COLUMN_SENTENCE]);

/* Of a line that begins with a cell: "; a comment? delete the line", "; a line of totals? ..."; else "". */
const char *sp_line_mend(const char *cell);

/* Of the first line below the names, of n cells, which are not as many as the n_names: as R writes names of
 * rows, which count them, or with an empty one at its end; else "". */
const char *sp_cells_mend(int32_t n, int32_t n_names, const char *first, const char *last);

/* ---- rows in the order of their steps ---- */

/* Numbers of rows say the order that the rows had; other texts in the cell say nothing. *last: the number before, -1 at the
 * beginning. False, with what to do: the cell's is not above it. */
enum { SP_INDEX_SENTENCE = 240 };
bool sp_index_goes_on(const char *cell, int64_t *last, char sentence[SP_INDEX_SENTENCE]);

/* A row that says its step. */
typedef struct sp_stepped_row {
    int64_t recording, step, line;
} sp_stepped_row;

/* Where each row belongs. Steps count from 0 or from 1 in each recording, and each stands once; rows may be in any order.
 *   rows       [n_rows] of recordings 0..N-1; step -1: the next of its recording
 *   ids        [N] for sentences, or NULL
 *   offsets    [N+1] of the recordings' rows
 *   place      out [n_rows] from 0; *is_sorted: place[i] is i
 * SP_OK; SP_EDATA: a step twice, with both lines, or missing; SP_ENOMEM. */
sp_status sp_rows_in_order(const char *file, const sp_stepped_row *rows, int64_t n_rows,
                           const char *const *ids, const int64_t *offsets, int64_t n_recordings,
                           int64_t *place, bool *is_sorted, sp_error *err);

#endif
