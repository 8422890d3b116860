#include "report/tables/columns.h"
#include "evaluate/work.h"
#include "report/tables/tables.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 64 };

typedef struct column {
    const sp_figure *figure; /* NULL: the scope has no such figure */
    const sp_figure_column *how;
} column;

typedef struct columns {
    size_t n;
    column list[MOST_COLUMNS];
} columns;

/* The columns of a table of a scope. */
static columns columns_of(sp_figure_scope scope, sp_figure_table in)
{
    columns all = {.n = 0};
    for (const sp_figure_column *how = sp_table_columns_of[in]; how->key && all.n < MOST_COLUMNS; how++)
        all.list[all.n++] = (column){sp_figure_find(scope, how->key, strlen(how->key)), how};
    return all;
}

static sp_figure_owner strategy_at(const sp_comparison *c, int32_t s)
{
    return (sp_figure_owner){&c->strategies[s], &c->strategies[s], c};
}

static int decimals_of(const column *one)
{
    return one->how->decimals ? one->how->decimals : one->figure->decimals;
}

/* ---- one cell ---- */

/* The greatest value of all strategies as shown, where not all show the same; else NaN: nothing to star. */
static double best_of(const sp_comparison *c, const column *one)
{
    double best = NAN, worst = NAN;
    for (int32_t s = 0; one->how->how & SP_STAR && s < c->n_strategies; s++) {
        const sp_figure_owner owner = strategy_at(c, s);
        const sp_value value = sp_figure_value(one->figure, &owner);
        if (value.undefined)
            continue;
        const double shown = sp_as_shown(value.value, decimals_of(one));
        best = isnan(best) || shown > best ? shown : best;
        worst = isnan(worst) || shown < worst ? shown : worst;
    }
    return best > worst ? best : NAN;
}

static void figure_cell(const column *one, const sp_figure_owner *owner, sp_table *table)
{
    const sp_figure *figure = one->figure;
    if (!figure || sp_figure_missing(figure, owner) || sp_figure_at(&figure->place, owner).undefined) {
        sp_cell_none(table);
        return;
    }
    const sp_value value = sp_figure_at(&figure->place, owner);
    const int decimals = decimals_of(one);
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
        const bool is_best = sp_as_shown(value.value, decimals) == best_of(owner->comparison, one);
        sp_buffer *cell = sp_table_cell(table, is_best ? SP_TONE_BEST : SP_TONE_PLAIN);
        sp_buffer_fixed(cell, value.value, decimals);
        const sp_value sd =
            one->how->how & SP_WITH_SD ? sp_figure_at(&figure->sd, owner) : (sp_value){.undefined = ""};
        if (!sd.undefined)
            sp_buffer_say(cell, " ± %.*f", decimals, sd.value);
    }
}

/* ---- cells of more than a figure ---- */

static const sp_transition_counts *counts_of(const sp_figure_owner *owner)
{
    return owner->strategy ? &owner->strategy->counts : &owner->comparison->reference;
}

static void illegal_and_rate(const column *one, const sp_figure_owner *owner, sp_table *table)
{
    const sp_transition_counts *counts = counts_of(owner);
    (void)one;
    sp_buffer *cell = sp_table_cell(table, owner->strategy && counts->illegal ? SP_TONE_BAD : SP_TONE_PLAIN);
    sp_buffer_count(cell, counts->illegal);
    if (counts->illegal) {
        sp_buffer_text(cell, " (");
        sp_buffer_percent(cell, counts->illegal, counts->transitions);
        sp_buffer_text(cell, ")");
    }
}

static void interval(const column *one, const sp_figure_owner *owner, sp_table *table)
{
    if (!one->figure || !one->figure->low.base) {
        sp_cell_none(table);
        return;
    }
    const sp_value low = sp_figure_at(&one->figure->low, owner),
                   high = sp_figure_at(&one->figure->high, owner);
    if (low.undefined || high.undefined)
        sp_buffer_term(sp_table_cell(table, SP_TONE_MUTED), low.undefined ? low.undefined : high.undefined);
    else
        sp_table_say(table, SP_TONE_PLAIN, "%.3f to %.3f %%", 100 * low.value, 100 * high.value);
}

