/* Chains of one state per class but for minimum dwells, in lanes; not installed.
 *
 * A class of dwell d is d states in a row: entered at the first, left from the last, and only the last may
 * stay.
 *
 *     first   d[t,1] = max over other classes' last states (delta[t-1,.] + log_trans) + e[t]
 *     row     d[t,k] = (d[t-1,k-1] + stay) + e[t]                              1 < k < d
 *     last    d[t,d] = max(d[t-1,d-1] + stay, d[t-1,d] + stay) + e[t]
 *
 * So a row moves on by one place a step and chooses nothing: it is a ring of d-1 values, of which each
 * step takes the oldest out and puts a new one in. The choices of a step are the class before each first
 * state, and one bit for each last one.
 *
 * Ties go to the lowest state: before a first state stand states of different classes, and before a last
 * state the one that came in by the row is the lower.
 */
#ifndef STATEPATH_DECODE_DWELL_H
#define STATEPATH_DECODE_DWELL_H

#include "decode/kernels/lanes/lanes.h"

enum {
    SP_DWELL_MOST_CLASSES = 12, /* 5 bits of 64 for each */
    SP_DWELL_MOST = 64,         /* steps */
    SP_DWELL_MOST_STATES = 128
};

typedef struct sp_dwell_rules {
    int32_t n_classes;
    int32_t word_size; /* bytes of one step's choices: 2, 4 or 8 */
    int32_t from_bits; /* of a class; one more, above it: the last state was reached by the row */
    bool has_weights;  /* false: weights need not be added */
    int32_t dwell[SP_DWELL_MOST_CLASSES]; /* >= 1; 1: the state is first and last, and may stay */
    int32_t ring[SP_DWELL_MOST_CLASSES];  /* first of the dwell-1 values of its ring */
    int32_t row[SP_DWELL_MOST_CLASSES +
                1]; /* classes before the first state of j: from[row[j]] .. from[row[j+1]-1], >= 1 */
    int32_t from[SP_DWELL_MOST_CLASSES * SP_DWELL_MOST_CLASSES];
    int64_t code[SP_DWELL_MOST_CLASSES * SP_DWELL_MOST_CLASSES];  /* from, in the place of j in the word */
    double weight[SP_DWELL_MOST_CLASSES * SP_DWELL_MOST_CLASSES]; /* nats */
    double stay[SP_DWELL_MOST_CLASSES];                           /* nats, dwell > 1 */
    double start[SP_DWELL_MOST_CLASSES];
    double end[SP_DWELL_MOST_CLASSES],
        end_early[SP_DWELL_MOST_CLASSES]; /* of the last state; of those before it */
    uint64_t dwell_bytes[2];              /* byte j % 8 of [j/8]: dwell[j] */
} sp_dwell_rules;

/* False when the chain is not one for this kernel: then, or when it has no dwell, nothing is said about rules. */
bool sp_dwell_rules_init(sp_dwell_rules *rules, const sp_chain *chain);

#endif
