/* The calibration of the scores, and illegal rates with their intervals. */
#include "report/json_tree.h"
#include "report/tables.h"

static json_t *bin_list(const sp_reliability_bin *bins, int32_t n, bool *failed)
{
    json_t *list = json_array();
    for (int32_t b = 0; b < n; b++) {
        json_t *bin = json_object();
        sp_json_set(bin, "low", json_real(bins[b].low), failed);
        sp_json_set(bin, "high", json_real(bins[b].high), failed);
        sp_json_set(bin, "n", json_integer(bins[b].n), failed);
        sp_json_set(bin, "weight", json_real(bins[b].weight), failed);
        sp_json_set_value(bin, "confidence", &bins[b].confidence, failed);
        sp_json_set_value(bin, "accuracy", &bins[b].accuracy, failed);
        sp_json_set_value(bin, "accuracy_low", &bins[b].accuracy_low, failed);
        sp_json_set_value(bin, "accuracy_high", &bins[b].accuracy_high, failed);
        sp_json_append(list, bin, failed);
    }
    return list;
}

static json_t *calibration_of(const sp_comparison *comparison, const sp_reliability *c, bool *failed)
{
    json_t *object = json_object(), *classes = json_object(), *coverage = json_array();
    sp_json_set(object, "steps", json_integer(c->n_steps), failed);
    sp_json_set(object, "impossible_steps", json_integer(c->n_impossible), failed);
    sp_json_set(object, "weighted", json_boolean(c->is_weighted), failed);
    sp_json_set_value(object, "accuracy", &c->accuracy, failed);
    sp_json_set_value(object, "confidence", &c->confidence, failed);
    sp_json_set_value(object, "brier", &c->brier, failed);
    sp_json_set_value(object, "ece", &c->ece, failed);
    sp_json_set_value(object, "mce", &c->mce, failed);
    sp_json_set_value(object, "rmsce", &c->rmsce, failed);
    sp_json_set_value(object, "classwise_ece", &c->classwise_ece, failed);
    sp_json_set_value(object, "adaptive_ece", &c->adaptive_ece, failed);
    for (int32_t k = 0; k < c->n_classes; k++) {
        json_t *one = json_object();
        sp_json_set_value(one, "ece", &c->class_ece[k], failed);
        sp_json_set_named(classes, comparison->classes[k], one, failed);
    }
    sp_json_set(object, "classes", classes, failed);
    sp_json_set(object, "level", json_real(c->level), failed);
    sp_json_set(object, "bins", bin_list(c->bins, SP_RELIABILITY_BINS, failed), failed);
    sp_json_set(object, "adaptive_bins", bin_list(c->adaptive, c->n_adaptive, failed), failed);
    for (int32_t i = 0; i < c->n_coverage; i++) {
        json_t *point = json_object();
        sp_json_set(point, "share", json_real(c->coverage[i].share), failed);
        sp_json_set(point, "n", json_integer(c->coverage[i].n), failed);
        sp_json_set(point, "confidence", json_real(c->coverage[i].confidence), failed);
        sp_json_set(point, "accuracy", json_real(c->coverage[i].accuracy), failed);
        sp_json_append(coverage, point, failed);
    }
    sp_json_set(object, "coverage", coverage, failed);
    return object;
}

json_t *sp_json_calibration(const sp_comparison *comparison, bool *failed)
{
    return calibration_of(comparison, comparison->reliability, failed);
}

json_t *sp_json_calibrations(const sp_comparison *comparison, bool *failed)
{
    json_t *object = json_object();
    for (int s = 0; s <= SP_SCALING_VECTOR; s++) {
        const sp_value *nll = NULL;
        const sp_reliability *c = sp_scaled_reliability(comparison, (sp_scaling)s, &nll);
        if (!c)
            continue;
        json_t *one = calibration_of(comparison, c, failed);
        sp_json_set_value(one, "nll", nll, failed);
        sp_json_set(object, sp_scaling_key((sp_scaling)s), one, failed);
    }
    return object;
}

void sp_json_set_interval(json_t *object, const char *key, sp_value low, sp_value high, bool *failed)
{
    if (low.undefined || high.undefined) {
        sp_value none = {.undefined = low.undefined ? low.undefined : high.undefined};
        sp_json_set_value(object, key, &none, failed);
        return;
    }
    json_t *interval = json_array();
    sp_json_append(interval, json_real(low.value), failed);
    sp_json_append(interval, json_real(high.value), failed);
    sp_json_set(object, key, interval, failed);
}
