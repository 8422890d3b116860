/* Building a jansson tree with errors that stick, and laying it out. Objects and lists are made where they belong, so that nothing has
 * to be freed but the root; keys stand in the order in which they are set. */
#ifndef STATEPATH_REPORT_JSON_TREE_H
#define STATEPATH_REPORT_JSON_TREE_H

#include <jansson.h>

#include "evaluate/figures.h"
#include "report/write/buffer.h"
#include "statepath/comparison.h"
#include "json/json_layout.h"

/* An object or a list of the tree, borrowed; NULL after a failure: what is set there goes nowhere. */
typedef struct sp_json {
    json_t *at;
    bool *failed; /* only ever set */
} sp_json;

sp_json sp_json_root(bool *failed); /* an object that the caller owns */
/* In all of these `in` is an object, or a list, then the key is NULL. */
sp_json sp_json_object(sp_json in, const char *key);
sp_json sp_json_array(sp_json in, const char *key);
sp_json sp_json_get(sp_json in, const char *key);             /* what stands there */
void sp_json_set(sp_json in, const char *key, json_t *value); /* takes the value over, also when it fails */
json_t *sp_json_clean(const char *text); /* bytes that are no UTF-8 become U+FFFD; NULL: no memory */
void sp_json_text(sp_json in, const char *key, const char *text); /* so cleaned */
void sp_json_count(sp_json in, const char *key, int64_t n);
/* A seed; its digits as text above 2^63 - 1, which few readers of JSON hold as a number. */
void sp_json_seed(sp_json in, const char *key, uint64_t seed);
void sp_json_real(sp_json in, const char *key, double value);
void sp_json_flag(sp_json in, const char *key, bool is_true);
/* The key is a name from a file: cleaned as by sp_json_clean(); names that are equal then stay apart by "#2", "#3", ... */
void sp_json_set_named(sp_json object, const char *name, json_t *value);
sp_json sp_json_named(sp_json object, const char *name); /* an object */
/* "key": number, or "key": null and "key_undefined": reason. */
void sp_json_value(sp_json object, const char *key, const sp_value *value);
/* A path score: null with a reason where it is -infinity. */
void sp_json_score(sp_json object, const char *key, double score);
/* "key": [low, high], or null and the reason. */
void sp_json_interval(sp_json object, const char *key, sp_value low, sp_value high);
/* All scalars of the table of figures that the owner has, in its order, at their paths; s may be NULL where the scope has no strategy. */
void sp_json_figures(sp_json object, sp_figure_scope scope, const void *own, const sp_strategy_result *s,
                     const sp_comparison *c);

/* ---- small pieces (json_lists.c) ---- */

void sp_json_names(sp_json in, const char *key, int32_t n, char *const *names);
/* The classes that are `among`; NULL: none. */
void sp_json_classes(sp_json in, const char *key, const sp_comparison *c, const uint8_t *among);
void sp_json_matrix(sp_json in, const char *key, size_t n, const int64_t *counts); /* [n][n], rows first */
/* [[from, to], ...], with counts [{"from", "to", "count"}, ...]. */
void sp_json_pairs(sp_json in, const char *key, const sp_comparison *c, const sp_pair_count *pairs, int64_t n,
                   bool with_count);
void sp_json_lengths(sp_json in, const char *key, const sp_class_runs *runs); /* [[length, count], ...] */

/* ---- subjects of a document, at their keys; the comparison has them ---- */

void sp_json_strategy(sp_json object, const sp_comparison *c, const sp_strategy_result *s,
                      sp_json_list *list); /* json_strategies.c */
/* Violations by rule, of strategy `who` or (n_strategies) the reference; nothing where the model has no rules. */
void sp_json_rules(sp_json object, const sp_comparison *c, int32_t who);
void sp_json_runs(sp_json object, const sp_comparison *c,
                  const sp_strategy_result *s); /* of each class; s NULL: of the reference */
void sp_json_transitions(sp_json object, const sp_comparison *c,
                         const sp_strategy_result *s); /* illegal and all; the same */
void sp_json_comparison(sp_json list, const sp_comparison *c,
                        const sp_pair_comparison *pair);       /* json_pairs.c */
void sp_json_several(sp_json root, const sp_comparison *c);    /* tests over all strategies */
void sp_json_rule_costs(sp_json root, const sp_comparison *c); /* what each rule costs (json_rules.c) */
/* json_probability.c: one calibration, those of all scalings, other classifiers */
void sp_json_calibration(sp_json in, const char *key, const sp_comparison *c, const sp_reliability *one);
void sp_json_review(sp_json root, const sp_comparison *c); /* steps to review (json_review.c) */
void sp_json_calibrations(sp_json root, const sp_comparison *c);
void sp_json_against(sp_json root, const sp_comparison *c);
/* json_raters.c; lists: of nights, which are written one by one: of the reference and each strategy */
void sp_json_sleep(sp_json root, const sp_comparison *c, sp_json_list *lists);
void sp_json_raters(sp_json root, const sp_comparison *c);

/* Lays the tree out with lists that are written item by item (json_layout.h), and frees the root. The buffer may be drained. */
void sp_json_finish(sp_json root, const sp_json_list *lists, int32_t n_lists, sp_buffer *out);

#endif
