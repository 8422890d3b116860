/* The result of a comparison: everything that a table, a JSON file or a page shows. Filled by sp_evaluation, read by report/.
 *
 * All arrays belong to the sp_comparison. Classes are in the order of the score columns.
 */
#ifndef STATEPATH_COMPARISON_H
#define STATEPATH_COMPARISON_H

#include "statepath/agreement.h"
#include "statepath/collapse.h"
#include "statepath/decode.h"
#include "statepath/loss.h"
#include "statepath/model.h"
#include "statepath/reliability.h"
#include "statepath/scorers.h"
#include "statepath/sleep_statistics.h"
#include "statepath/statistics.h"
#include "statepath/transitions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One recording under one strategy. */
typedef struct sp_recording_result {
    sp_decoded decoded;
    int64_t scored, correct;
    sp_value accuracy, kappa;
    sp_transition_counts counts;
} sp_recording_result;

/* What a strategy changed against argmax, over scored steps; the four sum to them. An undecoded step is wrong; two undecoded
 * steps are the same. */
typedef struct sp_changes {
    int64_t fixed, worsened, wrong_to_wrong, same;
} sp_changes;

/* Where a step stands in the reference: does the neighbour before it and after it have the same class? A neighbour that is
 * missing (ends of recordings and segments) or unscored counts as the same. Names as in Luna: AAA inside a run, AAX before a
 * change, XAA after one, XAX a run of one step. */
typedef enum sp_context { SP_CONTEXT_AAA, SP_CONTEXT_AAX, SP_CONTEXT_XAA, SP_CONTEXT_XAX, SP_N_CONTEXTS } sp_context;
const char *sp_context_name(sp_context context); /* "AAA" ... */

/* Runs of one class. With a reference both sides are counted inside stretches of scored steps, so that they compare; without one
 * over whole paths. Gaps and ends cut runs; a run that is cut counts with the length it has. Undecoded steps have no runs. */
typedef struct sp_length_count {
    int64_t length, count;
} sp_length_count;
typedef struct sp_class_runs {
    int64_t count, steps;
    int64_t isolated;      /* runs of one step */
    sp_value mean, median; /* length in steps; undefined "no runs" */
    sp_value count_ratio;  /* count / count in the reference; undefined in the reference itself and where it has none */
    int64_t n_lengths;
    sp_length_count *lengths; /* ascending: the whole distribution */
} sp_class_runs;

/* Changes of class found within 0, 1, 2 steps: a change of the reference is matched by a change of the path between the same two
 * classes, each used once. Both sides inside stretches of scored steps. */
enum { SP_N_TOLERANCES = 3 };
typedef struct sp_boundaries {
    int64_t reference, decoded;       /* changes on each side */
    int64_t matched[SP_N_TOLERANCES]; /* within 0, 1, 2 steps */
    sp_value recall[SP_N_TOLERANCES]; /* matched / reference, undefined "no changes" */
    sp_value precision[SP_N_TOLERANCES];
} sp_boundaries;

/* Named entities from BIO and BIOES tags (BILOU's L and U are E and S), counted inside stretches of scored steps: an entity is
 * right when its first step, last step and type are. Read as conlleval does it: an I or E that follows nothing of its type starts
 * an entity of its own. `strict` reads only well-formed entities: B I* in BIO, B I* E or S in BIOES; others do not exist. */
typedef struct sp_entity_counts {
    int64_t reference, decoded, correct;
    sp_value precision, recall, f1; /* correct / decoded, correct / reference, 2 correct / (reference + decoded) */
} sp_entity_counts;
typedef struct sp_entities {
    sp_entity_counts pooled, strict;
    sp_entity_counts *types; /* [n_entity_types], as pooled */
} sp_entities;

/* How far an error that a strategy makes against argmax runs on: of greedy masking, where one wrong step forbids what is right
 * after it; of every strategy, to compare. In decoded recordings; a stretch is a maximal sequence of neighbouring steps of one
 * recording and segment where the strategy's class is not argmax's. A step is worsened where argmax has the reference's class and
 * the strategy has not. The run of a stretch goes from its first worsened step to its end, that is until the strategy says again
 * what argmax says; a stretch without worsened step has none. So every worsened step is in one run, and all but the first of each
 * run are consequences. */
