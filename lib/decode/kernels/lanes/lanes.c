/* Rules for the lanes, and the recordings of a run brought into groups of equal length. */
#include "decode/kernels/lanes/lanes_run.h"

#include <math.h>
#include <string.h>

#include "decode/kernels/columns.h"
#include "decode/kernels/dwell.h"
#include "decode/kernels/isa_kernels.h"
#include "decode/recording.h"

static bool is_same_column(const sp_lane_rules *r, int32_t j, int32_t other)
{
    int32_t n = r->row[j + 1] - r->row[j], a = r->row[j], b = r->row[other];
    bool is_same = r->row[other + 1] - b == n;
    for (int32_t p = 0; p < n && is_same; p++)
        is_same = r->from[a + p] == r->from[b + p] && r->weight[a + p] == r->weight[b + p];
    return is_same;
}

/* Takes a weight that is 0, or forbids. */
static bool is_bare_weight(double weight)
{
    return weight == 0 || weight == -INFINITY;
}

static void make_bare(sp_lane_rules *r)
{
    r->is_bare = true;
    r->bare_start = r->bare_end = 0;
    for (int32_t i = 0; i < r->n_states; i++)
        r->bare_code[i] = r->emits[i] << 16;
    for (int32_t j = 0; j < r->n_states; j++) {
        r->is_bare &= is_bare_weight(r->start[j]) && is_bare_weight(r->end[j]);
        r->bare_start |= (r->start[j] > -INFINITY) << j;
        r->bare_end |= (r->end[j] > -INFINITY) << j;
        for (int32_t p = r->row[j]; p < r->row[j + 1]; p++) {
            r->is_bare &= is_bare_weight(r->weight[p]);
            r->bare_code[r->from[p]] |= (r->weight[p] > -INFINITY) << j;
        }
    }
}

void sp_lane_rules_finish(sp_lane_rules *r)
{
    int32_t K = r->n_states, n_classes = 0, n = 0, bits = r->word_size == 2 ? 3 : 4;
    bool is_done[SP_LANES_MOST_CLASSES] = {false};
    r->n_columns = 0;
    for (int32_t j = 0; j < K; j++) {
        uint64_t places = 0;
        if (is_done[j])
            continue;
        r->column_row[r->n_columns] = n;
        r->column_first[r->n_columns] = n_classes;
        for (int32_t k = j; k < K; k++)
            if (is_same_column(r, j, k)) {
                is_done[k] = true;
                places |= UINT64_C(1) << (bits * k);
                r->column_emits[n_classes] = r->emits[k];
                r->column_class[n_classes++] = k;
            }
        for (int32_t p = r->row[j]; p < r->row[j + 1]; p++, n++) {
            r->column_from[n] = r->from[p];
            r->column_weight[n] = r->weight[p];
            r->column_code[n] = (int64_t)((uint64_t)r->from[p] * places);
        }
        r->n_columns++;
    }
    r->column_row[r->n_columns] = n;
    r->column_first[r->n_columns] = n_classes;
    /* Columns that are shared save more than registers do. */
    r->is_few = K == r->n_classes && K <= SP_LANES_FEW && 2 * (n - r->n_columns) > r->row[K] - K;
    for (int32_t j = 0; j < K && r->is_few; j++) {
        r->few_from[j] = 0;
        for (int32_t p = r->row[j]; p < r->row[j + 1]; p++) {
            r->few_from[j] |= 1U << r->from[p];
            r->few_weight[j][r->from[p]] = r->weight[p];
        }
    }
    make_bare(r);
}

static void take_chain(sp_lane_rules *rules, const sp_chain *chain, int32_t word_size)
{
    const int32_t K = chain->n_states;
    rules->n_classes = chain->n_classes;
    rules->n_states = K;
    rules->is_wide = false;
    rules->has_states = !chain->is_plain;
    rules->word_size = word_size;
    rules->all_emits = 0;
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
        rules->emits[j] = chain->state_class[j];
        rules->all_emits |= (uint64_t)rules->emits[j] << (4 * j);
    }
    rules->row[K] = n;
    sp_lane_rules_finish(rules);
}

