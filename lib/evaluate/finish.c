/* From sums to the values of a comparison. */
#include "evaluate/evaluation.h"

#include "core/chain.h"
#include "core/try.h"
#include "evaluate/evaluate.h"
#include "evaluate/metrics/agreement.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

/* ---- how often things happen along a path: every rate with the name of its denominator ---- */

static sp_value per_hour(int64_t n, int64_t transitions, double epoch_seconds)
{
    if (!(epoch_seconds > 0))
        return value_undefined("the length of a step is not known");
    return value_ratio((double)n, (double)transitions * epoch_seconds / 3600, "no transitions");
}

static void count_runs(int32_t K, const sp_class_runs *class_runs, sp_frequencies *f)
{
    f->runs = f->isolated = 0;
    for (int32_t k = 0; class_runs && k < K; k++) {
        f->runs += class_runs[k].count;
        f->isolated += class_runs[k].isolated;
    }
    f->isolated_share = value_ratio((double)f->isolated, (double)f->runs, "no runs");
}

static void fill(const sp_comparison *c, const sp_transition_counts *counts, const sp_class_runs *class_runs,
                 sp_frequencies *f)
{
    f->illegal_per_transition =
        value_ratio((double)counts->illegal, (double)counts->transitions, "no transitions");
    f->illegal_per_change = value_ratio((double)counts->illegal, (double)counts->changes, "no changes");
    f->illegal_per_hour = per_hour(counts->illegal, counts->transitions, c->epoch_seconds);
    f->changes_per_hour = per_hour(counts->changes, counts->transitions, c->epoch_seconds);
    count_runs(c->n_classes, class_runs, f);
}

void sp_frequencies_fill(sp_comparison *c)
{
    sp_frequencies *reference = &c->reference_frequencies;
    if (c->has_labels) {
        fill(c, &c->reference, c->reference_runs, reference);
        reference->runs_ratio = value_undefined("the reference itself");
    }
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_strategy_result *one = &c->strategies[s];
        sp_frequencies *f = &one->frequencies;
        fill(c, &one->counts, one->class_runs, f);
        f->runs_ratio =
            c->has_labels ? value_ratio((double)f->runs, (double)reference->runs, "no runs in the reference")
                          : value_undefined("no reference");
        f->worst_recording = -1;
        f->worst_illegal = 0;
        for (int64_t r = 0; r < c->n_recordings; r++)
            if (one->recordings[r].counts.illegal > f->worst_illegal) {
                f->worst_recording = r;
                f->worst_illegal = one->recordings[r].counts.illegal;
            }
    }
}

/* ---- transitions by pair of classes ---- */

