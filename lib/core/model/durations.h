/* How long a class stays: log weights of the lengths of its runs, from what a model declares. Not installed.
 *
 * Explicit durations make a chain semi-Markov: a maximal run of length d weighs log p(d), whatever staying weighs (Yu 2010, Hidden
 * semi-Markov models, Artificial Intelligence 174). A run that is cut off weighs log of the sum of p(d') over d' >= d (Guédon
 * 2003, Estimating hidden semi-Markov chains from discrete sequences). */
#ifndef STATEPATH_CORE_DURATIONS_H
#define STATEPATH_CORE_DURATIONS_H

#include "statepath/model.h"

/* Whole runs: whole[d-1] = log p(d) for d = 1 .. n_whole; a run longer by x weighs x times `longer` more. Runs that are cut: cut[d-1]
 * and n_cut likewise. longer = -INFINITY: none is longer. */
typedef struct sp_run_weights {
    int32_t n_whole, n_cut;
    double *whole, *cut;
    double longer;
} sp_run_weights;

/* Unbounded distributions are tabled to a length of at least SP_DURATION_LEAST beyond which less than 1e-30
 * of them lies (log-normals: 1e-12), and go on from there as their last two lengths say. What needs more than
 * SP_DURATION_MOST lengths is refused. */
enum { SP_DURATION_LEAST = 256, SP_DURATION_MOST = 65536 };

/* Weighs the runs of class k, which has a duration.
 *   step_seconds  0: not known
 *   is_boolean    every length that is possible weighs 0
 * SP_OK, SP_EMODEL (min above max, a time without step_seconds, nothing possible), SP_ENOMEM. To be cleared in every case. */
sp_status sp_run_weights_make(const sp_model *model, int32_t k, double step_seconds, bool is_boolean,
                              sp_run_weights *out, sp_error *err);
void sp_run_weights_clear(sp_run_weights *weights);

/* log p(d) of a run of d >= 1 steps; cut off at either end or not. -INFINITY where there is none. */
double sp_run_weight(const sp_run_weights *weights, int64_t d, bool is_cut);

/* Lengths of whole runs, in figures. */
sp_duration_lengths sp_run_weights_lengths(const sp_run_weights *weights);

/* Calls `warn` once for each duration that is rarely meant: one that cannot be weighed, probabilities that do not sum to 1, a class
 * that is never left and yet does not last. SP_OK or SP_ENOMEM. (This and the one before: duration_lengths.c) */
sp_status sp_duration_warnings(const sp_model *model, void (*warn)(void *arg, const char *sentence),
                               void *arg, sp_error *err);

/* Is what is declared for class k a duration, whatever the length of a step? SP_OK or SP_EMODEL. */
sp_status sp_duration_check(const sp_model *model, int32_t k, sp_error *err);

/* Copies durations and how they are at the ends; class k of `to` is class_of[k] of `from` (NULL: k). False on lack of memory. */
bool sp_durations_copy(const sp_model *from, const int32_t *class_of, sp_model *to);

/* Turns times into steps of that length; those that cannot be told stay. */
void sp_durations_in_steps(sp_model *model, double step_seconds);

/* Steps of a length: rounded to the nearest, at least 1; SP_EMODEL where it is a time and step_seconds is 0. `what` is for the sentence. */
sp_status sp_length_steps(sp_length length, double step_seconds, const char *what, double *steps,
                          sp_error *err);

/* Reads n characters: "40", "90s", "15min", "1.5h". What is too large for a double is INFINITY. False for any other text. */
bool sp_length_parse(const char *text, size_t n, sp_length *out);
/* "40 steps", "90 s", "12 min". Returns out. */
char *sp_length_text(char *out, size_t size, sp_length length);

#endif
