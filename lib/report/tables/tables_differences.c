/* Tables of pairs of strategies, and of all of them at once. */
#include "report/tables/tables.h"

#include <string.h>

int32_t sp_tested_pairs(const sp_comparison *c)
{
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_comparisons; i++)
        n += !strcmp(c->comparisons[i].metric, "accuracy");
    return n;
}

/* How differences of a metric are shown: accuracy and rates in percentage points, differences of a few thousandths are the rule;
 * kappa and F1 are no shares and stay as they are. */
typedef struct metric_style {
    const char *metric, *name, *heading, *title, *subjects, *unit; /* subjects: the title where the units are those */
    double scale;
    int decimals;
} metric_style;

static const metric_style metric_styles[] = {
    {"accuracy", "accuracy", "Accuracy, in percentage points",
     "Difference in accuracy in percentage points, paired over {recordings}",
     "Difference in accuracy in percentage points, paired over subjects", "points", 100, 2},
    {"kappa", "kappa", "Kappa", "Difference in kappa, paired over {recordings}", "Difference in kappa, paired over subjects",
     "difference", 1, 4},
    {"macro_f1", "macro F1", "Macro F1", "Difference in macro F1, paired over {recordings}",
     "Difference in macro F1, paired over subjects", "difference", 1, 4},
    {"edit_score", "edit score", "Edit score", "Difference in edit score, paired over {recordings}",
     "Difference in edit score, paired over subjects", "difference", 1, 4},
    {"f1_at_10", "F1@10", "F1@10", "Difference in F1@10, paired over {recordings}", "Difference in F1@10, paired over subjects",
     "difference", 1, 4},
    {"f1_at_25", "F1@25", "F1@25", "Difference in F1@25, paired over {recordings}", "Difference in F1@25, paired over subjects",
     "difference", 1, 4},
    {"f1_at_50", "F1@50", "F1@50", "Difference in F1@50, paired over {recordings}", "Difference in F1@50, paired over subjects",
     "difference", 1, 4},
    {"entity_f1", "entity F1", "Entity F1", "Difference in entity F1, paired over {recordings}",
     "Difference in entity F1, paired over subjects", "difference", 1, 4},
    {"illegal_rate", "illegal rate", "Illegal transitions, in percentage points of all",
     "Difference in illegal transitions, percentage points of all transitions, paired over {recordings}",
     "Difference in illegal transitions, percentage points of all transitions, paired over subjects", "points", 100, 3},
};

static const metric_style *style_of(const char *metric)
{
    for (size_t i = 0; i < sizeof metric_styles / sizeof *metric_styles; i++)
        if (!strcmp(metric, metric_styles[i].metric))
            return &metric_styles[i];
    return &metric_styles[0];
}

static void cell_interval(sp_table *table, const sp_difference *d, const metric_style *style)
{
    sp_cell_signed(table, &d->difference, style->scale, style->decimals);
    if (d->low.undefined || d->high.undefined) {
        sp_cell_none(table);
        return;
    }
    sp_table_say(table, SP_TONE_PLAIN, "%+.*f to %+.*f", style->decimals, style->scale * d->low.value, style->decimals,
                 style->scale * d->high.value);
}

/* As three columns, or as one: "3, 17, 0". */
static void cells_by_unit(const sp_wilcoxon *test, bool is_narrow, sp_table *table)
{
    const int64_t counts[] = {test->better, test->worse, test->ties};
    sp_buffer *cell = is_narrow ? sp_table_cell(table, SP_TONE_PLAIN) : NULL;
    for (int i = 0; i < 3; i++) {
        if (!is_narrow)
            cell = sp_table_cell(table, SP_TONE_PLAIN);
        else if (i)
            sp_buffer_text(cell, ", ");
        sp_buffer_count(cell, counts[i]);
    }
}

void sp_fill_differences(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const bool is_narrow = options->is_narrow;
    const char *metric = options->metric;
    const metric_style *style = style_of(metric);
    const bool is_tested = !strcmp(metric, "accuracy"), is_flipped = !strcmp(metric, "illegal_rate"); /* tested by sign flips */
    const bool has_holm = is_tested && sp_tested_pairs(c) > 1;
    table->title = is_narrow ? style->heading : c->n_subjects ? style->subjects : style->title;
    sp_table_columns(table, "pair");
    sp_table_column(table, SP_RIGHT, style->unit);
    sp_buffer_say(sp_table_head(table, SP_RIGHT), "%g %% interval", 100 * c->level);
    sp_table_columns(table, is_narrow ? "better, worse, same" : "better|worse|same");
    if (is_tested || is_flipped)
        sp_table_column(table, SP_RIGHT, is_tested ? "p" : "sign-flip p");
    if (has_holm)
        sp_table_column(table, SP_RIGHT, "Holm p");
    for (int32_t i = 0; i < c->n_comparisons; i++) {
        const sp_pair_comparison *pair = &c->comparisons[i];
        if (strcmp(pair->metric, metric) != 0)
            continue;
        sp_cell_pair(c, pair, table);
        cell_interval(table, &pair->difference, style);
        cells_by_unit(&pair->test, is_narrow, table);
        if (is_tested || is_flipped)
            sp_cell_p(table, is_tested ? &pair->test.p : &pair->permutation.p);
        if (has_holm)
            sp_cell_p(table, &pair->p_holm);
    }
}

