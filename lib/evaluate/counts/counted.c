/* What an evaluation has counted, as lists of integers. Each count is named once: the same function writes it and adds it. */
#include "evaluate/counts/counted.h"

#include "evaluate/value.h"

#include <math.h>
#include <string.h>

void sp_counted_free(sp_counted *counted)
{
    for (int i = 0; i < SP_N_COUNTED; i++)
        sp_count_list_free(&counted->lists[i]);
    *counted = (sp_counted){.n_recordings = 0};
}

static void count_each(sp_counting *c, size_t n, int64_t *const *counts)
{
    for (size_t i = 0; i < n; i++)
        sp_count(c, counts[i], 1);
}
#define COUNT(...)                                                                                           \
    count_each(c, sizeof((int64_t *[]){__VA_ARGS__}) / sizeof(int64_t *), (int64_t *[]){__VA_ARGS__})

/* ---- sums over all recordings ---- */

int64_t sp_counted_pairs(sp_counting *c, int64_t *n)
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
    const int64_t entries = sp_counted_pairs(c, &n);
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
static void count_first(sp_counting *c, int64_t *value, int64_t *recording, int64_t *step,
                        const sp_part_index *index)
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
    if (!index || where < 0 || where >= index->n) {
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
    COUNT(&t->transitions, &t->changes, &t->illegal, &t->illegal_start, &t->illegal_end, &t->short_runs,
          &t->long_runs);
}

static void count_changes(sp_counting *c, sp_changes *changes, int64_t n)
{
    for (int64_t i = 0; changes && i < n; i++)
        COUNT(&changes[i].fixed, &changes[i].worsened, &changes[i].wrong_to_wrong, &changes[i].same);
}

static void count_entities(sp_counting *c, sp_entity_counts *entities, int64_t n)
{
    for (int64_t i = 0; entities && i < n; i++)
        COUNT(&entities[i].reference, &entities[i].decoded, &entities[i].correct);
}

static void count_broken_runs(sp_counting *c, sp_broken_runs *broken, int64_t K)
{
    if (!broken->too_short) /* the model has no durations */
        return;
    sp_count(c, broken->too_short, K);
    sp_count(c, broken->too_long, K);
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
    COUNT(&of->regret_steps, &of->zero_steps, &of->n_undecoded, &of->n_relaxed, &of->n_broken,
          &of->n_redirected, &of->n_impossible);
    count_changes(c, &of->changes, 1);
    count_changes(c, of->class_changes, K);
    count_changes(c, of->context_changes, SP_N_CONTEXTS);
    COUNT(&of->error_runs.worsened, &of->error_runs.forbidden);
    count_first(c, &of->error_runs.longest, &of->error_runs.longest_recording, &of->error_runs.longest_step,
                index);
    sp_count(c, of->context_correct, SP_N_CONTEXTS);
    COUNT(&of->boundaries.reference, &of->boundaries.decoded);
    sp_count(c, of->boundaries.matched, SP_N_TOLERANCES);
    COUNT(&of->segments.reference, &of->segments.decoded);
    sp_count(c, of->segments.matched, SP_N_OVERLAPS);
    COUNT(&of->edit_score_n, &of->edit_score_too_long);
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
    count_broken_runs(c, &sums->broken, K);
}

void sp_counted_visit_sums(sp_counting *c, sp_evaluation *e, const sp_part_index *index)
{
    sp_comparison *r = e->result;
    int64_t no_step = 0;
    bool has_no_margins = c->to && e->margins.left_out;
    sp_count_flag(c, &has_no_margins);
    if (c->from && has_no_margins)
        sp_margins_leave_out(&e->margins);
    COUNT(&r->n_steps, &r->n_scored_steps);
    count_transitions(c, &r->reference);
    count_first(c, &r->reference_frequencies.worst_illegal, &r->reference_frequencies.worst_recording,
                &no_step, index);
    COUNT(&r->bridged_transitions, &r->ceiling_infeasible);
    sp_count_flag(c, &r->has_ties);
    COUNT(&r->tie_steps, &r->tie_scored_steps, &r->n_trimmed_steps, &r->n_cut_recordings,
          &r->n_cut_path_steps, &r->n_cut_label_steps);
    sp_count_flag(c, &r->illegal_places_cut);
    sp_count_flag(c, &r->run_places_cut);
    count_broken_runs(c, &e->reference_broken, e->K);
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
    COUNT(&night->first, &night->last);
    sp_count(c, night->stage, SP_N_STAGES);
    COUNT(&night->first_sleep, &night->first_rem, &night->wake_after, &night->wake_within,
          &night->awakenings);
}

