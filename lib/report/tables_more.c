/* Tables of what goes beyond one figure a strategy: errors that run on, coarser classes, tests over all strategies and over
 * steps, and whether a loss is too large to matter. */
#include "report/tables.h"

#include <math.h>
#include <string.h>

static void cell_chi2(sp_table *table, const sp_chi2 *test)
{
    if (test->chi2.undefined) {
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_fixed(cell, test->chi2.value, 2);
    sp_buffer_format(cell, " (%d)", (int)test->df);
    sp_buffer_p(sp_table_cell(table, SP_TONE_PLAIN), test->p.value);
}

static void cell_pair(const sp_comparison *c, const sp_pair_comparison *pair, sp_table *table)
{
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_text(cell, c->strategies[pair->a].name);
    sp_buffer_text(cell, " − ");
    sp_buffer_text(cell, c->strategies[pair->b].name);
}

void sp_fill_error_runs(const sp_comparison *comparison, sp_table *table)
{
    table->title = "Steps that argmax has right and the strategy breaks, and how far such an error runs on";
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_RIGHT, "steps broken");
    sp_table_column(table, SP_RIGHT, "errors");
    sp_table_column(table, SP_RIGHT, "right class forbidden");
    sp_table_column(table, SP_RIGHT, "consequences");
    sp_table_column(table, SP_RIGHT, "mean length");
    sp_table_column(table, SP_RIGHT, "median");
    sp_table_column(table, SP_RIGHT, "longest");
    sp_table_column(table, SP_LEFT, "recording, step");
    sp_table_column(table, SP_RIGHT, "dead ends");
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        const sp_error_runs *e = &comparison->strategies[s].error_runs;
        if (!e->runs)
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->strategies[s].name);
        sp_table_cell_count(table, SP_TONE_PLAIN, e->broken);
        sp_table_cell_count(table, SP_TONE_PLAIN, e->runs->count);
        sp_table_cell_count(table, SP_TONE_PLAIN, e->forbidden);
        if (e->consequence_share.undefined)
            sp_table_cell_text(table, SP_TONE_MUTED, "–");
        else
            sp_buffer_percent(sp_table_cell(table, SP_TONE_PLAIN), e->consequences, e->broken);
        sp_cell_value(table, &e->runs->mean, 2, SP_TONE_PLAIN);
        sp_cell_value(table, &e->runs->median, 1, SP_TONE_PLAIN);
        sp_table_cell_count(table, SP_TONE_PLAIN, e->longest);
        if (e->runs->count) {
            sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
            sp_buffer_text(cell, comparison->ids[e->longest_recording]);
            sp_buffer_text(cell, ", ");
            sp_buffer_count(cell, e->longest_step);
        } else {
            sp_table_cell_text(table, SP_TONE_MUTED, "–");
        }
        sp_table_cell_count(table, e->dead_ends ? SP_TONE_BAD : SP_TONE_PLAIN, e->dead_ends);
    }
}

void sp_fill_collapsed(const sp_comparison *comparison, sp_table *table)
{
    table->title = "Fewer classes, put together after decoding";
    sp_table_column(table, SP_LEFT, "classes");
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_RIGHT, "accuracy");
    sp_table_column(table, SP_RIGHT, "kappa");
    sp_table_column(table, SP_RIGHT, "MCC");
    sp_table_column(table, SP_RIGHT, "macro F1");
    for (int32_t i = 0; i < comparison->n_collapsed; i++) {
        const sp_collapsed *one = &comparison->collapsed[i];
        for (int32_t s = 0; s < comparison->n_strategies; s++) {
            const sp_agreement *a = &one->strategies[s];
            sp_table_cell_text(table, SP_TONE_PLAIN, one->how.name);
            sp_table_cell_text(table, SP_TONE_PLAIN, comparison->strategies[s].name);
            sp_cell_value(table, &a->accuracy, 4, SP_TONE_PLAIN);
            sp_cell_value(table, &a->kappa, 4, SP_TONE_PLAIN);
            sp_cell_value(table, &a->mcc, 4, SP_TONE_PLAIN);
            sp_cell_value(table, &a->macro_f1, 4, SP_TONE_PLAIN);
        }
    }
}

