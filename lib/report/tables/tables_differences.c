/* Tables of pairs of strategies, and of all of them at once. */
#include "evaluate/compared.h"
#include "report/tables/tables.h"

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
    const sp_compared *how = sp_compared_by(options->metric);
    const sp_pairs pairs = sp_pairs_by(c, options->metric);
    const bool is_tested = how->tests == SP_ALL_TESTS, has_p = how->tests != SP_INTERVAL_ALONE;
    const bool has_holm = is_tested && pairs.n > 1;
    table->title = is_narrow ? how->heading : c->n_subjects ? how->title_subjects : how->title;
    sp_table_columns(table, "pair");
    sp_table_column(table, SP_RIGHT, how->scale == 100 ? "points" : "difference");
    sp_buffer_say(sp_table_head(table, SP_RIGHT), "%g %% interval", 100 * c->level);
    sp_table_columns(table, is_narrow ? "better, worse, same" : "better|worse|same");
    if (has_p)
        sp_table_column(table, SP_RIGHT, is_tested ? "p" : "sign-flip p");
    if (has_holm)
        sp_table_column(table, SP_RIGHT, "Holm p");
    for (int32_t i = 0; i < pairs.n; i++) {
        const sp_pair_comparison *pair = &pairs.list[i];
        sp_cell_pair(c, pair, table);
        sp_cell_difference(table, &pair->difference, how->scale, how->decimals);
        cells_by_unit(&pair->test, is_narrow, table);
        if (has_p)
            sp_cell_p(table, is_tested ? &pair->test.p : &pair->permutation.p);
        if (has_holm)
            sp_cell_p(table, &pair->p_holm);
    }
}

void sp_note_interval(const sp_comparison *c, sp_buffer *line)
{
    if (c->n_comparisons == 0)
        return;
    sp_buffer_say(line, "(interval: %g %% %s, bootstrap over %s; p: Wilcoxon signed rank", 100 * c->level,
                  sp_interval_name(c), sp_unit_name(c, line->words, 2));
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
    sp_buffer_say(line, " = %.2f, %d degree%s of freedom, p %s", test->chi2.value, (int)test->df,
                  sp_plural(test->df), test->p.value < 0.001 ? "" : "= ");
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
    table->title = "McNemar's test over clusters; and descriptive only, because they take {steps} as "
                   "independent: exact McNemar, "
                   "Bowker, Stuart–Maxwell";
    sp_table_columns(table, "pair|clusters (df)|p|exact p|Bowker (df)|p|Stuart–Maxwell (df)|p");
    const sp_pairs pairs = sp_tested_pairs(c);
    for (int32_t i = 0; i < pairs.n; i++) {
        const sp_pair_comparison *pair = &pairs.list[i];
        sp_cell_pair(c, pair, table);
        cell_chi2(table, &pair->mcnemar_cluster);
        sp_cell_p(table, &pair->mcnemar.exact);
        cell_chi2(table, &pair->bowker);
        cell_chi2(table, &pair->stuart_maxwell);
    }
}

/* ---- non-inferiority ---- */

bool sp_is_judged(const sp_pair_comparison *pair)
{
    return sp_compared_by(pair->metric)->from != SP_FROM_TRANSITIONS;
}

const char *sp_margin_answer(const sp_comparison *c, const sp_pair_comparison *pair)
{
    if (!sp_is_judged(pair) || pair->difference.low.undefined)
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
        if (!sp_is_judged(pair))
            continue;
        sp_cell_pair(c, pair, table);
        sp_table_cell_text(table, SP_TONE_PLAIN, sp_compared_by(pair->metric)->name);
        sp_cell_signed(table, &pair->difference.difference, 1, 4);
        sp_cell_signed(table, &pair->difference.low, 1, 4);
        sp_table_cell_text(table, answer ? SP_TONE_PLAIN : SP_TONE_MUTED, answer ? answer : "–");
    }
}
