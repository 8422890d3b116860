#include "report/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sp_cell_value(sp_table *table, const sp_value *value, int decimals, sp_tone tone)
{
    if (value->undefined)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
    else
        sp_buffer_fixed(sp_table_cell(table, tone), value->value, decimals);
}

bool sp_has_undecoded(const sp_comparison *comparison)
{
    for (int32_t s = 0; s < comparison->n_strategies; s++)
        if (comparison->strategies[s].n_undecoded)
            return true;
    return false;
}

const char *sp_undecoded_reason(sp_status status)
{
    return status == SP_EDEADEND ? "dead end" : status == SP_EBUG ? "bug of statepath" : "no path";
}

int64_t sp_scored_of(const sp_comparison *comparison, int64_t recording)
{
    return comparison->scored_steps ? comparison->scored_steps[recording] : 0;
}

/* ---- leaderboard ---- */

/* A metric of the leaderboard: where it stands in the result. */
typedef struct metric_column {
    const char *name;
    size_t offset; /* of the sp_value in sp_strategy_result */
    bool is_wide;  /* shown only where there is room */
} metric_column;

static const metric_column metric_columns[] = {
    {"accuracy", offsetof(sp_strategy_result, agreement.accuracy), false},
    {"balanced", offsetof(sp_strategy_result, agreement.balanced_accuracy), true},
    {"kappa", offsetof(sp_strategy_result, agreement.kappa), false},
    {"MCC", offsetof(sp_strategy_result, agreement.mcc), true},
    {"macro F1", offsetof(sp_strategy_result, agreement.macro_f1), false},
    {"weighted F1", offsetof(sp_strategy_result, agreement.weighted_f1), true},
};
enum { N_METRICS = sizeof metric_columns / sizeof *metric_columns };

static const sp_value *metric_of(const sp_strategy_result *strategy, const metric_column *column)
{
    return (const sp_value *)((const char *)strategy + column->offset);
}

double sp_as_shown(double value, int decimals)
{
    double scale = pow(10, decimals);
    return round(value * scale);
}

/* The greatest value of the column, as shown, where not all show the same; else NaN: nothing to star. */
static double best_metric(const sp_comparison *comparison, const metric_column *column)
{
    double best = NAN, worst = NAN;
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        const sp_value *value = metric_of(&comparison->strategies[s], column);
        if (!comparison->strategies[s].has_agreement || value->undefined)
            continue;
        double shown = sp_as_shown(value->value, 4);
        best = isnan(best) || shown > best ? shown : best;
        worst = isnan(worst) || shown < worst ? shown : worst;
    }
    return best > worst ? best : NAN;
}

static void cell_mean(sp_table *table, const sp_value *mean, const sp_value *sd)
{
    if (mean->undefined) {
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_fixed(cell, mean->value, 3);
    if (!sd->undefined) {
        sp_buffer_text(cell, " ± ");
        sp_buffer_fixed(cell, sd->value, 3);
    }
}

typedef struct leaderboard_shape {
    bool has_start, has_end, has_short, has_score, has_undecoded, has_broken, has_weighted, has_regret;
} leaderboard_shape;

/* Columns that would hold nothing but zeros are left out. */
static leaderboard_shape shape_of(const sp_comparison *comparison)
{
    leaderboard_shape shape = {.has_undecoded = sp_has_undecoded(comparison),
                               .has_weighted = comparison->has_labels && comparison->kappa_weights != SP_KAPPA_UNWEIGHTED};
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        const sp_strategy_result *strategy = &comparison->strategies[s];
        shape.has_start |= strategy->counts.illegal_start > 0;
        shape.has_end |= strategy->counts.illegal_end > 0;
        shape.has_short |= strategy->counts.short_runs > 0;
        shape.has_score |= strategy->has_path_score;
        shape.has_regret |= strategy->has_regret;
        shape.has_broken |= strategy->n_relaxed > 0;
    }
    return shape;
}

