/* All figures of each strategy, a row a figure, so that the table fits its page; and the cells that other tables share with it.
 */
#include "report/html/page.h"

#include <math.h>
#include <stddef.h>

void sp_cell_mean(sp_table *table, const sp_value *mean, const sp_value *sd, int decimals)
{
    if (mean->undefined) {
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_fixed(cell, mean->value, decimals);
    if (!sd->undefined) {
        sp_buffer_text(cell, " ± ");
        sp_buffer_fixed(cell, sd->value, decimals);
    }
}

typedef struct metric {
    const char *name;
    size_t offset; /* of the sp_value in sp_strategy_result */
} metric;

static const metric metrics[] = {
    {"accuracy", offsetof(sp_strategy_result, agreement.accuracy)},
    {"kappa", offsetof(sp_strategy_result, agreement.kappa)},
    {"macro F1", offsetof(sp_strategy_result, agreement.macro_f1)},
    {"balanced accuracy", offsetof(sp_strategy_result, agreement.balanced_accuracy)},
    {"MCC", offsetof(sp_strategy_result, agreement.mcc)},
    {"weighted F1", offsetof(sp_strategy_result, agreement.weighted_f1)},
};
enum { N_METRICS = sizeof metrics / sizeof *metrics };

static const sp_value *metric_of(const sp_comparison *c, int32_t s, int m)
{
    return (const sp_value *)((const char *)&c->strategies[s] + metrics[m].offset);
}

void sp_cell_metric(const sp_comparison *c, int32_t strategy, int m, sp_table *table)
{
    const sp_value *value = metric_of(c, strategy, m);
    double best = -INFINITY, worst = INFINITY;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_value *other = metric_of(c, s, m);
        if (other->undefined)
            continue;
        best = fmax(best, sp_as_shown(other->value, 4));
        worst = fmin(worst, sp_as_shown(other->value, 4));
    }
    bool is_best = !value->undefined && best > worst && sp_as_shown(value->value, 4) == best;
    sp_cell_value(table, value, 4, is_best ? SP_TONE_BEST : SP_TONE_PLAIN);
}

/* ---- all figures, one a row ---- */

typedef void cell_writer(const sp_comparison *c, int32_t s, sp_table *table); /* s: -1 the reference */

static const sp_transition_counts *counts_of(const sp_comparison *c, int32_t s)
{
    return s < 0 ? &c->reference : &c->strategies[s].counts;
}

static void row_begin(sp_table *table, const char *name)
{
    sp_table_cell_text(table, SP_TONE_PLAIN, name);
}

static void write_row(const sp_comparison *c, const char *name, bool has_reference, cell_writer *cell, sp_table *table)
{
    row_begin(table, name);
    if (c->has_labels && has_reference)
        cell(c, -1, table);
    else if (c->has_labels)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
    for (int32_t s = 0; s < c->n_strategies; s++)
        cell(c, s, table);
}

static sp_tone tone_of(int64_t bad)
{
    return bad ? SP_TONE_BAD : SP_TONE_PLAIN;
}

static void cell_count_illegal(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_table_cell_count(table, tone_of(counts_of(c, s)->illegal), counts_of(c, s)->illegal);
}

static void cell_per_transition(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_cell_share(table, counts_of(c, s)->illegal, counts_of(c, s)->transitions, SP_TONE_PLAIN);
}

static void cell_per_change(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_cell_share(table, counts_of(c, s)->illegal, counts_of(c, s)->changes, SP_TONE_PLAIN);
}

static void cell_per_hour(const sp_comparison *c, int32_t s, sp_table *table)
{
    const sp_frequencies *f = s < 0 ? &c->reference_frequencies : &c->strategies[s].frequencies;
    sp_cell_value(table, &f->illegal_per_hour, 2, SP_TONE_PLAIN);
}

static void cell_recordings(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_table_cell_count(table, tone_of(c->strategies[s].recordings_with_illegal), c->strategies[s].recordings_with_illegal);
}

static void cell_starts(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_table_cell_count(table, tone_of(counts_of(c, s)->illegal_start), counts_of(c, s)->illegal_start);
}

static void cell_ends(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_table_cell_count(table, tone_of(counts_of(c, s)->illegal_end), counts_of(c, s)->illegal_end);
}

static void cell_short(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_table_cell_count(table, tone_of(counts_of(c, s)->short_runs), counts_of(c, s)->short_runs);
}

static void cell_changes(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_table_cell_count(table, SP_TONE_PLAIN, counts_of(c, s)->changes);
}

static void cell_isolated(const sp_comparison *c, int32_t s, sp_table *table)
{
    const sp_bouts *bouts = s < 0 ? c->reference_bouts : c->strategies[s].bouts;
    int64_t n = 0;
    for (int32_t k = 0; bouts && k < c->n_classes; k++)
        n += bouts[k].n_lengths && bouts[k].lengths[0].length == 1 ? bouts[k].lengths[0].count : 0;
    if (bouts)
        sp_table_cell_count(table, SP_TONE_PLAIN, n);
    else
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
}

