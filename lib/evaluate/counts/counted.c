/* What an evaluation has counted, as lists of integers, and an evaluation that is made of several such lists. Each count is named
 * once, in visit_sums() or visit_row(): the same function writes it and adds it. */
#include "evaluate/counts/count_list.h"
#include "evaluate/counts/pairs.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluation.h"
#include "evaluate/value.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void sp_counted_free(sp_counted *counted)
{
    for (int i = 0; i < SP_N_COUNTED; i++)
        sp_count_list_free(&counted->lists[i]);
    *counted = (sp_counted){.n_recordings = 0};
}

/* ---- sums over all recordings ---- */

/* Where the pairs of the next row begin, and how many; -1: there is none. */
static int64_t next_row(sp_counting *c, int64_t *n)
{
    const int64_t next = sp_count_next(c, 1);
    *n = next >= 0 ? sp_count_at(c->from, next) : -1;
    c->is_odd |= *n < 0 || *n > c->from->n;
    return sp_count_next(c, c->is_odd ? 0 : 2 * *n);
}

/* n_keys: keys are below it. of_runs: they are sp_run_key(), and all runs together have no more steps than can be counted. */
static void count_tally(sp_counting *c, sp_tally *tally, int64_t n_keys, bool of_runs)
{
    int64_t n = (int64_t)tally->n;
    if (c->to) {
        sp_count(c, &n, 1);
        for (size_t i = 0; i < tally->n_slots; i++)
            if (tally->slots[i].count) {
                sp_count(c, &tally->slots[i].key, 1);
                sp_count(c, &tally->slots[i].count, 1);
            }
        return;
    }
    const int64_t entries = next_row(c, &n);
    int64_t left = SP_MOST_COUNTED;
    for (int64_t i = entries; entries >= 0 && i < entries + 2 * n && !c->is_short && !c->is_odd; i += 2) {
        const int64_t key = sp_count_at(c->from, i), more = sp_count_at(c->from, i + 1);
        const int64_t steps = of_runs ? key & (sp_run_key(1, 0) - 1) : 1;
        c->is_odd = key < 0 || key >= n_keys || steps < 1 || more < 1 || more > left / steps;
        if (c->is_odd)
            return;
        left -= more * steps;
        c->is_short = !sp_tally_add(tally, key, more);
    }
}

/* The greatest of something, where it is for the first time; value 0: nowhere. index: that of each recording among all, where it
 * is added. */
static void count_first(sp_counting *c, int64_t *value, int64_t *recording, int64_t *step, const sp_part_index *index)
{
    if (c->to) {
        int64_t all[] = {*value, *recording, *step};
        sp_count(c, all, 3);
        return;
    }
    const int64_t next = sp_count_next(c, 3), more = next >= 0 ? sp_count_at(c->from, next) : 0;
    if (more <= 0)
        return;
    const int64_t where = sp_count_at(c->from, next + 1);
    if (where < 0 || where >= index->n) {
        c->is_odd = true;
        return;
    }
    const int64_t at = index->among_all[where];
    if (more < *value || (more == *value && at > *recording))
        return;
    *value = more;
    *recording = at;
    *step = sp_count_at(c->from, next + 2);
}

static void count_transitions(sp_counting *c, sp_transition_counts *t)
{
    sp_count(c, &t->transitions, 1);
    sp_count(c, &t->changes, 1);
    sp_count(c, &t->illegal, 1);
    sp_count(c, &t->illegal_start, 1);
    sp_count(c, &t->illegal_end, 1);
    sp_count(c, &t->short_runs, 1);
}

static void count_changes(sp_counting *c, sp_changes *changes, int64_t n)
{
    for (int64_t i = 0; changes && i < n; i++) {
        sp_count(c, &changes[i].fixed, 1);
        sp_count(c, &changes[i].worsened, 1);
        sp_count(c, &changes[i].wrong_to_wrong, 1);
        sp_count(c, &changes[i].same, 1);
    }
}

