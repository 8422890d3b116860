#include "decode/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/lengths.h"

enum { PIECE_BYTES = 32 << 20 /* scores, back-pointers and path of a piece, about */ };

/* ---- opening ---- */

static int64_t piece_steps(const sp_chain *chain, const sp_long_recording *recording)
{
    int64_t steps = recording->piece_steps;
    if (steps <= 0) {
        int64_t back = chain->n_states <= 256 ? 1 : chain->n_states <= 65536 ? 2 : 4; /* backpointers.h */
        int64_t step_bytes = (int64_t)chain->n_classes * (int64_t)sizeof(double) + chain->n_states * back + 8;
        steps = PIECE_BYTES / step_bytes;
    }
    steps = (steps + SP_PIECE_UNIT - 1) / SP_PIECE_UNIT * SP_PIECE_UNIT;
    return steps > 0 ? steps : SP_PIECE_UNIT;
}

static void score_clear(sp_sequence *s)
{
    sp_path_walk_clear(&s->forward_score);
    sp_path_descent_clear(&s->backward_score);
}

static bool score_init(sp_sequence *s)
{
    s->magnitude = 0;
    s->is_outside = false;
    s->recurrence = NAN;
    s->is_score = s->is_least = false;
    s->n_broken = 0;
    return sp_path_walk_init(&s->forward_score, s->chain, s->recording.n_steps, s->table) &&
           sp_path_descent_init(&s->backward_score, s->chain, s->recording.n_steps, s->table);
}

bool sp_sequence_forget_score(sp_sequence *s)
{
    score_clear(s);
    sp_rules_watch_restart(&s->watch);
    return score_init(s);
}

static bool has_score_room(sp_sequence *s)
{
    s->table = malloc((size_t)SP_PATH_TABLE * SP_PATH_TABLE * sizeof *s->table);
    return s->table && score_init(s);
}

bool sp_sequence_open(sp_sequence *s, const sp_chain *chain, const sp_long_recording *recording,
                      sp_workers *workers)
{
    *s = (sp_sequence){.chain = chain,
                       .recording = *recording,
                       .workers = workers,
                       .scratch = sp_workers_scratch(workers),
                       .recurrence = NAN};
    s->steps = piece_steps(chain, recording);
    s->n = (recording->n_steps + s->steps - 1) / s->steps;
    s->path = malloc((size_t)s->steps * sizeof *s->path);
    s->broken = malloc((size_t)s->steps);
    s->has_gap = calloc((size_t)s->n, 1);
    return s->path && s->broken && s->has_gap && has_score_room(s) && sp_rules_watch_init(&s->watch, chain);
}

void sp_sequence_clear_nested(sp_sequence *s)
{
    score_clear(s);
    free(s->table);
}

void sp_sequence_clear(sp_sequence *s)
{
    sp_sequence_clear_nested(s);
    sp_rules_watch_clear(&s->watch);
    free(s->path);
    free(s->broken);
    free(s->has_gap);
}

bool sp_sequence_nested(sp_sequence *s, const sp_sequence *outer, const sp_chain *chain,
                        const sp_long_recording *io)
{
    *s = *outer;
    s->chain = chain;
    s->recording.read = io->read;
    s->recording.write = io->write;
    s->recording.arg = io->arg;
    s->table = NULL;
    s->watch = (sp_rules_watch){.chain = NULL}; /* the outer sequence watches */
    s->forward_score = (sp_path_walk){.chain = chain};
    s->backward_score = (sp_path_descent){.chain = chain};
    return s->is_whole || has_score_room(s);
}

/* ---- reading and writing ---- */

sp_status sp_sequence_read(sp_sequence *s, int64_t i, sp_scores *scores, sp_error *err)
{
    const sp_long_recording *r = &s->recording;
    int64_t first = i * s->steps, n = r->n_steps - first < s->steps ? r->n_steps - first : s->steps;
    sp_status status = r->read(r->arg, first, n, scores, err);
    if (status == SP_OK)
        status = sp_decode_check(s->chain, scores, err);
    if (status != SP_OK)
        return status;
    if (scores->n_steps != n || (r->has_gap && !scores->segments))
        return sp_fail(err, SP_EINVAL,
                       "steps %lld to %lld of a long recording were asked for, but not these were read",
                       (long long)first, (long long)(first + n - 1));
    if (!r->has_gap)
        scores->segments = NULL;
    s->scores = *scores;
    if (i == s->n_seen) {
        s->has_gap[i] = scores->segments && i > 0 && scores->segments[0] != s->last_segment;
        s->last_segment = scores->segments ? scores->segments[n - 1] : 0;
        s->n_seen++;
    }
    return SP_OK;
}