static void cell_score(const sp_comparison *c, int32_t s, sp_table *table)
{
    if (c->strategies[s].has_path_score)
        sp_cell_value(table, &c->strategies[s].path_score, 1, SP_TONE_PLAIN);
    else
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
}

static void cell_regret(const sp_comparison *c, int32_t s, sp_table *table)
{
    if (c->strategies[s].has_regret)
        sp_cell_value(table, &c->strategies[s].regret, 4, SP_TONE_PLAIN);
    else
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
}

static void cell_zero(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_table_cell_count(table, tone_of(c->strategies[s].zero_steps), c->strategies[s].zero_steps);
}

static void cell_broken(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_table_cell_count(table, tone_of(c->strategies[s].n_broken), c->strategies[s].n_broken);
}

static void cell_undecoded(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_table_cell_count(table, tone_of(c->strategies[s].n_undecoded), c->strategies[s].n_undecoded);
}

static void cell_weighted_kappa(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_cell_value(table, &c->strategies[s].weighted_kappa, 4, SP_TONE_PLAIN);
}

static void cell_kappa_se(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_cell_value(table, &c->strategies[s].kappa_se, 4, SP_TONE_PLAIN);
}

static void cell_mean_accuracy(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_cell_mean(table, &c->strategies[s].mean_accuracy, &c->strategies[s].sd_accuracy, 4);
}

static void cell_mean_kappa(const sp_comparison *c, int32_t s, sp_table *table)
{
    sp_cell_mean(table, &c->strategies[s].mean_kappa, &c->strategies[s].sd_kappa, 4);
}

static void agreement_rows(const sp_comparison *c, sp_table *table)
{
    for (int m = 0; m < N_METRICS; m++) {
        row_begin(table, metrics[m].name);
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
        for (int32_t s = 0; s < c->n_strategies; s++)
            sp_cell_metric(c, s, m, table);
    }
    if (c->kappa_weights != SP_KAPPA_UNWEIGHTED)
        write_row(c, c->kappa_weights == SP_KAPPA_LINEAR ? "linear kappa" : "quadratic kappa", false, cell_weighted_kappa, table);
    write_row(c, "SE of kappa, were steps independent", false, cell_kappa_se, table);
    write_row(c, "accuracy, mean ± SD", false, cell_mean_accuracy, table);
    write_row(c, "kappa, mean ± SD", false, cell_mean_kappa, table);
}

/* Rows that would hold nothing but zeros are left out. */
static void rule_rows(const sp_comparison *c, sp_table *table)
{
    sp_transition_counts any = c->reference;
    int64_t broken = 0, undecoded = 0;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        any.illegal_start += c->strategies[s].counts.illegal_start;
        any.illegal_end += c->strategies[s].counts.illegal_end;
        any.short_runs += c->strategies[s].counts.short_runs;
        broken += c->strategies[s].n_relaxed;
        undecoded += c->strategies[s].n_undecoded;
    }
    write_row(c, "illegal transitions", true, cell_count_illegal, table);
    write_row(c, "of all transitions", true, cell_per_transition, table);
    write_row(c, "of all changes of class", true, cell_per_change, table);
    if (c->sleep)
        write_row(c, "an hour", true, cell_per_hour, table);
    write_row(c, "recordings with any", false, cell_recordings, table);
    if (any.illegal_start)
        write_row(c, "illegal starts", true, cell_starts, table);
    if (any.illegal_end)
        write_row(c, "illegal ends", true, cell_ends, table);
    if (any.short_runs)
        write_row(c, "runs below the minimum dwell", true, cell_short, table);
    if (broken)
        write_row(c, "rules broken (relaxed)", false, cell_broken, table);
    if (undecoded)
        write_row(c, "recordings undecoded", false, cell_undecoded, table);
}

static void path_rows(const sp_comparison *c, sp_table *table)
{
    bool has_score = false, has_regret = false, has_zero = false;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        has_score |= c->strategies[s].has_path_score;
        has_regret |= c->strategies[s].has_regret;
        has_zero |= c->strategies[s].zero_steps > 0;
    }
    write_row(c, "changes of class", true, cell_changes, table);
    write_row(c, "isolated steps (runs of one)", true, cell_isolated, table);
    if (has_score)
        write_row(c, "path score, nats", false, cell_score, table);
    if (has_regret)
        write_row(c, "regret a step, nats", false, cell_regret, table);
    if (has_zero)
        write_row(c, "steps of probability 0", false, cell_zero, table);
}

static void fill_figures(const sp_comparison *c, sp_table *table)
{
    table->title = "All figures of each strategy";
    sp_table_column(table, SP_LEFT, "figure");
    if (c->has_labels)
        sp_table_column(table, SP_RIGHT, "reference");
    for (int32_t s = 0; s < c->n_strategies; s++)
        sp_table_column(table, SP_RIGHT, c->strategies[s].name);
    if (c->n_strategies == 0)
        return;
    if (c->has_labels)
        agreement_rows(c, table);
    rule_rows(c, table);
    path_rows(c, table);
}

void sp_page_figures(sp_page *page)
{
    sp_table figures = {0};
    fill_figures(page->comparison, &figures);
    sp_page_folded(page, "All figures of each strategy", &figures, "");
}
