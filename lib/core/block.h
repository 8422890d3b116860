/* Blocks from the inside: wider scores, and where a row stands. Not installed. */
#ifndef STATEPATH_CORE_BLOCK_H
#define STATEPATH_CORE_BLOCK_H

#include "statepath/scores.h"

/* Turns f32 scores into f64, exactly; nothing to do when they are f64 already or absent. Scores that are the caller's (not in the
 * block's own memory) are left alone: the block then has room for as many doubles, and *narrow says where the floats are that
 * the caller is to put there; else *narrow is NULL. SP_OK or SP_ENOMEM (the block is unchanged then). */
sp_status sp_block_widen(sp_block *block, const float **narrow, sp_error *err);

/* Makes room for those of scores (of the block's type), labels, segments, weights and mask (SP_BLOCK_*) that the block does not
 * have; the rest stays. SP_OK or SP_ENOMEM. */
sp_status sp_block_add_parts(sp_block *block, unsigned parts, sp_error *err);

/* Notes what is about to be taken off each score: weight * log_prior[k], nothing where weight is 0. SP_OK or SP_ENOMEM. */
sp_status sp_block_take_off(sp_block *block, double weight, const double *log_prior, sp_error *err);

/* What the scores, doubles, are now goes into block->given. SP_OK, SP_ENOMEM. */
sp_status sp_block_keep_given(sp_block *block, sp_error *err);

/* Where a row of the block stands, for messages: "night.h5: /recordings/n3/log_probs, recording n3, step 17, class REM".
 *   row    0..S-1 of the block
 *   k      class, or -1 to name none
 *   text   out, `size` bytes, always terminated, cut when too long; what the block does not know is left out (a recording
 *          without id is named by its index in the file, a class without name by its index)
 * Returns the step within its recording, from 0. */
int64_t sp_block_where(const sp_block *block, int64_t row, int32_t k, char *text, size_t size);

/* The recording that step t of N of them belongs to: offsets [N+1], 0 <= t < offsets[N]. O(log N). */
int64_t sp_recording_at(const int64_t *offsets, int64_t n_recordings, int64_t t);

#endif
