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
 *              broken; "run_too_short", "run_too_long": the first step of such a run, n its length; "kappa_with X": with rater X; "bin_3_accuracy", "coverage_3_share": of calibration
 *   value      empty where undefined
 *   n          what the figure is over: scored steps, transitions, recordings (subjects) or classes; empty for plain counts
 *   low, high  interval, where there is one */
#include "evaluate/compared.h"
#include "evaluate/evaluate.h"
#include "evaluate/figures.h"
#include "report/tables/tables.h"
#include "statepath/report.h"

#include <math.h>
#include <stdio.h>

/* A field that is made of up to three texts; those that are NULL are not there. */
typedef struct parts {
    const char *of[3];
} parts;

/* What all lines begin with. */
typedef struct csv_line {
    sp_buffer *out;
    const sp_comparison *c;
    parts strategy, class;
    const char *recording;
} csv_line;

static void add_field(sp_buffer *out, parts text)
{
    sp_buffer joined = {0};
    if (text.of[1])
        for (int i = 0; i < 3; i++)
            sp_buffer_text(&joined, text.of[i]);
    sp_buffer_csv(out, text.of[1] ? sp_buffer_string(&joined) : text.of[0] ? text.of[0] : "");
    sp_buffer_text(out, ",");
    sp_buffer_drop(&joined, out);
}

static void begin(const csv_line *l, parts metric)
{
    add_field(l->out, l->strategy);
    add_field(l->out, (parts){{l->recording}});
    add_field(l->out, l->class);
    add_field(l->out, metric);
}

static void add_number(sp_buffer *out, sp_value value)
{
    if (!value.undefined)
        sp_buffer_real(out, value.value + 0.0); /* 0, not -0 */
}

/* ",n,low,high" and the end of the line; n < 0, and low NULL: not said. */
static void end(const csv_line *l, int64_t n, const sp_value *low, const sp_value *high)
{
    sp_buffer_text(l->out, ",");
    if (n >= 0)
        sp_buffer_format(l->out, "%lld", (long long)n);
    sp_buffer_text(l->out, ",");
    if (low)
        add_number(l->out, *low);
    sp_buffer_text(l->out, ",");
    if (low)
        add_number(l->out, *high);
    sp_buffer_text(l->out, "\r\n");
}

static void add_value(const csv_line *l, parts metric, sp_value value, int64_t n)
{
    begin(l, metric);
    add_number(l->out, value);
    end(l, n, NULL, NULL);
}

/* n < 0: not said. */
static void add_count(const csv_line *l, parts metric, int64_t count, int64_t n)
{
    begin(l, metric);
    sp_buffer_format(l->out, "%lld", (long long)count);
    end(l, n, NULL, NULL);
}

/* A metric of one text, and of several. */
#define KEY(text) ((parts){{text}})
#define KEYS(...) ((parts){{__VA_ARGS__}})

/* All figures of a scope that the owner has; their metrics begin with `prefix`. */
static void add_prefixed(const csv_line *l, const char *prefix, sp_figure_scope scope, const void *own,
                         const sp_strategy_result *s)
{
    const sp_figures figures = sp_figures_of(scope);
    const sp_figure_owner owner = {own, s, l->c};
    for (size_t i = 0; i < figures.n; i++) {
        const sp_figure *f = &figures.list[i];
        const sp_value low = sp_figure_at(&f->low, &owner), high = sp_figure_at(&f->high, &owner);
        int64_t n;
        if (!f->in_csv || sp_figure_missing(f, &owner))
            continue;
        begin(l, prefix ? KEYS(prefix, f->key) : KEY(f->key));
        if (sp_figure_is_count(f))
            sp_buffer_format(l->out, "%lld", (long long)sp_figure_count(f, &owner));
        else
            add_number(l->out, sp_figure_at(&f->place, &owner));
        end(l, sp_figure_n(f, &owner, &n) ? n : -1, f->low.base ? &low : NULL, &high);
    }
}

