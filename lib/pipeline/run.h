/* All recordings: read, prepared, their paths decoded or read, and everything handed to the consumers. Block
 * by block; one that does not fit in memory by block_viterbi.h, or it is refused before anything is read. */
#ifndef PIPELINE_RUN_H
#define PIPELINE_RUN_H

#include "pipeline/pipeline.h"

/* Runs all recordings. Says in notices what could not be decoded, floored, missing. SP_OK, also when recordings could
 * not be decoded; an error otherwise (SP_ENOPATH with on_infeasible "error"). */
sp_status sp_pipeline_run(sp_pipeline *p, sp_error *err);

/* Runs some recordings (ascending) once more, for one consumer alone: nothing is counted in the pipeline, said or written. */
sp_status sp_pipeline_run_again(const sp_pipeline *p, int64_t n, const int64_t *recordings,
                                const sp_consumer *consumer, sp_error *err);

#endif
