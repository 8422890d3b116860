/* The kernels of an instruction set: what isa.c exports, once for each set; not installed. */
#ifndef STATEPATH_DECODE_ISA_KERNELS_H
#define STATEPATH_DECODE_ISA_KERNELS_H

#include "decode/kernels/band.h"
#include "decode/kernels/dense.h"
#include "decode/kernels/field.h"
#include "decode/kernels/lanes/lanes.h"
#include "decode/kernels/lanes/lanes_forward_backward.h"
#include "decode/kernels/single.h"
#include "decode/verify.h"

typedef struct sp_isa_kernels {
    sp_lanes_kernel *viterbi, *wide, *greedy, *argmax; /* lanes.h */
    sp_lanes_kernel *dwell;                            /* dwell.h */
    sp_path_allowed *path_is_allowed;                  /* verify.h */
    sp_sum_kernel *forward_backward;
    sp_single_kernel *single;
    sp_dense_step *dense_step;
    sp_dense_choice *dense_choice;
    sp_dense_add *dense_add;
    sp_dense_spread *dense_spread;
    sp_band_step *band_step;
    sp_field_kernel *field;
} sp_isa_kernels;

extern const sp_isa_kernels sp_isa_kernels_base;
#if defined(__x86_64__)
extern const sp_isa_kernels sp_isa_kernels_avx2, sp_isa_kernels_avx512;
#endif

/* Those of `isa`, which the machine must have and which is not SP_ISA_PLAIN. */
const sp_isa_kernels *sp_isa_kernels_of(sp_isa isa);

#endif