typedef struct sp_error_runs {
    int64_t worsened;           /* steps */
    int64_t consequences;       /* of them: worsened - runs */
    sp_value consequence_share; /* consequences / worsened; undefined "no step broken" */
    int64_t forbidden;          /* runs whose first right class may not follow what the strategy chose before it,
                                   or not start; the others come of longer rules, weights, or the whole path */
    sp_class_runs *runs;        /* [1] number, steps, mean and median length, all lengths; NULL: no argmax */
    int64_t longest, longest_recording, longest_step; /* the first of the longest; 0 without runs */
    int64_t dead_ends;                                /* recordings that ended in a dead end: nothing of them is decoded */
} sp_error_runs;

/* How often, along a path or the reference. Illegal transitions have three denominators; each rate is named after its own. */
typedef struct sp_frequencies {
    sp_value illegal_per_transition; /* undefined "no transitions" */
    sp_value illegal_per_change;     /* undefined "no changes" */
    /* Per hour of the time between neighbouring steps, transitions * epoch_seconds; undefined "no transitions", "the length of a
     * step is not known". */
    sp_value illegal_per_hour, changes_per_hour;
    int64_t runs, isolated;  /* runs of one class, as in sp_class_runs; of them one step long */
    sp_value isolated_share; /* isolated / runs; undefined "no runs" */
    sp_value runs_ratio;     /* runs / runs of the reference, below 1 where the path is smoother; undefined "no runs in the
                                reference", "no reference", in the reference itself "the reference itself" */
    int64_t
        worst_recording;   /* index of the recording with the most illegal transitions, the first of several; -1: none has any */
    int64_t worst_illegal; /* of it */
} sp_frequencies;

/* Would the path agree far better if its classes were called otherwise? Of all ways to rename the classes of the path, each to
 * another name, the one under which most steps are right (an assignment problem). It is told of only where it is suspicious:
 * accuracy rises by more than SP_PERMUTATION_GAIN and to more than SP_PERMUTATION_FACTOR times what it was, kappa rises by more
 * than SP_PERMUTATION_GAIN to at least SP_PERMUTATION_KAPPA (so the path knows the classes well, by other names: a weak
 * classifier, or one that says one class throughout, does not), over at least SP_PERMUTATION_STEPS decoded and scored steps for
 * each class. */
#define SP_PERMUTATION_GAIN 0.2
#define SP_PERMUTATION_FACTOR 1.5
#define SP_PERMUTATION_KAPPA 0.4
enum { SP_PERMUTATION_STEPS = 20, SP_PERMUTATION_CLASSES = 256 }; /* with more classes it is not looked for */
typedef struct sp_label_permutation {
    bool is_suspect;
    int32_t *name_of;         /* [K] what the reference calls class k of the path; NULL unless suspect */
    sp_value accuracy, kappa; /* under those names */
} sp_label_permutation;

/* With more classes transitions are a list of pairs instead of a matrix. */
enum { SP_TRANSITION_CLASSES = 100 };

/* One strategy. Without labels `classes`, `confusion`, `undecoded_steps` and `class_changes` are NULL and every value that speaks
 * of agreement is undefined. */