static void add_figures(const csv_line *l, sp_figure_scope scope, const void *own,
                        const sp_strategy_result *s)
{
    add_prefixed(l, NULL, scope, own, s);
}

/* ---- reference and strategies ---- */

/* Pairs of classes and their counts; n < 0: not said. */
static void add_pairs(csv_line l, const char *metric, const sp_pair_count *pairs, int64_t n_pairs, int64_t n)
{
    for (int64_t i = 0; i < n_pairs; i++) {
        l.class = KEYS(l.c->classes[pairs[i].from], " -> ", l.c->classes[pairs[i].to]);
        add_count(&l, KEY(metric), pairs[i].count, n);
    }
}

/* The recording with most illegal transitions, which there are, and all transitions that were made. s NULL: of the reference. */
static void add_transitions(csv_line l, const sp_strategy_result *s)
{
    const sp_comparison *c = l.c;
    const sp_transition_counts *all = s ? &s->counts : &c->reference;
    const sp_frequencies *f = s ? &s->frequencies : &c->reference_frequencies;
    const int64_t *counts = s ? s->transition_counts : c->reference_transition_counts;
    const int32_t K = c->n_classes;
    if (f->worst_recording >= 0) {
        l.recording = c->ids[f->worst_recording];
        add_count(&l, KEY("worst_recording"), f->worst_illegal, all->illegal);
        l.recording = NULL;
    }
    add_pairs(l, "illegal", s ? s->illegal_pairs : c->reference_illegal_pairs,
              s ? s->n_illegal_pairs : c->n_reference_illegal_pairs, -1);
    if (!counts)
        add_pairs(l, "transition_count", s ? s->transition_pairs : c->reference_transition_pairs,
                  s ? s->n_transition_pairs : c->n_reference_transition_pairs, all->transitions);
    for (int32_t i = 0; counts && i < K; i++)
        for (int32_t j = 0; j < K; j++) {
            const sp_pair_count pair = {i, j, counts[(size_t)i * (size_t)K + (size_t)j]};
            add_pairs(l, "transition_count", &pair, pair.count > 0, all->transitions);
        }
}

/* s NULL: of the reference. */
static void add_runs(csv_line l, const sp_strategy_result *s)
{
    const sp_class_runs *runs = s ? s->class_runs : l.c->reference_runs;
    for (int32_t k = 0; runs && k < l.c->n_classes; k++) {
        l.class = KEY(l.c->classes[k]);
        add_figures(&l, SP_OF_RUNS, &runs[k], s);
    }
}

/* Violations of rules, in the column of classes the rule's name. who: a strategy, or n_strategies for the reference. */
static void add_rules(csv_line l, int32_t who)
{
    const sp_comparison *c = l.c;
    for (int32_t r = 0; r < c->n_rules; r++) {
        l.class = KEYS("rule ", c->rules[r].name);
        l.recording = NULL;
        add_figures(&l, SP_OF_RULE, &c->rules[r].by[who], NULL);
        for (int64_t n = 0; n < c->n_recordings; n++) {
            l.recording = c->ids[n];
            if (who == c->n_strategies || c->strategies[who].recordings[n].decoded.status == SP_OK)
                add_count(&l, KEY("violations"), sp_rule_violations_in(c, n, r, who), -1);
        }
    }
}

static void add_reference(const csv_line *l)
{
    add_figures(l, SP_OF_REFERENCE, l->c, NULL);
    add_figures(l, SP_OF_COMPARISON, l->c, NULL);
    add_transitions(*l, NULL);
    add_runs(*l, NULL);
    add_rules(*l, l->c->n_strategies);
}

