/* Long form: one figure a line, so that any tool can filter and pivot it.
 *
 *   strategy   name; "reference" for the reference itself; "a - b" for a paired difference; "all" for tests over all strategies,
 *              "scorer X" and "scorers" for raters
 *   recording  id; empty for figures over all recordings
 *   class      name; "A -> B" for a pair of classes; type of an entity; name of coarser classes; empty for figures over all
 *   metric     key of the figure (`statepath help figures`), and made of several: "accuracy_difference" of a pair,
 *              "decoded_as B" (with class A): steps of reference A decoded as B, those above 0; "transition_count" (with class
 *              "A -> B"): all transitions that were made; "accuracy_AAX": by place in the reference's runs; "sleep_tst",
 *              "sleep_tst_difference"; "illegal_step" (with class "A -> B", "-> B" of a start): a step at which the rule is
 *              broken; "kappa_with X": with rater X; "bin_3_accuracy", "coverage_3_share": of calibration
 *   value      empty where undefined
 *   n          what the figure is over: scored steps, transitions, recordings (subjects) or classes; empty for plain counts
 *   low, high  interval, where there is one */
#include "evaluate/compared.h"
#include "evaluate/evaluate.h"
#include "evaluate/figures.h"
#include "report/tables/tables.h"
#include "statepath/report.h"

#include <stdio.h>
#include <string.h>

typedef struct csv_line {
    const char *strategy, *recording, *class;
} csv_line;

static void begin(sp_buffer *out, csv_line line, const char *metric)
{
    const char *const fields[] = {line.strategy, line.recording, line.class, metric};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        sp_buffer_csv(out, fields[i] ? fields[i] : "");
        sp_buffer_text(out, ",");
    }
}

static void add_number(sp_buffer *out, sp_value value)
{
    if (!value.undefined)
        sp_buffer_real(out, value.value);
}

static void add_value(sp_buffer *out, csv_line line, const char *metric, sp_value value, int64_t n)
{
    begin(out, line, metric);
    add_number(out, value);
    sp_buffer_format(out, ",%lld,,\r\n", (long long)n);
}

static void add_count(sp_buffer *out, csv_line line, const char *metric, int64_t count)
{
    begin(out, line, metric);
    sp_buffer_format(out, "%lld,,,\r\n", (long long)count);
}

static void add_share(sp_buffer *out, csv_line line, const char *metric, int64_t count, int64_t n)
{
    begin(out, line, metric);
    sp_buffer_format(out, "%lld,%lld,,\r\n", (long long)count, (long long)n);
}

/* All figures of a scope that the owner has; their metrics begin with `prefix`. */
static void add_figures(sp_buffer *out, csv_line line, const char *prefix, sp_figure_scope scope, sp_figure_owner owner)
{
    const sp_figures figures = sp_figures_of(scope);
    for (size_t i = 0; i < figures.n; i++) {
        const sp_figure *f = &figures.list[i];
        char metric[96];
        int64_t n;
        if (!f->in_csv || sp_figure_missing(f, &owner))
            continue;
        if (*prefix)
            snprintf(metric, sizeof metric, "%s%s", prefix, f->key);
        begin(out, line, *prefix ? metric : f->key);
        if (sp_figure_is_count(f))
            sp_buffer_format(out, "%lld", (long long)sp_figure_count(f, &owner));
        else
            add_number(out, sp_figure_at(&f->place, &owner));
        if (sp_figure_n(f, &owner, &n))
            sp_buffer_format(out, ",%lld,", (long long)n);
        else
            sp_buffer_text(out, ",,");
        if (f->low.base) {
            add_number(out, sp_figure_at(&f->low, &owner));
            sp_buffer_text(out, ",");
            add_number(out, sp_figure_at(&f->high, &owner));
            sp_buffer_text(out, "\r\n");
        } else {
            sp_buffer_text(out, ",\r\n");
        }
    }
}

/* The three texts in one, in `name`, which the caller frees. */
static const char *joined(sp_buffer *name, sp_buffer *out, const char *before, const char *between, const char *after)
{
    sp_buffer_free(name);
    sp_buffer_format(name, "%s%s%s", before, between, after);
    out->failed |= name->failed;
    return name->failed ? "" : name->data;
}