typedef struct sp_strategy_result {
    char *name; /* "beam:8"; for paths from a file the name there */
    bool is_legal_by_construction;
    bool has_agreement;                                        /* labels were there */
    sp_agreement agreement;                                    /* pooled over all scored steps */
    sp_value mean_accuracy, sd_accuracy, mean_kappa, sd_kappa; /* over recordings where defined, n - 1 */
    int64_t mean_accuracy_n, mean_kappa_n;
    sp_class_agreement *classes; /* [K] */
    int64_t *confusion;          /* [K,K] */
    int64_t *undecoded_steps;    /* [K] scored steps of undecoded recordings by reference class */
    sp_transition_counts counts;
    int64_t n_illegal_pairs;
    sp_pair_count *illegal_pairs; /* most frequent first, then by index */
    int64_t *transition_counts;   /* [K,K] all transitions, allowed ones too, from row to column; NULL above SP_TRANSITION_CLASSES
                                     classes: */
    int64_t n_transition_pairs;
    sp_pair_count *transition_pairs; /* most frequent first, then by index; NULL where there is a matrix */
    sp_frequencies frequencies;
    sp_label_permutation label_permutation;
    int64_t recordings_with_illegal; /* illegal > 0 */
    /* Illegal transitions / transitions, bootstrap over recordings. Without an interval where it is 0 ("0 by construction", "no
     * illegal transition"). */
    sp_difference illegal_rate;
    bool has_path_score;
    /* Regret: sum over decoded steps of max log p - log p(chosen), per step, nats: 0 for argmax. Steps whose chosen class has
     * probability 0 (rules relaxed; nothing possible) are counted instead. The scores are those that are decoded. */
    bool has_regret;
    sp_value regret; /* mean; undefined "no scores", "no step of finite score" */
    double regret_sum;
    int64_t regret_steps, zero_steps;
    sp_value weighted_kappa; /* of the weights that were asked for */
    sp_value kappa_se;       /* sp_kappa_standard_error: assumes independent steps */
    sp_value path_score;     /* sum over decoded recordings; undefined where a path is illegal or there are no scores */
    int64_t n_undecoded;
    int64_t n_relaxed, n_broken; /* recordings decoded by breaking rules, and rules broken */
    bool has_changes;
    sp_changes changes;        /* from argmax, when argmax is among the strategies */
    sp_changes *class_changes; /* [K] the same by reference class; NULL without labels */
    sp_changes context_changes[SP_N_CONTEXTS];
    sp_error_runs error_runs;                                             /* where has_changes; empty for argmax itself */
    int64_t context_steps[SP_N_CONTEXTS], context_correct[SP_N_CONTEXTS]; /* scored steps by context, and of them right */
    sp_class_runs *class_runs;                                            /* [K] */
    sp_boundaries boundaries;
    /* Mean over recordings of 1 - Levenshtein(runs, runs of the reference) / the longer of both, in 0..1 (Lea et al. 2017). */
    sp_value edit_score;
    int64_t edit_score_n;            /* recordings it is over: those with scored steps */
    int64_t edit_score_too_long;     /* but for these, where both numbers of runs multiply to more than 2^32 */
    sp_entities entities;            /* when the comparison has_entities */
    sp_recording_result *recordings; /* [N] */
    double seconds;                  /* spent in decoding; shown to people, never in files that must be reproducible */
} sp_strategy_result;

/* The unit of inference is the recording, or, where subjects are known, the subject: a cluster of the bootstrap holds all its
 * recordings, and its difference in the tests is the mean of the differences of its recordings (with scored steps). What is said
 * of better, worse, ties, mean, median, sd and n is over units.
 *
 * Accuracy is what is tested. The other metrics have an interval; of the illegal rate the mean of the units' differences is also
 * tested by sign flips (permutation); where a metric is not tested, test.p, p_least and rank_biserial, p_holm, permutation.p and
 * mcnemar are undefined. */
typedef struct sp_pair_comparison {
    int32_t a, b;       /* indices of strategies */
    const char *metric; /* "accuracy", "kappa", "macro_f1", "illegal_rate" */
    sp_difference difference;
    sp_wilcoxon test;          /* over units with scored steps, on differences of accuracy a - b; for the other metrics only
                                * better, worse, ties of the units where it is defined (a lower illegal rate is better) */
    sp_value p_holm;           /* test.p adjusted by Holm over all pairs; equals it when there is one */
    sp_value mean, median, sd; /* of the differences of the units */
    sp_sign_flip permutation;  /* of their mean */
    sp_mcnemar mcnemar;        /* over steps: descriptive */
    /* Of accuracy only; undefined else. */
    sp_chi2 mcnemar_cluster;        /* over units */
    sp_chi2 bowker, stuart_maxwell; /* of the classes both say, over steps decoded by both: descriptive; undefined "too many
                                       classes" beyond SP_SYMMETRY_CLASSES */
} sp_pair_comparison;

/* Pairs beyond so many are not compared. */
enum { SP_MAX_COMPARISONS = 28 };
enum { SP_SYMMETRY_CLASSES = 64 };