/* The same for the hard rules; segments of neighbouring pieces as the scores along the path have them. */
static void note_rules(sp_sequence *s, bool is_ascending, const sp_scores *scores, const int32_t *path)
{
    const int64_t n = scores->n_steps, *segment = scores->segments;
    const bool has_steps = s->watch.has_steps;
    for (int64_t t = 0; is_ascending && t < n; t++)
        sp_rules_watch_step(&s->watch, path[t],
                            segment && (t > 0       ? segment[t] != segment[t - 1]
                                        : has_steps ? segment[t] != s->forward_score.last_segment
                                                    : false));
    for (int64_t t = n - 1; !is_ascending && t >= 0; t--)
        sp_rules_watch_step_before(&s->watch, path[t],
                                   segment && (t + 1 < n   ? segment[t] != segment[t + 1]
                                               : has_steps ? segment[t] != s->backward_score.next_segment
                                                           : false));
}

/* Adds a piece of the path to what the check knows of it. */
static void note_piece(sp_sequence *s, int64_t first, const sp_scores *scores, const int32_t *path)
{
    for (int64_t t = 0; t < scores->n_steps && !s->is_outside; t++) {
        s->is_outside = path[t] < 0 || path[t] >= scores->n_classes;
        double e = s->is_outside ? 0 : sp_scores_at(scores, t, path[t]);
        s->magnitude += e > -INFINITY ? fabs(e) : 0;
    }
    if (s->is_outside)
        return;
    bool is_ascending = s->forward_score.has_begun || (first == 0 && !s->backward_score.has_begun);
    if (s->watch.chain)
        note_rules(s, is_ascending, scores, path);
    if (is_ascending)
        sp_path_walk_add(&s->forward_score, scores, path);
    else
        sp_path_descent_add(&s->backward_score, scores, path);
}

sp_status sp_sequence_write(sp_sequence *s, int64_t first, const sp_scores *scores, const int32_t *path,
                            const uint8_t *broken, sp_error *err)
{
    if (s->is_whole) {
        if (path != s->path + first)
            memcpy(s->path + first, path, (size_t)scores->n_steps * sizeof *path);
        return SP_OK;
    }
    note_piece(s, first, scores, path);
    return s->recording.write(s->recording.arg, first, scores->n_steps, path, broken, err);
}

/* ---- the check ---- */

double sp_sequence_score(const sp_sequence *s)
{
    return s->backward_score.has_begun ? sp_path_descent_end(&s->backward_score)
                                       : sp_path_walk_end(&s->forward_score);
}

sp_status sp_sequence_verify(const sp_sequence *s, sp_error *err)
{
    const double value = s->recurrence;
    if (s->is_whole) {
        return isnan(value)  ? SP_OK /* sp_decode_finish() looks whether it is legal */
               : s->is_least ? sp_verify_state_path(s->chain, &s->scores, s->path, value, err)
                             : sp_verify_path(s->chain, &s->scores, s->path, value, err);
    }
    const double sum = s->is_outside ? -INFINITY : sp_sequence_score(s);
    /* The pieces are added up apart, so large numbers that cancel do not round as in the recurrence. */
    double tolerance =
        sp_verify_tolerance(s->recording.n_steps, isnan(value) ? 0 : value) + 1e-12 * s->magnitude;
    bool may_overflow = s->magnitude > 1e300 && !s->is_outside,
         is_close = isnan(value) || fabs(sum - value) <= tolerance || (s->is_least && sum >= value);
    if (!may_overflow && !(sum > -INFINITY && is_close))
        return sp_decode_bug(value, sum, err);
    return sp_rules_watch_end(&s->watch) ? sp_decode_bug(NAN, -INFINITY, err) : SP_OK;
}

/* ---- where there is no path ---- */

/* Marks in next[M] the states that can stand at a step of scores e[K]: at the start of a recording, after those in now[M], or
 * after a gap. Returns whether there is any. */
