/* Intervals of recordings' figures over paths drawn from the posterior: how wide they are, and how often they hold the reference. */
#include "report/tables/tables.h"

#include <math.h>

static bool has_references(const sp_posterior_intervals *p)
{
    bool has = false;
    for (int32_t i = 0; i < p->n; i++)
        has |= p->figures[i].n_references > 0;
    return has;
}

static void add_coverage(const sp_posterior_figure *f, sp_table *table)
{
    sp_table_say(table, SP_TONE_PLAIN, "%jd of %jd", f->n_held, f->n_references);
    sp_cell_share(table, f->n_held, f->n_references, SP_TONE_PLAIN);
    if (f->held_low.undefined)
        sp_cell_none(table);
    else
        sp_table_say(table, SP_TONE_PLAIN, "%.0f to %.0f %%", 100 * f->held_low.value,
                     100 * f->held_high.value);
}

void sp_fill_posterior(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_posterior_intervals *p = c->posterior;
    (void)options;
    if (!p)
        return;
    table->title = "Intervals of figures over paths drawn from the posterior";
    sp_table_columns(table, "<figure|{recordings}|mean width");
    if (has_references(p)) {
        sp_table_columns(table, "reference within|share");
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "exact %g %% interval", 100 * p->level);
    }
    for (int32_t i = 0; i < p->n; i++) {
        const sp_posterior_figure *f = &p->figures[i];
        sp_table_say(table, SP_TONE_PLAIN, *f->unit ? "%s, %s" : "%s", f->name, f->unit);
        sp_table_cell_count(table, SP_TONE_PLAIN, f->n_intervals);
        sp_cell_value(table, &f->width, 1, SP_TONE_PLAIN);
        if (has_references(p))
            add_coverage(f, table);
    }
}

bool sp_is_below_level(const sp_comparison *c, const sp_posterior_figure *f)
{
    return !f->held_high.undefined && f->held_high.value < c->posterior->level;
}

void sp_note_posterior(const sp_comparison *c, sp_buffer *line)
{
    const sp_posterior_intervals *p = c->posterior;
    if (!p)
        return;
    int32_t n_below = 0;
    for (int32_t i = 0; i < p->n; i++)
        n_below += sp_is_below_level(c, &p->figures[i]);
    sp_buffer_say(line,
                  "(an interval holds %g %% of what %jd paths drawn from the posterior of {a recording} "
                  "give: what scores and rules leave "
                  "open, not what the scores have wrong",
                  100 * p->level, (int64_t)p->n_draws);
    if (p->is_widened)
        sp_buffer_text(line,
                       "; each side was then made wider by what intervals of other, labelled data lacked");
    if (!has_references(p))
        sp_buffer_words(line, "; no {recording} with an interval has a label at every {step}, so how often "
                              "they hold the reference "
                              "is not known");
    if (n_below)
        sp_buffer_say(line, "; of %jd figure%s the references lie within clearly less often than that: ",
                      (int64_t)n_below, sp_plural(n_below));
    if (n_below && p->is_widened)
        sp_buffer_text(line, "the data that they were widened by are not like these");
    else if (n_below && c->words.in_python)
        sp_buffer_words(line, "the program (statepath compare) makes intervals as wide as those of other "
                              "labelled {recordings} have to be");
    else if (n_below)
        sp_buffer_words(line, "{=widen-by KNOWN.h5}, with paths and draws of other labelled {recordings}, "
                              "makes intervals as wide as "
                              "they have to be");
    sp_buffer_text(line, ")");
}
