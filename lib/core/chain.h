/* The minimum dwell of a compiled model, by class. Not installed. */
#ifndef STATEPATH_CORE_CHAIN_H
#define STATEPATH_CORE_CHAIN_H

#include "statepath/model.h"

/* Shortest run of class k that the model allows: the least min_dwell of its states; 1 without. */
int32_t sp_chain_min_dwell(const sp_chain *chain, int32_t k);
bool sp_chain_min_dwell_at_end(const sp_chain *chain);

#endif
