/* How often things happen along a path, each rate with the name of what it is a share of; and what was judged in an unusual way
 * or looks wrong about it. */
#include "report/tables.h"

#include <string.h>

void sp_cell_share(sp_table *table, int64_t part, int64_t whole, sp_tone tone)
{
    if (whole > 0)
        sp_buffer_percent(sp_table_cell(table, tone), part, whole);
    else
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
}

static void cell_interval(sp_table *table, const sp_difference *rate)
{
    if (rate->low.undefined || rate->high.undefined) {
        sp_table_cell_text(table, SP_TONE_MUTED, rate->low.undefined ? rate->low.undefined : rate->high.undefined);
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_fixed(cell, 100 * rate->low.value, 3);
    sp_buffer_text(cell, " to ");
    sp_buffer_fixed(cell, 100 * rate->high.value, 3);
    sp_buffer_text(cell, " %");
}

/* `one` NULL: the reference, which has no interval. */
static void rates_row(const sp_comparison *c, const sp_strategy_result *one, bool has_counts, sp_table *table)
{
    const sp_transition_counts *counts = one ? &one->counts : &c->reference;
    const sp_frequencies *f = one ? &one->frequencies : &c->reference_frequencies;
    sp_tone tone = one && counts->illegal ? SP_TONE_BAD : SP_TONE_PLAIN;
    sp_table_cell_text(table, SP_TONE_PLAIN, one ? one->name : "reference");
    if (has_counts)
        sp_table_cell_count(table, tone, counts->illegal);
    sp_cell_share(table, counts->illegal, counts->transitions, tone);
    if (one)
        cell_interval(table, &one->illegal_rate);
    else
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
    sp_cell_share(table, counts->illegal, counts->changes, tone);
    if (c->epoch_seconds > 0)
        sp_cell_value(table, &f->illegal_per_hour, 3, SP_TONE_PLAIN);
    if (has_counts && one)
        sp_table_cell_count(table, SP_TONE_PLAIN, one->recordings_with_illegal);
    else if (has_counts)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
    if (f->worst_recording < 0) {
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_name(cell, c->ids[f->worst_recording], 24);
    sp_buffer_text(cell, ": ");
    sp_buffer_count(cell, f->worst_illegal);
}

static void fill_rates(const sp_comparison *c, bool has_counts, sp_table *table)
{
    sp_buffer interval = {0};
    table->title = "Illegal transitions: how often, and the recording with the most";
    sp_add_level(&interval, c->level);
    sp_buffer_text(&interval, " interval");
    sp_table_column(table, SP_LEFT, "strategy");
    if (has_counts)
        sp_table_column(table, SP_RIGHT, "illegal");
    sp_table_column(table, SP_RIGHT, "of transitions");
    sp_table_column(table, SP_RIGHT, interval.data);
    sp_table_column(table, SP_RIGHT, "of changes");
    if (c->epoch_seconds > 0)
        sp_table_column(table, SP_RIGHT, "per hour");
    if (has_counts)
        sp_table_column(table, SP_RIGHT, "recordings with any");
    sp_table_column(table, SP_LEFT, "worst recording");
    table->failed |= interval.failed;
    sp_buffer_free(&interval);
    if (c->has_labels)
        rates_row(c, NULL, has_counts, table);
    for (int32_t i = 0; i < c->n_strategies; i++)
        rates_row(c, &c->strategies[i], has_counts, table);
}

void sp_fill_illegal_rates(const sp_comparison *comparison, sp_table *table)
{
    fill_rates(comparison, false, table);
}

void sp_fill_illegal_counts(const sp_comparison *comparison, sp_table *table)
{
    fill_rates(comparison, true, table);
}

static void changes_row(const sp_comparison *c, const char *name, const sp_transition_counts *counts, const sp_frequencies *f,
                        sp_table *table)
{
    sp_table_cell_text(table, SP_TONE_PLAIN, name);
    sp_cell_share(table, counts->changes, counts->transitions, SP_TONE_PLAIN);
    if (c->epoch_seconds > 0)
        sp_cell_value(table, &f->changes_per_hour, 2, SP_TONE_PLAIN);
    sp_table_cell_count(table, SP_TONE_PLAIN, f->runs);
    sp_table_cell_count(table, SP_TONE_PLAIN, f->isolated);
    sp_cell_share(table, f->isolated, f->runs, SP_TONE_PLAIN);
    if (c->has_labels)
        sp_cell_value(table, &f->runs_ratio, 3, SP_TONE_PLAIN);
}

void sp_fill_change_rates(const sp_comparison *comparison, sp_table *table)
{
    const sp_comparison *c = comparison;
    table->title = c->has_labels ? "Changes of class; runs of one class within stretches that have a reference"
                                 : "Changes and runs of one class";
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_RIGHT, "changes, of transitions");
    if (c->epoch_seconds > 0)
        sp_table_column(table, SP_RIGHT, "per hour");
    sp_table_column(table, SP_RIGHT, "runs");
    sp_table_column(table, SP_RIGHT, "of one step");
    sp_table_column(table, SP_RIGHT, "share");
    if (c->has_labels)
        sp_table_column(table, SP_RIGHT, "runs / reference");
    if (c->has_labels)
        changes_row(c, "reference", &c->reference, &c->reference_frequencies, table);
    for (int32_t s = 0; s < c->n_strategies; s++)
        changes_row(c, c->strategies[s].name, &c->strategies[s].counts, &c->strategies[s].frequencies, table);
}

/* ---- sentences ---- */

/* Strategies that are suspected of the same names are told of together. */
static bool has_same_names(const sp_comparison *c, const sp_permuted *a, const sp_permuted *b)
{
    return a->is_suspect && b->is_suspect && memcmp(a->name_of, b->name_of, (size_t)c->n_classes * sizeof *a->name_of) == 0;
}

static void note_names(const sp_comparison *c, int32_t strategy, sp_buffer *line)
{
    enum { SHOWN = 6 };
    const sp_strategy_result *one = &c->strategies[strategy];
    const sp_permuted *p = &one->permuted;
    sp_buffer_text(line, "The classes may be named in another order than the labels: ");
    sp_buffer_text(line, one->name);
    for (int32_t s = strategy + 1; s < c->n_strategies; s++)
        if (has_same_names(c, p, &c->strategies[s].permuted)) {
            sp_buffer_text(line, ", ");
            sp_buffer_text(line, c->strategies[s].name);
        }
    sp_buffer_text(line, " would agree far better");
    int shown = 0;
    for (int32_t k = 0; k < c->n_classes; k++)
        if (p->name_of[k] != k && shown++ < SHOWN) {
            sp_buffer_text(line, shown == 1 ? " if " : ", ");
            sp_buffer_text(line, c->classes[k]);
            sp_buffer_text(line, shown == 1 ? " were called " : " ");
            sp_buffer_text(line, c->classes[p->name_of[k]]);
        }
    sp_buffer_text(line, shown > SHOWN ? ", ... (accuracy " : " (accuracy ");
    sp_buffer_fixed(line, p->accuracy.value, 4);
    sp_buffer_text(line, " instead of ");
    sp_buffer_fixed(line, one->agreement.accuracy.value, 4);
    sp_buffer_text(line,
                   "). Check the order of the columns (attribute classes) and what the labels' numbers mean (--codes, --map).");
}

void sp_note_permuted(const sp_comparison *comparison, sp_table *lines)
{
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        bool is_told = !comparison->strategies[s].permuted.is_suspect;
        for (int32_t before = 0; before < s; before++)
            is_told |= has_same_names(comparison, &comparison->strategies[before].permuted, &comparison->strategies[s].permuted);
        if (!is_told)
            note_names(comparison, s, sp_table_cell(lines, SP_TONE_BAD));
    }
}