static void add_class(csv_line l, const sp_strategy_result *s, int32_t k)
{
    const sp_comparison *c = l.c;
    l.class = KEY(c->classes[k]);
    add_figures(&l, SP_OF_CLASS, &s->classes[k], s);
    for (int32_t j = 0; j < c->n_classes; j++) {
        const int64_t count = s->confusion[(size_t)k * (size_t)c->n_classes + (size_t)j];
        if (count)
            add_count(&l, KEYS("decoded_as ", c->classes[j]), count, -1);
    }
    if (s->undecoded_steps && s->undecoded_steps[k])
        add_count(&l, KEY("undecoded_steps"), s->undecoded_steps[k], -1);
    if (s->has_changes && s->class_changes)
        add_figures(&l, SP_OF_CHANGES, &s->class_changes[k], s);
}

/* Accuracy by place in the reference's runs, and entities by type. */
static void add_places(csv_line l, const sp_strategy_result *s)
{
    for (int i = 0; i < SP_N_CONTEXTS; i++) {
        const int64_t n = s->context_steps[i];
        add_value(&l, KEYS("accuracy_", sp_context_name((sp_context)i)),
                  n ? (sp_value){.value = (double)s->context_correct[i] / (double)n}
                    : (sp_value){.undefined = ""},
                  n);
    }
    for (int32_t t = 0; l.c->has_entities && t < l.c->n_entity_types; t++) {
        l.class = KEY(l.c->entity_types[t]);
        add_figures(&l, SP_OF_ENTITIES, &s->entities.types[t], s);
    }
}

static void add_strategy(csv_line l, const sp_strategy_result *s)
{
    const sp_comparison *c = l.c;
    l.strategy = KEY(s->name);
    add_figures(&l, SP_OF_STRATEGY, s, s);
    add_transitions(l, s);
    add_runs(l, s);
    for (int32_t k = 0; s->has_agreement && k < c->n_classes; k++)
        add_class(l, s, k);
    if (s->has_agreement)
        add_places(l, s);
    add_rules(l, (int32_t)(s - c->strategies));
    for (int64_t r = 0; r < c->n_recordings; r++) {
        l.recording = c->ids[r];
        add_count(&l, KEY("steps"), c->steps[r], -1);
        add_count(&l, KEY("decoded"), s->recordings[r].decoded.status == SP_OK, -1);
        add_figures(&l, SP_OF_RECORDING, &s->recordings[r], s);
        sp_buffer_drain(l.out);
    }
}

/* ---- pairs of strategies, and all of them ---- */

static void add_comparison(csv_line l, const sp_pair_comparison *pair)
{
    const sp_difference *d = &pair->difference;
    const sp_compared_tests tests = sp_compared_by(pair->metric)->tests;
    l.strategy = KEYS(l.c->strategies[pair->a].name, " - ", l.c->strategies[pair->b].name);
    begin(&l, KEYS(pair->metric, "_difference"));
    add_number(l.out, d->difference);
    end(&l, d->n, &d->low, &d->high);
    if (tests == SP_ALL_TESTS) {
        add_figures(&l, SP_OF_PAIR, pair, NULL);
        add_value(&l, KEY("wilcoxon_p_holm"), pair->p_holm, sp_tested_pairs(l.c).n);
    }
    if (tests == SP_SIGN_FLIPS)
        add_value(&l, KEYS(pair->metric, "_sign_flip_p"), pair->permutation.p,
                  pair->test.better + pair->test.worse);
}

static void add_several(csv_line l)
{
    const sp_comparison *c = l.c;
    l.strategy = KEY("all");
    if (c->has_ties)
        add_count(&l, KEY("argmax_ties"), c->tie_steps, c->n_steps);
    if (!c->mean_ranks)
        return;
    add_value(&l, KEY("friedman_chi2"), c->friedman.chi2, c->friedman.df);
    add_value(&l, KEY("friedman_p"), c->friedman.p, c->friedman.df);
    add_value(&l, KEY("cochran_chi2"), c->cochran.chi2, c->cochran.df);
    add_value(&l, KEY("cochran_p"), c->cochran.p, c->cochran.df);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        l.strategy = KEY(c->strategies[s].name);
        add_value(&l, KEY("mean_rank"), (sp_value){.value = c->mean_ranks[s]},
                  c->comparisons[0].difference.n);
    }
}

