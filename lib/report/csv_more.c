/* Lines of the CSV that go beyond one figure a strategy; see tables_more.c. */
#include "report/csv_line.h"

#include <stdio.h>
#include <string.h>

static void add_error_runs(sp_buffer *out, sp_csv_line line, const sp_error_runs *e)
{
    sp_csv_count(out, line, "error_runs", e->runs->count, e->broken);
    sp_csv_count(out, line, "error_runs_forbidden", e->forbidden, e->runs->count);
    sp_csv_value(out, line, "error_consequence_share", &e->consequence_share, e->broken);
    sp_csv_value(out, line, "error_run_mean", &e->runs->mean, e->runs->count);
    sp_csv_value(out, line, "error_run_median", &e->runs->median, e->runs->count);
    sp_csv_count(out, line, "error_run_longest", e->longest, e->runs->count);
}

/* All transitions that were made, and how often. */
static void add_moves(const sp_comparison *c, sp_buffer *out, sp_csv_line line, const int64_t *moves, const sp_pair_count *pairs,
                      int64_t n_pairs, int64_t transitions)
{
    const int64_t K = c->n_classes, n = moves ? K * K : n_pairs;
    for (int64_t i = 0; i < n; i++) {
        int64_t count = moves ? moves[i] : pairs[i].count, from = moves ? i / K : pairs[i].from, to = moves ? i % K : pairs[i].to;
        if (count == 0)
            continue;
        sp_buffer name = {0};
        sp_buffer_format(&name, "%s -> %s", c->classes[from], c->classes[to]);
        line.class = name.failed ? "" : name.data;
        sp_csv_count(out, line, "transition_count", count, transitions);
        out->failed |= name.failed;
        sp_buffer_free(&name);
    }
}

static void add_frequencies(const sp_comparison *c, sp_buffer *out, sp_csv_line line, const sp_transition_counts *counts,
                            const sp_frequencies *f)
{
    sp_csv_value(out, line, "illegal_per_change", &f->illegal_per_change, counts->changes);
    sp_csv_value(out, line, "illegal_per_hour", &f->illegal_per_hour, counts->transitions);
    sp_csv_value(out, line, "changes_per_hour", &f->changes_per_hour, counts->transitions);
    sp_csv_count(out, line, "runs", f->runs, counts->transitions);
    sp_csv_count(out, line, "isolated_runs", f->isolated, f->runs);
    sp_csv_value(out, line, "isolated_runs_share", &f->isolated_share, f->runs);
    if (f->worst_recording < 0)
        return;
    line.recording = c->ids[f->worst_recording];
    sp_csv_count(out, line, "worst_recording", f->worst_illegal, counts->illegal);
}

static void add_reference(const sp_comparison *c, sp_buffer *out)
{
    const sp_csv_line line = {.strategy = "reference", .recording = "", .class = ""};
    sp_csv_value(out, line, "illegal_rate", &c->reference_frequencies.illegal_per_transition, c->reference.transitions);
    add_frequencies(c, out, line, &c->reference, &c->reference_frequencies);
    if (c->bridge_unscored)
        sp_csv_count(out, line, "bridged_transitions", c->bridged_transitions, c->reference.transitions);
    if (c->has_nll)
        sp_csv_count(out, line, "nll_impossible_steps", c->nll_impossible, c->nll_steps);
    if (c->has_nll && c->nll_clip > 0)
        sp_csv_value(out, line, "nll_clipped", &c->nll_clipped, c->nll_steps);
    if (c->has_ties)
        sp_csv_count(out, line, "argmax_ties_scored", c->tie_scored_steps, c->n_scored_steps);
    add_moves(c, out, line, c->reference_moves, c->reference_move_pairs, c->n_reference_move_pairs, c->reference.transitions);
}

