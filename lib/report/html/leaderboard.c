/* The strategies side by side: the figures that decide, in one table that fits its page, and all of them behind a fold. */
#include "report/html/page.h"
#include "report/tables/columns.h"

/* "695 (3.93 %)" */
static void illegal(const sp_figure_owner *owner, sp_table *table)
{
    const sp_transition_counts *counts = owner->strategy ? &owner->strategy->counts : &owner->comparison->reference;
    sp_buffer *cell = sp_table_cell(table, owner->strategy && counts->illegal ? SP_TONE_BAD : SP_TONE_PLAIN);
    sp_buffer_count(cell, counts->illegal);
    if (counts->illegal) {
        sp_buffer_text(cell, " (");
        sp_buffer_percent(cell, counts->illegal, counts->transitions);
        sp_buffer_text(cell, ")");
    }
}

/* For want of room. */
enum { NO_ACTIONS = (1 << SP_N_WORKS) - 1 - (1 << SP_WORK_ACTIONS) };

static const sp_column board[] = {
    SP_LEAD_COLUMNS,
    {.key = "illegal", .heading = "illegal transitions", .cell = illegal},
    {.key = "accuracy", .heading = "accuracy, pooled", .how = SP_STAR},
    {.key = "mean_accuracy", .heading = "accuracy, mean ± SD", .sd = "sd_accuracy"},
    {.key = "kappa", .heading = "kappa, pooled", .how = SP_STAR},
    {.key = "mean_kappa", .heading = "kappa, mean ± SD", .sd = "sd_kappa", .works = NO_ACTIONS},
    {.key = "macro_f1", .heading = "macro F1, pooled", .how = SP_STAR},
    {.key = "changes", .heading = "changes of class"},
    {.key = "rules_broken", .how = SP_DROP_ZERO},
    {.key = "undecoded", .how = SP_DROP_ZERO},
    {.key = "path_score"}, /* without labels only */
};

static const sp_column all_figures[] = {
    SP_LEAD_COLUMNS,
    {.key = "accuracy", .how = SP_STAR},
    {.key = "kappa", .how = SP_STAR},
    {.key = "macro_f1", .how = SP_STAR},
    {.key = "balanced_accuracy", .how = SP_STAR},
    {.key = "mcc", .how = SP_STAR},
    {.key = "weighted_f1", .how = SP_STAR},
    {.key = "weighted_kappa"},
    {.key = "kappa_se"},
    {.key = "mean_accuracy", .heading = "accuracy, mean ± SD", .decimals = 4, .sd = "sd_accuracy"},
    {.key = "mean_kappa", .heading = "kappa, mean ± SD", .decimals = 4, .sd = "sd_kappa"},
    {.key = "illegal", .heading = "illegal transitions"},
    {.key = "illegal_rate", .heading = "of all transitions"},
    {.key = "illegal_per_change", .heading = "of all changes of class"},
    {.key = "illegal_per_hour", .heading = "an hour", .decimals = 2, .how = SP_DROP_UNDEFINED},
    {.key = "recordings_with_illegal"},
    {.key = "illegal_start", .how = SP_DROP_ZERO},
    {.key = "illegal_end", .how = SP_DROP_ZERO},
    {.key = "short_runs", .heading = "runs below the minimum dwell", .how = SP_DROP_ZERO},
    {.key = "rules_broken", .heading = "rules broken (relaxed)", .how = SP_DROP_ZERO},
    {.key = "undecoded", .heading = "{recordings} undecoded", .how = SP_DROP_ZERO},
    {.key = "changes", .heading = "changes of class"},
    {.key = "isolated_runs", .heading = "isolated {steps} (runs of one)"},
    {.key = "path_score", .heading = "path score, nats"},
    {.key = "regret", .heading = "regret {a step}, nats"},
    {.key = "zero_probability_steps", .how = SP_DROP_ZERO},
};

void sp_page_leaderboard(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_table table = {.title = c->n_against ? "Strategies on the scores of each classifier" : "Strategies on the same scores",
                      .text.words = &c->words},
             figures = {.title = "All figures of each strategy", .text.words = &c->words};
    sp_frame_section(&page->out, "strategies", "Strategies");
    sp_fill_columns(c, board, sizeof board / sizeof *board - c->has_labels, SP_REFERENCE_LAST, &table);
    sp_page_table(page, &table, "sortable wide");
    sp_buffer_text(out, "<p class=\"small\">");
    if (c->has_labels)
        sp_buffer_words(out, "★ best of its column. Pooled: over all scored {steps} at once. Mean ± SD: over {recordings}. ");
    sp_buffer_words(out, "Changes of class: {steps} whose class differs from that of the {step} before.</p>\n");
    sp_fill_figure_rows(c, SP_COLUMNS(all_figures), &figures);
    sp_page_folded(page, "All figures of each strategy", &figures, "");
    sp_buffer_text(out, "<div class=\"beside\">\n");
    sp_page_plane(page);
    sp_page_slopes(page);
    sp_buffer_text(out, "</div>\n</section>\n");
}