static void count_entities(sp_counting *c, sp_entity_counts *entities, int64_t n)
{
    for (int64_t i = 0; entities && i < n; i++) {
        sp_count(c, &entities[i].reference, 1);
        sp_count(c, &entities[i].decoded, 1);
        sp_count(c, &entities[i].correct, 1);
    }
}

static void visit_strategy(sp_counting *c, const sp_evaluation *e, int32_t s, const sp_part_index *index)
{
    sp_strategy_result *of = &e->result->strategies[s];
    sp_strategy_sums *sums = &e->sums[s];
    const int64_t K = e->K;
    sp_count(c, of->confusion, K * K);
    sp_count(c, of->undecoded_steps, K);
    count_transitions(c, &of->counts);
    sp_count(c, &of->recordings_with_illegal, 1);
    sp_count_flag(c, &of->has_regret);
    sp_count(c, &of->regret_steps, 1);
    sp_count(c, &of->zero_steps, 1);
    sp_count(c, &of->n_undecoded, 1);
    sp_count(c, &of->n_relaxed, 1);
    sp_count(c, &of->n_broken, 1);
    count_changes(c, &of->changes, 1);
    count_changes(c, of->class_changes, K);
    count_changes(c, of->context_changes, SP_N_CONTEXTS);
    sp_count(c, &of->error_runs.worsened, 1);
    sp_count(c, &of->error_runs.forbidden, 1);
    count_first(c, &of->error_runs.longest, &of->error_runs.longest_recording, &of->error_runs.longest_step, index);
    sp_count(c, of->context_correct, SP_N_CONTEXTS);
    sp_count(c, &of->boundaries.reference, 1);
    sp_count(c, &of->boundaries.decoded, 1);
    sp_count(c, of->boundaries.matched, SP_N_TOLERANCES);
    sp_count(c, &of->segments.reference, 1);
    sp_count(c, &of->segments.decoded, 1);
    sp_count(c, of->segments.matched, SP_N_OVERLAPS);
    sp_count(c, &of->edit_score_n, 1);
    sp_count(c, &of->edit_score_too_long, 1);
    count_entities(c, &of->entities.pooled, 1);
    count_entities(c, &of->entities.strict, 1);
    count_entities(c, of->entities.types, e->result->n_entity_types);
    count_tally(c, &sums->transitions, K * K, false);
    count_tally(c, &sums->class_runs, sp_run_key((int32_t)K, 0), true);
    count_tally(c, &sums->error_lengths, sp_run_key(1, 0), true);
    sp_count_exact(c, &sums->edit_sum, 1);
    sp_count_exact(c, &sums->score_sum, 1);
    sp_count_exact(c, &sums->regret_sum, 1);
    sp_count_flag(c, &sums->has_impossible);
}

static void visit_sums(sp_counting *c, sp_evaluation *e, const sp_part_index *index)
{
    sp_comparison *r = e->result;
    int64_t no_step = 0;
    bool has_no_margins = c->to && e->margins.left_out;
    sp_count_flag(c, &has_no_margins);
    if (c->from && has_no_margins)
        sp_margins_leave_out(&e->margins);
    sp_count(c, &r->n_steps, 1);
    sp_count(c, &r->n_scored_steps, 1);
    count_transitions(c, &r->reference);
    count_first(c, &r->reference_frequencies.worst_illegal, &r->reference_frequencies.worst_recording, &no_step, index);
    sp_count(c, &r->bridged_transitions, 1);
    sp_count(c, &r->ceiling_infeasible, 1);
    sp_count_flag(c, &r->has_ties);
    sp_count(c, &r->tie_steps, 1);
    sp_count(c, &r->tie_scored_steps, 1);
    sp_count(c, &r->n_trimmed_steps, 1);
    sp_count(c, &r->n_cut_recordings, 1);
    sp_count(c, &r->n_cut_path_steps, 1);
    sp_count(c, &r->n_cut_label_steps, 1);
    sp_count_flag(c, &r->illegal_places_cut);
    sp_count(c, e->context_steps, SP_N_CONTEXTS);
    sp_count(c, &e->ceiling_correct, 1);
    for (int32_t p = 0; p < e->n_pairs; p++)
        sp_count(c, e->mcnemar_counts[p], 2);
    sp_count(c, e->contingency, (int64_t)e->n_pairs * e->K * e->K);
    sp_count_whole(c, &e->right_sum);
    sp_count_whole(c, &e->right_squares);
    count_tally(c, &e->reference_transitions, (int64_t)e->K * e->K, false);
    count_tally(c, &e->reference_runs, sp_run_key(e->K, 0), true);
    for (int32_t s = 0; s < r->n_strategies; s++)
        visit_strategy(c, e, s, index);
    sp_raters_visit(c, e);
}

