/* The tables and sentences of a report, filled from a comparison; every writer shows the same ones, in the order of document.c. A
 * table for which the comparison has nothing (no labels, one strategy) stays without rows, and the writers then show nothing. */
#ifndef STATEPATH_REPORT_TABLES_H
#define STATEPATH_REPORT_TABLES_H

#include "report/write/table.h"
#include "statepath/comparison.h"

/* What a writer has room for. */
typedef struct sp_fill_options {
    bool is_wide;              /* every column */
    const int64_t *recordings; /* of recordings, these alone; NULL: all */
    int64_t n_recordings;
    bool is_compact;          /* recordings: a column a strategy, "0.954 (23)" */
    bool is_narrow;           /* differences: a short title and fewer columns */
    bool is_adaptive;         /* bins of equal weight, not of equal width */
    bool is_brief;            /* a terminal without --verbose: what stands elsewhere too is left out */
    int64_t most_rows;        /* of a list of pairs or recordings, the most frequent or first; 0: all */
    int32_t most_classes;     /* with more, tables with a row a class stay empty; 0: all */
    int32_t most_matrix;      /* the same of matrices */
    int32_t strategy;         /* of tables of one strategy */
    const char *metric;       /* of differences, as in sp_pair_comparison */
    sp_sleep_measure measure; /* of a table of nights */
} sp_fill_options;

/* Fills an empty table. Sets table->n_left_out where it shows fewer rows than there are. */
typedef void sp_filler(const sp_comparison *c, const sp_fill_options *options, sp_table *table);
/* Adds sentences that stand under a table; nothing where there is nothing to say. */
typedef void sp_noter(const sp_comparison *c, sp_buffer *line);

/* One row a strategy and the reference: changes and runs. (Tables of figures alone: columns.h.) */
sp_filler sp_fill_change_rates;
/* What each strategy changed against argmax; by class of the reference; accuracy by place in a run of the reference. */
sp_filler sp_fill_changes, sp_fill_class_changes, sp_fill_contexts;
sp_filler sp_fill_runs; /* of each class */
/* Of each class with a duration: what the model says, and runs that are shorter or longer; and where these are. */
sp_filler sp_fill_durations, sp_fill_run_places;
/* Pairs of strategies by options->metric; the same with a short title and fewer columns; means and tests over units (accuracy);
 * non-inferiority; ranks of all strategies; tests over steps. */
sp_filler sp_fill_differences, sp_fill_margins, sp_fill_several, sp_fill_step_tests;
/* F1 by class and strategy; each class of one strategy against the rest; confusion matrix of one strategy, with a column of
 * undecoded steps where there are any; coarser classes; pairs that the model forbids and someone made. */
sp_filler sp_fill_class_f1, sp_fill_class_detail, sp_fill_confusion, sp_fill_confusion_left_out,
    sp_fill_collapsed, sp_fill_illegal_pairs;
/* One row a recording: accuracy and illegal transitions of every strategy, in columns of their own or, compact, as "0.954 (23)";
 * recordings that a strategy could not decode. */
sp_filler sp_fill_recordings, sp_fill_undecoded;
/* Sleep (rows: measures): means of the reference and each strategy; differences from the reference; one measure night by night.
 */
sp_filler sp_fill_sleep_means, sp_fill_sleep_agreement, sp_fill_sleep_nights;
/* Who breaks the rules over more than two steps; what each rule costs; rules that the labels propose. */
sp_filler sp_fill_violations, sp_fill_rule_costs, sp_fill_rule_proposals;
/* Operating points of a tagger; its types of entities at the one that was asked for. */
/* Agreement with several raters; wide: kappa with each. */
sp_filler sp_fill_raters;
/* The scores' probabilities: one row a measure; before and after scaling; bins of equal width or weight; by class; by share kept.
 */
sp_filler sp_fill_probabilities, sp_fill_calibrations, sp_fill_bins, sp_fill_class_calibration,
    sp_fill_coverage;
/* Sentences, one a row of a one-column table. Headline: the best strategy that obeys the rules against argmax. Notes: what has to
 * be known to read the figures right, warnings first (SP_TONE_BAD). */
sp_filler sp_fill_headline, sp_fill_notes, sp_fill_rater_notes;

/* How intervals and p were found; tests over all strategies; how long a step is, where no other table of sleep says so or anyway.
 */
sp_noter sp_note_rule_costs, sp_note_rule_proposals;
sp_noter sp_note_interval, sp_note_several, sp_note_sleep_alone, sp_note_sleep;

