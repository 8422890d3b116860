/* Long form: one figure a line, so that any tool can filter and pivot it.
 *
 *   strategy   name; "reference" for the reference itself; "a - b" for a paired difference
 *   recording  id; empty for figures over all recordings
 *   class      name; "A -> B" for an illegal pair; empty for figures over all classes
 *   metric     key as in the JSON; "decoded_as B" (with class A): steps of reference A decoded as B, those above 0
 *   value      empty where undefined
 *              "sleep_tst" and the like: sleep statistics, "sleep_tst_difference" their bias with the limits of agreement;
 *              "kappa_with X", "accuracy_with X": with scorer X
 *              "collapsed_accuracy" and the like: with classes put together, which stand under class ("Wake / Sleep")
 *              "_chi2", "_p": of further tests, with the degrees of freedom under n; strategy "all" for tests over all strategies
 *              "transition_count" (with class "A -> B"): all transitions that were made, allowed ones too
 *              "runs", "run_mean", "isolated_runs" (with a class): runs of that class; "accuracy_AAX" and the like: by place in
 *              the reference's runs; "boundary_recall_1": changes found within 1 step; "entity_f1" (with its type under class)
 *              "worst_recording" (with that recording): its illegal transitions, where there are any
 *              "argmax_ties": steps whose greatest score several classes share
 *   n          what the figure is over: scored steps, transitions, recordings (subjects) or classes; empty for counts
 *   low, high  interval, where there is one */
#include "report/csv_line.h"
#include "report/tables.h"
#include "statepath/report.h"

#include <string.h>

typedef struct csv_line {
    const char *strategy, *recording, *class, *metric;
} csv_line;

static void begin(sp_buffer *out, const csv_line *line)
{
    sp_buffer_csv(out, line->strategy);
    sp_buffer_text(out, ",");
    sp_buffer_csv(out, line->recording);
    sp_buffer_text(out, ",");
    sp_buffer_csv(out, line->class);
    sp_buffer_text(out, ",");
    sp_buffer_csv(out, line->metric);
    sp_buffer_text(out, ",");
}

static void add_count(sp_buffer *out, csv_line line, const char *metric, int64_t count)
{
    line.metric = metric;
    begin(out, &line);
    sp_buffer_format(out, "%lld,,,\r\n", (long long)count);
}

static void add_number(sp_buffer *out, const sp_value *value)
{
    if (!value->undefined)
        sp_buffer_real(out, value->value);
}

static void add_value(sp_buffer *out, csv_line line, const char *metric, const sp_value *value, int64_t n)
{
    line.metric = metric;
    begin(out, &line);
    add_number(out, value);
    sp_buffer_format(out, ",%lld,,\r\n", (long long)n);
}

void sp_csv_interval(sp_buffer *out, sp_csv_line line, const char *metric, const sp_value *value, int64_t n, const sp_value *low,
                     const sp_value *high)
{
    csv_line start = {.strategy = line.strategy, .recording = line.recording, .class = line.class, .metric = metric};
    begin(out, &start);
    add_number(out, value);
    sp_buffer_format(out, ",%lld,", (long long)n);
    add_number(out, low);
    sp_buffer_text(out, ",");
    add_number(out, high);
    sp_buffer_text(out, "\r\n");
}

void sp_csv_count(sp_buffer *out, sp_csv_line line, const char *metric, int64_t count, int64_t n)
{
    csv_line start = {.strategy = line.strategy, .recording = line.recording, .class = line.class, .metric = metric};
    begin(out, &start);
    sp_buffer_format(out, "%lld,%lld,,\r\n", (long long)count, (long long)n);
}

void sp_csv_value(sp_buffer *out, sp_csv_line line, const char *metric, const sp_value *value, int64_t n)
{
    csv_line start = {.strategy = line.strategy, .recording = line.recording, .class = line.class};
    add_value(out, start, metric, value, n);
}

