/* Strategies that go through a long recording once, choosing as they go: argmax, greedy, online. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decode/greedy.h"
#include "decode/long_pieces.h"
#include "statepath/online.h"

/* ---- argmax, see argmax.c ---- */

/* The first of the greatest of e[K]; -1 when none is above -INFINITY. */
static int32_t best_class(int32_t n_classes, const double *e)
{
    double best = -INFINITY;
    int32_t chosen = -1;
    for (int32_t k = 0; k < n_classes; k++)
        if (e[k] > best) {
            best = e[k];
            chosen = k;
        }
    return chosen;
}

/* Returns the row of which every class is impossible, or -1; relaxed, class 0 is taken there. */
static int64_t choose_best(sp_pieces *p, const sp_scores *scores, bool relax, double *row, int64_t *n_broken)
{
    for (int64_t t = 0; t < scores->n_steps; t++) {
        int32_t k = best_class(scores->n_classes, sp_row(scores, t, row));
        if (k < 0 && !relax)
            return t;
        p->broken[t] = k < 0;
        *n_broken += k < 0;
        p->path[t] = k < 0 ? 0 : k;
    }
    return -1;
}

sp_status sp_long_argmax(sp_pieces *p, bool relax, sp_decoded *result, sp_error *err)
{
    double *row = sp_scratch_get(sp_workers_scratch(p->workers), SP_SLOT_ROW, (size_t)p->chain->n_classes, sizeof *row);
    sp_status status = row ? SP_OK : sp_decode_no_memory(err);
    for (int64_t i = 0; status == SP_OK && i < p->n; i++) {
        sp_scores scores;
        status = sp_pieces_read(p, i, &scores, err);
        if (status != SP_OK)
            break;
        int64_t stuck = choose_best(p, &scores, relax, row, &result->n_broken);
        if (stuck >= 0) {
            *result = (sp_decoded){.status = SP_ENOPATH, .step = i * p->steps + stuck};
            break;
        }
        status = sp_pieces_write_up(p, i * p->steps, &scores, p->path, relax ? p->broken : NULL, err);
    }
    return status;
}

/* ---- greedy, see greedy.c ---- */

sp_status sp_long_greedy(sp_pieces *p, sp_decoded *result, sp_error *err)
{
    sp_scratch *scratch = sp_workers_scratch(p->workers);
    double *row = sp_scratch_get(scratch, SP_SLOT_ROW, (size_t)p->chain->n_classes, sizeof *row);
    sp_play play;
    sp_status status = row && sp_play_init(&play, p->chain, scratch) ? SP_OK : sp_decode_no_memory(err);
    for (int64_t i = 0; status == SP_OK && i < p->n; i++) {
        sp_scores scores;
        status = sp_pieces_read(p, i, &scores, err);
        int64_t last = i == p->n - 1 ? scores.n_steps - 1 : -1;
        for (int64_t t = 0; status == SP_OK && t < scores.n_steps; t++) {
            if (!sp_play_step(&play, sp_pieces_reach(p, i, &scores, t), sp_row(&scores, t, row),
                              t == last ? p->chain->end : NULL))
                return sp_pieces_stuck(p, i * p->steps + t, result, err);
            p->path[t] = play.chosen;
        }
        if (status == SP_OK)
            status = sp_pieces_write_up(p, i * p->steps, &scores, p->path, NULL, err);
    }
    return status;
}

/* ---- online, see online.c ---- */

/* A path lags behind the scores: steps written .. written+n_rows-1 have been seen, the first n_path of them are decided. */
typedef struct lagging {
    sp_online *online;
    size_t room;       /* steps: those of a piece and the lag */
    double *rows;      /* [room,K] */
    int64_t *segments; /* [room], or NULL */
    int32_t *path;     /* [room] */
    int64_t written, n_rows, n_path;
} lagging;

