/* An evaluation that is made of what several have counted. */
#include "evaluate/counts/counted.h"

#include "core/owned.h"
#include "core/try.h"
#include "evaluate/counts/pairs.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

static sp_status odd(const sp_counted_part *part, sp_error *err)
{
    const sp_counting c = {.is_odd = true};
    return sp_counting_end(&c, part->name, err);
}

/* How many numbers a recording has. */
static int64_t width_of(sp_evaluation *e, void (*visit)(sp_counting *c, sp_evaluation *e, int64_t r),
                        bool *is_short)
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
    return are_within(numbers, sizeof numbers / sizeof *numbers, n_steps) &&
           are_within(night->stage, SP_N_STAGES, n_steps) && sum <= n_steps;
}

static bool is_result(const sp_recording_result *one, int64_t n_steps, int64_t scored)
{
    const sp_transition_counts *c = &one->counts;
    const int64_t numbers[] = {one->decoded.step, c->transitions, c->changes,    c->illegal,
                               c->illegal_start,  c->illegal_end, c->short_runs, c->long_runs};
    const sp_status status = one->decoded.status;
    return (status == SP_OK || status == SP_ENOPATH || status == SP_EDEADEND || status == SP_EBUG) &&
           are_within(numbers, sizeof numbers / sizeof *numbers, n_steps) && one->decoded.n_broken >= 0 &&
           one->correct >= 0 && one->correct <= scored && one->decoded.score < INFINITY &&
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
    int64_t n_violations;
    const int64_t *violations = sp_rule_counts_of(e, r, &n_violations);
    for (int64_t i = 0; is_right && i < n_violations; i++)
        is_right = violations[i] >= 0 && violations[i] <= n + SP_MOST_MISSING;
    for (int32_t i = 0; is_right && c->sleep && i <= c->n_strategies; i++)
        is_right = is_night(&e->nights[i], n);
    return is_right;
}

/* Places of the greatest of something, which sums name. */
static bool are_places(const sp_comparison *c)
{
    const sp_frequencies *reference = &c->reference_frequencies;
    bool is_right =
        reference->worst_illegal <= 0 || reference->worst_illegal <= c->steps[reference->worst_recording];
    for (int32_t s = 0; is_right && s < c->n_strategies; s++) {
        const sp_error_runs *runs = &c->strategies[s].error_runs;
        is_right = runs->longest <= 0 ||
                   (runs->longest_step >= 0 && runs->longest <= c->steps[runs->longest_recording] &&
                    runs->longest_step <= c->steps[runs->longest_recording] - runs->longest);
    }
    return is_right;
}

static sp_status join_rows(sp_evaluation *e, const sp_counted_part *part, const int64_t *among_all,
                           sp_error *err)
{
    const int64_t N = part->counted->n_recordings;
    sp_comparison *c = e->result;
    const sp_count_list *lists = part->counted->lists;
    if (N == 0)
        return SP_OK;
    bool is_short = false;
    const int64_t wide = width_of(e, sp_counted_visit_row, &is_short),
                  values_wide = width_of(e, sp_counted_visit_values, &is_short);
    if (is_short)
        return sp_no_memory(err);
    if (lists[SP_COUNTED_ROWS].n != N * wide || lists[SP_COUNTED_VALUES].n != N * values_wide)
        return odd(part, err);
    sp_counting rows = {.from = &lists[SP_COUNTED_ROWS], .least = -1},
                values = {.from = &lists[SP_COUNTED_VALUES]};
    for (int64_t i = 0; i < N; i++) {
        const int64_t r = among_all[i];
        if (e->nights)
            memset(e->nights, 0, ((size_t)c->n_strategies + 1) * sizeof *e->nights);
        sp_counted_visit_row(&rows, e, r);
        sp_counted_visit_values(&values, e, r);
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
    sp_counting margins, sequences, places, runs;
} cursor;

static sp_status join_row(sp_count_rows *rows, int64_t width, int64_t n, const sp_count_list *list,
                          int64_t pairs, const sp_counted_part *part, sp_error *err)
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
    const int64_t pairs = sp_counted_pairs(&at->margins, &n);
    if (pairs < 0)
        return odd(part, err);
    if (e->margins.rows.n_counts + n > SP_MAX_MARGIN_COUNTS) {
        sp_margins_leave_out(&e->margins);
        return SP_OK;
    }
    return join_row(&e->margins.rows, (int64_t)e->K * (1 + 2 * e->result->n_strategies), n, at->margins.from,
                    pairs, part, err);
}

