/* Random numbers for resampling: as many independent streams as there are resamples, so that any thread can draw any of them.
 *
 * Stream s of a seed is xoshiro256++ in four lanes (Blackman and Vigna 2021, doi:10.1145/3460772), whose 16 words come from
 * stream s of SplitMix64 (core/random_mix.h). Two streams of a period of 2^256 do not meet in practice. GSL's generators are a call a
 * number, and seeding 10,000 of its Mersenne Twisters takes longer than drawing.
 */
#ifndef EVALUATE_RANDOM_H
#define EVALUATE_RANDOM_H

#include <stdint.h>
#include <string.h>

#include "core/random_mix.h"

enum { RANDOM_LANES = 4 };

typedef struct random_stream {
    uint64_t s[4][RANDOM_LANES];
} random_stream;

static inline random_stream random_open(uint64_t seed, uint64_t stream)
{
    random_stream out;
    const uint64_t start = sp_random_start(seed, stream);
    for (uint64_t i = 0; i < 4; i++)
        for (uint64_t lane = 0; lane < RANDOM_LANES; lane++)
            out.s[i][lane] = sp_random_at(start, i * RANDOM_LANES + lane);
    return out;
}

/* The next number of each lane. Written for the compiler to do all lanes at once. */
static inline __attribute__((always_inline)) void random_next(random_stream *r, uint64_t *restrict out)
{
    for (int l = 0; l < RANDOM_LANES; l++) {
        uint64_t sum = r->s[0][l] + r->s[3][l], t = r->s[1][l] << 17;
        out[l] = (sum << 23 | sum >> 41) + r->s[0][l];
        r->s[2][l] ^= r->s[0][l];
        r->s[3][l] ^= r->s[1][l];
        r->s[1][l] ^= r->s[2][l];
        r->s[0][l] ^= r->s[3][l];
        r->s[2][l] ^= t;
        r->s[3][l] = r->s[3][l] << 45 | r->s[3][l] >> 19;
    }
}

enum { RANDOM_PIECE = 256 };

/* `count` numbers, 1 to RANDOM_PIECE, uniform on 0..n-1, 1 <= n < 2^32, without bias: 32 bits times n, the high half is the
 * number, and the few products whose low half is below 2^32 mod n are passed over (Lemire 2019, doi:10.1145/3230636). out: room
 * for RANDOM_PIECE. */
static inline __attribute__((always_inline)) void random_below(random_stream *r, uint32_t n, int count,
                                                               uint32_t *restrict out)
{
    const uint32_t threshold = (uint32_t)-n % n;
    uint64_t word[RANDOM_PIECE / 2];
    uint32_t low[RANDOM_PIECE], number[RANDOM_PIECE];
    for (int kept = 0; kept < count;) {
        int words = ((count - kept + 1) / 2 + RANDOM_LANES - 1) / RANDOM_LANES * RANDOM_LANES, n_rejected = 0;
        for (int i = 0; i < words; i += RANDOM_LANES)
            random_next(r, word + i);
        for (int i = 0; i < words; i++) {
            uint64_t first = (word[i] & UINT32_MAX) * n, second = (word[i] >> 32) * n;
            low[i] = (uint32_t)first;
            low[words + i] = (uint32_t)second;
            number[i] = (uint32_t)(first >> 32);
            number[words + i] = (uint32_t)(second >> 32);
            n_rejected += (low[i] < threshold) + (low[words + i] < threshold);
        }
        int wanted = count - kept < 2 * words ? count - kept : 2 * words;
        if (n_rejected == 0) {
            memcpy(out + kept, number, (size_t)wanted * sizeof *out);
            kept += wanted;
        }
        for (int i = 0; n_rejected > 0 && i < 2 * words && kept < count; i++)
            if (low[i] >= threshold)
                out[kept++] = number[i];
    }
}

#endif
