/* The random field over hidden states: what crf/crf.h promises of rules whose states labels do not say. Not installed.
 *
 *     p(y | e) = Z(constrained) / Z(free),   score(states) = sum_t (scale e[t,y_t] + bias[y_t]) + start + sum_t>0 w + end
 *
 * over the states as declared; durations and prices of rules weigh what they are declared to. The gradient is expected uses without labels
 * minus expected uses with them. The negative log-likelihood is not convex where a class has several states: the search goes down from
 * the weights of the counts, and ends in the minimum that it meets. Source  Quattoni, Wang, Morency, Collins, Darrell 2007, Hidden
 * conditional random fields, doi:10.1109/TPAMI.2007.1124; Sutton and McCallum 2012, section 4.4.
 */
#ifndef STATEPATH_LEARN_HIDDEN_FIELD_H
#define STATEPATH_LEARN_HIDDEN_FIELD_H

#include "learn/crf/crf.h"

/* Opaque; a part of sp_crf. */
typedef struct sp_hidden_field sp_hidden_field;

/* n: out, parameters: scale, bias [K], transitions that are learnt, starts and ends that are allowed. violations: out, moved. As
 * sp_hidden_new(). */
sp_status sp_hidden_field_new(const sp_training *training, const sp_rules *rules, sp_hidden_field **out,
                              int64_t *n, sp_violations *violations, sp_error *err);
void sp_hidden_field_free(sp_hidden_field *field);
int64_t sp_hidden_field_n_steps(const sp_hidden_field *field);

/* As sp_crf_objective() without a penalty, on the recordings use [N]; NULL: all. */
sp_status sp_hidden_field_likelihood(sp_hidden_field *field, const double *theta, const uint8_t *use,
                                     sp_workers *workers, double *value, double *gradient, sp_error *err);

/* As sp_crf_from_counts(), the probabilities being those of sp_hidden_em() from labels alone, which are kept for each set of recordings. */
sp_status sp_hidden_field_from_counts(sp_hidden_field *field, double smoothing, const sp_crf_weights *weights,
                                      const uint8_t *use, sp_workers *workers, double *theta, sp_error *err);

/* How often paths along the labels use each parameter, at the counts of these recordings, which have been asked for: out [n]. */
void sp_hidden_field_usage(const sp_hidden_field *field, const uint8_t *use, double *usage);

/* As sp_crf_to_model(); the biases become the prior, with a weight of 1, which is exact after gaps, too. */
sp_status sp_hidden_field_to_model(const sp_hidden_field *field, const double *theta, const char *name,
                                   sp_model **out, sp_error *err);

#endif
