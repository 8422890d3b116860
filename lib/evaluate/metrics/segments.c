/* Runs of a class: how many and how long, whether their boundaries are found, and the edit score of their order.
 *
 * Both sides are looked at inside stretches of scored steps only: a path is copied with -1 where the reference is unscored. */
#include "evaluate/counts/stretches.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/metrics/edit.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

/* Beyond so many pairs of runs, 65,536 on each side, a recording's edit distance would take longer than all the rest. */
static const int64_t max_edit_cells = INT64_C(1) << 32;

/* A run of class k, of so many steps, is listed. */
static bool add_run(sp_runs *runs, int32_t k, int64_t length, const uint8_t *background, sp_tally *lengths)
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
    return !lengths || sp_tally_add(lengths, sp_run_key(k, length), 1);
}

bool sp_runs_find(sp_runs *runs, const sp_recording *r, const int32_t *steps, const uint8_t *background,
                  sp_tally *lengths)
{
    sp_stretch run = {.n_steps = r->n_steps, .segments = r->segments, .n_sides = 1, .sides = {steps}};
    runs->n = 0;
    while (sp_stretch_next(&run))
        if (steps[run.first] >= 0 &&
            !add_run(runs, steps[run.first], run.end - run.first, background, lengths))
            return false;
    return true;
}

static sp_status no_room(sp_error *err)
{
    return sp_no_memory(err);
}

/* Does the run change from another class to its own? */
static bool is_change(const sp_stretch *run, const int32_t *steps)
{
    return run->is_joined && steps[run->first] >= 0 && steps[run->first - 1] >= 0;
}

/* Each change of the reference takes the earliest free change of the path between the same classes that is near enough. Windows
 * move with the reference and are equally wide, so taking the earliest never costs a later match. used [T]: bit w for tolerance
 * w. */
static void match_change(const sp_recording *r, const int32_t *path, int64_t t, uint8_t *used,
                         sp_boundaries *out)
{
    int32_t from = r->labels[t - 1], to = r->labels[t];
    for (int w = 0; w < SP_N_TOLERANCES; w++)
        for (int64_t u = t - w; u <= t + w; u++) {
            if (u < 1 || u >= r->n_steps || used[u] >> w & 1 || path[u - 1] != from || path[u] != to ||
                !sp_is_joined(r, u))
                continue;
            if (r->segments && r->segments[u] != r->segments[t])
                continue;
            used[u] |= (uint8_t)(1 << w);
            out->matched[w]++;
            break;
        }
}

static void add_boundaries(const sp_recording *r, const int32_t *path, uint8_t *used, sp_boundaries *out)
{
    sp_stretch run = {.n_steps = r->n_steps, .segments = r->segments, .n_sides = 1, .sides = {path}};
    memset(used, 0, (size_t)r->n_steps);
    while (sp_stretch_next(&run))
        out->decoded += is_change(&run, path);
    run = (sp_stretch){.n_steps = r->n_steps, .segments = r->segments, .n_sides = 1, .sides = {r->labels}};
    while (sp_stretch_next(&run))
        if (is_change(&run, r->labels)) {
            out->reference++;
            match_change(r, path, run.first, used, out);
        }
}

sp_status sp_add_reference_segments(sp_evaluation *e, const sp_recording *r, sp_error *err)
{
    const uint8_t *background = e->result->background;
    return sp_runs_find(&e->reference.runs, r, r->labels, background, &e->reference_runs) ? SP_OK
                                                                                          : no_room(err);
}

sp_status sp_add_segments(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path,
                          sp_error *err)
{
    sp_track *track = &e->tracks[strategy];
    sp_strategy_result *s = &e->result->strategies[strategy];
    sp_runs *runs = &track->runs, *reference = &e->reference.runs;
    const int32_t *steps = path;
    if (r->labels && e->scored < r->n_steps) {
        int32_t *scored = e->scratch.path;
        for (int64_t t = 0; t < r->n_steps; t++)
            scored[t] = r->labels[t] < 0 ? -1 : path[t];
        steps = scored;
    }
    if (!sp_runs_find(runs, r, steps, e->result->background, &e->sums[strategy].class_runs))
        return no_room(err);
    if (!r->labels)
        return SP_OK;
    add_boundaries(r, steps, e->scratch.flags, &s->boundaries);
    sp_overlaps_count(r, steps, e->result->background, &track->segments);
    sp_segments_add(&s->segments, &track->segments);
    int64_t distance = 0, m = reference->n, n = runs->n;
    track->edit = NAN;
    if (m == 0 && n == 0)
        return SP_OK;
    if (m > 0 && n > max_edit_cells / m) {
        s->edit_score_too_long++;
        return SP_OK;
    }
    sp_status status = sp_edit_distance(e->K, m, reference->classes, n, runs->classes, &distance, err);
    if (status != SP_OK)
        return status;
    track->edit = 1 - (double)distance / (double)(m > n ? m : n);
    sp_exact_add(&e->sums[strategy].edit_sum, track->edit);
    s->edit_score_n++;
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
    const sp_tally_entry *entry = sp_tally_sort(tally); /* by class, then length */
    for (size_t i = 0; i < tally->n; i++)
        class_runs[entry[i].key >> 40].n_lengths++;
    size_t next = 0;
    for (int32_t k = 0; k < K; k++) {
        sp_class_runs *b = &class_runs[k];
        b->lengths = malloc((size_t)(b->n_lengths + 1) * sizeof *b->lengths);
        if (!b->lengths)
            return sp_no_memory(err);
        for (int64_t l = 0; l < b->n_lengths; l++, next++)
            b->lengths[l] = (sp_length_count){entry[next].key & ((INT64_C(1) << 40) - 1), entry[next].count};
        class_runs_finish(b, reference ? &reference[k] : NULL);
    }
    return SP_OK;
}
