/* Names of raters, as arrays beside the labels tell them: X of labels_X. Private to io/. */
#ifndef STATEPATH_IO_RATERS_H
#define STATEPATH_IO_RATERS_H

#include <stddef.h>

#include "statepath/files.h"

#define SP_RATER_PREFIX "labels_"

/* {0} holds none. */
typedef struct sp_rater_names {
    int32_t n;
    char *names[SP_SOURCE_MAX_RATERS];
} sp_rater_names;

/* The X of "labels_X" or "labels_X/...", with its length; NULL: it is not called so. Borrowed. */
const char *sp_rater_of(const char *name, size_t *length);

/* Adds a name, unless it is there. SP_OK; SP_EDATA (too many; `file` begins the sentence), SP_ENOMEM. */
sp_status sp_rater_names_add(sp_rater_names *to, const char *name, size_t length, const char *file,
                             sp_error *err);

/* By bytes, ascending. */
void sp_rater_names_sort(sp_rater_names *names);

/* Takes name i out; those behind it move up. */
void sp_rater_names_drop(sp_rater_names *names, int32_t i);

void sp_rater_names_clear(sp_rater_names *names);

#endif
