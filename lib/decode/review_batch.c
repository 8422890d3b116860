#include "decode/review_batch.h"

#include <stdlib.h>

#include "core/try.h"

/* ---- what is found in a batch ---- */

void sp_review_room_clear(sp_review_room *room)
{
    free(room->found);
    free(room->probability);
    free(room->n_found);
    free(room->status);
    *room = (sp_review_room){.found = NULL};
}

static bool make_room(sp_review_room *room, int64_t n_steps, int64_t n_recordings)
{
    if (n_steps < room->step_room && n_recordings < room->recording_room)
        return true;
    const int64_t steps = n_steps < room->step_room ? room->step_room : n_steps + 1;
    const int64_t recordings = n_recordings < room->recording_room ? room->recording_room : n_recordings + 1;
    sp_review_room_clear(room);
    *room = (sp_review_room){.found = malloc((size_t)steps * sizeof *room->found),
                             .probability = malloc((size_t)steps * sizeof *room->probability),
                             .n_found = malloc((size_t)recordings * sizeof *room->n_found),
                             .status = malloc((size_t)recordings * sizeof *room->status),
                             .step_room = steps,
                             .recording_room = recordings};
    return room->found && room->probability && room->n_found && room->status;
}

typedef struct looking {
    const sp_batch *batch;
    const sp_chain *chain;
    int64_t most;
    double least;
    sp_review_room *room;
} looking;

static void look(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    const looking *l = arg;
    sp_review_room *room = l->room;
    for (int64_t n = first; n < last; n++) {
        const sp_scores scores = sp_batch_recording(l->batch, n);
        const int64_t at = l->batch->offsets[n], most = l->most < scores.n_steps ? l->most : scores.n_steps;
        room->n_found[n] = 0;
        for (int64_t t = 0; t < scores.n_steps; t++)
            room->probability[at + t] = 0;
        room->status[n] = sp_review(l->chain, &scores, most, l->least, scratch, room->found + at,
                                    &room->n_found[n], room->probability + at, NULL);
    }
}

sp_status sp_review_batch(const sp_batch *batch, const sp_chain *chain, int64_t most, double least,
                          sp_workers *workers, sp_review_room *room, sp_error *err)
{
    looking l = {batch, chain, most, least, room};
    if (!make_room(room, batch->scores.n_steps, batch->n_recordings))
        return sp_no_memory(err);
    sp_workers_share(workers, batch->n_recordings, look, &l);
    for (int64_t n = 0; n < batch->n_recordings; n++)
        if (room->status[n] != SP_OK && room->status[n] != SP_ENOPATH)
            return room->status[n] == SP_ENOMEM
                       ? sp_no_memory(err)
                       : sp_fail(err, room->status[n], "the scores have not the model's classes");
    return SP_OK;
}

/* ---- the best of all ---- */

static int compare_places(const sp_listed_step *a, const sp_listed_step *b)
{
    return a->recording != b->recording ? (a->recording > b->recording) - (a->recording < b->recording)
                                        : (a->step > b->step) - (a->step < b->step);
}

/* Gains of a recording are not above those found before them (sp_review()): equal ones keep their order. */
static int compare_gains(const sp_listed_step *a, const sp_listed_step *b)
{
    const int gain = (a->gain < b->gain) - (a->gain > b->gain),
              recording = (a->recording > b->recording) - (a->recording < b->recording);
    return gain ? gain : recording ? recording : (a->rank > b->rank) - (a->rank < b->rank);
}

static int by_gain(const void *a, const void *b)
{
    return compare_gains(a, b);
}

static int by_place(const void *a, const void *b)
{
    return compare_places(a, b);
}

bool sp_review_best_init(sp_review_best *best, int64_t most)
{
    *best = (sp_review_best){.most = most, .steps = malloc(((size_t)most + 1) * sizeof *best->steps)};
    return best->steps != NULL;
}

void sp_review_best_clear(sp_review_best *best)
{
    free(best->steps);
    *best = (sp_review_best){.n = 0};
}

static void swap(sp_listed_step *a, sp_listed_step *b)
{
    const sp_listed_step step = *a;
    *a = *b;
    *b = step;
}

static void sink(sp_review_best *best, int64_t i)
{
    for (int64_t last;; i = last) {
        last = i;
        for (int64_t child = 2 * i + 1; child < best->n && child <= 2 * i + 2; child++)
            last = compare_gains(&best->steps[last], &best->steps[child]) < 0 ? child : last;
        if (last == i)
            return;
        swap(&best->steps[i], &best->steps[last]);
    }
}

void sp_review_best_add(sp_review_best *best, const sp_listed_step *step)
{
    if (best->n < best->most) {
        int64_t i = best->n++;
        best->steps[i] = *step;
        for (; i > 0 && compare_gains(&best->steps[(i - 1) / 2], &best->steps[i]) < 0; i = (i - 1) / 2)
            swap(&best->steps[i], &best->steps[(i - 1) / 2]);
    } else if (best->n > 0 && compare_gains(step, &best->steps[0]) < 0) {
        best->steps[0] = *step;
        sink(best, 0);
    }
}

double sp_review_best_least(const sp_review_best *best)
{
    return best->n < best->most || best->n == 0 ? 0 : best->steps[0].gain;
}

void sp_review_best_by_gain(sp_review_best *best)
{
    if (best->n > 0)
        qsort(best->steps, (size_t)best->n, sizeof *best->steps, by_gain);
}

void sp_review_best_by_place(sp_review_best *best)
{
    if (best->n > 0)
        qsort(best->steps, (size_t)best->n, sizeof *best->steps, by_place);
}
