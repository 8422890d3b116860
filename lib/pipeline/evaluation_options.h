/* How paths are judged, beyond what is judged: options that compare and evaluate share. */
#ifndef PIPELINE_JUDGING_H
#define PIPELINE_JUDGING_H

#include "pipeline/options.h"

enum { MAX_COLLAPSES = 16 };

typedef struct sp_evaluation_words {
    int32_t n_collapses;
    sp_collapse collapses[MAX_COLLAPSES];
} sp_evaluation_words;

/* Reads weighted_kappa, absent_class, interval, zeros, collapse, margin, wake_trim and bridge_unscored into
 * `how`, which already knows about stages; what it borrows stays in `j`, to be cleared in any case. classes  [K] names in the
 * order of the columns SP_OK; SP_EINVAL, SP_ENOMEM. */
sp_status sp_evaluation_words_read(sp_evaluation_words *j, const sp_run_options *o, int32_t K, const char *const *classes,
                                   sp_evaluation_options *how, sp_error *err);
void sp_evaluation_words_clear(sp_evaluation_words *j);

/* nll_clip for sp_nll.clip: 0 where it is not given. SP_OK; SP_EINVAL (not between 0 and 1; there is no likelihood). */
sp_status sp_nll_clip_read(const sp_run_options *o, bool has_likelihood, double *clip, sp_error *err);

#endif
