/* Steps that are worth a look, of many recordings: what sp_review() finds in each, and the best of all. Not installed. */
#ifndef STATEPATH_DECODE_REVIEW_BATCH_H
#define STATEPATH_DECODE_REVIEW_BATCH_H

#include "statepath/advanced.h"

/* ---- what is found in a batch ---- */

/* Begins as {0}; its arrays only grow. Those of recording n begin at its first step. */
typedef struct sp_review_room {
    sp_review_step *found; /* [S] */
    double *probability;   /* [S] of the likeliest class of each step; 0 where there is no path */
    int64_t *n_found;      /* [N] */
    sp_status *status;     /* [N] SP_OK or SP_ENOPATH */
    int64_t step_room, recording_room;
} sp_review_room;

/* The most steps of each recording that gain `least`. SP_OK; SP_ENOMEM. */
sp_status sp_review_batch(const sp_batch *batch, const sp_chain *chain, int64_t most, double least,
                          sp_workers *workers, sp_review_room *room, sp_error *err);
void sp_review_room_clear(sp_review_room *room);

/* ---- the best of all ---- */

typedef struct sp_listed_step {
    int64_t recording, step, rank;     /* rank: among those of its recording, as they were found */
    int32_t likeliest, decoded, label; /* -1: none */
    double probability, gain;
} sp_listed_step;

/* So many of the greatest gain, of equals the first by recording and rank. Begins as {0}. */
typedef struct sp_review_best {
    int64_t most, n;
    sp_listed_step *steps; /* [n] a heap whose root is the last of them; owned */
} sp_review_best;

bool sp_review_best_init(sp_review_best *best, int64_t most); /* false: no memory */
void sp_review_best_clear(sp_review_best *best);
void sp_review_best_add(sp_review_best *best, const sp_listed_step *step);
/* What a step must gain at least to be among them. */
double sp_review_best_least(const sp_review_best *best);

/* Orders them, the greatest gain first or by recording and step; none can be added then. */
void sp_review_best_by_gain(sp_review_best *best);
void sp_review_best_by_place(sp_review_best *best);

#endif
