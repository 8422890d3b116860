/* The memory that a recording needs, told before it is read, and the memory that there is. */
#ifndef PIPELINE_MEMORY_H
#define PIPELINE_MEMORY_H

#include "pipeline/pipeline.h"

/* Bytes that this process may still take: the least that the machine has, its cgroups allow (memory.max,
 * memory.limit_in_bytes), and RLIMIT_AS and RLIMIT_DATA leave. */
double sp_memory_there(void);

/* Bytes that a recording of n_steps takes in a run: scores and what stands beside them, paths of all
 * strategies, back-pointers or marginals while they are made, and what consumers ask for. */
double sp_memory_needed(const sp_pipeline *p, int64_t n_steps);

/* The sentence for a recording that does not fit: SP_ENOMEM. */
sp_status sp_memory_lacks(const sp_pipeline *p, int64_t recording, double needed, double there,
                          sp_error *err);

#endif
