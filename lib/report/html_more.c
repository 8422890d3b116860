/* Figures that have no picture: errors that run on, coarser classes, further tests, margins. */
#include "report/html_page.h"

typedef void table_filler(const sp_comparison *comparison, sp_table *table);

static table_filler *const fillers[] = {sp_fill_margins, sp_fill_error_runs, sp_fill_collapsed, sp_fill_several,
                                        sp_fill_step_tests};
enum { N_FILLERS = sizeof fillers / sizeof *fillers };

bool sp_has_more(const sp_comparison *comparison)
{
    bool has_errors = false;
    for (int32_t s = 0; s < comparison->n_strategies; s++)
        has_errors |= comparison->strategies[s].error_runs.runs != NULL;
    return has_errors || comparison->n_collapsed > 0 || comparison->n_comparisons > 0;
}

void sp_page_more(sp_page *page)
{
    sp_page_section(page, "more", "Further figures");
    for (int i = 0; i < N_FILLERS; i++) {
        sp_table table = {0};
        fillers[i](page->comparison, &table);
        if (sp_table_rows(&table) || table.failed || table.text.failed)
            sp_table_html(&table, "wide", NULL, &page->out);
        if (fillers[i] == sp_fill_several && sp_table_rows(&table)) {
            sp_buffer_text(&page->out, "<p class=\"small\">");
            sp_buffer note = {0};
            sp_note_several(page->comparison, &note);
            sp_buffer_html(&page->out, note.data ? note.data : "");
            page->out.failed |= note.failed;
            sp_buffer_free(&note);
            sp_buffer_text(&page->out, "</p>\n");
        }
        sp_table_free(&table);
    }
    sp_buffer_text(&page->out,
                   "<p class=\"small\">An error is the stretch from a step that argmax has right and the strategy has "
                   "not, to where both say the same again; all its broken steps but the first are consequences.</p>\n"
                   "</section>\n");
}
