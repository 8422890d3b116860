/* All recordings: read, prepared, decoded with each strategy or their paths read, handed on, evaluated. Block by block, those too
 * long for memory chunk by chunk (long_recording.h). */
#ifndef PIPELINE_RUN_H
#define PIPELINE_RUN_H

#include "evaluate/evaluate.h"
#include "pipeline/pipeline.h"
#include "statepath/stream.h"

/* Runs all recordings. `evaluation` may be NULL. Says in notices what could not be decoded, floored, missing. SP_OK, also when
 * recordings could not be decoded; an error otherwise (SP_ENOPATH with on_infeasible "error"). */
sp_status sp_pipeline_run(sp_pipeline *p, sp_evaluation *evaluation, sp_error *err);

/* Decodes some recordings (ascending) once more, for an evaluation that keeps their steps: nothing is counted in the pipeline,
 * said or written. */
sp_status sp_pipeline_run_again(const sp_pipeline *p, int64_t n, const int64_t *recordings, sp_evaluation *evaluation,
                                sp_error *err);

/* Decodes by strategy s the recordings of a block, or, where `chunks` is there, the one recording that the block names and that
 * comes in chunks; counts failures.
 *   output   paths and more of whole recordings; of a recording in chunks only results [1] are looked at
 *   seconds  out */
sp_status sp_pipeline_decode(sp_pipeline *p, int s, const sp_block *block, const sp_long_recording *chunks,
                             const sp_decode_output *output, double *seconds, sp_error *err);

#endif
