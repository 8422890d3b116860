/* Options of a run as JSON: those that results depend on. */
#include "core/owned.h"
#include "pipeline/parts/part.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind { TEXT, TEXTS, REAL, WHOLE } option_kind;

static const struct option {
    const char *name;
    option_kind kind;
    size_t place;
} known[] = {
#define OPTION(name, kind, place)                                                                                                \
    {                                                                                                                            \
        name, kind, offsetof(sp_run_options, place)                                                                              \
    }
    OPTION("strategies", TEXT, strategies),
    OPTION("scores", TEXT, place.scores),
    OPTION("labels", TEXT, place.labels),
    OPTION("offsets", TEXT, place.offsets),
    OPTION("lengths", TEXT, place.lengths),
    OPTION("ids", TEXT, place.ids),
    OPTION("mask", TEXT, place.mask),
    OPTION("kind", TEXT, place.kind),
    OPTION("only", TEXT, place.only),
    OPTION("classes", TEXT, place.classes),
    OPTION("gaps", TEXT, place.gaps),
    OPTION("unscored", TEXT, place.unscored),
    OPTION("comments", TEXT, place.comments),
    OPTION("header", WHOLE, place.header),
    OPTION("no_header", WHOLE, place.no_header),
    OPTION("allow_external", WHOLE, place.allow_external),
    OPTION("transpose", WHOLE, place.transpose),
    OPTION("labels_dataset", TEXT, labels_dataset),
    OPTION("paths", TEXT, paths_dataset),
    OPTION("reference", TEXT, reference),
    OPTION("missing", TEXT, decode.missing),
    OPTION("on_infeasible", TEXT, decode.on_infeasible),
    OPTION("floor", REAL, decode.floor),
    OPTION("temperature", REAL, decode.temperature),
    OPTION("transition_weight", REAL, decode.transition_weight),
    OPTION("prior_weight", REAL, decode.prior_weight),
    OPTION("clamp", WHOLE, decode.clamp),
    OPTION("label_confidence", REAL, decode.label_confidence),
    OPTION("epoch_seconds", REAL, epoch_seconds),
    OPTION("level", REAL, level),
    OPTION("groups", TEXT, groups),
    OPTION("weighted_kappa", TEXT, weighted_kappa),
    OPTION("absent_class", TEXT, absent_class),
    OPTION("interval", TEXT, interval),
    OPTION("zeros", TEXT, zeros),
    OPTION("collapse", TEXTS, collapse),
    OPTION("scheme", TEXT, scheme),
    OPTION("preset", TEXT, preset),
    OPTION("unit", TEXT, unit),
    OPTION("background", TEXT, background),
    OPTION("margin", REAL, margin),
    OPTION("wake_trim", REAL, wake_trim),
    OPTION("nll_clip", REAL, nll_clip),
    OPTION("bridge_unscored", WHOLE, bridge_unscored),
    OPTION("trim_to_shortest", WHOLE, trim_to_shortest),
    OPTION("codes", TEXT, codes),
    OPTION("map", TEXT, map),
    OPTION("label_codes", TEXT, label_codes),
    OPTION("label_map", TEXT, label_map),
    OPTION("draw", TEXT, draw),
    OPTION("cv", WHOLE, n_folds),
    OPTION("rules", TEXT, fit.rules),
    OPTION("method", TEXT, fit.method),
    OPTION("tune", TEXT, fit.tune),
    OPTION("for", TEXT, fit.strategy),
    OPTION("smoothing", REAL, fit.smoothing),
    OPTION("penalty", REAL, fit.penalty),
    OPTION("memory", WHOLE, fit.memory),
    OPTION("folds", WHOLE, fit.folds),
#undef OPTION
};
enum { N_KNOWN = sizeof known / sizeof known[0] };

static json_t *texts_write(char *const *texts)
{
    json_t *list = json_array();
    for (int i = 0; list && texts[i]; i++)
        if (json_array_append_new(list, json_string(texts[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* *value NULL: it is not given. False: no memory. */
static bool write_one(const struct option *option, const sp_run_options *o, json_t **value)
{
    const char *at = (const char *)o + option->place;
    *value = NULL;
    if (option->kind == TEXT) {
        const char *text = *(char *const *)at;
        *value = text ? json_string(text) : NULL;
        return !text || *value;
    }
    if (option->kind == TEXTS) {
        char *const *texts = *(char *const *const *)at;
        *value = texts ? texts_write(texts) : NULL;
        return !texts || *value;
    }
    if (option->kind == REAL) {
        const double number = *(const double *)at;
        *value = isnan(number) ? NULL : json_real(number);
        return isnan(number) || *value;
    }
    const int number = *(const int *)at;
    *value = number ? json_integer(number) : NULL;
    return !number || *value;
}

json_t *sp_part_options_write(const sp_run_options *o)
{
    json_t *out = json_object();
    bool is_whole = out && json_object_set_new(out, "seed", json_integer((json_int_t)o->seed)) == 0;
    for (int i = 0; is_whole && i < N_KNOWN; i++) {
        json_t *value = NULL;
        is_whole = write_one(&known[i], o, &value) && (!value || json_object_set_new(out, known[i].name, value) == 0);
    }
    if (is_whole)
        return out;
    json_decref(out);
    return NULL;
}

static bool texts_read(const json_t *list, sp_owned *own, char ***out)
{
    const size_t n = json_array_size(list);
    char **texts = sp_zeros(own, n + 1, sizeof(char *));
    for (size_t i = 0; texts && i < n; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text || !(texts[i] = sp_owned_text(own, text)))
            return false;
    }
    *out = texts;
    return texts != NULL;
}

bool sp_part_options_read(const json_t *options, sp_owned *own, sp_run_options *o)
{
    o->seed = (uint64_t)json_integer_value(json_object_get(options, "seed"));
    for (int i = 0; i < N_KNOWN; i++) {
        const json_t *value = json_object_get(options, known[i].name);
        char *at = (char *)o + known[i].place;
        if (!value)
            continue;
        if (known[i].kind == TEXT && json_is_string(value)) {
            if (!(*(char **)at = sp_owned_text(own, json_string_value(value))))
                return false;
        } else if (known[i].kind == TEXTS && json_is_array(value)) {
            if (!texts_read(value, own, (char ***)at))
                return false;
        } else if (known[i].kind == REAL && json_is_number(value)) {
            *(double *)at = json_number_value(value);
        } else if (known[i].kind == WHOLE && json_is_integer(value) && json_integer_value(value) >= 0 &&
                   json_integer_value(value) <= INT_MAX) {
            *(int *)at = (int)json_integer_value(value);
        } else {
            return false;
        }
    }
    return true;
}
