/* Names: found, in order, and listed in sentences; what is near a name stands in statepath/status.h. Not installed. */
#ifndef STATEPATH_CORE_NAMES_H
#define STATEPATH_CORE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "statepath/status.h"

/* ---- a small map from names to numbers ----
 *
 * So that thousands of classes are looked up without walking them all. Open addressing, FNV-1a. Names are borrowed. (POSIX
 * hsearch has one table for the whole process.) */
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

/* Which of n names these letters are, by walking them; -1: none. */
int32_t sp_name_find(const char *letters, size_t n_letters, int32_t n, const char *const *names);

/* ---- natural order: runs of digits compare as numbers of any length, so "n2" stands before "n10" ---- */

/* < 0, 0, > 0. Everything but digits compares by bytes; names whose numbers are equal ("a1", "a01") compare by bytes at the
 * end, so 0 means equal strings: a total order. */
int sp_natural_compare(const char *a, const char *b);

/* Sorts names in place. O(n log n). */
void sp_natural_sort(char **names, int64_t n);

/* ---- lists in sentences ---- */

/* "Wake, N1, N2 and 1897 more" into out, cut so that it fits. Returns out. */
char *sp_name_list(char *out, size_t size, int32_t n, const char *const *names);

#endif
