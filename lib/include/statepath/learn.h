/* Learning: models of usual shapes, from counted labels, and fitted; calibration of scores.
 *
 *     sp_fit_options options = sp_fit_options_default();
 *     options.method = SP_FIT_CRF;
 *     sp_fit(&training, &options, workers, &model, NULL, &err);
 */
#ifndef STATEPATH_LEARN_H
#define STATEPATH_LEARN_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/comparison.h"
#include "statepath/decode.h"
#include "statepath/model.h"
#include "statepath/scores.h"
#include "statepath/statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- usual shapes, and counted labels ---- */

/* Tagging models over entity types, e.g. {"PER","LOC"} -> O, B-PER, I-PER, B-LOC, I-LOC; or over all tags of a scheme, in their
 * order ("O" or a tag among the names says that they are tags).
 *   scheme  in any case: IOB2 (BIO: I-X only after B-X or I-X, never first), IOB1 (B-X only after a tag of X), IOE1 (E-X only
 *           before a tag of X), IOE2 (I-X is followed by I-X or E-X), BIOES (B-X and I-X are followed by I-X or E-X; nothing ends
 *           in B-X or I-X), BILOU and BMES (BIOES with other letters)
 * Returns, as all builders here: SP_OK, SP_EINVAL (no names, an empty or a repeated one, step < 1, no such scheme, a tag of
 * another), SP_ENOMEM. */
sp_status sp_model_new_tags(const char *scheme, int32_t n, const char *const *types, sp_model **out,
                            sp_error *err);
sp_status sp_model_new_bio(int32_t n_types, const char *const *types, sp_model **out, sp_error *err);
sp_status sp_model_new_bioes(int32_t n_types, const char *const *types, sp_model **out, sp_error *err);

/* Log weights of the transitions of BIOES tags by kind, the same for all types. Starts and ends have none. */
typedef enum sp_tag_bias {
    SP_BIAS_OUTSIDE_STAY,  /* O to O */
    SP_BIAS_OUTSIDE_START, /* O to B-, S- */
    SP_BIAS_END_OUTSIDE,   /* E-, S- to O */
    SP_BIAS_END_START,     /* E-, S- to B-, S- */
    SP_BIAS_INSIDE_GO_ON,  /* B-x, I-x to I-x */
    SP_BIAS_INSIDE_END,    /* B-x, I-x to E-x */
    SP_N_TAG_BIASES
} sp_tag_bias;
typedef struct sp_tag_biases {
    double nats[SP_N_TAG_BIASES];
} sp_tag_biases;

/* Gives each transition of a model of tags its kind's weight; what is forbidden stays so. SP_OK; SP_EINVAL (a transition between its classes
 * is of none of these kinds: they are no tags of a scheme such as BIOES), SP_ENOMEM. */
sp_status sp_model_tie_tags(sp_model *model, const sp_tag_biases *biases, sp_error *err);
/* Are a model's log weights such biases, to the last bit? out: the biases, 0 of a kind that no transition has. SP_OK, SP_ENOMEM. */
sp_status sp_model_tied(const sp_model *model, bool *is_tied, sp_tag_biases *out, sp_error *err);

/* Over given classes: left-right (stay, or go on by up to `step` classes; starts in the first, ends anywhere), cycle (stay or go
 * to the next, the last goes to the first), band (stay, or move by up to `step` classes either way). step >= 1. */
sp_status sp_model_new_left_right(int32_t n_classes, const char *const *classes, int32_t step, sp_model **out,
                                  sp_error *err);
sp_status sp_model_new_cycle(int32_t n_classes, const char *const *classes, sp_model **out, sp_error *err);
sp_status sp_model_new_band(int32_t n_classes, const char *const *classes, int32_t step, sp_model **out,
                            sp_error *err);

/* Counts of labels, added to recording by recording. */
typedef struct sp_label_counts {
    int32_t n_classes;
    int64_t *transitions; /* [K,K] inside recordings and segments, both steps scored */
    int64_t *starts;      /* [K] first step of each recording, when scored */
    int64_t *ends;        /* [K] */
    int64_t *steps;       /* [K] */
    int64_t n_recordings;
} sp_label_counts;
sp_status sp_label_counts_init(sp_label_counts *counts, int32_t n_classes,
                               sp_error *err);       /* SP_OK, SP_EINVAL, SP_ENOMEM */