void sp_fill_several(const sp_comparison *comparison, sp_table *table)
{
    if (!comparison->mean_ranks)
        return;
    table->title = comparison->n_subjects ? "All strategies at once, by accuracy: Friedman's test over subjects"
                                          : "All strategies at once, by accuracy: Friedman's test over recordings";
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_RIGHT, "mean rank (1 is best)");
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, comparison->strategies[s].name);
        sp_buffer_fixed(sp_table_cell(table, SP_TONE_PLAIN), comparison->mean_ranks[s], 2);
    }
}

static void add_test(sp_buffer *line, const char *name, const sp_chi2 *test)
{
    sp_buffer_text(line, name);
    if (test->chi2.undefined) {
        sp_buffer_format(line, " undefined (%s)", test->chi2.undefined);
        return;
    }
    sp_buffer_text(line, " = ");
    sp_buffer_fixed(line, test->chi2.value, 2);
    sp_buffer_format(line, ", %d degree%s of freedom, p ", (int)test->df, test->df == 1 ? "" : "s");
    sp_buffer_text(line, test->p.value < 0.001 ? "" : "= ");
    sp_buffer_p(line, test->p.value);
}

void sp_note_several(const sp_comparison *comparison, sp_buffer *line)
{
    if (!comparison->mean_ranks)
        return;
    add_test(line, "Friedman chi-square", &comparison->friedman);
    add_test(line, ". Over steps, descriptive only: Cochran's Q", &comparison->cochran);
    sp_buffer_text(line, ".");
}

void sp_fill_step_tests(const sp_comparison *comparison, sp_table *table)
{
    table->title = "McNemar's test over clusters; and descriptive only, because they take steps as independent: exact McNemar, "
                   "Bowker, Stuart–Maxwell";
    sp_table_column(table, SP_LEFT, "pair");
    sp_table_column(table, SP_RIGHT, "clusters (df)");
    sp_table_column(table, SP_RIGHT, "p");
    sp_table_column(table, SP_RIGHT, "exact p");
    sp_table_column(table, SP_RIGHT, "Bowker (df)");
    sp_table_column(table, SP_RIGHT, "p");
    sp_table_column(table, SP_RIGHT, "Stuart–Maxwell (df)");
    sp_table_column(table, SP_RIGHT, "p");
    for (int32_t i = 0; i < comparison->n_comparisons; i++) {
        const sp_pair_comparison *pair = &comparison->comparisons[i];
        if (strcmp(pair->metric, "accuracy") != 0)
            continue;
        cell_pair(comparison, pair, table);
        cell_chi2(table, &pair->mcnemar_cluster);
        if (pair->mcnemar.exact.undefined)
            sp_table_cell_text(table, SP_TONE_MUTED, "–");
        else
            sp_buffer_p(sp_table_cell(table, SP_TONE_PLAIN), pair->mcnemar.exact.value);
        cell_chi2(table, &pair->bowker);
        cell_chi2(table, &pair->stuart_maxwell);
    }
}

/* ---- non-inferiority ---- */

const char *sp_margin_answer(const sp_comparison *comparison, const sp_pair_comparison *pair)
{
    if (!strcmp(pair->metric, "illegal_rate") || pair->difference.low.undefined)
        return NULL;
    return pair->difference.low.value > -comparison->margin ? "yes" : "not shown";
}

