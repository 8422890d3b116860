/* Transitions collected row by row, without a dense matrix; for readers and builders of models. Not installed. */
#ifndef STATEPATH_CORE_MODEL_EDGES_H
#define STATEPATH_CORE_MODEL_EDGES_H

#include <stdbool.h>

#include "statepath/model.h"

typedef struct sp_edges {
    int32_t n_states; /* M */
    int32_t n_rows;   /* rows added so far, at most M */
    int64_t *row;     /* [M+1] */
    int32_t *to;      /* [capacity] */
    int64_t capacity;
} sp_edges;

/* Room for M states. SP_OK or SP_ENOMEM. */
sp_status sp_edges_init(sp_edges *edges, int32_t n_states, sp_error *err);
void sp_edges_clear(sp_edges *edges);

/* Adds the successors of the next state: allowed [M], non-zero = allowed. SP_OK or SP_ENOMEM. */
sp_status sp_edges_add(sp_edges *edges, const uint8_t *allowed, sp_error *err);

/* May `to` follow `from`? */
typedef bool sp_edge_may(const void *arg, int32_t from, int32_t to);

/* Gives a model the transitions that may be, without weights, in place of its own. SP_OK or SP_ENOMEM. O(M^2). */
sp_status sp_edges_fill(sp_model *model, sp_edge_may *may, const void *arg, sp_error *err);

/* Hands all M rows over to the model in place of its own, which are freed; its weights too. `edges` is empty afterwards. */
void sp_edges_move(sp_edges *edges, sp_model *model);

#endif
