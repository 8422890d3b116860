/* Steps to review, as JSON. */
#include "report/write/json_tree.h"

static void add_step(sp_json list, const sp_comparison *c, const sp_review_place *place)
{
    const sp_json object = sp_json_object(list, NULL);
    sp_json_text(object, "id", c->ids[place->recording]);
    sp_json_count(object, "step", place->step);
    if (place->decoded >= 0)
        sp_json_text(object, "decoded", c->classes[place->decoded]);
    if (place->likeliest >= 0)
        sp_json_text(object, "likeliest", c->classes[place->likeliest]);
    sp_json_real(object, "probability", place->probability);
    sp_json_real(object, "gain", place->gain);
    if (place->label >= 0)
        sp_json_text(object, "reference", c->classes[place->label]);
}

void sp_json_review(sp_json root, const sp_comparison *c)
{
    const sp_review_result *review = c->review;
    const sp_json object = sp_json_object(root, "review");
    sp_json_text(object, "strategy", c->strategies[review->strategy].name);
    sp_json_value(object, "accuracy", &review->accuracy);
    sp_json_value(object, "corrected", &review->corrected);
    sp_json_value(object, "least_probable", &review->least_probable);
    sp_json_value(object, "random", &review->random);
    const sp_json steps = sp_json_array(object, "steps");
    for (int64_t i = 0; i < review->n; i++)
        add_step(steps, c, &review->list[i]);
    sp_json_count(object, "steps_left_out", review->n_chosen - review->n);
}
