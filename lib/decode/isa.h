/* Instruction sets; not installed. */
#ifndef STATEPATH_DECODE_ISA_H
#define STATEPATH_DECODE_ISA_H

/* Each a superset of the one before. Which is used changes the time, never the answer. */
typedef enum sp_isa {
    SP_ISA_PLAIN,  /* only the plain scalar kernels: the oracle */
    SP_ISA_BASE,   /* vectors of 16 bytes: whatever the compiler's target has, SSE2 on x86-64 */
    SP_ISA_AVX2,   /* 32 bytes */
    SP_ISA_AVX512, /* 64 bytes: F, VL, BW, DQ */
    SP_N_ISAS
} sp_isa;

/* The best that this machine has. */
sp_isa sp_isa_best(void);

#endif
