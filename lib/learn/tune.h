/* Judging models by recordings that they did not see, and settings chosen by it; not installed. */
#ifndef STATEPATH_LEARN_TUNE_H
#define STATEPATH_LEARN_TUNE_H

#include "core/owned.h"
#include "learn/training.h"
#include "statepath/learn.h"

/* What models made of recordings that they did not see. */
typedef struct sp_judged {
    int32_t *paths; /* [S]; or, for likelihoods, NULL */
    double *nll;    /* [N] sum over labelled steps of -log marginal, at most 20 each; or NULL */
} sp_judged;
/* Room for what is judged by `tune`. False on lack of memory. */
bool sp_judged_new(sp_owned *own, const sp_training *training, sp_tune tune, sp_judged *out);
/* cross.c. Decodes every recording with the model of its fold. SP_OK, SP_ENOMEM and what decoding returns. */
sp_status sp_cross_run(const sp_training *training, const sp_model *const *models, const int32_t *fold,
                       int32_t n_folds, const sp_strategy *strategy, sp_workers *workers,
                       const sp_judged *out, sp_error *err);

/* A figure of the recordings that take part, greater is better (the negative of nll and cost), and what it is without each block of them. Steps that were
 * not decoded are wrong; a figure that is not defined is 0. */
enum { SP_MOST_BLOCKS = 50 };
typedef struct sp_evidence {
    double value;
    int64_t n_lost; /* recordings without a path; 0 where likelihoods are judged */
    int32_t
        n_blocks; /* of recordings, those of one group together; one for each group, or, of very many, SP_MOST_BLOCKS */
    double without[SP_MOST_BLOCKS];
} sp_evidence;
/* By options->tune, its costs and groups. SP_OK, SP_ENOMEM. O(S + blocks K^2) and what the figure needs. */
sp_status sp_evidence_of(const sp_training *training, const sp_fit_options *options, const sp_judged *judged,
                         sp_evidence *out, sp_error *err);
/* By how much the figure is greater with something than without, of the same recordings; *error: the standard error of that over recordings
 * by the jackknife (Efron and Tibshirani 1993, chapter 11), infinite where there is but one block. */
double sp_evidence_gain(const sp_evidence *with, const sp_evidence *without, double *error);

/* Settings of a model of counts. */
typedef struct sp_settings {
    double temperature, transition_weight, prior_weight;
    double dwell; /* quantile of the run lengths that the minimum dwell is; 0 = the rules' own */
} sp_settings;

/* Settings by cross-validation: temperature, prior weight, transition weight and minimum dwell, one after the other, twice round; chosen are
 * the simplest within one standard error of the best: those with the fewest that differ from the plain ones, the better of equals
 * (Breiman, Friedman, Olshen, Stone 1984, section 3.4.3). With too few recordings to judge by, or without scores, nothing is tuned:
 * plain settings and NaN values.
 *   evidence  out: of these; untouched where nothing is tuned. May be NULL */
sp_status sp_tune_counts(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                         sp_workers *workers, sp_settings *best, sp_evidence *evidence, sp_fit_report *report,
                         sp_error *err);

/* Minimum dwell of these settings: out [K], at least the rules' own. SP_OK, SP_ENOMEM. */
sp_status sp_settings_dwell(const sp_settings *settings, const sp_training *training, const sp_rules *rules,
                            int32_t *out, sp_error *err);

/* windows.c. Windows over neighbouring steps, as options->features says, and in the report. SP_FEATURES_AUTO: where, by windows that
 * did not see the recording, labels are likelier than by a scale and a bias by more than a standard error of the difference, and tuned counts
 * judged by options->tune are better than without windows.
 *   out     NULL: there are none
 *   scores  [S,K] by windows that did not see the recording, to learn the rest from; to be freed. With out
 * SP_OK; SP_EINVAL (SP_FEATURES_WINDOWS, and they cannot be learnt), SP_ENOMEM and what decoding returns. */
sp_status sp_fit_windows(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                         sp_workers *workers, sp_windows **out, double **scores, sp_fit_report *report,
                         sp_error *err);