/* Scores after classes have been put together. */
typedef struct sp_collapsed {
    sp_collapse how;
    sp_agreement *strategies; /* [n_strategies] */
    int64_t *confusion;       /* [n_strategies][G,G], then undecoded steps [n_strategies][G] */
} sp_collapsed;

/* Steps of one recording, kept for pictures. */
typedef struct sp_trace {
    int64_t recording; /* index */
    int64_t n_steps;
    int32_t *labels;   /* [T] or NULL */
    int32_t **paths;   /* [n_strategies][T] */
    int64_t *segments; /* [T] or NULL */
    uint8_t *density;  /* [T,K] probabilities of the classes in 255ths, before any decoding; 0 where none is possible; or NULL */
} sp_trace;

/* With more classes densities are not kept: nobody could tell the colours apart. */
enum { SP_DENSITY_CLASSES = 12 };

/* The same scores taken for probabilities in another way than by `reliability` of the comparison: calibration before and after.
 */
typedef enum sp_scaling {
    SP_SCALING_GIVEN,       /* as the file has them, masks included */
    SP_SCALING_DECODED,     /* as they are decoded: divided by the temperature, less the prior */
    SP_SCALING_TEMPERATURE, /* one temperature by maximum likelihood (calibrate.h) */
    SP_SCALING_VECTOR       /* a scale and a bias for each class by maximum likelihood */
} sp_scaling;
typedef struct sp_calibration {
    sp_scaling scaling;
    sp_value nll, nll_clipped;   /* as those of the comparison */
    sp_reliability *reliability; /* owned */
} sp_calibration;
enum { SP_MOST_CALIBRATIONS = 3 };