void sp_label_counts_clear(sp_label_counts *counts); /* frees */
/* One recording. labels [T] -1 (unscored) to K-1; segments [T] or NULL. */
void sp_label_counts_add(sp_label_counts *counts, int64_t n_steps, const int32_t *labels,
                         const int64_t *segments);

/* The model that allows the transitions and starts seen at least min_count times (staying is always allowed for a class seen at
 * all; classes never seen may be entered from nowhere and are warned about by model check). Boolean; ends anywhere; prior from
 * the steps (used only where prior_weight asks for it). min_count >= 1. SP_OK; SP_EINVAL (min_count, no labelled step, no start
 * seen often enough); SP_EMODEL (names empty or repeated); SP_ENOMEM. */
sp_status sp_model_from_counts(const char *name, const char *const *classes, const sp_label_counts *counts,
                               int64_t min_count, sp_model **out, sp_error *err);

/* ---- training sets ----
 *
 * Recordings in memory with labels. Everything here is in the order of the score columns.
 */

/* A view; borrows everything. */
typedef struct sp_training {
    sp_batch
        batch; /* scores [S,K] in nats, temperature 1, no prior taken out; data NULL: labels only. Offsets,
                               segments, n_classes and n_steps are always set */
    const int32_t *
        decided; /* [S] classes that a labeller decided, in place of scores: -1 or 0..K-1; NULL: none. Its confusion
                               is learnt with the model */
    const int32_t *labels; /* [S], -1 = unscored, else 0..K-1; NULL: none */
    /* With labels: steps whose label says several classes, of which it is one (a superclass). labels is -1 there, so that figures leave
     * them out, as unscored; sp_fit() holds paths to them. */
    const int32_t *label_set;  /* [S], -1: none, else a row of label_sets; NULL: there are none */
    const uint8_t *label_sets; /* [n_label_sets,K] 1: it may be this class, of at least one */
    int32_t n_label_sets;
    const char *const *classes; /* [K] distinct names */
    double step_seconds;        /* length of a step, for durations and rules in time; 0: not known */
    int64_t max_states;         /* as in sp_chain_options; 0: the usual */
    bool
        may_have_floor; /* scores are log-probabilities, none of them -inf by a mask: fitting may learn a floor */
    const uint8_t *use; /* [N], 0 = the recording takes no part (it is held out); NULL: all take part */
    /* Asked before each pass over the data: all but SP_OK ends learning, with that. NULL: nothing ends it. */
    sp_status (*go_on)(void *arg, sp_error *err);
    void *go_on_arg;
} sp_training;

/* What the labels of a training set hold that cannot be learnt from. A recording is cut there; the parts are learnt from. */
typedef struct sp_violations {
    int64_t scored;      /* labelled steps; those with several classes too, where they are learnt from */
    int64_t transitions; /* neighbouring labelled pairs */
    int64_t illegal;     /* of them forbidden by the rules */
    int64_t illegal_start, illegal_end;
    int64_t short_runs;     /* runs shorter than the minimum dwell */
    int64_t impossible;     /* labelled steps whose class has score -INFINITY, or all of whose classes have */
    int64_t recordings;     /* that take part */
    int64_t labelled;       /* of them with a labelled step */
    int64_t *illegal_pairs; /* [K,K] of two steps with one class each; the rest of `illegal`: with several */
} sp_violations;

/* ---- fitting a model ----
 *
 * Learning a model: from labels by counts, from scores and labels as a conditional random field, from scores alone by EM; and
 * tuning how it decodes by cross-validation over recordings.
 *
 * What the rules forbid stays forbidden, exactly; every model made here passes sp_model_check(). Of rules with several states for a class the
 * labels are constraints: a step labelled k has one of the states of k, one with several classes (sp_training.label_set) a state of one of
 * them, a step without label any. Counts are then expected ones, by expectation-maximisation, SP_FIT_EM looks at labels, too, and optima are
 * local. The same holds of all rules where a step has several classes.
 */

typedef enum sp_fit_method { SP_FIT_COUNTS, SP_FIT_CRF, SP_FIT_EM, SP_N_FIT_METHODS } sp_fit_method;

