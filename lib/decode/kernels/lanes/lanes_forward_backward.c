/* Rules for forward-backward in lanes, and the recordings of a run brought into groups of equal length. */
#include "decode/kernels/lanes/lanes_run.h"

#include <math.h>
#include <string.h>

#include "decode/kernels/isa_kernels.h"
#include "decode/recording.h"

enum {
    KEPT_MOST =
        16 << 20, /* bytes of forward rows kept at a time: what does not fit is made again, block by block */
    VALUES_MOST =
        64
        << 20 /* bytes of scores for mea and posterior-viterbi that recordings share: one alone may have more */
};

/* ---- rules ---- */

/* linear = exp(nats - greatest); returns the greatest, 0 where all are -INFINITY. *span: how far apart those above it are. */
static double to_linear(const double *nats, int32_t n, double *linear, double *span)
{
    double greatest = -INFINITY, least = INFINITY;
    for (int32_t i = 0; i < n; i++) {
        greatest = nats[i] > greatest ? nats[i] : greatest;
        least = nats[i] > -INFINITY && nats[i] < least ? nats[i] : least;
    }
    if (greatest == -INFINITY)
        greatest = least = 0;
    for (int32_t i = 0; i < n; i++)
        linear[i] = exp(nats[i] - greatest);
    if (greatest - least > *span)
        *span = greatest - least;
    return greatest;
}

static void copy_side(int32_t n_states, const int64_t *row, const int32_t *other, int32_t *row_out,
                      int32_t *other_out)
{
    for (int32_t j = 0; j <= n_states; j++)
        row_out[j] = (int32_t)row[j];
    for (int64_t n = 0; n < row[n_states]; n++)
        other_out[n] = other[n];
}

/* Every weight that is allowed becomes 0. */
static void make_bare(sp_lane_rules *bare)
{
    bare->has_weights = false;
    for (int32_t p = 0; p < bare->row[bare->n_states]; p++) {
        bare->weight[p] = bare->weight[p] > -INFINITY ? 0 : -INFINITY;
        bare->has_weights |= bare->weight[p] != 0;
    }
    for (int32_t j = 0; j < bare->n_states; j++) {
        bare->start[j] = bare->start[j] > -INFINITY ? 0 : -INFINITY;
        bare->end[j] = bare->end[j] > -INFINITY ? 0 : -INFINITY;
    }
    sp_lane_rules_finish(bare);
}

bool sp_sum_rules_init(sp_sum_rules *rules, const sp_chain *chain)
{
    static const double most_span = 138; /* nats: below 2^200 */
    double span = 0;
    sp_verifier_init(&rules->verifier, chain);
    if (!rules->verifier.has_table || !(chain->is_plain ? sp_lane_rules_init(&rules->bare, chain)
                                                        : sp_lane_states_init(&rules->bare, chain)))
        return false;
    make_bare(&rules->bare);
    rules->n_classes = chain->n_classes;
    memcpy(rules->emits, rules->bare.emits, sizeof rules->emits);
    int32_t K = rules->n_states = chain->n_states, n_edges = (int32_t)chain->pred_row[K];
    copy_side(K, chain->pred_row, chain->pred, rules->pred_row, rules->pred);
    copy_side(K, chain->succ_row, chain->succ, rules->succ_row, rules->succ);
    rules->log_step = to_linear(chain->pred_weight, n_edges, rules->pred_weight, &span);
    to_linear(chain->succ_weight, n_edges, rules->succ_weight, &span);
    rules->log_start = to_linear(chain->start, K, rules->start, &span);
    rules->log_end = to_linear(chain->end, K, rules->end, &span);
    rules->has_weights = false;
    for (int32_t n = 0; n < n_edges; n++)
        rules->has_weights |= rules->pred_weight[n] != 1;
    return span <= most_span;
}

int32_t sp_sum_lanes_count(sp_isa isa)
{
    return isa == SP_ISA_AVX512 ? 16 : isa == SP_ISA_AVX2 ? 8 : 4;
}

/* ---- a group ---- */

/* Runs a group that has its recordings. False on lack of memory, nothing done. */
static bool run_group(sp_isa best, sp_sum_group *group, sp_scratch *scratch)
{
    sp_isa isa = sp_lanes_isa_for(best, group->n_lanes, sp_sum_lanes_count);
    int32_t lanes = sp_sum_lanes_count(isa);
    const size_t lane_row = (size_t)lanes * sizeof(double),
                 row = (size_t)group->rules->n_states * lane_row, /* of a */
        both = row + (size_t)group->rules->n_classes * lane_row;  /* and of p */
    int64_t n_steps = (group->length[0] + SP_LANES_TILE - 1) / SP_LANES_TILE * SP_LANES_TILE;
    int64_t most = (int64_t)(KEPT_MOST / both) / SP_LANES_TILE * SP_LANES_TILE;
    if (group->use == SP_SUM_LOG_Z)
        most = SP_LANES_TILE;
    group->block = n_steps < most ? n_steps : most;
    int64_t n_blocks = group->use == SP_SUM_LOG_Z ? 1 : n_steps / group->block + 1;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    group->kept = sp_scratch_get(scratch, (size_t)group->block, both);
    group->starts = sp_scratch_get(scratch, (size_t)n_blocks, row);
    for (int32_t lane = group->n_lanes; lane < SP_SUM_LANES_MOST; lane++)
        group->length[lane] = 0;
    bool has_room = group->kept && group->starts;
    if (has_room)
        sp_isa_kernels_of(isa)->forward_backward(group);
    sp_scratch_release(scratch, mark);
    return has_room;
}

