/* What the rules changed: steps fixed and broken, where they stand, and how far an error runs on. */
#include "report/html/page.h"

static void class_changes(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    for (int32_t s = 0; s < c->n_strategies; s++) {
        sp_buffer summary = {0};
        sp_buffer_format(&summary, "%s: by class", c->strategies[s].name);
        if (s != c->strategies[s].argmax)
            sp_page_filled(page, sp_buffer_string(&summary), sp_fill_class_changes,
                           &(sp_fill_options){.strategy = s}, "sortable");
        sp_buffer_drop(&summary, &page->out);
    }
}

static void error_runs(sp_page *page)
{
    if (sp_page_document(page, "error-runs", 0))
        sp_buffer_words(
            &page->out,
            "<p class=\"small\">An error is the stretch from {a step} that argmax has right and the strategy "
            "has not, to where both say the same again; all its broken {steps} but the first are "
            "consequences.</p>\n");
}

void sp_page_changes(sp_page *page)
{
    sp_buffer *out = &page->out;
    sp_buffer_text(out, "<div class=\"grid\">\n<div>");
    sp_page_document(page, "changes", 0);
    sp_buffer_words(out, "<p class=\"small\">Fixed: argmax wrong, the strategy right. Broken: the other way "
                         "round. Over scored "
                         "{steps}.</p>\n");
    class_changes(page);
    sp_buffer_text(out, "</div>\n<div>");
    sp_page_document(page, "contexts", 0);
    sp_buffer_text(out, "</div>\n</div>\n");
    error_runs(page);
}
