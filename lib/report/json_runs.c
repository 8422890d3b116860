/* The parts of the JSON beyond the contract that describe runs, changes, places and entities. */
#include "report/json_tree.h"

static json_t *bouts_object(const sp_comparison *c, const sp_bouts *bouts, bool with_ratio, bool *failed)
{
    json_t *object = json_object();
    for (int32_t k = 0; k < c->n_classes; k++) {
        json_t *class = json_object(), *lengths = json_array();
        sp_json_set(class, "count", json_integer(bouts[k].count), failed);
        sp_json_set(class, "steps", json_integer(bouts[k].steps), failed);
        bool has_single = bouts[k].n_lengths && bouts[k].lengths[0].length == 1;
        sp_json_set(class, "isolated", json_integer(has_single ? bouts[k].lengths[0].count : 0), failed);
        sp_json_set_value(class, "mean", &bouts[k].mean, failed);
        sp_json_set_value(class, "median", &bouts[k].median, failed);
        if (with_ratio)
            sp_json_set_value(class, "count_ratio", &bouts[k].count_ratio, failed);
        for (int64_t i = 0; i < bouts[k].n_lengths; i++) {
            json_t *pair = json_array();
            sp_json_append(pair, json_integer(bouts[k].lengths[i].length), failed);
            sp_json_append(pair, json_integer(bouts[k].lengths[i].count), failed);
            sp_json_append(lengths, pair, failed);
        }
        sp_json_set(class, "lengths", lengths, failed);
        sp_json_set_named(object, c->classes[k], class, failed);
    }
    return object;
}

static json_t *changes_object(const sp_changes *changes, bool *failed)
{
    json_t *object = json_object();
    sp_json_set(object, "fixed", json_integer(changes->fixed), failed);
    sp_json_set(object, "broken", json_integer(changes->broken), failed);
    sp_json_set(object, "wrong_to_wrong", json_integer(changes->wrong_to_wrong), failed);
    sp_json_set(object, "same", json_integer(changes->same), failed);
    return object;
}

static json_t *boundaries_object(const sp_boundaries *boundaries, bool *failed)
{
    static const char *const within[SP_N_TOLERANCES] = {"within_0", "within_1", "within_2"};
    json_t *object = json_object();
    sp_json_set(object, "reference", json_integer(boundaries->reference), failed);
    sp_json_set(object, "decoded", json_integer(boundaries->decoded), failed);
    for (int i = 0; i < SP_N_TOLERANCES; i++) {
        json_t *one = json_object();
        sp_json_set(one, "matched", json_integer(boundaries->matched[i]), failed);
        sp_json_set_value(one, "recall", &boundaries->recall[i], failed);
        sp_json_set_value(one, "precision", &boundaries->precision[i], failed);
        sp_json_set(object, within[i], one, failed);
    }
    return object;
}

static json_t *entity_object(const sp_entity_counts *counts, bool *failed)
{
    json_t *object = json_object();
    sp_json_set(object, "reference", json_integer(counts->reference), failed);
    sp_json_set(object, "decoded", json_integer(counts->decoded), failed);
    sp_json_set(object, "correct", json_integer(counts->correct), failed);
    sp_json_set_value(object, "precision", &counts->precision, failed);
    sp_json_set_value(object, "recall", &counts->recall, failed);
    sp_json_set_value(object, "f1", &counts->f1, failed);
    return object;
}

static json_t *entities_object(const sp_comparison *c, const sp_entities *entities, bool *failed)
{
    json_t *object = entity_object(&entities->pooled, failed), *types = json_object();
    sp_json_set(object, "strict", entity_object(&entities->strict, failed), failed);
    for (int32_t i = 0; i < c->n_entity_types; i++)
        sp_json_set_named(types, c->entity_types[i], entity_object(&entities->types[i], failed), failed);
    sp_json_set(object, "types", types, failed);
    return object;
}

static json_t *contexts_object(const sp_strategy_result *s, bool *failed)
{
    static const char *const names[SP_N_CONTEXTS] = {"AAA", "AAX", "XAA", "XAX"};
    json_t *object = json_object();
    for (int i = 0; i < SP_N_CONTEXTS; i++) {
        json_t *place = json_object();
        sp_json_set(place, "steps", json_integer(s->context_steps[i]), failed);
        sp_json_set(place, "correct", json_integer(s->context_correct[i]), failed);
        if (s->has_changes)
            sp_json_set(place, "changed_from_argmax", changes_object(&s->context_changes[i], failed), failed);
        sp_json_set(object, names[i], place, failed);
    }
    return object;
}

void sp_json_set_runs(json_t *object, const sp_comparison *comparison, const sp_strategy_result *strategy, bool *failed)
{
    const sp_comparison *c = comparison;
    if (strategy->has_changes)
        sp_json_set(object, "changed_from_argmax", changes_object(&strategy->changes, failed), failed);
    if (strategy->has_changes && strategy->class_changes) {
        json_t *classes = json_object();
        for (int32_t k = 0; k < c->n_classes; k++)
            sp_json_set_named(classes, c->classes[k], changes_object(&strategy->class_changes[k], failed), failed);
        sp_json_set(object, "changed_from_argmax_by_class", classes, failed);
    }
    if (strategy->has_agreement) {
        sp_json_set(object, "contexts", contexts_object(strategy, failed), failed);
        sp_json_set(object, "boundaries", boundaries_object(&strategy->boundaries, failed), failed);
        sp_json_set_value(object, "edit_score", &strategy->edit_score, failed);
    }
    if (strategy->bouts)
        sp_json_set(object, "bouts", bouts_object(c, strategy->bouts, c->reference_bouts != NULL, failed), failed);
    if (strategy->has_agreement && c->has_entities)
        sp_json_set(object, "entities", entities_object(c, &strategy->entities, failed), failed);
}

json_t *sp_json_reference_bouts(const sp_comparison *comparison, bool *failed)
{
    return bouts_object(comparison, comparison->reference_bouts, false, failed);
}
