/* Evaluation for the other rooms: how a comparison is filled, from blocks of recordings; and coarser classes,
 * tags, wake. Not installed.
 */
#ifndef STATEPATH_EVALUATE_EVALUATE_H
#define STATEPATH_EVALUATE_EVALUATE_H

#include "evaluate/metrics/reliability_sums.h"
#include "evaluate/metrics/sequences.h"
#include "statepath/decode.h"
#include "statepath/metrics.h"
#include "statepath/sleep.h"
#include "statepath/statistics.h"
#include "tags/tags.h"

typedef struct sp_evaluation sp_evaluation;
/* What is in these stands in comparison.h. */
typedef struct sp_comparison sp_comparison;
typedef struct sp_against sp_against;

enum {
    SP_EVALUATION_MAX_STRATEGIES = 64 /* of all classifiers together */,
    SP_MOST_AGAINST = 15 /* other classifiers */
};

typedef struct sp_evaluation_options {
    bool has_labels;
    int32_t n_strategies;
    const char *const *names; /* [n_strategies]; those of other classifiers are NAME.STRATEGY */
    int32_t n_against;        /* other classifiers, at most SP_MOST_AGAINST */
    const char *const *
        against; /* [n_against] their names; copied. Strategies of one stand together, in the order of these */
    const int32_t *
        classifiers; /* [n_strategies] 0: of the first classifier, i: of against[i-1]; NULL: all of the first */
    const bool *is_legal; /* [n_strategies] legal by construction */
    bool with_ceiling;    /* true: decode the labels' own 0/1 scores once more for the mask ceiling */
    bool has_path_scores; /* true; false: results carry no scores (paths from elsewhere) */
    int64_t
        trace_steps; /* keep the steps of all recordings as long as they are at most so many, else of none:
                                   sp_report_drawn() then says whose are to be fetched; 0: none */
    const char *const *
        classes; /* [K] names in the order of the score columns, for entities; NULL: none. Used during _new only */
    const sp_tag_scheme
        *scheme; /* of these tags, for the strict reading of entities; NULL: by their letters */
    bool work_is_guessed;
    sp_work work; /* compares pairs by segments (actions) or entities (tags) too */
    const uint8_t
        *background; /* [K] 1: runs of the class are no segments; NULL: all are. Used during _new only */
    sp_bootstrap_options bootstrap;
    const int32_t *
        stage_of_class; /* [K] sp_sleep_stage of each class, for sleep statistics; NULL: none. Used during _new only */
    double
        epoch_seconds; /* length of a step, for rates and, with stage_of_class, sleep statistics; 0: not known */
    bool epoch_is_assumed;
    bool has_length_trim; /* blocks say what was cut */
    sp_kappa_weights kappa_weights;
    int32_t n_collapses;
    const sp_collapse *collapses; /* [n_collapses]; copied */
    bool has_margin;
    double margin;      /* >= 0 */
    bool has_wake_trim; /* needs stage_of_class and labels */
    double wake_trim_minutes;
    int32_t n_raters;            /* 0: none; at most 32 */
    const char *const *raters;   /* [n_raters] names; copied */
    int32_t n_subjects;          /* 0: each recording is its own unit of inference */
    const char *const *subjects; /* [n_subjects] names; copied */
    const char *subjects_place;  /* where they stand; copied */
} sp_evaluation_options;

sp_evaluation_options sp_evaluation_options_default(void);

/* chain: the model as decoded; rules: the same model compiled with is_boolean, for the ceiling (may be NULL without it). Both are
 * borrowed until _finish. Names are copied.
 * SP_OK, SP_EINVAL (K above 8,192: the matrices would not fit; more than 64 strategies; bootstrap options; a ceiling without
 * rules or labels), SP_ENOMEM. Memory O(strategies (K^2 + N) + traces). */
sp_status sp_evaluation_new(const sp_chain *chain, const sp_chain *rules,
                            const sp_evaluation_options *options, sp_evaluation **out, sp_error *err);
void sp_evaluation_free(sp_evaluation *evaluation);

/* Sets labels [n] of wake to -1 that lie more than `margin` steps before the first or after the last step of sleep; returns how
 * many. Without sleep nothing is changed. */
int64_t sp_wake_trim_steps(double minutes, double epoch_seconds); /* whole steps in so many minutes */
int64_t sp_wake_trim(int64_t n_steps, const int32_t *stage_of_class, int64_t margin, int32_t *labels);

