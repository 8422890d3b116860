/* What each rule costs, and what rules the labels propose. */
#include "report/html/page.h"

bool sp_has_rule_costs(const sp_comparison *c)
{
    return c->rule_costs != NULL;
}

void sp_page_rule_costs(sp_page *page)
{
    sp_buffer_words(&page->out, "<p>All {recordings} were decoded by Viterbi once more, each time without "
                                "one rule. A positive difference is what "
                                "the rule costs: without it more {steps} are right, or more of the "
                                "reference’s legal changes of class are found."
                                "</p>\n");
    if (sp_page_document(page, "rule-costs", 0))
        sp_page_note(page, sp_note_rule_costs);
    else
        sp_buffer_text(&page->out, "<p>The model forbids nothing.</p>\n");
    if (sp_page_document(page, "rule-proposals", 0))
        sp_page_note(page, sp_note_rule_proposals);
}
