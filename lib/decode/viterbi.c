/* Viterbi: the allowed path of the greatest score.
 *
 *     delta[0,j] = start[j] + e[0,j]
 *     delta[t,j] = max_i (delta[t-1,i] + log_trans[i,j]) + e[t,j]        i over the predecessors of j
 *     best       = max_j delta[T-1,j] + end[j]
 *
 * Every sum is made in the order in which sp_path_score() makes it, and rounding is monotonic, so `best` is the score of the path
 * bit for bit.
 *
 * A long recording of few classes without gaps goes by the recurrence of chunks.h, as it does in memory (kernels.h).
 */
#include "decode/viterbi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/chunks.h"
#include "decode/history.h"
#include "decode/search.h"
#include "decode/strategy.h"

typedef struct viterbi {
    const sp_chain *chain;
    size_t n_states;
    double *now, *next; /* [M] delta at t-1 and t */
    int32_t *from;      /* [M] best state before each */
    sp_backpointers back;
    sp_tie_ranks ranks; /* of t-1 while t is computed */
} viterbi;

static sp_status start(void *self, sp_sequence *s, const sp_scores *scores, sp_error *err)
{
    viterbi *f = self;
    f->now = sp_scratch_get(s->scratch, f->n_states, sizeof *f->now);
    f->next = sp_scratch_get(s->scratch, f->n_states, sizeof *f->next);
    f->from = sp_scratch_get(s->scratch, f->n_states, sizeof *f->from);
    bool has_room = f->now && f->next && f->from && sp_backpointers_init(&f->back, f->chain, scores->n_steps, s->scratch) &&
                    sp_tie_ranks_init(&f->ranks, f->chain, s->scratch);
    return has_room ? SP_OK : sp_no_memory(err);
}

/* One state per class: predecessors ascend, so the first of the best ones is the lowest class. */
static void step_plain(const viterbi *f, const double *e)
{
    const sp_chain *c = f->chain;
    for (int32_t j = 0; j < c->n_states; j++) {
        double best = -INFINITY;
        int32_t best_from = 0;
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++) {
            double candidate = f->now[c->pred[p]] + c->pred_weight[p];
            if (candidate > best) {
                best = candidate;
                best_from = c->pred[p];
            }
        }
        f->next[j] = best + e[j];
        f->from[j] = best_from;
    }
}

/* Several states per class: among equals the lowest history. */
static void step_ranked(const viterbi *f, const double *e)
{
    const sp_chain *c = f->chain;
    const int32_t *rank = f->ranks.rank;
    for (int32_t j = 0; j < c->n_states; j++) {
        double best = -INFINITY;
        int32_t best_from = 0;
        for (int64_t p = c->pred_row[j]; p < c->pred_row[j + 1]; p++) {
            int32_t i = c->pred[p];
            double candidate = f->now[i] + c->pred_weight[p];
            if (candidate > best || (candidate == best && rank[i] < rank[best_from])) {
                best = candidate;
                best_from = i;
            }
        }
        f->next[j] = best + e[c->state_class[j]];
        f->from[j] = best_from;
    }
}

/* The best state at the current step, end[] added when not NULL; the lowest history among equals. *best is -INFINITY, and the
 * state any, when there is none. */
static int32_t best_state(const viterbi *f, const double *end, double *best)
{
    int32_t state = 0;
    *best = -INFINITY;
    for (int32_t i = 0; i < f->chain->n_states; i++) {
        double value = end ? f->now[i] + end[i] : f->now[i];
        if (value > *best || (value == *best && f->ranks.rank[i] < f->ranks.rank[state])) {
            *best = value;
            state = i;
        }
    }
    return state;
}

/* After a gap every entry state follows the best state before it. */
static void step_gap(const viterbi *f, const double *e)
{
    double best;
    int32_t best_from = best_state(f, NULL, &best);
    for (int32_t j = 0; j < f->chain->n_states; j++) {
        f->next[j] = f->chain->entry[j] ? best + e[f->chain->state_class[j]] : -INFINITY;
        f->from[j] = best_from;
    }
}

static bool step(void *self, sp_reach how, int64_t t, const double *e)
{
    viterbi *f = self;
    if (how == SP_REACH_START) {
        for (int32_t j = 0; j < f->chain->n_states; j++)
            f->now[j] = f->chain->start[j] + e[f->chain->state_class[j]];
        return true;
    }
    if (how == SP_REACH_ENTRY)
        step_gap(f, e);
    else if (f->chain->is_plain)
        step_plain(f, e);
    else
        step_ranked(f, e);
    sp_backpointers_put(&f->back, t, f->from);
    sp_tie_ranks_step(&f->ranks, f->chain, f->from);
    double *before = f->now;
    f->now = f->next;
    f->next = before;
    return true;
}

static bool is_any_alive(const double *delta, size_t n)
{
    for (size_t j = 0; j < n; j++)
        if (delta[j] > -INFINITY)
            return true;
    return false;
}