/* ---- reference and strategies ---- */

/* Pairs of classes and their counts; n < 0: not said. */
static void add_pairs(const sp_comparison *c, sp_buffer *out, csv_line line, const char *metric, const sp_pair_count *pairs,
                      int64_t n_pairs, int64_t n)
{
    sp_buffer name = {0};
    for (int64_t i = 0; i < n_pairs; i++) {
        line.class = joined(&name, out, c->classes[pairs[i].from], " -> ", c->classes[pairs[i].to]);
        if (n < 0)
            add_count(out, line, metric, pairs[i].count);
        else
            add_share(out, line, metric, pairs[i].count, n);
    }
    sp_buffer_free(&name);
}

/* All transitions that were made. counts [K,K], or pairs where it is NULL. */
static void add_transitions(const sp_comparison *c, sp_buffer *out, csv_line line, const int64_t *counts,
                            const sp_pair_count *pairs, int64_t n_pairs, int64_t n)
{
    const int32_t K = c->n_classes;
    if (!counts)
        add_pairs(c, out, line, "transition_count", pairs, n_pairs, n);
    for (int32_t i = 0; counts && i < K; i++)
        for (int32_t j = 0; j < K; j++) {
            const sp_pair_count pair = {i, j, counts[(size_t)i * (size_t)K + (size_t)j]};
            add_pairs(c, out, line, "transition_count", &pair, pair.count > 0, n);
        }
}

static void add_worst(const sp_comparison *c, sp_buffer *out, csv_line line, const sp_frequencies *f, int64_t illegal)
{
    if (f->worst_recording < 0)
        return;
    line.recording = c->ids[f->worst_recording];
    add_share(out, line, "worst_recording", f->worst_illegal, illegal);
}

/* s NULL: of the reference. */
static void add_runs(const sp_comparison *c, sp_buffer *out, csv_line line, const sp_strategy_result *s)
{
    const sp_class_runs *runs = s ? s->class_runs : c->reference_runs;
    for (int32_t k = 0; runs && k < c->n_classes; k++) {
        line.class = c->classes[k];
        add_figures(out, line, "", SP_OF_RUNS, (sp_figure_owner){&runs[k], s, c});
    }
}

static void add_reference(const sp_comparison *c, sp_buffer *out)
{
    const csv_line line = {.strategy = "reference"};
    add_figures(out, line, "", SP_OF_REFERENCE, (sp_figure_owner){.own = c, .comparison = c});
    add_figures(out, line, "", SP_OF_COMPARISON, (sp_figure_owner){.own = c, .comparison = c});
    add_worst(c, out, line, &c->reference_frequencies, c->reference.illegal);
    add_pairs(c, out, line, "illegal", c->reference_illegal_pairs, c->n_reference_illegal_pairs, -1);
    add_transitions(c, out, line, c->reference_transition_counts, c->reference_transition_pairs, c->n_reference_transition_pairs,
                    c->reference.transitions);
    add_runs(c, out, line, NULL);
}

static void add_class(const sp_comparison *c, const sp_strategy_result *s, int32_t k, sp_buffer *out)
{
    const csv_line line = {.strategy = s->name, .class = c->classes[k]};
    sp_buffer name = {0};
    add_figures(out, line, "", SP_OF_CLASS, (sp_figure_owner){&s->classes[k], s, c});
    for (int32_t j = 0; j < c->n_classes; j++) {
        const int64_t count = s->confusion[(size_t)k * (size_t)c->n_classes + (size_t)j];
        if (count)
            add_count(out, line, joined(&name, out, "decoded_as ", c->classes[j], ""), count);
    }
    sp_buffer_free(&name);
    if (s->undecoded_steps && s->undecoded_steps[k])
        add_count(out, line, "undecoded_steps", s->undecoded_steps[k]);
    if (s->has_changes && s->class_changes)
        add_figures(out, line, "", SP_OF_CHANGES, (sp_figure_owner){&s->class_changes[k], s, c});
}