typedef struct sp_comparison {
    /* Input. */
    char *file;                                    /* base name */
    int64_t file_size;                             /* bytes */
    char *command;                                 /* the command line, or NULL */
    int64_t n_recordings, n_steps, n_scored_steps; /* scored: 0 without labels */
    bool has_labels;
    char **ids;            /* [N] */
    int64_t *steps;        /* [N] */
    int64_t *scored_steps; /* [N] */
    char **input_classes;  /* [K] as the file names them */
    int32_t n_subjects;    /* 0: not known, each recording is its own */
    char **subjects;       /* [n_subjects] */
    int32_t *subject_of;   /* [N] 0..n_subjects-1; NULL: not known */
    char *subjects_place;  /* where it is said: "dataset /subjects" */
    /* Model. */
    char *model_name, *model_description, *model_source;
    int32_t n_classes;
    char **classes; /* [K] the model's names, in the order of the score columns */
    int64_t forbidden_count;
    int64_t n_forbidden;                  /* listed: at most 1,000 */
    sp_pair_count *forbidden;             /* count unused */
    uint8_t *start_allowed, *end_allowed; /* [K] */
    int32_t *min_dwell;                   /* [K] */
    /* Reference. */
    sp_transition_counts reference;
    int64_t n_reference_illegal_pairs;
    sp_pair_count *reference_illegal_pairs;
    int64_t *reference_transition_counts; /* as of a strategy; NULL without labels */
    int64_t n_reference_transition_pairs;
    sp_pair_count *reference_transition_pairs;
    sp_frequencies reference_frequencies; /* when has_labels */
    /* The reference's chain is not broken where steps are unscored: of two scored steps of one recording and segment with nothing
     * but unscored steps between them, the pair counts among `reference`, its illegal pairs and moves like two neighbours.
     * Nothing else changes: starts, ends, runs (short ones too) and boundaries stop at unscored steps as ever. */
    bool bridge_unscored;
    int64_t bridged_transitions;   /* of `reference` */
    sp_value mask_ceiling;         /* undefined "not asked for" without with_ceiling */
    int64_t ceiling_infeasible;    /* recordings that no allowed path fits: they count 0 in the ceiling */
    sp_class_runs *reference_runs; /* [K]; NULL without labels */
    /* The scores themselves, before any strategy; filled by whoever has them (sp_comparison_set_nll). */
    bool has_nll;
    sp_value nll;                      /* mean negative log-likelihood of the reference, nats per step, weighted (loss.h) */
    int64_t nll_steps, nll_impossible; /* steps that count; of them with probability 0 */
    double nll_clip;                   /* probability that smaller ones are raised to in nll_clipped; 0: not asked for */
    sp_value nll_clipped;              /* over all steps that count; undefined "not asked for", "no scored steps" */
    bool has_ties;                     /* scores were there to look at */
    int64_t tie_steps;                 /* steps whose greatest score, if finite, several classes share: argmax takes the first */
    int64_t tie_scored_steps;          /* of them with a reference */
    sp_reliability *reliability;       /* owned; NULL: none */
    sp_scaling scaling;                /* of it */
    int32_t n_calibrations;            /* others beside it; 0 where nothing scales the scores */
    sp_calibration calibrations[SP_MOST_CALIBRATIONS];
    /* What was learnt from this very file; set by whoever knows. */
    bool fitted_on_input; /* the model was fitted on it: its figures are better than on recordings it has not seen */
    int32_t n_folds;      /* each recording was decoded with a model fitted on the other folds, so many in all; 0: one model */
    /* Entities: the classes are tags. */
    bool has_entities;
    int32_t n_entity_types;
    char **entity_types; /* [n_entity_types] in the order of the classes */
    /* Strategies. */
    int32_t n_strategies;
    sp_strategy_result *strategies;
    int32_t n_comparisons;
    /* Accuracy of each later strategy against argmax, then of the others pairwise; then the same pairs by kappa, macro F1 and,
     * but for pairs with a strategy that is legal by construction, illegal rate. */
    sp_pair_comparison *comparisons;
    const char *other_metrics_left_out; /* why kappa and macro F1 are not among them, or NULL */
    /* More than two strategies: Friedman over units by accuracy, with mean ranks (1 the best) [n_strategies] or NULL; Cochran's Q
     * over steps, which is descriptive. Undefined "fewer than three strategies". */
    sp_chi2 friedman, cochran;
    double *mean_ranks;
    int32_t n_collapsed, n_collapsed_asked; /* the last n_collapsed_asked were asked for */
    sp_collapsed *collapsed;                /* [n_collapsed] sleep stages in 4, 3 and 2 classes first, then what was asked for */
    sp_kappa_weights kappa_weights;
    sp_absent_class absent_class;
    sp_wilcoxon_zeros zeros;
    sp_interval_kind interval; /* what all low and high are */
    bool has_margin;           /* of non-inferiority: the lower end of a difference's interval against -margin */
    double margin;
    /* Wake left out of agreement, further than so many minutes from the reference's first and last step of sleep. Sleep
     * statistics, scorers and traces are of the whole recording. A reference without sleep is left whole. */
    bool has_wake_trim;
    double wake_trim_minutes;
    int64_t *trimmed_steps; /* [N]; NULL without has_wake_trim */
    int64_t n_trimmed_steps;
    /* Paths (or scores) and labels of unequal length were cut to the shorter, at the end. */
    bool has_length_trim;
    int64_t *cut_path_steps, *cut_label_steps; /* [N] steps left out of each side; NULL without has_length_trim */
    int64_t n_cut_recordings, n_cut_path_steps, n_cut_label_steps;
    /* What the numbers or texts of others' steps mean ("utime", "yasa with 9=unscored"); NULL: they are as the model's. */
    char *path_codes, *label_codes;
    double epoch_seconds; /* length of a step; 0: not known */
    bool epoch_is_assumed;
    uint64_t seed;
    sp_sleep *sleep;     /* NULL: the classes are no sleep stages */
    sp_scorers *scorers; /* NULL: one reference, or none */
    double level;        /* of all intervals, such as 0.95 */
    /* Files with the same figures, as the page is to link to them: a name in the page's own folder, or NULL. Not owned. */
    const char *json_link, *csv_link;
    /* Pictures. */
    int64_t trace_steps; /* how many steps may be kept; 0: no pictures are wanted */
    int64_t n_traces;
    sp_trace *traces; /* [n_traces] in the order of the recordings */
} sp_comparison;

void sp_comparison_free(sp_comparison *comparison);

/* ---- filling it ---- */

typedef struct sp_evaluation sp_evaluation;

