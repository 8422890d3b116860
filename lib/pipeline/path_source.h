/* Where the paths of a run come from: they are decoded of the scores (decoding.c), or they are there already
 * (given.c). */
#ifndef PIPELINE_PATH_SOURCE_H
#define PIPELINE_PATH_SOURCE_H

#include "pipeline/pipeline.h"

/* The answers of all strategies of one classifier for a block of whole recordings; buffers that only grow. */
typedef struct sp_answers {
    int32_t *paths[SP_RUN_STRATEGIES];
    sp_decoded *results[SP_RUN_STRATEGIES];
    uint8_t *violations[SP_RUN_STRATEGIES];
    double seconds[SP_RUN_STRATEGIES];
    int64_t step_room, recording_room;
} sp_answers;

void sp_answers_clear(sp_answers *a);
/* Room for n_strategies and the recordings of a block. SP_OK, SP_ENOMEM. */
sp_status sp_answers_reserve(sp_answers *a, int n_strategies, const sp_block *block, sp_error *err);

struct sp_path_source {
    /* They follow from the scores by rules and strategies of this run: legality is known, and other rules could be tried. Paths
     * that are there already have neither scores nor seconds, and reading them shares the file with what is read ahead. */
    bool is_decoded;
    unsigned labels_parts; /* SP_BLOCK_* that labels in files of their own bring */
    /* Are labels of a block that are not told yet classes at all? SP_OK; SP_EDATA. NULL: they are. */
    sp_status (*check_labels)(const sp_pipeline *p, const sp_block *block, sp_error *err);
    /* Paths of a block that are there already are read into `a`; nobody has seen the block yet. NULL: paths
     * are made of it. */
    sp_status (*read)(sp_pipeline *p, const sp_block *block, sp_answers *a, sp_error *err);
    /* The paths of a block by all strategies, into `a`, which has room. Labels of block and raters become columns of the paths. */
    sp_status (*block)(sp_pipeline *p, sp_block *block, int32_t *const *raters, sp_answers *a, sp_error *err);
    /* Says in notices what could not be decoded; or NULL. */
    void (*summarise)(const sp_pipeline *p);
};
extern const sp_path_source sp_decoding_source, sp_given_source;

/* Decodes by strategy s the recordings of a block; counts failures.
 *   seconds  out */
sp_status sp_pipeline_decode(sp_pipeline *p, int s, const sp_block *block, const sp_decode_output *output,
                             double *seconds, sp_error *err);

#endif
