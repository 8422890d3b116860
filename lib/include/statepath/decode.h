/* Decoding: scores and rules to a path.
 *
 * Forbidden is -INFINITY, exactly. Ties go to the lowest state, at the last step first, then at each
 * predecessor; states are ordered by class, then age (the steps of a run that a minimum dwell or a
 * duration counts; runs that may have begun before the recording or a gap come last), then state of the
 * model, then state of its rules. Arithmetic is float64, in the order (delta + log_trans) + e. Across a
 * gap (scores->segments) every class that has an entry state may follow every class, at no weight; a dwell
 * cut off by a gap counts as satisfied and starts afresh after it.
 *
 *     sp_scratch *scratch = sp_scratch_new();
 *     int32_t path[T];
 *     if (sp_viterbi(chain, &scores, scratch, path, NULL, &err))
 *         fprintf(stderr, "%s\n", err.message);
 *
 * Other strategies: sp_decode(); many recordings on many threads: sp_decode_batch(); step by step, as a
 * stream: stream.h; marginals and the N best paths: advanced.h.
 */
#ifndef STATEPATH_DECODE_H
#define STATEPATH_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "statepath/context.h"
#include "statepath/model.h"
#include "statepath/scores.h"
#include "statepath/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one recording, by viterbi ---- */

/* The most likely allowed path: viterbi, see below.
 *   chain    the compiled rules (model.h)
 *   scores   [T,K] nats, -INFINITY allowed, no NaN, no +INFINITY; K = the chain's classes
 *   scratch  memory that only grows; one per thread (context.h)
 *   path     out [T], classes 0..K-1
 *   score    out, nats, sp_path_score() of the path; may be NULL
 * Returns as sp_decode(). */
sp_status sp_viterbi(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch, int32_t *path,
                     double *score, sp_error *err);

/* ---- strategies: ways to choose a path. Names and parameters as users write them: "viterbi", "beam:8", "online:20" ---- */

/* A strategy's number is its place in the table of the library: 0 .. sp_strategy_count()-1. These have a constant;
 * every strategy has a name, see sp_strategy_parse(). */
typedef int32_t sp_strategy_kind;
enum { SP_ARGMAX, SP_GREEDY, SP_BEAM, SP_VITERBI, SP_POSTERIOR, SP_MEA, SP_POSTERIOR_VITERBI, SP_ONLINE };

typedef struct sp_strategy {
    sp_strategy_kind kind;
    int32_t parameter; /* beam width >= 1, online lag >= 0; 0 for strategies that take none */
} sp_strategy;

/* What is known of a strategy. */
typedef struct sp_strategy_info {
    const char *name;      /* without parameter: "posterior-viterbi" */
    const char *parameter; /* what its parameter is called ("WIDTH" of beam), or NULL: it takes none */
    int32_t least, sample; /* least value of the parameter, and one to try it with */
    bool is_legal;         /* its paths obey the model by construction */
    bool knows_rules;      /* the rules of the model play a part in it */
    const char *summary;   /* one line for help and reports: "each step alone; may be illegal" */
    const char *when;      /* when it is the right one, in a few words */
} sp_strategy_info;

/* How many strategies there are. */
int sp_strategy_count(void);

/* About one of them. Never NULL. */
const sp_strategy_info *sp_strategy_about(sp_strategy_kind kind);

/* Reads "viterbi" or "beam:8". SP_OK or SP_EINVAL (unknown name: lists all; parameter missing, not needed or out of range). */
sp_status sp_strategy_parse(const char *text, sp_strategy *out, sp_error *err);

/* Writes it back: "beam:8". buffer holds 32 bytes. Returns buffer. */
enum { SP_STRATEGY_TEXT = 32 };
char *sp_strategy_format(const sp_strategy *strategy, char buffer[SP_STRATEGY_TEXT]);

