/* decode and compare: recordings that are too long to be held in memory, see statepath/long.h. */
#ifndef STATEPATH_CLI_LONG_RECORDING_H
#define STATEPATH_CLI_LONG_RECORDING_H

#include "beside.h"
#include "pipeline.h"
#include "progress.h"

/* Can all that is asked for be done piece by piece? The N best paths and --cv read a recording whole, whatever its length. */
bool long_recording_can(const pipeline *p, const beside *extras);

/* Before anything is read: says on stderr of the longest recording that it has to be read whole, where that is much memory and
 * pieces cannot do what is asked for. SP_OK; SP_ENOMEM where this machine has less. */
sp_status long_recording_warn(const pipeline *p, const beside *extras, sp_error *err);

/* The first recording from `first` on whose scores are too many for memory; the number of recordings when there is none. */
int64_t long_recording_next(const pipeline *p, int64_t first);

/* Decodes it by all strategies; writes the paths, labels, segments and extras where there is a writer, and evaluates them where
 * there is an evaluation. `line` goes on while it is read. As run_pipeline(). */
sp_status long_recording_run(pipeline *p, int64_t recording, sp_evaluation *evaluation, sp_paths_writer *writer, beside *extras,
                             progress *line, sp_error *err);

#endif
