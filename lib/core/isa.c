#include "statepath/context.h"

#include <stdatomic.h>
#include <string.h>

static const char *const names[SP_N_ISAS] = {
    [SP_ISA_PLAIN] = "plain", [SP_ISA_BASE] = "base", [SP_ISA_AVX2] = "avx2", [SP_ISA_AVX512] = "avx512"};

const char *sp_isa_name(sp_isa isa)
{
    return names[isa];
}

sp_status sp_isa_parse(const char *name, sp_isa *out, sp_error *err)
{
    for (sp_isa isa = SP_ISA_BASE; isa < SP_N_ISAS; isa++)
        if (strcmp(name, names[isa]) == 0) {
            *out = isa;
            return SP_OK;
        }
    return sp_fail(err, SP_EINVAL, "unknown instruction set \"%.64s\": choose base, avx2 or avx512", name);
}

sp_isa sp_isa_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return SP_ISA_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return SP_ISA_AVX2;
#endif
    return SP_ISA_BASE;
}

static atomic_int current; /* 0: not asked yet */

sp_isa sp_isa_current(void)
{
    int isa = atomic_load_explicit(&current, memory_order_relaxed);
    if (!isa) {
        int best = sp_isa_best();
        isa = atomic_compare_exchange_strong(&current, &isa, best) ? best : isa;
    }
    return (sp_isa)isa;
}

sp_status sp_isa_set(sp_isa isa, sp_error *err)
{
    sp_isa best = sp_isa_best();
    if (isa < SP_ISA_BASE || isa >= SP_N_ISAS)
        return sp_fail(err, SP_EINVAL, "%d is not an instruction set", (int)isa);
    if (isa > best)
        return sp_fail(err, SP_EINVAL, "this processor does not have the instruction set %s: its best is %s",
                       names[isa], names[best]);
    atomic_store_explicit(&current, isa, memory_order_relaxed);
    return SP_OK;
}
