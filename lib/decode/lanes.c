/* Rules for the lanes, and the recordings of a run brought into groups of equal length. */
#include "decode/lanes.h"

#include <math.h>
#include <string.h>

#include "decode/chunks.h"
#include "decode/dwell.h"
#include "decode/recording.h"

bool sp_lane_rules_init(sp_lane_rules *rules, const sp_chain *chain)
{
    int32_t K = chain->n_classes;
    if (!chain->is_plain || K > SP_LANES_MOST_CLASSES)
        return false;
    rules->n_classes = K;
    rules->word_size = K <= 5 ? 2 : K <= 8 ? 4 : 8;
    rules->has_weights = false;
    int bits = rules->word_size == 2 ? 3 : 4;
    int32_t n = 0;
    for (int32_t j = 0; j < K; j++) {
        rules->row[j] = n;
        for (int64_t p = chain->pred_row[j]; p < chain->pred_row[j + 1]; p++, n++) {
            rules->from[n] = chain->pred[p];
            rules->weight[n] = chain->pred_weight[p];
        }
        if (n == rules->row[j]) { /* nothing leads there: 0 does, at no price that can be paid */
            rules->from[n] = 0;
            rules->weight[n++] = -INFINITY;
        }
        for (int32_t p = rules->row[j]; p < n; p++) {
            rules->code[p] = (int64_t)((uint64_t)rules->from[p] << (bits * j));
            rules->has_weights |= rules->weight[p] != 0;
        }
        rules->start[j] = chain->start[j];
        rules->end[j] = chain->end[j];
    }
    rules->row[K] = n;
    return true;
}

int32_t sp_lanes_count(sp_isa isa)
{
    return isa == SP_ISA_AVX512 ? 32 : isa == SP_ISA_AVX2 ? 16 : 8;
}

size_t sp_lane_words_bytes(int32_t word_size, sp_isa isa, int64_t n_steps)
{
    return (size_t)n_steps * (size_t)sp_lanes_count(isa) * (size_t)word_size;
}

sp_lanes_kernel *sp_lanes_kernel_of(sp_isa isa, sp_strategy_kind strategy)
{
    bool is_viterbi = strategy == SP_VITERBI, is_greedy = strategy == SP_GREEDY;
    switch (isa) {
#if defined(__x86_64__)
    case SP_ISA_AVX512:
        return is_viterbi ? sp_lanes_viterbi_avx512 : is_greedy ? sp_lanes_greedy_avx512 : sp_lanes_argmax_avx512;
    case SP_ISA_AVX2:
        return is_viterbi ? sp_lanes_viterbi_avx2 : is_greedy ? sp_lanes_greedy_avx2 : sp_lanes_argmax_avx2;
#endif
    default:
        return is_viterbi ? sp_lanes_viterbi_base : is_greedy ? sp_lanes_greedy_base : sp_lanes_argmax_base;
    }
}

/* ---- the order of a run: the longest first ---- */

enum { RADIX_BITS = 9, RADIX = 1 << RADIX_BITS };

static void sort_pass(const int32_t *order, const int32_t *length, int32_t n, int shift, int32_t *out)
{
    int32_t count[RADIX + 1] = {0};
    for (int32_t i = 0; i < n; i++)
        count[RADIX - (length[order[i]] >> shift & (RADIX - 1))]++; /* the greatest digit counts in count[1] */
    for (int32_t d = 0; d < RADIX; d++)
        count[d + 1] += count[d];
    for (int32_t i = 0; i < n; i++)
        out[count[RADIX - 1 - (length[order[i]] >> shift & (RADIX - 1))]++] = order[i];
}

/* Sorts order[n], places in length[], by falling length; equals stay in their order. room [n]. */
static void sort_by_length(const int32_t *length, int32_t n, int32_t longest, int32_t *order, int32_t *room)
{
    bool is_sorted = true;
    for (int32_t i = 1; i < n && is_sorted; i++)
        is_sorted = length[order[i]] <= length[order[i - 1]];
    if (is_sorted)
        return;
    for (int shift = 0; longest >> shift > 0; shift += RADIX_BITS) {
        sort_pass(order, length, n, shift, room);
        memcpy(order, room, (size_t)n * sizeof *order);
        if (shift + RADIX_BITS > 30)
            break;
    }
}

int32_t sp_lane_order_fill(sp_lane_order *order, const sp_batch *batch, int64_t first, int32_t n, int64_t most_steps,
                           int32_t *left)
{
    int32_t n_left = 0, n_ordered = 0, longest = 0, room[SP_LANE_RUN_MOST];
    order->n = 0;
    for (int32_t i = 0; i < n; i++) {
        int64_t begin = batch->offsets[first + i], steps = batch->offsets[first + i + 1] - begin;
        bool is_left = steps > most_steps;
        if (batch->scores.segments && !is_left) {
            sp_scores scores = sp_batch_recording(batch, first + i);
            is_left = sp_scores_have_gap(&scores);
        }
        if (is_left) {
            left[n_left++] = i;
            continue;
        }
        order->length[i] = (int32_t)steps;
        order->place[n_ordered++] = i;
        order->n += steps > 0;
        if (steps > longest)
            longest = (int32_t)steps;
    }
    sort_by_length(order->length, n_ordered, longest, order->place, room);
    order->n_empty = n_ordered - order->n;
    return n_left;
}

sp_isa sp_lanes_isa_for(sp_isa best, int32_t n, int32_t (*lanes_of)(sp_isa))
{
    sp_isa isa = SP_ISA_BASE;
    while (isa < best && lanes_of(isa) < n)
        isa++;
    return isa;
}

/* ---- one run ---- */