static void leaderboard_columns(const sp_comparison *comparison, bool wide, const leaderboard_shape *shape, sp_table *table)
{
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_RIGHT, "illegal");
    sp_table_column(table, SP_RIGHT, wide ? "of transitions" : "");
    if (wide)
        sp_table_column(table, SP_RIGHT, "recordings with illegal");
    if (shape->has_start)
        sp_table_column(table, SP_RIGHT, wide ? "illegal starts" : "starts");
    if (shape->has_end)
        sp_table_column(table, SP_RIGHT, wide ? "illegal ends" : "ends");
    if (shape->has_short)
        sp_table_column(table, SP_RIGHT, wide ? "runs too short" : "short");
    if (comparison->has_labels)
        for (int m = 0; m < N_METRICS; m++)
            if (wide || !metric_columns[m].is_wide)
                sp_table_column(table, SP_RIGHT, metric_columns[m].name);
    if (shape->has_weighted)
        sp_table_column(table, SP_RIGHT, comparison->kappa_weights == SP_KAPPA_LINEAR ? "linear kappa" : "quadratic kappa");
    if (comparison->has_labels && wide) {
        sp_table_column(table, SP_RIGHT, "mean accuracy");
        sp_table_column(table, SP_RIGHT, "mean kappa");
    }
    sp_table_column(table, SP_RIGHT, "changes");
    if (shape->has_score)
        sp_table_column(table, SP_RIGHT, "path score");
    if (wide && shape->has_regret)
        sp_table_column(table, SP_RIGHT, "regret per step");
    if (shape->has_broken)
        sp_table_column(table, SP_RIGHT, wide ? "rules broken" : "broken");
    if (shape->has_undecoded)
        sp_table_column(table, SP_RIGHT, "undecoded");
}

static void leaderboard_row(const sp_comparison *comparison, const sp_strategy_result *strategy, bool wide,
                            const leaderboard_shape *shape, const double *best, sp_table *table)
{
    const sp_transition_counts *counts = &strategy->counts;
    sp_tone legal = counts->illegal ? SP_TONE_BAD : SP_TONE_PLAIN;
    sp_table_cell_text(table, SP_TONE_PLAIN, strategy->name);
    sp_table_cell_count(table, legal, counts->illegal);
    sp_buffer_percent(sp_table_cell(table, counts->illegal ? SP_TONE_BAD : SP_TONE_MUTED), counts->illegal, counts->transitions);
    if (wide)
        sp_table_cell_count(table, legal, strategy->recordings_with_illegal);
    if (shape->has_start)
        sp_table_cell_count(table, counts->illegal_start ? SP_TONE_BAD : SP_TONE_PLAIN, counts->illegal_start);
    if (shape->has_end)
        sp_table_cell_count(table, counts->illegal_end ? SP_TONE_BAD : SP_TONE_PLAIN, counts->illegal_end);
    if (shape->has_short)
        sp_table_cell_count(table, counts->short_runs ? SP_TONE_BAD : SP_TONE_PLAIN, counts->short_runs);
    for (int m = 0; comparison->has_labels && m < N_METRICS; m++) {
        const sp_value *value = metric_of(strategy, &metric_columns[m]);
        if (wide || !metric_columns[m].is_wide)
            sp_cell_value(table, value, 4,
                          !value->undefined && sp_as_shown(value->value, 4) == best[m] ? SP_TONE_BEST : SP_TONE_PLAIN);
    }
    if (shape->has_weighted)
        sp_cell_value(table, &strategy->weighted_kappa, 4, SP_TONE_PLAIN);
    if (comparison->has_labels && wide) {
        cell_mean(table, &strategy->mean_accuracy, &strategy->sd_accuracy);
        cell_mean(table, &strategy->mean_kappa, &strategy->sd_kappa);
    }
    sp_table_cell_count(table, SP_TONE_PLAIN, counts->changes);
    if (shape->has_score && strategy->has_path_score)
        sp_cell_value(table, &strategy->path_score, 1, SP_TONE_PLAIN);
    else if (shape->has_score)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
    if (wide && shape->has_regret)
        sp_cell_value(table, &strategy->regret, 4, SP_TONE_PLAIN);
    if (shape->has_broken)
        sp_table_cell_count(table, strategy->n_broken ? SP_TONE_BAD : SP_TONE_PLAIN, strategy->n_broken);
    if (shape->has_undecoded)
        sp_table_cell_count(table, strategy->n_undecoded ? SP_TONE_BAD : SP_TONE_PLAIN, strategy->n_undecoded);
}

