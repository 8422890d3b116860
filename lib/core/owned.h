/* Memory that is freed together: the arrays of one object, or those that a function needs while it runs. Not installed.
 *
 *     sp_owned own = {0};
 *     double *sums = sp_zeros(&own, n, sizeof *sums);
 *     int64_t *counts = sp_zeros(&own, K * K, sizeof *counts);
 *     sp_status status = sp_owned_status(&own, err);
 *     ...
 *     sp_owned_free(&own);
 */
#ifndef STATEPATH_CORE_OWNED_H
#define STATEPATH_CORE_OWNED_H

#include <stdbool.h>
#include <stddef.h>

#include <stdint.h>
#include <stdlib.h>

#include "statepath/status.h"

/* `old` with room for n items of `size`, or `old` itself and *is_whole false on lack of memory, also of an array before. */
static inline void *sp_grown(void *old, int64_t n, size_t size, bool *is_whole)
{
    void *bigger = *is_whole ? realloc(old, (size_t)n * size) : NULL;
    *is_whole = bigger != NULL;
    return bigger ? bigger : old;
}

/* calloc that never asks for nothing, so that NULL always means lack of memory. */
static inline void *sp_calloc(int64_t n, size_t size)
{
    return calloc((size_t)(n > 0 ? n : 1), size);
}

/* Room for one item more behind n: the array doubles where n is a power of two, or 0, and stays as it is elsewhere. *is_whole as above. */
static inline void *sp_room_for_one(void *old, int64_t n, size_t size, bool *is_whole)
{
    return (n & (n - 1)) == 0 ? sp_grown(old, n ? 2 * n : 1, size, is_whole) : old;
}

/* {0} owns nothing. */
typedef struct sp_owned {
    struct sp_owned_array *last;
    bool is_short; /* some array was refused */
} sp_owned;

/* n items of `size` bytes, all 0; at least one item, so that NULL always means lack of memory. */
void *sp_zeros(sp_owned *owned, size_t n, size_t size);

/* A copy of a string. `text` NULL: NULL. */
char *sp_owned_text(sp_owned *owned, const char *text);

/* SP_ENOMEM if an array was refused since the last sp_owned_free(); none of the arrays may be used then. */
sp_status sp_owned_status(const sp_owned *owned, sp_error *err);

/* Frees all arrays; `owned` is {0} afterwards. */
void sp_owned_free(sp_owned *owned);

#endif