typedef struct lane_run {
    const sp_lane_run_options *options;
    const sp_batch *batch;
    const sp_decode_output *output;
    sp_scratch *scratch;
    int64_t first;
    sp_lane_order order;
    int32_t *left;
    int32_t n_left;
} lane_run;

static void put_result(const lane_run *run, int32_t i, double score)
{
    int64_t n = run->first + i, begin = run->batch->offsets[n];
    run->output->results[n] = (sp_decoded){.status = SP_OK, .step = -1, .score = score};
    if (run->output->broken && run->order.length[i] > 0)
        memset(run->output->broken + begin, 0, (size_t)run->order.length[i]);
}

/* The rows of recording n, readable for `padded` steps: a copy when those would go past the end of the scores. */
static const void *padded_rows(const lane_run *run, int32_t i, int64_t padded, size_t row_bytes, char **room)
{
    const sp_batch *batch = run->batch;
    int64_t begin = batch->offsets[run->first + i];
    const char *rows = (const char *)batch->scores.data + (size_t)begin * row_bytes;
    if (begin + padded <= batch->scores.n_steps)
        return rows;
    char *copy = *room;
    size_t used = (size_t)run->order.length[i] * row_bytes, all = (size_t)padded * row_bytes;
    memcpy(copy, rows, used);
    memset(copy + used, 0, all - used);
    *room += all;
    return copy;
}

/* Is one pass over a group's lanes quicker than the kernel of one recording, one after another? Lanes that have ended cost as
 * much as the others. The plain kernel is slow where it ranks histories, so with dwells nearly always. */
static bool is_worth(const sp_lane_run_options *o, sp_isa isa, int64_t used, int64_t longest)
{
    int64_t gain = SP_LANES_WORTH;
    if (o->dwell)
        gain = isa == SP_ISA_BASE ? SP_LANES_WORTH : SP_LANES_DWELL_WORTH;
    else if (o->strategy == SP_VITERBI)
        gain = SP_LANES_VITERBI_WORTH;
    return used * gain >= sp_lanes_count(isa) * longest;
}

/* Decodes recordings order[0..n-1], the longest first, n <= lanes, or leaves them. False on lack of memory. */
static bool decode_group(lane_run *run, const int32_t *order, int32_t n)
{
    const sp_lane_run_options *o = run->options;
    sp_isa isa = sp_lanes_isa_for(o->isa, n, sp_lanes_count);
    if (isa == SP_ISA_BASE && isa < o->isa)
        isa = SP_ISA_AVX2; /* as quick as half as many lanes of SSE2, which neither compares nor picks 64 bits */
    int32_t lanes = sp_lanes_count(isa), n_copies = 0;
    int64_t longest = run->order.length[order[0]], used = 0;
    int64_t padded = (longest + SP_LANES_TILE - 1) / SP_LANES_TILE * SP_LANES_TILE;
    size_t row_bytes = (size_t)run->batch->scores.n_classes * (size_t)run->batch->scores.dtype;
    for (int32_t i = 0; i < n; i++) {
        used += run->order.length[order[i]];
        n_copies += run->batch->offsets[run->first + order[i]] + padded > run->batch->scores.n_steps;
    }
    if (!is_worth(o, isa, used, longest)) {
        for (int32_t lane = 0; lane < n; lane++)
            run->left[run->n_left++] = order[lane];
        return true;
    }
    char *room = sp_scratch_get(run->scratch, SP_SLOT_LANE_ROWS, (size_t)n_copies * (size_t)padded, row_bytes);
    int32_t word_size = o->strategy != SP_VITERBI ? 0 : o->dwell ? o->dwell->word_size : o->rules->word_size;
    sp_lane_group group = {.rules = o->rules, .dwell = o->dwell, .dtype = run->batch->scores.dtype, .n_lanes = n};
    group.words = sp_scratch_get(run->scratch, SP_SLOT_BACK, sp_lane_words_bytes(word_size, isa, longest), 1);
    if (!room || !group.words)
        return false;
    for (int32_t lane = 0; lane < lanes; lane++) {
        bool is_used = lane < n;
        group.rows[lane] = is_used ? padded_rows(run, order[lane], padded, row_bytes, &room) : group.rows[0];
        group.length[lane] = is_used ? run->order.length[order[lane]] : 0;
        group.path[lane] = is_used ? run->output->paths + run->batch->offsets[run->first + order[lane]] : NULL;
    }
    (o->dwell ? sp_dwell_kernel_of(isa) : sp_lanes_kernel_of(isa, o->strategy))(&group);
    for (int32_t lane = 0; lane < n; lane++)
        if (!group.is_left[lane])
            put_result(run, order[lane], group.score[lane]);
        else
            run->left[run->n_left++] = order[lane];
    return true;
}

int32_t sp_lanes_run(const sp_lane_run_options *options, const sp_batch *batch, const sp_decode_output *output,
                     sp_scratch *scratch, int64_t first, int32_t n, int32_t *left)
{
    lane_run run;
    run.options = options;
    run.batch = batch;
    run.output = output;
    run.scratch = scratch;
    run.first = first;
    run.left = left;
    run.n_left = sp_lane_order_fill(&run.order, batch, first, n, SP_CHUNKS_LEAST, left);
    const int32_t *place = run.order.place;
    int32_t lanes = sp_lanes_count(options->isa), n_ordered = run.order.n;
    for (int32_t i = 0; i < run.order.n_empty; i++)
        put_result(&run, place[n_ordered + i], 0);
    for (int32_t i = 0; i < n_ordered; i += lanes) {
        int32_t count = n_ordered - i < lanes ? n_ordered - i : lanes;
        if (!decode_group(&run, place + i, count))
            return -1;
    }
    return run.n_left;
}