/* Accuracy by place in the reference's runs, and entities by type. */
static void add_places(const sp_comparison *c, const sp_strategy_result *s, sp_buffer *out)
{
    csv_line line = {.strategy = s->name};
    for (int i = 0; i < SP_N_CONTEXTS; i++) {
        char key[32];
        const int64_t n = s->context_steps[i];
        snprintf(key, sizeof key, "accuracy_%s", sp_context_name((sp_context)i));
        add_value(out, line, key,
                  n ? (sp_value){.value = (double)s->context_correct[i] / (double)n} : (sp_value){.undefined = ""}, n);
    }
    for (int32_t t = 0; c->has_entities && t < c->n_entity_types; t++) {
        line.class = c->entity_types[t];
        add_figures(out, line, "", SP_OF_ENTITIES, (sp_figure_owner){&s->entities.types[t], s, c});
    }
}

static void add_strategy(const sp_comparison *c, const sp_strategy_result *s, sp_buffer *out)
{
    csv_line line = {.strategy = s->name};
    add_figures(out, line, "", SP_OF_STRATEGY, (sp_figure_owner){s, s, c});
    add_worst(c, out, line, &s->frequencies, s->counts.illegal);
    add_pairs(c, out, line, "illegal", s->illegal_pairs, s->n_illegal_pairs, -1);
    add_transitions(c, out, line, s->transition_counts, s->transition_pairs, s->n_transition_pairs, s->counts.transitions);
    add_runs(c, out, line, s);
    for (int32_t k = 0; s->has_agreement && k < c->n_classes; k++)
        add_class(c, s, k, out);
    if (s->has_agreement)
        add_places(c, s, out);
    for (int64_t r = 0; r < c->n_recordings; r++) {
        line.recording = c->ids[r];
        add_count(out, line, "steps", c->steps[r]);
        add_count(out, line, "decoded", s->recordings[r].decoded.status == SP_OK);
        add_figures(out, line, "", SP_OF_RECORDING, (sp_figure_owner){&s->recordings[r], s, c});
        sp_buffer_drain(out);
    }
}

/* ---- pairs of strategies, and all of them ---- */

static void add_comparison(const sp_comparison *c, const sp_pair_comparison *pair, sp_buffer *out)
{
    const sp_difference *d = &pair->difference;
    sp_buffer name = {0}, metric = {0};
    const csv_line line = {.strategy = joined(&name, out, c->strategies[pair->a].name, " - ", c->strategies[pair->b].name)};
    begin(out, line, joined(&metric, out, pair->metric, "_difference", ""));
    add_number(out, d->difference);
    sp_buffer_format(out, ",%lld,", (long long)d->n);
    add_number(out, d->low);
    sp_buffer_text(out, ",");
    add_number(out, d->high);
    sp_buffer_text(out, "\r\n");
    const sp_compared_tests tests = sp_compared_by(pair->metric)->tests;
    if (tests == SP_ALL_TESTS) {
        add_figures(out, line, "", SP_OF_PAIR, (sp_figure_owner){.own = pair, .comparison = c});
        add_value(out, line, "wilcoxon_p_holm", pair->p_holm, sp_tested_pairs(c).n);
    }
    if (tests == SP_SIGN_FLIPS)
        add_value(out, line, joined(&metric, out, pair->metric, "_sign_flip_p", ""), pair->permutation.p,
                  pair->test.better + pair->test.worse);
    sp_buffer_free(&name);
    sp_buffer_free(&metric);
}

static void add_several(const sp_comparison *c, sp_buffer *out)
{
    const csv_line all = {.strategy = "all"};
    if (c->has_ties)
        add_share(out, all, "argmax_ties", c->tie_steps, c->n_steps);
    if (!c->mean_ranks)
        return;
    add_value(out, all, "friedman_chi2", c->friedman.chi2, c->friedman.df);
    add_value(out, all, "friedman_p", c->friedman.p, c->friedman.df);
    add_value(out, all, "cochran_chi2", c->cochran.chi2, c->cochran.df);
    add_value(out, all, "cochran_p", c->cochran.p, c->cochran.df);
    for (int32_t s = 0; s < c->n_strategies; s++)
        add_value(out, (csv_line){.strategy = c->strategies[s].name}, "mean_rank", (sp_value){.value = c->mean_ranks[s]},
                  c->comparisons[0].difference.n);
}