/* Adds a block: its labels (NULL without), segments, ids; the paths and results of each strategy for it, and the seconds each
 * took. A step of a path may be -1 where the recording was decoded (paths from elsewhere): it is undecoded, and breaks the chain.
 *   paths    [n_strategies][S], -1..K-1;   results  [n_strategies][N];   ids  [N] or NULL: the recording's number
 *   workers  threads, borrowed until _finish, which uses the last block's; NULL: one
 * SP_OK; SP_EDATA (a label or class of a path outside -1..K-1: recording and step named); SP_EINVAL (labels missing where they
 * were announced); SP_ENOMEM. After SP_ENOMEM the evaluation can only be freed. Cost O(S) a strategy, plus the ceiling's decoding
 * and, for the edit score, the product of both numbers of runs divided by 64. */
typedef struct sp_evaluation_block {
    int64_t n_recordings;
    const int64_t *offsets;   /* [N+1] from 0 */
    const char *const *ids;   /* [N] or NULL */
    const int32_t *labels;    /* [S] or NULL */
    const int64_t *segments;  /* [S] or NULL */
    const sp_scores *scores;  /* [S,K] prepared, for regret and the density of traces; or NULL */
    const sp_scores *against; /* [n_against] those of the other classifiers, with the same columns; or NULL */
    const int32_t *const *paths;
    const sp_decoded *const *results;
    const double *seconds;                           /* [n_strategies] or NULL */
    const int32_t *const *raters;                    /* [n_raters][S], -1 unscored; NULL without raters */
    const int32_t *subject;                          /* [N] 0..n_subjects-1; NULL without subjects */
    const int64_t *cut_path_steps, *cut_label_steps; /* [N] left out already; NULL without has_length_trim */
} sp_evaluation_block;
sp_status sp_evaluation_add(sp_evaluation *evaluation, const sp_evaluation_block *block, sp_workers *workers,
                            sp_error *err);

/* Finishes: metrics, means, pairs, intervals. Everything about the input file, the names of classes and the model's texts is left
 * empty for the caller to fill (sp_comparison_describe). The evaluation is empty afterwards; free it. */
sp_status sp_evaluation_finish(sp_evaluation *evaluation, sp_comparison **out, sp_error *err);

/* Gives `to` the traces of an evaluation, and nothing else of it, instead of its own: for pictures of a few recordings that can
 * only be chosen when all are known. The evaluation was made with the same strategies and enough trace_steps, and its i-th
 * recording is recordings[i] of `to`, ascending. It keeps no steps from then on. */
void sp_evaluation_move_traces(sp_evaluation *evaluation, const int64_t *recordings, sp_comparison *to);

/* Fills the input and model texts of a comparison. Strings are copied. class_of_column as from sp_model_align (NULL: in order).
 */
typedef struct sp_comparison_texts {
    const char *file;
    int64_t file_size;
    int64_t n_files; /* 0: one file */
    const sp_source_file *files;
    int64_t n_label_files; /* of labels, that cannot be read */
    const sp_source_file *label_files;
    int64_t n_unread;          /* recordings whose file cannot be read; none of the figures is of them */
    const char *const *unread; /* [n_unread] their ids */
    const char *command;
    const char *const *input_classes; /* [K] or NULL: the model's */
    const sp_model *model;
    const int32_t *class_of_column;
    const char *path_codes, *label_codes; /* or NULL */
    const char *labels_file;              /* or NULL */
} sp_comparison_texts;
sp_status sp_comparison_describe(sp_comparison *comparison, const sp_comparison_texts *texts, sp_error *err);

/* Sets nll from its sums: undefined where the reference is impossible somewhere, or no step counts. */
void sp_comparison_set_nll(sp_comparison *comparison, const sp_nll *nll);

/* The same for another classifier, with what its scores are; nll NULL: no likelihood. Texts are copied, NULL: not known. SP_OK,
 * SP_ENOMEM. */
sp_status sp_against_describe(sp_against *against, const char *file, int64_t file_size, const char *scores,
                              const sp_nll *nll, sp_error *err);

/* The name of a strategy without its classifier's; NULL: it is the first's. */
const char *sp_own_name(const char *strategy, const char *classifier);

/* From words such as "Light=N1,N2; Deep=N3": groups with a name and their classes; a class that is not named stays itself. Blanks
 * around names do not count. classes [n_classes] in the order of the columns.
 * SP_OK; SP_EINVAL (no "=", a class that is not one or is named twice, two groups of one name, one group only); SP_ENOMEM. */
sp_status sp_collapse_parse(const char *text, int32_t n_classes, const char *const *classes, sp_collapse *out,
                            sp_error *err);

/* Sums a confusion matrix [K,K] and undecoded steps [K] into [G,G] and [G]. */
void sp_collapse_counts(const sp_collapse *collapse, const int64_t *confusion, const int64_t *undecoded,
                        int64_t *out_confusion, int64_t *out_undecoded);

#endif
