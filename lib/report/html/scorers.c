/* Agreement with several scorers, beside that of the scorers with each other. */
#include "report/html/page.h"

bool sp_has_scorers(const sp_comparison *comparison)
{
    return comparison->scorers != NULL;
}

void sp_page_scorers(sp_page *page)
{
    const sp_scorers *s = page->comparison->scorers;
    sp_buffer *out = &page->out;
    sp_table table = {0}, notes = {0};
    sp_page_section(page, "scorers", "Scorers");
    sp_buffer_format(out,
                     "<p>%d people scored these recordings. What a strategy can reach is bounded by how far they agree with each "
                     "other.",
                     (int)s->n_scorers);
    sp_fill_scorer_notes(page->comparison, &notes);
    out->failed |= notes.failed || notes.text.failed;
    for (size_t i = 1; !out->failed && i <= sp_table_rows(&notes); i++) {
        sp_buffer_text(out, " ");
        sp_buffer_html(out, sp_table_get(&notes, i, 0));
    }
    sp_buffer_text(out, "</p>\n");
    sp_fill_scorers(page->comparison, true, &table);
    sp_table_html(&table, "", NULL, out);
    sp_buffer_text(
        out, "<p class=\"small\">Accuracy and kappa (Cohen): mean over the scorers, of a scorer over the others. Soft agreement: "
             "mean over steps of the votes for the class that stands here over the votes for the class with most, of a "
             "scorer against the others. A step that a strategy left undecoded is wrong. All are pooled over steps and "
             "descriptive.</p>\n</section>\n");
    sp_table_free(&table);
    sp_table_free(&notes);
}
