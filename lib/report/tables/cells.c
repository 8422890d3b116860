/* Cells of tables, and small questions that several tables ask. */
#include "report/tables/tables.h"

#include <math.h>

void sp_cell_none(sp_table *table)
{
    sp_table_cell_text(table, SP_TONE_MUTED, "–");
}

void sp_cell_value(sp_table *table, const sp_value *value, int decimals, sp_cell_tone tone)
{
    if (value->undefined)
        sp_cell_none(table);
    else
        sp_buffer_fixed(sp_table_cell(table, tone), value->value, decimals);
}

void sp_cell_signed(sp_table *table, const sp_value *value, double scale, int decimals)
{
    if (value->undefined)
        sp_cell_none(table);
    else
        sp_buffer_signed(sp_table_cell(table, SP_TONE_PLAIN), scale * value->value, decimals);
}

void sp_cell_difference(sp_table *table, const sp_difference *d, double scale, int decimals)
{
    sp_cell_signed(table, &d->difference, scale, decimals);
    if (d->low.undefined || d->high.undefined)
        sp_cell_none(table);
    else
        sp_table_say(table, SP_TONE_PLAIN, "%+.*f to %+.*f", decimals, scale * d->low.value, decimals,
                     scale * d->high.value);
}

void sp_cell_mean(sp_table *table, const sp_value *mean, const sp_value *sd, int decimals)
{
    sp_cell_value(table, mean, decimals, SP_TONE_PLAIN);
    if (mean->undefined || sd->undefined)
        return;
    sp_buffer_text(&table->text, " ± "); /* the cell that was just begun */
    sp_buffer_fixed(&table->text, sd->value, decimals);
}

void sp_cell_share(sp_table *table, int64_t part, int64_t whole, sp_cell_tone tone)
{
    if (whole > 0)
        sp_buffer_percent(sp_table_cell(table, tone), part, whole);
    else
        sp_cell_none(table);
}

void sp_cell_p(sp_table *table, const sp_value *p)
{
    if (p->undefined)
        sp_cell_none(table);
    else
        sp_buffer_p(sp_table_cell(table, SP_TONE_PLAIN), p->value);
}

void sp_cell_pair(const sp_comparison *c, const sp_pair_comparison *pair, sp_table *table)
{
    sp_table_say(table, SP_TONE_PLAIN, "%s − %s", c->strategies[pair->a].name, c->strategies[pair->b].name);
}

double sp_as_shown(double value, int decimals)
{
    return round(value * pow(10, decimals));
}

const char *sp_undecoded_reason(sp_status status)
{
    return status == SP_EDEADEND ? "dead end" : status == SP_EBUG ? "bug of statepath" : "no path";
}

void sp_strategy_columns(const sp_comparison *c, bool with_reference, sp_table *table)
{
    if (with_reference)
        sp_table_column(table, SP_RIGHT, "reference");
    for (int32_t s = 0; s < c->n_strategies; s++)
        sp_table_column(table, SP_RIGHT, c->strategies[s].name);
}

int64_t sp_scored_of(const sp_comparison *c, int64_t recording)
{
    return c->scored_steps ? c->scored_steps[recording] : 0;
}
