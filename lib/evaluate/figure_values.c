/* Whether a result has a figure, and its value; pairs of strategies by the figure that they are compared by. */
#include "evaluate/compared.h"
#include "evaluate/figures.h"
#include "evaluate/value.h"

#include <math.h>
#include <string.h>

static const char *metric_of(const sp_figure_owner *owner)
{
    return ((const sp_pair_comparison *)owner->own)->metric;
}

static bool has_rules(const sp_comparison *c, bool are_priced)
{
    for (int32_t r = 0; r < c->n_rules; r++)
        if ((c->rules[r].cost < INFINITY) == are_priced)
            return true;
    return false;
}

/* Why the owner does not have what a figure needs, or NULL. */
static const char *lacks(sp_figure_need need, const sp_figure_owner *owner)
{
    const sp_comparison *c = owner->comparison;
    const sp_strategy_result *s = owner->strategy;
    switch (need) {
    case SP_NEEDS_LABELS:
        return c->has_labels && (!s || s->has_agreement) ? NULL : "no labels";
    case SP_NEEDS_ARGMAX:
        return s->has_changes ? NULL : "argmax is not among the strategies";
    case SP_NEEDS_ENTITIES:
        return c->has_entities ? NULL : "the classes are no tags of entities";
    case SP_NEEDS_NLL:
        return c->has_nll ? NULL : "the scores are not there, or are clamped";
    case SP_NEEDS_PATH_SCORE:
        return s->has_path_score ? NULL : "no scores";
    case SP_NEEDS_REGRET:
        return s->has_regret ? NULL : "no scores";
    case SP_NEEDS_KAPPA_WEIGHTS:
        return c->kappa_weights != SP_KAPPA_UNWEIGHTED ? NULL : "not asked for";
    case SP_NEEDS_ERROR_RUNS:
        return s->error_runs.runs != NULL ? NULL : "nothing to compare with argmax";
    case SP_NEEDS_PERMUTATION:
        return s->label_permutation.is_suspect ? NULL : "no other naming of the classes is suspected";
    case SP_NEEDS_SHIFT:
        return s->label_shift.is_suspect ? NULL : "no shift of the labels is suspected";
    case SP_NEEDS_REFERENCE_RUNS:
        return s && c->reference_runs ? NULL : "no reference";
    case SP_NEEDS_TIES:
        return c->has_ties ? NULL : "no scores";
    case SP_NEEDS_EPOCH:
        return c->epoch_seconds > 0 ? NULL : "the length of a step is not known";
    case SP_NEEDS_WAKE_TRIM:
        return c->has_wake_trim ? NULL : "not asked for";
    case SP_NEEDS_LENGTH_TRIM:
        return c->has_length_trim ? NULL : "not asked for";
    case SP_NEEDS_MARGIN:
        return c->has_margin ? NULL : "not asked for";
    case SP_NEEDS_TESTS:
        return sp_compared_by(metric_of(owner))->tests >= SP_ALL_TESTS ? NULL : "not tested";
    case SP_NEEDS_SIGN_FLIP:
        return sp_compared_by(metric_of(owner))->tests >= SP_SIGN_FLIPS ? NULL : "not tested";
    case SP_NEEDS_ITS_NLL:
        return ((const sp_against *)owner->own)->has_nll ? NULL : "the scores are clamped";
    case SP_NEEDS_DURATIONS:
        return c->has_durations ? NULL : "the model has no durations";
    case SP_NEEDS_HARD_RULES:
        return has_rules(c, false) ? NULL : "the model has no rules that are never broken";
    case SP_NEEDS_PRICED_RULES:
        return has_rules(c, true) ? NULL : "the model has no rules at a price";
    case SP_N_NEEDS:
        break;
    }
    return NULL;
}

const char *sp_figure_missing(const sp_figure *figure, const sp_figure_owner *owner)
{
    const char *reason = NULL;
    for (int need = 0; !reason && figure->needs >> need; need++)
        reason = figure->needs >> need & 1 ? lacks((sp_figure_need)need, owner) : NULL;
    return reason;
}

