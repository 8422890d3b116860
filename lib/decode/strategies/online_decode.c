/* Fixed lag as a strategy: a recording is a stream. */
#include <stdlib.h>
#include <string.h>

#include "core/try.h"
#include "decode/strategies/online.h"
#include "decode/strategy.h"

enum { FLUSH_EVERY = 1024 };

/* A path lags behind the scores: steps written .. written+n_rows-1 have been seen, the first n_path of them are decided. */
typedef struct lagging {
    sp_online *online;
    size_t room;       /* steps: the lag twice, so that few rows are moved, and some more */
    double *rows;      /* [room,K] */
    int64_t *segments; /* [room], or NULL */
    int32_t *path;     /* [room] */
    int64_t written, n_rows, n_path;
} lagging;

static bool lagging_init(lagging *l, const sp_sequence *s, int32_t lag)
{
    size_t K = (size_t)s->chain->n_classes;
    int64_t most = s->recording.n_steps, wanted = 2 * ((int64_t)lag + 1) + FLUSH_EVERY;
    l->room = (size_t)(wanted < most ? wanted : most);
    l->rows = l->room <= SIZE_MAX / sizeof *l->rows / K ? malloc(l->room * K * sizeof *l->rows) : NULL;
    l->segments = s->recording.has_gap ? malloc(l->room * sizeof *l->segments) : NULL;
    l->path = malloc(l->room * sizeof *l->path);
    return l->rows && l->path && (l->segments || !s->recording.has_gap);
}

static void lagging_free(lagging *l)
{
    sp_online_free(l->online);
    free(l->rows);
    free(l->segments);
    free(l->path);
}

/* Writes what is decided. */
static sp_status flush(lagging *l, sp_sequence *s, sp_error *err)
{
    size_t K = (size_t)s->chain->n_classes, done = (size_t)l->n_path, left = (size_t)(l->n_rows - l->n_path);
    if (done == 0)
        return SP_OK;
    sp_scores scores = {l->rows, SP_F64, s->chain->n_classes, l->n_path, l->segments, NULL, NULL};
    sp_status status = sp_sequence_write(s, l->written, &scores, l->path, NULL, err);
    memmove(l->rows, l->rows + done * K, left * K * sizeof *l->rows);
    if (l->segments)
        memmove(l->segments, l->segments + done, left * sizeof *l->segments);
    l->written += l->n_path;
    l->n_rows -= l->n_path;
    l->n_path = 0;
    return status;
}

/* Takes row t of piece i. */
static sp_status push(lagging *l, sp_sequence *s, int64_t i, const sp_scores *scores, int64_t t,
                      sp_error *err)
{
    double *row = l->rows + (size_t)l->n_rows * (size_t)s->chain->n_classes;
    const double *e = sp_row(scores, t, row);
    if (e != row)
        memcpy(row, e, (size_t)s->chain->n_classes * sizeof *row);
    if (l->segments)
        l->segments[l->n_rows] = scores->segments[t];
    l->n_rows++;
    int32_t k;
    sp_status status = sp_online_push(l->online, row, sp_sequence_is_gap(s, i, scores, t), &k, err);
    if (status == SP_OK && k >= 0)
        l->path[l->n_path++] = k;
    return status == SP_OK && (size_t)l->n_rows == l->room ? flush(l, s, err) : status;
}

static sp_status go_online(lagging *l, sp_sequence *s, sp_error *err)
{
    sp_status status = SP_OK;
    int64_t step = -1; /* the last one pushed */
    int32_t n_rest = 0;
    for (int64_t i = 0; i < s->n; i++) {
        sp_scores scores;
        TRY(sp_sequence_read(s, i, &scores, err));
        for (int64_t t = 0; t < scores.n_steps; t++) {
            step = i * s->steps + t;
            TRY(push(l, s, i, &scores, t, err));
        }
    }
    TRY(sp_online_finish(l->online, l->path + l->n_path, &n_rest, err));
    l->n_path += n_rest;
    TRY(flush(l, s, err));
done:
    return status == SP_ENOPATH || status == SP_EDEADEND ? sp_sequence_stuck(s, "online decoding", step, err)
                                                         : status;
}

static sp_status decode(sp_sequence *s, int32_t lag, sp_error *err)
{
    lagging l = {.online = NULL};
    sp_status status = SP_OK;
    TRY(lagging_init(&l, s, lag) ? sp_online_new(s->chain, lag, &l.online, err) : sp_no_memory(err));
    sp_online_forget_reach(l.online);
    TRY(go_online(&l, s, err));
done:
    lagging_free(&l);
    return status;
}

const sp_strategy_row sp_online_row = {
    {.name = "online",
     .parameter = "LAG",
     .sample = 5,
     .is_legal = true,
     .knows_rules = true,
     .readings = 1,
     .summary = "decides each step once LAG more steps have been seen",
     .when = "live correction while a recording goes on (`statepath stream`)"},
    .decode = decode};
