/* Many recordings side by side in the lanes of vectors; not installed.
 *
 * For plain chains of up to 16 classes; Viterbi, and greedy where classes tell the state (verify.h), also for chains of up to 16
 * states, of which several may emit one class; Viterbi also for plain chains of up to 64 classes many of which share what leads to
 * them (wide chains: tags with types). Every lane does what the plain kernel does with its recording: the same float64 operations in
 * the same order, so paths, scores and ties are the same bits. What is not ordinary (gaps, no path, a dead end) is left to the plain
 * kernel.
 *
 * lanes_*.h are bodies that isa.c compiles for each width of vector.
 */
#ifndef STATEPATH_DECODE_LANES_H
#define STATEPATH_DECODE_LANES_H

#include "core/chain_states.h"
#include "core/isa.h"
#include "statepath/scores.h"

enum {
    SP_LANES_MOST = 32,         /* lanes of the widest kernel */
    SP_LANES_MOST_CLASSES = 16, /* or states: a choice among them takes 4 bits */
    SP_LANES_WIDE_CLASSES = 64, /* of a wide chain */
    SP_LANES_MOST_EDGES = SP_LANES_MOST_CLASSES * SP_LANES_MOST_CLASSES, /* predecessors of all columns */
    SP_LANES_FEW = 5,  /* classes whose deltas stay in registers */
    SP_LANES_TILE = 8, /* steps that are transposed at a time */
    SP_LANES_MOST_STEPS =
        100000, /* recordings of more go alone: their back-pointers side by side would take too much memory */
    SP_LANES_WORTH = 4,         /* a group pays while at least 1 / so many of its lanes' steps are in use */
    SP_LANES_VITERBI_WORTH = 2, /* the same for Viterbi, where single.h is quick too */
    SP_LANES_WIDE_WORTH = 8,    /* the same for wide chains, but for SSE2 */
    SP_LANES_DWELL_WORTH = 16   /* the same with minimum dwells (dwell.h), but for SSE2 */
};

/* A chain as the lanes read it. What is said of classes j holds for states where several emit one class. */
typedef struct sp_lane_rules {
    int32_t n_classes; /* of the scores */
    int32_t n_states;  /* of a plain chain n_classes */
    int32_t word_size; /* bytes of one step's back-pointers: 2 (3 bits each), 4 or 8 (4 bits each) */
    bool has_weights;  /* false: weights need not be added */
    int32_t row[SP_LANES_MOST_CLASSES +
                1]; /* predecessors of j: from[row[j]] .. from[row[j+1]-1], at least one */
    int32_t from[SP_LANES_MOST_CLASSES * SP_LANES_MOST_CLASSES];
    int64_t code[SP_LANES_MOST_CLASSES *
                 SP_LANES_MOST_CLASSES]; /* from, in the place of j's back-pointer in the word */
    double weight[SP_LANES_MOST_CLASSES * SP_LANES_MOST_CLASSES]; /* nats */
    double start[SP_LANES_WIDE_CLASSES], end[SP_LANES_WIDE_CLASSES];

    /* The same again, classes with the same predecessors at the same weights together: what may precede column c is
     * column_from[column_row[c]] .., and it leads to classes column_class[column_first[c]] .. */
    int32_t n_columns, column_row[SP_LANES_WIDE_CLASSES + 1], column_first[SP_LANES_WIDE_CLASSES + 1];
    int32_t column_from[SP_LANES_MOST_EDGES], column_class[SP_LANES_WIDE_CLASSES];
    int32_t column_emits[SP_LANES_WIDE_CLASSES]; /* the class that column_class emits */
    int64_t column_code[SP_LANES_MOST_EDGES];    /* of all its classes */
    double column_weight[SP_LANES_MOST_EDGES];

    /* A wide chain: columns, start, end and emits are there, nothing else. A column has one place in the word (of 8 bytes), however
     * many classes it leads to, as many bits as tell its predecessors apart, by rank: the word >> shift & mask of class j says that
     * column_from[first + .] came before it. */
    bool is_wide;
    struct {
        uint8_t shift, mask;
        uint16_t first;
    } back[SP_LANES_WIDE_CLASSES];

    bool has_states; /* several states a class: words of 8 bytes lead from state to state */
    int32_t emits[SP_LANES_WIDE_CLASSES]; /* the class of state j */
    uint64_t all_emits;                   /* the same, 4 bits each */

    bool is_few;                                   /* up to SP_LANES_FEW classes, for lanes_few.h: */
    uint32_t few_from[SP_LANES_FEW];               /* bit i: i may precede j */
    double few_weight[SP_LANES_FEW][SP_LANES_FEW]; /* [j][i] */

    bool is_bare;                             /* no weights, also not of start and end, for lanes_bare.h: */
    int32_t bare_start, bare_end;             /* bit j: j may be first, last */
    int32_t bare_code[SP_LANES_MOST_CLASSES]; /* bit j: j may follow i; and i (the class of state i) << 16 */
} sp_lane_rules;