/* ---- what is told of each recording ---- */

static void count_number(sp_counting *c, int32_t *number)
{
    int64_t value = *number;
    sp_count(c, &value, 1);
    *number = (int32_t)value;
}

static void count_status(sp_counting *c, sp_status *status)
{
    int64_t value = *status;
    sp_count(c, &value, 1);
    *status = (sp_status)value;
}

static void count_night(sp_counting *c, sp_night *night)
{
    sp_count_flag(c, &night->has_begun);
    sp_count(c, &night->first, 1);
    sp_count(c, &night->last, 1);
    sp_count(c, night->stage, SP_N_STAGES);
    sp_count(c, &night->first_sleep, 1);
    sp_count(c, &night->first_rem, 1);
    sp_count(c, &night->wake_after, 1);
    sp_count(c, &night->wake_within, 1);
    sp_count(c, &night->awakenings, 1);
}

/* Recording r of the comparison, whose room holds 0 where it is read. The numbers are as many for each. */
static void visit_row(sp_counting *c, sp_evaluation *e, int64_t r)
{
    sp_comparison *of = e->result;
    sp_count(c, &of->steps[r], 1);
    sp_count(c, &of->scored_steps[r], 1);
    if (of->n_subjects && c->to)
        count_number(c, &of->subject_of[r]);
    else if (of->n_subjects)
        sp_count_next(c, 1); /* numbered anew */
    if (of->has_wake_trim)
        sp_count(c, &of->trimmed_steps[r], 1);
    if (of->has_length_trim) {
        sp_count(c, &of->cut_path_steps[r], 1);
        sp_count(c, &of->cut_label_steps[r], 1);
    }
    for (int32_t s = 0; s < of->n_strategies; s++) {
        sp_recording_result *one = &of->strategies[s].recordings[r];
        count_status(c, &one->decoded.status);
        sp_count(c, &one->decoded.step, 1);
        sp_count(c, &one->decoded.n_broken, 1);
        sp_count(c, &one->correct, 1);
        count_transitions(c, &one->counts);
    }
    for (int32_t i = 0; of->sleep && i <= of->n_strategies; i++)
        count_night(c, &e->nights[(c->to ? r : 0) * (of->n_strategies + 1) + i]);
}

/* Floating-point numbers, by their bits. */
static void count_bits(sp_counting *c, double *number)
{
    int64_t bits = 0, next = 0;
    if (c->to) {
        memcpy(&bits, number, sizeof bits);
        c->is_short = c->is_short || !sp_count_list_put_one(c->to, bits);
    } else if ((next = sp_count_next(c, 1)) >= 0) {
        bits = sp_count_at(c->from, next);
        memcpy(number, &bits, sizeof bits);
    }
}

static void visit_values(sp_counting *c, sp_evaluation *e, int64_t r)
{
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        sp_recording_result *one = &e->result->strategies[s].recordings[r];
        count_bits(c, &one->decoded.score);
        double kappa = one->kappa.undefined ? NAN : one->kappa.value;
        count_bits(c, &kappa);
        if (c->from) /* the reasons of recording_kappa() */
            one->kappa = !isnan(kappa)                                         ? value_of(kappa)
                         : e->result->scored_steps[r] && e->result->has_labels ? value_undefined("one class only")
                                                                               : value_undefined("no scored steps");
    }
}

/* ---- writing ---- */

