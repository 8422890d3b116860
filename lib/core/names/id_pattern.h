/* Patterns of names: {id} stands for the recording, * for what differs beside it. Not installed. */
#ifndef STATEPATH_CORE_ID_PATTERN_H
#define STATEPATH_CORE_ID_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statepath/status.h"

#define SP_ID_HOLE "{id}"

/* What stands for {id} in a name: `length` letters from `first` on. Neither {id} nor * stands for a slash;
 * * may be empty. Of several ways the one with the longest id, the first of these. False: the pattern does
 * not give the name. O(n^2) for n letters. */
bool sp_id_find(const char *pattern, const char *name, size_t *first, size_t *length);

/* ---- ids of the same recordings that two places write in two ways ---- */

/* Ids [n] of one place. */
typedef struct sp_ids {
    int64_t n;
    const char *const *ids;
} sp_ids;

/* In what ids may differ that are otherwise equal. */
enum { SP_IDS_CASE = 1, SP_IDS_ZEROS = 2 /* leading zeros of numbers */ };

/* How many ids of the smaller place are one of the other, but for that: all, one to one, or 0. *pair: the
 * first two that differ. SP_OK, SP_ENOMEM. */
sp_status sp_ids_alike(const sp_ids *a, const sp_ids *b, unsigned differ, int64_t *n, const char *pair[2],
                       sp_error *err);

enum { SP_ID_PATTERN = 256 };
typedef struct sp_id_patterns {
    int64_t
        n; /* ids of the smaller place, each of which is one of the other by these patterns; 0: none found */
    char a[SP_ID_PATTERN], b[SP_ID_PATTERN];
} sp_id_patterns;

/* Patterns of both places that make their ids equal, from the longest part that ids share, such as
 * {id}E0_PRED and {id}E*-Hypnogram. They give every id of both. SP_OK, SP_ENOMEM. */
sp_status sp_id_patterns_find(const sp_ids *a, const sp_ids *b, sp_id_patterns *out, sp_error *err);

#endif
