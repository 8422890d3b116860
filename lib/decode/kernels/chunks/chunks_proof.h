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

/* Is what a chunk made, from `part` on, of what it arrived with, shifted, what it would have made of delta[K] at the step before?
 *   shift   out: by how much */
bool sp_chunk_is_proved(const sp_chunked *c, int64_t chunk, int64_t part, const double *delta, double *shift);

#endif
