/* Runs of a class: how many and how long, whether their boundaries are found, and the edit score of their order.
 *
 * Both sides are looked at inside stretches of scored steps only. */
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/metrics/edit.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

/* A run of class k, of so many steps, is listed. */
static bool add_run(sp_runs *runs, int32_t K, int32_t k, int64_t length, const uint8_t *background,
                    sp_tally *lengths)
{
    const bool is_segment = !background || !background[k];
    if (is_segment && runs->n == runs->capacity) {
        bool is_whole = true;
        runs->capacity = 2 * runs->capacity + 64;
        runs->classes = sp_grown(runs->classes, runs->capacity, sizeof *runs->classes, &is_whole);
        if (!is_whole)
            return false;
    }
    if (is_segment)
        runs->classes[runs->n++] = k;
    return !lengths || sp_tally_add(lengths, sp_run_key(K, k, length), 1);
}

bool sp_runs_find(sp_runs *runs, int32_t K, const sp_recording *r, const int32_t *path,
                  const uint8_t *background, sp_tally *lengths)
{
    int32_t k = -1;
    int64_t length = 0;
    runs->n = runs->changes = 0;
    for (sp_stretch at = sp_walk(r, path, r->labels); sp_stretch_next(&at); length += at.end - at.first) {
        const int32_t chosen = sp_scored_class(r, path, at.first);
        if (chosen == k && at.is_joined)
            continue;
        if (k >= 0 && !add_run(runs, K, k, length, background, lengths))
            return false;
        runs->changes += k >= 0 && chosen >= 0 && at.is_joined;
        k = chosen;
        length = 0;
    }
    return k < 0 || add_run(runs, K, k, length, background, lengths);
}

/* Does the path change between the same scored classes as the reference at step t, at step u of the same
 * segment? */
static bool is_same_change(const sp_recording *r, const int32_t *path, int64_t t, int64_t u)
{
    return u >= 1 && u < r->n_steps && path[u] == r->labels[t] && path[u - 1] == r->labels[t - 1] &&
           r->labels[u] >= 0 && r->labels[u - 1] >= 0 && sp_is_joined(r, u) &&
           (!r->segments || r->segments[u] == r->segments[t]);
}

/* Each change of the reference takes the earliest free change of the path between the same classes that is near enough. Windows
 * move with the reference and are equally wide, so taking the earliest never costs a later match. used [T]: bit w for tolerance
 * w. */
static void match_change(const sp_recording *r, const int32_t *path, int64_t t, uint8_t *used,
                         sp_boundaries *out)
{
    enum { MOST = SP_N_TOLERANCES - 1 };
    int is_taken = 0; /* bit w: at tolerance w */
    for (int64_t u = t - MOST; u <= t + MOST; u++)
        for (int w = !is_same_change(r, path, t, u) ? MOST + 1 : (int)(u < t ? t - u : u - t); w <= MOST; w++)
            if (!((is_taken | used[u]) >> w & 1)) {
                is_taken |= 1 << w;
                used[u] |= (uint8_t)(1 << w);
                out->matched[w]++;
            }
}

static void match_changes(const sp_recording *r, const int32_t *path, uint8_t *used, sp_boundaries *out)
{
    const int32_t *label = r->labels;
    memset(used, 0, (size_t)r->n_steps);
    for (sp_stretch at = sp_walk(r, label, NULL); sp_stretch_next(&at);)
        if (at.is_joined && label[at.first] != label[at.first - 1] && label[at.first] >= 0 &&
            label[at.first - 1] >= 0)
            match_change(r, path, at.first, used, out);
}

sp_status sp_add_reference_segments(sp_evaluation *e, const sp_recording *r, sp_error *err)
{
    const uint8_t *background = e->result->background;
    return sp_runs_find(&e->reference.runs, e->K, r, r->labels, background, &e->reference_runs)
               ? SP_OK
               : sp_no_memory(err);
}

