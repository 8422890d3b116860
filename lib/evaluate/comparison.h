/* The parts of a comparison that are freed by themselves; NULL, or none, is fine for all. Not installed. */
#ifndef EVALUATE_COMPARISON_H
#define EVALUATE_COMPARISON_H

#include "statepath/comparison.h"

typedef struct sp_what_if sp_what_if;
typedef struct sp_what_if_recording sp_what_if_recording;
typedef struct sp_rule_costs sp_rule_costs;

void sp_collapse_clear(sp_collapse *collapse); /* leaves {0} */
void sp_reliability_free(sp_reliability *reliability);
void sp_what_if_recording_free(sp_what_if_recording *recording); /* what it owns */
void sp_what_if_free(sp_what_if *what_if);
void sp_rule_costs_free(sp_rule_costs *costs);
/* These leave none. */
void sp_illegal_places_free(sp_comparison *comparison);
void sp_traces_free(sp_comparison *comparison);
/* What sp_comparison_describe() (evaluate.h) fills. */
void sp_comparison_free_texts(sp_comparison *comparison, int32_t n_classes);

#endif
