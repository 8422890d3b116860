/* What figures are of, and the row of a key. */
#include "evaluate/figure_rows.h"

#include <string.h>

typedef struct scope {
    const char *name, *path;
    const sp_figures *figures;
} scope;

static const scope scopes[SP_N_FIGURE_SCOPES] = {
    [SP_OF_COMPARISON] = {"comparison", "", &sp_figures_comparison},
    [SP_OF_REFERENCE] = {"reference", "reference", &sp_figures_reference},
    [SP_OF_STRATEGY] = {"strategy", "strategies.NAME", &sp_figures_strategy},
    [SP_OF_CLASS] = {"class of a strategy", "strategies.NAME.classes.CLASS", &sp_figures_class},
    [SP_OF_AGAINST] = {"another classifier", "against[]", &sp_figures_against},
    [SP_OF_RULE] = {"rule of a strategy", "strategies.NAME.rules.RULE", &sp_figures_rule},
    [SP_OF_CHANGES] = {"changed steps", "strategies.NAME.changed_from_argmax_by_class.CLASS",
                       &sp_figures_changes},
    [SP_OF_RUNS] = {"runs of a class", "strategies.NAME.bouts.CLASS", &sp_figures_runs},
    [SP_OF_ENTITIES] = {"type of entity", "strategies.NAME.entities.types.TYPE", &sp_figures_entities},
    [SP_OF_RECORDING] = {"recording of a strategy", "strategies.NAME.per_recording[]", &sp_figures_recording},
    [SP_OF_PAIR] = {"pair of strategies", "comparisons[]", &sp_figures_pair},
    [SP_OF_COLLAPSED] = {"coarser classes", "collapsed[].strategies.NAME", &sp_figures_collapsed},
    [SP_OF_CALIBRATION] = {"calibration", "calibration", &sp_figures_calibration},
    [SP_OF_BIN] = {"bin of confidence", "calibration.bins[]", &sp_figures_bin},
    [SP_OF_COVERAGE] = {"steps of greatest confidence", "calibration.coverage[]", &sp_figures_coverage},
    [SP_OF_RATERS] = {"scorers", "scorers", &sp_figures_raters},
    [SP_OF_RATER] = {"strategy against scorers", "scorers.strategies.NAME", &sp_figures_rater},
    [SP_OF_RATER_PAIR] = {"strategy against one scorer", "scorers.strategies.NAME.with.SCORER",
                          &sp_figures_rater_pair},
    [SP_OF_SLEEP_MEAN] = {"measure of sleep", "sleep.strategies.NAME.means.MEASURE", &sp_figures_sleep_mean},
    [SP_OF_SLEEP_DIFFERENCE] = {"measure of sleep, difference", "sleep.strategies.NAME.agreement.MEASURE",
                                &sp_figures_sleep_difference},
};

const char *sp_figure_scope_name(sp_figure_scope of)
{
    return scopes[of].name;
}

const char *sp_figure_scope_path(sp_figure_scope of)
{
    return scopes[of].path;
}

sp_figures sp_figures_of(sp_figure_scope of)
{
    return *scopes[of].figures;
}

const sp_figure *sp_figure_find(sp_figure_scope of, const char *key, size_t n)
{
    const sp_figures *all = scopes[of].figures;
    for (size_t i = 0; i < all->n; i++)
        if (strncmp(all->list[i].key, key, n) == 0 && !all->list[i].key[n])
            return &all->list[i];
    return NULL;
}

int sp_figure_describe(sp_figure_scope of, size_t index, sp_figure_description *out)
{
    if (index >= scopes[of].figures->n)
        return 0;
    const sp_figure *f = &scopes[of].figures->list[index];
    *out = (sp_figure_description){
        .key = f->key, .label = f->label, .definition = f->definition, .decimals = f->decimals};
    return 1;
}
