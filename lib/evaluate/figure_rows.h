/* How rows of the table of figures are written. OWN: the struct of the scope, for as long as its rows stand. Not installed. */
#ifndef EVALUATE_FIGURE_ROWS_H
#define EVALUATE_FIGURE_ROWS_H

#include "evaluate/figures.h"

#include <stddef.h>

/* Type of a member, as sp_figure_type. */
#define TYPE(struct_, member)                                                                                \
    _Generic(((struct_ *)0)->member, sp_value                                                                                    \
             : SP_FIGURE_VALUE, int64_t                                                                                          \
             : SP_FIGURE_I64, int32_t                                                                                            \
             : SP_FIGURE_I32, uint64_t                                                                                           \
             : SP_FIGURE_U64, double                                                                                             \
             : SP_FIGURE_REAL, bool                                                                                              \
             : SP_FIGURE_FLAG, const char *                                                                                      \
             : SP_FIGURE_TEXT, char *                                                                                            \
             : SP_FIGURE_TEXT)
#define PLACE(base_, struct_, member)                                                                        \
    {                                                                                                        \
        .base = base_, .type = TYPE(struct_, member), .offset = offsetof(struct_, member)                    \
    }
/* A member of the struct that member `at` points to. */
#define BEHIND(at, struct_, member)                                                                          \
    {                                                                                                        \
        .base = SP_IN_OWN, .type = TYPE(struct_, member), .pointer = offsetof(OWN, at) + 1,                  \
        .offset = offsetof(struct_, member)                                                                  \
    }
#define N_RATERS                                                                                             \
    {                                                                                                        \
        .base = SP_IN_COMPARISON, .type = SP_FIGURE_I32, .pointer = offsetof(sp_comparison, raters) + 1,     \
        .offset = offsetof(sp_raters, n_raters)                                                              \
    }
#define HERE(member) PLACE(SP_IN_OWN, OWN, member)
#define STRATEGY(member) PLACE(SP_IN_STRATEGY, sp_strategy_result, member)
#define COMPARISON(member) PLACE(SP_IN_COMPARISON, sp_comparison, member)

#define CSV .in_csv = true
#define OPTIONAL .is_optional = true
#define MORE .tone = SP_MORE_IS_BETTER
#define LESS .tone = SP_LESS_IS_BETTER
#define NONE .tone = SP_NONE_IS_RIGHT
#define N(...) .n = {__VA_ARGS__}
#define LOW_HIGH(low_, high_) .low = HERE(low_), .high = HERE(high_)
#define SD(member) .sd = HERE(member)
#define NEEDS(what) .needs = 1u << SP_NEEDS_##what
#define NEEDS_BOTH(a, b) .needs = 1u << SP_NEEDS_##a | 1u << SP_NEEDS_##b
#define PLAIN .needs = 0

#define FIGURE(key_, label_, decimals_, definition_, place_, ...)                                            \
    {                                                                                                        \
        .key = key_, .label = label_, .decimals = decimals_, .definition = definition_, .place = place_,     \
        __VA_ARGS__                                                                                          \
    }
#define ROW(key_, member, label_, decimals_, definition_, ...)                                               \
    FIGURE(key_, label_, decimals_, definition_, HERE(member), __VA_ARGS__)

/* The rows of_X as sp_figures_X. */
#define LIST(X) const sp_figures sp_figures_##X = {of_##X, sizeof of_##X / sizeof *of_##X}

extern const sp_figures sp_figures_comparison, sp_figures_reference, sp_figures_strategy, sp_figures_class,
    sp_figures_changes, sp_figures_runs, sp_figures_entities, sp_figures_recording, sp_figures_pair,
    sp_figures_collapsed, sp_figures_calibration, sp_figures_bin, sp_figures_coverage, sp_figures_raters,
    sp_figures_against, sp_figures_rule, sp_figures_rater, sp_figures_rater_pair, sp_figures_sleep_mean,
    sp_figures_sleep_difference;

#endif