/* What the choice of options is judged by, on recordings the model did not see. */
typedef enum sp_tune {
    SP_TUNE_NONE,
    SP_TUNE_ACCURACY,
    SP_TUNE_KAPPA,
    SP_TUNE_MACRO_F1,
    SP_TUNE_ENTITY_F1, /* of BIO and BIOES tags; sp_fit() refuses other classes */
    SP_TUNE_EDIT,      /* edit score of the runs (metrics.h) */
    SP_TUNE_NLL,
    SP_TUNE_STAGES,   /* mean of accuracy, kappa and macro F1 */
    SP_TUNE_SEGMENTS, /* mean of accuracy, edit score and F1@50; runs of a class "background" are no segments */
    SP_TUNE_COST,     /* mean cost of a step by sp_fit_options.costs, the less the better */
    SP_N_TUNES
} sp_tune;
const char *sp_tune_name(sp_tune tune); /* "none", "accuracy", ... */
bool sp_tune_is_loss(sp_tune tune); /* nll and cost: the less the better; figures of reports are less them */

/* Whether scores are weighed with those of neighbouring steps (sp_windows) before decoding. */
typedef enum sp_features_rule {
    SP_FEATURES_AUTO, /* where labels of recordings held out are likelier by more than one standard error, and the figure is better; of
                         five groups or more */
    SP_FEATURES_NONE,
    SP_FEATURES_WINDOWS, /* always */
    SP_N_FEATURES_RULES
} sp_features_rule;

/* How long the runs of a class are, learnt from runs whose begin is seen. */
typedef struct sp_learnt_duration {
    int64_t n_whole, n_cut;  /* runs whose end is seen, or not */
    double mean, dispersion; /* of the negative binomial, as in sp_duration */
    double smoothing;        /* imaginary runs that it is worth beside the counts; infinite: it is all */
    int32_t n_lengths; /* tabled; 0: there are no whole runs, or they are too long, and nothing is learnt */
} sp_learnt_duration;

typedef struct sp_fit_options {
    sp_fit_method
        method;   /* SP_FIT_COUNTS, which needs no scores; SP_FIT_CRF is as good or better and slower */
    sp_tune tune; /* SP_TUNE_ACCURACY */
    const double *costs;   /* [K,K] of SP_TUNE_COST, at [label,decoded], 0 or more; else NULL. Borrowed */
    sp_strategy strategy;  /* viterbi: what is tuned for */
    const sp_model *rules; /* NULL: everything allowed. Borrowed */
    int64_t seen;     /* 0; n > 0: rules from the labels, what is seen n times. Not together with rules */
    double smoothing; /* 0.5 */
    double penalty;   /* crf: 0 = by cross-validation */
    int32_t memory;   /* crf: 1 */
    sp_features_rule features; /* SP_FEATURES_AUTO */
    int32_t n_folds;           /* 5: folds inside the training set, for tuning */
    const int32_t *
        group; /* [N] recordings of equal number are never parted between folds; NULL: each its own. Borrowed */
    const char *name;                                                           /* of the model; "fitted" */
    void (*progress)(void *arg, const char *what, int64_t done, int64_t total); /* or NULL */
    void *progress_arg;
} sp_fit_options;
sp_fit_options sp_fit_options_default(void);

/* What was found on the way. Cleared by sp_fit_report_clear(). */
typedef struct sp_fit_report {
    sp_violations violations;
    int64_t n_recordings, n_steps; /* learnt from: labelled with one class, */
    int64_t n_set_steps;           /* with several */
    bool
        has_sparse_labels; /* most labelled steps follow one without a label: those, too, are learnt from, as steps of any class */
    int32_t n_candidates; /* judged by cross-validation */
    sp_tune tune;
    double before,
        after; /* the figure in the folds that chose: of plain settings (weights and temperature 1), of the chosen; NaN: not tuned */
    double floor;          /* in the model; NaN: none */
    int64_t n_lost;        /* recordings held out that have no path without it */
    const char *untuned;   /* why nothing was tuned, where it was asked for and there are scores; or NULL */
    double penalty, scale; /* crf */
    int iterations;
    double log_likelihood; /* crf: conditional; em: of the scores, and labels where states are hidden */
    double
        windows_gain; /* nats by which labels are likelier with windows, a step, and its standard error; NaN: not judged */
    double windows_error;
    double windows_figure_gain; /* what the figure of tuned counts is better by with them; NaN: not judged */
    bool has_windows;
    const char *windows_untried; /* why they were not looked at, where there are scores and labels; or NULL */
} sp_fit_report;
void sp_fit_report_clear(sp_fit_report *report);