static void add_steps(sp_buffer *line, int64_t n)
{
    sp_buffer_count(line, n);
    sp_buffer_text(line, n == 1 ? " step" : " steps");
}

static void note_cut(const sp_comparison *c, sp_table *lines)
{
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    sp_buffer_text(line, "Cut to the shorter of paths and labels (--trim-to-shortest): ");
    if (c->n_cut_recordings == 0) {
        sp_buffer_text(line, "all recordings are of the same length in both.");
        return;
    }
    sp_buffer_text(line, "the last ");
    add_steps(line, c->n_cut_path_steps);
    sp_buffer_text(line, " of the paths and ");
    sp_buffer_count(line, c->n_cut_label_steps);
    sp_buffer_text(line, " of the labels are left out, in ");
    sp_buffer_count(line, c->n_cut_recordings);
    sp_buffer_format(line, " recording%s; nothing says that they begin at the same time.", c->n_cut_recordings == 1 ? "" : "s");
}

static void note_codes(const sp_comparison *c, sp_table *lines)
{
    if (!c->path_codes && !c->label_codes)
        return;
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    bool is_one = c->path_codes && c->label_codes && strcmp(c->path_codes, c->label_codes) == 0;
    sp_buffer_text(line, is_one ? "Paths and labels" : c->path_codes ? "Paths" : "Labels");
    sp_buffer_text(line, " are read by the codes ");
    sp_buffer_text(line, c->path_codes ? c->path_codes : c->label_codes);
    if (c->path_codes && c->label_codes && !is_one) {
        sp_buffer_text(line, ", labels by ");
        sp_buffer_text(line, c->label_codes);
    }
    sp_buffer_text(line, ".");
}

void sp_note_judging(const sp_comparison *comparison, sp_table *lines)
{
    const sp_comparison *c = comparison;
    note_codes(c, lines);
    if (c->has_length_trim)
        note_cut(c, lines);
    if (c->bridge_unscored) {
        sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
        sp_buffer_text(line, "Of the reference's transitions ");
        sp_buffer_count(line, c->bridged_transitions);
        sp_buffer_format(line, " lead%s across unscored steps (--bridge-unscored).", c->bridged_transitions == 1 ? "s" : "");
    }
    if (c->has_ties && c->tie_steps) {
        sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
        sp_buffer_text(line, "The greatest score of ");
        add_steps(line, c->tie_steps);
        sp_buffer_text(line, " is that of several classes");
        if (c->has_labels) {
            sp_buffer_text(line, " (");
            sp_buffer_count(line, c->tie_scored_steps);
            sp_buffer_text(line, " with a reference)");
        }
        sp_buffer_text(line, ": argmax takes the first of them.");
    }
}
