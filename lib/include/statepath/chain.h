/* The compiled model: what the decoders run on. Immutable once made, so threads share it.
 *
 * Compiling (1) renumbers the model's classes to the order of the score columns, (2) unfolds minimum dwell: a state of dwell d
 * becomes d states in a row, entered at the first and left from the last, (3) sorts states by class, then by declaration, so that
 * "lowest state" means "lowest class", (4) makes predecessor and successor lists with their log weights.
 *
 * Unfolded steps inside a dwell weigh what staying weighs, so a path's score does not depend on the unfolding.
 */
#ifndef STATEPATH_CHAIN_H
#define STATEPATH_CHAIN_H

#include "statepath/model.h"
#include "statepath/scores.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_chain sp_chain;

typedef struct sp_chain_options {
    double transition_weight; /* 1: log weights of transitions (not of start and end) are multiplied by it */
    bool is_boolean;          /* false; true: every allowed transition, start and end weighs 0 */
    const int32_t
        *class_of_column; /* [K] from sp_model_align(); NULL: score columns are in the model's order. Borrowed for the call */
} sp_chain_options;

sp_chain_options sp_chain_options_default(void);

/* Compiles. The model is not needed afterwards.
 * Returns SP_OK, SP_EINVAL (transition_weight not finite), SP_EMODEL (sp_model_check), SP_ENOMEM.
 * Cost    O(states + transitions) memory, no dense matrix. */
sp_status sp_chain_new(const sp_model *model, const sp_chain_options *options, sp_chain **out, sp_error *err);
void sp_chain_free(sp_chain *chain);

int32_t sp_chain_n_classes(const sp_chain *chain);
int32_t sp_chain_n_states(const sp_chain *chain); /* after unfolding */
bool sp_chain_has_weights(const sp_chain *chain); /* any non-zero transition, start or end weight */

/* The rules in classes (score columns). A pair of classes is legal when some state of the first can be followed by some state of
 * the second. O(1) or O(log). */
bool sp_chain_is_legal(const sp_chain *chain, int32_t from, int32_t to);
bool sp_chain_is_legal_start(const sp_chain *chain, int32_t k);
bool sp_chain_is_legal_end(const sp_chain *chain, int32_t k);
/* Shortest run of class k that the model allows: the least min_dwell of its states; 1 without. */
int32_t sp_chain_min_dwell(const sp_chain *chain, int32_t k);
bool sp_chain_min_dwell_at_end(const sp_chain *chain);

/* Path score of a path written in classes, recomputed in float64 in this order:
 *     s = start[p0] + e[0,p0];  s = (s + log_trans[p(t-1),pt]) + e[t,pt]  for t = 1..T-1;  s = s + end[p(T-1)]
 * with 0 for log_trans across a gap. With several states per class: the best state path that emits the classes.
 * -INFINITY when the model forbids the path or the scores make it impossible.
 *   path    [T] 0..K-1
 * Returns SP_OK (T = 0: score 0), SP_EINVAL (a class out of range), SP_ENOMEM. */
sp_status sp_path_score(const sp_chain *chain, const sp_scores *scores, const int32_t *path, double *score, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
