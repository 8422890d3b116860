/* What a recipe must be. */
#include <math.h>
#include <stdlib.h>

#include "core/names.h"
#include "learn/signal_recipe.h"

void sp_recipe_free(sp_recipe *recipe)
{
    if (!recipe)
        return;
    for (int32_t k = 0; recipe->classes && k < recipe->n_classes; k++)
        free(recipe->classes[k]);
    free(recipe->classes);
    free(recipe->name);
    free(recipe->description);
    free(recipe->model);
    sp_signal_recipe_free(recipe->signals);
    free(recipe->start);
    free(recipe->transitions);
    free(recipe->confusion);
    free(recipe);
}

static sp_status check_classes(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    place->key = "classes";
    if (recipe->n_classes < 1)
        return sp_fail(err, SP_EINVAL, "key \"classes\": needs at least one name");
    sp_names seen;
    if (sp_names_init(&seen, recipe->n_classes) != SP_OK)
        return sp_no_memory(err);
    sp_status status = SP_OK;
    for (int32_t k = 0; status == SP_OK && k < recipe->n_classes; k++) {
        const char *name = recipe->classes[k];
        place->row = k;
        if (!name || !*name)
            status = sp_fail(err, SP_EINVAL, "key \"classes\": class %d has no name", k);
        else if (sp_names_add(&seen, name, k) != k)
            status = sp_fail(err, SP_EINVAL, "key \"classes\", class \"%s\": listed twice; names must differ", name);
    }
    sp_names_clear(&seen);
    return status;
}

/* K probabilities that sum to 1. `row` is the class of a matrix's row, or -1. */
static sp_status check_distribution(const sp_recipe *recipe, const char *key, int32_t row, const double *p, sp_error *err)
{
    double sum = 0;
    const char *name = row < 0 ? "" : recipe->classes[row], *before = row < 0 ? "" : ", row \"", *after = row < 0 ? "" : "\"";
    for (int32_t k = 0; k < recipe->n_classes; k++) {
        if (!(p[k] >= 0 && p[k] <= 1))
            return sp_fail(err, SP_EINVAL, "key \"%s\"%s%s%s, class \"%s\": %g is not a probability from 0 to 1", key, before,
                           name, after, recipe->classes[k], p[k]);
        sum += p[k];
    }
    if (fabs(sum - 1) <= 1e-6)
        return SP_OK;
    return sp_fail(err, SP_EINVAL, "key \"%s\"%s%s%s: sums to %.9g, not to 1", key, before, name, after, sum);
}

static sp_status check_matrix(const sp_recipe *recipe, const char *key, const double *p, sp_recipe_place *place, sp_error *err)
{
    place->key = key;
    for (int32_t i = 0; i < recipe->n_classes; i++) {
        place->row = i;
        sp_status status = check_distribution(recipe, key, i, p + (size_t)i * (size_t)recipe->n_classes, err);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

static sp_status check_numbers(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    place->row = -1;
    place->key = "seed";
    if (recipe->seed < 1 || recipe->seed > UINT32_MAX)
        return sp_fail(err, SP_EINVAL, "key \"seed\": needs a whole number from 1 to 4294967295");
    place->key = "recordings";
    if (recipe->n_recordings < 1 || recipe->n_recordings > INT32_MAX)
        return sp_fail(err, SP_EINVAL, "key \"recordings\": needs a whole number from 1 to %d", INT32_MAX);
    place->key = "steps";
    if (recipe->min_steps < 1 || recipe->max_steps < recipe->min_steps || recipe->max_steps > 1000000000)
        return sp_fail(
            err, SP_EINVAL,
            "key \"steps\": needs the least and the greatest length of a recording, whole numbers from 1 to 1000000000, "
            "as [700, 1100]");
    place->key = "unscored";
    if (!(recipe->unscored >= 0 && recipe->unscored <= 1))
        return sp_fail(err, SP_EINVAL, "key \"unscored\": %g is not a share from 0 to 1", recipe->unscored);
    return SP_OK;
}

static sp_status check_classifier(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    place->row = -1;
    place->key = "error_run";
    if (!(recipe->error_run >= 1) || isinf(recipe->error_run))
        return sp_fail(err, SP_EINVAL, "key \"error_run\": %g is not a mean number of steps; needs 1 or more", recipe->error_run);
    place->key = "noise";
    if (!(recipe->noise >= 0 && recipe->noise <= 1000))
        return sp_fail(err, SP_EINVAL, "key \"noise\": %g is not a standard deviation from 0 to 1000", recipe->noise);
    place->key = "overconfidence";
    if (!(recipe->overconfidence > 0 && recipe->overconfidence <= 1000))
        return sp_fail(err, SP_EINVAL, "key \"overconfidence\": %g is not a factor above 0, at most 1000",
                       recipe->overconfidence);
    place->key = "floor";
    if (!(recipe->floor > 0 && recipe->floor <= 1.0 / recipe->n_classes))
        return sp_fail(err, SP_EINVAL, "key \"floor\": %g is not a probability above 0, at most 1 / %d classes", recipe->floor,
                       recipe->n_classes);
    return SP_OK;
}

sp_status sp_recipe_check(const sp_recipe *recipe, sp_recipe_place *place, sp_error *err)
{
    sp_recipe_place here = {NULL, -1};
    sp_status status = check_classes(recipe, &here, err);
    if (status == SP_OK)
        status = check_numbers(recipe, &here, err);
    if (status == SP_OK) {
        here.key = "start";
        status = check_distribution(recipe, "start", -1, recipe->start, err);
    }
    if (status == SP_OK)
        status = check_matrix(recipe, "transitions", recipe->transitions, &here, err);
    if (status == SP_OK && recipe->signals)
        status = sp_signal_recipe_check(recipe, &here, err);
    else if (status == SP_OK) {
        status = check_classifier(recipe, &here, err);
        if (status == SP_OK)
            status = check_matrix(recipe, "confusion", recipe->confusion, &here, err);
    }
    if (status != SP_OK && place)
        *place = here;
    return status;
}
