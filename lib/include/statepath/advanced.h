/* Advanced decoding: marginals and log Z by forward-backward, the N best paths, by how much the best one won, paths drawn
 * from the posterior, steps that are worth a look, and posteriors of spans. sp_decode_batch() (decode.h) gives confidence,
 * margins, N best paths and draws for many recordings at once.
 */
#ifndef STATEPATH_ADVANCED_H
#define STATEPATH_ADVANCED_H

#include "statepath/decode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- forward-backward ----
 *
 * What the whole recording says about each step: forward-backward, and the paths that follow from it.
 *
 * All legal state paths together weigh Z = sum over paths of exp(path score). The marginal of class k at step t is the share of Z
 * that passes through the states of k at t: p(s_t = k | all steps), given the rules. Scores need not be normalised: adding a
 * constant to a row changes log Z and no marginal. Masks and clamped steps are -INFINITY in the scores, so marginals honour them.
 *
 * The work is done in logs with the greatest value of each step taken out, so nothing under- or overflows in recordings of any
 * length: a class has log marginal -INFINITY exactly when no legal path of finite score passes through it.
 * Source  Baum, Petrie, Soules, Weiss 1970; Rabiner 1989, eqs. 18-28, doi:10.1109/5.18626.
 */

/* Marginals and log Z.
 *   marginals      out [T,K], each row sums to 1; may be NULL
 *   log_partition  out, log Z in nats (0 for T = 0); may be NULL
 * Outputs are untouched on failure.
 * Returns SP_OK; SP_ENOPATH (err->step as in decode.h); SP_EINVAL; SP_ENOMEM.
 * Cost    O(T (M exponentials + transitions)) time. Memory T M doubles up to 32 MB, beyond that 2 sqrt(T) M doubles and half as
 *         much time again (the forward pass of a stretch is done twice). */
sp_status sp_forward_backward(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                              double *marginals, double *log_partition, sp_error *err);

/* Marginal of the class that a path has at each step: how sure all legal paths together are of it.
 *   path           [T] 0..K-1, of any strategy
 *   confidence     out [T]; may be NULL
 *   log_partition  out, log Z; may be NULL. exp(path score - log Z) is the posterior of the path
 * Returns as sp_forward_backward(); SP_EINVAL where the path names no class. */
sp_status sp_confidence(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                        const int32_t *path, float *confidence, double *log_partition, sp_error *err);

/* ---- the strategies that follow from marginals, for sp_decode() and sp_decode_batch() ----
 *
 * posterior          Each step's class of greatest marginal. May be illegal (the score is then -INFINITY).
 * mea                Maximum expected accuracy: the legal path with the greatest sum of marginals, that is, with the most steps
 *                    expected to be right. Weights of the model shape the marginals and are not added again; transitions, start,
 *                    end and dwell are obeyed, and a step whose score is -INFINITY is never taken. Needs T K doubles more.
 *                    Source  Kaell, Krogh, Sonnhammer 2005, doi:10.1093/bioinformatics/bti1014 ("optimal accuracy").
 * posterior-viterbi  The legal path with the greatest product of marginals; otherwise as mea.
 *                    Source  Fariselli, Martelli, Casadio 2005, doi:10.1186/1471-2105-6-S4-S12.
 *
 * What differs by rounding only is a tie, which goes as everywhere (decode.h): posterior takes marginals
 * within 2^-40 (1e-12) of the greatest for equal to it, the other two work on marginals, or logs of them,
 * rounded to multiples of 2^-30 (1e-9). (A true tie of paths whose marginals lie within rounding, 1e-15 to
 * 1e-13, of halfway between two multiples may still go either way, in one recording and in a batch.) */

/* ---- the N best paths ----
 *
 * The N best paths, and by how much the best one won.
 *
 * Paths are distinct in their classes: two state paths that emit the same classes are one path, of the
 * better one's score. They come in order of sp_path_score(), equals by the tie rule of decode.h (the lower
 * state of their best state paths at the last step where these differ); the first is sp_viterbi()'s.
 */

/* Where the paths go; owned by the caller. */
typedef struct sp_nbest_paths {
    int32_t *paths;  /* out: path r at paths + r * stride, T classes each; r = 0 .. n-1 */
    int64_t stride;  /* >= T */
    double *scores;  /* out [n] nats; may be NULL */
    int32_t n_found; /* out: how many there are; fewer than n where the rules and the scores leave no more */
} sp_nbest_paths;

/* The n best paths (n >= 1).
 * Viterbi's recursion gives the best path into each state at each step; a second, third path into one is only looked for when a
 * path that goes through it asks for it (recursive enumeration). Exact.
 * Only the first n_found paths and scores are written; on failure nothing.
 * Returns SP_OK; SP_ENOPATH (err->step as in decode.h); SP_EINVAL (n < 1, or states times n beyond 2^31); SP_ENOMEM.
 * Cost    O(T transitions) for the best path into each state, and O((T + n) log(predecessors)) to O(n T log(predecessors)) for
 *         the others. Memory 12 T M bytes (16 with several states a class, 24 where classes do not tell the states), and about 16
 *         (predecessors + 4) bytes for each state of a step that is asked.
 * Source  Jimenez and Marzal 1999, "Computing the K shortest paths: a new algorithm and an experimental comparison",
 *         doi:10.1007/3-540-48318-7_4. */
sp_status sp_nbest(const sp_chain *chain, const sp_scores *scores, int32_t n, sp_scratch *scratch,
                   sp_nbest_paths *out, sp_error *err);