/* Learns. Tuned settings stand in the model as decoding defaults; `description` says how it was made.
 *   report  out; may be NULL
 * Returns SP_OK; SP_EINVAL, SP_EMODEL (rules), SP_ENOMEM. The same bytes for every number of threads. */
sp_status sp_fit(const sp_training *training, const sp_fit_options *options, sp_workers *workers,
                 sp_model **out, sp_fit_report *report, sp_error *err);

/* ---- lengths of runs ---- */

/* Lengths of the runs of each class, in whole runs (begin and end seen). */
typedef struct sp_run_lengths {
    int64_t n;                                       /* whole runs */
    int64_t least, q05, q25, median, q75, q95, most; /* 0 without runs */
    double mean;
    int32_t proposed_min_dwell; /* the longest that at most 5 % of the runs fall short of; 1 without runs */
} sp_run_lengths;

/* One for each class: out [K]. quantile: of proposed_min_dwell, 0.05. SP_OK, SP_ENOMEM. */
sp_status sp_run_lengths_collect(const sp_training *training, double quantile, sp_run_lengths *out,
                                 sp_error *err);

/* Gives a model of one state per class, such as sp_model_from_counts() makes, the durations of the runs of the training set: where
 * nothing is gained by the counts of lengths, a negative binomial, else their probabilities, smoothed towards it, up to a length that
 * is twice the longest run and after which the negative binomial has less than one in a million.
 *   n_folds  2 or more: smoothing is chosen by what the runs of the others say of those of each fold
 *   found    out [K]; may be NULL
 * SP_OK; SP_EINVAL (no whole run; a model that says already how long a class stays); SP_ENOMEM. */
sp_status sp_model_learn_durations(sp_model *model, const sp_training *training, int32_t n_folds,
                                   sp_learnt_duration *found, sp_error *err);

/* ---- calibration ----
 *
 * Calibration: how far the scores can be taken for probabilities, and what one temperature, or a scale and a bias for each class,
 * make of them, by maximum likelihood of the labels. Steps are taken one by one; rules and neighbours play no part.
 *
 *     as they are      p_k ~ exp(e_k)
 *     temperature      p_k ~ exp(e_k / T)
 *     vector scaling   p_k ~ exp(scale_k e_k + bias_k)
 *
 * Source  Guo, Pleiss, Sun, Weinberger 2017, "On calibration of modern neural networks", section 4.2; ECE with 15 bins of equal
 * width of the greatest probability.
 */

enum { SP_CALIBRATE_BINS = 15 };

/* How good probabilities are. Rows are normalised before. */
typedef struct sp_calibrated_state {
    double
        nll; /* mean of -log p(label), nats; labels of probability 0 are counted in `impossible` and left out */
    double ece; /* sum over bins of share * |accuracy - mean confidence| */
    int64_t count[SP_CALIBRATE_BINS];
    double accuracy[SP_CALIBRATE_BINS],
        confidence[SP_CALIBRATE_BINS]; /* means in the bin; 0 where it is empty */
} sp_calibrated_state;

typedef struct sp_calibrated {
    int64_t n_steps, impossible; /* labelled steps; of them with a label of score -INFINITY */
    sp_calibrated_state before, by_temperature, by_vector;
    double temperature;
    double *scale, *bias; /* [K] of the vector scaling; biases sum to 0 */
} sp_calibrated;

/* SP_OK (clear afterwards); SP_EINVAL (no scores, no labels, no labelled step of finite score); SP_ENOMEM. A weak penalty
 * (1e-3 / 2 times the squared distance from scale 1, bias 0) keeps classes never seen finite. O(steps K) per evaluation. */
sp_status sp_calibrate(const sp_training *training, sp_calibrated *out, sp_error *err);
void sp_calibrated_clear(sp_calibrated *calibration);

#ifdef __cplusplus
}
#endif
#endif
