/* Arrays of sequences for statepath mask padding, causal, attention and loss: reading them, and writing results. */
#ifndef STATEPATH_CLI_MASK_ARRAYS_H
#define STATEPATH_CLI_MASK_ARRAYS_H

#include "mask/mask_table.h"
#include "options.h"
#include "statepath/signals_file.h"

/* ---- lengths ---- */

/* "3,5,4" rather than the name of a file. */
bool word_is_list(const char *word);
sp_status lengths_parse(const char *word, sp_array *out, sp_error *err);
/* Lengths of the word, or of its file, which must have them. SP_OK, SP_EINVAL, SP_EFILE, SP_EDATA, SP_ENOMEM. */
sp_status lengths_read(const char *word, const options *o, sp_array *out, sp_error *err);
/* SP_EDATA where they are no [N]. */
sp_status lengths_check(const char *file, const options *o, const sp_array *lengths, sp_error *err);
/* T: --steps, or the longest. */
int64_t steps_of(const options *o, const sp_array *lengths);

/* ---- arrays ---- */

/* mend: completes the sentence of a dataset that is missing. */
sp_status array_read(const char *file, const char *path, sp_array_type type, const options *o,
                     const char *mend, sp_array *out, sp_error *err);
/* The dataset that an option names, or else the one of the usual name where the file has it; else out stays without data. */
sp_status array_read_optional(const char *file, const char *given, const char *usual, sp_array_type type,
                              const options *o, sp_array *out, sp_error *err);
/* The name that is given, or the usual one. */
const char *or_usual(const char *given, const char *usual);

/* "[3, 5]"; returns text. */
char *shape_text(const sp_array *a, char text[100]);
/* Returns SP_EDATA; `wanted` is the shape in letters, for the message. */
sp_status shape_wrong(const char *file, const char *path, const sp_array *a, const char *wanted,
                      sp_error *err);
/* SP_EDATA where a result of a x b x c values would be too large. */
sp_status size_check(int64_t a, int64_t b, int64_t c, sp_error *err);

/* Of `count` values; the caller frees it. NULL on lack of memory. */
void *room(int64_t count, size_t size);
double *as_numbers(const uint8_t *mask, int64_t count);

/* ---- results ---- */

/* Writes -o's file. */
sp_status tensors_write(const options *o, const sp_tensor *tensors, int32_t n, sp_error *err);
/* Rows [n,width], the first column of words from 0. */
void table_rows(mask_table *t, cell_form form, const char *what, const double *x, int64_t n, int64_t width);

#endif
