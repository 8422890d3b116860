/* The steps of beam search (beam.c says what they keep), for whoever goes by pieces; not installed. */
#ifndef STATEPATH_DECODE_BEAM_H
#define STATEPATH_DECODE_BEAM_H

#include "decode/frontier.h"
#include "decode/recording.h"

typedef struct sp_beam_search {
    const sp_chain *chain;
    size_t width;
    /* What is kept of each step: states, and the place of each one's predecessor among those kept of the step before. */
    int32_t *kept;   /* [T,width] */
    int32_t *parent; /* [T,width] */
    sp_frontier frontiers[2], *now, *next;
    sp_frontier_room room;
    double *values; /* [M] room */
    int32_t *back;  /* [M] */
} sp_beam_search;

/* Room for n steps, in slots that survive until another decoder runs. SP_OK, SP_ENOMEM. */
sp_status sp_beam_init(sp_beam_search *b, const sp_chain *chain, int32_t width, int64_t n_steps, sp_scratch *scratch,
                       sp_error *err);

/* Goes on to row t of scores e[K]; b->now is its frontier afterwards. False where nothing is left. */
bool sp_beam_step(sp_beam_search *b, sp_reach how, int64_t t, const double *e);

/* The place of the best state of the last step among those kept, the end rule counted; -1: none may end. */
int32_t sp_beam_last(const sp_beam_search *b);

/* The value of the best path, which ends at `place` of sp_beam_last(): nats, the end weight included. */
double sp_beam_value(const sp_beam_search *search, int32_t place);

/* The classes of n steps that end in this place; returns the place before the first. */
int32_t sp_beam_trace(const sp_beam_search *b, int64_t n_steps, int32_t place, int32_t *path);

#endif
