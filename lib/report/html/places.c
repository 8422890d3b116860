/* Steps at which a rule is broken: which recording, when, by whom, and what the others say there. The script lists all whose
 * steps are in the page; without it the first stand here. */
#include "evaluate/work.h"
#include "report/html/steps/steps.h"

enum { ROWS = 30 };

bool sp_has_places(const sp_comparison *c)
{
    return c->n_illegal_places > 0 && c->n_strategies > 0;
}

/* "N3 → REM", "– → REM" of a start. */
static void said_cell(sp_page *page, const sp_illegal_said *said)
{
    const sp_comparison *c = page->comparison;
    sp_buffer_text(&page->out, said->is_illegal ? "<td class=\"bad\">" : "<td>");
    if (said->from >= 0)
        sp_html_say(&page->out, "%s → ", c->classes[said->from]);
    else if (said->to >= 0)
        sp_buffer_text(&page->out, "– → ");
    sp_html_say(&page->out, "%s</td>", said->to >= 0 ? c->classes[said->to] : "–");
}

void sp_page_link(sp_page *page, int64_t recording, int64_t step)
{
    const char *id = page->comparison->ids[recording];
    sp_buffer link = {0};
    sp_buffer_place(&link, id, step);
    sp_html_say(&page->out, "<a href=\"%s\">%s</a>", sp_buffer_string(&link), id);
    sp_buffer_drop(&link, &page->out);
}

/* "4:16:30" */
static void add_time(sp_buffer *out, double seconds)
{
    const int64_t whole = (int64_t)seconds;
    sp_buffer_format(out, "%lld:%02d:%02d", (long long)(whole / 3600), (int)(whole / 60 % 60),
                     (int)(whole % 60));
}

/* The first cells of a row of the table of a step: recording, a link; its number; its time, where steps have a length. */
static void add_place_cells(sp_page *page, int64_t recording, int64_t step)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_buffer_text(out, "<th scope=\"row\">");
    sp_page_link(page, recording, step);
    sp_buffer_say(out, "</th><td class=\"n\">%jd</td>", sp_step_number(c->work, step));
    if (c->epoch_seconds > 0) {
        sp_buffer_text(out, "<td class=\"n\">");
        add_time(out, (double)step * c->epoch_seconds);
        sp_buffer_text(out, "</td>");
    }
}

static void place_row(sp_page *page, const sp_illegal_place *place)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    bool is_first = true;
    sp_buffer_text(out, "<tr>");
    add_place_cells(page, place->recording, place->step);
    sp_buffer_text(out, "<td>");
    for (int32_t s = 0; s <= c->n_strategies; s++)
        if (place->said[s].is_illegal) {
            sp_html_say(out, "%s%s", is_first ? "" : ", ",
                        s < c->n_strategies ? c->strategies[s].name : "reference");
            is_first = false;
        }
    sp_buffer_text(out, "</td>");
    if (c->has_labels)
        said_cell(page, &place->said[c->n_strategies]);
    for (int32_t s = 0; s < c->n_strategies; s++)
        said_cell(page, &place->said[s]);
    sp_buffer_text(out, "</tr>\n");
}

void sp_page_places(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    const int64_t n = c->n_illegal_places < ROWS ? c->n_illegal_places : ROWS;
    sp_buffer_say(out,
                  "<p>Each {step} at which somebody breaks a rule, and the transition into it that each of "
                  "them makes. %s%jd in all.</p>\n",
                  c->illegal_places_cut ? "More than " : "", c->n_illegal_places);
    sp_buffer_say(out,
                  "<div class=\"scroll tall\" tabindex=\"0\" role=\"group\" aria-label=\"Illegal "
                  "{steps}\"><table class=\"wide\" "
                  "id=\"places-table\">\n<caption>Illegal {steps}</caption>\n<thead><tr><th "
                  "scope=\"col\">{recording}</th>"
                  "<th scope=\"col\" class=\"n\">{step}</th>%s<th scope=\"col\">broken by</th>",
                  c->epoch_seconds > 0 ? "<th scope=\"col\" class=\"n\">time</th>" : "");
    if (c->has_labels)
        sp_buffer_text(out, "<th scope=\"col\">reference</th>");
    for (int32_t s = 0; s < c->n_strategies; s++)
        sp_html_say(out, "<th scope=\"col\">%s</th>", c->strategies[s].name);
    sp_buffer_text(out, "</tr></thead>\n<tbody>\n");
    for (int64_t i = 0; i < n; i++)
        place_row(page, &c->illegal_places[i]);
    sp_buffer_text(out, "</tbody></table></div>\n");
    if (n < c->n_illegal_places)
        sp_buffer_say(out,
                      "<p class=\"small\" id=\"places-note\">The first %jd of %jd; the JSON and CSV files "
                      "list %s.</p>\n",
                      n, c->n_illegal_places, c->illegal_places_cut ? "the first 20,000" : "all");
}
