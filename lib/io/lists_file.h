/* A file of lists with names: whole numbers, float64, texts. In HDF5: a dataset of one dimension each, whole numbers in the
 * smallest type that holds all of them. Not installed. */
#ifndef STATEPATH_IO_LISTS_FILE_H
#define STATEPATH_IO_LISTS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/text/texts.h"
#include "statepath/status.h"

typedef enum sp_list_kind { SP_LIST_WHOLE, SP_LIST_REAL, SP_LIST_TEXT } sp_list_kind;

typedef struct sp_list {
    const char *name; /* "counts" */
    sp_list_kind kind;
    int64_t n;
    const int64_t *numbers;   /* [n] of REAL the bits of float64 */
    const char *const *texts; /* [n] of TEXT; none is longer than a gigabyte */
} sp_list;

/* Writes it aside and renames it. `version` is that of the kind of file. SP_OK; SP_EFILE, SP_ENOMEM, as all outputs. */
sp_status sp_lists_save(const char *file, bool force, const char *kind, int version, int64_t n, const sp_list *lists,
                        sp_error *err);

typedef struct sp_lists sp_lists;

/* Opens such a file of that kind and version. SP_OK; SP_EFILE (also: of another kind), SP_EDATA (of another version), SP_ENOMEM.
 */
sp_status sp_lists_open(const char *file, const char *kind, int version, sp_lists **out, sp_error *err);
void sp_lists_close(sp_lists *lists); /* NULL is fine */

/* The caller frees what is read. Whole numbers come in integers of *width bytes, 1, 2, 4 or 8, as the file has them. SP_OK;
 * SP_EFILE (missing, damaged), SP_EDATA (of another kind), SP_ENOMEM. */
sp_status sp_lists_numbers(const sp_lists *lists, const char *name, sp_list_kind kind, void **numbers, int *width, int64_t *n,
                           sp_error *err);
sp_status sp_lists_texts(const sp_lists *lists, const char *name, sp_texts *texts, int64_t *n, sp_error *err);

#endif