static void add_pairs(const sp_comparison *c, sp_buffer *out, csv_line line, const sp_pair_count *pairs, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        sp_buffer name = {0};
        sp_buffer_format(&name, "%s -> %s", c->classes[pairs[i].from], c->classes[pairs[i].to]);
        line.class = name.failed ? "" : name.data;
        add_count(out, line, "illegal", pairs[i].count);
        out->failed |= name.failed;
        sp_buffer_free(&name);
    }
}

static void add_counts(sp_buffer *out, csv_line line, const sp_transition_counts *counts)
{
    add_count(out, line, "transitions", counts->transitions);
    add_count(out, line, "changes", counts->changes);
    add_count(out, line, "illegal", counts->illegal);
    add_count(out, line, "illegal_start", counts->illegal_start);
    add_count(out, line, "illegal_end", counts->illegal_end);
    add_count(out, line, "short_runs", counts->short_runs);
}

static void add_classes(const sp_comparison *c, const sp_strategy_result *s, sp_buffer *out, csv_line line)
{
    for (int32_t i = 0; i < c->n_classes; i++) {
        const sp_class_agreement *k = &s->classes[i];
        line.class = c->classes[i];
        add_count(out, line, "support", k->support);
        add_count(out, line, "predicted", k->predicted);
        add_value(out, line, "precision", &k->precision, k->predicted);
        add_value(out, line, "recall", &k->recall, k->support);
        add_value(out, line, "f1", &k->f1, s->agreement.scored);
        add_value(out, line, "specificity", &k->specificity, s->agreement.scored - k->support);
        add_value(out, line, "kappa", &k->kappa, s->agreement.scored);
        for (int32_t j = 0; j < c->n_classes; j++) {
            int64_t count = s->confusion[(size_t)i * (size_t)c->n_classes + (size_t)j];
            if (count == 0)
                continue;
            sp_buffer name = {0};
            sp_buffer_format(&name, "decoded_as %s", c->classes[j]);
            add_count(out, line, name.failed ? "" : name.data, count);
            out->failed |= name.failed;
            sp_buffer_free(&name);
        }
        if (s->undecoded_steps && s->undecoded_steps[i])
            add_count(out, line, "undecoded_steps", s->undecoded_steps[i]);
    }
}

static void add_agreement(const sp_strategy_result *s, sp_buffer *out, csv_line line)
{
    const sp_agreement *a = &s->agreement;
    add_count(out, line, "scored", a->scored);
    add_count(out, line, "correct", a->correct);
    add_value(out, line, "accuracy", &a->accuracy, a->scored);
    add_value(out, line, "balanced_accuracy", &a->balanced_accuracy, a->macro_recall_classes);
    add_value(out, line, "kappa", &a->kappa, a->scored);
    add_value(out, line, "mcc", &a->mcc, a->scored);
    add_value(out, line, "macro_precision", &a->macro_precision, a->macro_precision_classes);
    add_value(out, line, "macro_recall", &a->macro_recall, a->macro_recall_classes);
    add_value(out, line, "macro_f1", &a->macro_f1, a->macro_f1_classes);
    add_value(out, line, "weighted_f1", &a->weighted_f1, a->scored);
    add_value(out, line, "mean_accuracy", &s->mean_accuracy, s->mean_accuracy_n);
    add_value(out, line, "sd_accuracy", &s->sd_accuracy, s->mean_accuracy_n);
    add_value(out, line, "mean_kappa", &s->mean_kappa, s->mean_kappa_n);
    add_value(out, line, "sd_kappa", &s->sd_kappa, s->mean_kappa_n);
}

