#include "decode/long_pieces.h"

#include <math.h>
#include <stdlib.h>

#include "decode/chunks.h"

enum { PIECE_BYTES = 32 << 20 /* scores, back-pointers and path of a piece, about */ };

_Static_assert(SP_PIECE_UNIT % SP_PIECE_STEPS == 0, "pieces begin where chunks.h says");

/* ---- opening ---- */

static int64_t piece_steps(const sp_chain *chain, const sp_long_recording *recording)
{
    int64_t steps = recording->piece_steps;
    if (steps <= 0) {
        int64_t back = chain->n_states <= 256 ? 1 : chain->n_states <= 65536 ? 2 : 4; /* history.h */
        int64_t step_bytes = (int64_t)chain->n_classes * (int64_t)sizeof(double) + chain->n_states * back + 8;
        steps = PIECE_BYTES / step_bytes;
    }
    steps = (steps + SP_PIECE_UNIT - 1) / SP_PIECE_UNIT * SP_PIECE_UNIT;
    return steps > 0 ? steps : SP_PIECE_UNIT;
}

static bool score_init(sp_pieces *p)
{
    p->magnitude = 0;
    p->is_outside = false;
    p->recurrence = NAN;
    p->is_least = false;
    return sp_path_walk_init(&p->up, p->chain, p->recording->n_steps, p->table) &&
           sp_path_descent_init(&p->down, p->chain, p->recording->n_steps, p->table);
}

static void score_clear(sp_pieces *p)
{
    sp_path_walk_clear(&p->up);
    sp_path_descent_clear(&p->down);
}

sp_pieces *sp_pieces_new(const sp_chain *chain, const sp_long_recording *recording, sp_workers *workers)
{
    sp_pieces *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->chain = chain;
    p->recording = recording;
    p->workers = workers;
    p->steps = piece_steps(chain, recording);
    p->n = (recording->n_steps + p->steps - 1) / p->steps;
    p->path = malloc((size_t)p->steps * sizeof *p->path);
    p->broken = malloc((size_t)p->steps);
    p->begins_apart = calloc((size_t)p->n, 1);
    p->table = malloc((size_t)SP_PATH_TABLE * SP_PATH_TABLE * sizeof *p->table);
    if (!p->path || !p->broken || !p->begins_apart || !p->table || !score_init(p)) {
        sp_pieces_free(p);
        return NULL;
    }
    return p;
}

void sp_pieces_free(sp_pieces *p)
{
    if (!p)
        return;
    score_clear(p);
    free(p->path);
    free(p->broken);
    free(p->begins_apart);
    free(p->table);
    free(p);
}

/* ---- reading and writing ---- */

sp_status sp_pieces_read(sp_pieces *p, int64_t i, sp_scores *scores, sp_error *err)
{
    const sp_long_recording *r = p->recording;
    int64_t first = i * p->steps, n = r->n_steps - first < p->steps ? r->n_steps - first : p->steps;
    sp_status status = r->read(r->arg, first, n, scores, err);
    if (status == SP_OK)
        status = sp_decode_check(p->chain, scores, err);
    if (status != SP_OK)
        return status;
    if (scores->n_steps != n || (r->has_gap && !scores->segments))
        return sp_fail(err, SP_EINVAL, "steps %lld to %lld of a long recording were asked for, but not these were read",
                       (long long)first, (long long)(first + n - 1));
    if (!r->has_gap)
        scores->segments = NULL;
    if (i == p->n_seen) {
        p->begins_apart[i] = scores->segments && i > 0 && scores->segments[0] != p->last_segment;
        p->last_segment = scores->segments ? scores->segments[n - 1] : 0;
        p->n_seen++;
    }
    return SP_OK;
}

/* Notes what a piece of path adds to the check. False: it has a class that does not exist, so it has no score. */
static bool note_piece(sp_pieces *p, const sp_scores *scores, const int32_t *path)
{
    for (int64_t t = 0; t < scores->n_steps && !p->is_outside; t++) {
        p->is_outside = path[t] < 0 || path[t] >= scores->n_classes;
        double e = p->is_outside ? 0 : sp_scores_at(scores, t, path[t]);
        p->magnitude += e > -INFINITY ? fabs(e) : 0;
    }
    return !p->is_outside;
}

