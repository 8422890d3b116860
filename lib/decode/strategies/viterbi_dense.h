/* Viterbi of a recording in pieces by the kernels for many states; not installed. */
#ifndef STATEPATH_DECODE_VITERBI_DENSE_H
#define STATEPATH_DECODE_VITERBI_DENSE_H

#include "decode/sequence.h"

/* As sp_viterbi_decode(). *fits: the recording is one for these kernels, and has been decoded so. Errors: SP_ENOPATH, SP_ENOMEM,
 * what reading and writing return. */
sp_status sp_viterbi_by_dense(sp_sequence *s, bool *fits, sp_error *err);

#endif