bool sp_lane_rules_init(sp_lane_rules *rules, const sp_chain *chain)
{
    const int32_t K = chain->n_classes;
    if (!chain->is_plain || K > SP_LANES_MOST_CLASSES)
        return false;
    take_chain(rules, chain, K <= 5 ? 2 : K <= 8 ? 4 : 8);
    return true;
}

bool sp_lane_states_init(sp_lane_rules *rules, const sp_chain *chain)
{
    if (chain->is_plain || chain->n_states > SP_LANES_MOST_CLASSES ||
        chain->n_classes > SP_LANES_MOST_CLASSES)
        return false;
    take_chain(rules, chain, 8);
    return true;
}

/* ---- wide chains ---- */

static int32_t bits_for(int64_t n)
{
    int32_t bits = 0;
    while (INT64_C(1) << bits < n)
        bits++;
    return bits;
}

/* The column of class j and of all after it that are not done and have the same. *shift: its place in the word, which becomes that of
 * the next. False where edges or bits do not suffice. */
static bool add_column(sp_lane_rules *r, const sp_chain *chain, int32_t j, bool *is_done, int32_t *n_classes,
                       int32_t *shift)
{
    const int64_t first = chain->pred_row[j], n = chain->pred_row[j + 1] - first;
    const int32_t c = r->n_columns++, at = r->column_row[c], bits = bits_for(n);
    if (at + (n > 0 ? n : 1) > SP_LANES_MOST_EDGES || *shift + bits > 63)
        return false;
    for (int64_t p = 0; p < n; p++) {
        r->column_from[at + p] = chain->pred[first + p];
        r->column_weight[at + p] = chain->pred_weight[first + p];
        r->column_code[at + p] = p << *shift;
        r->has_weights |= chain->pred_weight[first + p] != 0;
    }
    if (n == 0) { /* nothing leads there: 0 does, at no price that can be paid */
        r->column_from[at] = 0;
        r->column_weight[at] = -INFINITY;
        r->column_code[at] = 0;
        r->has_weights = true;
    }
    r->column_row[c + 1] = at + (int32_t)(n > 0 ? n : 1);
    for (int32_t k = j; k < r->n_states; k++)
        if (!is_done[k] && sp_column_is_same(chain, j, k)) {
            is_done[k] = true;
            r->column_class[*n_classes] = r->column_emits[*n_classes] = k;
            ++*n_classes;
            r->back[k].shift = (uint8_t)*shift;
            r->back[k].mask = (uint8_t)((1 << bits) - 1);
            r->back[k].first = (uint16_t)at;
        }
    r->column_first[c + 1] = *n_classes;
    *shift += bits;
    return true;
}

bool sp_lane_wide_init(sp_lane_rules *r, const sp_chain *chain)
{
    const int32_t K = chain->n_classes;
    bool is_done[SP_LANES_WIDE_CLASSES] = {false};
    int32_t n_classes = 0, shift = 0;
    if (!chain->is_plain || K <= SP_LANES_MOST_CLASSES || K > SP_LANES_WIDE_CLASSES)
        return false;
    r->n_classes = r->n_states = K;
    r->word_size = 8;
    r->is_wide = true;
    r->has_states = r->is_few = r->is_bare = r->has_weights = false;
    r->n_columns = r->column_row[0] = r->column_first[0] = 0;
    for (int32_t j = 0; j < K; j++) {
        if (!is_done[j] && !add_column(r, chain, j, is_done, &n_classes, &shift))
            return false;
        r->start[j] = chain->start[j];
        r->end[j] = chain->end[j];
        r->emits[j] = j;
    }
    return true;
}

size_t sp_lane_wide_bytes(int32_t n_classes, sp_isa isa)
{
    const size_t L = (size_t)sp_lanes_count(isa);
    return (2 + SP_LANES_TILE) * sizeof(double) * (size_t)n_classes * L;
}

