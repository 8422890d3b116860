#include "core/model/windows.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/isa.h"
#include "core/logmath.h"
#include "core/numbers.h"
#include "core/workers.h"

sp_windows *sp_windows_new(int32_t n_windows, const int32_t *steps, int32_t n_classes)
{
    const size_t n_weights = sp_windows_n_inputs(n_windows, n_classes) * (size_t)n_classes;
    sp_windows *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->n = n_windows;
    w->scale = 1;
    w->floor = SP_WINDOWS_FLOOR;
    w->steps = calloc((size_t)n_windows + 1, sizeof *w->steps);
    w->bias = calloc((size_t)n_classes, sizeof *w->bias);
    w->weight = calloc(n_weights + 1, sizeof *w->weight);
    if (!w->steps || !w->bias || !w->weight) {
        sp_windows_free(w);
        return NULL;
    }
    for (int32_t i = 0; i < n_windows; i++)
        w->steps[i] = steps[i];
    return w;
}

void sp_windows_free(sp_windows *w)
{
    if (!w)
        return;
    free(w->steps);
    free(w->bias);
    free(w->weight);
    free(w);
}

sp_windows *sp_windows_copy(const sp_windows *from, int32_t n_classes, const int32_t *class_of)
{
    const size_t K = (size_t)n_classes, n_inputs = sp_windows_n_inputs(from->n, n_classes);
    sp_windows *to = sp_windows_new(from->n, from->steps, n_classes);
    if (!to)
        return NULL;
    to->floor = from->floor;
    to->scale = from->scale;
    for (size_t k = 0; k < K; k++)
        to->bias[k] = from->bias[class_of[k]];
    for (size_t i = 0; i < n_inputs; i++)
        for (size_t k = 0; k < K; k++)
            to->weight[i * K + k] = from->weight[(i / K * K + (size_t)class_of[i % K]) * K + (size_t)class_of[k]];
    return to;
}

/* ---- what is around a step ---- */

enum { TILE = 64 /* steps at a time */ };

/* Numbers that neighbours take; 0: more than memory can hold. */
static size_t neighbours_room(int64_t n_steps, int32_t n_classes)
{
    const size_t row = 2 * (size_t)n_classes;
    return (size_t)n_steps < SIZE_MAX / 64 / row ? (2 * (size_t)n_steps + 1) * row : 0;
}

static bool says_nothing(const double *e, int32_t n_classes)
{
    for (int32_t k = 0; k < n_classes; k++)
        if (e[k] != 0)
            return false;
    return true;
}

/* Rows e [n,K] as neighbours see them, to own [2K,T] from step t on. rows [n,K] is room. */
static void take_rows(sp_neighbours *n, const double *e, int64_t t, int64_t n_rows, double floor, double *rows)
{
    const size_t K = (size_t)n->n_classes, T = (size_t)n->n_steps;
    memcpy(rows, e, (size_t)n_rows * K * sizeof *rows);
    for (size_t r = 0; r < (size_t)n_rows; r++) {
        bool is_possible = false;
        for (size_t k = 0; k < K; k++)
            is_possible |= rows[r * K + k] > -INFINITY;
        for (size_t k = 0; !is_possible && k < K; k++)
            rows[r * K + k] = 0;
    }
    sp_log_softmax_rows(rows, n_rows, n->n_classes);
    for (size_t k = 0; k < K; k++) {
        double *log_p = n->own + k * T + (size_t)t, *p = log_p + K * T;
        for (size_t r = 0; r < (size_t)n_rows; r++) {
            log_p[r] = rows[r * K + k] > floor ? rows[r * K + k] : floor;
            p[r] = rows[r * K + k];
        }
        sp_exps(p, n_rows);
    }
}

/* room [neighbours_room()], rows [TILE,K] */
static void look_around(sp_neighbours *n, const double *e, const int64_t *segments, int64_t n_steps, int32_t n_classes,
                        double floor, double *room, double *rows)
{
    const size_t T = (size_t)n_steps, n_series = 2 * (size_t)n_classes;
    *n = (sp_neighbours){
        .n_classes = n_classes, .n_steps = n_steps, .segments = segments, .own = room, .sums = room + n_series * T};
    for (int64_t t = 0; t < n_steps; t += TILE)
        take_rows(n, e + t * n_classes, t, n_steps - t < TILE ? n_steps - t : TILE, floor, rows);
    for (size_t i = 0; i < n_series; i++) {
        const double *own = n->own + i * T;
        double *sums = n->sums + i * (T + 1), sum = 0;
        for (size_t t = 0; t < T; t++) {
            sums[t] = sum;
            sum += own[t];
        }
        sums[T] = sum;
    }
}

static void find_stretch(sp_neighbours *n, int64_t t)
{
    if (t < n->end && t >= n->begin)
        return;
    n->begin = t;
    n->end = t + 1;
    while (n->begin > 0 && !(n->segments && n->segments[n->begin] != n->segments[n->begin - 1]))
        n->begin--;
    while (n->end < n->n_steps && !(n->segments && n->segments[n->end] != n->segments[n->end - 1]))
        n->end++;
}

