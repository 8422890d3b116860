#include "report/tables/columns.h"
#include "report/tables/tables.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 64 };

static const sp_figure *figure_of(sp_figure_scope scope, const sp_column *column)
{
    return sp_figure_find(scope, column->key, strlen(column->key));
}

static sp_figure_owner strategy_at(const sp_comparison *c, int32_t s)
{
    return (sp_figure_owner){&c->strategies[s], &c->strategies[s], c};
}

static int decimals_of(const sp_column *column, const sp_figure *figure)
{
    return column->decimals ? column->decimals : figure->decimals;
}

/* ---- one cell ---- */

/* The greatest value of all strategies as shown, where not all show the same; else NaN: nothing to star. */
static double best_of(const sp_comparison *c, const sp_column *column, const sp_figure *figure)
{
    double best = NAN, worst = NAN;
    for (int32_t s = 0; column->how & SP_STAR && s < c->n_strategies; s++) {
        const sp_figure_owner owner = strategy_at(c, s);
        const sp_value value = sp_figure_value(figure, &owner);
        if (value.undefined)
            continue;
        const double shown = sp_as_shown(value.value, decimals_of(column, figure));
        best = isnan(best) || shown > best ? shown : best;
        worst = isnan(worst) || shown < worst ? shown : worst;
    }
    return best > worst ? best : NAN;
}

static void add_cell(const sp_column *column, const sp_figure *figure, const sp_figure_owner *owner, sp_table *table)
{
    if (!figure || sp_figure_missing(figure, owner) || sp_figure_at(&figure->place, owner).undefined) {
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
        return;
    }
    const sp_value value = sp_figure_at(&figure->place, owner);
    const int decimals = decimals_of(column, figure);
    const bool is_bad = figure->tone == SP_NONE_IS_RIGHT && owner->strategy && value.value > 0;
    int64_t n;
    if (sp_figure_is_count(figure)) {
        sp_table_cell_count(table, is_bad ? SP_TONE_BAD : SP_TONE_PLAIN, sp_figure_count(figure, owner));
    } else if (decimals == SP_PERCENT && sp_figure_n(figure, owner, &n)) {
        sp_cell_share(table, llround(value.value * (double)n), n,
                      is_bad                             ? SP_TONE_BAD
                      : figure->tone == SP_NONE_IS_RIGHT ? SP_TONE_MUTED
                                                         : SP_TONE_PLAIN);
    } else {
        const bool is_best = sp_as_shown(value.value, decimals) == best_of(owner->comparison, column, figure);
        sp_buffer *cell = sp_table_cell(table, is_best ? SP_TONE_BEST : SP_TONE_PLAIN);
        sp_buffer_fixed(cell, value.value, decimals);
        const sp_figure *sd = column->sd ? sp_figure_find(SP_OF_STRATEGY, column->sd, strlen(column->sd)) : NULL;
        if (sd && !sp_figure_value(sd, owner).undefined)
            sp_buffer_say(cell, " ± %.*f", decimals, sp_figure_value(sd, owner).value);
    }
}

static void add_heading(const sp_comparison *c, sp_figure_scope scope, const sp_column *column, sp_buffer *out)
{
    if (column->how & SP_LEVEL_HEADING)
        sp_buffer_say(out, "%g %% interval", 100 * c->level);
    else if (!column->heading && !strcmp(column->key, "weighted_kappa"))
        sp_buffer_text(out, c->kappa_weights == SP_KAPPA_LINEAR ? "linear kappa" : "quadratic kappa");
    else if (column->heading)
        sp_buffer_words(out, column->heading);
    else
        sp_buffer_term(out, figure_of(scope, column)->label);
}

/* ---- which there are ---- */

static bool is_shown(const sp_comparison *c, const sp_column *column)
{
    const sp_figure *figure = figure_of(SP_OF_STRATEGY, column);
    if (column->works && !(column->works >> c->work & 1))
        return false;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_figure_owner owner = strategy_at(c, s);
        const sp_value value = sp_figure_value(figure, &owner);
        if (sp_figure_missing(figure, &owner) || (column->how & SP_DROP_ZERO && !(value.value > 0)) ||
            (column->how & SP_DROP_UNDEFINED && value.undefined))
            continue;
        return true;
    }
    return false;
}

/* The columns that are shown, at most MOST_COLUMNS; returns how many. */
static size_t shown_columns(const sp_comparison *c, const sp_column *columns, size_t n, sp_column *shown)
{
    size_t m = 0;
    for (size_t i = 0; i < n && m < MOST_COLUMNS; i++)
        if (is_shown(c, &columns[i]))
            shown[m++] = columns[i];
    return m;
}

static bool has_any(const sp_figure_owner *owner, const sp_column *columns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!sp_figure_missing(figure_of(SP_OF_STRATEGY, &columns[i]), owner))
            return true;
    return false;
}

/* ---- tables ---- */

void sp_add_heads(const sp_comparison *c, sp_figure_scope scope, const sp_column *columns, size_t n, sp_table *table)
{
    for (size_t i = 0; i < n; i++) {
        add_heading(c, scope, &columns[i], sp_table_head(table, columns[i].how & SP_LEFT_COLUMN ? SP_LEFT : SP_RIGHT));
        sp_table_holds(table, columns[i].holds);
    }
}

void sp_add_figures(sp_figure_scope scope, const sp_figure_owner *owner, const sp_column *columns, size_t n, sp_table *table)
{
    for (size_t i = 0; i < n; i++)
        if (columns[i].cell)
            columns[i].cell(owner, table);
        else
            add_cell(&columns[i], figure_of(scope, &columns[i]), owner, table);
}

static void add_reference(const sp_comparison *c, const sp_column *columns, size_t n, sp_table *table)
{
    const sp_figure_owner owner = {.own = c, .comparison = c};
    if (!c->has_labels || n == 0)
        return;
    sp_table_cell_text(table, SP_TONE_PLAIN, "reference");
    sp_add_figures(SP_OF_REFERENCE, &owner, columns, n, table);
}

void sp_fill_columns(const sp_comparison *c, const sp_column *columns, size_t n, sp_reference_row reference, sp_table *table)
{
    sp_column shown[MOST_COLUMNS] = {0};
    const size_t m = shown_columns(c, columns, n, shown);
    sp_table_columns(table, "strategy");
    sp_add_heads(c, SP_OF_STRATEGY, shown, m, table);
    if (reference == SP_REFERENCE_FIRST)
        add_reference(c, shown, m, table);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_figure_owner owner = strategy_at(c, s);
        if (!has_any(&owner, shown, m))
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, c->strategies[s].name);
        sp_add_figures(SP_OF_STRATEGY, &owner, shown, m, table);
    }
    if (reference == SP_REFERENCE_LAST)
        add_reference(c, shown, m, table);
}

void sp_fill_figure_rows(const sp_comparison *c, const sp_column *columns, size_t n, sp_table *table)
{
    const sp_figure_owner reference = {.own = c, .comparison = c};
    sp_table_columns(table, "figure");
    sp_strategy_columns(c, c->has_labels, table);
    for (size_t i = 0; i < n; i++) {
        if (!is_shown(c, &columns[i]))
            continue;
        add_heading(c, SP_OF_STRATEGY, &columns[i], sp_table_cell(table, SP_TONE_PLAIN));
        if (c->has_labels)
            sp_add_figures(SP_OF_REFERENCE, &reference, &columns[i], 1, table);
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_figure_owner owner = strategy_at(c, s);
            sp_add_figures(SP_OF_STRATEGY, &owner, &columns[i], 1, table);
        }
    }
}