static bool save(const void *self, void *saved)
{
    const viterbi *f = self;
    memcpy(saved, f->now, f->n_states * sizeof *f->now);
    if (!f->chain->is_plain)
        memcpy((double *)saved + f->n_states, f->ranks.rank, f->n_states * sizeof *f->ranks.rank);
    return is_any_alive(f->now, f->n_states);
}

static void restore(void *self, const void *saved)
{
    viterbi *f = self;
    memcpy(f->now, saved, f->n_states * sizeof *f->now);
    if (f->chain->is_plain)
        return;
    memcpy(f->ranks.values, (const double *)saved + f->n_states, f->n_states * sizeof *f->ranks.values);
    f->ranks.rank = f->ranks.values;
}

static int32_t last(void *self, sp_sequence *s)
{
    int32_t state = best_state(self, s->chain->end, &s->recurrence);
    s->is_score = true;
    return s->recurrence > -INFINITY ? state : -1;
}

static int32_t trace(void *self, sp_sequence *s, int64_t i, const sp_scores *scores, int32_t state)
{
    const viterbi *f = self;
    sp_backpointers_trace(&f->back, state, s->path);
    state = i > 0 ? sp_backpointers_get(&f->back, 0, s->path[0]) : 0;
    sp_states_to_classes(f->chain, scores->n_steps, s->path, s->path);
    return state;
}

/* ---- in chunks ---- */

typedef struct in_chunks {
    sp_lane_rules rules;
    sp_chunked chunked;
    size_t n_classes;
    double *after; /* [K] delta at the last step of the piece */
} in_chunks;

static sp_status chunks_piece(void *self, sp_sequence *s, const sp_scores *scores, const void *saved, bool is_traced,
                              sp_error *err)
{
    in_chunks *f = self;
    f->chunked = (sp_chunked){
        .isa = sp_isa_current(), .rules = &f->rules, .scores = scores, .before = saved, .path = is_traced ? s->path : NULL};
    return sp_chunks_forward(&f->chunked, s->workers, f->after) == SP_OK ? SP_OK : sp_no_memory(err);
}

static bool chunks_save(const void *self, void *saved)
{
    const in_chunks *f = self;
    memcpy(saved, f->after, f->n_classes * sizeof *f->after);
    return is_any_alive(f->after, f->n_classes);
}

static int32_t chunks_last(void *self, sp_sequence *s)
{
    const in_chunks *f = self;
    int32_t state = sp_chunks_last(&f->rules, f->after);
    s->recurrence = state < 0 ? NAN : f->after[state] + s->chain->end[state];
    return state;
}

static int32_t chunks_trace(void *self, sp_sequence *s, int64_t i, const sp_scores *scores, int32_t state)
{
    const in_chunks *f = self;
    (void)s, (void)i, (void)scores;
    return sp_chunks_trace(&f->chunked, state);
}

/* *fits: the recording is one for chunks, and has been decoded so. */
static sp_status decode_in_chunks(sp_sequence *s, bool *fits, sp_error *err)
{
    *fits = false;
    if (s->is_whole || s->recording.n_steps <= SP_CHUNKS_LEAST || s->recording.has_gap)
        return SP_OK;
    in_chunks *f = calloc(1, sizeof *f);
    size_t K = (size_t)s->chain->n_classes;
    double *after = malloc(K * sizeof *after);
    sp_status status = f && after ? SP_OK : sp_no_memory(err);
    *fits = status != SP_OK || sp_lane_rules_init(&f->rules, s->chain);
    if (status == SP_OK && *fits) {
        f->n_classes = K;
        f->after = after;
        const sp_search search = {.bytes = K * sizeof *after,
                                  .self = f,
                                  .piece = chunks_piece,
                                  .save = chunks_save,
                                  .last = chunks_last,
                                  .trace = chunks_trace};
        status = sp_search_run(&search, s, false, err);
    }
    free(f);
    free(after);
    return status;
}

sp_status sp_viterbi_decode(sp_sequence *s, int32_t parameter, sp_error *err)
{
    (void)parameter;
    bool fits;
    sp_status status = decode_in_chunks(s, &fits, err);
    if (fits || status != SP_OK)
        return status;
    size_t M = (size_t)s->chain->n_states;
    viterbi f = {.chain = s->chain, .n_states = M};
    const sp_search search = {.bytes = M * (sizeof(double) + (s->chain->is_plain ? 0 : sizeof(double))),
                              .self = &f,
                              .start = start,
                              .step = step,
                              .save = save,
                              .restore = restore,
                              .last = last,
                              .trace = trace};
    return sp_search_run(&search, s, false, err);
}

const sp_strategy_row sp_viterbi_row = {{.name = "viterbi",
                                         .is_legal = true,
                                         .knows_rules = true,
                                         .readings = 2,
                                         .summary = "the allowed path of the greatest score",
                                         .when = "the default: legal, and nothing is lost that can be kept"},
                                        .decode = sp_viterbi_decode,
                                        .relax = sp_viterbi_relax};
