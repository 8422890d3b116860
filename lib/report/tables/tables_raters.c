/* Agreement with several raters. */
#include "report/tables/tables.h"

#include <string.h>

static void rater_row(const sp_raters *raters, const sp_rater_row *row, const char *prefix, bool wide,
                      sp_table *table)
{
    sp_table_say(table, SP_TONE_PLAIN, "%s%s", prefix, row->name);
    sp_cell_value(table, &row->mean_accuracy, 3, SP_TONE_PLAIN);
    sp_cell_value(table, &row->mean_kappa, 3, SP_TONE_PLAIN);
    sp_cell_value(table, &row->soft, 3, SP_TONE_PLAIN);
    for (int32_t i = 0; wide && i < raters->n_raters; i++)
        sp_cell_value(table, &row->with[i].kappa, 3, SP_TONE_PLAIN);
}

void sp_fill_raters(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const bool wide = options->is_wide;
    const sp_raters *raters = c->raters;
    if (!raters)
        return;
    table->title = "Agreement with each scorer, pooled over {steps}";
    sp_table_columns(table, "rater|mean accuracy|mean kappa|soft agreement");
    for (int32_t i = 0; wide && i < raters->n_raters; i++)
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "kappa with %s", raters->names[i]);
    if (raters->has_reference)
        rater_row(raters, &raters->reference, "", wide, table);
    for (int32_t s = 0; s < raters->n_strategies; s++)
        rater_row(raters, &raters->strategies[s], "", wide, table);
    for (int32_t i = 0; i < raters->n_raters; i++)
        rater_row(raters, &raters->raters[i], strncmp(raters->names[i], "scorer", 6) ? "scorer " : "", wide,
                  table);
    sp_table_cell_text(table, SP_TONE_PLAIN, "scorers with each other");
    sp_cell_value(table, &raters->mean_accuracy, 3, SP_TONE_PLAIN);
    sp_cell_value(table, &raters->mean_kappa, 3, SP_TONE_PLAIN);
    for (int32_t i = 0; i < (wide ? 1 + raters->n_raters : 1); i++)
        sp_cell_none(table);
}

void sp_fill_rater_notes(const sp_comparison *c, const sp_fill_options *options, sp_table *lines)
{
    (void)options;
    const sp_raters *raters = c->raters;
    sp_table_columns(lines, "notes");
    if (!raters)
        return;
    sp_buffer *line = sp_table_cell(lines, SP_TONE_PLAIN);
    if (raters->fleiss.undefined) {
        sp_buffer_say(line, "Fleiss' kappa of the %d scorers is undefined: ", (int)raters->n_raters);
        sp_buffer_term(line, raters->fleiss.undefined);
        sp_buffer_text(line, ".");
        return;
    }
    sp_buffer_say(line, "Fleiss' kappa of the %d scorers: %.3f, over %jd {steps} that all of them scored.",
                  (int)raters->n_raters, raters->fleiss.value, raters->fleiss_steps);
}
