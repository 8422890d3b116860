/* The scores' own probabilities as JSON: calibration as decoded and by other scalings, other classifiers. */
#include "report/tables/tables.h"
#include "report/write/json_tree.h"

/* Figures of structs that stand side by side, `size` bytes each. */
static void add_each(sp_json in, const char *key, const sp_comparison *c, sp_figure_scope scope,
                     const void *first, size_t size, int32_t n)
{
    const sp_json list = sp_json_array(in, key);
    for (int32_t i = 0; i < n; i++)
        sp_json_figures(sp_json_object(list, NULL), scope, (const char *)first + (size_t)i * size, NULL, c);
}

void sp_json_calibration(sp_json in, const char *key, const sp_comparison *c, const sp_reliability *one)
{
    const sp_json object = sp_json_object(in, key);
    sp_json_figures(object, SP_OF_CALIBRATION, one, NULL, c);
    const sp_json classes = sp_json_object(object, "classes");
    for (int32_t k = 0; k < one->n_classes; k++)
        sp_json_value(sp_json_named(classes, c->classes[k]), "ece", &one->class_ece[k]);
    add_each(object, "bins", c, SP_OF_BIN, one->bins, sizeof *one->bins, SP_RELIABILITY_BINS);
    add_each(object, "adaptive_bins", c, SP_OF_BIN, one->adaptive, sizeof *one->adaptive, one->n_adaptive);
    add_each(object, "coverage", c, SP_OF_COVERAGE, one->coverage, sizeof *one->coverage, one->n_coverage);
}

/* One object for each scaling, before and after. */
void sp_json_calibrations(sp_json root, const sp_comparison *c)
{
    const sp_json object = sp_json_object(root, "calibrations");
    for (int s = 0; s <= SP_SCALING_VECTOR; s++) {
        const sp_value *nll = NULL;
        const char *key = sp_scaling_key((sp_scaling)s);
        const sp_reliability *one = sp_scaled_reliability(c, (sp_scaling)s, &nll);
        if (!one)
            continue;
        sp_json_calibration(object, key, c, one);
        sp_json_value(sp_json_get(object, key), "nll", nll);
    }
}

void sp_json_against(sp_json root, const sp_comparison *c)
{
    const sp_json list = sp_json_array(root, "against");
    for (int32_t i = 0; i < c->n_against; i++) {
        const sp_against *one = &c->against[i];
        const sp_json object = sp_json_object(list, NULL);
        sp_json_figures(object, SP_OF_AGAINST, one, NULL, c);
        if (one->reliability)
            sp_json_calibration(object, "calibration", c, one->reliability);
        const sp_json names = sp_json_array(object, "strategies");
        for (int32_t s = one->first; s < one->first + one->n_strategies; s++)
            sp_json_text(names, NULL, c->strategies[s].name);
    }
}
