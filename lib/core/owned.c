#include "core/owned.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct sp_owned_array {
    struct sp_owned_array *before;
    max_align_t data[];
} sp_owned_array;

void *sp_zeros(sp_owned *owned, size_t n, size_t size)
{
    n = n ? n : 1;
    bool fits = n <= (SIZE_MAX - sizeof(sp_owned_array)) / size;
    sp_owned_array *array = fits && !owned->is_short ? calloc(1, sizeof *array + n * size) : NULL;
    if (!array) {
        owned->is_short = true;
        return NULL;
    }
    array->before = owned->last;
    owned->last = array;
    return array->data;
}

char *sp_owned_text(sp_owned *owned, const char *text)
{
    size_t n = text ? strlen(text) + 1 : 0;
    char *copy = text ? sp_zeros(owned, n, 1) : NULL;
    return copy ? memcpy(copy, text, n) : NULL;
}

sp_status sp_owned_status(const sp_owned *owned, sp_error *err)
{
    return owned->is_short ? sp_no_memory(err) : SP_OK;
}

void sp_owned_free(sp_owned *owned)
{
    while (owned->last) {
        sp_owned_array *array = owned->last;
        owned->last = array->before;
        free(array);
    }
    owned->is_short = false;
}
