/* Block by block: read, prepare, decode with each strategy, evaluate, write. What compare and decode share; recordings too long
 * for memory go another way (long_recording.h). */
#ifndef STATEPATH_CLI_RUN_H
#define STATEPATH_CLI_RUN_H

#include "beside.h"
#include "pipeline.h"

/* Runs all recordings. `evaluation` and `writer` may be NULL; `extras` is looked at with a writer only. Says on stderr what could
 * not be decoded, floored, missing. SP_OK, also when recordings could not be decoded; an error otherwise (SP_ENOPATH with
 * --on-infeasible error). */
sp_status run_pipeline(pipeline *p, sp_evaluation *evaluation, sp_paths_writer *writer, beside *extras, sp_error *err);

/* Decodes some recordings (ascending) once more, for an evaluation that keeps their steps: nothing is counted in the pipeline,
 * said or written. */
sp_status run_again(const pipeline *p, int64_t n, const int64_t *recordings, sp_evaluation *evaluation, sp_error *err);

#endif
