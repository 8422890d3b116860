/* Pairs of strategies: the difference of each metric with its interval as a forest, who gains as a scatter beside it, and what
 * else is known of each pair behind folds. */
#include "evaluate/compared.h"
#include "evaluate/work.h"
#include "report/html/page.h"

#include <math.h>
#include <string.h>

/* ---- forest ---- */

/* Common scale of all rows of one metric in the units that are shown, 0 always inside. */
typedef struct difference_scale {
    sp_pairs pairs;
    double unit; /* 100 where percentage points are shown */
    sp_axis axis;
} difference_scale;

static void widen(difference_scale *scale, const sp_value *value)
{
    if (value->undefined)
        return;
    scale->axis.low = fmin(scale->axis.low, scale->unit * value->value);
    scale->axis.high = fmax(scale->axis.high, scale->unit * value->value);
}

static void interval_cell(const void *arg, size_t row, sp_buffer *out)
{
    const difference_scale *scale = arg;
    const sp_difference *d = &scale->pairs.list[row].difference;
    sp_strip_tick(out, &scale->axis, "zero", 0);
    if (!d->low.undefined && !d->high.undefined)
        sp_strip_range(out, &scale->axis, scale->unit * d->low.value, scale->unit * d->high.value);
    if (!d->difference.undefined)
        sp_strip_dot(out, &scale->axis, scale->unit * d->difference.value);
}

static void forest(sp_page *page, const char *metric)
{
    const sp_comparison *c = page->comparison;
    const sp_compared *how = sp_compared_by(metric);
    difference_scale scale = {.pairs = sp_pairs_by(c, metric), .unit = how->scale};
    scale.axis = (sp_axis){.format = SP_TICK_SIGNED, .decimals = how->scale == 100 ? 2 : 3};
    for (int32_t i = 0; i < scale.pairs.n; i++) {
        const sp_difference *d = &scale.pairs.list[i].difference;
        widen(&scale, &d->difference);
        widen(&scale, &d->low);
        widen(&scale, &d->high);
    }
    if (scale.pairs.n == 0)
        return;
    sp_page_strips(page, sp_fill_differences, &(sp_fill_options){.metric = metric, .is_narrow = true}, "wide",
                   &(sp_strips){scale.axis, false, interval_cell, &scale});
}

static void explain_forest(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    const char *units = sp_unit_name(c, page->out.words, 2);
    sp_buffer_say(out,
                  "<p class=\"small\">Dot: difference of the pooled figures. Line: %g %% %s interval by "
                  "bootstrap over %s. Dashed: "
                  "no difference. Better, worse, same: number of %s. p: Wilcoxon signed rank over %s",
                  100 * c->level, sp_interval_name(c), units, units, units);
    if (sp_tested_pairs(c).n > 1)
        sp_buffer_text(out, "; Holm p: adjusted for the number of pairs");
    sp_add_smallest_p(c, out);
    sp_buffer_text(out, ".</p>\n");
}

/* ---- what else is known of each pair ---- */

/* The least p that n units other than ties can give: 2^(1-n). */
static void cell_least_p(const sp_wilcoxon *test, sp_table *table)
{
    int64_t n = test->better + test->worse;
    if (n < 1)
        sp_cell_none(table);
    else if (n > 60)
        sp_table_cell_text(table, SP_TONE_PLAIN, "< 1e-17");
    else
        sp_buffer_format(sp_table_cell(table, SP_TONE_PLAIN), "%.2g", ldexp(1, 1 - (int)n));
}

static void fill_pairs(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    table->title = c->n_subjects ? "Differences in accuracy over subjects, in percentage points"
                                 : "Differences in accuracy over {recordings}, in percentage points";
    sp_table_columns(table, "pair|mean|SD|median|rank-biserial correlation|least p that Wilcoxon can give|p "
                            "by sign flips of the mean");
    const sp_pairs pairs = sp_tested_pairs(c);
    for (int32_t i = 0; i < pairs.n; i++) {
        const sp_pair_comparison *pair = &pairs.list[i];
        sp_cell_pair(c, pair, table);
        sp_cell_signed(table, &pair->mean, 100, 2);
        if (pair->sd.undefined)
            sp_cell_none(table);
        else
            sp_buffer_fixed(sp_table_cell(table, SP_TONE_PLAIN), 100 * pair->sd.value, 2);
        sp_cell_signed(table, &pair->median, 100, 2);
        sp_cell_signed(table, &pair->test.rank_biserial, 1, 2);
        cell_least_p(&pair->test, table);
        sp_cell_p(table, &pair->permutation.p);
    }
}

static void further_tests(sp_page *page)
{
    sp_buffer_text(&page->out, "<details><summary>Further figures and tests of these pairs</summary>\n");
    sp_page_filled(page, NULL, fill_pairs, NULL, "");
    if (sp_page_document(page, "ranks", 0))
        sp_page_note(page, sp_note_several);
    sp_page_document(page, "step-tests", 0);
    sp_buffer_text(&page->out, "</details>\n");
}

void sp_page_differences(sp_page *page)
{
    static const char *const others[] = {"kappa", "macro_f1", "f1_at_25", "f1_at_10", "illegal_rate"};
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    for (const char *const *lead = sp_work_about(c->work)->leads; *lead; lead++)
        forest(page, *lead);
    forest(page, "accuracy");
    explain_forest(page);
    sp_buffer_text(out, "<div class=\"beside\">\n");
    sp_page_paired(page);
    sp_buffer_text(out, "</div>\n");
    sp_page_document(page, "margins", 0);
    if (c->n_comparisons > sp_tested_pairs(c).n) {
        sp_buffer_text(out, "<div class=\"forests\">\n");
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            forest(page, others[i]);
        sp_buffer_format(out, "</div>\n<p class=\"small\">Of these there are intervals%s</p>\n",
                         sp_pairs_by(c, "illegal_rate").n
                             ? ", and of illegal rates the p of a sign-flip permutation test."
                             : " only: accuracy is the one metric that is tested.");
    }
    if (c->other_metrics_left_out)
        sp_buffer_format(out, "<p class=\"small\">Kappa and macro F1 have no intervals: %s.</p>\n",
                         c->other_metrics_left_out);
    further_tests(page);
}