typedef struct sp_evaluation_options {
    bool has_labels;
    int32_t n_strategies;
    const char *const *names;   /* [n_strategies] */
    const bool *is_legal;       /* [n_strategies] legal by construction */
    bool with_ceiling;          /* true: decode the labels' own 0/1 scores once more for the mask ceiling */
    bool has_path_scores;       /* true; false: results carry no scores (paths from elsewhere) */
    int64_t trace_steps;        /* keep the steps of all recordings as long as they are at most so many, else of none:
                                   sp_report_drawn() then says whose are to be fetched; 0: none */
    const char *const *classes; /* [K] names in the order of the score columns, for entities; NULL: none. Used during _new only */
    sp_bootstrap_options bootstrap;
    const int32_t *stage_of_class; /* [K] sp_sleep_stage of each class, for sleep statistics; NULL: none. Used during _new only */
    double epoch_seconds;          /* length of a step, for rates and, with stage_of_class, sleep statistics; 0: not known */
    bool epoch_is_assumed;
    bool bridge_unscored; /* see sp_comparison; needs labels */
    bool has_length_trim; /* blocks say what was cut */
    sp_kappa_weights kappa_weights;
    sp_absent_class absent_class;
    sp_wilcoxon_zeros zeros;
    int32_t n_collapses;
    const sp_collapse *collapses; /* [n_collapses]; copied */
    bool has_margin;
    double margin;      /* >= 0 */
    bool has_wake_trim; /* needs stage_of_class and labels */
    double wake_trim_minutes;
    int32_t n_scorers;           /* 0: none; at most 32 */
    const char *const *scorers;  /* [n_scorers] names; copied */
    int32_t n_subjects;          /* 0: each recording is its own unit of inference */
    const char *const *subjects; /* [n_subjects] names; copied */
    const char *subjects_place;  /* where they stand; copied */
} sp_evaluation_options;

sp_evaluation_options sp_evaluation_options_default(void);

/* chain: the model as decoded; rules: the same model compiled with is_boolean, for the ceiling (may be NULL without it). Both are
 * borrowed until _finish. Names are copied.
 * SP_OK, SP_EINVAL (K above 8,192: the matrices would not fit; more than 64 strategies; bootstrap options; a ceiling without
 * rules or labels), SP_ENOMEM. Memory O(strategies (K^2 + N) + traces). */
sp_status sp_evaluation_new(const sp_chain *chain, const sp_chain *rules, const sp_evaluation_options *options,
                            sp_evaluation **out, sp_error *err);
void sp_evaluation_free(sp_evaluation *evaluation);

/* Sets labels [n] of wake to -1 that lie more than `margin` steps before the first or after the last step of sleep; returns how
 * many. Without sleep nothing is changed. */
int64_t sp_wake_trim_steps(double minutes, double epoch_seconds); /* whole steps in so many minutes */
int64_t sp_wake_trim(int64_t n_steps, const int32_t *stage_of_class, int64_t margin, int32_t *labels);

/* The same for labels that come in pieces: sp_wake_look() at all of them, then trim each. `at`: step of the recording that the
 * piece begins with. Bounds begin as {-1, -1}, no sleep. */
typedef struct sp_wake_bounds {
    int64_t first, last; /* steps of sleep */
} sp_wake_bounds;
void sp_wake_look(sp_wake_bounds *sleep, int64_t at, int64_t n_steps, const int32_t *stage_of_class, const int32_t *labels);
int64_t sp_wake_trim_piece(const sp_wake_bounds *sleep, int64_t margin, int64_t at, int64_t n_steps, int32_t *labels);

/* Adds a block: its labels (NULL without), segments, ids; the paths and results of each strategy for it, and the seconds each
 * took. A step of a path may be -1 where the recording was decoded (paths from elsewhere): it is undecoded, and breaks the chain.
 *   paths    [n_strategies][S], -1..K-1;   results  [n_strategies][N];   ids  [N] or NULL: the recording's number
 *   workers  threads, borrowed until _finish, which uses the last block's; NULL: one
 * SP_OK; SP_EDATA (a label or class of a path outside -1..K-1: recording and step named); SP_EINVAL (labels missing where they
 * were announced); SP_ENOMEM. After SP_ENOMEM the evaluation can only be freed. Cost O(S) a strategy, plus the ceiling's decoding
 * and, for the edit score, the product of both numbers of runs divided by 64. */
