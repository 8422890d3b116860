/* One source, compiled for each instruction set; not installed.
 *
 * The kernels of decode/ are one file, decode/isa.c, which CMake compiles once for each set; a short loop elsewhere is an
 * always_inline function, which SP_FOR_EACH_ISA() compiles three times. Which runs is asked at each call, so there is nothing
 * that the loader has to resolve. The compiler's names of the sets stand here and in CMakeLists.txt.
 */
#ifndef STATEPATH_CORE_ISA_H
#define STATEPATH_CORE_ISA_H

#include "statepath/context.h"

#define SP_ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define SP_TARGET_AVX2 __attribute__((target("avx2")))
#define SP_TARGET_AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq")))

/* The form of a function for `isa`: function_base, function_avx2 or function_avx512. */
#define SP_BY_ISA(function, isa)                                                                             \
    ((isa) == SP_ISA_AVX512 ? function##_avx512 : (isa) == SP_ISA_AVX2 ? function##_avx2 : function##_base)

/* Defines the forms  static type name_ISA parameters  of a function: what follows is the body of each, a call of an always_inline
 * function:
 *     SP_FOR_EACH_ISA(int, sum, (const int *x, int n), return sum_any(x, n);)
 *     SP_BY_ISA(sum, sp_isa_current())(x, n) */
#define SP_FOR_EACH_ISA(type, name, parameters, ...)                                                         \
    SP_FORM(, type, name##_base, parameters, __VA_ARGS__)                                                    \
    SP_FORM(SP_TARGET_AVX2, type, name##_avx2, parameters, __VA_ARGS__)                                      \
    SP_FORM(SP_TARGET_AVX512, type, name##_avx512, parameters, __VA_ARGS__)
#else
#define SP_BY_ISA(function, isa) ((void)(isa), function##_base)
#define SP_FOR_EACH_ISA(type, name, parameters, ...) SP_FORM(, type, name##_base, parameters, __VA_ARGS__)
#endif

#define SP_FORM(target, type, name, parameters, ...)                                                         \
    target static type name parameters                                                                       \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

#endif
