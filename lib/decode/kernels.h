/* The fast kernels beside the plain ones, and which of them this machine can run; not installed. */
#ifndef STATEPATH_DECODE_KERNELS_H
#define STATEPATH_DECODE_KERNELS_H

#include "statepath/decode.h"

/* Instruction sets, each a superset of the one before. Which is used changes the time, never the answer. */
typedef enum sp_isa {
    SP_ISA_PLAIN,  /* only the plain scalar kernels: the oracle */
    SP_ISA_BASE,   /* vectors of 16 bytes: whatever the compiler's target has, SSE2 on x86-64 */
    SP_ISA_AVX2,   /* 32 bytes */
    SP_ISA_AVX512, /* 64 bytes: F, VL, BW, DQ */
    SP_N_ISAS
} sp_isa;

/* The best that this machine has. */
sp_isa sp_isa_best(void);

/* sp_decode_batch() with the kernels of `isa`, which the machine must have. */
sp_status sp_decode_batch_with(sp_isa isa, const sp_chain *chain, const sp_batch *batch, const sp_decode_options *options,
                               sp_workers *workers, const sp_decode_output *output, sp_error *err);

/* Is the chain broken anywhere in the recording? O(T) where it has segments. */
bool sp_scores_have_gap(const sp_scores *scores);

#endif
