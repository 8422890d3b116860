/* Unfolding a model: which compiled states a declared state becomes, and which transitions they have; not installed. */
#ifndef STATEPATH_CORE_UNFOLD_H
#define STATEPATH_CORE_UNFOLD_H

#include "core/chain_states.h"

/* A declared state becomes a row of compiled states that count the steps of a run, and, where runs that began before the recording
 * weigh otherwise, a second row for those. The last state of a row may stay. */
typedef struct sp_state_row {
    int32_t first, n; /* of number[] of the placement */
} sp_state_row;

/* What may stand first after a gap, in declared states, where not each may. */
typedef struct sp_declared_gaps {
    const uint8_t *entry; /* [n_states] after some gap */
    const uint8_t *fresh; /* [n_states] begins a dwell */
    const int64_t *
        row; /* [n_states+1] after a gap that follows state s, to[row[s]] .. at such weights; NULL: whatever was before */
    const int32_t *to;
    const double *weight;
} sp_declared_gaps;

typedef struct sp_placement {
    const sp_model *model;
    const sp_declared_gaps *gaps; /* NULL: each state may stand first after a gap */
    sp_state_row *whole, *cut;    /* [model->n_states]; n = 0: no such row */
    int32_t *number;              /* [n_states of the chain] the compiled state of each place of each row */
    int32_t *n_own;               /* [K] how many declared states a class has */
    sp_run_weights *weight;       /* [K] of the model's classes; NULL: none has a duration */
} sp_placement;

/* gaps: NULL, or borrowed: of a product with rules (core/rules/product.h). Weighs runs, numbers the
 * compiled states in the order in which ties are decided (decode.h), and fills what a chain has for each.
 * The states of a row are one after the other where the class has one declared state. To be cleared in
 * every case. SP_OK, SP_EMODEL (too many states), SP_ENOMEM. */
sp_status sp_placement_make(sp_placement *place, const sp_model *model, const sp_declared_gaps *gaps,
                            const sp_chain_options *options, const int32_t *column_of_class, sp_chain *chain,
                            sp_error *err);
void sp_placement_clear(sp_placement *place);

typedef struct sp_edge {
    int32_t from, to;
    double weight;
} sp_edge;

typedef struct sp_edge_list {
    sp_edge *edges; /* NULL: they are counted only */
    int64_t n;
} sp_edge_list;

/* All compiled transitions, in no particular order. */
typedef enum sp_edge_kind {
    SP_EDGES_NEXT,
    SP_EDGES_BY_ROWS, /* only those that lead out of rows of runs and of other states, as sp_run_graph has them: a row is its first
                         whole state, and the weight is the model's */
    SP_EDGES_ACROSS /* across gaps, of a placement whose gaps have rows; `place` and the chain's weights of leaving are filled */
} sp_edge_kind;
void sp_list_edges(const sp_chain_options *options, const sp_placement *place, const sp_chain *chain,
                   sp_edge_kind kind, sp_edge_list *list);

/* Is staying the duration's in each class that has one? */
bool sp_has_plain_runs(const sp_placement *place);

/* Fills what a run graph has for each row of runs. graph->rows has room for them. */
void sp_place_runs(const sp_placement *place, sp_run_graph *graph);

#endif
