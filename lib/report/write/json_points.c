/* Operating points of a tagger, as JSON. */
#include "report/write/json_tree.h"

static void add_shares(sp_json object, const sp_held_entities *held)
{
    sp_json_count(object, "reference", held->reference);
    sp_json_count(object, "decoded", held->decoded);
    sp_json_count(object, "correct", held->correct);
    sp_json_value(object, "precision", &held->precision.difference);
    sp_json_interval(object, "precision_interval", held->precision.low, held->precision.high);
    sp_json_value(object, "recall", &held->recall.difference);
    sp_json_interval(object, "recall_interval", held->recall.low, held->recall.high);
    sp_json_value(object, "f1", &held->f1.difference);
    sp_json_interval(object, "f1_interval", held->f1.low, held->f1.high);
}

void sp_json_operating_points(sp_json root, const sp_comparison *c)
{
    const sp_operating_points *points = c->operating_points;
    const sp_json object = sp_json_object(root, "operating_points");
    sp_json_text(object, "scheme", points->scheme);
    sp_json_text(object, "aim", points->aim);
    add_shares(object, &points->held);
    const sp_json types = sp_json_array(object, "types");
    for (int32_t i = 0; i < points->n_types; i++) {
        const sp_json type = sp_json_object(types, NULL);
        sp_json_text(type, "type", points->types[i].name);
        add_shares(type, &points->types[i].held);
    }
    sp_json_count(object, "rare_types", points->n_rare_types);
    const sp_json curve = sp_json_array(object, "curve");
    for (int i = 0; i < SP_OPERATING_POINTS; i++) {
        const sp_json point = sp_json_object(curve, NULL);
        sp_json_real(point, "beta", points->curve[i].beta);
        add_shares(point, &points->curve[i].held);
    }
}