void sp_fill_leaderboard(const sp_comparison *comparison, bool wide, sp_table *table)
{
    leaderboard_shape shape = shape_of(comparison);
    double best[N_METRICS];
    for (int m = 0; m < N_METRICS; m++)
        best[m] = best_metric(comparison, &metric_columns[m]);
    table->title = "Strategies on the same scores";
    leaderboard_columns(comparison, wide, &shape, table);
    for (int32_t s = 0; s < comparison->n_strategies; s++)
        leaderboard_row(comparison, &comparison->strategies[s], wide, &shape, best, table);
}

/* ---- paired differences ---- */

int32_t sp_tested_pairs(const sp_comparison *comparison)
{
    int32_t n = 0;
    for (int32_t i = 0; i < comparison->n_comparisons; i++)
        n += !strcmp(comparison->comparisons[i].metric, "accuracy");
    return n;
}

/* How differences of a metric are shown: accuracy and rates in percentage points, differences of a few thousandths are the rule;
 * kappa and F1 are no shares and stay as they are. */
typedef struct metric_look {
    const char *metric, *name, *heading, *title, *subjects, *unit; /* subjects: the title where the units are those */
    double scale;
    int decimals;
} metric_look;

static const metric_look metric_looks[] = {
    {"accuracy", "accuracy", "Accuracy, in percentage points",
     "Difference in accuracy in percentage points, paired over recordings",
     "Difference in accuracy in percentage points, paired over subjects", "points", 100, 2},
    {"kappa", "kappa", "Kappa", "Difference in kappa, paired over recordings", "Difference in kappa, paired over subjects",
     "difference", 1, 4},
    {"macro_f1", "macro F1", "Macro F1", "Difference in macro F1, paired over recordings",
     "Difference in macro F1, paired over subjects", "difference", 1, 4},
    {"illegal_rate", "illegal rate", "Illegal transitions, in percentage points of all",
     "Difference in illegal transitions, percentage points of all transitions, paired over recordings",
     "Difference in illegal transitions, percentage points of all transitions, paired over subjects", "points", 100, 3},
};

static const metric_look *look_of(const char *metric)
{
    for (size_t i = 0; i < sizeof metric_looks / sizeof *metric_looks; i++)
        if (!strcmp(metric, metric_looks[i].metric))
            return &metric_looks[i];
    return &metric_looks[0];
}

const char *sp_metric_name(const char *metric)
{
    return look_of(metric)->name;
}

