/* Other programs' formats that are known by their first bytes and not read; functions for rows of the table (format.h). Private
 * to io/. */
#ifndef STATEPATH_IO_FOREIGN_H
#define STATEPATH_IO_FOREIGN_H

#include "io/format.h"

bool sp_is_npz(const sp_file_look *look);
bool sp_is_torch(const sp_file_look *look);
bool sp_is_safetensors(const sp_file_look *look);
bool sp_is_pickle(const sp_file_look *look);
bool sp_is_model(const sp_file_look *look); /* of statepath */
bool sp_is_json(const sp_file_look *look);
bool sp_is_xml(const sp_file_look *look);
bool sp_is_table(const sp_file_look *look);        /* text with columns */
bool sp_is_titled_table(const sp_file_look *look); /* the same, below lines without columns */
bool sp_is_text(const sp_file_look *look);
bool sp_is_mat4(const sp_file_look *look);
bool sp_is_excel(const sp_file_look *look); /* .xlsx or .xls */
bool sp_is_rds(const sp_file_look *look);
bool sp_is_r(const sp_file_look *look); /* .RData */
bool sp_is_tar(const sp_file_look *look);
bool sp_is_utf16(const sp_file_look *look);
bool sp_is_html(const sp_file_look *look);

/* How such a file becomes one that is read: the row's text, with the file's name for {name}, without its
 * ending for {stem}, the endings of labels as text for {texts}, the first line with columns for {line}. */
void sp_mend(const char *how, const sp_file_look *look, char *out, size_t size);
/* How it becomes a dataset of HDF5; python: of its row (format.h), or NULL. */
void sp_mend_as_h5(const sp_file_look *look, const char *python, const char *dataset, char *out, size_t size);

#endif
