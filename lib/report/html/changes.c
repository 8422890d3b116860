/* What the rules changed: steps fixed and broken, where they stand, and how far an error runs on. */
#include "report/html/page.h"

static void class_changes(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_table classes = {.text.words = &c->words};
        if (s != c->strategies[s].argmax)
            sp_fill_class_changes(c, &(sp_fill_options){.strategy = s}, &classes);
        if (classes.n_columns && sp_table_rows(&classes)) {
            sp_html_say(&page->out, "<details><summary>%s: by class</summary>\n", c->strategies[s].name);
            sp_table_html(&classes, "sortable", NULL, &page->out);
            sp_buffer_text(&page->out, "</details>\n");
        }
        page->out.failed |= sp_table_failed(&classes);
        sp_table_free(&classes);
    }
}

static void error_runs(sp_page *page)
{
    if (sp_page_document(page, "error-runs", 0))
        sp_buffer_words(&page->out,
                        "<p class=\"small\">An error is the stretch from {a step} that argmax has right and the strategy "
                        "has not, to where both say the same again; all its broken {steps} but the first are "
                        "consequences.</p>\n");
}

void sp_page_changes(sp_page *page)
{
    sp_buffer *out = &page->out;
    sp_frame_section(&page->out, "changes", "What changed");
    sp_buffer_text(out, "<div class=\"grid\">\n<div>");
    sp_page_document(page, "changes", 0);
    sp_buffer_words(out, "<p class=\"small\">Fixed: argmax wrong, the strategy right. Broken: the other way round. Over scored "
                         "{steps}.</p>\n");
    class_changes(page);
    sp_buffer_text(out, "</div>\n<div>");
    sp_page_document(page, "contexts", 0);
    sp_buffer_text(out, "</div>\n</div>\n");
    error_runs(page);
    sp_buffer_text(out, "</section>\n");
}
