/* The parts of the JSON that speak of nights and of scorers. */
#include "report/json_tree.h"

/* ---- sleep ---- */

static json_t *means_object(const sp_sleep_mean *means, bool *failed)
{
    json_t *object = json_object();
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        json_t *one = json_object();
        sp_json_set_value(one, "mean", &means[m].mean, failed);
        sp_json_set_value(one, "sd", &means[m].sd, failed);
        sp_json_set(one, "n", json_integer(means[m].n), failed);
        sp_json_set(object, sp_sleep_measure_key((sp_sleep_measure)m), one, failed);
    }
    return object;
}

static json_t *nights_array(const sp_comparison *c, const sp_sleep_statistics *nights, bool *failed)
{
    json_t *array = json_array();
    for (int64_t r = 0; r < c->sleep->n_nights; r++) {
        json_t *night = json_object();
        sp_json_set(night, "id", sp_json_text(c->ids[r], failed), failed);
        for (int m = 0; m < SP_N_SLEEP_MEASURES; m++)
            sp_json_set_value(night, sp_sleep_measure_key((sp_sleep_measure)m), &nights[r].values[m], failed);
        sp_json_append(array, night, failed);
    }
    return array;
}

static json_t *agreement_object(const sp_sleep_agreement *agreement, bool *failed)
{
    json_t *object = json_object();
    for (int m = 0; m < SP_N_SLEEP_MEASURES; m++) {
        json_t *one = json_object();
        sp_json_set_value(one, "bias", &agreement[m].bias, failed);
        sp_json_set_value(one, "sd", &agreement[m].sd, failed);
        sp_json_set_value(one, "low", &agreement[m].low, failed);
        sp_json_set_value(one, "high", &agreement[m].high, failed);
        sp_json_set(one, "n", json_integer(agreement[m].n), failed);
        sp_json_set(object, sp_sleep_measure_key((sp_sleep_measure)m), one, failed);
    }
    return object;
}

static json_t *sleep_object(const sp_comparison *c, bool *failed)
{
    const sp_sleep *sleep = c->sleep;
    json_t *object = json_object(), *strategies = json_object();
    sp_json_set(object, "epoch_seconds", json_real(sleep->epoch_seconds), failed);
    sp_json_set(object, "epoch_assumed", json_boolean(sleep->epoch_is_assumed), failed);
    if (sleep->reference) {
        json_t *reference = json_object();
        sp_json_set(reference, "means", means_object(sleep->reference_means, failed), failed);
        sp_json_set(reference, "nights", nights_array(c, sleep->reference, failed), failed);
        sp_json_set(object, "reference", reference, failed);
    }
    for (int32_t s = 0; s < sleep->n_strategies; s++) {
        const sp_sleep_strategy *one = &sleep->strategies[s];
        json_t *strategy = json_object();
        sp_json_set(strategy, "means", means_object(one->means, failed), failed);
        if (sleep->reference)
            sp_json_set(strategy, "agreement", agreement_object(one->agreement, failed), failed);
        sp_json_set(strategy, "nights", nights_array(c, one->nights, failed), failed);
        sp_json_set_named(strategies, c->strategies[s].name, strategy, failed);
    }
    sp_json_set(object, "strategies", strategies, failed);
    return object;
}

/* ---- scorers ---- */

static json_t *row_object(const sp_scorers *s, const sp_scorer_row *row, bool *failed)
{
    json_t *object = json_object(), *with = json_object();
    sp_json_set_value(object, "mean_accuracy", &row->mean_accuracy, failed);
    sp_json_set_value(object, "mean_kappa", &row->mean_kappa, failed);
    sp_json_set_value(object, "soft_agreement", &row->soft, failed);
    sp_json_set(object, "soft_steps", json_integer(row->soft_steps), failed);
    for (int32_t i = 0; i < s->n_scorers; i++) {
        if (&s->scorers[i] == row)
            continue;
        json_t *pair = json_object();
        sp_json_set(pair, "steps", json_integer(row->with[i].steps), failed);
        sp_json_set_value(pair, "accuracy", &row->with[i].accuracy, failed);
        sp_json_set_value(pair, "kappa", &row->with[i].kappa, failed);
        sp_json_set_named(with, s->names[i], pair, failed);
    }
    sp_json_set(object, "with", with, failed);
    return object;
}

static json_t *scorers_object(const sp_scorers *s, bool *failed)
{
    json_t *object = json_object(), *names = json_array(), *strategies = json_object(), *each = json_object();
    for (int32_t i = 0; i < s->n_scorers; i++)
        sp_json_append(names, sp_json_text(s->names[i], failed), failed);
    sp_json_set(object, "names", names, failed);
    sp_json_set_value(object, "mean_accuracy", &s->mean_accuracy, failed);
    sp_json_set_value(object, "mean_kappa", &s->mean_kappa, failed);
    sp_json_set_value(object, "fleiss_kappa", &s->fleiss, failed);
    sp_json_set(object, "fleiss_steps", json_integer(s->fleiss_steps), failed);
    if (s->has_reference)
        sp_json_set(object, "reference", row_object(s, &s->reference, failed), failed);
    for (int32_t i = 0; i < s->n_strategies; i++)
        sp_json_set_named(strategies, s->strategies[i].name, row_object(s, &s->strategies[i], failed), failed);
    sp_json_set(object, "strategies", strategies, failed);
    for (int32_t i = 0; i < s->n_scorers; i++)
        sp_json_set_named(each, s->names[i], row_object(s, &s->scorers[i], failed), failed);
    sp_json_set(object, "each", each, failed);
    return object;
}

void sp_json_set_people(json_t *root, const sp_comparison *comparison, bool *failed)
{
    if (comparison->sleep)
        sp_json_set(root, "sleep", sleep_object(comparison, failed), failed);
    if (comparison->scorers)
        sp_json_set(root, "scorers", scorers_object(comparison->scorers, failed), failed);
}
