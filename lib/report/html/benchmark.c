/* How far raters agree with each other about stages of sleep, beside the kappa of the strategies: what a figure means that can
 * never be 1. Only where the classes are the five stages of the AASM. */
#include "report/html/page.h"

#include "sleep/stages.h"

#include <math.h>

/* Stages in the order of the figures below; index 0 is all of them. */
enum { ALL, N_ROWS = 1 + SP_N_STAGES };

/* Lee et al. 2022, a meta-analysis, J Clin Sleep Med 18:193; Nikkonen et al. 2023, ten raters of 50 nights, J Sleep Res
 * 33:e13956; Danker-Hopfe et al. 2009, SIESTA under the rules of the AASM, J Sleep Res 18:74. 0: not given. */
static const struct {
    double meta, ten, siesta;
} raters[N_ROWS] = {{0.76, 0.71, 0.76}, {0.70, 0, 0}, {0.24, 0.41, 0},
                    {0.57, 0, 0},       {0.57, 0, 0}, {0.69, 0.86, 0}};
static const double meta_low = 0.71, meta_high = 0.81; /* of all stages */

static int stage_of(const char *name)
{
    const sp_stage_name *found = sp_stage_name_find(name);
    return found && !found->is_coarse ? 1 + (int)found->stage : ALL;
}

static bool has_benchmark(const sp_comparison *c)
{
    unsigned seen = 0;
    for (int32_t k = 0; k < c->n_classes && k < N_ROWS; k++)
        seen |= 1u << stage_of(c->classes[k]);
    return sp_has_agreement(c) && c->n_classes == SP_N_STAGES && seen == (1u << N_ROWS) - 2;
}

/* Row 0 of the table: all stages; then class by class. */
static const sp_value *kappa_of(const sp_comparison *c, int32_t s, size_t row)
{
    return row == 0 ? &c->strategies[s].agreement.kappa : &c->strategies[s].classes[row - 1].kappa;
}

static int stage_of_row(const sp_comparison *c, size_t row)
{
    return row == 0 ? ALL : stage_of(c->classes[row - 1]);
}

static void cell_raters(sp_table *table, double kappa, bool has_interval)
{
    if (kappa <= 0) {
        sp_cell_none(table);
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_fixed(cell, kappa, 2);
    if (has_interval)
        sp_buffer_format(cell, " (%.2f to %.2f)", meta_low, meta_high);
}

static void fill(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    (void)options;
    table->title = "Kappa beside that of people with each other";
    sp_table_columns(table, "stage");
    sp_strategy_columns(c, false, table);
    sp_table_columns(table, "people: meta-analysis|ten scorers|SIESTA");
    for (size_t row = 0; row <= (size_t)c->n_classes; row++) {
        int stage = stage_of_row(c, row);
        sp_table_cell_text(table, SP_TONE_PLAIN, row ? c->classes[row - 1] : "all stages");
        for (int32_t s = 0; s < c->n_strategies; s++)
            sp_cell_value(table, kappa_of(c, s, row), 3, SP_TONE_PLAIN);
        cell_raters(table, raters[stage].meta, stage == ALL);
        cell_raters(table, raters[stage].ten, false);
        cell_raters(table, raters[stage].siesta, false);
    }
}

static void strip(const void *arg, size_t row, sp_buffer *out)
{
    const sp_marks *m = arg;
    const int stage = stage_of_row(m->c, row);
    if (stage == ALL)
        sp_strip_band(out, &m->axis, meta_low, meta_high);
    sp_strip_tick(out, &m->axis, "whisker", raters[stage].meta);
    if (raters[stage].ten > 0)
        sp_strip_tick(out, &m->axis, "whisker d2", raters[stage].ten);
    sp_marks_draw(m, row, out);
}

void sp_page_benchmark(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_marks marks = {c, {.low = 0.2, .high = 1, .decimals = 1, .name = "kappa"}, kappa_of};
    if (!has_benchmark(c))
        return;
    sp_marks_scale(&marks, (size_t)c->n_classes + 1);
    sp_page_strips(page, fill, NULL, "wide", &(sp_strips){marks.axis, true, strip, &marks});
    sp_buffer_text(&page->out, "<p class=\"small\">Upright lines: what human scorers reach against each "
                               "other, on other people’s nights; solid, with a "
                               "band for the 95 % interval: meta-analysis (Lee et al. 2022, J Clin Sleep Med "
                               "18:193); dotted: ten scorers, Fleiss’ "
                               "kappa "
                               "(Nikkonen et al. 2023, J Sleep Res 33:e13956). SIESTA: two scorers under the "
                               "rules of the AASM, who agree in 82 % of "
                               "epochs (Danker-Hopfe et al. 2009, J Sleep Res 18:74). <strong>Not a pass "
                               "mark</strong>: kappa depends on how "
                               "frequent the stages are, and on who was recorded.</p>\n");
}