static void add_collapsed(const sp_comparison *c, sp_buffer *out)
{
    for (int32_t i = 0; i < c->n_collapsed; i++)
        for (int32_t s = 0; s < c->n_strategies; s++)
            add_figures(out, (csv_line){.strategy = c->strategies[s].name, .class = c->collapsed[i].how.name}, "",
                        SP_OF_COLLAPSED, (sp_figure_owner){&c->collapsed[i].strategies[s], &c->strategies[s], c});
}

/* A row for each path that breaks a rule at a step; the value is the step. */
static void add_illegal_places(const sp_comparison *c, sp_buffer *out)
{
    for (int64_t i = 0; i < c->n_illegal_places; i++) {
        const sp_illegal_place *place = &c->illegal_places[i];
        for (int32_t s = 0; s <= c->n_strategies; s++) {
            const sp_illegal_said *said = &place->said[s];
            sp_buffer name = {0};
            if (!said->is_illegal)
                continue;
            const csv_line line = {
                .strategy = s < c->n_strategies ? c->strategies[s].name : "reference",
                .recording = c->ids[place->recording],
                .class = joined(&name, out, said->from < 0 ? "" : c->classes[said->from], " -> ", c->classes[said->to])};
            add_count(out, line, "illegal_step", place->step);
            sp_buffer_free(&name);
        }
        sp_buffer_drain(out);
    }
}

/* Steps of each recording that were left out. */
static void add_cuts(const sp_comparison *c, sp_buffer *out)
{
    for (int64_t r = 0; r < c->n_recordings; r++) {
        const csv_line line = {.strategy = "reference", .recording = c->ids[r]};
        if (c->trimmed_steps)
            add_share(out, line, "trimmed_steps", c->trimmed_steps[r], c->steps[r]);
        if (c->has_length_trim) {
            add_share(out, line, "cut_path_steps", c->cut_path_steps[r], c->steps[r]);
            add_share(out, line, "cut_label_steps", c->cut_label_steps[r], c->steps[r]);
        }
    }
}

/* ---- calibration of the scores, under "reference" or the classifier's name like the likelihood ---- */

/* Figures of structs that stand side by side, `size` bytes each: "bin_3_accuracy". */
static void add_numbered(const sp_comparison *c, sp_buffer *out, const csv_line *line, const char *kind, sp_figure_scope scope,
                         const void *first, size_t size, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        char prefix[48];
        snprintf(prefix, sizeof prefix, "%s_%d_", kind, (int)i);
        add_figures(out, *line, prefix, scope, (sp_figure_owner){.own = (const char *)first + (size_t)i * size, .comparison = c});
    }
}

static void add_calibration(const sp_comparison *c, const sp_reliability *one, csv_line line, sp_buffer *out)
{
    add_figures(out, line, "", SP_OF_CALIBRATION, (sp_figure_owner){.own = one, .comparison = c});
    add_numbered(c, out, &line, "bin", SP_OF_BIN, one->bins, sizeof *one->bins, SP_RELIABILITY_BINS);
    add_numbered(c, out, &line, "adaptive_bin", SP_OF_BIN, one->adaptive, sizeof *one->adaptive, one->n_adaptive);
    add_numbered(c, out, &line, "coverage", SP_OF_COVERAGE, one->coverage, sizeof *one->coverage, one->n_coverage);
    for (int32_t k = 0; k < one->n_classes; k++) {
        line.class = c->classes[k];
        add_value(out, line, "ece", one->class_ece[k], one->n_steps);
    }
}

static void add_against(const sp_comparison *c, const sp_against *one, sp_buffer *out)
{
    const csv_line line = {.strategy = one->name};
    add_figures(out, line, "", SP_OF_AGAINST, (sp_figure_owner){.own = one, .comparison = c});
    if (one->reliability)
        add_calibration(c, one->reliability, line, out);
}

/* ---- sleep and raters ---- */

