/* What MATLAB's files hold, as arrays of stored.h: numbers, characters, cells of both. Numbers come to memory as rows (MATLAB
 * stores columns), so that a matrix of steps by classes is one here. Private to io/.
 *
 *   [T,1], [1,T]      one dimension, but of what is called log_probs, probs, logits or scores
 *   characters [n,L]  n texts, without the blanks at their ends
 *   cells             of texts: one array of them; of numbers: an array each, called NAME/1, NAME/2 ...
 */
#ifndef STATEPATH_IO_MAT_ARRAYS_H
#define STATEPATH_IO_MAT_ARRAYS_H

#include "io/arrays/stored.h"

enum { SP_MAT_RANK = SP_STORED_RANK };

/* The type of MATLAB's class: "double" or "single", else whole numbers, which come as int64. */
typedef struct sp_mat_shape {
    int rank;                  /* at least 2, as MATLAB has it */
    int64_t dims[SP_MAT_RANK]; /* not negative */
    int64_t count;             /* their product */
} sp_mat_shape;

/* Makes an array of `count` values in MATLAB's order: doubles, floats or int64 by `element`. type: of MATLAB, for messages.
 * SP_OK, SP_ENOMEM. */
sp_status sp_mat_numbers(const sp_mat_shape *shape, const sp_element *element, const void *values,
                         const char *type, sp_stored *out, sp_error *err);

/* The same of characters, UTF-32 in this machine's order. */
sp_status sp_mat_texts(const sp_mat_shape *shape, const uint32_t *letters, sp_stored *out, sp_error *err);

/* Adds an array to the file under that name, and takes over what it holds, also on failure. SP_OK, SP_ENOMEM; SP_EDATA (there are
 * more than the file's bytes can hold). */
sp_status sp_mat_add(sp_stored_file *f, const char *name, sp_stored *array, sp_error *err);

/* The same of a cell, which is called NAME/NUMBER. */
sp_status sp_mat_add_cell(sp_stored_file *f, const char *name, int64_t number, sp_stored *array,
                          sp_error *err);

/* The last n arrays of the file, all cells of `name`, become one array of texts where each is one text. SP_OK, SP_ENOMEM. */
sp_status sp_mat_join_texts(sp_stored_file *f, const char *name, int64_t n, sp_error *err);

/* All are there: makes their index. SP_OK, SP_EDATA (there are none), SP_ENOMEM. */
sp_status sp_mat_end(sp_stored_file *f, sp_error *err);

#endif
