/* Tables of classes, and of pairs of them. */
#include "report/tables/columns.h"
#include "report/tables/tables.h"

#include <math.h>
#include <stdlib.h>

void sp_fill_class_f1(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    if (c->n_scored_steps == 0 || (options->most_classes && c->n_classes > options->most_classes))
        return;
    table->title = "F1 by class";
    sp_table_columns(table, "class|support");
    sp_strategy_columns(c, false, table);
    for (int32_t k = 0; k < c->n_classes && c->n_strategies; k++) {
        double best = -INFINITY, worst = INFINITY;
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_value *f1 = &c->strategies[s].classes[k].f1;
            if (f1->undefined)
                continue;
            best = fmax(best, sp_as_shown(f1->value, 3));
            worst = fmin(worst, sp_as_shown(f1->value, 3));
        }
        sp_table_cell_text(table, SP_TONE_PLAIN, c->classes[k]);
        sp_table_cell_count(table, SP_TONE_PLAIN, c->strategies[0].classes[k].support);
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_value *f1 = &c->strategies[s].classes[k].f1;
            sp_cell_value(table, f1, 3,
                          best > worst && sp_as_shown(f1->value, 3) == best ? SP_TONE_BEST : SP_TONE_PLAIN);
        }
    }
}

void sp_fill_class_detail(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_strategy_result *one = &c->strategies[options->strategy];
    if (c->n_scored_steps == 0 || !one->has_agreement ||
        (options->most_classes && c->n_classes > options->most_classes))
        return;
    table->title = "Each class against the rest";
    sp_table_columns(table, "class");
    sp_add_heads(c, SP_OF_CLASS, SP_IN_CLASSES, table);
    for (int32_t k = 0; k < c->n_classes; k++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, c->classes[k]);
        sp_add_figures(SP_OF_CLASS, SP_IN_CLASSES, &(sp_figure_owner){&one->classes[k], one, c}, table);
    }
}

void sp_fill_confusion(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    const sp_strategy_result *result = &c->strategies[options->strategy];
    int32_t n_classes = c->n_classes;
    if (c->n_scored_steps == 0 || !result->has_agreement ||
        (options->most_matrix && n_classes > options->most_matrix))
        return;
    table->title = "Confusion matrix: rows reference, columns decoded";
    sp_table_column(table, SP_LEFT, result->name);
    for (int32_t j = 0; j < n_classes; j++)
        sp_table_column(table, SP_RIGHT, c->classes[j]);
    if (result->n_undecoded)
        sp_table_column(table, SP_RIGHT, "undecoded");
    for (int32_t i = 0; i < n_classes; i++) {
        sp_table_cell_text(table, SP_TONE_PLAIN, c->classes[i]);
        for (int32_t j = 0; j < n_classes; j++) {
            int64_t count = result->confusion[(size_t)i * (size_t)n_classes + (size_t)j];
            sp_table_cell_count(table, i == j ? SP_TONE_PLAIN : SP_TONE_MUTED, count);
        }
        if (result->n_undecoded)
            sp_table_cell_count(table, SP_TONE_BAD, result->undecoded_steps[i]);
    }
}

void sp_fill_confusion_left_out(const sp_comparison *c, const sp_fill_options *options, sp_table *lines)
{
    sp_table_columns(lines, "note");
    if (c->n_scored_steps && c->n_strategies && c->n_classes > options->most_matrix)
        sp_table_say(lines, SP_TONE_PLAIN,
                     "%d classes are too many for a terminal; the JSON holds their confusion matrices, with "
                     "up to 60 classes "
                     "the page too",
                     (int)c->n_classes);
}

/* ---- coarser classes ---- */

