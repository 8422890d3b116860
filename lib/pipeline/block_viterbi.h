/* A recording that does not fit in memory, decoded by Viterbi block by block, its path written as it is
 * known. */
#ifndef PIPELINE_BLOCK_VITERBI_H
#define PIPELINE_BLOCK_VITERBI_H

#include "pipeline/pipeline.h"

/* Can it be done? Viterbi is the only strategy, steps can be read by themselves, and all consumers take a
 * path as it comes. */
bool sp_block_viterbi_can(const sp_pipeline *p);

/* The path is that of the whole recording in memory; a step is known when all survivors agree on it
 * (sp_online_new_exact()). SP_OK, also where there is no path; SP_ENOMEM: so many steps are undecided at once
 * that they do not fit into `there` bytes. */
sp_status sp_block_viterbi_run(sp_pipeline *p, int64_t recording, double there, sp_error *err);

#endif