/* floor.c. A floor, where training->may_have_floor and there are zeros: that with the fewest held-out recordings without a path, of those the least
 * within one standard error of the best figure, by counts with plain settings. None is one of them.
 *   scores  [S,K] with the floor, to learn the rest from; to be freed. NULL: there is none
 *   report  its floor and n_lost are filled in where there is one
 * SP_OK, SP_ENOMEM and what decoding returns. */
sp_status sp_fit_floor(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                       sp_workers *workers, double **scores, sp_fit_report *report, sp_error *err);

/* Counts with tuned settings. */
sp_status sp_fit_counts(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                        sp_workers *workers, sp_model **out, sp_fit_report *report, sp_error *err);

/* A conditional random field drawn to the tuned counts: free or fixed scale and penalty by cross-validation; where none of them
 * beats the counts, the counts. */
sp_status sp_fit_crf(const sp_training *training, const sp_fit_options *options, const sp_rules *rules,
                     sp_workers *workers, sp_model **out, sp_fit_report *report, sp_error *err);

/* decided.c. The log likelihoods of training->decided (core/labeller.h). Each recording's are by the confusion of the other folds, so that
 * nothing that is learnt from them has seen its own labels; where there are no two recordings to share out, by that of all.
 *   scores     out [S,K] nats
 *   confusion  out [K,K] of all recordings that take part, each count plus 1
 * SP_OK; SP_EINVAL (no labels), SP_ENOMEM. O(S K). */
sp_status sp_decided_scores(const sp_training *training, const sp_fit_options *options, double *scores,
                            double *confusion, sp_error *err);

/* Steps that settings are chosen by, and that a random field is learnt from: of more, a part of the recordings. The standard error of a figure of
 * 100,000 steps of recordings of 1,000 is about half a point, less than what the grid of settings can tell apart. */
enum { SP_TUNED_STEPS = 100000, SP_FIELD_STEPS = 300000 };

/* Of the recordings in use [N] leaves every n-th one (or group), so that about most_steps of their steps stay, but at least 20 of them (or
 * groups) or all. SP_OK, SP_ENOMEM. */
sp_status sp_thin_out(const sp_training *training, const int32_t *group, int64_t most_steps, uint8_t *use,
                      sp_error *err);

/* Cross-validation inside a training set, among the labelled recordings that take part. */
typedef struct sp_tuner {
    sp_owned own;
    const sp_training *training;
    const sp_fit_options *options;
    sp_workers *workers;
    int32_t n_folds, n_done;
    int64_t most_steps; /* of recordings that take part, about; 0: all take part */
    int64_t n_groups;   /* judged recordings, or groups */
    int32_t *fold;      /* [N] -1: not learnt from */
    uint8_t *judged;    /* [N] those with a step that has one class */
    uint8_t *learnt;    /* [N] those, and others whose steps have several */
    uint8_t *use;       /* [n_folds,N] what the model of a fold learns from */
    sp_model **models;  /* [n_folds] what is judged; owned */
} sp_tuner;

/* n_folds becomes 0 where there is nothing to cross-validate (fewer than two labelled groups). training, options and workers are
 * set. SP_OK, SP_ENOMEM; to be cleared in any case. */
sp_status sp_tuner_init(sp_tuner *tuner, sp_error *err);
void sp_tuner_clear(sp_tuner *tuner);
/* Why nothing is chosen: there are too few groups for a standard error over them. NULL: there are enough. */
const char *sp_tuner_reason_against(const sp_tuner *tuner);
/* The training set without a fold. */
sp_training sp_tuner_without(const sp_tuner *tuner, int32_t fold);
/* What the models of the folds [n_folds] make of the recordings that they did not see, judged; one more setting that was tried. SP_OK;
 * SP_EFILE (stopped), SP_ENOMEM and what decoding returns. */
sp_status sp_tuner_judge(sp_tuner *tuner, sp_model *const *models, sp_evidence *out, sp_error *err);

#endif
