/* Instruction sets: which of its compiled forms the library runs.
 *
 * Whatever is worth it is compiled once for each instruction set below. Which one runs changes the time, never a bit of the
 * answer. The library takes the best that the processor has; it does not read the environment. A program that lets its users
 * choose calls sp_isa_set() before anything else, as `statepath` does by STATEPATH_ISA.
 */
#ifndef STATEPATH_ISA_H
#define STATEPATH_ISA_H

#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each a superset of the one before. Processors other than x86-64 have SP_ISA_BASE only. */
typedef enum sp_isa {
    SP_ISA_PLAIN,  /* scalar kernels only: the oracle of tests; cannot be set */
    SP_ISA_BASE,   /* vectors of 16 bytes: whatever the compiler's target has, SSE2 on x86-64 */
    SP_ISA_AVX2,   /* 32 bytes */
    SP_ISA_AVX512, /* 64 bytes: F, VL, BW, DQ */
    SP_N_ISAS
} sp_isa;

/* "base", "avx2" or "avx512" ("plain" for SP_ISA_PLAIN). Never NULL. */
const char *sp_isa_name(sp_isa isa);

/* Reads a name. SP_OK; SP_EINVAL: the sentence lists the names. */
sp_status sp_isa_parse(const char *name, sp_isa *out, sp_error *err);

/* The best that this processor has; it has all from SP_ISA_BASE up to it. */
sp_isa sp_isa_best(void);

/* The one in use by all threads: sp_isa_best() until another is set. */
sp_isa sp_isa_current(void);

/* Sets it. Any thread may, between calls of the library. SP_OK; SP_EINVAL: the processor lacks it, and nothing has changed. */
sp_status sp_isa_set(sp_isa isa, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
