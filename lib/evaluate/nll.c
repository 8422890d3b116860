#include <math.h>

#include "evaluate/value.h"
#include "statepath/comparison.h"

void sp_comparison_set_nll(sp_comparison *comparison, const sp_nll *nll)
{
    double mean;
    comparison->has_nll = true;
    comparison->nll_steps = nll->n_steps;
    comparison->nll_impossible = nll->n_impossible;
    if (sp_nll_mean(nll, &mean, NULL) != SP_OK)
        comparison->nll = value_undefined("no scored steps");
    else if (isinf(mean))
        comparison->nll = value_undefined("infinite: the scores give a step of the reference probability 0");
    else
        comparison->nll = value_of(mean);
    comparison->nll_clip = nll->clip;
    if (nll->clip == 0)
        comparison->nll_clipped = value_undefined("not asked for");
    else if (sp_nll_clipped_mean(nll, &mean, NULL) != SP_OK)
        comparison->nll_clipped = value_undefined("no scored steps");
    else
        comparison->nll_clipped = value_of(mean);
}
