/* Which shard of how many, and what is of it. */
#ifndef PARTS_SHARD_H
#define PARTS_SHARD_H

#include "statepath/scores.h"

typedef struct sp_shard {
    int64_t i, n;      /* i from 1 to n */
    bool is_scheduled; /* the scheduler says so: its other tasks count other shards */
} sp_shard;

/* "3/16"; "auto": the variables of Slurm, SGE, LSF and PBS arrays, then the ranks of Slurm, Open MPI and PMI. NULL: 1/1. SP_OK;
 * SP_EINVAL. */
sp_status sp_shard_read(const char *text, sp_shard *out, sp_error *err);

/* The name of a part, with %i and %n filled in. The caller frees it. SP_OK; SP_EINVAL (several shards and no %i), SP_ENOMEM. */
sp_status sp_part_file_name(const char *pattern, const sp_shard *shard, char **out, sp_error *err);

/* Every n-th fold is the shard's. NULL: all are. */
bool sp_shard_has_fold(const sp_shard *shard, int32_t fold);

/* The i-th contiguous range of recordings, balanced by steps. */
void sp_shard_range(const sp_shard *shard, const sp_source_info *info, int64_t *first, int64_t *end);

#endif