/* What each does.
 *
 * argmax
 *     Each step's best class: ignores the rules. SP_ENOPATH where every class of a step is -INFINITY. The score may be -INFINITY:
 *     the path may be illegal. O(T K).
 *
 * greedy
 *     Previous-prediction masking: step 0 takes the best allowed start; each later step the best class among those allowed after
 *     the class just chosen, its log weight added; the last step counts the end rule. Never looks ahead. Where it meets a step
 *     with no allowed class of finite score: SP_EDEADEND when some other path exists, SP_ENOPATH when none does. With several
 *     states per class, all states that emit the classes chosen so far stay in play (it is online:0 with the end rule).
 *     O(T successors).
 *
 * viterbi
 *     The most likely allowed path. O(T transitions) time, T M back-pointers of 1, 2 or 4 bytes.
 *         delta[0,j] = start[j] + e[0,j]
 *         delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j]
 *         best       = max_j delta[T-1,j] + end[j]
 *     Source  Viterbi 1967; Rabiner 1989, eqs. 32a-35, doi:10.1109/5.18626.
 *
 * beam:W
 *     After each step only the W best partial paths are kept, one for each end state (of two that end in one state the worse can
 *     never win); equals at the edge of the beam by the tie rule. The end rule counts once the last step's beam is known. W >= M
 *     gives viterbi's path. SP_EDEADEND when everything kept is stuck, or may not end, and some other path exists.
 *     O(T W successors) time, 8 T W bytes.
 *
 * online:L
 *     See stream.h, on a whole recording: equal to pushing each row and finishing, save that a dead end is reported as SP_ENOPATH
 *     when, all steps seen, no path exists.
 *
 * posterior, mea, posterior-viterbi
 *     See advanced.h.
 *
 * ---- relaxed: fewest broken rules first, best score second; never SP_ENOPATH ----
 *
 * A path of states breaks one rule for each of
 *   - a first step in a state that may not start (start = -INFINITY),
 *   - a step into a state that the state before does not allow, outside gaps,
 *   - a step whose class has score -INFINITY,
 *   - a last step in a state that may not end,
 * and its score is the sum of the other, finite, terms. Where a rule is broken, a state is entered at the
 * beginning of its minimum dwell; so a dwell cut short is one broken rule, at the step that should still
 * have been in it, whatever class follows. A run with a duration that a broken rule begins or ends weighs
 * as one beside a gap; one that may not end at a gap breaks a rule there. A path of classes breaks as many
 * rules as the best path of states that emits it. Ties go to the lowest state as everywhere. On a
 * recording with an allowed path the answer is that of the strict strategy, with 0 broken rules.
 *
 * Viterbi finds the best such path, O(T (transitions + states)). Greedy goes step by step: of all that may
 * follow the classes chosen so far, the class with the fewest broken rules, then the best score. Argmax
 * takes class 0, at the price of one broken rule, where every class of a step is -INFINITY; the model's
 * rules do not count. Every other strategy is relaxed by Viterbi (without an allowed path there are no
 * marginals to go by). */

/* ---- one recording, by any strategy ---- */

typedef struct sp_decode_options {
    sp_strategy strategy; /* viterbi */
    bool relax;           /* where the strategy finds no path, break the fewest rules; false */
} sp_decode_options;

sp_decode_options sp_decode_options_default(void);

/* What became of one recording. */
typedef struct sp_decoded {
    sp_status status; /* SP_OK, SP_ENOPATH, SP_EDEADEND or SP_EBUG */
    int64_t step;     /* of the failure, from 0 in the recording; -1 */
    int64_t n_broken; /* rules broken by a relaxed path; 0 */
    /* Of greedy: steps whose best class it left, since the rules would leave no way to the end from there. */
    int64_t n_redirected;
    double score; /* sp_path_score() of the path; -INFINITY where undecoded, illegal or relaxed */
    /* Of SP_EBUG, as in sp_error; else 0. */
    double recurrence, along_path;
} sp_decoded;

/* Decodes one recording on the calling thread, by the plain kernels.
 *   chain    the compiled rules
 *   scores   [T,K] nats, -INFINITY allowed, no NaN, no +INFINITY; K = the chain's classes
 *   scratch  memory that only grows; one per thread
 *   path     out [T], classes 0..K-1
 *   result   out; may be NULL
 * Outputs are untouched on failure. Returns SP_OK; SP_ENOPATH (err->step: the first step that no state reaches, or T-1 when only
 * the end rule fails); SP_EDEADEND (strategies that drop partial paths; err->step); SP_EBUG (see sp_decode_batch()); SP_EINVAL (K
 * differs, a strategy's parameter out of range); SP_ENOMEM. T = 0 gives an empty path and score 0. */
