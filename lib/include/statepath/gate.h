/* Gates: conditions over the figures of a comparison, for pipelines that must stop when a figure is bad.
 *
 *     viterbi.accuracy < argmax.accuracy - 0.01; viterbi.illegal > 0 or viterbi.classes.N1.f1 < 0.3
 *
 * A text holds one condition or several, separated by ";". A gate trips when a condition is true.
 *
 *   condition   comparisons joined by and, or (and binds tighter), in parentheses where needed
 *   comparison  sum < sum, and <= > >= == !=
 *   sum         numbers and figures with + - * / and parentheses
 *   figure      STRATEGY.METRIC            viterbi.accuracy, beam:8.illegal, "a name with spaces".kappa
 *               STRATEGY.classes.CLASS.METRIC   viterbi.classes.N1.f1, viterbi.classes."B-PER".recall
 *               reference.METRIC           reference.illegal
 *               mask_ceiling, nll, recordings, steps, scored_steps, ...
 * The names of metrics are those of the table of figures (figures.h; mostly keys of the JSON). A strategy that is itself called
 * "reference" is written in quotes.
 *
 * Undefined figures, a division by zero and what overflows are undefined, and so is each sum and comparison over them. "false and
 * undefined" is false, "true or undefined" is true, everything else is undefined; an undefined condition trips the gate as well:
 * what cannot be judged has not passed.
 */
#ifndef STATEPATH_GATE_H
#define STATEPATH_GATE_H

#include <stddef.h>

#include "statepath/comparison.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_gate sp_gate;

/* What there will be: known before anything is decoded. Only looked at by sp_gate_new. */
typedef struct sp_gate_scope {
    int32_t n_strategies;
    const char *const *strategies; /* [n_strategies] */
    int32_t n_classes;
    const char *const *classes; /* [K] the model's names in the order of the score columns */
    bool has_labels;
} sp_gate_scope;

/* Reads and checks a text. SP_OK; SP_EINVAL (the message shows the place, and lists what exists where a strategy, class or metric
 * is unknown; a metric that needs labels or argmax where there are none; more than 100 levels of parentheses, or 4,096 letters);
 * SP_ENOMEM. */
sp_status sp_gate_new(const char *text, const sp_gate_scope *scope, sp_gate **out, sp_error *err);
void sp_gate_free(sp_gate *gate); /* NULL is fine */

int32_t sp_gate_n_conditions(const sp_gate *gate);

typedef enum sp_gate_verdict { SP_GATE_PASSED, SP_GATE_TRIPPED, SP_GATE_UNDEFINED } sp_gate_verdict;

/* Judges one condition on a comparison of the strategies, classes and labels that the scope announced. The sentence says the
 * condition and the values on both sides of each comparison that made it trip; it is empty for SP_GATE_PASSED. Cut when longer
 * than `size`. */
sp_gate_verdict sp_gate_judge(const sp_gate *gate, int32_t condition, const sp_comparison *comparison, char *sentence,
                              size_t size);

#ifdef __cplusplus
}
#endif
#endif
