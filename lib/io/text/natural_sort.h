/* Natural order of names: runs of digits compare as numbers of any length, so "n2" stands before "n10". */
#ifndef STATEPATH_IO_NATURAL_H
#define STATEPATH_IO_NATURAL_H

#include <stddef.h>
#include <stdint.h>

/* < 0, 0, > 0. Everything but digits compares by bytes; names whose numbers are equal ("a1", "a01") compare by bytes at the
 * end, so 0 means equal strings: a total order. */
int sp_natural_compare(const char *a, const char *b);

/* Sorts names in place. O(n log n). */
void sp_natural_sort(char **names, int64_t n);

#endif
