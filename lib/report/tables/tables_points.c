/* Operating points of a tagger: precision and recall of entities, by what the biases are chosen for. */
#include "report/tables/tables.h"

#include <math.h>

static void columns(const sp_comparison *c, const char *first, sp_table *table)
{
    static const char *const names[] = {"precision", "recall", "F1"};
    sp_table_columns(table, first);
    for (int i = 0; i < 3; i++) {
        sp_table_columns(table, names[i]);
        sp_buffer_say(sp_table_head(table, SP_RIGHT), "%g %% interval", 100 * c->level);
    }
}

static void share_with_interval(sp_table *table, const sp_difference *d)
{
    sp_cell_value(table, &d->difference, 4, SP_TONE_PLAIN);
    if (d->low.undefined || d->high.undefined)
        sp_cell_none(table);
    else
        sp_table_say(table, SP_TONE_PLAIN, "%.4f to %.4f", fmax(d->low.value, 0), fmin(d->high.value, 1));
}

static void add(sp_table *table, int64_t entities, const sp_held_entities *held)
{
    sp_table_cell_count(table, SP_TONE_PLAIN, entities);
    share_with_interval(table, &held->precision);
    share_with_interval(table, &held->recall);
    share_with_interval(table, &held->f1);
}

void sp_fill_operating_points(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_operating_points *points = c->operating_points;
    (void)options;
    if (!points)
        return;
    table->title = "Operating points: entities of {recordings} held out";
    columns(c, "<biases for|entities decoded", table);
    sp_table_cell_text(table, SP_TONE_PLAIN, points->aim);
    add(table, points->held.decoded, &points->held);
    for (int i = 0; i < SP_OPERATING_POINTS; i++) {
        sp_table_say(table, SP_TONE_PLAIN, "f%g", points->curve[i].beta);
        add(table, points->curve[i].held.decoded, &points->curve[i].held);
    }
}

void sp_fill_operating_types(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_operating_points *points = c->operating_points;
    (void)options;
    if (!points || !points->n_types)
        return;
    table->title =
        "Entities of each type, of {recordings} held out, at the operating point that was asked for";
    columns(c, "<type|entities in the labels", table);
    for (int32_t i = 0; i < points->n_types; i++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, points->types[i].name);
        add(table, points->types[i].held.reference, &points->types[i].held);
    }
}

void sp_note_operating_points(const sp_comparison *c, sp_buffer *line)
{
    const sp_operating_points *points = c->operating_points;
    if (!points)
        return;
    sp_buffer_say(
        line,
        "(Viterbi by six biases of %s transitions, learnt without each of %d folds and tried on it; f2: the "
        "biases with the "
        "greatest F2, in which recall weighs twice as much as precision; statepath fit learns them from all "
        "{recordings}",
        points->scheme, (int)points->n_folds);
    if (points->n_rare_types)
        sp_buffer_say(line, "; %d type%s with too few entities to be judged alone", (int)points->n_rare_types,
                      points->n_rare_types == 1 ? "" : "s");
    sp_buffer_text(line, ")");
}
