#include "decode/kernels/greedy_table.h"

#include <math.h>

#include "decode/kernels/chunks/path_sum.h"
#include "decode/kernels/isa_kernels.h"
#include "decode/recording.h"

bool sp_greedy_table_init(sp_greedy_table *table, const sp_chain *chain, sp_scratch *scratch)
{
    *table = (sp_greedy_table){0};
    if (!chain->is_plain || chain->n_classes > SP_GREEDY_TABLE_MOST)
        return true;
    size_t K = (size_t)chain->n_classes;
    double *weight = sp_scratch_get(scratch, (K + 3) * K, sizeof *weight);
    if (!weight)
        return false;
    double *end = weight + (K + 2) * K;
    for (size_t i = 0; i < K * K; i++)
        weight[i] = -INFINITY;
    for (size_t i = 0; i < K; i++) {
        for (int64_t s = chain->succ_row[i]; s < chain->succ_row[i + 1]; s++)
            weight[i * K + (size_t)chain->succ[s]] = chain->succ_weight[s];
        weight[K * K + i] = chain->start[i];
        weight[(K + 1) * K + i] = chain->entry[i] ? 0 : -INFINITY;
        end[i] = chain->end[i];
    }
    *table = (sp_greedy_table){chain->n_classes, weight, end};
    return true;
}

/* The first j of the greatest weight[j] + e[j] (+ end[j] unless NULL); -1 when there is none. */
static inline int32_t choose(int32_t n, const double *weight, const double *e, const double *end)
{
    double best = -INFINITY;
    int32_t chosen = -1;
    for (int32_t j = 0; j < n; j++) {
        double value = (0 + weight[j]) + e[j];
        if (end)
            value += end[j];
        bool is_better = value > best;
        best = is_better ? value : best;
        chosen = is_better ? j : chosen;
    }
    return chosen;
}

/* Steps `first` to `last`, after class `before` (K: none). With may_meet it stops where path has that class already. Returns the
 * step after the last that it wrote, -1 at a dead end. */
static int64_t follow(const sp_greedy_table *g, const sp_scores *scores, int64_t first, int64_t last,
                      int32_t before, double *row, int32_t *path, bool may_meet)
{
    for (int64_t t = first; t <= last; t++) {
        int32_t from = sp_scores_is_gap(scores, t) ? g->n + 1 : before;
        int32_t chosen = choose(g->n, g->weight + (size_t)from * (size_t)g->n, sp_row(scores, t, row),
                                t == scores->n_steps - 1 ? g->end : NULL);
        if (chosen < 0)
            return -1;
        if (may_meet && path[t] == chosen)
            return t;
        path[t] = before = chosen;
    }
    return last + 1;
}

bool sp_greedy_table_path(const sp_greedy_table *table, const sp_scores *scores, double *row, int32_t *path)
{
    return follow(table, scores, 0, scores->n_steps - 1, table->n, row, path, false) >= 0;
}

/* ---- one long recording ---- */

/* Not a power of two: see chunks.c. */
enum { CHUNK = 1024 + 2 * SP_LANES_TILE };

typedef struct long_choice {
    const sp_lane_run_options *options;
    sp_lane_rules rules; /* as given, but any class may begin and end */
    const sp_scores *scores;
    int32_t *path;
    void *taken;   /* [T] see path_sum.h */
    bool *is_left; /* [n_chunks] a dead end */
    int64_t n_chunks;
} long_choice;