static void worst_recording(const column *one, const sp_figure_owner *owner, sp_table *table)
{
    const sp_frequencies *f =
        owner->strategy ? &owner->strategy->frequencies : &owner->comparison->reference_frequencies;
    (void)one;
    if (f->worst_recording < 0) {
        sp_cell_none(table);
        return;
    }
    sp_buffer *cell = sp_table_cell(table, SP_TONE_PLAIN);
    sp_buffer_name(cell, owner->comparison->ids[f->worst_recording], 24);
    sp_buffer_say(cell, ": %jd", f->worst_illegal);
}

static void longest_error(const column *one, const sp_figure_owner *owner, sp_table *table)
{
    const sp_error_runs *e = &owner->strategy->error_runs;
    (void)one;
    if (e->runs->count)
        sp_table_say(table, SP_TONE_PLAIN, "%s, %jd", owner->comparison->ids[e->longest_recording],
                     sp_step_number(owner->comparison->work, e->longest_step));
    else
        sp_cell_none(table);
}

static void share_of_changes(const column *one, const sp_figure_owner *owner, sp_table *table)
{
    (void)one;
    sp_cell_share(table, counts_of(owner)->changes, counts_of(owner)->transitions, SP_TONE_PLAIN);
}

static void net_change(const column *one, const sp_figure_owner *owner, sp_table *table)
{
    const sp_changes *changes = owner->own;
    const int64_t net = changes->fixed - changes->worsened;
    (void)one;
    sp_table_say(table, SP_TONE_PLAIN, "%s%jd", net > 0 ? "+" : "", net);
}

static const struct {
    void (*write)(const column *one, const sp_figure_owner *owner, sp_table *table);
    sp_align align;
    sp_column_holds holds; /* for the page's script */
} cells[SP_N_CELLS] = {
    [SP_CELL_FIGURE] = {figure_cell, SP_RIGHT, SP_HOLDS_ANYTHING},
    [SP_CELL_AND_RATE] = {illegal_and_rate, SP_RIGHT, SP_HOLDS_ANYTHING},
    [SP_CELL_INTERVAL] = {interval, SP_RIGHT, SP_HOLDS_ANYTHING},
    [SP_CELL_WORST] = {worst_recording, SP_LEFT, SP_HOLDS_WORST},
    [SP_CELL_LONGEST] = {longest_error, SP_LEFT, SP_HOLDS_PLACE},
    [SP_CELL_SHARE] = {share_of_changes, SP_RIGHT, SP_HOLDS_ANYTHING},
    [SP_CELL_NET] = {net_change, SP_RIGHT, SP_HOLDS_ANYTHING},
};

/* ---- which there are ---- */

static bool is_shown(const sp_comparison *c, const column *one)
{
    const sp_figure_column *how = one->how;
    if ((how->works && !(how->works >> c->work & 1)) || (how->how & SP_UNLABELLED && c->has_labels))
        return false;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_figure_owner owner = strategy_at(c, s);
        const sp_value value = sp_figure_value(one->figure, &owner);
        if (sp_figure_missing(one->figure, &owner) || (how->how & SP_DROP_ZERO && !(value.value > 0)) ||
            (how->how & SP_DROP_UNDEFINED && value.undefined))
            continue;
        return true;
    }
    return false;
}

/* Those that are shown of strategies. */
static columns shown_columns(const sp_comparison *c, sp_figure_table in)
{
    const columns all = columns_of(SP_OF_STRATEGY, in);
    columns shown = {.n = 0};
    for (size_t i = 0; i < all.n; i++)
        if (is_shown(c, &all.list[i]))
            shown.list[shown.n++] = all.list[i];
    return shown;
}

static bool has_any(const sp_figure_owner *owner, const columns *shown)
{
    for (size_t i = 0; i < shown->n; i++)
        if (!sp_figure_missing(shown->list[i].figure, owner))
            return true;
    return false;
}

