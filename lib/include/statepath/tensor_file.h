/* Files of named arrays (HDF5): the numbers of a trained network and what goes with them. One dataset an array, by name
 * ("/layer1/weight"); texts are attributes of the root; lists of names are datasets of strings. Numbers come back bit for bit.
 */
#ifndef STATEPATH_TENSOR_FILE_H
#define STATEPATH_TENSOR_FILE_H

#include <stdbool.h>

#include "statepath/file_access.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_tensor_type { SP_TENSOR_F32, SP_TENSOR_F64, SP_TENSOR_I64, SP_TENSOR_BOOL } sp_tensor_type;

/* SP_TENSOR_BOOL: uint8_t 0 or 1, stored as h5py and numpy store a bool; written only. */
enum { SP_TENSOR_RANK = 4 };

/* An array; borrows. */
typedef struct sp_tensor {
    const char *path; /* "/layer1/weight"; groups are made */
    sp_tensor_type type;
    int rank; /* 1 .. SP_TENSOR_RANK */
    int64_t dims[SP_TENSOR_RANK];
    const void *data; /* row-major */
} sp_tensor;

typedef struct sp_tensor_text {
    const char *key, *text;
} sp_tensor_text;

/* What goes into a file; borrows. */
typedef struct sp_tensors {
    int32_t n_tensors;
    const sp_tensor *tensors;
    int32_t n_texts;
    const sp_tensor_text *texts; /* attributes of the root */
    int32_t n_classes;
    const char *const *classes; /* /classes, or NULL */
} sp_tensors;

/* Writes a file, atomically: a reader, or a crash, sees the old file or the whole new one. `force` to replace.
 * SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_tensors_save(const sp_tensors *tensors, const char *file, bool force, sp_error *err);

typedef struct sp_tensor_file sp_tensor_file;

/* Opens for reading. The file must have been written by sp_tensors_save() with text `key` = `value`, which says what it is;
 * `mend` completes the sentence for one that was not ("make one with `statepath train`"). how: may be NULL. SP_OK, SP_EFILE,
 * SP_ENOMEM. */
sp_status sp_tensor_file_open(const char *file, const char *key, const char *value, const char *mend, const sp_file_access *how,
                              sp_tensor_file **out, sp_error *err);
void sp_tensor_file_close(sp_tensor_file *tensors);

/* Length of the first axis of an array, -1 where there is none of that name. */
int64_t sp_tensor_file_length(const sp_tensor_file *tensors, const char *path);
/* Reads an array of exactly this type, rank and shape into out (t->data is not looked at). SP_OK; SP_EFILE (missing, unreadable,
 * of another shape or type: names both). */
sp_status sp_tensor_file_read(const sp_tensor_file *tensors, const sp_tensor *t, void *out, sp_error *err);
/* A text; the caller frees it; NULL where there is none. SP_OK, SP_EFILE, SP_ENOMEM. */
sp_status sp_tensor_file_text(const sp_tensor_file *tensors, const char *key, char **text, sp_error *err);
/* The class names, [n], in one allocation: free(*classes). NULL and 0 where there are none. SP_OK, SP_EFILE, SP_EDATA, SP_ENOMEM.
 */
sp_status sp_tensor_file_classes(const sp_tensor_file *tensors, char ***classes, int64_t *n, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
