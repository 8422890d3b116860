/* THE table of columns: which figures stand in which table, in this order. A row: the key of the figure,
 * the heading (nothing: the figure's label), and how the column differs from others. */
#include "report/tables/columns.h"

#include "evaluate/work.h"

#define AS(heading_) .heading = heading_
#define HOW(how_) .how = SP_##how_
#define CELL(what) .cell = SP_CELL_##what
/* Kinds of work for which it is there. */
#define OF_TAGS .works = 1 << SP_WORK_TAGS
#define OF_ACTIONS .works = 1 << SP_WORK_ACTIONS
#define NOT_OF_ACTIONS .works = (1 << SP_N_WORKS) - 1 - (1 << SP_WORK_ACTIONS)
#define NOT_OF_SEQUENCES .works = 1 << SP_WORK_STEPS | 1 << SP_WORK_SLEEP

static const sp_figure_column narrow[] = {
    {.key = "entity_f1", AS("entity F1"), HOW(STAR), OF_TAGS},
    {.key = "f1_at_10", HOW(STAR), OF_ACTIONS},
    {.key = "f1_at_25", HOW(STAR), OF_ACTIONS},
    {.key = "f1_at_50", HOW(STAR), OF_ACTIONS},
    {.key = "edit_score", AS("edit"), HOW(STAR), OF_ACTIONS, .decimals = 4},
    {.key = "illegal"},
    {.key = "illegal_rate", AS("")},
    {.key = "hard_violations"},
    {.key = "priced_violations", AS("priced")},
    {.key = "illegal_start", AS("starts"), HOW(DROP_ZERO)},
    {.key = "illegal_end", AS("ends"), HOW(DROP_ZERO)},
    {.key = "short_runs", AS("short"), HOW(DROP_ZERO)},
    {.key = "long_runs", AS("long"), HOW(DROP_ZERO)},
    {.key = "accuracy", HOW(STAR)},
    {.key = "kappa", HOW(STAR), NOT_OF_ACTIONS},
    {.key = "macro_f1", HOW(STAR), NOT_OF_ACTIONS},
    {.key = "weighted_kappa"},
    {.key = "changes"},
    {.key = "path_score"},
    {.key = "rules_broken", AS("broken"), HOW(DROP_ZERO)},
    {.key = "undecoded", HOW(DROP_ZERO)},
    {.key = NULL}};

static const sp_figure_column wide[] = {
    {.key = "entity_f1", AS("entity F1"), HOW(STAR), OF_TAGS},
    {.key = "f1_at_10", HOW(STAR), OF_ACTIONS},
    {.key = "f1_at_25", HOW(STAR), OF_ACTIONS},
    {.key = "f1_at_50", HOW(STAR), OF_ACTIONS},
    {.key = "edit_score", AS("edit"), HOW(STAR), OF_ACTIONS, .decimals = 4},
    {.key = "illegal"},
    {.key = "illegal_rate"},
    {.key = "recordings_with_illegal", AS("{recordings} with illegal")},
    {.key = "hard_violations"},
    {.key = "priced_violations"},
    {.key = "illegal_start", HOW(DROP_ZERO)},
    {.key = "illegal_end", HOW(DROP_ZERO)},
    {.key = "short_runs", HOW(DROP_ZERO)},
    {.key = "long_runs", HOW(DROP_ZERO)},
    {.key = "accuracy", HOW(STAR)},
    {.key = "balanced_accuracy", AS("balanced"), HOW(STAR)},
    {.key = "kappa", HOW(STAR)},
    {.key = "mcc", HOW(STAR)},
    {.key = "macro_f1", HOW(STAR)},
    {.key = "weighted_f1", HOW(STAR)},
    {.key = "weighted_kappa"},
    {.key = "mean_accuracy", HOW(WITH_SD)},
    {.key = "mean_kappa", HOW(WITH_SD)},
    {.key = "changes"},
    {.key = "path_score"},
    {.key = "regret"},
    {.key = "rules_broken", HOW(DROP_ZERO)},
    {.key = "undecoded", HOW(DROP_ZERO)},
    {.key = NULL}};

static const sp_figure_column board[] = {
    {.key = "entity_f1", AS("entity F1"), HOW(STAR), OF_TAGS},
    {.key = "f1_at_10", HOW(STAR), OF_ACTIONS},
    {.key = "f1_at_25", HOW(STAR), OF_ACTIONS},
    {.key = "f1_at_50", HOW(STAR), OF_ACTIONS},
    {.key = "edit_score", AS("edit"), HOW(STAR), OF_ACTIONS, .decimals = 4},
    {.key = "illegal", AS("illegal transitions"), CELL(AND_RATE)},
    {.key = "hard_violations", AS("violations of rules")},
    {.key = "priced_violations", AS("violations of priced rules")},
    {.key = "accuracy", AS("accuracy, pooled"), HOW(STAR)},
    {.key = "mean_accuracy", AS("accuracy, mean ± SD"), HOW(WITH_SD)},
    {.key = "kappa", AS("kappa, pooled"), HOW(STAR)},
    {.key = "mean_kappa", AS("kappa, mean ± SD"), HOW(WITH_SD), NOT_OF_ACTIONS},
    {.key = "macro_f1", AS("macro F1, pooled"), HOW(STAR)},
    {.key = "changes", AS("changes of class")},
    {.key = "rules_broken", HOW(DROP_ZERO)},
    {.key = "undecoded", HOW(DROP_ZERO)},
    {.key = "path_score", HOW(UNLABELLED)},
    {.key = NULL}};