/* Rows: how many counts, then slot and count of each, for each recording that has a row. */
static bool put_rows(const sp_count_rows *rows, sp_count_list *to)
{
    bool is_whole = true;
    for (int64_t i = 0; is_whole && i < rows->n; i++) {
        is_whole = sp_count_list_put_one(to, rows->offsets[i + 1] - rows->offsets[i]);
        for (int64_t j = rows->offsets[i]; is_whole && j < rows->offsets[i + 1]; j++)
            is_whole = sp_count_list_put_one(to, rows->slots[j]) && sp_count_list_put_one(to, rows->counts[j]);
    }
    return is_whole;
}

static bool put_places(const sp_comparison *c, sp_count_list *to)
{
    bool is_whole = true;
    for (int64_t i = 0; is_whole && i < c->n_illegal_places; i++) {
        const sp_illegal_place *place = &c->illegal_places[i];
        is_whole = sp_count_list_put_one(to, place->recording) && sp_count_list_put_one(to, place->step);
        for (int32_t s = 0; is_whole && s <= c->n_strategies; s++) {
            const int64_t said[] = {place->said[s].from, place->said[s].to, place->said[s].is_illegal};
            is_whole = sp_count_list_put(to, said, 3);
        }
    }
    return is_whole;
}

sp_status sp_evaluation_counted(sp_evaluation *e, sp_counted *out, sp_error *err)
{
    const sp_comparison *c = e->result;
    *out = (sp_counted){.n_recordings = c->n_recordings};
    sp_counting sums = {.to = &out->lists[SP_COUNTED_SUMS]}, rows = {.to = &out->lists[SP_COUNTED_ROWS]};
    sp_counting values = {.to = &out->lists[SP_COUNTED_VALUES]};
    visit_sums(&sums, e, NULL);
    for (int64_t r = 0; r < c->n_recordings; r++) {
        visit_row(&rows, e, r);
        visit_values(&values, e, r);
    }
    bool is_whole = !sums.is_short && !rows.is_short && !values.is_short;
    is_whole = is_whole && put_rows(&e->margins.rows, &out->lists[SP_COUNTED_MARGINS]);
    is_whole = is_whole && put_rows(&e->sequence_rows, &out->lists[SP_COUNTED_SEQUENCES]);
    is_whole = is_whole && put_places(c, &out->lists[SP_COUNTED_PLACES]);
    if (is_whole) {
        out->lists[SP_COUNTED_STEPS] = e->kept_steps.list;
        e->kept_steps.list = (sp_count_list){.n = 0};
        return SP_OK;
    }
    sp_counted_free(out);
    return sp_no_memory(err);
}

/* ---- adding ---- */

static sp_status odd(const sp_counted_part *part, sp_error *err)
{
    const sp_counting c = {.is_odd = true};
    return sp_counting_end(&c, part->name, err);
}

/* How many numbers a recording has. */
static int64_t width_of(sp_evaluation *e, void (*visit)(sp_counting *c, sp_evaluation *e, int64_t r), bool *is_short)
{
    sp_count_list one = {.n = 0};
    sp_counting c = {.to = &one};
    visit(&c, e, 0);
    const int64_t n = one.n;
    *is_short |= c.is_short;
    sp_count_list_free(&one);
    return n;
}

/* ---- can a recording have such numbers? ---- */

static bool are_within(const int64_t *numbers, int n, int64_t most)
{
    bool is_right = true;
    for (int i = 0; i < n; i++)
        is_right = is_right && numbers[i] >= -1 && numbers[i] <= most;
    return is_right;
}

static bool is_night(const sp_night *night, int64_t n_steps)
{
    const int64_t numbers[] = {night->first,      night->last,        night->first_sleep, night->first_rem,
                               night->wake_after, night->wake_within, night->awakenings};
    int64_t sum = 0;
    for (int stage = 0; stage < SP_N_STAGES; stage++)
        sum += night->stage[stage];
    return are_within(numbers, sizeof numbers / sizeof *numbers, n_steps) && are_within(night->stage, SP_N_STAGES, n_steps) &&
           sum <= n_steps;
}

