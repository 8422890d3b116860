/* A small map from names to numbers, so that thousands of classes are looked up without walking them all; not installed.
 *
 * Open addressing, FNV-1a. Names are borrowed. (POSIX hsearch has one table for the whole process.) */
#ifndef STATEPATH_CORE_NAMES_H
#define STATEPATH_CORE_NAMES_H

#include <stdint.h>

#include "statepath/status.h"

typedef struct sp_names {
    int64_t n_slots; /* a power of two, at least twice the names it was made for */
    const char **name;
    int32_t *value;
} sp_names;

/* Room for n names. SP_OK or SP_ENOMEM. */
sp_status sp_names_init(sp_names *names, int64_t n);
void sp_names_clear(sp_names *names);

/* Adds a name with its number, unless it is there; returns the number that the name has now. */
int32_t sp_names_add(sp_names *names, const char *name, int32_t value);
/* Number of a name, or -1. */
int32_t sp_names_find(const sp_names *names, const char *name);

#endif