sp_status sp_sum_recording(const sp_chain *chain, const sp_scores *scores, sp_scratch *scratch,
                           sp_sum_group *group)
{
    sp_sum_rules rules;
    if (scores->n_steps == 0 || scores->n_classes != chain->n_classes || sp_scores_have_gap(scores) ||
        !sp_sum_rules_init(&rules, chain))
        return SP_ENOPATH;
    group->rules = &rules;
    group->dtype = scores->dtype;
    group->n_lanes = 1;
    group->rows[0] = scores->data;
    group->length[0] = scores->n_steps;
    if (!run_group(SP_ISA_BASE, group, scratch))
        return SP_ENOMEM;
    return group->is_left[0] ? SP_ENOPATH : SP_OK;
}

/* ---- one run ---- */

typedef struct sum_run {
    const sp_sum_run_options *options;
    sp_lane_run lanes;
} sum_run;

static bool is_for_paths(sp_sum_use use)
{
    return use == SP_SUM_PATH || use == SP_SUM_MEA || use == SP_SUM_PRODUCT;
}

static void put_result(const sum_run *run, int32_t i, double log_z)
{
    const sp_decode_output *out = run->lanes.output;
    int64_t n = run->lanes.first + i, begin = run->lanes.batch->offsets[n];
    sp_scores scores = sp_batch_recording(run->lanes.batch, n);
    if (is_for_paths(run->options->use)) {
        const double score = sp_verifier_score(&run->options->rules->verifier, &scores, out->paths + begin);
        sp_lane_run_put(&run->lanes, i, score);
        return;
    }
    if (out->log_partition)
        out->log_partition[n] = log_z;
    for (int64_t t = 0; t < scores.n_steps && out->confidence && out->results[n].status != SP_OK; t++)
        out->confidence[begin + t] = NAN;
}

/* What mea or posterior-viterbi maximised, added up along the path of recording i: values [T,K]. Paths that are not those of the
 * greatest sum are withheld, see verify.h; their legality is looked at with their score. */
static bool stands_check(const sum_run *run, int32_t i, const double *values, double recurrence)
{
    const sp_decode_output *out = run->lanes.output;
    int64_t n = run->lanes.first + i, begin = run->lanes.batch->offsets[n],
            n_steps = run->lanes.order.length[i];
    const int32_t *path = out->paths + begin;
    const int32_t K = run->options->rules->n_classes;
    double sum = 0;
    bool is_outside = false;
    for (int64_t t = 0; t < n_steps; t++, values += K) {
        is_outside = is_outside || path[t] < 0 || path[t] >= K;
        sum += values[is_outside ? 0 : path[t]];
    }
    if (!is_outside && fabs(sum - recurrence) <= sp_verify_tolerance(n_steps, recurrence))
        return true;
    sp_error err;
    sp_decode_bug(recurrence, is_outside ? -INFINITY : sum, &err);
    sp_lane_run_put(&run->lanes, i, -INFINITY);
    sp_decode_withhold(&err, &out->results[n], out->paths + begin, n_steps);
    return false;
}

static void fill_group(const sum_run *run, const int32_t *order, int32_t n, double *values, int64_t stride,
                       sp_sum_group *group)
{
    const sp_decode_output *out = run->lanes.output;
    *group = (sp_sum_group){.rules = run->options->rules,
                            .dtype = run->lanes.batch->scores.dtype,
                            .use = run->options->use,
                            .n_lanes = n};
    for (int32_t lane = 0; lane < n; lane++) {
        int64_t recording = run->lanes.first + order[lane], begin = run->lanes.batch->offsets[recording];
        bool has_path = group->use == SP_SUM_CONFIDENCE && out->results[recording].status == SP_OK;
        group->rows[lane] = sp_batch_recording(run->lanes.batch, recording).data;
        group->length[lane] = run->lanes.order.length[order[lane]];
        group->values[lane] = values ? values + lane * stride : NULL;
        group->path[lane] = out->paths + begin;
        group->given[lane] = has_path ? out->paths + begin : NULL;
        group->confidence[lane] = out->confidence ? out->confidence + begin : NULL;
    }
}

/* order[n], n <= lanes: their marginals, and what is read off them step by step. False on lack of memory. */
static bool sum_group(sum_run *run, const int32_t *order, int32_t n)
{
    sp_sum_group group;
    fill_group(run, order, n, NULL, 0, &group);
    if (!run_group(run->options->isa, &group, run->lanes.scratch))
        return false;
    for (int32_t lane = 0; lane < n; lane++)
        if (group.is_left[lane])
            run->lanes.left[run->lanes.n_left++] = order[lane];
        else
            put_result(run, order[lane], group.log_z[lane]);
    return true;
}

