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
            to->weight[i * K + k] =
                from->weight[(i / K * K + (size_t)class_of[i % K]) * K + (size_t)class_of[k]];
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

/* Side by side: out [K,stride] from rows e [n,K]. */
static void turn(const double *e, int64_t n_rows, int32_t n_classes, int64_t stride, double *out)
{
    for (int32_t k = 0; k < n_classes; k++)
        for (int64_t r = 0; r < n_rows; r++)
            out[k * stride + r] = e[r * n_classes + k];
}

/* Rows e [n,K] as neighbours see them, to own [2K,T] from step t on. columns [2K,n] is room. */
static void take_rows(sp_neighbours *n, const double *e, int64_t t, int n_rows, double floor, double *columns)
{
    const size_t K = (size_t)n->n_classes, T = (size_t)n->n_steps, N = (size_t)n_rows;
    double *probabilities = columns + K * N, most[TILE];
    turn(e, n_rows, n->n_classes, n_rows, columns);
    for (size_t r = 0; r < N; r++)
        most[r] = -INFINITY;
    for (size_t k = 0; k < K; k++)
        for (size_t r = 0; r < N; r++)
            most[r] = columns[k * N + r] > most[r] ? columns[k * N + r] : most[r];
    for (size_t k = 0; k < K; k++)
        for (size_t r = 0; r < N; r++)
            columns[k * N + r] = most[r] > -INFINITY ? columns[k * N + r] : 0;
    sp_log_softmax_columns(columns, n_rows, n->n_classes, probabilities);
    for (size_t k = 0; k < K; k++) {
        double *log_p = n->own + k * T + (size_t)t;
        for (size_t r = 0; r < N; r++)
            log_p[r] = columns[k * N + r] > floor ? columns[k * N + r] : floor;
        memcpy(log_p + K * T, probabilities + k * N, N * sizeof *log_p);
    }
}

/* Of `series` series side by side, as each sum waits for the one before it. */
SP_ALWAYS_INLINE void add_up_some(const double *own, size_t T, int series, double *sums)
{
    double sum[4] = {0};
    for (size_t t = 0; t < T; t++)
        for (int i = 0; i < series; i++) {
            sums[(size_t)i * (T + 1) + t] = sum[i];
            sum[i] += own[(size_t)i * T + t];
        }
    for (int i = 0; i < series; i++)
        sums[(size_t)i * (T + 1) + T] = sum[i];
}

/* sums [2K,T+1]: of the steps before. */
static void add_up(sp_neighbours *n)
{
    const size_t T = (size_t)n->n_steps, n_series = 2 * (size_t)n->n_classes;
    size_t i = 0;
    for (; i + 4 <= n_series; i += 4)
        add_up_some(n->own + i * T, T, 4, n->sums + i * (T + 1));
    for (; i < n_series; i += 2)
        add_up_some(n->own + i * T, T, 2, n->sums + i * (T + 1));
}