void sp_fill_margins(const sp_comparison *comparison, sp_table *table)
{
    sp_buffer name = {0};
    if (!comparison->has_margin)
        return;
    table->title = "No harm: is the lower end of the difference's interval above minus the margin?";
    sp_buffer_text(&name, "no worse by ");
    sp_buffer_fixed(&name, comparison->margin, 4);
    sp_table_column(table, SP_LEFT, "pair");
    sp_table_column(table, SP_LEFT, "metric");
    sp_table_column(table, SP_RIGHT, "difference");
    sp_table_column(table, SP_RIGHT, "lower end");
    sp_table_column(table, SP_LEFT, name.failed ? "" : name.data);
    table->failed |= name.failed;
    sp_buffer_free(&name);
    for (int32_t i = 0; i < comparison->n_comparisons; i++) {
        const sp_pair_comparison *pair = &comparison->comparisons[i];
        const char *answer = sp_margin_answer(comparison, pair);
        if (!strcmp(pair->metric, "illegal_rate"))
            continue;
        cell_pair(comparison, pair, table);
        sp_table_cell_text(table, SP_TONE_PLAIN, sp_metric_name(pair->metric));
        const sp_value *values[] = {&pair->difference.difference, &pair->difference.low};
        for (int k = 0; k < 2; k++)
            if (values[k]->undefined)
                sp_table_cell_text(table, SP_TONE_MUTED, "–");
            else
                sp_buffer_signed(sp_table_cell(table, SP_TONE_PLAIN), values[k]->value, 4);
        sp_table_cell_text(table, answer ? SP_TONE_PLAIN : SP_TONE_MUTED, answer ? answer : "–");
    }
}

/* ---- sentences ---- */

static void note_margin(const sp_comparison *c, sp_table *lines)
{
    for (int32_t i = 0; i < c->n_comparisons; i++) {
        const sp_pair_comparison *pair = &c->comparisons[i];
        const char *answer = sp_margin_answer(c, pair);
        if (strcmp(pair->metric, "accuracy") != 0 || !answer || strcmp(c->strategies[pair->b].name, "argmax") != 0)
            continue;
        sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
        sp_buffer_text(line, c->strategies[pair->a].name);
        sp_buffer_text(line, strcmp(answer, "yes") ? ": that it loses no more than " : " loses no more than ");
        sp_buffer_fixed(line, 100 * c->margin, 2);
        sp_buffer_text(line, " percentage points of accuracy against argmax");
        sp_buffer_text(line, strcmp(answer, "yes") ? " is not shown" : "");
        sp_buffer_text(line, ": the interval begins at ");
        sp_buffer_signed(line, 100 * pair->difference.low.value, 2);
        sp_buffer_text(line, " (--margin, to be set before looking).");
    }
}

static void note_trim(const sp_comparison *c, sp_table *lines)
{
    int64_t n = 0;
    for (int64_t r = 0; r < c->n_recordings; r++)
        n += c->trimmed_steps[r] > 0;
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    sp_buffer_format(
        line, "Wake more than %g min before or after the reference's sleep is left out of agreement: ", c->wake_trim_minutes);
    sp_buffer_count(line, c->n_trimmed_steps);
    sp_buffer_format(line, " step%s of ", c->n_trimmed_steps == 1 ? "" : "s");
    sp_buffer_count(line, n);
    sp_buffer_format(line, " recording%s (--wake-trim). Sleep statistics are of whole recordings.", n == 1 ? "" : "s");
}

void sp_note_more(const sp_comparison *comparison, sp_table *lines)
{
    const sp_comparison *c = comparison;
    if (c->has_wake_trim && c->trimmed_steps)
        note_trim(c, lines);
    if (c->absent_class != SP_ABSENT_EXCLUDE && c->has_labels)
        sp_buffer_format(sp_table_cell(lines, SP_TONE_PLAIN),
                         "Means over classes count a class without precision, recall or F1 as %d (--absent-class).",
                         c->absent_class == SP_ABSENT_ONE);
    for (int32_t s = 0; s < c->n_strategies; s++)
        if (c->strategies[s].zero_steps) {
            sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
            sp_buffer_format(line, "%s takes a class of probability 0 at ", c->strategies[s].name);
            sp_buffer_count(line, c->strategies[s].zero_steps);
            sp_buffer_format(line, " step%s; regret is over the others.", c->strategies[s].zero_steps == 1 ? "" : "s");
        }
    if (c->has_margin)
        note_margin(c, lines);
}
