/* Are rows what their kind says? For sp_prepare(); not installed. */
#ifndef STATEPATH_ROW_CHECK_H
#define STATEPATH_ROW_CHECK_H

#include "statepath/scores.h"

/* True when `count` rows of K numbers certainly are: no NaN, no +INFINITY, sums inside the tolerance.
 * False says nothing: ask sp_row_check() for each. Cheap, because every file goes through it. */
bool sp_rows_are_plain(const void *rows, sp_dtype dtype, int32_t n_classes, sp_kind kind, int64_t count);

/* The judgement on one row: SP_OK, with *is_missing when it holds a NaN and missing_uniform is set; else
 * SP_EDATA with the sentence. */
sp_status sp_row_check(const sp_block *block, const sp_prepare_options *options, int64_t row,
                       bool *is_missing, sp_error *err);

#endif