static bool is_result(const sp_recording_result *one, int64_t n_steps, int64_t scored)
{
    const sp_transition_counts *c = &one->counts;
    const int64_t numbers[] = {one->decoded.step, c->transitions, c->changes,   c->illegal,
                               c->illegal_start,  c->illegal_end, c->short_runs};
    const sp_status status = one->decoded.status;
    return (status == SP_OK || status == SP_ENOPATH || status == SP_EDEADEND || status == SP_EBUG) &&
           are_within(numbers, sizeof numbers / sizeof *numbers, n_steps) && one->decoded.n_broken >= 0 && one->correct >= 0 &&
           one->correct <= scored && one->decoded.score < INFINITY &&
           (one->kappa.undefined || fabs(one->kappa.value) <= 1 + 1e-9);
}

/* Recording r as it was read; its nights are the first of e->nights. */
static bool is_row(const sp_evaluation *e, int64_t r)
{
    const sp_comparison *c = e->result;
    const int64_t n = c->steps[r], scored = c->scored_steps[r];
    bool is_right = n >= 0 && scored >= 0 && scored <= n && (!c->has_wake_trim || c->trimmed_steps[r] >= 0);
    is_right = is_right && (!c->has_length_trim || (c->cut_path_steps[r] >= 0 && c->cut_label_steps[r] >= 0));
    for (int32_t s = 0; is_right && s < c->n_strategies; s++)
        is_right = is_result(&c->strategies[s].recordings[r], n, scored);
    for (int32_t i = 0; is_right && c->sleep && i <= c->n_strategies; i++)
        is_right = is_night(&e->nights[i], n);
    return is_right;
}

/* Places of the greatest of something, which sums name. */
static bool are_places(const sp_comparison *c)
{
    const sp_frequencies *reference = &c->reference_frequencies;
    bool is_right = reference->worst_illegal <= 0 || reference->worst_illegal <= c->steps[reference->worst_recording];
    for (int32_t s = 0; is_right && s < c->n_strategies; s++) {
        const sp_error_runs *runs = &c->strategies[s].error_runs;
        is_right = runs->longest <= 0 || (runs->longest_step >= 0 && runs->longest <= c->steps[runs->longest_recording] &&
                                          runs->longest_step <= c->steps[runs->longest_recording] - runs->longest);
    }
    return is_right;
}

static sp_status join_rows(sp_evaluation *e, const sp_counted_part *part, const int64_t *among_all, sp_error *err)
{
    const int64_t N = part->counted->n_recordings;
    sp_comparison *c = e->result;
    const sp_count_list *lists = part->counted->lists;
    if (N == 0)
        return SP_OK;
    bool is_short = false;
    const int64_t wide = width_of(e, visit_row, &is_short), values_wide = width_of(e, visit_values, &is_short);
    if (is_short)
        return sp_no_memory(err);
    if (lists[SP_COUNTED_ROWS].n != N * wide || lists[SP_COUNTED_VALUES].n != N * values_wide)
        return odd(part, err);
    sp_counting rows = {.from = &lists[SP_COUNTED_ROWS], .least = -1}, values = {.from = &lists[SP_COUNTED_VALUES]};
    for (int64_t i = 0; i < N; i++) {
        const int64_t r = among_all[i];
        if (e->nights)
            memset(e->nights, 0, ((size_t)c->n_strategies + 1) * sizeof *e->nights);
        visit_row(&rows, e, r);
        visit_values(&values, e, r);
        if (rows.is_odd || !is_row(e, r))
            return odd(part, err);
        for (int32_t s = 0; s < c->n_strategies; s++) {
            sp_recording_result *one = &c->strategies[s].recordings[r];
            one->scored = c->has_labels ? c->scored_steps[r] : 0;
            one->accuracy = value_ratio((double)one->correct, (double)one->scored, "no scored steps");
        }
        sp_sleep_from_nights(e, r);
    }
    return are_places(c) ? SP_OK : odd(part, err);
}

/* Reading a part's lists of its recordings one after the other. */
typedef struct cursor {
    sp_counting margins, sequences, places;
} cursor;

