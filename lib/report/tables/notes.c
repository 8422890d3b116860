/* What has to be known to read the figures right, in words. */
#include "evaluate/figures.h"
#include "evaluate/work.h"
#include "report/tables/tables.h"

#include <math.h>
#include <string.h>

static void note_reference(const sp_comparison *c, sp_table *lines)
{
    const sp_transition_counts *counts = &c->reference;
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    const int64_t violations = c->reference_violations.hard + c->reference_violations.priced;
    if (violations + counts->illegal + counts->illegal_start + counts->illegal_end + counts->short_runs +
            counts->long_runs ==
        0) {
        sp_buffer_say(line, "The reference itself keeps every rule of the model (%jd transitions).",
                      counts->transitions);
    } else {
        sp_buffer_say(line, "The reference itself breaks the model: %jd of its %jd transitions %s illegal (",
                      counts->illegal, counts->transitions, counts->illegal == 1 ? "is" : "are");
        sp_buffer_percent(line, counts->illegal, counts->transitions);
        sp_buffer_text(line, ")");
        if (counts->illegal_start)
            sp_buffer_format(line, ", %lld illegal start%s", (long long)counts->illegal_start,
                             sp_plural(counts->illegal_start));
        if (counts->illegal_end)
            sp_buffer_format(line, ", %lld illegal end%s", (long long)counts->illegal_end,
                             sp_plural(counts->illegal_end));
        if (counts->short_runs)
            sp_buffer_format(line, ", %lld run%s shorter than %s", (long long)counts->short_runs,
                             sp_plural(counts->short_runs),
                             c->has_durations ? "the model allows" : "the minimum dwell");
        if (counts->long_runs)
            sp_buffer_format(line, ", %lld run%s longer than the model allows", (long long)counts->long_runs,
                             sp_plural(counts->long_runs));
        if (violations)
            sp_buffer_format(line, ", %lld violation%s of rules over more steps", (long long)violations,
                             sp_plural(violations));
        sp_buffer_text(line, ".");
    }
    if (!c->mask_ceiling.undefined) {
        line = sp_table_cell(lines, SP_TONE_PLAIN);
        sp_buffer_say(
            line,
            "Mask ceiling %.4f: no path that the model allows can agree with the reference better than that.",
            c->mask_ceiling.value);
        if (c->ceiling_infeasible)
            sp_buffer_say(line, " %lld {recording(s)} with no allowed path count%s 0 in it.",
                          (long long)c->ceiling_infeasible, c->ceiling_infeasible == 1 ? "s" : "");
    }
    if (c->has_nll && (!c->nll.undefined || c->nll_impossible)) {
        line = sp_table_cell(lines, SP_TONE_PLAIN);
        sp_buffer_format(line, "Mean negative log-likelihood of the reference%s, before any decoding: ",
                         c->n_against ? " by the first classifier" : "");
        if (c->nll.undefined)
            sp_buffer_say(line, "infinite, the scores give %jd of %jd {steps} probability 0.",
                          c->nll_impossible, c->nll_steps);
        else
            sp_buffer_say(line, "%.4f nats per {step}.", c->nll.value);
    }
    sp_note_probabilities(c, lines);
    sp_note_against(c, lines);
    int64_t unscored = c->n_steps - c->n_scored_steps - c->n_trimmed_steps;
    if (unscored > 0) {
        line = sp_table_cell(lines, SP_TONE_PLAIN);
        sp_buffer_say(line, "%jd of %jd {steps} %s no reference: decoded, but left out of agreement.",
                      unscored, c->n_steps, unscored == 1 ? "has" : "have");
    }
}

static void note_undecoded(const sp_comparison *c, const sp_strategy_result *strategy, sp_table *lines)
{
    enum { SHOWN = 3 };
    sp_buffer *line = sp_table_cell(lines, SP_TONE_BAD);
    sp_buffer_say(line, "%s could not decode %jd of %jd {recording(s)}", strategy->name,
                  strategy->n_undecoded, c->n_recordings);
    sp_buffer_words(line, c->has_labels ? " (wrong at each scored {step}): " : ": ");
    int64_t shown = 0;
    for (int64_t r = 0; r < c->n_recordings && shown < SHOWN; r++) {
        const sp_decoded *decoded = &strategy->recordings[r].decoded;
        if (decoded->status == SP_OK)
            continue;
        sp_buffer_say(line, "%s%s (%s", shown++ ? ", " : "", c->ids[r], sp_undecoded_reason(decoded->status));
        if (decoded->step >= 0)
            sp_buffer_say(line, " at {step} %lld", (long long)sp_step_number(c->work, decoded->step));
        sp_buffer_text(line, ")");
    }
    if (strategy->n_undecoded > shown)
        sp_buffer_format(line, " and %lld more", (long long)(strategy->n_undecoded - shown));
    sp_buffer_text(line, ".");
}