void sp_lane_rules_free(sp_lane_rules *r, int32_t K)
{
    r->is_wide = r->has_states = false;
    r->n_classes = r->n_states = K;
    r->word_size = K <= 5 ? 2 : K <= 8 ? 4 : 8;
    r->has_weights = false;
    r->all_emits = 0;
    for (int32_t j = 0; j < K; j++) {
        r->row[j] = j * K;
        r->start[j] = r->end[j] = 0;
        r->emits[j] = j;
        r->all_emits |= (uint64_t)j << (4 * j);
        for (int32_t i = 0; i < K; i++) {
            r->from[j * K + i] = i;
            r->weight[j * K + i] = 0;
        }
    }
    r->row[K] = K * K;
    sp_lane_rules_finish(r);
}

int32_t sp_lanes_count(sp_isa isa)
{
    return isa == SP_ISA_AVX512 ? 32 : isa == SP_ISA_AVX2 ? 16 : 8;
}

size_t sp_lane_words_bytes(int32_t word_size, sp_isa isa, int64_t n_steps)
{
    return (size_t)n_steps * (size_t)sp_lanes_count(isa) * (size_t)word_size;
}

/* ---- the order of a run: the longest first ---- */

enum { RADIX_BITS = 9, RADIX = 1 << RADIX_BITS };