static void add_collapsed(csv_line l, const sp_collapsed *one)
{
    l.class = KEY(one->how.name);
    for (int32_t s = 0; s < l.c->n_strategies; s++) {
        l.strategy = KEY(l.c->strategies[s].name);
        add_figures(&l, SP_OF_COLLAPSED, &one->strategies[s], &l.c->strategies[s]);
    }
}

/* A row for each path that breaks a rule at a step; the value is the step. */
static void add_illegal_place(csv_line l, const sp_illegal_place *place)
{
    const sp_comparison *c = l.c;
    l.recording = c->ids[place->recording];
    for (int32_t s = 0; s <= c->n_strategies; s++) {
        const sp_illegal_said *said = &place->said[s];
        if (!said->is_illegal)
            continue;
        l.strategy = KEY(s < c->n_strategies ? c->strategies[s].name : "reference");
        l.class = KEYS(said->from < 0 ? "" : c->classes[said->from], " -> ", c->classes[said->to]);
        add_count(&l, KEY("illegal_step"), place->step, -1);
    }
    sp_buffer_drain(l.out);
}

static void add_run_place(csv_line l, const sp_run_place *place)
{
    const sp_comparison *c = l.c;
    l.recording = c->ids[place->recording];
    l.strategy = KEY(place->who < c->n_strategies ? c->strategies[place->who].name : "reference");
    l.class = KEY(c->classes[place->k]);
    add_count(&l, KEY(place->is_long ? "run_too_long" : "run_too_short"), place->step, place->length);
    sp_buffer_drain(l.out);
}

/* Steps of each recording that were left out. */
static void add_cuts(csv_line l)
{
    const sp_comparison *c = l.c;
    for (int64_t r = 0; r < c->n_recordings; r++) {
        l.recording = c->ids[r];
        if (c->trimmed_steps)
            add_count(&l, KEY("trimmed_steps"), c->trimmed_steps[r], c->steps[r]);
        if (c->has_length_trim) {
            add_count(&l, KEY("cut_path_steps"), c->cut_path_steps[r], c->steps[r]);
            add_count(&l, KEY("cut_label_steps"), c->cut_label_steps[r], c->steps[r]);
        }
    }
}

/* ---- calibration of the scores, under "reference" or the classifier's name like the likelihood ---- */

/* Figures of structs that stand side by side, `size` bytes each: "bin_3_accuracy". */
static void add_numbered(const csv_line *l, const char *kind, sp_figure_scope scope, const void *first,
                         size_t size, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        char prefix[48];
        snprintf(prefix, sizeof prefix, "%s_%d_", kind, (int)i);
        add_prefixed(l, prefix, scope, (const char *)first + (size_t)i * size, NULL);
    }
}

static void add_calibration(csv_line l, const sp_reliability *one)
{
    add_figures(&l, SP_OF_CALIBRATION, one, NULL);
    add_numbered(&l, "bin", SP_OF_BIN, one->bins, sizeof *one->bins, SP_RELIABILITY_BINS);
    add_numbered(&l, "adaptive_bin", SP_OF_BIN, one->adaptive, sizeof *one->adaptive, one->n_adaptive);
    add_numbered(&l, "coverage", SP_OF_COVERAGE, one->coverage, sizeof *one->coverage, one->n_coverage);
    for (int32_t k = 0; k < one->n_classes; k++) {
        l.class = KEY(l.c->classes[k]);
        add_value(&l, KEY("ece"), one->class_ece[k], one->n_steps);
    }
}

static void add_against(csv_line l, const sp_against *one)
{
    l.strategy = KEY(one->name);
    add_figures(&l, SP_OF_AGAINST, one, NULL);
    if (one->reliability)
        add_calibration(l, one->reliability);
}