/* ---- rows ---- */

static void add_heading(const sp_comparison *c, const column *one, sp_buffer *out)
{
    if (one->how->cell == SP_CELL_INTERVAL)
        sp_buffer_say(out, "%g %% interval", 100 * c->level);
    else if (one->how->heading)
        sp_buffer_words(out, one->how->heading);
    else if (one->figure->needs >> SP_NEEDS_KAPPA_WEIGHTS & 1)
        sp_buffer_text(out, c->kappa_weights == SP_KAPPA_LINEAR ? "linear kappa" : "quadratic kappa");
    else
        sp_buffer_term(out, one->figure->label);
}

static void add_heads(const sp_comparison *c, const columns *shown, sp_table *table)
{
    for (size_t i = 0; i < shown->n; i++) {
        const column *one = &shown->list[i];
        add_heading(c, one, sp_table_head(table, cells[one->how->cell].align));
        sp_table_define(table, one->figure->definition);
        sp_table_holds(table, cells[one->how->cell].holds);
    }
}

static void add_figure(const column *one, const sp_figure_owner *owner, sp_table *table)
{
    cells[one->how->cell].write(one, owner, table);
}

/* The figure of the same key that the reference has. */
static void add_reference_figure(const sp_comparison *c, const column *of_strategy, sp_table *table)
{
    const char *key = of_strategy->figure->key;
    const column one = {sp_figure_find(SP_OF_REFERENCE, key, strlen(key)), of_strategy->how};
    add_figure(&one, &(sp_figure_owner){.own = c, .comparison = c}, table);
}

static void add_reference(const sp_comparison *c, const columns *shown, sp_table *table)
{
    if (!c->has_labels || shown->n == 0)
        return;
    sp_table_cell_text(table, SP_TONE_PLAIN, "reference");
    for (size_t i = 0; i < shown->n; i++)
        add_reference_figure(c, &shown->list[i], table);
}

/* ---- tables ---- */

void sp_add_heads(const sp_comparison *c, sp_figure_scope scope, sp_figure_table in, sp_table *table)
{
    const columns all = columns_of(scope, in);
    add_heads(c, &all, table);
}

void sp_add_figures(sp_figure_scope scope, sp_figure_table in, const sp_figure_owner *owner, sp_table *table)
{
    const columns all = columns_of(scope, in);
    for (size_t i = 0; i < all.n; i++)
        add_figure(&all.list[i], owner, table);
}

void sp_fill_columns(const sp_comparison *c, sp_figure_table in, sp_reference_row reference, sp_table *table)
{
    const columns shown = shown_columns(c, in);
    sp_table_columns(table, "strategy");
    add_heads(c, &shown, table);
    if (reference == SP_REFERENCE_FIRST)
        add_reference(c, &shown, table);
    for (int32_t s = 0; s < c->n_strategies; s++) {
        const sp_figure_owner owner = strategy_at(c, s);
        if (!has_any(&owner, &shown))
            continue;
        sp_table_cell_text(table, SP_TONE_PLAIN, c->strategies[s].name);
        for (size_t i = 0; i < shown.n; i++)
            add_figure(&shown.list[i], &owner, table);
    }
    if (reference == SP_REFERENCE_LAST)
        add_reference(c, &shown, table);
}

void sp_fill_figure_rows(const sp_comparison *c, sp_figure_table in, sp_table *table)
{
    const columns shown = shown_columns(c, in);
    sp_table_columns(table, "figure");
    sp_strategy_columns(c, c->has_labels, table);
    for (size_t i = 0; i < shown.n; i++) {
        add_heading(c, &shown.list[i], sp_table_cell(table, SP_TONE_PLAIN));
        sp_table_define(table, shown.list[i].figure->definition);
        if (c->has_labels)
            add_reference_figure(c, &shown.list[i], table);
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_figure_owner owner = strategy_at(c, s);
            add_figure(&shown.list[i], &owner, table);
        }
    }
}