/* Parts of the notes that stand in files of their own. */
void sp_note_judging(const sp_comparison *c, sp_table *lines);
void sp_note_permutation(const sp_comparison *c, sp_table *lines);
void sp_note_shift(const sp_comparison *c, sp_table *lines);
void sp_note_probabilities(const sp_comparison *c, sp_table *lines);
void sp_note_against(const sp_comparison *c,
                     sp_table *lines); /* whose scores they are, likelihood and calibration */

/* ---- small questions that several writers ask ---- */

/* inference.c: which interval differences have, as a key and within a sentence. */
const char *sp_interval_key(const sp_comparison *c);
const char *sp_interval_name(const sp_comparison *c);
void sp_note_units(const sp_comparison *c,
                   sp_table *lines); /* how far intervals and tests of so many units go */
void sp_add_least_p(const sp_comparison *c, const sp_pair_comparison *pair, sp_buffer *out);
void sp_add_smallest_p(const sp_comparison *c, sp_buffer *out);
/* All illegal pairs of the reference and the strategies, each once, with the sum of its counts, by index; to be freed. NULL: no memory. */
sp_pair_count *sp_illegal_union(const sp_comparison *c, int64_t *n);
int sp_pair_by_index(const void *a,
                     const void *b); /* order of two sp_pair_count, for qsort() and bsearch() */
bool sp_is_judged(
    const sp_pair_comparison *pair); /* against a margin: of illegal rates less is better, and none is harm */
/* "yes", "not shown"; NULL: no interval, or a metric without margin. has_margin is set. */
const char *sp_margin_answer(const sp_comparison *c, const sp_pair_comparison *pair);

/* Calibration of one scaling, and its likelihood; NULL: the comparison has it not. */
const sp_reliability *sp_scaled_reliability(const sp_comparison *c, sp_scaling scaling, const sp_value **nll);
const char *sp_scaling_key(sp_scaling scaling);  /* "given", ... for machines */
const char *sp_scaling_name(sp_scaling scaling); /* "as given", ... for people */

/* Columns for the reference, if wanted, and each strategy. */
void sp_strategy_columns(const sp_comparison *c, bool with_reference, sp_table *table);
/* Cells; "–" where undefined. */
void sp_cell_none(sp_table *table);
void sp_cell_p(sp_table *table, const sp_value *p);
void sp_cell_pair(const sp_comparison *c, const sp_pair_comparison *pair,
                  sp_table *table); /* "viterbi − argmax" */
void sp_cell_share(sp_table *table, int64_t part, int64_t whole, sp_cell_tone tone); /* in per cent */
void sp_cell_value(sp_table *table, const sp_value *value, int decimals, sp_cell_tone tone);
void sp_cell_signed(sp_table *table, const sp_value *value, double scale, int decimals);
void sp_cell_difference(sp_table *table, const sp_difference *d, double scale,
                        int decimals); /* two: it, and its interval */
void sp_cell_mean(sp_table *table, const sp_value *mean, const sp_value *sd,
                  int decimals); /* "0.812 ± 0.031" */
/* The value in units of its last shown digit: values that look the same are the same, for stars and words. */
double sp_as_shown(double value, int decimals);
const char *sp_undecoded_reason(sp_status status); /* "no path", "dead end" */
/* The strategy that the verdict leads with: the first classifier's first that was named and is legal by construction; where none
 * is, the first without an illegal transition, else the last. It is compared with argmax and greedy, so greedy leads only where
 * there is no other, argmax never. Its place is known before anything is decoded, so its interval needs no adjustment. -1 without
 * strategies. */
int32_t sp_focus_strategy(const sp_comparison *c);
/* Index of the strategy "argmax", or -1. */
int32_t sp_argmax_strategy(const sp_comparison *c);
/* What the strategy that leads, and the most accurate one, lose where they are more accurate than argmax: more than 0.01 of the
 * edit score, of kappa or of macro F1. "viterbi's accuracy of 0.57 (argmax 0.46) is bought with segments: ..." */
void sp_add_prices(const sp_comparison *c, sp_buffer *line);
/* The strategy of the same name on the scores of against[i]; -1: it is not among them. */
int32_t sp_same_strategy(const sp_comparison *c, int32_t strategy, int32_t i);
int64_t sp_scored_of(const sp_comparison *c, int64_t recording);
int sp_sleep_decimals(sp_sleep_measure measure);

/* What intervals and tests are over: "recordings" (or what they are called) or "subjects", "recording" for one. */
const char *sp_unit_name(const sp_comparison *c, const sp_words *words, int64_t n);
/* "20 recordings, 17,711 steps, 17,533 with a reference" */
void sp_buffer_sizes(sp_buffer *out, const sp_comparison *c);

#endif
