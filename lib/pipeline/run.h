/* Block by block: read, prepare, decode with each strategy, evaluate, write. What compare and decode share; recordings too long
 * for memory go another way (long_recording.h). */
#ifndef PIPELINE_RUN_H
#define PIPELINE_RUN_H

#include "pipeline/extra_outputs.h"
#include "pipeline/pipeline.h"

/* Runs all recordings. `evaluation` and `writer` may be NULL; `extras` is looked at with a writer only. Says in notices what
 * could not be decoded, floored, missing. SP_OK, also when recordings could not be decoded; an error otherwise (SP_ENOPATH with
 * on_infeasible "error"). */
sp_status sp_pipeline_run(sp_pipeline *p, sp_evaluation *evaluation, sp_paths_writer *writer, sp_extra_outputs *extras,
                          sp_error *err);

/* Decodes some recordings (ascending) once more, for an evaluation that keeps their steps: nothing is counted in the pipeline,
 * said or written. */
sp_status sp_pipeline_run_again(const sp_pipeline *p, int64_t n, const int64_t *recordings, sp_evaluation *evaluation,
                                sp_error *err);

#endif
