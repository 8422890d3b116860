/* Recordings: the table of all, or of the worst where they are many. */
#include "report/html/steps/steps.h"

#include <stdlib.h>

enum { ROWS = 1000 };

/* Rows of the recordings that the focus does worst, in their order. */
static void worst_recordings(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    const bool by_accuracy = sp_has_agreement(c);
    sp_table table = {.text.words = &c->words};
    sp_ranking ranking;
    if (!sp_ranking_fill(c, &ranking)) {
        page->out.failed = true;
        return;
    }
    qsort(ranking.recordings, ROWS, sizeof *ranking.recordings, sp_by_number);
    sp_fill_recordings(c, &(sp_fill_options){.recordings = ranking.recordings, .n_recordings = ROWS}, &table);
    table.title =
        by_accuracy ? "{Recordings} with the lowest accuracy" : "{Recordings} with most illegal transitions";
    sp_page_table(page, &table, "sortable wide tall");
    sp_html_say(
        &page->out,
        "<p class=\"small\">%jd of %jd {recordings}, those with %s of %s; the JSON file holds all.</p>\n",
        (int64_t)ROWS, c->n_recordings, by_accuracy ? "the lowest accuracy" : "most illegal transitions",
        c->strategies[by_accuracy || page->argmax < 0 ? page->focus : page->argmax].name);
    sp_ranking_free(&ranking);
}

static void all_recordings(sp_page *page)
{
    sp_page_filled(page, NULL, sp_fill_recordings, &(sp_fill_options){.is_compact = false},
                   page->comparison->n_recordings > 25 ? "sortable wide tall" : "sortable wide");
}

void sp_page_recordings(sp_page *page)
{
    if (page->comparison->n_recordings > ROWS)
        worst_recordings(page);
    else
        all_recordings(page);
    sp_page_document(page, "undecoded", 0);
}