sp_status sp_add_segments(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path,
                          sp_error *err)
{
    sp_track *track = &e->tracks[strategy];
    sp_strategy_result *s = &e->result->strategies[strategy];
    sp_runs *runs = &track->runs, *reference = &e->reference.runs;
    if (!sp_runs_find(runs, e->K, r, path, e->result->background, &e->sums[strategy].class_runs))
        return sp_no_memory(err);
    if (!r->labels)
        return SP_OK;
    s->boundaries.reference += reference->changes;
    s->boundaries.decoded += runs->changes;
    match_changes(r, path, e->scratch.flags, &s->boundaries);
    sp_overlaps_count(r, path, e->result->background, &track->segments);
    sp_segments_add(&s->segments, &track->segments);
    const sp_status status =
        sp_edit_score(e->K, reference->n, reference->classes, runs->n, runs->classes, &track->edit, err);
    if (status != SP_OK)
        return status;
    if (!isnan(track->edit)) {
        sp_exact_add(&e->sums[strategy].edit_sum, track->edit);
        s->edit_score_n++;
    }
    s->edit_score_too_long += isnan(track->edit) && reference->n > 0;
    return SP_OK;
}

/* ---- from sums to values ---- */

void sp_boundaries_finish(sp_boundaries *b)
{
    for (int w = 0; w < SP_N_TOLERANCES; w++) {
        b->recall[w] = value_ratio((double)b->matched[w], (double)b->reference, "no changes");
        b->precision[w] = value_ratio((double)b->matched[w], (double)b->decoded, "no changes");
    }
}

/* Length of the i-th run, i from 0, when all are sorted by length. */
static int64_t length_at(const sp_class_runs *b, int64_t i)
{
    int64_t l = 0;
    while (i >= b->lengths[l].count)
        i -= b->lengths[l++].count;
    return b->lengths[l].length;
}

static void class_runs_finish(sp_class_runs *b, const sp_class_runs *reference)
{
    for (int64_t l = 0; l < b->n_lengths; l++) {
        b->count += b->lengths[l].count;
        b->steps += b->lengths[l].count * b->lengths[l].length;
        b->isolated += b->lengths[l].length == 1 ? b->lengths[l].count : 0;
    }
    b->mean = value_ratio((double)b->steps, (double)b->count, "no runs");
    b->median = b->count
                    ? value_of((double)(length_at(b, (b->count - 1) / 2) + length_at(b, b->count / 2)) / 2)
                    : value_undefined("no runs");
    b->count_ratio = reference
                         ? value_ratio((double)b->count, (double)reference->count, "no runs in the reference")
                         : value_undefined("no reference");
}

sp_status sp_class_runs_fill(int32_t K, sp_tally *tally, const sp_class_runs *reference, sp_class_runs **out,
                             sp_error *err)
{
    sp_class_runs *class_runs = calloc((size_t)K, sizeof *class_runs);
    *out = class_runs;
    if (!class_runs)
        return sp_no_memory(err);
    if (!sp_tally_sort(tally))
        return sp_no_memory(err);
    for (size_t i = 0; i < tally->n; i++)
        class_runs[tally->slots[i].key % K].n_lengths++;
    for (int32_t k = 0; k < K; k++) {
        sp_class_runs *b = &class_runs[k];
        if (!(b->lengths = malloc((size_t)(b->n_lengths + 1) * sizeof *b->lengths)))
            return sp_no_memory(err);
        b->n_lengths = 0;
    }
    for (size_t i = 0; i < tally->n; i++) { /* of each class the shortest first */
        sp_class_runs *b = &class_runs[tally->slots[i].key % K];
        b->lengths[b->n_lengths++] = (sp_length_count){tally->slots[i].key / K, tally->slots[i].count};
    }
    for (int32_t k = 0; k < K; k++)
        class_runs_finish(&class_runs[k], reference ? &reference[k] : NULL);
    return SP_OK;
}
