#include "decode/kernels.h"

sp_isa sp_isa_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return SP_ISA_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return SP_ISA_AVX2;
#endif
    return SP_ISA_BASE;
}

bool sp_scores_have_gap(const sp_scores *scores)
{
    for (int64_t t = 1; scores->segments && t < scores->n_steps; t++)
        if (sp_scores_is_gap(scores, t))
            return true;
    return false;
}