static int by_count(const void *a, const void *b)
{
    const sp_pair_count *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Transitions [n] as pairs of classes, all or those that the chain forbids. */
static sp_status list_pairs(const sp_evaluation *e, size_t n, const sp_tally_entry *entry, bool only_illegal,
                            sp_pair_count **out, int64_t *n_out, sp_error *err)
{
    sp_pair_count *pairs = malloc((n + 1) * sizeof *pairs);
    size_t m = 0;
    if (!pairs)
        return sp_no_memory(err);
    for (size_t i = 0; i < n; i++) {
        int32_t from = (int32_t)(entry[i].key / e->K), to = (int32_t)(entry[i].key % e->K);
        if (!only_illegal || !sp_chain_is_legal(e->chain, from, to))
            pairs[m++] = (sp_pair_count){from, to, entry[i].count};
    }
    qsort(pairs, m, sizeof *pairs, by_count);
    *out = pairs;
    *n_out = (int64_t)m;
    return SP_OK;
}

/* Where a comparison keeps the transitions of one path. */
typedef struct pair_lists {
    sp_pair_count **illegal, **pairs;
    int64_t *n_illegal, *n_pairs, **matrix;
} pair_lists;

static sp_status list_transitions(const sp_evaluation *e, sp_tally *tally, pair_lists out, sp_error *err)
{
    size_t K = (size_t)e->K;
    sp_status status = SP_OK;
    TRY(sp_tally_sort(tally) ? SP_OK : sp_no_memory(err));
    const sp_tally_entry *entry = tally->slots;
    TRY(list_pairs(e, tally->n, entry, true, out.illegal, out.n_illegal, err));
    if (K > SP_TRANSITION_CLASSES) {
        TRY(list_pairs(e, tally->n, entry, false, out.pairs, out.n_pairs, err));
    } else if (tally->n) {
        if (!(*out.matrix = calloc(K * K, sizeof **out.matrix)))
            TRY(sp_no_memory(err));
        for (size_t i = 0; i < tally->n; i++)
            (*out.matrix)[entry[i].key] = entry[i].count;
    }
done:
    return status;
}

/* ---- means over recordings ---- */

static double accuracy_at(const void *rows, int64_t i)
{
    sp_value v = ((const sp_recording_result *)rows)[i].accuracy;
    return v.undefined ? NAN : v.value;
}

static double kappa_at(const void *rows, int64_t i)
{
    sp_value v = ((const sp_recording_result *)rows)[i].kappa;
    return v.undefined ? NAN : v.value;
}

/* ---- a strategy ---- */

static void finish_score(const sp_evaluation *e, int32_t strategy)
{
    sp_strategy_result *s = &e->result->strategies[strategy];
    const sp_strategy_sums *sums = &e->sums[strategy];
    s->has_path_score = e->options.has_path_scores;
    if (!s->has_path_score)
        s->path_score = value_undefined("no scores");
    else if (sums->has_impossible)
        s->path_score = value_undefined("a path that the model or the scores make impossible");
    else if (s->n_undecoded == e->result->n_recordings)
        s->path_score = value_undefined("no recording decoded");
    else
        s->path_score = value_of(sp_exact_value(&sums->score_sum));
}

static sp_status finish_strategy(sp_evaluation *e, int32_t strategy, sp_error *err)
{
    sp_comparison *c = e->result;
    sp_strategy_result *s = &c->strategies[strategy];
    sp_strategy_sums *sums = &e->sums[strategy];
    if (s->has_agreement)
        sp_agreement_from_confusion(e->K, s->confusion, s->undecoded_steps, &s->agreement, s->classes);
    else
        sp_agreement_from_confusion(0, NULL, NULL, &s->agreement, NULL); /* everything undefined */
    int32_t K = s->has_agreement ? e->K : 0;
    sp_status status = SP_OK;
    TRY(sp_weighted_kappa(K, s->confusion, s->undecoded_steps, e->options.kappa_weights, &s->weighted_kappa,
                          err));
    TRY(sp_kappa_standard_error(K, s->confusion, s->undecoded_steps, &s->agreement, &s->kappa_se, err));
    TRY(sp_label_permutation_find(K, c->reference_runs, s, err));
    sp_label_shift_find(&sums->shift, &s->label_shift);
    sp_regret_finish(s, &sums->regret_sum);
    value_summary(c->n_recordings, accuracy_at, s->recordings, "defined in no recording", "one recording",
                  &s->mean_accuracy_n, &s->mean_accuracy, &s->sd_accuracy);
    value_summary(c->n_recordings, kappa_at, s->recordings, "defined in no recording", "one recording",
                  &s->mean_kappa_n, &s->mean_kappa, &s->sd_kappa);
    s->edit_score = value_ratio(sp_exact_value(&sums->edit_sum), (double)s->edit_score_n,
                                s->edit_score_too_long ? "recordings of too many runs" : "no scored steps");
    sp_boundaries_finish(&s->boundaries);
    sp_segments_finish(&s->segments);
    sp_entities_finish(e, &s->entities);
    finish_score(e, strategy);
    TRY(sp_error_runs_finish(e, strategy, err));
    pair_lists lists = {&s->illegal_pairs, &s->transition_pairs, &s->n_illegal_pairs, &s->n_transition_pairs,
                        &s->transition_counts};
    TRY(list_transitions(e, &sums->transitions, lists, err));
    TRY(sp_class_runs_fill(e->K, &sums->class_runs, c->reference_runs, &s->class_runs, err));
    sp_broken_runs_tell(&sums->broken, e->K, s->class_runs);
done:
    return status;
}

/* ---- the rules ---- */

enum { MAX_FORBIDDEN = 1000 };

static sp_status list_rules(const sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    size_t K = (size_t)e->K;
    c->forbidden = malloc(MAX_FORBIDDEN * sizeof *c->forbidden);
    c->start_allowed = malloc(K);
    c->end_allowed = malloc(K);
    c->min_dwell = malloc(K * sizeof *c->min_dwell);
    if (!c->forbidden || !c->start_allowed || !c->end_allowed || !c->min_dwell)
        return sp_no_memory(err);
    for (int32_t i = 0; i < e->K; i++) {
        c->start_allowed[i] = sp_chain_is_legal_start(e->chain, i);
        c->end_allowed[i] = sp_chain_is_legal_end(e->chain, i);
        c->min_dwell[i] = sp_chain_min_dwell(e->chain, i);
        for (int32_t j = 0; j < e->K; j++) {
            if (sp_chain_is_legal(e->chain, i, j))
                continue;
            c->forbidden_count++;
            if (c->n_forbidden < MAX_FORBIDDEN)
                c->forbidden[c->n_forbidden++] = (sp_pair_count){i, j, 0};
        }
    }
    return SP_OK;
}

static sp_status finish_reference(sp_evaluation *e, sp_error *err)
{
    sp_comparison *c = e->result;
    pair_lists lists = {&c->reference_illegal_pairs, &c->reference_transition_pairs,
                        &c->n_reference_illegal_pairs, &c->n_reference_transition_pairs,
                        &c->reference_transition_counts};
    sp_status status = SP_OK;
    TRY(list_transitions(e, &e->reference_transitions, lists, err));
    if (c->has_labels) {
        TRY(sp_class_runs_fill(e->K, &e->reference_runs, NULL, &c->reference_runs, err));
        sp_broken_runs_tell(&e->reference_broken, e->K, c->reference_runs);
    }
done:
    return status;
}

/* Leaves out subjects of whom no recording came. */
static sp_status keep_subjects(sp_comparison *c, sp_error *err)
{
    int32_t *place = malloc(((size_t)c->n_subjects + 1) * sizeof *place), n = 0;
    if (!place)
        return sp_no_memory(err);
    for (int32_t s = 0; s < c->n_subjects; s++)
        place[s] = -1;
    for (int64_t i = 0; i < c->n_recordings; i++)
        place[c->subject_of[i]] = 0;
    for (int32_t s = 0; s < c->n_subjects; s++) {
        if (place[s] < 0) {
            free(c->subjects[s]);
            continue;
        }
        c->subjects[n] = c->subjects[s];
        place[s] = n++;
    }
    for (int64_t i = 0; i < c->n_recordings; i++)
        c->subject_of[i] = place[c->subject_of[i]];
    c->n_subjects = n;
    free(place);
    return SP_OK;
}

sp_status sp_evaluation_finish(sp_evaluation *e, sp_comparison **out, sp_error *err)
{
    sp_comparison *c = e->result;
    if (!c)
        return sp_fail(err, SP_EINVAL, "this evaluation has been finished before");
    c->mask_ceiling = !c->has_labels             ? value_undefined("no labels")
                      : !e->options.with_ceiling ? value_undefined("not asked for")
                                                 : value_ratio((double)e->ceiling_correct,
                                                               (double)c->n_scored_steps, "no scored steps");
    sp_status status = SP_OK;
    if (c->n_subjects)
        TRY(keep_subjects(c, err));
    TRY(list_rules(e, err));
    TRY(sp_durations_list(e, err));
    TRY(finish_reference(e, err));
    for (int32_t s = 0; s < c->n_strategies; s++)
        TRY(finish_strategy(e, s, err));
    sp_frequencies_fill(c);
    sp_rule_counts_finish(e);
    sp_sleep_finish(e);
    sp_raters_finish(e);
    sp_collapsed_finish(e);
    TRY(sp_pairs_compare(e, err));
    e->result = NULL;
    *out = c;
done:
    return status;
}
