/* Inside of an evaluation; not installed.
 *
 * An evaluation holds the comparison that it will hand out and fills it as blocks come in; beside it stands what is only needed
 * on the way. Each file of this folder adds one kind of count for one recording: open.c has the memory, checks.c and adding.c the checks
 * and the order of things, score_path.c confusion, changes, context and what is by recording, segments.c runs, boundaries and
 * edit score, segment_overlaps.c, entities.c and mask_ceiling.c what they are called after; finish.c turns sums to values.
 */
#ifndef EVALUATE_EVALUATION_H
#define EVALUATE_EVALUATION_H

#include "evaluate/evaluate.h"
#include "statepath/comparison.h"

#include "core/chain.h"
#include "core/owned.h"
#include "evaluate/counts/margins.h"
#include "evaluate/counts/stretches.h"
#include "evaluate/counts/tally.h"
#include "tags/tags.h"

#include <stdlib.h>

enum { SP_EVALUATION_MAX_CLASSES = 8192 };

/* Runs of a path, or of the reference, that are shorter or longer than the model allows. {0}: they are not kept. */
typedef struct sp_broken_runs {
    int64_t *too_short, *too_long; /* [K] over all recordings */
    int64_t n, capacity;
    sp_run_place *places; /* [n] of the recording at hand, ascending; owned */
    bool is_short;        /* of memory */
} sp_broken_runs;

/* broken_runs.c */
void sp_broken_runs_add(sp_broken_runs *broken, int64_t first, int64_t length, int32_t k, bool is_long);
/* Those of the recording at hand into the comparison's list, by step; then there are none. */
sp_status sp_add_run_places(sp_evaluation *e, int64_t recording, sp_error *err);
sp_status sp_broken_runs_open(sp_evaluation *e, sp_error *err);
void sp_broken_runs_free(sp_evaluation *e);
/* durations_listed.c: what the chain knows of its durations. */
sp_status sp_durations_list(sp_evaluation *e, sp_error *err);
/* Into runs [K] of a class each; nothing where they are not kept. */
void sp_broken_runs_tell(const sp_broken_runs *broken, int32_t K, sp_class_runs *runs);

/* An entity of one type. */
typedef struct sp_entity_span {
    int64_t first, last;
    int32_t k;
} sp_entity_span;

/* Runs of one class along a path; {0} is the empty list. */
typedef struct sp_runs {
    int64_t n;        /* segments */
    int32_t *classes; /* [n] theirs; owned */
    int64_t changes;  /* from a run to the next beside it, of the background too */
    int64_t capacity;
} sp_runs;

/* What is known of the recording at hand, of the reference or of a strategy. */
typedef struct sp_track {
    sp_runs runs;
    /* Of a strategy only. */
    sp_recording_result result;
    sp_segments segments;
    double edit;                      /* edit score of the recording; NAN: none */
    sp_entity_counts entities_before; /* of the recordings before */
} sp_track;

/* Labels of one lag, and stretches of them (label_shift.c). */
typedef struct sp_lag_counts {
    int64_t scored, here, right; /* labels; right at lag 0, and at this one */
    int64_t better, worse;       /* stretches */
} sp_lag_counts;
typedef struct sp_shift_sums {
    sp_lag_counts lags[2 * SP_SHIFT_LAGS + 1]; /* from -SP_SHIFT_LAGS on */
} sp_shift_sums;

/* What is counted for a strategy beside its result. */
typedef struct sp_strategy_sums {
    sp_tally transitions; /* from * K + to */
    sp_tally class_runs;  /* see sp_run_key() */
    sp_tally error_lengths;
    sp_exact_sum edit_sum, score_sum, regret_sum;
    bool has_impossible; /* a decoded path whose score is -INFINITY */
    sp_broken_runs broken;
    sp_shift_sums shift;
} sp_strategy_sums;

/* Agreement with several raters on its way (raters.c). */
typedef struct sp_rater_sums sp_rater_sums;