static void cell_interval(sp_table *table, const sp_difference *d, const metric_look *look)
{
    if (d->difference.undefined)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
    else
        sp_buffer_signed(sp_table_cell(table, SP_TONE_PLAIN), look->scale * d->difference.value, look->decimals);
    if (d->low.undefined || d->high.undefined) {
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_signed(cell, look->scale * d->low.value, look->decimals);
    sp_buffer_text(cell, " to ");
    sp_buffer_signed(cell, look->scale * d->high.value, look->decimals);
}

void sp_cell_p(sp_table *table, const sp_value *p)
{
    if (p->undefined)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
    else
        sp_buffer_p(sp_table_cell(table, SP_TONE_PLAIN), p->value);
}

void sp_cell_pair(const sp_comparison *comparison, const sp_pair_comparison *pair, sp_table *table)
{
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_text(cell, comparison->strategies[pair->a].name);
    sp_buffer_text(cell, " − ");
    sp_buffer_text(cell, comparison->strategies[pair->b].name);
}

/* As three columns, or as one: "3, 17, 0". */
static void cells_by_unit(const sp_wilcoxon *test, bool is_narrow, sp_table *table)
{
    const int64_t counts[] = {test->better, test->worse, test->ties};
    sp_buffer *cell = is_narrow ? sp_table_cell(table, SP_TONE_PLAIN) : NULL;
    for (int i = 0; i < 3; i++) {
        if (!is_narrow)
            cell = sp_table_cell(table, SP_TONE_PLAIN);
        else if (i)
            sp_buffer_text(cell, ", ");
        sp_buffer_count(cell, counts[i]);
    }
}

void sp_fill_metric_differences(const sp_comparison *comparison, const char *metric, bool is_narrow, sp_table *table)
{
    const metric_look *look = look_of(metric);
    bool is_tested = !strcmp(metric, "accuracy"), has_holm = is_tested && sp_tested_pairs(comparison) > 1;
    sp_buffer interval = {0};
    sp_add_level(&interval, comparison->level);
    sp_buffer_text(&interval, " interval");
    table->title = is_narrow ? look->heading : comparison->n_subjects ? look->subjects : look->title;
    sp_table_column(table, SP_LEFT, "pair");
    sp_table_column(table, SP_RIGHT, look->unit);
    sp_table_column(table, SP_RIGHT, interval.data);
    for (int i = 0; !is_narrow && i < 3; i++)
        sp_table_column(table, SP_RIGHT, (const char *[]){"better", "worse", "same"}[i]);
    if (is_narrow)
        sp_table_column(table, SP_RIGHT, "better, worse, same");
    bool is_flipped = !strcmp(metric, "illegal_rate"); /* tested by sign flips */
    if (is_tested || is_flipped)
        sp_table_column(table, SP_RIGHT, is_tested ? "p" : "sign-flip p");
    if (has_holm)
        sp_table_column(table, SP_RIGHT, "Holm p");
    table->failed |= interval.failed;
    sp_buffer_free(&interval);
    for (int32_t i = 0; i < comparison->n_comparisons; i++) {
        const sp_pair_comparison *pair = &comparison->comparisons[i];
        if (strcmp(pair->metric, metric) != 0)
            continue;
        sp_cell_pair(comparison, pair, table);
        cell_interval(table, &pair->difference, look);
        cells_by_unit(&pair->test, is_narrow, table);
        if (is_tested || is_flipped)
            sp_cell_p(table, is_tested ? &pair->test.p : &pair->permutation.p);
        if (has_holm)
            sp_cell_p(table, &pair->p_holm);
    }
}

void sp_fill_differences(const sp_comparison *comparison, sp_table *table)
{
    sp_fill_metric_differences(comparison, "accuracy", false, table);
}

/* ---- what changed ---- */

void sp_fill_changes(const sp_comparison *comparison, sp_table *table)
{
    table->title = "Steps that differ from argmax";
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_RIGHT, "fixed");
    sp_table_column(table, SP_RIGHT, "broken");
    sp_table_column(table, SP_RIGHT, "net");
    sp_table_column(table, SP_RIGHT, "wrong to wrong");
    sp_table_column(table, SP_RIGHT, "unchanged");
    for (int32_t s = 0; s < comparison->n_strategies; s++) {
        const sp_strategy_result *strategy = &comparison->strategies[s];
        const sp_changes *changes = &strategy->changes;
        if (!strategy->has_changes || !strcmp(strategy->name, "argmax"))
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, strategy->name);
        sp_table_cell_count(table, SP_TONE_PLAIN, changes->fixed);
        sp_table_cell_count(table, SP_TONE_PLAIN, changes->broken);
        int64_t net = changes->fixed - changes->broken;
        sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
        sp_buffer_text(cell, net > 0 ? "+" : "");
        sp_buffer_count(cell, net);
        sp_table_cell_count(table, SP_TONE_PLAIN, changes->wrong_to_wrong);
        sp_table_cell_count(table, SP_TONE_PLAIN, changes->same);
    }
}