/* The steps of a window before (side 0) or after step t, in its stretch: first .. end - 1. */
typedef struct span {
    int64_t first, end;
} span;

static span window_of(const sp_neighbours *n, int64_t t, int32_t steps, int side)
{
    const int64_t before = t - steps > n->begin ? t - steps : n->begin;
    const int64_t after = t + 1 + steps < n->end ? t + 1 + steps : n->end;
    return (span){side ? t + 1 : before, side ? after : t};
}

void sp_neighbours_inputs(sp_neighbours *n, int64_t t, int32_t n_windows, const int32_t *steps, double *x)
{
    const size_t n_series = 2 * (size_t)n->n_classes, T = (size_t)n->n_steps;
    find_stretch(n, t);
    for (int32_t w = 0; w < n_windows; w++)
        for (int side = 0; side < 2; side++, x += n_series) {
            const span s = window_of(n, t, steps[w], side);
            const double share = s.end > s.first ? 1 / (double)(s.end - s.first) : 0;
            for (size_t i = 0; i < n_series; i++) {
                const double *sums = n->sums + i * (T + 1);
                x[i] = s.end > s.first ? (sums[s.end] - sums[s.first]) * share : n->own[i * T + (size_t)t];
            }
        }
}

/* ---- applying ---- */

/* What a tile of steps needs. */
typedef struct tile {
    sp_neighbours around;
    double *rows; /* [TILE,K] */
    double *x;    /* [inputs,TILE] */
    double *z;    /* [K,TILE] */
} tile;

/* x[i,r] = (to_i[r] - from_i[r]) share, where all steps of the tile have whole windows: the sums of series i from one step on. */
SP_ALWAYS_INLINE void means_any(const double *restrict from, const double *restrict to, double share, double *restrict x)
{
    for (int r = 0; r < TILE; r++)
        x[r] = (to[r] - from[r]) * share;
}

/* z[k,r] += sum over i of weight[i,k] x[i,r], a few steps at a time, whose sums stay in registers. */
SP_ALWAYS_INLINE void weigh_any(const double *restrict weight, const double *restrict x, size_t n_inputs, size_t K,
                                double *restrict z)
{
    enum { FEW = 32 };
    for (size_t k = 0; k < K; k++)
        for (int first = 0; first < TILE; first += FEW) {
            double *of = z + k * TILE + first, sum[FEW];
            for (int r = 0; r < FEW; r++)
                sum[r] = of[r];
            for (size_t i = 0; i < n_inputs; i++)
                for (int r = 0; r < FEW; r++)
                    sum[r] += weight[i * K + k] * x[i * TILE + (size_t)(first + r)];
            for (int r = 0; r < FEW; r++)
                of[r] = sum[r];
        }
}

SP_FOR_EACH_ISA(void, means, (const double *from, const double *to, double share, double *x), means_any(from, to, share, x);)
SP_FOR_EACH_ISA(void, weigh, (const double *weight, const double *x, size_t n_inputs, size_t K, double *z),
                weigh_any(weight, x, n_inputs, K, z);)

/* The inputs of steps t .. t + TILE - 1, whose windows are all whole. */
static void whole_inputs(const sp_neighbours *n, int64_t t, const sp_windows *w, double *x)
{
    const size_t n_series = 2 * (size_t)n->n_classes, T = (size_t)n->n_steps;
    for (int32_t i = 0; i < w->n; i++)
        for (int side = 0; side < 2; side++) {
            const span s = window_of(n, t, w->steps[i], side);
            for (size_t j = 0; j < n_series; j++, x += TILE) {
                const double *sums = n->sums + j * (T + 1);
                SP_BY_ISA(means, sp_isa_current())(sums + s.first, sums + s.end, 1 / (double)(s.end - s.first), x);
            }
        }
}

/* The same of steps of which some have a cut window; n_rows of them. */
static void cut_inputs(sp_neighbours *n, int64_t t, int64_t n_rows, const sp_windows *w, double *one, double *x)
{
    const size_t n_inputs = sp_windows_n_inputs(w->n, n->n_classes);
    for (int64_t r = 0; r < n_rows; r++) {
        sp_neighbours_inputs(n, t + r, w->n, w->steps, one);
        for (size_t i = 0; i < n_inputs; i++)
            x[i * TILE + (size_t)r] = one[i];
    }
}

static bool are_whole(sp_neighbours *n, int64_t t, int64_t n_rows, const sp_windows *w)
{
    int32_t most = 1;
    for (int32_t i = 0; i < w->n; i++)
        most = w->steps[i] > most ? w->steps[i] : most;
    find_stretch(n, t);
    return n_rows == TILE && t - most >= n->begin && t + TILE + most <= n->end;
}

