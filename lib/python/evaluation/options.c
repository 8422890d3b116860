#include "evaluation.h"

#include <stddef.h>

typedef enum option_type { TEXT, NUMBER, INTEGER, COUNT, SEED } option_type;

#define OPTION(name, member, type)                                                                                               \
    {                                                                                                                            \
        name, offsetof(sp_run_options, member), type                                                                             \
    }
static const struct {
    const char *name;
    size_t at;
    option_type type;
} table[] = {
    OPTION("scores", place.scores, TEXT),
    OPTION("labels", place.labels, TEXT),
    OPTION("offsets", place.offsets, TEXT),
    OPTION("lengths", place.lengths, TEXT),
    OPTION("ids", place.ids, TEXT),
    OPTION("mask", place.mask, TEXT),
    OPTION("kind", place.kind, TEXT),
    OPTION("transpose", place.transpose, INTEGER),
    OPTION("only", place.only, TEXT),
    OPTION("gaps", place.gaps, TEXT),
    OPTION("unscored", place.unscored, TEXT),
    OPTION("comments", place.comments, TEXT),
    OPTION("header", place.header, INTEGER),
    OPTION("no_header", place.no_header, INTEGER),
    OPTION("labels_dataset", labels_dataset, TEXT),
    OPTION("trim_to_shortest", trim_to_shortest, INTEGER),
    OPTION("codes", codes, TEXT),
    OPTION("map", map, TEXT),
    OPTION("groups", groups, TEXT),
    OPTION("strategies", strategies, TEXT),
    OPTION("command", command, TEXT),
    OPTION("missing", decode.missing, TEXT),
    OPTION("on_infeasible", decode.on_infeasible, TEXT),
    OPTION("floor", decode.floor, NUMBER),
    OPTION("temperature", decode.temperature, NUMBER),
    OPTION("transition_weight", decode.transition_weight, NUMBER),
    OPTION("prior_weight", decode.prior_weight, NUMBER),
    OPTION("clamp", decode.clamp, INTEGER),
    OPTION("cv", n_folds, INTEGER),
    OPTION("threads", decode.threads, INTEGER),
    OPTION("epoch_seconds", epoch_seconds, NUMBER),
    OPTION("level", level, NUMBER),
    OPTION("seed", seed, SEED),
    OPTION("weighted_kappa", weighted_kappa, TEXT),
    OPTION("absent_class", absent_class, TEXT),
    OPTION("scheme", scheme, TEXT),
    OPTION("interval", interval, TEXT),
    OPTION("zeros", zeros, TEXT),
    OPTION("background", background, TEXT),
    OPTION("preset", preset, TEXT),
    OPTION("unit", unit, TEXT),
    OPTION("margin", margin, NUMBER),
    OPTION("wake_trim", wake_trim, NUMBER),
    OPTION("nll_clip", nll_clip, NUMBER),
    OPTION("bridge_unscored", bridge_unscored, INTEGER),
    OPTION("trace_steps", trace_steps, COUNT),
    OPTION("draw", draw, TEXT),
    OPTION("rule_costs", rule_costs, INTEGER),
    OPTION("what_if_bytes", what_if_bytes, COUNT),
    OPTION("shard", part.shard, TEXT),
    OPTION("part_steps", part.steps, TEXT),
    OPTION("allow_missing", part.allow_missing, INTEGER),
};

static void set(PyObject *dict, const char *name, PyObject *value, option_type type, void *at)
{
    switch (type) {
    case TEXT:
        *(const char **)at = text_from(dict, name);
        break;
    case NUMBER:
        *(double *)at = PyFloat_AsDouble(value);
        break;
    case INTEGER:
        *(int *)at = (int)PyLong_AsLong(value);
        break;
    case COUNT:
        *(int64_t *)at = PyLong_AsLongLong(value);
        break;
    case SEED:
        *(uint64_t *)at = PyLong_AsUnsignedLongLong(value);
    }
}

bool run_options_from(PyObject *dict, sp_run_options *o)
{
    *o = sp_run_options_default();
    for (size_t i = 0; i < sizeof table / sizeof *table && !PyErr_Occurred(); i++) {
        PyObject *value = PyDict_GetItemString(dict, table[i].name);
        if (value && value != Py_None)
            set(dict, table[i].name, value, table[i].type, (char *)o + table[i].at);
    }
    return !PyErr_Occurred();
}
