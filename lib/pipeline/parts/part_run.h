/* A run that counts for a part: of which recordings, and what is kept of it. Where the part goes is the business of whoever opens it:
 * a file (files/part_file.c) or a block of bytes (parts_in_memory.c). */
#ifndef PIPELINE_PART_RUN_H
#define PIPELINE_PART_RUN_H

#include "parts/part.h"
#include "pipeline/pipeline.h"

typedef struct sp_part_run {
    sp_pipeline *p;   /* NULL: there is no part */
    const char *kind; /* of the header */
    bool with_steps;
    sp_shard shard;
    sp_part_content content;
    /* Once everything is open: describes the run in `content`, and sets is_there. */
    sp_status (*begin)(struct sp_part_run *run, const sp_evaluation_options *how, sp_error *err);
    uint8_t *takes; /* [N] of the pipeline's range */
    char *file;     /* its name; NULL: it is made in memory */
    bool is_there;  /* the part is kept as it is */
} sp_part_run;

/* Makes an open pipeline count for the part that its plan names. `run`, which is zeroed but for kind and begin, stays where it is
 * until it is cleared. */
void sp_part_run_open(sp_part_run *run, sp_pipeline *p);
void sp_part_run_clear(sp_part_run *run);

/* Once folds are fitted: the recordings of the shard are those of its folds. Nothing without a part, or folds. SP_OK, SP_ENOMEM. */
sp_status sp_part_run_take_folds(sp_part_run *run, sp_error *err);

/* Counts: fills run->content, or finds that the part is there already. As sp_pipeline_run(). */
sp_status sp_part_run_count(sp_part_run *run, sp_error *err);

/* Names what a pipeline counts beside the evaluation. */
void sp_part_count_run(sp_counting *c, sp_pipeline *p);

/* What a run is to count of, as a part's header, and whose its recordings are: everything but the counts. `how`: as the
 * evaluation is made with. Into run->content. SP_OK; SP_EINVAL (a name that is not UTF-8), SP_ENOMEM. */
typedef struct sp_part_input {
    const char *name;        /* a file of recordings; after these those of labels */
    int64_t bytes, modified; /* nanoseconds */
    char checksum[32];       /* "" without check_inputs */
} sp_part_input;
sp_status sp_part_describe(sp_part_run *run, const sp_evaluation_options *how, int64_t n_inputs,
                           const sp_part_input *inputs, sp_error *err);

#endif
