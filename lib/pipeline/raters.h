/* Labels by several scorers, block by block. */
#ifndef PIPELINE_SCORERS_H
#define PIPELINE_SCORERS_H

#include "pipeline/options.h"

typedef struct sp_raters {
    sp_scorers_found found; /* none: nothing is read */
    int32_t *labels[SP_SOURCE_MAX_SCORERS];
    int64_t room; /* steps */
} sp_raters;

/* Looks for them. Too many classes for matrices of pairs: none, with a notice. SP_OK; as sp_source_find_scorers. */
sp_status sp_raters_find(sp_raters *s, const sp_run_options *o, sp_source *source, int32_t n_classes, sp_error *err);
void sp_raters_clear(sp_raters *s);

/* Reads their labels of a part of n_steps. */
sp_status sp_raters_read(sp_raters *s, const sp_recordings *from, const sp_part *part, int64_t n_steps, sp_error *err);

/* Room for so many steps of each. SP_OK, SP_ENOMEM. */
sp_status sp_raters_reserve(sp_raters *s, int64_t n_steps, sp_error *err);

#endif
