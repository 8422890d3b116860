#include "decode/kernels/isa_kernels.h"

const sp_isa_kernels *sp_isa_kernels_of(sp_isa isa)
{
#if defined(__x86_64__)
    if (isa == SP_ISA_AVX512)
        return &sp_isa_kernels_avx512;
    if (isa == SP_ISA_AVX2)
        return &sp_isa_kernels_avx2;
#endif
    (void)isa;
    return &sp_isa_kernels_base;
}