static bool lagging_init(lagging *l, const sp_pieces *p, int32_t lag)
{
    size_t K = (size_t)p->chain->n_classes;
    int64_t most = p->recording->n_steps, wanted = p->steps + (int64_t)lag + 1;
    l->room = (size_t)(wanted < most ? wanted : most);
    l->rows = l->room <= SIZE_MAX / sizeof *l->rows / K ? malloc(l->room * K * sizeof *l->rows) : NULL;
    l->segments = p->recording->has_gap ? malloc(l->room * sizeof *l->segments) : NULL;
    l->path = malloc(l->room * sizeof *l->path);
    return l->rows && l->path && (l->segments || !p->recording->has_gap);
}

static void lagging_free(lagging *l)
{
    sp_online_free(l->online);
    free(l->rows);
    free(l->segments);
    free(l->path);
}

/* Writes what is decided. */
static sp_status flush(lagging *l, sp_pieces *p, sp_error *err)
{
    size_t K = (size_t)p->chain->n_classes, done = (size_t)l->n_path, left = (size_t)(l->n_rows - l->n_path);
    if (done == 0)
        return SP_OK;
    sp_scores scores = {l->rows, SP_F64, p->chain->n_classes, l->n_path, l->segments};
    sp_status status = sp_pieces_write_up(p, l->written, &scores, l->path, NULL, err);
    memmove(l->rows, l->rows + done * K, left * K * sizeof *l->rows);
    if (l->segments)
        memmove(l->segments, l->segments + done, left * sizeof *l->segments);
    l->written += l->n_path;
    l->n_rows -= l->n_path;
    l->n_path = 0;
    return status;
}

/* Takes row t of piece i. */
static sp_status push(lagging *l, sp_pieces *p, int64_t i, const sp_scores *scores, int64_t t, sp_error *err)
{
    double *row = l->rows + (size_t)l->n_rows * (size_t)p->chain->n_classes;
    const double *e = sp_row(scores, t, row);
    if (e != row)
        memcpy(row, e, (size_t)p->chain->n_classes * sizeof *row);
    if (l->segments)
        l->segments[l->n_rows] = scores->segments[t];
    l->n_rows++;
    int32_t k;
    sp_status status = sp_online_push(l->online, row, sp_pieces_is_gap(p, i, scores, t), &k, err);
    if (status == SP_OK && k >= 0)
        l->path[l->n_path++] = k;
    return status == SP_OK && (size_t)l->n_rows == l->room ? flush(l, p, err) : status;
}

static bool is_stuck(sp_status status)
{
    return status == SP_ENOPATH || status == SP_EDEADEND;
}

static sp_status go_online(lagging *l, sp_pieces *p, sp_decoded *result, sp_error *err)
{
    sp_status status = SP_OK;
    for (int64_t i = 0; i < p->n; i++) {
        sp_scores scores;
        status = sp_pieces_read(p, i, &scores, err);
        for (int64_t t = 0; status == SP_OK && t < scores.n_steps; t++) {
            status = push(l, p, i, &scores, t, err);
            if (is_stuck(status))
                return sp_pieces_stuck(p, i * p->steps + t, result, err);
        }
        if (status != SP_OK)
            return status;
    }
    int32_t n_rest = 0;
    status = sp_online_finish(l->online, l->path + l->n_path, &n_rest, err);
    if (is_stuck(status))
        return sp_pieces_stuck(p, p->recording->n_steps - 1, result, err);
    l->n_path += n_rest;
    return status == SP_OK ? flush(l, p, err) : status;
}

sp_status sp_long_online(sp_pieces *p, int32_t lag, sp_decoded *result, sp_error *err)
{
    lagging l = {.online = NULL};
    sp_status status = lagging_init(&l, p, lag) ? sp_online_new(p->chain, lag, &l.online, err) : sp_decode_no_memory(err);
    if (status == SP_OK)
        status = go_online(&l, p, result, err);
    lagging_free(&l);
    return status;
}