sp_status sp_pieces_write_up(sp_pieces *p, int64_t first, const sp_scores *scores, const int32_t *path, const uint8_t *broken,
                             sp_error *err)
{
    if (note_piece(p, scores, path))
        sp_path_walk_add(&p->up, scores, path);
    return p->recording->write(p->recording->arg, first, scores->n_steps, path, broken, err);
}

sp_status sp_pieces_write_down(sp_pieces *p, int64_t first, const sp_scores *scores, const int32_t *path, const uint8_t *broken,
                               sp_error *err)
{
    if (note_piece(p, scores, path))
        sp_path_descent_add(&p->down, scores, path);
    return p->recording->write(p->recording->arg, first, scores->n_steps, path, broken, err);
}

double sp_pieces_score(const sp_pieces *p)
{
    return p->down.has_begun ? sp_path_descent_end(&p->down) : sp_path_walk_end(&p->up);
}

void sp_pieces_verify(const sp_pieces *p, sp_decoded *result)
{
    const double sum = p->is_outside ? -INFINITY : sp_pieces_score(p), value = p->recurrence;
    sp_error bug;
    /* The pieces are added up apart, so large numbers that cancel do not round as in the recurrence. */
    double tolerance = sp_verify_tolerance(p->recording->n_steps, isnan(value) ? 0 : value) + 1e-12 * p->magnitude;
    bool may_overflow = p->magnitude > 1e300 && !p->is_outside,
         is_close = isnan(value) || fabs(sum - value) <= tolerance || (p->is_least && sum >= value);
    if (result->status != SP_OK || may_overflow || (sum > -INFINITY && is_close))
        return;
    sp_decode_bug(value, sum, &bug);
    sp_decode_withhold(&bug, result, NULL, 0);
}

sp_status sp_pieces_give_up(sp_pieces *p, sp_error *err)
{
    score_clear(p);
    if (!score_init(p))
        return sp_decode_no_memory(err);
    return p->recording->write(p->recording->arg, 0, p->recording->n_steps, NULL, NULL, err);
}

/* ---- where there is no path ---- */

sp_status sp_pieces_exists(sp_pieces *p, int64_t *step, sp_error *err)
{
    const sp_chain *c = p->chain;
    size_t M = (size_t)c->n_states;
    sp_scratch *scratch = sp_workers_scratch(p->workers);
    uint8_t *now = sp_scratch_get(scratch, SP_SLOT_REACH, 2 * M, 1), *next = now ? now + M : NULL;
    double *row = sp_scratch_get(scratch, SP_SLOT_ROW, (size_t)c->n_classes, sizeof *row);
    if (!now || !row)
        return sp_decode_no_memory(err);
    for (int64_t i = 0; i < p->n; i++) {
        sp_scores scores;
        sp_status status = sp_pieces_read(p, i, &scores, err);
        if (status != SP_OK)
            return status;
        for (int64_t t = 0; t < scores.n_steps; t++) {
            *step = i * p->steps + t;
            if (!sp_reach_step(c, sp_pieces_reach(p, i, &scores, t), sp_row(&scores, t, row), now, next))
                return SP_OK;
            uint8_t *before = now;
            now = next;
            next = before;
        }
    }
    for (size_t j = 0; j < M; j++)
        if (now[j] && c->end[j] > -INFINITY)
            *step = -1;
    return SP_OK;
}

sp_status sp_pieces_no_path(sp_pieces *p, sp_decoded *result, sp_error *err)
{
    int64_t step;
    sp_status status = sp_pieces_exists(p, &step, err);
    result->status = SP_ENOPATH;
    result->step = status == SP_OK && step >= 0 ? step : p->recording->n_steps - 1;
    return status;
}

sp_status sp_pieces_stuck(sp_pieces *p, int64_t step, sp_decoded *result, sp_error *err)
{
    int64_t unreached = -1;
    sp_status status = sp_pieces_exists(p, &unreached, err);
    result->status = unreached < 0 ? SP_EDEADEND : SP_ENOPATH;
    result->step = unreached < 0 ? step : unreached;
    return status;
}
