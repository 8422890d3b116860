/* Intervals of recordings' figures over paths drawn from the posterior, as JSON. */
#include "report/write/json_tree.h"

#include <math.h>

static void add_number(sp_json object, const char *key, double value)
{
    if (isnan(value))
        sp_json_set(object, key, json_null());
    else
        sp_json_real(object, key, value);
}

static json_t *recording_object(const void *whole, const void *part, int64_t i, bool *failed)
{
    const sp_comparison *c = whole;
    const double *columns = ((const sp_posterior_figure *)part)->columns + i * SP_DRAW_COLUMNS;
    const sp_json object = sp_json_root(failed);
    sp_json_text(object, "id", c->ids[i]);
    add_number(object, "low", columns[SP_DRAW_LOW]);
    add_number(object, "high", columns[SP_DRAW_HIGH]);
    add_number(object, "decoded", columns[SP_DRAW_DECODED]);
    add_number(object, "defined", columns[SP_DRAW_DEFINED]);
    if (c->has_labels)
        add_number(object, "reference", columns[SP_DRAW_REFERENCE]);
    return object.at;
}

static void add_figure(sp_json object, const sp_comparison *c, const sp_posterior_figure *f,
                       sp_json_list *recordings)
{
    sp_json_text(object, "figure", f->key);
    sp_json_text(object, "name", f->name);
    if (*f->unit)
        sp_json_text(object, "unit", f->unit);
    if (c->posterior->is_widened)
        sp_json_value(object, "widening", &f->widening);
    sp_json_value(object, "width", &f->width);
    if (c->has_labels) {
        sp_json_count(object, "references", f->n_references);
        sp_json_count(object, "held", f->n_held);
        sp_json_value(object, "share", &f->held);
        sp_json_interval(object, "share_interval", f->held_low, f->held_high);
        sp_json_value(object, "lacking", &f->lacking);
    }
    *recordings =
        (sp_json_list){sp_json_array(object, "recordings").at, c->n_recordings, recording_object, c, f};
}

void sp_json_posterior(sp_json root, const sp_comparison *c, sp_json_list *lists)
{
    const sp_posterior_intervals *p = c->posterior;
    const sp_json object = sp_json_object(root, "intervals");
    sp_json_text(object, "strategy", c->strategies[p->strategy].name);
    sp_json_count(object, "draws", p->n_draws);
    sp_json_seed(object, "seed", p->seed);
    sp_json_real(object, "level", p->level);
    sp_json_flag(object, "widened", p->is_widened);
    const sp_json figures = sp_json_array(object, "figures");
    for (int32_t i = 0; i < p->n; i++)
        add_figure(sp_json_object(figures, NULL), c, &p->figures[i], &lists[i]);
}