/* Up to SP_LANES_MOST recordings, the longest first. */
typedef struct sp_lane_group {
    const sp_lane_rules *rules;
    const struct sp_dwell_rules *dwell; /* instead of rules, for the kernels of dwell.h */
    sp_dtype dtype;
    int32_t n_lanes; /* that have a recording, >= 1 */
    const void *rows
        [SP_LANES_MOST]; /* [.,K] scores; all lanes' are readable for length[0] steps rounded up to whole tiles */
    const void *next[SP_LANES_MOST]; /* what will be needed after this group; next[0] NULL: nothing */
    int64_t length[SP_LANES_MOST];   /* >= 1, descending; 0 in lanes without a recording */
    int32_t *path[SP_LANES_MOST];    /* out [length] */
    double score[SP_LANES_MOST];     /* out */
    bool is_left
        [SP_LANES_MOST]; /* out: true: nothing found here (what is in path is no path): ask the plain kernel */
    void *words;         /* room for Viterbi: sp_lane_words_bytes(), aligned to 64 */
    void *room;          /* of wide chains: sp_lane_wide_bytes(), aligned to 64 */
} sp_lane_group;

/* Of a plain chain. False when it is not one for lanes. */
bool sp_lane_rules_init(sp_lane_rules *rules, const sp_chain *chain);

/* Of a chain in which several states may emit one class, for Viterbi and greedy. False when it is not one for lanes. */
bool sp_lane_states_init(sp_lane_rules *rules, const sp_chain *chain);

/* Of a plain chain of more classes, for Viterbi. False where its columns and their predecessors are too many for one word of
 * back-pointers: as tags with types, whose classes share what may stand before them. O(transitions x columns). */
bool sp_lane_wide_init(sp_lane_rules *rules, const sp_chain *chain);

/* Of classes without any rules, K <= SP_LANES_MOST_CLASSES. */
void sp_lane_rules_free(sp_lane_rules *rules, int32_t n_classes);

/* Makes columns and what follows them again, after what is in front of them was changed. */
void sp_lane_rules_finish(sp_lane_rules *rules);

/* Lanes of an instruction set. */
int32_t sp_lanes_count(sp_isa isa);

/* Viterbi, greedy or argmax: see isa_kernels.h. */
typedef void sp_lanes_kernel(sp_lane_group *group);

/* The narrowest instruction set up to `best` that has a lane for each of n recordings: wider ones would do no more. */
sp_isa sp_lanes_isa_for(sp_isa best, int32_t n, int32_t (*lanes_of)(sp_isa));

/* Bytes of two deltas and a tile of a wide chain: too much for the stack. */
size_t sp_lane_wide_bytes(int32_t n_classes, sp_isa isa);

/* Bytes of back-pointers for so many steps, word_size bytes for each lane. */
size_t sp_lane_words_bytes(int32_t word_size, sp_isa isa, int64_t n_steps);

#endif