bool sp_figure_is_count(const sp_figure *figure)
{
    return figure->place.type == SP_FIGURE_I64 || figure->place.type == SP_FIGURE_I32 ||
           figure->place.type == SP_FIGURE_U64;
}

static const void *find(const sp_figure_place *place, const sp_figure_owner *owner)
{
    const char *base = place->base == SP_IN_OWN        ? owner->own
                       : place->base == SP_IN_STRATEGY ? (const void *)owner->strategy
                                                       : (const void *)owner->comparison;
    if (place->pointer) {
        const void *target;
        memcpy(&target, base + place->pointer - 1, sizeof target);
        base = target;
    }
    return base + place->offset;
}

sp_value sp_figure_at(const sp_figure_place *place, const sp_figure_owner *owner)
{
    if (place->base == SP_IN_NOTHING)
        return value_undefined("");
    const void *at = find(place, owner);
    switch ((sp_figure_type)place->type) {
    case SP_FIGURE_VALUE:
        return *(const sp_value *)at;
    case SP_FIGURE_I64:
        return value_of((double)*(const int64_t *)at);
    case SP_FIGURE_I32:
        return value_of(*(const int32_t *)at);
    case SP_FIGURE_U64:
        return value_of((double)*(const uint64_t *)at);
    case SP_FIGURE_REAL:
        return value_of(*(const double *)at);
    case SP_FIGURE_FLAG:
        return value_of(*(const bool *)at);
    case SP_FIGURE_TEXT:
        break;
    }
    return value_undefined("not a number");
}

int64_t sp_figure_count(const sp_figure *figure, const sp_figure_owner *owner)
{
    const void *at = find(&figure->place, owner);
    return figure->place.type == SP_FIGURE_I32   ? *(const int32_t *)at
           : figure->place.type == SP_FIGURE_U64 ? (int64_t) * (const uint64_t *)at
                                                 : *(const int64_t *)at;
}

sp_value sp_figure_value(const sp_figure *figure, const sp_figure_owner *owner)
{
    const char *missing = sp_figure_missing(figure, owner);
    sp_value value = missing ? value_undefined(missing) : sp_figure_at(&figure->place, owner);
    return value.undefined || isfinite(value.value) ? value : value_undefined("not a finite number");
}

const char *sp_figure_text(const sp_figure *figure, const sp_figure_owner *owner)
{
    const void *text = NULL;
    if (figure->place.type == SP_FIGURE_TEXT)
        memcpy(&text, find(&figure->place, owner), sizeof text);
    return text;
}

bool sp_figure_n(const sp_figure *figure, const sp_figure_owner *owner, int64_t *n)
{
    const sp_value one = sp_figure_at(&figure->n[0], owner);
    *n = (int64_t)one.value;
    for (size_t i = 1; i < sizeof figure->n / sizeof *figure->n && figure->n[i].base; i++)
        *n += (figure->n_is_difference ? -1 : 1) * (int64_t)sp_figure_at(&figure->n[i], owner).value;
    return !one.undefined;
}

/* ---- pairs of strategies ---- */

const sp_compared *sp_compared_by(const char *metric)
{
    return sp_figure_find(SP_OF_STRATEGY, metric, strlen(metric))->compared;
}

sp_pairs sp_pairs_by(const sp_comparison *c, const char *metric)
{
    sp_pairs pairs = {.n = 0};
    for (int32_t i = 0; i < c->n_comparisons; i++)
        if (strcmp(c->comparisons[i].metric, metric) == 0) /* they stand together */
            pairs.list = pairs.n++ ? pairs.list : &c->comparisons[i];
    return pairs;
}

sp_pairs sp_tested_pairs(const sp_comparison *c)
{
    sp_pairs pairs = {.list = c->comparisons};
    while (pairs.n < c->n_comparisons &&
           sp_compared_by(c->comparisons[pairs.n].metric)->tests == SP_ALL_TESTS)
        pairs.n++;
    return pairs;
}
