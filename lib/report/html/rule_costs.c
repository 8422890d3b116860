/* What each rule costs, and what rules the labels propose. */
#include "report/html/page.h"

bool sp_has_rule_costs(const sp_comparison *c)
{
    return c->rule_costs != NULL;
}

static void add_note(sp_page *page, sp_noter *noter)
{
    sp_buffer note = {.words = &page->comparison->words};
    noter(page->comparison, &note);
    if (note.data)
        sp_html_say(&page->out, "<p class=\"small\">%s</p>\n", note.data);
    page->out.failed |= note.failed;
    sp_buffer_free(&note);
}

void sp_page_rule_costs(sp_page *page)
{
    sp_frame_section(&page->out, "rules", "What rules cost");
    sp_buffer_words(
        &page->out,
        "<p>All {recordings} were decoded by Viterbi once more, each time without one rule. A positive difference is what "
        "the rule costs: without it more {steps} are right, or more of the reference’s legal changes of class are found."
        "</p>\n");
    if (sp_page_document(page, "rule-costs", 0))
        add_note(page, sp_note_rule_costs);
    else
        sp_buffer_text(&page->out, "<p>The model forbids nothing.</p>\n");
    if (sp_page_document(page, "rule-proposals", 0))
        add_note(page, sp_note_rule_proposals);
    sp_buffer_text(&page->out, "</section>\n");
}
