/* What parts have counted, put together; in memory. file_merge.c opens the parts. */
#ifndef PIPELINE_MERGE_H
#define PIPELINE_MERGE_H

#include "pipeline/parts/part.h"

typedef struct sp_merging {
    int64_t n_parts;
    const sp_part_content *parts; /* [n_parts] */
    sp_joining joining;
    sp_pipeline *again; /* decodes or reads the steps of drawn recordings; NULL: there are none */
} sp_merging;

/* Adds all parts to an empty evaluation and to the pipeline's own counts. */
sp_status sp_merging_join(sp_pipeline *p, sp_evaluation *evaluation, sp_error *err);

#endif
