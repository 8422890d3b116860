/* The tables and sentences of a report, filled from a comparison; text, Markdown and HTML show the same ones. A table for which
 * the comparison has nothing (no labels, one strategy) stays without rows, and the renderers then show nothing. */
#ifndef STATEPATH_REPORT_TABLES_H
#define STATEPATH_REPORT_TABLES_H

#include "report/table.h"
#include "statepath/comparison.h"

/* One row a strategy. wide: every pooled metric, and the means over recordings; else what a terminal has room for. */
void sp_fill_leaderboard(const sp_comparison *comparison, bool wide, sp_table *table);
/* Paired differences of accuracy: one row a pair of strategies. */
void sp_fill_differences(const sp_comparison *comparison, sp_table *table);
/* The same of "accuracy", "kappa", "macro_f1" or "illegal_rate"; without rows where there are none.
 * is_narrow: under a short title, and what is better, worse and the same in one column. */
void sp_fill_metric_differences(const sp_comparison *comparison, const char *metric, bool is_narrow, sp_table *table);
/* Illegal transitions of the reference and each strategy: their share of all transitions, with interval, and of the changes of
 * class, how many an hour, and the recording with the most; counts: also how many, and in how many recordings. Changes and runs:
 * how many, an hour, of one step. */
void sp_fill_illegal_rates(const sp_comparison *comparison, sp_table *table);
void sp_fill_illegal_counts(const sp_comparison *comparison, sp_table *table);
void sp_fill_change_rates(const sp_comparison *comparison, sp_table *table);
void sp_note_permuted(const sp_comparison *comparison, sp_table *lines); /* add their sentences to notes */
void sp_note_judging(const sp_comparison *comparison, sp_table *lines);
/* The scores' probabilities: one row a measure; bins of equal width or of equal weight; by class; by share kept. */
void sp_fill_probabilities(const sp_comparison *comparison, sp_table *table);
void sp_fill_reliability(const sp_comparison *comparison, bool adaptive, sp_table *table);
void sp_fill_class_calibration(const sp_comparison *comparison, sp_table *table);
void sp_fill_coverage(const sp_comparison *comparison, sp_table *table);
/* Calibration before and after: one row a scaling; without rows where nothing scales the scores. */
void sp_fill_calibrations(const sp_comparison *comparison, sp_table *table);
/* Of one scaling, and its likelihood; NULL: the comparison has it not. */
const sp_reliability *sp_scaled_reliability(const sp_comparison *comparison, sp_scaling scaling, const sp_value **nll);
const char *sp_scaling_key(sp_scaling scaling);                               /* "given", ... for machines */
const char *sp_scaling_name(sp_scaling scaling);                              /* "as given", ... for people */
void sp_note_probabilities(const sp_comparison *comparison, sp_table *lines); /* adds its sentence to notes */
/* F1 by class (rows) and strategy (columns), with the support. */
void sp_fill_class_f1(const sp_comparison *comparison, sp_table *table);
/* Precision, recall, F1, specificity, NPV, kappa, PABAK and bias of each class under one strategy. */
void sp_fill_class_detail(const sp_comparison *comparison, int32_t strategy, sp_table *table);
void sp_add_detail_title(const sp_comparison *comparison, int32_t strategy, sp_buffer *out); /* "viterbi: each class ..." */
/* Counts: rows reference, columns decoded; a column of undecoded steps where there are any. */
void sp_fill_confusion(const sp_comparison *comparison, int32_t strategy, sp_table *table);
/* Pairs that the model forbids and someone made, most frequent first, at most `limit` (0: all): rows "A -> B", columns the
 * reference and each strategy. Returns how many pairs there are in all. */
int64_t sp_fill_illegal_pairs(const sp_comparison *comparison, int64_t limit, sp_table *table);
/* What each strategy changed against argmax. */
void sp_fill_changes(const sp_comparison *comparison, sp_table *table);
/* The same by class of the reference, and by place in a run of the reference. */
void sp_fill_class_changes(const sp_comparison *comparison, int32_t strategy, sp_table *table);
void sp_fill_contexts(const sp_comparison *comparison, sp_table *table);
/* Runs of each class: number and mean length, reference and each strategy. */
void sp_fill_bouts(const sp_comparison *comparison, sp_table *table);
/* Changes found within 0, 1, 2 steps of the reference's, and the segment edit score. */
void sp_fill_boundaries(const sp_comparison *comparison, sp_table *table);
/* How far errors run on that a strategy makes against argmax; coarser classes; ranks of the strategies and, as a sentence, the
 * tests over all of them; tests over steps; non-inferiority. */