/* Memory for one recording, grown to the longest. */
typedef struct sp_evaluation_scratch {
    int64_t capacity;                /* steps there is room for */
    int32_t *nothing;                /* [T] -1: the path of an undecoded recording */
    int64_t *cut;                    /* [T] ends of the stretches of labels and all paths */
    uint8_t *flags;                  /* [T] */
    sp_entity_span *spans;           /* [T+1] */
    sp_entity_span *reference_spans; /* [T+1] */
    double *best;                    /* [T] greatest score of each step */
    double *row;                     /* [K] scores of one step */
    int32_t *kept;                   /* labels of a block without trimmed wake */
} sp_evaluation_scratch;

struct sp_evaluation {
    sp_owned own; /* the arrays that do not grow */
    const sp_chain *chain, *rules;
    sp_workers *workers;           /* as given with the last block */
    sp_evaluation_options options; /* names and is_legal are not kept */
    int32_t K;
    sp_comparison *result;  /* being filled */
    int64_t capacity;       /* recordings there is room for */
    sp_strategy_sums *sums; /* [n_strategies] */
    sp_tally reference_transitions, reference_runs;
    sp_broken_runs reference_broken;
    int64_t ceiling_correct;
    sp_tag *tags;                 /* [K], or NULL: classes are no tags */
    const sp_tag_scheme *scheme;  /* of the strict reading */
    int32_t n_pairs;              /* of strategies to compare */
    int32_t (*pairs)[2];          /* [n_pairs] a, b */
    int64_t (*mcnemar_counts)[2]; /* [n_pairs] steps that only a, only b has right */
    int64_t *contingency; /* [n_pairs][K,K] steps where a says i and b says j; NULL: too many classes */
    double right_sum, right_squares; /* over steps, of how many strategies have it right */
    int64_t wake_margin;             /* steps */
    int32_t *stage_of_class;         /* [K], or NULL: the classes are no sleep stages */
    sp_rater_sums *raters;           /* or NULL */
    sp_margins margins;
    sp_count_rows sequence_rows; /* pair_differences.c */
    sp_evaluation_scratch scratch;
    sp_track reference, *tracks; /* of the recording at hand; [n_strategies] */
    int64_t scored;              /* steps of the recording at hand */
    bool is_untraced; /* steps are no longer kept: there were too many, or somebody has taken them */
};

/* A recording, borrowed. */
typedef struct sp_recording {
    int64_t index, n_steps;
    const int32_t *labels;   /* or NULL */
    const int64_t *segments; /* or NULL */
    const int32_t *whole;    /* labels with all wake; the same where none is trimmed */
    const int64_t *cut;      /* ends of the stretches of labels, whole and all paths; NULL: not cut */
} sp_recording;

/* Do steps t-1 and t belong to one segment? t > 0. */
static inline bool sp_is_joined(const sp_recording *r, int64_t t)
{
    return !r->segments || r->segments[t] == r->segments[t - 1];
}

/* The class of step t; -1 where it has none, or the reference, if there is one, is not scored. */
static inline int32_t sp_scored_class(const sp_recording *r, const int32_t *path, int64_t t)
{
    return r->labels && r->labels[t] < 0 ? -1 : path[t];
}

/* Along a recording by stretches in which a, and b unless NULL, keep their class. Both are among what it
 * was cut by, if it was. */
static inline sp_stretch sp_walk(const sp_recording *r, const int32_t *a, const int32_t *b)
{
    return (sp_stretch){.n_steps = r->n_steps, .segments = r->segments, .sides = {a, b}, .cut = r->cut};
}

/* Makes room for recordings of so many steps; open.c. */
sp_status sp_evaluation_reserve_steps(sp_evaluation *e, int64_t n, sp_error *err);
/* Room for so many more recordings; open.c. */
sp_status sp_evaluation_reserve_recordings(sp_evaluation *e, int64_t more, sp_error *err);
/* checks.c */
sp_status sp_check_subject(const sp_evaluation *e, int32_t subject, sp_error *err);
/* What comes with the recording at hand.
 *   paths     [n_strategies], of -1 where the recording is not decoded
 *   results   [n_strategies]
 *   scores    its own, or NULL
 *   against   [n_against] those of the other classifiers, or NULL
 *   raters   [n_raters], or NULL */