static const sp_figure_column all[] = {
    {.key = "entity_f1", AS("entity F1"), HOW(STAR), OF_TAGS},
    {.key = "f1_at_10", HOW(STAR), OF_ACTIONS},
    {.key = "f1_at_25", HOW(STAR), OF_ACTIONS},
    {.key = "f1_at_50", HOW(STAR), OF_ACTIONS},
    {.key = "edit_score", AS("edit"), HOW(STAR), OF_ACTIONS, .decimals = 4},
    {.key = "accuracy", HOW(STAR)},
    {.key = "kappa", HOW(STAR)},
    {.key = "macro_f1", HOW(STAR)},
    {.key = "balanced_accuracy", HOW(STAR)},
    {.key = "mcc", HOW(STAR)},
    {.key = "weighted_f1", HOW(STAR)},
    {.key = "weighted_kappa"},
    {.key = "kappa_se"},
    {.key = "mean_accuracy", AS("accuracy, mean ± SD"), HOW(WITH_SD), .decimals = 4},
    {.key = "mean_kappa", AS("kappa, mean ± SD"), HOW(WITH_SD), .decimals = 4},
    {.key = "illegal", AS("illegal transitions")},
    {.key = "illegal_rate", AS("of all transitions")},
    {.key = "illegal_per_change", AS("of all changes of class")},
    {.key = "illegal_per_hour", AS("an hour"), HOW(DROP_UNDEFINED), .decimals = 2},
    {.key = "recordings_with_illegal"},
    {.key = "illegal_start", HOW(DROP_ZERO)},
    {.key = "illegal_end", HOW(DROP_ZERO)},
    {.key = "short_runs", AS("runs below the minimum dwell"), HOW(DROP_ZERO)},
    {.key = "long_runs", HOW(DROP_ZERO)},
    {.key = "hard_violations", AS("violations of rules over more {steps}")},
    {.key = "priced_violations", AS("violations of priced rules")},
    {.key = "rules_broken", AS("rules broken (relaxed)"), HOW(DROP_ZERO)},
    {.key = "undecoded", AS("{recordings} undecoded"), HOW(DROP_ZERO)},
    {.key = "changes", AS("changes of class")},
    {.key = "isolated_runs", AS("isolated {steps} (runs of one)")},
    {.key = "path_score", AS("path score, nats")},
    {.key = "regret", AS("regret {a step}, nats")},
    {.key = "zero_probability_steps", HOW(DROP_ZERO)},
    {.key = NULL}};

static const sp_figure_column legality[] = {
    {.key = "illegal"},
    {.key = "illegal_rate"},
    {.key = "recordings_with_illegal", AS("{recordings}")},
    {.key = "hard_violations"},
    {.key = "priced_violations"},
    {.key = "impossible", AS("{recordings} impossible"), HOW(DROP_ZERO)},
    {.key = "changes"},
    {.key = "undecoded", HOW(DROP_ZERO)},
    {.key = NULL}};

static const sp_figure_column agreement[] = {
    {.key = "entity_f1", AS("entity F1"), HOW(STAR), OF_TAGS},
    {.key = "f1_at_10", HOW(STAR), OF_ACTIONS},
    {.key = "f1_at_25", HOW(STAR), OF_ACTIONS},
    {.key = "f1_at_50", HOW(STAR), OF_ACTIONS},
    {.key = "edit_score", AS("edit"), HOW(STAR), OF_ACTIONS, .decimals = 4},
    {.key = "accuracy", HOW(STAR)},
    {.key = "kappa", HOW(STAR)},
    {.key = "mcc", HOW(STAR), NOT_OF_ACTIONS},
    {.key = "macro_f1", HOW(STAR)},
    {.key = "weighted_f1", HOW(STAR), NOT_OF_SEQUENCES},
    {.key = "mean_accuracy", .how = SP_STAR | SP_WITH_SD},
    {.key = "mean_kappa", .how = SP_STAR | SP_WITH_SD, NOT_OF_ACTIONS},
    {.key = NULL}};

