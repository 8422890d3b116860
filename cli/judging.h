/* How paths are judged, beyond what is judged: options that compare and evaluate share. */
#ifndef STATEPATH_CLI_JUDGING_H
#define STATEPATH_CLI_JUDGING_H

#include "options.h"

enum { MAX_COLLAPSES = 16 };

typedef struct judging {
    int32_t n_collapses;
    sp_collapse collapses[MAX_COLLAPSES];
} judging;

/* Reads --weighted-kappa, --absent-class, --interval, --zeros, --collapse, --margin, --wake-trim and --bridge-unscored into
 * `how`, which already knows about stages; what it borrows stays in `j`, to be cleared in any case. classes  [K] names in the
 * order of the columns SP_OK; SP_EINVAL, SP_ENOMEM. */
sp_status judging_read(judging *j, const options *o, int32_t K, const char *const *classes, sp_evaluation_options *how,
                       sp_error *err);
void judging_clear(judging *j);

/* --nll-clip for sp_nll.clip: 0 where it is not given. SP_OK; SP_EINVAL (not between 0 and 1; there is no likelihood). */
sp_status nll_clip_read(const options *o, bool has_likelihood, double *clip, sp_error *err);

/* Tells the evaluation whose the recordings are; `subjects` (or NULL) must stay until it is made. */
void subjects_apply(const sp_subjects *subjects, sp_evaluation_options *how);

#endif