/* room [neighbours_room()], columns [2K,TILE] */
static void look_around(sp_neighbours *n, const double *e, const int64_t *segments, int64_t n_steps,
                        int32_t n_classes, double floor, double *room, double *columns)
{
    const size_t T = (size_t)n_steps, n_series = 2 * (size_t)n_classes;
    *n = (sp_neighbours){.n_classes = n_classes,
                         .n_steps = n_steps,
                         .segments = segments,
                         .own = room,
                         .sums = room + n_series * T};
    for (int64_t t = 0; t < n_steps; t += TILE)
        take_rows(n, e + t * n_classes, t, n_steps - t < TILE ? (int)(n_steps - t) : TILE, floor, columns);
    add_up(n);
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

/* x[i stride], for each series i: its mean over a window of step t; over no step it is the step itself. */
static void means_of(const sp_neighbours *n, int64_t t, int32_t steps, int side, size_t stride, double *x)
{
    const size_t n_series = 2 * (size_t)n->n_classes, T = (size_t)n->n_steps;
    const span s = window_of(n, t, steps, side);
    const double share = s.end > s.first ? 1 / (double)(s.end - s.first) : 0;
    for (size_t i = 0; i < n_series; i++) {
        const double *sums = n->sums + i * (T + 1);
        x[i * stride] = s.end > s.first ? (sums[s.end] - sums[s.first]) * share : n->own[i * T + (size_t)t];
    }
}

void sp_neighbours_inputs(sp_neighbours *n, int64_t t, int32_t n_windows, const int32_t *steps, double *x)
{
    find_stretch(n, t);
    for (int32_t w = 0; w < n_windows; w++)
        for (int side = 0; side < 2; side++, x += 2 * (size_t)n->n_classes)
            means_of(n, t, steps[w], side, 1, x);
}

/* ---- applying ---- */

/* What a tile of steps needs. */
typedef struct tile {
    sp_neighbours around;
    double *x; /* [2K,TILE] inputs, of one side of one window */
    double *z; /* [K,TILE] */
} tile;

/* x[i,r] = (to_i[r] - from_i[r]) share, where all steps of the tile have whole windows: the sums of series i from one step on. */
SP_ALWAYS_INLINE void means_any(const double *restrict from, const double *restrict to, double share,
                                double *restrict x)
{
    for (int r = 0; r < TILE; r++)
        x[r] = (to[r] - from[r]) * share;
}

/* z[k,r] += sum over i of weight[i,k] x[i,r], in sums that stay in registers. */
SP_ALWAYS_INLINE void weigh_any(const double *restrict weight, const double *restrict x, size_t n_inputs,
                                size_t K, double *restrict z)
{
    for (size_t k = 0; k < K; k++) {
        double sum[TILE];
        for (int r = 0; r < TILE; r++)
            sum[r] = z[k * TILE + (size_t)r];
        for (size_t i = 0; i < n_inputs; i++)
            for (int r = 0; r < TILE; r++)
                sum[r] += weight[i * K + k] * x[i * TILE + (size_t)r];
        for (int r = 0; r < TILE; r++)
            z[k * TILE + (size_t)r] = sum[r];
    }
}

/* z[k,r] is -INFINITY where e[k,r] is. says[r]: is any of the row not 0? */
SP_ALWAYS_INLINE void keep_impossible_any(const double *restrict e, size_t K, double *restrict z,
                                          double *restrict says)
{
    for (int r = 0; r < TILE; r++)
        says[r] = 0;
    for (size_t k = 0; k < K; k++)
        for (int r = 0; r < TILE; r++) {
            const double was = e[k * TILE + (size_t)r];
            says[r] = was < 0 || was > 0 ? 1 : says[r];
            z[k * TILE + (size_t)r] = was > -INFINITY ? z[k * TILE + (size_t)r] : -INFINITY;
        }
}

/* Is one of the numbers 0 or -INFINITY? By their bits: compilers make vectors of such comparisons. */
SP_ALWAYS_INLINE bool is_odd_any(const double *x, size_t n)
{
    uint64_t odd = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        odd |= (uint64_t)(bits << 1 == 0) | (uint64_t)(bits == UINT64_C(0xfff0000000000000));
    }
    return odd;
}

SP_FOR_EACH_ISA(void, means, (const double *from, const double *to, double share, double *x),
                means_any(from, to, share, x);)
SP_FOR_EACH_ISA(void, weigh, (const double *weight, const double *x, size_t n_inputs, size_t K, double *z),
                weigh_any(weight, x, n_inputs, K, z);)
SP_FOR_EACH_ISA(bool, is_odd, (const double *x, size_t n), return is_odd_any(x, n);)
SP_FOR_EACH_ISA(void, keep_impossible, (const double *e, size_t K, double *z, double *says),
                keep_impossible_any(e, K, z, says);)

/* The inputs of steps t .. t + TILE - 1 from one side of a window, which is whole for all of them. */
static void whole_means(const sp_neighbours *n, int64_t t, int32_t steps, int side, double *x)
{
    const size_t n_series = 2 * (size_t)n->n_classes, T = (size_t)n->n_steps;
    const span s = window_of(n, t, steps, side);
    for (size_t i = 0; i < n_series; i++) {
        const double *sums = n->sums + i * (T + 1);
        SP_BY_ISA(means, sp_isa_current())
        (sums + s.first, sums + s.end, 1 / (double)(s.end - s.first), x + i * TILE);
    }
}

/* The same of n_rows steps of which some have a cut window, or are of another stretch. */
static void cut_means(sp_neighbours *n, int64_t t, int n_rows, int32_t steps, int side, double *x)
{
    for (int r = 0; r < n_rows; r++) {
        find_stretch(n, t + r);
        means_of(n, t + r, steps, side, TILE, x + r);
    }
}

/* Are windows of so many steps whole at all steps of a tile? */
static bool are_whole(sp_neighbours *n, int64_t t, int n_rows, int32_t steps)
{
    find_stretch(n, t);
    return steps > 0 && n_rows == TILE && t - steps >= n->begin && t + TILE + steps <= n->end;
}

