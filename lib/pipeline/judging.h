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

/* Takes weighted_kappa, absent_class, interval, zeros, scheme, collapse, preset, background, margin, wake_trim and
 * bridge_unscored into `how`, which already knows about stages; what it borrows stays in `j`, to be cleared in any case. classes
 * [K] names in the order of the columns. SP_OK; SP_EINVAL, SP_ENOMEM. */
sp_status sp_evaluation_words_read(sp_evaluation_words *j, const sp_run_options *o, const sp_run_plan *plan,
                                   int32_t K, const char *const *classes, sp_evaluation_options *how,
                                   sp_error *err);
void sp_evaluation_words_clear(sp_evaluation_words *j);

/* How intervals are made. */
sp_bootstrap_options sp_run_bootstrap(const sp_run_options *o, const sp_run_plan *plan);

/* `nll_clip` for sp_nll.clip: 0 where it is NaN. SP_OK; SP_EINVAL (there is no likelihood). */
sp_status sp_nll_clip_read(double nll_clip, bool has_likelihood, double *clip, sp_error *err);

/* ---- judging ---- */

/* An evaluation, as a consumer of a run: its options, what they borrow, and what is needed to finish it. */
typedef struct sp_judging {
    sp_pipeline *p;
    const sp_pipeline *again;
    sp_evaluation_options how;
    sp_evaluation *evaluation;
    const char **classes; /* [K] in the order of the columns */
    const char **rules;   /* names of the model's rules over more steps */
    const char *names[SP_EVALUATION_MAX_STRATEGIES], *against[SP_MOST_AGAINST];
    int32_t classifiers[SP_EVALUATION_MAX_STRATEGIES];
    bool is_legal[SP_EVALUATION_MAX_STRATEGIES];
    sp_evaluation_words words;
    sp_sleep_choice sleep;
    int64_t *asked, n_asked; /* recordings that the page is asked to draw */
} sp_judging;

/* What becomes of it. */
typedef struct sp_judging_form {
    bool is_part;       /* sp_evaluation_counted() or sp_evaluation_join() will be called */
    bool keeps_steps;   /* of a part: with the steps of all recordings */
    sp_pipeline *again; /* decodes or reads once more the steps that a page draws; NULL: it draws none */
} sp_judging_form;

/* Reads the options and makes the evaluation, which takes what the pipeline then runs; `j` stays where it is. To be closed in any
 * case. SP_OK; SP_EINVAL (options), SP_ENOMEM; what the hook says that is told what there will be. */
sp_status sp_judging_open(sp_judging *j, sp_pipeline *p, const sp_judging_form *form, sp_error *err);
/* The comparison of all that was counted: its steps, texts, likelihood, calibration. */
sp_status sp_judging_finish(sp_judging *j, sp_comparison **out, sp_error *err);
void sp_judging_close(sp_judging *j);

/* All of it: runs all recordings, evaluates them, and describes the result. */
sp_status sp_pipeline_evaluate(sp_pipeline *p, sp_comparison **out, sp_error *err);

#endif