static void add_strategy(const sp_comparison *c, const sp_strategy_result *s, sp_buffer *out)
{
    csv_line line = {.strategy = s->name, .recording = "", .class = ""};
    if (s->has_agreement)
        add_agreement(s, out, line);
    add_counts(out, line, &s->counts);
    sp_csv_interval(out, (sp_csv_line){line.strategy, line.recording, line.class}, "illegal_rate", &s->illegal_rate.difference,
                    s->counts.transitions, &s->illegal_rate.low, &s->illegal_rate.high);
    add_count(out, line, "recordings_with_illegal", s->recordings_with_illegal);
    add_count(out, line, "undecoded", s->n_undecoded);
    if (s->has_path_score)
        add_value(out, line, "path_score", &s->path_score, c->n_recordings - s->n_undecoded);
    if (s->has_changes) {
        add_count(out, line, "fixed", s->changes.fixed);
        add_count(out, line, "broken", s->changes.broken);
        add_count(out, line, "wrong_to_wrong", s->changes.wrong_to_wrong);
    }
    add_pairs(c, out, line, s->illegal_pairs, s->n_illegal_pairs);
    if (s->has_agreement)
        add_classes(c, s, out, line);
    for (int64_t r = 0; r < c->n_recordings; r++) {
        const sp_recording_result *recording = &s->recordings[r];
        line.recording = c->ids[r];
        add_count(out, line, "steps", c->steps[r]);
        add_count(out, line, "decoded", recording->decoded.status == SP_OK);
        if (c->has_labels) {
            add_count(out, line, "scored", recording->scored);
            add_value(out, line, "accuracy", &recording->accuracy, recording->scored);
            add_value(out, line, "kappa", &recording->kappa, recording->scored);
        }
        add_count(out, line, "transitions", recording->counts.transitions);
        add_count(out, line, "changes", recording->counts.changes);
        add_count(out, line, "illegal", recording->counts.illegal);
        sp_buffer_drain(out);
    }
}

static void add_comparison(const sp_comparison *c, const sp_pair_comparison *pair, sp_buffer *out)
{
    sp_buffer name = {0}, metric = {0};
    sp_buffer_format(&name, "%s - %s", c->strategies[pair->a].name, c->strategies[pair->b].name);
    sp_buffer_format(&metric, "%s_difference", pair->metric);
    if (name.failed || metric.failed) {
        out->failed = true;
    } else {
        csv_line line = {.strategy = name.data, .recording = "", .class = "", .metric = metric.data};
        begin(out, &line);
        add_number(out, &pair->difference.difference);
        sp_buffer_format(out, ",%lld,", (long long)pair->difference.n);
        add_number(out, &pair->difference.low);
        sp_buffer_text(out, ",");
        add_number(out, &pair->difference.high);
        sp_buffer_text(out, "\r\n");
        if (!strcmp(pair->metric, "accuracy")) {
            add_value(out, line, "wilcoxon_p", &pair->test.p, pair->test.better + pair->test.worse);
            add_value(out, line, "wilcoxon_p_holm", &pair->p_holm, sp_tested_pairs(c));
        }
        if (!strcmp(pair->metric, "illegal_rate"))
            add_value(out, line, "illegal_rate_sign_flip_p", &pair->permutation.p, pair->test.better + pair->test.worse);
    }
    sp_buffer_free(&name);
    sp_buffer_free(&metric);
}

static void write_all(const sp_comparison *c, sp_buffer *text)
{
    sp_buffer_text(text, "strategy,recording,class,metric,value,n,low,high\r\n");
    if (c->has_labels) {
        csv_line line = {.strategy = "reference", .recording = "", .class = ""};
        add_counts(text, line, &c->reference);
        add_value(text, line, "mask_ceiling", &c->mask_ceiling, c->n_scored_steps);
        if (c->has_nll)
            add_value(text, line, "nll", &c->nll, c->nll_steps);
        if (c->reliability)
            sp_csv_calibration(text, c);
        add_pairs(c, text, line, c->reference_illegal_pairs, c->n_reference_illegal_pairs);
    }
    for (int32_t s = 0; s < c->n_strategies; s++)
        add_strategy(c, &c->strategies[s], text);
    for (int32_t i = 0; i < c->n_comparisons; i++)
        add_comparison(c, &c->comparisons[i], text);
    sp_csv_more(text, c);
    sp_csv_runs(text, c);
    sp_csv_people(text, c);
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
