/* Recordings with chains of their own. Not installed. */
#ifndef STATEPATH_DECODE_OWN_CHAINS_H
#define STATEPATH_DECODE_OWN_CHAINS_H

#include "statepath/decode.h"

/* As sp_decode_batch(), but recording n is decoded by chains[of[n]]; of [N of the batch]. Neighbours with one chain are one batch. */
sp_status sp_decode_batch_by(const sp_chain *const *chains, const int32_t *of, const sp_batch *batch,
                             const sp_decode_options *options, sp_workers *workers,
                             const sp_decode_output *output, sp_error *err);

#endif
