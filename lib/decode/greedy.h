/* The steps of greedy decoding (greedy.c says what they choose), for whoever goes by pieces; not installed. */
#ifndef STATEPATH_DECODE_GREEDY_H
#define STATEPATH_DECODE_GREEDY_H

#include "decode/recording.h"

typedef struct sp_play {
    const sp_chain *chain;
    double *now;         /* [M] v of the states in play, -INFINITY elsewhere */
    double *next;        /* [M] -INFINITY between steps */
    int32_t *candidates; /* [M] states that next[] has a value for */
    int32_t n_candidates;
    int32_t chosen; /* class just chosen */
} sp_play;

/* In slots that survive until another decoder runs. False on lack of memory. */
bool sp_play_init(sp_play *p, const sp_chain *chain, sp_scratch *scratch);

/* Chooses at a step of scores e[K], the last one where end is not NULL. False at a dead end. */
bool sp_play_step(sp_play *p, sp_reach how, const double *e, const double *end);

#endif