static void sort_pass(const int32_t *order, const int32_t *length, int32_t n, int shift, int32_t *out)
{
    int32_t count[RADIX + 1] = {0};
    for (int32_t i = 0; i < n; i++)
        count[RADIX -
              (length[order[i]] >> shift & (RADIX - 1))]++; /* the greatest digit counts in count[1] */
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

int32_t sp_lane_order_fill(sp_lane_order *order, const sp_batch *batch, int64_t first, int32_t n,
                           int64_t most_steps, int32_t *left)
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

void sp_lane_run_put(const sp_lane_run *run, int32_t place, double score)
{
    int64_t n = run->first + place, begin = run->batch->offsets[n];
    run->output->results[n] = (sp_decoded){.status = SP_OK, .step = -1, .score = score};
    if (run->output->broken && run->order.length[place] > 0)
        memset(run->output->broken + begin, 0, (size_t)run->order.length[place]);
}

void sp_lane_run_fill(const sp_lane_run *run, const int32_t *order, int32_t lanes, sp_lane_group *group)
{
    for (int32_t lane = 0; lane < lanes; lane++) {
        bool is_used = lane < group->n_lanes;
        group->length[lane] = is_used ? run->order.length[order[lane]] : 0;
        group->path[lane] =
            is_used ? run->output->paths + run->batch->offsets[run->first + order[lane]] : NULL;
    }
}

void sp_lane_run_settle(sp_lane_run *run, const int32_t *order, const sp_lane_group *group)
{
    for (int32_t lane = 0; lane < group->n_lanes; lane++)
        if (group->is_left[lane])
            run->left[run->n_left++] = order[lane];
        else
            sp_lane_run_put(run, order[lane], group->score[lane]);
}

static const void *rows_of(const sp_lane_run *run, int32_t i, size_t row_bytes)
{
    return (const char *)run->batch->scores.data + (size_t)run->batch->offsets[run->first + i] * row_bytes;
}

/* The rows of recording n, readable for `padded` steps: a copy when those would go past the end of the scores. */
static const void *padded_rows(const sp_lane_run *run, int32_t i, int64_t padded, size_t row_bytes,
                               char **room)
{
    const sp_batch *batch = run->batch;
    int64_t begin = batch->offsets[run->first + i];
    const void *rows = rows_of(run, i, row_bytes);
    if (begin + padded <= batch->scores.n_steps)
        return rows;
    char *copy = *room;
    size_t used = (size_t)run->order.length[i] * row_bytes, all = (size_t)padded * row_bytes;
    memcpy(copy, rows, used);
    memset(copy + used, 0, all - used);
    *room += all;
    return copy;
}

/* Is one pass over a group's lanes quicker than the kernel of one recording, one after another? Lanes that
 * have ended cost as much as the others. The plain kernel is slow where a class has many states, so with
 * dwells nearly always. */
static bool is_worth(const sp_lane_run_options *o, sp_isa isa, int64_t used, int64_t longest)
{
    int64_t gain = SP_LANES_WORTH;
    if (o->dwell)
        gain = isa == SP_ISA_BASE ? SP_LANES_WORTH : SP_LANES_DWELL_WORTH;
    else if (o->rules->is_wide)
        gain = isa == SP_ISA_BASE ? SP_LANES_WORTH : SP_LANES_WIDE_WORTH;
    else if (o->strategy == SP_VITERBI)
        gain = SP_LANES_VITERBI_WORTH;
    return used * gain >= sp_lanes_count(isa) * longest;
}

static sp_lanes_kernel *kernel_of(const sp_lane_run_options *o, sp_isa isa)
{
    const sp_isa_kernels *kernels = sp_isa_kernels_of(isa);
    if (o->dwell)
        return kernels->dwell;
    if (o->rules->is_wide)
        return kernels->wide;
    return o->strategy == SP_VITERBI  ? kernels->viterbi
           : o->strategy == SP_GREEDY ? kernels->greedy
                                      : kernels->argmax;
}

/* Decodes recordings order[0..n-1], the longest first, n <= lanes, or leaves them; then come order[n..n+n_next-1]. False on lack
 * of memory. */
static bool decode_group(const sp_lane_run_options *o, sp_lane_run *run, const int32_t *order, int32_t n,
                         int32_t n_next)
{
    sp_isa isa = sp_lanes_isa_for(o->isa, n, sp_lanes_count);
    if (isa == SP_ISA_BASE && isa < o->isa)
        isa =
            SP_ISA_AVX2; /* as quick as half as many lanes of SSE2, which neither compares nor picks 64 bits */
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
    char *room = sp_scratch_get(run->scratch, (size_t)n_copies * (size_t)padded, row_bytes);
    int32_t word_size = o->strategy != SP_VITERBI ? 0 : o->dwell ? o->dwell->word_size : o->rules->word_size;
    sp_lane_group group = {
        .rules = o->rules, .dwell = o->dwell, .dtype = run->batch->scores.dtype, .n_lanes = n};
    group.words = sp_scratch_get(run->scratch, sp_lane_words_bytes(word_size, isa, longest), 1);
    const bool is_wide = !o->dwell && o->rules->is_wide; /* of dwells there are no other rules */
    group.room = sp_scratch_get(run->scratch, is_wide ? sp_lane_wide_bytes(o->rules->n_classes, isa) : 0, 1);
    if (!room || !group.words || !group.room)
        return false;
    sp_lane_run_fill(run, order, lanes, &group);
    for (int32_t lane = 0; lane < lanes; lane++) {
        group.rows[lane] = lane < n ? padded_rows(run, order[lane], padded, row_bytes, &room) : group.rows[0];
        group.next[lane] = n_next > 0 ? rows_of(run, order[n + lane % n_next], row_bytes) : NULL;
    }
    kernel_of(o, isa)(&group);
    sp_lane_run_settle(run, order, &group);
    return true;
}

int32_t sp_lanes_run(const sp_lane_run_options *options, const sp_batch *batch,
                     const sp_decode_output *output, sp_scratch *scratch, int64_t first, int32_t n,
                     int32_t *left)
{
    sp_lane_run run;
    run.batch = batch;
    run.output = output;
    run.scratch = scratch;
    run.first = first;
    run.left = left;
    run.n_left = sp_lane_order_fill(&run.order, batch, first, n, SP_LANES_MOST_STEPS, left);
    const int32_t *place = run.order.place;
    int32_t lanes = sp_lanes_count(options->isa), n_ordered = run.order.n;
    for (int32_t i = 0; i < run.order.n_empty; i++)
        sp_lane_run_put(&run, place[n_ordered + i], 0);
    for (int32_t i = 0; i < n_ordered; i += lanes) {
        int32_t rest = n_ordered - i, count = rest < lanes ? rest : lanes,
                n_next = rest - count < lanes ? rest - count : lanes;
        const sp_scratch_mark mark = sp_scratch_here(scratch);
        bool has_room = decode_group(options, &run, place + i, count, n_next);
        sp_scratch_release(scratch, mark);
        if (!has_room)
            return -1;
    }
    return run.n_left;
}
