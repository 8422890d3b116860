#include "core/model/windows.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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

/* log_p and p [K] of a row, from the same exponentials. */
static void normalise(const double *e, int32_t K, double floor, double *log_p, double *p)
{
    double greatest = -INFINITY, sum = 0;
    for (int32_t k = 0; k < K; k++)
        greatest = e[k] > greatest ? e[k] : greatest;
    const bool is_possible = greatest > -INFINITY;
    for (int32_t k = 0; k < K; k++) {
        log_p[k] = is_possible ? e[k] - greatest : 0;
        p[k] = exp(log_p[k]);
        sum += p[k];
    }
    const double log_sum = log(sum);
    for (int32_t k = 0; k < K; k++) {
        log_p[k] = log_p[k] - log_sum > floor ? log_p[k] - log_sum : floor;
        p[k] /= sum;
    }
}

/* room [neighbours_room()] */
static void look_around(sp_neighbours *n, const double *e, const int64_t *segments, int64_t n_steps, int32_t n_classes,
                        double floor, double *room)
{
    const size_t K = (size_t)n_classes, row = 2 * K;
    *n = (sp_neighbours){
        .n_classes = n_classes, .n_steps = n_steps, .segments = segments, .own = room, .sums = room + (size_t)n_steps * row};
    memset(n->sums, 0, row * sizeof *n->sums);
    for (size_t t = 0; t < (size_t)n_steps; t++) {
        double *own = n->own + t * row, *before = n->sums + t * row;
        normalise(e + t * K, n_classes, floor, own, own + K);
        for (size_t i = 0; i < row; i++)
            before[row + i] = before[i] + own[i];
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

void sp_neighbours_inputs(sp_neighbours *n, int64_t t, int32_t n_windows, const int32_t *steps, double *x)
{
    const size_t row = 2 * (size_t)n->n_classes;
    find_stretch(n, t);
    for (int32_t w = 0; w < n_windows; w++)
        for (int side = 0; side < 2; side++, x += row) {
            const int64_t before = t - steps[w] > n->begin ? t - steps[w] : n->begin;
            const int64_t after = t + 1 + steps[w] < n->end ? t + 1 + steps[w] : n->end;
            const int64_t first = side ? t + 1 : before, end = side ? after : t;
            const double *from = n->sums + (size_t)first * row, *to = n->sums + (size_t)end * row,
                         *own = n->own + (size_t)t * row;
            const double share = end > first ? 1 / (double)(end - first) : 0;
            for (size_t i = 0; i < row; i++)
                x[i] = end > first ? (to[i] - from[i]) * share : own[i];
        }
}

/* ---- applying ---- */

/* z[k] = scale l[k] + bias[k] + sum of inputs */
static void weigh(const sp_windows *w, const double *l, const double *x, int32_t K, double *restrict z)
{
    const size_t n = sp_windows_n_inputs(w->n, K);
    for (int32_t k = 0; k < K; k++)
        z[k] = w->scale * l[k] + w->bias[k];
    for (size_t i = 0; i < n; i++) {
        const double *restrict weight = w->weight + i * (size_t)K;
        for (int32_t k = 0; k < K; k++)
            z[k] += weight[k] * x[i];
    }
}

/* Makes a recording's rows new, in place. room [room_of()] */
static void apply(const sp_windows *w, double *e, const int64_t *segments, int64_t n_steps, int32_t K, bool marks_missing,
                  double *room)
{
    double *x = room + neighbours_room(n_steps, K), *z = x + sp_windows_n_inputs(w->n, K);
    sp_neighbours n;
    look_around(&n, e, segments, n_steps, K, w->floor, room);
    for (int64_t t = 0; t < n_steps; t++) {
        double *row = e + t * K;
        if (says_nothing(row, K)) {
            for (int32_t k = 0; marks_missing && k < K; k++)
                row[k] = NAN;
            continue;
        }
        sp_neighbours_inputs(&n, t, w->n, w->steps, x);
        weigh(w, n.own + (size_t)t * 2 * (size_t)K, x, K, z);
        for (int32_t k = 0; k < K; k++)
            row[k] = row[k] > -INFINITY ? z[k] : -INFINITY;
        sp_log_softmax(row, K, row);
    }
}

/* Memory for it; NULL: there is not so much. */
static double *room_of(const sp_windows *w, int64_t n_steps, int32_t K)
{
    const size_t n = neighbours_room(n_steps, K);
    return n ? malloc((n + sp_windows_n_inputs(w->n, K) + (size_t)K) * sizeof(double)) : NULL;
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
    double *room = n_room ? malloc((n_room + n_rows) * sizeof *room) : NULL;
    if (room) {
        copy_rows(scores, room + n_room);
        look_around(n, room + n_room, scores->segments, scores->n_steps, K, floor, room);
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
