/* Other programs' formats that are known by their first bytes and not read; functions for rows of the table (format.h). Private
 * to io/. */
#ifndef STATEPATH_IO_FOREIGN_H
#define STATEPATH_IO_FOREIGN_H

#include "io/format.h"

bool sp_is_npz(const char *file, const sp_request *request, const unsigned char *head, size_t n);
bool sp_is_torch(const char *file, const sp_request *request, const unsigned char *head, size_t n);
bool sp_is_pickle(const char *file, const sp_request *request, const unsigned char *head, size_t n);
bool sp_is_model(const char *file, const sp_request *request, const unsigned char *head, size_t n); /* of statepath */
bool sp_is_json(const char *file, const sp_request *request, const unsigned char *head, size_t n);
bool sp_is_table(const char *file, const sp_request *request, const unsigned char *head, size_t n); /* text with columns */
bool sp_is_text(const char *file, const sp_request *request, const unsigned char *head, size_t n);

/* How such a file becomes HDF5: the command that does it. */
void sp_mend_npz(const char *file, const unsigned char *head, size_t n, char *out, size_t size);
void sp_mend_npy(const char *file, const unsigned char *head, size_t n, char *out, size_t size);
void sp_mend_matlab(const char *file, const unsigned char *head, size_t n, char *out, size_t size);

#endif
