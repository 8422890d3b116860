/* Runs of a class: how many and how long, whether their boundaries are found, and the edit score of their order.
 *
 * Both sides are looked at inside stretches of scored steps only: a path is copied with -1 where the reference is unscored. */
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <string.h>

/* Beyond so many pairs of runs, 65,536 on each side, a recording's edit distance would take longer than all the rest. */
static const int64_t max_edit_cells = INT64_C(1) << 32;

int64_t sp_find_runs(const sp_recording *r, const int32_t *steps, sp_span *runs)
{
    int64_t n = 0;
    for (int64_t t = 0; t < r->n_steps; t++) {
        if (steps[t] < 0)
            continue;
        if (t > 0 && steps[t] == steps[t - 1] && sp_is_joined(r, t))
            runs[n - 1].last = t;
        else
            runs[n++] = (sp_span){t, t, steps[t]};
    }
    return n;
}

static sp_status add_bouts(sp_tally *bouts, int64_t n, const sp_span *runs, sp_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (!sp_tally_add(bouts, sp_bout_key(runs[i].k, runs[i].last - runs[i].first + 1), 1))
            return sp_fail(err, SP_ENOMEM, "no memory to count the lengths of runs");
    return SP_OK;
}

static bool is_change(const sp_recording *r, const int32_t *steps, int64_t t)
{
    return steps[t] >= 0 && steps[t - 1] >= 0 && steps[t] != steps[t - 1] && sp_is_joined(r, t);
}

/* Each change of the reference takes the earliest free change of the path between the same classes that is near enough. Windows
 * move with the reference and are equally wide, so taking the earliest never costs a later match. used [T]: bit w for tolerance
 * w. */
static void match_change(const sp_recording *r, const int32_t *path, int64_t t, uint8_t *used, sp_boundaries *out)
{
    int32_t from = r->labels[t - 1], to = r->labels[t];
    for (int w = 0; w < SP_N_TOLERANCES; w++)
        for (int64_t u = t - w; u <= t + w; u++) {
            if (u < 1 || u >= r->n_steps || used[u] >> w & 1 || path[u - 1] != from || path[u] != to || !sp_is_joined(r, u))
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
    memset(used, 0, (size_t)r->n_steps);
    for (int64_t t = 1; t < r->n_steps; t++) {
        out->decoded += is_change(r, path, t);
        if (is_change(r, r->labels, t)) {
            out->reference++;
            match_change(r, path, t, used, out);
        }
    }
}

sp_status sp_add_reference_segments(sp_evaluation *e, const sp_recording *r, sp_error *err)
{
    e->scratch.n_reference_runs = sp_find_runs(r, r->labels, e->scratch.reference_runs);
    return add_bouts(&e->reference_bouts, e->scratch.n_reference_runs, e->scratch.reference_runs, err);
}

sp_status sp_add_segments(sp_evaluation *e, int32_t strategy, const sp_recording *r, const int32_t *path, sp_error *err)
{
    sp_evaluation_scratch *scratch = &e->scratch;
    sp_strategy_result *s = &e->result->strategies[strategy];
    const int32_t *steps = path;
    if (r->labels) {
        for (int64_t t = 0; t < r->n_steps; t++)
            scratch->path[t] = r->labels[t] < 0 ? -1 : path[t];
        steps = scratch->path;
    }
    int64_t n = sp_find_runs(r, steps, scratch->spans);
    sp_status status = add_bouts(&e->sums[strategy].bouts, n, scratch->spans, err);
    if (status != SP_OK || !r->labels || scratch->n_reference_runs == 0)
        return status;
    add_boundaries(r, steps, scratch->flags, &s->boundaries);
    int64_t distance = 0, m = scratch->n_reference_runs;
    if (n > max_edit_cells / m) {
        s->edit_score_too_long++;
        return SP_OK;
    }
    status = sp_edit_distance(e->K, m, scratch->reference_runs, n, scratch->spans, &distance, err);
    if (status != SP_OK)
        return status;
    e->sums[strategy].edit_sum += 1 - (double)distance / (double)(m > n ? m : n);
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

void sp_bouts_free(int32_t K, sp_bouts *bouts)
{
    for (int32_t k = 0; bouts && k < K; k++)
        free(bouts[k].lengths);
    free(bouts);
}

/* Length of the i-th bout, i from 0, when all are sorted by length. */
static int64_t length_at(const sp_bouts *b, int64_t i)
{
    int64_t l = 0;
    while (i >= b->lengths[l].count)
        i -= b->lengths[l++].count;
    return b->lengths[l].length;
}

static void bouts_finish(sp_bouts *b, const sp_bouts *reference)
{
    for (int64_t l = 0; l < b->n_lengths; l++) {
        b->count += b->lengths[l].count;
        b->steps += b->lengths[l].count * b->lengths[l].length;
    }
    b->mean = value_ratio((double)b->steps, (double)b->count, "no bouts");
    b->median = b->count ? value_of((double)(length_at(b, (b->count - 1) / 2) + length_at(b, b->count / 2)) / 2)
                         : value_undefined("no bouts");
    b->count_ratio = reference ? value_ratio((double)b->count, (double)reference->count, "no bouts in the reference")
                               : value_undefined("no reference");
}

sp_status sp_bouts_fill(int32_t K, sp_tally *tally, const sp_bouts *reference, sp_bouts **out, sp_error *err)
{
    sp_bouts *bouts = calloc((size_t)K, sizeof *bouts);
    *out = bouts;
    if (!bouts)
        return sp_fail(err, SP_ENOMEM, "no memory for the lengths of runs");
    const sp_tally_entry *entry = sp_tally_sort(tally); /* by class, then length */
    for (size_t i = 0; i < tally->n; i++)
        bouts[entry[i].key >> 40].n_lengths++;
    size_t next = 0;
    for (int32_t k = 0; k < K; k++) {
        sp_bouts *b = &bouts[k];
        b->lengths = b->n_lengths ? malloc((size_t)b->n_lengths * sizeof *b->lengths) : NULL;
        if (b->n_lengths && !b->lengths)
            return sp_fail(err, SP_ENOMEM, "no memory for the lengths of runs");
        for (int64_t l = 0; l < b->n_lengths; l++, next++)
            b->lengths[l] = (sp_length_count){entry[next].key & ((INT64_C(1) << 40) - 1), entry[next].count};
        bouts_finish(b, reference ? &reference[k] : NULL);
    }
    return SP_OK;
}
