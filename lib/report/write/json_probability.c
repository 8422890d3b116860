/* The scores' own probabilities as JSON: calibration as decoded and by other scalings, other classifiers. */
#include "report/tables/tables.h"
#include "report/write/json_tree.h"

static json_t *bin_list(const sp_comparison *c, const sp_reliability_bin *bins, int32_t n, bool *failed)
{
    json_t *list = json_array();
    for (int32_t b = 0; b < n; b++)
        sp_json_append(list, sp_json_figures(SP_OF_BIN, &bins[b], NULL, c, failed), failed);
    return list;
}

json_t *sp_json_calibration(const sp_comparison *c, const sp_reliability *one, bool *failed)
{
    json_t *object = sp_json_figures(SP_OF_CALIBRATION, one, NULL, c, failed), *classes = json_object(), *coverage = json_array();
    for (int32_t k = 0; k < one->n_classes; k++) {
        json_t *class = json_object();
        sp_json_set_value(class, "ece", &one->class_ece[k], failed);
        sp_json_set_named(classes, c->classes[k], class, failed);
    }
    sp_json_set(object, "classes", classes, failed);
    sp_json_set(object, "bins", bin_list(c, one->bins, SP_RELIABILITY_BINS, failed), failed);
    sp_json_set(object, "adaptive_bins", bin_list(c, one->adaptive, one->n_adaptive, failed), failed);
    for (int32_t i = 0; i < one->n_coverage; i++)
        sp_json_append(coverage, sp_json_figures(SP_OF_COVERAGE, &one->coverage[i], NULL, c, failed), failed);
    sp_json_set(object, "coverage", coverage, failed);
    return object;
}

/* One object for each scaling, before and after. */
json_t *sp_json_calibrations(const sp_comparison *c, bool *failed)
{
    json_t *object = json_object();
    for (int s = 0; s <= SP_SCALING_VECTOR; s++) {
        const sp_value *nll = NULL;
        const sp_reliability *one = sp_scaled_reliability(c, (sp_scaling)s, &nll);
        if (!one)
            continue;
        json_t *scaled = sp_json_calibration(c, one, failed);
        sp_json_set_value(scaled, "nll", nll, failed);
        sp_json_set(object, sp_scaling_key((sp_scaling)s), scaled, failed);
    }
    return object;
}

json_t *sp_json_against(const sp_comparison *c, bool *failed)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < c->n_against; i++) {
        const sp_against *one = &c->against[i];
        json_t *object = sp_json_figures(SP_OF_AGAINST, one, NULL, c, failed), *names = json_array();
        if (one->reliability)
            sp_json_set(object, "calibration", sp_json_calibration(c, one->reliability, failed), failed);
        for (int32_t s = one->first; s < one->first + one->n_strategies; s++)
            sp_json_append(names, sp_json_text(c->strategies[s].name, failed), failed);
        sp_json_set(object, "strategies", names, failed);
        sp_json_append(list, object, failed);
    }
    return list;
}
