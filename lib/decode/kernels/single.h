/* One recording alone, its states side by side in vectors; not installed.
 *
 * For plain chains of up to SP_SINGLE_MOST_CLASSES classes. lanes.h needs many recordings to fill a
 * vector; here all j of a step are computed at once:
 *
 *     delta[t,:] = max_i (delta[t-1,i] + log_trans[i,:]) + e[t,:]        i over all classes, -INFINITY where forbidden
 *
 * the plain kernel's float64 operations in its order, the lowest i among equals: the same bits. Every step
 * waits for the one before, so what limits it is how long a sum, a shuffle and the rounds of a maximum
 * take. Where the machine can shuffle as it likes (AVX-512), round r offers every j its r-th predecessor,
 * and weights are not added where there are none; elsewhere one value i is spread over all j.
 *
 * isa.c compiles single_body.h for each width of vector.
 */
#ifndef STATEPATH_DECODE_SINGLE_H
#define STATEPATH_DECODE_SINGLE_H

#include "core/isa.h"
#include "decode/kernels/lanes/lanes.h"
#include "decode/recording.h"

enum { SP_SINGLE_MOST_CLASSES = SP_LANES_MOST_CLASSES };

/* A row for each i or rank; a column for each j. */
typedef struct sp_single_table {
    _Alignas(64) double weight[SP_SINGLE_MOST_CLASSES][SP_SINGLE_MOST_CLASSES];
    _Alignas(
        64) uint64_t code[SP_SINGLE_MOST_CLASSES][SP_SINGLE_MOST_CLASSES]; /* i in the place of j in a word */
} sp_single_table;

/* A plain chain as the kernel reads it. */
typedef struct sp_single_rules {
    int32_t n_classes;
    int32_t columns;      /* n_classes rounded up to one of the widths that are compiled */
    int32_t n_ranks;      /* most predecessors of a class */
    bool has_weights;     /* false: by rank, weights need not be added */
    sp_single_table all;  /* [from,to], -INFINITY where forbidden */
    sp_single_table rank; /* [rank,to]: the r-th predecessor, its first again where there is none */
    _Alignas(64) uint64_t from[SP_SINGLE_MOST_CLASSES][SP_SINGLE_MOST_CLASSES]; /* [rank,to] */
    double start[SP_SINGLE_MOST_CLASSES], end[SP_SINGLE_MOST_CLASSES];
    bool is_entry[SP_SINGLE_MOST_CLASSES];
} sp_single_rules;

/* False when the chain is not one for this. */
bool sp_single_rules_init(sp_single_rules *rules, const sp_chain *chain);
/* The same from the rules of lanes; entry [K]: the classes that a segment may begin with, NULL for recordings without gaps. */
void sp_single_rules_take(sp_single_rules *rules, const sp_lane_rules *lanes, const uint8_t *entry);

/* Is it quicker than the plain kernel? Not where a model of many classes meets vectors of 16 bytes. */
bool sp_single_is_quick(sp_isa isa, const sp_single_rules *rules);

/* Steps in a row without a gap. */
typedef struct sp_single_steps {
    const sp_single_rules *rules;
    sp_dtype dtype;
    const void *rows; /* [n,K] scores */
    int64_t n;
    double *delta;   /* [columns] before the first step; out: at the last. -INFINITY beyond K */
    uint64_t *words; /* out [n] back-pointers */
} sp_single_steps;

typedef void sp_single_kernel(const sp_single_steps *steps);

/* The state before `state` in a word of back-pointers. */
static inline uint64_t sp_single_before(const sp_single_rules *rules, uint64_t word, uint64_t state)
{
    return rules->columns <= 8 ? (word >> 8 * state & 255) >> 3 : word >> 4 * state & 15;
}

/* One recording of at least one step, gaps or not, as sp_viterbi(). SP_OK; SP_ENOPATH without a message, path untouched: ask
 * sp_viterbi(); SP_ENOMEM. Takes 8 bytes a step from the scratch. */
sp_status sp_single_viterbi(sp_isa isa, const sp_single_rules *rules, const sp_scores *scores,
                            sp_scratch *scratch, int32_t *path, double *score);

#endif
