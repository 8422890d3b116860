/* Comparisons by what whole sequences say: edit score and F1@10, 25 and 50 of actions, entity F1 of tags. Each is a sum over
 * recordings divided by another, so that one bootstrap serves all. */
#include "evaluate/counts/pairs.h"

#include "core/owned.h"
#include "evaluate/evaluate.h"

#include <math.h>

/* An edit score is counted in such parts of 1; the means that are drawn are exact to that. */
#define EDIT_PARTS 1073741824.0 /* 2^30 */

/* What a recording adds to numerator and denominator. */
typedef struct share {
    int64_t of, all;
} share;

static share edit_of(const sp_evaluation *e, int32_t s)
{
    const double edit = e->tracks[s].edit;
    return isnan(edit) ? (share){0, 0} : (share){(int64_t)nearbyint(edit * EDIT_PARTS), (int64_t)EDIT_PARTS};
}

static share overlap_of(const sp_evaluation *e, int32_t s, int i)
{
    const sp_segments *counts = &e->tracks[s].overlaps.counts;
    return (share){2 * counts->matched[i], counts->reference + counts->decoded};
}

static share overlap_10(const sp_evaluation *e, int32_t s)
{
    return overlap_of(e, s, 0);
}

static share overlap_25(const sp_evaluation *e, int32_t s)
{
    return overlap_of(e, s, 1);
}

static share overlap_50(const sp_evaluation *e, int32_t s)
{
    return overlap_of(e, s, 2);
}

static share entities_of(const sp_evaluation *e, int32_t s)
{
    const sp_entity_counts *now = &e->result->strategies[s].entities.pooled, *before = &e->tracks[s].entities_before;
    return (share){2 * (now->correct - before->correct), now->reference - before->reference + now->decoded - before->decoded};
}

typedef struct metric {
    const char *name;
    sp_work work;
    share (*of)(const sp_evaluation *e, int32_t strategy);
} metric;

static const metric metrics[] = {
    {"edit_score", SP_WORK_ACTIONS, edit_of},  {"f1_at_10", SP_WORK_ACTIONS, overlap_10},
    {"f1_at_25", SP_WORK_ACTIONS, overlap_25}, {"f1_at_50", SP_WORK_ACTIONS, overlap_50},
    {"entity_f1", SP_WORK_TAGS, entities_of},
};
enum { N_METRICS = sizeof metrics / sizeof *metrics };

/* Metrics that this evaluation compares by; `list` may be NULL. */
static int32_t wanted(const sp_evaluation *e, const metric **list)
{
    int32_t n = 0;
    if (e->n_pairs == 0 || (e->options.work == SP_WORK_TAGS && !e->result->has_entities))
        return 0;
    for (int i = 0; i < N_METRICS; i++) {
        if (metrics[i].work != e->options.work)
            continue;
        if (list)
            list[n] = &metrics[i];
        n++;
    }
    return n;
}

int32_t sp_sequence_metrics(const sp_evaluation *e)
{
    return wanted(e, NULL);
}

sp_status sp_add_sequences(sp_evaluation *e, sp_error *err)
{
    const metric *list[N_METRICS];
    const int32_t n = e->at_hand.scored > 0 ? wanted(e, list) : 0, S = e->result->n_strategies;
    bool is_whole = true;
    for (int32_t i = 0; is_whole && i < n; i++)
        for (int32_t s = 0; is_whole && s < S; s++) {
            const share x = list[i]->of(e, s);
            const uint32_t slot = (uint32_t)(2 * (i * S + s));
            is_whole = sp_count_rows_add(&e->sequence_rows, slot, x.of) && sp_count_rows_add(&e->sequence_rows, slot + 1, x.all);
        }
    return n == 0 || (is_whole && sp_count_rows_end(&e->sequence_rows)) ? SP_OK : sp_no_memory(err);
}

/* Differences of every pair, metric after metric. */
static void differences_of(const void *arg, const int64_t *sums, double *values)
{
    const sp_evaluation *e = arg;
    const int32_t n = wanted(e, NULL), S = e->result->n_strategies;
    double each[SP_EVALUATION_MAX_STRATEGIES];
    for (int32_t i = 0; i < n; i++) {
        for (int32_t s = 0; s < S; s++) {
            const int64_t *x = sums + (size_t)2 * (size_t)(i * S + s);
            each[s] = x[1] ? (double)x[0] / (double)x[1] : NAN;
        }
        for (int32_t p = 0; p < e->n_pairs; p++)
            values[i * e->n_pairs + p] = each[e->pairs[p][0]] - each[e->pairs[p][1]];
    }
}

/* Differences of one recording each, [n][N]; NAN where undefined. sums [width] room. */
static void recording_differences(const sp_evaluation *e, int32_t n, const sp_clusters *rows, int64_t *sums, double *differences)
{
    const int64_t N = e->result->n_recordings;
    double values[N_METRICS * SP_MAX_COMPARISONS];
    for (int64_t r = 0, row = 0; r < N; r++) {
        const bool is_scored = e->result->scored_steps[r] > 0;
        for (int32_t i = 0; i < rows->width; i++)
            sums[i] = 0;
        for (int64_t j = rows->offsets[row]; is_scored && j < rows->offsets[row + 1]; j++)
            sums[rows->slots[j]] += rows->counts[j];
        row += is_scored;
        differences_of(e, sums, values);
        for (int32_t v = 0; v < n; v++)
            differences[v * N + r] = values[v];
    }
}

sp_status sp_sequences_compare(sp_evaluation *e, sp_error *err)
{
    const metric *list[N_METRICS];
    const int32_t n_metrics = wanted(e, list), n = n_metrics * e->n_pairs;
    const size_t N = (size_t)e->result->n_recordings;
    if (n == 0 || e->sequence_rows.n == 0)
        return SP_OK;
    const sp_clusters rows = sp_count_rows_view(&e->sequence_rows, 2 * n_metrics * e->result->n_strategies);
    const sp_statistics statistics = {
        .n = n, .most = 1, .compute = differences_of, .arg = e, .undefined = "undefined for one of the strategies"};
    sp_difference out[N_METRICS * SP_MAX_COMPARISONS];
    sp_units units = {0};
    sp_owned own = {0};
    double *differences = sp_zeros(&own, (size_t)n * N, sizeof *differences), *d = sp_zeros(&own, N, sizeof *d);
    int64_t *sums = sp_zeros(&own, (size_t)rows.width, sizeof *sums);
    sp_status status = sp_owned_status(&own, err);
    if (status == SP_OK)
        status = sp_units_open(e->result, true, &units, err);
    if (status == SP_OK)
        status = sp_units_bootstrap(&units, &rows, &statistics, &e->options.bootstrap, e->workers, out, err);
    if (status == SP_OK)
        recording_differences(e, n, &rows, sums, differences);
    for (int32_t v = 0; status == SP_OK && v < n; v++)
        if (!sp_pair_append(e, v % e->n_pairs, list[v / e->n_pairs]->name, &out[v], &units, differences + (size_t)v * N, d, err))
            status = SP_ENOMEM;
    sp_units_free(&units);
    sp_owned_free(&own);
    return status;
}
