/* The evaluation of a run, whether its paths are decoded or there already: its options, and what is described in the end. */
#ifndef PIPELINE_JUDGING_H
#define PIPELINE_JUDGING_H

#include "evaluate/evaluate.h"
#include "pipeline/pipeline.h"

/* ---- options ---- */

typedef struct sp_sleep_choice {
    int32_t stage_of_class[SP_N_STAGES]; /* of the columns */
    bool is_sleep;
    double epoch_seconds;
    bool is_assumed;
} sp_sleep_choice;

/* Classes are stages when the shipped sleep models know all of them, by name or alias, and all five are there. The length of a
 * step is what epoch_seconds says, else what p->about.step_seconds says; else, of stages, 30 s, which is an assumption, and of
 * other classes 0: not known.
 *   classes  [K] names in the order of the columns
 * SP_OK; SP_EDATA (a file says nonsense), SP_ENOMEM. */
sp_status sp_sleep_choose(const sp_pipeline *p, const char *const *classes, sp_sleep_choice *out,
                          sp_error *err);

/* Stages and is_sleep alone. SP_OK, SP_ENOMEM. */
sp_status sp_sleep_find(int32_t K, const char *const *classes, sp_sleep_choice *out, sp_error *err);

/* Tells the evaluation; `choice` must stay until it is made. */
void sp_sleep_apply(const sp_sleep_choice *choice, sp_evaluation_options *how);

enum { MAX_COLLAPSES = 16 };

typedef struct sp_evaluation_words {
    int32_t n_collapses;
    sp_collapse collapses[MAX_COLLAPSES];
    uint8_t *background; /* [K] or NULL */
} sp_evaluation_words;

/* Takes weighted_kappa, interval, scheme, collapse, preset, background, margin and wake_trim into `how`,
 * which already knows about stages; what it borrows stays in `j`, to be cleared in any case. classes [K]
 * names in the order of the columns. SP_OK; SP_EINVAL, SP_ENOMEM. */
sp_status sp_evaluation_words_read(sp_evaluation_words *j, const sp_run_options *o, const sp_run_plan *plan,
                                   int32_t K, const char *const *classes, sp_evaluation_options *how,
                                   sp_error *err);
void sp_evaluation_words_clear(sp_evaluation_words *j);

/* How intervals are made. */
sp_bootstrap_options sp_run_bootstrap(const sp_run_options *o);

/* Runs all recordings, evaluates them, and describes the result. */
sp_status sp_pipeline_evaluate(sp_pipeline *p, sp_comparison **out, sp_error *err);

#endif