/* Makes the rows of steps t .. t + n_rows - 1 new. */
static void apply_tile(const sp_windows *w, tile *a, double *e, int64_t t, int64_t n_rows, bool marks_missing)
{
    const size_t K = (size_t)a->around.n_classes, T = (size_t)a->around.n_steps, n_inputs = sp_windows_n_inputs(w->n, (int32_t)K);
    bool is_empty[TILE];
    if (are_whole(&a->around, t, n_rows, w))
        whole_inputs(&a->around, t, w, a->x);
    else
        cut_inputs(&a->around, t, n_rows, w, a->x + n_inputs * TILE, a->x);
    for (size_t k = 0; k < K; k++)
        for (size_t r = 0; r < (size_t)n_rows; r++)
            a->z[k * TILE + r] = w->scale * a->around.own[k * T + (size_t)t + r] + w->bias[k];
    SP_BY_ISA(weigh, sp_isa_current())(w->weight, a->x, n_inputs, K, a->z);
    for (size_t r = 0; r < (size_t)n_rows; r++) {
        double *row = e + r * K;
        is_empty[r] = says_nothing(row, (int32_t)K);
        for (size_t k = 0; k < K && !is_empty[r]; k++)
            row[k] = row[k] > -INFINITY ? a->z[k * TILE + r] : -INFINITY;
    }
    sp_log_softmax_rows(e, n_rows, (int32_t)K);
    for (size_t r = 0; r < (size_t)n_rows; r++)
        for (size_t k = 0; k < K && is_empty[r]; k++)
            e[r * K + k] = marks_missing ? NAN : 0;
}

/* Numbers beside those of neighbours. */
static size_t tile_room(const sp_windows *w, int32_t K)
{
    return (2 * (size_t)K + sp_windows_n_inputs(w->n, K)) * TILE + sp_windows_n_inputs(w->n, K);
}

/* Makes a recording's rows new, in place. room [room_of()], 0 at first */
static void apply(const sp_windows *w, double *e, const int64_t *segments, int64_t n_steps, int32_t K, bool marks_missing,
                  double *room)
{
    double *rows = room + neighbours_room(n_steps, K);
    tile a = {.rows = rows, .z = rows + (size_t)K * TILE, .x = rows + 2 * (size_t)K * TILE};
    look_around(&a.around, e, segments, n_steps, K, w->floor, room, rows);
    for (int64_t t = 0; t < n_steps; t += TILE)
        apply_tile(w, &a, e + t * K, t, n_steps - t < TILE ? n_steps - t : TILE, marks_missing);
}

/* Memory for it; NULL: there is not so much. */
static double *room_of(const sp_windows *w, int64_t n_steps, int32_t K)
{
    const size_t n = neighbours_room(n_steps, K);
    double *room = n ? malloc((n + tile_room(w, K)) * sizeof *room) : NULL;
    for (size_t i = 0; room && i < tile_room(w, K); i++)
        room[n + i] = 0; /* steps that the last tile has not */
    return room;
}

static void copy_rows(const sp_scores *scores, double *rows)
{
    for (int64_t t = 0; t < scores->n_steps; t++)
        sp_score_row(scores, t, rows + t * scores->n_classes);
}

double *sp_windows_look_around(sp_neighbours *n, const sp_scores *scores, double floor)
{
    const int32_t K = scores->n_classes;
    const size_t n_room = neighbours_room(scores->n_steps, K), n_rows = (size_t)scores->n_steps * (size_t)K;
    double *room = n_room ? malloc((n_room + n_rows + (size_t)K * TILE) * sizeof *room) : NULL;
    if (room) {
        copy_rows(scores, room + n_room);
        look_around(n, room + n_room, scores->segments, scores->n_steps, K, floor, room, room + n_room + n_rows);
    }
    return room;
}

bool sp_windows_rows(const sp_windows *w, const sp_scores *scores, double *rows)
{
    double *room = room_of(w, scores->n_steps, scores->n_classes);
    const bool has_room = room != NULL;
    if (has_room) {
        copy_rows(scores, rows);
        apply(w, rows, scores->segments, scores->n_steps, scores->n_classes, false, room);
    }
    free(room);
    return has_room;
}

typedef struct application {
    const sp_windows *windows;
    sp_block *block;
    atomic_bool is_short;
} application;

static void apply_some(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    application *a = arg;
    const sp_block *block = a->block;
    (void)scratch;
    for (int64_t n = first; n < last && !a->is_short; n++) {
        const int64_t begin = block->offsets[n], T = block->offsets[n + 1] - begin;
        double *room = room_of(a->windows, T, block->n_classes);
        if (room)
            apply(a->windows, (double *)block->scores + begin * block->n_classes,
                  block->segments ? block->segments + begin : NULL, T, block->n_classes, true, room);
        else
            a->is_short = true;
        free(room);
    }
}

sp_status sp_windows_apply_block(const sp_windows *windows, const int32_t *class_of_column, sp_block *block, sp_workers *workers,
                                 sp_error *err)
{
    sp_windows *turned = class_of_column ? sp_windows_copy(windows, block->n_classes, class_of_column) : NULL;
    if (class_of_column && !turned)
        return sp_no_memory(err);
    application a = {.windows = turned ? turned : windows, .block = block};
    sp_workers_share(workers, block->n_recordings, apply_some, &a);
    sp_windows_free(turned);
    return a.is_short ? sp_no_memory(err) : SP_OK;
}
