/* Viterbi over runs: for chains whose classes have durations; not installed.
 *
 * The chain counts the steps of a run in a row of states, one for each length (core/model/unfold.h), and a
 * transition leads from each of them to each class that may follow. Taken as one, a row costs two
 * additions and a maximum a state, and what leads from row to row is as small as the model:
 *
 *     out[t,r]   = max_d delta[t,r,d] + leave[d]                          the best run of row r that ends at t
 *     delta[t,j] = max_r (out[t-1,r] + log_trans[r,j]) + e[t,j]           a run begins
 *     delta[t,r,d+1] = (delta[t-1,r,d] + go_on[d]) + e[t,r]
 *
 * This is the explicit-duration recurrence (Yu 2010) in O(T (states + transitions of the model)). Of a run
 * that may have begun before the recording one state is alive at a time. Back-pointers are kept for what
 * is entered from outside a row.
 *
 * Of the states of a class those of its row stand first, by length, then those of the runs that may have
 * begun before. */
#ifndef STATEPATH_DECODE_RUN_SEARCH_H
#define STATEPATH_DECODE_RUN_SEARCH_H

#include "decode/sequence.h"

/* For a chain that has `runs`. Returns as sp_strategy_row.decode. */
sp_status sp_run_search_decode(sp_sequence *s, sp_error *err);

#endif
