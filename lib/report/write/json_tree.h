/* Building a jansson tree with errors that stick, and laying it out. Every function that takes a json_t* takes it over, also when
 * it fails. `failed` is only ever set. */
#ifndef STATEPATH_REPORT_JSON_TREE_H
#define STATEPATH_REPORT_JSON_TREE_H

#include <jansson.h>

#include "evaluate/figures.h"
#include "report/write/buffer.h"
#include "statepath/comparison.h"
#include "json/json_layout.h"

json_t *sp_json_text(const char *text, bool *failed); /* bytes that are no UTF-8 become U+FFFD */
void sp_json_set(json_t *object, const char *key, json_t *value, bool *failed);
/* The key is a name from a file: cleaned as in sp_json_text(); names that are equal then stay apart by "#2", "#3", ... */
void sp_json_set_named(json_t *object, const char *name, json_t *value, bool *failed);
void sp_json_append(json_t *array, json_t *value, bool *failed);
/* "key": number, or "key": null and "key_undefined": reason. */
void sp_json_set_value(json_t *object, const char *key, const sp_value *value, bool *failed);
/* A path score: null with a reason where it is -infinity. */
void sp_json_set_score(json_t *object, const char *key, double score, bool *failed);

/* "key": [low, high], or null and the reason. */
void sp_json_set_interval(json_t *object, const char *key, sp_value low, sp_value high, bool *failed);
/* All scalars of the table of figures that the owner has, in its order, at their paths. */
void sp_json_set_figures(json_t *object, sp_figure_scope scope, const sp_figure_owner *owner, bool *failed);

/* ---- small pieces (json_lists.c) ---- */

void sp_json_set_text(json_t *object, const char *key, const char *text, bool *failed);
void sp_json_set_count(json_t *object, const char *key, int64_t n, bool *failed);
/* An object of the figures of one scope; s may be NULL where the scope has no strategy. */
json_t *sp_json_figures(sp_figure_scope scope, const void *own, const sp_strategy_result *s, const sp_comparison *c,
                        bool *failed);
json_t *sp_json_names(int32_t n, char *const *names, bool *failed);
json_t *sp_json_matrix(size_t n, const int64_t *counts, bool *failed); /* [n][n], rows first */
/* [[from, to], ...], with counts [{"from", "to", "count"}, ...]. */
json_t *sp_json_pairs(const sp_comparison *c, const sp_pair_count *pairs, int64_t n, bool with_count, bool *failed);
json_t *sp_json_lengths(const sp_class_runs *runs, bool *failed); /* [[length, count], ...] */

/* ---- subjects of a document; the comparison has them ---- */

json_t *sp_json_rule_costs(const sp_comparison *c, bool *failed); /* what each rule costs (json_rules.c) */
/* json_probability.c: one calibration, those of all scalings, other classifiers */
json_t *sp_json_calibration(const sp_comparison *c, const sp_reliability *one, bool *failed);
json_t *sp_json_calibrations(const sp_comparison *c, bool *failed);
json_t *sp_json_against(const sp_comparison *c, bool *failed);
/* json_raters.c; lists: of nights, which are written one by one: of the reference and each strategy */
json_t *sp_json_sleep(const sp_comparison *c, sp_json_list *lists, bool *failed);
json_t *sp_json_raters(const sp_comparison *c, bool *failed);

/* Lays the tree out (json_layout.h). */
void sp_json_write(const json_t *root, sp_buffer *out, bool *failed);
/* The same of a tree with such lists. The buffer may be drained. */
void sp_json_write_lists(const json_t *root, const sp_json_list *lists, int32_t n_lists, sp_buffer *out, bool *failed);

#endif