void sp_fill_collapsed(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    if (options->is_brief && !c->n_collapsed_asked)
        return;
    table->title = "Fewer classes, put together after decoding";
    sp_table_columns(table, "classes|<strategy");
    sp_add_heads(c, SP_OF_COLLAPSED, SP_IN_COLLAPSED, table);
    for (int32_t i = 0; i < c->n_collapsed; i++)
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_collapsed *one = &c->collapsed[i];
            sp_table_cell_text(table, SP_TONE_PLAIN, one->how.name);
            sp_table_cell_text(table, SP_TONE_PLAIN, c->strategies[s].name);
            sp_add_figures(SP_OF_COLLAPSED, SP_IN_COLLAPSED,
                           &(sp_figure_owner){.own = &one->strategies[s], .comparison = c}, table);
        }
}

/* ---- illegal pairs ---- */

int sp_pair_by_index(const void *a, const void *b)
{
    const sp_pair_count *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->to != y->to ? (x->to < y->to ? -1 : 1) : 0;
}

static int by_count(const void *a, const void *b)
{
    const sp_pair_count *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : sp_pair_by_index(a, b);
}

/* Count of a pair in a list that is sorted by count: searched through, the lists are short. */
static int64_t count_in(const sp_pair_count *pairs, int64_t n, const sp_pair_count *pair)
{
    for (int64_t i = 0; i < n; i++)
        if (pairs[i].from == pair->from && pairs[i].to == pair->to)
            return pairs[i].count;
    return 0;
}

sp_pair_count *sp_illegal_union(const sp_comparison *c, int64_t *n_out)
{
    int64_t n = c->n_reference_illegal_pairs, kept = 0;
    for (int32_t s = 0; s < c->n_strategies; s++)
        n += c->strategies[s].n_illegal_pairs;
    sp_pair_count *all = malloc((size_t)(n ? n : 1) * sizeof *all);
    if (!all)
        return NULL;
    n = 0;
    for (int64_t i = 0; i < c->n_reference_illegal_pairs; i++)
        all[n++] = c->reference_illegal_pairs[i];
    for (int32_t s = 0; s < c->n_strategies; s++)
        for (int64_t i = 0; i < c->strategies[s].n_illegal_pairs; i++)
            all[n++] = c->strategies[s].illegal_pairs[i];
    qsort(all, (size_t)n, sizeof *all, sp_pair_by_index);
    for (int64_t i = 0; i < n; i++) {
        if (kept && sp_pair_by_index(&all[kept - 1], &all[i]) == 0)
            all[kept - 1].count += all[i].count;
        else
            all[kept++] = all[i];
    }
    *n_out = kept;
    return all;
}

void sp_fill_illegal_pairs(const sp_comparison *c, const sp_fill_options *options, sp_table *table)
{
    int64_t n, limit = options->most_rows;
    sp_pair_count *pairs = sp_illegal_union(c, &n);
    if (!pairs) {
        table->failed = true;
        return;
    }
    qsort(pairs, (size_t)n, sizeof *pairs, by_count);
    table->title = "Illegal transitions by pair";
    sp_table_columns(table, "illegal transition");
    sp_strategy_columns(c, c->has_labels, table);
    for (int64_t i = 0; i < n && (limit == 0 || i < limit); i++) {
        sp_table_say(table, SP_TONE_PLAIN, "%s → %s", c->classes[pairs[i].from], c->classes[pairs[i].to]);
        if (c->has_labels) {
            int64_t count = count_in(c->reference_illegal_pairs, c->n_reference_illegal_pairs, &pairs[i]);
            sp_table_cell_count(table, count ? SP_TONE_PLAIN : SP_TONE_MUTED, count);
        }
        for (int32_t s = 0; s < c->n_strategies; s++) {
            const sp_strategy_result *strategy = &c->strategies[s];
            int64_t count = count_in(strategy->illegal_pairs, strategy->n_illegal_pairs, &pairs[i]);
            sp_table_cell_count(table, count ? SP_TONE_BAD : SP_TONE_MUTED, count);
        }
    }
    table->n_left_out = limit && n > limit ? n - limit : 0;
    free(pairs);
}