/* How far a path is ahead of every other legal path: its sp_path_score() less the best one of a path that differs from it in some
 * class. Not negative for sp_viterbi()'s path; 0 at a tie; negative for a path that some other one beats; -INFINITY for an
 * illegal one; +INFINITY for the only legal path there is.
 *   path    [T] 0..K-1
 *   margin  out, nats; untouched on failure
 * Returns SP_OK; SP_ENOPATH; SP_EINVAL where the path names no class; SP_ENOMEM. O(T transitions) time, 4 M doubles. */
sp_status sp_margin(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, const int32_t *path,
                    double *margin, sp_error *err);

/* ---- paths drawn from the posterior ---- */

/* n paths of classes, each drawn by itself with its posterior probability
 *
 *     p(path | all steps) = sum over the state paths that emit it of exp(score) / Z
 *
 * Exact: rules, durations, gaps, starts and ends are obeyed by every draw, and each marginal, of a step or of anything else that
 * a path says, is the share of draws that have it, but for the error of n draws. Figures of the draws have the spread that scores
 * and rules leave: the central 95 % of them is an interval of the figure. Scores of a network are most often too sure, and so are
 * their draws; learn.h calibrates scores.
 *
 *   options  n >= 1; the same seed and recording give the same draws, of whichever n the first
 *   paths    out: draw r at paths + r * stride, T classes each; untouched on failure
 *   stride   >= T
 *
 * Returns SP_OK; SP_ENOPATH (err->step as in decode.h); SP_EINVAL (n < 1, K differs); SP_ENOMEM.
 * Cost    the forward pass, half of sp_forward_backward(), and O(T n log(predecessors)); at each step an exponential for each
 *         predecessor of each state that some draw has. Memory as there, 20 n bytes and 12 M bytes. Probabilities are met to 2^-53.
 * Source  Carter and Kohn 1994, doi:10.1093/biomet/81.3.541; Fruehwirth-Schnatter 1994, doi:10.1111/j.1467-9892.1994.tb00184.x. */
sp_status sp_draws(const sp_chain *chain, const sp_scores *scores, const sp_draw_options *options,
                   sp_scratch *scratch, int32_t *paths, int64_t stride, sp_error *err);

/* ---- steps worth a look ---- */

/* A step whose class is worth asking for. */
typedef struct sp_review_step {
    int64_t step;
    int32_t likeliest;  /* its likeliest class, the lowest of equals */
    double probability; /* of that class, given all steps and the rules */
    double gain;        /* steps; of later ones not more than of earlier ones */
} sp_review_step;

/* The n steps whose true class would help most, the best first. What the class of step t is worth, in steps:
 *
 *     gain(t) = sum over steps u of ( sum over c of p(class of t = c) max over k of p(class of u = k | class of t = c)
 *                                     - max over k of p(class of u = k) )
 *
 * the expected number of steps more whose likeliest class is the true one, when somebody says what step t is; not negative, and
 * 1 - max over k of p(class of t = k) at least. Steps near each other tell the same, so each one after the first is chosen as if the likeliest
 * class of those before it had been confirmed. Rules, durations, gaps, starts and ends are obeyed throughout.
 *
 *   least    0; steps that gain less are not listed
 *   steps    out: [n], not two of one step; undefined on failure
 *   n_found  out: how many there are, fewer where nothing is gained by more; 0 for n <= 0
 *   probability  out: [T] of the likeliest class of each step; untouched for n <= 0; may be NULL
 *
 * Returns SP_OK; SP_ENOPATH (err->step as in decode.h); SP_EINVAL (K differs); SP_ENOMEM.
 * Cost    the forward pass, and for each step, and again for those around each one that is chosen, the transitions times the classes that it
 *         may have (above 1e-6), for each step that it says something of (to 1e-6). 8 T (M + transitions) bytes.
 * Source  expected error reduction: Roy and McCallum 2001, ICML; for sequences Settles and Craven 2008, EMNLP, D08-1112. */
sp_status sp_review(const sp_chain *chain, const sp_scores *scores, int64_t n, double least,
                    sp_scratch *scratch, sp_review_step *steps, int64_t *n_found, double *probability,
                    sp_error *err);

/* ---- spans ----
 *
 * How probable it is, given the rules and all steps, that a recording reads as having a span: an entity of one type that
 * begins at one step and ends at another. What a span is, is told by pairs of neighbouring classes, so that all paths
 * count that read alike there. */

typedef enum sp_span_pair {
    SP_SPAN_BEGINS,  /* with `now`, where `before` stands before it */
    SP_SPAN_GOES_ON, /* from `before` to `now` */
    SP_SPAN_ENDS     /* with `before`, where `now` follows */
} sp_span_pair;

/* Does a span of a type do that? A class of -1: the side of the recording or of a gap. */
typedef bool sp_span_reads(const void *arg, int32_t type, sp_span_pair pair, int32_t before, int32_t now);

typedef struct sp_span_place {
    int64_t first, last; /* steps, both in it */
    int32_t type;
} sp_span_place;

/* posteriors [n] of spans [n] that ascend, do not overlap, and have no gap inside. Each is the share of all paths'
 * weight, as above, whose paths read so: exactly 0 where no allowed path does.
 * SP_OK, SP_ENOPATH, SP_EINVAL, SP_ENOMEM; untouched on failure.
 * Cost  forward and backward once, and an exponential for each transition of a step inside a span; 2 n M doubles. */
sp_status sp_span_posteriors(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                             sp_span_reads *reads, const void *arg, int64_t n, const sp_span_place *spans,
                             double *posteriors, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
