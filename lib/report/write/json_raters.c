/* Sleep statistics and raters as JSON. */
#include "report/write/json_tree.h"

/* Measure by measure: figures of structs that stand side by side, `size` bytes each. */
static void add_measures(sp_json in, const char *key, const sp_comparison *c, sp_figure_scope scope,
                         const void *first, size_t size)
{
    const sp_json object = sp_json_object(in, key);
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++)
        sp_json_figures(sp_json_object(object, sp_sleep_measure_key((sp_sleep_measure)m)), scope,
                        (const char *)first + (size_t)m * size, NULL, c);
}

static json_t *night_object(const void *whole, const void *part, int64_t i, bool *failed)
{
    const sp_comparison *c = whole;
    const sp_sleep_statistics *night = &((const sp_sleep_statistics *)part)[i];
    const sp_json object = sp_json_root(failed);
    sp_json_text(object, "id", c->ids[i]);
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++)
        sp_json_value(object, sp_sleep_measure_key((sp_sleep_measure)m), &night->values[m]);
    return object.at;
}

/* agreement NULL: of the reference itself, or without one. */
static void add_nights(sp_json object, const sp_comparison *c, const sp_sleep_mean *means,
                       const sp_sleep_agreement *agreement, const sp_sleep_statistics *nights,
                       sp_json_list *list)
{
    add_measures(object, "means", c, SP_OF_SLEEP_MEAN, means, sizeof *means);
    if (agreement)
        add_measures(object, "agreement", c, SP_OF_SLEEP_DIFFERENCE, agreement, sizeof *agreement);
    *list = (sp_json_list){sp_json_array(object, "nights").at, c->sleep->n_nights, night_object, c, nights};
}

void sp_json_sleep(sp_json root, const sp_comparison *c, sp_json_list *lists)
{
    const sp_sleep *sleep = c->sleep;
    const sp_json object = sp_json_object(root, "sleep");
    sp_json_real(object, "epoch_seconds", sleep->epoch_seconds);
    sp_json_flag(object, "epoch_assumed", sleep->epoch_is_assumed);
    if (sleep->reference)
        add_nights(sp_json_object(object, "reference"), c, sleep->reference_means, NULL, sleep->reference,
                   lists++);
    const sp_json strategies = sp_json_object(object, "strategies");
    for (int32_t s = 0; s < sleep->n_strategies; s++) {
        const sp_sleep_strategy *one = &sleep->strategies[s];
        add_nights(sp_json_named(strategies, c->strategies[s].name), c, one->means,
                   sleep->reference ? one->agreement : NULL, one->nights, lists++);
    }
}

static void add_rater(sp_json object, const sp_comparison *c, const sp_rater_row *row)
{
    const sp_raters *s = c->raters;
    sp_json_figures(object, SP_OF_RATER, row, NULL, c);
    const sp_json with = sp_json_object(object, "with");
    for (int32_t i = 0; i < s->n_raters; i++)
        if (&s->raters[i] != row)
            sp_json_figures(sp_json_named(with, s->names[i]), SP_OF_RATER_PAIR, &row->with[i], NULL, c);
}

void sp_json_raters(sp_json root, const sp_comparison *c)
{
    const sp_raters *s = c->raters;
    const sp_json object = sp_json_object(root, "scorers");
    sp_json_figures(object, SP_OF_RATERS, s, NULL, c);
    sp_json_names(object, "names", s->n_raters, s->names);
    if (s->has_reference)
        add_rater(sp_json_object(object, "reference"), c, &s->reference);
    const sp_json strategies = sp_json_object(object, "strategies");
    for (int32_t i = 0; i < s->n_strategies; i++)
        add_rater(sp_json_named(strategies, s->strategies[i].name), c, &s->strategies[i]);
    const sp_json each = sp_json_object(object, "each");
    for (int32_t i = 0; i < s->n_raters; i++)
        add_rater(sp_json_named(each, s->names[i]), c, &s->raters[i]);
}