typedef struct sp_evaluation_block {
    int64_t n_recordings;
    const int64_t *offsets;  /* [N+1] from 0 */
    const char *const *ids;  /* [N] or NULL */
    const int32_t *labels;   /* [S] or NULL */
    const int64_t *segments; /* [S] or NULL */
    const sp_scores *scores; /* [S,K] prepared, for regret and the density of traces; or NULL */
    const int32_t *const *paths;
    const sp_decoded *const *results;
    const double *seconds;                           /* [n_strategies] or NULL */
    const int32_t *const *scorers;                   /* [n_scorers][S], -1 unscored; NULL without scorers */
    const int32_t *subject;                          /* [N] 0..n_subjects-1; NULL without subjects */
    const int64_t *cut_path_steps, *cut_label_steps; /* [N] left out already; NULL without has_length_trim */
} sp_evaluation_block;
sp_status sp_evaluation_add(sp_evaluation *evaluation, const sp_evaluation_block *block, sp_workers *workers, sp_error *err);

/* A recording that is too long for memory, piece by piece: begin, every piece in order, the ceiling, end. The comparison is that
 * of sp_evaluation_add() with the same recording, bit for bit. Memory is that of a piece, and for the edit score 4 bytes a run of
 * the reference and of each path as long as both numbers multiply to less than 2^32.
 *
 * Pieces hold at least 4 steps but for the last. Arrays point to the first step of the piece and can be looked at from
 * [-before] to [n_steps + after - 1]: at least 4 steps of the recording on either side where there are so many.
 * Errors as sp_evaluation_add(). After a failure the evaluation can only be freed. */
typedef struct sp_evaluation_recording {
    int64_t n_steps;
    const char *id;            /* copied; NULL: its number */
    const sp_decoded *results; /* [n_strategies], borrowed until _end; status is looked at from the first piece, the rest at the
                                  last. Paths of undecoded recordings are not looked at */
    const double *seconds;     /* [n_strategies] or NULL; borrowed until _end */
    int32_t subject;           /* with n_subjects */
    sp_wake_bounds sleep;      /* with has_wake_trim: of all labels */
    int64_t cut_path_steps, cut_label_steps; /* with has_length_trim: left out already */
} sp_evaluation_recording;
typedef struct sp_evaluation_piece {
    int64_t n_steps, before, after;
    const int32_t *labels;         /* or NULL */
    const int64_t *segments;       /* or NULL */
    const sp_scores *scores;       /* of the n_steps alone, prepared; or NULL */
    const int32_t *const *paths;   /* [n_strategies] */
    const int32_t *const *scorers; /* [n_scorers] or NULL */
} sp_evaluation_piece;
sp_status sp_evaluation_begin(sp_evaluation *evaluation, const sp_evaluation_recording *recording, sp_error *err);
sp_status sp_evaluation_add_piece(sp_evaluation *evaluation, const sp_evaluation_piece *piece, sp_error *err);
sp_status sp_evaluation_end(sp_evaluation *evaluation, sp_error *err);

/* The mask ceiling of the recording at hand, between begin and end; nothing without labels or with_ceiling, but the workers are
 * kept for _finish as those of a block. `read` hands out labels, untrimmed, and segments (NULL without has_gap) of steps first ..
 * first+n-1 that stay until the next call; pieces are asked for in ascending or descending order, twice or more. */
typedef sp_status sp_labels_read(void *arg, int64_t first, int64_t n, const int32_t **labels, const int64_t **segments,
                                 sp_error *err);
sp_status sp_evaluation_ceiling(sp_evaluation *evaluation, bool has_gap, sp_labels_read *read, void *arg, sp_workers *workers,
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
    const char *command;
    const char *const *input_classes; /* [K] or NULL: the model's */
    const sp_model *model;
    const int32_t *class_of_column;
    const char *path_codes, *label_codes; /* or NULL */
} sp_comparison_texts;
sp_status sp_comparison_describe(sp_comparison *comparison, const sp_comparison_texts *texts, sp_error *err);

/* Sets nll and nll_clipped from their sums: undefined where the reference is impossible somewhere (not when clipped), or no step
 * counts. */
void sp_comparison_set_nll(sp_comparison *comparison, const sp_nll *nll);

#ifdef __cplusplus
}
#endif
#endif
