/* How many runs each class has and how long they are, runs that break the durations, and changes of class
 * that are found. */
#include "report/html/page.h"

/* Opens the recording there. */
static void place_cell(const void *arg, size_t row, sp_buffer *out)
{
    const sp_page *page = arg;
    const sp_run_place *place = row ? &page->comparison->run_places[row - 1] : NULL;
    if (!place) {
        sp_buffer_words(out, "<th scope=\"col\">{step} by {step}</th>");
        return;
    }
    sp_buffer link = {0};
    sp_buffer_place(&link, page->comparison->ids[place->recording], place->step);
    sp_html_say(out, "<td><a href=\"%s\">see</a></td>", sp_buffer_string(&link));
    sp_buffer_drop(&link, out);
}

/* Runs that break the durations: how many by class, and the first ones. */
static void broken_runs(sp_page *page)
{
    enum { LISTED = 100 };
    const sp_comparison *c = page->comparison;
    sp_page_document(page, "durations", 0);
    if (c->n_run_places) {
        sp_table table = {.text.words = &c->words};
        sp_fill_run_places(c, &(sp_fill_options){.most_rows = LISTED}, &table);
        sp_buffer_text(&page->out, "<details><summary>Where these runs are</summary>\n");
        sp_table_html(&table, "sortable tall", &(sp_extra_column){place_cell, page}, &page->out);
        sp_buffer_text(&page->out, "</details>\n");
        sp_table_free(&table);
    }
    if (c->n_run_places > LISTED)
        sp_buffer_say(
            &page->out,
            "<p class=\"small\">The list has the first %d of %jd; the JSON and CSV files have %s.</p>\n",
            LISTED, c->n_run_places, c->run_places_cut ? "the first 20,000" : "all");
}

void sp_page_runs(sp_page *page)
{
    sp_buffer *out = &page->out;
    sp_buffer_words(out, "<p>A path may agree with the reference {step} by {step} and still be too smooth, "
                         "or too restless: fewer and longer "
                         "runs than the reference, or more and shorter ones.</p>\n");
    sp_page_document(page, "runs", 0);
    if (page->comparison->durations)
        broken_runs(page);
    sp_page_document(page, "boundaries", 0);
    if (sp_has_agreement(page->comparison))
        sp_buffer_words(out, "<p class=\"small\">A change is found when the path changes between the same "
                             "two classes at that {step}, or "
                             "within 1 or 2 {steps} of it. Edit score: 1 − edit distance between the "
                             "sequences of segments, which "
                             "are runs, divided by the longer; mean over {recordings}. F1@50: a segment is "
                             "right when the segment of its "
                             "class in the reference that it overlaps most does so by half of both together, "
                             "and is not taken; F1@10 and "
                             "F1@25 ask for a tenth and a quarter; pooled over {recordings}.</p>\n");
}
