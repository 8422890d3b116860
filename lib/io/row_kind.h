/* What the rows of scores look like where no name says it. Private to io/. */
#ifndef STATEPATH_IO_ROW_KIND_H
#define STATEPATH_IO_ROW_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/scores.h"

enum { SP_ROW_KIND_ROWS = 64 /* so many rows are looked at */ };

typedef enum sp_row_kind {
    SP_ROW_SILENT, /* no row says anything: each has a NaN, or all is impossible */
    SP_ROW_PROBS,
    SP_ROW_LOG_PROBS,
    SP_ROW_OTHER
} sp_row_kind;

/* Kind of the first of n rows [n_classes] that says something. Value k of row t is values[t * row + k * column]. */
sp_row_kind sp_row_kind_of(const double *values, int64_t n, int64_t n_classes, int64_t row, int64_t column);

/* Do all of n rows [n_classes] lie in 0 .. total and sum to it, within the tolerance? total 1: probabilities, 100: per cent. Rows with a NaN
 * say nothing; false where no row says anything. */
bool sp_rows_sum_to(const double *values, int64_t n, int64_t n_classes, double total);

/* The kind of scores whose rows are so; false where that does not say it. */
bool sp_row_kind_known(sp_row_kind rows, sp_kind *kind);

#endif
