/* SplitMix64: streams of random numbers, each number of which can be had without those before it. Not installed.
 *
 * Number i of a stream is mix(start + (i + 1) golden). Source  Steele, Lea, Flood 2014, doi:10.1145/2714064.
 */
#ifndef STATEPATH_CORE_RANDOM_MIX_H
#define STATEPATH_CORE_RANDOM_MIX_H

#include <stdint.h>

static inline uint64_t sp_random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Where stream `stream` of a seed starts. A start may be the seed of further streams. */
static inline uint64_t sp_random_start(uint64_t seed, uint64_t stream)
{
    return sp_random_mix(sp_random_mix(seed) + stream);
}

/* Number i of the stream that starts there. */
static inline uint64_t sp_random_at(uint64_t start, uint64_t i)
{
    return sp_random_mix(start + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* The same as a multiple of 2^-53 in [0,1). */
static inline double sp_random_unit_at(uint64_t start, uint64_t i)
{
    return (double)(sp_random_at(start, i) >> 11) * 0x1p-53;
}

#endif
