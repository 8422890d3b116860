/* Tables of figures with a row a strategy: the columns of each. document.c gives them their titles. */
#include "report/tables/columns.h"
#include "report/tables/tables.h"

/* For want of room: figures that are not usual for tags and actions. */
enum { NO_SEQUENCES = 1 << SP_WORK_STEPS | 1 << SP_WORK_SLEEP, NO_ACTIONS = NO_SEQUENCES | 1 << SP_WORK_TAGS };

/* What decides, for a page and for a terminal. */
const sp_column sp_columns_wide[] = {
    SP_LEAD_COLUMNS,
    {.key = "illegal"},
    {.key = "illegal_rate"},
    {.key = "recordings_with_illegal", .heading = "{recordings} with illegal"},
    {.key = "illegal_start", .how = SP_DROP_ZERO},
    {.key = "illegal_end", .how = SP_DROP_ZERO},
    {.key = "short_runs", .how = SP_DROP_ZERO},
    {.key = "accuracy", .how = SP_STAR},
    {.key = "balanced_accuracy", .heading = "balanced", .how = SP_STAR},
    {.key = "kappa", .how = SP_STAR},
    {.key = "mcc", .how = SP_STAR},
    {.key = "macro_f1", .how = SP_STAR},
    {.key = "weighted_f1", .how = SP_STAR},
    {.key = "weighted_kappa"},
    {.key = "mean_accuracy", .sd = "sd_accuracy"},
    {.key = "mean_kappa", .sd = "sd_kappa"},
    {.key = "changes"},
    {.key = "path_score"},
    {.key = "regret"},
    {.key = "rules_broken", .how = SP_DROP_ZERO},
    {.key = "undecoded", .how = SP_DROP_ZERO},
    {.key = NULL},
};
const sp_column sp_columns_narrow[] = {
    SP_LEAD_COLUMNS,
    {.key = "illegal"},
    {.key = "illegal_rate", .heading = ""},
    {.key = "illegal_start", .heading = "starts", .how = SP_DROP_ZERO},
    {.key = "illegal_end", .heading = "ends", .how = SP_DROP_ZERO},
    {.key = "short_runs", .heading = "short", .how = SP_DROP_ZERO},
    {.key = "accuracy", .how = SP_STAR},
    {.key = "kappa", .how = SP_STAR, .works = NO_ACTIONS},
    {.key = "macro_f1", .how = SP_STAR, .works = NO_ACTIONS},
    {.key = "weighted_kappa"},
    {.key = "changes"},
    {.key = "path_score"},
    {.key = "rules_broken", .heading = "broken", .how = SP_DROP_ZERO},
    {.key = "undecoded", .how = SP_DROP_ZERO},
    {.key = NULL},
};

/* A leaderboard of all figures is too wide for a column of print: what the rules say, and how well the reference is met. */
const sp_column sp_columns_legality[] = {
    {.key = "illegal"},
    {.key = "illegal_rate"},
    {.key = "recordings_with_illegal", .heading = "{recordings}"},
    {.key = "changes"},
    {.key = "undecoded", .how = SP_DROP_ZERO},
    {.key = NULL},
};
const sp_column sp_columns_agreement[] = {
    SP_LEAD_COLUMNS,
    {.key = "accuracy", .decimals = 3, .how = SP_STAR},
    {.key = "kappa", .decimals = 3, .how = SP_STAR},
    {.key = "mcc", .decimals = 3, .how = SP_STAR, .works = NO_ACTIONS},
    {.key = "macro_f1", .decimals = 3, .how = SP_STAR},
    {.key = "weighted_f1", .decimals = 3, .how = SP_STAR, .works = NO_SEQUENCES},
    {.key = "mean_accuracy", .sd = "sd_accuracy", .how = SP_STAR},
    {.key = "mean_kappa", .sd = "sd_kappa", .how = SP_STAR, .works = NO_ACTIONS},
    {.key = NULL},
};

static void longest_error(const sp_figure_owner *owner, sp_table *table)
{
    const sp_error_runs *e = &owner->strategy->error_runs;
    if (!e->runs->count) {
        sp_cell_none(table);
        return;
    }
    sp_table_say(table, SP_TONE_PLAIN, "%s, %jd", owner->comparison->ids[e->longest_recording], e->longest_step);
}

const sp_column sp_columns_error_runs[] = {
    {.key = "error_broken"},
    {.key = "error_runs"},
    {.key = "error_runs_forbidden"},
    {.key = "error_consequence_share"},
    {.key = "error_run_mean"},
    {.key = "error_run_median"},
    {.key = "error_run_longest"},
    {.key = "error_run_longest",
     .heading = "{recording}, {step}",
     .how = SP_LEFT_COLUMN,
     .holds = SP_HOLDS_PLACE,
     .cell = longest_error},
    {.key = "dead_ends"},
    {.key = NULL},
};
static const sp_frequencies *frequencies_of(const sp_figure_owner *owner)
{
    return owner->strategy ? &owner->strategy->frequencies : &owner->comparison->reference_frequencies;
}

static void rate_interval(const sp_figure_owner *owner, sp_table *table)
{
    const sp_difference *rate = owner->strategy ? &owner->strategy->illegal_rate : NULL;
    if (!rate) {
        sp_cell_none(table);
        return;
    }
    if (rate->low.undefined || rate->high.undefined) {
        sp_buffer_term(sp_table_cell(table, SP_TONE_MUTED), rate->low.undefined ? rate->low.undefined : rate->high.undefined);
        return;
    }
    sp_table_say(table, SP_TONE_PLAIN, "%.3f to %.3f %%", 100 * rate->low.value, 100 * rate->high.value);
}

static void worst_recording(const sp_figure_owner *owner, sp_table *table)
{
    const sp_frequencies *f = frequencies_of(owner);
    if (f->worst_recording < 0) {
        sp_cell_none(table);
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_name(cell, owner->comparison->ids[f->worst_recording], 24);
    sp_buffer_say(cell, ": %jd", f->worst_illegal);
}

/* Illegal transitions: how often, with every denominator. */
const sp_column sp_columns_rates[] = {
    {.key = "illegal_rate"},
    {.key = "illegal_rate", .how = SP_LEVEL_HEADING, .cell = rate_interval},
    {.key = "illegal_per_change"},
    {.key = "illegal_per_hour", .how = SP_DROP_UNDEFINED},
    {.key = "illegal", .heading = "worst {recording}", .how = SP_LEFT_COLUMN, .holds = SP_HOLDS_WORST, .cell = worst_recording},
    {.key = NULL},
};
const sp_column sp_columns_counts[] = {
    {.key = "illegal"},
    {.key = "illegal_rate"},
    {.key = "illegal_rate", .how = SP_LEVEL_HEADING, .cell = rate_interval},
    {.key = "illegal_per_change"},
    {.key = "illegal_per_hour", .how = SP_DROP_UNDEFINED},
    {.key = "recordings_with_illegal"},
    {.key = "illegal", .heading = "worst {recording}", .how = SP_LEFT_COLUMN, .holds = SP_HOLDS_WORST, .cell = worst_recording},
    {.key = NULL},
};
const sp_column sp_columns_boundaries[] = {{.key = "boundary_reference"},
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
const sp_column sp_columns_entities[] = {{.key = "entity_reference"},
                                         {.key = "entity_decoded"},
                                         {.key = "entity_correct"},
                                         {.key = "entity_precision"},
                                         {.key = "entity_recall"},
                                         {.key = "entity_f1"},
                                         {.key = "entity_strict_f1", .heading = "F1, well-formed only"},
                                         {.key = NULL}};