static void choose_bands(void *arg, sp_scratch *scratch, int64_t first, int64_t last)
{
    const long_choice *c = arg;
    const sp_isa_kernels *kernels = sp_isa_kernels_of(c->options->isa);
    int32_t lanes = sp_lanes_count(c->options->isa);
    size_t chunk_bytes = (size_t)CHUNK * (size_t)c->scores->n_classes * (size_t)c->scores->dtype;
    (void)scratch;
    for (int64_t b = first; b < last; b++) {
        int64_t begin = b * lanes;
        int32_t n = (int32_t)(c->n_chunks - begin < lanes ? c->n_chunks - begin : lanes);
        sp_lane_group group = {.rules = &c->rules, .dtype = c->scores->dtype, .n_lanes = n};
        for (int32_t lane = 0; lane < lanes; lane++) {
            int64_t chunk = begin + (lane < n ? lane : 0);
            group.rows[lane] = (const char *)c->scores->data + (size_t)chunk * chunk_bytes;
            group.length[lane] = lane < n ? CHUNK : 0;
            group.path[lane] = lane < n ? c->path + chunk * CHUNK : NULL;
        }
        (c->options->strategy == SP_GREEDY ? kernels->greedy : kernels->argmax)(&group);
        for (int32_t lane = 0; lane < n; lane++)
            c->is_left[begin + lane] = group.is_left[lane];
        sp_path_take(c->scores, c->path, begin * CHUNK, (int64_t)n * CHUNK, c->taken);
    }
}

/* Greedy: the chunks again from what truly stands before them, until they meet what is there; then the steps after the last. */
static bool join_greedy(const long_choice *c, const sp_greedy_table *g, double *row)
{
    int64_t n_whole = c->n_chunks * CHUNK, n_steps = c->scores->n_steps;
    for (int64_t chunk = 0; chunk < c->n_chunks; chunk++) {
        int64_t first = chunk * CHUNK;
        int32_t before = chunk ? c->path[first - 1] : g->n;
        int64_t stop =
            follow(g, c->scores, first, first + CHUNK - 1, before, row, c->path, !c->is_left[chunk]);
        if (stop < 0)
            return false;
        sp_path_take(c->scores, c->path, first, stop - first, c->taken);
    }
    return follow(g, c->scores, n_whole, n_steps - 1, c->path[n_whole - 1], row, c->path, false) >= 0;
}

static bool join_argmax(const long_choice *c, double *row)
{
    static const double no_weight[SP_LANES_MOST_CLASSES];
    for (int64_t chunk = 0; chunk < c->n_chunks; chunk++)
        if (c->is_left[chunk])
            return false;
    for (int64_t t = c->n_chunks * CHUNK; t < c->scores->n_steps; t++) {
        c->path[t] = choose(c->scores->n_classes, no_weight, sp_row(c->scores, t, row), NULL);
        if (c->path[t] < 0)
            return false;
    }
    return true;
}

sp_status sp_choose_long(const sp_lane_run_options *options, const sp_greedy_table *table,
                         const sp_scores *scores, sp_workers *workers, int32_t *path, double *score)
{
    bool is_greedy = options->strategy == SP_GREEDY;
    int64_t n_steps = scores->n_steps;
    double row[SP_LANES_MOST_CLASSES];
    sp_scratch *scratch = sp_workers_scratch(workers);
    long_choice c = {.options = options, .rules = *options->rules, .scores = scores, .path = path};
    c.n_chunks = (n_steps - 1) / CHUNK; /* the last step is never in one: end weights belong to it alone */
    c.taken = sp_scratch_get(scratch, (size_t)n_steps, (size_t)scores->dtype);
    c.is_left = sp_scratch_get(scratch, (size_t)c.n_chunks, sizeof *c.is_left);
    if (!c.taken || !c.is_left)
        return SP_ENOMEM;
    for (int32_t j = 0; j < c.rules.n_classes; j++)
        c.rules.start[j] = c.rules.end[j] = 0;
    sp_lane_rules_finish(&c.rules);
    int32_t lanes = sp_lanes_count(options->isa);
    sp_workers_share(workers, (c.n_chunks + lanes - 1) / lanes, choose_bands, &c);
    if (!(is_greedy ? join_greedy(&c, table, row) : join_argmax(&c, row)))
        return SP_ENOPATH;
    int64_t n_whole = c.n_chunks * CHUNK;
    sp_path_take(scores, path, n_whole, n_steps - n_whole, c.taken);
    *score = sp_path_sum(options->isa, options->rules, scores, path, c.taken, is_greedy);
    return SP_OK;
}
