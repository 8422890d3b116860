/* The figures that a gate can name: keys of the JSON, and where they stand in a comparison. */
#include "evaluate/gate.h"
#include "evaluate/value.h"

#include <math.h>
#include <stddef.h>

#define PLAIN .needs_labels = false
#define LABELS .needs_labels = true
#define ARGMAX .needs_labels = true, .needs_argmax = true
#define ENTITIES .needs_labels = true, .needs_entities = true
#define STRATEGY(name, member, kind, ...)                                                                                        \
    {                                                                                                                            \
        name, offsetof(sp_strategy_result, member), kind, __VA_ARGS__                                                            \
    }

static const sp_figure of_strategy[] = {
    STRATEGY("accuracy", agreement.accuracy, SP_FIGURE_VALUE, LABELS),
    STRATEGY("balanced_accuracy", agreement.balanced_accuracy, SP_FIGURE_VALUE, LABELS),
    STRATEGY("kappa", agreement.kappa, SP_FIGURE_VALUE, LABELS),
    STRATEGY("mcc", agreement.mcc, SP_FIGURE_VALUE, LABELS),
    STRATEGY("macro_precision", agreement.macro_precision, SP_FIGURE_VALUE, LABELS),
    STRATEGY("macro_recall", agreement.macro_recall, SP_FIGURE_VALUE, LABELS),
    STRATEGY("macro_f1", agreement.macro_f1, SP_FIGURE_VALUE, LABELS),
    STRATEGY("weighted_f1", agreement.weighted_f1, SP_FIGURE_VALUE, LABELS),
    STRATEGY("mean_accuracy", mean_accuracy, SP_FIGURE_VALUE, LABELS),
    STRATEGY("sd_accuracy", sd_accuracy, SP_FIGURE_VALUE, LABELS),
    STRATEGY("mean_kappa", mean_kappa, SP_FIGURE_VALUE, LABELS),
    STRATEGY("sd_kappa", sd_kappa, SP_FIGURE_VALUE, LABELS),
    STRATEGY("scored", agreement.scored, SP_FIGURE_I64, LABELS),
    STRATEGY("correct", agreement.correct, SP_FIGURE_I64, LABELS),
    STRATEGY("edit_score", edit_score, SP_FIGURE_VALUE, LABELS),
    STRATEGY("boundary_recall_0", boundaries.recall[0], SP_FIGURE_VALUE, LABELS),
    STRATEGY("boundary_recall_1", boundaries.recall[1], SP_FIGURE_VALUE, LABELS),
    STRATEGY("boundary_recall_2", boundaries.recall[2], SP_FIGURE_VALUE, LABELS),
    STRATEGY("boundary_precision_0", boundaries.precision[0], SP_FIGURE_VALUE, LABELS),
    STRATEGY("boundary_precision_1", boundaries.precision[1], SP_FIGURE_VALUE, LABELS),
    STRATEGY("boundary_precision_2", boundaries.precision[2], SP_FIGURE_VALUE, LABELS),
    STRATEGY("entity_precision", entities.pooled.precision, SP_FIGURE_VALUE, ENTITIES),
    STRATEGY("entity_recall", entities.pooled.recall, SP_FIGURE_VALUE, ENTITIES),
    STRATEGY("entity_f1", entities.pooled.f1, SP_FIGURE_VALUE, ENTITIES),
    STRATEGY("fixed", changes.fixed, SP_FIGURE_I64, ARGMAX),
    STRATEGY("broken", changes.broken, SP_FIGURE_I64, ARGMAX),
    STRATEGY("wrong_to_wrong", changes.wrong_to_wrong, SP_FIGURE_I64, ARGMAX),
    STRATEGY("same", changes.same, SP_FIGURE_I64, ARGMAX),
    STRATEGY("transitions", counts.transitions, SP_FIGURE_I64, PLAIN),
    STRATEGY("changes", counts.changes, SP_FIGURE_I64, PLAIN),
    STRATEGY("illegal", counts.illegal, SP_FIGURE_I64, PLAIN),
    STRATEGY("illegal_rate", illegal_rate.difference, SP_FIGURE_VALUE, PLAIN),
    STRATEGY("illegal_per_change", frequencies.illegal_per_change, SP_FIGURE_VALUE, PLAIN),
    STRATEGY("illegal_per_hour", frequencies.illegal_per_hour, SP_FIGURE_VALUE, PLAIN),
    STRATEGY("changes_per_hour", frequencies.changes_per_hour, SP_FIGURE_VALUE, PLAIN),
    STRATEGY("runs", frequencies.runs, SP_FIGURE_I64, PLAIN),
    STRATEGY("isolated_runs", frequencies.isolated, SP_FIGURE_I64, PLAIN),
    STRATEGY("isolated_runs_share", frequencies.isolated_share, SP_FIGURE_VALUE, PLAIN),
    STRATEGY("runs_ratio", frequencies.runs_ratio, SP_FIGURE_VALUE, LABELS),
    STRATEGY("illegal_start", counts.illegal_start, SP_FIGURE_I64, PLAIN),
    STRATEGY("illegal_end", counts.illegal_end, SP_FIGURE_I64, PLAIN),
    STRATEGY("short_runs", counts.short_runs, SP_FIGURE_I64, PLAIN),
    STRATEGY("recordings_with_illegal", recordings_with_illegal, SP_FIGURE_I64, PLAIN),
    STRATEGY("undecoded", n_undecoded, SP_FIGURE_I64, PLAIN),
    STRATEGY("relaxed", n_relaxed, SP_FIGURE_I64, PLAIN),
    STRATEGY("rules_broken", n_broken, SP_FIGURE_I64, PLAIN),
    STRATEGY("path_score", path_score, SP_FIGURE_VALUE, PLAIN),
    STRATEGY("regret", regret, SP_FIGURE_VALUE, PLAIN),
    STRATEGY("weighted_kappa", weighted_kappa, SP_FIGURE_VALUE, LABELS),
};

