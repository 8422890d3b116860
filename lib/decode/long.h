/* The score of a path that comes block by block. For the pipeline; not installed. */
#ifndef STATEPATH_DECODE_LONG_H
#define STATEPATH_DECODE_LONG_H

#include "statepath/model.h"
#include "statepath/scores.h"

/* sp_path_score() of a path that comes block by block, in ascending order, bit for bit. Segments stand in
 * the scores of all blocks or of none. _end: the score, 0 without steps. */
typedef struct sp_long_score sp_long_score;
sp_long_score *sp_long_score_new(const sp_chain *chain); /* NULL on lack of memory */
void sp_long_score_free(sp_long_score *sum);
/* SP_OK; SP_EINVAL: a class out of range, scores of another K. */
sp_status sp_long_score_add(sp_long_score *sum, const sp_scores *scores, const int32_t *path, sp_error *err);
double sp_long_score_end(const sp_long_score *sum);

#endif
