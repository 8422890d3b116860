/* Names of files; what sp_file_list_new() (files.h) and its callers share. Private to io/. */
#ifndef STATEPATH_IO_FILE_LIST_H
#define STATEPATH_IO_FILE_LIST_H

#include <stdbool.h>

/* A pattern with {id} that is not itself the name of a file. */
bool sp_file_is_pattern(const char *file);

#endif
