/* The result of a comparison: everything that a table, a JSON file or a page shows. Filled by sp_compare() and sp_evaluate()
 * (pipeline.h), written by report.h.
 *
 *     for (int32_t i = 0; i < comparison->n_strategies; i++) {
 *         const sp_strategy_result *s = &comparison->strategies[i];
 *         printf("%s: %.3f\n", s->name, s->agreement.accuracy.value);
 *     }
 *     sp_comparison_free(comparison);
 *
 * All arrays belong to the sp_comparison. Classes are in the order of the score columns.
 */
#ifndef STATEPATH_COMPARISON_H
#define STATEPATH_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statepath/decode.h"
#include "statepath/metrics.h"
#include "statepath/model.h"
#include "statepath/sleep.h"
#include "statepath/statistics.h"
#include "statepath/status.h"

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
typedef enum sp_context {
    SP_CONTEXT_AAA,
    SP_CONTEXT_AAX,
    SP_CONTEXT_XAA,
    SP_CONTEXT_XAX,
    SP_N_CONTEXTS
} sp_context;

/* Runs of one class. With a reference both sides are counted inside stretches of scored steps, so that they compare; without one
 * over whole paths. Gaps and ends cut runs; a run that is cut counts with the length it has. Undecoded steps have no runs. */
typedef struct sp_length_count {
    int64_t length, count;
} sp_length_count;
typedef struct sp_class_runs {
    int64_t count, steps;
    int64_t isolated;      /* runs of one step */
    sp_value mean, median; /* length in steps; undefined "no runs" */
    sp_value
        count_ratio; /* count / count in the reference; undefined in the reference itself and where it has none */
    int64_t too_short,
        too_long; /* of all of the path's, those that the model rules out: short_runs and long_runs of the class;
                                    where the model has durations, else 0 */
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

/* Segments: runs of one class inside stretches of scored steps, without those of the background. A segment of the path chooses
 * the reference's segment of its class with the greatest intersection over union, the first of several; it is matched where that
 * is at least 0.1, 0.25, 0.5, and each segment of the reference once. One whose choice is taken is wrong, even where another
 * segment of its class would do: so counts the published script of MS-TCN (Farha and Gall 2019, arXiv:1903.01945; the measure is
 * that of Lea et al. 2017). Counts are pooled over recordings. */
enum { SP_N_OVERLAPS = 3 };
typedef struct sp_segments {
    int64_t reference, decoded;     /* segments on each side */
    int64_t matched[SP_N_OVERLAPS]; /* at 0.1, 0.25, 0.5 */
    sp_value f1[SP_N_OVERLAPS];     /* 2 matched / (reference + decoded), undefined "no segments" */
} sp_segments;

/* Named entities from tags (L and U of BILOU are E and S, M of BMES is I), counted inside stretches of scored steps: an entity is
 * right when its first step, last step and type are. Read as conlleval does it, which is seqeval's default: an I or E that
 * follows nothing of its type starts an entity of its own. `strict` reads only well-formed entities of the scheme, as seqeval's
 * mode "strict": B I* in IOB2, I* E in IOE2, B I* E or S in BIOES; others do not exist. */
typedef struct sp_entity_counts {
    int64_t reference, decoded, correct;
    sp_value precision, recall,
        f1; /* correct / decoded, correct / reference, 2 correct / (reference + decoded) */
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
    int64_t forbidden;   /* runs whose first right class may not follow what the strategy chose before it,
                                   or not start; the others come of longer rules, weights, or the whole path */
    sp_class_runs *runs; /* [1] number, steps, mean and median length, all lengths; NULL: no argmax */
    int64_t longest, longest_recording, longest_step; /* the first of the longest; 0 without runs */
    int64_t dead_ends; /* recordings that ended in a dead end: nothing of them is decoded */
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
    sp_value
        runs_ratio; /* runs / runs of the reference, below 1 where the path is smoother; undefined "no runs in the
                                reference", "no reference", in the reference itself "the reference itself" */
    int64_t
        worst_recording; /* index of the recording with the most illegal transitions, the first of several; -1: none has any */
    int64_t worst_illegal; /* of it */
} sp_frequencies;

/* Would the path agree far better if its classes were called otherwise? Of all ways to rename the classes
 * of the path, each to another name, the one under which most steps are right (an assignment problem; of
 * equal ones that which keeps most names). It falls into cycles, such as two classes that change names. A
 * cycle is told of only where it is suspicious, by the recalls of those of its classes that have at least
 * SP_PERMUTATION_STEPS decoded and scored steps in SP_PERMUTATION_RUNS runs of the reference, which must
 * be two and most of the cycle:
 *   - each recall is at most SP_PERMUTATION_EACH of what it would be, and the geometric mean of these
 *     shares at most SP_PERMUTATION_SHARE. (If the path knew nothing of the classes the product of the
 *     shares would be 1; two classes that it merely confuses have shares whose product is 1 or more.)
 *   - each would be at least SP_PERMUTATION_LEVEL of the mean recall of the classes outside of the cycle
 *   - kappa would be at least SP_PERMUTATION_KAPPA; SP_PERMUTATION_KAPPA_OF_FEW where more classes are in
 *     the cycle than outside, so that these say little */
#define SP_PERMUTATION_EACH (2.0 / 3)
#define SP_PERMUTATION_SHARE 0.25
#define SP_PERMUTATION_LEVEL (1.0 / 3)
#define SP_PERMUTATION_KAPPA 0.2
#define SP_PERMUTATION_KAPPA_OF_FEW 0.4
enum {
    SP_PERMUTATION_STEPS = 20,
    SP_PERMUTATION_RUNS = 5,
    SP_PERMUTATION_CLASSES = 256 /* with more classes it is not looked for */
};
typedef struct sp_label_permutation {
    bool is_suspect;
    int32_t *name_of;         /* [K] what the reference calls class k of the path; NULL unless suspect */
    sp_value accuracy, kappa; /* under those names */
} sp_label_permutation;

/* Would the path agree better with the labels some steps earlier or later? Of each segment of T steps lags
 * up to SP_SHIFT_LAGS, but at most T / 4, are tried on the same labels: those that have as many steps of
 * the segment on both sides. The lag with the greatest gain in pooled accuracy is told of where that is at
 * least SP_SHIFT_GAIN and more than chance: a sign test over stretches of SP_SHIFT_STRETCH steps (the
 * labels that the lag has more and less right than lag 0), two-sided, with p times the number of lags at
 * most SP_SHIFT_P. Looked for in paths of argmax, and in those of which nothing says what argmax is. */
#define SP_SHIFT_GAIN 0.005
#define SP_SHIFT_P 0.01
enum { SP_SHIFT_LAGS = 10, SP_SHIFT_STRETCH = 50 };
typedef struct sp_label_shift {
    bool is_suspect;
    int64_t steps;          /* the label of step t fits the path's step t + steps */
    int64_t better, worse;  /* stretches */
    sp_value accuracy;      /* at that lag */
    sp_value accuracy_here; /* of the same labels at lag 0 */
    sp_value p;
} sp_label_shift;

/* With more classes transitions are a list of pairs instead of a matrix. */
enum { SP_TRANSITION_CLASSES = 100 };

/* Violations of rules over more steps, of all such rules, in all recordings that have a path. */
typedef struct sp_violation_counts {
    int64_t hard;   /* of rules that no path of the model may break */
    int64_t priced; /* of the others */
} sp_violation_counts;

/* One strategy. Without labels `classes`, `confusion`, `undecoded_steps` and `class_changes` are NULL and every value that speaks
 * of agreement is undefined. */
typedef struct sp_strategy_result {
    char *name; /* "beam:8"; for paths from a file the name there; of another classifier "old.beam:8" */
    int32_t classifier; /* whose scores: 0 the first classifier's, i those of against[i-1] */
    int32_t
        argmax; /* the strategy argmax on the same scores, which changes are counted against; -1: it is not among them */
    bool is_legal_by_construction;
    bool has_agreement;                                        /* labels were there */
    sp_agreement agreement;                                    /* pooled over all scored steps */
    sp_value mean_accuracy, sd_accuracy, mean_kappa, sd_kappa; /* over recordings where defined, n - 1 */
    int64_t mean_accuracy_n, mean_kappa_n;
    sp_class_agreement *classes; /* [K] */
    int64_t *confusion;          /* [K,K] */
    int64_t *undecoded_steps;    /* [K] scored steps of undecoded recordings by reference class */
    sp_transition_counts counts;
    sp_violation_counts violations;
    int64_t n_illegal_pairs;
    sp_pair_count *illegal_pairs; /* most frequent first, then by index */
    int64_t *
        transition_counts; /* [K,K] all transitions, allowed ones too, from row to column; NULL above SP_TRANSITION_CLASSES
                                     classes: */
    int64_t n_transition_pairs;
    sp_pair_count *transition_pairs; /* most frequent first, then by index; NULL where there is a matrix */
    sp_frequencies frequencies;
    sp_label_permutation label_permutation;
    sp_label_shift label_shift;
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
    sp_value
        kappa_se; /* of kappa: Fleiss et al. 1969, doi:10.1037/h0028106, eq. 14; assumes independent steps */
    sp_value
        path_score; /* sum over decoded recordings; undefined where a path is illegal or there are no scores */
    int64_t n_undecoded;
    int64_t n_relaxed, n_broken; /* recordings decoded by breaking rules, and rules broken */
    int64_t
        n_impossible; /* recordings whose path scores -inf: no way through states, lengths and rules, or scores */
    int64_t n_redirected; /* steps at which looking ahead changed greedy's choice */
    bool has_changes;
    sp_changes changes;        /* from argmax, when argmax is among the strategies */
    sp_changes *class_changes; /* [K] the same by reference class; NULL without labels */
    sp_changes context_changes[SP_N_CONTEXTS];
    sp_error_runs error_runs; /* where has_changes; empty for argmax itself */
    int64_t context_steps[SP_N_CONTEXTS],
        context_correct[SP_N_CONTEXTS]; /* scored steps by context, and of them right */
    sp_class_runs *class_runs;          /* [K] */
    sp_boundaries boundaries;
    sp_segments segments;
    /* Mean over recordings of 1 - Levenshtein(segments, segments of the reference) / the more of both, in 0..1 (Lea et al. 2017).
     */
    sp_value edit_score;
    int64_t edit_score_n; /* recordings it is over: those with a segment, in the path or the reference */
    int64_t
        edit_score_too_long; /* but for these, where both numbers of segments multiply to more than 2^32 */
    sp_entities entities;    /* when the comparison has_entities */
    sp_recording_result *recordings; /* [N] */
    double seconds; /* spent in decoding; shown to people, never in files that must be reproducible */
} sp_strategy_result;

/* The unit of inference is the recording, or, where subjects are known, the subject: a cluster of the bootstrap holds all its
 * recordings, and its difference in the tests is the mean of the differences of its recordings (with scored steps). What is said
 * of better, worse, ties, mean, median, sd and n is over units.
 *
 * Accuracy is what is tested. The other metrics have an interval; of the illegal rate the mean of the units' differences is also
 * tested by sign flips (permutation); where a metric is not tested, test.p, p_least and rank_biserial, p_holm, permutation.p and
 * mcnemar are undefined. */
typedef struct sp_pair_comparison {
    int32_t a, b; /* indices of strategies */
    const char *
        metric; /* "accuracy", "kappa", "macro_f1", "illegal_rate"; of actions "edit_score", "f1_at_10", "f1_at_25",
                           "f1_at_50"; of tags "entity_f1" */
    sp_difference difference;
    sp_wilcoxon
        test; /* over units with scored steps, on differences of accuracy a - b; for the other metrics only
                                * better, worse, ties of the units where it is defined (a lower illegal rate is better) */
    sp_value p_holm;           /* test.p adjusted by Holm over all pairs; equals it when there is one */
    sp_value mean, median, sd; /* of the differences of the units */
    sp_sign_flip permutation;  /* of their mean */
    sp_mcnemar mcnemar;        /* over steps: descriptive */
    /* Of accuracy only; undefined else. */
    sp_chi2 mcnemar_cluster; /* over units */
    sp_chi2 bowker,
        stuart_maxwell; /* of the classes both say, over steps decoded by both: descriptive; undefined "too many
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

/* A step at which a rule is broken, by the reference or a strategy, and what all of them say there. In the step's recording; a
 * step is named once, however many break a rule at it. A start that is not allowed is a transition from -1 to the first class. */
enum { SP_MOST_ILLEGAL_PLACES = 20000 };
typedef struct sp_illegal_said {
    int32_t from, to; /* class of the step before and of this one; -1: none, or a gap before it */
    bool is_illegal;
} sp_illegal_said;
typedef struct sp_illegal_place {
    int64_t recording, step;
    sp_illegal_said *said; /* [n_strategies + 1], the reference last (without labels all -1) */
} sp_illegal_place;

/* A run that is shorter or longer than the model allows. */
typedef struct sp_run_place {
    int64_t recording, step, length; /* its first step in the recording, and its steps */
    int32_t who, k;                  /* the strategy, n_strategies: the reference; the class */
    bool is_long;
} sp_run_place;

/* A violation of a rule over more than two steps: the step at which it shows, of what is missing at the end the last. */
typedef struct sp_rule_place {
    int64_t recording, step;
    int32_t who, rule; /* the strategy, n_strategies: the reference; of `rules` */
} sp_rule_place;

/* The duration of a class in figures. */
typedef struct sp_class_duration {
    bool is_there;
    char text[SP_DURATION_TEXT]; /* as declared */
    sp_duration_lengths lengths; /* of whole runs */
} sp_class_duration;

/* Steps of one recording, kept for pictures. */
typedef struct sp_trace {
    int64_t recording;  /* index */
    int64_t first_step; /* 0: it is whole; else a stretch that begins there */
    int64_t n_steps;
    int32_t *labels;   /* [T] or NULL */
    int32_t **paths;   /* [n_strategies][T] */
    int64_t *segments; /* [T] or NULL */
    uint8_t *
        density; /* [T,K] probabilities of the classes in 255ths, before any decoding; 0 where none is possible; or NULL */
} sp_trace;

/* With more classes densities are not kept: nobody could tell the colours apart. */
enum { SP_DENSITY_CLASSES = 12 };

/* What a rule costs: all recordings are decoded by Viterbi once more by the same model, but that this transition is allowed (in a
 * model with weights at the least weight of its row), or that this rule over more than two steps is left out. A legal change is a
 * step at which the reference changes its class in a way that the model as it is allows; a path has it where its class is the
 * reference's at that step and at the one before. */
typedef struct sp_rule_cost {
    int32_t rule;     /* of `rules`; -1: the pair from, to */
    int32_t from, to; /* -1: not a pair */
    int64_t reference_count,
        argmax_count;           /* how often the reference and argmax break it; -1: argmax was not decoded */
    sp_value accuracy, ceiling; /* without the rule; ceiling undefined "not asked for" */
    int64_t reference_illegal;  /* illegal transitions of the reference without the rule */
    sp_difference difference;   /* accuracy without the rule less accuracy with it */
    int64_t erased, restored;   /* legal changes that a path has only without the rule, and only with it */
    sp_difference changes;      /* (erased - restored) / legal changes; undefined "no legal change" */
} sp_rule_cost;

/* A rule that the data propose: an allowed transition that the reference never makes. Its rate among all transitions from that
 * class (staying counts) is below `upper` at the level of the intervals: 1 - (1 - level)^(1 / transitions), one-sided and exact
 * for independent transitions. */
typedef struct sp_rule_proposal {
    int32_t from, to;
    int64_t transitions; /* of the reference from that class */
    double upper;
} sp_rule_proposal;

enum { SP_MOST_RULE_COSTS = 50, SP_MOST_PROPOSALS = 50 };

typedef struct sp_rule_costs {
    sp_value accuracy;     /* by Viterbi with all rules */
    int64_t legal_changes; /* of the reference */
    int64_t n_rules, n_left_out;
    sp_rule_cost *
        rules; /* [n_rules] those over more than two steps in their order, then the pairs that are broken most */
    int64_t n_proposals, n_proposals_left_out;
    sp_rule_proposal *proposals; /* [n_proposals] of the lowest upper limit first */
} sp_rule_costs;

/* What a page needs to decode some recordings itself: the rules, and the scores before temperature and prior, packed without loss
 * one after the other (core/packed_scores.h). */
typedef struct sp_what_if_recording {
    int64_t recording;           /* index */
    int64_t first_step, n_steps; /* of a recording too long for a page a stretch */
    bool has_gaps;
    size_t n_bytes;
    uint8_t *bytes; /* scores; labels as judged: -1 also where wake is trimmed; gaps */
    char **words;   /* [n_steps] what the steps are; NULL: nobody says */
} sp_what_if_recording;

typedef struct sp_what_if {
    char *model; /* JSON: the model with its classes in the order of the columns, weights as logs */
    double temperature, transition_weight, prior_weight; /* as decoded */
    double floor;                                        /* of the model, NaN: none; the scores have it */
    double *log_prior;                                   /* [K] nats; NULL: the model has none */
    char *options;   /* further options of `statepath decode` that the run had, or "" */
    bool has_labels; /* every recording or none */
    bool is_relaxed; /* rules may be broken where nothing else is left */
    int64_t
        most_length; /* lists of probabilities of durations end there, the rest at the last; 0: none is cut */
    char *why_not;   /* why a page cannot decode this, and it holds no recording; or NULL */
    int64_t n_recordings;
    sp_what_if_recording *recordings; /* [n_recordings] those asked for, then spread over the ranking */
} sp_what_if;

/* With more classes, or states, a page does not decode: nobody could find a cell. */
enum { SP_WHAT_IF_CLASSES = 60 };

/* Another classifier of the same recordings: its strategies, called NAME.STRATEGY, stand beside those of the first. */
typedef struct sp_against {
    char *name;
    int32_t first, n_strategies; /* strategies first .. first+n-1 of the comparison */
    char *file, *scores;         /* base name, and the dataset in it; NULL: not known */
    int64_t file_size;           /* bytes */
    /* Of its scores, as of the comparison. */
    bool has_nll;
    sp_value nll;
    int64_t nll_steps, nll_impossible;
    sp_reliability *reliability; /* owned; NULL: none */
} sp_against;

/* Who breaks a rule over more steps, as models/rules.md counts violations. Recordings without a path are left out. */
typedef struct sp_rule_violations {
    int64_t violations;
    int64_t recordings; /* with any */
} sp_rule_violations;

/* A step whose correction by a human would change much (sp_review() of advanced.h). */
typedef struct sp_review_place {
    int64_t recording, step;
    int32_t decoded, likeliest, label; /* class in the path, likeliest class; -1: none */
    double probability, gain;          /* of the likeliest class; steps that are expected to become right */
} sp_review_place;
/* Those of the most gain, and with labels the accuracy of the paths with these steps corrected and decoded anew: shares of labelled steps. */
enum { SP_MOST_REVIEW_PLACES = 1000 };
typedef struct sp_review_result {
    int32_t strategy;      /* whose paths */
    int64_t n_chosen, n;   /* n is listed, at most SP_MOST_REVIEW_PLACES */
    sp_review_place *list; /* [n] the greatest gain first */
    sp_value accuracy;     /* as decoded; as all of these undefined "no scored steps" */
    sp_value corrected, least_probable,
        random; /* with these steps, with as many of the least probable, with any */
} sp_review_result;

typedef struct sp_rule_result {
    char *name, *text;
    double cost; /* nats a violation; INFINITY: no path of the model may break it */
    bool may_at_gap;
    sp_rule_violations *by; /* [n_strategies + 1] the reference last */
} sp_rule_result;

typedef struct sp_comparison {
    /* Input. */
    char *file;                  /* base name */
    int64_t file_size;           /* bytes, of all files */
    int64_t n_files;             /* 0: it is one file */
    sp_source_file *files;       /* [n_files] of several, or NULL */
    char **file_names;           /* [n_files][2] what their names and faults point to */
    int64_t n_label_files;       /* of labels, that cannot be read */
    sp_source_file *label_files; /* [n_label_files], or NULL */
    char **label_file_names;     /* [n_label_files][2] likewise */
    int64_t n_unread;            /* recordings whose file cannot be read: none of what follows is of them */
    char **unread;               /* [n_unread] their ids */
    bool is_simulated;           /* the file says that its recordings are made up */
    char *command;               /* the command line, or NULL */
    int64_t n_recordings, n_steps, n_scored_steps; /* scored: 0 without labels */
    bool has_labels;
    char *labels_file;     /* base name of the file of labels, where it is another one; or NULL */
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
    int32_t n_rules;                      /* over more than two steps */
    sp_rule_result *rules;                /* [n_rules] */
    int64_t *
        rule_violations; /* [n_recordings, n_rules, n_strategies + 1] the reference last; 0 where there is no path */
    bool has_durations;
    sp_class_duration *durations;      /* [K]; NULL: the model has none */
    bool whole_at_start, whole_at_end; /* its runs at the sides of recordings and gaps */
    /* Reference. */
    sp_transition_counts reference;
    sp_violation_counts reference_violations;
    int64_t n_reference_illegal_pairs;
    sp_pair_count *reference_illegal_pairs;
    int64_t *reference_transition_counts; /* as of a strategy; NULL without labels */
    int64_t n_reference_transition_pairs;
    sp_pair_count *reference_transition_pairs;
    sp_frequencies reference_frequencies; /* when has_labels */
    sp_value mask_ceiling;                /* undefined "not asked for" without with_ceiling */
    int64_t ceiling_infeasible;    /* recordings that no allowed path fits: they count 0 in the ceiling */
    sp_class_runs *reference_runs; /* [K]; NULL without labels */
    uint8_t *background;           /* [K] 1: its runs are no segments; NULL: all are */
    /* The scores themselves, before any strategy; filled by whoever has them. */
    bool has_nll;
    sp_value nll; /* mean negative log-likelihood of the reference, nats per step, weighted (mask.h) */
    int64_t nll_steps, nll_impossible; /* steps that count; of them with probability 0 */
    bool has_ties;                     /* scores were there to look at */
    int64_t
        tie_steps; /* steps whose greatest score, if finite, several classes share: argmax takes the first */
    int64_t tie_scored_steps;    /* of them with a reference */
    sp_reliability *reliability; /* owned; NULL: none */
    sp_scaling scaling;          /* of it */
    int32_t n_calibrations;      /* others beside it; 0 where nothing scales the scores */
    sp_calibration calibrations[SP_MOST_CALIBRATIONS];
    /* What was learnt from this very file; set by whoever knows. */
    bool
        fitted_on_input; /* the model was fitted on it: its figures are better than on recordings it has not seen */
    int32_t
        n_folds; /* each recording was decoded with a model fitted on the other folds, so many in all; 0: one model */
    /* Entities: the classes are tags. */
    bool has_entities;
    int32_t n_entity_types;
    char **entity_types;       /* [n_entity_types] in the order of the classes */
    const char *entity_scheme; /* of the strict reading: "IOB2" ... */
    sp_review_result *review;  /* owned; NULL: not asked for */
    sp_work work;
    bool work_is_guessed;
    sp_words words; /* those of `work` */
    /* Strategies: those of the first classifier, then those of each other one. */
    int32_t n_strategies;
    sp_strategy_result *strategies;
    int32_t n_against; /* other classifiers of the same recordings; 0: there is one */
    sp_against *against;
    int32_t n_comparisons;
    /* Accuracy of each strategy against the same on another classifier's scores; within each classifier of each later strategy
     * against argmax, then of the others pairwise; then of strategies against others on another classifier's scores. Then the
     * same pairs by kappa, macro F1, what `work` adds and, but for pairs with a strategy that is legal by construction, illegal
     * rate. */
    sp_pair_comparison *comparisons;
    const char *other_metrics_left_out; /* why kappa and macro F1 are not among them, or NULL */
    /* More than two strategies: Friedman over units by accuracy, with mean ranks (1 the best) [n_strategies] or NULL; Cochran's Q
     * over steps, which is descriptive. Undefined "fewer than three strategies". */
    sp_chi2 friedman, cochran;
    double *mean_ranks;
    int32_t n_collapsed, n_collapsed_asked; /* the last n_collapsed_asked were asked for */
    sp_collapsed
        *collapsed; /* [n_collapsed] sleep stages in 4, 3 and 2 classes first, then what was asked for */
    /* The first SP_MOST_ILLEGAL_PLACES, in the order of recordings and steps. */
    int64_t n_illegal_places;
    sp_illegal_place *illegal_places;
    bool illegal_places_cut; /* there are more */
    /* Where the model has durations: likewise, of equal steps the strategies in order, then the reference. */
    int64_t n_rule_places;      /* at most SP_MOST_ILLEGAL_PLACES */
    sp_rule_place *rule_places; /* by recording, who, step, rule */
    bool rule_places_cut;
    int64_t n_run_places;
    sp_run_place *run_places;
    bool run_places_cut;
    sp_kappa_weights kappa_weights;
    bool has_margin; /* of non-inferiority: the lower end of a difference's interval against -margin */
    double margin;
    /* Wake left out of agreement, further than so many minutes from the reference's first and last step of sleep. Sleep
     * statistics, raters and traces are of the whole recording. A reference without sleep is left whole. */
    bool has_wake_trim;
    double wake_trim_minutes;
    int64_t *trimmed_steps; /* [N]; NULL without has_wake_trim */
    int64_t n_trimmed_steps;
    /* Paths (or scores) and labels of unequal length were cut to the shorter, at the end. */
    bool has_length_trim;
    int64_t *cut_path_steps,
        *cut_label_steps; /* [N] steps left out of each side; NULL without has_length_trim */
    int64_t n_cut_recordings, n_cut_path_steps, n_cut_label_steps;
    /* What the numbers or texts of others' steps mean ("utime", "yasa with 9=unscored"); NULL: they are as the model's. */
    char *path_codes, *label_codes;
    double epoch_seconds; /* length of a step; 0: not known */
    bool epoch_is_assumed;
    uint64_t seed;
    sp_sleep *sleep;   /* NULL: the classes are no sleep stages */
    sp_raters *raters; /* NULL: one reference, or none */
    double level;      /* of all intervals, such as 0.95 */
    /* Files with the same figures, as the page is to link to them: a name in the page's own folder, or NULL. Not owned. */
    const char *json_link, *csv_link;
    /* Pictures. */
    int64_t trace_steps; /* how many steps may be kept; 0: no pictures are wanted */
    int64_t n_asked;
    int64_t *asked; /* [n_asked] recordings that are drawn before others, each once */
    int64_t n_traces;
    sp_trace *traces;          /* [n_traces] in the order of the recordings */
    sp_rule_costs *rule_costs; /* owned; NULL: not asked for */
    sp_what_if *what_if;       /* owned; NULL: the page does not decode */
} sp_comparison;

void sp_comparison_free(sp_comparison *comparison);

/* Violations of rule r by strategy `who` (n_strategies: the reference) in a recording. */
static inline int64_t sp_rule_violations_in(const sp_comparison *c, int64_t recording, int32_t r, int32_t who)
{
    return c->rule_violations[(recording * c->n_rules + r) * (c->n_strategies + 1) + who];
}

/* ---- figures ----
 *
 * The list of all figures of a comparison, as `statepath help figures` prints it.
 */

/* What a figure is of. Those of the first six can be named in a fail-if condition (comparison.h). */
typedef enum sp_figure_scope {
    SP_OF_COMPARISON,
    SP_OF_REFERENCE,
    SP_OF_STRATEGY,
    SP_OF_CLASS,     /* one class of a strategy */
    SP_OF_AGAINST,   /* the scores of another classifier */
    SP_OF_RULE,      /* a rule over more steps, of a strategy or the reference */
    SP_OF_CHANGES,   /* steps changed against argmax, by class or place */
    SP_OF_RUNS,      /* runs of one class */
    SP_OF_ENTITIES,  /* entities of one type */
    SP_OF_RECORDING, /* one recording of a strategy */
    SP_OF_PAIR,      /* two strategies compared by one metric */
    SP_OF_COLLAPSED, /* a strategy by coarser classes */
    SP_OF_CALIBRATION,
    SP_OF_BIN,      /* steps of similar confidence */
    SP_OF_COVERAGE, /* the steps of greatest confidence */
    SP_OF_RATERS,   /* raters among themselves */
    SP_OF_RATER,    /* reference, strategy or rater against the raters */
    SP_OF_RATER_PAIR,
    SP_OF_SLEEP_MEAN,
    SP_OF_SLEEP_DIFFERENCE,
    SP_N_FIGURE_SCOPES
} sp_figure_scope;

const char *sp_figure_scope_name(sp_figure_scope scope); /* "strategy" */
const char *
sp_figure_scope_path(sp_figure_scope scope); /* where its object stands in the JSON: "strategies.NAME" */

typedef struct sp_figure_description {
    const char *key;        /* "weighted_f1" */
    const char *label;      /* "weighted F1" */
    const char *definition; /* one line */
    int decimals;           /* shown; -1: in per cent */
} sp_figure_description;

/* Row `index` from 0 in the order of the JSON. 1, or 0 where there are no more. */
int sp_figure_describe(sp_figure_scope scope, size_t index, sp_figure_description *out);

/* ---- gates ----
 *
 * Gates: conditions over the figures of a comparison, for pipelines that must stop when a figure is bad.
 *
 *     viterbi.accuracy < argmax.accuracy - 0.01; viterbi.illegal > 0
 *
 * A text holds one condition or several, separated by ";". A gate trips when a condition is true.
 *
 *   condition   figure < side, and <= > >= == !=
 *   side        a number, or a figure plus or minus a number
 *   figure      STRATEGY.METRIC            viterbi.accuracy, beam:8.illegal, "a name with spaces".kappa
 *               STRATEGY.classes.CLASS.METRIC   viterbi.classes.N1.f1, viterbi.classes."B-PER".recall
 *               reference.METRIC           reference.illegal
 *               NAME.STRATEGY.METRIC       old.viterbi.accuracy: of another classifier of the same recordings
 *               NAME.METRIC                old.nll: of its scores
 *               mask_ceiling, nll, recordings, steps, scored_steps, ...
 * The names of metrics are those of the table of figures (comparison.h; mostly keys of the JSON). A strategy that is itself
 * called "reference" is written in quotes.
 *
 * A condition over an undefined figure trips the gate as well: what cannot be judged has not passed.
 */

typedef struct sp_gate sp_gate;

/* What there will be: known before anything is decoded. Only looked at by sp_gate_new. */
typedef struct sp_gate_scope {
    int32_t n_strategies;
    const char *const *strategies; /* [n_strategies] */
    int32_t n_classes;
    const char *const *classes; /* [K] the model's names in the order of the score columns */
    bool has_labels;
    int32_t n_against;          /* other classifiers, whose strategies are called NAME.STRATEGY */
    const char *const *against; /* [n_against] their names */
    const int32_t *
        classifiers; /* [n_strategies] 0: of the first classifier, i: of against[i-1]; NULL: all of the first */
    int32_t n_rules;          /* of the model, over more steps */
    const char *const *rules; /* [n_rules] their names */
} sp_gate_scope;

/* Reads and checks a text. SP_OK; SP_EINVAL (the message shows the place, and lists what exists where a strategy, class or metric
 * is unknown; a metric that needs labels or argmax where there are none; more than 4,096 letters); SP_ENOMEM. */
sp_status sp_gate_new(const char *text, const sp_gate_scope *scope, sp_gate **out, sp_error *err);
void sp_gate_free(sp_gate *gate); /* NULL is fine */

int32_t sp_gate_n_conditions(const sp_gate *gate);

typedef enum sp_gate_verdict { SP_GATE_PASSED, SP_GATE_TRIPPED, SP_GATE_UNDEFINED } sp_gate_verdict;

/* Judges one condition on a comparison of the strategies, classes and labels that the scope announced. The sentence says the
 * condition and the values on both sides; it is empty for SP_GATE_PASSED. Cut when longer than `size`. */
sp_gate_verdict sp_gate_judge(const sp_gate *gate, int32_t condition, const sp_comparison *comparison,
                              char *sentence, size_t size);

/* A figure that a condition names: its key, and of which strategy (of SP_OF_AGAINST: other classifier) and class it is; 0 where
 * the scope has none. Of SP_OF_RULE class_index is the rule, and the number of strategies stands for the reference. */
typedef struct sp_gate_figure {
    sp_figure_scope scope; /* SP_OF_COMPARISON, _REFERENCE, _STRATEGY, _CLASS, _AGAINST, _RULE */
    const char *key;
    int32_t strategy, class_index;
} sp_gate_figure;
sp_value sp_gate_value(const sp_comparison *comparison, const sp_gate_figure *figure);

/* Judges as sp_gate_judge() does, by values that were taken from a comparison that is no more there. */
typedef struct sp_gate_values {
    void *arg;
    sp_value (*value)(void *arg, const sp_gate_figure *figure);
} sp_gate_values;
sp_gate_verdict sp_gate_judge_values(const sp_gate *gate, int32_t condition, const sp_gate_values *values,
                                     char *sentence, size_t size);

#ifdef __cplusplus
}
#endif
#endif