static void add_strategy(const sp_comparison *c, const sp_strategy_result *s, sp_buffer *out)
{
    sp_csv_line line = {.strategy = s->name, .recording = "", .class = ""};
    add_frequencies(c, out, line, &s->counts, &s->frequencies);
    if (c->has_labels)
        sp_csv_value(out, line, "runs_ratio", &s->frequencies.runs_ratio, c->reference_frequencies.runs);
    if (s->permuted.is_suspect) {
        sp_csv_value(out, line, "permuted_accuracy", &s->permuted.accuracy, s->agreement.scored);
        sp_csv_value(out, line, "permuted_kappa", &s->permuted.kappa, s->agreement.scored);
    }
    add_moves(c, out, line, s->moves, s->move_pairs, s->n_move_pairs, s->counts.transitions);
    if (s->has_agreement)
        sp_csv_value(out, line, "kappa_se", &s->kappa_se, s->agreement.scored);
    if (s->has_agreement && c->kappa_weights != SP_KAPPA_UNWEIGHTED)
        sp_csv_value(out, line, "weighted_kappa", &s->weighted_kappa, s->agreement.scored);
    if (s->has_regret) {
        sp_csv_value(out, line, "regret", &s->regret, s->regret_steps);
        sp_csv_count(out, line, "zero_probability_steps", s->zero_steps, s->regret_steps + s->zero_steps);
    }
    if (s->error_runs.runs)
        add_error_runs(out, line, &s->error_runs);
    for (int32_t k = 0; s->has_agreement && k < c->n_classes; k++) {
        line.class = c->classes[k];
        sp_csv_value(out, line, "npv", &s->classes[k].npv, s->agreement.scored - s->classes[k].predicted);
        sp_csv_value(out, line, "prevalence", &s->classes[k].prevalence, s->agreement.scored);
        sp_csv_value(out, line, "prevalence_index", &s->classes[k].prevalence_index, s->agreement.scored);
        sp_csv_value(out, line, "pabak", &s->classes[k].pabak, s->agreement.scored);
        sp_csv_value(out, line, "bias", &s->classes[k].bias, s->agreement.scored);
    }
}

static void add_chi2(sp_buffer *out, sp_csv_line line, const char *name, const sp_chi2 *test)
{
    char key[64];
    snprintf(key, sizeof key, "%s_chi2", name);
    sp_csv_value(out, line, key, &test->chi2, test->df);
    snprintf(key, sizeof key, "%s_p", name);
    sp_csv_value(out, line, key, &test->p, test->df);
}

static void add_tests(const sp_comparison *c, sp_buffer *out)
{
    for (int32_t i = 0; i < c->n_comparisons; i++) {
        const sp_pair_comparison *pair = &c->comparisons[i];
        sp_buffer name = {0};
        if (strcmp(pair->metric, "accuracy") != 0)
            continue;
        sp_buffer_format(&name, "%s - %s", c->strategies[pair->a].name, c->strategies[pair->b].name);
        sp_csv_line line = {.strategy = name.failed ? "" : name.data, .recording = "", .class = ""};
        add_chi2(out, line, "mcnemar_cluster", &pair->mcnemar_cluster);
        add_chi2(out, line, "bowker", &pair->bowker);
        add_chi2(out, line, "stuart_maxwell", &pair->stuart_maxwell);
        out->failed |= name.failed;
        sp_buffer_free(&name);
    }
    if (!c->mean_ranks)
        return;
    sp_csv_line all = {.strategy = "all", .recording = "", .class = ""};
    add_chi2(out, all, "friedman", &c->friedman);
    add_chi2(out, all, "cochran", &c->cochran);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_value rank = {.value = c->mean_ranks[s]};
        sp_csv_value(out, (sp_csv_line){.strategy = c->strategies[s].name, .recording = "", .class = ""}, "mean_rank", &rank,
                     c->comparisons[0].difference.n);
    }
}

void sp_csv_more(sp_buffer *out, const sp_comparison *comparison)
{
    const sp_comparison *c = comparison;
    if (c->has_labels)
        add_reference(c, out);
    if (c->has_ties)
        sp_csv_count(out, (sp_csv_line){.strategy = "all", .recording = "", .class = ""}, "argmax_ties", c->tie_steps,
                     c->n_steps);
    for (int32_t s = 0; s < c->n_strategies; s++)
        add_strategy(c, &c->strategies[s], out);
    add_tests(c, out);
    for (int32_t i = 0; i < c->n_collapsed; i++)
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_agreement *a = &c->collapsed[i].strategies[s];
            sp_csv_line line = {.strategy = c->strategies[s].name, .recording = "", .class = c->collapsed[i].how.name};
            sp_csv_value(out, line, "collapsed_accuracy", &a->accuracy, a->scored);
            sp_csv_value(out, line, "collapsed_kappa", &a->kappa, a->scored);
            sp_csv_value(out, line, "collapsed_mcc", &a->mcc, a->scored);
            sp_csv_value(out, line, "collapsed_macro_f1", &a->macro_f1, a->macro_f1_classes);
        }
    for (int64_t r = 0; c->trimmed_steps && r < c->n_recordings; r++)
        sp_csv_count(out, (sp_csv_line){.strategy = "reference", .recording = c->ids[r], .class = ""}, "trimmed_steps",
                     c->trimmed_steps[r], c->steps[r]);
    for (int64_t r = 0; c->has_length_trim && r < c->n_recordings; r++) {
        const sp_csv_line line = {.strategy = "reference", .recording = c->ids[r], .class = ""};
        sp_csv_count(out, line, "cut_path_steps", c->cut_path_steps[r], c->steps[r]);
        sp_csv_count(out, line, "cut_label_steps", c->cut_label_steps[r], c->steps[r]);
    }
}