/* ---- sleep and raters ---- */

/* agreement NULL: of the reference, or without one. */
static void add_nights(csv_line l, const sp_sleep_mean *means, const sp_sleep_agreement *agreement,
                       const sp_sleep_statistics *nights)
{
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        const parts key = KEYS("sleep_", sp_sleep_measure_key((sp_sleep_measure)m));
        char prefix[72];
        snprintf(prefix, sizeof prefix, "%s%s_", key.of[0], key.of[1]);
        l.recording = NULL;
        add_value(&l, key, means[m].mean, means[m].n);
        if (agreement)
            add_prefixed(&l, prefix, SP_OF_SLEEP_DIFFERENCE, &agreement[m], NULL);
        for (int64_t r = 0; r < l.c->n_recordings; r++) {
            l.recording = l.c->ids[r];
            add_value(&l, key, nights[r].values[m], 1);
        }
    }
}

static void add_sleep(csv_line l)
{
    const sp_sleep *sleep = l.c->sleep;
    if (sleep->reference)
        add_nights(l, sleep->reference_means, NULL, sleep->reference);
    for (int32_t s = 0; s < sleep->n_strategies; s++) {
        const sp_sleep_strategy *one = &sleep->strategies[s];
        l.strategy = KEY(l.c->strategies[s].name);
        add_nights(l, one->means, sleep->reference ? one->agreement : NULL, one->nights);
    }
}

static void add_rater(csv_line l, parts name, const sp_rater_row *row)
{
    const sp_raters *s = l.c->raters;
    l.strategy = name;
    add_figures(&l, SP_OF_RATER, row, NULL);
    for (int32_t i = 0; i < s->n_raters; i++) {
        add_value(&l, KEYS("accuracy_with ", s->names[i]), row->with[i].accuracy, row->with[i].steps);
        add_value(&l, KEYS("kappa_with ", s->names[i]), row->with[i].kappa, row->with[i].steps);
    }
}

static void add_raters(csv_line l)
{
    const sp_raters *s = l.c->raters;
    if (s->has_reference)
        add_rater(l, KEY("reference"), &s->reference);
    for (int32_t i = 0; i < s->n_strategies; i++)
        add_rater(l, KEY(s->strategies[i].name), &s->strategies[i]);
    for (int32_t i = 0; i < s->n_raters; i++)
        add_rater(l, KEYS("scorer ", s->names[i]), &s->raters[i]);
    l.strategy = KEY("scorers");
    add_figures(&l, SP_OF_RATERS, s, NULL);
}

/* ---- the document ---- */

static void write_all(const sp_comparison *c, sp_buffer *out)
{
    const csv_line l = {.out = out, .c = c, .strategy = KEY("reference")};
    sp_buffer_text(out, "strategy,recording,class,metric,value,n,low,high\r\n");
    if (c->has_labels)
        add_reference(&l);
    if (c->has_labels && c->reliability)
        add_calibration(l, c->reliability);
    for (int32_t i = 0; i < c->n_against && c->has_labels; i++)
        add_against(l, &c->against[i]);
    for (int32_t s = 0; s < c->n_strategies; s++)
        add_strategy(l, &c->strategies[s]);
    for (int32_t i = 0; i < c->n_comparisons; i++)
        add_comparison(l, &c->comparisons[i]);
    add_several(l);
    for (int32_t i = 0; i < c->n_collapsed; i++)
        add_collapsed(l, &c->collapsed[i]);
    add_cuts(l);
    for (int64_t i = 0; i < c->n_illegal_places; i++)
        add_illegal_place(l, &c->illegal_places[i]);
    for (int64_t i = 0; i < c->n_run_places; i++)
        add_run_place(l, &c->run_places[i]);
    if (c->sleep)
        add_sleep(l);
    if (c->raters)
        add_raters(l);
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