sp_status sp_decode(const sp_chain *chain, const sp_scores *scores, const sp_decode_options *options,
                    sp_scratch *scratch, int32_t *path, sp_decoded *result, sp_error *err);

/* ---- many recordings, many threads ---- */

/* Which paths to draw, see sp_draws() in advanced.h. */
typedef struct sp_draw_options {
    int32_t n; /* so many */
    uint64_t seed;
    int64_t
        recording; /* number of the recording, of a batch of its first: recordings of the same scores are drawn apart */
} sp_draw_options;

/* Where the answers go; all owned by the caller, NULL where not wanted unless said. */
typedef struct sp_decode_output {
    int32_t *paths;      /* [S], never NULL; -1 at every step of a recording that could not be decoded */
    sp_decoded *results; /* [N], never NULL */
    uint8_t *broken;     /* [S] 1 where a relaxed path breaks a rule, see above; 0 elsewhere */

    /* How sure: by forward-backward (advanced.h) and the best other path (advanced.h), so asking takes time. */
    float *
        confidence; /* [S] marginal, given the rules, of the class that the path has at the step; NaN where there is no path,
                          and where no allowed one exists */
    double *
        log_partition; /* [N] log Z; -INFINITY where no allowed path exists. exp(score - log Z) is the path's posterior */
    double *
        margins; /* [N] nats, sp_margin() of the path; NaN where there is no path, -INFINITY where it is not allowed */

    /* The n_best best paths of each recording, whatever the strategy. */
    int32_t n_best;        /* 0: none */
    int32_t *best_paths;   /* [n_best,S], -1 where there are fewer; never NULL when n_best > 0 */
    double *best_scores;   /* [N,n_best] nats, -INFINITY where there are fewer; never NULL when n_best > 0 */
    int32_t *n_best_found; /* [N] how many there are; may be NULL */

    /* Paths drawn from the posterior of each recording, whatever the strategy. */
    sp_draw_options draw; /* n 0: none */
    int32_t *draws;       /* [draw.n,S], -1 where no allowed path exists; never NULL when draw.n > 0 */
} sp_decode_output;

/* Decodes each recording of a batch. Each path of a strategy that maximises something is added up and compared with the value of
 * the recurrence that found it, and each path that must be legal is looked at, its hard rules by their own automata: where they differ
 * by more than 1e-9 (T + |value|), or the path is illegal, the recording gets no path and the status SP_EBUG. Recordings that cannot be decoded say so in results;
 * the call still returns SP_OK.
 *
 * With options->relax a recording that the strategy cannot decode is decoded once more, see above.
 *
 * Returns SP_OK; SP_EINVAL (K differs, offsets that do not ascend from 0 to S, a strategy's parameter, n_best or draw.n out of
 * range), outputs untouched; SP_ENOMEM, outputs undefined. The same bytes for every number of threads. */
sp_status sp_decode_batch(const sp_chain *chain, const sp_batch *batch, const sp_decode_options *options,
                          sp_workers *workers, const sp_decode_output *output, sp_error *err);

/* Scores whose numbers nothing has looked at yet: sp_prepare() with nothing but a kind, then sp_decode_batch(), in one
 * call: the same answers and errors. Where many recordings are decoded side by side, each thread looks at the rows of
 * its recordings right after it decoded them, while they are in its cache: that costs a few per cent of Viterbi, where a
 * look beforehand costs a tenth.
 *   block    its scores, offsets and segments; they are only read
 *   kind     SP_KIND_LOG_PROBS or SP_KIND_SCORES: scores are nats as they stand
 *   output   not to be used where a row is bad
 * Returns what the two calls return; of several bad rows the first is named. */
sp_status sp_decode_checked(const sp_chain *chain, sp_block *block, sp_kind kind,
                            const sp_decode_options *options, sp_workers *workers,
                            const sp_decode_output *output, sp_error *err);

#ifdef __cplusplus
}
#endif
#endif
