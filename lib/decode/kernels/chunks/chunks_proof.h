/* Is a chunk of chunks.h what the plain kernel would have made of it? Not installed. */
#ifndef STATEPATH_DECODE_CHUNKS_PROOF_H
#define STATEPATH_DECODE_CHUNKS_PROOF_H

#include "decode/kernels/chunks/chunks.h"

/* The greatest power of two up to |x|, which is not 0 and finite. */
double sp_power_below(double x);

/* What the last bit of a double between this power of two and the next is worth. */
double sp_last_bit(double power);

/* The greatest of delta[K]. */
double sp_chunk_top(int32_t K, const double *delta);

/* What a chunk made of `arrive`, and what was true before its first step; all [n]. */
typedef struct sp_chunk_claim {
    int32_t n;
    const double *arrive, *leave; /* of the chunk: delta at the step before its first, and at its last */
    const double *delta;          /* the true one, at the step before */
    int64_t n_steps;
    double most; /* the greatest weight + the greatest score, 0 for each that is below */
} sp_chunk_claim;

/* Is the true delta at the last step leave[] + *shift, and was every choice on the way the true one? *needs_even: only if no score
 * and no weight of the chunk is an odd multiple of half of a last bit. */
bool sp_chunk_claim_is_proved(const sp_chunk_claim *claim, double *shift, bool *needs_even);

/* Is x an odd multiple of half of `bit`, a power of two? */
bool sp_is_half(double x, double bit);

/* Is what a chunk made, from `part` on, of what it arrived with, shifted, what it would have made of delta[K] at the step before?
 *   shift   out: by how much */
bool sp_chunk_is_proved(const sp_chunked *c, int64_t chunk, int64_t part, const double *delta, double *shift);

#endif