static const sp_figure_column rates[] = {{.key = "illegal_rate"},
                                         {.key = "illegal_rate", CELL(INTERVAL)},
                                         {.key = "illegal_per_change"},
                                         {.key = "illegal_per_hour", HOW(DROP_UNDEFINED)},
                                         {.key = "illegal", AS("worst {recording}"), CELL(WORST)},
                                         {.key = NULL}};

static const sp_figure_column counts[] = {{.key = "illegal"},
                                          {.key = "illegal_rate"},
                                          {.key = "illegal_rate", CELL(INTERVAL)},
                                          {.key = "illegal_per_change"},
                                          {.key = "illegal_per_hour", HOW(DROP_UNDEFINED)},
                                          {.key = "recordings_with_illegal"},
                                          {.key = "illegal", AS("worst {recording}"), CELL(WORST)},
                                          {.key = NULL}};

static const sp_figure_column change_rates[] = {
    {.key = "changes", AS("changes, of transitions"), CELL(SHARE)},
    {.key = "changes_per_hour", HOW(DROP_UNDEFINED)},
    {.key = "runs"},
    {.key = "isolated_runs"},
    {.key = "isolated_runs_share"},
    {.key = "runs_ratio", HOW(DROP_UNDEFINED)},
    {.key = NULL}};

static const sp_figure_column error_runs[] = {
    {.key = "error_broken"},
    {.key = "error_runs"},
    {.key = "error_runs_forbidden"},
    {.key = "error_consequence_share"},
    {.key = "error_run_mean"},
    {.key = "error_run_median"},
    {.key = "error_run_longest"},
    {.key = "error_run_longest", AS("{recording}, {step}"), CELL(LONGEST)},
    {.key = "dead_ends"},
    {.key = NULL}};

static const sp_figure_column boundaries[] = {{.key = "boundary_reference"},
                                              {.key = "boundary_decoded"},
                                              {.key = "boundary_recall_0"},
                                              {.key = "boundary_recall_1"},
                                              {.key = "boundary_recall_2"},
                                              {.key = "boundary_precision_2"},
                                              {.key = "edit_score"},
                                              {.key = "f1_at_10"},
                                              {.key = "f1_at_25"},
                                              {.key = "f1_at_50"},
                                              {.key = NULL}};

static const sp_figure_column entities[] = {{.key = "entity_reference"},
                                            {.key = "entity_decoded"},
                                            {.key = "entity_correct"},
                                            {.key = "entity_precision"},
                                            {.key = "entity_recall"},
                                            {.key = "entity_f1"},
                                            {.key = "entity_strict_f1", AS("F1, well-formed only")},
                                            {.key = NULL}};

static const sp_figure_column classes[] = {{.key = "support"}, {.key = "predicted"}, {.key = "precision"},
                                           {.key = "recall"},  {.key = "f1"},        {.key = "specificity"},
                                           {.key = "npv"},     {.key = "kappa"},     {.key = "pabak"},
                                           {.key = "bias"},    {.key = NULL}};

static const sp_figure_column changes[] = {
    {.key = "fixed"},          {.key = "broken"}, {.key = "fixed", AS("net"), CELL(NET)},
    {.key = "wrong_to_wrong"}, {.key = "same"},   {.key = NULL}};

static const sp_figure_column class_changes[] = {{.key = "fixed"},
                                                 {.key = "broken"},
                                                 {.key = "fixed", AS("net"), CELL(NET)},
                                                 {.key = "wrong_to_wrong"},
                                                 {.key = NULL}};

static const sp_figure_column collapsed[] = {{.key = "collapsed_accuracy"},
                                             {.key = "collapsed_kappa"},
                                             {.key = "collapsed_mcc"},
                                             {.key = "collapsed_macro_f1"},
                                             {.key = NULL}};

static const sp_figure_column calibrations[] = {{.key = "brier"},
                                                {.key = "ece", AS("calibration error")},
                                                {.key = "confidence"},
                                                {.key = "calibration_accuracy"},
                                                {.key = NULL}};

const sp_figure_column *const sp_table_columns_of[SP_N_FIGURE_TABLES] = {
    [SP_IN_NARROW] = narrow,
    [SP_IN_WIDE] = wide,
    [SP_IN_BOARD] = board,
    [SP_IN_ALL] = all,
    [SP_IN_LEGALITY] = legality,
    [SP_IN_AGREEMENT] = agreement,
    [SP_IN_RATES] = rates,
    [SP_IN_COUNTS] = counts,
    [SP_IN_CHANGE_RATES] = change_rates,
    [SP_IN_ERROR_RUNS] = error_runs,
    [SP_IN_BOUNDARIES] = boundaries,
    [SP_IN_ENTITIES] = entities,
    [SP_IN_CLASSES] = classes,
    [SP_IN_CHANGES] = changes,
    [SP_IN_CLASS_CHANGES] = class_changes,
    [SP_IN_COLLAPSED] = collapsed,
    [SP_IN_CALIBRATIONS] = calibrations,
};