typedef struct sp_views {
    const int32_t *const *paths;
    const sp_decoded *results;
    const sp_scores *scores, *against;
    const int32_t *const *raters;
} sp_views;

/* Are the classes of a recording from -1 to K-1, and is there what was announced? checks.c. labels NULL:
 * there are none. */
sp_status sp_check_recording(const sp_evaluation *e, const char *id, int64_t n_steps, const int32_t *labels,
                             const sp_views *views, sp_error *err);

/* score_path.c */
void sp_add_agreement(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path,
                      const int32_t *baseline);

/* segments.c. The runs of a path, which gaps and steps without a scored class cut, in place of those that
 * are listed. Runs of the background [K] (NULL: none) are not listed. Lengths of all go into the tally
 * (NULL: nowhere). False: no memory. */
bool sp_runs_find(sp_runs *runs, int32_t K, const sp_recording *r, const int32_t *path,
                  const uint8_t *background, sp_tally *lengths);
/* Of a run of class k of K; the keys of one class ascend with the length. */
static inline int64_t sp_run_key(int32_t K, int32_t k, int64_t length)
{
    return length * K + k;
}
sp_status sp_add_reference_segments(sp_evaluation *e, const sp_recording *r, sp_error *err);
sp_status sp_add_segments(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path,
                          sp_error *err);
/* Fills runs [K] from a tally, to which nothing can be added then. reference [K] or NULL. On failure what
 * is there is freed with the comparison. */
sp_status sp_class_runs_fill(int32_t K, sp_tally *tally, const sp_class_runs *reference, sp_class_runs **out,
                             sp_error *err);
void sp_boundaries_finish(sp_boundaries *boundaries);

/* segment_overlaps.c: of one recording, where the reference is scored. background [K] or NULL. */
void sp_overlaps_count(const sp_recording *r, const int32_t *path, const uint8_t *background,
                       sp_segments *out);
void sp_segments_add(sp_segments *sum, const sp_segments *counts);
void sp_segments_finish(sp_segments *segments);

/* entities.c. Adds one recording; reference and decoded have room for T. */
void sp_count_entities(const sp_tag *tags, const sp_recording *r, const int32_t *path,
                       sp_entity_span *reference, sp_entity_span *decoded, sp_entity_counts *all);
sp_status sp_tags_find(sp_evaluation *e, const char *const *classes, const sp_tag_scheme *scheme,
                       sp_error *err);
void sp_add_entities(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path);
void sp_entities_finish(const sp_evaluation *e, sp_entities *entities);

sp_status sp_add_error_runs(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path,
                            const int32_t *argmax, sp_error *err);
sp_status sp_error_runs_finish(sp_evaluation *e, int32_t strategy, sp_error *err);

/* Regret: nothing without scores. */
void sp_add_regret(sp_evaluation *e, const sp_recording *r, const sp_views *views);
void sp_regret_finish(sp_strategy_result *s, const sp_exact_sum *sum);

/* collapse.c */
sp_status sp_collapsed_open(sp_evaluation *e, const sp_evaluation_options *options, sp_error *err);
void sp_collapsed_finish(sp_evaluation *e);

/* mask_ceiling.c */
sp_status sp_add_ceiling(sp_evaluation *e, const sp_evaluation_block *block, sp_workers *workers,
                         sp_error *err);

/* sleep_statistics.c: all do nothing where the classes are no stages */
sp_status sp_sleep_open(sp_evaluation *e, const sp_evaluation_options *options, sp_error *err);
void sp_sleep_reserve(sp_evaluation *e, int64_t n, bool *is_whole);
void sp_add_sleep(sp_evaluation *e, const sp_recording *r, const sp_views *views);
void sp_sleep_finish(sp_evaluation *e);

