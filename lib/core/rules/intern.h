/* Numbers for keys: strings of bytes, each of which gets the next number when it is first seen. Not installed. */
#ifndef STATEPATH_CORE_INTERN_H
#define STATEPATH_CORE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sp_intern {
    int32_t n;     /* keys so far */
    size_t *begin; /* [n+1] of each in bytes */
    char *bytes;
    int32_t *slots;  /* [n_slots] numbers, -1: free */
    int64_t n_slots; /* a power of two */
    size_t n_bytes, byte_room;
    int32_t room;
    bool is_short; /* memory lacked: numbers are -1 from then on */
} sp_intern;

/* {0} knows no key. The number of a key; -1 on lack of memory. The first key is 0. */
int32_t sp_intern_add(sp_intern *intern, const void *key, size_t size);
const void *sp_intern_key(const sp_intern *intern, int32_t number, size_t *size);
void sp_intern_clear(sp_intern *intern);

#endif