#define OF_CLASS(name, member, kind)                                                                                             \
    {                                                                                                                            \
        name, offsetof(sp_class_agreement, member), kind, .needs_labels = true                                                   \
    }

static const sp_figure of_class[] = {
    OF_CLASS("precision", precision, SP_FIGURE_VALUE),
    OF_CLASS("recall", recall, SP_FIGURE_VALUE),
    OF_CLASS("f1", f1, SP_FIGURE_VALUE),
    OF_CLASS("specificity", specificity, SP_FIGURE_VALUE),
    OF_CLASS("npv", npv, SP_FIGURE_VALUE),
    OF_CLASS("kappa", kappa, SP_FIGURE_VALUE),
    OF_CLASS("prevalence", prevalence, SP_FIGURE_VALUE),
    OF_CLASS("pabak", pabak, SP_FIGURE_VALUE),
    OF_CLASS("bias", bias, SP_FIGURE_VALUE),
    OF_CLASS("support", support, SP_FIGURE_I64),
    OF_CLASS("predicted", predicted, SP_FIGURE_I64),
};

#define REFERENCE(name, member)                                                                                                  \
    {                                                                                                                            \
        name, offsetof(sp_comparison, reference.member), SP_FIGURE_I64, .needs_labels = true                                     \
    }

static const sp_figure of_reference[] = {
    REFERENCE("transitions", transitions),     REFERENCE("changes", changes),         REFERENCE("illegal", illegal),
    REFERENCE("illegal_start", illegal_start), REFERENCE("illegal_end", illegal_end), REFERENCE("short_runs", short_runs),
};

static const sp_figure of_comparison[] = {
    {"mask_ceiling", offsetof(sp_comparison, mask_ceiling), SP_FIGURE_VALUE, .needs_labels = true},
    {"nll", offsetof(sp_comparison, nll), SP_FIGURE_VALUE, .needs_labels = true, .needs_scores = true},
    {"recordings", offsetof(sp_comparison, n_recordings), SP_FIGURE_I64, .needs_labels = false},
    {"steps", offsetof(sp_comparison, n_steps), SP_FIGURE_I64, .needs_labels = false},
    {"scored_steps", offsetof(sp_comparison, n_scored_steps), SP_FIGURE_I64, .needs_labels = false},
};

sp_figures sp_figures_of(sp_figure_owner owner)
{
    static const sp_figures all[SP_N_OWNERS] = {
        [SP_OF_STRATEGY] = {of_strategy, sizeof of_strategy / sizeof *of_strategy},
        [SP_OF_CLASS] = {of_class, sizeof of_class / sizeof *of_class},
        [SP_OF_REFERENCE] = {of_reference, sizeof of_reference / sizeof *of_reference},
        [SP_OF_COMPARISON] = {of_comparison, sizeof of_comparison / sizeof *of_comparison}};
    return all[owner];
}

sp_value sp_figure_value(const sp_comparison *comparison, sp_figure_owner owner, const sp_figure *figure, int32_t strategy,
                         int32_t class_index)
{
    const sp_strategy_result *s = owner == SP_OF_STRATEGY || owner == SP_OF_CLASS ? &comparison->strategies[strategy] : NULL;
    if (figure->needs_labels && (!comparison->has_labels || (s && !s->has_agreement)))
        return value_undefined("no labels");
    if (figure->needs_argmax && s && !s->has_changes)
        return value_undefined("argmax is not among the strategies");
    if (figure->needs_entities && !comparison->has_entities)
        return value_undefined("the classes are no tags of entities");
    if (figure->needs_scores && !comparison->has_nll)
        return value_undefined("the scores are not there, or are clamped");
    const char *base = owner == SP_OF_CLASS      ? (const char *)&s->classes[class_index]
                       : owner == SP_OF_STRATEGY ? (const char *)s
                                                 : (const char *)comparison;
    const char *place = base + figure->offset;
    sp_value value = figure->type == SP_FIGURE_VALUE ? *(const sp_value *)(const void *)place
                                                     : value_of((double)*(const int64_t *)(const void *)place);
    return value.undefined || isfinite(value.value) ? value : value_undefined("not a finite number");
}