void sp_counted_visit_row(sp_counting *c, sp_evaluation *e, int64_t r)
{
    sp_comparison *of = e->result;
    COUNT(&of->steps[r], &of->scored_steps[r]);
    if (of->n_subjects && c->to)
        count_number(c, &of->subject_of[r]);
    else if (of->n_subjects)
        sp_count_next(c, 1); /* numbered anew */
    if (of->has_wake_trim)
        sp_count(c, &of->trimmed_steps[r], 1);
    if (of->has_length_trim)
        COUNT(&of->cut_path_steps[r], &of->cut_label_steps[r]);
    for (int32_t s = 0; s < of->n_strategies; s++) {
        sp_recording_result *one = &of->strategies[s].recordings[r];
        count_status(c, &one->decoded.status);
        COUNT(&one->decoded.step, &one->decoded.n_broken, &one->correct);
        count_transitions(c, &one->counts);
    }
    int64_t n_violations, *violations = sp_rule_counts_of(e, r, &n_violations);
    sp_count(c, violations, n_violations);
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

void sp_counted_visit_values(sp_counting *c, sp_evaluation *e, int64_t r)
{
    for (int32_t s = 0; s < e->result->n_strategies; s++) {
        sp_recording_result *one = &e->result->strategies[s].recordings[r];
        count_bits(c, &one->decoded.score);
        double kappa = one->kappa.undefined ? NAN : one->kappa.value;
        count_bits(c, &kappa);
        if (c->from) /* the reasons of recording_kappa() */
            one->kappa = !isnan(kappa) ? value_of(kappa)
                         : e->result->scored_steps[r] && e->result->has_labels
                             ? value_undefined("one class only")
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
            is_whole =
                sp_count_list_put_one(to, rows->slots[j]) && sp_count_list_put_one(to, rows->counts[j]);
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

static bool put_run_places(const sp_comparison *c, sp_count_list *to)
{
    bool is_whole = true;
    for (int64_t i = 0; is_whole && i < c->n_run_places; i++) {
        const sp_run_place *p = &c->run_places[i];
        const int64_t numbers[SP_RUN_PLACE_COUNTS] = {p->recording, p->step, p->length,
                                                      p->who,       p->k,    p->is_long};
        is_whole = sp_count_list_put(to, numbers, SP_RUN_PLACE_COUNTS);
    }
    return is_whole;
}

sp_status sp_evaluation_counted(sp_evaluation *e, sp_counted *out, sp_error *err)
{
    const sp_comparison *c = e->result;
    *out = (sp_counted){.n_recordings = c->n_recordings};
    sp_counting sums = {.to = &out->lists[SP_COUNTED_SUMS]}, rows = {.to = &out->lists[SP_COUNTED_ROWS]};
    sp_counting values = {.to = &out->lists[SP_COUNTED_VALUES]};
    sp_counted_visit_sums(&sums, e, NULL);
    for (int64_t r = 0; r < c->n_recordings; r++) {
        sp_counted_visit_row(&rows, e, r);
        sp_counted_visit_values(&values, e, r);
    }
    bool is_whole = !sums.is_short && !rows.is_short && !values.is_short;
    is_whole = is_whole && put_rows(&e->margins.rows, &out->lists[SP_COUNTED_MARGINS]);
    is_whole = is_whole && put_rows(&e->sequence_rows, &out->lists[SP_COUNTED_SEQUENCES]);
    is_whole = is_whole && put_places(c, &out->lists[SP_COUNTED_PLACES]);
    is_whole = is_whole && put_run_places(c, &out->lists[SP_COUNTED_RUNS]);
    if (is_whole) {
        out->lists[SP_COUNTED_STEPS] = e->kept_steps.list;
        e->kept_steps.list = (sp_count_list){.n = 0};
        return SP_OK;
    }
    sp_counted_free(out);
    return sp_no_memory(err);
}
