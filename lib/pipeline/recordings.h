/* Parts of recordings, and the labels of several raters that are read with them. */
#ifndef PIPELINE_RECORDINGS_H
#define PIPELINE_RECORDINGS_H

#include "core/subjects.h"
#include "pipeline/options.h"

/* All that a block can hold. */
enum {
    SP_BLOCK_ALL = SP_BLOCK_SCORES | SP_BLOCK_LABELS | SP_BLOCK_SEGMENTS | SP_BLOCK_MASK | SP_BLOCK_WEIGHTS
};

/* The part that is recordings first .. first+count-1, as many of them before `end` as have no more than so many steps. */
sp_part sp_recordings_fit(const sp_recordings *r, int64_t first, int64_t end, int64_t steps);

/* Copies n steps of what both blocks hold, from step `from_step` of one to step `to_step` of the other. Classes and type of the
 * scores are the same. */
void sp_copy_steps(sp_block *to, int64_t to_step, const sp_block *from, int64_t from_step, int64_t n);

/* SP_BLOCK_* of what a block holds, and of what recordings have. */
unsigned sp_block_parts(const sp_block *block);
unsigned sp_info_parts(const sp_source_info *info);

/* Makes room in a block for a part, with what of `parts` there is: its recordings, their offsets and ids. SP_OK, SP_ENOMEM. */
sp_status sp_block_begin(sp_block *block, const sp_source_info *info, const sp_part *part, unsigned parts,
                         sp_error *err);

typedef struct sp_rater_labels {
    sp_raters_found found; /* none: nothing is read */
    int32_t *labels[SP_SOURCE_MAX_RATERS];
    int64_t room; /* steps */
} sp_rater_labels;

void sp_rater_labels_clear(sp_rater_labels *s);

/* Reads their labels of a part of n_steps. SP_OK; SP_ENOMEM; what reading says. */
sp_status sp_rater_labels_read(sp_rater_labels *s, const sp_recordings *from, const sp_part *part,
                               int64_t n_steps, sp_error *err);

#endif