void sp_fill_error_runs(const sp_comparison *comparison, sp_table *table);
void sp_fill_collapsed(const sp_comparison *comparison, sp_table *table);
void sp_fill_several(const sp_comparison *comparison, sp_table *table);
void sp_note_several(const sp_comparison *comparison, sp_buffer *line);
void sp_fill_step_tests(const sp_comparison *comparison, sp_table *table);
void sp_fill_margins(const sp_comparison *comparison, sp_table *table);
/* "yes", "not shown"; NULL: no interval, or a metric without margin. has_margin is set. */
const char *sp_margin_answer(const sp_comparison *comparison, const sp_pair_comparison *pair);
void sp_note_more(const sp_comparison *comparison, sp_table *lines); /* adds its sentences to notes */
/* Entities, where the classes are tags. */
void sp_fill_entities(const sp_comparison *comparison, sp_table *table);
/* One row a recording: accuracy and illegal transitions of every strategy, in columns of their own or, compact, as "0.954 (23)".
 */
void sp_fill_recordings(const sp_comparison *comparison, bool compact, sp_table *table);
/* Recordings that a strategy could not decode, at most `limit` (0: all). Returns how many there are in all. */
int64_t sp_fill_undecoded(const sp_comparison *comparison, int64_t limit, sp_table *table);

/* Sleep statistics (rows: measures): means of the reference and each strategy; differences from the reference; one measure night
 * by night, at most `limit` nights. */
void sp_fill_sleep_means(const sp_comparison *comparison, sp_table *table);
void sp_fill_sleep_agreement(const sp_comparison *comparison, sp_table *table);
void sp_fill_sleep_nights(const sp_comparison *comparison, sp_sleep_measure measure, int64_t limit, sp_table *table);
/* One sentence: how long a step is and who says so. */
void sp_fill_sleep_note(const sp_comparison *comparison, sp_buffer *line);
int sp_sleep_decimals(sp_sleep_measure measure);
/* Agreement with several scorers: rows reference, strategies, scorers, and the scorers among themselves. wide: kappa with each.
 */
void sp_fill_scorers(const sp_comparison *comparison, bool wide, sp_table *table);
void sp_fill_scorer_notes(const sp_comparison *comparison, sp_table *lines);

/* Sentences, one a row of a one-column table. Notes: what has to
 * be known to read the figures right (reference, ceiling, undecoded, undefined). */
/* Headline: the best strategy that obeys the rules against argmax, in one or two sentences. */
void sp_fill_headline(const sp_comparison *comparison, sp_table *lines);
void sp_fill_notes(const sp_comparison *comparison, sp_table *lines);

/* ---- small questions that several writers ask ---- */

void sp_add_level(sp_buffer *out, double level); /* "95 %" */
/* inference.c: "bca", "BCa", "wilcox" ...; "Wilcoxon signed rank" and what it does with zeros; "with 5 recordings the smallest p
 * possible is 0.0625" of a tested pair; the same of the pair with the fewest units that differ, false (and nothing added) where
 * all can be below 0.001. */
const char *sp_interval_key(sp_interval_kind interval);
const char *sp_interval_name(sp_interval_kind interval);
const char *sp_zeros_key(sp_wilcoxon_zeros zeros);
void sp_add_test_name(const sp_comparison *comparison, sp_buffer *out);
void sp_add_least_p(const sp_comparison *comparison, const sp_pair_comparison *pair, sp_buffer *out);
bool sp_note_least_p(const sp_comparison *comparison, sp_buffer *out);
int32_t sp_tested_pairs(const sp_comparison *comparison); /* comparisons of accuracy */
const char *sp_metric_name(const char *metric);           /* "macro F1" of "macro_f1" */

void sp_cell_p(sp_table *table, const sp_value *p);
void sp_cell_pair(const sp_comparison *comparison, const sp_pair_comparison *pair, sp_table *table); /* "viterbi − argmax" */
void sp_cell_share(sp_table *table, int64_t part, int64_t whole, sp_tone tone);         /* in per cent, "–" of nothing */
void sp_cell_value(sp_table *table, const sp_value *value, int decimals, sp_tone tone); /* "–" when undefined */
/* The value in units of its last shown digit: values that look the same are the same, for stars and words. */
double sp_as_shown(double value, int decimals);
bool sp_has_undecoded(const sp_comparison *comparison);
/* "no path", "dead end" */
const char *sp_undecoded_reason(sp_status status);
/* The strategy to show first: of those without illegal transition (argmax apart) the most accurate, else that of the greatest
 * path score, else the last; argmax when there is no other. -1 without strategies. */
int32_t sp_focus_strategy(const sp_comparison *comparison);
/* Index of the strategy "argmax", or -1. */
int32_t sp_argmax_strategy(const sp_comparison *comparison);
int64_t sp_scored_of(const sp_comparison *comparison, int64_t recording);

/* What intervals and tests are over: "recordings" or "subjects", "recording" for one. */
const char *sp_unit_name(const sp_comparison *comparison, int64_t n);
/* "20 recordings, 17,711 steps, 17,533 with a reference" */
void sp_buffer_sizes(sp_buffer *out, const sp_comparison *comparison);

#endif
