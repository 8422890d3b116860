/* decode and compare: recordings that are too long to be held in memory, see statepath/long.h. */
#ifndef PIPELINE_LONG_RECORDING_H
#define PIPELINE_LONG_RECORDING_H

#include "pipeline/extra_outputs.h"
#include "pipeline/pipeline.h"

/* Can all that is asked for be done piece by piece? The N best paths and folds read a recording whole, whatever its length. */
bool sp_long_recording_can(const sp_pipeline *p, const sp_extra_outputs *extras);

/* Before anything is read: says in a notice of the longest recording that it has to be read whole, where that is much memory and
 * pieces cannot do what is asked for. SP_OK; SP_ENOMEM where this machine has less. */
sp_status sp_long_recording_warn(const sp_pipeline *p, const sp_extra_outputs *extras, sp_error *err);

/* The first recording from `first` on whose scores are too many for memory; the number of recordings when there is none. */
int64_t sp_long_recording_next(const sp_pipeline *p, int64_t first);

/* Decodes it by all strategies; writes the paths, labels, segments and extras where there is a writer, and evaluates them where
 * there is an evaluation. As sp_pipeline_run(). */
sp_status sp_long_recording_run(sp_pipeline *p, int64_t recording, sp_evaluation *evaluation, sp_paths_writer *writer,
                                sp_extra_outputs *extras, sp_error *err);

#endif