static sp_status join_row(sp_count_rows *rows, int64_t width, int64_t n, const sp_count_list *list, int64_t pairs,
                          const sp_counted_part *part, sp_error *err)
{
    bool is_whole = true;
    for (int64_t i = pairs; is_whole && i < pairs + 2 * n; i += 2) {
        const int64_t slot = sp_count_at(list, i), more = sp_count_at(list, i + 1);
        if (slot < 0 || slot >= width || more < 0 || more > SP_MOST_COUNTED)
            return odd(part, err);
        is_whole = sp_count_rows_add(rows, (uint32_t)slot, more);
    }
    return is_whole && sp_count_rows_end(rows) ? SP_OK : sp_no_memory(err);
}

static sp_status join_margins(sp_evaluation *e, const sp_counted_part *part, cursor *at, sp_error *err)
{
    int64_t n;
    const int64_t pairs = next_row(&at->margins, &n);
    if (pairs < 0)
        return odd(part, err);
    if (e->margins.rows.n_counts + n > SP_MAX_MARGIN_COUNTS) {
        sp_margins_leave_out(&e->margins);
        return SP_OK;
    }
    return join_row(&e->margins.rows, (int64_t)e->K * (1 + 2 * e->result->n_strategies), n, at->margins.from, pairs, part, err);
}

static sp_status join_sequences(sp_evaluation *e, const sp_counted_part *part, cursor *at, sp_error *err)
{
    int64_t n;
    const int64_t pairs = next_row(&at->sequences, &n);
    const int64_t width = (int64_t)2 * sp_sequence_metrics(e) * e->result->n_strategies;
    return pairs >= 0 ? join_row(&e->sequence_rows, width, n, at->sequences.from, pairs, part, err) : odd(part, err);
}

/* Places of recording i of a part, which is recording r of all. */
static sp_status join_places(sp_evaluation *e, const sp_counted_part *part, cursor *at, int64_t i, int64_t r, sp_error *err)
{
    sp_comparison *c = e->result;
    const int32_t S = c->n_strategies;
    const sp_count_list *list = at->places.from;
    while (at->places.next < list->n && sp_count_at(list, at->places.next) == i) {
        const int64_t place = sp_count_next(&at->places, 2 + 3 * ((int64_t)S + 1));
        if (place < 0)
            return odd(part, err);
        if (c->n_illegal_places == SP_MOST_ILLEGAL_PLACES) {
            c->illegal_places_cut = true;
            continue;
        }
        const int64_t step = sp_count_at(list, place + 1);
        if (step < 0 || step >= c->steps[r])
            return odd(part, err);
        sp_illegal_said *said = sp_illegal_place_new(e, r, step, err);
        bool is_illegal = false;
        if (!said)
            return SP_ENOMEM;
        for (int32_t s = 0; s <= S; s++) {
            const int64_t first = place + 2 + 3 * (int64_t)s, from = sp_count_at(list, first), to = sp_count_at(list, first + 1);
            said[s] = (sp_illegal_said){(int32_t)from, (int32_t)to, sp_count_at(list, first + 2) != 0};
            if (from < -1 || from >= e->K || to < (said[s].is_illegal ? 0 : -1) || to >= e->K)
                return odd(part, err);
            is_illegal |= said[s].is_illegal;
        }
        if (!is_illegal)
            return odd(part, err);
    }
    return SP_OK;
}