/* agreement NULL: of the reference, or without one. */
static void add_nights(const sp_comparison *c, csv_line line, const sp_sleep_mean *means, const sp_sleep_agreement *agreement,
                       const sp_sleep_statistics *nights, sp_buffer *out)
{
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        char key[64], prefix[72];
        snprintf(key, sizeof key, "sleep_%s", sp_sleep_measure_key((sp_sleep_measure)m));
        snprintf(prefix, sizeof prefix, "%s_", key);
        line.recording = "";
        add_value(out, line, key, means[m].mean, means[m].n);
        if (agreement)
            add_figures(out, line, prefix, SP_OF_SLEEP_DIFFERENCE, (sp_figure_owner){.own = &agreement[m], .comparison = c});
        for (int64_t r = 0; r < c->n_recordings; r++) {
            line.recording = c->ids[r];
            add_value(out, line, key, nights[r].values[m], 1);
        }
    }
}

static void add_sleep(const sp_comparison *c, sp_buffer *out)
{
    const sp_sleep *sleep = c->sleep;
    if (sleep->reference)
        add_nights(c, (csv_line){.strategy = "reference"}, sleep->reference_means, NULL, sleep->reference, out);
    for (int32_t s = 0; s < sleep->n_strategies; s++) {
        const sp_sleep_strategy *one = &sleep->strategies[s];
        add_nights(c, (csv_line){.strategy = c->strategies[s].name}, one->means, sleep->reference ? one->agreement : NULL,
                   one->nights, out);
    }
}

static void add_rater(const sp_comparison *c, const sp_rater_row *row, const char *name, sp_buffer *out)
{
    const csv_line line = {.strategy = name};
    sp_buffer metric = {0};
    add_figures(out, line, "", SP_OF_RATER, (sp_figure_owner){.own = row, .comparison = c});
    for (int32_t i = 0; i < c->raters->n_raters; i++) {
        const sp_rater_pair *with = &row->with[i];
        add_value(out, line, joined(&metric, out, "accuracy_with ", c->raters->names[i], ""), with->accuracy, with->steps);
        add_value(out, line, joined(&metric, out, "kappa_with ", c->raters->names[i], ""), with->kappa, with->steps);
    }
    sp_buffer_free(&metric);
}

static void add_raters(const sp_comparison *c, sp_buffer *out)
{
    const sp_raters *s = c->raters;
    sp_buffer name = {0};
    if (s->has_reference)
        add_rater(c, &s->reference, "reference", out);
    for (int32_t i = 0; i < s->n_strategies; i++)
        add_rater(c, &s->strategies[i], s->strategies[i].name, out);
    for (int32_t i = 0; i < s->n_raters; i++)
        add_rater(c, &s->raters[i], joined(&name, out, "scorer ", s->names[i], ""), out);
    sp_buffer_free(&name);
    add_figures(out, (csv_line){.strategy = "scorers"}, "", SP_OF_RATERS, (sp_figure_owner){.own = s, .comparison = c});
}

/* ---- the document ---- */

static void write_all(const sp_comparison *c, sp_buffer *out)
{
    sp_buffer_text(out, "strategy,recording,class,metric,value,n,low,high\r\n");
    if (c->has_labels)
        add_reference(c, out);
    if (c->has_labels && c->reliability)
        add_calibration(c, c->reliability, (csv_line){.strategy = "reference"}, out);
    for (int32_t i = 0; i < c->n_against && c->has_labels; i++)
        add_against(c, &c->against[i], out);
    for (int32_t s = 0; s < c->n_strategies; s++)
        add_strategy(c, &c->strategies[s], out);
    for (int32_t i = 0; i < c->n_comparisons; i++)
        add_comparison(c, &c->comparisons[i], out);
    add_several(c, out);
    add_collapsed(c, out);
    add_cuts(c, out);
    add_illegal_places(c, out);
    if (c->sleep)
        add_sleep(c, out);
    if (c->raters)
        add_raters(c, out);
}

sp_status sp_report_csv(const sp_comparison *comparison, char **out, sp_error *err)
{
    sp_buffer text = {0};
    write_all(comparison, &text);
    return sp_buffer_finish(&text, out, err);
}

sp_status sp_report_csv_to(const sp_comparison *comparison, sp_report_sink *sink, void *arg, sp_error *err)
{
    sp_buffer_sink to = {.call = sink, .arg = arg, .status = SP_OK};
    sp_buffer text = {.sink = &to};
    write_all(comparison, &text);
    return sp_buffer_end(&text, err);
}