/* Of paths that are there already, without a reference: their validity is what is known of them. */
static void note_validity(const sp_comparison *c, const sp_strategy_result *strategy, sp_table *lines)
{
    const sp_transition_counts *counts = &strategy->counts;
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    if (counts->illegal == 0) {
        sp_buffer_say(line, "%s: none of %jd transition%s is illegal.", strategy->name, counts->transitions,
                      sp_plural(counts->transitions));
        return;
    }
    sp_buffer_say(line, "%s: %jd of %jd transition%s %s illegal (", strategy->name, counts->illegal,
                  counts->transitions, sp_plural(counts->transitions), counts->illegal == 1 ? "is" : "are");
    sp_buffer_percent(line, counts->illegal, counts->transitions);
    sp_buffer_say(line, "), in %jd of %jd {recording(s)}.", strategy->recordings_with_illegal,
                  c->n_recordings);
}

static void note_undefined(const sp_comparison *c, sp_table *lines)
{
    static const char *const keys[] = {"accuracy", "kappa", "mcc", "macro_f1"};
    for (size_t m = 0; m < sizeof keys / sizeof *keys; m++) {
        const sp_figure *figure = sp_figure_find(SP_OF_STRATEGY, keys[m], strlen(keys[m]));
        const char *reason = NULL;
        sp_buffer *line = NULL;
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_strategy_result *one = &c->strategies[s];
            const sp_value value = sp_figure_at(&figure->place, &(sp_figure_owner){one, one, c});
            if (!one->has_agreement || !value.undefined)
                continue;
            line = line ? line : sp_table_cell(lines, SP_TONE_PLAIN);
            if (reason)
                sp_buffer_format(line, ", %s", one->name);
            else
                sp_buffer_format(line, "%s is undefined for %s", figure->label, one->name);
            reason = reason ? reason : value.undefined;
        }
        if (!reason)
            continue;
        sp_buffer_text(line, ": ");
        sp_buffer_term(line, reason);
        sp_buffer_text(line, ".");
    }
}

/* A macro mean over fewer classes than the model has must say so. */
static void note_macro(const sp_comparison *c, sp_table *lines)
{
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *strategy = &c->strategies[s];
        const sp_agreement *agreement = &strategy->agreement;
        if (strategy->has_agreement && !agreement->macro_f1.undefined &&
            agreement->macro_f1_classes < c->n_classes)
            sp_table_say(lines, SP_TONE_PLAIN, "Macro F1 of %s is over %d of %d classes.", strategy->name,
                         (int)agreement->macro_f1_classes, (int)c->n_classes);
    }
}

/* What the figures are of: recordings that the model has seen, or not. */
static void note_learning(const sp_comparison *c, sp_table *lines)
{
    if (c->fitted_on_input)
        sp_buffer_words(sp_table_cell(lines, SP_TONE_BAD),
                        "The model was fitted on this very file: what is decoded with it here looks better "
                        "than it would on {recordings} "
                        "that the model has not seen. Compare with {=cv 5} to decode each {recording} with a "
                        "model that never saw it.");
    if (c->n_folds)
        sp_table_say(lines, SP_TONE_PLAIN,
                     "Cross-validated in %d folds: each {recording} was decoded with a model that was fitted "
                     "without it; argmax has "
                     "no model.",
                     (int)c->n_folds);
}

/* Paths without an illegal pair that the model cannot follow all the same: it has several states a class, or the scores rule a
 * class out at a step. */
static void note_impossible(const sp_comparison *c, sp_table *lines)
{
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *one = &c->strategies[s];
        const sp_transition_counts *n = &one->counts;
        int64_t impossible = 0;
        if (!one->has_path_score || one->n_relaxed ||
            n->illegal + n->illegal_start + n->illegal_end + n->short_runs + n->long_runs +
                    one->violations.hard + one->violations.priced >
                0)
            continue;
        for (int64_t r = 0; r < c->n_recordings; r++)
            impossible +=
                one->recordings[r].decoded.status == SP_OK && one->recordings[r].decoded.score == -INFINITY;
        if (impossible == 0)
            continue;
        sp_table_say(lines, SP_TONE_PLAIN,
                     "%s breaks no rule between neighbouring {steps}, yet the model as a whole allows its "
                     "path in %jd of %jd "
                     "{recordings} only (classes of several states, or {steps} at which the scores rule the "
                     "class out).",
                     one->name, c->n_recordings - one->n_undecoded - impossible,
                     c->n_recordings - one->n_undecoded);
    }
}

static int64_t count_faulty(int64_t n, const sp_source_file *files)
{
    int64_t faulty = 0;
    for (int64_t i = 0; i < n; i++)
        faulty += files[i].fault != NULL;
    return faulty;
}