/* What must be in the order of all recordings. */
static sp_status join_in_order(sp_evaluation *e, const sp_joining *j, cursor *at, sp_error *err)
{
    const bool has_margins = e->result->has_labels && e->n_pairs > 0;
    const bool has_sequences = e->result->has_labels && sp_sequence_metrics(e) > 0;
    for (int64_t p = 0; p < j->n_parts; p++)
        at[p] = (cursor){.margins = {.from = &j->parts[p].counted->lists[SP_COUNTED_MARGINS]},
                         .sequences = {.from = &j->parts[p].counted->lists[SP_COUNTED_SEQUENCES]},
                         .places = {.from = &j->parts[p].counted->lists[SP_COUNTED_PLACES]}};
    sp_status status = SP_OK;
    for (int64_t r = 0; status == SP_OK && r < j->n_recordings; r++) {
        const sp_counted_place *from = &j->order[r];
        const sp_counted_part *part = &j->parts[from->part];
        if (has_margins && !e->margins.left_out && e->result->scored_steps[r] > 0)
            status = join_margins(e, part, &at[from->part], err);
        if (status == SP_OK && has_sequences && e->result->scored_steps[r] > 0)
            status = join_sequences(e, part, &at[from->part], err);
        if (status == SP_OK && !e->result->illegal_places_cut)
            status = join_places(e, part, &at[from->part], from->recording, r, err);
    }
    for (int64_t p = 0; status == SP_OK && p < j->n_parts; p++) {
        const bool has_more = (!e->margins.left_out && at[p].margins.next < at[p].margins.from->n) ||
                              at[p].sequences.next < at[p].sequences.from->n ||
                              (!e->result->illegal_places_cut && at[p].places.next < at[p].places.from->n);
        status = has_more ? odd(&j->parts[p], err) : SP_OK;
    }
    return status;
}

/* Room for all recordings, with their ids and subjects. */
static sp_status open_rows(sp_evaluation *e, const sp_joining *j, sp_error *err)
{
    sp_comparison *c = e->result;
    const int64_t N = j->n_recordings;
    sp_status status = sp_evaluation_reserve_recordings(e, N + 1, err);
    if (status != SP_OK)
        return status;
    const size_t size = (size_t)(N + 1) * sizeof(int64_t);
    memset(c->steps, 0, size);
    memset(c->scored_steps, 0, size);
    if (c->trimmed_steps)
        memset(c->trimmed_steps, 0, size);
    if (c->cut_path_steps) {
        memset(c->cut_path_steps, 0, size);
        memset(c->cut_label_steps, 0, size);
    }
    for (int32_t s = 0; s < c->n_strategies; s++)
        memset(c->strategies[s].recordings, 0, (size_t)(N + 1) * sizeof *c->strategies[s].recordings);
    if (e->nights)
        memset(e->nights, 0, ((size_t)c->n_strategies + 1) * sizeof *e->nights);
    for (int64_t r = 0; r < N; r++) {
        if (!(c->ids[r] = strdup(j->ids[r])))
            return sp_no_memory(err);
        c->n_recordings = r + 1; /* ids that are there are freed */
        if (c->n_subjects)
            c->subject_of[r] = j->order[r].subject;
    }
    return SP_OK;
}

sp_status sp_evaluation_join(sp_evaluation *e, const sp_joining *j, sp_workers *workers, sp_error *err)
{
    sp_owned own = {0};
    int64_t **among_all = sp_zeros(&own, (size_t)j->n_parts, sizeof *among_all);
    cursor *at = sp_zeros(&own, (size_t)j->n_parts, sizeof *at);
    for (int64_t p = 0; among_all && p < j->n_parts; p++)
        among_all[p] = sp_zeros(&own, (size_t)j->parts[p].counted->n_recordings, sizeof **among_all);
    sp_status status = sp_owned_status(&own, err);
    for (int64_t r = 0; status == SP_OK && r < j->n_recordings; r++)
        among_all[j->order[r].part][j->order[r].recording] = r;
    e->workers = workers;
    if (status == SP_OK)
        status = open_rows(e, j, err);
    for (int64_t p = 0; status == SP_OK && p < j->n_parts; p++) {
        const sp_counted_part *part = &j->parts[p];
        const sp_part_index index = {part->counted->n_recordings, among_all[p]};
        sp_counting sums = {.from = &part->counted->lists[SP_COUNTED_SUMS]};
        visit_sums(&sums, e, &index);
        status = sp_counting_end(&sums, part->name, err);
        if (status == SP_OK)
            status = join_rows(e, part, among_all[p], err);
    }
    bool is_cut = e->result->illegal_places_cut; /* in some part: then in all, but its places come first */
    e->result->illegal_places_cut = false;
    if (status == SP_OK)
        status = join_in_order(e, j, at, err);
    e->result->illegal_places_cut |= is_cut;
    sp_owned_free(&own);
    return status;
}