/* Makes the rows of steps t .. t + n_rows - 1 new. */
static void apply_tile(const sp_windows *w, tile *a, double *e, int64_t t, int n_rows, bool marks_missing)
{
    sp_neighbours *n = &a->around;
    const size_t K = (size_t)n->n_classes, T = (size_t)n->n_steps, N = (size_t)n_rows;
    const double *weight = w->weight;
    double says[TILE]; /* something; else 0 */
    for (size_t k = 0; k < K; k++)
        for (size_t r = 0; r < N; r++)
            a->z[k * TILE + r] = w->scale * n->own[k * T + (size_t)t + r] + w->bias[k];
    for (int32_t i = 0; i < w->n; i++)
        for (int side = 0; side < 2; side++, weight += 2 * K * K) {
            if (are_whole(n, t, n_rows, w->steps[i]))
                whole_means(n, t, w->steps[i], side, a->x);
            else
                cut_means(n, t, n_rows, w->steps[i], side, a->x);
            SP_BY_ISA(weigh, sp_isa_current())(weight, a->x, 2 * K, K, a->z);
        }
    const bool is_odd = SP_BY_ISA(is_odd, sp_isa_current())(e, N * K);
    if (is_odd) {
        turn(e, n_rows, n->n_classes, TILE, a->x);
        SP_BY_ISA(keep_impossible, sp_isa_current())(a->x, K, a->z, says);
    }
    sp_log_softmax_columns(a->z, TILE, n->n_classes, NULL);
    for (size_t r = 0; r < N; r++)
        for (size_t k = 0; k < K; k++)
            e[r * K + k] = a->z[k * TILE + r];
    for (size_t r = 0; is_odd && r < N; r++)
        for (size_t k = 0; k < K && says[r] == 0; k++)
            e[r * K + k] = marks_missing ? NAN : 0;
}

/* Numbers beside those of neighbours. */
static size_t tile_room(int32_t K)
{
    return 3 * (size_t)K * TILE;
}

/* Makes a recording's rows new, in place. room [room_of()], 0 at first */
static void apply(const sp_windows *w, double *e, const int64_t *segments, int64_t n_steps, int32_t K,
                  bool marks_missing, double *room)
{
    double *z = room + neighbours_room(n_steps, K);
    tile a = {.z = z, .x = z + (size_t)K * TILE};
    look_around(&a.around, e, segments, n_steps, K, w->floor, room, a.x);
    for (int64_t t = 0; t < n_steps; t += TILE)
        apply_tile(w, &a, e + t * K, t, n_steps - t < TILE ? (int)(n_steps - t) : TILE, marks_missing);
}

/* Memory for it; NULL: there is not so much. */
static double *room_of(int64_t n_steps, int32_t K)
{
    const size_t n = neighbours_room(n_steps, K);
    double *room = n ? malloc((n + tile_room(K)) * sizeof *room) : NULL;
    for (size_t i = 0; room && i < tile_room(K); i++)
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
    double *room = n_room ? malloc((n_room + n_rows + 2 * (size_t)K * TILE) * sizeof *room) : NULL;
    if (room) {
        copy_rows(scores, room + n_room);
        look_around(n, room + n_room, scores->segments, scores->n_steps, K, floor, room,
                    room + n_room + n_rows);
    }
    return room;
}

bool sp_windows_rows(const sp_windows *w, const sp_scores *scores, double *rows)
{
    double *room = room_of(scores->n_steps, scores->n_classes);
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
        double *room = room_of(T, block->n_classes);
        if (room)
            apply(a->windows, (double *)block->scores + begin * block->n_classes,
                  block->segments ? block->segments + begin : NULL, T, block->n_classes, true, room);
        else
            a->is_short = true;
        free(room);
    }
}

sp_status sp_windows_apply_block(const sp_windows *windows, const int32_t *class_of_column, sp_block *block,
                                 sp_workers *workers, sp_error *err)
{
    sp_windows *turned = class_of_column ? sp_windows_copy(windows, block->n_classes, class_of_column) : NULL;
    if (class_of_column && !turned)
        return sp_no_memory(err);
    application a = {.windows = turned ? turned : windows, .block = block};
    sp_workers_share(workers, block->n_recordings, apply_some, &a);
    sp_windows_free(turned);
    return a.is_short ? sp_no_memory(err) : SP_OK;
}
