/* Which states can be reached; not installed. */
#ifndef STATEPATH_DECODE_REACH_H
#define STATEPATH_DECODE_REACH_H

#include "decode/recording.h"

/* next [M]: 1 for the states that can stand at a step of scores e [K], -INFINITY where a class is
 * impossible, after those that are 1 in now [M] (not looked at with SP_REACH_START). No weight is added,
 * so nothing rounds or overflows. Returns whether there is any. */
bool sp_reach_step(const sp_chain *chain, sp_reach how, const double *e, const uint8_t *now, uint8_t *next);

#endif
