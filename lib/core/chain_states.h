/* Inside of sp_chain, for the decoders (core, decode); not installed. */
#ifndef STATEPATH_CHAIN_STATES_H
#define STATEPATH_CHAIN_STATES_H

#include <math.h>

#include "core/model/durations.h"
#include "statepath/model.h"

/* Runs of a class with a duration, as one: the states of a row count its steps. For chains whose classes with a duration have one
 * declared state each. */
typedef struct sp_run_row {
    int32_t whole, n_whole; /* first state and number of the row of runs that began in the recording */
    int32_t cut, n_cut;     /* of those that may have begun before it; n_cut 0: none */
    double longer;          /* of the last state of either row: weight of staying, -INFINITY: it does not */
    double leave_cut;       /* weight of leaving the row of cut runs, from any state */
} sp_run_row;

enum { SP_RUNS_LEAST = 16 }; /* up to so many states a chain is decoded as any other, in lanes */

typedef struct sp_run_graph {
    int32_t n_rows;
    sp_run_row *rows;
    double
        *leave; /* [M] weight of leaving, of states of whole rows; to which the transition's own is added */
    double *go_on; /* [M] weight of going on to the next state of the row; -INFINITY of its last */
    /* What leads to each state from outside its row: other states, and rows, by their first whole state. As the pred of sp_chain. */
    int64_t *pred_row;
    int32_t *pred;
    double *pred_weight;
} sp_run_graph;

enum { SP_LEGAL_BITS_CLASSES = 4096 };

struct sp_chain {
    int32_t n_classes; /* K */
    int32_t n_states;  /* M, after unfolding */
    bool is_plain;     /* M = K, state s emits class s, and each may stand first after a gap */
    bool
        is_told; /* classes tell the state: one state of a class at most begins, stands first after a gap, follows a state */
    bool is_boolean; /* every weight, start and end is 0 or -INFINITY */
    bool min_dwell_at_end;

    int32_t *state_class; /* [M] non-decreasing */
    int32_t *declared; /* [M] the state of the model that each counts the steps, or remembers the rules, of */
    int32_t *class_first; /* [K+1] the states of class k are class_first[k] .. class_first[k+1]-1 */

    /* Predecessors of j, ascending: pred[pred_row[j]] .. pred[pred_row[j+1]-1]; pred_weight beside, finite. */
    int64_t *pred_row;
    int32_t *pred;
    double *pred_weight;
    /* Successors of i, ascending, likewise. */
    int64_t *succ_row;
    int32_t *succ;
    double *succ_weight;

    double *start;  /* [M] nats, -INFINITY = no */
    double *end;    /* [M] nats, -INFINITY = no */
    uint8_t *entry; /* [M] 1: may stand first after a gap (the first state of each dwell) */
    uint8_t *
        fresh; /* [M] 1: the first state of a dwell or run, which a relaxed path may enter where it breaks a rule. Entry states
                       are fresh; with rules some fresh states never follow a gap */
    double *leave; /* [M] nats of a run that a gap ends, -INFINITY = it may not end there; NULL: 0 for all */
    /* Where a rule remembers across gaps what it has seen: the same chain, whose predecessors and successors are those across a gap.
     * NULL: every entry state may follow every state, at the weight of leaving it. */
    struct sp_chain *across;
    int32_t *min_dwell;    /* [K] */
    int32_t longest_dwell; /* the greatest of them */

    sp_run_weights *durations;         /* [K] those without one are empty; NULL: none */
    bool whole_at_start, whole_at_end; /* runs with a duration: at the sides of recordings and of gaps */
    sp_run_graph *runs;                /* of more than SP_RUNS_LEAST states; or NULL */

    /* Legal pairs of classes, compressed: legal_to[legal_row[a]] .. ascending. For plain chains these are succ_row and succ. */
    int64_t *legal_row;
    int32_t *legal_to;
    uint64_t *legal_bits;             /* bit from * K + to, of at most SP_LEGAL_BITS_CLASSES; or NULL */
    uint8_t *legal_start, *legal_end; /* [K] of the matrix, whatever the rules say */

    int32_t n_rules;
    struct sp_chain_rule *rules; /* [n_rules] core/rules/rules.h */
};

/* May one of the states in play be left at a gap? */
static inline bool sp_chain_may_leave(const struct sp_chain *chain, const uint8_t *in_play)
{
    for (int32_t i = 0; i < chain->n_states; i++)
        if (in_play[i] && (!chain->leave || chain->leave[i] > -INFINITY))
            return true;
    return false;
}

/* Do the classes of a path tell its states, in recordings with gaps or without? */
bool sp_chain_tells_states(const struct sp_chain *chain, bool has_gap);

/* Weight of state i where a gap follows. */
static inline double sp_chain_leave(const struct sp_chain *chain, int32_t i)
{
    return chain->leave ? chain->leave[i] : 0;
}

/* Weight of the transition i -> j, -INFINITY when forbidden. O(log successors). */
double sp_chain_weight(const struct sp_chain *chain, int32_t i, int32_t j);

#endif