static sp_status join_sequences(sp_evaluation *e, const sp_counted_part *part, cursor *at, sp_error *err)
{
    int64_t n;
    const int64_t pairs = sp_counted_pairs(&at->sequences, &n);
    const int64_t width = (int64_t)2 * sp_sequence_metrics(e) * e->result->n_strategies;
    return pairs >= 0 ? join_row(&e->sequence_rows, width, n, at->sequences.from, pairs, part, err)
                      : odd(part, err);
}

/* Places of recording i of a part, which is recording r of all. */
static sp_status join_places(sp_evaluation *e, const sp_counted_part *part, cursor *at, int64_t i, int64_t r,
                             sp_error *err)
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
            const int64_t first = place + 2 + 3 * (int64_t)s, from = sp_count_at(list, first),
                          to = sp_count_at(list, first + 1);
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

/* Runs of recording i of a part that are too short or too long, likewise. */
static sp_status join_run_places(sp_evaluation *e, const sp_counted_part *part, cursor *at, int64_t i,
                                 int64_t r, sp_error *err)
{
    sp_comparison *c = e->result;
    const sp_count_list *list = at->runs.from;
    while (at->runs.next < list->n && sp_count_at(list, at->runs.next) == i) {
        const int64_t next = sp_count_next(&at->runs, SP_RUN_PLACE_COUNTS);
        if (next < 0)
            return odd(part, err);
        if (c->n_run_places == SP_MOST_ILLEGAL_PLACES) {
            c->run_places_cut = true;
            continue;
        }
        const int64_t step = sp_count_at(list, next + 1), length = sp_count_at(list, next + 2);
        const int64_t who = sp_count_at(list, next + 3), k = sp_count_at(list, next + 4);
        if (!c->has_durations || step < 0 || length < 1 || step > c->steps[r] - length || who < 0 ||
            who > c->n_strategies || k < 0 || k >= e->K)
            return odd(part, err);
        const sp_run_place place = {
            r, step, length, (int32_t)who, (int32_t)k, sp_count_at(list, next + 5) != 0};
        const sp_status status = sp_run_place_put(e, &place, err);
        if (status != SP_OK)
            return status;
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
                         .places = {.from = &j->parts[p].counted->lists[SP_COUNTED_PLACES]},
                         .runs = {.from = &j->parts[p].counted->lists[SP_COUNTED_RUNS]}};
    sp_status status = SP_OK;
    for (int64_t r = 0; r < j->n_recordings; r++) {
        const sp_counted_place *from = &j->order[r];
        const sp_counted_part *part = &j->parts[from->part];
        if (has_margins && !e->margins.left_out && e->result->scored_steps[r] > 0)
            TRY(join_margins(e, part, &at[from->part], err));
        if (has_sequences && e->result->scored_steps[r] > 0)
            TRY(join_sequences(e, part, &at[from->part], err));
        if (!e->result->illegal_places_cut)
            TRY(join_places(e, part, &at[from->part], from->recording, r, err));
        if (!e->result->run_places_cut)
            TRY(join_run_places(e, part, &at[from->part], from->recording, r, err));
    }
    for (int64_t p = 0; p < j->n_parts; p++) {
        const bool has_more = (!e->margins.left_out && at[p].margins.next < at[p].margins.from->n) ||
                              at[p].sequences.next < at[p].sequences.from->n ||
                              (!e->result->illegal_places_cut && at[p].places.next < at[p].places.from->n) ||
                              (!e->result->run_places_cut && at[p].runs.next < at[p].runs.from->n);
        if (has_more)
            TRY(odd(&j->parts[p], err));
    }
done:
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
    sp_status status = SP_OK;
    TRY(sp_owned_status(&own, err));
    for (int64_t r = 0; r < j->n_recordings; r++)
        among_all[j->order[r].part][j->order[r].recording] = r;
    e->workers = workers;
    TRY(open_rows(e, j, err));
    for (int64_t p = 0; p < j->n_parts; p++) {
        const sp_counted_part *part = &j->parts[p];
        const sp_part_index index = {part->counted->n_recordings, among_all[p]};
        sp_counting sums = {.from = &part->counted->lists[SP_COUNTED_SUMS]};
        sp_counted_visit_sums(&sums, e, &index);
        TRY(sp_counting_end(&sums, part->name, err));
        TRY(join_rows(e, part, among_all[p], err));
    }
    bool is_cut = e->result->illegal_places_cut,
         are_runs_cut = e->result->run_places_cut; /* in some part: then in all, but its
                                                                                                places come first */
    e->result->illegal_places_cut = e->result->run_places_cut = false;
    TRY(join_in_order(e, j, at, err));
    e->result->illegal_places_cut |= is_cut;
    e->result->run_places_cut |= are_runs_cut;
done:
    sp_owned_free(&own);
    return status;
}
