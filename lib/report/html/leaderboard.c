/* The strategies side by side: the figures that decide, in one table that fits its page. */
#include "report/html/page.h"

/* "695 (3.93 %)" */
static void cell_illegal(const sp_transition_counts *counts, sp_tone tone, sp_table *table)
{
    sp_buffer *cell = sp_table_cell(table, tone);
    sp_buffer_count(cell, counts->illegal);
    if (counts->illegal) {
        sp_buffer_text(cell, " (");
        sp_buffer_percent(cell, counts->illegal, counts->transitions);
        sp_buffer_text(cell, ")");
    }
}

typedef struct board_shape {
    bool has_score, has_broken, has_undecoded;
} board_shape;

static board_shape shape_of(const sp_comparison *c)
{
    board_shape shape = {.has_undecoded = sp_has_undecoded(c)};
    for (int32_t s = 0; s < c->n_strategies; s++) {
        shape.has_score |= c->strategies[s].has_path_score && !c->has_labels;
        shape.has_broken |= c->strategies[s].n_relaxed > 0;
    }
    return shape;
}

static void board_columns(const sp_comparison *c, const board_shape *shape, sp_table *table)
{
    sp_table_column(table, SP_LEFT, "strategy");
    sp_table_column(table, SP_RIGHT, "illegal transitions");
    if (c->has_labels) {
        sp_table_column(table, SP_RIGHT, "accuracy, pooled");
        sp_table_column(table, SP_RIGHT, "accuracy, mean ± SD");
        sp_table_column(table, SP_RIGHT, "kappa, pooled");
        sp_table_column(table, SP_RIGHT, "kappa, mean ± SD");
        sp_table_column(table, SP_RIGHT, "macro F1, pooled");
    }
    sp_table_column(table, SP_RIGHT, "changes of class");
    if (shape->has_score)
        sp_table_column(table, SP_RIGHT, "path score");
    if (shape->has_broken)
        sp_table_column(table, SP_RIGHT, "rules broken");
    if (shape->has_undecoded)
        sp_table_column(table, SP_RIGHT, "undecoded");
}

static void board_row(const sp_comparison *c, int32_t s, const board_shape *shape, sp_table *table)
{
    const sp_strategy_result *strategy = &c->strategies[s];
    sp_table_cell_text(table, SP_TONE_PLAIN, strategy->name);
    cell_illegal(&strategy->counts, strategy->counts.illegal ? SP_TONE_BAD : SP_TONE_PLAIN, table);
    if (c->has_labels) {
        sp_cell_metric(c, s, SP_ACCURACY, table);
        sp_cell_mean(table, &strategy->mean_accuracy, &strategy->sd_accuracy, 3);
        sp_cell_metric(c, s, SP_KAPPA, table);
        sp_cell_mean(table, &strategy->mean_kappa, &strategy->sd_kappa, 3);
        sp_cell_metric(c, s, SP_MACRO_F1, table);
    }
    sp_table_cell_count(table, SP_TONE_PLAIN, strategy->counts.changes);
    if (shape->has_score && strategy->has_path_score)
        sp_cell_value(table, &strategy->path_score, 1, SP_TONE_PLAIN);
    else if (shape->has_score)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
    if (shape->has_broken)
        sp_table_cell_count(table, strategy->n_broken ? SP_TONE_BAD : SP_TONE_PLAIN, strategy->n_broken);
    if (shape->has_undecoded)
        sp_table_cell_count(table, strategy->n_undecoded ? SP_TONE_BAD : SP_TONE_PLAIN, strategy->n_undecoded);
}

/* The labels themselves: they agree with themselves, but may break rules too. */
static void reference_row(const sp_comparison *c, const board_shape *shape, sp_table *table)
{
    sp_table_cell_text(table, SP_TONE_MUTED, "reference");
    cell_illegal(&c->reference, SP_TONE_MUTED, table);
    for (int m = 0; m < 5; m++)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
    sp_table_cell_count(table, SP_TONE_MUTED, c->reference.changes);
    for (int i = 0; i < shape->has_score + shape->has_broken + shape->has_undecoded; i++)
        sp_table_cell_text(table, SP_TONE_MUTED, "–");
}

static void fill_board(const sp_comparison *c, sp_table *table)
{
    board_shape shape = shape_of(c);
    table->title = "Strategies on the same scores";
    board_columns(c, &shape, table);
    for (int32_t s = 0; s < c->n_strategies; s++)
        board_row(c, s, &shape, table);
    if (c->has_labels && c->n_strategies)
        reference_row(c, &shape, table);
}

/* ---- section ---- */

void sp_page_leaderboard(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_table board = {0};
    sp_page_section(page, "strategies", "Strategies");
    fill_board(c, &board);
    sp_page_table(page, &board, "sortable wide");
    sp_buffer_text(out, "<p class=\"small\">");
    if (c->has_labels)
        sp_buffer_text(out, "★ best of its column. Pooled: over all scored steps at once. Mean ± SD: over recordings. ");
    sp_buffer_text(out, "Changes of class: steps whose class differs from that of the step before.</p>\n");
    sp_page_figures(page);
    sp_buffer_text(out, "<div class=\"beside\">\n");
    sp_page_plane(page);
    sp_page_slopes(page);
    sp_buffer_text(out, "</div>\n</section>\n");
}