/* The sentences that say why files could not be read; each names its file. */
static void list_faults(sp_buffer *line, int64_t n, const sp_source_file *files)
{
    enum { NAMED = 5 };
    const int64_t faulty = count_faulty(n, files);
    int64_t shown = 0;
    for (int64_t i = 0; i < n && shown < NAMED; i++)
        if (files[i].fault)
            sp_buffer_say(line, "%s %s", shown++ ? ";" : "", files[i].fault);
    if (faulty > shown)
        sp_buffer_say(line, "; and %jd more", faulty - shown);
    sp_buffer_say(line, ".");
}

static void note_left_out(const sp_comparison *c, sp_table *lines)
{
    const int64_t n = count_faulty(c->n_files, c->files);
    if (n > 0) {
        sp_buffer *line = sp_table_cell(lines, SP_TONE_BAD);
        sp_buffer_say(line, "%jd of %jd files could not be read and %s left out:", n, c->n_files,
                      n == 1 ? "is" : "are");
        list_faults(line, c->n_files, c->files);
    }
    if (c->n_label_files > 0) {
        sp_buffer *line = sp_table_cell(lines, SP_TONE_BAD);
        sp_buffer_say(line, "%jd file%s of labels could not be read and %s left out:", c->n_label_files,
                      c->n_label_files == 1 ? "" : "s", c->n_label_files == 1 ? "is" : "are");
        list_faults(line, c->n_label_files, c->label_files);
    }
}

/* A guess is said: what is read first, and how recordings and steps are called, come of it. */
static void note_guess(const sp_comparison *c, sp_table *lines)
{
    if (!c->work_is_guessed || c->work == SP_WORK_STEPS)
        return;
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    sp_buffer_say(line, "Shown as %s", sp_work_about(c->work)->name);
    sp_buffer_words(line, ", in {recordings} and {steps}");
    sp_buffer_words(line, ", as the classes look ({=preset} says otherwise).");
}

/* Which classes are no segments. */
static void note_work(const sp_comparison *c, sp_table *lines)
{
    if (c->work != SP_WORK_ACTIONS && !c->background)
        return;
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    sp_buffer_text(line, "Segments, of edit score and F1@10, 25, 50, are the runs of ");
    for (int32_t k = 0, n = 0; c->background && k < c->n_classes; k++)
        if (c->background[k])
            sp_buffer_say(line, "%s%s", n++ ? ", " : "all classes but ", c->classes[k]);
    sp_buffer_text(line, c->background ? "." : "all classes.");
}

void sp_fill_notes(const sp_comparison *c, const sp_fill_options *options, sp_table *lines)
{
    (void)options;
    sp_table_columns(lines, "notes");
    note_left_out(c, lines);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_strategy_result *strategy = &c->strategies[s];
        if (strategy->n_undecoded)
            note_undecoded(c, strategy, lines);
        if (strategy->n_relaxed)
            sp_table_say(
                lines, SP_TONE_BAD,
                "%s broke %lld rule%s in %lld {recording(s)} that no allowed path can explain (relaxed).",
                strategy->name, (long long)strategy->n_broken, sp_plural(strategy->n_broken),
                (long long)strategy->n_relaxed);
    }
    note_impossible(c, lines);
    sp_note_permutation(c, lines);
    sp_note_shift(c, lines);
    note_learning(c, lines);
    if (c->has_labels)
        note_work(c, lines);
    if (c->has_labels)
        note_reference(c, lines);
    for (int32_t s = 0; !c->has_labels && s < c->n_strategies; s++)
        if (!c->strategies[s].has_regret) /* there were no scores: nothing was decoded */
            note_validity(c, &c->strategies[s], lines);
    sp_note_units(c, lines);
    sp_note_judging(c, lines);
    note_undefined(c, lines);
    note_macro(c, lines);
    note_guess(c, lines);
}

const char *sp_unit_name(const sp_comparison *c, const sp_words *words, int64_t n)
{
    if (c->n_subjects)
        return n == 1 ? "subject" : "subjects";
    return sp_word_of(words, n == 1 ? SP_RECORDING : SP_RECORDINGS);
}

void sp_buffer_sizes(sp_buffer *out, const sp_comparison *c)
{
    if (c->n_subjects)
        sp_buffer_say(out, "%jd subject%s, ", (int64_t)c->n_subjects, sp_plural(c->n_subjects));
    sp_buffer_say(out, "%jd {recording(s)}, %jd {step(s)}, ", c->n_recordings, c->n_steps);
    if (c->has_labels)
        sp_buffer_say(out, "%jd with a reference", c->n_scored_steps);
    else
        sp_buffer_text(out, "no labels");
}
