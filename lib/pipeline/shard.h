/* Shards: which of how many a task decodes, and the recordings that are its share. */
#ifndef PIPELINE_SHARD_H
#define PIPELINE_SHARD_H

#include "pipeline/pipeline.h"

/* The i-th contiguous range of recordings, balanced by steps, in place of all. */
typedef struct sp_share {
    sp_recordings from; /* all */
    int64_t first;      /* of the share */
    int64_t *offsets;   /* [n_recordings + 1] */
    sp_source_info info;
} sp_share;

/* p->from and p->info become the share that p->plan.shard says. To be closed after the pipeline, on failure too.
 * SP_OK, SP_ENOMEM. */
sp_status sp_share_open(sp_share *share, sp_pipeline *p, sp_error *err);
void sp_share_close(sp_share *share);

#endif