/* rule_counts.c: violations of rules over more steps; all do nothing where the model has none. */
sp_status sp_rule_counts_open(sp_evaluation *e, sp_error *err);
void sp_rule_counts_reserve(sp_evaluation *e, int64_t n, bool *is_whole);
/* paths [n_strategies], -1 where undecoded. */
sp_status sp_add_rule_counts(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths,
                             const sp_decoded *results, sp_error *err);
void sp_rule_counts_finish(sp_evaluation *e);

/* raters.c: all do nothing without raters */
sp_status sp_raters_open(sp_evaluation *e, const sp_evaluation_options *options, sp_error *err);
/* raters [n_raters] labels; paths [n_strategies], -1 where undecoded. */
void sp_add_raters(sp_evaluation *e, const sp_recording *r, const int32_t *const *raters,
                   const int32_t *const *paths);
void sp_raters_finish(sp_evaluation *e);

/* pairs.c */
sp_status sp_pairs_choose(sp_evaluation *e, sp_error *err);
void sp_add_pairs(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths);
sp_status sp_pairs_compare(sp_evaluation *e, sp_error *err);

/* transitions.c: as sp_transitions_count(). Transitions go into the tally `pairs` too, from * K + to; runs
 * that do not fit into `broken`, where it keeps them. */
sp_status sp_add_transitions(const sp_evaluation *e, const sp_recording *r, const int32_t *path,
                             sp_broken_runs *broken, sp_transition_counts *counts, sp_tally *pairs,
                             sp_error *err);
/* From counts, runs and epoch_seconds of a comparison; worst_recording of the reference is kept. */
void sp_frequencies_fill(sp_comparison *comparison);
/* label_permutation.c: the renaming with most steps right, name_of [K] for each column of confusion [K,K]. */
sp_status sp_label_permutation_best(int32_t K, const int64_t *confusion, int32_t *name_of, sp_error *err);
/* runs [K] of the reference. */
sp_status sp_label_permutation_find(int32_t K, const sp_class_runs *runs, sp_strategy_result *strategy,
                                    sp_error *err);
/* label_shift.c: the recording's labels at each lag; the path is decoded. */
void sp_add_shift(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path);
void sp_label_shift_find(const sp_shift_sums *sums, sp_label_shift *out);
/* margins.c: of the recording whose steps were counted; sets its kappas. */
sp_status sp_margins_open(sp_evaluation *e, sp_error *err);
sp_status sp_add_margins(sp_evaluation *e, const sp_recording *r, sp_error *err);

/* pair_differences.c: what the recording at hand adds when it ends. */
sp_status sp_add_sequences(sp_evaluation *e, sp_error *err);

/* places.c: lists the steps at which a rule is broken. `broke` [n_strategies + 1]: who breaks any, the
 * reference last. paths [n_strategies], -1 where undecoded. */
sp_status sp_add_illegal_places(sp_evaluation *e, const sp_recording *r, const int32_t *const *paths,
                                const bool *broke, sp_error *err);

/* traces.c: keeps steps; those of all recordings go when they become too many. */
sp_status sp_add_trace(sp_evaluation *e, const sp_recording *r, const sp_views *views, sp_error *err);

/* Softmax of each row in 255ths into density [T,K], 0 where every class is impossible. */
void sp_density_fill(const sp_scores *scores, uint8_t *density);

/* ---- sleep statistics ---- */

void sp_sleep_agreement_of(int64_t n, const sp_sleep_statistics *reference,
                           const sp_sleep_statistics *decoded, sp_sleep_measure measure,
                           sp_sleep_agreement *out);
/* Fills the intervals, once the rest is there. */
void sp_sleep_agreement_intervals(double level, sp_sleep_agreement *agreement);
void sp_sleep_mean_of(int64_t n, const sp_sleep_statistics *nights, sp_sleep_measure measure,
                      sp_sleep_mean *out);

#endif