/* Viterbi over scores made of marginals; those that is_left says have none. False on lack of memory. */
static bool trace_group(sum_run *run, const int32_t *order, int32_t n, const double *values, int64_t stride,
                        bool *is_left)
{
    const sp_sum_run_options *o = run->options;
    sp_isa isa = sp_lanes_isa_for(o->isa, n, sp_lanes_count);
    sp_lane_group lanes = {.rules = &o->rules->bare, .dtype = SP_F64, .n_lanes = n};
    lanes.words = sp_scratch_get(
        run->lanes.scratch,
        sp_lane_words_bytes(lanes.rules->word_size, isa, run->lanes.order.length[order[0]]), 1);
    if (!lanes.words)
        return false;
    sp_lane_run_fill(&run->lanes, order, sp_lanes_count(isa), &lanes);
    for (int32_t lane = 0; lane < sp_lanes_count(isa); lane++)
        lanes.rows[lane] = lane < n ? values + lane * stride : values;
    sp_isa_kernels_of(isa)->viterbi(&lanes);
    for (int32_t lane = 0; lane < n; lane++)
        if (is_left[lane] || lanes.is_left[lane])
            run->lanes.left[run->lanes.n_left++] = order[lane];
        else if (stands_check(run, order[lane], values + lane * stride, lanes.score[lane]))
            put_result(run, order[lane], 0);
    return true;
}

/* order[n], n <= lanes of Viterbi, by mea or posterior-viterbi. False on lack of memory. */
static bool decode_group(sum_run *run, const int32_t *order, int32_t n)
{
    const sp_sum_run_options *o = run->options;
    int64_t padded =
        ((int64_t)run->lanes.order.length[order[0]] + SP_LANES_TILE - 1) / SP_LANES_TILE * SP_LANES_TILE;
    int64_t stride = padded * o->rules->n_classes;
    int32_t most = sp_sum_lanes_count(o->isa);
    double *values = sp_scratch_get(run->lanes.scratch, (size_t)n * (size_t)stride, sizeof *values);
    bool is_left[SP_LANES_MOST];
    if (!values)
        return false;
    for (int32_t i = 0; i < n; i += most) {
        sp_sum_group group;
        int32_t count = n - i < most ? n - i : most;
        fill_group(run, order + i, count, values + i * stride, stride, &group);
        if (!run_group(o->isa, &group, run->lanes.scratch))
            return false;
        for (int32_t lane = 0; lane < count; lane++) {
            int64_t used = group.length[lane] * o->rules->n_classes;
            is_left[i + lane] = group.is_left[lane];
            if (group.is_left[lane])
                used = 0; /* not all of it has been written */
            memset(values + (i + lane) * stride + used, 0, (size_t)(stride - used) * sizeof *values);
        }
    }
    return trace_group(run, order, n, values, stride, is_left);
}

/* How many of order[n] go together. */
static int32_t group_size(const sum_run *run, const int32_t *order, int32_t n)
{
    const sp_sum_run_options *o = run->options;
    int32_t most = sp_sum_lanes_count(o->isa);
    if (o->use == SP_SUM_MEA || o->use == SP_SUM_PRODUCT) {
        int64_t bytes = ((int64_t)run->lanes.order.length[order[0]] + SP_LANES_TILE) * o->rules->n_classes *
                        (int64_t)sizeof(double);
        int64_t fit = VALUES_MOST / bytes;
        most = sp_lanes_count(o->isa);
        most = fit < 1 ? 1 : fit < most ? (int32_t)fit : most;
    }
    return n < most ? n : most;
}

int32_t sp_sum_run(const sp_sum_run_options *options, const sp_batch *batch, const sp_decode_output *output,
                   sp_scratch *scratch, int64_t first, int32_t n, int32_t *left)
{
    sum_run run;
    run.options = options;
    run.lanes.batch = batch;
    run.lanes.output = output;
    run.lanes.scratch = scratch;
    run.lanes.first = first;
    run.lanes.left = left;
    bool is_traced = options->use == SP_SUM_MEA || options->use == SP_SUM_PRODUCT;
    run.lanes.n_left = sp_lane_order_fill(&run.lanes.order, batch, first, n, INT32_MAX, left);
    const int32_t *place = run.lanes.order.place;
    int32_t n_ordered = run.lanes.order.n;
    for (int32_t i = 0; i < run.lanes.order.n_empty; i++)
        put_result(&run, place[n_ordered + i], 0);
    for (int32_t i = 0, count; i < n_ordered; i += count) {
        count = group_size(&run, place + i, n_ordered - i);
        const sp_scratch_mark mark = sp_scratch_here(scratch);
        bool has_room = (is_traced ? decode_group : sum_group)(&run, place + i, count);
        sp_scratch_release(scratch, mark);
        if (!has_room)
            return -1;
    }
    return run.lanes.n_left;
}