static bool reach_step(const sp_chain *chain, sp_reach how, const double *e, const uint8_t *now,
                       uint8_t *next)
{
    int32_t n_states = chain->n_states;
    const sp_chain *into = sp_chain_into(chain, &how);
    if (how == SP_REACH_START) {
        for (int32_t j = 0; j < n_states; j++)
            next[j] = chain->start[j] > -INFINITY;
    } else if (how == SP_REACH_ENTRY) {
        const bool is_left = sp_chain_may_leave(chain, now);
        for (int32_t j = 0; j < n_states; j++)
            next[j] = is_left && chain->entry[j];
    } else {
        memset(next, 0, (size_t)n_states);
        for (int32_t i = 0; i < n_states; i++)
            if (now[i])
                for (int64_t s = into->succ_row[i]; s < into->succ_row[i + 1]; s++)
                    next[into->succ[s]] = 1;
    }
    bool any = false;
    for (int32_t j = 0; j < n_states; j++) {
        next[j] = next[j] && e[chain->state_class[j]] > -INFINITY;
        any = any || next[j];
    }
    return any;
}

/* Is there any allowed path over finite scores? A boolean forward pass: no weight is added, so nothing rounds or overflows.
 * SP_OK; SP_ENOPATH with err->step the first step that no state reaches, or T-1 when states reach it but none may end. */
static sp_status look_for_path(sp_sequence *s, sp_error *err)
{
    const sp_chain *c = s->chain;
    size_t M = (size_t)c->n_states;
    uint8_t *now = sp_scratch_get(s->scratch, 2 * M, 1), *next = now ? now + M : NULL;
    double *row = sp_scratch_get(s->scratch, (size_t)c->n_classes, sizeof *row);
    if (!now || !row)
        return sp_no_memory(err);
    for (int64_t i = 0; i < s->n; i++) {
        sp_scores scores;
        sp_status status = sp_sequence_read(s, i, &scores, err);
        if (status != SP_OK)
            return status;
        for (int64_t t = 0; t < scores.n_steps; t++) {
            if (!reach_step(c, sp_sequence_reach(s, i, &scores, t), sp_row(&scores, t, row), now, next))
                return sp_fail_at(err, SP_ENOPATH, i * s->steps + t,
                                  "no allowed path has a finite score: no class that may stand at step %lld "
                                  "is possible there: look at "
                                  "its scores and masks, or decode with `on_infeasible` relax",
                                  (long long)i * s->steps + t);
            uint8_t *before = now;
            now = next;
            next = before;
        }
    }
    for (size_t j = 0; j < M; j++)
        if (now[j] && c->end[j] > -INFINITY)
            return SP_OK;
    return sp_fail_at(err, SP_ENOPATH, s->recording.n_steps - 1,
                      "no allowed path has a finite score: none of the classes that can stand at the last "
                      "step, %lld, may end: look "
                      "at \"end\" in the model, or decode with `on_infeasible` relax",
                      (long long)(s->recording.n_steps - 1));
}

/* Where durations leave no path of so many steps, the sentence says so. */
static sp_status path_exists(sp_sequence *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(s->scratch);
    sp_status status = look_for_path(s, err);
    sp_scratch_release(s->scratch, mark);
    char why[400];
    if (status == SP_ENOPATH && err && !s->recording.has_gap &&
        sp_say_lengths(s->chain, s->recording.n_steps, NULL, why, sizeof why))
        return sp_fail_at(err, SP_ENOPATH, err->step, "%s", why);
    return status;
}

sp_status sp_sequence_no_path(sp_sequence *s, sp_error *err)
{
    sp_status status = path_exists(s, err);
    if (status != SP_OK)
        return status;
    return sp_fail_at(err, SP_ENOPATH, s->recording.n_steps - 1,
                      "no allowed path has a finite score, because the sum of the scores leaves the range of "
                      "a double: scale them down");
}

sp_status sp_sequence_stuck(sp_sequence *s, const char *who, int64_t step, sp_error *err)
{
    sp_status status = path_exists(s, err);
    if (status != SP_OK)
        return status;
    return sp_fail_at(err, SP_EDEADEND, step,
                      "%s met a dead end: nothing that it kept can go on at step %lld, or end there, though "
                      "an allowed path "
                      "exists: decode with viterbi, which looks ahead to the end",
                      who, (long long)step);
}
