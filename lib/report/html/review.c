/* Steps that a human should look at first, and what that brings. */
#include "report/html/page.h"

enum { ROWS = 100 };

bool sp_has_review(const sp_comparison *c)
{
    return c->review != NULL;
}

static void class_cell(sp_page *page, int32_t k, bool is_wrong)
{
    sp_html_say(&page->out, is_wrong ? "<td class=\"bad\">%s</td>" : "<td>%s</td>",
                k < 0 ? "–" : page->comparison->classes[k]);
}

static void row(sp_page *page, const sp_review_place *place)
{
    const sp_comparison *c = page->comparison;
    sp_buffer *out = &page->out;
    sp_buffer_text(out, "<tr>");
    sp_page_place_cells(page, place->recording, place->step);
    class_cell(page, place->decoded, place->label >= 0 && place->label != place->decoded);
    class_cell(page, place->likeliest, false);
    sp_buffer_say(out, "<td class=\"n\">%.3f</td><td class=\"n\">%.2f</td>", place->probability, place->gain);
    if (c->has_labels)
        class_cell(page, place->label, false);
    sp_buffer_text(out, "</tr>\n");
}

void sp_page_review(sp_page *page)
{
    const sp_comparison *c = page->comparison;
    const sp_review_result *review = c->review;
    sp_buffer *out = &page->out;
    const int64_t n = review->n < ROWS ? review->n : ROWS;
    sp_buffer_say(out,
                  "<p>The %jd {step(s)} whose correction by a human would change most, the best first. Gain: "
                  "how many {steps} are "
                  "expected to become right when the true class of this one is known, by the scores and the "
                  "rules.</p>\n",
                  review->n_chosen);
    if (!review->accuracy.undefined)
        sp_buffer_say(out,
                      "<p>Measured on the labels: with these corrected and decoded anew, the accuracy of %s "
                      "is %.4f, was %.4f; "
                      "with as many of "
                      "the least probable {steps} it is %.4f, with as many taken at random %.4f.</p>\n",
                      c->strategies[review->strategy].name, review->corrected.value, review->accuracy.value,
                      review->least_probable.value, review->random.value);
    sp_buffer_say(
        out,
        "<div class=\"scroll tall\" tabindex=\"0\" role=\"group\" aria-label=\"{Steps} to review\"><table "
        "class=\"sortable\">\n"
        "<caption>{Steps} to review</caption>\n<thead><tr><th scope=\"col\">{recording}</th><th "
        "scope=\"col\" "
        "class=\"n\">{step}</th>%s<th scope=\"col\">decoded</th><th scope=\"col\">likeliest</th><th "
        "scope=\"col\" "
        "class=\"n\">probability</th><th scope=\"col\" class=\"n\">gain</th>%s</tr></thead>\n<tbody>\n",
        c->epoch_seconds > 0 ? "<th scope=\"col\" class=\"n\">time</th>" : "",
        c->has_labels ? "<th scope=\"col\">reference</th>" : "");
    for (int64_t i = 0; i < n; i++)
        row(page, &review->list[i]);
    sp_buffer_text(out, "</tbody></table></div>\n");
    if (n < review->n_chosen)
        sp_buffer_say(out,
                      "<p class=\"small\">The first %jd of %jd; the JSON lists %s%jd; where paths are "
                      "written, PATHS.review.csv "
                      "lists all.</p>\n",
                      n, review->n_chosen, review->n < review->n_chosen ? "the first " : "", review->n);
}
