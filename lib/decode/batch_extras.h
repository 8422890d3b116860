/* What a batch may be asked for beside paths: confidence, log Z, margins, the n best paths, draws; not installed. */
#ifndef STATEPATH_DECODE_BATCH_EXTRAS_H
#define STATEPATH_DECODE_BATCH_EXTRAS_H

#include "statepath/decode.h"

/* Can what is asked for be given? SP_OK or SP_EINVAL. */
sp_status sp_batch_extras_check(const sp_chain *chain, const sp_decode_output *output, sp_error *err);

/* Confidence and log Z of recording n, alone; sp_batch_extras() fills them in too. SP_OK or SP_ENOMEM. */
sp_status sp_batch_confidence(const sp_chain *chain, const sp_batch *batch, int64_t n, sp_scratch *scratch,
                              const sp_decode_output *output);

/* Fills in what output asks for of recording n, whose path and result stand in output already. SP_OK or SP_ENOMEM. */
sp_status sp_batch_extras(const sp_chain *chain, const sp_batch *batch, int64_t n, sp_scratch *scratch,
                          const sp_decode_output *output);

#endif