void sp_note_interval(const sp_comparison *c, sp_buffer *line)
{
    if (c->n_comparisons == 0)
        return;
    sp_buffer_say(line, "(interval: %g %% %s, bootstrap over %s; p: ", 100 * c->level, sp_interval_name(c),
                  sp_unit_name(c, line->words, 2));
    sp_add_test_name(c, line);
    sp_add_smallest_p(c, line);
    sp_buffer_text(line, ")");
}

/* ---- all strategies at once ---- */

void sp_fill_several(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    if (!c->mean_ranks)
        return;
    table->title = c->n_subjects ? "All strategies at once, by accuracy: Friedman's test over subjects"
                                 : "All strategies at once, by accuracy: Friedman's test over {recordings}";
    sp_table_columns(table, "strategy|mean rank (1 is best)");
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, c->strategies[s].name);
        sp_buffer_fixed(sp_table_cell(table, SP_TONE_PLAIN), c->mean_ranks[s], 2);
    }
}

static void add_test(sp_buffer *line, const char *name, const sp_chi2 *test)
{
    sp_buffer_words(line, name);
    if (test->chi2.undefined) {
        sp_buffer_text(line, " undefined (");
        sp_buffer_term(line, test->chi2.undefined);
        sp_buffer_text(line, ")");
        return;
    }
    sp_buffer_say(line, " = %.2f, %d degree%s of freedom, p %s", test->chi2.value, (int)test->df, sp_plural(test->df),
                  test->p.value < 0.001 ? "" : "= ");
    sp_buffer_p(line, test->p.value);
}

void sp_note_several(const sp_comparison *c, sp_buffer *line)
{
    if (!c->mean_ranks)
        return;
    add_test(line, "Friedman chi-square", &c->friedman);
    add_test(line, ". Over {steps}, descriptive only: Cochran's Q", &c->cochran);
    sp_buffer_text(line, ".");
}

/* ---- tests over steps ---- */

static void cell_chi2(sp_table *table, const sp_chi2 *test)
{
    if (test->chi2.undefined) {
        sp_cell_none(table);
        sp_cell_none(table);
        return;
    }
    sp_table_say(table, SP_TONE_PLAIN, "%.2f (%d)", test->chi2.value, (int)test->df);
    sp_buffer_p(sp_table_cell(table, SP_TONE_PLAIN), test->p.value);
}

void sp_fill_step_tests(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    table->title = "McNemar's test over clusters; and descriptive only, because they take {steps} as independent: exact McNemar, "
                   "Bowker, Stuart–Maxwell";
    sp_table_columns(table, "pair|clusters (df)|p|exact p|Bowker (df)|p|Stuart–Maxwell (df)|p");
    for (int32_t i = 0; i < c->n_comparisons; i++) {
        const sp_pair_comparison *pair = &c->comparisons[i];
        if (strcmp(pair->metric, "accuracy") != 0)
            continue;
        sp_cell_pair(c, pair, table);
        cell_chi2(table, &pair->mcnemar_cluster);
        sp_cell_p(table, &pair->mcnemar.exact);
        cell_chi2(table, &pair->bowker);
        cell_chi2(table, &pair->stuart_maxwell);
    }
}

/* ---- non-inferiority ---- */

const char *sp_margin_answer(const sp_comparison *c, const sp_pair_comparison *pair)
{
    if (!strcmp(pair->metric, "illegal_rate") || pair->difference.low.undefined)
        return NULL;
    return pair->difference.low.value > -c->margin ? "yes" : "not shown";
}

void sp_fill_margins(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    if (!c->has_margin)
        return;
    table->title = "No harm: is the lower end of the difference's interval above minus the margin?";
    sp_table_columns(table, "pair|<metric|difference|lower end");
    sp_buffer_say(sp_table_head(table, SP_LEFT), "no worse by %.4f", c->margin);
    for (int32_t i = 0; i < c->n_comparisons; i++) {
        const sp_pair_comparison *pair = &c->comparisons[i];
        const char *answer = sp_margin_answer(c, pair);
        if (!strcmp(pair->metric, "illegal_rate"))
            continue;
        sp_cell_pair(c, pair, table);
        sp_table_cell_text(table, SP_TONE_PLAIN, style_of(pair->metric)->name);
        sp_cell_signed(table, &pair->difference.difference, 1, 4);
        sp_cell_signed(table, &pair->difference.low, 1, 4);
        sp_table_cell_text(table, answer ? SP_TONE_PLAIN : SP_TONE_MUTED, answer ? answer : "–");
    }
}
