/* Viterbi of left-to-right chains: in some order of the states each has no other predecessors than itself and the two before it.
 * Phones of a word, actions of a recipe, sites of a profile. Not installed.
 *
 *     delta[t,p] = max(delta[t-1,p] + weight[0][p], delta[t-1,p-1] + weight[1][p], delta[t-1,p-2] + weight[2][p]) + e[t,emits[p]]
 *
 * Values stand by place in that order, so neighbours lie side by side in vectors. Which of the three are the greatest is kept in a
 * byte a place and step; going back, the one of the lowest state is taken. */
#ifndef STATEPATH_DECODE_BAND_H
#define STATEPATH_DECODE_BAND_H

#include "core/chain_states.h"
#include "core/isa.h"
#include "core/scratch.h"
#include "statepath/scores.h"

enum { SP_BAND_WIDTH = 3 };

typedef struct sp_band {
    sp_isa isa;
    int32_t n;                     /* M; 0: the chain is not one for this */
    double *weight[SP_BAND_WIDTH]; /* [n] nats from as many places before, -INFINITY where forbidden */
    double *start, *end;           /* [n] nats of the state in each place */
    int32_t *state, *emits;        /* [n] the state, and its class */
} sp_band;

/* Memory from the scratch, which keeps it. False on lack of memory. */
bool sp_band_init(sp_band *band, sp_isa isa, const sp_chain *chain, sp_scratch *scratch);

/* All of a recording of one step or more without gaps, as sp_viterbi(), on the calling thread. SP_OK; SP_ENOPATH without a message:
 * there is no path, or it is too long for this: ask the plain kernel; SP_ENOMEM. A byte for each state and step. */
sp_status sp_band_viterbi(const sp_band *band, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                          double *score);

/* For each instruction set: next[n] from now[n] and the row e[K]; bit d of choice[n] says that the one d places before is of the
 * greatest. */
typedef void sp_band_step(const sp_band *band, const void *row, sp_dtype dtype, const double *now,
                          double *next, uint8_t *choice);

#endif
