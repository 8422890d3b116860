/* Right steps of two strategies in recordings of unequal length, whose differences are skewed. */
#ifndef TEST_SKEWED_SAMPLE_H
#define TEST_SKEWED_SAMPLE_H

#include <stdint.h>

static inline uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Unequal recordings, of which strategy b loses some steps in a skewed way. */
static inline void skewed_sample(int n, uint64_t *seed, int64_t *a, int64_t *b, int64_t *scored)
{
    for (int i = 0; i < n; i++) {
        scored[i] = 60 + (int64_t)(next(seed) % 80);
        a[i] = scored[i] - (int64_t)(next(seed) % 20);
        int64_t loss = (int64_t)(next(seed) % 12);
        b[i] = a[i] - loss * loss / 6 + 2 < scored[i] ? a[i] - loss * loss / 6 + 2 : scored[i];
    }
}

#endif
