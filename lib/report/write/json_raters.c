/* Sleep statistics and raters as JSON. */
#include "report/write/json_tree.h"

/* Measure by measure: figures of structs that stand side by side, `size` bytes each. */
static json_t *measures_object(const sp_comparison *c, sp_figure_scope scope, const void *first, size_t size, bool *failed)
{
    json_t *object = json_object();
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++)
        sp_json_set(object, sp_sleep_measure_key((sp_sleep_measure)m),
                    sp_json_figures(scope, (const char *)first + (size_t)m * size, NULL, c, failed), failed);
    return object;
}

static json_t *night_object(const void *whole, const void *part, int64_t i, bool *failed)
{
    const sp_comparison *c = whole;
    const sp_sleep_statistics *night = &((const sp_sleep_statistics *)part)[i];
    json_t *object = json_object();
    sp_json_set_text(object, "id", c->ids[i], failed);
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++)
        sp_json_set_value(object, sp_sleep_measure_key((sp_sleep_measure)m), &night->values[m], failed);
    return object;
}

/* agreement NULL: of the reference itself, or without one. */
static json_t *nights_object(const sp_comparison *c, const sp_sleep_mean *means, const sp_sleep_agreement *agreement,
                             const sp_sleep_statistics *nights, sp_json_list *list, bool *failed)
{
    json_t *object = json_object(), *place = json_array();
    sp_json_set(object, "means", measures_object(c, SP_OF_SLEEP_MEAN, means, sizeof *means, failed), failed);
    if (agreement)
        sp_json_set(object, "agreement", measures_object(c, SP_OF_SLEEP_DIFFERENCE, agreement, sizeof *agreement, failed),
                    failed);
    *list = (sp_json_list){.place = place, .n = c->sleep->n_nights, .item = night_object, .whole = c, .part = nights};
    sp_json_set(object, "nights", place, failed);
    return object;
}

json_t *sp_json_sleep(const sp_comparison *c, sp_json_list *lists, bool *failed)
{
    const sp_sleep *sleep = c->sleep;
    json_t *object = json_object(), *strategies = json_object();
    sp_json_set(object, "epoch_seconds", json_real(sleep->epoch_seconds), failed);
    sp_json_set(object, "epoch_assumed", json_boolean(sleep->epoch_is_assumed), failed);
    if (sleep->reference)
        sp_json_set(object, "reference", nights_object(c, sleep->reference_means, NULL, sleep->reference, lists++, failed),
                    failed);
    for (int32_t s = 0; s < sleep->n_strategies; s++) {
        const sp_sleep_strategy *one = &sleep->strategies[s];
        sp_json_set_named(strategies, c->strategies[s].name,
                          nights_object(c, one->means, sleep->reference ? one->agreement : NULL, one->nights, lists++, failed),
                          failed);
    }
    sp_json_set(object, "strategies", strategies, failed);
    return object;
}

static json_t *rater_object(const sp_comparison *c, const sp_rater_row *row, bool *failed)
{
    const sp_raters *s = c->raters;
    json_t *object = sp_json_figures(SP_OF_RATER, row, NULL, c, failed), *with = json_object();
    for (int32_t i = 0; i < s->n_raters; i++)
        if (&s->raters[i] != row)
            sp_json_set_named(with, s->names[i], sp_json_figures(SP_OF_RATER_PAIR, &row->with[i], NULL, c, failed), failed);
    sp_json_set(object, "with", with, failed);
    return object;
}

json_t *sp_json_raters(const sp_comparison *c, bool *failed)
{
    const sp_raters *s = c->raters;
    json_t *object = sp_json_figures(SP_OF_RATERS, s, NULL, c, failed), *strategies = json_object(), *each = json_object();
    sp_json_set(object, "names", sp_json_names(s->n_raters, s->names, failed), failed);
    if (s->has_reference)
        sp_json_set(object, "reference", rater_object(c, &s->reference, failed), failed);
    for (int32_t i = 0; i < s->n_strategies; i++)
        sp_json_set_named(strategies, s->strategies[i].name, rater_object(c, &s->strategies[i], failed), failed);
    sp_json_set(object, "strategies", strategies, failed);
    for (int32_t i = 0; i < s->n_raters; i++)
        sp_json_set_named(each, s->names[i], rater_object(c, &s->raters[i], failed), failed);
    sp_json_set(object, "each", each, failed);
    return object;
}
